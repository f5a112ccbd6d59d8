"""What a journal holds, read from its file: of a finished test, of an interrupted one, or of one that is running.

See `femu.experimental.journal` for the tables.
"""

from __future__ import annotations

import json
import os
import time as clock
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.arguments import typed
from femu.errors import FileError, InputError
from femu.hdf5_file import must_hold, opened, table, text, text_table
from femu.hdf5_unfinished import is_marked
from femu.outcome import Outcome

Array = npt.NDArray[np.float64]
FORMAT = "femu journal 1"
GROWTH = 1024  # rows added at a time
HEAD, TAIL = 2, 1  # step and time before the values, wall clock after them
TRIES, PAUSE = 20, 0.05  # how often, and after how many seconds, a journal that is being written is read again


@dataclass
class Record:
    """What a journal holds. Rows as in the module's docstring, without those that were not finished."""

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
    specimens: Array = field(default_factory=lambda: np.zeros((0, 0)))
    parameter_history: Array = field(default_factory=lambda: np.zeros((0, 0)))
    record: Array = field(default_factory=lambda: np.zeros((0, 0)))
    ending: Outcome | None = None
    message: str = ""

    @property
    def steps(self) -> int:
        """Number of committed steps: of those whose rows are all there. A power cut can leave some of them and not the others."""
        every = (self.state, self.specimens, self.record, self.parameter_history)
        return min(len(rows) for rows in every if rows is self.state or rows.shape[1] > 0)

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
    def unfinished(self, name: str, step: int) -> list[tuple[Array, Array, Array, float]]:
        """Commands, displacements, forces and times of an element measured from a step on that was not committed, in their order.

        There can be several steps: a power cut can take what was committed of them and leave what was measured.
        """
        commands, (d, f) = self.commands(name), self.measurements(name)
        measured = self.measured[name]
        return [(commands[k].copy(), d[k].copy(), f[k].copy(), float(measured[k, 1]))
                for k in range(min(len(measured), len(commands))) if measured[k, 0] >= step]

    def checkpoint(self) -> tuple[int, Array, Array, Array | None]:
        """Last committed step, with the state, the specimens' states and the parameters needed to go on from it."""
        count = self.steps
        if count == 0:
            raise FileError(self.path, "holds no committed step; begin the test anew")
        step = int(self.state[count - 1, 0])
        parameters = None
        if len(self.parameter_history):
            rows = self.parameter_history[self.parameter_history[:, 0] <= step]
            parameters = rows[-1, HEAD:-TAIL] if len(rows) else None
        return step, self.state[count - 1, HEAD:-TAIL], self.specimens[count - 1, HEAD:-TAIL], parameters


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
    with opened(path, "a journal") as file:
        about, parameter_names = read_head(file, path)
        parameters = table(file, "parameters", path, 1, "f")[:]
        if len(parameters) != len(parameter_names):
            raise FileError(path, f"has {len(parameters)} parameters and {len(parameter_names)} names of them")
        record = Record(path, about, list(about["elements"]), parameter_names, parameters)
        for place, (name, size) in enumerate(about["elements"].items()):
            record.command[name] = _finished(file, f"elements/{place}/command", path, size)
            record.measured[name] = _finished(file, f"elements/{place}/measured", path, 2 * size)
            refused = f"elements/{place}/refused"  # journals of earlier versions have none
            record.refused[name] = (_finished(file, refused, path, 2 * size) if refused in file
                                    else np.zeros((0, HEAD + 2 * size + TAIL)))
            unanswered = f"elements/{place}/unanswered"
            kept = _finished(file, unanswered, path, size) if unanswered in file else np.zeros((0, HEAD + size + TAIL))
            record.command[name], record.unanswered[name] = _with_the_last(record.command[name], kept)
        record.state = _finished(file, "committed/state", path)
        record.specimens = _finished(file, "committed/specimens", path)
        if "committed/parameters" in file:
            record.parameter_history = _finished(file, "committed/parameters", path, len(record.parameters))
        if "committed/record" in file:
            record.record = _finished(file, "committed/record", path)
        told = read_ending(file, path)
        if told is not None:
            record.ending, record.message = Outcome[told[0]], told[1]
        return record


def _with_the_last(sent: Array, unanswered: Array) -> tuple[Array, Array]:
    """Commands with those that were left unanswered before a test was resumed, where none was sent since; and the other ones.

    The last command tells where a specimen may stand.
    """
    if not len(unanswered):
        return sent, unanswered
    last = sent[-1] if len(sent) else np.full(unanswered.shape[1], -np.inf)
    newer = (unanswered[:, 1] > last[1]) & (unanswered[:, -1] > last[-1])
    return np.concatenate([sent, unanswered[newer]]), unanswered[~newer]


def read_head(file: Any, path: str) -> tuple[dict[str, Any], list[str]]:
    """What an open journal says of its test, with the number of actuators of each element, and names of the parameters."""
    if text(file, "format", path, "") != FORMAT:
        raise FileError(path, "is not a femu journal")
    about, parameter_names = json.loads(text(file, "about", path)), json.loads(text_table(file, "parameter_names", path))
    sizes = about.get("elements") if isinstance(about, dict) else None
    if not isinstance(sizes, dict) or not all(type(n) is int and n > 0 for n in sizes.values()):
        raise FileError(path, "does not say what elements it is of")
    if not isinstance(parameter_names, list) or not all(isinstance(n, str) for n in parameter_names):
        raise FileError(path, "does not name its parameters")
    return about, parameter_names


def read_ending(file: Any, path: str) -> tuple[str, str] | None:
    """Name of the outcome and message in an open journal; None where the test has not ended."""
    content = table(file, "ending", path, 1, "u")[:].tobytes().rstrip(b"\0")
    if not content:
        return None
    name, message = json.loads(content)
    if name not in Outcome.__members__:
        raise FileError(path, f"says that its test ended as {name!r}, which is no outcome")
    return str(name), str(message)


def rows_of(file: Any, name: str, path: str, size: int | None = None) -> Any:
    """A table of rows, of ``size`` values each besides step, time and wall clock; not yet read."""
    data = table(file, name, path, 2, "f", spare=GROWTH)
    if data.shape[1] < HEAD + TAIL or (size is not None and data.shape[1] != HEAD + size + TAIL):
        raise FileError(path, f"has a table {name} of the form {data.shape}, which no journal has")
    return data


def finished_rows(data: Any, path: str, first: int, last: int) -> Array:
    """The rows of a table in a range that were written to their end."""
    stamps = data[first:last, -1]
    unwritten = np.flatnonzero(np.isnan(stamps))
    count = int(unwritten[0]) if len(unwritten) else len(stamps)
    must_hold(data, path, count, data.shape[1] * data.dtype.itemsize)
    return np.asarray(data[first:first + count], dtype=float)


def _finished(file: Any, name: str, path: str, size: int | None = None) -> Array:
    data = rows_of(file, name, path, size)
    return finished_rows(data, path, 0, len(data))
