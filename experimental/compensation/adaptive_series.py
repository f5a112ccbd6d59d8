"""Kernels of compensators whose command is linear in a few coefficients that adapt.

Each channel has coefficients b, and its command is the sum of b_r (W_r x), x its last targets. The
commands and the measurements pass through one low-pass filter; its states z for the measurements give
the same features V_r z, and the coefficients follow from filtered command = sum of b_r (V_r z): by
recursive least squares with forgetting, or down the gradient of the squared error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import COMPENSATOR
from femu.experimental.compensation.kernel_parts import filtered, least_squares, remember
from femu.kernels.compiler import inlined, kernel, shift

Array = npt.NDArray[np.float64]
HEAD = 8


@inlined
def parameter_parts(p):
    """Weights of the targets, filter, weights of its states, lowest and highest coefficients, largest
    change in a step, gains or first variances."""
    m, points, rows, q = int(p[0]), int(p[1]), int(p[2]), int(p[3])
    weights = shift(p, HEAD)
    moves = shift(weights, rows * points)
    entry = shift(moves, q * q)
    features = shift(entry, q)
    low = shift(features, rows * q)
    high = shift(low, m * rows)
    change = shift(high, m * rows)
    first = shift(change, m * rows)
    return weights, moves, entry, features, low, high, change, first


@inlined
def state_parts(p, s):
    """Coefficients, command, filtered commands and measurements, level, covariances and work, after
    the targets."""
    m, points, rows, q = int(p[0]), int(p[1]), int(p[2]), int(p[3])
    theta = shift(s, points * m)
    command = shift(theta, m * rows)
    commands = shift(command, m)
    reached = shift(commands, q * m)
    level = shift(reached, q * m)
    covariance = shift(level, m)
    work = shift(covariance, m * rows * rows)
    return theta, command, commands, reached, level, covariance, work


@kernel(COMPENSATOR)
def series_command(p, s, target, out):
    """Sum of coefficients times features of the targets."""
    m, points, rows = int(p[0]), int(p[1]), int(p[2])
    weights, _, _, _, _, _, _, _ = parameter_parts(p)
    theta, command, _, _, _, _, _ = state_parts(p, s)
    remember(s, target, m, points)
    for channel in range(m):
        total = 0.0
        for row in range(rows):
            feature = 0.0
            for k in range(points):
                feature += weights[row * points + k] * s[k * m + channel]
            total += theta[channel * rows + row] * feature
        out[channel] = total
        command[channel] = total
    return 0


@inlined
def error_of(p, s, channel, now):
    """Filter the command and the measurement of a channel, write the features and return the error of
    the filtered command."""
    rows, q = int(p[2]), int(p[3])
    _, moves, entry, features, _, _, _, _ = parameter_parts(p)
    theta, command, commands, reached, _, _, work = state_parts(p, s)
    sent, states, phi = shift(commands, channel * q), shift(reached, channel * q), shift(work, q)
    filtered(sent, moves, entry, command[channel], q, work)
    filtered(states, moves, entry, now[channel], q, work)
    error = sent[0]
    for row in range(rows):
        phi[row] = 0.0
        for k in range(q):
            phi[row] += features[row * q + k] * states[k]
        error -= theta[channel * rows + row] * phi[row]
    return error


@inlined
def move_coefficients(p, s, channel, wanted):
    """Change the coefficients, no faster than they may and within their range."""
    rows = int(p[2])
    _, _, _, _, low, high, change, _ = parameter_parts(p)
    theta, _, _, _, _, _, _ = state_parts(p, s)
    for row in range(rows):
        at = channel * rows + row
        step = min(max(wanted[row], -change[at]), change[at])
        theta[at] = min(max(theta[at] + step, low[at]), high[at])


@kernel(COMPENSATOR)
def series_least_squares(p, s, now, out):
    """Recursive least squares while the measured motion exceeds a threshold.

    Many locals: fields of the compensator, unpacked before the loop.
    """
    m, rows, q, forgetting, threshold = int(p[0]), int(p[2]), int(p[3]), p[4], p[5]
    _, _, _, _, _, _, _, first = parameter_parts(p)
    theta, _, _, reached, level, covariance, work = state_parts(p, s)
    phi, gain = shift(work, q), shift(work, q + rows)
    for channel in range(m):
        error = error_of(p, s, channel, now)
        own = shift(covariance, channel * rows * rows)
        level[channel] = max(abs(reached[channel * q]), forgetting * level[channel])
        if level[channel] <= threshold:
            continue
        known = shift(theta, channel * rows)
        least_squares(known, own, phi, gain, error, threshold * threshold, forgetting, rows)
        for a in range(rows):
            most = first[channel * rows + a]
            if own[a * rows + a] > most:  # what the motion does not show is not forgotten further
                share = (most / own[a * rows + a]) ** 0.5
                for b in range(rows):
                    own[a * rows + b] *= share
                    own[b * rows + a] *= share
        move_coefficients(p, s, channel, gain)
    return 0


@kernel(COMPENSATOR)
def series_gradient(p, s, now, out):
    """A step down the gradient of the squared error.

    It is implicit, b_1 = b_0 + dt gain phi e(b_1), so it is stable with any gain.
    """
    m, rows, q, dt = int(p[0]), int(p[2]), int(p[3]), p[6]
    _, _, _, _, _, _, _, first = parameter_parts(p)
    _, _, _, _, _, _, work = state_parts(p, s)
    phi, gain = shift(work, q), shift(work, q + rows)
    for channel in range(m):
        error = error_of(p, s, channel, now)
        below = 1.0
        for row in range(rows):
            below += dt * first[channel * rows + row] * phi[row] * phi[row]
        for row in range(rows):
            gain[row] = dt * first[channel * rows + row] * phi[row] * error / below
        move_coefficients(p, s, channel, gain)
    return 0


def series_vectors(
    m: int,
    weights: Array,
    filter_: tuple[Array, Array],
    features: Array,
    start: Array,
    ranges: tuple[Array, Array],
    change: Array,
    first: Array,
    forgetting: float = 1.0,
    threshold: float = 0.0,
    dt: float = 0.0,
) -> tuple[Array, Array]:
    """Parameters and state. ``start``, the ranges, ``change`` and ``first`` are by channel and
    coefficient; ``first`` has the first variances, or the gains of the gradient."""
    rows, points = weights.shape
    q = len(filter_[1])
    head = [m, points, rows, q, forgetting, threshold, dt, 0.0]
    blocks: tuple[Any, ...] = (weights, *filter_, features, *ranges, change, first)
    p = np.concatenate([head, *(np.ravel(block) for block in blocks)])
    covariances = np.array([np.diag(one) for one in first])
    s = np.concatenate(
        [
            np.zeros(points * m),
            np.ravel(start),
            np.zeros(m + 2 * q * m + m),
            np.ravel(covariances),
            np.zeros(q + 2 * rows),
        ]
    )
    return p, s
