"""The algebra that all sigma-point filters share.

Points X_i (rows) with weights Wm (mean) and Wc (covariance) carry a mean and a covariance through a
function:

    x̂ = Σ Wm X_i,  P = Σ Wc (X_i - x̂)(X_i - x̂)' + Q
    ŷ = Σ Wm Y_i,  S = Σ Wc (Y_i - ŷ)(Y_i - ŷ)' + R,  C = Σ Wc (X_i - x̂)(Y_i - ŷ)',  K = C S⁻¹

The correction x̂ + K(y - ŷ), P - K S K' is written as a sum of squares,

    P = Σ Wc e_i e_i' + K R K' (+ Q),   e_i = (X_i - x̂) - K (Y_i - ŷ),

which is the same matrix (expand it and use C = K S) and cannot lose positive definiteness while the
weights are not negative. Q is added where the points were not redrawn from the predicted
covariance, because then they lack it.
"""

from __future__ import annotations

from math import inf, isfinite, isnan, log, pi, sqrt

from femu.filters.linalg import all_finite, copy, factor, helper, solve_lower, solve_upper, usable
from femu.kernels import inlined, shift
from femu.support.errors import InputError

LARGEST_KAPPA, SMALLEST_ALPHA, LARGEST_ALPHA = 1e6, 1e-6, 1e3
LOG_2_PI = log(2.0 * pi)
NAN = float("nan")
# a second difference this many times larger than everything around it is not one to average with
TOO_LARGE = 100.0


def check_kappa(what: str, n: int, kappa: float) -> float:
    """The rule for κ of n states: their points are √(n+κ) standard deviations away."""
    if not -n < kappa <= LARGEST_KAPPA:
        raise InputError(what, "kappa", kappa, f"must be a number above -n = {-n}, at most "
                                               f"{LARGEST_KAPPA:g}")
    return float(kappa)


def check_margin(what: str, margin: float) -> float:
    """The rule for the margin between a mean and its bounds."""
    if not 0.0 <= margin <= 1.0:
        raise InputError(what, "margin", margin, "must be from 0 to 1 standard deviations")
    return float(margin)


def unscented(what: str, n: int, kappa: float, alpha: float | None,
              beta: float) -> tuple[float, tuple[float, float, float]]:
    """Step θ of the points and weights (Wm_0, Wc_0, W_i).

    Julier's form, or with α the scaled one; see `UKF`.
    """
    check_kappa(what, n, kappa)
    if alpha is not None and not SMALLEST_ALPHA <= abs(alpha) <= LARGEST_ALPHA:
        raise InputError(what, "alpha", alpha, f"must be of a size from {SMALLEST_ALPHA:g} to "
                                               f"{LARGEST_ALPHA:g}")
    if not -inf < beta < inf:
        raise InputError(what, "beta", beta, "must be a finite number")
    scale = 1.0 if alpha is None else alpha**2
    spread = scale * (n + kappa)
    first = (spread - n) / spread
    return sqrt(spread), (first, first if alpha is None else first + 1.0 - scale + beta,
                          0.5 / spread)


@inlined
def draw(n, x, L, step, centre, X):
    """Rows x (if ``centre``), x + step·column, x - step·column of the lower factor L.

    Returns their number.
    """
    if centre:
        copy(n, x, X)
    for i in range(n):
        plus, minus = shift(X, (centre + i) * n), shift(X, (centre + n + i) * n)
        for j in range(n):
            spread = step * L[j * n + i]
            plus[j] = x[j] + spread
            minus[j] = x[j] - spread
    return centre + 2 * n


@inlined
def weigh(count, centre, mean_0, covariance_0, others, wm, wc):
    """Weights of the points: those of the centre, and one for all others."""
    for i in range(count):
        wm[i] = wc[i] = others
    if centre:
        wm[0], wc[0] = mean_0, covariance_0


@inlined
def reach(n, points, x, j):
    """How far the points x + s_i lie from x in state j, at the most."""
    most = 0.0
    for i in range(1, n + 1):
        most = max(most, abs(points[i * n + j] - x[j]))
    return most


