"""Compensation of the delay of an actuator: what is commanded so that the specimen is where it
should be, when it should be.

A compensator is between the target and the command, channel by channel, at equal steps of time.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.safety.limits import Guard, Limits
from femu.experimental.specimens.specimen import Measurement, Specimen, checked
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
DERIVATIVES = 3  # displacement, velocity and acceleration


class Compensation:
    """Base of the compensators, and the one that does nothing."""

    def start(self, size: int, dt: float) -> None:
        """Begin a test with this number of channels and this time step."""
        if not (isinstance(dt, (int, float)) and math.isfinite(dt) and dt > 0.0):
            raise InputError(type(self).__name__, "dt", dt, "must be above 0")
        self.size, self.dt = size, float(dt)
        self.prepare()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.settings().items())})"

    def settings(self) -> dict[str, Any]:
        """What it was made with: a resumed test must have the same."""
        return {}

    def prepare(self) -> None:
        """Make room for what is remembered."""

    def command(self, target: Array) -> Array:
        """Command for the target of this step."""
        return target

    def measured(self, displacement: Array) -> None:
        """What was reached with the last command."""

    @property
    def state(self) -> Array:
        """Everything that changes."""
        return np.zeros(0)

    def restore(self, state: Array) -> None:
        """Continue from a state."""


class PolynomialCompensation(Compensation):
    """Extrapolates the targets by the ``delay``, with a polynomial through the last ``order`` + 1
    of them (Horiuchi)."""

    def __init__(self, delay: float, order: int = 3) -> None:
        if not (isinstance(delay, (int, float)) and math.isfinite(delay) and delay >= 0.0):
            raise InputError("PolynomialCompensation", "delay", delay, "must not be negative")
        if not isinstance(order, int) or not 0 <= order <= 6:
            raise InputError(
                "PolynomialCompensation", "order", order, "must be a whole number from 0 to 6"
            )
        self.delay, self.order = float(delay), order

    def settings(self) -> dict[str, Any]:
        return {"delay": self.delay, "order": self.order}

    def prepare(self) -> None:
        x = self.delay / self.dt
        places = -np.arange(self.order + 1.0)
        # Lagrange's weights at x for points at 0, -1, -2, ...
        self._weights = np.array(
            [np.prod([(x - b) / (a - b) for b in places if b != a]) for a in places]
        )
        self._targets = np.zeros((self.order + 1, self.size))

    def command(self, target: Array) -> Array:
        self._targets[1:] = self._targets[:-1].copy()
        self._targets[0] = target
        return self._weights @ self._targets

    @property
    def state(self) -> Array:
        return self._targets.ravel().copy()

    def restore(self, state: Array) -> None:
        self._targets[:] = np.reshape(state, self._targets.shape)


class AdaptiveCompensation(Compensation):
    """Estimates amplitude and delay of the actuator while the test runs (adaptive time series, Chae
    et al. 2013).

    The inverse of the actuator is taken as ``command = a0 x + a1 dx/dt + a2 d2x/dt2``. Its
    coefficients follow by least squares from the commands and what was measured in the last
    ``window`` (time), and turn the targets into commands. An actuator of amplitude A and delay d
    has a0 = 1/A, a1 = d/A, a2 = d^2/(2 A).

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
                raise InputError("AdaptiveCompensation", name, value, "must not be negative")
        if not (isinstance(window, (int, float)) and math.isfinite(window) and window > 0.0):
            raise InputError("AdaptiveCompensation", "window", window, "must be above 0")
        self._first, self._window, self._threshold = (
            float(delay),
            float(window),
            max(float(threshold), 10.0 * float(noise)),
        )
        self._amplitudes = _ends("amplitudes", amplitudes)
        self._delays = _ends("delays", (0.0, max(4.0 * delay, 0.05)) if delays is None else delays)
        if self._amplitudes[0] == 0.0:
            raise InputError("AdaptiveCompensation", "amplitudes", amplitudes, "must be above 0")

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
    found = as_numbers("AdaptiveCompensation", argument, given)
    if found.shape != (2,) or not 0.0 <= found[0] <= found[1] < math.inf:
        raise InputError(
            "AdaptiveCompensation",
            argument,
            given,
            "must be the smallest and the largest, none of them negative",
        )
    return float(found[0]), float(found[1])


