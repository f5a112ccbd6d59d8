"""What series, parallel and limited materials share: how their parts are named and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from femu.kernels import inlined, shift
from femu.model.component import Constitutive, Material, require
from femu.model.constitutive import call_block
from femu.support.errors import InputError

Materials = Sequence[Material] | Mapping[str, Material]

OWN_INTEGERS = 2
"""Of a material around another.

History variables of the part, whether it depends on the rate, then the table of the part.
"""


@inlined
def call_part(own, n, i, p, c, t, w, x, r, s, y, k):
    """The one part of a material; its damping is left in the first places of the workspace."""
    for j in range(n):
        w[j] = 0.0
    return call_block(own[0], (
        n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n), shift(t, own[3] * n),
        shift(w, n),
        x, r, s, y, k, w))


def named_parts(label: str, materials: Any) -> list[tuple[str, Constitutive]]:
    """Parts with their names.

    Those of a mapping, or ``part_1``, ``part_2`` and so on of a sequence.
    """
    if isinstance(materials, Mapping):
        parts = list(materials.items())
    elif isinstance(materials, (list, tuple)):
        parts = [(f"part_{number}", part) for number, part in enumerate(materials, start=1)]
    else:
        raise InputError(label, "materials", materials, "must be a list of materials, or a mapping "
                                                        "of names to them",
                         fix="give for example [Elastic(E=200e9), Bilinear(E=200e9, fy=300e6)]")
    if not parts:
        raise InputError(label, "materials", materials, "must hold at least one material", "")
    for name, part in parts:
        if not isinstance(name, str) or not name or "." in name:
            raise InputError(label, "materials", name, "must have words without a dot as names",
                             "Parameters are addressed as 'damper.spring.E'")
        require(label, f"materials: {name}", part, Material, fix="give a uniaxial material")
    return parts
