"""Copies of a model along a record, and the normal equations that they give: one sample at a time.

The copies have the unknowns ``X_0 = x̄`` and ``X_i = x̄ + ΔX_i`` and states of their own, which they
had with these unknowns from the start. With their outputs ``f_i`` at sample k, the measured ``y`` and
G the pseudo-inverse of the rows ΔX, ::

    A = G (f_i - f_0),     Ω = mean (f_i - f_0 - A'ΔX_i)²,     r = y - f_0
    w = ρ / (τ (σ² + Ω)),  H += A w A',   b += A w r
    x̂ = x̄ + argmin over the box of ½ δ'(H + W0) δ - (b + W0 (x0 - x̄))'δ,     P = (H + W0)⁻¹

Ω makes a sample near a corner of the law, where the copies differ in kind, count less. τ is the
number of residuals that count as one. A residual that is larger than three deviations gets the
weight ρ = (3σ/e)², if it is alone or one of two: of a longer run all count in full, because a
run is an error of the model. What the first two lack is kept until that is known.
"""

from __future__ import annotations

from math import isfinite

from femu.filters.bounds import project
from femu.filters.copies_fields import CopiesFields, sums_at
from femu.filters.linalg import cholesky, copy, solve_lower, solve_upper
from femu.filters.model import call_model
from femu.kernels import FLOATS, INT, caller, compiled, floats_of, inlined, kernel, routine, shift

copies_at = CopiesFields.at

LARGE = 3.0  # standard deviations from which on a residual is large
ALONE = 2.0  # large residuals in a row that may be outliers
# a sample for which the slopes leave more than this share of the noise variance unexplained
APART = 0.25
# where copies differ in kind for more than this share of the samples, what lies between them is not
# known: the centre, which has followed the record, is the estimate until the minimum is this many
# deviations of the posterior (of each unknown) away
BENT, FAR = 0.02, 1.0
MOST = 8  # steps of the active set for each unknown, at most
ACTIVE = 1e-12  # share of a step by which two bounds are reached together
NAN = float("nan")


def scratch_size(p: int) -> int:
    """Numbers of scratch that a sample needs."""
    return 3 * p * p + 8 * p


@inlined
def _start(array):
    return floats_of(array, 0)


@routine
def _one_more(p, A, weight, weighted, H, b):
    """Add the weighted slopes A of one output to normal equations."""
    for i in range(p):
        b[i] += weighted * A[i]
        share = weight * A[i]
        for j in range(p):
            H[i * p + j] += share * A[j]


@routine
def _slopes_of(copies, c, A):
    """Slopes A of output c by the unknowns, and the mean square of what they leave unexplained."""
    p, m, others = copies.p, copies.m, copies.count - 1
    f, offsets, slopes = copies.images, copies.offsets, copies.slopes
    f0, bent = f[c], 0.0
    for j in range(p):
        slope = 0.0
        for i in range(others):
            slope += slopes[j * others + i] * (f[(i + 1) * m + c] - f0)
        A[j] = slope
    for i in range(others):
        rest = f[(i + 1) * m + c] - f0
        for j in range(p):
            rest -= A[j] * offsets[i * p + j]
        bent += rest * rest
    return bent / max(others, 1)


@routine
def _add(p, sums, c, A, weight, r, ratio):
    """Output c in the sums; ``ratio`` is its squared error over that from which on it is large."""
    H, b = sums.H, sums.b
    waiting_H, waiting_b = shift(sums.pending_H, c * p * p), shift(sums.pending_b, c * p)
    if ratio <= 1.0:
        sums.large[c] = 0.0
        share = weight
    else:
        sums.large[c] += 1.0
        share = weight / ratio if sums.large[c] <= ALONE else weight
    _one_more(p, A, share, share * r, H, b)
    if 0.0 < sums.large[c] <= ALONE:
        _one_more(p, A, weight - share, (weight - share) * r, waiting_H, waiting_b)
        return
    kept = 1.0 if sums.large[c] > 0.0 else 0.0  # a run counts in full, what was alone does not
    for i in range(p * p):
        H[i] += kept * waiting_H[i]
        waiting_H[i] = 0.0
    for i in range(p):
        b[i] += kept * waiting_b[i]
        waiting_b[i] = 0.0


