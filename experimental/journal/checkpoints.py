"""Checkpoints in a journal: what a test needs to continue from a committed step.

The checkpoint of a step is the state of the program, and what the specimens, tangents and the
updater remember. With fibres and an updater these are tens of kilobytes, and only the last
checkpoint is needed to resume a test. So it is appended at every N-th step, and between these it is
written to one of a few slots, in turn::

    /committed/state            step, test time, state vector of the program ..., wall clock: steps N, 2 N, 3 N ...
    /committed/specimens        step, test time, what the others remember ..., wall clock: the same steps
    /committed/latest_state, /committed/latest_specimens
                                the same of the last steps between them: SLOTS rows, the oldest is written over
    /committed/kept             step, test time, numbers of the checkpoint ..., wall clock: every step
    /committed/kept_columns     places of these numbers in the state followed by what the others remember
    /committed/checksums        step, test time, CRC-32 of the rows of each table in CHECKED and of itself, wall clock: every step

N is the least number with which the appended rows take at most EACH_STEP bytes per step, and at
most MOST. If N is 1 every checkpoint is appended and the latest and kept tables do not exist;
journals of earlier versions are like this. Kept of every step is what the result saves, and the
last exchange with each specimen, from which lost rows are given back.

A checkpoint counts if its rows have the checksums of its step, wherever they are, and if all rows
of the steps up to it are whole. A killed process leaves at least the slot of the step before whole,
so nothing is computed again. A power cut can tear all slots, if none was synced since; the last
appended checkpoint is then the last one, and the steps after it are taken again with what was
measured of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.row_reading import (
    HEAD,
    TAIL,
    finished_rows,
    leading,
    rows_of,
    sums_of,
)
from femu.experimental.journal.rows import Rows
from femu.files.hdf5 import table
from femu.support.errors import FileError

if TYPE_CHECKING:
    from femu.experimental.journal.reader import Record

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
EACH_STEP = 1024  # bytes per step that appended checkpoints may take
# steps from one appended checkpoint to the next: as many a power cut may have computed again
MOST = 64
SLOTS = 4
BOTH = ("specimens", "state")
PARAMETERS, PARAMETER_COLUMNS = "committed/parameters", "committed/parameter_columns"
KEPT, KEPT_COLUMNS, LATEST = "committed/kept", "committed/kept_columns", "committed/latest_"
RECORD, CHECKSUMS = "committed/record", "committed/checksums"
CHECKED = ("record", "parameter_history", "specimens", "state", "kept")
"""Tables of which it has the checksums, in the order of its columns.

