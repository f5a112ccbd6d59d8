"""Forces in the sections along a member, from those at its end i and its loads.

They follow from equilibrium of the piece between end i and the section, so they are exact whatever
the law of the member. With the forces F and moments M at end i in local axes, and the loads w
between ::

    N(x)  = -Fx_i - sum(wx)                           tension positive
    V(x)  =  Fy_i + sum(wy)                           Vz(x) = Fz_i + sum(wz)
    M(x)  = -Mz_i + Fy_i x + sum(wy (x - a))          My(x) = -My_i - Fz_i x - sum(wz (x - a)),    T = -Mx_i

Moments turn with the right hand about their axis on the face that looks towards end j: a positive M
(in space Mz) shortens the fibres at positive y (sagging, in a beam drawn from left to right), a
positive My stretches those at positive z. So V = dM/dx and Vz = -dMy/dx.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from femu.elements.member_loads import before as distributed_before
from femu.model.element import Name
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.plots.sketch import sketch
from femu.results.index import element_entry
from femu.results.member_forces import frame_dimensions
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
PLACES = 41  # along a member
TINY = 1e-12  # fraction of the length: before and after a point load


class PlaneForces(NamedTuple):
    """Places along a member of a plane model as fractions of its length, and the forces there."""

    x: Array
    N: Array
    V: Array
    M: Array


class SpaceForces(NamedTuple):
    """Places along a member in space as fractions of its length, and the forces there."""

    x: Array
    N: Array
    Vy: Array
    Vz: Array
    T: Array
    My: Array
    Mz: Array


@typed
def section_forces(
    result: Result, element: Name, row: int, loads: list[Any] | None = None
) -> PlaneForces | SpaceForces:
    """Places along a member (fractions of its length), and the forces there in a row of a result:
    N, V and M, in space N, Vy, Vz, T, My and Mz.

    ``loads`` are (pattern, member load) pairs; by default those of the result's model. The place
    of a point load comes twice: before and after it.
    """
    if not -len(result.time) <= row < len(result.time):
        raise InputError(
            "section_forces",
            "row",
            row,
            f"must be a row of the result: 0 to {len(result.time) - 1}",
        )
    if loads is not None and not (
        isinstance(loads, list)
        and all(isinstance(pair, tuple) and len(pair) == 2 for pair in loads)
    ):
        raise InputError("section_forces", "loads", loads, "must be pairs (pattern, member load)")
    if loads is None:
        loads = sketch(result).loads.get(element, [])
    described = element_entry(result, element)
    if frame_dimensions(described) == 0:
        raise InputError(
            f"element {element!r}", "diagram", described["kind"], "must be a beam-column"
        )
    length, ends = float(described["constants"][0]), result.force(element, "local")[row]
    x = _places(loads)
    # of the loads before each place: sum, and moment about it
    force, arm = np.zeros((3, len(x))), np.zeros((3, len(x)))
    for pattern, load in loads:
        factor = float(result.factor(pattern)[row])
        before, lever = _before(load, x, length)
        force += factor * before
        arm += factor * lever
    s = x * length
    if frame_dimensions(described) == 2:
        fx, fy, mi = ends[:3]
        return PlaneForces(x, -fx - force[0], fy + force[1], -mi + fy * s + arm[1])
    fx, fy, fz, mx, my, mz = ends[:6]
    return SpaceForces(
        x,
        -fx - force[0],
        fy + force[1],
        fz + force[2],
        np.full_like(s, -mx),
        -my - fz * s - arm[2],
        -mz + fy * s + arm[1],
    )


def _places(loads: list[Any]) -> Array:
    jumps = [load.at for _, load in loads if isinstance(load, PointLoad) and 0.0 < load.at < 1.0]
    kinks = [
        at
        for _, load in loads
        if isinstance(load, DistributedLoad)
        for at in (load.start, load.end)
    ]
    return np.unique(
        np.concatenate(
            [
                np.linspace(0.0, 1.0, PLACES),
                kinks,
                [a - TINY for a in jumps],
                [a + TINY for a in jumps],
            ]
        )
    )


def _before(load: Any, x: Array, length: float) -> tuple[Array, Array]:
    """Force along the local axes of the part of a load before each place, and its moment about
    it, one row per axis."""
    s, parts = x * length, np.array([load.x, load.y, load.z])[:, None]
    if isinstance(load, UniformLoad):
        return parts * s, parts * 0.5 * s**2
    if isinstance(load, PointLoad):
        behind = (x > load.at) | ((load.at >= 1.0) & (x >= 1.0)) | ((load.at <= 0.0) & (x >= 0.0))
        return parts * behind.astype(float), parts * np.where(behind, s - load.at * length, 0.0)
    if isinstance(load, DistributedLoad):
        forces, levers = zip(
            *(distributed_before(load, axis, s, length) for axis in "xyz"), strict=True
        )
        return np.array(forces), np.array(levers)
    raise InputError(
        "section_forces",
        "load",
        type(load).__name__,
        "must be a UniformLoad, PointLoad or DistributedLoad",
    )
