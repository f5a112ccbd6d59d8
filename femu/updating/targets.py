"""Which numbers an unknown is: in the twin, and in the running model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from femu.model.element import Name
from femu.model.parameters import Parameters
from femu.support.errors import InputError


def twin_places(parameters: Parameters, name: str) -> list[int]:
    """Places of the twin's parameters of a name, or of all that match a pattern."""
    found = parameters.matching(name) if any(sign in str(name) for sign in "*?") else [name]
    if not found:
        raise InputError(
            "ModelUpdater",
            "parameters",
            name,
            "must match a parameter of the twin",
            f"The twin has {', '.join(parameters.names)}",
        )
    return [parameters.index(n) for n in found]


def model_places(
    names: Sequence[str],
    members: Iterable[Name] | Mapping[str, str | Sequence[str]],
    parameters: Parameters,
) -> list[list[int]]:
    """For each unknown the places in the model's vector that follow it.

    With members: ``member.name``, or where the twin is a part of the member (its material,
    its section) the parameters of the member whose names end alike.
    """
    if isinstance(members, Mapping):
        strange = [key for key in members if key not in names]
        if strange:
            raise InputError(
                "ModelUpdater", "members", strange[0], f"must be one of the unknowns {tuple(names)}"
            )
        return [
            [
                parameters.index(found)
                for pattern in _listed(members.get(name, ()))
                for found in _matching(parameters, pattern)
            ]
            for name in names
        ]
    result: list[list[int]] = []
    for name in names:
        places: list[int] = []
        for member in members:
            found = parameters.matching(f"{member}.{name}") or parameters.matching(
                f"{member}.*.{name}"
            )
            if not found:
                raise InputError(
                    "ModelUpdater",
                    "members",
                    member,
                    f"has no parameter {name!r} to write to",
                    fix="give a mapping from names of the twin to names of the model",
                )
            places += [parameters.index(n) for n in found]
        result.append(places)
    return result


def _listed(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _matching(parameters: Parameters, pattern: str) -> list[str]:
    found = parameters.matching(pattern)
    if not found:
        parameters.index(pattern)  # raises, with the nearest names
    return found
