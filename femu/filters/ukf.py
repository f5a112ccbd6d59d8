"""Unscented Kalman filter (Julier, Uhlmann, Durrant-Whyte 2000.

Scaled form of van der Merwe and Wan 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import all_finite, cholesky, copy, factor
from femu.filters.model import StateSpace, call_model
from femu.filters.sigma import (
    accept,
    break_down,
    draw,
    gain,
    gain_parts,
    gain_size,
    moments,
    settle,
    squares,
    unscented,
    weigh,
)
from femu.kernels import kernel, shift


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count, centre = filter.n, filter.count, filter.centre
    estimate.steps += 1.0
    if estimate.broken > 0.0:
        return 0
    x, P, images, options = estimate.mean, estimate.covariance, estimate.own, settings.options
    wm = shift(images, count * n)
    wc = shift(wm, count)
    L = shift(wc, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    if filter.repair:
        estimate.repairs += factor(n, P, L, room)
    elif not cholesky(n, P, L):
        break_down(filter, estimate, x)
        return 0
    draw(n, x, L, options[0], centre, X)
    weigh(count, centre, options[1], options[2], options[3], wm, wc)
    status = call_model(filter.process, (count, X, u, images, filter.data))
    if status != 0:
        return status
    if settle(count, n, X, images, x, centre == 1, filter.repair != 0 and centre == 1,
              estimate) > 0 and not filter.repair:
        break_down(filter, estimate, x)
        return 0
    moments(count, n, wm, wc, images, settings.Q, x, P)
    if wc[0] < 0.0 and filter.repair:
        estimate.repairs += factor(n, P, L, room)
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    estimate.drawn = 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count, centre = filter.n, filter.m, filter.count, filter.centre
    if estimate.broken > 0.0:
        return 0
    x, P, points, options = estimate.mean, estimate.covariance, estimate.own, settings.options
    wm = shift(points, count * n)
    wc = shift(wm, count)
    L = shift(wc, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    Y = shift(room, 2 * n * n + n)
    w = shift(Y, count * m)
    redrawn = filter.redraw != 0 or estimate.drawn == 0.0
    estimate.drawn = 0.0
    if redrawn:
        if filter.repair:
            estimate.repairs += factor(n, P, L, room)
        elif not cholesky(n, P, L):
            break_down(filter, estimate, x)
            return 0
        draw(n, x, L, options[0], centre, X)
    else:
        copy(count * n, points, X)
    weigh(count, centre, options[1], options[2], options[3], wm, wc)
    status = call_model(filter.measurement, (count, X, u, Y, filter.data))
    if status != 0:
        return status
    if not filter.repair and not all_finite(count * m, Y):
        break_down(filter, estimate, x)
        return 0
    c = gain(filter, settings, estimate, count, wm, wc, X, Y, y, w)
    if c == 0:
        return 0
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, count, w)
    # both are free again: L has n² ≥ n entries, the room of repairs more than n²
    new_x, new_P = L, room
    for j in range(n):
        total = x[j]
        for a in range(c):
            total += K[j * c + a] * nu[a]
        new_x[j] = total
    squares(n, c, count, wc, X, middle, dY, K, noise, new_P)
    if not redrawn:
        for i in range(n * n):
            new_P[i] += settings.Q[i]
    if not accept(filter, estimate, new_x, new_P, x, P) and not filter.repair:
        break_down(filter, estimate, x)
        return 0
    if wc[0] < 0.0 and filter.repair:
        estimate.repairs += factor(n, P, L, room)
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@final
class UKF(Filter):
    """Unscented Kalman filter.

    Points x, x ± θ·(columns of the Cholesky factor of P), with weights W:

        Julier:  θ² = n + κ,          W_0 = κ/(n + κ),                            W_i = 1/(2θ²)
        scaled:  θ² = α²(n + κ) = n + λ,  Wm_0 = λ/θ²,  Wc_0 = Wm_0 + 1 - α² + β,  W_i = 1/(2θ²)

    ``kappa`` alone gives Julier's form (default κ = 0.5, as in Wu and Wang 2014); with ``alpha`` it
    is the scaled form. ``redraw=True`` draws new points from the predicted covariance for the
    measurement: for a linear system this is the Kalman filter. ``redraw=False`` is the form of Wu
    and Wang (2014): the propagated points are measured, so Q is missing from S and from the
    cross-covariance, and it equals the Kalman filter only for Q = 0.

    Mean and covariance are corrected in the sum-of-squares form of `femu.filters.sigma`. A weight
    W_0 < 0 can make a covariance indefinite: it is then replaced by the nearest semi-definite
    matrix, and counted. With ``repair=False`` the filter is the literal textbook one: the first
    indefinite covariance or infinite image ends it, and `Estimate.broken_at` says when. ``bounds``
    only move the mean back inside after the correction.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 kappa: float = 0.5, alpha: float | None = None, beta: float = 2.0,
                 redraw: bool = True,
                 repair: bool = True, bounds: Bounds | None = None) -> None:
        self.step, self.weights = unscented("UKF", model.states, kappa, alpha, beta)
        self.kappa, self.alpha, self.beta = kappa, alpha, beta
        self.redraw, self.repair = redraw, repair
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _points(self) -> int:
        return 2 * self.model.states + 1

    def _numbers(self) -> Sequence[float]:
        return self.step, *self.weights

    def _own_size(self) -> int:
        return self._points() * self.model.states

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, self._points()
        return 2 * count + n * n + count * n + 2 * n * n + n + count * m + gain_size(n, m, count)

    def _options(self) -> dict[str, int]:
        return {"count": self._points(), "centre": 1, "redraw": int(self.redraw),
                "repair": int(self.repair)}
