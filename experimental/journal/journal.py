"""The journal: every command and every measurement of a test in an HDF5 file, as it happens.

One process writes, any number read meanwhile (HDF5's SWMR mode). A row counts once its last number,
the wall clock, is there; everything before it in the row is then there too. Each row is handed to
the system before anything else happens, so it survives a killed process. Once a second a thread has
the disk take what was written. Of a ``durable`` journal every measurement is on the disk before the
test continues: it survives a power cut, at some milliseconds a step. ::

    /elements/NAME/command      step, test time, command ..., wall clock      written before the command leaves
    /elements/NAME/measured     step, test time, displacement ..., force ..., wall clock
    /elements/NAME/refused      the same of a measurement that was not believed: no step was taken with it
    /elements/NAME/unanswered   commands as above that had no measurement when the test was resumed
    /elements/NAME/..._checksums   CRC-32 of each row of these four tables, -1 if there is none: a row counts if it matches
    /committed/state, ...       what a resumed test continues from; see femu.experimental.journal.checkpoints
    /committed/parameters       step, test time, parameters that are updated ..., wall clock
    /committed/parameter_columns   their places among all parameters
    /committed/record           step, test time, what the test notes of a step (hybrid_record) ..., wall clock
    /committed/checksums        step, test time, CRC-32 of the rows of record, parameters, specimens, state and kept, wall clock
    /ending                     JSON with the name of the outcome and the message, zeros after it; all zeros until the test ends

A file that is deleted or replaced while its test runs takes rows that nobody would find: it is
looked for before each command.

The ending is written into a place made for it, as a row is: a test that is killed while it ends
leaves a file that can be read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import h5py
import numpy as np
import numpy.typing as npt

from femu.experimental.errors import JournalFull, JournalLost, MeasuredAlready
from femu.experimental.journal.checkpoints import Places
from femu.experimental.journal.closing import ENDING_BYTES, closed_elsewhere, ending_bytes
from femu.experimental.journal.lock import mark_as_used
from femu.experimental.journal.lost_file import identity, is_there, rescued
from femu.experimental.journal.reader import (
    FORMAT,
    HEAD_DIGEST,
    Record,
    head_digest,
    read_ending,
    read_head,
    read_journal,
    version,
)
from femu.experimental.journal.row_reading import GROWTH, HEAD, TAIL, finished_rows, rows_of
from femu.experimental.journal.rows import CHUNK_FLOATS
from femu.experimental.journal.syncing import Syncing, sync_folder
from femu.experimental.journal.tables import JournalTables, describe
from femu.files.hdf5 import FORM, put_text
from femu.results.outcome import Outcome
from femu.support.errors import FileError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
# bytes that must be free beyond what a step needs: HDF5 cannot even close a file on a full disk
RESERVE = 1 << 20
ALIGNED = {"alignment_threshold": 1, "alignment_interval": 512}
"""A table that grows has its head, of 268 bytes, written again.

