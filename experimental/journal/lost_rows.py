"""Rows of commands and measurements that a power cut has taken from a journal, of steps that it has
left committed.

The pages of a file reach the disk in any order, so the rows of a step that was committed can be
there without its command or its measurement. The last exchange of each committed step is part of
what the element keeps to continue from that step: its command and its measurement are known to the
bit. A step that asked nothing leaves what is kept as it was, and gets no row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.reader import HEAD, TAIL, Record
from femu.support.errors import FileError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exchanged:
    """What an element keeps of the last exchange of each committed step, one row per step."""

    answered: Array
    """What changes with an exchange, and with nothing else."""
    time: Array
    command: Array
    measured: Array


def give_back(record: Record, name: str, exchanged: Exchanged) -> None:
    """Put the lost rows of committed steps into a record; they get the clock of their step.

    Of a step that asks several times only the last exchange is kept: a lost command of another one
    is NaN, a lost measurement stays lost and leaves its command unanswered. Commands of steps that
    were not committed stay lost.
    """
    committed = record.committed
    if not len(committed):
        return
    before = np.vstack([np.zeros_like(exchanged.answered[:1]), exchanged.answered[:-1]])
    asked = (exchanged.answered != before).any(axis=1)
    head, clock = committed[asked][:, :1], committed[asked][:, -1:]
    when = exchanged.time[asked][:, None]
    sent, measured = record.command[name], record.measured[name]
    kept = np.hstack([head, when, exchanged.measured[asked], clock])
    after = measured[-1, 1] if len(measured) else -np.inf
    measured = np.vstack([measured, kept[kept[:, 1] > after]])
    kept = np.hstack([head, when, exchanged.command[asked], clock])
    after = sent[-1, 1] if len(sent) else -np.inf
    lost = measured[(measured[:, 1] > after) & (measured[:, 0] <= committed[-1, 0])]
    rows = np.full((len(lost), sent.shape[1]), np.nan)
    rows[:, :HEAD], rows[:, -TAIL:] = lost[:, :HEAD], lost[:, -TAIL:]
    known = {row[1]: row[HEAD:-TAIL] for row in kept}
    for row in rows:
        row[HEAD:-TAIL] = known.get(row[1], np.nan)
    sent = np.vstack([sent, rows])
    # its measurement cannot be known
    without = (sent[:, 0] <= committed[-1, 0]) & ~np.isin(sent[:, 1], measured[:, 1])
    record.unanswered[name] = np.vstack([record.unanswered[name], sent[without]])
    record.command[name], record.measured[name] = sent[~without], measured


def must_belong_together(record: Record, name: str) -> None:
    """Refuse measurements of a physical specimen that are not of its commands, or lost while the
    commands are there: it would be moved back to repeat their steps.

    Commands that are lost, after all others, are computed again. The last command may have no
    measurement, since each waits for that of the one before.
    """
    sent, measured = record.command[name], record.measured[name]
    both, lost = min(len(sent), len(measured)), len(measured) - len(sent)
    if not np.array_equal(sent[:both, :HEAD], measured[:both, :HEAD]):
        raise FileError(
            record.path,
            f"is damaged: commands and measurements of {name!r} are not of the same steps",
        )
    went = np.unique(sent[len(measured) :, 1])
    if len(went) > 1:
        raise FileError(
            record.path,
            f"cannot be continued: {len(went)} commands of {name!r}, to t = {went[-1]:g}, were sent, "
            "and their measurements are lost, as after a power cut of a test that did not wait for "
            f"the disk. The specimen would be moved back to t = {went[0]:g}, and loaded again. "
            f"What was measured until then is in the file: {record.steps} committed steps",
        )
    if lost > 0:
        warn(
            f"{record.path} holds {lost} measurements of {name!r} whose commands are lost, as "
            "after a power cut. They are used for the commands that the test computes for the same "
            "times, and nothing is sent for them."
        )


@dataclass(frozen=True)
class SentAgain:
    """Commands of an element that are in a journal, and that a resumed test sends once more."""

    name: str
    physical: bool
    times: Array
    steps: int
    """Number of their steps."""
    lost: int
    """How many of them have no measurement in the journal."""

    def __str__(self) -> str:
        count = f"{len(self.times)} commands" if len(self.times) > 1 else "the command"
        when = f"t = {self.times[0]:g}"
        if len(self.times) > 1:
            when += f" to {self.times[-1]:g}"
        return f"{count} of {self.name!r} for {when} ({self._why()})"

    def _why(self) -> str:
        if self.physical:
            return "it has no valid measurement"
        steps = "their steps were" if self.steps > 1 else "the step was"
        lost = f", {self.lost} without a measurement in the journal" if self.lost else ""
        return f"{steps} not committed{lost}; the emulated specimen was set back"


def sent_again(record: Record, name: str, physical: bool) -> SentAgain | None:
    """What a resumed test sends once more to the specimen of an element; None if nothing.

    A physical specimen gets the last command again if it has no measurement. An emulated one is set
    back to the last committed step, and gets all commands after it again: a kill leaves those of
    one step, a power cut those of several, of which it can lose the measurements.
    """
    sent, measured = record.command[name][:, :HEAD], record.measured[name][:, :HEAD]
    rows = sent[len(measured) :] if physical else np.vstack([sent, measured])
    if not physical:
        rows = rows[rows[:, 0] > record.steps]
    if not len(rows):
        return None
    times = np.unique(rows[:, 1])
    lost = int((~np.isin(times, measured[:, 1])).sum())
    return SentAgain(name, physical, times, len(np.unique(rows[:, 0])), lost)