@helper
def replace_lost(count, n, points, images, centre):
    """Images that are not `usable`: as that of the first point if that is the centre of the set,
    else as the mean of the others; where there is no other, the points stay where they are. Returns
    the number of lost images.
    """
    lost, first = 0, 0
    for i in range(count - 1, -1, -1):
        if not usable(n, shift(images, i * n)):
            lost += 1
            first = i
    if lost == 0:
        return 0
    if lost == count:
        copy(count * n, points, images)
        return lost
    reference = shift(images, first * n)
    if centre and first > 0:
        copy(n, images, reference)
    else:
        for j in range(n):
            total = 0.0
            for i in range(count):
                if i != first and usable(n, shift(images, i * n)):
                    total += images[i * n + j]
            reference[j] = total / (count - lost)
    for i in range(first + 1, count):
        row = shift(images, i * n)
        if not usable(n, row):
            copy(n, reference, row)
    return lost


@helper
def settle(count, n, points, images, x, centre, tame, estimate):
    """Replace images that are lost, see `replace_lost`; ``centre`` says whether the first point is
    the centre of the set.

    With ``tame`` (points x, x + s_i, x - s_i) an image that leaps away counts as lost too: an
    explicit integrator has blown up there. A pair is tested by its second difference, which
    vanishes for a linear function however steep: it is too large if it exceeds TOO_LARGE times the size of x,
    of its step and of the spread of all points in that state, and the image further from the centre
    is replaced, or both. Returns the number of replaced images, counted in the estimate.
    """
    lost = replace_lost(count, n, points, images, centre)
    if tame:
        for i in range(1, n + 1):
            plus, minus = shift(images, i * n), shift(images, (n + i) * n)
            for _ in range(2):
                worst = 0
                for j in range(n):
                    up, down = plus[j] - images[j], minus[j] - images[j]
                    size = abs(x[j]) + abs(images[j] - x[j]) + abs(points[i * n + j] - x[j])
                    if abs(up + down) > TOO_LARGE * size and abs(up
                                                            + down) > TOO_LARGE * (size + reach(n, points, x, j)):
                        worst = i if abs(up) > abs(down) else n + i
                if worst == 0:
                    break
                copy(n, images, shift(images, worst * n))
                lost += 1
    estimate.lost_points += lost
    return lost


@helper
def moments(count, n, wm, wc, X, Q, x, P):
    """Mean and covariance (plus Q) of weighted rows."""
    for j in range(n):
        total = 0.0
        for i in range(count):
            total += wm[i] * X[i * n + j]
        x[j] = total
    for a in range(n):
        for b in range(a + 1):
            P[a * n + b] = Q[a * n + b]
    for i in range(count):
        row = shift(X, i * n)
        for a in range(n):
            weighted = wc[i] * (row[a] - x[a])
            for b in range(a + 1):
                P[a * n + b] += weighted * (row[b] - x[b])
    for a in range(n):
        for b in range(a):
            P[b * n + a] = P[a * n + b]


@inlined
def break_down(filter, estimate, x):
    """Mark a filter without repairs as broken: its estimate is not a number from here on."""
    estimate.broken = estimate.steps
    for i in range(filter.n + filter.n * filter.n):
        x[i] = NAN


@inlined
def gain_room(n, m, count):
    return 4 * m + count * m + 3 * m * m + 2 * n * m + n + 2 * m * m + m


def gain_size(n: int, m: int, count: int) -> int:
    """Workspace of `gain`."""
    return int(gain_room.py_func(n, m, count))


@inlined
def gain_parts(n, m, count, w):
    """Parts of the workspace of `gain`.

    Index, ŷ, ν, R of the channels, Y - ŷ, S, factor of S, K, x̂ of the points.
    """
    index = w
    predicted = shift(index, m)
    nu = shift(predicted, m)
    z = shift(nu, m)
    noise = shift(z, m)
    dY = shift(noise, m * m)
    S = shift(dY, count * m)
    Ls = shift(S, m * m)
    K = shift(Ls, m * m)
    middle = shift(K, 2 * n * m)
    return index, predicted, nu, z, noise, dY, S, Ls, K, middle, shift(middle, n)


@inlined
def channels(m, y, index):
    """Indices of the channels that were measured; returns their number."""
    count = 0
    for j in range(m):
        if not isnan(y[j]):
            index[count] = j
            count += 1
    return count


@inlined
def no_measurement(filter, estimate):
    estimate.channels = 0.0
    estimate.nis = NAN
    innovation = estimate.innovation
    for i in range(filter.m + filter.m * filter.m):
        innovation[i] = NAN


@helper
def note_innovation(filter, estimate, c, index, nu, S):
    """Put the innovation and its covariance into the estimate, NaN if a channel was missing."""
    m = filter.m
    no_measurement(filter, estimate)
    innovation = estimate.innovation
    spread = shift(innovation, m)
    for a in range(c):
        innovation[int(index[a])] = nu[a]
        for b in range(c):
            spread[int(index[a]) * m + int(index[b])] = S[a * c + b]
    estimate.channels = c


