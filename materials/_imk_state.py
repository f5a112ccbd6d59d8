"""What `ModifiedIMK` is given and remembers, by name.

Everything of a side is written in the side's own direction: its strains and stresses are positive.
"""

from __future__ import annotations

from typing import NamedTuple

from femu.kernels import inlined


class Given(NamedTuple):
    """One side of the spring as given, before any loss."""

    K: float  # elastic stiffness of the spring
    n: float  # stiffness of the spring over that of the member, less 1
    fy: float
    alpha: float  # hardening ratio of the member
    cap: float  # slope after the cap, over K
    f_zero: float  # f_0: stress at which that line meets the axis of stress
    residual: float  # residual strength over fy
    ultimate: float  # strain at which it breaks
    rate: float  # rate of deterioration


class Wear(NamedTuple):
    """Capacities of energy E_t and exponents c: of the strength, cap, unloading stiffness."""

    capacity_s: float
    capacity_c: float
    capacity_k: float
    c_s: float
    c_c: float
    c_k: float


class Left(NamedTuple):
    """Shares of a side that the excursions so far have left."""

    strength: float
    cap: float
    spent: float  # whether the strength is down to the residual one


class Limit(NamedTuple):
    """The point from which a side was last unloaded."""

    strain: float
    stress: float


class Target(NamedTuple):
    """Where the line of unloading meets the lines of a side."""

    strain: float
    stress: float
    envelope: float  # strain at which it meets the hardening line or the line after the cap
    level: float  # strain at which the hardening line meets the level of the limit


class Rest(NamedTuple):
    """What a side does on its residual strength."""

    restart: float  # strain of the other side at which it loads again
    exhausted: float
    level: float  # whether its last line was level


class Side(NamedTuple):
    """History of one side."""

    largest: float
    left: Left
    limit: Limit
    target: Target
    rest: Rest


class Point(NamedTuple):
    """History of the point that belongs to no side."""

    strain: float
    stress: float
    tangent: float
    slope: float  # of the line it is on, over K
    unloads: float  # whether that is the line of unloading
    direction: float  # 0 before the first step
    energy: float  # sum of all E_j
    excursion: float  # E_i of the present excursion
    unloading_left: float  # share of K that unloading has
    unloading_before: float  # the same at the end of the last excursion
    stiffness_left: float  # product of all 1 - b_k
    counted: float  # whether the excursion has been counted
    settled: float  # whether nothing deteriorates any more
    broken: float


class Move(NamedTuple):
    """A step, as seen in its own direction."""

    up: bool
    sign: float
    x: float
    before_x: float
    before: float  # stress before it
    moved: float


class Response(NamedTuple):
    stress: float
    slope: float  # of the line that the point is on
    tangent: float


@inlined
def side_of(h):
    """A side from its part of the history."""
    return Side(h[0], Left(h[1], h[2], h[3]), Limit(h[4], h[5]), Target(h[6], h[7], h[8], h[9]),
                Rest(h[10], h[11], h[12]))


@inlined
def history_of(side):
    """The inverse of the above."""
    left, limit, target, rest = side.left, side.limit, side.target, side.rest
    return (side.largest, left.strength, left.cap, left.spent, limit.strain, limit.stress,
            target.strain, target.stress, target.envelope, target.level, rest.restart,
            rest.exhausted, rest.level)


@inlined
def virgin(fy_p, fy_n, direction):
    """Histories before the first step: of the point, and of the two sides."""
    left, limit, rest = Left(1.0, 1.0, 0.0), Limit(0.0, 0.0), Rest(0.0, 0.0, 0.0)
    return (Point(0.0, 0.0, 0.0, 1.0, 1.0, direction, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0),
            Side(0.0, left, limit, Target(0.0, fy_p, 0.0, 0.0), rest),
            Side(0.0, left, limit, Target(0.0, fy_n, 0.0, 0.0), rest))
