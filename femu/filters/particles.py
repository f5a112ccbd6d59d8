"""What all particle filters share.

Random draws, likelihood weights, resampling of sets, moments.
"""

from __future__ import annotations

from math import exp, log

from femu.filters.bounds import project
from femu.filters.linalg import copy, factor, helper, solve_lower, usable
from femu.filters.random import normal
from femu.filters.resampling import effective_sample_size, resample
from femu.filters.sigma import LOG_2_PI, channels, no_measurement, note_innovation
from femu.kernels import compiled, inlined, shift

NEVER = -1e300  # logarithm of the likelihood of a particle that cannot be measured


@compiled
def fill_normals(seed, out):
    """Standard normal numbers from the start of a stream; returns the numbers used up."""
    for i in range(out.size):
        out.flat[i] = normal(seed, 2.0 * i)
    return 2.0 * out.size


@inlined
def add_noise(n, root, estimate, row):
    """row <- row + root·(standard normal vector); ``root`` is a lower factor."""
    start = estimate.counter
    for k in range(n):
        number = normal(estimate.seed, start + 2.0 * k)
        for j in range(k, n):
            row[j] += root[j * n + k] * number
    estimate.counter = start + 2.0 * n


@inlined
def keep_within(filter, settings, estimate, row):
    if project(filter.n, filter.nrules, settings.bounds, row):
        estimate.projections += 1.0


def likelihood_size(m: int, count: int) -> int:
    """Workspace of `weigh_particles`."""
    return 4 * m + 2 * m * m + 2 * m * m + m + count


@helper
def weigh_particles(filter, settings, estimate, count, Y, y, auxiliary, note, weights, w):
    """Multiply the weights by the likelihood of measurement y given images Y, and normalise.
    Returns the channels.

    With ``note`` the innovation, its covariance and the likelihood are put into the estimate (Y are
    predictions). q_i = exp(-½ (y - Y_i)' R⁻¹ (y - Y_i)); with the auxiliary factor λ of Wang et al.
    (2021), q_i <- ((λ-1) q_i + q̄)/λ.

    Longer than a page: the channels that were measured, the likelihoods, and what they say of the
    innovation share one workspace.
    """
    m, R = filter.m, settings.R
    index = w
    z = shift(index, m)
    mean = shift(z, m)
    nu = shift(mean, m)
    noise = shift(nu, m)
    Lr = shift(noise, m * m)
    room = shift(Lr, m * m)
    q = shift(room, 2 * m * m + m)
    c = channels(m, y, index)
    if c == 0:
        no_measurement(filter, estimate)
        estimate.effective = effective_sample_size(count, weights)
        return 0
    for a in range(c):
        mean[a] = 0.0
        for b in range(c):
            noise[a * c + b] = R[int(index[a]) * m + int(index[b])]
    estimate.repairs += factor(c, noise, Lr, room)
    best, log_det, measured = NEVER, 0.0, 0.0
    for a in range(c):
        log_det += 2.0 * log(Lr[a * c + a]) if Lr[a * c + a] > 0.0 else 0.0
    for i in range(count):
        q[i] = NEVER
        if not usable(m, shift(Y, i * m)):
            continue
        measured += weights[i]
        total = 0.0
        for a in range(c):
            z[a] = y[int(index[a])] - Y[i * m + int(index[a])]
            mean[a] += weights[i] * Y[i * m + int(index[a])]
        solve_lower(c, Lr, z)
        for a in range(c):
            total -= 0.5 * z[a] * z[a]
        if total > NEVER:  # else too far away for a number
            q[i] = total
            best = max(best, total)
    if best == NEVER:
        # else the particles have taken the measurement, and only their draws have no image
        if note:
            estimate.refused += 1.0
            no_measurement(filter, estimate)
        return 0
    average, evidence = 0.0, 0.0
    for i in range(count):
        q[i] = exp(q[i] - best)
        average += q[i] / count
        evidence += weights[i] * q[i]
    if note and measured == 0.0:
        no_measurement(filter, estimate)
    elif note:
        for a in range(c):
            nu[a] = y[int(index[a])] - mean[a] / measured
        for a in range(c):  # covariance of the predicted output: spread of the particles plus R
            for b in range(c):
                i, j = int(index[a]), int(index[b])
                total = 0.0
                for k in range(count):
                    if usable(m, shift(Y, k * m)):
                        total += weights[k] * (Y[k * m + i]
                                               - mean[a] / measured) * (Y[k * m + j]
                                                                        - mean[b] / measured)
                noise[a * c + b] += total / measured
        note_innovation(filter, estimate, c, index, nu, noise)
        estimate.repairs += factor(c, noise, Lr, room)
        copy(c, nu, z)
        solve_lower(c, Lr, z)
        total = 0.0
        for a in range(c):
            total += z[a] * z[a]
        estimate.nis = total
        if evidence > 0.0:
            estimate.log_likelihood += log(evidence) + best - 0.5 * (c * LOG_2_PI + log_det)
    total = 0.0
    for i in range(count):
        if auxiliary > 0.0:
            q[i] = ((auxiliary - 1.0) * q[i] + average) / auxiliary
        weights[i] *= q[i]
        total += weights[i]
    if total > 0.0:
        for i in range(count):
            weights[i] /= total
    else:
        estimate.refused += 1.0
        for i in range(count):
            weights[i] = 1.0 / count
    estimate.effective = effective_sample_size(count, weights)
    return c


@helper
def choose_parents(estimate, kind, below, count, weights, parents, w):
    """Draw parents if the effective sample size is below its limit (a share of N); True if so."""
    if estimate.effective > below * count * (1.0 + 1e-9):  # equal weights give N up to round-off
        return False
    resample(kind, count, weights, estimate, parents, w)
    for i in range(count):
        weights[i] = 1.0 / count
    estimate.resampled += 1.0
    return True


@helper
def gather(count, width, parents, rows, w):
    """rows <- rows[parents], rows of ``width`` numbers."""
    copy(count * width, rows, w)
    for i in range(count):
        copy(width, shift(w, int(parents[i]) * width), shift(rows, i * width))


@helper
def weighted_moments(count, n, weights, rows, x, P):
    """Weighted mean and covariance of rows.

    A mean is kept between the extremes, which round-off could leave.
    """
    for j in range(n):
        total = 0.0
        for i in range(count):
            total += weights[i] * rows[i * n + j]
        low = high = rows[j]
        for i in range(1, count):
            low, high = min(low, rows[i * n + j]), max(high, rows[i * n + j])
        x[j] = min(max(total, low), high)
    for a in range(n):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                total += weights[i] * (rows[i * n + a] - x[a]) * (rows[i * n + b] - x[b])
            P[a * n + b] = P[b * n + a] = total


@helper
def roughen(filter, settings, estimate, count, amount, rows, P, L, w):
    """Add Gaussian noise of covariance h²P to each row (regularised resampling).

    h = amount · (4/(n+2))^(1/(n+4)) · N^(-1/(n+4)), the width of a Gaussian kernel that is optimal
    for a Gaussian density (Silverman 1986), with P the covariance of the particles.
    """
    n = filter.n
    width = amount * (4.0 / (n + 2.0)) ** (1.0 / (n + 4.0)) * count ** (-1.0 / (n + 4.0))
    estimate.repairs += factor(n, P, L, w)
    for i in range(n * n):
        L[i] *= width
    for i in range(count):
        add_noise(n, L, estimate, shift(rows, i * n))
        keep_within(filter, settings, estimate, shift(rows, i * n))

