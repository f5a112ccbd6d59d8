"""The way of a command to a specimen, and of its answer back: the one place from which commands leave.

1. The command is held against the limits.
2. It is written to the journal, which also makes sure that there is room for the answer.
3. It leaves, and the specimen answers.
4. The answer is believed or refused, and written to the journal in either case, whatever happens on the way.

Nothing leaves after a signal has come. Between 3 and the end of 4 signals wait; see `femu.experimental.shield`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from femu.experimental.journal import Journal
from femu.experimental.safety import Guard
from femu.experimental.shield import FREE, WAITING, WRITING, Shield
from femu.experimental.specimen import Measurement, Specimen

Array = npt.NDArray[np.float64]
Made = TypeVar("Made")
Believe = Callable[[Any, Array, float], tuple[Measurement, Made]]
"""From what a specimen answered, the command and the time: the measurement, and what is made of it; raises where it cannot be."""


def ask(specimen: Specimen, guard: Guard, command: Array, time: float, believe: Believe[Made], shield: Shield,
        journal: Journal | None, name: str, step: int) -> Made:
    """Send a specimen to a command and measure."""
    shield.stop()  # Python drops an interrupt that meets it while it tidies up; no further command must leave then
    guard.check(command, time)
    if journal is not None:
        journal.command(name, step, time, command)
    shield.level = WAITING
    try:
        guard.sent(command, time)
        try:
            raw = specimen.apply(command.copy(), time)  # a driver may change its units in place
        except BaseException as problem:  # whatever it is, it may carry what was measured before it
            measurement = getattr(problem, "measurement", None)
            if journal is not None and measurement is not None:
                shield.level = WRITING
                journal.refused(name, step, time, measurement)
            raise
        shield.level = WRITING
        try:
            measured, made = believe(raw, command, time)
        except BaseException:
            if journal is not None:
                journal.refused(name, step, time, raw)
            raise
        if journal is not None:
            journal.measured(name, step, time, measured.displacement, measured.force)
    finally:
        shield.level = FREE
    shield.stop()
    return made
