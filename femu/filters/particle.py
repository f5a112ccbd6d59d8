"""Bootstrap particle filter (Gordon, Salmond, Smith 1993): the PF of Wang et al. (2021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds
from femu.filters.covariance import lower_factor
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import EstimateFields, estimate_at, settings_at
from femu.filters.linalg import copy
from femu.filters.model import StateSpace, call_model
from femu.filters.particles import (
    add_noise,
    choose_parents,
    fill_normals,
    gather,
    keep_within,
    likelihood_size,
    roughen,
    weigh_particles,
    weighted_moments,
)
from femu.filters.resampling import kind_of
from femu.filters.sigma import settle
from femu.kernels import kernel, shift
from femu.support.errors import InputError

LARGEST_ROUGHENING = 1e3


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    particles, options = estimate.own, settings.options
    weights = shift(particles, count * n)
    images = shift(weights, count)
    status = call_model(filter.process, (count, particles, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, particles, images, estimate.mean, False, False, estimate)
    copy(count * n, images, particles)
    for i in range(count):
        add_noise(n, shift(options, 2), estimate, shift(particles, i * n))
        keep_within(filter, settings, estimate, shift(particles, i * n))
    weighted_moments(count, n, weights, particles, estimate.mean, estimate.covariance)
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    x, P, options = estimate.mean, estimate.covariance, settings.options
    particles = estimate.own
    weights = shift(particles, count * n)
    Y = shift(weights, count)
    parents = shift(Y, count * m)
    w = shift(parents, count)
    status = call_model(filter.measurement, (count, particles, u, Y, filter.data))
    if status != 0:
        return status
    if weigh_particles(filter, settings, estimate, count, Y, y, 0.0, True, weights, w) == 0:
        return 0
    weighted_moments(count, n, weights, particles, x, P)
    if choose_parents(estimate, filter.resampling, options[0], count, weights, parents, w):
        gather(count, n, parents, particles, w)
        if options[1] > 0.0:
            roughen(filter, settings, estimate, count, options[1], particles, P, w, shift(w, n * n))
        weighted_moments(count, n, weights, particles, x, P)
    return 0


@final
class ParticleFilter(Filter):
    """Bootstrap particle filter.

    ::

        x_i <- f(x_i) + √Q ε_i;   w_i <- w_i exp(-½ (y - h(x_i))' R⁻¹ (y - h(x_i))), normalised
        resample when 1/Σw² ≤ resample_below·N
        estimate = mean of the particles (after resampling: plain, Eq. 20)

    Wang et al. (2021) resample at every step with the multinomial rule: ``resampling="multinomial",
    resample_below=1``. ``roughening`` > 0 adds kernel noise after resampling, which a filter of
    constant parameters with tiny Q needs to keep its particles apart. Same seed, same bits. Own
    part: particles (N × n), weights (N).
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 particles: int = 1000,
                 resampling: str = "systematic", resample_below: float = 0.5,
                 roughening: float = 0.0,
                 bounds: Bounds | None = None) -> None:
        check_particles("ParticleFilter", particles, resample_below, roughening)
        self.particles, self.resampling = particles, resampling
        self.resample_below, self.roughening = resample_below, roughening
        self._kind = kind_of("ParticleFilter", resampling)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def particles_of(self, estimate: Estimate) -> np.ndarray:
        """The particles, one a row."""
        n = self.model.states
        return estimate.own[:self.particles * n].reshape(self.particles, n)

    def weights_of(self, estimate: Estimate) -> np.ndarray:
        return estimate.own[self.particles * self.model.states:]

    def _numbers(self) -> Sequence[float]:
        return [self.resample_below, self.roughening, *lower_factor(self.process_noise).ravel()]

    def _begin(self, estimate: Estimate) -> None:
        normals = np.empty((self.particles, self.model.states))
        estimate.vector[EstimateFields.counter.slot] = fill_normals(estimate.vector[EstimateFields.seed.slot], normals)
        self.particles_of(estimate)[:] = self.bounds.project(estimate.mean + normals @ lower_factor(estimate.covariance).T)
        self.weights_of(estimate)[:] = 1.0 / self.particles

    def _own_size(self) -> int:
        return self.particles * (self.model.states + 1)

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, self.particles
        return max(count * n, count * m + count
                   + max(likelihood_size(m, count), count * n, 3 * n * n + n, count))

    def _options(self) -> dict[str, int]:
        return {"count": self.particles, "resampling": self._kind}


def check_particles(what: str, particles: int, below: float, roughening: float) -> None:
    """Rules for the settings of a particle filter."""
    if particles < 2:
        raise InputError(what, "particles", particles, "must be at least 2")
    if not 0.0 <= below <= 1.0:
        raise InputError(what, "resample_below", below, "must be from 0 (never) to 1 (at every "
                                                        "step)")
    if not 0.0 <= roughening <= LARGEST_ROUGHENING:
        raise InputError(what, "roughening", roughening, "must be from 0 to "
                                                         f"{LARGEST_ROUGHENING:g} standard "
                                                         "deviations")
