"""The path of a specimen between two samples of its updater, reduced to the points where it turns.

An updater at its own rate drops samples, and the force of what it dropped is not needed. The path
is: a twin with a memory that jumps from one displacement to the next, over a reversal, has another
plastic deformation than the specimen, and the filter blames the parameters for it. Between two
reversals a rate-independent law has one answer, however large the step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
HEAD = 2  # step and time, before the displacements


class TurningPoints:
    """Samples at which a channel of the displacement turned, the latest ``room`` of them.

    Rows of step, time, displacements.
    """

    def __init__(self, channels: int, room: int) -> None:
        self._points = np.zeros((room, HEAD + channels))
        self._count = 0
        self._last = np.full(HEAD + channels, np.nan)
        self._direction = np.zeros(channels)

    @property
    def rows(self) -> Array:
        """The points, the oldest first."""
        return self._points[: self._count]

    def note(self, step: int, time: float, displacement: npt.ArrayLike) -> None:
        """Take a sample: if the path turns towards it, the sample before it is a turning point."""
        sample = np.array([step, time, *np.ravel(displacement)])
        if not np.isfinite(sample).all():
            return
        direction = np.sign(sample[HEAD:] - self._last[HEAD:])
        if (direction * self._direction < 0.0).any():
            self._keep(self._last)
        moves = (direction == 1.0) | (direction == -1.0)
        self._direction[moves] = direction[moves]
        self._last = sample

    def forget(self, step: int) -> None:
        """Drop the points up to a step: nobody will need them again."""
        gone = int(np.searchsorted(self.rows[:, 0], step, side="right"))
        if gone:
            self._points[: self._count - gone] = self._points[gone : self._count]
            self._count -= gone

    def _keep(self, point: Array) -> None:
        if self._count == len(self._points):
            self._points[:-1] = self._points[1:].copy()
            self._count -= 1
        self._points[self._count] = point
        self._count += 1
