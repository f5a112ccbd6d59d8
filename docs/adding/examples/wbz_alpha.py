"""The alpha method of Wood, Bossak and Zienkiewicz."""

from __future__ import annotations

from dataclasses import dataclass

from femu.analyses.integrators.integrator import Integrator
from femu.support.errors import InputError


@dataclass(frozen=True)
class WBZAlpha(Integrator):
    """Newmark's relations with the inertia taken inside the step (Wood, Bossak and Zienkiewicz
    1980).

    ``alpha`` from -1/3 (most numerical damping) to 0 (none): inertia at 1 - alpha of the step,
    gamma = 1/2 - alpha, beta = (1 - alpha)^2/4. Second order.
    """

    alpha: float = -0.1

    def __post_init__(self) -> None:
        if not -1.0 / 3.0 <= self.alpha <= 0.0:
            raise InputError("WBZAlpha", "alpha", self.alpha, "must lie between -1/3 and 0")

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0 - self.alpha, 1.0, (1.0 - self.alpha) ** 2 / 4.0, 0.5 - self.alpha
