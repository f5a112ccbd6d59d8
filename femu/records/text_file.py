"""Reader of plain text files: samples separated by blanks or line ends, any number per line, #
starts a comment.

Such a file states neither its unit nor its time step, so both have to be given.
"""

from __future__ import annotations

import os
from pathlib import Path

from femu.records.reading import Reading, number, read_lines, unit_factor
from femu.support.errors import FileError


def read_text(path: str | os.PathLike[str], dt: float, unit: str) -> Reading:
    """The record of a plain text file, in m/s²."""
    factor = unit_factor(unit, "text file")
    samples: list[float] = []
    for line, text in enumerate(read_lines(path), start=1):
        samples.extend(factor * number(piece, path, line) for piece in text.split("#")[0].split())
    if len(samples) < 2:
        raise FileError(path, f"holds {len(samples)} samples, but a record needs at least two")
    return Reading(Path(path).stem, dt, samples)
