"""What a user's script defines.

The one object of a kind, whatever it is called, or the one with the usual name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from femu.model.model import Model
from femu.support.errors import FileError


def the_model(
    path: str | os.PathLike[str], found: Mapping[str, Any], named: str | None = None
) -> Model:
    """The model of a script.

    The one that is ``named``, else the one called `model`, else the only one it has.
    """
    if named is not None:
        if not isinstance(found.get(named), Model):
            has = ", ".join(all_of(found, Model)) or "none"
            raise FileError(path, f"defines no model called {named}; its models are: {has}")
        return found[named]
    if "model" in found and not isinstance(found["model"], Model):
        raise FileError(
            path,
            f"defines a model of the class {type(found['model']).__name__}; it must be a "
            "femu.Model",
        )
    made: Model | None = the_only(
        path,
        found,
        "model",
        Model,
        "choose one with --model NAME, or name it model",
    )
    if made is None:
        raise FileError(
            path,
            "does not define 'model': it must define a femu.Model, under this or any other name",
        )
    return made


def the_only(
    path: str | os.PathLike[str], found: Mapping[str, Any], name: str, kind: Any, fix: str
) -> Any:
    """The object with a name, else the only one of a kind.

    None if there is none, an error if there are several.
    """
    if name in found:
        return found[name]
    known = all_of(found, kind)
    if len(known) > 1:
        raise FileError(
            path, f"defines {len(known)} objects that can be its {name} ({', '.join(known)}): {fix}"
        )
    return next(iter(known.values()), None)


def all_of(found: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """Objects of a kind by their names, each once."""
    known: dict[str, Any] = {}
    for name, value in found.items():
        if (
            isinstance(value, kind)
            and not name.startswith("_")
            and not any(value is other for other in known.values())
        ):
            known[name] = value
    return known
