"""Late steps of a paced test: one definition, for the result, the journal, its report and the
monitor.

A step is late if it is not done when the next one is due (`femu.experimental.pacing.Pacer.wait`).
That is known when the next step begins, and then the row of the late step is in the journal
already. So the journal has it in the row of the next step; the result has it in the row of the step
itself. The last committed step has no next one, and does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.hybrid_record import STEP_COLUMNS
from femu.experimental.journal.reader import HEAD

Array = npt.NDArray[np.float64]
LATE = STEP_COLUMNS.index("overrun")
MARK = "late_steps"
"""What a journal says of its test if its rows have the late steps."""
NOTED = "in the row of the next step"
UNKNOWN = "the late steps of its journal are unknown: it was written by a version of femu that did not record them"


def count_late(column: Array) -> int:
    """Number of late steps in the column "overrun" of a result or a journal."""
    return int(np.count_nonzero(column == 1.0))


def are_noted(about: Mapping[str, Any]) -> bool:
    """Whether the rows of a journal have the late steps, by what it says of its test."""
    return about.get(MARK) == NOTED


def late_in_journal(about: Mapping[str, Any], record: Array) -> int | None:
    """Number of late steps in the rows of a journal's table ``committed/record``.

    None if they are unknown.
    """
    if not are_noted(about) or record.shape[1] <= HEAD + LATE:
        return None
    return count_late(record[:, HEAD + LATE])


def by_own_step(record: Array) -> Array:
    """Whether each step was late, from the rows of a journal.

    Of the last one it is not known, and it counts as in time.
    """
    return np.append(record[1:, HEAD + LATE], 0.0)


def in_words(late: int | None, steps: int) -> str:
    """How many steps were late."""
    return "late steps unknown" if late is None else f"{late} of {steps} steps late"
