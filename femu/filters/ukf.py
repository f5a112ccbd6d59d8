"""Unscented Kalman filter (Julier, Uhlmann, Durrant-Whyte 2000; scaled form of van der Merwe and Wan 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.estimate import (
    BROKEN,
    COUNT,
    DRAWN,
    OPTION_A,
    OPTION_B,
    PROJECTIONS,
    REPAIR,
    REPAIRS,
    RULES,
    STEPS,
    F,
    H,
    M,
    N,
    bounds_of,
    covariance_of,
    mean_of,
    numbers_of,
    own_of,
)
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

CENTRE, REDRAW = OPTION_A, OPTION_B


@kernel(STEP)
def predict(d, p, s, u, y):
    n, count, centre = d[N], d[COUNT], d[CENTRE]
    s[STEPS] += 1.0
    if s[BROKEN] > 0.0:
        return 0
    x, P, images, options = mean_of(d, s), covariance_of(d, s), own_of(d, s), numbers_of(d, p)
    wm = shift(images, count * n)
    wc = shift(wm, count)
    L = shift(wc, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    if d[REPAIR]:
        s[REPAIRS] += factor(n, P, L, room)
    elif not cholesky(n, P, L):
        break_down(d, s, x)
        return 0
    draw(n, x, L, options[0], centre, X)
    weigh(count, centre, options[1], options[2], options[3], wm, wc)
    status = call_model(d[F], (count, X, u, images))
    if status != 0:
        return status
    if settle(count, n, X, images, x, centre == 1, d[REPAIR] != 0 and centre == 1, s) > 0 and not d[REPAIR]:
        break_down(d, s, x)
        return 0
    moments(count, n, wm, wc, images, p, x, P)
    if wc[0] < 0.0 and d[REPAIR]:
        s[REPAIRS] += factor(n, P, L, room)
    if project(n, d[RULES], bounds_of(d, p), x):
        s[PROJECTIONS] += 1.0
    s[DRAWN] = 1.0
    return 0


@kernel(STEP)
def update(d, p, s, u, y):
    n, m, count, centre = d[N], d[M], d[COUNT], d[CENTRE]
    if s[BROKEN] > 0.0:
        return 0
    x, P, points, options = mean_of(d, s), covariance_of(d, s), own_of(d, s), numbers_of(d, p)
    wm = shift(points, count * n)
    wc = shift(wm, count)
    L = shift(wc, count)
    X = shift(L, n * n)
    room = shift(X, count * n)
    Y = shift(room, 2 * n * n + n)
    w = shift(Y, count * m)
    redrawn = d[REDRAW] != 0 or s[DRAWN] == 0.0
    s[DRAWN] = 0.0
    if redrawn:
        if d[REPAIR]:
            s[REPAIRS] += factor(n, P, L, room)
        elif not cholesky(n, P, L):
            break_down(d, s, x)
            return 0
        draw(n, x, L, options[0], centre, X)
    else:
        copy(count * n, points, X)
    weigh(count, centre, options[1], options[2], options[3], wm, wc)
    status = call_model(d[H], (count, X, u, Y))
    if status != 0:
        return status
    if not d[REPAIR] and not all_finite(count * m, Y):
        break_down(d, s, x)
        return 0
    c = gain(d, p, s, count, wm, wc, X, Y, y, w)
    if c == 0:
        return 0
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, rest = gain_parts(n, m, count, w)
    new_x, new_P = L, room  # both are free again: L has n² ≥ n entries, the room of repairs more than n²
    for j in range(n):
        total = x[j]
        for a in range(c):
            total += K[j * c + a] * nu[a]
        new_x[j] = total
    squares(n, c, count, wc, X, middle, dY, K, noise, new_P)
    if not redrawn:
        for i in range(n * n):
            new_P[i] += p[i]
    if not accept(d, s, new_x, new_P, x, P) and not d[REPAIR]:
        break_down(d, s, x)
        return 0
    if wc[0] < 0.0 and d[REPAIR]:
        s[REPAIRS] += factor(n, P, L, room)
    if project(n, d[RULES], bounds_of(d, p), x):
        s[PROJECTIONS] += 1.0
    return 0


@final
class UKF(Filter):
    """Unscented Kalman filter.

    Points x, x ± θ·(columns of the Cholesky factor of P), with weights W:

        Julier:  θ² = n + κ,          W_0 = κ/(n + κ),                            W_i = 1/(2θ²)
        scaled:  θ² = α²(n + κ) = n + λ,  Wm_0 = λ/θ²,  Wc_0 = Wm_0 + 1 - α² + β,  W_i = 1/(2θ²)

    ``kappa`` alone gives Julier's form (default κ = 0.5, as in Wu and Wang 2014); with ``alpha`` it is the scaled form.
    ``redraw=True`` draws new points from the predicted covariance for the measurement: for a linear system this is
    the Kalman filter. ``redraw=False`` is the form of Wu and Wang (2014): the propagated points are measured, so Q is missing
    from S and from the cross-covariance, and it equals the Kalman filter only for Q = 0.

    Mean and covariance are corrected in the sum-of-squares form of `femu.filters.sigma`. A weight W_0 < 0 can make a
    covariance indefinite: it is then replaced by the nearest semi-definite matrix, and counted. With
    ``repair=False`` the filter is the literal textbook one: the first indefinite covariance or infinite image ends
    it, and `Estimate.broken_at` says when. ``bounds`` only move the mean back inside after the correction.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 kappa: float = 0.5, alpha: float | None = None, beta: float = 2.0, redraw: bool = True,
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

    def _options(self) -> dict[int, int]:
        return {COUNT: self._points(), CENTRE: 1, REDRAW: int(self.redraw), REPAIR: int(self.repair)}
