"""Extended Kalman particle filter: the EPF of Wang et al. (2021)."""

from __future__ import annotations

from typing import Any, final

from femu.filters.base import STEP
from femu.filters.bounds import Bounds
from femu.filters.ekf import correct_linear, correct_size, jacobian, propagate
from femu.filters.filter_fields import estimate_at, settings_at
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
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    means, covariances, weights, draws, points = parts(filter, estimate)
    J = points
    image = shift(J, n * n)
    w = shift(image, n)
    for i in range(count):
        x, P = shift(means, i * n), shift(covariances, i * n * n)
        status = jacobian(filter.process, filter.process_jacobian, filter.data, n, n, x, P, u, J, w)
        if status == 0:
            status = call_model(filter.process, (1, x, u, image, filter.data))
        if status != 0:
            return status
        if usable(n, image) and usable(n * n, J) and propagate(n, J, settings.Q, P, w):
            copy(n, image, x)
        else:
            estimate.lost_points += 1.0
            for k in range(n * n):
                P[k] += settings.Q[k]
        keep_within(filter, settings, estimate, x)
    copy(count * n, means, draws)
    report(filter, settings, estimate, count, weights, draws, covariances)
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    means, covariances, weights, draws, points = parts(filter, estimate)
    J = points
    predicted = shift(J, m * n)
    w = shift(predicted, m)
    x, P = estimate.mean, estimate.covariance
    if channels(m, y, w) == 0:
        no_measurement(filter, estimate)
        return 0
    likelihood, refused = estimate.log_likelihood, estimate.refused
    mix = w
    begin_mixture(filter, mix)
    w = shift(w, mixture_room(m))
    # `correct_linear` works on the estimate's mean and covariance: lend them to the particle
    for i in range(count):
        copy(n, shift(means, i * n), x)
        copy(n * n, shift(covariances, i * n * n), P)
        status = jacobian(filter.measurement, filter.measurement_jacobian, filter.data, n, m, x, P, u,
                          J, w)
        if status == 0:
            status = call_model(filter.measurement, (1, x, u, predicted, filter.data))
        if status != 0:
            return status
        if usable(m, predicted) and usable(m * n, J):
            estimate.log_likelihood = likelihood
            correct_linear(filter, settings, estimate, J, predicted, y, w)
            add_to_mixture(filter, estimate, weights[i], likelihood, mix)
            keep_within(filter, settings, estimate, x)
        copy(n, x, shift(means, i * n))
        copy(n * n, P, shift(covariances, i * n * n))
    estimate.refused = refused  # one measurement, whatever became of it in a particle
    if not note_mixture(filter, estimate, y, likelihood, mix, w):
        return hold(filter, settings, estimate)
    return weigh_and_select(filter, settings, estimate, u, y, points)


@final
class ExtendedPF(KalmanParticleFilter):
    """Extended Kalman particle filter: each particle is moved by an extended Kalman filter, then
    weighed and resampled.

    Jacobians are given with the model or taken by central differences. Readings V1b (``draw=True``)
    and V2 (``draw=False``) of Wang et al. (2021): see `femu.filters.particle_kalman`.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 particles: int = 100,
                 draw: bool = True, resampling: str = "multinomial", resample_below: float = 1.0,
                 roughening: float = 0.0, bounds: Bounds | None = None) -> None:
        super().__init__(model, process_noise, measurement_noise, particles, draw, resampling,
                         resample_below,
                         roughening, 0.0, bounds)

    def _points_size(self) -> int:
        return 0

    def _work_size(self) -> int:
        n, m = self.model.states, self.model.outputs
        return mixture_size(m) + (n + m) * n + n + m + max(4 * n * n, 2 * n * (n + m),
                                                           correct_size(n, m))
