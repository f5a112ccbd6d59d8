"""Modified Ibarra-Medina-Krawinkler deterioration with a bilinear hysteresis."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.component import Material
from femu.kernels import inlined
from femu.laws import law
from femu.parameters import nonnegative, number, positive

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments below it leave the state as it is (as in OpenSees)."""
FLAT = 1e-7
"""Stiffness where there is nothing but the residual strength, in units of stress over strain (as in OpenSees)."""
GONE = 1e-10
"""Stress of a spring that has broken."""
RESIDUAL_SLOPE = 1e-10
SAME = 1e-10
LEAST_UNLOADING = 0.1
"""Least unloading stiffness of the member, as a share of the initial one."""
SHALLOWEST = -1e-6
"""Slope behind the cap of a side whose strength is down to the residual one, as a share of the stiffness."""
HARDENING_AT_RESIDUAL = 1e-4
ROUND_OFF = 1.0 + 1e-9
DIFFERENCE = 1e-5
STEEP_ENOUGH = 1e-3
APART, NEAR = 1e-6, 1e-9
NEVER = 1e16


@inlined
def _cross(x1, y1, m1, x2, y2, m2):
    """Where two lines, each given by a point and a slope, meet."""
    x = (-m2 * x2 + y2 + m1 * x1 - y1) / (m1 - m2)
    return x, m1 * x - m1 * x1 + y1


@inlined
def _power(base, exponent):
    """Powers that exist: a negative share of energy counts only with a whole exponent."""
    if base < 0.0 and exponent != math.floor(exponent):
        return 0.0
    return base**exponent


@inlined
def _of_spring(ratio, n):
    """Share of stiffness of the spring that gives the member, with its elastic part n times as soft, this share."""
    return ratio / (1.0 + n * (1.0 - ratio))


@inlined
def _of_member(ratio, n):
    """The inverse of the above."""
    return ratio * (1.0 + n) / (1.0 + n * ratio)


@inlined
def _start_of_residual(rest, f_zero, slope):
    """Strain at which the line behind the cap is down to the residual strength; exactly 0 where it is all there is."""
    return 0.0 if f_zero == rest else (rest - f_zero) / slope


@inlined
def _backbone(x, K, fy, alpha, cap, x_cap, strength, residual, ultimate):
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
def _end_of_unloading(x, f, unloading, K, fy, alpha, cap, x_cap, f_cap, f_zero, residual, level, x_level, f_level, horizontal):
    """Where the line of unloading from (x, f) meets the first loading: strain, stress, strain on the hardening or cap line."""
    yields = fy / K
    if yields < x_cap:
        x_hard, f_hard = _cross(yields, fy, K * alpha, x, f, unloading)
    else:
        x_hard, f_hard = _cross(x_cap, f_cap, K * alpha, x, f, unloading)
    x_fall, f_fall = _cross(0.0, f_zero, cap * K, x, f, unloading)
    end, stress = min(x_hard, x_fall), min(f_hard, f_fall)
    envelope = end
    if level != 0.0 and f_level == 0.0:
        x_flat, f_flat = _cross(x_level, f_level, 0.0, x, f, unloading)
        if x_flat < end:
            end, stress = x_flat, f_flat
        horizontal = yields + (f_level - fy) / (K * alpha) if alpha > 0.0 else NEVER
    rest = residual * fy
    x_rest = x_cap + (rest - f_cap) / (cap * K)
    if end > x_rest:
        end, stress = _cross(x_rest, rest, RESIDUAL_SLOPE, x, f, unloading)
    return end, stress, envelope, horizontal


@inlined
def _cap(K, K_member, n, my, alpha, plastic, falling):
    """Slope behind the cap, as a share of the stiffness, and the stress at which that line meets the axis, before any loss."""
    hardening = K * _of_spring(alpha, n)
    peak = my + hardening * plastic
    slope = _of_spring(-peak / (falling * K_member), n)
    return slope, peak - slope * K * (plastic + my / K)


