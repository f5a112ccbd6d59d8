"""Cubature Kalman filter (Arasaratnam and Haykin 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, final

from femu.filters import ukf
from femu.filters.base import Filter
from femu.filters.bounds import Bounds
from femu.filters.model import StateSpace
from femu.filters.sigma import gain_size


@final
class CubatureKF(Filter):
    """Cubature Kalman filter: 2n points x ± √n·(columns of the Cholesky factor of P), each of
    weight 1/(2n), no centre.

    The rule integrates polynomials up to degree three exactly against a Gaussian. It is the
    unscented filter with κ = 0 and runs on its kernels; the weights are all positive, so no
    covariance can become indefinite. Points are redrawn for the measurement.
    """

    predict_kernel = ukf.predict
    update_kernel = ukf.update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 bounds: Bounds | None = None) -> None:
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _numbers(self) -> Sequence[float]:
        return sqrt(self.model.states), 0.0, 0.0, 0.5 / self.model.states

    def _own_size(self) -> int:
        return 2 * self.model.states**2

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, 2 * self.model.states
        return 2 * count + n * n + count * n + 2 * n * n + n + count * m + gain_size(n, m, count)

    def _options(self) -> dict[str, int]:
        return {"count": 2 * self.model.states, "centre": 0, "redraw": 1, "repair": 1}