@helper
def gain(filter, settings, estimate, count, wm, wc, X, Y, y, w):
    """Innovation and gain from points X and their images Y; returns the number of measured
    channels.

    Notes innovation, its covariance, NIS and log-likelihood in the estimate.

    Many arguments and locals: parts of one workspace.
    """
    n, m = filter.n, filter.m
    index, predicted, nu, z, noise, dY, S, Ls, K, middle, room = gain_parts(n, m, count, w)
    c = channels(m, y, index)
    if c == 0:
        no_measurement(filter, estimate)
        return 0
    R = settings.R
    for a in range(c):
        j = int(index[a])
        total = 0.0
        for i in range(count):
            total += wm[i] * Y[i * m + j]
        predicted[a] = total
        nu[a] = y[j] - total
        for i in range(count):
            dY[i * c + a] = Y[i * m + j] - total
        for b in range(c):
            noise[a * c + b] = R[j * m + int(index[b])]
    for j in range(n):
        total = 0.0
        for i in range(count):
            total += wm[i] * X[i * n + j]
        middle[j] = total
    for a in range(c):
        for b in range(a + 1):
            total = noise[a * c + b]
            for i in range(count):
                total += wc[i] * dY[i * c + a] * dY[i * c + b]
            S[a * c + b] = S[b * c + a] = total
        for j in range(n):
            total = 0.0
            for i in range(count):
                total += wc[i] * dY[i * c + a] * (X[i * n + j] - middle[j])
            K[j * c + a] = total
    finish_gain(filter, estimate, c, index, nu, z, S, Ls, K, room)
    return c


@helper
def finish_gain(filter, estimate, c, index, nu, z, S, Ls, K, room):
    """Factor S, turn the cross-covariance in K into the gain, note NIS and log-likelihood."""
    n = filter.n
    estimate.repairs += factor(c, S, Ls, room)
    copy(c, nu, z)
    solve_lower(c, Ls, z)
    nis, log_det = 0.0, 0.0
    for a in range(c):
        nis += z[a] * z[a]
        log_det += 2.0 * log(Ls[a * c + a]) if Ls[a * c + a] > 0.0 else 0.0
    for j in range(n):
        row = shift(K, j * c)
        solve_lower(c, Ls, row)
        solve_upper(c, Ls, row)
    note_innovation(filter, estimate, c, index, nu, S)
    note_likelihood(estimate, c, nis if usable(c, nu) and all_finite(c * c, S) else NAN, log_det)


@inlined
def note_likelihood(estimate, c, nis, log_det):
    """Note NIS and log-likelihood of an update with c channels.

    An update that is not finite adds nothing.
    """
    estimate.nis = nis
    value = estimate.log_likelihood - 0.5 * (nis + c * LOG_2_PI + log_det)
    if isfinite(value):
        estimate.log_likelihood = value


@helper
def squares(n, c, count, wc, X, middle, dY, K, noise, P):
    """P <- Σ Wc e e' + K R K' with e = (X - x̂) - K (Y - ŷ).

    See the module's docstring. X becomes the rows e.
    """
    for i in range(count):
        row = shift(X, i * n)
        for j in range(n):
            total = row[j] - middle[j]
            for a in range(c):
                total -= K[j * c + a] * dY[i * c + a]
            row[j] = total
    for a in range(n):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                total += wc[i] * X[i * n + a] * X[i * n + b]
            P[a * n + b] = total
    add_gain_noise(n, c, K, noise, P)


@helper
def add_gain_noise(n, c, K, noise, P):
    """P <- P + K R K' on the lower triangle, then mirrored."""
    for a in range(n):
        for k in range(c):
            total = 0.0
            for l in range(c):
                total += K[a * c + l] * noise[l * c + k]
            for b in range(a + 1):
                P[a * n + b] += total * K[b * c + k]
    for a in range(n):
        for b in range(a):
            P[b * n + a] = P[a * n + b]


@helper
def accept(filter, estimate, new_x, new_P, x, P):
    """Take over a corrected mean and covariance if they and the NIS are finite.

    Else keep the prediction and count it.
    """
    n = filter.n
    if isfinite(estimate.nis) and all_finite(n, new_x) and all_finite(n * n, new_P):
        copy(n, new_x, x)
        copy(n * n, new_P, P)
        return True
    estimate.refused += 1.0
    return False
