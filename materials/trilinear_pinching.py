"""Trilinear hysteresis with pinching and damage."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from femu.kernels import inlined
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError

FLAT = 1e-9
"""Tangent if the stress is constant, as a share of the initial stiffness (as in OpenSees)."""
SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments up to it leave the state as it is.

Round-off is no reversal (as in OpenSees).
"""
NEVER = 1e16
"""Strain that is never reached: the envelope does not come down to zero."""


class Rules(NamedTuple):
    """Parameters of unloading, reloading and damage."""

    pinch_x: float
    pinch_y: float
    damage_1: float
    damage_2: float
    beta: float


class Envelope(NamedTuple):
    """Points of the first loading of a side, in its own direction."""

    s1: float
    e1: float
    s2: float
    e2: float
    s3: float
    e3: float


class Side(NamedTuple):
    """One side, in its own direction: its strains and stresses are positive."""

    envelope: Envelope
    largest: float  # e_max, which reloading aims at
    zero: float  # strain at which unloading towards this side ends: e_0


@inlined
def _slopes(env):
    return (env.s1 / env.e1, (env.s2 - env.s1) / (env.e2 - env.e1),
            (env.s3 - env.s2) / (env.e3 - env.e2))


@inlined
def _first_loading(strain, env):
    """Stress and slope of the first loading."""
    k1, k2, k3 = _slopes(env)
    if strain <= 0.0:
        return 0.0, FLAT * k1
    if strain <= env.e1:
        return k1 * strain, k1
    if strain <= env.e2:
        return env.s1 + k2 * (strain - env.e1), k2
    if strain <= env.e3 or k3 > 0.0:
        return env.s2 + k3 * (strain - env.e2), k3
    return env.s3, FLAT * k1


@inlined
def _end_of_softening(strain, env):
    """Strain at which the envelope, followed from its largest strain on, would reach zero stress.
    """
    _, k2, k3 = _slopes(env)
    limit = NEVER
    if strain > env.e1 and strain <= env.e2 and k2 < 0.0:
        limit = env.e1 - env.s1 / k2
    if strain > env.e2 and k3 < 0.0:
        limit = env.e2 - env.s2 / k3
    if limit < NEVER and _first_loading(limit, env)[0] > 0.0:
        limit = NEVER
    return limit


@inlined
def _area(env_p, env_n):
    """W_1: the energy under both envelopes."""
    return 0.5 * (env_p.s1 * env_p.e1 + (env_p.e2 - env_p.e1) * (env_p.s2 + env_p.s1)
                  + (env_p.e3 - env_p.e2) * (env_p.s3 + env_p.s2) + env_n.s1 * env_n.e1
                  + (env_n.e2 - env_n.e1) * (env_n.s2 + env_n.s1)
                  + (env_n.e3 - env_n.e2) * (env_n.s3 + env_n.s2))


@inlined
def _unloading_stiffness(side, beta):
    """k = k1 (e_max / e1) ** -beta, with the steepest line of the envelope in place of k1."""
    k1, k2, k3 = _slopes(side.envelope)
    softer = (side.largest / side.envelope.e1) ** -beta if side.largest > 0.0 else 1.0
    return max(k1, k2, k3) * min(softer, 1.0)


@inlined
def _turned(x, before, unloading, a, c, rules, energy, area):
    """The side aimed at after a change of direction below zero stress: e_m grows by 1 +
    damage_1 (mu - 1) + damage_2 W / W_1."""
    spent, first, damage = energy - 0.5 * before * before / unloading, c.envelope.e1, 0.0
    if c.largest > first:
        damage = rules.damage_2 * spent / area + rules.damage_1 * (c.largest - first) / first
    return Side(a.envelope, a.largest * (1.0 + damage), x - before / unloading)


