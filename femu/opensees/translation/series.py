"""Time series of femu as those of OpenSees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.model.series import Constant, Linear, Pulse, Sampled, Sine
from femu.opensees.translation.command_list import CommandList
from femu.records import GroundMotion

FOREVER = 1e10  # OpenSees needs a number for the end of a series
_AFTER = 1e-9  # of a sample's spacing: place of the value after the last sample


def write_series(series: Any, book: CommandList, times: npt.NDArray[np.float64]) -> int:
    """Write a series; returns its tag.

    One of an unknown kind is sampled at ``times``, at which it is used.
    """
    tag = book.tag("series")
    if isinstance(series, Constant):
        book.write("timeSeries", "Constant", tag, "-factor", float(series.value))
    elif isinstance(series, Linear):
        book.write("timeSeries", "Linear", tag, "-factor", float(series.slope))
    elif isinstance(series, Sine):
        end = series.end if math.isfinite(series.end) else FOREVER
        book.write(
            "timeSeries",
            "Trig",
            tag,
            series.start,
            end,
            series.period,
            "-factor",
            series.amplitude,
            "-shift",
            series.phase,
        )
    elif isinstance(series, Pulse):
        book.write(
            "timeSeries", "Rectangular", tag, series.start, series.end, "-factor", series.value
        )
    elif isinstance(series, Sampled):
        write_path(book, tag, series.t, series.values, series.hold)
    elif isinstance(series, GroundMotion):
        write_path(book, tag, series.times, series.acceleration)
    else:
        write_path(book, tag, times, np.asarray(series.at(times), dtype=float))
    return tag


def write_path(
    book: CommandList, tag: int, t: npt.ArrayLike, values: npt.ArrayLike, hold: bool = False
) -> None:
    """Straight lines through samples. After the last one: its own value, or zero at once."""
    times, samples = np.asarray(t, dtype=float).tolist(), np.asarray(values, dtype=float).tolist()
    if hold:
        book.write("timeSeries", "Path", tag, "-time", *times, "-values", *samples, "-useLast")
    else:
        # a series of OpenSees is zero after its last sample, and also at it
        after = times[-1] + _AFTER * (times[-1] - times[-2])
        book.write("timeSeries", "Path", tag, "-time", *times, after, "-values", *samples, 0.0)
