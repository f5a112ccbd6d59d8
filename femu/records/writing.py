"""Writers of ground-motion files: CSV with every digit, and AT2 as PEER prints it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from femu.support.whole_file import write_text
from femu.units import g

if TYPE_CHECKING:
    from femu.records.ground_motion import GroundMotion

AT2_COLUMNS = 5


def write_csv(motion: GroundMotion, path: str | os.PathLike[str]) -> None:
    """Columns time (s) and acceleration (m/s2), with as many digits as it takes to read the same
    numbers back."""
    lines = ["time (s),acceleration (m/s2)"]
    lines += [
        f"{_grid(index, motion.dt)},{float(a)!r}" for index, a in enumerate(motion.acceleration)
    ]
    _write(path, lines)


def write_at2(motion: GroundMotion, path: str | os.PathLike[str]) -> None:
    """Header of four lines as NGA-West2 has it, then five samples per line in g."""
    name = " ".join(motion.name.split()) or "unnamed"
    lines = [
        "PEER AT2 FORMAT, WRITTEN BY FEMU",
        name,
        "ACCELERATION TIME SERIES IN UNITS OF G",
        f"NPTS= {motion.acceleration.size:6d}, DT= {motion.dt:.12g} SEC",
    ]
    samples = [f"{a / g:15.7E}" for a in motion.acceleration]
    lines += ["".join(samples[k : k + AT2_COLUMNS]) for k in range(0, len(samples), AT2_COLUMNS)]
    _write(path, lines)


def _grid(index: int, dt: float) -> str:
    return f"{index * dt:.12g}"


def _write(path: str | os.PathLike[str], lines: list[str]) -> None:
    write_text(path, "\n".join(lines) + "\n")
