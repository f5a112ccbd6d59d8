"""A growing table of rows in an HDF5 file, each flushed to the system when it is written.

A ``checked`` table NAME has a second one, NAME_checksums, with the CRC-32 of each row, or -1. The
checksum is written first: a killed process leaves no row without it, and of what a power cut leaves
a row counts only if it matches.
"""

from __future__ import annotations

import time as clock
import zlib
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.experimental.errors import JournalFull
from femu.experimental.journal.row_reading import GROWTH, HEAD, OF_ROWS, TAIL, sums_of

Array = npt.NDArray[np.float64]
CHUNK_FLOATS = 4096  # a flush writes a chunk again: small ones are written faster
CHUNK_SUMS = 512
# numbers of a row that could not be written, in the message: of what the test can compute again
SHOWN = 24
COMPUTED = "committed/"


class Rows:
    """A growing table of rows, filled with NaN until they are written.

    Or one of ``slots`` rows, each written over in turn.
    """

    def __init__(
        self, file: Any, name: str, width: int, checked: bool = False, slots: int | None = None
    ) -> None:
        self.name, self.checked, self._slots = name, checked, slots
        width += HEAD + TAIL
        room = slots or GROWTH
        chunk = max(1, min(room, CHUNK_FLOATS // width))
        file.create_dataset(
            name,
            shape=(room, width),
            maxshape=(None, width),
            chunks=(chunk, width),
            dtype="<f8",
            fillvalue=np.nan,
        )
        if checked:
            file.create_dataset(
                name + OF_ROWS,
                shape=(GROWTH,),
                maxshape=(None,),
                chunks=(CHUNK_SUMS,),
                dtype="<i8",
                fillvalue=-1,
            )
        self.count, self.failed = 0, False
        self._row, self._sum = np.empty(width), np.empty(1, np.int64)
        self.open(file)

    def open(self, file: Any) -> None:
        """Work on the table of this name in a file."""
        self.data = file[self.name]
        self._room = len(self.data)
        self._source = h5py.h5s.create_simple(self._row.shape)
        self._target = self.data.id.get_space()
        if self.checked:
            self.sums = file[self.name + OF_ROWS]
            self._one = h5py.h5s.create_simple((1,))
            self._place = self.sums.id.get_space()

    def resize(self, room: int) -> None:
        """Make room for this many rows."""
        if self.checked:
            self.sums.resize(room, axis=0)
            self._place = self.sums.id.get_space()
        self.data.resize(room, axis=0)
        self._room, self._target = room, self.data.id.get_space()

    @property
    def stamp(self) -> float:
        """Clock of the last row."""
        return float(self._row[-1])

    def put(self, rows: Array) -> None:
        """Begin the table with these rows."""
        if not len(rows):
            return
        if self._slots is None:
            self.resize((len(rows) // GROWTH + 1) * GROWTH)
        if self.checked:
            self.sums[: len(rows)] = sums_of(rows)
        self.data[: len(rows)] = rows
        self.count = len(rows)

    def flush(self) -> None:
        """Hand what was written to the system."""
        if self.checked:
            self.sums.flush()
        self.data.flush()

    def add(self, step: int, time: float, *values: Array, stamp: float | None = None) -> int:
        """Write a row; returns its checksum."""
        row = self._row
        row[0], row[1] = step, time
        start = HEAD
        for part in values:
            row[start : start + len(part)] = part
            start += len(part)
        row[-1] = clock.time() if stamp is None else stamp
        made = zlib.crc32(row.tobytes())
        try:
            place = self.count if self._slots is None else self.count % self._slots
            if place == self._room:
                self.resize(self.count + GROWTH)
            if self.checked:
                self._sum[0] = made
                self._place.select_hyperslab((place,), (1,))
                self.sums.id.write(self._one, self._place, self._sum)
                self.sums.id.flush()
            # what data[count] = row does, without looking everything up again
            self._target.select_hyperslab((place, 0), (1, len(row)))
            self.data.id.write(self._source, self._target, row)
            self.data.id.flush()
        except (OSError, RuntimeError) as problem:  # h5py raises either
            self.failed = True
            # of what was measured the message is all that is left
            shown = row[HEAD:-TAIL][: SHOWN if self.name.startswith(COMPUTED) else None]
            raise JournalFull(
                f"The journal cannot be written: {' '.join(str(problem).split())}. The row of "
                f"{self.name} at step {step}, t = {time:g} was {shown.tolist()}."
            ) from problem
        self.count += 1
        return made
