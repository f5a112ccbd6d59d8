"""Modified Ibarra-Medina-Krawinkler deterioration with a bilinear hysteresis."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import inlined
from femu.materials._imk_lines import after_losses, given_side, of_spring
from femu.materials._imk_state import (
    Move,
    Point,
    Side,
    Wear,
    history_of,
    side_of,
    virgin,
)
from femu.materials._imk_steps import (
    counts_again,
    end_excursion,
    leave_residual,
    mark_level,
    respond,
    reverse,
)
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments below it leave the state as it is (as in OpenSees)."""


@inlined
def _given(p):
    """Both sides of the spring, and how they wear."""
    (K, alpha_p, alpha_n, fy_p, fy_n, lambda_s, lambda_c, lambda_k, c_s, c_c, c_k, theta_p_p,
     theta_p_n, theta_pc_p, theta_pc_n, residual_p, residual_n, theta_u_p, theta_u_n, rate_p,
     rate_n, n) = p
    return (given_side(K, n, fy_p, alpha_p, theta_p_p, theta_pc_p, residual_p, theta_u_p, rate_p),
            given_side(K, n, fy_n, alpha_n, theta_p_n, theta_pc_n, residual_n, theta_u_n, rate_n),
            Wear(fy_p * lambda_s, fy_p * lambda_c, 2.0 * fy_p * lambda_k, c_s, c_c, c_k))


