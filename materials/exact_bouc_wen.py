"""Bouc-Wen hysteresis in closed form."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive


class ExactBoucWen(Material):
    """Bouc-Wen hysteresis with n = 2 and elastic unloading (gamma = beta), stepped exactly.

    With the hysteretic strain z, bounded by the yield strain e_y::

        stress = alpha k e + (1 - alpha) k z
        dz/de = 1 - (z/e_y)**2 in loading (z de >= 0),        1 in unloading

    In loading ``z/e_y = tanh(atanh(z_0/e_y) + de/e_y) = (z_0/e_y + t) / (1 + t z_0/e_y)`` with t =
    tanh(de/e_y); in unloading z moves with e until it is zero, from where it loads to the other
    side. The step is exact for a strain that moves one way within it, whatever its size. `BoucWen`
    with n = 2, gamma = beta = 0.5/e_y**2 is the same law by backward Euler.

    Wen, J. Eng. Mech. Div. ASCE 102(2), 1976.
    """

    k: float = positive("initial stiffness", "stress")
    yield_strain: float = positive("bound of the hysteretic strain", "strain")
    alpha: float = number("share of the stiffness that stays elastic", lower=0.0, upper=1.0,
                          default=0.0)

    history: ClassVar[tuple[str, ...]] = ("strain", "z")

    @law
    def law(p, h, strain):
        k, limit, alpha = p
        last, z = h
        y, x = z / limit, (strain - last) / limit
        if y * x < 0.0 and abs(x) < abs(y):
            y, slope = y + x, 1.0
        else:
            if y * x < 0.0:  # unloads to zero, and loads with the rest
                y, x = 0.0, x + y
            t = math.tanh(x)
            y = (y + t) / (1.0 + t * y)
            slope = 1.0 - y * y
        return alpha * k * strain + (1.0
                                     - alpha) * k * limit * y, alpha * k + (1.0 - alpha) * k * slope, (strain, limit * y)
