"""What a journal holds, read from its file: of a finished test, of an interrupted one, or of one
that is running.

See `femu.experimental.journal.journal` for the tables.
"""

from __future__ import annotations

import hashlib
import json
import os
import time as clock
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.checkpoints import (
    CHECKED,
    CHECKSUMS,
    ITSELF,
    KEPT,
    KEPT_COLUMNS,
    OF_ITSELF,
    PARAMETER_COLUMNS,
    PARAMETERS,
    columns_of,
    leave_out_torn,
    own_checksums,
    slots_of,
)
from femu.experimental.journal.closing import ending_of
from femu.experimental.journal.row_reading import HEAD, TAIL, Lost, finished, leading, matching
from femu.files.hdf5 import opened, table, text, text_table
from femu.files.hdf5_recovery import is_marked
from femu.results.outcome import Outcome
from femu.support.arguments import typed
from femu.support.errors import FileError, InputError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
FORMAT = "femu journal 1"
HEAD_DIGEST = "checksum"
# how often, and after how many seconds, a journal that is being written is read again
TRIES, PAUSE = 20, 0.05


@dataclass
class Record:
    """What a journal holds.

    Rows as in the module's docstring, without those that were not finished.
    """

    path: str
    about: dict[str, Any]
    names: list[str]
    parameter_names: list[str]
    parameters: Array
    command: dict[str, Array] = field(default_factory=dict)
    measured: dict[str, Array] = field(default_factory=dict)
    refused: dict[str, Array] = field(default_factory=dict)
    unanswered: dict[str, Array] = field(default_factory=dict)
    state: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """The states of some of the committed steps.

    Always of the last one. ``specimens`` has the same steps.
    """
    specimens: Array = field(default_factory=lambda: np.zeros((0, 0)))
    committed: Array = field(default_factory=lambda: np.zeros((0, HEAD + TAIL)))
    """Step, time and wall clock of each committed step; the tables below have a row of each."""
    kept: Array = field(default_factory=lambda: np.zeros((0, 0)))
    kept_columns: npt.NDArray[np.int64] | None = None
    """Which numbers of a checkpoint are in ``kept``.

    None if the checkpoints of all steps are there.
    """
    parameter_history: Array = field(default_factory=lambda: np.zeros((0, 0)))
    record: Array = field(default_factory=lambda: np.zeros((0, 0)))
    ending: Outcome | None = None
    message: str = ""

    @property
    def steps(self) -> int:
        """Number of committed steps.

        Of those whose rows are all there. A power cut can leave some of them and not the others.
        """
        return len(self.committed)

    def commands(self, name: str) -> Array:
        """Commands of an element, a row each."""
        if not isinstance(name, str) or name not in self.command:
            raise InputError("Record", "name", name, f"must be one of {self.names}")
        return self.command[name][:, HEAD:-TAIL]

    def measurements(self, name: str) -> tuple[Array, Array]:
        """Measured displacements and forces of an element, a row each."""
        if not isinstance(name, str) or name not in self.measured:
            raise InputError("Record", "name", name, f"must be one of {self.names}")
        values = self.measured[name][:, HEAD:-TAIL]
        half = values.shape[1] // 2
        return values[:, :half], values[:, half:]

    @typed
    def unfinished(self, name: str, step: int) -> list[tuple[Array | None, Array, Array, float]]:
        """Commands, displacements, forces and times of an element measured from a step on that was
        not committed, in their order.

        There can be several steps: a power cut can take what was committed of them and leave what
        was measured. The command is None if the power cut has taken it.
        """
        commands, (d, f) = self.commands(name), self.measurements(name)
        measured = self.measured[name]
        return [
            (
                commands[k].copy() if k < len(commands) else None,
                d[k].copy(),
                f[k].copy(),
                float(measured[k, 1]),
            )
            for k in range(len(measured))
            if measured[k, 0] >= step
        ]

    def checkpoint(self) -> tuple[int, Array, Array, Array | None]:
        """Last committed step, with the state, the specimens' states and the parameters needed to
        continue from it."""
        if self.steps == 0:
            raise FileError(self.path, "holds no committed step; begin the test again")
        step = int(self.state[-1, 0])
        parameters = None
        if len(self.parameter_history):
            rows = self.parameter_history[self.parameter_history[:, 0] <= step]
            parameters = rows[-1, HEAD:-TAIL] if len(rows) else None
        return step, self.state[-1, HEAD:-TAIL], self.specimens[-1, HEAD:-TAIL], parameters


