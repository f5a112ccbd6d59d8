"""The own collection: short scripts that openseespy and the front end run alike.

Each file of `collection` has rows: a line ``== name ==``, or ``== name == warns`` where femu warns
of a doubt, then the script. A script calls ``ops`` and gives its numbers to ``out``; the functions
of `collection/prelude.py` are there too. ``python -m tests.opensees.collection_rows`` runs all rows
on both engines and prints a line of JSON for each: name, what openseespy gives, what femu gives, and
femu's warnings.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent / "collection"
FAILED = "failed"


def rows() -> dict[str, tuple[str, bool]]:
    """Script and whether femu warns, by file and name."""
    found: dict[str, tuple[str, bool]] = {}
    for file in sorted(FOLDER.glob("*.txt")):
        for part in file.read_text().split("\n== ")[1:]:
            head, script = part.split("\n", 1)
            name, _, mark = head.partition(" ==")
            assert f"{file.stem}: {name}" not in found, name
            found[f"{file.stem}: {name}"] = (script, mark.strip() == "warns")
    return found


def flat(value: Any) -> Iterator[Any]:
    """Numbers and words of an answer, however deep."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from flat(value[key])
    else:
        yield value if value is None or isinstance(value, str) else float(value)


def numbers(file: str) -> list[float]:
    """All numbers of a file."""
    words = Path(file).read_text().replace(",", " ").split()
    return [float(word) for word in words]


def play(ops: ModuleType, script: str, prelude: str) -> list[Any]:
    """What a script gives on an engine."""
    found: list[Any] = []
    names = {
        "ops": ops,
        "os": os,
        "numbers": numbers,
        "out": lambda *given: found.extend(flat(given)),
    }
    ops.wipe()
    try:
        exec(prelude, names)
        exec(script, names)
    except Exception as problem:
        found = [FAILED, f"{type(problem).__name__}: {problem}"]
    ops.wipe()
    return found


def main() -> None:
    """Run all rows; openseespy writes to both streams, so the answers go to a copy of the first."""
    answers = os.fdopen(os.dup(1), "w")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    import femu.opensees as front_end
    from femu.opensees.load_openseespy import load_opensees
    from femu.support.errors import ModelWarning

    peer, prelude = load_opensees(), (FOLDER / "prelude.py").read_text()
    for name, (script, _) in rows().items():
        given = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for ops in (peer, front_end):
                with tempfile.TemporaryDirectory() as folder:
                    os.chdir(folder)
                    given.append(play(ops, script, prelude))
                    os.chdir("/")
        doubts = [str(w.message) for w in caught if issubclass(w.category, ModelWarning)]
        print(json.dumps([name, *given, doubts]), file=answers, flush=True)
    sys.exit(0)


if __name__ == "__main__":
    main()
