"""Steps of `QuadrilinearPinching`: envelope, the way to it, a change of direction, damage.

All of a side is written in its own direction, in which its strains and stresses are positive. Names
of equations are those of the docstring of `QuadrilinearPinching`.
"""

from __future__ import annotations

from typing import NamedTuple

from femu.kernels import inlined

FAR = 1e6
"""Strain at which the last line of the envelope ends, as a multiple of the fourth strain."""
FLAT_END = 1.1
"""Stress there if the envelope falls before, as a multiple of the fourth stress."""
ABOVE = 1.0 + 1e-6
SAME_FORCE = 1e-8
ROUND_OFF = 1e-14
"""Energy spent, as a share of the capacity, up to which it is the round-off of a sum.

A small power of it would be damage.
"""

ELASTIC, TENSION, COMPRESSION, TO_COMPRESSION, TO_TENSION = 0.0, 1.0, 2.0, 3.0, 4.0
"""What the point does: elastic, on one of the two envelopes, on the way to one of them."""


class Envelope(NamedTuple):
    """Points of the first loading of a side, from the end of the elastic range on."""

    s0: float
    e0: float
    s1: float
    e1: float
    s2: float
    e2: float
    s3: float
    e3: float
    s4: float
    e4: float


class Pinching(NamedTuple):
    """Corners b and c of the way to a side."""

    reload_strain: float
    reload_stress: float
    unload_stress: float


class Gamma(NamedTuple):
    """What an index of damage is made of."""

    gamma_1: float
    gamma_2: float
    gamma_3: float
    gamma_4: float
    limit: float


class Side(NamedTuple):
    """One side as it is now."""

    envelope: Envelope
    pinching: Pinching
    largest: float  # e_max
    k: float  # stiffness of unloading: (1 - g_K) k_1
    strength: float  # 1 - g_F


class Way(NamedTuple):
    """From the point a of the last change of direction to d on the envelope."""

    xa: float
    ya: float
    xd: float
    yd: float


class Damage(NamedTuple):
    """g_K, g_D and g_F."""

    k: float
    d: float
    f: float


class Point(NamedTuple):
    """History of a point."""

    branch: float
    strain: float
    stress: float
    energy: float  # W
    way: Way
    largest: float
    smallest: float
    damage: Damage
    cycles: float  # n
    used_k: float  # g_K and g_F that the last change of direction took over
    used_f: float


class Left(NamedTuple):
    """Shares of stiffness and strength of the two sides: 1 - g_K and 1 - g_F."""

    k_p: float
    k_n: float
    f_p: float
    f_n: float


@inlined
def line(x, x1, y1, x2, y2):
    """Stress and slope of the line through two points."""
    slope = (y2 - y1) / (x2 - x1)
    return y1 + (x - x1) * slope, slope


@inlined
def first_loading(x, env):
    """Stress and slope of an envelope, without damage."""
    if x <= env.e1:
        return line(x, env.e0, env.s0, env.e1, env.s1)
    if x <= env.e2:
        return line(x, env.e1, env.s1, env.e2, env.s2)
    if x <= env.e3:
        return line(x, env.e2, env.s2, env.e3, env.s3)
    if x <= env.e4:
        return line(x, env.e3, env.s3, env.e4, env.s4)
    rising = (env.s4 - env.s3) / (env.e4 - env.e3)
    end = env.s4 + rising * (FAR * env.e4 - env.e4) if rising > 0.0 else FLAT_END * env.s4
    return line(x, env.e4, env.s4, FAR * env.e4, end)


@inlined
def area(env):
    """Twice the energy under an envelope."""
    return (env.s0 * env.e0 + (env.s0 + env.s1) * (env.e1 - env.e0)
            + (env.s1 + env.s2) * (env.e2 - env.e1) + (env.s2 + env.s3) * (env.e3 - env.e2)
            + (env.s3 + env.s4) * (env.e4 - env.e3))


