"""Bouc-Wen hysteresis in closed form."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.component import Material
from femu.laws import law
from femu.parameters import number, positive

LARGEST = 350.0
"""Of w: beyond it 1 - tanh(w) is below the smallest number."""


class ExactBoucWen(Material):
    """Bouc-Wen hysteresis with n = 2 and elastic unloading (gamma = beta), stepped exactly.

    With the hysteretic strain z, bounded by the yield strain e_y::

        stress = alpha k e + (1 - alpha) k z
        dz/de = 1 - (z/e_y)**2 in loading (z de >= 0),        1 in unloading

    In loading ``z = e_y tanh(w)`` with dw = de/e_y; in unloading z moves with e until it is zero, from where it loads
    to the other side. The step is exact for a strain that moves one way within it, whatever its size. `BoucWen` with
    n = 2, gamma = beta = 0.5/e_y**2 is the same law by backward Euler. The history keeps w, since z loses it near its
    bound.

    Wen, J. Eng. Mech. Div. ASCE 102(2), 1976.
    """

    k: float = positive("initial stiffness", "stress")
    yield_strain: float = positive("bound of the hysteretic strain", "strain")
    alpha: float = number("share of the stiffness that stays elastic", lower=0.0, upper=1.0, default=0.0)

    history: ClassVar[tuple[str, ...]] = ("strain", "w")

    @law
    def law(p, h, strain):
        k, limit, alpha = p
        last, w = h
        x = (strain - last) / limit
        if x * w >= 0.0:
            w += x
            slope = 1.0 - math.tanh(w) ** 2
        else:
            size = min(abs(w), LARGEST)
            # 1 - |z|/e_y, which keeps its digits where z is near its bound
            left = 2.0 / (1.0 + math.exp(2.0 * size)) + abs(x)
            if left < 1.0:
                w = math.copysign(0.5 * math.log((2.0 - left) / left), w)
                slope = 1.0
            else:
                w = math.copysign(left - 1.0, x)
                slope = 1.0 - math.tanh(w) ** 2
        z = limit * math.tanh(w)
        return alpha * k * strain + (1.0 - alpha) * k * z, alpha * k + (1.0 - alpha) * k * slope, (strain, w)
