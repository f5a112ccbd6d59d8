"""The way of a command to a specimen, and of its answer back: the one place from which commands
leave.

1. The command is held against the limits.
2. It is written to the journal, which also makes sure that there is room for the answer.
3. It leaves, and the specimen answers.
4. The answer is believed or refused, and written to the journal in either case, whatever happens on
   the way.

Nothing leaves after a signal has come. Between 3 and the end of 4 signals wait; see
`femu.experimental.safety.deferred_signals`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.journal import Journal
from femu.experimental.safety.deferred_signals import FREE, WAITING, WRITING, DeferredSignals
from femu.experimental.safety.limits import Guard
from femu.experimental.specimens.specimen import Measurement, Specimen

Array = npt.NDArray[np.float64]
Made = TypeVar("Made")
Validate = Callable[[Any, Array, float], tuple[Measurement, Made]]
"""From what a specimen answered, the command and the time.

The measurement, and what is made of it; raises where it cannot be.
"""


def send_command(
    specimen: Specimen,
    guard: Guard,
    command: Array,
    time: float,
    validate: Validate[Made],
    signals: DeferredSignals,
    journal: Journal | None,
    name: str,
    step: int,
) -> Made:
    """Send a specimen to a command and measure."""
    # Python drops an interrupt that meets it while it tidies up; no further command must leave then
    signals.stop()
    guard.check(command, time)
    if journal is not None:
        journal.command(name, step, time, command)
    signals.level = WAITING
    try:
        guard.sent(command, time)
        try:
            raw = specimen.apply(command.copy(), time)  # a driver may change its units in place
        except BaseException as problem:  # whatever it is, it may carry what was measured before it
            measurement = getattr(problem, "measurement", None)
            if journal is not None and measurement is not None:
                signals.level = WRITING
                journal.refused(name, step, time, measurement)
            raise
        signals.level = WRITING
        try:
            measured, made = validate(raw, command, time)
        except BaseException:
            if journal is not None:
                journal.refused(name, step, time, raw)
            raise
        if journal is not None:
            journal.measured(name, step, time, measured.displacement, measured.force)
    finally:
        signals.level = FREE
    signals.stop()
    return made
