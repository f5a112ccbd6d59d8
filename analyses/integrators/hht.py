"""The method of Hilber, Hughes and Taylor."""

from __future__ import annotations

from dataclasses import dataclass

from femu.analyses.integrators.integrator import Integrator
from femu.model.parameters import finite
from femu.support.errors import InputError


@dataclass(frozen=True)
class HHT(Integrator):
    """The alpha method of Hilber, Hughes and Taylor (1977): Newmark's relations with equilibrium
    inside the step.

    ``alpha`` lies between 2/3 (most numerical damping) and 1 (none: Newmark); internal forces,
    damping forces and loads are taken at alpha of the step, inertia at its end, with beta =
    (2-alpha)^2/4 and gamma = 3/2 - alpha. The internal force is that of the intermediate
    displacement. In the notation of the paper this alpha is 1 + alpha. Second order,
    unconditionally stable for linear systems. OpenSees: ``HHT``.
    """

    alpha: float = 0.9

    def __post_init__(self) -> None:
        if not finite(self.alpha) or not 2.0 / 3.0 - 1e-12 <= self.alpha <= 1.0:
            raise InputError("HHT", "alpha", self.alpha, "must lie between 2/3 and 1",
                             "It is the paper's alpha plus 1")

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, self.alpha, (2.0 - self.alpha) ** 2 / 4.0, 1.5 - self.alpha
