"""Particle filters whose particles are moved by a Kalman filter of their own (Wang et al. 2021):
the common part.

Each particle i has a mean x_i and a covariance P_i, both resampled together. A step moves (x_i,
P_i) by an extended or unscented Kalman filter with the newest measurement, weighs by the likelihood
q_i (Eq. 19), resamples, and reports the plain mean (Eq. 20). The paper can be read in several ways;
two work:

- V1b, ``draw=True``: weight and estimate use a draw from N(x_i, P_i) (Eq. 16), while (x_i, P_i) is
  carried on;
- V2, ``draw=False``: no draw, x_i itself is weighed.

Carrying the draw itself (V1) or using the full weight of Eq. 18 (V3) is not offered: with the
paper's tiny Q both fail (final errors above 75 %, or an effective sample size of 1 %).

The measurement is used twice, in the Kalman update and in the weight, so the particles do not
sample the exact posterior; for a linear system the V2 particles all approach the Kalman filter's
mean.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import exp, isfinite, log
from typing import Any

import numpy as np

from femu.filters.base import Filter
from femu.filters.bounds import Bounds, project
from femu.filters.covariance import lower_factor
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import EstimateFields
from femu.filters.linalg import copy, factor, fill, helper, solve_lower
from femu.filters.model import StateSpace, call_model
from femu.filters.particle import check_particles
from femu.filters.particles import (
    NEVER,
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
from femu.filters.sigma import channels, no_measurement, note_innovation
from femu.kernels import inlined, shift


@inlined
def parts(filter, estimate):
    """Means, covariances, weights, draws, points of the particles, and the workspace after them."""
    n, count = filter.n, filter.count
    means = estimate.own
    covariances = shift(means, count * n)
    weights = shift(covariances, count * n * n)
    draws = shift(weights, count)
    points = shift(draws, count * n)
    return means, covariances, weights, draws, points


@helper
def report(filter, settings, estimate, count, weights, rows, covariances):
    """Mean of the particles.

    Covariance of the mixture: their spread plus the mean of their covariances.
    """
    n = filter.n
    x, P = estimate.mean, estimate.covariance
    weighted_moments(count, n, weights, rows, x, P)
    # a mean of points on a bound may round to its other side
    project(n, filter.nrules, settings.bounds, x)
    for k in range(n * n):
        total = 0.0
        for i in range(count):
            total += weights[i] * covariances[i * n * n + k]
        P[k] += total


BEST, EVIDENCE, WEIGHT, MIXED = range(4)
"""Of a mixture: logarithm of the largest likelihood, sum of all over it, weight of the particles
that were measured; then the innovation and its covariance."""


@inlined
def mixture_room(m):
    return MIXED + m + m * m


def mixture_size(m: int) -> int:
    """Workspace of the mixture of the particles' innovations."""
    return int(mixture_room.py_func(m))


@inlined
def begin_mixture(filter, mix):
    fill(mixture_room(filter.m), 0.0, mix)
    mix[BEST] = NEVER


@helper
def add_to_mixture(filter, estimate, weight, likelihood, mix):
    """Add one particle's innovation, its covariance and its likelihood, which are in the
    estimate; False if not finite."""
    m = filter.m
    nu = estimate.innovation
    if not isfinite(estimate.nis):
        return False
    value = estimate.log_likelihood - likelihood
    if value > mix[BEST]:
        mix[EVIDENCE] = mix[EVIDENCE] * exp(mix[BEST] - value) + weight
        mix[BEST] = value
    else:
        mix[EVIDENCE] += weight * exp(value - mix[BEST])
    mix[WEIGHT] += weight
    for a in range(m):
        mix[MIXED + a] += weight * nu[a]
        for b in range(m):
            mix[MIXED + m + a * m + b] += weight * (nu[m + a * m + b] + nu[a] * nu[b])
    return True


@helper
def note_mixture(filter, estimate, y, likelihood, mix, w):
    """Put innovation, covariance, NIS and likelihood of all particles together into the estimate.

    False if none was measured.
    """
    m = filter.m
    index = w
    nu, S = shift(index, m), shift(index, 2 * m)
    Ls = shift(S, m * m)
    room = shift(Ls, m * m)
    c = channels(m, y, index)
    estimate.log_likelihood = likelihood
    if mix[WEIGHT] == 0.0:
        estimate.refused += 1.0
        no_measurement(filter, estimate)
        return False
    for a in range(c):
        nu[a] = mix[MIXED + int(index[a])] / mix[WEIGHT]
    for a in range(c):
        for b in range(c):
            S[a * c + b] = mix[MIXED + m + int(index[a]) * m
                               + int(index[b])] / mix[WEIGHT] - nu[a] * nu[b]
    factor(c, S, Ls, room)  # which repairs it where the difference has lost its digits
    note_innovation(filter, estimate, c, index, nu, S)
    solve_lower(c, Ls, nu)
    total = 0.0
    for a in range(c):
        total += nu[a] * nu[a]
    estimate.nis = total
    estimate.log_likelihood += mix[BEST] + log(mix[EVIDENCE]) if mix[EVIDENCE] > 0.0 else 0.0
    return True


