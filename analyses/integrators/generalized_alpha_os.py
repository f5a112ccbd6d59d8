"""The generalized alpha method with operator splitting."""

from __future__ import annotations

from dataclasses import dataclass

from femu.analyses.integrators.operator_splitting import OperatorSplitting
from femu.model.doubts import raise_or_warn
from femu.model.parameters import finite
from femu.support.errors import InputError


@dataclass(frozen=True)
class GeneralizedAlphaOS(OperatorSplitting):
    """As `AlphaOS`, with inertia inside the step too: the method with operator splitting that goes
    with `GeneralizedAlpha`.

    With r = ``radius``, the spectral radius at high frequency (1: no numerical damping, 0: the
    most), the shares of the end of the step are alpha_m = (2-r)/(1+r) of inertia and alpha =
    1/(1+r) of all other forces, beta = alpha^2 and gamma = 1/2 + alpha_m - alpha::

        M (alpha_m a_1 + (1 - alpha_m) a_0) + alpha (C v_1 + F_1 - P_1) + (1 - alpha) (C v_0 + F_0 - P_0) = 0

    OpenSees: ``AlphaOSGeneralized_TP radius``, ``AlphaOSGeneralized radius -updateElemDisp``
    (midpoint) and ``AlphaOSGeneralized radius`` (inside).
    """

    radius: float = 0.8
    tangent: str = "initial"
    form: str = "trapezoidal"
    predictor: str = "newmark"

    def __post_init__(self) -> None:
        if not finite(self.radius) or not 0.0 <= self.radius <= 1.0:
            raise_or_warn(self, InputError("GeneralizedAlphaOS", "radius", self.radius,
                                           "must lie between 0 and 1"))
        self.check_choices()

    @property
    def share(self) -> float:
        return 1.0 / (1.0 + self.radius)

    @property
    def inertia(self) -> float:
        return (2.0 - self.radius) / (1.0 + self.radius)

    def newmark(self) -> tuple[float, float]:
        return self.share ** 2, 0.5 + self.inertia - self.share
