"""Lines of `ModifiedIMK`: first loading, its cap, the way back to it, and what an excursion takes
away.

All is written for one side, in its own direction: strains and stresses of the side are positive.
Names of equations are those of the docstring of `ModifiedIMK`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from femu.kernels import inlined
from femu.materials._imk_state import Given, Left, Limit, Target

FLAT = 1e-7
"""Stiffness if there is nothing but the residual strength, in units of stress over strain (as in
OpenSees)."""
GONE = 1e-10
"""Stress of a spring that has broken, in units of stress (as in OpenSees)."""
RESIDUAL_SLOPE = 1e-10
"""Slope of the line of the residual strength if others meet it, in units of stress over
strain (as in OpenSees)."""
SHALLOWEST = -1e-6
"""Slope after the cap of a side whose strength is down to the residual one, as a share of the
stiffness."""
HARDENING_AT_RESIDUAL = 1e-4
"""Hardening ratio of such a side."""
NEVER = 1e16
"""Strain that is never reached."""


@inlined
def crossing(x1, y1, m1, x2, y2, m2):
    """Where two lines, each given by a point and a slope, meet."""
    x = (-m2 * x2 + y2 + m1 * x1 - y1) / (m1 - m2)
    return x, m1 * x - m1 * x1 + y1


@inlined
def real_power(base, exponent):
    """Powers that exist: a negative share of energy counts only with a whole exponent."""
    if base < 0.0 and exponent != math.floor(exponent):
        return 0.0
    return base**exponent


@inlined
def of_spring(ratio, n):
    """Share of stiffness of the spring that gives the member, with its elastic part n times as
    soft, this share."""
    return ratio / (1.0 + n * (1.0 - ratio))


@inlined
def of_member(ratio, n):
    """The inverse of the above."""
    return ratio * (1.0 + n) / (1.0 + n * ratio)


class Lines(NamedTuple):
    """First loading of one side after its losses: elastic, hardening, after the cap, residual."""

    K: float
    fy: float
    alpha: float
    cap: float  # slope after the cap, over K
    x_cap: float
    f_zero: float  # f_0i
    f_cap: float
    strength: float  # fy before any loss
    residual: float
    ultimate: float


class Loss(NamedTuple):
    """A side after an excursion of the other."""

    left: Left
    limit: Limit
    target: Target
    lines: Lines
    slope: float  # of its first loading at the limit
    breaks: bool


@inlined
def given_side(K_member, n, fy, alpha, theta_p, theta_pc, residual, ultimate, rate):
    """One side of the spring.

    The line after the cap falls from the peak fy + alpha K theta_p to zero over theta_pc; it is
    kept as its slope and as the stress f_0 at which it meets the axis.
    """
    K = K_member * (1.0 + n)
    peak = fy + K * of_spring(alpha, n) * theta_p
    slope = of_spring(-peak / (theta_pc * K_member), n)
    return Given(K, n, fy, alpha, slope, peak - slope * K * (theta_p + fy / K), residual, ultimate,
                 rate)


@inlined
def after_losses(given, left):
    """fy_i, alpha_i and f_0i of a side, with the lines that follow from them."""
    K, n = given.K, given.n
    rest = given.residual * given.fy
    if left.spent != 0.0:
        fy, f_zero, alpha, cap = rest, rest, HARDENING_AT_RESIDUAL, SHALLOWEST
    else:
        fy, f_zero = given.fy * left.strength, given.f_zero * left.cap
        alpha = of_spring(given.alpha * left.strength, n)
        share = abs((rest - fy) / (rest - given.fy))
        cap = min(of_spring(of_member(given.cap, n) * share, n), 0.0)
        if cap == 0.0:
            cap = SHALLOWEST
    x_cap = max(f_zero / (K - given.cap * K),
                (f_zero + alpha * fy - fy) / (alpha * K - given.cap * K))
    return Lines(K, fy, alpha, cap, x_cap, f_zero, f_zero + given.cap * K * x_cap, given.fy,
                 given.residual, given.ultimate)


@inlined
def is_before_residual(x, lines):
    """Whether the line after the cap is above the residual strength at a strain."""
    rest = lines.residual * lines.strength
    # exactly 0 if the residual strength is all there is
    start = 0.0 if lines.f_zero == rest else (rest - lines.f_zero) / (lines.cap * lines.K)
    return x < start


@inlined
def backbone(x, lines):
    """Stress and slope of the first loading, and whether it breaks."""
    K, x_cap = lines.K, lines.x_cap
    yields = lines.fy / K
    if yields <= x_cap:
        rest = lines.residual * lines.strength
        top = lines.fy + lines.alpha * K * (x_cap - yields)
    else:
        top = K * x_cap
        rest = lines.residual * top
    if x >= lines.ultimate:
        return GONE, FLAT, True
    if x < 0.0:
        return 0.0, FLAT, False
    if x <= min(yields, x_cap):
        return K * x, K, False
    if x <= x_cap:
        return lines.fy + lines.alpha * K * (x - yields), K * lines.alpha, False
    if x <= x_cap + (rest - top) / (lines.cap * K):
        return top + lines.cap * K * (x - x_cap), lines.cap * K, False
    return rest + FLAT * x, FLAT, False


@inlined
def end_of_unloading(x, f, unloading, lines, on_level, limit, before):
    """Where the line of unloading from (x, f) meets the first loading; ``before`` is where it did
    up to here."""
    K, fy, alpha, x_cap = lines.K, lines.fy, lines.alpha, lines.x_cap
    yields = fy / K
    if yields < x_cap:
        x_hard, f_hard = crossing(yields, fy, K * alpha, x, f, unloading)
    else:
        x_hard, f_hard = crossing(x_cap, lines.f_cap, K * alpha, x, f, unloading)
    x_fall, f_fall = crossing(0.0, lines.f_zero, lines.cap * K, x, f, unloading)
    end, stress = min(x_hard, x_fall), min(f_hard, f_fall)
    envelope, level = end, before.level
    if on_level != 0.0 and limit.stress == 0.0:
        x_flat, f_flat = crossing(limit.strain, limit.stress, 0.0, x, f, unloading)
        if x_flat < end:
            end, stress = x_flat, f_flat
        level = yields + (limit.stress - fy) / (K * alpha) if alpha > 0.0 else NEVER
    rest = lines.residual * fy
    x_rest = x_cap + (rest - lines.f_cap) / (lines.cap * K)
    if end > x_rest:
        end, stress = crossing(x_rest, rest, RESIDUAL_SLOPE, x, f, unloading)
    return Target(end, stress, envelope, level)


@inlined
def losses(excursion, energy, wear):
    """b_s and b_c of an excursion that dissipated E_i, up to 1; ``energy`` is the sum of all E_j.
    """
    lost_s, lost_c = 0.0, 0.0
    if energy >= wear.capacity_s and wear.capacity_s != 0.0:
        lost_s = 1.0
    elif energy >= wear.capacity_c and wear.capacity_c != 0.0:
        lost_c = 1.0
    else:
        if wear.capacity_s != 0.0:
            lost_s = real_power(excursion / (wear.capacity_s - energy), wear.c_s)
        if wear.capacity_c != 0.0:
            lost_c = real_power(excursion / (wear.capacity_c - energy), wear.c_c)
        lost_s = 1.0 if abs(lost_s) >= 1.0 else lost_s
        lost_c = 1.0 if abs(lost_c) >= 1.0 else lost_c
    return lost_s, lost_c


@inlined
def weakened(excursion, energy, x, f, unloading, given, wear, side):
    """A side after an excursion of the other: fy_i, alpha_i and f_0i, and where unloading from
    (x, f) ends on it."""
    lost_s, lost_c = losses(excursion, energy, wear)
    strength = side.left.strength * (1.0 - lost_s * given.rate)
    left = Left(strength, side.left.cap * (1.0 - lost_c * given.rate),
                1.0 if strength <= given.residual else 0.0)
    lines = after_losses(given, left)
    f_limit, slope, breaks = backbone(side.limit.strain, lines)
    limit = Limit(given.ultimate if breaks else side.limit.strain, f_limit)
    target = end_of_unloading(x, f, unloading, lines, side.rest.level, limit, side.target)
    return Loss(left, limit, target, lines, slope, breaks)
