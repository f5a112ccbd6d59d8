"""Reader of COSMOS files (Strong Motion Data Format v1.20, 2001), one channel of acceleration.

Text, then three blocks that each announce their own size and Fortran format::

    Corrected acceleration  ...  (Format v01.20 with 13 text lines)
    ...
     100 Integer-header values follow on  10 lines, Format= (10I8)
     100 Real-header values follow on  17 lines, Format= (6F13.6)
       1 Comment line(s) follow, each starting with a "|":
     4000 acceleration pts, approx  40 secs, units=cm/sec2 (04), Format=(8F10.5)

Real-header value 62 is the time between samples in milliseconds. It is checked against the number
of samples and the duration of the last announcement. Of a file with several channels, or with
velocity and displacement after the acceleration, the first series is read.
"""

from __future__ import annotations

import os
import re

from femu.records.reading import Reading, number, read_lines, unit_factor
from femu.support.errors import FileError

SAMPLING_INTERVAL = 62
"""Number of the real-header value that holds the time step (ms), counted from 1."""
MILLISECOND = 1e-3
ROUGHLY = 1.0  # s: durations are announced in whole seconds

_TEXT_LINES = re.compile(r"with\s+(\d{1,9})\s+text\s+lines", re.IGNORECASE)
_INTEGERS = re.compile(
    r"^\s*(\d{1,9})\s+Integer-header values follow on\s+(\d{1,9})\s+lines", re.IGNORECASE
)
_REALS = re.compile(
    r"^\s*(\d{1,9})\s+Real-header values follow on\s+(\d{1,9})\s+lines", re.IGNORECASE
)
_COMMENTS = re.compile(r"^\s*(\d{1,9})\s+Comment line", re.IGNORECASE)
_DATA = re.compile(
    r"^\s*(\d{1,9})\s+accel\w*\s+pts,\s*approx\s+(\d{1,9}(?:\.\d*)?)\s+secs,\s*units\s*=\s*([^(,]+)",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"Format\s*=\s*\(\s*(\d{1,9})[EFG]([1-9]\d{0,3})\.", re.IGNORECASE)


def read_cosmos(path: str | os.PathLike[str]) -> Reading:
    """The record of a COSMOS file, in m/s²."""
    lines = read_lines(path)
    text = _TEXT_LINES.search(lines[0]) if lines else None
    if text is None:
        raise FileError(path, "does not state its number of text lines, as a COSMOS file does", 1)
    at = int(text.group(1))
    at += 1 + int(_announced(path, lines, at, _INTEGERS, "integer-header values").group(2))
    reals = _announced(path, lines, at, _REALS, "real-header values")
    header = _values(path, lines, at, int(reals.group(1)))
    if len(header) < SAMPLING_INTERVAL:
        raise FileError(
            path, f"has {len(header)} real-header values, too few to state a time step", at + 1
        )
    dt = header[SAMPLING_INTERVAL - 1] * MILLISECOND
    if dt <= 0.0:
        raise FileError(
            path, f"states a time step of {dt:g} s, which must be greater than zero", at + 1
        )
    at += 1 + int(reals.group(2))
    at += 1 + int(_announced(path, lines, at, _COMMENTS, "comment lines").group(1))
    data = _announced(path, lines, at, _DATA, "acceleration points, their duration and unit")
    count, seconds, unit = int(data.group(1)), float(data.group(2)), data.group(3).strip()
    if abs(dt * count - seconds) > ROUGHLY + dt:
        raise FileError(
            path,
            f"states {count} samples in about {seconds:g} s, but a time step of {dt:g} s",
            at + 1,
        )
    try:
        factor = unit_factor(unit, "COSMOS file")
    except ValueError:
        raise FileError(
            path, f"states the unit {unit!r}, which femu does not know", at + 1
        ) from None
    samples = [factor * value for value in _values(path, lines, at, count)]
    return Reading(" ".join(" ".join(lines[1:2]).split()) or "unnamed", dt, samples)


def _announced(
    path: str | os.PathLike[str], lines: list[str], at: int, form: re.Pattern[str], what: str
) -> re.Match[str]:
    found = form.search(lines[at]) if at < len(lines) else None
    if found is None:
        raise FileError(
            path,
            f"does not announce its {what} on the line that its header gives",
            min(at, len(lines) - 1) + 1,
        )
    return found


def _values(path: str | os.PathLike[str], lines: list[str], at: int, count: int) -> list[float]:
    """Numbers in columns of the width that line `at` announces, from the line after it on."""
    form = _FORMAT.search(lines[at])
    if form is None:
        raise FileError(path, "announces numbers without their Fortran format", at + 1)
    width = int(form.group(2))
    values: list[float] = []
    for line in range(at + 1, len(lines)):
        if len(values) >= count:
            break
        text = lines[line].rstrip()
        values += [
            number(text[k : k + width].strip(), path, line + 1) for k in range(0, len(text), width)
        ]
    if len(values) != count:
        raise FileError(path, f"holds {len(values)} numbers, but announces {count}", at + 1)
    return values
