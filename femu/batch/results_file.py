"""The file of a batch: HDF5 that any netCDF4 reader opens, filled in place as runs end.

Everything but the numbers is written when the file is made: names, shapes, and room for every run.
After that, rows are only ever written in place, first what a run found, then its outcome, each
brought to the disk before the next. So the file opens after a kill or a power failure at any
moment, and a run counts as done only if all of it is there. Nothing in the file depends on the
clock or on the order in which runs end: two batches of the same content have the same bytes (with
h5py from 3.16 on; earlier versions also write the time of day).

The attribute ``checksum`` is of everything that is known before the first run, the variable
``checksum`` of each row: a run counts as done only if it matches.

Dimensions: ``run``, ``storey``, ``record``, ``parameter_set``, ``parameter``. Variables over
``run``: see `COLUMNS`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np

from femu.batch.exclusive import locked, made
from femu.batch.outcome import RunOutcome
from femu.batch.runner import LONGEST_MESSAGE, Demand
from femu.files.hdf5 import attributes, opened, put_text, table, text
from femu.support.errors import FileError
from femu.support.users_line import warn

FORMAT = "femu batch 1"
NOT_A_BATCH = "already exists and is not the file of a femu batch. Choose another file name"
FORM = ("v108", "v108")
"""Versions of the file format.

