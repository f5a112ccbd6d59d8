"""Tables of scripts that ran on both engines."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from pathlib import Path

from femu.opensees.comparison.compare_scripts import (
    Comparison,
    Difference,
    compare,
    compared,
    run_engine,
)
from femu.opensees.comparison.tolerance import ITERATIONS, LIMIT, Left, left_by_tests, worst
from femu.support.errors import FileError
from femu.support.tables import Row, Table

_MODULES = ("openseespy", "opensees", "femu.opensees")


def imports_opensees(path: str | Path) -> bool:
    """Whether a script is written for openseespy (or for its front end in femu)."""
    try:
        tree = ast.parse(Path(path).read_text())
    except (OSError, SyntaxError, UnicodeDecodeError) as problem:
        raise FileError(str(path), f"cannot be read as Python: {problem}") from problem
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(
        name == module or name.startswith(f"{module}.") for name in names for module in _MODULES
    )


def of_script(path: str | Path) -> Table:
    """Table of one script: a row for each command and each file."""
    ours, theirs = (run_engine(engine, [path], rounds=2) for engine in ("femu", "opensees"))
    found = compared(str(Path(path).resolve()), ours, theirs)
    title = f"{found.script}: femu.opensees against openseespy"
    if found.problem:
        return Table(
            title,
            [
                Row(
                    "script",
                    "not compared",
                    reference=found.problem,
                    limit=f"within {LIMIT:g}",
                    ok=False,
                )
            ],
        )
    missed = worst(found) > LIMIT
    left = left_by_tests(path, ours, theirs) if missed else None
    rows = [_row(d, left) for d in found.differences]
    times = [f"{1e3 * found.seconds[engine]:.3g}" for engine in ("femu", "opensees")]
    rows.append(Row("time of the script", times[0], "ms", f"{times[1]} ms"))
    notes = [
        "Largest difference of each command, as a share of the largest number of its kind. Codes "
        "and counts of iterations must be equal. Times are of a second run, after kernels have "
        "been compiled."
    ]
    if left is not None:
        notes.append(
            f"The convergence tests of the script leave more than {LIMIT:g}. With {left.share:g} "
            f"of their tolerances the programs agree within {LIMIT:g}; each limit is that plus "
            "what both change by on the way there. Counts of iterations may then differ."
        )
    elif missed:
        notes.append(
            "With smaller tolerances in the convergence tests of the script the two programs do "
            f"not agree within {LIMIT:g} either, or go different ways: the difference is not what "
            "the tests leave."
        )
    return Table(title, rows, notes)


def _row(d: Difference, left: Left | None) -> Row:
    limit = LIMIT if left is None else left.limit(d.command)
    free = left is not None and d.command in ITERATIONS and d.largest > limit
    limit_text = "" if free else f"within {limit:.2g}" if limit > LIMIT else f"within {LIMIT:g}"
    return Row(
        f"{d.command} ({d.calls}x)" if d.calls > 1 else d.command,
        _shown(d.largest),
        reference=d.where,
        limit=limit_text,
        ok=None if free else d.largest <= limit,
    )


def _shown(difference: float) -> str:
    return f"{difference:.1e}" if math.isfinite(difference) else "different"


def speed_row(found: Comparison) -> Row:
    """Speed of one script on both engines."""
    if found.problem:
        return Row(found.script, "not compared", reference=found.problem, ok=False)
    ours, theirs = 1e3 * found.seconds["femu"], 1e3 * found.seconds["opensees"]
    return Row(
        f"{found.script}: {theirs / ours:.2f} times as fast",
        round(ours, 2),
        "ms",
        f"{theirs:.3g} ms",
        f"results within {LIMIT:g}",
        found.worst <= LIMIT,
    )


def of_speed(scripts: Sequence[str | Path]) -> Table:
    """Table of the speed of scripts on both engines."""
    found = compare(scripts, rounds=3)
    rows = [speed_row(c) for c in found]
    whole = [c for c in found if not c.problem]
    ours, theirs = (1e3 * sum(c.seconds[e] for c in whole) for e in ("femu", "opensees"))
    rows.append(
        Row(
            f"all {len(whole)} scripts: {theirs / max(ours, 1e-9):.2f} times as fast",
            round(ours, 1),
            "ms",
            f"{theirs:.4g} ms",
        )
    )
    return Table(
        "Scripts for OpenSees: femu.opensees against openseespy",
        rows,
        [
            "Milliseconds of a whole script, best of the runs after the first, each engine in a "
            "process of its own. Reading the commands in Python, compiling a model and beginning "
            "an analysis cost femu a millisecond or two, which scripts of a few steps do not earn "
            "back."
        ],
    )
