"""A hybrid test from a user's script, for `femu resume` and `femu replay`."""

from __future__ import annotations

import os
import runpy
from typing import Any

from femu.errors import FileError

NAME = "test"
NEEDED = ("run", "resume", "elements")


def read_test(path: str | os.PathLike[str]) -> Any:
    """Run a script; it defines ``test``, a hybrid test, or a function ``test()`` that returns one.

    The script runs under the name "femu_test", so what stands under ``if __name__ == "__main__"`` does not run.
    """
    path = os.fspath(path)
    try:
        found = runpy.run_path(path, run_name="femu_test")
    except (SyntaxError, OSError) as problem:
        raise FileError(path, f"cannot be run: {problem}") from problem
    if NAME not in found:
        raise FileError(path, f"does not define {NAME!r}: a hybrid test of this name, or a function that returns it")
    made = found[NAME]
    if not isinstance(made, type) and callable(made) and not hasattr(made, "run"):
        made = made()
    if not all(hasattr(made, name) for name in NEEDED):
        raise FileError(path, f"defines a test of the class {type(made).__name__}; it must have {', '.join(NEEDED)}")
    return made
