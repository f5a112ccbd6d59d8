"""A series that may grow for hours and still be drawn.

Thinned as it comes, with every peak kept.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.support.arguments import typed_methods
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
PARTS = 64  # of a block that is not full yet: shorter blocks it is shown in
MOST_COLUMNS, MOST_ROWS = 10**4, 10**7
MOST = 2500  # rows: at least two for each point of a screen across a figure of the page


def peaks_of_blocks(rows: Array, size: int, column: int) -> Array:
    """Of each whole block of ``size`` rows the two that hold the least and the greatest of a
    column, in their order."""
    blocks = len(rows) // size
    values = rows[: blocks * size, column].reshape(blocks, size)
    first = np.arange(blocks) * size
    low, high = first + values.argmin(axis=1), first + values.argmax(axis=1)
    pairs = np.sort(np.stack([low, high], axis=1), axis=1)
    return rows[pairs.ravel()]


@typed_methods
class Thinned:
    """At most about ``most`` rows of a growing table.

    Rows are taken in blocks, and of each block the two with the least and the greatest value of
    ``column`` are kept. When the table is full, blocks become twice as long. Rows that do not fill
    a block yet are kept as they are; they are shown in shorter blocks, since a block is thousands
    of rows long after an hour.
    """

    def __init__(self, width: int, column: int = 1, most: int = MOST) -> None:
        for name, value, least, largest in (
            ("width", width, 1, MOST_COLUMNS),
            ("column", column, 0, width - 1),
            ("most", most, 4, MOST_ROWS),
        ):
            if not least <= value <= largest:
                raise InputError("Thinned", name, value, f"must lie between {least} and {largest}")
        self.width, self.column, self.most = width, column, most
        self.clear()

    def clear(self) -> None:
        """Start over."""
        self._kept = np.zeros((0, self.width))
        self._waiting = np.zeros((0, self.width))
        self.block = 2

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, rows: Array) -> None:
        """Take new rows."""
        if np.ndim(rows) != 2 or np.shape(rows)[1] != self.width:
            raise InputError("Thinned.add", "rows", rows, f"must be rows of {self.width} numbers")
        self._waiting = np.concatenate([self._waiting, rows])
        whole = len(self._waiting) // self.block * self.block
        if self.block > 2:
            new = peaks_of_blocks(self._waiting[:whole], self.block, self.column)
        else:
            new = self._waiting[:whole]
        self._kept = np.concatenate([self._kept, new])
        self._waiting = self._waiting[whole:]
        while len(self._kept) > self.most:
            # blocks of four kept rows are two blocks of the old length: their peaks are those of
            # the longer block
            odd = len(self._kept) % 4
            last = self._kept[len(self._kept) - odd :]
            self._kept = np.concatenate(
                [peaks_of_blocks(self._kept[: len(self._kept) - odd], 4, self.column), last]
            )
            self.block *= 2

    @property
    def rows(self) -> Array:
        """What is left of the table; its last row always is."""
        found, waiting, short = [self._kept], self._waiting, self.block // PARTS
        while short > 2:
            whole = len(waiting) // short * short
            found.append(peaks_of_blocks(waiting[:whole], short, self.column))
            waiting, short = waiting[whole:], short // PARTS
        return np.concatenate([*found, waiting])
