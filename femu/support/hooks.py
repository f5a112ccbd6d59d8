"""Functions that a lower room calls and a higher one provides.

A model can be compiled, checked, drawn and written, but it must not depend on the rooms that do so.
It calls a hook; `femu/__init__.py`, above all rooms, names the function that serves each hook. The
function is imported at the first call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class Hook:
    """A function that is named before it is imported."""

    def __init__(self) -> None:
        self._place = ""
        self._function: Callable[..., Any] | None = None

    def served_by(self, place: str) -> None:
        """Name the function, as ``module:function``."""
        self._place, self._function = place, None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function."""
        if self._function is None:
            module, _, name = self._place.partition(":")
            self._function = getattr(importlib.import_module(module), name)
        return self._function(*arguments, **named)


card = Hook()
"""(object): what a notebook shows of it, as HTML."""
compile_model = Hook()
"""(model): its program."""
check_model = Hook()
"""(model, motion): findings on a model."""
check_static = Hook()
"""(program, state, pattern, ...): findings on a static analysis."""
check_transient = Hook()
"""(program, dt, motions, state, parameters): findings on a transient analysis."""
check_hybrid = Hook()
"""(test): findings on a hybrid test."""
show_findings = Hook()
"""(program, findings): warn of those not shown yet; returns all of them."""
find_mechanisms = Hook()
"""(program): findings on motions that nothing resists."""
model_to_toml = Hook()
"""(model): its TOML text."""
model_from_toml = Hook()
"""(text, what): the model of a TOML text."""
write_model = Hook()
"""(model, path): write its TOML file."""
read_model = Hook()
"""(path): the model of a TOML file."""
write_opensees = Hook()
"""(model, path, analysis, motion, duration): write a script for openseespy."""
