"""Extended Kalman particle filter: the EPF of Wang et al. (2021)."""

from __future__ import annotations

from typing import Any, final

from femu.filters.base import STEP
from femu.filters.bounds import Bounds
from femu.filters.ekf import correct_linear, correct_size, jacobian, propagate
from femu.filters.estimate import (
    COUNT,
    FX,
    HX,
    LOG_LIKELIHOOD,
    LOST_POINTS,
    REFUSED,
    STEPS,
    F,
    H,
    M,
    N,
    covariance_of,
    mean_of,
)
from femu.filters.linalg import copy, usable
from femu.filters.model import StateSpace, call_model
from femu.filters.particle_kalman import (
    KalmanParticleFilter,
    add_to_mixture,
    begin_mixture,
    hold,
    mixture_room,
    mixture_size,
    note_mixture,
    parts,
    report,
    weigh_and_select,
)
from femu.filters.particles import keep_within
from femu.filters.sigma import channels, no_measurement
from femu.kernels import kernel, shift


@kernel(STEP)
def predict(d, p, s, u, y):
    n, count = d[N], d[COUNT]
    s[STEPS] += 1.0
    means, covariances, weights, draws, points = parts(d, s)
    J = points
    image = shift(J, n * n)
    w = shift(image, n)
    for i in range(count):
        x, P = shift(means, i * n), shift(covariances, i * n * n)
        status = jacobian(d[F], d[FX], n, n, x, P, u, J, w)
        if status == 0:
            status = call_model(d[F], (1, x, u, image))
        if status != 0:
            return status
        if usable(n, image) and usable(n * n, J) and propagate(n, J, p, P, w):
            copy(n, image, x)
        else:
            s[LOST_POINTS] += 1.0
            for k in range(n * n):
                P[k] += p[k]
        keep_within(d, p, s, x)
    copy(count * n, means, draws)
    report(d, p, s, count, weights, draws, covariances)
    return 0


@kernel(STEP)
def update(d, p, s, u, y):
    n, m, count = d[N], d[M], d[COUNT]
    means, covariances, weights, draws, points = parts(d, s)
    J = points
    predicted = shift(J, m * n)
    w = shift(predicted, m)
    x, P = mean_of(d, s), covariance_of(d, s)
    if channels(m, y, w) == 0:
        no_measurement(d, s)
        return 0
    likelihood, refused = s[LOG_LIKELIHOOD], s[REFUSED]
    mix = w
    begin_mixture(d, mix)
    w = shift(w, mixture_room(m))
    for i in range(count):  # `correct_linear` works on the estimate's mean and covariance: lend them to the particle
        copy(n, shift(means, i * n), x)
        copy(n * n, shift(covariances, i * n * n), P)
        status = jacobian(d[H], d[HX], n, m, x, P, u, J, w)
        if status == 0:
            status = call_model(d[H], (1, x, u, predicted))
        if status != 0:
            return status
        if usable(m, predicted) and usable(m * n, J):
            s[LOG_LIKELIHOOD] = likelihood
            correct_linear(d, p, s, J, predicted, y, w)
            add_to_mixture(d, s, weights[i], likelihood, mix)
            keep_within(d, p, s, x)
        copy(n, x, shift(means, i * n))
        copy(n * n, P, shift(covariances, i * n * n))
    s[REFUSED] = refused  # one measurement, whatever became of it in a particle
    if not note_mixture(d, s, y, likelihood, mix, w):
        return hold(d, p, s)
    return weigh_and_select(d, p, s, u, y, points)


@final
class ExtendedPF(KalmanParticleFilter):
    """Extended Kalman particle filter: each particle is moved by an extended Kalman filter, then weighed and resampled.

    Jacobians are given with the model or taken by central differences. Readings V1b (``draw=True``) and V2
    (``draw=False``) of Wang et al. (2021): see `femu.filters.particle_kalman`.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *, particles: int = 100,
                 draw: bool = True, resampling: str = "multinomial", resample_below: float = 1.0,
                 roughening: float = 0.0, bounds: Bounds | None = None) -> None:
        super().__init__(model, process_noise, measurement_noise, particles, draw, resampling, resample_below,
                         roughening, 0.0, bounds)

    def _points_size(self) -> int:
        return 0

    def _work_size(self) -> int:
        n, m = self.model.states, self.model.outputs
        return mixture_size(m) + (n + m) * n + n + m + max(4 * n * n, 2 * n * (n + m), correct_size(n, m))
