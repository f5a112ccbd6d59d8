"""femu's own filter: a square-root unscented filter in bounded coordinates that learns R and
forgets its prior."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, log, sqrt
from typing import Any, final

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds
from femu.filters.covariance import lower_factor
from femu.filters.estimate import Estimate
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import (
    all_finite,
    copy,
    factor,
    fill,
    helper,
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
)
from femu.filters.transforms import FREE, LARGEST, inward, outward, plan, spread_outward
from femu.kernels import inlined, kernel, shift
from femu.support.errors import InputError

# fading ends after this many first memories, so an unobserved state cannot lose its prior for good
MEMORIES = 10.0
FIRST_GATED = 10.0  # no measurement is called an outlier before this step: nothing is usual yet
USUAL_WINDOW = 50.0  # updates over which the usual size of an innovation is averaged
LARGEST_SETTING = 1e6  # of kappa and growth
LARGEST_NOISE = 1e150  # square of a residual that R may be learned from
# standard deviation of a transformed state above which fading does not widen it (a factor of 20)
WIDEST = 3.0


@inlined
def _parts(filter, estimate):
    n = filter.n
    xi = estimate.own
    L = shift(xi, n)
    LQ = shift(L, n * n)
    kind = shift(LQ, n * n)
    scale = shift(kind, n)
    R = shift(scale, n)
    work = shift(R, filter.m * filter.m)
    return xi, L, LQ, kind, scale, R, work


@helper
def _points(filter, settings, xi, L, kind, scale, step, Xi, X):
    """Points in ξ and in x."""
    n, count, b = filter.n, filter.count, settings.bounds
    draw(n, xi, L, step, 1, Xi)
    for i in range(count):
        outward(n, filter.nrules, b, kind, scale, shift(Xi, i * n), shift(X, i * n))


@helper
def _report(filter, settings, estimate, w):
    """Mean and covariance in x.

    The image of ξ, and its covariance by the slope of the transform there.
    """
    n, rules, b = filter.n, filter.nrules, settings.bounds
    xi, L, LQ, kind, scale, R, work = _parts(filter, estimate)
    outward(n, rules, b, kind, scale, xi, estimate.mean)
    spread_outward(n, rules, b, kind, scale, xi, estimate.mean, L, estimate.covariance, w)


@kernel(STEP)
def predict(filter, p, s, u, y):
    """Many locals: views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, count, rules = filter.n, filter.count, filter.nrules
    b, options = settings.bounds, settings.options
    step, W0, W = options[0], options[1], options[2]
    xi, L, LQ, kind, scale, R, work = _parts(filter, estimate)
    Xi = work
    X = shift(Xi, count * n)
    images = shift(X, count * n)
    rows = shift(images, count * n)
    if options[4] > 0.0 and estimate.steps < MEMORIES * options[4]:
        grow = sqrt(1.0 + options[3] / (estimate.steps + options[4]))
        for i in range(n):
            before = 0.0
            for j in range(i + 1):
                before += L[i * n + j] * L[i * n + j]
            before = sqrt(before)
            widen = grow if kind[i] == FREE else max(min(grow,
                                                         WIDEST / before if before > 0.0 else grow),
                                                     1.0)
            for j in range(i + 1):
                L[i * n + j] *= widen
    estimate.steps += 1.0
    _points(filter, settings, xi, L, kind, scale, step, Xi, X)
    status = call_model(filter.process, (count, X, u, images, filter.data))
    if status != 0:
        return status
    settle(count, n, X, images, estimate.mean, True, True, estimate)
    for i in range(count):
        row = shift(rows, i * n)
        inward(n, rules, b, kind, scale, shift(X, i * n), shift(Xi, i * n), shift(images, i * n),
               row)
    for j in range(n):
        total = W0 * rows[j]
        for i in range(1, count):
            total += W * rows[i * n + j]
        xi[j] = total if kind[j] == FREE else max(min(total, LARGEST), -LARGEST)
    root_0, root = sqrt(W0), sqrt(W)
    for i in range(count):
        for j in range(n):
            rows[i * n + j] = (root_0 if i == 0 else root) * (rows[i * n + j] - xi[j])
    for i in range(n):
        for j in range(n):
            rows[(count + i) * n + j] = LQ[j * n + i]
    triangularise(count + n, n, rows, L)
    _report(filter, settings, estimate, work)
    estimate.drawn = 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    """Longer than a page: the guards decide on the innovation, the noise and the correction from
    the same images, means and covariances, which are views of one workspace."""
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m, count = filter.n, filter.m, filter.count
    options = settings.options
    step, W0, W, gate = options[0], options[1], options[2], options[7]
    xi, L, LQ, kind, scale, R, work = _parts(filter, estimate)
    Xi = work
    X = shift(Xi, count * n)
    Y = shift(X, count * n)
    dY = shift(Y, count * m)
    A = shift(dY, count * m)  # c rows of n: slope of the measurement
    noise = shift(A, m * n)
    Ln = shift(noise, m * m)
    S = shift(Ln, m * m)
    Ls = shift(S, m * m)
    extra = shift(Ls, m * m)
    nu = shift(extra, m * m)
    z = shift(nu, m)
    mean_y = shift(z, m)
    index = shift(mean_y, m)
    new_xi = shift(index, m)
    Lc = shift(new_xi, n)
    size = n + m
    pre = shift(Lc, n * n)
    post = shift(pre, size * size)
    room = shift(post, size * size)
    c = channels(m, y, index)
    estimate.drawn = 0.0
    if c == 0:
        no_measurement(filter, estimate)
        return 0
    copy(n, xi, new_xi)
    copy(n * n, L, Lc)
    fill(m * m, 0.0, extra)
    size = n + c
    factor_of_gate = 1.0
    iteration, judged = 0, False
    while iteration < filter.iterations:
        _points(filter, settings, new_xi, Lc, kind, scale, step, Xi, X)
        status = call_model(filter.measurement, (count, X, u, Y, filter.data))
        if status != 0:
            return status
        if not usable(count * m, Y):
            estimate.refused += 1.0
            if not judged:
                no_measurement(filter, estimate)
            return 0
        for a in range(c):
            j = int(index[a])
            total = W0 * Y[j]
            for i in range(1, count):
                total += W * Y[i * m + j]
            mean_y[a] = total
            for i in range(count):
                dY[i * c + a] = Y[i * m + j] - total
            row = shift(A, a * n)
            for k in range(n):
                total = 0.0
                for i in range(1, count):
                    total += W * dY[i * c + a] * (Xi[i * n + k] - new_xi[k])
                row[k] = total
            solve_lower(n, Lc, row)
            solve_upper(n, Lc, row)
        for i in range(count):  # what the slope leaves unexplained
            for a in range(c):
                for k in range(n):
                    dY[i * c + a] -= A[a * n + k] * (Xi[i * n + k] - new_xi[k])
        for a in range(c):
            for k in range(a + 1):
                total = R[int(index[a]) * m + int(index[k])] + extra[a * c + k] + W0 * dY[a] * dY[k]
                for i in range(1, count):
                    total += W * dY[i * c + a] * dY[i * c + k]
                noise[a * c + k] = noise[k * c + a] = total
            total = y[int(index[a])] - mean_y[a]
            for k in range(n):
                total -= A[a * n + k] * (xi[k] - new_xi[k])
            nu[a] = total
        estimate.repairs += factor(c, noise, Ln, room)
        fill(size * size, 0.0, pre)  # transposed array [[noise, A L], [0, L]]
        for a in range(c):
            for k in range(a + 1):
                pre[k * size + a] = Ln[a * c + k]
            for k in range(n):
                total = 0.0
                for j in range(k, n):
                    total += A[a * n + j] * L[j * n + k]
                pre[(c + k) * size + a] = total
        for i in range(n):
            for k in range(i + 1):
                pre[(c + k) * size + c + i] = L[i * n + k]
        triangularise(size, size, pre, post)
        for a in range(c):
            for k in range(c):
                Ls[a * c + k] = post[a * size + k]
        copy(c, nu, z)
        solve_lower(c, Ls, z)
        if not judged:
            judged = True
            nis, log_det = 0.0, 0.0
            for a in range(c):
                nis += z[a] * z[a]
                log_det += 2.0 * log(Ls[a * c + a]) if Ls[a * c + a] > 0.0 else 0.0
                for k in range(c):
                    total = 0.0
                    for j in range(min(a, k) + 1):
                        total += Ls[a * c + j] * Ls[k * c + j]
                    S[a * c + k] = total
            note_innovation(filter, estimate, c, index, nu, S)
            note_likelihood(estimate, c, nis, log_det)
            if not isfinite(nis):
                estimate.refused += 1.0
                return 0
            usual = max(estimate.spare, 1.0) * gate * gate
            outlier = gate > 0.0 and estimate.steps > FIRST_GATED and nis / c > usual
            change = (usual if outlier else nis / c) - estimate.spare
            estimate.spare += change / min(max(estimate.steps, 1.0), USUAL_WINDOW)
            if outlier:
                estimate.gated += 1.0
                factor_of_gate = (nis / c / usual) ** 2
                # and do the iteration again, with the noise that makes it count less
                for a in range(c):
                    for k in range(c):
                        extra[a * c + k] = (factor_of_gate - 1.0) * S[a * c + k]
                continue
        for i in range(n):
            total = xi[i]
            for a in range(c):
                total += post[(c + i) * size + a] * z[a]
            new_xi[i] = total if kind[i] == FREE else max(min(total, LARGEST), -LARGEST)
            for k in range(n):
                Lc[i * n + k] = post[(c + i) * size + c + k]
        iteration += 1
    if not (all_finite(n, new_xi) and all_finite(n * n, Lc)):
        estimate.refused += 1.0
        return 0
    copy(n, new_xi, xi)
    copy(n * n, Lc, L)
    if filter.learn:
        status = learn(filter, settings, estimate, u, y, c, index, factor_of_gate, A, X, Y, mean_y,
                       room)
        if status != 0:
            return status
    _report(filter, settings, estimate, work)
    return 0


