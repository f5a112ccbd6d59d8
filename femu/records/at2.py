"""Reader of PEER's AT2 files.

Four lines of header, then the samples, several per line:

1. name of the database,
2. earthquake, date, station, component,
3. what the samples are: ``ACCELERATION TIME SERIES IN UNITS OF G`` (or ``TIME HISTORY``),
4. number of samples and time step: ``NPTS=   5372, DT=   .0100 SEC`` (NGA-West2) or ``4000
   0.0100    NPTS, DT``.

Samples may have no blank between them, as Fortran prints negative numbers into full
columns: ``-.1234567E-01-.2345678E-01``. A file is refused if the header is not of this form or
the number of samples is not the one it states.
"""

from __future__ import annotations

import os
import re

from femu.records.reading import Reading, number, read_lines, unit_factor
from femu.support.errors import FileError

HEADER_LINES = 4

_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_NEW_SIZE = re.compile(rf"NPTS\s*=\s*(\d{{1,9}})\s*,\s*DT\s*=\s*{_NUMBER}", re.IGNORECASE)
_OLD_SIZE = re.compile(rf"^\s*(\d{{1,9}})\s+{_NUMBER}\s+NPTS\s*,\s*DT", re.IGNORECASE)
_DIGITS = r"\d*\.\d*(?:[eE][-+]?\d{1,2})?"
# the signs allow only one way to separate them
_RUN_TOGETHER = re.compile(rf"[-+]?{_DIGITS}(?:[-+]{_DIGITS})+")
_ONE_OF_THEM = re.compile(rf"[-+]?{_DIGITS}")
_UNIT = re.compile(r"UNITS\s+OF\s+(\S+)", re.IGNORECASE)


def read_at2(path: str | os.PathLike[str]) -> Reading:
    """The record of an AT2 file, in m/s²."""
    lines = read_lines(path)
    if len(lines) < HEADER_LINES:
        raise FileError(
            path, f"has {len(lines)} lines, but an AT2 file starts with a header of {HEADER_LINES}"
        )
    unit = _UNIT.search(lines[2])
    if unit is None or "ACCEL" not in lines[2].upper():
        raise FileError(
            path,
            f"states no acceleration with its unit, as an AT2 file does: {lines[2].strip()!r}",
            3,
        )
    size = _NEW_SIZE.search(lines[3]) or _OLD_SIZE.search(lines[3])
    if size is None:
        raise FileError(
            path, f"states no number of points and time step (NPTS, DT): {lines[3].strip()!r}", 4
        )
    stated, dt = int(size.group(1)), float(size.group(2))
    if dt <= 0.0:
        raise FileError(path, f"states a time step of {dt:g} s, which must be greater than zero", 4)
    try:
        factor = unit_factor(unit.group(1), "AT2 file")
    except ValueError:
        raise FileError(
            path, f"states the unit {unit.group(1)!r}, which femu does not know", 3
        ) from None

    samples: list[float] = []
    for index, line in enumerate(lines[HEADER_LINES:], start=HEADER_LINES + 1):
        samples.extend(
            factor * number(piece, path, index) for word in line.split() for piece in _apart(word)
        )
    if len(samples) != stated:
        raise FileError(
            path, f"holds {len(samples)} samples, but its header states {stated} (line 4)"
        )
    return Reading(" ".join(lines[1].split()), dt, samples)


def _apart(word: str) -> list[str]:
    """The numbers of a word: one, or several without a blank between them.

    Only numbers that begin with a sign can be separated safely; ``1.251.30`` stays one
    word, and is refused.
    """
    return _ONE_OF_THEM.findall(word) if _RUN_TOGETHER.fullmatch(word) else [word]