@inlined
def _side(strength_left, cap_left, spent, K, n, my, alpha, cap_0, f_zero_0, residual):
    """Yield stress, hardening, slope, strain, stress and meeting point with the axis of the cap of a side, after its losses."""
    rest = residual * my
    if spent != 0.0:
        fy, f_zero, alpha, cap = rest, rest, HARDENING_AT_RESIDUAL, SHALLOWEST
    else:
        fy, f_zero, alpha = my * strength_left, f_zero_0 * cap_left, _of_spring(alpha * strength_left, n)
        cap = min(_of_spring(_of_member(cap_0, n) * abs((rest - fy) / (rest - my)), n), 0.0)
        if cap == 0.0:
            cap = SHALLOWEST
    x_cap = max(f_zero / (K - cap_0 * K), (f_zero + alpha * fy - fy) / (alpha * K - cap_0 * K))
    return fy, alpha, cap, x_cap, f_zero, f_zero + cap_0 * K * x_cap


@inlined
def _weakened(excursion, energy, x, f, unloading, K, n, capacity_s, capacity_c, c_s, c_c, rate, my, alpha, cap_0, f_zero_0,
              residual, strength_left, cap_left, level, x_limit, x_level, ultimate):
    """A side after an excursion of the other: what is left of it, and where unloading from (x, f) ends on it."""
    lost_s, lost_c = 0.0, 0.0
    if energy >= capacity_s and capacity_s != 0.0:
        lost_s = 1.0
    elif energy >= capacity_c and capacity_c != 0.0:
        lost_c = 1.0
    else:
        if capacity_s != 0.0:
            lost_s = _power(excursion / (capacity_s - energy), c_s)
        if capacity_c != 0.0:
            lost_c = _power(excursion / (capacity_c - energy), c_c)
        lost_s = 1.0 if abs(lost_s) >= 1.0 else lost_s
        lost_c = 1.0 if abs(lost_c) >= 1.0 else lost_c
    strength_left *= 1.0 - lost_s * rate
    cap_left *= 1.0 - lost_c * rate
    spent = 1.0 if strength_left <= residual else 0.0
    fy, alpha, cap, x_cap, f_zero, f_cap = _side(strength_left, cap_left, spent, K, n, my, alpha, cap_0, f_zero_0, residual)
    f_limit, slope, breaks = _backbone(x_limit, K, fy, alpha, cap, x_cap, my, residual, ultimate)
    if breaks:
        x_limit = ultimate
    end, f_end, envelope, x_level = _end_of_unloading(
        x, f, unloading, K, fy, alpha, cap, x_cap, f_cap, f_zero, residual, level, x_limit, f_limit, x_level)
    return (strength_left, cap_left, spent, alpha, cap, f_limit, slope, breaks, end, f_end, envelope, x_level)


