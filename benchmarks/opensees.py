"""``femu bench opensees``: the example scripts of `femu.opensees` on femu and on openseespy.

Each engine runs all scripts in one process of its own; a row holds the time of one script on both,
and whether every number that it returned and every file that it wrote are the same.
"""

from __future__ import annotations

from pathlib import Path

import femu.examples.opensees
from femu.opensees.comparison.script_report import of_speed
from femu.support.tables import Table

QUICK = 8  # scripts of a quick run


def scripts() -> list[Path]:
    """The example scripts that come with femu."""
    folder = Path(next(iter(femu.examples.opensees.__path__)))
    return sorted(p for p in folder.glob("*.py") if not p.name.startswith("_"))


def run(quick: bool = False) -> Table:
    """Table of all scripts, or of some of them."""
    found = scripts()
    return of_speed(found[:: max(len(found) // QUICK, 1)] if quick else found)
