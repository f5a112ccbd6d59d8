"""Tables of rows as a journal has them, read from its file: step, time, values ..., wall clock."""

from __future__ import annotations

import contextlib
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.files.hdf5 import BROKEN, must_hold, table
from femu.support.errors import FileError

Array = npt.NDArray[np.float64]
Lost = list[tuple[str, int, int]]
"""Rows that were written and are not taken: name of the table, number of the first, how many."""
GROWTH = 1024  # rows added at a time
HEAD, TAIL = 2, 1  # step and time before the values, wall clock after them
OF_ROWS = "_checksums"
"""After the name of a table of an element: the table of the checksums of its rows."""


def sums_of(rows: Array) -> npt.NDArray[np.int64]:
    """CRC-32 of each row."""
    return np.array([zlib.crc32(row.tobytes()) for row in rows], dtype=np.int64)


def rows_of(file: Any, name: str, path: str, size: int | None = None) -> Any:
    """A table of rows, of ``size`` values each besides step, time and wall clock; not yet read."""
    data = table(file, name, path, 2, "f", spare=GROWTH)
    if data.shape[1] < HEAD + TAIL or (size is not None and data.shape[1] != HEAD + size + TAIL):
        raise FileError(path, f"has a table {name} of the form {data.shape}, which no journal has")
    return data


def finished_rows(data: Any, path: str, first: int, last: int, lost: Lost | None = None) -> Array:
    """The rows of a table in a range that were written to their end, up to the first that was not.

    A row counts by its clock, its step and its time: NaN is a row that was not written, zeros are
    what a power cut leaves. A part of the table that HDF5 cannot read ends it too. What was written
    after it is added to ``lost``.
    """
    found = [np.zeros((0, data.shape[1]))]
    at_once = (data.chunks or data.shape)[0]
    last = min(last, len(data))
    while first < last:
        end = min(last, (first // at_once + 1) * at_once)
        try:
            stamps = np.asarray(data[first:end, -1], dtype=float)
        except BROKEN:
            if lost is not None:
                lost.append((data.name.strip("/"), first, last - first))
            break
        count = leading(np.isfinite(stamps) & (stamps > 0.0))
        must_hold(data, path, count, data.shape[1] * data.dtype.itemsize)
        rows = np.asarray(data[first : first + count], dtype=float)
        steps = rows[:, 0]
        with np.errstate(invalid="ignore"):
            whole = leading((steps >= 0.0) & (steps == np.floor(steps)) & np.isfinite(rows[:, 1]))
        found.append(rows[:whole])
        if whole < end - first:
            if lost is not None:
                _note_lost(data, first + whole, last, lost)
            break
        first = end
    return np.concatenate(found)


def _note_lost(data: Any, first: int, last: int, lost: Lost) -> None:
    """Note the rows of a table that have a clock, from one on that is not whole."""
    with contextlib.suppress(*BROKEN):
        stamps = np.asarray(data[first:last, -1], dtype=float)
        if count := int(np.count_nonzero(np.isfinite(stamps) & (stamps != 0.0))):
            lost.append((data.name.strip("/"), first, count))


def leading(good: npt.NDArray[np.bool_]) -> int:
    """How many are good before the first that is not."""
    return len(good) if good.all() else int(np.argmin(good))


def finished(
    file: Any, name: str, path: str, size: int | None = None, lost: Lost | None = None
) -> Array:
    data = rows_of(file, name, path, size)
    return finished_rows(data, path, 0, len(data), lost)


def matching(
    file: Any,
    name: str,
    path: str,
    size: int | None = None,
    first: int = 0,
    last: int | None = None,
    lost: Lost | None = None,
) -> Array:
    """The rows of an element's table in a range, up to the first that is not as it was written."""
    data = rows_of(file, name, path, size)
    rows = finished_rows(data, path, first, len(data) if last is None else last, lost)
    if name + OF_ROWS not in file:  # journals of earlier versions have none
        return rows
    # opened after the rows were read: while a test runs the checksum of a row is there before it
    sums = table(file, name + OF_ROWS, path, 1, "i", spare=GROWTH)
    rows = rows[: max(0, len(sums) - first)]
    must_hold(sums, path, len(rows), sums.dtype.itemsize)
    try:
        noted = np.asarray(sums[first : first + len(rows)])
    except BROKEN:
        noted = _readable(sums, first, len(rows))
    count = leading(sums_of(rows[: len(noted)]) == noted)
    if lost is not None and count < len(rows):
        lost.append((name, first + count, len(rows) - count))
    return rows[:count]


def _readable(sums: Any, start: int, count: int) -> npt.NDArray[np.int64]:
    """The checksums from a place on, before the first chunk that HDF5 cannot read."""
    found, at_once, end = [np.zeros(0, np.int64)], (sums.chunks or sums.shape)[0], start + count
    while start < end:
        until = min(end, (start // at_once + 1) * at_once)
        try:
            found.append(np.asarray(sums[start:until]))
        except BROKEN:
            break
        start = until
    return np.concatenate(found)
