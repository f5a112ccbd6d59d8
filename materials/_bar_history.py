"""History of `ChangManderSteel`: where it lies in memory, and its parts by name.

All strains and stresses are natural ones.
"""

from __future__ import annotations

from typing import NamedTuple

from femu.kernels import unfused, unfused_inlined
from femu.materials._bar_curves import Curve, Steel

LAST_BRANCH = 20
"""Curves inside curves that are remembered, two to each branch after the second (as in OpenSees).
"""
NUMBERS = ("natural_strain", "natural_stress", "stress", "tangent_less_initial", "branch",
           "zero_of_tension", "zero_of_compression", "largest_strain", "smallest_strain",
           "furthest_tension", "furthest_compression", "plastic_strain", "plateau_lost", "damage",
           "failed", "stress_at_tension_reversal", "stress_at_compression_reversal")
# places of these; natural strain and stress are the first
STRESS, TANGENT, BRANCH, _TENSION, _COMPRESSION = 2, 3, 4, 5, 6
# from the zero of a side: its extreme strain, the furthest one, the stress at its reversal
_EXTREME, _FURTHEST, _TURN = 2, 4, 10
PLASTIC, PLATEAU_LOST, DAMAGE, FAILED = 11, 12, 13, 14
CURVE = Curve._fields
_CURVE_SIZE = len(CURVE)
HALVES = LAST_BRANCH // 2 + 1
_HALF = len(NUMBERS)  # where the plastic strains of the half cycles begin
_CURVES = _HALF + HALVES
COUNT = _CURVES + _CURVE_SIZE * (HALVES - 2)


class Step(NamedTuple):
    """A step, in the direction of the branch."""

    plus: bool  # whether that is tension
    e: float
    last: float
    f_last: float


class Sides(NamedTuple):
    """First loading of both sides, in the direction of the branch."""

    zero: float  # strain at which it begins
    zero_other: float
    top: float  # extreme strains from there
    bottom: float
    furthest: float  # extreme strains from the origin
    furthest_other: float
    f_turn: float  # stress at the last reversal from it
    f_turn_other: float


class Branch(NamedTuple):
    """What the point is on."""

    k: int
    crossed: bool  # whether it has reached first loading of the other side
    curve: Curve
    onset: float  # share of the plateau that is left
    steel: Steel


class Wear(NamedTuple):
    """Plastic strain and damage, summed up over half cycles."""

    total: float
    damage: float


@unfused_inlined
def read_sides(c, j, n, plus):
    s = 1.0 if plus else -1.0
    own, other = (_TENSION, _COMPRESSION) if plus else (_COMPRESSION, _TENSION)
    return Sides(s * c[own * n + j], s * c[other * n + j], s * c[(own + _EXTREME) * n + j],
                 s * c[(other + _EXTREME) * n + j], s * c[(own + _FURTHEST) * n + j],
                 s * c[(other + _FURTHEST) * n + j], s * c[(own + _TURN) * n + j],
                 s * c[(other + _TURN) * n + j])


@unfused_inlined
def write_sides(t, j, n, plus, sides):
    """The inverse of the above; a step leaves two of them as they are."""
    s = 1.0 if plus else -1.0
    own, other = (_TENSION, _COMPRESSION) if plus else (_COMPRESSION, _TENSION)
    t[own * n + j], t[other * n + j] = s * sides.zero, s * sides.zero_other
    t[(own + _EXTREME) * n + j] = s * sides.top
    t[(other + _EXTREME) * n + j] = s * sides.bottom
    t[(own + _FURTHEST) * n + j] = s * sides.furthest
    t[(own + _TURN) * n + j] = s * sides.f_turn


@unfused_inlined
def _place(j, n, k):
    """Where the curve of a branch begins in the history."""
    return (_CURVES + _CURVE_SIZE * ((k + 1) // 2 - 2)) * n + j


@unfused
def recalled(c, j, n, k):
    """The curve of a branch."""
    first = _place(j, n, k)
    return Curve(c[first], c[first + n], c[first + 2 * n], c[first + 3 * n], c[first + 4 * n],
                 c[first + 5 * n], c[first + 6 * n], c[first + 7 * n], c[first + 8 * n])


@unfused_inlined
def remember(t, j, n, k, curve):
    first = _place(j, n, k)
    for v in range(_CURVE_SIZE):
        t[first + v * n] = curve[v]


@unfused_inlined
def half_cycle(j, n, v):
    """Place of the plastic strain of a half cycle; 0 and 1 are those on first loading."""
    return (_HALF + v) * n + j
