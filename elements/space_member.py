"""Beam-columns in space: what they share outside their basic system.

`FrameElement` hands over to this module where its nodes have three coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from femu.elements.member_loads import MemberLoad, end_reactions
from femu.elements.transformations import space_frame
from femu.elements.transformations.frame import GEOMETRIES
from femu.elements.transformations.space_corotation import END_FORCES, ROTATION_STATE
from femu.model.element import SPACE_DOFS, Array, Element, Name, Plan, shared_by, span
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.elements.beam_column import FrameElement

SPACE_NAMES = ("N", "Mz_i", "Mz_j", "My_i", "My_j", "T")
_PLACES = [name.removeprefix("M") for name in SPACE_NAMES]
SPACE_STATE = [
    *SPACE_NAMES,
    *(f"k_{a}_{b}" for at, a in enumerate(_PLACES) for b in _PLACES[at:]),
    *(f"v_{a}" for a in _PLACES),
]
"""State of every frame element in space before its own.

Basic forces, upper triangle of the basic stiffness, deformations.
"""

PARALLEL = 1e-8  # sine of the angle below which two directions count as one
# horizontal run over length up to which a member is a column: out of plumb, but not inclined
VERTICAL = 0.05


def plan_in_space(element: FrameElement, coordinates: dict[Name, Array]) -> Plan:
    """Lay a beam-column out in space."""
    length, axes, offset_i, offset_j = placed(element, coordinates)
    shared = shared_by(coordinates)
    integers, constants, state, workspace, load = element.space_plan(length, shared)
    turned = [*ROTATION_STATE, *END_FORCES] if element.geometry == "corotational" else []
    return Plan(
        dofs=[(node, d) for node in element.nodes for d in SPACE_DOFS],
        group=space_frame.space_frame_group,
        basic=element.space_kernel(),
        integers=[GEOMETRIES[element.geometry], len(state), *integers],
        geometry=[*space_frame.constants(length, axes, offset_i, offset_j), *constants],
        state=state + turned if turned else state,
        workspace=space_frame.BASIC_WORKSPACE + workspace,
        load_size=space_frame.END_REACTIONS + load,
        end_reactions=space_frame.END_REACTIONS,
        damped=element.damped,
        divisible=element.divisible,
        mass=_mass_terms(element, length, axes),
        basic_forces=SPACE_NAMES,
        frame_dimensions=3,
    )


def placed(
    element: FrameElement, coordinates: dict[Name, Array]
) -> tuple[float, Array, Array, Array]:
    """Length of the flexible part, local axes (rows), and offsets at i and j."""
    offsets = []
    for name in ("offset_i", "offset_j"):
        vector = numbers(getattr(element, name))
        if vector.shape != (3,) and vector.any():
            raise InputError(
                element.label(), name, getattr(element, name), "must be three numbers in space"
            )
        offsets.append(vector if vector.shape == (3,) else np.zeros(3))
    length, x = span(element, coordinates, offsets[1] - offsets[0])
    return length, local_axes(element, x, element.vecxz), offsets[0], offsets[1]


def local_axes(element: Element, x: Array, vecxz: Sequence[float] | None) -> Array:
    """Local axes (rows) of a member along the unit vector x, with a vector in its local x-z plane."""
    if vecxz is None:
        vecxz = default_vecxz(x)
    vector = np.asarray(vecxz, dtype=float)
    y = np.cross(vector / np.linalg.norm(vector), x)
    size = float(np.linalg.norm(y))
    if size < PARALLEL:
        raise InputError(
            element.label(),
            "vecxz",
            tuple(vecxz),
            "must not be along the member",
            f"The member points along ({', '.join(f'{v:g}' for v in x)})",
        )
    y = y / size
    return np.array([x, y, np.cross(x, y)])


def default_vecxz(x: Array) -> tuple[float, float, float]:
    """A vector in the local x-z plane of a member along the unit vector x that was given none;
    global z is up.

    Local y, along which the depth of a section lies, points up. Along a column it lies along global
    x, as that of a frame in the x-z plane that is drawn on paper does; a column is what is out of
    plumb by at most `VERTICAL`.
    """
    if float(np.hypot(x[0], x[1])) <= VERTICAL:
        return (0.0, -1.0, 0.0)
    return (float(x[1]), -float(x[0]), 0.0)  # x cross global z


def vecxz_of_format_1(x: Array) -> tuple[float, float, float]:
    """The same in model files of format 1: there local y of a beam is level."""
    return (1.0, 0.0, 0.0) if float(np.hypot(x[0], x[1])) < PARALLEL else (0.0, 0.0, 1.0)


def member_load_in_space(element: FrameElement, load: MemberLoad, plan: Plan) -> Array:
    """End reactions of a load on a member (x at i, y at i and j, z at i and j), then what its basic
    system reads."""
    length = plan.geometry[space_frame.LENGTH]
    return np.concatenate(
        [end_reactions(load, length, "yz"), element.space_load(load, length, plan)]
    )


def _mass_terms(
    element: FrameElement, length: float, axes: Array
) -> list[tuple[int, int, str, float]]:
    if not element.consistent_mass:
        return [(d, d, "mass", length / 2.0) for d in (0, 1, 2, 6, 7, 8)]
    a, b, polar = length / 420.0, length / 6.0, element.polar_radius_squared()
    local = np.zeros((12, 12))
    for at, factor in ((0, b), (3, b * polar)):  # along and about the axis
        local[np.ix_((at, at + 6), (at, at + 6))] = factor * np.array([[2.0, 1.0], [1.0, 2.0]])
    for moved, turned, l in ((1, 5, length), (2, 4, -length)):  # in the planes x-y and x-z
        at_all = (moved, turned, moved + 6, turned + 6)
        local[np.ix_(at_all, at_all)] = a * np.array(
            [
                [156, 22 * l, 54, -13 * l],
                [22 * l, 4 * l * l, 13 * l, -3 * l * l],
                [54, 13 * l, 156, -22 * l],
                [-13 * l, -3 * l * l, -22 * l, 4 * l * l],
            ]
        )
    rotation = np.kron(np.eye(4), axes)
    matrix = rotation.T @ local @ rotation
    return [
        (r, c, "mass", float(matrix[r, c]))
        for r in range(12)
        for c in range(12)
        if matrix[r, c] != 0.0
    ]


def numbers(value: Any) -> Array:
    """A sequence as an array, or an empty one if it does not hold finite numbers."""
    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.zeros(0)
    return vector if np.isfinite(vector).all() else np.zeros(0)
