"""What series, parallel and limited materials share: how their parts are named and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from femu.component import Constitutive, Material, require
from femu.errors import InputError

Materials = Sequence[Material] | Mapping[str, Material]


def named_parts(label: str, materials: Any) -> list[tuple[str, Constitutive]]:
    """Parts with their names: those of a mapping, or ``part_1``, ``part_2`` and so on of a sequence."""
    if isinstance(materials, Mapping):
        parts = list(materials.items())
    elif isinstance(materials, (list, tuple)):
        parts = [(f"part_{number}", part) for number, part in enumerate(materials, start=1)]
    else:
        raise InputError(label, "materials", materials, "must be a list of materials, or a mapping of names to them",
                         "for example [Elastic(E=200e9), Bilinear(E=200e9, fy=300e6)]")
    if not parts:
        raise InputError(label, "materials", materials, "must hold at least one material", "")
    for name, part in parts:
        if not isinstance(name, str) or not name or "." in name:
            raise InputError(label, "materials", name, "must have words without a dot as names",
                             "parameters are reached as 'damper.spring.E'")
        require(label, name, part, Material, "give a uniaxial material")
    return parts
