"""Ensemble Kalman filter (Evensen 1994.

Perturbed observations of Burgers, van Leeuwen, Evensen 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds
from femu.filters.covariance import lower_factor
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import EstimateFields, estimate_at, settings_at
from femu.filters.linalg import all_finite, copy, fill
from femu.filters.model import StateSpace, call_model
from femu.filters.particles import add_noise, fill_normals, keep_within, weighted_moments
from femu.filters.random import normal
from femu.filters.sigma import gain, gain_parts, gain_size, no_measurement, settle
from femu.kernels import kernel, shift
from femu.support.errors import InputError

LARGEST_INFLATION = 1e3


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    x, P, options = estimate.mean, estimate.covariance, settings.options
    members = estimate.own
    w = shift(members, count * n)
    images = shift(w, 2 * count)
    status = call_model(filter.process, (count, members, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, members, images, x, False, False, estimate)
    copy(count * n, images, members)
    for i in range(count):
        add_noise(n, shift(options, 1), estimate, shift(members, i * n))
        keep_within(filter, settings, estimate, shift(members, i * n))
    fill(count, 1.0 / count, w)
    weighted_moments(count, n, w, members, x, P)
    if options[0] > 1.0:
        for i in range(count):  # inflation of the deviations from the mean
            for j in range(n):
                members[i * n + j] = x[j] + options[0] * (members[i * n + j] - x[j])
            keep_within(filter, settings, estimate, shift(members, i * n))
        weighted_moments(count, n, w, members, x, P)
    for i in range(n * n):
        P[i] *= count / (count - 1.0)
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    x, P, options = estimate.mean, estimate.covariance, settings.options
    members = estimate.own
    wm = shift(members, count * n)
    wc = shift(wm, count)
    Y = shift(wc, count)
    w = shift(Y, count * m)
    root = shift(options, 1 + n * n)
    status = call_model(filter.measurement, (count, members, u, Y, filter.data))
    if status != 0:
        return status
    settle(count, m, Y, Y, x, False, False, estimate)
    fill(count, 1.0 / count, wm)
    fill(count, 1.0 / (count - 1.0), wc)
    c = gain(filter, settings, estimate, count, wm, wc, members, Y, y, w)
    if c == 0:
        return 0
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, count, w)
    # no member has an image, or the measurement is far out
    if not isfinite(estimate.nis) or not all_finite(n * c, K):
        estimate.refused += 1.0
        no_measurement(filter, estimate)
        return 0
    for i in range(count):
        start = estimate.counter
        for a in range(c):
            row = int(index[a])
            total = y[row] - Y[i * m + row]
            for k in range(row + 1):
                total += root[row * m + k] * normal(estimate.seed, start + 2.0 * k)
            for j in range(n):
                members[i * n + j] += K[j * c + a] * total
        estimate.counter = start + 2.0 * m
        keep_within(filter, settings, estimate, shift(members, i * n))
    weighted_moments(count, n, wm, members, x, P)
    for i in range(n * n):
        P[i] *= count / (count - 1.0)
    return 0


@final
class EnsembleKF(Filter):
    """Ensemble Kalman filter: N members carry the density, the gain comes from their sample
    covariances.

        X_i <- f(X_i) + √Q ε_i;   K = C_xy (C_yy + R)⁻¹;   X_i <- X_i + K (y + √R η_i - h(X_i))

    Mean and covariance are those of the members; the error of both falls as 1/√N. ``inflation``
    multiplies the deviations of the members before the update, against the loss of spread that a
    small ensemble suffers. Same seed, same bits. Own part: the members (N × n).
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 members: int = 100,
                 inflation: float = 1.0, bounds: Bounds | None = None) -> None:
        if members < 2:
            raise InputError("EnsembleKF", "members", members, "must be at least 2")
        if not 1.0 <= inflation <= LARGEST_INFLATION:
            raise InputError("EnsembleKF", "inflation", inflation, "must be from 1 to "
                                                                   f"{LARGEST_INFLATION:g}")
        self.members, self.inflation = members, inflation
        super().__init__(model, process_noise, measurement_noise, bounds)

    def members_of(self, estimate: Estimate) -> np.ndarray:
        """The members, one a row."""
        return estimate.own.reshape(self.members, self.model.states)

    def _numbers(self) -> Sequence[float]:
        return [self.inflation, *lower_factor(self.process_noise).ravel(),
                *lower_factor(self.measurement_noise).ravel()]

    def _begin(self, estimate: Estimate) -> None:
        normals = np.empty((self.members, self.model.states))
        estimate.vector[EstimateFields.counter.slot] = fill_normals(estimate.vector[EstimateFields.seed.slot], normals)
        members = self.bounds.project(estimate.mean + normals @ lower_factor(estimate.covariance).T)
        self.members_of(estimate)[:] = members

    def _own_size(self) -> int:
        return self.members * self.model.states

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, self.members
        return 2 * count + max(count * n, count * m + gain_size(n, m, count))

    def _options(self) -> dict[str, int]:
        return {"count": self.members}
