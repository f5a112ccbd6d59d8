"""Steps of `ChangManderSteel`: a reversal, the end of a curve, damage and buckling.

All is written for the odd branches, those that begin in tension; the even ones are the same in a
mirror. Branch 1 is first loading, 3 leads from it to that of the other side, 5 back to it, and each
further one to the start of the one before: inner loops. All strains and stresses are natural ones.
"""

from __future__ import annotations

import math

from femu.kernels import unfused, unfused_inlined
from femu.materials._bar_curves import (
    along,
    end_of,
    envelope,
    first_loading,
    fitted,
    limited,
)
from femu.materials._bar_history import (
    LAST_BRANCH,
    Branch,
    Sides,
    Wear,
    half_cycle,
    recalled,
    remember,
)

TOLERANCE = 1e-14
"""Of natural strains, at the ends of curves."""
# the corner where a bar begins to bend: its width, and how far it is cut off
_SMOOTHED, _DIP = 0.25, 0.1
_BREAKING = 0.04  # damage beyond 1 over which the stress goes down to nothing
# places of parameters
(_CF, _ALPHA, _CD, _R1, _R2, _R3, _A1, _LEAST_PLATEAU, _SLENDERNESS, _REDUCTION,
 _GAMMA) = range(6, 17)


@unfused
def _plastic(En, strains, stresses):
    """Plastic part of a half cycle: e_p."""
    return max(abs(strains) - abs(stresses / En), 0.0)


@unfused
def _harm(Cf, alpha, plastic):
    """Damage of a half cycle: (e_p / Cf) ** (1 / alpha)."""
    return (plastic / Cf) ** (1.0 / alpha) if Cf > 0.0 else 0.0


@unfused
def _worn(p, wear, before, plastic):
    """Sums after a half cycle has grown from one plastic strain to another."""
    Cf, alpha = p[_CF], p[_ALPHA]
    return Wear(wear.total - before + plastic,
                wear.damage - _harm(Cf, alpha, before) + _harm(Cf, alpha, plastic))


@unfused
def _between(e, loading, unloading):
    """Where the curve that a partial reloading left would have begun."""
    span = loading.eb - loading.ea
    return loading.eb * (e - loading.ea) / span + unloading.ea * (loading.eb - e) / span


@unfused
def _shortened(p, steel, total, plus, sides):
    """Constants of first loading after a total plastic strain.

    Isotropic hardening shortens the plateau.
    """
    if p[_A1] == 0.0:
        return 1.0, steel
    top, bottom = (sides.top, sides.bottom) if plus else (-sides.bottom, -sides.top)
    tension = top - envelope(steel, top)[0] / steel.E
    compression = bottom + envelope(steel, bottom)[0] / steel.E
    plastic = total - tension if tension > -compression else total + compression
    onset = min(max(1.0 - p[_A1] * plastic, p[_LEAST_PLATEAU]), 1.0)
    return onset, first_loading(p[0], p[1], p[2], p[3], p[4], p[5], onset, steel.rounded)


@unfused_inlined
def _curvature(p, steel, span):
    """R = R2 (f_y / E) ** R1 (1 - R3 span)."""
    return (steel.fy / steel.E) ** p[_R1] * p[_R2] * (1.0 - p[_R3] * span)


@unfused
def _zero_of_other_side(steel, step, sides):
    """Where first loading of the other side begins after a reversal from this one.

    Returns that strain, the strain from there at which it is met, the share of the plateau that
    was gone through, and whether the reversal came from the hardening branch.
    """
    ey, e_h, E, top, zero_other = steel.ey, steel.e_h, steel.E, sides.top, sides.zero_other
    hardened = step.e - sides.zero - e_h > -TOLERANCE
    if hardened:
        low = -e_h - 1e-14 if sides.bottom > -e_h else sides.bottom
        keep = math.exp(-top / (5000.0 * ey * ey))
        moved = ((sides.zero + e_h - steel.f_h / E) * keep
                 + (sides.zero + top - step.f_last / E) * (1.0 - keep))
        if moved > zero_other:
            low -= moved - zero_other
            zero_other = moved
        return zero_other, low, 0.0, hardened
    share = (top - ey) / (e_h - ey)
    return step.last - step.f_last / E, share * (ey - e_h) - ey, share, hardened