@routine
def _forget(copies, sums):
    """Older samples count for less."""
    keep, p = copies.keep[0], copies.p
    if keep < 1.0:
        for i in range(p * p):
            sums.H[i] *= keep
        for i in range(p):
            sums.b[i] *= keep


@routine
def _learn(copies, sums, y):
    """The sample in the sums."""
    p, m, f = copies.p, copies.m, copies.images
    noise, correlation, delta, P = copies.noise, copies.correlation, sums.delta, sums.P
    A = copies.scratch
    _forget(copies, sums)
    for c in range(m):
        sums.innovation[c] = sums.innovation_variance[c] = NAN
        if not isfinite(y[c]):
            continue
        total = 0.0
        for i in range(copies.count):
            total += f[i * m + c] * 0.0
        if total != 0.0:
            sums.lost += 1.0
            continue
        bent = _slopes_of(copies, c, A)
        r, e, spread = y[c] - f[c], y[c] - f[c], 0.0
        for i in range(p):
            e -= A[i] * delta[i]
            for j in range(p):
                spread += A[i] * P[i * p + j] * A[j]
        variance = noise[c] + bent
        sums.innovation[c], sums.innovation_variance[c] = e, variance + spread
        if isfinite(variance):  # the noise is known
            sums.used += 1.0
            sums.bent += 1.0 if bent > APART * noise[c] else 0.0
            ratio = e * e / (LARGE * LARGE * (variance + spread))
            _add(p, sums, c, A, 1.0 / (correlation[c] * variance), r, ratio)


@routine
def _newton(p, M, g, delta, free, w, step):
    """Minimum over the free unknowns, from ``delta``; False if M is not positive."""
    count = 0
    for i in range(p):
        if free[i] != 0.0:
            count += 1
    reduced, factor, rest = w, shift(w, p * p), shift(step, p)
    a = 0
    for i in range(p):
        if free[i] == 0.0:
            continue
        total = g[i]
        for j in range(p):
            total -= M[i * p + j] * delta[j]
        rest[a] = total
        b = 0
        for j in range(p):
            if free[j] != 0.0:
                reduced[a * count + b] = M[i * p + j]
                b += 1
        a += 1
    if not cholesky(count, reduced, factor):
        return False
    solve_lower(count, factor, rest)
    solve_upper(count, factor, rest)
    a = 0
    for i in range(p):
        step[i] = 0.0
        if free[i] != 0.0:
            step[i] = rest[a]
            a += 1
    return True


@routine
def _advance(p, lower, upper, delta, free, step):
    """Along a step up to the first bound; True if there is none on the way."""
    share = 1.0
    for i in range(p):
        if step[i] < 0.0:
            share = min(share, (lower[i] - delta[i]) / step[i])
        elif step[i] > 0.0:
            share = min(share, (upper[i] - delta[i]) / step[i])
    share = max(share, 0.0)
    for i in range(p):
        if free[i] == 0.0:
            continue
        delta[i] += share * step[i]
        near = ACTIVE * (1.0 + abs(step[i]))
        if share < 1.0 and step[i] < 0.0 and delta[i] <= lower[i] + near:
            delta[i], free[i] = lower[i], 0.0
        elif share < 1.0 and step[i] > 0.0 and delta[i] >= upper[i] - near:
            delta[i], free[i] = upper[i], 0.0
    return share >= 1.0


