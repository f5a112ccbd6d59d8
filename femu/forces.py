"""Element forces and deformations of a result, from what was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu.element import Name, chord
from femu.errors import AnalysisError, InputError

if TYPE_CHECKING:
    from femu.program import Program
    from femu.results import Result

Array = npt.NDArray[np.float64]
SYSTEMS = ("basic", "local", "global")
BASIC_NAMES = ("N", "Mi", "Mj")  # of a frame element in the plane
SPACE_NAMES = ("N", "Mz_i", "Mz_j", "My_i", "My_j", "T")  # ... and in space
SMALL = 1e-6  # share of a member load that leaves the member unyielded


def _frame(result: Result, name: Name) -> dict[str, Any]:
    element = result._element(name)
    if tuple(element["basic"]) not in (BASIC_NAMES, SPACE_NAMES):
        raise InputError(f"element {name!r}", "system", element["kind"], "has basic forces only", 'use system="basic"')
    return element


def _chord(result: Result, element: dict[str, Any]) -> tuple[Array, Array, Array, Array, Array]:
    """Displacements of the ends relative to each other along the undeformed chord and across, rotations, and length."""
    i, j = element["nodes"]
    length, c, s, ax, ay, bx, by = element["constants"]
    theta_i, theta_j = result.displacement(i, "rz"), result.displacement(j, "rz")
    dx = result.displacement(j, "x") - result.displacement(i, "x")
    dy = result.displacement(j, "y") - result.displacement(i, "y")
    if element["geometry"] == "corotational":
        dx = dx + (np.cos(theta_j) - 1) * bx - np.sin(theta_j) * by - (np.cos(theta_i) - 1) * ax + np.sin(theta_i) * ay
        dy = dy + np.sin(theta_j) * bx + (np.cos(theta_j) - 1) * by - np.sin(theta_i) * ax - (np.cos(theta_i) - 1) * ay
    else:
        dx = dx + ay * theta_i - by * theta_j
        dy = dy + bx * theta_j - ax * theta_i
    return c * dx + s * dy, -s * dx + c * dy, theta_i, theta_j, np.full_like(dx, length)


def deformation(result: Result, name: Name) -> Array:
    """Basic deformations: elongation, and the end rotations from the chord."""
    element = _frame(result, name)
    if tuple(element["basic"]) == SPACE_NAMES:
        from femu.space_forces import deformation_in_space

        return deformation_in_space(result, element)
    along, across, theta_i, theta_j, length = _chord(result, element)
    if element["geometry"] != "corotational":
        return np.stack([along, theta_i - across / length, theta_j - across / length], axis=1)
    now = np.hypot(length + along, across)
    turn = np.unwrap(np.arctan2(across, length + along))
    return np.stack([now - length, theta_i - turn, theta_j - turn], axis=1)


def plastic_deformation(result: Result, name: Name) -> Array:
    """Basic deformations less those of the unyielded member under the same basic forces and member loads."""
    element = _frame(result, name)
    stiffness = np.array(element["stiffness"])
    if np.linalg.matrix_rank(stiffness) < len(stiffness):
        raise InputError(f"element {name!r}", "plastic_rotation", element["kind"], "has a released end",
                         "its rotation is Result.deformation")
    q = basic(result, name)
    if "clamped" in element:
        if None in element["clamped"]:
            raise InputError(f"element {name!r}", "plastic_rotation", element["kind"],
                             "has no answer to its member load while its ends are held")
        q = q - result.arrays["factor"] @ np.array(element["clamped"])
    return deformation(result, name) - np.linalg.solve(stiffness, q.T).T


def frame_members(program: Program, parameters: Array) -> dict[Name, dict[str, Any]]:
    """What later questions about frame members need, by name: their geometry, the basic stiffness of the virgin
    member, and its basic forces under member loads at factor 1 while its ends are held, a row a pattern ("clamped",
    only where there are loads).
    """
    from femu.run import Run

    virgin = Run(program, program.state(), parameters)
    frames = {n: program.element_state(n)[0] for n, plan in program.plans.items()
              if plan.basic_forces in (BASIC_NAMES, SPACE_NAMES)}
    sizes = {n: len(program.plans[n].basic_forces) for n in frames}
    virgin.determine(slot.EVALUATE)
    found: dict[Name, dict[str, Any]] = {}
    for name, start in frames.items():
        size = sizes[name]
        rows, columns = np.triu_indices(size)
        stiffness = np.zeros((size, size))
        stiffness[rows, columns] = stiffness[columns, rows] = virgin[slot.T][start + size:start + size + len(rows)]
        element: Any = program.elements[name]
        if size == len(SPACE_NAMES):
            from femu.space_forces import constants_in_space

            constants = constants_in_space(program.plans[name])
        else:
            offsets = [float(v) for end in ("offset_i", "offset_j") for v in getattr(element, end, (0.0, 0.0))]
            constants = [*chord(element, program.coordinates, offsets), *offsets]
        found[name] = {"constants": constants, "stiffness": stiffness.tolist()}
    loaded = [name for name in frames if program.end_loads(name) is not None]
    for name in loaded:
        found[name]["clamped"] = np.zeros((len(program.pattern_names), sizes[name])).tolist()
    for row in range(len(program.pattern_names)):
        if loaded and np.any(program.member[row]):
            virgin[slot.LOAD][:] = SMALL * program.member[row]
            answered = True
            try:
                virgin.determine(slot.EVALUATE)
            except AnalysisError:  # the analysis itself has its results: only plastic rotations are lost
                answered = False
            for name in loaded:
                forces = virgin[slot.T][frames[name]:frames[name] + sizes[name]] / SMALL
                found[name]["clamped"][row] = forces.tolist() if answered else None
    return found


def basic(result: Result, name: Name) -> Array:
    """Basic forces, one column each."""
    element = result._element(name)
    if element["column"] is None:
        raise InputError(f"element {name!r}", "force", name, "is not among what was saved", "see Save(forces=...)")
    return result.arrays["basic"][:, element["column"]:element["column"] + len(element["basic"])]


def end_forces(result: Result, name: Name, system: str) -> Array:
    """Forces at the ends of an element; see `Result.force`.

    Local forces refer to the undeformed member and leave out the moment of the axial force on its sway, as in
    OpenSees; global forces hold everything the element puts into the equilibrium of the nodes.
    """
    if system not in SYSTEMS:
        raise InputError("Result.force", "system", system, f"must be one of {SYSTEMS}")
    q = basic(result, name)
    if system == "basic":
        return q
    element = _frame(result, name)
    in_space = tuple(element["basic"]) == SPACE_NAMES
    loads = (result.arrays["factor"] @ np.array(element["end_loads"]) if element["end_loads"] is not None
             else np.zeros((len(q), 5 if in_space else 3)))
    if in_space:
        from femu.space_forces import end_forces_in_space

        return end_forces_in_space(result, element, q, loads, system)
    length, c, s, ax, ay, bx, by = element["constants"]
    N, Mi, Mj = q.T
    if system == "local":
        V = (Mi + Mj) / length
        return np.stack([-N + loads[:, 0], V + loads[:, 1], Mi, N, -V + loads[:, 2], Mj], axis=1)
    along, across, theta_i, theta_j, _ = _chord(result, element)
    l, cn, sn = length, np.full_like(N, c), np.full_like(N, s)
    oi, oj = np.stack([np.full_like(N, ax), np.full_like(N, ay)]), np.stack([np.full_like(N, bx), np.full_like(N, by)])
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
    return np.stack([ix, iy, Mi + oi[0] * iy - oi[1] * ix, jx, jy, Mj + oj[0] * jy - oj[1] * jx], axis=1)


def _turned(vector: Array, angle: Array) -> Array:
    return np.stack([np.cos(angle) * vector[0] - np.sin(angle) * vector[1],
                     np.sin(angle) * vector[0] + np.cos(angle) * vector[1]])
