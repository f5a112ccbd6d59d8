"""A model and analysis from a user's script."""

from __future__ import annotations

import os
import runpy
from dataclasses import dataclass
from typing import Any

from femu.errors import FileError
from femu.model import Model

NAMES = ("model", "analysis", "motion", "duration")


@dataclass(frozen=True)
class Script:
    """What a script defines."""

    path: str
    model: Model
    analysis: Any
    motion: Any = None
    duration: float | None = None


def read_script(path: str | os.PathLike[str]) -> Script:
    """Run a script; it defines ``model`` and ``analysis`` (``motion``, ``duration``), or ``case()`` that returns them."""
    path = os.fspath(path)
    try:
        found = runpy.run_path(path, run_name="femu_model")
    except (SyntaxError, OSError) as problem:
        raise FileError(path, f"cannot be run: {problem}") from problem
    values = {name: found[name] for name in NAMES if name in found}
    if callable(found.get("case")):
        given = found["case"]()
        values = dict(zip(NAMES, given, strict=False)) if isinstance(given, tuple) else {"model": given}
    for name in ("model", "analysis"):
        if name not in values:
            raise FileError(path, f"does not define {name!r}; it must define model and analysis, or a function case() that "
                            "returns them")
    if not isinstance(values["model"], Model):
        raise FileError(path, f"defines a model of the class {type(values['model']).__name__}; it must be a femu.Model")
    return Script(path, **values)
