"""Unscented particle filter (van der Merwe et al. 2000, as Wang et al. 2021 use it)."""

from __future__ import annotations

from math import sqrt
from typing import Any, final

from femu.filters.base import STEP
from femu.filters.bounds import Bounds
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import all_finite, copy, factor, fill
from femu.filters.model import StateSpace, call_model
from femu.filters.particle_kalman import (
    KalmanParticleFilter,
    add_to_mixture,
    begin_mixture,
    hold,
    mixture_size,
    note_mixture,
    parts,
    report,
    weigh_and_select,
)
from femu.filters.particles import keep_within
from femu.filters.sigma import (
    draw,
    gain,
    gain_parts,
    gain_room,
    gain_size,
    moments,
    settle,
    squares,
)
from femu.kernels import kernel, shift


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    means, covariances, weights, draws, points = parts(filter, estimate)
    number = 2 * n
    block = number * n
    X = shift(points, count * block)
    L = shift(X, count * block)
    W = shift(L, n * n)
    room = shift(W, number)
    fill(number, 1.0 / number, W)
    step = sqrt(n)
    for i in range(count):
        P = shift(covariances, i * n * n)
        estimate.repairs += factor(n, P, L, room)
        draw(n, shift(means, i * n), L, step, 0, shift(X, i * block))
    status = call_model(filter.process, (count * number, X, u, points, filter.data))
    if status != 0:
        return status
    for i in range(count):
        x, P = shift(means, i * n), shift(covariances, i * n * n)
        settle(number, n, shift(X, i * block), shift(points, i * block), x, False, False, estimate)
        moments(number, n, W, W, shift(points, i * block), settings.Q, x, P)
        keep_within(filter, settings, estimate, x)
    copy(count * n, means, draws)
    report(filter, settings, estimate, count, weights, draws, covariances)
    estimate.drawn = 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    means, covariances, weights, draws, points = parts(filter, estimate)
    number = 2 * n
    block = number * n
    Y = shift(points, count * block)
    L = shift(Y, count * number * m)
    W = shift(L, n * n)
    room = shift(W, number)
    new_P = shift(room, 2 * n * n + n)
    X = shift(new_P, n * n)
    new_x = shift(X, block)
    w = shift(new_x, n)
    fill(number, 1.0 / number, W)
    drawn = estimate.drawn != 0.0
    estimate.drawn = 0.0
    if not drawn:  # a second update of the same step: Q is already in the covariances
        for i in range(count):
            estimate.repairs += factor(n, shift(covariances, i * n * n), L, room)
            draw(n, shift(means, i * n), L, sqrt(n), 0, shift(points, i * block))
    status = call_model(filter.measurement, (count * number, points, u, Y, filter.data))
    if status != 0:
        return status
    likelihood = estimate.log_likelihood
    mix = shift(w, gain_room(n, m, number))
    begin_mixture(filter, mix)
    c = 0
    for i in range(count):
        estimate.log_likelihood = likelihood
        x, P = shift(means, i * n), shift(covariances, i * n * n)
        copy(block, shift(points, i * block), X)
        c = gain(filter, settings, estimate, number, W, W, X, shift(Y, i * number * m), y, w)
        if c == 0:
            break
        if not add_to_mixture(filter, estimate, weights[i], likelihood, mix):
            continue
        index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, number, w)
        for j in range(n):
            total = x[j]
            for a in range(c):
                total += K[j * c + a] * nu[a]
            new_x[j] = total
        squares(n, c, number, W, X, middle, dY, K, noise, new_P)
        if drawn:
            for k in range(n * n):
                new_P[k] += settings.Q[k]
        if all_finite(n, new_x) and all_finite(n * n, new_P):
            copy(n, new_x, x)
            copy(n * n, new_P, P)
            keep_within(filter, settings, estimate, x)
    if c == 0:
        return 0
    if not note_mixture(filter, estimate, y, likelihood, mix, w):
        return hold(filter, settings, estimate)
    return weigh_and_select(filter, settings, estimate, u, y, shift(points, count * block))


def points_size(n: int, particles: int) -> int:
    return particles * 2 * n * n


def work_size(n: int, m: int, particles: int) -> int:
    number = 2 * n
    return max(particles * number * n + n * n + number + 2 * n * n + n,
               particles * number * m + n * n + number + 2 * n * n + n + n * n + number * n + n
               + gain_size(n, m, number) + mixture_size(m))


@final
class UnscentedPF(KalmanParticleFilter):
    """Unscented particle filter: each particle is moved by an unscented filter of 2n points.

    ::

        X = x_i ± columns of chol(n P_i), weights 1/(2n);  X <- f(X);  x_i, P_i from them, + Q
        Y = h(X) on the same points;  x_i <- x_i + K (y - ŷ);  P_i <- P_i - K S K'  (Eqs. 3 to 15)
        weight q_i = exp(-½ (y - h)' R⁻¹ (y - h)), resample, plain mean             (Eqs. 16 to 20)

    Readings V1b (``draw=True``) and V2 (``draw=False``) of Wang et al. (2021): see
    `femu.filters.particle_kalman`.
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
        return points_size(self.model.states, self.particles)

    def _work_size(self) -> int:
        return work_size(self.model.states, self.model.outputs, self.particles)
