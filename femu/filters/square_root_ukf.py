"""Square-root unscented Kalman filter (after van der Merwe and Wan 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, log, sqrt
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.covariance import lower_factor
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import (
    all_finite,
    copy,
    downdate,
    factor,
    helper,
    outer_product,
    solve_lower,
    solve_upper,
    triangularise,
    usable,
)
from femu.filters.model import StateSpace, call_model
from femu.filters.sigma import (
    channels,
    draw,
    no_measurement,
    note_innovation,
    note_likelihood,
    settle,
    unscented,
    weigh,
)
from femu.kernels import kernel, shift


@helper
def root_of_rows(count, n, wc, deviations, extra, noise, rows, L, v):
    """Factor of Σ Wc e e' + N N' from rows e (centre first) and the ``extra`` columns of N; returns
    repairs.

    A negative weight of the centre is taken off by a downdate at the end.
    """
    for i in range(count):
        root = sqrt(wc[i]) if wc[i] > 0.0 else 0.0
        for j in range(n):
            rows[i * n + j] = root * deviations[i * n + j]
    for i in range(extra):
        for j in range(n):
            rows[(count + i) * n + j] = noise[j * extra + i]
    triangularise(count + extra, n, rows, L)
    if wc[0] >= 0.0:
        return 0
    root = sqrt(-wc[0])
    for j in range(n):
        v[j] = root * deviations[j]
    return downdate(n, L, v)


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count = filter.n, filter.count
    estimate.steps += 1.0
    x, P, options = estimate.mean, estimate.covariance, settings.options
    L = estimate.own
    LQ = shift(L, n * n)
    wm = shift(LQ, n * n)
    wc = shift(wm, count)
    X = shift(wc, count)
    images = shift(X, count * n)
    rows = shift(images, count * n)
    v = shift(rows, (count + n) * n)
    draw(n, x, L, options[0], 1, X)
    weigh(count, 1, options[1], options[2], options[3], wm, wc)
    status = call_model(filter.process, (count, X, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, X, images, x, True, True, estimate)
    for j in range(n):
        total = 0.0
        for i in range(count):
            total += wm[i] * images[i * n + j]
        x[j] = total
        for i in range(count):
            images[i * n + j] -= total
    estimate.repairs += root_of_rows(count, n, wc, images, n, LQ, rows, L, v)
    outer_product(n, L, P)
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Longer than a page: all parts work on views of one workspace, which are named here."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    x, P, R, options = estimate.mean, estimate.covariance, settings.R, settings.options
    L = estimate.own
    wm = shift(L, 2 * n * n)
    wc = shift(wm, count)
    X = shift(wc, count)
    Y = shift(X, count * n)
    dY = shift(Y, count * m)
    index = shift(dY, count * m)
    nu = shift(index, m)
    z = shift(nu, m)
    v = shift(z, m)
    noise = shift(v, n + m)
    Lr = shift(noise, m * m)
    S = shift(Lr, m * m)
    Ls = shift(S, m * m)
    K = shift(Ls, m * m)
    KL = shift(K, n * m)
    new_x = shift(KL, n * m)
    new_L = shift(new_x, n)
    rows = shift(new_L, n * n)
    room = shift(rows, (count + m) * (n + m))
    c = channels(m, y, index)
    if c == 0:
        no_measurement(filter, estimate)
        return 0
    draw(n, x, L, options[0], 1, X)
    weigh(count, 1, options[1], options[2], options[3], wm, wc)
    status = call_model(filter.measurement, (count, X, u, Y, filter.data))
    if status != 0:
        return status
    if not usable(count * m, Y):
        estimate.refused += 1.0
        no_measurement(filter, estimate)
        return 0
    for a in range(c):
        j = int(index[a])
        total = 0.0
        for i in range(count):
            total += wm[i] * Y[i * m + j]
        nu[a] = y[j] - total
        for i in range(count):
            dY[i * c + a] = Y[i * m + j] - total
        for b in range(c):
            noise[a * c + b] = R[j * m + int(index[b])]
    for i in range(count):
        for j in range(n):
            X[i * n + j] -= x[j]
    estimate.repairs += factor(c, noise, Lr, room)
    estimate.repairs += root_of_rows(count, c, wc, dY, c, Lr, rows, Ls, v)
    outer_product(c, Ls, S)
    copy(c, nu, z)
    solve_lower(c, Ls, z)
    nis, log_det = 0.0, 0.0
    for a in range(c):
        nis += z[a] * z[a]
        log_det += 2.0 * log(Ls[a * c + a]) if Ls[a * c + a] > 0.0 else 0.0
    note_innovation(filter, estimate, c, index, nu, S)
    note_likelihood(estimate, c, nis, log_det)
    for j in range(n):
        row = shift(K, j * c)
        for a in range(c):
            total = 0.0
            for i in range(count):
                total += wc[i] * X[i * n + j] * dY[i * c + a]
            row[a] = total
        solve_lower(c, Ls, row)
        solve_upper(c, Ls, row)
        total = x[j]
        for a in range(c):
            total += row[a] * nu[a]
        new_x[j] = total
        for a in range(c):  # K √R
            total = 0.0
            for b in range(a, c):
                total += row[b] * Lr[b * c + a]
            KL[j * c + a] = total
    for i in range(count):
        for j in range(n):
            total = X[i * n + j]
            for a in range(c):
                total -= K[j * c + a] * dY[i * c + a]
            X[i * n + j] = total
    estimate.repairs += root_of_rows(count, n, wc, X, c, KL, rows, new_L, v)
    if isfinite(nis) and all_finite(n, new_x) and all_finite(n * n, new_L):
        copy(n, new_x, x)
        copy(n * n, new_L, L)
        outer_product(n, L, P)
    else:
        estimate.refused += 1.0
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@final
class SquareRootUKF(Filter):
    """Unscented filter that carries the factor L of P = L L' and never forms P to work with it.

        L⁻ from the triangularisation of [√W (X_i - x̂), √Q];   √S from [√W (Y_i - ŷ), √R]
        K = C S⁻¹ by two triangular solutions;   L from [√W ((X_i - x̂) - K (Y_i - ŷ)), K √R]

    The last line is the sum-of-squares form of the correction (see `femu.filters.sigma`) in place
    of the usual downdates by K√S, so with non-negative weights there is no downdate at all and
    positive definiteness cannot be lost. A negative weight of the centre is taken off by one
    downdate, guarded and counted. Points and weights as in `UKF`, redrawn for the measurement. A
    factor keeps twice the digits of a covariance: standard deviations may differ by 1e15 instead of
    1e7. Own part: L (n²), the factor of Q (n²).
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 kappa: float = 0.5, alpha: float | None = None, beta: float = 2.0,
                 bounds: Bounds | None = None) -> None:
        self.step, self.weights = unscented("SquareRootUKF", model.states, kappa, alpha, beta)
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _numbers(self) -> Sequence[float]:
        return self.step, *self.weights

    def _begin(self, estimate: Estimate) -> None:
        n = self.model.states
        own: np.ndarray = estimate.own
        own[:n * n] = lower_factor(estimate.covariance).ravel()
        own[n * n:] = lower_factor(self.process_noise).ravel()

    def _own_size(self) -> int:
        return 2 * self.model.states**2

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, 2 * self.model.states + 1
        predict_needs = 2 * count + 2 * count * n + (count + n) * n + n
        update_needs = (2 * count + count * n + 2 * count * m + 4 * m + n + 4 * m * m + 2 * n * m
                        + n + n * n
                        + (count + m) * (n + m) + 2 * m * m + m)
        return max(predict_needs, update_needs)

    def _options(self) -> dict[str, int]:
        return {"count": 2 * self.model.states + 1}