@routine
def _to_free(p, M, g, lower, delta, free):
    """The unknown on its bound that is pulled inwards most; -1 without one."""
    worst, which = 0.0, -1
    for i in range(p):
        if free[i] != 0.0:
            continue
        pull, size = g[i], abs(g[i])
        for j in range(p):
            pull -= M[i * p + j] * delta[j]
            size += abs(M[i * p + j] * delta[j])
        inwards = pull if delta[i] <= lower[i] else -pull
        if inwards > ACTIVE * size and inwards > worst:
            worst, which = inwards, i
    return which


@routine
def minimise(p, M, g, lower, upper, delta, w):
    """``delta`` becomes the minimum of ½ δ'Mδ - g'δ between two bounds, by an active set.

    It starts from ``delta``, clipped. ``w`` has room for 2p² + 3p numbers.
    """
    free, step = shift(w, 2 * p * p), shift(w, 2 * p * p + p)
    for i in range(p):
        delta[i] = min(max(delta[i], lower[i]), upper[i])
        free[i] = 1.0 if lower[i] < delta[i] < upper[i] else 0.0
    for _ in range(MOST * (p + 1)):
        if not _newton(p, M, g, delta, free, w, step):
            return False
        if not _advance(p, lower, upper, delta, free, step):
            continue
        which = _to_free(p, M, g, lower, delta, free)
        if which < 0:
            return True
        free[which] = 1.0
    return True


@routine
def _invert(p, factor, w, P):
    """P = (L L')⁻¹ for a lower factor L; ``w`` has room for p² numbers, the inverse of L."""
    for i in range(p):
        w[i * p + i] = 1.0 / factor[i * p + i] if factor[i * p + i] > 0.0 else 0.0
        for j in range(i):
            total = 0.0
            for k in range(j, i):
                total += factor[i * p + k] * w[k * p + j]
            w[i * p + j] = -total * w[i * p + i]
    for i in range(p):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, p):
                total += w[k * p + i] * w[k * p + j]
            P[i * p + j] = P[j * p + i] = total


@inlined
def moved(copies, sums):
    """Squared distance of the estimate to the centre, in deviations of the posterior."""
    p, total = copies.p, 0.0
    for i in range(p):
        for j in range(p):
            M = sums.H[i * p + j] + copies.prior[i * p + j]
            total += sums.delta[i] * M * sums.delta[j]
    return total


@inlined
def stale(copies, sums, limit):
    """Whether the centre is no longer good enough.

    A copy has no answer, the estimate is farther from the centre than ``limit`` (squared, in
    deviations of the posterior), or the last sample has a large residual: parameters far from the
    centre may explain it.
    """
    large = 0.0
    for c in range(copies.m):
        large += sums.large[c]
    return sums.lost > 0.0 or large > 0.0 or moved(copies, sums) > limit


@routine
def solve(copies, sums):
    """Estimate and covariance from the sums."""
    p, centre, box = copies.p, copies.centre, copies.box
    prior, expected = copies.prior, copies.expected
    H, b, delta, P = sums.H, sums.b, sums.delta, sums.P
    M, w = copies.scratch, shift(copies.scratch, p * p)
    g = shift(w, 2 * p * p + 3 * p)
    lower, upper = shift(g, p), shift(g, 2 * p)
    for i in range(p):
        total = b[i]
        for j in range(p):
            M[i * p + j] = H[i * p + j] + prior[i * p + j]
            total += prior[i * p + j] * (expected[j] - centre[j])
        g[i], lower[i], upper[i] = total, box[i] - centre[i], box[p + i] - centre[i]
    if not minimise(p, M, g, lower, upper, delta, w):
        return
    if copies.nrules > 0:
        for i in range(p):
            g[i] = centre[i] + delta[i]
        project(p, copies.nrules, box, g)
        for i in range(p):
            delta[i] = g[i] - centre[i]
    factor, free, inside = shift(w, p * p), shift(w, 2 * p * p), True
    for i in range(p):
        inside = inside and free[i] != 0.0
    if not inside and not cholesky(p, M, factor):  # inside the box it is there already
        return
    _invert(p, factor, w, P)
    straight = sums.bent <= BENT * sums.used
    far = straight or moved(copies, sums) > FAR * FAR * p
    for i in range(p):
        sums.shift[i] = delta[i] if far else 0.0