class ModifiedIMK(Material):
    """Bilinear hysteresis whose strength, cap and unloading stiffness deteriorate; OpenSees'
    ``Bilin``.

    A spring (moment over rotation) of the stiffness K yields at fy, hardens with alpha K over the
    plastic rotation theta_p to its cap, falls over theta_pc towards zero, keeps the residual
    strength, and breaks at theta_u (for good, unless it was on its residual strength: then the way
    back loads it again); ``_p`` and ``_n`` are the two sides, all as positive numbers. Each
    excursion i that dissipates the energy E_i leaves the side that comes next with ::

        fy_i = (1 - b_s rate) fy,    alpha_i = (1 - b_s rate) alpha,    f_0i = (1 - b_c rate) f_0
        K_i = (1 - b_k) K            for unloading, not below 0.1 K
        b = (E_i / (E_t - sum of E_j)) ** c,        E_t = lambda fy_p  (2 lambda fy_p for b_k)

    f_0 is the stress at which the line after the cap would meet the axis of stress. An
    excursion ends where the stress changes sign, unloading stiffness changes at a change of
    direction. Where E_t is used up by unloading stiffness, or the line after the cap meets zero,
    nothing is left. ``n`` is how much stiffer the spring is than the member whose hinge it is: K is
    then that of the member, the spring has (1 + n) K, and the ratios are converted.

    Where most of an energy capacity is used up before unloading (a reversal on the residual
    strength, say) the first step back may have a stress many times the strength, and a cycle may
    give energy back; OpenSees has the same numbers, and advises against ``Bilin``.

    Where OpenSees has no number (an excursion with negative energy and an exponent that is not
    whole, or alpha = 0 and an excursion that ends below zero), there is no deterioration here. The
    tangent is the slope of the line that the stress follows; in a step in which strength is lost,
    OpenSees returns that of another line.

    Ibarra, Medina and Krawinkler, Earthquake Eng. Struct. Dyn. 34, 2005; Lignos and Krawinkler, J.
    Struct. Eng. 137(11), 2011; for n, Ribeiro, Barbosa and Neves, Earthquake Eng. Struct. Dyn. 43,
    2014.
    """

    K: float = positive("elastic stiffness", "stress")
    alpha_p: float = number("hardening ratio in tension", lower=0.0, upper=0.999)
    alpha_n: float = number("hardening ratio in compression", lower=0.0, upper=0.999)
    fy_p: float = positive("yield stress in tension", "stress")
    fy_n: float = positive("yield stress in compression, given as a positive number", "stress")
    lambda_s: float = nonnegative("capacity of energy of the yield stress, over fy_p; 0 for no "
                                  "deterioration", "strain")
    lambda_c: float = nonnegative("capacity of energy of the cap, over fy_p; 0 for no deterioration", "strain")
    lambda_k: float = nonnegative("capacity of energy of the unloading stiffness, over fy_p; 0 for "
                                  "no deterioration", "strain")
    c_s: float = positive("exponent of the deterioration of the yield stress")
    c_c: float = positive("exponent of the deterioration of the cap")
    c_k: float = positive("exponent of the deterioration of the unloading stiffness")
    theta_p_p: float = positive("plastic strain from yield to cap in tension", "strain")
    theta_p_n: float = positive("plastic strain from yield to cap in compression", "strain")
    theta_pc_p: float = positive("strain from the cap to zero stress in tension", "strain")
    theta_pc_n: float = positive("strain from the cap to zero stress in compression", "strain")
    residual_p: float = number("residual strength in tension, over fy_p", lower=0.0, upper=0.999)
    residual_n: float = number("residual strength in compression, over fy_n", lower=0.0,
                               upper=0.999)
    theta_u_p: float = positive("strain at which it breaks in tension", "strain")
    theta_u_n: float = positive("strain at which it breaks in compression", "strain")
    rate_p: float = number("rate of deterioration in tension", lower=0.0, upper=1.0)
    rate_n: float = number("rate of deterioration in compression", lower=0.0, upper=1.0)
    n: float = nonnegative("stiffness of the spring over that of the member, less 1", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent", "slope_over_K", "unloads", "direction", "energy",
        "energy_of_excursion", "unloading_left",
        "unloading_left_before", "stiffness_left", "excursion_counted", "settled", "broken",
        "largest_p", "strength_left_p", "cap_left_p", "spent_p", "limit_strain_p", "limit_stress_p",
        "end_strain_p",
        "end_stress_p", "end_envelope_p", "level_strain_p", "restart_p", "exhausted_p", "level_p",
        "largest_n", "strength_left_n", "cap_left_n", "spent_n", "limit_strain_n", "limit_stress_n",
        "end_strain_n",
        "end_stress_n", "end_envelope_n", "level_strain_n", "restart_n", "exhausted_n", "level_n")

    @law
    def law(p, h, strain):
        """Many locals: 40 numbers of history and the lines of both sides are tuples with names."""
        given_p, given_n, wear = _given(p)
        point, side_p, side_n = Point(*h[:14]), side_of(h[14:27]), side_of(h[27:40])
        K, n = given_p.K, given_p.n
        increment = strain - point.strain
        if abs(increment) < SMALLEST_INCREMENT:
            return point.stress, K if point.direction == 0.0 else point.tangent, h
        up = increment > 0.0
        sign = 1.0 if up else -1.0
        if point.direction == 0.0:
            point, side_p, side_n = virgin(given_p.fy, given_n.fy, sign)

        # everything below is for a strain that grows: towards one side, from the other (_b)
        move = Move(up, sign, sign * strain, sign * point.strain, sign * point.stress,
                    sign * increment)
        given, given_b = (given_p, given_n) if up else (given_n, given_p)
        side, side_b = (side_p, side_n) if up else (side_n, side_p)
        lines, lines_b = after_losses(given, side.left), after_losses(given_b, side_b.left)
        rest, rest_b = leave_residual(move, lines, lines_b, side.rest, side_b.rest)
        side = Side(max(side.largest, given.fy / K), side.left, side.limit, side.target, rest)
        side_b = Side(max(side_b.largest, given_b.fy / K), side_b.left, side_b.limit,
                      side_b.target, rest_b)

        largest, target, limit_b = side.largest, side.target, side_b.limit
        lost, unloading_left, broken = 0.0, point.unloading_left, point.broken
        if point.direction != sign:
            lost, unloading_left, broken, largest, target, limit_b = reverse(
                move, point, n, wear, lines, lines_b, side, side_b)
        side = Side(largest, side.left, side.limit, target, rest)
        unloading = K * of_spring(unloading_left, n)
        found, largest, rest, rest_b, settled, broken = respond(
            move, point.slope * K, unloading, lines, lines_b, side, rest_b, point.settled, broken)

        work = 0.5 * (found.stress + move.before) * move.moved
        excursion, energy = point.excursion + work, point.energy + work
        place, unloading_before, counted = move.x, point.unloading_before, point.counted
        if found.stress * move.before < 0.0 and counted == 0.0 and (
                largest > lines.fy / K if move.before > 0.0 else side_b.largest > lines_b.fy / K):
            counted = 1.0
            if settled == 0.0:
                found, place, side, lines, broken = end_excursion(
                    move, found, unloading, excursion, energy, given, wear, side, broken)
                settled, excursion, unloading_before = side.left.spent, 0.0, unloading_left
        if counts_again(up, counted, found.slope, lines, lines_b):
            counted = 0.0
        rest, rest_b = mark_level(found.slope, place, rest, rest_b)
        side = Side(largest, side.left, side.limit, side.target, rest)
        side_b = Side(side_b.largest, side_b.left, limit_b, side_b.target, rest_b)
        side_p, side_n = (side, side_b) if up else (side_b, side)
        stress, unloads = sign * found.stress, 1.0 if found.slope == unloading else 0.0
        return stress, found.tangent, (
            strain, stress, found.tangent, found.slope / K, unloads, sign, energy, excursion,
            unloading_left, unloading_before, point.stiffness_left * (1.0 - lost), counted, settled,
            broken, *history_of(side_p), *history_of(side_n))
