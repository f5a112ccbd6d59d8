"""Constrained unscented Kalman filter of Wu and Wang (2014).

Symmetric replacement of sigma points.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, longest_step, project
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import all_finite, copy, factor, fill, helper
from femu.filters.model import StateSpace, call_model
from femu.filters.sigma import (
    accept,
    add_gain_noise,
    check_kappa,
    check_margin,
    gain,
    gain_parts,
    gain_size,
    moments,
    settle,
)
from femu.kernels import kernel, shift

# a start closer to a bound than this many standard deviations is moved inside by the margin
NEAR_START = 0.1


@helper
def constrained_points(filter, settings, x, L, longest, kappa, paired, X, W):
    """Points shortened so that each stays inside the bounds, and their weights (Eqs. 10 to 18 of Wu
    and Wang 2014).

    ``paired``: both points of a pair take the shorter step, so the set stays symmetric (Wu and Wang
    2014); otherwise each takes its own (Ou et al. 2015).
    """
    n, rules, b = filter.n, filter.nrules, settings.bounds
    total = 0.0
    for i in range(n):
        plus = longest_step(n, rules, b, x, shift(L, i), n, 1.0, longest)
        minus = longest_step(n, rules, b, x, shift(L, i), n, -1.0, longest)
        if paired:
            plus = minus = min(plus, minus)
        W[1 + i], W[1 + n + i] = plus, minus
        total += plus + minus
        for j in range(n):
            X[(1 + i) * n + j] = x[j] + plus * L[j * n + i]
            X[(1 + n + i) * n + j] = x[j] - minus * L[j * n + i]
    copy(n, x, X)
    spread = n + kappa
    short = total - (2 * n + 1) * longest  # below zero: the sum has 2n terms of at most √(n+κ)
    a = (2.0 * kappa - 1.0) / (2.0 * spread * short)
    base = 0.5 / spread - (2.0 * kappa - 1.0) / (2.0 * longest * short)
    W[0] = base
    for i in range(1, 2 * n + 1):
        W[i] = a * W[i] + base


@helper
def keep_inside(filter, settings, margin, P, x):
    """Move x inside its bounds by ``margin`` standard deviations (at most a quarter of a box).

    True if it moved.
    """
    n, rules, b = filter.n, filter.nrules, settings.bounds
    moved = project(n, rules, b, x)
    if margin == 0.0:
        return moved
    for j in range(n):
        keep = min(margin * sqrt(max(P[j * n + j], 0.0)), 0.25 * (b[n + j] - b[j]))
        if x[j] < b[j] + keep:
            x[j] = b[j] + keep
            moved = True
        elif x[j] > b[n + j] - keep:
            x[j] = b[n + j] - keep
            moved = True
    for r in range(rules):
        g = shift(b, 2 * n + r * (n + 2))
        value, variance = -g[n], 0.0
        for i in range(n):
            value += g[i] * x[i]
            for k in range(n):
                variance += g[i] * g[k] * P[i * n + k]
        lacking = margin * sqrt(max(variance, 0.0)) - value
        if lacking > 0.0:
            j = int(g[n + 1])
            x[j] += lacking / g[j]
            moved = True
    return moved


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    x, P, images, options = estimate.mean, estimate.covariance, estimate.own, settings.options
    W = shift(images, count * n)
    L = shift(W, count)
    X = shift(L, n * n)
    estimate.repairs += factor(n, P, L, shift(X, count * n))
    constrained_points(filter, settings, x, L, options[0], options[1], True, X, W)
    status = call_model(filter.process, (count, X, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, X, images, x, True, options[2] > 0.0, estimate)
    moments(count, n, W, W, images, settings.Q, x, P)
    if W[0] < 0.0:
        estimate.repairs += factor(n, P, L, shift(X, count * n))
    estimate.drawn = 1.0
    if keep_inside(filter, settings, options[2], P, x):
        estimate.projections += 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    x, P, points, options = estimate.mean, estimate.covariance, estimate.own, settings.options
    W = shift(points, count * n)
    L = shift(W, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    Y = shift(room, 2 * n * n + n)
    w = shift(Y, count * m)
    drawn = estimate.drawn != 0.0
    estimate.drawn = 0.0
    if drawn:
        copy(count * n, points, X)
    else:
        estimate.repairs += factor(n, P, L, room)
        constrained_points(filter, settings, x, L, options[0], options[1], True, X, W)
    status = call_model(filter.measurement, (count, X, u, Y, filter.data))
    if status != 0:
        return status
    c = gain(filter, settings, estimate, count, W, W, X, Y, y, w)
    if c == 0:
        return 0
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, count, w)
    for i in range(count):  # Eq. 27
        row = shift(X, i * n)
        for a in range(c):
            for j in range(n):
                row[j] += K[j * c + a] * (nu[a] - dY[i * c + a])
    new_x, new_P = L, room
    process_noise = settings.Q
    if not drawn:  # it is in P already
        process_noise = shift(room, n * n)
        fill(n * n, 0.0, process_noise)
    weighted_mean(count, n, W, X, new_x)
    if all_finite(n, new_x):
        copy(n, new_x, middle)
        if project(n, filter.nrules, settings.bounds, middle):
            estimate.projections += 1.0
            for i in range(count):
                project(n, filter.nrules, settings.bounds, shift(X, i * n))
    moments(count, n, W, W, X, process_noise, new_x, new_P)  # Eqs. 28 and 29
    add_gain_noise(n, c, K, noise, new_P)
    if accept(filter, estimate, new_x, new_P, x, P) and W[0] < 0.0:
        estimate.repairs += factor(n, P, L, room)
    if keep_inside(filter, settings, options[2], P, x):
        estimate.projections += 1.0
    return 0


@helper
def weighted_mean(count, n, W, X, x):
    for j in range(n):
        total = 0.0
        for i in range(count):
            total += W[i] * X[i * n + j]
        x[j] = total


@final
class ConstrainedUKF(Filter):
    """Unscented filter with bounds, after Wu and Wang (2014).

    Prediction: points x ± θ_i s_i with s_i the columns of the Cholesky factor of P and θ_i the
    largest step not above √(n+κ) for which **both** points of the pair respect box and
    inequalities; weights (N = 2n + 1, S = Σ θ_i)

        W_0 = b,  W_i = a θ_i + b,   a = (2κ - 1) / (2(n+κ) [S - N√(n+κ)]),
        b = 1/(2(n+κ)) + (2κ - 1) / (2√(n+κ) [N√(n+κ) - S])

    which sum to 1 for any θ; for κ = 0.5, the paper's choice and the default, each is 1/N.
    Correction: the points that were propagated are measured (no redraw) and moved, X_i <- X_i + K(y
    - Y_i); only if their mean breaks a bound each is projected; then

        x = Σ W X_i,   P = Σ W (X_i - x)(X_i - x)' + Q + K R K'.

    Without active bounds this is the unscented filter ``UKF(redraw=False)``.

    The published filter **locks up**: with the mean on a bound, θ = 0 for each column that has a
    share of that state, the covariance collapses to Q and the filter stops learning (18 of 200 runs
    at 5 % noise in the study of paper 000, section 3). Here the mean is kept ``margin`` standard
    deviations inside its bounds. A column of the factor is at most as long as the standard
    deviation, so no θ is less than ``margin``; as the variance falls, so does the distance to the
    bound, and a true value on the bound is still reached. A start closer than 0.1 standard
    deviations to a bound is moved inside likewise. ``margin=0`` is the published filter.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any,
                 bounds: Bounds, *,
                 kappa: float = 0.5, margin: float = 0.5) -> None:
        self.kappa = check_kappa("ConstrainedUKF", model.states, kappa)
        self.margin = check_margin("ConstrainedUKF", margin)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _begin(self, estimate: Estimate) -> None:
        # a start on its bound would lock the filter in its first step, before the margin can act
        if self.margin == 0.0:
            return
        x, P = estimate.mean, estimate.covariance
        spread, low, high = estimate.std, np.array(self.bounds.lower), np.array(self.bounds.upper)
        near, keep = NEAR_START * spread, np.minimum(self.margin * spread, 0.25 * (high - low))
        x[:] = np.where(x - low < near, low + keep, np.where(high - x < near, high - keep, x))
        for rule in self.bounds.inequalities:
            g = np.zeros(len(x))
            g[list(rule.coefficients)] = list(rule.coefficients.values())
            size = sqrt(max(float(g @ P @ g), 0.0))
            if g @ x - rule.limit < NEAR_START * size:
                x[rule.adjusts] += (self.margin * size - (g @ x - rule.limit)) / g[rule.adjusts]

    def _numbers(self) -> Sequence[float]:
        return sqrt(self.model.states + self.kappa), self.kappa, self.margin

    def _own_size(self) -> int:
        n = self.model.states
        return (2 * n + 1) * n + 2 * n + 1

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, 2 * self.model.states + 1
        return n * n + count * n + 2 * n * n + n + count * m + gain_size(n, m, count)

    def _options(self) -> dict[str, int]:
        return {"count": 2 * self.model.states + 1}