Within a sector it is never torn: a table without it is lost.
"""
STEPS_AHEAD = 4  # steps that must have room when a command leaves


class Journal:
    """Writer of a journal. ``elements`` maps names to numbers of actuators.

    ``kept`` are the places of what is kept of every checkpoint; see
    `femu.experimental.journal.checkpoints`. ``updated`` are the places of the parameters that
    change in the test.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        elements: Mapping[str, int],
        *,
        state: int = 0,
        specimens: int = 0,
        kept: Places | None = None,
        parameters: tuple[list[str], Array] | None = None,
        updated: Places | None = None,
        record: int = 0,
        about: Mapping[str, Any] | None = None,
        overwrite: bool = False,
        durable: bool = False,
    ) -> None:
        self.path, self._durable = os.fspath(path), durable
        if os.path.exists(self.path) and not overwrite:
            raise FileError(
                self.path,
                "exists already; a journal is never overwritten. Choose another name, or resume it",
            )
        self._folder = os.path.dirname(os.path.abspath(self.path))
        self._closed = self._lost = False
        self._syncing: Syncing | None = None
        self._mark: BinaryIO | None = None
        # of measurements that were taken over, by time
        self._clocks: dict[str, dict[float, float]] = {}
        # time up to which an element was measured before the test was resumed
        self._until: dict[str, float] = {}
        try:
            free = shutil.disk_usage(self._folder).free
            if free < RESERVE:
                raise FileError(
                    self.path,
                    f"cannot be written: its disk has {free} bytes left; {RESERVE} are needed at "
                    "least",
                )
            # two tests that begin at once must not get the same file
            self._file = h5py.File(self.path, "w" if overwrite else "x", libver=FORM, **ALIGNED)
        except FileError:
            raise
        except OSError as problem:
            raise FileError(self.path, f"cannot be written: {problem}") from problem
        try:
            places = np.zeros(0, np.int64) if kept is None else kept
            describe(self._file, elements, parameters or ([], np.zeros(0)), about or {})
            self.tables = JournalTables(
                self._file, elements, (state, specimens, places), updated, record
            )
            self._file.create_dataset("ending", data=np.zeros(ENDING_BYTES, np.uint8))
            put_text(self._file, HEAD_DIGEST, head_digest(self._file, self.path))
            self._file.flush()
            self._file.swmr_mode = True
            self._mark = mark_as_used(self.path)
            if durable:  # its name too must survive a power cut, before a specimen moves
                self._sync()
                sync_folder(self._folder)
        except (OSError, RuntimeError, JournalFull) as problem:
            self._give_up()
            raise FileError(
                self.path, f"cannot be written: {' '.join(str(problem).split())}"
            ) from problem
        self._identity = identity(self._file.id.get_vfd_handle(), self._place)
        self._keep_synced()
        self._room = RESERVE + STEPS_AHEAD * sum(
            max(8 * CHUNK_FLOATS, rows.data.shape[1] * 8) for rows in self.tables.all()
        )

    @property
    def _place(self) -> str:
        """The path, wherever the program has gone since."""
        return os.path.join(self._folder, os.path.basename(self.path))

    def _keep_synced(self) -> None:
        """Have the disk take what was written once a second.

        A durable journal waits for it at each measurement instead.
        """
        if not self._durable:
            self._syncing = Syncing(self._file.id.get_vfd_handle())

    def _stop_syncing(self) -> None:
        if self._syncing is not None:
            self._syncing.close()
            self._syncing = None

    def _let_go(self) -> None:
        self._closed = True
        self._stop_syncing()
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
            raise JournalFull(
                f"The disk does not take what was written to {self.path}: {problem}."
            ) from problem

    def command(self, name: str, step: int, time: float, command: Array) -> None:
        """A command is about to leave.

        It must not where its answer could not be written, or has been.
        """
        if time < self._until.get(name, time):
            raise MeasuredAlready(
                f"The command {command.tolist()} of step {step} (t = {time:g}) was not sent: "
                f"{self.path} holds what {name!r} measured up to t = {self._until[name]:g}, but "
                "not for this command. It would move the specimen back. All of that stays in the "
                "journal. Resume the test where it computes the same commands: with the versions "
                "and on the machine that wrote the journal, and without an updater in another "
                "process."
            )
        if self._identity is not None and not is_there(self._place, self._identity):
            raise JournalLost(f"{self._rescue()} The command of step {step} was not sent.")
        self._must_have_room(
            self._room, f"The command of step {step} was not sent. Make room, and resume the test."
        )
        if self._syncing is not None and self._syncing.problem is not None:
            raise JournalFull(
                f"The disk does not take what was written to {self.path}: {self._syncing.problem}. "
                f"The command of step {step} was not sent."
            )
        self.tables.command[name].add(step, time, command)

    def found(self, name: str, step: int, time: float, command: Array) -> None:
        """A command that a power cut had taken is computed again.

        It was measured, and does not leave again.
        """
        self.tables.command[name].add(step, time, command, stamp=self._clocks[name][time])
        self._sync()  # a second power cut must not take it: what the element keeps of it changes

    def _must_have_room(self, needed: int, consequence: str) -> None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as problem:
            raise JournalFull(
                f"The disk of {self.path} cannot be looked at: {problem}. {consequence}"
            ) from problem
        if free < needed:
            raise JournalFull(
                f"The disk of {self.path} has {free} bytes left; {needed} are needed to continue. "
                f"{consequence}"
            )

    def _rescue(self) -> str:
        """Copy what the file holds to where it can be found; returns what happened to it."""
        self._lost = True
        kept = rescued(self._file.id.get_vfd_handle(), self._place)
        return (
            f"The journal {self.path} was deleted, moved or replaced by another file while its "
            "test ran. "
            + (
                f"All that it held is in {kept}: resume the test with that file."
                if kept is not None
                else "What it held could not be copied to another file."
            )
        )

    def measured(
        self, name: str, step: int, time: float, displacement: Array, force: Array
    ) -> None:
        """A measurement has come in."""
        self.tables.measured[name].add(step, time, displacement, force)
        if self._durable:
            self._sync()

    def refused(self, name: str, step: int, time: float, measured: Any) -> None:
        """A measurement has come in that cannot be believed.

        What is missing or not a number is written as NaN.
        """
        self.tables.add_refused(name, step, time, measured)
        if self._durable:
            self._sync()

    def commit(
        self,
        step: int,
        time: float,
        state: Array,
        specimens: Array,
        parameters: Array | None = None,
        record: Array | None = None,
    ) -> None:
        """A step has been committed; from here a test can be resumed."""
        self.tables.commit(step, time, state, specimens, parameters, record)

    def take_over(self, record: Record, through: int, physical: Collection[str] = ()) -> None:
        """Take over the rows of an interrupted test up to a step, and the place of its file.

        Of the elements in ``physical`` all that was sent and measured after it is kept too.

        A killed writer leaves a mark in its file that keeps others from writing. So the rows are
        copied to a new file, and the old one is there until the new one is whole.
        """
        try:
            self._must_have_room(
                os.path.getsize(record.path) + self._room, "Make room, and resume the test."
            )
            self.tables.copy(record, through, physical)
            self.tables.reopen(self._file)
            self._sync()  # what takes the place of the old file must be on the disk before
        except (OSError, RuntimeError, JournalFull) as problem:
            self._give_up()
            if isinstance(problem, JournalFull):
                raise
            raise JournalFull(
                f"{record.path} cannot be taken over: {' '.join(str(problem).split())}. It stays "
                "as it was. Make room, and resume the test."
            ) from problem
        try:
            self._move_to(record.path)
        except (OSError, RuntimeError) as problem:
            why = " ".join(str(getattr(problem, "strerror", None) or problem).split())
            if self.path == record.path:  # it is the journal by now
                self._let_go()
                raise FileError(
                    record.path,
                    f"cannot be opened: {why}. It holds all that it held. Resume it again",
                ) from problem
            self._give_up()
            raise FileError(
                record.path, f"cannot be replaced: {why}. It stays as it was"
            ) from problem
        self._identity = identity(self._file.id.get_vfd_handle(), self._place)
        self._until = {
            name: float(record.measured[name][-1, 1])
            for name in physical
            if len(record.measured[name])
        }
        self._clocks = {name: dict(record.measured[name][:, [1, -1]].tolist()) for name in physical}

    def _move_to(self, path: str) -> None:
        """Take the place of another file.

        At no moment can a kill or a power cut leave a file that nobody can read.
        """
        try:
            os.replace(self.path, path)  # while it is open
            self.path = path
        except PermissionError:  # Windows does not move an open file
            self._stop_syncing()
            self._file.close()
            self._unmark()  # HDF5 opens no file that is marked
            os.replace(self.path, path)
            self.path = path
            self._file = h5py.File(self.path, "r+", libver=FORM, **ALIGNED)
            self.tables.reopen(self._file, flush=False)
            self._file.swmr_mode = True
            self._mark = mark_as_used(self.path)
            self._keep_synced()
        sync_folder(self._folder)

    def close(self, ending: Outcome = Outcome.COMPLETE, message: str = "") -> None:
        """Write how the test ended and let go of the file."""
        if self._closed:
            return
        self._closed = True
        self._stop_syncing()
        lost = ""
        try:
            ending_table = self._file["ending"]
            ending_table[:] = ending_bytes(ending, message)
            ending_table.flush()
            self._sync()
            if (
                not self._lost
                and self._identity is not None
                and not is_there(self._place, self._identity)
            ):
                lost = self._rescue()
            if any(rows.failed for rows in self.tables.all()):
                self._abandon()
            self._file.close()
        except (OSError, RuntimeError, JournalFull) as problem:
            self._abandon()
            # then it is known, and what was flushed can be read
            if ending is not Outcome.JOURNAL_FULL:
                raise FileError(
                    self.path, f"cannot be closed: {' '.join(str(problem).split())}"
                ) from problem
        finally:
            self._unmark()
        if lost:
            warn(lost)

    def _unmark(self) -> None:
        if self._mark is not None:
            self._mark.close()
            self._mark = None

    def _abandon(self) -> None:
        """Leave the file as it is, and let HDF5 close something else.

        HDF5 cannot close a file that cannot be written, and takes the interpreter down when it
        tries, then or later.
        """
        if not closed_elsewhere(self._file, RESERVE):
            _NEVER_CLOSED.append(self)


_NEVER_CLOSED: list[Journal] = []
"""Journals that could be neither closed nor left.

The program must be able to continue without them.
"""


__all__ = [
    "FORMAT",
    "GROWTH",
    "HEAD",
    "TAIL",
    "Journal",
    "Record",
    "finished_rows",
    "read_ending",
    "read_head",
    "read_journal",
    "rows_of",
    "version",
]