The last is not in journals of earlier versions.
"""
ITSELF = 1  # a column after them: the checksum of the row of checksums itself
OF_ITSELF = HEAD + len(CHECKED)
OF_EVERY_STEP = ("record", "parameter_history", "kept")


def steps_between(numbers: int) -> int:
    """N for checkpoints with this many numbers."""
    return min(MOST, max(1, -(-8 * numbers // EACH_STEP)))


class Checkpoints:
    """Writer of the checkpoints of a journal.

    ``kept`` are the places of the numbers that are kept of every step.
    """

    def __init__(self, file: Any, state: int, specimens: int, kept: Places) -> None:
        self.every = steps_between(state + specimens)
        self._columns = np.unique(kept)
        self._split = int(np.searchsorted(self._columns, state))
        self._of_state, self._of_specimens = (
            self._columns[: self._split],
            self._columns[self._split :] - state,
        )
        sizes = dict(zip(BOTH, (specimens, state), strict=True))
        self._appended = [Rows(file, f"committed/{name}", size) for name, size in sizes.items()]
        self._latest: list[Rows] = []
        self._kept: Rows | None = None
        if self.every > 1:
            self._latest = [
                Rows(file, LATEST + name, size, slots=SLOTS) for name, size in sizes.items()
            ]
            self._kept = Rows(file, KEPT, len(self._columns))
            file.create_dataset(KEPT_COLUMNS, data=self._columns.astype("<i8"))

    @property
    def tables(self) -> list[Rows]:
        """All of its tables."""
        return [*self._appended, *self._latest, *([self._kept] if self._kept is not None else [])]

    def add(
        self, step: int, time: float, state: Array, specimens: Array
    ) -> tuple[dict[str, int], float]:
        """Write the checkpoint of a step; returns the checksums of its rows, and their clock."""
        tables = self._appended if step % self.every == 0 else self._latest
        sums = {
            name: rows.add(step, time, values)
            for name, rows, values in zip(BOTH, tables, (specimens, state), strict=True)
        }
        stamp = tables[-1].stamp
        if self._kept is not None:
            sums["kept"] = self._kept.add(
                step, time, state[self._of_state], specimens[self._of_specimens], stamp=stamp
            )
        return sums, stamp

    def put(self, record: Record, parameters: Array, through: int) -> Array:
        """Begin with the checkpoints of an interrupted test up to a step; returns the checksums of
        its committed steps.

        ``parameters`` are the rows of the updated parameters.
        """
        for name, appended, latest in zip(
            BOTH, self._appended, self._latest or (None, None), strict=True
        ):
            past = getattr(record, name)
            past = past[past[:, 0] <= through]
            if latest is None:
                appended.put(past)
            else:
                appended.put(past[past[:, 0] % self.every == 0])
                latest.put(past[-1:][past[-1:, 0] % self.every != 0])
        kept = np.zeros((0, 0))
        if self._kept is not None:
            steps = record.committed
            kept = np.hstack(
                [steps[:, :HEAD], of_every_step(record, self._columns), steps[:, -TAIL:]]
            )
            self._kept.put(kept[steps[:, 0] <= through])
        return checksums_of(
            record.committed,
            {
                "record": record.record,
                "parameter_history": parameters,
                "kept": kept,
                "specimens": record.specimens,
                "state": record.state,
            },
        )


# --- reading ---


def slots_of(file: Any, path: str) -> list[tuple[Array, Array]]:
    """What the slots hold, whole or torn.

    A row of the specimens and one of the state each. Read before all other tables.
    """
    if LATEST + BOTH[0] not in file:
        return []
    found = []
    tables = [rows_of(file, LATEST + name, path) for name in BOTH]
    for slot in range(min(SLOTS, *map(len, tables))):
        specimens, state = (finished_rows(data, path, slot, slot + 1) for data in tables)
        if len(specimens) and len(state):
            found.append((specimens[0], state[0]))
    return found


def columns_of(file: Any, name: str, path: str, of: str) -> Places | None:
    """Places of the numbers that the rows of the table ``of`` have.

    None if the journal does not say.
    """
    if name not in file:
        return None
    found = table(file, name, path, 1, "i")[:].astype(np.int64)
    if (
        len(found) + HEAD + TAIL != rows_of(file, of, path).shape[1]
        or (np.diff(found, prepend=-1) <= 0).any()
    ):
        raise FileError(path, f"has a table {name} that does not belong to {of}")
    return found


def keeps(record: Record, places: Places) -> bool:
    """Whether a journal has the numbers at some places of a checkpoint, of every committed step."""
    return record.kept_columns is None or bool(np.isin(places, record.kept_columns).all())


def of_every_step(record: Record, places: Places) -> Array:
    """The numbers at some places of the checkpoints, the state followed by the specimens, one row
    per committed step."""
    if record.kept_columns is not None:
        if not keeps(record, places):
            raise FileError(record.path, "does not keep of every step what is asked for")
        return record.kept[:, HEAD + np.searchsorted(record.kept_columns, places)]
    size = record.state.shape[1] - HEAD - TAIL
    out, inside = np.empty((record.steps, len(places))), places < size
    out[:, inside] = record.state[:, HEAD + places[inside]]
    out[:, ~inside] = record.specimens[:, HEAD + places[~inside] - size]
    return out


def checksums_of(steps: Array, tables: Mapping[str, Array]) -> Array:
    """Rows of the table of checksums for committed steps."""
    out = np.full((len(steps), HEAD + len(CHECKED) + ITSELF + TAIL), np.nan)
    out[:, :HEAD], out[:, -1] = steps[:, :HEAD], steps[:, -1]
    for column, name in enumerate(CHECKED):
        rows = tables[name]
        at = np.searchsorted(steps[:, 0], rows[:, 0]) if name in BOTH else np.arange(len(rows))
        out[at, HEAD + column] = sums_of(rows)
    out[:, OF_ITSELF] = own_checksums(out)
    return out


def own_checksums(noted: Array) -> Array:
    """The checksum of each row of checksums, with 0 in its own column."""
    rows = noted.copy()
    rows[:, OF_ITSELF] = 0.0
    return sums_of(rows).astype(float)


def matching_record(file: Any, path: str, first: int, last: int) -> Array:
    """The rows of the record in a range, up to the first that is not as it was written."""
    rows = finished_rows(rows_of(file, RECORD, path), path, first, last)
    if CHECKSUMS not in file:
        return rows
    noted = finished_rows(rows_of(file, CHECKSUMS, path), path, first, first + len(rows))
    rows = rows[: len(noted)]
    return rows[: leading(sums_of(rows) == noted[:, HEAD + CHECKED.index("record")])]


def leave_out_torn(record: Record, slots: list[tuple[Array, Array]], noted: Array | None) -> None:
    """Leave out of a record the committed steps from the first on that has a row that is not as it
    was written, and those after the last checkpoint. ``noted`` are the checksums; journals of
    earlier versions may have none.
    """
    tables = [name for name in OF_EVERY_STEP if getattr(record, name).shape[1]]
    if noted is None:
        count = min(len(getattr(record, name)) for name in (*tables, *BOTH))
        record.state, record.specimens = record.state[:count], record.specimens[:count]
        record.committed = record.state[:, [0, 1, -1]]
    else:
        count = _whole_steps(record, tables, noted)
        count = _checkpoints_up_to(record, slots, noted[:count])
        record.committed = noted[:count][:, [0, 1, -1]]
    for name in tables:
        setattr(record, name, getattr(record, name)[:count])


def _whole_steps(record: Record, tables: list[str], noted: Array) -> int:
    """Number of steps before the first with a torn row in a table that has one of every step."""
    count = min([len(noted), *(len(getattr(record, name)) for name in tables)])
    steps = noted[:count, 0]
    good = np.diff(steps, prepend=-1.0) > 0.0
    for name in tables:
        rows = getattr(record, name)[:count]
        good &= (rows[:, 0] == steps) & (sums_of(rows) == noted[:count, HEAD + CHECKED.index(name)])
    return leading(good)


def _checkpoints_up_to(record: Record, slots: list[tuple[Array, Array]], noted: Array) -> int:
    """Leave the whole checkpoints of the noted steps in a record.

    Returns the number of steps up to the last of them.
    """
    steps, sums = noted[:, 0], noted[:, HEAD:-TAIL]
    count = min(len(record.specimens), len(record.state))
    specimens, state = record.specimens[:count], record.state[:count]
    at, whole = _agrees(specimens, state, steps, sums)
    count = leading(whole)
    end = len(steps)
    if count < len(at) and at[count] < end and steps[at[count]] == state[count, 0]:
        end = int(at[count])  # it is torn: nothing after it counts
    specimens, state, at = specimens[:count], state[:count], at[:count]
    if slots:
        others = np.stack([rows for rows, _ in slots]), np.stack([rows for _, rows in slots])
        place, whole = _agrees(*others, steps[:end], sums[:end])
        newer = whole & (place > (at[-1] if count else -1))
        if newer.any():
            last = int(np.argmax(np.where(newer, place, -1)))
            specimens, state = (
                np.vstack([rows, more[last]])
                for rows, more in zip((specimens, state), others, strict=True)
            )
            at = np.append(at, place[last])
    record.specimens, record.state = specimens, state
    return int(at[-1]) + 1 if len(at) else 0


def _agrees(
    specimens: Array, state: Array, steps: Array, sums: Array
) -> tuple[Places, npt.NDArray[np.bool_]]:
    """Where among the steps each checkpoint is, and whether it is as it was written."""
    at = np.searchsorted(steps, state[:, 0])
    whole = (at < len(steps)) & (specimens[:, 0] == state[:, 0])
    near = at[whole]
    whole[whole] = (
        (steps[near] == state[whole, 0])
        & (sums_of(state[whole]) == sums[near, CHECKED.index("state")])
        & (sums_of(specimens[whole]) == sums[near, CHECKED.index("specimens")])
    )
    return at, whole
