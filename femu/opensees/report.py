"""Tables of scripts that ran on both engines."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from pathlib import Path

from femu.cli.table import Row, Table
from femu.errors import FileError
from femu.opensees.compare import Comparison, compare

LIMIT = 1e-6
_MODULES = ("openseespy", "opensees", "femu.opensees")


def imports_opensees(path: str | Path) -> bool:
    """Whether a script is written for openseespy (or for its front end in femu)."""
    try:
        tree = ast.parse(Path(path).read_text())
    except (OSError, SyntaxError, UnicodeDecodeError) as problem:
        raise FileError(str(path), f"cannot be read as Python: {problem}") from problem
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(name == module or name.startswith(f"{module}.") for name in names for module in _MODULES)


def of_script(path: str | Path) -> Table:
    """Table of one script: a row for each command and each file."""
    found = compare([path], rounds=2)[0]
    title = f"{found.script}: femu.opensees against openseespy"
    if found.problem:
        return Table(title, [Row("script", "not compared", reference=found.problem, limit=f"within {LIMIT:g}", ok=False)])
    rows = [Row(f"{d.command} ({d.calls}x)" if d.calls > 1 else d.command, _shown(d.largest), reference=d.where,
                limit=f"within {LIMIT:g}", ok=d.largest <= LIMIT) for d in found.differences]
    ours, theirs = (1e3 * found.seconds[engine] for engine in ("femu", "opensees"))
    rows.append(Row("time of the script", f"{ours:.3g}", "ms", f"{theirs:.3g} ms"))
    return Table(title, rows, [
        "Largest difference of each command, as a share of the largest number of its kind. Codes and counts of iterations must "
        "be equal. Times are of a second run, after kernels have been compiled."])


def _shown(difference: float) -> str:
    return f"{difference:.1e}" if math.isfinite(difference) else "different"


def speed_row(found: Comparison) -> Row:
    """Speed of one script on both engines."""
    if found.problem:
        return Row(found.script, "not compared", reference=found.problem, ok=False)
    ours, theirs = 1e3 * found.seconds["femu"], 1e3 * found.seconds["opensees"]
    return Row(f"{found.script}: {theirs / ours:.2f} times as fast", round(ours, 2), "ms", f"{theirs:.3g} ms",
               f"results within {LIMIT:g}", found.worst <= LIMIT)


def of_speed(scripts: Sequence[str | Path]) -> Table:
    """Table of the speed of scripts on both engines."""
    found = compare(scripts, rounds=3)
    rows = [speed_row(c) for c in found]
    whole = [c for c in found if not c.problem]
    ours, theirs = (1e3 * sum(c.seconds[e] for c in whole) for e in ("femu", "opensees"))
    rows.append(Row(f"all {len(whole)} scripts: {theirs / max(ours, 1e-9):.2f} times as fast", round(ours, 1), "ms",
                    f"{theirs:.4g} ms"))
    return Table("Scripts for OpenSees: femu.opensees against openseespy", rows, [
        "Milliseconds of a whole script, best of the runs after the first, each engine in a process of its own. Reading the "
        "commands in Python, compiling a model and beginning an analysis cost femu a millisecond or two, which scripts of a few "
        "steps do not earn back."])