@typed
def read_journal(path: str | os.PathLike[str]) -> Record:
    """Read a journal: of a finished test, of an interrupted one, or of one that is running."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileError(path, "does not exist")
    before = version(path)
    for _ in range(TRIES):
        try:
            return _read(path)
        except FileError:  # perhaps just half written
            if not is_marked(path):
                raise
            clock.sleep(PAUSE)
            after = version(path)
            if after == before:
                break
            before = after
    return _read(path)


def version(path: str) -> tuple[int, ...]:
    """What changes in a file when it is written."""
    known = os.stat(path)
    return known.st_ino, known.st_size, known.st_mtime_ns


def _read(path: str) -> Record:
    with opened(path, "a journal", padded=True) as file:
        about, parameter_names = read_head(file, path)
        parameters = table(file, "parameters", path, 1, "f")[:]
        if len(parameters) != len(parameter_names):
            raise FileError(
                path, f"has {len(parameters)} parameters and {len(parameter_names)} names of them"
            )
        record = Record(path, about, list(about["elements"]), parameter_names, parameters)
        lost: Lost = []
        for place, (name, size) in enumerate(about["elements"].items()):
            record.command[name] = matching(
                file, f"elements/{place}/command", path, size, lost=lost
            )
            record.measured[name] = matching(
                file, f"elements/{place}/measured", path, 2 * size, lost=lost
            )
            refused = f"elements/{place}/refused"  # journals of earlier versions have none
            record.refused[name] = (
                matching(file, refused, path, 2 * size, lost=lost)
                if refused in file
                else np.zeros((0, HEAD + 2 * size + TAIL))
            )
            unanswered = f"elements/{place}/unanswered"
            kept = (
                matching(file, unanswered, path, size, lost=lost)
                if unanswered in file
                else np.zeros((0, HEAD + size + TAIL))
            )
            record.command[name], record.unanswered[name] = _with_the_last(
                record.command[name], kept
            )
        slots = slots_of(file, path)  # first: while a test runs they are written over
        record.state = finished(file, "committed/state", path)
        record.specimens = finished(file, "committed/specimens", path)
        updated = columns_of(file, PARAMETER_COLUMNS, path, PARAMETERS)
        if updated is not None and (updated >= len(parameters)).any():
            raise FileError(path, f"has {len(parameters)} parameters, and others that were updated")
        if PARAMETERS in file:
            record.parameter_history = finished(
                file, PARAMETERS, path, None if updated is not None else len(parameters)
            )
        if "committed/record" in file:
            record.record = finished(file, "committed/record", path)
        record.kept_columns = columns_of(file, KEPT_COLUMNS, path, KEPT)
        if record.kept_columns is not None:
            record.kept = finished(file, KEPT, path)
        noted = _checksums(file, path, lost)
        leave_out_torn(record, slots, noted)
        if noted is not None and record.steps < len(noted):
            lost.append(("committed", record.steps, len(noted) - record.steps))
        if updated is not None:
            record.parameter_history = _with_the_others(
                record.parameter_history, updated, parameters
            )
        found_ending = read_ending(file, path)
        if found_ending is not None:
            record.ending, record.message = Outcome[found_ending[0]], found_ending[1]
        if lost and not is_marked(path):  # a writer that was killed may leave half a row
            name, first, count = lost[0]
            warn(
                f"{path} is damaged: {count} rows of {name}, from row {first} on, are not as they "
                f"were written, or follow one that is not{_and_others(lost)}. They are left out."
            )
        return record


def _and_others(lost: Lost) -> str:
    names = ", ".join(dict.fromkeys(name for name, _, _ in lost[1:]))
    return f"; so do rows of {names}" if names else ""


def _checksums(file: Any, path: str, lost: Lost) -> Array | None:
    """The checksums of the committed steps; None if the journal has none."""
    if CHECKSUMS not in file:
        return None
    found = finished(file, CHECKSUMS, path, lost=lost)
    width = found.shape[1] - HEAD - TAIL
    # those of earlier versions are without the one of the row itself, and of what is kept
    if width == len(CHECKED) + ITSELF:
        count = leading(own_checksums(found) == found[:, OF_ITSELF])
        if count < len(found):
            lost.append((CHECKSUMS, count, len(found) - count))
        return np.delete(found[:count], OF_ITSELF, axis=1)
    if width not in (len(CHECKED) - 1, len(CHECKED)):
        raise FileError(
            path, f"has a table {CHECKSUMS} of {found.shape[1]} columns, which no journal has"
        )
    return found


def _with_the_others(rows: Array, updated: npt.NDArray[np.int64], parameters: Array) -> Array:
    """Rows of the updated parameters, with all parameters."""
    out = np.empty((len(rows), HEAD + len(parameters) + TAIL))
    out[:, :HEAD], out[:, HEAD:-TAIL], out[:, -TAIL:] = rows[:, :HEAD], parameters, rows[:, -TAIL:]
    out[:, HEAD + updated] = rows[:, HEAD:-TAIL]
    return out


def _with_the_last(sent: Array, unanswered: Array) -> tuple[Array, Array]:
    """Commands with those that were left unanswered before a test was resumed, where none was sent
    since; and the other ones.

    The last command says where a specimen may be.
    """
    if not len(unanswered):
        return sent, unanswered
    last = sent[-1] if len(sent) else np.full(unanswered.shape[1], -np.inf)
    newer = (unanswered[:, 1] > last[1]) & (unanswered[:, -1] > last[-1])
    return np.concatenate([sent, unanswered[newer]]), unanswered[~newer]


def read_head(file: Any, path: str) -> tuple[dict[str, Any], list[str]]:
    """What an open journal says of its test, with the number of actuators of each element, and
    names of the parameters."""
    if text(file, "format", path, "") != FORMAT:
        raise FileError(path, "is not a femu journal")
    about, parameter_names = (
        json.loads(text(file, "about", path)),
        json.loads(text_table(file, "parameter_names", path)),
    )
    sizes = about.get("elements") if isinstance(about, dict) else None
    if not isinstance(sizes, dict) or not all(type(n) is int and n > 0 for n in sizes.values()):
        raise FileError(path, "does not say what elements it is of")
    if not isinstance(parameter_names, list) or not all(
        isinstance(n, str) for n in parameter_names
    ):
        raise FileError(path, "does not name its parameters")
    if HEAD_DIGEST in file.attrs and text(file, HEAD_DIGEST, path) != head_digest(file, path):
        raise FileError(
            path, "is damaged: what it says of its test does not match its checksum. Use a copy"
        )
    return about, parameter_names


def head_digest(file: Any, path: str) -> str:
    """SHA-256 of everything that is written before the first row."""
    found = hashlib.sha256()
    for part in (text(file, "about", path), text_table(file, "parameter_names", path)):
        found.update(part.encode() + b"\0")
    for name in ("parameters", PARAMETER_COLUMNS, KEPT_COLUMNS):
        if name in file:
            found.update(table(file, name, path, 1, "fi")[:].tobytes())
    return found.hexdigest()


def read_ending(file: Any, path: str) -> tuple[str, str] | None:
    """Name of the outcome and message in an open journal; None if the test has not ended."""
    content = table(file, "ending", path, 1, "u")[:].tobytes().rstrip(b"\0")
    if not content:
        return None
    ending = ending_of(content)
    if ending is None:
        raise FileError(path, "is damaged: how its test ended does not match its checksum")
    name, message = ending
    if name not in Outcome.__members__:
        raise FileError(path, f"says that its test ended as {name!r}, which is no outcome")
    return name, message
