"""Element forces and deformations of space frame members, from what was saved; see `femu.forces`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.element import SPACE_DOFS, Plan

if TYPE_CHECKING:
    from femu.results import Result

Array = npt.NDArray[np.float64]


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


def deformation_in_space(result: Result, element: dict[str, Any]) -> Array:
    """Basic deformations: elongation, rotations from the chord about z and y, twist."""
    return _displacements(result, element) @ _matrices(element)[2].T


def end_forces_in_space(result: Result, element: dict[str, Any], q: Array, loads: Array, system: str) -> Array:
    """Forces at both ends: (force x, y, z, moment x, y, z) each, in local or global axes."""
    length, _, matrix, sway, reactions = _matrices(element)
    N, zi, zj, yi, yj, T = q.T
    if system == "local":
        Vy, Vz = (zi + zj) / length, (yi + yj) / length
        x0, y0, y1, z0, z1 = loads.T
        return np.stack([-N + x0, Vy + y0, -Vz + z0, -T, yi, zi, N, -Vy + y1, Vz + z1, T, yj, zj], axis=1)
    force = q @ matrix + loads @ reactions
    if element["geometry"] == "p-delta":
        moved = _displacements(result, element) @ sway.T
        force = force + (N / length)[:, None] * (moved @ sway)
    return np.asarray(force)
