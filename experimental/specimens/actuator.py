"""The emulated actuator: what lies between a command and the position that the specimen reaches.

In this order: rate limit, pure delay, dynamics (first-order lag, or second-order servo),
undershoot, backlash, stroke. The command is taken as a straight line between the instants at which
it is given. Between them the dynamics are integrated exactly. A force that the actuator cannot give
(``capacity``) stops the move where it is reached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
DELAY_LINE = 512  # commands remembered by a delay; older ones count as the oldest


@dataclass(frozen=True)
class Actuator:
    """An actuator by its faults; without any it reaches each command at once.

    ``delay`` (time), ``lag`` (time constant) or ``frequency`` (of the servo, in cycles a time, with
    ``damping`` ratio), ``undershoot`` (kept back against the direction of motion), ``backlash``
    (total play), ``rate_limit`` (speed), ``stroke`` (largest displacement to either side),
    ``capacity`` (largest force).
    """

    delay: float = 0.0
    lag: float = 0.0
    frequency: float = 0.0
    damping: float = 0.7
    undershoot: float = 0.0
    backlash: float = 0.0
    rate_limit: float | None = None
    stroke: float | None = None
    capacity: float | None = None

    def __post_init__(self) -> None:
        for name in (
            "delay",
            "lag",
            "frequency",
            "damping",
            "undershoot",
            "backlash",
            "rate_limit",
            "stroke",
            "capacity",
        ):
            value = getattr(self, name)
            if value is None and name in ("rate_limit", "stroke", "capacity"):
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not math.isfinite(value)
                or value < 0.0
            ):
                raise InputError("Actuator", name, value, "must not be negative")
        if self.lag > 0.0 and self.frequency > 0.0:
            raise InputError(
                "Actuator",
                "lag",
                self.lag,
                "must not be given together with frequency",
                fix="give one of them: an actuator is of first or second order",
            )

    def state_size(self, n: int) -> int:
        """Floats of state: last command, position and speed of the servo, side of the play, and the
        delay line."""
        return 6 * n + (1 + DELAY_LINE * (n + 1) if self.delay > 0.0 else 0)

    def _parts(self, state: Array, n: int) -> tuple[Array, ...]:
        return (
            state[:n],
            state[n : 2 * n],
            state[2 * n : 3 * n],
            state[3 * n : 4 * n],
            state[4 * n : 5 * n],
            state[5 * n : 6 * n],
            state[6 * n :],
        )

    def move(self, state: Array, command: Array, position: Array, time: float, dt: float) -> Array:
        """Position at ``time`` after a command, ``dt`` after the last one."""
        n = len(command)
        last, servo, speed, played, kept, _, line = self._parts(state, n)
        target = command.astype(float)
        if self.rate_limit is not None:
            most = self.rate_limit * dt
            target = np.clip(target, last - most, last + most)
        before = last.copy()
        last[:] = target
        if self.delay > 0.0:
            earlier, target = _delayed(line, before, target, time, self.delay, time - dt)
            before = earlier
        if self.lag > 0.0 or self.frequency > 0.0:
            if dt > 0.0:
                servo[:], speed[:] = self._respond(servo, speed, before, target, dt)
            target = servo.copy()
        if self.undershoot > 0.0:
            kept[:] = np.where(
                target == position, kept, np.sign(target - position) * self.undershoot
            )
            target = target - kept
        if self.backlash > 0.0:
            half = 0.5 * self.backlash
            played[:] = np.clip(played, target - half, target + half)
            target = played.copy()
        if self.stroke is not None:
            target = np.clip(target, -self.stroke, self.stroke)
        return target

    def _respond(
        self, y: Array, speed: Array, before: Array, target: Array, dt: float
    ) -> tuple[Array, Array]:
        if self.lag > 0.0:
            decay = math.exp(-dt / self.lag)
            slope = (target - before) / dt
            # exact for a straight command: y follows it at a distance of lag times its slope
            return target - slope * self.lag + (y - before + slope * self.lag) * decay, speed
        a = _servo(self.frequency, self.damping, dt)
        z = a @ np.stack([y, speed, before, (target - before) / dt])
        return z[0], z[1]

    def hold(self, state: Array, position: Array) -> None:
        """Forget what is under way and stay here."""
        n = len(position)
        last, servo, speed, _, _, _, line = self._parts(state, n)
        last[:], servo[:], speed[:] = position, position, 0.0
        if self.delay > 0.0:
            line[0] = 0.0


@lru_cache(maxsize=64)
def _servo(frequency: float, damping: float, dt: float) -> Array:
    """Transition of (position, speed, command, slope of the command) over dt."""
    w = 2.0 * math.pi * frequency
    return expm(
        dt
        * np.array(
            [
                [0.0, 1.0, 0.0, 0.0],
                [-w * w, -2.0 * damping * w, w * w, 0.0],
                [0.0, 0.0, 0.0, 1.0],
                [0.0, 0.0, 0.0, 0.0],
            ]
        )
    )[:2]


def _delayed(
    line: Array, before: Array, command: Array, time: float, delay: float, last_time: float
) -> tuple[Array, Array]:
    """The commands ``delay`` before the last instant and before this one.

    The line is [count, rows of (time, command)].
    """
    n = len(command)
    rows = line[1:].reshape(DELAY_LINE, n + 1)
    count = int(line[0])
    if count == 0:
        rows[0, 0], rows[0, 1:] = last_time, before
        count = 1
    if count == DELAY_LINE:
        rows[:-1] = rows[1:].copy()
        count -= 1
    rows[count, 0], rows[count, 1:] = time, command
    line[0] = count + 1
    known = rows[: count + 1]
    both = [
        np.array([np.interp(t - delay, known[:, 0], known[:, 1 + a]) for a in range(n)])
        for t in (last_time, time)
    ]
    return both[0], both[1]
