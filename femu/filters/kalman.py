"""The Kalman filter (1960).

Exact for a linear system with Gaussian noise, the reference of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.ekf import correct_linear, correct_size, propagate
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import all_finite, copy
from femu.filters.model import StateSpace, batched
from femu.kernels import kernel, shift
from femu.support.arguments import as_numbers
from femu.support.errors import InputError


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, inputs = filter.n, filter.ninputs
    estimate.steps += 1.0
    x, P, work, A = estimate.mean, estimate.covariance, estimate.own, settings.options
    B = shift(A, n * n + filter.m * n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += A[i * n + j] * x[j]
        for j in range(inputs):
            total += B[i * inputs + j] * u[j]
        work[i] = total
    if all_finite(n, work) and propagate(n, A, settings.Q, P, shift(work, n)):
        copy(n, work, x)
    else:  # a system that grows without end, and was not measured for long: hold it
        estimate.lost_points += 1.0
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m = filter.n, filter.m
    x, work = estimate.mean, estimate.own
    H = shift(settings.options, n * n)
    for a in range(m):
        total = 0.0
        for j in range(n):
            total += H[a * n + j] * x[j]
        work[a] = total
    correct_linear(filter, settings, estimate, H, work, y, shift(work, m))
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@final
class KalmanFilter(Filter):
    """Kalman filter of the linear system x_k = A x_{k-1} + B u_k + v, y_k = H x_k + w.

    ::

        x⁻ = A x + B u,     P⁻ = A P A' + Q
        S = H P⁻ H' + R,    K = P⁻ H' S⁻¹
        x = x⁻ + K (y - H x⁻),    P = (I - K H) P⁻ (I - K H)' + K R K'

    The last form (Joseph) equals (I - K H) P⁻ and stays symmetric and positive semi-definite in
    finite arithmetic.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, transition: Any, observation: Any, process_noise: Any,
                 measurement_noise: Any, *,
                 control: Any = None, bounds: Bounds | None = None) -> None:
        # the caller may use his
        A = np.atleast_2d(as_numbers("KalmanFilter", "transition", transition)).copy()
        H = np.atleast_2d(as_numbers("KalmanFilter", "observation", observation)).copy()
        n = A.shape[0]
        if A.shape != (n, n) or not n or not np.isfinite(A).all():
            raise InputError("KalmanFilter", "transition", transition, "must be a square matrix of "
                                                                       "finite numbers")
        if H.ndim != 2 or H.shape[1] != n or not np.isfinite(H).all():
            raise InputError("KalmanFilter", "observation, transition", (observation, transition),
                             "must be finite, with as many columns each")
        B = np.zeros((n, 0)) if control is None else as_numbers("KalmanFilter", "control", control)
        if B.size % n or not np.isfinite(B).all():
            raise InputError("KalmanFilter", "control", control, f"must be {n} rows of finite "
                                                                 "numbers")
        B = B.reshape(n, -1).copy()
        self.transition, self.observation, self.control = A, H, B

        @batched
        def process(points: np.ndarray, u: np.ndarray) -> np.ndarray:
            return points @ A.T + B @ u

        @batched
        def measurement(points: np.ndarray, u: np.ndarray) -> np.ndarray:
            return points @ H.T

        model = StateSpace(process, measurement, n, H.shape[0], B.shape[1],
                           process_jacobian=lambda x, u: A,
                           measurement_jacobian=lambda x, u: H)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _numbers(self) -> Sequence[float]:
        return [*self.transition.ravel(), *self.observation.ravel(), *self.control.ravel()]

    def _own_size(self) -> int:
        return 0

    def _scratch_size(self) -> int:
        n, m = self.model.states, self.model.outputs
        return m + n * n + n + correct_size(n, m)

    def _options(self) -> dict[str, int]:
        return {}
