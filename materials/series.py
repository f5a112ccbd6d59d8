"""Materials in series."""

from __future__ import annotations

from femu.kernels import Kernel, inlined, kernel, shift
from femu.materials._composite import Materials, named_parts
from femu.model.component import PART_INTEGERS, Constitutive, Material, part_table
from femu.model.constitutive import BLOCK, call_block
from femu.support.errors import InputError

STRESS_TOLERANCE = 1e-13
"""Difference between the stresses of the parts, as a share of the largest."""
ROUND_OFF = 1e-15
"""The same as a share of stiffness times strain.

What round-off leaves where the stress passes zero.
"""
SMALLEST_STRAIN = 2.220446049250313e-16
"""Laws that look for reversals take smaller increments for none.

Their stress is known no better than this strain.
"""
MAX_ITERATIONS = 200
GOOD_ENOUGH = 0.1
"""A step along a change of strains ends where the work of the stresses on it has fallen to this
share."""
MUCH = 0.5
"""A full step that leaves more than this share of the work is doubled.

The tangent promised too much stiffness.
"""
MARGIN = 0.1
"""Share of the bracket by which a new step keeps off its ends."""
_NEW, _FULL, _BRACKETED, _SETTLED = 0.0, 1.0, 2.0, 3.0  # phases of a point
_PER_POINT = 7  # numbers of workspace for a point, besides those for its parts


@inlined
def _newton(j, n, end, total, missing, stiffest, strain, stress, tangent, stiffness, base, change):
    """Change the strains of point j so that the linearised stresses are equal; returns their work
    on the change.

    The common stress follows from the flexibilities; a part without tangent dictates it, the
    weakest first, and other parts without tangent unload. The softest part takes what is left of
    the strain: its own flexibility would magnify round-off.
    """
    flexibility, weighted, softest = 0.0, 0.0, j
    for q in range(j, end, n):
        if tangent[q] != 0.0:
            flexibility += 1.0 / tangent[q]
            weighted += stress[q] / tangent[q]
        if abs(tangent[q]) < abs(tangent[softest]) or (
                tangent[q] == 0.0 and tangent[softest] == 0.0
                and abs(stress[q]) < abs(stress[softest])):
            softest = q
    common = stress[softest] if tangent[softest] == 0.0 else (missing + weighted) / flexibility
    remainder, work = total, 0.0
    for q in range(j, end, n):
        base[q] = strain[q]
        if q != softest:
            modulus = tangent[q]
            if modulus == 0.0:
                modulus = stiffness[q] if stiffness[q] != 0.0 else stiffest
            if modulus == 0.0:
                modulus = abs(stress[q] / strain[q])  # no part has shown a stiffness yet
            change[q] = (common - stress[q]) / modulus if modulus > 0.0 or modulus < 0.0 else 0.0
            strain[q] += change[q]
            work += change[q] * (stress[q] - stress[j])
            remainder -= strain[q]
    strain[softest] = remainder
    change[softest] = remainder - base[softest]
    return work + change[softest] * (stress[softest] - stress[j])


