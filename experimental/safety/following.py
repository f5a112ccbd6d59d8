"""Whether a physical specimen goes where it is sent: a limit for the distance between the target and
the measured displacement, in the coordinates of the actuators.

A controller that does not follow is believed otherwise: its forces belong to other displacements
than those of the model. Without a limit of the user's (`Limits(tracking=...)`) two things end a test:

- *The distance* is beyond a tenth of the limit of displacement, plus ten times the noise of the
  sensor, plus twice the largest step so far: an actuator may be late by two steps.
- *The answer is that of the step before*: several times in a row the measured displacement is within
  a tenth of a step of the target before, while the targets move by more than twenty times the noise.
  With a compensation it is not looked for.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import quantity
from femu.experimental.errors import PoorTracking
from femu.experimental.safety.limits import Limits

Array = npt.NDArray[np.float64]
OF_DISPLACEMENT = 0.1  # share of the limit of displacement
NOISES = 10.0  # of the measured displacement, beyond which it is elsewhere
STEPS = 2.0  # by which an actuator may be late
MOVING = 20.0  # times the noise that a step must be worth to see that it was not made
NEAR = 0.1  # share of a step within which a measurement is that of the target before
IN_A_ROW = 5  # answers that are those of the step before
SMALLEST = 1e-9  # share of the largest target below which a step is none
FIX = (
    "The step was not taken. See that the controller answers with the position after the move, in "
    "the units and from the zero of the commands; if it must be so, give Limits(tracking=...) with "
    "the distance that you accept, or math.inf."
)


class FollowingMonitor:
    """Compares targets of a specimen with what was reached."""

    def __init__(self, limits: Limits, noise: Array, who: str, names: tuple[str, ...]) -> None:
        size = len(names)
        self._who, self._names, self._noise = who, names, np.broadcast_to(noise, (size,))
        self._given = limits.tracking is not None
        share = (
            limits.tracking
            if limits.tracking is not None
            else math.inf
            if limits.displacement is None
            else OF_DISPLACEMENT * np.asarray(limits.displacement, dtype=float)
        )
        self._most = np.broadcast_to(np.asarray(share, dtype=float), (size,))
        self.begin()

    def begin(self) -> None:
        """A test begins, or continues."""
        size = len(self._names)
        self._before: Array | None = None
        self._step, self._largest = np.zeros(size), np.zeros(size)
        self._late = np.zeros(size, dtype=int)

    def see(self, target: Array, reached: Array, time: float, late: bool = True) -> None:
        """An answer has come. ``late``: whether one of the step before is looked for.

        Raises `PoorTracking` if the specimen is elsewhere.
        """
        off = np.abs(reached - target)
        step = np.zeros_like(target) if self._before is None else target - self._before
        self._step = np.maximum(self._step, np.abs(step))
        self._largest = np.maximum(self._largest, np.abs(target))
        most = self._most if self._given else self._most + NOISES * self._noise + STEPS * self._step
        if not (off <= most).all():
            worst = int(np.argmax(np.nan_to_num(off / most, nan=math.inf)))
            raise PoorTracking(
                f"The {quantity('displacement', self._names[worst])} of actuator "
                f"{self._names[worst]} of {self._who} does not follow at t = {time:g}: it was sent to "
                f"{target[worst]:.6g} and measured {reached[worst]:.6g}, which is farther away than "
                f"{most[worst]:.6g}. {FIX}"
            )
        if late and not self._given and self._before is not None:
            self._look_for_late(step, reached - self._before, time)
        self._before = target.copy()

    def _look_for_late(self, step: Array, since: Array, time: float) -> None:
        size = np.abs(step)
        moves = (size > MOVING * self._noise) & (size > SMALLEST * self._largest)
        behind = np.abs(since) <= NEAR * size + self._noise
        self._late = np.where(moves, np.where(behind, self._late + 1, 0), self._late)
        if (self._late >= IN_A_ROW).any():
            worst = int(np.argmax(self._late))
            raise PoorTracking(
                f"Actuator {self._names[worst]} of {self._who} is one step late at t = {time:g}: its "
                f"last {IN_A_ROW} answers are the displacements of the commands before. {FIX}"
            )
