"""Steps of `ModifiedIMK`: a change of direction, the line that a point follows, the end of an
excursion.

All is written for a strain that grows: ``lines``, ``side``, ``rest`` ... belong to the side it grows
to, those with ``_b`` to the side it comes from, each in its own direction. Names of
equations are those of the docstring of `ModifiedIMK`.
"""

from __future__ import annotations

from femu.kernels import inlined
from femu.materials._imk_lines import (
    FLAT,
    GONE,
    NEVER,
    RESIDUAL_SLOPE,
    backbone,
    crossing,
    end_of_unloading,
    is_before_residual,
    of_spring,
    real_power,
    weakened,
)
from femu.materials._imk_state import Limit, Response, Rest, Side, Target

SAME = 1e-10
"""Strains, and stresses, that differ by less are the same (as in OpenSees)."""
LEAST_UNLOADING = 0.1
"""Least unloading stiffness of the member, as a share of the initial one."""
STEEP_ENOUGH = 1e-3
"""Slope after the cap, as a share of the stiffness, below which unloading stiffness is not lost
any more."""
APART, NEAR = 1e-6, 1e-9
"""Strains by which points are moved off each other (as in OpenSees)."""
ROUND_OFF = 1.0 + 1e-9
"""Factor of FLAT up to which a slope counts as flat.

It has been divided by the stiffness and multiplied again.
"""
DIFFERENCE = 1e-5
"""Step of the difference that replaces a derivative, as a share of the energy of the excursion."""


@inlined
def leave_residual(move, lines, lines_b, rest, rest_b):
    """A side off its residual strength loads again; the other one restarts where its hardening
    line, extended, has no stress."""
    if move.x > 0.0 or (move.x == 0.0 and not move.up):
        if is_before_residual(move.x, lines):
            rest = Rest(rest.restart, 0.0, 0.0)
    elif is_before_residual(-move.x, lines_b):
        rest_b = Rest(rest_b.restart, 0.0, 0.0)
    if rest.exhausted != 0.0:
        fy, K = lines_b.fy, lines_b.K
        rest = Rest(min(fy / (lines_b.alpha * K) - fy / K, NEVER), rest.exhausted, rest.level)
    return rest, rest_b


@inlined
def elastic_energy(move, unloading, lines, target, target_b):
    """Energy of the excursion that unloading gives back: it is not part of E_i."""
    if target.stress > 0.0:
        return 0.5 * move.before * move.before / unloading
    mean = move.before + target.stress if move.up else target_b.stress - move.before
    stored = 0.5 * mean * (target.strain - move.before_x)
    if lines.alpha > 0.0:
        stored += 0.5 * target.stress * target.stress / (lines.K * lines.alpha)
    return stored


@inlined
def unloading_loss(point, stored, wear):
    """b_k, and the share of the stiffness of the member that unloading has after it."""
    spent = point.energy - stored
    lost = real_power((point.excursion - stored) / (wear.capacity_k - spent), wear.c_k)
    if spent >= wear.capacity_k or lost >= 1.0:
        lost = 1.0
    kept = point.unloading_before if point.settled != 0.0 else point.stiffness_left * (1.0 - lost)
    return lost, max(kept, LEAST_UNLOADING)


@inlined
def reloading_target(move, has_yielded, unloads, unloading, lines, side, target_b, rest_b):
    """Where unloading ends on the side that the strain grows to, and that side's largest strain."""
    target, before_x = side.target, move.before_x
    first, end_b, restart = lines.strength / lines.K, -target_b.strain, -rest_b.restart
    if has_yielded and (before_x < end_b or (before_x > end_b and unloads != 0.0)):
        target = end_of_unloading(before_x, move.before, unloading, lines, side.rest.level,
                                  side.limit, target)
        if abs(side.largest - first) >= SAME and abs(target.strain - first) <= SAME:
            target = Target(first - move.sign * NEAR, target.stress, target.envelope, target.level)
    largest = max(side.largest, target.strain)
    if rest_b.exhausted != 0.0 and before_x <= restart:
        target = Target(restart - APART, 0.0, target.envelope, target.level)
    return largest, target


