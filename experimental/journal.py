"""The journal: every command and every measurement of a test in an HDF5 file, as it happens.

One process writes, any number read meanwhile (HDF5's SWMR mode). A row counts once its last number, the wall clock, is
there; everything before it in the row is then there too. Each row is handed to the system before anything else happens, so it
survives a killed process. Of a ``durable`` journal every measurement is also on the disk before the test goes on: it survives a
power cut, at some milliseconds a step. ::

    /elements/NAME/command      step, test time, command ..., wall clock      written before the command leaves
    /elements/NAME/measured     step, test time, displacement ..., force ..., wall clock
    /elements/NAME/refused      the same of a measurement that was not believed: no step was taken with it
    /elements/NAME/unanswered   commands as above that had no measurement when the test was resumed
    /committed/state            step, test time, state vector of the program ..., wall clock
    /committed/specimens        step, test time, states of the emulated specimens and of the tangents ..., wall clock
    /committed/parameters       step, test time, parameter vector ..., wall clock (where parameters are updated)
    /committed/record           step, test time, what the test notes of a step ..., wall clock; see femu.analyses.hybrid_record
    /ending                     JSON with the name of the outcome and the message, zeros after it; all zeros until the test ends

A file that is deleted or replaced while its test runs takes rows that nobody would find: it is looked for before each command.

The ending is written into a place made for it, as a row is: a test that is killed while it ends leaves a file that can be read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time as clock
import warnings
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import h5py
import numpy as np
import numpy.typing as npt

from femu.errors import FileError
from femu.experimental.errors import JournalFull, JournalLost, MeasuredAlready
from femu.experimental.in_use import mark_as_used
from femu.experimental.record import (
    FORMAT,
    GROWTH,
    HEAD,
    TAIL,
    Record,
    finished_rows,
    read_ending,
    read_head,
    read_journal,
    rows_of,
    version,
)
from femu.experimental.rescue import identity, is_there, rescued
from femu.hdf5_file import FORM, put_text, put_text_table
from femu.outcome import Outcome

Array = npt.NDArray[np.float64]
CHUNK_FLOATS = 4096  # a flush writes a chunk again: small ones are written faster
RESERVE = 1 << 20  # bytes that must be free beyond what a step needs: HDF5 cannot even close a file on a full disk
ENDING_BYTES = 4096
STEPS_AHEAD = 4  # steps that must have room when a command leaves
SHOWN = 24  # numbers of a row that could not be written, in the message: of what the test can compute again
COMPUTED = "committed/"


class _Rows:
    """A growing table of rows, filled with NaN until they are written."""

    def __init__(self, file: Any, name: str, width: int) -> None:
        self.name = name
        width += HEAD + TAIL
        chunk = max(1, min(GROWTH, CHUNK_FLOATS // width))
        file.create_dataset(name, shape=(GROWTH, width), maxshape=(None, width), chunks=(chunk, width), dtype="<f8",
                            fillvalue=np.nan)
        self.count, self.failed = 0, False
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
        row = self._row
        row[0], row[1] = step, time
        start = HEAD
        for part in values:
            row[start:start + len(part)] = part
            start += len(part)
        row[-1] = clock.time()
        try:
            if self.count == self._room:
                self.resize(self.count + GROWTH)
            # what data[count] = row does, without looking everything up again
            self._target.select_hyperslab((self.count, 0), (1, len(row)))
            self.data.id.write(self._source, self._target, row)
            self.data.id.flush()
        except (OSError, RuntimeError) as problem:  # h5py raises either
            self.failed = True
            # of what was measured the message is all that is left
            shown = row[HEAD:-TAIL][:SHOWN if self.name.startswith(COMPUTED) else None]
            raise JournalFull(f"The journal cannot be written: {' '.join(str(problem).split())}. The row of {self.name} at step "
                              f"{step}, t = {time:g} was {shown.tolist()}.") from problem
        self.count += 1


class Journal:
    """Writer of a journal. ``elements`` maps names to numbers of actuators."""

    def __init__(self, path: str | os.PathLike[str], elements: Mapping[str, int], *, state: int = 0, specimens: int = 0,
                 parameters: tuple[list[str], Array] | None = None, updated: bool = False, record: int = 0,
                 about: Mapping[str, Any] | None = None, overwrite: bool = False, durable: bool = False) -> None:
        self.path, self._durable = os.fspath(path), durable
        if os.path.exists(self.path) and not overwrite:
            raise FileError(self.path, "exists already; a journal is never overwritten. Choose another name, or resume it")
        self._folder = os.path.dirname(os.path.abspath(self.path))
        self._closed = self._lost = False
        self._mark: BinaryIO | None = None
        self._until: dict[str, float] = {}  # time up to which an element was measured before the test was resumed
        try:
            free = shutil.disk_usage(self._folder).free
            if free < RESERVE:
                raise FileError(self.path, f"cannot be written: its disk has {free} bytes left; {RESERVE} are needed at least")
            # two tests that begin at once must not get the same file
            self._file = h5py.File(self.path, "w" if overwrite else "x", libver=FORM)
        except FileError:
            raise
        except OSError as problem:
            raise FileError(self.path, f"cannot be written: {problem}") from problem
        try:
            self._lay_out(elements, state, specimens, parameters or ([], np.zeros(0)), updated, record, about or {})
        except (OSError, RuntimeError) as problem:
            self._give_up()
            raise FileError(self.path, f"cannot be written: {' '.join(str(problem).split())}") from problem
        self._identity = identity(self._file.id.get_vfd_handle(), self._place)
        self._room = RESERVE + STEPS_AHEAD * sum(
            max(8 * CHUNK_FLOATS, rows.data.shape[1] * 8) for rows in self._tables())

    def _lay_out(self, elements: Mapping[str, int], state: int, specimens: int, parameters: tuple[list[str], Array],
                 updated: bool, record: int, about: Mapping[str, Any]) -> None:
        names, values = parameters
        put_text(self._file, "format", FORMAT)
        put_text(self._file, "about", json.dumps({"elements": dict(elements), **about}))
        put_text_table(self._file, "parameter_names", json.dumps(list(names)))
        self._file.create_dataset("parameters", data=np.asarray(values, dtype="<f8"))
        self._command, self._measured, self._refused, self._unanswered = {}, {}, {}, {}
        for place, (name, size) in enumerate(elements.items()):
            self._command[name] = _Rows(self._file, f"elements/{place}/command", size)
            self._measured[name] = _Rows(self._file, f"elements/{place}/measured", 2 * size)
            self._refused[name] = _Rows(self._file, f"elements/{place}/refused", 2 * size)
            self._unanswered[name] = _Rows(self._file, f"elements/{place}/unanswered", size)
        self._state = _Rows(self._file, "committed/state", state)
        self._specimens = _Rows(self._file, "committed/specimens", specimens)
        self._parameters = _Rows(self._file, "committed/parameters", len(values)) if updated else None
        self._record = _Rows(self._file, "committed/record", record) if record else None
        self._file.create_dataset("ending", data=np.zeros(ENDING_BYTES, np.uint8))
        self._file.flush()
        self._file.swmr_mode = True
        self._mark = mark_as_used(self.path)

    @property
    def _place(self) -> str:
        """The path, wherever the program has gone since."""
        return os.path.join(self._folder, os.path.basename(self.path))

    def _let_go(self) -> None:
        self._closed = True
        self._abandon()
        self._unmark()

    def _give_up(self) -> None:
        """Let go of a file that nobody needs, and remove it."""
        self._let_go()
        with contextlib.suppress(OSError):
            os.remove(self._place)

    def _sync(self) -> None:
        """Wait until the disk has everything that was written."""
        try:
            os.fsync(self._file.id.get_vfd_handle())
        except OSError as problem:
            raise JournalFull(f"The disk does not take what was written to {self.path}: {problem}.") from problem

    def _tables(self) -> list[_Rows]:
        every = [*self._command.values(), *self._measured.values(), *self._refused.values(), *self._unanswered.values(),
                 self._state, self._specimens, self._parameters, self._record]
        return [rows for rows in every if rows is not None]

    def command(self, name: str, step: int, time: float, command: Array) -> None:
        """A command is about to leave. It must not where its answer could not be written, or has been."""
        if time < self._until.get(name, time):
            raise MeasuredAlready(
                f"The command {command.tolist()} of step {step} (t = {time:g}) was not sent: {self.path} holds what {name!r} "
                f"measured up to t = {self._until[name]:g}, but not for this command. It would move the specimen back. All of "
                "that stays in the journal. Resume the test where it computes the same commands: with the versions and on the "
                "machine that wrote the journal, and without an updater in another process.")
        if self._identity is not None and not is_there(self._place, self._identity):
            raise JournalLost(f"{self._rescue()} The command of step {step} was not sent.")
        self._must_have_room(self._room, f"The command of step {step} was not sent. Make room, and resume the test.")
        self._command[name].add(step, time, command)

    def _must_have_room(self, needed: int, consequence: str) -> None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as problem:
            raise JournalFull(f"The disk of {self.path} cannot be looked at: {problem}. {consequence}") from problem
        if free < needed:
            raise JournalFull(f"The disk of {self.path} has {free} bytes left; {needed} are needed to go on. {consequence}")

    def _rescue(self) -> str:
        """Copy what the file holds to where it can be found; returns what happened to it."""
        self._lost = True
        kept = rescued(self._file.id.get_vfd_handle(), self._place)
        return (f"The journal {self.path} was deleted, moved or replaced by another file while its test ran. " + (
                f"All that it held stands in {kept}: resume the test with that file." if kept is not None else
                "What it held could not be copied to another file."))

    def measured(self, name: str, step: int, time: float, displacement: Array, force: Array) -> None:
        """A measurement has come in."""
        self._measured[name].add(step, time, displacement, force)
        if self._durable:
            self._sync()

    def refused(self, name: str, step: int, time: float, measured: Any) -> None:
        """A measurement has come in that cannot be believed. What of it is no number, or is missing, is written as NaN."""
        rows = self._refused[name]
        size = (rows.data.shape[1] - HEAD - TAIL) // 2
        rows.add(step, time, *(_numbers(measured, what, size) for what in ("displacement", "force")))
        if self._durable:
            self._sync()

    def commit(self, step: int, time: float, state: Array, specimens: Array, parameters: Array | None = None,
               record: Array | None = None) -> None:
        """A step has been committed; from here a test can go on."""
        if self._record is not None and record is not None:
            self._record.add(step, time, record)
        if self._parameters is not None and parameters is not None:
            self._parameters.add(step, time, parameters)
        self._specimens.add(step, time, specimens)
        self._state.add(step, time, state)

    def take_over(self, record: Record, through: int, physical: Collection[str] = ()) -> None:
        """Take over the rows of an interrupted test up to a step, and the place of its file.

        Of the elements in ``physical`` all that was sent and measured after it is kept too.

        A killed writer leaves a mark in its file that keeps others from writing. So the rows are copied to a new file, and
        the old one is there until the new one is whole.
        """
        try:
            self._must_have_room(os.path.getsize(record.path) + self._room, "Make room, and resume the test.")
            self._copy(record, through, physical)
            self._sync()  # what takes the place of the old file must be on the disk before
        except (OSError, RuntimeError, JournalFull) as problem:
            self._give_up()
            if isinstance(problem, JournalFull):
                raise
            raise JournalFull(f"{record.path} cannot be taken over: {' '.join(str(problem).split())}. It stays as it was. "
                              "Make room, and resume the test.") from problem
        try:
            self._move_to(record.path)
        except (OSError, RuntimeError) as problem:
            why = " ".join(str(getattr(problem, "strerror", None) or problem).split())
            if self.path == record.path:  # it is the journal by now
                self._let_go()
                raise FileError(record.path, f"cannot be opened: {why}. It holds all that it held. Resume it again") from problem
            self._give_up()
            raise FileError(record.path, f"cannot be replaced: {why}. It stays as it was") from problem
        self._identity = identity(self._file.id.get_vfd_handle(), self._place)
        self._until = {name: float(record.measured[name][-1, 1]) for name in physical if len(record.measured[name])}

    def _copy(self, record: Record, through: int, physical: Collection[str]) -> None:
        last = {name: np.inf if name in physical else through for name in self._command}
        # a command without a measurement is sent again: it gets a table of its own, and row by row it stays clear what belongs
        # together in the others
        answered = {name: len(record.measured[name]) for name in self._command}
        sent = {name: record.command[name][:answered[name]] for name in self._command}
        unanswered = {name: np.concatenate([record.unanswered[name], record.command[name][answered[name]:]])
                      if name in physical else record.unanswered[name] for name in self._command}
        for target, past, step in [*((self._command[n], sent[n], last[n]) for n in self._command),
                                   *((self._measured[n], record.measured[n], last[n]) for n in self._measured),
                                   *((self._refused[n], record.refused[n], np.inf) for n in self._refused),
                                   *((self._unanswered[n], unanswered[n], np.inf) for n in self._unanswered),
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

    def _move_to(self, path: str) -> None:
        """Take the place of another file. At no moment can a kill or a power cut leave a file that nobody can read."""
        try:
            os.replace(self.path, path)  # while it is open
            self.path = path
        except PermissionError:  # Windows does not move an open file
            self._file.close()
            self._unmark()  # HDF5 opens no file that is marked
            os.replace(self.path, path)
            self.path = path
            self._file = h5py.File(self.path, "r+", libver=FORM)
            for rows in self._tables():
                rows.open(self._file)
            self._file.swmr_mode = True
            self._mark = mark_as_used(self.path)
        with contextlib.suppress(OSError):  # the folder too must be on the disk; not every system can
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def close(self, ending: Outcome = Outcome.COMPLETE, message: str = "") -> None:
        """Write how the test ended and let go of the file."""
        if self._closed:
            return
        self._closed = True
        lost = ""
        try:
            told = self._file["ending"]
            told[:] = _as_bytes(ending, message)
            told.flush()
            self._sync()
            if not self._lost and self._identity is not None and not is_there(self._place, self._identity):
                lost = self._rescue()
            if any(rows.failed for rows in self._tables()):
                self._abandon()
            self._file.close()
        except (OSError, RuntimeError, JournalFull) as problem:
            self._abandon()
            if ending is not Outcome.JOURNAL_FULL:  # then it is known, and what was flushed can be read
                raise FileError(self.path, f"cannot be closed: {' '.join(str(problem).split())}") from problem
        finally:
            self._unmark()
        if lost:
            warnings.warn(lost, stacklevel=2)

    def _unmark(self) -> None:
        if self._mark is not None:
            self._mark.close()
            self._mark = None

    def _abandon(self) -> None:
        """Leave the file as it is, and let HDF5 close something else.

        HDF5 cannot close a file that cannot be written, and takes the interpreter down when it tries, then or later.
        """
        try:
            handle = self._file.id.get_vfd_handle()
            with _nowhere() as nowhere:
                # a limit on the size of files would hold here too
                os.pwrite(nowhere.fileno(), b"\0", os.fstat(handle).st_size + RESERVE)
                os.dup2(nowhere.fileno(), handle)
            self._file.close()
        except (AttributeError, OSError, RuntimeError, ValueError):
            _NEVER_CLOSED.append(self)


_NEVER_CLOSED: list[Journal] = []
"""Journals that could be neither closed nor left: the program must be able to go on without them."""


def _nowhere() -> Any:
    """A file in memory, or where there is none, on the disk for scratch."""
    make = getattr(os, "memfd_create", None)
    return os.fdopen(make("femu"), "w+b") if make is not None else tempfile.TemporaryFile()


def _numbers(measured: Any, what: str, size: int) -> Array:
    """So many numbers of whatever was measured."""
    out = np.full(size, np.nan)
    with contextlib.suppress(Exception):  # that there was something is worth a row in any case
        found = np.ravel(np.asarray(getattr(measured, what), dtype=float))[:size]
        out[:len(found)] = found
    return out


def _as_bytes(ending: Outcome, message: str) -> npt.NDArray[np.uint8]:
    """An ending as it is written; of a message that is too long, its beginning."""
    message = message or ending.value
    while len(content := json.dumps([ending.name, message]).encode()) > ENDING_BYTES:
        message = message[:len(message) // 2] + "..."
    return np.frombuffer(content.ljust(ENDING_BYTES, b"\0"), np.uint8)


__all__ = ["FORMAT", "GROWTH", "HEAD", "TAIL", "Journal", "Record", "finished_rows", "read_ending", "read_head", "read_journal",
           "rows_of", "version"]