class CompensatedSpecimen(Specimen):
    """A specimen with a compensator in front, for use without an element, at equal steps ``dt``.

    The ``limits`` are checked on what leaves; the velocity of the first command counts over one
    step. In a model, give the compensation to the experimental element instead; also where the
    specimen is served over a network, to which a client sends nothing while its target rests.
    """

    every_step = True  # the compensation counts on equal steps

    def __init__(
        self,
        specimen: Specimen,
        compensation: Compensation,
        dt: float,
        limits: Limits | None = None,
    ) -> None:
        self.specimen, self.compensation, self.size = specimen, compensation, specimen.size
        self._guard = Guard(limits or Limits(), specimen.size, specimen.initial_stiffness())
        compensation.start(specimen.size, dt)

    def begin_test(self) -> None:
        # else it extrapolates from the end of the test before
        self.compensation.start(self.size, self.compensation.dt)
        self._guard.time = None
        self.specimen.begin_test()

    def open(self) -> None:
        self.specimen.open()
        if self._guard.time is None and self._guard.from_place:
            self.reading(np.zeros(self.size))

    def apply(self, command: Array, time: float) -> Measurement:
        if self._guard.time is None:
            # the first command is a step as all others
            self._guard.time = time - self.compensation.dt
        ahead = self.compensation.command(np.asarray(command, dtype=float))
        self._guard.check(ahead, time)
        self._guard.sent(ahead, time)
        raw: Measurement | None = None
        try:
            raw = self.specimen.apply(ahead.copy(), time)
            return self._validated(raw, time)
        except BaseException as problem:
            if raw is not None:
                # an exception that takes nothing on must not be hidden by it
                with contextlib.suppress(Exception):
                    problem.measurement = raw  # type: ignore[attr-defined]  # for the journal
            raise

    def _validated(self, raw: Measurement, time: float) -> Measurement:
        measured = checked(raw, self.size, "The specimen")
        self._guard.measured(measured, time)
        self.compensation.measured(measured.displacement)
        return measured

    def replay(self, command: Array, measured: Measurement) -> None:
        self._guard.sent(self.compensation.command(np.asarray(command, dtype=float)), measured.time)
        self._validated(measured, measured.time)

    def reading(self, last: Array) -> Measurement | None:
        standing = self.specimen.reading(last)
        if standing is not None:
            self._guard.set_position(checked(standing, self.size, "The specimen"))
        return standing

    def name_actuators(self, who: str, names: tuple[str, ...]) -> None:
        self._guard.who, self._guard.names = who, names
        self.specimen.name_actuators(who, names)

    @property
    def can_be_read(self) -> bool:
        return self.specimen.can_be_read

    @property
    def physical(self) -> bool:
        return self.specimen.physical

    @property
    def moved(self) -> Specimen:
        return self.specimen.moved

    def commit(self, time: float) -> None:
        self.specimen.commit(time)

    def wait_at_most(self, seconds: float) -> None:
        self.specimen.wait_at_most(seconds)

    def hold(self) -> None:
        self.specimen.hold()

    def close(self) -> None:
        self.specimen.close()

    def initial_stiffness(self) -> Array | None:
        return self.specimen.initial_stiffness()

    def sensor_noise(self) -> tuple[Array, Array]:
        return self.specimen.sensor_noise()

    def tangent(self) -> Array | None:
        return self.specimen.tangent()

    @property
    def state(self) -> Array:
        g = self._guard
        return np.concatenate(
            [
                self.compensation.state,
                [float(g.time is not None), g.time or 0.0],
                g.command,
                g.displacement,
                g.force,
                self.specimen.state,
            ]
        )

    def restore(self, state: Array) -> None:
        n, g = self.size, self._guard
        own, head, command, at, force, rest = np.split(
            state, np.cumsum([len(self.compensation.state), 2, n, n, n])
        )
        self.compensation.restore(own)
        g.time = float(head[1]) if head[0] else None
        g.command, g.displacement, g.force = command.copy(), at.copy(), force.copy()
        self.specimen.restore(rest)


def tracking_error(targets: Any, reached: Any) -> float:
    """Root mean square of the difference between targets and what was reached, as a share of that
    of the targets."""
    wanted, got = (
        as_numbers("tracking_error", "targets", targets),
        as_numbers("tracking_error", "reached", reached),
    )
    for name, given, values in (("targets", targets, wanted), ("reached", reached, got)):
        if values.shape != wanted.shape or not values.size or not np.isfinite(values).all():
            raise InputError(
                "tracking_error",
                name,
                given,
                "must be finite numbers, as many of one as of the other",
            )
    if not 0.0 < float(np.mean(wanted**2)) < np.inf:
        raise InputError(
            "tracking_error",
            "targets",
            targets,
            "must be numbers that are not all zero, and have squares",
        )
    return float(np.sqrt(np.mean((wanted - got) ** 2) / np.mean(wanted**2)))
