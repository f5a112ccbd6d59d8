"""The journal: every command and every measurement of a test in an HDF5 file, as it happens.

One process writes, any number read meanwhile (HDF5's SWMR mode). A row counts once its last number, the wall clock, is
there; everything before it in the row is then there too. What has been flushed survives a killed process. ::

    /elements/NAME/command      step, test time, command ..., wall clock      written before the command leaves
    /elements/NAME/measured     step, test time, displacement ..., force ..., wall clock
    /elements/NAME/refused      the same of a measurement that was not believed: no step was taken with it
    /committed/state            step, test time, state vector of the program ..., wall clock
    /committed/specimens        step, test time, states of the emulated specimens and of the tangents ..., wall clock
    /committed/parameters       step, test time, parameter vector ..., wall clock (where parameters are updated)
    /committed/record           step, test time, what the test notes of a step ..., wall clock; see femu.analyses.hybrid_record
    /ending                     JSON with the name of the outcome and the message, zeros after it; all zeros until the test ends

The ending is written into a place made for it, as a row is: a test that is killed while it ends leaves a file that can be read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time as clock
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.errors import FileError
from femu.experimental.errors import JournalFull
from femu.hdf5_file import FORM, must_hold, opened, put_text, put_text_table, table, text, text_table
from femu.hdf5_unfinished import is_marked
from femu.outcome import Outcome

Array = npt.NDArray[np.float64]
FORMAT = "femu journal 1"
GROWTH = 1024  # rows added at a time
CHUNK_FLOATS = 4096  # a flush writes a chunk again: small ones are written faster
HEAD, TAIL = 2, 1  # step and time before the values, wall clock after them
RESERVE = 1 << 20  # bytes that must be free beyond what a step needs: HDF5 cannot even close a file on a full disk
ENDING_BYTES = 4096
TRIES, PAUSE = 20, 0.05  # how often, and after how many seconds, a journal that is being written is read again
STEPS_AHEAD = 4  # steps that must have room when a command leaves


class _Rows:
    """A growing table of rows, filled with NaN until they are written."""

    def __init__(self, file: Any, name: str, width: int) -> None:
        self.name = name
        width += HEAD + TAIL
        chunk = max(1, min(GROWTH, CHUNK_FLOATS // width))
        file.create_dataset(name, shape=(GROWTH, width), maxshape=(None, width), chunks=(chunk, width), dtype="<f8",
                            fillvalue=np.nan)
        self.count = 0
        self._row = np.empty(width)
        self.open(file)

    def open(self, file: Any) -> None:
        """Work on the table of this name in a file."""
        self.data = file[self.name]
        self._room = len(self.data)
        self._source = h5py.h5s.create_simple(self._row.shape)
        self._target = self.data.id.get_space()

    def resize(self, room: int) -> None:
        self.data.resize(room, axis=0)
        self._room, self._target = room, self.data.id.get_space()

    def add(self, step: int, time: float, *values: Array) -> None:
        if self.count == self._room:
            self.resize(self.count + GROWTH)
        row = self._row
        row[0], row[1] = step, time
        start = HEAD
        for part in values:
            row[start:start + len(part)] = part
            start += len(part)
        row[-1] = clock.time()
        # what data[count] = row does, without looking everything up again
        self._target.select_hyperslab((self.count, 0), (1, len(row)))
        try:
            self.data.id.write(self._source, self._target, row)
            self.data.id.flush()
        except (OSError, RuntimeError) as problem:  # h5py raises either
            raise JournalFull(f"The journal cannot be written: {' '.join(str(problem).split())}.") from problem
        self.count += 1


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
    state: Array = field(default_factory=lambda: np.zeros((0, 0)))
    specimens: Array = field(default_factory=lambda: np.zeros((0, 0)))
    parameter_history: Array = field(default_factory=lambda: np.zeros((0, 0)))
    record: Array = field(default_factory=lambda: np.zeros((0, 0)))
    ending: Outcome | None = None
    message: str = ""

    @property
    def steps(self) -> int:
        """Number of committed steps."""
        return len(self.state)

    def commands(self, name: str) -> Array:
        """Commands of an element, a row each."""
        return self.command[name][:, HEAD:-TAIL]

    def measurements(self, name: str) -> tuple[Array, Array]:
        """Measured displacements and forces of an element, a row each."""
        values = self.measured[name][:, HEAD:-TAIL]
        half = values.shape[1] // 2
        return values[:, :half], values[:, half:]

    def unfinished(self, name: str, step: int) -> list[tuple[Array, Array, Array, float]]:
        """Commands, displacements, forces and times of an element measured in a step that was not committed, in their order."""
        measured, commands, (d, f) = self.measured[name], self.commands(name), self.measurements(name)
        return [(commands[k].copy(), d[k].copy(), f[k].copy(), float(measured[k, 1]))
                for k in range(min(len(measured), len(commands))) if measured[k, 0] == step]

    def checkpoint(self) -> tuple[int, Array, Array, Array | None]:
        """Last committed step, with the state, the specimens' states and the parameters needed to go on from it."""
        count = min(len(self.state), len(self.specimens))
        if count == 0:
            raise FileError(self.path, "holds no committed step; begin the test anew")
        step = int(self.state[count - 1, 0])
        parameters = None
        if len(self.parameter_history):
            rows = self.parameter_history[self.parameter_history[:, 0] <= step]
            parameters = rows[-1, HEAD:-TAIL] if len(rows) else None
        return step, self.state[count - 1, HEAD:-TAIL], self.specimens[count - 1, HEAD:-TAIL], parameters