@routine
def move(copies, u):
    """All copies through one sample; the status of the model's functions."""
    states, trial, count = copies.states, copies.trial, copies.count
    status = call_model(copies.process, (count, states, u, trial, copies.data))
    if status == 0:
        status = call_model(copies.measurement, (count, trial, u, copies.images, copies.data))
    if status == 0:
        copy(count * copies.n, trial, states)
    return status


@inlined
def take(copies, u, y):
    """One sample; the status of the model's functions."""
    sums = sums_at(copies.sums, copies.p, copies.m)
    status = move(copies, u)
    if status == 0:
        sums.samples += 1.0
        _learn(copies, sums, y)
        solve(copies, sums)
    return status


TAKE = INT(CopiesFields.kernel_type, FLOATS, FLOATS)
"""Signature of `take_sample`: the copies, the inputs and the measurement of a sample."""
call_take = caller(TAKE)


@kernel(TAKE)
def take_sample(copies, u, y):
    """One sample, for kernels that drive copies themselves."""
    return take(copies, u, y)


@compiled
def take_samples(context, inputs, outputs, first, last, soonest, limit):
    """Learn from samples of a record.

    It stops after a sample from number ``soonest`` on after which the centre is `stale`. Returns the
    status of the model's functions, the number of samples that are done, and whether it stopped for
    this reason.
    """
    copies = copies_at(context)
    sums = sums_at(copies.sums, copies.p, copies.m)
    u, y = _start(inputs), _start(outputs)
    for k in range(first, last):
        status = take(copies, shift(u, k * inputs.shape[1]), shift(y, k * outputs.shape[1]))
        if status != 0:
            return status, k, False
        if k + 1 >= soonest and stale(copies, sums, limit):
            return 0, k + 1, True
    return 0, last, False


@compiled
def sum_samples(context, inputs, outputs, last):
    """Learn from samples of a record around a centre that stays the estimate until the end."""
    copies = copies_at(context)
    sums = sums_at(copies.sums, copies.p, copies.m)
    u, y = _start(inputs), _start(outputs)
    for k in range(last):
        status = move(copies, shift(u, k * inputs.shape[1]))
        if status != 0:
            return status
        sums.samples += 1.0
        _learn(copies, sums, shift(y, k * outputs.shape[1]))
    solve(copies, sums)
    return 0


@compiled
def follow(context, inputs, first, last, images):
    """Outputs of all copies along samples of a record."""
    copies = copies_at(context)
    u, width = _start(inputs), copies.count * copies.m
    found = _start(images)
    for k in range(first, last):
        status = move(copies, shift(u, k * inputs.shape[1]))
        if status != 0:
            return status
        copy(width, copies.images, shift(found, (k - first) * width))
    return 0


@compiled
def follow_misfits(context, inputs, outputs, first, last, misfits):
    """Sum of the absolute residuals of each copy and channel along samples of a record."""
    copies = copies_at(context)
    u, y, f, m = _start(inputs), _start(outputs), copies.images, copies.m
    for k in range(first, last):
        status = move(copies, shift(u, k * inputs.shape[1]))
        if status != 0:
            return status
        for i in range(copies.count):
            for c in range(m):
                measured = y[k * m + c]
                if isfinite(measured):
                    misfits[i, c] += abs(measured - f[i * m + c])
    return 0


@compiled
def solve_sums(context):
    """Estimate and covariance from the sums as they are."""
    copies = copies_at(context)
    solve(copies, sums_at(copies.sums, copies.p, copies.m))


@compiled
def moved_by(context):
    """Squared distance of the estimate to the centre, in deviations of the posterior."""
    copies = copies_at(context)
    return moved(copies, sums_at(copies.sums, copies.p, copies.m))
