"""Answers that a specimen gave before an interruption, for commands whose steps were not committed.

They are used and not measured again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.specimen import Measurement

Array = npt.NDArray[np.float64]


class KnownAnswers:
    """Answers in the order in which their commands were sent."""

    def __init__(self) -> None:
        self._queue: list[tuple[Array | None, Measurement]] = []

    def __len__(self) -> int:
        return len(self._queue)

    def queue(self, command: Array | None, measured: Measurement) -> None:
        """Add what was measured for a command.

        A command that is lost is None: what was measured counts for the command that the test
        computes for the same time.
        """
        self._queue.append((None if command is None else command.copy(), measured))

    def has(self, command: Array, time: float) -> bool:
        """Whether the next answer is that to this command; one that is lost is known by its time."""
        if not self._queue:
            return False
        sent, measured = self._queue[0]
        return measured.time == time if sent is None else bool(np.array_equal(sent, command))

    def next(self) -> tuple[Array | None, Measurement]:
        """Take the next answer, with its command."""
        return self._queue.pop(0)

    def clear(self) -> None:
        """Forget them."""
        self._queue.clear()