class ModifiedIMK(Material):
    """Bilinear hysteresis whose strength, cap and unloading stiffness deteriorate; OpenSees' ``Bilin``.

    A spring (moment over rotation) of the stiffness K yields at fy, hardens with alpha K over the plastic rotation theta_p
    to its cap, falls over theta_pc towards zero, keeps the residual strength, and breaks at theta_u (for good, unless it was
    on its residual strength: then the way back loads it again); ``_p`` and ``_n`` are the two sides, all as positive numbers.
    Each excursion i that dissipates the energy E_i leaves the side that comes next with ::

        fy_i = (1 - b_s rate) fy,    alpha_i = (1 - b_s rate) alpha,    f_0i = (1 - b_c rate) f_0
        K_i = (1 - b_k) K            for unloading, not below 0.1 K
        b = (E_i / (E_t - sum of E_j)) ** c,        E_t = lambda fy_p  (2 lambda fy_p for b_k)

    where f_0 is the stress at which the line behind the cap would meet the axis of stress. An excursion ends where the
    stress changes sign, unloading stiffness changes at a change of direction. Where E_t is used up by unloading stiffness, or
    the line behind the cap meets zero, nothing is left. ``n`` is how much stiffer the spring is than the member whose
    hinge it is: K is then that of the member, the spring has (1 + n) K, and the ratios are converted.

    Where OpenSees has no number (an excursion with negative energy and an exponent that is not whole, or alpha = 0 and an
    excursion that ends below zero), there is no deterioration here. The tangent is the slope of the line that the stress
    follows; in a step in which strength is lost, OpenSees returns that of another line.

    Ibarra, Medina and Krawinkler, Earthquake Eng. Struct. Dyn. 34, 2005; Lignos and Krawinkler, J. Struct. Eng. 137(11),
    2011; for n, Ribeiro, Barbosa and Neves, Earthquake Eng. Struct. Dyn. 43, 2014.
    """

    K: float = positive("elastic stiffness", "stress")
    alpha_p: float = number("hardening ratio in tension", lower=0.0, upper=0.999)
    alpha_n: float = number("hardening ratio in compression", lower=0.0, upper=0.999)
    fy_p: float = positive("yield stress in tension", "stress")
    fy_n: float = positive("yield stress in compression, given as a positive number", "stress")
    lambda_s: float = nonnegative("capacity of energy of the yield stress, over fy_p; 0 for no deterioration", "strain")
    lambda_c: float = nonnegative("capacity of energy of the cap, over fy_p; 0 for no deterioration", "strain")
    lambda_k: float = nonnegative("capacity of energy of the unloading stiffness, over fy_p; 0 for no deterioration", "strain")
    c_s: float = positive("exponent of the deterioration of the yield stress")
    c_c: float = positive("exponent of the deterioration of the cap")
    c_k: float = positive("exponent of the deterioration of the unloading stiffness")
    theta_p_p: float = positive("plastic strain from yield to cap in tension", "strain")
    theta_p_n: float = positive("plastic strain from yield to cap in compression", "strain")
    theta_pc_p: float = positive("strain from the cap to zero stress in tension", "strain")
    theta_pc_n: float = positive("strain from the cap to zero stress in compression", "strain")
    residual_p: float = number("residual strength in tension, over fy_p", lower=0.0, upper=0.999)
    residual_n: float = number("residual strength in compression, over fy_n", lower=0.0, upper=0.999)
    theta_u_p: float = positive("strain at which it breaks in tension", "strain")
    theta_u_n: float = positive("strain at which it breaks in compression", "strain")
    rate_p: float = number("rate of deterioration in tension", lower=0.0, upper=1.0)
    rate_n: float = number("rate of deterioration in compression", lower=0.0, upper=1.0)
    n: float = nonnegative("stiffness of the spring over that of the member, less 1", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "slope_over_K", "unloads", "direction", "energy", "energy_of_excursion", "unloading_left",
        "unloading_left_before", "stiffness_left", "excursion_counted", "settled", "broken",
        "largest_p", "strength_left_p", "cap_left_p", "spent_p", "limit_strain_p", "limit_stress_p", "end_strain_p",
        "end_stress_p", "end_envelope_p", "level_strain_p", "restart_p", "exhausted_p", "level_p",
        "largest_n", "strength_left_n", "cap_left_n", "spent_n", "limit_strain_n", "limit_stress_n", "end_strain_n",
        "end_stress_n", "end_envelope_n", "level_strain_n", "restart_n", "exhausted_n", "level_n")

    @law
    def law(p, h, strain):
        (K_member, alpha_p, alpha_n, my_p, my_n, lambda_s, lambda_c, lambda_k, c_s, c_c, c_k, tp_p, tp_n, tpc_p, tpc_n,
         residual_p, residual_n, ultimate_p, ultimate_n, rate_p, rate_n, n) = p
        (last, last_stress, last_tangent, slope, unloads, direction, energy, excursion, unloading_left, left_before,
         stiffness_left, counted, settled, broken) = h[:14]
        side_p, side_n = h[14:27], h[27:40]
        K = K_member * (1.0 + n)
        increment = strain - last
        if abs(increment) < SMALLEST_INCREMENT:
            return last_stress, K if direction == 0.0 else last_tangent, h
        if direction == 0.0:
            side_p = (0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, my_p, 0.0, 0.0, 0.0, 0.0, 0.0)
            side_n = (0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, my_n, 0.0, 0.0, 0.0, 0.0, 0.0)
            slope = unloads = unloading_left = left_before = stiffness_left = 1.0
            direction = 1.0 if increment > 0.0 else -1.0
        slope *= K

        # everything below is for a strain that grows: a is the side it grows to, c the other, each in its own direction
        up = increment > 0.0
        side = 1.0 if up else -1.0
        x, before_x, before, moved = side * strain, side * last, side * last_stress, side * increment
        if up:
            a, c, residual_c, ultimate_c = side_p, side_n, residual_n, ultimate_n
            my, as_a, tp, tpc, residual, ultimate, rate = my_p, alpha_p, tp_p, tpc_p, residual_p, ultimate_p, rate_p
            my_c, as_c, tp_c, tpc_c = my_n, alpha_n, tp_n, tpc_n
        else:
            a, c, residual_c, ultimate_c = side_n, side_p, residual_p, ultimate_p
            my, as_a, tp, tpc, residual, ultimate, rate = my_n, alpha_n, tp_n, tpc_n, residual_n, ultimate_n, rate_n
            my_c, as_c, tp_c, tpc_c = my_p, alpha_p, tp_p, tpc_p
        (largest, strength_left, cap_left, spent, x_limit, f_limit, end, f_end, end_envelope, x_level, restart, exhausted,
         level) = a
        (largest_c, strength_left_c, cap_left_c, spent_c, x_limit_c, f_limit_c, end_c, f_end_c, end_envelope_c, x_level_c,
         restart_c, exhausted_c, level_c) = c
        first, first_c = my / K, my_c / K
        largest, largest_c = max(largest, first), max(largest_c, first_c)
        cap_0, f_zero_0 = _cap(K, K_member, n, my, as_a, tp, tpc)
        cap_0c, f_zero_0c = _cap(K, K_member, n, my_c, as_c, tp_c, tpc_c)
        fy, alpha, cap, x_cap, f_zero, f_cap = _side(
            strength_left, cap_left, spent, K, n, my, as_a, cap_0, f_zero_0, residual)
        fy_c, alpha_c, cap_c, x_cap_c, f_zero_c, _ = _side(
            strength_left_c, cap_left_c, spent_c, K, n, my_c, as_c, cap_0c, f_zero_0c, residual_c)
        yields, yields_c = fy / K, fy_c / K
        if x > 0.0 or (x == 0.0 and not up):
            if x < _start_of_residual(residual * my, f_zero, cap * K):
                exhausted, level = 0.0, 0.0
        elif -x < _start_of_residual(residual_c * my_c, f_zero_c, cap_c * K):
            exhausted_c, level_c = 0.0, 0.0

        capacity_s, capacity_c, capacity_k = my_p * lambda_s, my_p * lambda_c, 2.0 * my_p * lambda_k
        if exhausted != 0.0:
            restart = min(fy_c / (alpha_c * K) - yields_c, NEVER)
        lost_k = 0.0
        unloading = K * _of_spring(unloading_left, n)
        if direction != side:
            direction = side
            if -before_x >= largest_c:
                f_limit_c, x_limit_c = -before, -before_x
            if f_end > 0.0:
                stored = 0.5 * before * before / unloading
            else:
                stored = 0.5 * (before + f_end if up else f_end_c - before) * (end - before_x)
                if alpha > 0.0:
                    stored += 0.5 * f_end * f_end / (K * alpha)
            spare = capacity_k - (energy - stored)
            if spare <= 0.0 and capacity_k != 0.0:
                broken = 1.0
            steep = abs(cap * (1.0 + n)) >= STEEP_ENOUGH and abs(cap_c * (1.0 + n)) >= STEEP_ENOUGH
            if lambda_k != 0.0 and x < -end_c and (steep if up else settled == 0.0):
                lost_k = _power((excursion - stored) / spare, c_k)
                if energy - stored >= capacity_k or lost_k >= 1.0:
                    lost_k = 1.0
                left = max(left_before if settled != 0.0 else stiffness_left * (1.0 - lost_k), LEAST_UNLOADING)
                if left != unloading_left:
                    unloads = 0.0
                unloading_left = left
                unloading = K * _of_spring(left, n)
            has_yielded = largest_c > first_c or largest > first
            if has_yielded and (before_x < -end_c or (before_x > -end_c and unloads != 0.0)):
                end, f_end, end_envelope, x_level = _end_of_unloading(
                    before_x, before, unloading, K, fy, alpha, cap, x_cap, f_cap, f_zero, residual, level, x_limit, f_limit,
                    x_level)
                if abs(largest - first) >= SAME and abs(end - first) <= SAME:
                    end = first - side * NEAR
            largest = max(largest, end)
            if exhausted_c != 0.0 and before_x <= -restart_c:
                end, f_end = -restart_c - APART, 0.0

        elastic = before + unloading * moved
        stress, tangent = 0.0, 0.0
        if exhausted_c != 0.0 and exhausted != 0.0 and x < ultimate:
            stress, slope = residual * my, FLAT
        elif broken != 0.0 or (exhausted_c != 0.0 and exhausted != 0.0):
            stress, slope, settled = GONE, FLAT, 1.0
        elif exhausted != 0.0 and x > end and x < ultimate:
            stress, slope = residual * my, FLAT
        elif exhausted != 0.0 and x > end:
            stress, slope, settled = GONE, FLAT, 1.0
        elif x >= ultimate:
            stress, slope, settled, broken = GONE, FLAT, 1.0, 1.0
        elif exhausted != 0.0 and (x < end or not up):
            stress, slope, tangent = elastic, unloading, unloading
        elif exhausted_c != 0.0 and x < -restart_c:
            slope = FLAT
        elif x > largest:
            stress, slope, breaks = _backbone(x, K, fy, alpha, cap, x_cap, my, residual, ultimate)
            if breaks:
                broken = 1.0
            tangent = slope
            largest = x
            x_zero = x_cap - f_cap / (cap * K)
            one, _ = _cross(-yields_c, -fy_c, K * alpha_c, 0.0, f_zero, cap * K)
            two, _ = _cross(-yields_c, -fy_c, K * alpha_c, x_zero, 0.0, RESIDUAL_SLOPE)
            if x > max(one, two) or slope == FLAT:
                exhausted = 1.0
        elif abs(end) > SAME and level == 0.0:
            hardening, falling = K * alpha, cap * K
            early = x_cap <= yields
            x_turn, f_turn = _cross(end, f_end, hardening, x_cap, f_cap, falling)
            if early:
                x_other, f_other = _cross(end, f_end, unloading, x_cap, f_cap, falling)
                if x_other >= x_turn:
                    x_turn, f_turn = x_other, f_other
            on_line = True
            if x <= end and x <= x_turn:
                stress, slope, on_line = elastic, unloading, False
                tangent = unloading
            elif x > end and x <= x_turn and (early or x <= x_cap):
                slope = hardening
                stress = f_end + hardening * (x - end)
            elif early or x > x_cap:
                slope = falling
                stress = f_turn + falling * (x - x_turn) if early else f_cap + falling * (x - x_cap)
            else:
                on_line = False
            if on_line:
                tangent = slope
                falls = slope == falling
                if elastic < stress:
                    stress, tangent = elastic, unloading
                if abs(stress - elastic) < SAME and not (early and up):
                    slope = unloading
                if falls and slope != unloading and stress * before < 0.0:
                    stress, slope, tangent, broken = 0.0, FLAT, 0.0, 1.0
                    if before > 0.0:
                        exhausted = 1.0
                    else:
                        exhausted_c = 1.0
            if not early:
                if x > x_cap + (residual * my - f_cap) / falling:
                    stress, slope, tangent = residual * my, -FLAT, 0.0
                if broken != 0.0:
                    stress, tangent = side * GONE, 0.0
        elif abs(end) > SAME:
            if x <= end:
                stress, slope, tangent = elastic, unloading, unloading
            else:
                hardens = (end == end_envelope and (x <= x_level if up else x < x_level)) or (
                    exhausted_c != 0.0 and x < x_level)
                slope = K * alpha if hardens else (0.0 if up else FLAT)
                stress = f_end + slope * (x - end) if hardens else f_limit
                tangent = slope
                if elastic < stress:
                    stress, tangent = elastic, unloading
                if abs(stress - elastic) < SAME:
                    slope = unloading
        elif strain > 0.0 if up else strain <= 0.0:
            stress, slope, breaks = _backbone(x, K, fy, alpha, cap, x_cap, my, residual, ultimate)
            tangent = slope
        else:
            stress, slope, breaks = _backbone(-x, K, fy_c, alpha_c, cap_c, x_cap_c, my_c, residual_c, ultimate_c)
            stress, tangent = -stress, slope

        work = 0.5 * (stress + before) * moved
        excursion += work
        energy += work
        stiffness_left *= 1.0 - lost_k
        place = x
        ends = stress * before < 0.0 and counted == 0.0 and (largest > yields if before > 0.0 else largest_c > yields_c)
        if ends:
            counted = 1.0
        if ends and settled == 0.0:
            given = (before_x, before, unloading, K, n, capacity_s, capacity_c, c_s, c_c, rate, my, as_a, cap_0, f_zero_0,
                     residual, strength_left, cap_left, level, x_limit, x_level, ultimate)
            (strength_left, cap_left, spent, alpha, cap, f_limit, slope, breaks, end, f_end, end_envelope,
             x_level) = _weakened(excursion, energy, *given)
            settled = spent
            if breaks:
                x_limit, f_limit, broken = ultimate, side * GONE, 1.0
            if f_end < stress:
                # the strength left depends on the work of this very step: its derivative by a difference
                apart = DIFFERENCE * (abs(excursion) + before * before / K)
                other = _weakened(excursion + apart, energy + apart, *given)[9]
                tangent = (other - f_end) / apart * 0.5 * (stress + before + moved * tangent)
                place, stress, slope = end, f_end, K * alpha
            excursion = 0.0
            left_before = unloading_left
        if abs(slope) <= FLAT * ROUND_OFF:
            if place > 0.0:
                level = 1.0
            elif place < 0.0:
                level_c = 1.0
        alpha_up, alpha_down = (alpha, alpha_c) if up else (alpha_c, alpha)
        if (counted != 0.0 and slope == K * alpha_up) or slope == K * alpha_down or slope == cap * K or slope == cap_c * K:
            counted = 0.0
        a = (largest, strength_left, cap_left, spent, x_limit, f_limit, end, f_end, end_envelope, x_level, restart, exhausted,
             level)
        c = (largest_c, strength_left_c, cap_left_c, spent_c, x_limit_c, f_limit_c, end_c, f_end_c, end_envelope_c, x_level_c,
             restart_c, exhausted_c, level_c)
        side_p, side_n = (a, c) if up else (c, a)
        stress *= side
        unloads = 1.0 if slope == unloading else 0.0
        return stress, tangent, (strain, stress, tangent, slope / K, unloads, direction, energy, excursion, unloading_left,
                                 left_before, stiffness_left, counted, settled, broken, *side_p, *side_n)
