"""Trilinear hysteresis with pinching and damage."""

from __future__ import annotations

from typing import ClassVar

from femu.component import Material
from femu.errors import InputError
from femu.kernels import inlined
from femu.laws import law
from femu.parameters import nonnegative, number, positive

FLAT = 1e-9
"""Tangent where the stress is constant, as a share of the initial stiffness (as in OpenSees)."""
SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments up to it leave the state as it is: round-off is no reversal (as in OpenSees)."""
NEVER = 1e16
"""Strain that is never reached: the envelope does not come down to zero."""


@inlined
def _envelope(strain, s1, e1, s2, e2, s3, e3):
    """Stress and slope of the first loading in tension."""
    k1, k2, k3 = s1 / e1, (s2 - s1) / (e2 - e1), (s3 - s2) / (e3 - e2)
    if strain <= 0.0:
        return 0.0, FLAT * k1
    if strain <= e1:
        return k1 * strain, k1
    if strain <= e2:
        return s1 + k2 * (strain - e1), k2
    if strain <= e3 or k3 > 0.0:
        return s2 + k3 * (strain - e2), k3
    return s3, FLAT * k1


@inlined
def _end_of_softening(strain, s1, e1, s2, e2, s3, e3):
    """Strain at which the envelope, followed from its largest strain on, would reach zero stress."""
    k2, k3 = (s2 - s1) / (e2 - e1), (s3 - s2) / (e3 - e2)
    limit = NEVER
    if strain > e1 and strain <= e2 and k2 < 0.0:
        limit = e1 - s1 / k2
    if strain > e2 and k3 < 0.0:
        limit = e2 - s2 / k3
    if limit < NEVER and _envelope(limit, s1, e1, s2, e2, s3, e3)[0] > 0.0:
        limit = NEVER
    return limit


@inlined
def pinched_reloading(x, before, moved, zero, start, aim, top, pinch_x, pinch_y, loading, unloading):
    """Stress and slope at a strain x that grows by ``moved`` from the stress ``before`` towards (aim, top).

    Unloading ends at ``zero``, reloading begins at ``start``; both with their stiffnesses.
    """
    pinched = start + (aim - (1.0 - pinch_y) * top / loading - start) * pinch_x
    if x < zero:
        stress = before + unloading * moved
        if stress >= 0.0:
            return 0.0, FLAT * unloading
        return stress, unloading
    if x < pinched and x <= start:
        return 0.0, FLAT * loading
    if x < pinched:
        slope = top * pinch_y / (pinched - start)
        stress = (x - start) * slope
    else:
        slope = (1.0 - pinch_y) * top / (aim - pinched)
        stress = pinch_y * top + (x - pinched) * slope
    elastic = before + loading * moved
    if elastic < stress:
        return elastic, loading
    return stress, slope


class TrilinearPinching(Material):
    """Trilinear envelope, pinched reloading, and damage by ductility and energy; OpenSees' ``Hysteretic``.

    First loading follows straight lines through (e1p, s1p), (e2p, s2p), (e3p, s3p) in tension and the points with ``n`` in
    compression (numbers below zero); beyond the third point the third line goes on where it rises, and the stress is
    constant where it falls. With the largest strain e_max so far, unloading from it has the stiffness ::

        k = k1 (e_max / e1) ** -beta,        k1 = s1 / e1  (the steepest line, where the envelope stiffens)

    Reloading in the other direction begins at the strain e_0 where unloading reached zero stress (or where a falling
    envelope would), aims at the point (e_p, pinch_y s_m) and from there at the largest point (e_m, s_m) of that side::

        e_p = e_0 + pinch_x (e_m - (1 - pinch_y) s_m / k - e_0)

    At each change of direction the e_m that is aimed at grows by the factor ``1 + damage_1 (mu - 1) + damage_2 W / W_1``
    with the ductility mu reached on the side that is left, the energy W dissipated so far, and the energy W_1 under both
    envelopes.

    With ``beta`` unloading may be softer than a steep line of the envelope; such cycles give energy back, as in OpenSees.

    Written after the description in Takeda, Sozen and Nielsen, J. Struct. Div. ASCE 96(12), 1970, and the manual of
    OpenSees.
    """

    s1p: float = positive("stress at the first point in tension", "stress")
    e1p: float = positive("strain at the first point in tension", "strain")
    s2p: float = number("stress at the second point in tension", "stress")
    e2p: float = positive("strain at the second point in tension", "strain")
    s3p: float = number("stress at the third point in tension", "stress")
    e3p: float = positive("strain at the third point in tension", "strain")
    s1n: float = number("stress at the first point in compression, below zero", "stress", upper=0.0, open=True)
    e1n: float = number("strain at the first point in compression, below zero", "strain", upper=0.0, open=True)
    s2n: float = number("stress at the second point in compression", "stress")
    e2n: float = number("strain at the second point in compression, below zero", "strain", upper=0.0, open=True)
    s3n: float = number("stress at the third point in compression", "stress")
    e3n: float = number("strain at the third point in compression, below zero", "strain", upper=0.0, open=True)
    pinch_x: float = number("pinching of strain: 1 for none", lower=0.0, upper=1.0, default=1.0)
    pinch_y: float = number("pinching of stress: 1 for none", lower=0.0, upper=1.0, default=1.0)
    damage_1: float = nonnegative("damage by ductility", default=0.0)
    damage_2: float = nonnegative("damage by energy", default=0.0)
    beta: float = nonnegative("exponent of the loss of unloading stiffness", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "largest_strain", "smallest_strain", "unloaded_strain", "loaded_strain", "energy",
        "direction")

    def validate(self) -> None:
        if not self.e1p < self.e2p < self.e3p:
            raise InputError(self.label(), "e1p, e2p, e3p", (self.e1p, self.e2p, self.e3p), "must increase")
        if not self.e1n > self.e2n > self.e3n:
            raise InputError(self.label(), "e1n, e2n, e3n", (self.e1n, self.e2n, self.e3n), "must decrease")

    @classmethod
    def bilinear(cls, s1p: float, e1p: float, s2p: float, e2p: float, s1n: float, e1n: float, s2n: float, e2n: float,
                 pinch_x: float = 1.0, pinch_y: float = 1.0, damage_1: float = 0.0, damage_2: float = 0.0,
                 beta: float = 0.0) -> TrilinearPinching:
        """With two points a side: the second line is divided in its middle."""
        return cls(s1p, e1p, 0.5 * (s1p + s2p), 0.5 * (e1p + e2p), s2p, e2p, s1n, e1n, 0.5 * (s1n + s2n), 0.5 * (e1n + e2n),
                   s2n, e2n, pinch_x, pinch_y, damage_1, damage_2, beta)

    @law
    def law(p, h, strain):
        s1p, e1p, s2p, e2p, s3p, e3p, s1n, e1n, s2n, e2n, s3n, e3n, pinch_x, pinch_y, damage_1, damage_2, beta = p
        last, last_stress, last_tangent, largest, smallest, unloaded, loaded, energy, direction = h
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            return last_stress, s1p / e1p if direction == 0.0 else last_tangent, h
        if direction == 0.0:
            direction = -1.0 if increment < 0.0 else 1.0
        if strain >= largest:
            stress, tangent = _envelope(strain, s1p, e1p, s2p, e2p, s3p, e3p)
            largest, direction = strain, 1.0
        elif strain <= smallest:
            stress, tangent = _envelope(-strain, -s1n, -e1n, -s2n, -e2n, -s3n, -e3n)
            stress, smallest, direction = -stress, strain, -1.0
        else:
            # everything below is for a strain that grows: the other direction is its mirror image
            side = 1.0 if increment > 0.0 else -1.0
            if side > 0.0:
                a1, b1, a2, b2, a3, b3 = s1p, e1p, s2p, e2p, s3p, e3p
                c1, d1, c2, d2, c3, d3 = -s1n, -e1n, -s2n, -e2n, -s3n, -e3n
                aim, left, zero = largest, -smallest, loaded
            else:
                a1, b1, a2, b2, a3, b3 = -s1n, -e1n, -s2n, -e2n, -s3n, -e3n
                c1, d1, c2, d2, c3, d3 = s1p, e1p, s2p, e2p, s3p, e3p
                aim, left, zero = -smallest, largest, -unloaded
            x, before, moved = side * strain, side * last_stress, side * increment
            steep_a = max(a1 / b1, (a2 - a1) / (b2 - b1), (a3 - a2) / (b3 - b2))
            steep_c = max(c1 / d1, (c2 - c1) / (d2 - d1), (c3 - c2) / (d3 - d2))
            loading = steep_a * min((max(aim, 0.0) / b1) ** -beta if aim > 0.0 else 1.0, 1.0)
            unloading = steep_c * min((max(left, 0.0) / d1) ** -beta if left > 0.0 else 1.0, 1.0)
            if direction != side:
                direction = side
                if before <= 0.0:
                    zero = side * last - before / unloading
                    spent = energy - 0.5 * before * before / unloading
                    damage = 0.0
                    if left > d1:
                        first = 0.5 * (s1p * e1p + (e2p - e1p) * (s2p + s1p) + (e3p - e2p) * (s3p + s2p) + s1n * e1n + (
                            e2n - e1n) * (s2n + s1n) + (e3n - e2n) * (s3n + s2n))
                        damage = damage_2 * spent / first + damage_1 * (left - d1) / d1
                    aim = aim * (1.0 + damage)
            aim = min(max(aim, b1), NEVER)
            top, _ = _envelope(aim, a1, b1, a2, b2, a3, b3)
            start = max(-_end_of_softening(left, c1, d1, c2, d2, c3, d3), zero)
            stress, tangent = pinched_reloading(
                x, before, moved, zero, start, aim, top, pinch_x, pinch_y, loading, unloading)
            stress = side * stress
            if side > 0.0:
                largest, loaded = aim, zero
            else:
                smallest, unloaded = -aim, -zero
        energy += 0.5 * (last_stress + stress) * increment
        return stress, tangent, (strain, stress, tangent, largest, smallest, unloaded, loaded, energy, direction)
