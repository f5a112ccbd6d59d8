"""Low-cycle fatigue around a material."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import Kernel, inlined, kernel, load, shift, store
from femu.materials._composite import OWN_INTEGERS, call_part
from femu.materials._limited import NO_LIMIT, LimitedMaterial
from femu.model.constitutive import BLOCK
from femu.model.parameters import number, positive

RESIDUAL = 1e-8
"""Share of stress and tangent that a failed material keeps, as in OpenSees."""
SMALLEST_RANGE = 1e-10
"""Ranges of strain below it do no damage in the estimate for the cycle under way (as in OpenSees).
"""
MOST_HARM = 1e100  # of a cycle that breaks the material ever so often; the sum stays finite
# stages of the count; 0 is before the first step
_FIRST_RANGE, _TWO_PEAKS, _THREE_PEAKS = 1.0, 2.0, 3.0
_OWN_HISTORY = 9


@inlined
def _harm(E0, m, cycles, span):
    return cycles * min((span / E0) ** (-1.0 / m), MOST_HARM)


@inlined
def _estimated(E0, m, cycles, span):
    return 0.0 if span < SMALLEST_RANGE else _harm(E0, m, cycles, span)


@inlined
def _count(E0, m, limit, smallest, largest, h, strain, stress):
    """The history after a step that ended at this strain and stress of the material."""
    failed, damage, a, b, c, last, direction, stage, estimate = h
    if failed != 0.0:
        return h
    if strain <= smallest or strain >= largest:
        return 1.0, limit, a, b, c, last, direction, stage, limit
    if stage == 0.0:
        stage, a, last = _FIRST_RANGE, strain, strain
    now = direction
    if strain != last:
        now = 1.0 if strain > last else -1.0
    if direction * now < 0.0:  # the step before ended at a peak
        if stage == _FIRST_RANGE:
            b, stage = last, _TWO_PEAKS
        elif stage == _TWO_PEAKS:
            if abs(last - b) < abs(b - a):
                c, stage = last, _THREE_PEAKS
            else:
                damage += _harm(E0, m, 0.5, abs(b - a))
                a, b = b, last
        else:
            small, large = abs(last - c), abs(c - b)
            damage += _harm(E0, m, 1.0, min(small, large))
            if small >= large:
                b = last
            c, stage = 0.0, _TWO_PEAKS
        failed = 1.0 if damage >= limit else 0.0
        estimate = damage
    if failed == 0.0:
        if b == 0.0 and c == 0.0:
            estimate = damage + _estimated(E0, m, 0.5, abs(strain - a))
        elif b != 0.0 and c == 0.0:
            previous = abs(c - b) if stage == _THREE_PEAKS else abs(b - a)
            estimate = damage + _estimated(E0, m, 0.5, abs(strain - b)) + _estimated(E0, m, 0.5,
                                                                                     previous)
        elif b != 0.0:
            if abs(a - strain) > abs(a - b):
                estimate = damage + _estimated(E0, m, 1.0, abs(c - b)) + _estimated(E0, m, 0.5,
                                                                                    abs(strain - a))
            else:
                estimate = damage + _estimated(E0, m, 1.0, abs(c - strain)) + _estimated(E0, m, 0.5,
                                                                                         abs(a - b))
        if estimate > limit and stress > 0.0:
            damage, failed = estimate, 1.0
    return failed, damage, a, b, c, strain, now, stage, estimate


@kernel(BLOCK)
def _fatigue(n, i, p, c, t, w, x, r, s, y, k, d):
    damping = w
    outcome = call_part(shift(i, OWN_INTEGERS), n, i, p, c, t, damping, x, r, s, y, k)
    for j in range(n):
        h = load(c, j, n, _OWN_HISTORY)
        after = _count(p[0], p[1], p[2], p[3], p[4], h, x[j], y[j])
        store(t, j, n, after)
        if after[0] != 0.0:
            for v in range(_OWN_HISTORY, _OWN_HISTORY + i[0]):
                t[v * n + j] = c[v * n + j]
        if h[0] != 0.0:
            y[j] *= RESIDUAL
            k[j] *= RESIDUAL
            damping[j] *= RESIDUAL
    if i[1] != 0:
        for j in range(n):
            d[j] += damping[j]
    return outcome


class LowCycleFatigue(LimitedMaterial):
    """A material that breaks when its cycles of strain have used up its life; OpenSees'
    ``Fatigue``.

    A cycle of the range r (largest less smallest strain) takes its share of the life after Coffin
    and Manson, and the shares add up after Miner::

        damage = sum of (r / E0) ** (-1 / m),        half of that for a half cycle

    Cycles are counted by rainflow with at most four peaks in memory. From each peak on, the damage
    is also estimated as if the strain reached now were the last peak. The material breaks at the
    end of a step at whose peak the damage has reached ``largest_damage``, or in which the estimate
    has passed it under tension, or whose strain has reached ``smallest_strain`` or
    ``largest_strain``. Stress and tangent are 1e-8 of the material's own from then on; until then
    they are those of the material. The step that breaks it still ends in balance with the unbroken
    stress.

    The first range begins at the strain of the first step, and a peak at a strain of exactly zero
    is left out of the estimate (not of the count), as in OpenSees.

    The defaults are those of steel shapes: Uriz, Towards earthquake-resistant design of
    concentrically braced steel structures, PhD thesis, University of California, Berkeley, 2005.
    Coffin, Trans. ASME 76, 1954; Manson, NACA TN 2933, 1953; Ballio and Castiglioni, J. Constr.
    Steel Res. 34(1), 1995.
    """

    E0: float = positive("range of strain of which one cycle breaks the material", "strain",
                         default=0.191)
    m: float = number("slope of range over cycles, both as logarithms; a negative number",
                      upper=0.0, open=True,
                      default=-0.458)
    largest_damage: float = number("damage at which it breaks", lower=0.0, upper=1.0, default=1.0)
    smallest_strain: float = number("strain in compression at which it breaks, a negative number",
                                    "strain",
                                    default=-NO_LIMIT)
    largest_strain: float = number("strain in tension at which it breaks", "strain",
                                   default=NO_LIMIT)

    history: ClassVar[tuple[str, ...]] = (
        "failed", "damage", "first_peak", "second_peak", "third_peak", "strain", "direction",
        "stage", "estimated_damage")

    @property
    def breaks_after_step(self) -> bool:
        return True

    def kernel(self) -> Kernel:
        return _fatigue