@inlined
def reloading_corner(way, side, forced):
    """Corner c of a way through zero strain, with c-d no steeper than k; and s_b."""
    env, pinching, beyond = side.envelope, side.pinching, side.largest > side.envelope.e3
    s3, s4, unload = side.strength * env.s3, side.strength * env.s4, pinching.unload_stress
    xd, yd = way.xd, way.yd
    xc = xd * pinching.reload_strain
    if forced or pinching.reload_stress - unload > SAME_FORCE:
        yc = yd * pinching.reload_stress
    else:
        yc = max((yd if beyond else s3) * unload * ABOVE, s4 * ABOVE)
    if yd - yc > side.k * (xd - xc):
        xc = xd - (yd - yc) / side.k
    return xc, yc, unload * (s4 if beyond else s3)


@inlined
def moved_corners(way, xb, yb, xc, yc, k_right):
    """Corners in the wrong order, moved: to the middle of their neighbours, or on two sides of
    their mean stress."""
    xa, ya, xd, yd = way
    if xb > 0.0:
        return 0.5 * (xa + xc), 0.5 * (ya + yc), xc, yc
    if xc < 0.0:
        return xb, yb, 0.5 * (xb + xd), 0.5 * (yb + yd)
    middle = 0.5 * (yb + yc)
    half = abs(middle) / 100.0
    first, last = (yb - ya) / (xb - xa), (yd - yc) / (xd - xc) if xd > xc else k_right
    yb, yc = middle - half, middle + half
    return xa + (yb - ya) / first, yb, xd - (yd - yc) / last, yc


@inlined
def pinched_corners(way, straight, side, k_left, forced):
    """Corners b and c of a way through zero strain; ``straight`` are those of a straight line."""
    xa, ya, _, _ = way
    xc, yc, yb = reloading_corner(way, side, forced)
    if xc < xa:
        return straight
    xb = xa + (yb - ya) / k_left
    run, rise, stiffest = xc - xb, yc - yb, max(k_left, side.k)
    if xb < xa:
        return 0.5 * (xa + xc), 0.5 * (ya + yc), xc, yc
    if ((run > 0.0 and rise > stiffest * run) or (run < 0.0 and rise < stiffest * run)
            or (run == 0.0 and rise > 0.0)):
        return straight
    if run < 0.0 or rise < 0.0:
        return moved_corners(way, xb, yb, xc, yc, side.k)
    return xb, yb, xc, yc


@inlined
def along_way(x, way, side, k_left, to_tension):
    """Stress and slope on the way to a side: three lines with the corners b and c.

    ``k_left`` is the stiffness of unloading of the side that is left. As in OpenSees, the two
    directions differ in what is forced, and in how a straight line is bent.
    """
    xa, ya, xd, yd = way
    dx, dy = xd - xa, yd - ya
    straight = (xa + 0.33 * dx, ya + 0.33 * dy, xa + 0.67 * dx, ya + 0.67 * dy)
    xb, yb, xc, yc = straight
    if xa * xd < 0.0:
        forced = to_tension and side.pinching.unload_stress == 0.0
        xb, yb, xc, yc = pinched_corners(way, straight, side, k_left, forced)
    if xb < xa or yb < ya or xc < xb or yc < yb or xd < xc or yd < yc:
        xb, yb, xc, yc = straight
        secant = ya / xa if to_tension else yd / xd
        if SAME_FORCE * dx < dy < secant * dx:
            if to_tension:
                xb, yb, xc, yc = 0.0, 0.0, 0.5 * xd, 0.5 * yd
            else:
                xb, yb, xc, yc = 0.5 * xa, 0.5 * ya, 0.0, 0.0
    if x >= xc and xd > xc:
        return line(x, xc, yc, xd, yd)
    if x >= xb and xc > xb:
        return line(x, xb, yb, xc, yc)
    return line(x, xa, ya, xb, yb)