@inlined
def reverse(move, point, n, wear, lines, lines_b, side, side_b):
    """A change of direction: K_i of unloading, and where that line ends.

    Returns b_k, the share of stiffness left for unloading, whether the point is broken, the
    largest strain and the target of the one side, and the limit of the other.
    """
    K, limit_b, broken = lines.K, side_b.limit, point.broken
    if -move.before_x >= side_b.largest:
        limit_b = Limit(-move.before_x, -move.before)
    unloading_left, unloads, lost = point.unloading_left, point.unloads, 0.0
    unloading = K * of_spring(unloading_left, n)
    stored = elastic_energy(move, unloading, lines, side.target, side_b.target)
    if wear.capacity_k - (point.energy - stored) <= 0.0 and wear.capacity_k != 0.0:
        broken = 1.0
    steep = (abs(lines.cap * (1.0 + n)) >= STEEP_ENOUGH
             and abs(lines_b.cap * (1.0 + n)) >= STEEP_ENOUGH)
    if (wear.capacity_k != 0.0 and move.x < -side_b.target.strain
            and (steep if move.up else point.settled == 0.0)):
        lost, left = unloading_loss(point, stored, wear)
        if left != unloading_left:
            unloads = 0.0
        unloading_left = left
        unloading = K * of_spring(left, n)
    has_yielded = side_b.largest > lines_b.strength / K or side.largest > lines.strength / K
    largest, target = reloading_target(move, has_yielded, unloads, unloading, lines, side,
                                       side_b.target, side_b.rest)
    return lost, unloading_left, broken, largest, target, limit_b


@inlined
def is_exhausted(x, slope, lines, lines_b):
    """Whether first loading has come so far that only the residual strength is left.

    That is beyond the hardening line of the other side, and on the residual strength.
    """
    K, falling = lines.K, lines.cap * lines.K
    x_zero = lines.x_cap - lines.f_cap / falling
    x_yield, f_yield, hardening = -(lines_b.fy / K), -lines_b.fy, K * lines_b.alpha
    one, _ = crossing(x_yield, f_yield, hardening, 0.0, lines.f_zero, falling)
    two, _ = crossing(x_yield, f_yield, hardening, x_zero, 0.0, RESIDUAL_SLOPE)
    return x > max(one, two) or slope == FLAT


@inlined
def corner_of_reloading(unloading, lines, target):
    """Where the hardening line from the end of unloading meets the line after the cap; if the cap
    comes before yield, the line of unloading may meet it later."""
    falling = lines.cap * lines.K
    x_turn, f_turn = crossing(target.strain, target.stress, lines.K * lines.alpha, lines.x_cap,
                              lines.f_cap, falling)
    if lines.x_cap <= lines.fy / lines.K:
        x_other, f_other = crossing(target.strain, target.stress, unloading, lines.x_cap,
                                    lines.f_cap, falling)
        if x_other >= x_turn:
            x_turn, f_turn = x_other, f_other
    return x_turn, f_turn


@inlined
def reload(move, slope, unloading, lines, target, rest, rest_b, broken):
    """Unloading to the target, hardening from there, and the line after the cap.

    Returns the response, what the two sides do on their residual strength and whether the point
    is broken.
    """
    x, before = move.x, move.before
    elastic = before + unloading * move.moved
    hardening, falling = lines.K * lines.alpha, lines.cap * lines.K
    early = lines.x_cap <= lines.fy / lines.K
    x_turn, f_turn = corner_of_reloading(unloading, lines, target)
    stress, tangent, on_line = 0.0, 0.0, True
    if x <= target.strain and x <= x_turn:
        stress, slope, tangent, on_line = elastic, unloading, unloading, False
    elif x > target.strain and x <= x_turn and (early or x <= lines.x_cap):
        slope = hardening
        stress = target.stress + hardening * (x - target.strain)
    elif early or x > lines.x_cap:
        slope = falling
        stress = (f_turn + falling * (x - x_turn) if early
                  else lines.f_cap + falling * (x - lines.x_cap))
    else:
        on_line = False
    if on_line:
        tangent = slope
        falls = slope == falling
        if elastic < stress:
            stress, tangent = elastic, unloading
        if abs(stress - elastic) < SAME and not (early and move.up):
            slope = unloading
        if falls and slope != unloading and stress * before < 0.0:
            stress, slope, tangent, broken = 0.0, FLAT, 0.0, 1.0
            if before > 0.0:
                rest = Rest(rest.restart, 1.0, rest.level)
            else:
                rest_b = Rest(rest_b.restart, 1.0, rest_b.level)
    if not early:
        f_rest = lines.residual * lines.strength
        if x > lines.x_cap + (f_rest - lines.f_cap) / falling:
            stress, slope, tangent = f_rest, -FLAT, 0.0
        if broken != 0.0:
            stress, tangent = move.sign * GONE, 0.0
    return Response(stress, slope, tangent), rest, rest_b, broken


@inlined
def reload_to_level(move, unloading, lines, target, f_limit, exhausted_b):
    """Unloading and reloading of a side whose last line was level: up to the stress of its limit.
    """
    x = move.x
    elastic = move.before + unloading * move.moved
    if x <= target.strain:
        return Response(elastic, unloading, unloading)
    on_envelope = target.strain == target.envelope
    hardens = (on_envelope and (x <= target.level if move.up else x < target.level)) or (
        exhausted_b and x < target.level)
    slope = lines.K * lines.alpha if hardens else (0.0 if move.up else FLAT)
    stress = target.stress + slope * (x - target.strain) if hardens else f_limit
    tangent = slope
    if elastic < stress:
        stress, tangent = elastic, unloading
    if abs(stress - elastic) < SAME:
        slope = unloading
    return Response(stress, slope, tangent)