@inlined
def pinched_reloading(x, before, moved, zero, start, aim, top, pinch_x, pinch_y, loading,
                      unloading):
    """Stress and slope at a strain x that grows by ``moved`` from the stress ``before`` towards
    (aim, top).

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
    """Trilinear envelope, pinched reloading, and damage by ductility and energy; OpenSees'
    ``Hysteretic``.

    First loading follows straight lines through (e1p, s1p), (e2p, s2p), (e3p, s3p) in tension and
    the points with ``n`` in compression (numbers below zero); beyond the third point the third line
    continues if it rises, and the stress is constant if it falls. With the largest strain e_max
    so far, unloading from it has the stiffness ::

        k = k1 (e_max / e1) ** -beta,        k1 = s1 / e1  (the steepest line, if the envelope stiffens)

    Reloading in the other direction begins at the strain e_0 where unloading reached zero stress
    (or where a falling envelope would), aims at the point (e_p, pinch_y s_m) and from there at the
    largest point (e_m, s_m) of that side::

        e_p = e_0 + pinch_x (e_m - (1 - pinch_y) s_m / k - e_0)

    At each change of direction the e_m that is aimed at grows by the factor ``1 + damage_1 (mu - 1)
    + damage_2 W / W_1`` with the ductility mu reached on the side that is left, the energy W
    dissipated so far, and the energy W_1 under both envelopes.

    With ``beta`` unloading may be softer than a steep line of the envelope; such cycles give energy
    back, as in OpenSees.

    Written after the description in Takeda, Sozen and Nielsen, J. Struct. Div. ASCE 96(12), 1970,
    and the manual of OpenSees.
    """

    s1p: float = positive("stress at the first point in tension", "stress")
    e1p: float = positive("strain at the first point in tension", "strain")
    s2p: float = number("stress at the second point in tension", "stress")
    e2p: float = positive("strain at the second point in tension", "strain")
    s3p: float = number("stress at the third point in tension", "stress")
    e3p: float = positive("strain at the third point in tension", "strain")
    s1n: float = number("stress at the first point in compression, below zero", "stress", upper=0.0,
                        open=True)
    e1n: float = number("strain at the first point in compression, below zero", "strain", upper=0.0,
                        open=True)
    s2n: float = number("stress at the second point in compression", "stress")
    e2n: float = number("strain at the second point in compression, below zero", "strain",
                        upper=0.0, open=True)
    s3n: float = number("stress at the third point in compression", "stress")
    e3n: float = number("strain at the third point in compression, below zero", "strain", upper=0.0,
                        open=True)
    pinch_x: float = number("pinching of strain: 1 for none", lower=0.0, upper=1.0, default=1.0)
    pinch_y: float = number("pinching of stress: 1 for none", lower=0.0, upper=1.0, default=1.0)
    damage_1: float = nonnegative("damage by ductility", default=0.0)
    damage_2: float = nonnegative("damage by energy", default=0.0)
    beta: float = nonnegative("exponent of the loss of unloading stiffness", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "largest_strain", "smallest_strain", "unloaded_strain",
        "loaded_strain", "energy",
        "direction")

    def validate(self) -> None:
        if not self.e1p < self.e2p < self.e3p:
            raise InputError(self.label(), "e1p, e2p, e3p", (self.e1p, self.e2p, self.e3p),
                             "must increase")
        if not self.e1n > self.e2n > self.e3n:
            raise InputError(self.label(), "e1n, e2n, e3n", (self.e1n, self.e2n, self.e3n),
                             "must decrease")

    @classmethod
    def bilinear(cls, s1p: float, e1p: float, s2p: float, e2p: float, s1n: float, e1n: float,
                 s2n: float, e2n: float,
                 pinch_x: float = 1.0, pinch_y: float = 1.0, damage_1: float = 0.0,
                 damage_2: float = 0.0,
                 beta: float = 0.0) -> TrilinearPinching:
        """With two points a side: the second line is divided in its middle."""
        return cls(s1p, e1p, 0.5 * (s1p + s2p), 0.5 * (e1p + e2p), s2p, e2p, s1n, e1n,
                   0.5 * (s1n + s2n), 0.5 * (e1n + e2n),
                   s2n, e2n, pinch_x, pinch_y, damage_1, damage_2, beta)

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        last, last_stress, last_tangent, largest, smallest, unloaded, loaded, energy, direction = h
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            return last_stress, p[0] / p[1] if direction == 0.0 else last_tangent, h
        sign = -1.0 if increment < 0.0 else 1.0
        if direction == 0.0:
            direction = sign
        env_p = Envelope(*p[:6])
        env_n = Envelope(-p[6], -p[7], -p[8], -p[9], -p[10], -p[11])
        if strain >= largest:
            stress, tangent = _first_loading(strain, env_p)
            largest, direction = strain, 1.0
        elif strain <= smallest:
            stress, tangent = _first_loading(-strain, env_n)
            stress, smallest, direction = -stress, strain, -1.0
        else:
            # for a strain that grows: the other direction is its mirror image
            tension, compression = Side(env_p, largest, loaded), Side(env_n, -smallest, -unloaded)
            a, c = (tension, compression) if sign > 0.0 else (compression, tension)
            rules = Rules(*p[12:17])
            before = sign * last_stress
            loading = _unloading_stiffness(a, rules.beta)
            unloading = _unloading_stiffness(c, rules.beta)
            if direction != sign:
                direction = sign
                if before <= 0.0:
                    a = _turned(sign * last, before, unloading, a, c, rules, energy,
                                _area(env_p, env_n))
            aim = min(max(a.largest, a.envelope.e1), NEVER)
            top, _ = _first_loading(aim, a.envelope)
            start = max(-_end_of_softening(c.largest, c.envelope), a.zero)
            stress, tangent = pinched_reloading(
                sign * strain, before, sign * increment, a.zero, start, aim, top, rules.pinch_x,
                rules.pinch_y, loading, unloading)
            stress = sign * stress
            if sign > 0.0:
                largest, loaded = aim, a.zero
            else:
                smallest, unloaded = -aim, -a.zero
        energy += 0.5 * (last_stress + stress) * increment
        return stress, tangent, (strain, stress, tangent, largest, smallest, unloaded, loaded,
                                 energy, direction)
