"""Where a loop has been: the least and the greatest force over the displacement. It stays small however long a test is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
BINS = 240  # a multiple of four


class Envelope:
    """Least and greatest value in bins of an abscissa; the bins become twice as wide where it leaves them."""

    def __init__(self) -> None:
        self._low = np.full(BINS, np.inf)
        self._high = np.full(BINS, -np.inf)
        self._middle = 0.0
        self._width = 0.0  # of a bin

    def add(self, x: Array, y: Array) -> None:
        """Take new points."""
        if not self._width:
            self._middle, reach = float(x[0]), float(np.abs(x - x[0]).max())
            if reach == 0.0:
                return
            self._width = 2.0 * reach / BINS
        while float(np.abs(x - self._middle).max()) > 0.5 * BINS * self._width:
            self._widen()
        place = np.clip(((x - self._middle) / self._width + BINS // 2).astype(int), 0, BINS - 1)
        np.minimum.at(self._low, place, y)
        np.maximum.at(self._high, place, y)

    def _widen(self) -> None:
        """Twice the range about the same middle: two bins become one."""
        quarter = BINS // 4
        for values, empty, least in ((self._low, np.inf, np.minimum), (self._high, -np.inf, np.maximum)):
            pairs = least(values[0::2], values[1::2])
            values[:] = empty
            values[quarter:quarter + len(pairs)] = pairs
        self._width *= 2.0

    @property
    def rows(self) -> Array:
        """Middle of each bin that was entered, with the least and the greatest value there."""
        seen = self._high >= self._low
        x = self._middle + (np.flatnonzero(seen) - BINS // 2 + 0.5) * self._width
        return np.stack([x, self._low[seen], self._high[seen]], axis=1)