@unfused
def _leave_first_loading(p, step, sides, steel, total, back):
    """Branch 3: from first loading to that of the other side, whose zero moves.

    Returns the sides, the onset and constants of first loading, and slope, strain, stress and
    slope of the two ends.
    """
    last, f_last = step.last, step.f_last
    zero_other, low, share, hardened = _zero_of_other_side(steel, step, sides)
    eb = zero_other + low
    onset, steel = _shortened(
        p, steel, total + last - low - (f_last - envelope(steel, low)[0]) / steel.E, step.plus,
        sides)
    fb, Eb = envelope(steel, low)
    Ea = back
    if hardened:
        if step.plus and (fb - f_last) / (eb - last) < Eb:
            zero_other = (fb - f_last) / Eb + last - low
            eb = zero_other + low
    else:
        Eb = 1.0 / (1.0 / steel.E + share * (1.0 / steel.E_h - 1.0 / steel.E))
        Ea, Eb = limited(last, f_last, Ea, eb, fb, Eb)
    sides = Sides(sides.zero, zero_other, sides.top, sides.bottom, sides.furthest,
                  sides.furthest_other, sides.f_turn, sides.f_turn_other)
    return sides, onset, steel, Ea, eb, fb, Eb


@unfused
def _return(p, step, sides, steel, total, start, back):
    """Branch 5: from the curve that left first loading at ``start`` back to first loading."""
    last, f_last, fy, E = step.last, step.f_last, steel.fy, steel.E
    eb = sides.zero + sides.top + min(max(start - last - fy / (1.2 * E), 0.0), fy / 3.0 / E)
    onset, steel = _shortened(
        p, steel, total + eb - last - (envelope(steel, eb - sides.zero)[0] - f_last) / E, step.plus,
        sides)
    fb, Eb = envelope(steel, eb - sides.zero)
    Ea, Eb = limited(last, f_last, back, eb, fb, Eb)
    return onset, steel, Ea, eb, fb, Eb


@unfused
def _resumed(p, c, j, n, plus, sides, steel, total, start, e, f):
    """Branch 3 as it would have come to (e, f), if a partial reloading left it at ``start``."""
    loading, unloading = recalled(c, j, n, 5), recalled(c, j, n, 3)
    a, b = _between(start, loading, unloading), unloading.eb
    from_a = total + e - a + (envelope(steel, a - sides.zero)[0] - f) / steel.E
    onset, steel = _shortened(p, steel, from_a, plus, sides)
    f_a = envelope(steel, a - sides.zero)[0]
    from_b = total + e - b - (f - envelope(steel, b - sides.zero_other)[0]) / steel.E
    onset, steel = _shortened(p, steel, from_b, plus, sides)
    f_b, E_b = envelope(steel, b - sides.zero_other)
    return onset, steel, fitted(_curvature(p, steel, a - b), a, f_a, unloading.Ea, b, f_b, E_b)


@unfused
def _inner_target(c, j, n, k, curve):
    """Of a reversal inside inner loops: the next branch, the curve it ends on, and at which strain.
    """
    if k + 2 > LAST_BRANCH:  # no room for another curve
        return k - 2, recalled(c, j, n, k - 6), recalled(c, j, n, k - 4).ea
    past = recalled(c, j, n, k - 2)
    return k + 2, past, past.eb if k % 4 == 1 and k + 4 > LAST_BRANCH else curve.ea


@unfused
def reverse(p, c, j, n, step, sides, branch, total):
    """A reversal: the next branch is a curve from here to a point of one before it."""
    k, _, curve, onset, steel = branch
    last, f_last = step.last, step.f_last
    if k == 1:
        sides = Sides(sides.zero, sides.zero_other, last - sides.zero, sides.bottom,
                      max(sides.furthest, last), sides.furthest_other, f_last, sides.f_turn_other)
    elif k == 3:
        sides = Sides(sides.zero, sides.zero_other, sides.top,
                      min(sides.bottom, last - sides.zero_other), sides.furthest,
                      sides.furthest_other, sides.f_turn, sides.f_turn_other)
    # Dodd and Cooke
    back = steel.E * (0.82 + 1.0 / (5.55 + 1000.0 * max(sides.furthest, -sides.furthest_other)))
    if k == 1:
        sides, onset, steel, Ea, eb, fb, Eb = _leave_first_loading(p, step, sides, steel, total,
                                                                   back)
        k = 3
    elif k == 3:
        onset, steel, Ea, eb, fb, Eb = _return(p, step, sides, steel, total, curve.ea, back)
        k = 5
    else:
        if k == 5:
            onset, steel, past = _resumed(p, c, j, n, step.plus, sides, steel, total, last, last,
                                          f_last)
            k, eb = 7, curve.ea
        else:
            k, past, eb = _inner_target(c, j, n, k, curve)
        fb, Eb = end_of(past, eb)
        Ea, Eb = limited(last, f_last, back, eb, fb, Eb)
    span = eb - last if k % 4 == 1 else last - eb
    curve = fitted(_curvature(p, steel, span), last, f_last, Ea, eb, fb, Eb)
    return sides, Branch(k, False, curve, onset, steel)


