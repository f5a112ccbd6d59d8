"""What a specimen is to a test: something that takes a command and answers with a measurement.

A specimen is emulated, replayed from a journal, or reached over the network; a test does not see the
difference. Commands and measurements are in the specimen's own coordinates: the strokes of its
actuators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMeasurement
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measurement:
    """What was measured after a command.

    Displacement and force of each actuator, and the time of the test.
    """

    displacement: Array
    force: Array
    time: float = 0.0


class Specimen:
    """Base of the specimens. ``size`` is the number of actuators."""

    size: int
    every_step: ClassVar[bool] = False
    """Whether it must get the command of every step, because it counts them.

    Others get none that repeats the last one.
    """

    def begin_test(self) -> None:
        """A test begins, or is about to continue.

        Forget what belongs to an earlier one. Nothing moves, nothing is connected.
        """

    def open(self) -> None:
        """Get ready for a test: connect, where there is something to connect to."""

    def apply(self, command: Array, time: float) -> Measurement:
        """Move to the command, wait until the move is done, and measure. It cannot be undone."""
        raise NotImplementedError

    def reading(self, last: Array) -> Measurement | None:
        """Where it is now, measured without moving it, or None if it does not know. Asked
        before a test begins or continues.

        ``last`` is the last command that it was given, zeros before the first.
        """
        return None

    def name_actuators(self, who: str, names: tuple[str, ...]) -> None:
        """How the test names its actuators, for messages of a specimen that has any of its own."""

    @property
    def can_be_read(self) -> bool:
        """Whether `reading` says where it is.

        If not, a test takes it to be at zero, or where its journal ends.
        """
        return type(self).reading is not Specimen.reading

    def replay(self, command: Array, measured: Measurement) -> None:
        """A command was measured before an interruption, and is not sent again.

        Whoever counts commands counts it.
        """
        self.recall(command, measured)

    def recall(self, command: Array, measured: Measurement) -> None:
        """Older name of `replay`, for specimens that define it."""

    def commit(self, time: float) -> None:
        """The analysis has accepted the step; what is physical has nothing to do."""

    def hold(self) -> None:
        """Stop where it is and hold the position.

        Must be safe to call at any moment, and more than once.
        """

    def close(self) -> None:
        """End the test normally and let go of connections and files."""

    def wait_at_most(self, seconds: float) -> None:
        """Longest wait for an answer, where the specimen is one that can be waited for."""

    def initial_stiffness(self) -> Array | None:
        """Stiffness of the specimen before the test, or None if only the user knows it."""
        return None

    def sensor_noise(self) -> tuple[Array, Array]:
        """Standard deviation of the noise of the displacements and of the forces, 0 if it is not
        known."""
        return np.zeros(self.size), np.zeros(self.size)

    def tangent(self) -> Array | None:
        """Tangent stiffness at the present state, if the specimen knows it."""
        return self.initial_stiffness()

    def why_dead(self, sensor: str) -> str:
        """What else than a dead sensor a "displacement" or "force" that never changes may be.

        A sentence for the message, or nothing.
        """
        return ""

    @property
    def physical(self) -> bool:
        """Whether it stays as a test has left it; one of equations is set back."""
        return len(self.state) == 0

    @property
    def moved(self) -> Specimen:
        """The specimen that commands move in the end: another one if this one passes them on."""
        return self

    @property
    def state(self) -> Array:
        """Everything that changes in the specimen, where it can be restored: in emulation only."""
        return np.zeros(0)

    def restore(self, state: Array) -> None:
        """Go back to a state of an emulated specimen."""
        if len(state):
            raise InputError(
                type(self).__name__,
                "state",
                state,
                "cannot be restored: the specimen is not emulated",
                "A physical specimen stays as the interrupted test left it",
            )


def checked(measured: Measurement, size: int, who: str) -> Measurement:
    """A copy of the measurement, or an error if it cannot be used.

    A driver may use its arrays again for the next one.
    """
    try:
        d, f = measured.displacement, measured.force
    except AttributeError:
        raise BadMeasurement(
            f"{who} answered with something else than a Measurement: {measured!r}."
        ) from None
    if (
        isinstance(d, np.ndarray)
        and isinstance(f, np.ndarray)
        and d.shape == (size,) == f.shape
        and math.isfinite(d.sum() + f.sum())
    ):
        # the ordinary case at once: a sum is finite only where all its terms are
        return Measurement(d.astype(float), f.astype(float), measured.time)
    made = []
    for name, values in (("displacement", d), ("force", f)):
        try:
            array = np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise BadMeasurement(
                f"{who} measured a {name} that is not a list of numbers: {values!r}."
            ) from None
        if array.shape != (size,):
            raise BadMeasurement(
                f"{who} measured a {name} of {array.size} numbers; {size} were expected: "
                f"{array.tolist()}."
            )
        if not np.isfinite(array).all():
            raise BadMeasurement(f"{who} measured a {name} that is not finite: {array.tolist()}.")
        made.append(array)
    return Measurement(made[0], made[1], measured.time)
