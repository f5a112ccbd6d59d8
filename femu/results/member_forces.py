"""Element forces and deformations of a result, from what was saved: frame members in the plane and
in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.engine.element_kernels import EVALUATE
from femu.model.element import SPACE_DOFS, Name, chord
from femu.results.index import element_entry
from femu.support.errors import AnalysisError, InputError

if TYPE_CHECKING:
    from femu.engine.program import Program
    from femu.results.result import Result

Array = npt.NDArray[np.float64]
SYSTEMS = ("basic", "local", "global")
BASIC_NAMES = ("N", "Mi", "Mj")  # of a frame element in the plane
SPACE_NAMES = ("N", "Mz_i", "Mz_j", "My_i", "My_j", "T")  # ... and in space
SMALL = 1e-6  # share of a member load that leaves the member unyielded
TURNED = (
    *(f"v_{a}" for a in ("N", "z_i", "z_j", "y_i", "y_j", "T")),
    *(f"global_{what}{d}_{end}" for end in "ij" for what in ("F", "M") for d in "xyz"),
)
"""What is also saved of a corotational member in space, whose forces depend on rotations that no
result keeps: its deformations and its forces on the nodes. (A member that is not corotational has
no such forces in its state.)"""


def frame_dimensions(element: dict[str, Any]) -> int:
    """Dimensions of a frame member of a result: 2 in the plane, 3 in space; 0 of other elements."""
    return {BASIC_NAMES: 2, SPACE_NAMES: 3}.get(tuple(element["basic"]), 0)


def _frame(result: Result, name: Name) -> dict[str, Any]:
    element = element_entry(result, name)
    if frame_dimensions(element) == 0:
        raise InputError(
            f"element {name!r}",
            "system",
            element["kind"],
            "has basic forces only",
            fix='use system="basic"',
        )
    return element


def _chord(result: Result, element: dict[str, Any]) -> tuple[Array, Array, Array, Array, Array]:
    """Displacements of the ends relative to each other along the undeformed chord and across,
    rotations, and length."""
    i, j = element["nodes"]
    length, c, s, ax, ay, bx, by = element["constants"]
    theta_i, theta_j = result.displacement(i, "rz"), result.displacement(j, "rz")
    dx = result.displacement(j, "x") - result.displacement(i, "x")
    dy = result.displacement(j, "y") - result.displacement(i, "y")
    if element["geometry"] == "corotational":
        dx = (
            dx
            + (np.cos(theta_j) - 1) * bx
            - np.sin(theta_j) * by
            - (np.cos(theta_i) - 1) * ax
            + np.sin(theta_i) * ay
        )
        dy = (
            dy
            + np.sin(theta_j) * bx
            + (np.cos(theta_j) - 1) * by
            - np.sin(theta_i) * ax
            - (np.cos(theta_i) - 1) * ay
        )
    else:
        dx = dx + ay * theta_i - by * theta_j
        dy = dy + bx * theta_j - ax * theta_i
    return c * dx + s * dy, -s * dx + c * dy, theta_i, theta_j, np.full_like(dx, length)


def deformation(result: Result, name: Name) -> Array:
    """Basic deformations: elongation, and the end rotations from the chord."""
    element = _frame(result, name)
    if frame_dimensions(element) == 3:
        return _deformation_in_space(result, element)
    along, across, theta_i, theta_j, length = _chord(result, element)
    if element["geometry"] != "corotational":
        return np.stack([along, theta_i - across / length, theta_j - across / length], axis=1)
    now = np.hypot(length + along, across)
    turn = np.unwrap(np.arctan2(across, length + along))
    return np.stack([now - length, theta_i - turn, theta_j - turn], axis=1)


def plastic_deformation(result: Result, name: Name) -> Array:
    """Basic deformations less those of the unyielded member under the same basic forces and member
    loads."""
    element = _frame(result, name)
    stiffness = np.array(element["stiffness"])
    if np.linalg.matrix_rank(stiffness) < len(stiffness):
        raise InputError(
            f"element {name!r}",
            "plastic_rotation",
            element["kind"],
            "has a released end",
            fix="use Result.deformation for its rotation",
        )
    q = basic(result, name)
    if "clamped" in element:
        if None in element["clamped"]:
            raise InputError(
                f"element {name!r}",
                "plastic_rotation",
                element["kind"],
                "has no answer to its member load while its ends are held",
            )
        q = q - result.arrays["factor"] @ np.array(element["clamped"])
    return deformation(result, name) - np.linalg.solve(stiffness, q.T).T


def frame_members(program: Program, parameters: Array) -> dict[Name, dict[str, Any]]:
    """What later questions about frame members need, by name: their geometry, the basic stiffness
    of the virgin member, and its basic forces under member loads at factor 1 while its ends are
    held, one row per pattern ("clamped", only if there are loads).
    """
    from femu.elements.transformations import space_frame
    from femu.engine.workspace import Workspace

    virgin = Workspace(program, program.state(), parameters)
    frames = {
        n: program.element_state(n)[0]
        for n, plan in program.plans.items()
        if plan.frame_dimensions > 0
    }
    sizes = {n: len(program.plans[n].basic_forces) for n in frames}
    virgin.determine(EVALUATE)
    found: dict[Name, dict[str, Any]] = {}
    for name, start in frames.items():
        size = sizes[name]
        rows, columns = np.triu_indices(size)
        stiffness = np.zeros((size, size))
        stiffness[rows, columns] = stiffness[columns, rows] = virgin.fields.elements[
            start + size : start + size + len(rows)
        ]
        element: Any = program.elements[name]
        if program.plans[name].frame_dimensions == 3:
            constants = program.plans[name].geometry[: space_frame.FRAME_CONSTANTS]
        else:
            offsets = [
                float(v)
                for end in ("offset_i", "offset_j")
                for v in getattr(element, end, (0.0, 0.0))
            ]
            constants = [*chord(element, program.coordinates, offsets), *offsets]
        found[name] = {"constants": constants, "stiffness": stiffness.tolist()}
    loaded = [name for name in frames if program.end_loads(name) is not None]
    for name in loaded:
        found[name]["clamped"] = np.zeros((len(program.pattern_names), sizes[name])).tolist()
    for row in range(len(program.pattern_names)):
        if loaded and np.any(program.member[row]):
            virgin.fields.member_load[:] = SMALL * program.member[row]
            answered = True
            try:
                virgin.determine(EVALUATE)
            # the analysis itself has its results: only plastic rotations are lost
            except AnalysisError:
                answered = False
            for name in loaded:
                forces = virgin.fields.elements[frames[name] : frames[name] + sizes[name]] / SMALL
                found[name]["clamped"][row] = forces.tolist() if answered else None
    return found


def basic(result: Result, name: Name) -> Array:
    """Basic forces, one column each."""
    element = element_entry(result, name)
    if element["column"] is None:
        raise InputError(
            f"element {name!r}",
            "force",
            name,
            "is not among what was saved",
            fix="save it with Save(forces=...)",
        )
    return result.arrays["basic"][:, element["column"] : element["column"] + len(element["basic"])]


def end_forces(result: Result, name: Name, system: str) -> Array:
    """Forces at the ends of an element; see `Result.force`.

    Local forces refer to the undeformed member and omit the moment of the axial force on its
    sway, as in OpenSees; global forces hold everything the element puts into the equilibrium of the
    nodes.
    """
    if system not in SYSTEMS:
        raise InputError("Result.force", "system", system, f"must be one of {SYSTEMS}")
    q = basic(result, name)
    if system == "basic":
        return q
    element = _frame(result, name)
    in_space = frame_dimensions(element) == 3
    loads = (
        result.arrays["factor"] @ np.array(element["end_loads"])
        if element["end_loads"] is not None
        else np.zeros((len(q), 5 if in_space else 3))
    )
    if in_space:
        return _end_forces_in_space(result, element, q, loads, system)
    length, c, s, ax, ay, bx, by = element["constants"]
    N, Mi, Mj = q.T
    if system == "local":
        V = (Mi + Mj) / length
        return np.stack([-N + loads[:, 0], V + loads[:, 1], Mi, N, -V + loads[:, 2], Mj], axis=1)
    along, across, theta_i, theta_j, _ = _chord(result, element)
    l, cn, sn = length, np.full_like(N, c), np.full_like(N, s)
    oi, oj = (
        np.stack([np.full_like(N, ax), np.full_like(N, ay)]),
        np.stack([np.full_like(N, bx), np.full_like(N, by)]),
    )
    sway = np.zeros_like(N)
    if element["geometry"] == "corotational":
        l = np.hypot(length + along, across)
        cn, sn = (c * (length + along) - s * across) / l, (s * (length + along) + c * across) / l
        oi, oj = _turned(oi, theta_i), _turned(oj, theta_j)
    elif element["geometry"] == "p-delta":
        sway = N * across / length
    fx = cn * N + sn * (Mi + Mj) / l - sway * s
    fy = sn * N - cn * (Mi + Mj) / l + sway * c
    ix, iy = c * loads[:, 0] - s * loads[:, 1] - fx, s * loads[:, 0] + c * loads[:, 1] - fy
    jx, jy = -s * loads[:, 2] + fx, c * loads[:, 2] + fy
    return np.stack(
        [ix, iy, Mi + oi[0] * iy - oi[1] * ix, jx, jy, Mj + oj[0] * jy - oj[1] * jx], axis=1
    )


def _turned(vector: Array, angle: Array) -> Array:
    return np.stack(
        [
            np.cos(angle) * vector[0] - np.sin(angle) * vector[1],
            np.sin(angle) * vector[0] + np.cos(angle) * vector[1],
        ]
    )


# --- members in space ---


def _matrices(element: dict[str, Any]) -> tuple[float, Array, Array, Array, Array]:
    """Length, local axes, B, the rows of the relative transverse displacement, and of the end
    reactions."""
    from femu.elements.transformations import space_frame

    g = np.array(element["constants"])
    return (
        float(g[space_frame.LENGTH]),
        g[space_frame.AXES : space_frame.OFFSETS].reshape(3, 3),
        g[space_frame.MATRIX : space_frame.SWAY].reshape(space_frame.BASIC, space_frame.DOFS),
        g[space_frame.SWAY : space_frame.REACTIONS].reshape(2, space_frame.DOFS),
        g[space_frame.REACTIONS : space_frame.FRAME_CONSTANTS].reshape(
            space_frame.END_REACTIONS, space_frame.DOFS
        ),
    )


def _displacements(result: Result, element: dict[str, Any]) -> Array:
    return np.stack(
        [result.displacement(n, d) for n in element["nodes"] for d in SPACE_DOFS], axis=1
    )


def _turned_member(result: Result, element: dict[str, Any]) -> Array:
    """Deformations and forces on the nodes of a corotational member."""
    if element["column"] is None:
        raise InputError(
            f"element {element['name']!r}",
            "force",
            element["name"],
            "is not among what was saved",
            fix="save it with Save(forces=...)",
        )
    before = 0
    for other in result.index["elements"]:
        if other["name"] == element["name"]:
            break
        before += (
            other["column"] is not None
            and other["geometry"] == "corotational"
            and other["basic"] == element["basic"]
        )
    return result.arrays["turned"][:, before * len(TURNED) : (before + 1) * len(TURNED)]


def _deformation_in_space(result: Result, element: dict[str, Any]) -> Array:
    """Basic deformations: elongation, rotations from the chord about z and y, twist."""
    if element["geometry"] == "corotational":
        return _turned_member(result, element)[:, : len(SPACE_NAMES)]
    return _displacements(result, element) @ _matrices(element)[2].T


def _end_forces_in_space(
    result: Result, element: dict[str, Any], q: Array, loads: Array, system: str
) -> Array:
    """Forces at both ends: (force x, y, z, moment x, y, z) each, in local or global axes."""
    length, _, matrix, sway, reactions = _matrices(element)
    N, zi, zj, yi, yj, T = q.T
    if system == "local":
        Vy, Vz = (zi + zj) / length, (yi + yj) / length
        x0, y0, y1, z0, z1 = loads.T
        return np.stack(
            [-N + x0, Vy + y0, -Vz + z0, -T, yi, zi, N, -Vy + y1, Vz + z1, T, yj, zj], axis=1
        )
    if element["geometry"] == "corotational":
        return _turned_member(result, element)[:, len(SPACE_NAMES) :]
    force = q @ matrix + loads @ reactions
    if element["geometry"] == "p-delta":
        moved = _displacements(result, element) @ sway.T
        force = force + (N / length)[:, None] * (moved @ sway)
    return np.asarray(force)
