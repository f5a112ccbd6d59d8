"""A hybrid test from a user's script, for `femu resume`, `femu replay` and `femu check`."""

from __future__ import annotations

import contextlib
import os
import runpy
from collections.abc import Iterator
from typing import Any

from femu.support.errors import FileError, InputError

NAME = "test"
NEEDED = ("run", "resume", "elements")
_read: list[str] = []
"""Scripts that are being read at this moment.

For the whole program, since a script may start threads.
"""


def read_test(path: str | os.PathLike[str]) -> Any:
    """Run a script; it defines ``test``, a hybrid test, or a function ``test()`` that returns one.

    The script runs under the name "femu_test", so what is under ``if __name__ == "__main__"``
    does not run. A hybrid test that it begins all the same is refused: nobody has asked for it, and
    its specimen can be broken only once.
    """
    path = os.fspath(path)
    with reading(path):
        try:
            found = runpy.run_path(path, run_name="femu_test")
        except (SyntaxError, OSError) as problem:
            raise FileError(path, f"cannot be run: {problem}") from problem
        if NAME not in found:
            raise FileError(
                path,
                f"does not define {NAME!r}: a hybrid test of this name, or a function that returns "
                "it",
            )
        made = found[NAME]
        if not isinstance(made, type) and callable(made) and not hasattr(made, "run"):
            made = made()
    if not all(hasattr(made, name) for name in NEEDED):
        raise FileError(
            path,
            f"defines a test of the class {type(made).__name__}; it must have {', '.join(NEEDED)}",
        )
    return made


@contextlib.contextmanager
def reading(path: str) -> Iterator[None]:
    """While a script is read, no hybrid test may begin."""
    _read.append(path)
    try:
        yield
    finally:
        _read.remove(path)


def must_be_asked_for(what: str) -> None:
    """Raise an `InputError` where a script begins a test while it is only read for its description."""
    if _read:
        raise InputError(
            f"script {_read[-1]}",
            "HybridTest",
            what,
            "must not begin a test while the script is read for femu resume, femu replay or femu "
            "check; nothing was sent",
            fix='put the code that runs it under if __name__ == "__main__":',
        )