The newest in which a killed writer leaves no mark that keeps others out.
"""
FLUSH_SECONDS = 0.5  # how long a finished run may wait for others before it is written

COLUMNS: dict[str, tuple[str, str]] = {
    "factor": ("1", "factor on the record"),
    "pga": ("m s-2", "peak ground acceleration of the scaled record"),
    "sa": ("m s-2", "pseudo-acceleration of the scaled record at the period of the batch"),
    "end_time": ("s", "time that was reached"),
    "base_shear": ("model units of force", "peak of the sum of the horizontal reactions"),
}
COUNTS = {
    "iterations": "Newton iterations of all steps",
    "helped": "steps that needed help of the convergence policy",
}
STOREY_COLUMNS: dict[str, tuple[str, str]] = {
    "peak_drift": ("1", "peak storey drift ratio"),
    "residual_drift": ("1", "storey drift ratio at the end of a complete run"),
    "peak_acceleration": ("m s-2", "peak absolute acceleration of the level above"),
}
CHECKSUM = "checksum"
ROW = (
    "run_record",
    "run_parameter_set",
    "scale",
    "outcome",
    *COLUMNS,
    *COUNTS,
    *STOREY_COLUMNS,
    "message",
)
AS_MADE = ("record_name", "parameter_name", "parameter_value", "run_record", "run_parameter_set")


class ResultsFile:
    """The file while a batch runs. One process writes it."""

    def __init__(self, path: Path, mark: BinaryIO) -> None:
        """The file at a place that ``mark`` keeps for this process."""
        self.path = path
        self._mark = mark
        try:
            self._file = file = h5py.File(path, "r+", locking=False)  # `exclusive` has the lock
        except (OSError, ValueError) as error:
            mark.close()
            raise FileError(path, f"cannot be opened to resume it ({error})") from None
        self.outcome = np.array(file["outcome"])
        self._scales = np.array(file["scale"])
        self._waiting: list[tuple[int, Demand]] = []
        if CHECKSUM in file:
            self._repeat_damaged()
        self._flushed = time.monotonic()

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        attributes: Mapping[str, Any],
        records: Sequence[str],
        parameter_sets: Sequence[Mapping[str, float]],
        storeys: int,
        runs: Mapping[str, np.ndarray],
        overwrite: bool = False,
    ) -> ResultsFile:
        """A new file with room for all runs. ``runs`` holds what is known of them: record, scale,
        parameter_set.

        ``overwrite`` replaces an existing batch, never anything else.
        """
        place = Path(path)

        def write(scratch: Path) -> None:
            try:
                with h5py.File(scratch, "w", track_order=False, libver=FORM, locking=False) as file:
                    _fill(file, attributes, records, parameter_sets, storeys, runs)
                    _to_disk(file)
            except OSError as error:
                raise FileError(place, f"cannot be written ({error}); check the path") from None

        if not (overwrite and os.path.lexists(place)):
            return cls(place, made(place, write))
        with contextlib.closing(locked(place)):  # until the new one, locked too, is at its place
            if not is_batch(place):
                raise FileError(place, NOT_A_BATCH)
            return cls(place, made(place, write, replace=True))

    @classmethod
    def reopen(
        cls, path: str | PathLike[str], fingerprint: str, inputs: Mapping[str, Any] | None = None
    ) -> ResultsFile:
        """A file that a batch of the same content began."""
        place = Path(path)
        mark = locked(place)
        try:
            with opened(place, "the file of a femu batch") as file:
                if text(file, "format", place, "") != FORMAT:
                    raise FileError(place, NOT_A_BATCH)
                must_be_as_made(file, place)
                stored = text(file, "inputs", place, "")
                other = _differences(json.loads(stored) if stored else {}, inputs or {})
                if other or text(file, "fingerprint", place, "") != fingerprint:
                    what = (
                        "; ".join(other)
                        or "its model, records, scales, parameters or settings differ"
                    )
                    raise FileError(
                        place,
                        f"holds another batch: {what}. Choose another file name, or replace the "
                        "batch by overwrite=True (femu batch: --overwrite)",
                    )
                runs = len(table(file, "outcome", place, 1, "i"))
                checked = (CHECKSUM,) if CHECKSUM in file else ()
                for name in ("scale", *COLUMNS, *COUNTS, *STOREY_COLUMNS, "message", *checked):
                    if len(table(file, name, place, kinds="fiuS")) != runs:
                        raise FileError(
                            place,
                            f"has a table {name} that does not fit {runs} runs. Delete it to start "
                            "over",
                        )
            return cls(place, mark)
        except BaseException:
            mark.close()
            raise

    def _repeat_damaged(self) -> None:
        """Runs whose rows are not as they were written have to be done again."""
        damaged = damaged_rows({name: np.array(self._file[name]) for name in (*ROW, CHECKSUM)})
        damaged = damaged[self.outcome[damaged] != RunOutcome.PENDING]
        if len(damaged):
            self.outcome[damaged] = RunOutcome.PENDING
            self._file["outcome"][...] = self.outcome
            _to_disk(self._file)
            warn(
                f"{self.path} is damaged: {len(damaged)} runs are not as they were written, the "
                f"first is run {damaged[0]}. They are done again."
            )

    def done(self, index: int) -> bool:
        """Whether a run has been done."""
        return self.outcome[index] != RunOutcome.PENDING

    def read(self, index: int) -> Demand:
        """What was found by a run that has been done."""
        self.flush()
        one = {name: self._file[name][index] for name in (*COLUMNS, *COUNTS, *STOREY_COLUMNS)}
        return Demand(
            RunOutcome(int(self.outcome[index])),
            self._file["message"][index].decode("utf-8", "ignore"),
            **one,
        )

    def scale(self, index: int) -> float:
        """Scale of a run."""
        return float(self._scales[index])

    def put(self, index: int, demand: Demand, scale: float | None = None) -> None:
        """Take the result of a run; it is written to the disk within half a second."""
        if scale is not None:
            self._scales[index] = scale
        self._waiting.append((index, demand))
        self.outcome[index] = demand.outcome
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting: first the results of the runs, then that they are done."""
        if not self._waiting:
            return
        for index, demand in self._waiting:
            self._write(index, demand)
        _to_disk(self._file)
        for index, demand in self._waiting:
            self._file["outcome"][index] = demand.outcome
        _to_disk(self._file)
        self._waiting.clear()
        self._flushed = time.monotonic()

    def _write(self, index: int, demand: Demand) -> None:
        """Write the row of a run, but for its outcome."""
        values: dict[str, Any] = {"scale": self._scales[index], "outcome": int(demand.outcome)}
        values |= {name: getattr(demand, name) for name in (*COLUMNS, *COUNTS)}
        for name in STOREY_COLUMNS:
            found = getattr(demand, name)
            values[name] = found if len(found) else np.full(self._file[name].shape[1], np.nan)
        values["message"] = _clip(demand.message, LONGEST_MESSAGE)
        for name, value in values.items():
            if name != "outcome":
                self._file[name][index] = value
        if CHECKSUM in self._file:
            row = {
                name: np.asarray([values[name]], self._file[name].dtype)
                if name in values
                else self._file[name][index : index + 1]
                for name in ROW
            }
            self._file[CHECKSUM][index] = row_checksums(row)[0]

    def close(self) -> None:
        """Write what is waiting and close."""
        try:
            self.flush()
        finally:
            self._file.close()
            self._mark.close()


