"""Newmark's method."""

from __future__ import annotations

from dataclasses import dataclass

from femu.analyses.integrators.integrator import Integrator
from femu.model.parameters import finite
from femu.support.errors import InputError


@dataclass(frozen=True)
class Newmark(Integrator):
    """Newmark's method (1959)::

        u_1 = u_0 + dt v_0 + dt^2 ((1/2 - beta) a_0 + beta a_1),    v_1 = v_0 + dt ((1 - gamma) a_0 + gamma a_1)

    with equilibrium at the end of the step. The default, gamma = 1/2 and beta = 1/4 (constant
    average acceleration), is of second order, unconditionally stable for linear systems, and
    without numerical damping. OpenSees: ``Newmark``.
    """

    gamma: float = 0.5
    beta: float = 0.25

    def __post_init__(self) -> None:
        if not finite(self.gamma) or not self.gamma >= 0.5:
            raise InputError("Newmark", "gamma", self.gamma, "must be at least 0.5: below it the "
                                                             "method is unstable")
        if not finite(self.beta) or not self.beta > 0.0:
            raise InputError("Newmark", "beta", self.beta, "must be above 0",
                             fix="use CentralDifference for an explicit method")

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 1.0, self.beta, self.gamma
