"""Slip of a bar out of its anchorage by strain penetration."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.kernels import inlined
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError

VIRGIN_SLIP = 0.04 * (12.0 / 30.0) ** 2.5
"""Slip of virgin friction in a local bond-slip law, in inches.

Where the first curve to the side not yet loaded leads.
"""
STEEPEST = 1.01
"""Exponent of the envelope, and of the curves where they reach it.

Above 1, so that the slope there stays finite.
"""
SMALLEST_INCREMENT = 2.220446049250313e-16
"""Slips that change by less leave the state as it is (as in OpenSees)."""


@inlined
def _curve(x, q, R, growth):
    """Share of the way in stress at the share x of the way in slip, and its slope; ``growth`` is
    the slope of R.

    It begins with the slope 1/q and ends at 1.
    """
    rest = (1.0 - x) * q
    if rest <= 0.0:
        return 1.0, 0.0
    if x <= 0.0:
        return 0.0, 1.0 / q
    of_rest, of_x = rest**R, x**R
    total = of_rest + of_x
    share = x * total ** (-1.0 / R)
    slope = q * of_rest / rest * total ** (-1.0 / R - 1.0)
    by_exponent = share * (math.log(total) / R**2 - (of_rest * math.log(rest)
                                                     + of_x * math.log(x)) / (R * total))
    return share, slope + growth * by_exponent


@inlined
def _envelope(fy, sy, fu, su, b, slip):
    """Stress and slope of first loading."""
    size = abs(slip)
    if size <= sy:
        return slip * fy / sy, fy / sy
    sign = 1.0 if slip > 0.0 else -1.0
    if size >= su:
        return sign * fu, 0.0
    share, slope = _curve((size - sy) / (su - sy), sy / ((su - sy) * b), STEEPEST, 0.0)
    return sign * (fy + share * (fu - fy)), slope * (fu - fy) / (su - sy)


class StrainPenetration(Material):
    """Stress of a fully anchored bar over its slip at the face of the anchorage; OpenSees'
    ``Bond_SP01``.

    First loading runs straight to (sy, fy), then with the share x of the slip from sy to su ::

        stress = fy + (fu - fy) x / (((1 - x) q) ** c + x ** c) ** (1 / c),       q = sy / (b (su - sy)),  c = 1.01

    to fu, which stays beyond su. After first yield a reversal unloads with the slope fy/sy to zero
    stress at the slip s_0 (a reversal that does not change the sign of stress starts from where it
    is), and from there a curve of the same form leads to the furthest slip s_1 of the side to which
    it runs, at the stress f_1 of the envelope::

        stress = f_1 x / (((1 - x) q) ** r + x ** r) ** (1 / r),     x = (s - s_0) / (s_1 - s_0),    q = f_1 sy / (fy (s_1 - s_0))
        r = R + (c - R) x ** (1 / R**2)

    A side that has not been loaded yet has ``virgin_slip`` as its furthest slip. **OpenSees has it
    fixed at 0.00405, a length in inches**: with other units, 0.00405 of these. It also forgets that
    slip where the first step of all takes no second iteration, and gives NaN at the first unloading
    from yield then (always in testUniaxialMaterial). The tangent is the derivative of the stress;
    that of OpenSees is not, on its curves.

    The curve after a reversal runs below the line of unloading for small changes of slip: small
    loops give some energy back, as they do in OpenSees to the last digit. With R at or below the
    lower end of its published range, 0.5 to 1, the curves cross, and with b (fu - fy) above fy
    first loading beyond yield is steeper than unloading: cycles may give energy back then. So they
    do in OpenSees in the second case; in the first it has no numbers for some paths.

    Zhao and Sritharan, Modeling of strain penetration effects in fiber-based analysis of reinforced
    concrete structures, ACI Struct. J. 104(2), 2007.
    """

    fy: float = positive("yield stress of the bar", "stress")
    sy: float = positive("slip at the yield stress", "length")
    fu: float = positive("ultimate stress of the bar", "stress")
    su: float = positive("slip at the ultimate stress, about 30 to 40 sy", "length")
    b: float = positive("initial hardening ratio of the envelope, 0.3 to 0.5", default=0.4)
    R: float = number("pinching of the curves after a reversal, 0.5 to 1", lower=0.1, upper=1.0,
                      default=0.8)
    virgin_slip: float = nonnegative("furthest slip of a side that has not been loaded yet",
                                     "length", default=VIRGIN_SLIP)

    history: ClassVar[tuple[str, ...]] = (
        "slip", "stress", "tangent_less_initial", "reversal_slip", "reversal_stress",
        "largest_slip", "smallest_slip",
        "direction", "yielded")

    def validate(self) -> None:
        if self.su <= self.sy:
            raise InputError(self.label(), "su", self.su, f"must be above sy = {self.sy:g}")
        if self.fu < self.fy:
            raise InputError(self.label(), "fu", self.fu, f"must not be below fy = {self.fy:g}")

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        fy, sy, fu, su, b, R, virgin_slip = p
        last, last_stress, less, reversal, reversal_stress, largest, smallest, direction, yielded = h
        initial = fy / sy
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            return last_stress, initial + less, h
        now = 1.0 if increment > 0.0 else -1.0
        if direction == 0.0:
            if now > 0.0:
                smallest = -virgin_slip
            else:
                largest = virgin_slip
        elif direction != now:
            reversal, reversal_stress = last, last_stress
            if direction > 0.0:
                largest = max(largest, last)
            else:
                smallest = min(smallest, last)
        furthest = largest if now > 0.0 else smallest
        if yielded == 0.0 or direction == 0.0 or now * strain >= now * furthest:
            stress, tangent = _envelope(fy, sy, fu, su, b, strain)
            if abs(strain) > sy:
                yielded = 1.0
        else:
            target, _ = _envelope(fy, sy, fu, su, b, furthest)
            start, at_start = reversal, reversal_stress
            if now * reversal_stress < 0.0:
                start, at_start = reversal - reversal_stress / initial, 0.0
            if now * strain < now * start:
                stress, tangent = initial * (strain - start), initial
            else:
                way = furthest - start
                x = (strain - start) / way
                power = x ** (1.0 / R**2 - 1.0)
                share, slope = _curve(x, target / (initial * way), R + (STEEPEST - R) * power * x,
                                      (STEEPEST - R) * power / R**2)
                stress = at_start + share * (target - at_start)
                tangent = slope * (target - at_start) / way
        return stress, tangent, (strain, stress, tangent - initial, reversal, reversal_stress,
                                 largest, smallest, now, yielded)
