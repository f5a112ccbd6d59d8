"""A model and analysis from a user's script."""

from __future__ import annotations

import os
import runpy
from dataclasses import dataclass
from typing import Any

from femu.analyses import ArcLength, DisplacementControl, LoadControl, Transient
from femu.exchange.script_models import the_model, the_only
from femu.model.model import Model
from femu.records import GroundMotion
from femu.support.errors import FileError

NAMES = ("model", "analysis", "motion", "duration")
ANALYSES = (ArcLength, DisplacementControl, LoadControl, Transient)


@dataclass(frozen=True)
class Script:
    """What a script defines."""

    path: str
    model: Model
    analysis: Any
    motion: Any = None
    duration: float | None = None


def read_script(path: str | os.PathLike[str], named: str | None = None) -> Script:
    """Run a script; it defines ``model`` and ``analysis`` (``motion``, ``duration``), or ``case()``
    that returns them.

    A script that has one model, one analysis and one ground motion may give them any names;
    ``named`` is the name of the model of a script with several.
    """
    path = os.fspath(path)
    try:
        found = runpy.run_path(path, run_name="femu_model")
    except (SyntaxError, OSError) as problem:
        raise FileError(path, f"cannot be run: {problem}") from problem
    if callable(found.get("case")):
        given = found["case"]()
        found = (
            dict(zip(NAMES, given, strict=False)) if isinstance(given, tuple) else {"model": given}
        )
    model = the_model(path, found, named)
    analysis = the_only(
        path,
        found,
        "analysis",
        ANALYSES,
        "name the intended one analysis, or make analysis a list of them",
    )
    if analysis is None:
        raise FileError(
            path,
            "does not define 'analysis'; it must define a model and an analysis, or a function "
            "case() that returns them",
        )
    every = analysis if isinstance(analysis, (list, tuple)) else [analysis]
    motion = found.get("motion")
    if any(isinstance(one, Transient) for one in every):
        motion = the_only(path, found, "motion", GroundMotion, "name the intended one motion")
    return Script(path, model, analysis, motion, found.get("duration"))