class Journal:
    """Writer of a journal. ``elements`` maps names to numbers of actuators."""

    def __init__(self, path: str | os.PathLike[str], elements: Mapping[str, int], *, state: int = 0, specimens: int = 0,
                 parameters: tuple[list[str], Array] | None = None, updated: bool = False, record: int = 0,
                 about: Mapping[str, Any] | None = None, overwrite: bool = False) -> None:
        self.path = os.fspath(path)
        if os.path.exists(self.path) and not overwrite:
            raise FileError(self.path, "exists already; a journal is never overwritten. Choose another name, or resume it")
        names, values = parameters or ([], np.zeros(0))
        self._folder = os.path.dirname(os.path.abspath(self.path))
        try:
            free = shutil.disk_usage(self._folder).free
            if free < RESERVE:
                raise FileError(self.path, f"cannot be written: its disk has {free} bytes left; {RESERVE} are needed at least")
            self._file = h5py.File(self.path, "w", libver=FORM)
        except FileError:
            raise
        except OSError as problem:
            raise FileError(self.path, f"cannot be written: {problem}") from problem
        put_text(self._file, "format", FORMAT)
        put_text(self._file, "about", json.dumps({"elements": dict(elements), **(about or {})}))
        put_text_table(self._file, "parameter_names", json.dumps(list(names)))
        self._file.create_dataset("parameters", data=np.asarray(values, dtype="<f8"))
        self._command, self._measured, self._refused = {}, {}, {}
        for place, (name, size) in enumerate(elements.items()):
            self._command[name] = _Rows(self._file, f"elements/{place}/command", size)
            self._measured[name] = _Rows(self._file, f"elements/{place}/measured", 2 * size)
            self._refused[name] = _Rows(self._file, f"elements/{place}/refused", 2 * size)
        self._state = _Rows(self._file, "committed/state", state)
        self._specimens = _Rows(self._file, "committed/specimens", specimens)
        self._parameters = _Rows(self._file, "committed/parameters", len(values)) if updated else None
        self._record = _Rows(self._file, "committed/record", record) if record else None
        self._file.create_dataset("ending", data=np.zeros(ENDING_BYTES, np.uint8))
        self._file.flush()
        self._file.swmr_mode = True
        self._closed = False
        self._room = RESERVE + STEPS_AHEAD * sum(
            max(8 * CHUNK_FLOATS, rows.data.shape[1] * 8) for rows in self._tables())

    def _tables(self) -> list[_Rows]:
        every = [*self._command.values(), *self._measured.values(), *self._refused.values(), self._state, self._specimens,
                 self._parameters, self._record]
        return [rows for rows in every if rows is not None]

    def command(self, name: str, step: int, time: float, command: Array) -> None:
        """A command is about to leave. It must not where its answer could not be written."""
        self._must_have_room(self._room, f"The command of step {step} was not sent. Make room, and resume the test.")
        self._command[name].add(step, time, command)

    def _must_have_room(self, needed: int, consequence: str) -> None:
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise JournalFull(f"The disk of {self.path} has {free} bytes left; {needed} are needed to go on. {consequence}")

    def measured(self, name: str, step: int, time: float, displacement: Array, force: Array) -> None:
        """A measurement has come in."""
        self._measured[name].add(step, time, displacement, force)

    def refused(self, name: str, step: int, time: float, displacement: Any, force: Any) -> None:
        """A measurement has come in that cannot be believed; what is not a row of numbers cannot be written."""
        rows = self._refused[name]
        with contextlib.suppress(TypeError, ValueError):
            values = np.concatenate([np.ravel(displacement), np.ravel(force)]).astype(float)
            if len(values) == rows.data.shape[1] - HEAD - TAIL:
                rows.add(step, time, values)

    def commit(self, step: int, time: float, state: Array, specimens: Array, parameters: Array | None = None,
               record: Array | None = None) -> None:
        """A step has been committed; from here a test can go on."""
        if self._record is not None and record is not None:
            self._record.add(step, time, record)
        if self._parameters is not None and parameters is not None:
            self._parameters.add(step, time, parameters)
        self._specimens.add(step, time, specimens)
        self._state.add(step, time, state)

    def take_over(self, record: Record, through: int, measured: Collection[str] = ()) -> None:
        """Take over the rows of an interrupted test up to a step, and the place of its file.

        Of the elements in ``measured`` also the command and the measurement of the step after it are kept.

        A killed writer leaves a mark in its file that keeps others from writing. So the rows are copied to a new file, and
        the old one is there until the new one is whole.
        """
        try:
            self._must_have_room(os.path.getsize(record.path) + self._room, "Make room, and resume the test.")
        except JournalFull:
            self._closed = True
            self._file.close()
            os.remove(self.path)
            raise
        last = {name: through + (name in measured) for name in self._command}
        # a command without a measurement is sent again: with both, row by row, it stays clear what belongs together
        sent = {name: rows[:len(record.measured[name])] for name, rows in record.command.items()}
        for target, past, step in [*((self._command[n], sent[n], last[n]) for n in self._command),
                                   *((self._measured[n], record.measured[n], last[n]) for n in self._measured),
                                   *((self._refused[n], record.refused[n], np.inf) for n in self._refused),
                                   (self._state, record.state, through), (self._specimens, record.specimens, through),
                                   *([(self._parameters, record.parameter_history, through)] if self._parameters else []),
                                   *([(self._record, record.record, through)] if self._record else [])]:
            kept = past[past[:, 0] <= step] if len(past) else past
            if len(kept) == 0:
                continue
            target.resize((len(kept) // GROWTH + 1) * GROWTH)
            target.data[:len(kept)] = kept
            target.count = len(kept)
        for rows in self._tables():
            rows.data.flush()
            rows.open(self._file)
        try:
            os.replace(self.path, record.path)  # while it is open: at no moment can a kill leave a file that nobody can read
            self.path = record.path
        except PermissionError:  # Windows does not move an open file
            self._file.close()
            os.replace(self.path, record.path)
            self.path = record.path
            self._file = h5py.File(self.path, "r+", libver=FORM)
            for rows in self._tables():
                rows.open(self._file)
            self._file.swmr_mode = True

    def close(self, ending: Outcome = Outcome.COMPLETE, message: str = "") -> None:
        """Write how the test ended and let go of the file."""
        if self._closed:
            return
        self._closed = True
        try:
            told = self._file["ending"]
            told[:] = _as_bytes(ending, message)
            told.flush()
            self._file.close()
        except (OSError, RuntimeError) as problem:
            if ending is not Outcome.JOURNAL_FULL:  # then it is known, and what was flushed can be read
                raise FileError(self.path, f"cannot be closed: {' '.join(str(problem).split())}") from problem


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


def _as_bytes(ending: Outcome, message: str) -> npt.NDArray[np.uint8]:
    """An ending as it is written; of a message that is too long, its beginning."""
    message = message or ending.value
    while len(content := json.dumps([ending.name, message]).encode()) > ENDING_BYTES:
        message = message[:len(message) // 2] + "..."
    return np.frombuffer(content.ljust(ENDING_BYTES, b"\0"), np.uint8)


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
