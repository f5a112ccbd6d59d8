"""Curves of `ChangManderSteel`: first loading, and Menegotto and Pinto's between two given points
with given slopes.

All strains and stresses are natural ones: e = ln(1 + strain), f = stress (1 + strain).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from femu.kernels import unfused

ROUNDING = 2e-4
"""Strain after the onset of hardening over which the plateau is rounded into the hardening branch.
"""
_CORNER = 10.0  # exponent of the corner between the elastic line and the plateau
_EPSILON = 2.220446049250313e-16
_TRIES = 50
_STRAIGHT = 100.0  # exponents R from which a curve leads on with its first slope


class Steel(NamedTuple):
    """Constants of first loading."""

    ey: float
    fy: float
    E: float
    e_h: float  # onset of hardening: strain, stress, slope
    f_h: float
    E_h: float
    e_u: float  # ultimate strain and stress
    f_u: float
    E_u: float
    plateau: float  # slope of the plateau, and its stress at no strain
    zero: float
    power: float  # n of the hardening branch
    slope: float  # at the end of the rounding
    rounded: float  # strain at which the rounding begins


class Curve(NamedTuple):
    """Menegotto and Pinto's curve from a to b."""

    R: float
    corner: float  # f_ch
    Q: float
    ea: float
    fa: float
    Ea: float
    eb: float
    fb: float
    Eb: float


@unfused
def first_loading(fy, fu, E, Eh, eh, eu, onset, rounded):
    """Constants of the first loading whose plateau is shortened to the share ``onset``.

    ``rounded`` is where the rounding began before this; as in OpenSees, a plateau that shrinks by
    more than the rounding does not see its hardening branch yet when the rounding is worked out
    (give 0 for the usual case).
    """
    ey = math.log(1.0 + fy / E)
    fyn = fy * (1.0 + fy / E)
    En = fyn / ey
    e_u = math.log(1.0 + eu)
    E_u = fu * (1.0 + eu)
    yield_strain = math.exp(ey) - 1.0
    start = onset * (eh - yield_strain) + yield_strain
    e_h = math.log(1.0 + start)
    f_h = fyn / (1.0 + yield_strain) * (1.0 + start)
    f_u = E_u - (e_u - e_h) * E_u
    E_h = Eh * (1.0 + start) ** 2 + f_h - E_u
    plateau = (f_h - fyn) / (e_h - ey)
    zero = fyn - plateau * ey
    power = E_h * (e_u - e_h) / (f_u - f_h)
    here = e_h + ROUNDING
    if here > rounded:
        f = f_h + (here - e_h) * E_u + (f_u - f_h) * (1.0 - ((e_u - here) / (e_u - e_h)) ** power)
    else:
        f = here * ((En - plateau) / (1.0 + ((En - plateau) * here
                                             / zero) ** _CORNER) ** (1.0 / _CORNER) + plateau)
    slope = E_h * ((f_u - f) / (f_u - f_h)) ** (1.0 - 1.0 / power)
    return Steel(ey, fyn, En, e_h, f_h, E_h, e_u, f_u, E_u, plateau, zero, power, slope,
                 here - 2.0 * (f - f_h) / slope)


@unfused
def envelope(steel, e):
    """Stress and slope of first loading at a strain of either sign."""
    _, _, En, e_h, f_h, E_h, e_u, f_u, E_u, plateau, zero, power, slope, rounded = steel
    size = abs(e)
    sign = -1.0 if e < 0.0 else 1.0
    if size <= rounded:
        steep = En - plateau
        bend = 1.0 + (steep * size / zero) ** _CORNER
        return sign * size * (steep / bend ** (1.0 / _CORNER)
                              + plateau), steep / bend ** (1.0 + 1.0 / _CORNER) + plateau
    if size > e_u:
        return sign * (f_u + (size - e_h) * E_u), E_u
    end = e_h + ROUNDING
    if size < end:
        way = size - rounded
        gain = (slope - plateau) / (end - rounded)
        return sign * ((slope - plateau) * (way * way) / (2.0 * (end - rounded)) + size * plateau
                       + zero), gain * way + plateau
    left = (e_u - size) / (e_u - e_h)
    return sign * (f_h + (size - e_h) * E_u + (f_u - f_h)
                   * (1.0 - left**power)), E_h * left ** (power - 1.0) + E_u


