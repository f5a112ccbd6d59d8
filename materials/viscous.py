"""Viscous dashpot."""

from __future__ import annotations

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import positive


class Viscous(Material):
    """Dashpot, linear or with a power of the rate; OpenSees' ``Viscous``.

    ``stress = C |rate| ** alpha sign(rate)``. Its derivative by the rate has no bound near zero
    where alpha is below 1: the tangent there is the one at ``smallest_rate``; the stress is exact.
    """

    C: float = positive("damping coefficient", "stress*(time/strain)^alpha")
    alpha: float = positive("exponent of the rate", default=1.0)
    smallest_rate: float = positive("rate below which the tangent is constant", "strain/time",
                                    default=1e-11)

    @law(rate=True)
    def law(p, h, strain, rate, dt):
        C, alpha, smallest = p
        stress = C * abs(rate) ** alpha
        damping = alpha * C * max(abs(rate), smallest) ** (alpha - 1.0)
        return stress if rate >= 0.0 else -stress, 0.0, damping, h
