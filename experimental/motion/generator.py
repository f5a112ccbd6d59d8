"""The generator of the motion between the steps of a test, for use in Python."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.motion import generator_kernel as of
from femu.experimental.safety.limits import above_zero
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
_FLOATS = ctypes.POINTER(ctypes.c_double)
MODES = ("rest", "predict", "slow", "hold", "correct")
LATEST = 0.95
"""Largest share of a step that may pass before the motion has stopped: a target that comes then
still has to be reached in what is left of the step."""
MOST_CHANNELS = 1000


class MotionGenerator:
    """Commands of an actuator at a high rate, from targets that come once a step.

    ::

        generator = MotionGenerator(1, step=0.02, rate=4096.0)
        generator.accept(np.array([0.003]))
        for _ in range(generator.ticks):
            command = generator.tick()

    Until a target is known the motion follows the polynomial of ``order`` 1 to 3 through the last
    ones; then it goes to the target smoothly over the rest of the step. If there is none after the
    share ``predict`` of a step, the motion slows down over ``slow`` of a step and holds.
    ``velocity`` and ``acceleration`` limit the commands: one number, or one for each of the
    ``size`` channels. A step has a whole number of samples, so the ``rate`` is rounded; see `tick`.
    `femu.experimental.motion.generator_kernel` has the equations, and `femu motion-c` writes the
    same code in C.
    """

    def __init__(
        self,
        size: int,
        *,
        step: float,
        rate: float = 4096.0,
        order: int = 3,
        predict: float = 0.6,
        slow: float = 0.4,
        velocity: float | tuple[float, ...] | None = None,
        acceleration: float | tuple[float, ...] | None = None,
    ) -> None:
        who = type(self).__name__
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_CHANNELS:
            rule = f"must be a whole number from 1 to {MOST_CHANNELS}"
            raise InputError(who, "size", size, rule)
        for name, value in (("step", step), ("rate", rate), ("predict", predict)):
            if not _is_number(value) or not value > 0.0:
                raise InputError(who, name, value, "must be finite and above 0")
        if not _is_number(slow) or slow < 0.0:
            raise InputError(who, "slow", slow, "must be finite and not negative")
        if isinstance(order, bool) or order not in (1, 2, 3):
            raise InputError(who, "order", order, "must be 1, 2 or 3")
        if predict + 0.5 * slow > LATEST:
            raise InputError(
                who,
                "predict",
                predict,
                f"must be at most {LATEST:g} less half of slow: the motion stops at predict + "
                "slow/2 of the step, and needs the rest of it to reach a late target",
            )
        self.size, self.step = size, float(step)
        self.ticks = round(step * rate)
        """Samples of a step."""
        if self.ticks < 2:
            raise InputError(
                who, "rate", rate, f"must give at least two samples a step of {step:g}"
            )
        self.interval = self.step / self.ticks
        """Time from sample to sample."""
        self.order, self.predict, self.slow = order, float(predict), float(slow)
        bounds = []
        for name, limit in (("velocity", velocity), ("acceleration", acceleration)):
            above_zero(who, name, limit)
            if limit is not None and np.size(limit) not in (1, size):
                raise InputError(
                    who, name, limit, f"must be one number, or one for each of {size} channels"
                )
            bounds.append(np.broadcast_to(math.inf if limit is None else limit, (size,)))
        self.velocity, self.acceleration = velocity, acceleration
        self._settings = np.array(
            [self.ticks, order, predict, slow, self.interval, *bounds[0], *bounds[1]], dtype=float
        )
        self._vector = np.zeros(of.CHANNELS + of.FIELDS * size)
        self._target = np.zeros(size)
        channels = self._vector[of.CHANNELS :].reshape(size, of.FIELDS)
        self._commands, self._velocities = channels[:, of.COMMAND], channels[:, of.VELOCITY]
        self._reference = channels[:, of.REFERENCE]
        self._at = tuple(
            a.ctypes.data_as(_FLOATS) for a in (self._vector, self._settings, self._target)
        )
        self._tick = of.tick.ctypes
        self.begin(np.zeros(size))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings().items())
        return f"{type(self).__name__}({self.size}, {given})"

    def settings(self) -> dict[str, Any]:
        """What it was made with."""
        return {
            "step": self.step,
            "rate": self.ticks / self.step,
            "order": self.order,
            "predict": self.predict,
            "slow": self.slow,
            "velocity": self.velocity,
            "acceleration": self.acceleration,
        }

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without compiled kernels."""
        return {"size": self.size, "settings": self.settings(), "state": self.state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        MotionGenerator.__init__(self, state["size"], **state["settings"])
        self.restore(state["state"])

    def begin(self, position: npt.ArrayLike) -> None:
        """Be at rest at a position, without a target."""
        self._target[:] = self._read("position", position)
        of.begin.ctypes(self._at[0], self._at[2], self.size)

    def accept(self, target: npt.ArrayLike) -> None:
        """The next target is known.

        One more may wait while a target is on the way.
        """
        made = self._read("target", target)
        if self._vector[of.WAITING] != 0.0:
            raise InputError(
                type(self).__name__,
                "target",
                target,
                "comes too early: one target is on the way, and one is waiting",
                fix="give a target once the one before the last is reached",
            )
        self._target[:] = made
        of.accept.ctypes(*self._at, self.size)

    def tick(self) -> Array:
        """The command of the next sample, which is one `interval` later."""
        self.arrived = bool(self._tick(self._at[0], self._at[1], self.size))
        return self._commands.copy()

    def hold(self) -> None:
        """Stop here, as fast as the limits allow, and forget targets that were not reached."""
        of.hold.ctypes(self._at[0], self.size)

    arrived: bool = False
    """Whether a target was reached with the last sample."""

    @property
    def command(self) -> Array:
        """The last command."""
        return self._commands.copy()

    @property
    def speed(self) -> Array:
        """Velocity of the last command."""
        return self._velocities.copy()

    @property
    def mode(self) -> str:
        """What it does: "rest", "predict", "slow", "hold" or "correct"."""
        return MODES[int(self._vector[of.MODE])]

    @property
    def at_rest(self) -> bool:
        """Whether the commands stay the same until a target comes."""
        still = self._vector[of.MODE] in (of.REST, of.HOLD)
        return bool(
            still and not self._velocities.any() and np.array_equal(self._commands, self._reference)
        )

    @property
    def late(self) -> int:
        """Samples so far in which the motion slowed down or stopped, because the target was
        late."""
        return int(self._vector[of.LATE])

    @property
    def state(self) -> Array:
        """Everything that changes."""
        return self._vector.copy()

    def restore(self, state: Array) -> None:
        """Continue from a state."""
        if np.shape(state) != self._vector.shape:
            raise InputError(
                type(self).__name__, "state", state, f"must be {self._vector.size} numbers"
            )
        self._vector[:] = state

    def _read(self, name: str, given: npt.ArrayLike) -> Array:
        try:
            made = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            made = np.full(1, math.nan)
        if made.shape != (self.size,) or not math.isfinite(made.sum()):
            raise InputError(
                type(self).__name__, name, given, f"must be {self.size} finite numbers"
            )
        return made


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
