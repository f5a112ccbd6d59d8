"""Reinforcing steel after Chang and Mander."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.component import Material
from femu.errors import InputError
from femu.kernels import Kernel, kernel
from femu.laws import BLOCK
from femu.materials._bar_curves import (
    ELASTIC,
    END,
    END_STRESS,
    HARDENING,
    HARDENING_STRAIN,
    HARDENING_STRESS,
    ROUNDED,
    START,
    START_SLOPE,
    START_STRESS,
    ULTIMATE_STRESS,
    YIELD_STRAIN,
    YIELD_STRESS,
    along,
    end_of,
    envelope,
    first_loading,
    fitted,
    limited,
    unfused,
)
from femu.parameters import nonnegative, number, positive

LEAST_STRAIN = -0.95
"""Compressive strain beyond which the stress does not change any more; OpenSees does not answer there."""
LAST_BRANCH = 20
"""Curves inside curves that are remembered, two to each branch after the second (as in OpenSees)."""
_TOLERANCE = 1e-14  # of natural strains, at the ends of curves
_SMOOTHED, _DIP = 0.25, 0.1  # the corner where a bar begins to bend: its width, and how far it is cut off
LEAST_YIELD_STRAIN = 1e-12  # ln(1 + fy / E) of less has no digits left
_BREAKING = 0.04  # damage beyond 1 over which the stress goes down to nothing

_NUMBERS = ("natural_strain", "natural_stress", "stress", "tangent_less_initial", "branch", "zero_of_tension",
            "zero_of_compression", "largest_strain", "smallest_strain", "furthest_tension", "furthest_compression",
            "plastic_strain", "plateau_lost", "damage", "failed", "stress_at_tension_reversal",
            "stress_at_compression_reversal")
_STRESS, _TANGENT, _BRANCH, _TENSION, _COMPRESSION = 2, 3, 4, 5, 6  # places of these; natural strain and stress are the first
_EXTREME, _FURTHEST, _TURN = 2, 4, 10  # from the zero of a side: its extreme strain, the furthest one, the stress at its reversal
_PLASTIC, _PLATEAU_LOST, _DAMAGE, _FAILED = 11, 12, 13, 14
_CF, _ALPHA, _CD, _R1, _R2, _R3, _A1, _LEAST_PLATEAU, _SLENDERNESS, _REDUCTION, _GAMMA = range(6, 17)  # places of parameters
_CURVE = ("R", "corner", "Q", "ea", "fa", "Ea", "eb", "fb", "Eb")
_CURVE_SIZE = len(_CURVE)
_HALVES = LAST_BRANCH // 2 + 1
_HALF = len(_NUMBERS)  # where the plastic strains of the half cycles begin
_CURVES = _HALF + _HALVES
_COUNT = _CURVES + _CURVE_SIZE * (_HALVES - 2)


@unfused
def _recalled(c, j, n, branch):
    """The curve of a branch."""
    first = (_CURVES + _CURVE_SIZE * ((branch + 1) // 2 - 2)) * n + j
    return (c[first], c[first + n], c[first + 2 * n], c[first + 3 * n], c[first + 4 * n], c[first + 5 * n], c[first + 6 * n],
            c[first + 7 * n], c[first + 8 * n])


@unfused
def _plastic(En, strains, stresses):
    """Plastic part of a half cycle."""
    return max(abs(strains) - abs(stresses / En), 0.0)


@unfused
def _harm(Cf, alpha, plastic):
    return (plastic / Cf) ** (1.0 / alpha) if Cf > 0.0 else 0.0


@unfused
def _between(e, loading, unloading):
    """Where the curve that a partial reloading left would have begun."""
    span = loading[END] - loading[START]
    return loading[END] * (e - loading[START]) / span + unloading[START] * (loading[END] - e) / span


@unfused
def _shortened(p, steel, total, top, bottom):
    """Constants of first loading after a total plastic strain: isotropic hardening shortens the plateau."""
    if p[_A1] == 0.0:
        return 1.0, steel
    tension = top - envelope(steel, top)[0] / steel[ELASTIC]
    compression = bottom + envelope(steel, bottom)[0] / steel[ELASTIC]
    plastic = total - tension if tension > -compression else total + compression
    onset = min(max(1.0 - p[_A1] * plastic, p[_LEAST_PLATEAU]), 1.0)
    return onset, first_loading(p[0], p[1], p[2], p[3], p[4], p[5], onset, steel[ROUNDED])


@unfused
def _buckled(slenderness, reduction, gamma, strain, ultimate, f, slope):
    """Stress and slope of a bar that has bent, ``strain`` below where its unloading from the largest one is over."""
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
def _step(p, virgin, c, t, j, n, strain):
    """Stress and tangent of one point; the trial history is written whole."""
    for v in range(_COUNT):
        t[v * n + j] = c[v * n + j]
    onset = 1.0 - c[_PLATEAU_LOST * n + j]
    steel = virgin if onset == 1.0 else first_loading(p[0], p[1], p[2], p[3], p[4], p[5], onset, 0.0)
    stretch = 1.0 + max(strain, LEAST_STRAIN)
    now = math.log(stretch)
    if c[_FAILED * n + j] != 0.0:
        t[j] = now
        return 0.0, 0.0
    if now == c[j]:
        return c[_STRESS * n + j], steel[ELASTIC] + c[_TANGENT * n + j]
    branch = int(c[_BRANCH * n + j])
    if branch == 0:
        branch = 1 if now > 0.0 else 2
    # what follows is written for the odd branches; the even ones are the same in a mirror
    plus = branch % 2 == 1
    s = 1.0 if plus else -1.0
    k = branch if plus else branch - 1
    ey, fyn, En = steel[YIELD_STRAIN], steel[YIELD_STRESS], steel[ELASTIC]
    e, last, f_last = s * now, s * c[j], s * c[n + j]
    own, other = (_TENSION, _COMPRESSION) if plus else (_COMPRESSION, _TENSION)
    zero, zero_other = s * c[own * n + j], s * c[other * n + j]
    top, bottom = s * c[(own + _EXTREME) * n + j], s * c[(other + _EXTREME) * n + j]
    furthest, furthest_other = s * c[(own + _FURTHEST) * n + j], s * c[(other + _FURTHEST) * n + j]
    f_turn, f_turn_other = s * c[(own + _TURN) * n + j], s * c[(other + _TURN) * n + j]
    total, damage = c[_PLASTIC * n + j], c[_DAMAGE * n + j]
    Cf, alpha = p[_CF], p[_ALPHA]
    half = _HALF * n + j
    curve = _recalled(c, j, n, k) if k > 1 else (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    upwards = k % 4 == 1
    elastic, crossed = False, False

    if (e < last) == upwards:  # a reversal
        if k == 1 and e - zero <= -_TOLERANCE:
            crossed = True
        elif k == 1 and e - zero - ey <= -_TOLERANCE:
            elastic = True
        else:
            furthest = max(furthest, last) if k == 1 else furthest
            back = En * (0.82 + 1.0 / (5.55 + 1000.0 * max(furthest, -furthest_other)))  # Dodd and Cooke
            R_0 = (fyn / En) ** p[_R1] * p[_R2]
            if k == 1:
                e_h, f_h = steel[HARDENING_STRAIN], steel[HARDENING_STRESS]
                top, f_turn = last - zero, f_last
                hardened = e - zero - e_h > -_TOLERANCE
                if hardened:
                    low = -e_h - 1e-14 if bottom > -e_h else bottom
                    keep = math.exp(-top / (5000.0 * ey * ey))
                    moved = (zero + e_h - f_h / En) * keep + (zero + top - f_last / En) * (1.0 - keep)
                    if moved > zero_other:
                        low -= moved - zero_other
                        zero_other = moved
                    share = 0.0
                else:
                    share = (top - ey) / (e_h - ey)
                    low = share * (ey - e_h) - ey
                    zero_other = last - f_last / En
                eb = zero_other + low
                high = (top, bottom) if plus else (-bottom, -top)
                onset, steel = _shortened(p, steel, total + last - low - (f_last - envelope(steel, low)[0]) / En,
                                          high[0], high[1])
                fb, Eb = envelope(steel, low)
                Ea = back
                if hardened:
                    if plus and (fb - f_last) / (eb - last) < Eb:
                        zero_other = (fb - f_last) / Eb + last - low
                        eb = zero_other + low
                else:
                    Eb = 1.0 / (1.0 / En + share * (1.0 / steel[HARDENING] - 1.0 / En))
                    Ea, Eb = limited(last, f_last, Ea, eb, fb, Eb)
                k = 3
            elif k == 3:
                bottom = min(bottom, last - zero_other)
                eb = zero + top + min(max(curve[START] - last - fyn / (1.2 * En), 0.0), fyn / 3.0 / En)
                high = (top, bottom) if plus else (-bottom, -top)
                onset, steel = _shortened(p, steel, total + eb - last - (envelope(steel, eb - zero)[0] - f_last) / En,
                                          high[0], high[1])
                fb, Eb = envelope(steel, eb - zero)
                Ea, Eb = limited(last, f_last, back, eb, fb, Eb)
                k = 5
            else:
                high = (top, bottom) if plus else (-bottom, -top)
                if k == 5:
                    unloading = _recalled(c, j, n, 3)
                    a = _between(last, curve, unloading)
                    b = unloading[END]
                    onset, steel = _shortened(p, steel, total + last - a + (envelope(steel, a - zero)[0] - f_last) / En,
                                              high[0], high[1])
                    f_a = envelope(steel, a - zero)[0]
                    onset, steel = _shortened(p, steel, total + last - b - (f_last - envelope(steel, b - zero_other)[0]) / En,
                                              high[0], high[1])
                    f_b, E_b = envelope(steel, b - zero_other)
                    past = fitted(R_0 * (1.0 - p[_R3] * (a - b)), a, f_a, unloading[START_SLOPE], b, f_b, E_b)
                    eb = curve[START]
                    k = 7
                elif k + 2 > LAST_BRANCH:  # no room for another curve
                    eb = _recalled(c, j, n, k - 4)[START]
                    past = _recalled(c, j, n, k - 6)
                    k -= 2
                else:
                    past = _recalled(c, j, n, k - 2)
                    eb = past[END] if k % 4 == 1 and k + 4 > LAST_BRANCH else curve[START]
                    k += 2
                fb, Eb = end_of(past, eb)
                Ea, Eb = limited(last, f_last, back, eb, fb, Eb)
            span = eb - last if k % 4 == 1 else last - eb
            curve = fitted(R_0 * (1.0 - p[_R3] * span), last, f_last, Ea, eb, fb, Eb)
            t[half + (k + 1) // 2 * n] = 0.0

    while k > 1 and not crossed:  # curves that end before the strain: on to those they end on
        upwards = k % 4 == 1
        if (e - curve[END] < -_TOLERANCE) if upwards else (e - curve[END] > _TOLERANCE):
            break
        if k == 3:
            t[half + (n if plus else 0)] = t[half + 2 * n]
            crossed = True
            break
        ended = curve
        place = half + ((k + 1) // 2 - (2 if k > 10 and not upwards else 0)) * n
        whole = _plastic(En, ended[END] - ended[START], ended[END_STRESS] - ended[START_STRESS])
        damage = damage - _harm(Cf, alpha, t[place]) + _harm(Cf, alpha, whole)
        total = total - t[place] + whole
        if k == 5:
            k = 1
        elif k == 7:
            loading, unloading = _recalled(c, j, n, 5), _recalled(c, j, n, 3)
            a = _between(ended[START], loading, unloading)
            b = unloading[END]
            high = (top, bottom) if plus else (-bottom, -top)
            from_a = total + ended[END] - a + (envelope(steel, a - zero)[0] - ended[END_STRESS]) / En
            onset, steel = _shortened(p, steel, from_a, high[0], high[1])
            f_a = envelope(steel, a - zero)[0]
            from_b = total + ended[END] - b - (ended[END_STRESS] - envelope(steel, b - zero_other)[0]) / En
            onset, steel = _shortened(p, steel, from_b, high[0], high[1])
            f_b, E_b = envelope(steel, b - zero_other)
            curve = fitted((fyn / En) ** p[_R1] * p[_R2] * (1.0 - p[_R3] * (a - b)), a, f_a, unloading[START_SLOPE], b, f_b, E_b)
            k = 3
        else:
            k -= 4
            curve = _recalled(c, j, n, k)

    if crossed:
        f, slope = envelope(steel, e - zero_other)
        from_e, from_f, place = furthest, f_turn, half + (n if plus else 0)
    elif k == 1:
        f, slope = envelope(steel, e - zero)
        from_e, from_f, place = furthest_other, f_turn_other, half + (0 if plus else n)
    else:
        f, slope = along(curve, e)
        from_e, from_f, place = furthest if k == 3 else curve[START], curve[START_STRESS], half + (k + 1) // 2 * n
        first = (_CURVES + _CURVE_SIZE * ((k + 1) // 2 - 2)) * n + j
        for v in range(_CURVE_SIZE):
            t[first + v * n] = curve[v]
    by_strain = 0.0
    if not elastic:
        plastic = _plastic(En, e - from_e, f - from_f)
        damage = damage - _harm(Cf, alpha, t[place]) + _harm(Cf, alpha, plastic)
        total = total - t[place] + plastic
        t[place] = plastic
        if plastic > 0.0 and Cf > 0.0:
            growth = (1.0 if e > from_e else -1.0) - (slope if f > from_f else -slope) / En
            by_strain = (plastic / Cf) ** (1.0 / alpha - 1.0) * growth / (alpha * Cf)

    if crossed:
        branch = 2 if plus else 1
    else:
        branch = k if plus else k + 1
    t[j], t[n + j], t[_BRANCH * n + j] = now, s * f, float(branch)
    t[own * n + j], t[other * n + j] = s * zero, s * zero_other
    t[(own + _EXTREME) * n + j], t[(other + _EXTREME) * n + j] = s * top, s * bottom
    t[(own + _FURTHEST) * n + j] = s * furthest
    t[(own + _TURN) * n + j] = s * f_turn
    t[_PLASTIC * n + j], t[_PLATEAU_LOST * n + j], t[_DAMAGE * n + j] = total, 1.0 - onset, damage
    degrading = (Cf / p[_CD]) ** (1.0 / alpha) if p[_CD] > 0.0 and Cf > 0.0 else 0.0
    left, loss = 1.0 - degrading * damage, degrading
    if damage > 1.0:
        left, loss = left - (damage - 1.0) / _BREAKING, loss + 1.0 / _BREAKING
    if left < 0.0:
        t[_FAILED * n + j] = 1.0
        t[_STRESS * n + j], t[_TANGENT * n + j] = 0.0, -En
        return 0.0, 0.0
    f *= s
    below = (top if plus else -bottom) - steel[ULTIMATE_STRESS] / En - now
    if p[_SLENDERNESS] > 0.0 and below > 0.0:
        f, slope = _buckled(p[_SLENDERNESS], p[_REDUCTION], p[_GAMMA], below, steel[ULTIMATE_STRESS], f, slope)
    stress = f * left / stretch
    tangent = 0.0 if strain < LEAST_STRAIN else ((slope - f) * left - f * loss * s * by_strain) / stretch**2
    t[_STRESS * n + j], t[_TANGENT * n + j] = stress, tangent - En
    return stress, tangent


@kernel(BLOCK)
def _block(n, i, p, c, t, w, x, r, s, y, k, d):
    virgin = first_loading(p[0], p[1], p[2], p[3], p[4], p[5], 1.0, 0.0)
    for j in range(n):
        y[j], k[j] = _step(p, virgin, c, t, j, n, x[j])
    return 0


class ChangManderSteel(Material):
    """Reinforcing steel with a yield plateau, memory of inner loops and fatigue; OpenSees' ``ReinforcingSteel``.

    The law works on natural strains e = ln(1 + strain) and stresses f = stress (1 + strain), in which tension and
    compression are alike. First loading is elastic, then a yield plateau, then from ``hardening_strain`` on ::

        f = f_h + (e - e_h) E_u + (f_u - f_h) (1 - ((e_u - e) / (e_u - e_h)) ** n),      n = E_h (e_u - e_h) / (f_u - f_h)

    to the ultimate strain, behind which the stress stays near fu. Every other branch is a curve of Menegotto and Pinto ::

        f = f_a + E_a (e - e_a) (Q - (Q - 1) / (1 + |E_a (e - e_a) / (f_ch - f_a)| ** R) ** (1 / R))

    from the last reversal (e_a, f_a) to a point (e_b, f_b) at which it has the slope of what it meets there: Q and f_ch
    follow from that, E_a = E (0.82 + 1 / (5.55 + 1000 e_max)) after Dodd and Cooke, and
    R = R2 (f_y / E) ** R1 (1 - R3 abs(e_b - e_a)). A reversal from first loading leads to the first loading of the other side,
    whose zero has moved; one from such a curve leads back; inner loops, up to nine deep, close where they began.

    ``a1`` shortens the plateau with the plastic strain summed up over half cycles, down to ``least_plateau``.
    With ``Cf`` the bar wears out: a half cycle of the plastic strain e_p does the damage (e_p / Cf) ** (1 / alpha), the
    strength falls to ``1 - damage (Cf / Cd) ** (1 / alpha)`` of itself, and from a damage of 1 on to nothing at 1.04.

    With ``slenderness`` the bar buckles after Gomes and Appleton, from the natural strain e_0 = e_max - f_u / E down ::

        f_buckled = gamma f_u - (g + gamma) / (1 + gamma) (gamma f_u - f),     g = (1 - reduction) min(k, 1) + reduction
        k = sqrt(32 / (e_0 - e)) / (3 pi slenderness)

    (the corner at k = 1 is cut off by 10 % over a quarter to each side).

    As in OpenSees, the strain at the end of a step, not at the reversal, says whether a reversal comes from the hardening
    branch, the plateau or the elastic line: steps have to be short beside the yield strain where it reverses. Rounding
    decides between two slopes 0.1 % apart where an inner loop closes on a straight piece. A bar breaks at the step that is
    kept; in OpenSees also one that a discarded iteration broke stays broken. The tangent is the derivative of the stress,
    with that of the damage.

    Chang and Mander, NCEER-94-0006, 1994; Gomes and Appleton, Eng. Struct. 19(10), 1997; Kunnath, Heo and Mohle, J. Struct. Eng.
    135(4), 2009; Coffin and Manson, see `LowCycleFatigue`.
    """

    fy: float = positive("yield stress", "stress")
    fu: float = positive("ultimate stress", "stress")
    E: float = positive("Young's modulus", "stress")
    Eh: float = positive("modulus at the onset of hardening", "stress")
    hardening_strain: float = positive("strain at the onset of hardening", "strain")
    ultimate_strain: float = positive("strain at the ultimate stress", "strain")
    Cf: float = nonnegative("plastic strain of the half cycle that breaks the bar; 0: no fatigue", "strain", default=0.0)
    alpha: float = positive("exponent of fatigue", default=0.506)
    Cd: float = nonnegative("plastic strain of fatigue at which strength is lost too; 0: none is lost", "strain", default=0.0)
    R1: float = number("exponent of the yield strain in the curvature of the curves", lower=0.0, default=1.0 / 3.0)
    R2: float = positive("factor of the curvature", default=18.0)
    R3: float = nonnegative("loss of curvature with the length of a curve", default=4.0)
    a1: float = nonnegative("loss of the yield plateau with plastic strain", default=0.0)
    least_plateau: float = number("share of the plateau that is left at least", lower=0.0, upper=1.0, default=0.01)
    slenderness: float = nonnegative("free length of the bar over its diameter; 0: it does not buckle", default=0.0)
    reduction: float = number("share of the stress that buckling leaves alone", lower=0.0, upper=1.0, default=0.0)
    gamma: float = nonnegative("pole of the buckled stress, as a share of the ultimate stress in tension", default=0.5)

    history: ClassVar[tuple[str, ...]] = (
        *_NUMBERS, *(f"half_cycle_{v}" for v in range(_HALVES)),
        *(f"curve_{v}_{name}" for v in range(2, _HALVES) for name in _CURVE))

    def validate(self) -> None:
        if self.fy < LEAST_YIELD_STRAIN * self.E:
            raise InputError(self.label(), "fy", self.fy, f"must be at least {LEAST_YIELD_STRAIN:g} E: less has no digits left")
        if not self.fy / self.E < self.hardening_strain < self.ultimate_strain:
            raise InputError(self.label(), "hardening_strain", self.hardening_strain,
                             f"must lie between fy / E = {self.fy / self.E:g} and ultimate_strain = {self.ultimate_strain:g}")
        if self.fu <= self.fy:
            raise InputError(self.label(), "fu", self.fu, f"must be above fy = {self.fy:g}")

    def kernel(self) -> Kernel:
        return _block