@helper
def learn(filter, settings, estimate, u, y, c, index, factor_of_gate, A, X, Y, mean_y, room):
    """R <- (1 - w) R + w (e e' + A P A'), e the residual after the update (Mohamed and Schwarz
    1999).

    Many locals: views of one workspace.
    """
    n, m, b, options = filter.n, filter.m, settings.bounds, settings.options
    xi, L, LQ, kind, scale, R, work = _parts(filter, estimate)
    outward(n, filter.nrules, b, kind, scale, xi, X)
    status = call_model(filter.measurement, (1, X, u, Y, filter.data))
    if status != 0:
        return status
    if not usable(m, Y):
        return 0
    for a in range(c):  # an outlier would leave a noise that is NaN for good
        residual = y[int(index[a])] - Y[int(index[a])]
        if not residual * residual < LARGEST_NOISE:
            return 0
    weight = max(1.0 / options[6], 1.0 / (estimate.steps + options[5] + 1.0))
    keep = sqrt(1.0 - weight)
    AL = room
    for a in range(c):
        for k in range(n):
            total = 0.0
            for j in range(k, n):
                total += A[a * n + j] * L[j * n + k]
            AL[a * n + k] = total
    for a in range(c):  # missing channels keep their variance; correlations with them fade
        i = int(index[a])
        for k in range(m):
            R[i * m + k] *= keep
            R[k * m + i] *= keep
    # an outlier may raise R only as far as the gate reaches
    cut = 1.0 / (factor_of_gate * factor_of_gate)
    for a in range(c):
        i = int(index[a])
        for k in range(c):
            j = int(index[k])
            total = cut * (y[i] - Y[i]) * (y[j] - Y[j])
            for q in range(n):
                total += AL[a * n + q] * AL[k * n + q]
            R[i * m + j] += weight * total
    return 0


