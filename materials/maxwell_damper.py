"""Maxwell damper: a spring in series with a dashpot."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import inlined
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive

_GAMMA = 0.25  # diagonal of the Runge-Kutta table
_SAFETY, _LARGEST_GROWTH, _SMALLEST_GROWTH = 0.9, 5.0, 0.2  # of the step control
_SMALLEST_STEP = 2.0**-15  # of dt; taken whatever the error
_DASHPOT_ITERATIONS = 60
_DASHPOT_TOLERANCE = 1e-15


@inlined
def _root(linear, exponent, total):
    """u >= 0 with u + linear u**exponent = total, for exponent >= 1.

    Newton from above, which never overshoots.
    """
    u = total
    if linear * u ** exponent > total:
        u = (total / linear) ** (1.0 / exponent)
    for _ in range(_DASHPOT_ITERATIONS):
        if u <= 0.0:
            break
        power = linear * u ** (exponent - 1.0)
        correction = (u + power * u - total) / (1.0 + exponent * power)
        u -= correction
        if abs(correction) <= _DASHPOT_TOLERANCE * u:
            break
    return max(u, 0.0)


@inlined
def _stage(K, C, alpha, h, t, begin, end, known, known_b, known_e):
    """One implicit stage: its slope df/dt, the derivatives of the slope by the rates ``begin`` and
    ``end``, and |f|.

    Solves ``f = known + h gamma K (v - g(f))`` with the rate ``g = (|f|/C)**(1/alpha) sign(f)`` of
    the dashpot and the rate v of strain at the share t of the time step.
    """
    v = begin + t * (end - begin)
    step = h * _GAMMA * K
    total = (known + step * v) / C
    size = abs(total)
    if alpha <= 1.0:
        x = _root(step / C, 1.0 / alpha, size)  # |f| / C
        rate = x ** (1.0 / alpha)
        rate_by_force = x ** (1.0 / alpha - 1.0) / (alpha * C)
        softness = 1.0 / (1.0 + step * rate_by_force)
    else:
        rate = _root(C / step, alpha, size * C / step)  # |g|, whose power is smooth here
        force_by_rate = alpha * C * rate ** (alpha - 1.0)
        softness = force_by_rate / (force_by_rate + step)
    rate = rate if total >= 0.0 else -rate
    slope = K * (v - rate)
    slope_b = ((known_b + step * (1.0 - t)) * softness - known_b) / (h * _GAMMA)
    slope_e = ((known_e + step * t) * softness - known_e) / (h * _GAMMA)
    return slope, slope_b, slope_e, abs(known + h * _GAMMA * slope)


class MaxwellDamper(Material):
    """Spring in series with a dashpot, linear or with a power of the rate; OpenSees'
    ``ViscousDamper``.

    ::

        df/dt = K (de/dt - (|f| / C) ** (1 / alpha) sign(f))

    Inside a time step the rate of strain is taken as linear, with the increment of strain and the
    rate at the end of the step that the analysis gives: under average acceleration (Newmark 1/4,
    1/2) this is the assumption of OpenSees. The equation is integrated by a singly diagonally
    implicit Runge-Kutta method of order 4 (L-stable, five stages, embedded order 3; Hairer and
    Wanner, *Solving Ordinary Differential Equations II*, table IV.6.5), in as many substeps as keep
    the estimated error of each below ``relative_tolerance`` times the force. Tangent and damping
    are the derivatives of this.

    In a step without time (dt = 0, a static analysis) the force stays as it is: a damper carries no
    gravity.

    Maxwell (1867); Akcelyan, Lignos and Hikino, "Adaptive numerical method algorithms for nonlinear
    viscous and bilinear oil damper models subjected to dynamic loading", Soil Dyn. Earthq. Eng.
    113, 2018.
    """

    K: float = positive("stiffness of the spring", "stress")
    C: float = positive("damping coefficient of the dashpot", "stress*(time/strain)^alpha")
    alpha: float = positive("exponent of the rate in the dashpot", default=1.0)
    relative_tolerance: float = number("error of a substep, as a share of the force", lower=1e-14,
                                       upper=0.1,
                                       default=1e-6)

    history: ClassVar[tuple[str, ...]] = ("strain", "stress")

    @law(rate=True)
    def law(p, h, strain, rate, dt):
        """Many locals: the stages of the integration by their symbols."""
        K, C, alpha, tolerance = p
        last, force = h
        if dt <= 0.0:
            return force, 0.0, 0.0, (strain, force)
        # rates of strain at the two ends of the time step
        begin, end = 2.0 * (strain - last) / dt - rate, rate
        by_begin, by_end = 0.0, 0.0  # derivatives of the force by these
        # where in the time step, and the size of the substep, both as shares of dt
        at, share = 0.0, 1.0
        while at < 1.0:
            step = share * dt
            k1, b1, e1, f1 = _stage(K, C, alpha, step, at + 0.25 * share, begin, end, force,
                                    by_begin, by_end)
            a1 = step / 2
            k2, b2, e2, f2 = _stage(K, C, alpha, step, at + 0.75 * share, begin, end,
                                    force + a1 * k1, by_begin + a1 * b1, by_end + a1 * e1)
            a1, a2 = step * 17 / 50, step * -1 / 25
            k3, b3, e3, f3 = _stage(K, C, alpha, step, at + 0.55 * share, begin, end,
                                    force + a1 * k1 + a2 * k2,
                                    by_begin + a1 * b1 + a2 * b2, by_end + a1 * e1 + a2 * e2)
            a1, a2, a3 = step * 371 / 1360, step * -137 / 2720, step * 15 / 544
            k4, b4, e4, f4 = _stage(K, C, alpha, step, at + 0.5 * share, begin, end,
                                    force + a1 * k1 + a2 * k2 + a3 * k3,
                                    by_begin + a1 * b1 + a2 * b2 + a3 * b3,
                                    by_end + a1 * e1 + a2 * e2 + a3 * e3)
            a1, a2, a3, a4 = step * 25 / 24, step * -49 / 48, step * 125 / 16, step * -85 / 12
            known = force + a1 * k1 + a2 * k2 + a3 * k3 + a4 * k4
            known_b = by_begin + a1 * b1 + a2 * b2 + a3 * b3 + a4 * b4
            known_e = by_end + a1 * e1 + a2 * e2 + a3 * e3 + a4 * e4
            k5, b5, e5, f5 = _stage(K, C, alpha, step, at + share, begin, end, known, known_b,
                                    known_e)
            error = abs(step * (-3 / 16 * k1 - 27 / 32 * k2 + 25 / 32 * k3 + 0.25 * k5))
            allowed = tolerance * max(abs(force), f1, f2, f3, f4, f5)
            if not error > allowed or share <= _SMALLEST_STEP:
                at = at + share
                force = known + step * _GAMMA * k5
                by_begin = known_b + step * _GAMMA * b5
                by_end = known_e + step * _GAMMA * e5
            growth = _LARGEST_GROWTH
            if error > 0.0:
                growth = min(max(_SAFETY * (allowed / error) ** 0.25, _SMALLEST_GROWTH),
                             _LARGEST_GROWTH)
            share = min(max(share * growth, _SMALLEST_STEP), 1.0 - at)
        return force, 2.0 / dt * by_begin, by_end - by_begin, (strain, force)