@inlined
def first_cycle(move, lines, lines_b):
    """First loading before any yielding, on the side on which the strain is."""
    x = move.x
    if x > 0.0 if move.up else x >= 0.0:
        stress, slope, _ = backbone(x, lines)
        return Response(stress, slope, slope)
    stress, slope, _ = backbone(-x, lines_b)
    return Response(-stress, slope, slope)


@inlined
def respond(move, slope, unloading, lines, lines_b, side, rest_b, settled, broken):
    """The line that the point follows; ``slope`` is that of the line before.

    Returns the response, the largest strain, what the two sides do on their residual strength,
    whether nothing deteriorates any more and whether the point is broken.
    """
    x, largest, target, rest = move.x, side.largest, side.target, side.rest
    exhausted, exhausted_b = rest.exhausted != 0.0, rest_b.exhausted != 0.0
    found = Response(GONE, FLAT, 0.0)
    if exhausted_b and exhausted and x < lines.ultimate:
        found = Response(lines.residual * lines.strength, FLAT, 0.0)
    elif broken != 0.0 or (exhausted_b and exhausted):
        settled = 1.0
    elif exhausted and x > target.strain and x < lines.ultimate:
        found = Response(lines.residual * lines.strength, FLAT, 0.0)
    elif exhausted and x > target.strain:
        settled = 1.0
    elif x >= lines.ultimate:
        settled, broken = 1.0, 1.0
    elif exhausted and (x < target.strain or not move.up):
        found = Response(move.before + unloading * move.moved, unloading, unloading)
    elif exhausted_b and x < -rest_b.restart:
        found = Response(0.0, FLAT, 0.0)
    elif x > largest:
        stress, slope, breaks = backbone(x, lines)
        found, largest, broken = Response(stress, slope, slope), x, 1.0 if breaks else broken
        if is_exhausted(x, slope, lines, lines_b):
            rest = Rest(rest.restart, 1.0, rest.level)
    elif abs(target.strain) > SAME and rest.level == 0.0:
        found, rest, rest_b, broken = reload(move, slope, unloading, lines, target, rest, rest_b,
                                             broken)
    elif abs(target.strain) > SAME:
        found = reload_to_level(move, unloading, lines, target, side.limit.stress, exhausted_b)
    else:
        found = first_cycle(move, lines, lines_b)
    return found, largest, rest, rest_b, settled, broken


@inlined
def end_excursion(move, found, unloading, excursion, energy, given, wear, side, broken):
    """Loss of strength at the end of an excursion: fy_i, alpha_i and f_0i of the side that comes
    next.

    Returns the response, the strain it belongs to, the side, its lines and whether it is broken.
    """
    before_x, before, K = move.before_x, move.before, given.K
    loss = weakened(excursion, energy, before_x, before, unloading, given, wear, side)
    limit, target, place = loss.limit, loss.target, move.x
    if loss.breaks:
        limit, broken = Limit(given.ultimate, move.sign * GONE), 1.0
    stress, slope, tangent = found.stress, loss.slope, found.tangent
    if target.stress < stress:
        # the strength left depends on the work of this very step: its derivative by a difference
        apart = DIFFERENCE * (abs(excursion) + before * before / K)
        other = weakened(excursion + apart, energy + apart, before_x, before, unloading, given,
                         wear, side).target.stress
        tangent = ((other - target.stress) / apart * 0.5
                   * (stress + before + move.moved * tangent))
        place, stress, slope = target.strain, target.stress, K * loss.lines.alpha
    weaker = Side(side.largest, loss.left, limit, target, side.rest)
    return Response(stress, slope, tangent), place, weaker, loss.lines, broken


@inlined
def mark_level(slope, place, rest, rest_b):
    """Marks the side whose line was level."""
    if abs(slope) <= FLAT * ROUND_OFF:
        if place > 0.0:
            rest = Rest(rest.restart, rest.exhausted, 1.0)
        elif place < 0.0:
            rest_b = Rest(rest_b.restart, rest_b.exhausted, 1.0)
    return rest, rest_b


@inlined
def counts_again(up, counted, slope, lines, lines_b):
    """Whether the point is on a line beyond yield, so that the next change of sign of the stress
    ends an excursion."""
    K = lines.K
    alpha_up, alpha_down = (lines.alpha, lines_b.alpha) if up else (lines_b.alpha, lines.alpha)
    return ((counted != 0.0 and slope == K * alpha_up) or slope == K * alpha_down
            or slope == lines.cap * K or slope == lines_b.cap * K)