@final
class AdaptiveUKF(Filter):
    """Square-root unscented filter in bounded coordinates, iterated, with learned R and a memory
    that lengthens.

    What it is made of (step k, points and weights of κ = 0.5, all in ξ with x = T(ξ), see
    `transforms`):

    - **Bounds** by smooth maps: log(1+e^ξ) for one-sided bounds and inequalities, logistic for
      boxes. No projection, so nothing to lock up.
    - **Square root**: P = L L' is never formed; prediction and correction are orthogonal
      triangularisations of [√W (X_i - x̂), √Q] and of [[√(R+Ω), A L], [0, L]], which cannot lose
      positive definiteness.
    - **Iterated update** (posterior linearisation, García-Fernández et al. 2015): the measurement
      function is fitted by y = ŷ + A(ξ - ξ̄) + N(0, Ω) at points of the *corrected* density,
      ``iterations`` times.
    - **Learned R**: R <- (1-w) R + w (e e' + A P A') with the residual e after the update; w = 1/(k
      + trust + 1), not below 1/window. ``trust`` is the number of measurements that the given R
      counts for.
    - **Lengthening memory**: before step k the covariance is multiplied by 1 + growth/(k + memory).
      The weight of the prior falls as (memory/(k+memory))^growth while late data keep theirs: an
      overconfident P0 (in Wu and Wang 2014 the true k is 6 and the true n 10 standard deviations
      off) is forgiven. It ends after 10·memory steps, and never widens a bounded state beyond 3 in
      ξ.
    - **Gate**: from step 10 on, an innovation more than ``gate`` times as large as the recent ones
      (root mean square of the last 50 in standard deviations, not below one) is used with its
      covariance multiplied by the fourth power of the excess: the wilder a measurement, the less it
      pulls.

    The estimate's mean is T(ξ̄), always strictly inside the bounds; its covariance is that of ξ
    carried over by the slope of T there. Q is carried to ξ at the start. Own part: ξ (n), L (n²),
    factor of Q (n²), kinds and scales (n each), R (m²).

    Without bounds and with ``growth=0, learn_noise=False, gate=0`` it is the square-root unscented
    filter.

    Measured on Wu and Wang (2014), section 3 (PGA 1500 mm/s², 5 % noise, the given R 40 times too
    small, 200 seeds): no failure (published CUKF 23, UKF 61), and median final errors of k, β, γ,
    n, α of 0.08, 0.27, 0.08, 0.09, 0.06 times the CUKF's; 200 seeds that were not used for tuning
    give no failure and the same errors. At 2 % noise the ratios are 0.19, 0.36, 0.26, 0.26, 0.11,
    but the elastic part of the force over the whole run is no closer (RMSD 0.71 against 0.68): in
    the first seconds α leaves its start more slowly by the logistic map than by clipping.

    What each part does there (100 seeds, 5 % noise; median final error of k | n | α in %, then
    failures)::

        all parts                    0.4 | 1.2 |   7    0
        given R instead of learned   1.2 | 7.8 | 397   36
        memory constant              4.6 |  19 |  14    0
        without bounds               0.9 | 2.6 |  35   30
        one iteration; three         0.7 | 2.7 |   9    0;    0.4 | 1.3 |   7    0
        memory 100; 300; 1000 steps  0.3 | 1.3 |   7    1;    0.6 | 2.9 |   9    0;    1.3 | 6.4 | 11    0
        trust 10; 200                0.5 | 1.8 |   7    0;    0.5 | 1.2 |   7    0

    What was tried and did not help (40 or 60 seeds each, same problem):

    - the plain logarithm in place of log(1+e^ξ): 1 to 3 of 40 runs fail at 2 % noise, none with the
      softer map. A wide prior (β = 0.5 ± 3.2) becomes a spread over decades;
    - clipping the mean instead of a map, with learned R: 16 to 30 of 40 runs fail;
    - learned R alone: k and n keep errors of 7 % and 27 %, because with the true noise level the
      filter believes its overconfident prior;
    - forgetting only in the directions that are measured: k 3 to 5 %, n 15 to 20 %;
    - Q learned from gain times innovation, in place of the lengthening memory: n 38 %;
    - κ = 0 or 2 and more than two iterations: within the scatter; κ = -3: 26 of 40 runs lose their
      covariance;
    - a gate in absolute standard deviations: up to 27 of 60 runs fail on clean data, because R
      starts too small. The gate as it is does not act on clean data; with 1 % of the measurements
      off by 1.5 standard deviations of the force, failures fall from 31 to 17 of 40 (2 % noise). A
      outlier among the first ten is still harmful.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any,
                 bounds: Bounds | None = None, *, kappa: float = 0.5, iterations: int = 2,
                 memory: float = 150.0,
                 growth: float = 5.0, learn_noise: bool = True, trust: float = 50.0,
                 window: float = 500.0,
                 gate: float = 6.0) -> None:
        for name, value, least in (("kappa", kappa, 0.0), ("memory", memory, 1.0),
                                   ("growth", growth, 0.0),
                                   ("trust", trust, 0.0), ("window", window, 1.0),
                                   ("gate", gate, 0.0)):
            most = LARGEST_SETTING if name in ("kappa", "growth") else inf
            if not least <= value <= most:
                raise InputError("AdaptiveUKF", name, value, f"must be a number from {least:g} to "
                                                             f"{most:g}")
        if iterations < 1:
            raise InputError("AdaptiveUKF", "iterations", iterations, "must be at least 1")
        self.kappa, self.iterations, self.memory, self.growth = kappa, iterations, memory, growth
        self.learn_noise, self.trust, self.window, self.gate = learn_noise, trust, window, gate
        super().__init__(model, process_noise, measurement_noise, bounds)

    def learned_noise(self, estimate: Estimate) -> np.ndarray:
        """The filter's present R, m × m."""
        m = self.model.outputs
        return estimate.own[-m * m:].reshape(m, m).copy()

    def _numbers(self) -> Sequence[float]:
        spread = self.model.states + self.kappa
        return (sqrt(spread), self.kappa / spread, 0.5 / spread, self.growth, self.memory,
                self.trust, self.window,
                self.gate)

    def _begin(self, estimate: Estimate) -> None:
        n = self.model.states
        kind, scale, xi, P, D = plan(self.bounds, estimate.mean, estimate.covariance)
        own = estimate.own
        own[:n] = xi
        own[n:n + n * n] = lower_factor(P).ravel()
        own[n + n * n:n + 2 * n * n] = lower_factor(D @ self.process_noise @ D.T).ravel()
        own[n + 2 * n * n:2 * n + 2 * n * n] = kind
        own[2 * n + 2 * n * n:3 * n + 2 * n * n] = scale
        own[3 * n + 2 * n * n:] = self.measurement_noise.ravel()

    def _own_size(self) -> int:
        n, m = self.model.states, self.model.outputs
        return 3 * n + 2 * n * n + m * m

    def _scratch_size(self) -> int:
        n, m, count = self.model.states, self.model.outputs, 2 * self.model.states + 1
        predict_needs = 4 * count * n + n * n
        update_needs = (2 * count * n + 2 * count * m + m * n + 5 * m * m + 4 * m + n + n * n
                        + 2 * (n + m) ** 2
                        + max(2 * m * m + m, m * n))
        return max(predict_needs, update_needs)

    def _options(self) -> dict[str, int]:
        return {"count": 2 * self.model.states + 1, "iterations": self.iterations,
                "learn": int(self.learn_noise)}
