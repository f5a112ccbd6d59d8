"""Adaptive time series (Chae, Kazemibidokhti and Ricles 2013), with three free coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.adaptive_series import (
    series_command,
    series_least_squares,
    series_vectors,
)
from femu.experimental.compensation.compiled import CompiledCompensation, positive
from femu.experimental.compensation.derivatives import backward_differences, derivative_filter
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
FILTER_ORDER = 4
SPREAD = 0.3  # of each first coefficient: its deviation before the test
RANGES = ((0.7, 1.3), (0.2, 3.0), (0.0, 4.0))  # of a0 itself, of a1 and a2 as shares of the first
RATE = 1.0  # of each first coefficient, in a unit of time


class AdaptiveTimeSeriesCompensation(CompiledCompensation):
    """Commands by an inverse of second order whose three coefficients adapt.

    ::

        command = a0 x + a1 dx/dt + a2 d2x/dt2

    The coefficients fit the commands of the last time to what was measured, by recursive least
    squares that forget with the time constant ``window``; the paper solves a moving window instead.
    Commands and measurements pass through one low-pass filter (Butterworth, ``cutoff`` in cycles a
    time) before.

    ``coefficients`` are the first a0, a1, a2. Nothing adapts while the measured displacement stays
    below ``threshold``. ``ranges`` has the lowest and the highest of each coefficient (0.7 to 1.3 for
    a0, 0.2 to 3 times the first a1, up to 4 times the first a2 if left out), ``rates`` their largest
    change in a unit of time (the first coefficients, if left out).
    """

    command_kernel = series_command
    measured_kernel = series_least_squares

    def __init__(
        self,
        coefficients: npt.ArrayLike,
        *,
        threshold: float,
        window: float = 1.0,
        cutoff: float = 25.0,
        ranges: Sequence[tuple[float, float]] | None = None,
        rates: npt.ArrayLike | None = None,
    ) -> None:
        who = "AdaptiveTimeSeriesCompensation"
        first = as_numbers(who, "coefficients", coefficients)
        if first.shape != (3,) or not np.isfinite(first).all() or not (first > 0.0).all():
            rule = "must be the three first coefficients a0, a1, a2, all above 0"
            raise InputError(who, "coefficients", coefficients, rule)
        self.coefficients = first.tolist()
        self.threshold = positive(who, "threshold", threshold)
        self.window = positive(who, "window", window)
        self.cutoff = positive(who, "cutoff", cutoff)
        low, high = np.transpose(RANGES) * np.array([1.0, first[1], first[2]])
        if ranges is not None:
            given = as_numbers(who, "ranges", ranges)
            if given.shape != (3, 2):
                rule = "must be three pairs: the lowest and the highest of each coefficient"
                raise InputError(who, "ranges", ranges, rule)
            low, high = given[:, 0], given[:, 1]
        if not ((low <= first) & (first <= high)).all():
            rule = "must contain the first coefficients"
            raise InputError(who, "ranges", [low.tolist(), high.tolist()], rule)
        self.ranges = [[float(a), float(b)] for a, b in zip(low, high, strict=True)]
        limits = RATE * first if rates is None else as_numbers(who, "rates", rates)
        if limits.shape != (3,) or not (limits > 0.0).all():
            raise InputError(who, "rates", rates, "must be three numbers above 0")
        self.rates = limits.tolist()

    def settings(self) -> dict[str, Any]:
        names = ("coefficients", "threshold", "window", "cutoff", "ranges", "rates")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        m, dt = self.size, self.dt
        moves, entry, w = derivative_filter(FILTER_ORDER, self.cutoff, dt)
        unit = w ** np.arange(3.0)
        first, limits = np.array(self.coefficients) * unit, np.array(self.rates) * unit * dt
        low, high = np.transpose(self.ranges) * unit

        def each(values: Array) -> Array:
            return np.tile(values, (m, 1))

        return series_vectors(
            m,
            backward_differences(2, dt) / unit[:, None],
            (moves, entry),
            np.eye(3, FILTER_ORDER),
            each(first),
            (each(low), each(high)),
            each(limits),
            each((SPREAD * first) ** 2),
            forgetting=float(np.exp(-dt / self.window)),
            threshold=self.threshold,
        )

    @property
    def present(self) -> Array:
        """Present coefficients of each channel."""
        m, points = self.size, int(self.parameters[1])
        unit = (2.0 * np.pi * self.cutoff) ** np.arange(3.0)
        return np.asarray(self.vector[points * m : points * m + 3 * m].reshape(m, 3) / unit)
