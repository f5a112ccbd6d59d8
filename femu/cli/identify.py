"""`femu identify`: parameters of a twin from a recorded test, by a script that names both."""

from __future__ import annotations

import runpy
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from femu.support.tables import Table

HELP = """Identify parameters of a twin from a recorded test.

SCRIPT is a Python file that defines `recording` (a femu.identify.Recording), `twin` and `unknowns`;
or, to compare several twins, `cases`: a mapping from names to pairs of twin and unknowns.
`options`, a mapping, goes to femu.identify.identify. Prints the estimates of three methods with two
standard deviations, the force residual, and a verdict. Exit code 1 means that the twin, or the best
of several, cannot be the specimen.

\b
Example:
  femu identify coupon.py --save coupon.html
"""
NEEDED = ("recording", "twin", "unknowns")


@click.command("identify", help=HELP)
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report (.html), the numbers (.json) or all arrays (.h5); of several twins, those "
    "of the best.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(script: str, save: Path | None, as_json: bool) -> None:
    from femu.identify import compare, identify
    from femu.support.errors import FileError, InputError
    from femu.support.tables import finish

    path = sys.path[:]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        defined = runpy.run_path(script)
    except (SyntaxError, OSError) as problem:
        raise FileError(script, f"cannot be run: {problem}") from problem
    finally:
        sys.path[:] = path
    cases: dict[str, Any] = dict(defined.get("cases") or {})
    wanted = ("recording", "cases") if cases else NEEDED
    absent = [name for name in wanted if name not in defined]
    if absent:
        raise InputError(
            "femu identify",
            "script",
            script,
            f"must define {' and '.join(absent)}",
            fix="define recording, twin and unknowns, or recording and cases",
        )
    if not cases:
        cases[""] = (defined["twin"], defined["unknowns"])
    options = dict(defined.get("options") or {})
    found = {
        name: identify(defined["recording"], twin, unknowns, name=name or None, **options)
        for name, (twin, unknowns) in cases.items()
    }
    rows, notes = [], []
    best = min(found.values(), key=lambda one: one.unexplained)
    for name, one in found.items():
        table = one.table()
        lead = f"{name}: " if name else ""
        for row in table.rows:
            named = replace(row, name=lead + row.name)
            rows.append(named if one is best else replace(named, limit="", ok=None))
        notes += [lead + note for note in table.notes]
    if len(found) > 1:
        notes += compare(found).split("\n")
    if save is not None:
        best.save(save)
    finish(Table(f"identification from {defined['recording'].name}", rows, notes), as_json)