@kernel(BLOCK)
def _series(n, i, p, c, t, w, x, r, s, y, k, d):
    """Longer than a page: the iterations on the stress of all parts are one loop, with a bracket
    that all of it reads."""
    # i: number of parts, then the table of parts; t begins with strain and largest tangent so far
    # of each part
    end = i[0] * n
    strain, stiffness, stress, tangent = t, shift(t, end), w, shift(w, end)
    base, change, of_point = shift(w, 2 * end), shift(w, 3 * end), shift(w, 4 * end)
    phase, first_work, at = of_point, shift(of_point, n), shift(of_point, 2 * n)
    # ends of the bracket, as shares of the change
    short, short_work = shift(of_point, 3 * n), shift(of_point, 4 * n)
    long, long_work = shift(of_point, 5 * n), shift(of_point, 6 * n)
    rest = shift(of_point, _PER_POINT * n)
    for q in range(2 * end):
        t[q] = c[q]
    for j in range(n):
        phase[j] = _NEW
    waiting = n
    for _ in range(MAX_ITERATIONS):
        for part in range(i[0]):
            own = shift(i, 1 + PART_INTEGERS * part)
            if call_block(own[0], (
                    n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n),
                    shift(t, own[3] * n), rest,
                    shift(strain, part * n), r, s, shift(stress, part * n),
                    shift(tangent, part * n), d)) != 0:
                return 1
        for j in range(n):
            if phase[j] == _SETTLED:
                continue
            missing, low, high, stiffest, length, work = x[j], stress[j], stress[j], 0.0, abs(x[j]), 0.0
            for q in range(j, end, n):
                stiffness[q] = max(stiffness[q], abs(tangent[q]))
                missing -= strain[q]
                low, high = min(low, stress[q]), max(high, stress[q])
                stiffest = max(stiffest, stiffness[q])
                length = max(length, abs(strain[q]))
                work += change[q] * (stress[q] - stress[j])  # the changes sum up to zero
            complete = abs(missing) <= ROUND_OFF * length
            even = high - low <= STRESS_TOLERANCE * max(abs(low), abs(high)) + stiffest * (
                ROUND_OFF * length + SMALLEST_STRAIN)
            if complete and even:
                phase[j] = _SETTLED
                waiting -= 1
                continue
            too_long = phase[j] != _NEW and work > GOOD_ENOUGH * abs(first_work[j])
            too_short = phase[j] == _BRACKETED and work < -GOOD_ENOUGH * abs(first_work[j])
            far_too_short = phase[j] == _FULL and work < -MUCH * abs(first_work[j])
            if too_long or too_short or far_too_short:
                if too_long:
                    long[j], long_work[j] = at[j], work
                    phase[j] = _BRACKETED
                else:
                    short[j], short_work[j] = at[j], work
                if far_too_short:
                    at[j] *= 2.0
                else:
                    # zero of a straight line
                    share = short_work[j] / (short_work[j] - long_work[j])
                    at[j] = short[j] + min(max(share, MARGIN), 1.0 - MARGIN) * (long[j] - short[j])
                for q in range(j, end, n):
                    strain[q] = base[q] + at[j] * change[q]
            else:
                first_work[j] = _newton(
                    j, n, end, x[j], missing, stiffest, strain, stress, tangent, stiffness, base,
                    change)
                at[j], short[j], short_work[j] = 1.0, 0.0, first_work[j]
                phase[j] = _FULL if complete else _NEW
        if waiting == 0:
            break
    if waiting != 0:
        return 1
    for j in range(n):
        flexibility, rigid, total = 0.0, 1.0, 0.0
        for q in range(j, end, n):
            total += stress[q]
            if tangent[q] == 0.0:
                rigid = 0.0
            else:
                flexibility += 1.0 / tangent[q]
        y[j] = total / i[0]
        k[j] = rigid / flexibility if flexibility != 0.0 else 0.0
    return 0


class Series(Material):
    """Materials of the same stress, whose strains add up; the converged form of OpenSees'
    ``Series``.

    The strains of the parts are iterated from the committed ones, with the flexibilities of the
    parts, until their stresses are equal to `STRESS_TOLERANCE` and their sum is the strain given.
    Without softening the strains sought make the work of all parts together smallest: a Newton step
    is searched for the point beyond which the stresses do work against it. OpenSees makes one pass
    a call and carries the difference over to the next, so it comes close only for small steps.

    ``materials`` is a list, or a mapping that names the parts. None may depend on the rate of
    strain, because the rates of the parts are not known: a spring in series with a dashpot is
    `MaxwellDamper`.
    """

    materials: Materials

    def validate(self) -> None:
        for name, part in named_parts(self.label(), self.materials):
            if part.rate_dependent:
                raise InputError(self.label(), name, part, "must not depend on the rate of strain",
                                 fix="use MaxwellDamper for a spring in series with a dashpot")

    def parts(self) -> list[tuple[str, Constitutive]]:
        return named_parts(self.label(), self.materials)

    def history_names(self) -> list[str]:
        names = [name for name, _ in self.parts()]
        own = [f"{name}.part_strain" for name in names] + [f"{name}.part_stiffness"
                                                           for name in names]
        return own + super().history_names()

    def integers(self) -> list[int]:
        parts = [part for _, part in self.parts()]
        return [len(parts), *part_table(parts, 0, 2 * len(parts), 1)]

    def workspace(self, points: int) -> int:
        parts = self.parts()
        return (4 * len(parts) + _PER_POINT) * points + max(part.workspace(points) for _,
                                                            part in parts)

    def kernel(self) -> Kernel:
        return _series
