"""The generalised-alpha method."""

from __future__ import annotations

from dataclasses import dataclass

from femu.analyses.integrators.integrator import Integrator
from femu.model.parameters import finite
from femu.support.errors import InputError


@dataclass(frozen=True)
class GeneralizedAlpha(Integrator):
    """The generalised-alpha method of Chung and Hulbert (1993), by its spectral radius at high
    frequency.

    ``radius`` = 1 has no numerical damping, 0 the most. With r = radius: alpha_m = (2-r)/(1+r),
    alpha_f = 1/(1+r) (the shares of the end of the step at which inertia and the other forces are
    taken), gamma = 1/2 + alpha_m - alpha_f and beta = (1 + alpha_m - alpha_f)^2/4. Second order,
    unconditionally stable for linear systems. OpenSees: ``HHTGeneralized radius``.
    """

    radius: float = 0.8

    def __post_init__(self) -> None:
        if not finite(self.radius) or not 0.0 <= self.radius <= 1.0:
            raise InputError("GeneralizedAlpha", "radius", self.radius, "must lie between 0 and 1")

    @property
    def alpha_m(self) -> float:
        """Share of the end of the step at which inertia is taken."""
        return (2.0 - self.radius) / (1.0 + self.radius)

    @property
    def alpha_f(self) -> float:
        """Share of the end of the step at which all other forces are taken."""
        return 1.0 / (1.0 + self.radius)

    def coefficients(self) -> tuple[float, float, float, float]:
        difference = self.alpha_m - self.alpha_f
        return self.alpha_m, self.alpha_f, (1.0 + difference) ** 2 / 4.0, 0.5 + difference
