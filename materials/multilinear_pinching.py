"""Envelope of up to seven lines a side with pinching, damage and loss of strength."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from femu.component import Material
from femu.errors import InputError
from femu.kernels import inlined
from femu.laws import law
from femu.materials.trilinear_pinching import FLAT, NEVER, SMALLEST_INCREMENT, pinched_reloading
from femu.parameters import finite, nonnegative, number, positive

POINTS = 7
LEAST_LEFT = 1e-9
"""Least share of the envelope that one change of direction leaves (as in OpenSees)."""
MOST_LEFT = 1e6
"""Keeps numbers finite where an envelope gives energy back, so that damage by energy is negative and strength grows."""


@inlined
def _envelope(x, points, left_s, left_e):
    """Stress and slope of the first loading in tension; the points from the second on are scaled."""
    s, e = points[0], points[1]
    first = s / e
    if x < 0.0:
        return 0.0, FLAT * first
    if x <= e:
        return first * x, first
    for i in range(1, POINTS):
        s_next, e_next = left_s * points[2 * i], left_e * points[2 * i + 1]
        slope = (s_next - s) / (e_next - e)
        if x <= e_next or (i == POINTS - 1 and slope > 0.0):
            return s + slope * (x - e), slope
        s, e = s_next, e_next
    return s, FLAT * first


@inlined
def _steepest(points, left_s, left_e):
    """Largest slope of the envelope."""
    s, e = points[0], points[1]
    found = s / e
    for i in range(1, POINTS):
        s_next, e_next = left_s * points[2 * i], left_e * points[2 * i + 1]
        found = max(found, (s_next - s) / (e_next - e))
        s, e = s_next, e_next
    return found


@inlined
def _is_above_zero(x, points, left_s, left_e):
    """Whether the envelope is above zero beyond its first line: a comparison, as the sum may be fused and lose its sign."""
    s, e = points[0], points[1]
    for i in range(1, POINTS):
        s_next, e_next = left_s * points[2 * i], left_e * points[2 * i + 1]
        slope = (s_next - s) / (e_next - e)
        if x <= e_next or (i == POINTS - 1 and slope > 0.0):
            return slope * (x - e) > -s
        s, e = s_next, e_next
    return s > 0.0


@inlined
def _end_of_softening(x, points, left_s, left_e):
    """Strain at the end of the line on which the largest strain lies, where nothing is left there."""
    s, e = points[0], points[1]
    if x <= e:
        return NEVER
    for i in range(1, POINTS):
        s_next, e_next = left_s * points[2 * i], left_e * points[2 * i + 1]
        if x <= e_next or i == POINTS - 1:
            ends = s_next < s if i == POINTS - 1 else s_next != s
            # not e_next: for a line that ends at zero, round-off decides, here as in OpenSees
            limit = e + (s_next - s) / ((s_next - s) / (e_next - e))
            return limit if ends and not _is_above_zero(limit, points, left_s, left_e) else NEVER
        s, e = s_next, e_next
    return NEVER


@inlined
def _energy(tension, compression):
    """Energy that the damage by energy is measured by."""
    whole, beyond = tension[0] * tension[1] + compression[0] * compression[1], 0.0
    for i in range(1, POINTS):
        j = 2 * i
        whole += (tension[j + 1] - tension[j - 1]) * (tension[j] + tension[j - 2])
        strip = (compression[j + 1] - compression[j - 1]) * (compression[j] + compression[j - 2])
        if i < 3:
            whole += strip
        else:
            beyond += strip
    return 0.5 * whole + beyond


class MultilinearPinching(Material):
    """Envelope of seven lines a side, pinched reloading, damage, loss of strength; OpenSees' ``HystereticSM``.

    First loading follows straight lines through (e1p, s1p) ... (e7p, s7p) in tension and the points with ``n`` in compression
    (numbers below zero); beyond the last point the last line goes on where it rises, and the stress is constant where it
    falls. `through` takes fewer points. Unloading, pinched reloading and the growth of the strain aimed at, by the factor
    1 + d, are those of `TrilinearPinching`, with the steepest line of the envelope in place of the first and ::

        d = damage_1 (mu - 1) + damage_2 W / W_1

    W_1 is the energy under both envelopes, where what lies beyond the third point in compression counts twice (as in OpenSees
    3.7). Where d acts, the envelope aimed at loses strength for good: all its stresses but the first are multiplied by ::

        1 - |loss| d

    and with ``loss`` above zero all its strains but the first too.

    Two differences from OpenSees 3.7: there, only testUniaxialMaterial knows of the loss of strength (``-degEnv``), elements
    take the first of ``-forceLimitStates`` for it; and it acts once for each time a change of direction is tried.

    Mazzoni, manual of OpenSees, HystereticSM; for the rules of unloading see `TrilinearPinching`.
    """

    s1p: float = positive("stress at the first point in tension", "stress")
    e1p: float = positive("strain at the first point in tension", "strain")
    s2p: float = number("stress at the second point in tension", "stress")
    e2p: float = positive("strain at the second point in tension", "strain")
    s3p: float = number("stress at the third point in tension", "stress")
    e3p: float = positive("strain at the third point in tension", "strain")
    s4p: float = number("stress at the fourth point in tension", "stress")
    e4p: float = positive("strain at the fourth point in tension", "strain")
    s5p: float = number("stress at the fifth point in tension", "stress")
    e5p: float = positive("strain at the fifth point in tension", "strain")
    s6p: float = number("stress at the sixth point in tension", "stress")
    e6p: float = positive("strain at the sixth point in tension", "strain")
    s7p: float = number("stress at the seventh point in tension", "stress")
    e7p: float = positive("strain at the seventh point in tension", "strain")
    s1n: float = number("stress at the first point in compression, below zero", "stress", upper=0.0, open=True)
    e1n: float = number("strain at the first point in compression, below zero", "strain", upper=0.0, open=True)
    s2n: float = number("stress at the second point in compression", "stress")
    e2n: float = number("strain at the second point in compression, below zero", "strain", upper=0.0, open=True)
    s3n: float = number("stress at the third point in compression", "stress")
    e3n: float = number("strain at the third point in compression, below zero", "strain", upper=0.0, open=True)
    s4n: float = number("stress at the fourth point in compression", "stress")
    e4n: float = number("strain at the fourth point in compression, below zero", "strain", upper=0.0, open=True)
    s5n: float = number("stress at the fifth point in compression", "stress")
    e5n: float = number("strain at the fifth point in compression, below zero", "strain", upper=0.0, open=True)
    s6n: float = number("stress at the sixth point in compression", "stress")
    e6n: float = number("strain at the sixth point in compression, below zero", "strain", upper=0.0, open=True)
    s7n: float = number("stress at the seventh point in compression", "stress")
    e7n: float = number("strain at the seventh point in compression, below zero", "strain", upper=0.0, open=True)
    pinch_x: float = number("pinching of strain: 1 for none", lower=0.0, upper=1.0, default=1.0)
    pinch_y: float = number("pinching of stress: 1 for none", lower=0.0, upper=1.0, default=1.0)
    damage_1: float = nonnegative("damage by ductility", default=0.0)
    damage_2: float = nonnegative("damage by energy", default=0.0)
    beta: float = nonnegative("exponent of the loss of unloading stiffness", default=0.0)
    loss_p: float = number("loss of strength in tension with damage; above zero the strains shrink too", default=0.0)
    loss_n: float = number("loss of strength in compression with damage; above zero the strains shrink too", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "largest_strain", "smallest_strain", "unloaded_strain", "loaded_strain", "energy",
        "direction", "lost_in_tension", "lost_in_compression")

    def validate(self) -> None:
        tension = [getattr(self, f"e{i}p") for i in range(1, POINTS + 1)]
        compression = [getattr(self, f"e{i}n") for i in range(1, POINTS + 1)]
        if any(b <= a for a, b in pairwise(tension)):
            raise InputError(self.label(), ", ".join(f"e{i}p" for i in range(1, POINTS + 1)), tuple(tension), "must increase")
        if any(b >= a for a, b in pairwise(compression)):
            raise InputError(self.label(), ", ".join(f"e{i}n" for i in range(1, POINTS + 1)), tuple(compression), "must decrease")

    @classmethod
    def through(cls, tension: Sequence[tuple[float, float]], compression: Sequence[tuple[float, float]] | None = None,
                pinch_x: float = 1.0, pinch_y: float = 1.0, damage_1: float = 0.0, damage_2: float = 0.0, beta: float = 0.0,
                loss_p: float = 0.0, loss_n: float = 0.0) -> MultilinearPinching:
        """From 2 to 7 points (stress, strain) a side; without ``compression`` it is the same there as in tension.

        The last line is divided at the tenths that OpenSees divides it at.
        """
        for side, points in (("tension", tension), ("compression", compression if compression is not None else tension)):
            if not all(np.shape(point) == (2,) and all(map(finite, point)) for point in points):
                raise InputError("MultilinearPinching.through", side, points, "must be points (stress, strain)")
        if compression is None:
            compression = [(-s, -e) for s, e in tension]
        values = [*_seven("tension", tension), *_seven("compression", compression), pinch_x, pinch_y, damage_1, damage_2, beta,
                  loss_p, loss_n]
        return cls(*values)

    @law
    def law(p, h, strain):
        (s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p, s5p, e5p, s6p, e6p, s7p, e7p, s1n, e1n, s2n, e2n, s3n, e3n, s4n, e4n, s5n, e5n,
         s6n, e6n, s7n, e7n, pinch_x, pinch_y, damage_1, damage_2, beta, loss_p, loss_n) = p
        last, last_stress, last_tangent, largest, smallest, unloaded, loaded, energy, direction, lost_p, lost_n = h
        tension = (s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p, s5p, e5p, s6p, e6p, s7p, e7p)
        compression = (-s1n, -e1n, -s2n, -e2n, -s3n, -e3n, -s4n, -e4n, -s5n, -e5n, -s6n, -e6n, -s7n, -e7n)
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            return last_stress, s1p / e1p if direction == 0.0 else last_tangent, h
        if direction == 0.0:
            direction = -1.0 if increment < 0.0 else 1.0
        left_p, left_n = 1.0 - lost_p, 1.0 - lost_n
        if strain >= largest:
            stress, tangent = _envelope(strain, tension, left_p, left_p if loss_p > 0.0 else 1.0)
            largest, direction = strain, 1.0
        elif strain <= smallest:
            stress, tangent = _envelope(-strain, compression, left_n, left_n if loss_n > 0.0 else 1.0)
            stress, smallest, direction = -stress, strain, -1.0
        else:
            # everything below is for a strain that grows: the other direction is its mirror image
            side = 1.0 if increment > 0.0 else -1.0
            if side > 0.0:
                a, left_a, loss_a, c, left_c, loss_c = tension, left_p, loss_p, compression, left_n, loss_n
                aim, left, zero = largest, -smallest, loaded
            else:
                a, left_a, loss_a, c, left_c, loss_c = compression, left_n, loss_n, tension, left_p, loss_p
                aim, left, zero = -smallest, largest, -unloaded
            x, before, moved = side * strain, side * last_stress, side * increment
            scale_c = left_c if loss_c > 0.0 else 1.0
            unloading = _steepest(c, left_c, scale_c) * (min((left / c[1]) ** -beta, 1.0) if left > 0.0 else 1.0)
            softer = min((aim / a[1]) ** -beta, 1.0) if aim > 0.0 else 1.0
            if direction != side:
                direction = side
                if before <= 0.0:
                    zero = side * last - before / unloading
                    damage = 0.0
                    if left > c[1]:
                        spent = energy - 0.5 * before * before / unloading
                        damage = damage_2 * spent / _energy(tension, compression) + damage_1 * (left - c[1]) / c[1]
                        left_a = min(left_a * max(1.0 - abs(loss_a) * damage, LEAST_LEFT), MOST_LEFT)
                    aim = aim * (1.0 + damage)
            scale_a = left_a if loss_a > 0.0 else 1.0
            loading = softer * _steepest(a, left_a, scale_a)
            aim = min(max(aim, a[1]), NEVER)
            top, _ = _envelope(aim, a, left_a, scale_a)
            start = max(-_end_of_softening(left, c, left_c, scale_c), zero)
            stress, tangent = pinched_reloading(
                x, before, moved, zero, start, aim, top, pinch_x, pinch_y, loading, unloading)
            stress = side * stress
            if side > 0.0:
                largest, loaded, lost_p = aim, zero, 1.0 - left_a
            else:
                smallest, unloaded, lost_n = -aim, -zero, 1.0 - left_a
        energy += 0.5 * (last_stress + stress) * increment
        return stress, tangent, (strain, stress, tangent, largest, smallest, unloaded, loaded, energy, direction, lost_p, lost_n)


def _seven(side: str, points: Sequence[tuple[float, float]]) -> list[float]:
    """Seven points from two or more: the last line is divided."""
    count = len(points)
    if not 2 <= count <= POINTS:
        raise InputError("MultilinearPinching", side, points, f"must have 2 to {POINTS} points (stress, strain)")
    *before, (s_end, e_end) = points
    s, e = before[-1]
    slope = (s_end - s) / (e_end - e) if e_end != e else 0.0
    strains = [e + i / 10.0 * (e_end - e) for i in range(count, POINTS)]
    inner = [(s + (strain - e) * slope, strain) for strain in strains]
    return [value for point in (*before, *inner, (s_end, e_end)) for value in point]
