"""Envelope of up to seven lines a side with pinching, damage and loss of strength."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from femu.kernels import inlined
from femu.materials.trilinear_pinching import (
    FLAT,
    NEVER,
    SMALLEST_INCREMENT,
    Rules,
    pinched_reloading,
)
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import finite, nonnegative, number, positive
from femu.support.errors import InputError

POINTS = 7
LEAST_LEFT = 1e-9
"""Least share of the envelope that one change of direction leaves (as in OpenSees)."""
MOST_LEFT = 1e6
"""Keeps numbers finite where an envelope gives energy back, so that damage by energy is negative
and strength grows."""


@inlined
def _envelope(x, points, left_s, left_e):
    """Stress and slope of the first loading in tension.

    The points from the second on are scaled.
    """
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
    """Whether the envelope is above zero beyond its first line.

    A comparison, as the sum may be fused and lose its sign.
    """
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
    """Strain at the end of the line on which the largest strain lies, where nothing is left there.
    """
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


class Side(NamedTuple):
    """One side, in its own direction: its strains and stresses are positive."""

    points: tuple[float, ...]  # stress and strain of each point of the envelope
    left: float  # share of the stresses that damage has left
    scale: float  # share of the strains
    loss: float  # loss of strength with damage
    largest: float  # e_max, which reloading aims at
    zero: float  # strain at which unloading towards this side ends


@inlined
def _side(points, left, loss, largest, zero):
    return Side(points, left, left if loss > 0.0 else 1.0, loss, largest, zero)


@inlined
def _mirrored(p):
    return (-p[0], -p[1], -p[2], -p[3], -p[4], -p[5], -p[6], -p[7], -p[8], -p[9], -p[10], -p[11],
            -p[12], -p[13])


@inlined
def _softer(side, beta):
    """Loss of unloading stiffness: (e_max / e1) ** -beta, up to 1."""
    return min((side.largest / side.points[1]) ** -beta, 1.0) if side.largest > 0.0 else 1.0


@inlined
def _turned(x, before, unloading, a, c, rules, energy, capacity):
    """The side aimed at after a change of direction below zero stress: the strain aimed at grows by
    1 + d, and the envelope shrinks by 1 - abs(loss) d."""
    damage, left = 0.0, a.left
    first = c.points[1]
    if c.largest > first:
        spent = energy - 0.5 * before * before / unloading
        damage = (rules.damage_2 * spent / capacity
                  + rules.damage_1 * (c.largest - first) / first)
        left = min(left * max(1.0 - abs(a.loss) * damage, LEAST_LEFT), MOST_LEFT)
    return _side(a.points, left, a.loss, a.largest * (1.0 + damage), x - before / unloading)


@inlined
def _reload(x, before, moved, unloading, softer, a, c, rules):
    """Stress and tangent of unloading and pinched reloading towards the side a, and the strain
    aimed at."""
    loading = softer * _steepest(a.points, a.left, a.scale)
    aim = min(max(a.largest, a.points[1]), NEVER)
    top, _ = _envelope(aim, a.points, a.left, a.scale)
    start = max(-_end_of_softening(c.largest, c.points, c.left, c.scale), a.zero)
    stress, tangent = pinched_reloading(x, before, moved, a.zero, start, aim, top, rules.pinch_x,
                                        rules.pinch_y, loading, unloading)
    return stress, tangent, aim


class MultilinearPinching(Material):
    """Envelope of seven lines a side, pinched reloading, damage, loss of strength; OpenSees'
    ``HystereticSM``.

    First loading follows straight lines through (e1p, s1p) ... (e7p, s7p) in tension and the points
    with ``n`` in compression (numbers below zero); beyond the last point the last line continues
    if it rises, and the stress is constant if it falls. `through` takes fewer points.
    Unloading, pinched reloading and the growth of the strain aimed at, by the factor 1 + d, are
    those of `TrilinearPinching`, with the steepest line of the envelope in place of the first and
    ::

        d = damage_1 (mu - 1) + damage_2 W / W_1

    W_1 is the energy under both envelopes, where what lies beyond the third point in compression
    counts twice (as in OpenSees 3.7). Where d acts, the envelope aimed at loses strength for good:
    all its stresses but the first are multiplied by ::

        1 - |loss| d

    and with ``loss`` above zero all its strains but the first too.

    Two differences from OpenSees 3.7: there, only testUniaxialMaterial knows of the loss of
    strength (``-degEnv``), elements take the first of ``-forceLimitStates`` for it; and it acts
    once for each time a change of direction is tried.

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
    s4n: float = number("stress at the fourth point in compression", "stress")
    e4n: float = number("strain at the fourth point in compression, below zero", "strain",
                        upper=0.0, open=True)
    s5n: float = number("stress at the fifth point in compression", "stress")
    e5n: float = number("strain at the fifth point in compression, below zero", "strain", upper=0.0,
                        open=True)
    s6n: float = number("stress at the sixth point in compression", "stress")
    e6n: float = number("strain at the sixth point in compression, below zero", "strain", upper=0.0,
                        open=True)
    s7n: float = number("stress at the seventh point in compression", "stress")
    e7n: float = number("strain at the seventh point in compression, below zero", "strain",
                        upper=0.0, open=True)
    pinch_x: float = number("pinching of strain: 1 for none", lower=0.0, upper=1.0, default=1.0)
    pinch_y: float = number("pinching of stress: 1 for none", lower=0.0, upper=1.0, default=1.0)
    damage_1: float = nonnegative("damage by ductility", default=0.0)
    damage_2: float = nonnegative("damage by energy", default=0.0)
    beta: float = nonnegative("exponent of the loss of unloading stiffness", default=0.0)
    loss_p: float = number("loss of strength in tension with damage; above zero the strains shrink "
                           "too", default=0.0)
    loss_n: float = number("loss of strength in compression with damage; above zero the strains "
                           "shrink too", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "largest_strain", "smallest_strain", "unloaded_strain",
        "loaded_strain", "energy",
        "direction", "lost_in_tension", "lost_in_compression")

    def validate(self) -> None:
        tension = [getattr(self, f"e{i}p") for i in range(1, POINTS + 1)]
        compression = [getattr(self, f"e{i}n") for i in range(1, POINTS + 1)]
        if any(b <= a for a, b in pairwise(tension)):
            raise InputError(self.label(), ", ".join(f"e{i}p" for i in range(1, POINTS + 1)),
                             tuple(tension), "must increase")
        if any(b >= a for a, b in pairwise(compression)):
            raise InputError(self.label(), ", ".join(f"e{i}n" for i in range(1, POINTS + 1)),
                             tuple(compression), "must decrease")

    @classmethod
    def through(cls, tension: Sequence[tuple[float, float]],
                compression: Sequence[tuple[float, float]] | None = None,
                pinch_x: float = 1.0, pinch_y: float = 1.0, damage_1: float = 0.0,
                damage_2: float = 0.0, beta: float = 0.0,
                loss_p: float = 0.0, loss_n: float = 0.0) -> MultilinearPinching:
        """From 2 to 7 points (stress, strain) a side; without ``compression`` it is the same there
        as in tension.

        The last line is divided at the tenths that OpenSees divides it at.
        """
        for side, points in (("tension", tension), ("compression",
                                                    compression if compression is not None
                                                    else tension)):
            if not all(np.shape(point) == (2,) and all(map(finite, point)) for point in points):
                raise InputError("MultilinearPinching.through", side, points, "must be points "
                                                                              "(stress, strain)")
        if compression is None:
            compression = [(-s, -e) for s, e in tension]
        values = [*_seven("tension", tension), *_seven("compression", compression), pinch_x,
                  pinch_y, damage_1, damage_2, beta,
                  loss_p, loss_n]
        return cls(*values)

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        (last, last_stress, last_tangent, largest, smallest, unloaded, loaded, energy, direction,
         lost_p, lost_n) = h
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            return last_stress, p[0] / p[1] if direction == 0.0 else last_tangent, h
        sign = -1.0 if increment < 0.0 else 1.0
        if direction == 0.0:
            direction = sign
        tension = _side(p[:14], 1.0 - lost_p, p[33], largest, loaded)
        compression = _side(_mirrored(p[14:28]), 1.0 - lost_n, p[34], -smallest, -unloaded)
        if strain >= largest:
            stress, tangent = _envelope(strain, tension.points, tension.left, tension.scale)
            largest, direction = strain, 1.0
        elif strain <= smallest:
            stress, tangent = _envelope(-strain, compression.points, compression.left,
                                        compression.scale)
            stress, smallest, direction = -stress, strain, -1.0
        else:
            # for a strain that grows: the other direction is its mirror image
            a, c = (tension, compression) if sign > 0.0 else (compression, tension)
            rules = Rules(*p[28:33])
            before = sign * last_stress
            unloading = _steepest(c.points, c.left, c.scale) * _softer(c, rules.beta)
            softer = _softer(a, rules.beta)
            if direction != sign:
                direction = sign
                if before <= 0.0:
                    a = _turned(sign * last, before, unloading, a, c, rules, energy,
                                _energy(tension.points, compression.points))
            stress, tangent, aim = _reload(sign * strain, before, sign * increment, unloading,
                                           softer, a, c, rules)
            stress = sign * stress
            if sign > 0.0:
                largest, loaded, lost_p = aim, a.zero, 1.0 - a.left
            else:
                smallest, unloaded, lost_n = -aim, -a.zero, 1.0 - a.left
        energy += 0.5 * (last_stress + stress) * increment
        return stress, tangent, (strain, stress, tangent, largest, smallest, unloaded, loaded,
                                 energy, direction, lost_p, lost_n)


def _seven(side: str, points: Sequence[tuple[float, float]]) -> list[float]:
    """Seven points from two or more: the last line is divided."""
    count = len(points)
    if not 2 <= count <= POINTS:
        raise InputError("MultilinearPinching", side, points, f"must have 2 to {POINTS} points "
                                                              "(stress, strain)")
    *before, (s_end, e_end) = points
    s, e = before[-1]
    slope = (s_end - s) / (e_end - e) if e_end != e else 0.0
    strains = [e + i / 10.0 * (e_end - e) for i in range(count, POINTS)]
    inner = [(s + (strain - e) * slope, strain) for strain in strains]
    return [value for point in (*before, *inner, (s_end, e_end)) for value in point]
