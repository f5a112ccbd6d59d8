"""Compensation of a delay and an amplitude that are estimated while the test runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compensation import Compensation
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
DERIVATIVES = 3  # displacement, velocity and acceleration


class AdaptiveDelayCompensation(Compensation):
    """Estimates amplitude and delay of the actuator while the test runs.

    The actuator is taken as a pure delay d with an amplitude A, so its inverse is ``command = (x +
    d dx/dt + d^2/2 d2x/dt2) / A``. Both follow by least squares from the commands and what was
    measured in the last ``window`` (time). A servo has another third coefficient than a delay: for
    it, `AdaptiveTimeSeriesCompensation` leaves all three free.

    Until the measured motion exceeds ``threshold`` the estimate stays at amplitude 1 and the
    ``delay`` given. Amplitude and delay stay within ``amplitudes`` and ``delays``.
    """

    def __init__(
        self,
        delay: float,
        *,
        window: float = 1.0,
        threshold: float = 0.0,
        noise: float = 0.0,
        amplitudes: tuple[float, float] = (0.7, 1.3),
        delays: tuple[float, float] | None = None,
    ) -> None:
        for name, value in (("delay", delay), ("threshold", threshold), ("noise", noise)):
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0.0):
                raise InputError("AdaptiveDelayCompensation", name, value, "must not be negative")
        if not (isinstance(window, (int, float)) and math.isfinite(window) and window > 0.0):
            raise InputError("AdaptiveDelayCompensation", "window", window, "must be above 0")
        self._first, self._window, self._threshold = (
            float(delay),
            float(window),
            max(float(threshold), 10.0 * float(noise)),
        )
        self._amplitudes = _ends("amplitudes", amplitudes)
        self._delays = _ends("delays", (0.0, max(4.0 * delay, 0.05)) if delays is None else delays)
        if self._amplitudes[0] == 0.0:
            raise InputError(
                "AdaptiveDelayCompensation", "amplitudes", amplitudes, "must be above 0"
            )

    def settings(self) -> dict[str, Any]:
        return {
            "delay": self._first,
            "window": self._window,
            "threshold": self._threshold,
            "amplitudes": self._amplitudes,
            "delays": self._delays,
        }

    def prepare(self) -> None:
        self._rows = max(8, round(self._window / self.dt))
        n = self.size
        # newest last: targets (3), measured (3), and for each row of the window the command and the
        # measured derivatives
        self._targets, self._measured = np.zeros((DERIVATIVES, n)), np.zeros((DERIVATIVES, n))
        self._commands = np.zeros((2, n))
        self._fit = np.zeros((self._rows, 1 + DERIVATIVES, n))
        self._count = 0
        self.delay, self.amplitude = np.full(n, self._first), np.ones(n)

    def _derivatives(self, values: Array) -> Array:
        """Displacement, velocity and acceleration at the newest of three samples."""
        dt = self.dt
        return np.array(
            [
                values[2],
                (3.0 * values[2] - 4.0 * values[1] + values[0]) / (2.0 * dt),
                (values[2] - 2.0 * values[1] + values[0]) / dt**2,
            ]
        )

    def command(self, target: Array) -> Array:
        self._targets[:-1] = self._targets[1:].copy()
        self._targets[-1] = target
        x, v, a = self._derivatives(self._targets)
        made = (x + self.delay * v + 0.5 * self.delay**2 * a) / self.amplitude
        self._commands[0], self._commands[1] = self._commands[1].copy(), made
        return made

    def measured(self, displacement: Array) -> None:
        self._measured[:-1] = self._measured[1:].copy()
        self._measured[-1] = displacement
        dt, m = self.dt, self._measured
        # central differences at the middle sample, against the command of that instant
        middle = np.array([m[1], (m[2] - m[0]) / (2.0 * dt), (m[2] - 2.0 * m[1] + m[0]) / dt**2])
        self._fit[:-1] = self._fit[1:].copy()
        self._fit[-1, 0], self._fit[-1, 1:] = self._commands[0], middle
        self._count += 1
        if self._count < max(8, self._rows // 2):
            return
        known = self._fit[-min(self._count, self._rows) :]
        for channel in range(self.size):
            moved = known[:, 1, channel]
            if np.ptp(moved) <= self._threshold or np.ptp(moved) == 0.0:
                continue
            # the acceleration is the noisiest column: the delay follows from the first two
            basis = known[:, 1:3, channel]
            try:
                a0, a1 = np.linalg.lstsq(basis, known[:, 0, channel], rcond=None)[0]
            except np.linalg.LinAlgError:  # numbers too large to be squared; the estimate stays
                continue
            if not a0 > 0.0 or not math.isfinite(a1 / a0):
                continue
            self.amplitude[channel] = np.clip(1.0 / a0, *self._amplitudes)
            self.delay[channel] = np.clip(a1 / a0, *self._delays)

    @property
    def state(self) -> Array:
        return np.concatenate(
            [
                [float(self._count)],
                self.delay,
                self.amplitude,
                *(p.ravel() for p in (self._targets, self._measured, self._commands, self._fit)),
            ]
        )

    def restore(self, state: Array) -> None:
        n = self.size
        parts = (self._targets, self._measured, self._commands, self._fit)
        count, delay, amplitude, *rest = np.split(
            state, np.cumsum([1, n, n, *(p.size for p in parts)])[:-1]
        )
        self._count, self.delay[:], self.amplitude[:] = int(count[0]), delay, amplitude
        for part, values in zip(parts, rest, strict=True):
            part[:] = values.reshape(part.shape)


def _ends(argument: str, given: Any) -> tuple[float, float]:
    """The smallest and the largest of what may be estimated."""
    found = as_numbers("AdaptiveDelayCompensation", argument, given)
    if found.shape != (2,) or not 0.0 <= found[0] <= found[1] < math.inf:
        raise InputError(
            "AdaptiveDelayCompensation",
            argument,
            given,
            "must be the smallest and the largest, none of them negative",
        )
    return float(found[0]), float(found[1])