@unfused_inlined
def pass_ends(p, c, t, j, n, step, sides, branch, wear):
    """Curves that end before the strain: on to those they end on."""
    k, crossed, curve, onset, steel = branch
    while k > 1 and not crossed:
        upwards = k % 4 == 1
        if (step.e - curve.eb < -TOLERANCE) if upwards else (step.e - curve.eb > TOLERANCE):
            break
        if k == 3:
            t[half_cycle(j, n, 1 if step.plus else 0)] = t[half_cycle(j, n, 2)]
            crossed = True
            break
        before = t[half_cycle(j, n, (k + 1) // 2 - (2 if k > 10 and not upwards else 0))]
        wear = _worn(p, wear, before, _plastic(steel.E, curve.eb - curve.ea, curve.fb - curve.fa))
        if k == 5:
            k = 1
        elif k == 7:
            onset, steel, curve = _resumed(p, c, j, n, step.plus, sides, steel, wear.total,
                                           curve.ea, curve.eb, curve.fb)
            k = 3
        else:
            k -= 4
            curve = recalled(c, j, n, k)
    return Branch(k, crossed, curve, onset, steel), wear


@unfused_inlined
def follow(t, j, n, step, sides, branch):
    """Stress and slope on a branch; where its half cycle began, and the place of that."""
    k, crossed, curve, _, steel = branch
    if crossed:
        f, slope = envelope(steel, step.e - sides.zero_other)
        return f, slope, sides.furthest, sides.f_turn, half_cycle(j, n, 1 if step.plus else 0)
    if k == 1:
        f, slope = envelope(steel, step.e - sides.zero)
        return (f, slope, sides.furthest_other, sides.f_turn_other,
                half_cycle(j, n, 0 if step.plus else 1))
    f, slope = along(curve, step.e)
    remember(t, j, n, k, curve)
    return (f, slope, sides.furthest if k == 3 else curve.ea, curve.fa,
            half_cycle(j, n, (k + 1) // 2))


@unfused
def wear_out(p, t, place, En, e, f, slope, from_e, from_f, wear):
    """Sums with the plastic strain of the present half cycle, and the derivative of the damage."""
    Cf, alpha = p[_CF], p[_ALPHA]
    plastic = _plastic(En, e - from_e, f - from_f)
    wear = _worn(p, wear, t[place], plastic)
    t[place] = plastic
    by_strain = 0.0
    if plastic > 0.0 and Cf > 0.0:
        growth = (1.0 if e > from_e else -1.0) - (slope if f > from_f else -slope) / En
        by_strain = (plastic / Cf) ** (1.0 / alpha - 1.0) * growth / (alpha * Cf)
    return wear, by_strain


@unfused
def strength_left(p, damage):
    """1 - damage (Cf / Cd) ** (1 / alpha), down to nothing beyond a damage of 1; and how fast."""
    Cf, alpha = p[_CF], p[_ALPHA]
    degrading = (Cf / p[_CD]) ** (1.0 / alpha) if p[_CD] > 0.0 and Cf > 0.0 else 0.0
    left, loss = 1.0 - degrading * damage, degrading
    if damage > 1.0:
        left, loss = left - (damage - 1.0) / _BREAKING, loss + 1.0 / _BREAKING
    return left, loss


@unfused
def _bent(slenderness, reduction, gamma, strain, ultimate, f, slope):
    """f_buckled and its slope, ``strain`` = e_0 - e."""
    ratio = math.sqrt(32.0 / strain) / (3.0 * math.pi * slenderness)
    by_strain = -0.5 * ratio / strain
    apart = ratio - 1.0
    smooth, by_ratio = 1.0, 0.0
    if abs(apart) <= _SMOOTHED:
        smooth = 1.0 - _DIP * (_SMOOTHED - abs(apart)) / _SMOOTHED
        by_ratio = _DIP / _SMOOTHED if apart > 0.0 else -_DIP / _SMOOTHED
    bent = min(ratio, 1.0)
    factor = bent * smooth * (1.0 - reduction) + reduction
    growth = (1.0 - reduction) * by_strain * ((smooth if ratio < 1.0 else 0.0) + bent * by_ratio)
    pole = ultimate * gamma
    share = (factor + gamma) / (1.0 + gamma)
    # strain counts downwards, the slope upwards
    return pole - share * (pole - f), share * slope + growth * (pole - f) / (1.0 + gamma)


@unfused
def buckled(p, steel, largest, e, f, slope):
    """Stress and slope of a bar that may have bent; ``largest`` is its largest strain."""
    below = largest - steel.f_u / steel.E - e
    if p[_SLENDERNESS] > 0.0 and below > 0.0:
        return _bent(p[_SLENDERNESS], p[_REDUCTION], p[_GAMMA], below, steel.f_u, f, slope)
    return f, slope
