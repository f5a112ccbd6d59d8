"""Interval-constrained unscented filter of Ou et al. (2015), after Teixeira et al. (2010)."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, final

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.constrained_ukf import constrained_points, keep_inside
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import copy, factor
from femu.filters.model import StateSpace, call_model
from femu.filters.sigma import (
    accept,
    check_kappa,
    check_margin,
    gain,
    gain_parts,
    gain_size,
    moments,
    settle,
)
from femu.kernels import kernel, shift


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    x, P, options = estimate.mean, estimate.covariance, settings.options
    W = estimate.own
    L = shift(W, count)
    X = shift(L, n * n)
    images = shift(X, count * n)
    estimate.repairs += factor(n, P, L, shift(images, count * n))
    constrained_points(filter, settings, x, L, options[0], options[1], False, X, W)
    status = call_model(filter.process, (count, X, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, X, images, x, True, False, estimate)  # its pairs are not symmetric
    moments(count, n, W, W, images, settings.Q, x, P)
    if W[0] < 0.0:
        estimate.repairs += factor(n, P, L, shift(images, count * n))
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    x, P, options = estimate.mean, estimate.covariance, settings.options
    W = estimate.own
    L = shift(W, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    Y = shift(room, 2 * n * n + n)
    w = shift(Y, count * m)
    estimate.repairs += factor(n, P, L, room)
    constrained_points(filter, settings, x, L, options[0], options[1], False, X, W)
    status = call_model(filter.measurement, (count, X, u, Y, filter.data))
    if status != 0:
        return status
    c = gain(filter, settings, estimate, count, W, W, X, Y, y, w)
    if c == 0:
        return 0
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, count, w)
    new_x, new_P = L, room
    copy(n * n, P, new_P)
    for i in range(n):
        total = x[i]
        for a in range(c):
            total += K[i * c + a] * nu[a]
        new_x[i] = total
    for i in range(n):
        for a in range(c):
            along = 0.0
            for b in range(c):
                along += K[i * c + b] * S[b * c + a]
            for j in range(n):
                new_P[i * n + j] -= along * K[j * c + a]
    for i in range(n):
        for j in range(i):
            new_P[i * n + j] = new_P[j * n + i] = 0.5 * (new_P[i * n + j] + new_P[j * n + i])
    if accept(filter, estimate, new_x, new_P, x, P):
        estimate.repairs += factor(n, P, L, room)
    if keep_inside(filter, settings, options[2], P, x):
        estimate.projections += 1.0
    return 0


@final
class IntervalUKF(Filter):
    """Unscented filter with the interval-constrained unscented transform (ICUT), twice a step.

    ICUT(x, P): points x ± θ_i s_i where each point takes the longest step that keeps *it* inside,
    so the set is not symmetric; weights a θ_i + b as in `ConstrainedUKF`. One ICUT at (x, P) for
    the process, a second at the predicted mean and covariance for the measurement; then x + K(y -
    ŷ), P - K S K' (Eqs. 2.9 to 2.20 of Ou et al. 2015 with the predicted mean restored in Eq.
    2.19), and the mean is clipped, which the paper leaves open.

    P - K S K' is not a sum of squares here, because the shortened points carry less spread than P:
    where it turns indefinite, it is replaced by the nearest semi-definite matrix and counted.
    ``margin`` keeps the mean that many standard deviations inside its bounds, as in
    `ConstrainedUKF`; 0 is the published filter.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any,
                 bounds: Bounds, *,
                 kappa: float = 0.5, margin: float = 0.0) -> None:
        self.kappa = check_kappa("IntervalUKF", model.states, kappa)
        self.margin = check_margin("IntervalUKF", margin)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _numbers(self) -> Sequence[float]:
        return sqrt(self.model.states + self.kappa), self.kappa, self.margin

    def _own_size(self) -> int:
        return 0

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, 2 * self.model.states + 1
        return count + n * n + 2 * count * n + 2 * n * n + n + count * m + gain_size(n, m, count)

    def _options(self) -> dict[str, int]:
        return {"count": 2 * self.model.states + 1}
