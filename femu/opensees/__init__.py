"""openseespy's commands over femu: change one import, and a script for OpenSees runs on femu.

::

    import femu.opensees as ops

A front end: scripts build femu's own `Model`, which is compiled to a `Program` and run by femu's
kernels. Tags, signs, numbering, defaults, return types and return codes are those of OpenSees. What
is not supported raises an exception that names the command, the option and the line.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Any

from femu.opensees.front_end.errors import (
    CommandError,
    OpenSeesError,
    UnknownCommand,
    UnsupportedCommand,
    located,
)
from femu.opensees.front_end.refused import REFUSED, refuse
from femu.opensees.front_end.table import COMMANDS, callable_of

FILES = (
    "model_commands",
    "materials",
    "testing",
    "sections",
    "concrete_sections",
    "beam_integration",
    "elements",
    "series",
    "loads",
    "convergence_tests",
    "algorithms",
    "integrators",
    "analysis",
    "modal",
    "recorders",
    "queries",
    "described_model",
    "matrices",
    "parameters",
    "units",
    "housekeeping",
)
"""The files that fill the tables."""

for _file in FILES:
    importlib.import_module(f"femu.opensees.front_end.{_file}")

_made = {name: callable_of(entry) for name, entry in COMMANDS.items()}
_made.update(
    {name: refuse(name, reason) for name, reason in REFUSED.items() if name not in COMMANDS}
)
globals().update(_made)

__all__ = ["CommandError", "OpenSeesError", "UnsupportedCommand", *_made]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    close = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.6)
    hint = f" Did you mean {', '.join(close)}?" if close else ""
    raise located(
        UnknownCommand, name, f"OpenSees has no such command, or femu does not know it.{hint}"
    )