@helper
def hold(filter, settings, estimate):
    """Report the particles as they were predicted, after a measurement that none of them could
    take. Returns 0."""
    means, covariances, weights, draws, points = parts(filter, estimate)
    copy(filter.count * filter.n, means, draws)
    report(filter, settings, estimate, filter.count, weights, draws, covariances)
    return 0


def select_size(n: int, m: int, count: int) -> int:
    """Workspace of `weigh_and_select`."""
    return count * m + count + max(likelihood_size(m, count), count * n * n, 4 * n * n + n,
                                   2 * m + 4 * m * m + m)


@helper
def weigh_and_select(filter, settings, estimate, u, y, w):
    """Draw, weigh, resample and report, once the particles are corrected.

    Returns the status of the model.
    """
    n, m, count = filter.n, filter.m, filter.count
    options = settings.options
    means, covariances, weights, draws, points = parts(filter, estimate)
    Y = w
    parents = shift(Y, count * m)
    room = shift(parents, count)
    copy(count * n, means, draws)
    if filter.draw:
        for i in range(count):
            estimate.repairs += factor(n, shift(covariances, i * n * n), room, shift(room, n * n))
            add_noise(n, room, estimate, shift(draws, i * n))
            keep_within(filter, settings, estimate, shift(draws, i * n))
    status = call_model(filter.measurement, (count, draws, u, Y, filter.data))
    if status != 0:
        return status
    c = weigh_particles(filter, settings, estimate, count, Y, y, options[2], False, weights, room)
    if c > 0 and choose_parents(estimate, filter.resampling, options[0], count, weights, parents,
                                room):
        gather(count, n, parents, means, room)
        gather(count, n * n, parents, covariances, room)
        gather(count, n, parents, draws, room)
        if options[1] > 0.0:
            spread = shift(room, 3 * n * n + n)
            weighted_moments(count, n, weights, means, estimate.mean, spread)
            roughen(filter, settings, estimate, count, options[1], means, spread, room,
                    shift(room, n * n))
    report(filter, settings, estimate, count, weights, draws, covariances)
    return 0


class KalmanParticleFilter(Filter):
    """Base of the particle filters of Wang et al. (2021); see the module's docstring."""

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any,
                 particles: int, draw: bool,
                 resampling: str, resample_below: float, roughening: float, auxiliary: float,
                 bounds: Bounds | None) -> None:
        name = type(self).__name__
        check_particles(name, particles, resample_below, roughening)
        self.particles, self.draw, self.resampling = particles, draw, resampling
        self.resample_below, self.roughening, self.auxiliary = resample_below, roughening, auxiliary
        self._kind = kind_of(name, resampling)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def particles_of(self, estimate: Estimate) -> np.ndarray:
        """Means of the particles, one a row."""
        n = self.model.states
        return estimate.own[:self.particles * n].reshape(self.particles, n)

    def weights_of(self, estimate: Estimate) -> np.ndarray:
        start = self.particles * (self.model.states + self.model.states**2)
        return estimate.own[start:start + self.particles]

    @abc.abstractmethod
    def _points_size(self) -> int:
        """Numbers that wait between prediction and update."""

    @abc.abstractmethod
    def _work_size(self) -> int:
        """Workspace of the filter's own kernels."""

    def _numbers(self) -> Sequence[float]:
        return self.resample_below, self.roughening, self.auxiliary

    def _begin(self, estimate: Estimate) -> None:
        n, count = self.model.states, self.particles
        normals = np.empty((count, n))
        estimate.vector[EstimateFields.counter.slot] = fill_normals(estimate.vector[EstimateFields.seed.slot], normals)
        self.particles_of(estimate)[:] = self.bounds.project(estimate.mean + normals @ lower_factor(estimate.covariance).T)
        estimate.own[count * n:count * (n + n * n)] = np.tile(estimate.covariance.ravel(), count)
        self.weights_of(estimate)[:] = 1.0 / count

    def _own_size(self) -> int:
        n = self.model.states
        return self.particles * (2 * n + n * n + 1) + self._points_size()

    def _scratch_size(self) -> int:
        return max(self._work_size(), select_size(self.model.states, self.model.outputs,
                                                  self.particles))

    def _options(self) -> dict[str, int]:
        return {"count": self.particles, "resampling": self._kind, "draw": int(self.draw)}
