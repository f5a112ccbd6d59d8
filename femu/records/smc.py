"""Reader of SMC files (U.S. Geological Survey, National Strong-Motion Program), one component of
acceleration.

Every part has a fixed number of lines and columns of fixed width::

    2 CORRECTED ACCELEROGRAM         11 lines of text; the first names the content
    ...
    48 integers, 8 per line, 10 wide number 16: comment lines, 17: samples, 18: 1 if there is a problem
    50 reals, 5 per line, 15 wide    number 2: samples per second
    | ...                            comments, each beginning with a bar
    samples, 8 per line, 10 wide     in cm/s²

The samples are counted against number 17. A file of velocities, displacements or spectra is
refused, and so is one that its own header flags.
"""

from __future__ import annotations

import os

from femu.records.reading import Reading, number, read_lines, unit_factor
from femu.support.errors import FileError

TEXT_LINES, INTEGER_LINES, REAL_LINES = 11, 6, 10
INTEGER_WIDTH, REAL_WIDTH, SAMPLE_WIDTH = 10, 15, 10
COMMENTS, SAMPLES, PROBLEM = 16, 17, 18
"""Numbers of the integers that are wanted, counted from 1."""
SAMPLING_RATE = 2
"""Number of the real that holds the samples per second, counted from 1."""
FASTEST = 1e5  # samples per second: above it the header has its mark for a missing number
EVENT_LINE = 3  # counted from 0: place and time of the earthquake


def read_smc(path: str | os.PathLike[str]) -> Reading:
    """The record of an SMC file, in m/s²."""
    lines = read_lines(path)
    if not lines or "ACCELEROGRAM" not in lines[0].upper():
        raise FileError(
            path,
            "is not an SMC file of acceleration: its first line must say '1 UNCORRECTED "
            "ACCELEROGRAM' or '2 CORRECTED ACCELEROGRAM'",
            1,
        )
    at = TEXT_LINES
    integers = _columns(path, lines, at, at + INTEGER_LINES, INTEGER_WIDTH)
    if len(integers) < PROBLEM:
        raise FileError(
            path,
            f"has {len(integers)} integers in its header, too few to state its number of samples",
            at + 1,
        )
    comments, count = int(integers[COMMENTS - 1]), int(integers[SAMPLES - 1])
    if comments < 0 or count < 1:
        raise FileError(path, f"states {comments} comment lines and {count} samples", at + 2)
    if integers[PROBLEM - 1] == 1:
        raise FileError(
            path,
            "is flagged in its own header as a record with a problem; its comments say which",
            at + 3,
        )
    at += INTEGER_LINES
    reals = _columns(path, lines, at, at + REAL_LINES, REAL_WIDTH)
    rate = reals[SAMPLING_RATE - 1] if len(reals) >= SAMPLING_RATE else 0.0
    if not 0.0 < rate < FASTEST:
        raise FileError(
            path,
            f"states {rate:g} samples per second, which must lie between 0 and {FASTEST:g}",
            at + 1,
        )
    at += REAL_LINES
    for line in range(at, at + comments):
        if line >= len(lines) or not lines[line].startswith("|"):
            raise FileError(
                path,
                f"announces {comments} comment lines, and this is none",
                min(line, len(lines) - 1) + 1,
            )
    at += comments
    samples = _columns(path, lines, at, len(lines), SAMPLE_WIDTH)
    if len(samples) != count:
        raise FileError(
            path, f"holds {len(samples)} samples, but its header announces {count}", at + 1
        )
    factor = unit_factor("cm/s2", "SMC file")
    name = " ".join(lines[EVENT_LINE].split()) if len(lines) > EVENT_LINE else ""
    return Reading(name or "unnamed", 1.0 / rate, [factor * value for value in samples])


def _columns(
    path: str | os.PathLike[str], lines: list[str], first: int, last: int, width: int
) -> list[float]:
    """Numbers in columns of a fixed width."""
    if last > len(lines):
        raise FileError(path, "ends within its header", len(lines))
    values: list[float] = []
    for line in range(first, last):
        text = lines[line].rstrip()
        values += [
            number(text[k : k + width].strip(), path, line + 1) for k in range(0, len(text), width)
        ]
    return values
