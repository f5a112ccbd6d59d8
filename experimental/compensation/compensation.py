"""Compensation of the delay of an actuator: what is commanded so that the specimen is where it
should be, when it should be.

A compensator is between the target and the command, channel by channel, at equal steps of time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


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
