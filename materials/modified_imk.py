"""Modified Ibarra-Medina-Krawinkler deterioration with a bilinear hysteresis."""

from __future__ import annotations

from typing import ClassVar

from femu.component import Material
from femu.laws import law
from femu.materials._imk_lines import (
    FLAT,
    GONE,
    NEVER,
    RESIDUAL_SLOPE,
    after_losses,
    backbone,
    cap_line,
    crossing,
    end_of_unloading,
    of_spring,
    real_power,
    start_of_residual,
    weakened,
)
from femu.parameters import nonnegative, number, positive

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments below it leave the state as it is (as in OpenSees)."""
SAME = 1e-10
"""Strains, and stresses, that differ by less are the same (as in OpenSees)."""
LEAST_UNLOADING = 0.1
"""Least unloading stiffness of the member, as a share of the initial one."""
STEEP_ENOUGH = 1e-3
"""Slope behind the cap, as a share of the stiffness, below which unloading stiffness is not lost any more."""
APART, NEAR = 1e-6, 1e-9
"""Strains by which points are moved off each other (as in OpenSees)."""
ROUND_OFF = 1.0 + 1e-9
"""Factor of FLAT up to which a slope counts as flat: it has been divided by the stiffness and multiplied again."""
DIFFERENCE = 1e-5
"""Step of the difference that stands for a derivative, as a share of the energy of the excursion."""


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

    Where most of an energy capacity is used up before unloading (a reversal on the residual strength, say) the first step back
    may have a stress many times the strength, and a cycle may give energy back; OpenSees has the same numbers, and advises
    against ``Bilin``.

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
        cap_0, f_zero_0 = cap_line(K, K_member, n, my, as_a, tp, tpc)
        cap_0c, f_zero_0c = cap_line(K, K_member, n, my_c, as_c, tp_c, tpc_c)
        fy, alpha, cap, x_cap, f_zero, f_cap = after_losses(
            strength_left, cap_left, spent, K, n, my, as_a, cap_0, f_zero_0, residual)
        fy_c, alpha_c, cap_c, x_cap_c, f_zero_c, _ = after_losses(
            strength_left_c, cap_left_c, spent_c, K, n, my_c, as_c, cap_0c, f_zero_0c, residual_c)
        yields, yields_c = fy / K, fy_c / K
        if x > 0.0 or (x == 0.0 and not up):
            if x < start_of_residual(residual * my, f_zero, cap * K):
                exhausted, level = 0.0, 0.0
        elif -x < start_of_residual(residual_c * my_c, f_zero_c, cap_c * K):
            exhausted_c, level_c = 0.0, 0.0

        capacity_s, capacity_c, capacity_k = my_p * lambda_s, my_p * lambda_c, 2.0 * my_p * lambda_k
        if exhausted != 0.0:
            restart = min(fy_c / (alpha_c * K) - yields_c, NEVER)
        lost_k = 0.0
        unloading = K * of_spring(unloading_left, n)
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
                lost_k = real_power((excursion - stored) / spare, c_k)
                if energy - stored >= capacity_k or lost_k >= 1.0:
                    lost_k = 1.0
                left = max(left_before if settled != 0.0 else stiffness_left * (1.0 - lost_k), LEAST_UNLOADING)
                if left != unloading_left:
                    unloads = 0.0
                unloading_left = left
                unloading = K * of_spring(left, n)
            has_yielded = largest_c > first_c or largest > first
            if has_yielded and (before_x < -end_c or (before_x > -end_c and unloads != 0.0)):
                end, f_end, end_envelope, x_level = end_of_unloading(
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
            stress, slope, breaks = backbone(x, K, fy, alpha, cap, x_cap, my, residual, ultimate)
            if breaks:
                broken = 1.0
            tangent = slope
            largest = x
            x_zero = x_cap - f_cap / (cap * K)
            one, _ = crossing(-yields_c, -fy_c, K * alpha_c, 0.0, f_zero, cap * K)
            two, _ = crossing(-yields_c, -fy_c, K * alpha_c, x_zero, 0.0, RESIDUAL_SLOPE)
            if x > max(one, two) or slope == FLAT:
                exhausted = 1.0
        elif abs(end) > SAME and level == 0.0:
            hardening, falling = K * alpha, cap * K
            early = x_cap <= yields
            x_turn, f_turn = crossing(end, f_end, hardening, x_cap, f_cap, falling)
            if early:
                x_other, f_other = crossing(end, f_end, unloading, x_cap, f_cap, falling)
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
            stress, slope, _ = backbone(x, K, fy, alpha, cap, x_cap, my, residual, ultimate)
            tangent = slope
        else:
            stress, slope, _ = backbone(-x, K, fy_c, alpha_c, cap_c, x_cap_c, my_c, residual_c, ultimate_c)
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
             x_level) = weakened(excursion, energy, *given)
            settled = spent
            if breaks:
                x_limit, f_limit, broken = ultimate, side * GONE, 1.0
            if f_end < stress:
                # the strength left depends on the work of this very step: its derivative by a difference
                apart = DIFFERENCE * (abs(excursion) + before * before / K)
                other = weakened(excursion + apart, energy + apart, *given)[9]
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
