"""Element forces and deformations of space frame members, from what was saved; see `femu.forces`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.element import SPACE_DOFS, Plan
from femu.errors import InputError

if TYPE_CHECKING:
    from femu.results import Result

Array = npt.NDArray[np.float64]
BASIC = 6  # basic forces


TURNED = (*(f"v_{a}" for a in ("N", "z_i", "z_j", "y_i", "y_j", "T")),
          *(f"global_{what}{d}_{end}" for end in "ij" for what in ("F", "M") for d in "xyz"))
"""What is saved besides of a corotational member in space, whose forces depend on rotations that no result keeps: its
deformations and its forces on the nodes. (A member that is not corotational has no such forces in its state.)"""


def constants_in_space(plan: Plan) -> list[float]:
    """The geometry that later questions need: that of `femu.elements.space_frame`."""
    from femu.elements.space_frame import FRAME_CONSTANTS

    return list(plan.geometry[:FRAME_CONSTANTS])


def _matrices(element: dict[str, Any]) -> tuple[float, Array, Array, Array, Array]:
    """Length, local axes, B, the rows of the relative transverse displacement, and of the end reactions."""
    from femu.elements import space_frame as at

    g = np.array(element["constants"])
    return (float(g[at.LENGTH]), g[at.AXES:at.OFFSETS].reshape(3, 3), g[at.MATRIX:at.SWAY].reshape(at.BASIC, at.DOFS),
            g[at.SWAY:at.REACTIONS].reshape(2, at.DOFS), g[at.REACTIONS:at.FRAME_CONSTANTS].reshape(at.END_REACTIONS, at.DOFS))


def _displacements(result: Result, element: dict[str, Any]) -> Array:
    return np.stack([result.displacement(n, d) for n in element["nodes"] for d in SPACE_DOFS], axis=1)


def _turned(result: Result, element: dict[str, Any]) -> Array:
    """Deformations and forces on the nodes of a corotational member."""
    if element["column"] is None:
        raise InputError(f"element {element['name']!r}", "force", element["name"], "is not among what was saved",
                         "see Save(forces=...)")
    before = 0
    for other in result.index["elements"]:
        if other["name"] == element["name"]:
            break
        before += other["column"] is not None and other["geometry"] == "corotational" and other["basic"] == element["basic"]
    return result.arrays["turned"][:, before * len(TURNED):(before + 1) * len(TURNED)]


def deformation_in_space(result: Result, element: dict[str, Any]) -> Array:
    """Basic deformations: elongation, rotations from the chord about z and y, twist."""
    if element["geometry"] == "corotational":
        return _turned(result, element)[:, :BASIC]
    return _displacements(result, element) @ _matrices(element)[2].T


def end_forces_in_space(result: Result, element: dict[str, Any], q: Array, loads: Array, system: str) -> Array:
    """Forces at both ends: (force x, y, z, moment x, y, z) each, in local or global axes."""
    length, _, matrix, sway, reactions = _matrices(element)
    N, zi, zj, yi, yj, T = q.T
    if system == "local":
        Vy, Vz = (zi + zj) / length, (yi + yj) / length
        x0, y0, y1, z0, z1 = loads.T
        return np.stack([-N + x0, Vy + y0, -Vz + z0, -T, yi, zi, N, -Vy + y1, Vz + z1, T, yj, zj], axis=1)
    if element["geometry"] == "corotational":
        return _turned(result, element)[:, BASIC:]
    force = q @ matrix + loads @ reactions
    if element["geometry"] == "p-delta":
        moved = _displacements(result, element) @ sway.T
        force = force + (N / length)[:, None] * (moved @ sway)
    return np.asarray(force)