@inlined
def reverse(point, strain, upwards, tension, compression, left):
    """A change of direction: the damage so far is taken over, and a way to the other side begins,
    if its point d is not passed at once.

    Returns branch, way, largest and smallest strain, what is left, and whether the damage was
    taken over.
    """
    branch, largest, smallest, damage = point.branch, point.largest, point.smallest, point.damage
    aim_p, aim_n = largest * (1.0 + damage.d), smallest * (1.0 + damage.d)
    on_envelope = branch == TENSION or branch == COMPRESSION
    beyond = strain > aim_p if upwards else strain < aim_n
    if branch == TENSION:
        largest = max(largest, point.strain, aim_p)
    elif branch == COMPRESSION:
        smallest = min(smallest, point.strain, aim_n)
    if on_envelope or not beyond:
        if upwards:
            left = Left(left.k_p, 1.0 - damage.k, 1.0 - damage.f, left.f_n)
        else:
            left = Left(1.0 - damage.k, left.k_n, left.f_p, 1.0 - damage.f)
    way = point.way
    if beyond:
        branch = TENSION if upwards else COMPRESSION
    elif upwards:
        branch = TO_TENSION
        way = Way(point.strain, point.stress, aim_p, left.f_p * first_loading(aim_p, tension)[0])
    else:
        branch = TO_COMPRESSION
        way = Way(point.strain, point.stress, aim_n,
                  -left.f_n * first_loading(-aim_n, compression)[0])
    return branch, way, largest, smallest, left, on_envelope or not beyond


@inlined
def respond(branch, strain, way, side_p, side_n, first):
    """Stress and tangent on a branch."""
    k_left = side_n.k if way.xa < 0.0 else side_p.k
    if branch == ELASTIC:
        return first * strain, first
    if branch == TENSION:
        stress, tangent = first_loading(strain, side_p.envelope)
        return side_p.strength * stress, side_p.strength * tangent
    if branch == COMPRESSION:
        stress, tangent = first_loading(-strain, side_n.envelope)
        return -side_n.strength * stress, side_n.strength * tangent
    if branch == TO_TENSION:
        return along_way(strain, way, side_p, k_left, True)
    mirrored = Way(-way.xa, -way.ya, -way.xd, -way.yd)
    stress, tangent = along_way(-strain, mirrored, side_n, k_left, False)
    return -stress, tangent


@inlined
def secant_of(side):
    """Secant stiffness at the largest strain, over k_1."""
    env, largest = side.envelope, side.largest
    return side.strength * first_loading(largest, env)[0] / largest / (env.s1 / env.e1)


@inlined
def grown_damage(gammas, side_p, side_n, energy, stored, capacity, cycles, by_cycles):
    """g = gamma_1 (e_max / e4) ** gamma_3 + gamma_2 D ** gamma_4, up to its limit, of all three
    kinds, after a step that ends before e4."""
    k, d, f = gammas
    loss_k, growth, loss_f = k.limit, d.limit, f.limit
    if energy < capacity:
        share = max(side_p.largest, side_n.largest) / max(side_p.envelope.e4, side_n.envelope.e4)
        loss_k = k.gamma_1 * share**k.gamma_3
        growth = d.gamma_1 * share**d.gamma_3
        loss_f = f.gamma_1 * share**f.gamma_3
        counts, spent = True, cycles
        if by_cycles == 0.0:
            counts = energy > stored + ROUND_OFF * capacity
            spent = max(energy - stored, 0.0) / capacity
        if counts:
            loss_k += k.gamma_2 * spent**k.gamma_4
            growth += d.gamma_2 * spent**d.gamma_4
            loss_f += f.gamma_2 * spent**f.gamma_4
        loss_k, growth, loss_f = min(loss_k, k.limit), min(growth, d.limit), min(loss_f, f.limit)
    secant = max(secant_of(side_p), secant_of(side_n))
    return Damage(min(loss_k, max(1.0 - secant, 0.0)), growth, loss_f)
