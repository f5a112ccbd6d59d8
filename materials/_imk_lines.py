"""Lines of `ModifiedIMK`: first loading, its cap, the way back to it, and what an excursion takes away.

All is written for one side, in its own direction: strains and stresses of the side are positive.
"""

from __future__ import annotations

import math

from femu.kernels import inlined

FLAT = 1e-7
"""Stiffness where there is nothing but the residual strength, in units of stress over strain (as in OpenSees)."""
GONE = 1e-10
"""Stress of a spring that has broken, in units of stress (as in OpenSees)."""
RESIDUAL_SLOPE = 1e-10
"""Slope of the line of the residual strength where it is met by others, in units of stress over strain (as in OpenSees)."""
SHALLOWEST = -1e-6
"""Slope behind the cap of a side whose strength is down to the residual one, as a share of the stiffness."""
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
    """Share of stiffness of the spring that gives the member, with its elastic part n times as soft, this share."""
    return ratio / (1.0 + n * (1.0 - ratio))


@inlined
def of_member(ratio, n):
    """The inverse of the above."""
    return ratio * (1.0 + n) / (1.0 + n * ratio)


@inlined
def start_of_residual(rest, f_zero, slope):
    """Strain at which the line behind the cap is down to the residual strength; exactly 0 where it is all there is."""
    return 0.0 if f_zero == rest else (rest - f_zero) / slope


@inlined
def backbone(x, K, fy, alpha, cap, x_cap, strength, residual, ultimate):
    """Stress and slope of the first loading, and whether it breaks."""
    yields = fy / K
    if yields <= x_cap:
        rest, top = residual * strength, fy + alpha * K * (x_cap - yields)
    else:
        top = K * x_cap
        rest = residual * top
    if x >= ultimate:
        return GONE, FLAT, True
    if x < 0.0:
        return 0.0, FLAT, False
    if x <= min(yields, x_cap):
        return K * x, K, False
    if x <= x_cap:
        return fy + alpha * K * (x - yields), K * alpha, False
    if x <= x_cap + (rest - top) / (cap * K):
        return top + cap * K * (x - x_cap), cap * K, False
    return rest + FLAT * x, FLAT, False


@inlined
def end_of_unloading(x, f, unloading, K, fy, alpha, cap, x_cap, f_cap, f_zero, residual, level, x_level, f_level, horizontal):
    """Where the line of unloading from (x, f) meets the first loading: strain, stress, strain on the hardening or cap line."""
    yields = fy / K
    if yields < x_cap:
        x_hard, f_hard = crossing(yields, fy, K * alpha, x, f, unloading)
    else:
        x_hard, f_hard = crossing(x_cap, f_cap, K * alpha, x, f, unloading)
    x_fall, f_fall = crossing(0.0, f_zero, cap * K, x, f, unloading)
    end, stress = min(x_hard, x_fall), min(f_hard, f_fall)
    envelope = end
    if level != 0.0 and f_level == 0.0:
        x_flat, f_flat = crossing(x_level, f_level, 0.0, x, f, unloading)
        if x_flat < end:
            end, stress = x_flat, f_flat
        horizontal = yields + (f_level - fy) / (K * alpha) if alpha > 0.0 else NEVER
    rest = residual * fy
    x_rest = x_cap + (rest - f_cap) / (cap * K)
    if end > x_rest:
        end, stress = crossing(x_rest, rest, RESIDUAL_SLOPE, x, f, unloading)
    return end, stress, envelope, horizontal


@inlined
def cap_line(K, K_member, n, my, alpha, plastic, falling):
    """Slope behind the cap, as a share of the stiffness, and the stress at which that line meets the axis, before any loss."""
    hardening = K * of_spring(alpha, n)
    peak = my + hardening * plastic
    slope = of_spring(-peak / (falling * K_member), n)
    return slope, peak - slope * K * (plastic + my / K)


@inlined
def after_losses(strength_left, cap_left, spent, K, n, my, alpha, cap_0, f_zero_0, residual):
    """Yield stress, hardening, slope, strain, stress and meeting point with the axis of the cap of a side, after its losses."""
    rest = residual * my
    if spent != 0.0:
        fy, f_zero, alpha, cap = rest, rest, HARDENING_AT_RESIDUAL, SHALLOWEST
    else:
        fy, f_zero, alpha = my * strength_left, f_zero_0 * cap_left, of_spring(alpha * strength_left, n)
        cap = min(of_spring(of_member(cap_0, n) * abs((rest - fy) / (rest - my)), n), 0.0)
        if cap == 0.0:
            cap = SHALLOWEST
    x_cap = max(f_zero / (K - cap_0 * K), (f_zero + alpha * fy - fy) / (alpha * K - cap_0 * K))
    return fy, alpha, cap, x_cap, f_zero, f_zero + cap_0 * K * x_cap


@inlined
def weakened(excursion, energy, x, f, unloading, K, n, capacity_s, capacity_c, c_s, c_c, rate, my, alpha, cap_0, f_zero_0,
              residual, strength_left, cap_left, level, x_limit, x_level, ultimate):
    """A side after an excursion of the other: what is left of it, and where unloading from (x, f) ends on it."""
    lost_s, lost_c = 0.0, 0.0
    if energy >= capacity_s and capacity_s != 0.0:
        lost_s = 1.0
    elif energy >= capacity_c and capacity_c != 0.0:
        lost_c = 1.0
    else:
        if capacity_s != 0.0:
            lost_s = real_power(excursion / (capacity_s - energy), c_s)
        if capacity_c != 0.0:
            lost_c = real_power(excursion / (capacity_c - energy), c_c)
        lost_s = 1.0 if abs(lost_s) >= 1.0 else lost_s
        lost_c = 1.0 if abs(lost_c) >= 1.0 else lost_c
    strength_left *= 1.0 - lost_s * rate
    cap_left *= 1.0 - lost_c * rate
    spent = 1.0 if strength_left <= residual else 0.0
    fy, alpha, cap, x_cap, f_zero, f_cap = after_losses(
        strength_left, cap_left, spent, K, n, my, alpha, cap_0, f_zero_0, residual)
    f_limit, slope, breaks = backbone(x_limit, K, fy, alpha, cap, x_cap, my, residual, ultimate)
    if breaks:
        x_limit = ultimate
    end, f_end, envelope, x_level = end_of_unloading(
        x, f, unloading, K, fy, alpha, cap, x_cap, f_cap, f_zero, residual, level, x_limit, f_limit, x_level)
    return (strength_left, cap_left, spent, alpha, cap, f_limit, slope, breaks, end, f_end, envelope, x_level)
