"""Functions by name, ``package.module:function`` or ``file.py:function``.

What other processes are given in place of objects.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from femu.support.errors import FileError, InputError


def call_named(target: str, what: str) -> Any:
    """What the function returns; ``what`` names the thing that is wanted in messages."""
    place, colon, function = target.rpartition(":")
    if not colon or not place or not function:
        raise InputError(
            what,
            "source",
            target,
            "must name a function",
            fix="write package.module:function or file.py:function",
        )
    module = _load_file(place, what) if place.endswith(".py") else _load_module(place, what)
    make = getattr(module, function, None)
    if not callable(make):
        raise InputError(
            what, "source", target, f"must name a function; {place} has no {function!r}"
        )
    return make()


def _load_file(place: str, what: str) -> ModuleType:
    path = Path(place).resolve()
    name = f"femu_{what}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise FileError(place, f"cannot be read as a Python file with a {what}; check the path")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _load_module(place: str, what: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except ImportError as error:
        raise InputError(what, "source", place, f"cannot be imported ({error})") from None