@unfused
def _misfit(a, R, Ea, secant, Eb):
    return Eb - secant * (1.0 - a ** (R + 1.0)) / (1.0 - a) + Ea * a * (1.0 - a**R) / (1.0 - a)


@unfused
def fitted(R, ea, fa, Ea, eb, fb, Eb):
    """Menegotto and Pinto's curve from (ea, fa) with slope Ea to (eb, fb) with slope Eb.

    R is raised if no curve with it reaches the end. The equation for the ratio a of the slopes
    is solved as OpenSees does, to about 1e-4 of a, so that the numbers are the same.
    """
    secant = (fb - fa) / (eb - ea)
    if Eb - secant == 0.0:
        corner, Q = fb, 1.0
    else:
        a = 0.99999999
        if secant != Ea:
            least = max((Eb - secant) / (secant - Ea), 0.0)
            if least >= R:
                R = least + 0.01
            small = 0.01
            while small > _EPSILON and _misfit(small, R, Ea, secant,
                                               Eb) * _misfit(1.0 - small, R, Ea, secant, Eb) > 0.0:
                small /= 2.0
            a = least / R
            if a >= 1.0:
                a = 0.999999
            for _ in range(_TRIES):
                if small <= _EPSILON or not _misfit(a, R, Ea, secant,
                                                    Eb) * _misfit(1.0 - small, R, Ea, secant,
                                                                  Eb) < 0.0:
                    break
                a = math.sqrt(a)
                if a > 0.999999:
                    break
            if a >= 1.0:
                a = 0.999999
            for _ in range(_TRIES):
                before = a
                step = min(0.49 * (1.0 - a), a / 10.0)
                if a + step >= 1.0:
                    step = (1.0 - a) / 10.0
                change = _misfit(a + step, R, Ea, secant, Eb) - _misfit(a - step, R, Ea, secant, Eb)
                if change != 0.0:
                    a = min(a - 2.0 * _misfit(a, R, Ea, secant, Eb) * step / change, 0.99999999999)
                    if a < 0.0:
                        a = 0.0
                        break
                if abs(before - a) < 1e-4:
                    break
            a = min(a, 0.99999999)
        Q = (secant / Ea - a) / (1.0 - a)
        corner = fa + Ea / ((1.0 - a**R) ** (1.0 / R) / a) * (eb - ea)
    if abs(eb - ea) < 1e-7:
        Q = 1.0
    if math.isinf(corner):  # straight to the last digit
        corner, Q = fb, 1.0
    return Curve(R, corner, Q, ea, fa, Ea, eb, fb, Eb)


@unfused
def limited(ea, fa, Ea, eb, fb, Eb):
    """Slopes at the ends of a curve, brought to the two sides of the secant."""
    secant = (fb - fa) / (eb - ea)
    if secant < Eb:
        Eb = secant * 0.999
    if secant > Ea:
        Ea = secant * 1.001
    return Ea, Eb


@unfused
def along(curve, e):
    """Stress and slope on a curve."""
    R, corner, Q, ea, fa, Ea, _, _, _ = curve
    way = e - ea
    if way == 0.0 or Q == 1.0:
        return fa + Ea * way, Ea
    ratio = abs(Ea * way / (corner - fa))
    f = fa + Ea * way * (Q - (Q - 1.0) / (ratio**R + 1.0) ** (1.0 / R))
    secant = (f - fa) / way
    return f, secant - (secant - Q * Ea) / (ratio**-R + 1.0)


@unfused
def end_of(curve, e):
    """Stress and slope of a curve where another one ends on it."""
    f, slope = along(curve, e)
    return f, (curve.Ea if curve.R > _STRAIGHT else slope)
