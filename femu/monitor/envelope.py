"""The envelope of a loop.

The least and the greatest force over the displacement. It stays small however long a test is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
BINS = 240  # a multiple of four
BLOCK = 4096  # points processed at once: each may cross all bins


class Envelope:
    """Least and greatest value of a line in bins of its abscissa.

    The bins double in width when the line leaves them.
    """

    def __init__(self) -> None:
        self._low = np.full(BINS, np.inf)
        self._high = np.full(BINS, -np.inf)
        self._middle = 0.0
        self._width = 0.0  # of a bin
        self._last: tuple[Array, Array] | None = None  # the last point of the line

    def add(self, x: Array, y: Array) -> None:
        """Add points; the line continues to them from the last one."""
        if not self._width:
            self._middle, reach = float(x[0]), float(np.abs(x - x[0]).max())
            if reach == 0.0:
                return
            self._width = 2.0 * reach / BINS
        while float(np.abs(x - self._middle).max()) > 0.5 * BINS * self._width:
            self._widen()
        for first in range(0, len(x), BLOCK):
            self._follow(x[first : first + BLOCK], y[first : first + BLOCK])

    def _follow(self, x: Array, y: Array) -> None:
        """The line through some points.

        Inside a bin it is straight, so only its points and where it enters and leaves count.
        """
        if self._last is not None:
            x, y = np.concatenate([self._last[0], x]), np.concatenate([self._last[1], y])
        self._last = x[-1:], y[-1:]
        u = (x - self._middle) / self._width + BINS // 2
        bins = np.floor(u).astype(int)
        self._take(bins, y)
        crossed = np.abs(np.diff(bins))
        of = np.repeat(np.arange(len(crossed)), crossed)  # the piece of the line that crosses
        nth = np.arange(len(of)) - np.repeat(np.cumsum(crossed) - crossed, crossed)
        edge = np.minimum(bins[of], bins[of + 1]) + 1 + nth
        value = y[of] + (edge - u[of]) / (u[of + 1] - u[of]) * (y[of + 1] - y[of])
        # rounding must not widen the range
        value = np.clip(value, np.minimum(y[of], y[of + 1]), np.maximum(y[of], y[of + 1]))
        self._take(edge - 1, value)
        self._take(edge, value)

    def _take(self, bins: npt.NDArray[np.int64], y: Array) -> None:
        place = np.clip(bins, 0, BINS - 1)
        np.minimum.at(self._low, place, y)
        np.maximum.at(self._high, place, y)

    def _widen(self) -> None:
        """Twice the range about the same middle: two bins become one."""
        quarter = BINS // 4
        for values, empty, least in (
            (self._low, np.inf, np.minimum),
            (self._high, -np.inf, np.maximum),
        ):
            pairs = least(values[0::2], values[1::2])
            values[:] = empty
            values[quarter : quarter + len(pairs)] = pairs
        self._width *= 2.0

    @property
    def rows(self) -> Array:
        """Middle of each bin that was entered, with the least and the greatest value there."""
        seen = self._high >= self._low
        x = self._middle + (np.flatnonzero(seen) - BINS // 2 + 0.5) * self._width
        return np.stack([x, self._low[seen], self._high[seen]], axis=1)
