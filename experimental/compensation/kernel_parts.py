"""Steps that the kernels of several compensators share."""

from __future__ import annotations

from femu.kernels.compiler import inlined


@inlined
def remember(s, target, m, points):
    """Put a target in front of the last ones, which are stored newest first."""
    for k in range(points * m - 1, m - 1, -1):
        s[k] = s[k - m]
    for k in range(m):
        s[k] = target[k]


@inlined
def advance(w, transition, before, after, last, now, n, m, work):
    """One step of the part of the inverse that has states."""
    for row in range(n):
        total = 0.0
        for k in range(n):
            total += transition[row * n + k] * w[k]
        for k in range(m):
            total += before[row * m + k] * last[k] + after[row * m + k] * now[k]
        work[row] = total
    for row in range(n):
        w[row] = work[row]


@inlined
def filtered(x, transition, entry, value, q, work):
    """One step of a filter of one channel."""
    for row in range(q):
        total = entry[row] * value
        for k in range(q):
            total += transition[row * q + k] * x[k]
        work[row] = total
    for row in range(q):
        x[row] = work[row]


@inlined
def least_squares(theta, covariance, phi, gain, error, noise, forgetting, size):
    """One step of recursive least squares with forgetting, and the change that it wants in ``gain``.

    The covariance stays symmetric; it is left as it is if the sample says nothing.
    """
    total = noise
    for a in range(size):
        gain[a] = 0.0
        for b in range(size):
            gain[a] += covariance[a * size + b] * phi[b]
    for a in range(size):
        total += gain[a] * phi[a]
    if not total > 0.0:
        for a in range(size):
            gain[a] = 0.0
        return
    for a in range(size):
        for b in range(size):
            covariance[a * size + b] -= gain[a] * gain[b] / total
            covariance[a * size + b] /= forgetting
    for a in range(size):
        gain[a] *= error / total
