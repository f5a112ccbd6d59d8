"""Compensation by a finite impulse response that recursive least squares adapt (Quiroz)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import (
    COMPENSATOR,
    CompiledCompensation,
    a_plant,
    fits,
    positive,
    whole,
)
from femu.experimental.compensation.derivatives import backward_differences, derivative_filter
from femu.experimental.compensation.inverse_series import inverse_series
from femu.experimental.compensation.kernel_parts import filtered, least_squares
from femu.experimental.specimens.plant import Plant
from femu.kernels.compiler import inlined, kernel, shift
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
HEAD = 6
FILTER_ORDER = 4
SPREAD = 0.05  # of each derivative's share of the inverse: its deviation before the test
RIDGE = 1e-4  # of the largest first weight: deviation of each weight on its own


@inlined
def parts(p, s):
    """Filter and first variances; targets and filtered measurements (two rings), place in the rings,
    weights, command, filter states, level, covariances and work."""
    m, taps, span, q = int(p[0]), int(p[1]), int(p[2]), int(p[3])
    length, size = (taps - 1) * span + 1, taps * m
    moves = shift(p, HEAD)
    entry = shift(moves, q * q)
    first = shift(entry, q)
    reached = shift(s, 1 + length * m)
    weights = shift(reached, length * m)
    command = shift(weights, m * size)
    commands = shift(command, m)
    states = shift(commands, q * m)
    level = shift(states, q * m)
    covariance = shift(level, 1)
    work = shift(covariance, m * size * size)
    return moves, entry, first, reached, weights, command, commands, states, level, covariance, work


@inlined
def tap(ring, place, length, m, back, channel):
    """What a ring had ``back`` samples ago."""
    at = place - back
    if at < 0:
        at += length
    return ring[at * m + channel]


@kernel(COMPENSATOR)
def fir_command(p, s, target, out):
    """Weighted sum of targets, ``span`` samples apart."""
    m, taps, span = int(p[0]), int(p[1]), int(p[2])
    length = (taps - 1) * span + 1
    _, _, _, _, weights, command, _, _, _, _, _ = parts(p, s)
    place = int(s[0]) + 1
    if place >= length:
        place = 0
    s[0] = place
    ring = shift(s, 1)
    for k in range(m):
        ring[place * m + k] = target[k]
    for row in range(m):
        total = 0.0
        for k in range(taps):
            for j in range(m):
                total += weights[(row * taps + k) * m + j] * tap(
                    ring, place, length, m, k * span, j
                )
        out[row] = total
        command[row] = total
    return 0


@kernel(COMPENSATOR)
def fir_measured(p, s, now, out):
    """Recursive least squares for the weights of each command.

    Many locals: fields of the compensator, unpacked before the loop.
    """
    m, taps, span, q = int(p[0]), int(p[1]), int(p[2]), int(p[3])
    forgetting, threshold = p[4], p[5]
    length, size = (taps - 1) * span + 1, taps * m
    moves, entry, first, reached, weights, command, commands, states, level, covariance, work = (
        parts(p, s)
    )
    place = int(s[0])
    phi, gain = shift(work, q), shift(work, q + size)
    level[0] *= forgetting
    for k in range(m):
        filtered(shift(commands, k * q), moves, entry, command[k], q, work)
        filtered(shift(states, k * q), moves, entry, now[k], q, work)
        reached[place * m + k] = states[k * q]
        level[0] = max(level[0], abs(states[k * q]))
    if level[0] <= threshold:
        return 0
    for k in range(taps):
        for j in range(m):
            phi[k * m + j] = tap(reached, place, length, m, k * span, j)
    for row in range(m):
        known, own = shift(weights, row * size), shift(covariance, row * size * size)
        error = commands[row * q]
        for k in range(size):
            error -= known[k] * phi[k]
        least_squares(known, own, phi, gain, error, threshold * threshold, forgetting, size)
        for a in range(size):
            known[a] += gain[a]
            most = first[row * size + a]
            if own[a * size + a] > most:  # what the motion does not show is not forgotten further
                share = (most / own[a * size + a]) ** 0.5
                for b in range(size):
                    own[a * size + b] *= share
                    own[b * size + a] *= share
    return 0


class FIRCompensation(CompiledCompensation):
    """Commands by a finite impulse response whose weights adapt (RLS-FIR).

    The command is a weighted sum of ``taps`` targets of all channels, ``spacing`` apart in time. The
    first weights are the inverse of the nominal ``plant`` of third order (or as far as there are
    taps), with its derivatives as differences. They adapt by recursive least squares, which forget
    with the time constant ``window``, on commands and measurements after a low-pass filter
    (Butterworth, ``cutoff`` in cycles a time), while the measured displacement exceeds ``threshold``.
    Weights of several channels cross, so the coupling is learnt too.
    """

    command_kernel = fir_command
    measured_kernel = fir_measured

    def __init__(
        self,
        plant: Plant,
        *,
        threshold: float,
        taps: int = 4,
        spacing: float = 0.001,
        window: float = 4.0,
        cutoff: float = 25.0,
    ) -> None:
        who = "FIRCompensation"
        self.plant, self.taps = a_plant(who, plant), whole(who, "taps", taps, 2, 32)
        self.threshold = positive(who, "threshold", threshold)
        self.spacing = positive(who, "spacing", spacing)
        self.window, self.cutoff = positive(who, "window", window), positive(who, "cutoff", cutoff)

    def settings(self) -> dict[str, Any]:
        names = ("plant", "threshold", "taps", "spacing", "window", "cutoff")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        m, taps, dt = self.size, self.taps, self.dt
        fits("FIRCompensation", self.plant, m)
        span, series, differences = self._inverse(dt)
        first = np.einsum("kij,kt->itj", series, differences)
        moves, entry, _ = derivative_filter(FILTER_ORDER, self.cutoff, dt)
        shares = SPREAD * np.einsum(
            "kij,kt->ikjt", series, differences
        )  # by command and derivative
        prior = np.array([self._covariance(one, first) for one in shares])
        forgetting = float(np.exp(-dt / self.window))
        head = [m, taps, span, FILTER_ORDER, forgetting, self.threshold]
        length, size = (taps - 1) * span + 1, taps * m
        s = np.concatenate(
            [
                np.zeros(1 + 2 * length * m),
                first.ravel(),
                np.zeros(m + 2 * FILTER_ORDER * m + 1),
                prior.ravel(),
                np.zeros(FILTER_ORDER + 2 * size),
            ]
        )
        diagonals = np.array([np.diag(one) for one in prior])
        return np.concatenate([head, moves.ravel(), entry, diagonals.ravel()]), s

    def _inverse(self, dt: float) -> tuple[int, Array, Array]:
        """Samples from tap to tap, inverse of the nominal plant, and weights of its derivatives."""
        dt = positive("FIRCompensation", "dt", dt)
        if not self.spacing / 100.0 <= dt <= 1000.0 * self.spacing:
            rule = f"must be from 1/100 to 1000 times the spacing of the taps, {self.spacing:g}"
            raise InputError("FIRCompensation", "dt", dt, rule)
        span, order = max(1, round(self.spacing / dt)), min(3, self.taps - 1)
        differences = backward_differences(order, span * dt, self.taps - 1 - order)
        return span, inverse_series(self.plant, order, dt), differences

    def state_space(self, dt: float) -> tuple[Array, Array, Array, Array]:
        """The first weights as a linear system whose states are the last targets: A, B, C and D."""
        span, series, differences = self._inverse(dt)
        weights, m = np.einsum("kij,kt->tij", series, differences), self.plant.size
        n = (self.taps - 1) * span * m
        c = np.zeros((m, n))
        for k in range(1, self.taps):
            at = (k * span - 1) * m
            c[:, at : at + m] = weights[k]
        return np.eye(n, k=-m), np.eye(n, m), c, weights[0]

    @staticmethod
    def _covariance(shares: Array, first: Array) -> Array:
        """Of the weights of one command: each derivative of each channel may deviate by its share."""
        orders, m, taps = shares.shape
        parts = np.zeros((orders * m, taps * m))
        for k in range(orders):
            for j in range(m):
                parts[k * m + j, j::m] = shares[k, j]
        ridge = (RIDGE * np.abs(first).max()) ** 2
        return np.asarray(parts.T @ parts + ridge * np.eye(taps * m))