def row_checksums(columns: Mapping[str, Any]) -> np.ndarray:
    """CRC-32 of each row of the variables over runs."""
    parts = [np.ascontiguousarray(columns[name]) for name in ROW]
    rows = np.concatenate(
        [p.view(np.uint8).reshape(len(p), p.nbytes // max(len(p), 1)) for p in parts], axis=1
    )
    return np.array([zlib.crc32(row) for row in rows], dtype=np.uint32)


def damaged_rows(columns: Mapping[str, Any]) -> np.ndarray:
    """Numbers of the rows that do not have their checksum."""
    return np.flatnonzero(row_checksums(columns) != columns[CHECKSUM])


def must_be_as_made(file: Any, path: Path) -> None:
    """Refuse a file that is not as it was made, but for what the runs have found; those of earlier
    versions say nothing of it."""
    if CHECKSUM in file.attrs and text(file, CHECKSUM, path) != _checksum_as_made(file, path):
        raise FileError(
            path,
            "is damaged: what it says of the batch does not match its checksum. Use a copy of it, "
            "or start over",
        )


def _checksum_as_made(file: Any, path: Path) -> str:
    found = hashlib.sha256()
    for name, value in sorted(attributes(file, path).items()):
        if name != CHECKSUM:
            content = value.encode() if isinstance(value, str) else np.asarray(value).tobytes()
            found.update(name.encode() + b"\0" + content + b"\0")
    for name in AS_MADE:
        found.update(np.asarray(table(file, name, path, kinds="fiS")[...]).tobytes())
    return found.hexdigest()


def is_batch(path: Path) -> bool:
    """Whether a file is that of a batch."""
    try:
        with opened(path, "the file of a femu batch") as file:
            return bool(text(file, "format", path, "") == FORMAT)
    except FileError:
        return False


def _differences(stored: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """The differences of two batches, as text; of digests the names only."""
    found = []
    for name in given if stored else ():
        if stored.get(name) != given[name]:
            digest = isinstance(given[name], str) and given[name].startswith("sha256 ")
            found.append(
                f"other {name}"
                if digest
                else f"{name} is {stored.get(name)} there and {given[name]} here"
            )
    return found


def _fill(
    file: h5py.File,
    attributes: Mapping[str, Any],
    records: Sequence[str],
    parameter_sets: Sequence[Mapping[str, float]],
    storeys: int,
    runs: Mapping[str, np.ndarray],
) -> None:
    """Everything but the numbers.

    Longer than a page: the parts of the file, one after the other.
    """
    count = len(runs["record"])
    put_text(file, "format", FORMAT)
    for name, value in attributes.items():
        if isinstance(value, str):
            put_text(file, name, value)
        else:
            file.attrs[name] = value
    names = sorted({name for values in parameter_sets for name in values})
    dimensions = {
        "run": count,
        "storey": storeys,
        "record": max(len(records), 1),
        "parameter_set": max(len(parameter_sets), 1),
        "parameter": max(len(names), 1),
    }
    for number, (name, size) in enumerate(dimensions.items()):
        scale = file.create_dataset(
            name, data=np.arange(size, dtype=np.int64) + (1 if name == "storey" else 0)
        )
        scale.make_scale(name)
        scale.attrs["_Netcdf4Dimid"] = np.int32(number)

    def add(
        name: str, data: np.ndarray, over: tuple[str, ...], unit: str = "", meaning: str = ""
    ) -> None:
        made = file.create_dataset(name, data=data)
        for axis, dimension in enumerate(over):
            made.dims[axis].attach_scale(file[dimension])
        if unit:
            put_text(made, "units", unit)
        if meaning:
            put_text(made, "long_name", meaning)

    add("record_name", _texts(records or [""], 120), ("record",), meaning="name of the record")
    add(
        "parameter_name",
        _texts(names or [""], 120),
        ("parameter",),
        meaning="parameters that the sets change",
    )
    table = np.full((dimensions["parameter_set"], dimensions["parameter"]), np.nan)
    for row, values in enumerate(parameter_sets):
        for name, value in values.items():
            table[row, names.index(name)] = value
    add("parameter_value", table, ("parameter_set", "parameter"))
    add(
        "run_record",
        np.asarray(runs["record"], dtype=np.int32),
        ("run",),
        meaning="number of the record, from 0",
    )
    add(
        "run_parameter_set",
        np.asarray(runs["parameter_set"], dtype=np.int32),
        ("run",),
        meaning="number of the set",
    )
    add("scale", np.asarray(runs["scale"], dtype=np.float64), ("run",), meaning="scale asked for")
    for name, (unit, meaning) in COLUMNS.items():
        add(name, np.full(count, np.nan), ("run",), unit, meaning)
    for name, meaning in COUNTS.items():
        add(name, np.zeros(count, dtype=np.int64), ("run",), meaning=meaning)
    for name, (unit, meaning) in STOREY_COLUMNS.items():
        add(name, np.full((count, storeys), np.nan), ("run", "storey"), unit, meaning)
    add(
        "message",
        _texts([""] * count, LONGEST_MESSAGE),
        ("run",),
        meaning="what went wrong, in words",
    )
    add("outcome", np.zeros(count, dtype=np.int8), ("run",), meaning="how the run ended")
    sums = row_checksums({name: np.array(file[name]) for name in ROW})
    add(CHECKSUM, sums, ("run",), meaning="CRC-32 of the row")
    file["outcome"].attrs["flag_values"] = np.array([o.value for o in RunOutcome], dtype=np.int8)
    put_text(file["outcome"], "flag_meanings", " ".join(o.name.lower() for o in RunOutcome))
    put_text(file, CHECKSUM, _checksum_as_made(file, Path(file.filename)))


def _to_disk(file: h5py.File) -> None:
    file.flush()
    # not every file system, nor every HDF5 driver, can
    with contextlib.suppress(OSError, TypeError, ValueError):
        os.fsync(file.id.get_vfd_handle())


def _clip(text: str, size: int) -> bytes:
    """Text as bytes of at most a size, cut between characters."""
    return text.encode("utf-8")[:size].decode("utf-8", "ignore").encode("utf-8")


def _texts(texts: Sequence[str], size: int) -> np.ndarray:
    return np.array([_clip(text, size) for text in texts], dtype=f"S{size}")
