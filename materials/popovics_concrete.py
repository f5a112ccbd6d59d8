"""Popovics concrete with exponential tension softening."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import ModelWarning
from femu.support.users_line import warn

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments below it leave the state as it is (as in OpenSees)."""
LARGEST_POWER = 1e150
"""Bound of x**r, so that its square is finite; nothing is left of the stress there."""
STEEPEST = 400.0
"""Exponent of the envelope where the secant modulus at the peak is not below the initial one."""


class PopovicsConcrete(Material):
    """Concrete after Popovics with Karsan and Jirsa's unloading and exponential tension softening;
    OpenSees' ``Concrete04``.

    First loading in compression, with the shortening s = -strain, up to the crushing strain, beyond
    which nothing is left::

        stress = fc x r / (r - 1 + x**r),     x = s / peak_strain,     r = Ec / (Ec - fc / peak_strain)

    Unloading and reloading run on one straight line to the shortening that remains (see
    `KentParkConcrete`), or with the modulus Ec where that would be steeper. First loading in
    tension is elastic to ft, then ::

        stress = ft beta ** ((e - e_t) / (tension_strain - e_t)),        e_t = ft / Ec

    to nothing beyond ``tension_strain``; unloading and reloading run on a straight line through the
    origin.

    Where fc / peak_strain is not below Ec, r is 400 and first loading is stiffer than Ec, so that
    cycles may give energy back. So it is in OpenSees.

    **The parameters of compression are positive numbers**; OpenSees takes them below zero.

    Popovics, Cement and Concrete Research 3(5), 1973; Mander, Priestley and Park, J. Struct. Eng.
    114(8), 1988; Karsan and Jirsa, J. Struct. Div. ASCE 95(12), 1969.
    """

    fc: float = positive("compressive strength, given as a positive number", "stress")
    peak_strain: float = positive("strain at the compressive strength, given as a positive number",
                                  "strain")
    crushing_strain: float = positive("strain beyond which nothing is left, given as a positive "
                                      "number", "strain")
    Ec: float = positive("initial modulus", "stress")
    ft: float = nonnegative("tensile strength", "stress", default=0.0)
    tension_strain: float = nonnegative("strain beyond which nothing is left in tension", "strain",
                                        default=0.0)
    beta: float = number("share of ft that is left at tension_strain", lower=0.0, upper=1.0,
                         open=True, default=0.1)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "tangent_less_modulus", "furthest_shortening", "remaining_shortening",
        "unloading_less_modulus",
        "largest_opening")

    def validate(self) -> None:
        if self.ft > 0.0 and self.tension_strain <= self.ft / self.Ec:
            warn(f"{self.label()}: tension_strain = {self.tension_strain:g} is not above ft / Ec = "
                 f"{self.ft / self.Ec:g}, so that the tensile stress falls from ft to zero at "
                 "once. Fix: raise tension_strain.", ModelWarning)

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        fc, peak_strain, crushing_strain, Ec, ft, tension_strain, beta = p
        last, last_stress, less, furthest, remaining, slope_less, opening = h
        last_tangent, unloading = Ec + less, Ec + slope_less
        increment = strain - last
        if ft == 0.0 and strain > 0.0:
            return 0.0, 0.0, (strain, 0.0, -Ec, furthest, remaining, slope_less, opening)
        if abs(increment) < SMALLEST_INCREMENT:
            return last_stress, last_tangent, h
        shortening = -strain
        if strain > 0.0 or (strain == 0.0 and increment > 0.0):
            further = strain >= opening
            opening = max(opening, strain)
            cracking = ft / Ec
            if opening <= cracking:
                stress, tangent = Ec * strain, Ec
            elif opening > tension_strain:
                stress, tangent = 0.0, 0.0
            else:
                left = ft * beta ** ((opening - cracking) / (tension_strain - cracking))
                tangent = left * math.log(beta) / (tension_strain
                                                   - cracking) if further else left / opening
                stress = left * strain / opening
        elif increment <= 0.0 and shortening >= furthest:
            furthest = shortening
            secant = fc / peak_strain
            r = STEEPEST if secant >= Ec else Ec / (Ec - secant)
            x = shortening / peak_strain
            power = min(x**r, LARGEST_POWER)
            crushed = shortening > crushing_strain
            size = 0.0 if crushed else fc * x * r / (r - 1.0 + power)
            tangent = 0.0 if crushed else fc * r * (r
                                                    - 1.0) * (1.0 - power) / ((r - 1.0 + power) ** 2 * peak_strain)
            stress = -size
            x = min(furthest, crushing_strain) / peak_strain
            remaining = peak_strain * ((0.145 * x + 0.13) * x if x < 2.0
                                       else 0.707 * (x - 2.0) + 0.834)
            apart = furthest - remaining
            if apart < SMALLEST_INCREMENT:
                unloading = Ec
            elif apart >= size / Ec:
                unloading = size / apart
            else:
                remaining = furthest - size / Ec
                unloading = Ec
        elif shortening > remaining or (shortening == remaining and increment > 0.0):
            stress, tangent = -unloading * (shortening - remaining), unloading
        else:
            stress, tangent = 0.0, 0.0
        return stress, tangent, (strain, stress, tangent - Ec, furthest, remaining, unloading - Ec,
                                 opening)
