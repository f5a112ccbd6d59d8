"""The tables of a journal: rows of commands, measurements and committed steps."""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Collection, Mapping
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.experimental.journal.checkpoints import (
    CHECKED,
    CHECKSUMS,
    ITSELF,
    OF_ITSELF,
    PARAMETER_COLUMNS,
    PARAMETERS,
    Checkpoints,
    Places,
)
from femu.experimental.journal.reader import FORMAT, Record
from femu.experimental.journal.row_reading import HEAD, TAIL
from femu.experimental.journal.rows import Rows
from femu.files.hdf5 import put_text, put_text_table

Array = npt.NDArray[np.float64]


def describe(
    file: h5py.File,
    elements: Mapping[str, int],
    parameters: tuple[list[str], Array],
    about: Mapping[str, Any],
) -> None:
    """Write what the journal is about: format, elements, parameters at the start."""
    names, values = parameters
    put_text(file, "format", FORMAT)
    put_text(file, "about", json.dumps({"elements": dict(elements), **about}))
    put_text_table(file, "parameter_names", json.dumps(list(names)))
    file.create_dataset("parameters", data=np.asarray(values, dtype="<f8"))


class JournalTables:
    """The tables of one journal.

    ``checkpoints`` are the numbers of a state and of what else a step continues from, and the
    places that are kept of every step; ``updated`` the places of parameters that change, None if
    none do; ``record`` how many numbers are noted of a step.
    """

    def __init__(
        self,
        file: h5py.File,
        elements: Mapping[str, int],
        checkpoints: tuple[int, int, Places],
        updated: Places | None,
        record: int,
    ) -> None:
        self.command: dict[str, Rows] = {}
        self.measured: dict[str, Rows] = {}
        self.refused: dict[str, Rows] = {}
        self.unanswered: dict[str, Rows] = {}
        for place, (name, size) in enumerate(elements.items()):
            self.command[name] = Rows(file, f"elements/{place}/command", size, True)
            self.measured[name] = Rows(file, f"elements/{place}/measured", 2 * size, True)
            self.refused[name] = Rows(file, f"elements/{place}/refused", 2 * size, True)
            self.unanswered[name] = Rows(file, f"elements/{place}/unanswered", size, True)
        self.checkpoints = Checkpoints(file, *checkpoints)
        self.parameters: Rows | None = None
        self.updated = np.zeros(0, np.int64) if updated is None else np.unique(updated)
        if updated is not None:
            self.parameters = Rows(file, PARAMETERS, len(self.updated))
            file.create_dataset(PARAMETER_COLUMNS, data=self.updated.astype("<i8"))
        self.record = Rows(file, "committed/record", record) if record else None
        self.checksums = Rows(file, CHECKSUMS, len(CHECKED) + ITSELF)
        self._noted = np.empty(HEAD + len(CHECKED) + ITSELF + TAIL)

    def all(self) -> list[Rows]:
        """Every table."""
        every = [
            *self.command.values(),
            *self.measured.values(),
            *self.refused.values(),
            *self.unanswered.values(),
            *self.checkpoints.tables,
            self.parameters,
            self.record,
            self.checksums,
        ]
        return [rows for rows in every if rows is not None]

    def reopen(self, file: h5py.File, flush: bool = True) -> None:
        """Work on the tables of a file that has taken the place of another one."""
        for rows in self.all():
            if flush:
                rows.flush()
            rows.open(file)

    def add_refused(self, name: str, step: int, time: float, measured: Any) -> None:
        """Add a measurement that is not valid; what of it is missing becomes NaN."""
        rows = self.refused[name]
        size = (rows.data.shape[1] - HEAD - TAIL) // 2
        rows.add(
            step, time, *(_numbers(measured, what, size) for what in ("displacement", "force"))
        )

    def commit(
        self,
        step: int,
        time: float,
        state: Array,
        specimens: Array,
        parameters: Array | None,
        record: Array | None,
    ) -> None:
        """Add a committed step."""
        sums: dict[str, int] = {}  # a table that has no row of this step has none
        if self.record is not None and record is not None:
            sums["record"] = self.record.add(step, time, record)
        if self.parameters is not None and parameters is not None:
            sums["parameter_history"] = self.parameters.add(step, time, parameters[self.updated])
        others, stamp = self.checkpoints.add(step, time, state, specimens)
        sums.update(others)
        row = self._noted
        row[0], row[1], row[OF_ITSELF], row[-1] = step, time, 0.0, stamp
        row[HEAD:OF_ITSELF] = [sums.get(name, np.nan) for name in CHECKED]
        row[OF_ITSELF] = zlib.crc32(row.tobytes())
        self.checksums.add(step, time, row[HEAD:-TAIL], stamp=stamp)

    def copy(self, record: Record, through: int, physical: Collection[str]) -> None:
        """Take over the rows of an interrupted test up to a step, and all of ``physical`` elements."""
        last = {name: np.inf if name in physical else through for name in self.command}
        # a command without a measurement is sent again: it gets a table of its own, and row by row
        # it stays clear what belongs together in the others
        answered = {name: len(record.measured[name]) for name in self.command}
        sent = {name: record.command[name][: answered[name]] for name in self.command}
        unanswered = {
            name: np.concatenate([record.unanswered[name], record.command[name][answered[name] :]])
            if name in physical
            else record.unanswered[name]
            for name in self.command
        }
        taught = record.parameter_history
        taught = taught[:, [0, 1, *(HEAD + self.updated), -1]] if len(taught) else taught
        for target, past, step in [
            *((self.command[n], sent[n], last[n]) for n in self.command),
            *((self.measured[n], record.measured[n], last[n]) for n in self.measured),
            *((self.refused[n], record.refused[n], np.inf) for n in self.refused),
            *((self.unanswered[n], unanswered[n], np.inf) for n in self.unanswered),
            *([(self.parameters, taught, through)] if self.parameters else []),
            *([(self.record, record.record, through)] if self.record else []),
            (self.checksums, self.checkpoints.put(record, taught, through), through),
        ]:
            target.put(past[past[:, 0] <= step] if len(past) else past)


def _numbers(measured: Any, what: str, size: int) -> Array:
    """As many numbers of whatever was measured."""
    out = np.full(size, np.nan)
    with contextlib.suppress(Exception):  # that there was something is worth a row in any case
        found = np.ravel(np.asarray(getattr(measured, what), dtype=float))[:size]
        out[: len(found)] = found
    return out
