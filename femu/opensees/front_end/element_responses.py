"""Forces and deformations of elements.

A row for each row asked, columns in the order of OpenSees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.elements import Truss, TwoNodeLink
from femu.elements.beam_column import FrameElement
from femu.materials import InitialStrain
from femu.model.element import Name
from femu.opensees.front_end.domain import Domain
from femu.opensees.front_end.session import Rows

Array = npt.NDArray[np.float64]
FRAME, TRUSS, LINK = "frame", "truss", "link"


def kind_of(element: Any) -> str:
    """Which family an element belongs to."""
    return (
        FRAME
        if isinstance(element, FrameElement)
        else TRUSS
        if isinstance(element, Truss)
        else LINK
    )


def basic(rows: Rows, tag: Name) -> Array:
    """Basic forces."""
    return rows.basic(tag)


def relative(rows: Rows, tag: Name) -> tuple[Array, Array]:
    """Coordinates and displacements of the second node relative to the first, along the axes there
    are."""
    i, j = rows.program.elements[tag].nodes[:2]
    apart = rows.program.coordinates[j] - rows.program.coordinates[i]
    axes = ("x", "y", "z")[: len(apart)]
    return apart, rows.displacements((j, d) for d in axes) - rows.displacements(
        (i, d) for d in axes
    )


def elongation(rows: Rows, tag: Name) -> Array:
    """Elongation of a truss."""
    apart, moved = relative(rows, tag)
    length = np.linalg.norm(apart)
    if rows.program.elements[tag].geometry == "corotational":  # type: ignore[attr-defined]
        return np.linalg.norm(apart + moved, axis=1) - length
    return moved @ (apart / length)


def global_force(rows: Rows, domain: Domain, tag: Name) -> Array:
    """Forces of an element on its nodes along the global axes, in all directions of the nodes."""
    element = rows.program.elements[tag]
    family = kind_of(element)
    names = [(int(n), d) for n in element.nodes for d in domain.node_dofs[int(n)]]
    found = np.zeros((len(rows.result.time), len(names)))
    if family == FRAME:
        own = [(int(n), d) for n in element.nodes for d in _all_directions(domain)]
        force = rows.result.force(tag, "global")
    elif family == TRUSS:
        apart, moved = relative(rows, tag)
        line = np.broadcast_to(apart, moved.shape) + (
            moved if getattr(element, "geometry", "") == "corotational" else 0.0
        )
        line = line / np.linalg.norm(line, axis=1)[:, None]
        pull = basic(rows, tag) * line
        own = [(int(n), d) for n in element.nodes for d in ("x", "y", "z")[: len(apart)]]
        force = np.concatenate([-pull, pull], axis=1)
    else:
        plan = rows.program.plans[tag]
        own = [(int(n), d) for n, d in plan.dofs]
        force = basic(rows, tag) @ link_matrix(plan) + _p_delta(rows, tag)
    for column, dof in enumerate(own):
        if dof in names:
            found[:, names.index(dof)] = force[:, column]
    return found + _base_inertia(rows, domain, tag, names)


def _base_inertia(rows: Rows, domain: Domain, tag: Name, names: list[tuple[int, str]]) -> Any:
    """Inertia of an element's own mass under base acceleration, which OpenSees counts among its
    forces."""
    element: Any = rows.program.elements[tag]
    mass = getattr(element, "mass", 0.0)
    if not mass or not rows.accelerations or element.consistent_mass:
        return 0.0
    apart, _ = relative(rows, tag)
    share = 0.5 * mass * float(np.linalg.norm(apart))
    added = np.zeros((len(rows.result.time), len(names)))
    for column, (_, direction) in enumerate(names):
        if direction in rows.accelerations and not direction.startswith("r"):
            added[:, column] = share * rows.accelerations[direction]
    return added


def _p_delta(rows: Rows, tag: Name) -> Any:
    """Forces of a link by its axial force on the relative displacement across it, if it has
    P-Delta."""
    plan = rows.program.plans[tag]
    m, n = int(plan.geometry[0]), int(plan.geometry[1])
    rest = np.array(plan.geometry[2 + m * n :])  # see femu.elements.link
    if not len(rest):
        return 0.0
    moved = np.stack([rows.result.displacement(node, d) for node, d in plan.dofs], axis=1)
    N = basic(rows, tag)[:, :1]
    return sum(N * (moved @ s)[:, None] * r for s, r in rest[1:].reshape(int(rest[0]), 2, n))


def link_matrix(plan: Any) -> Array:
    """Matrix of a link: deformations from the displacements of its degrees of freedom."""
    m, n = int(plan.geometry[0]), int(plan.geometry[1])
    return np.array(plan.geometry[2 : 2 + m * n]).reshape(m, n)


def _all_directions(domain: Domain) -> tuple[str, ...]:
    return ("x", "y", "z", "rx", "ry", "rz") if domain.ndm == 3 else ("x", "y", "rz")


def local_force(rows: Rows, domain: Domain, tag: Name) -> Array:
    """Forces in the element's own axes: at the ends of a frame member or of a link with two nodes,
    along the directions of a spring of no length or a truss."""
    element = rows.program.elements[tag]
    family = kind_of(element)
    if family == FRAME:
        return rows.result.force(tag, "local")
    if family == TRUSS:
        if element.geometry == "corotational":  # type: ignore[attr-defined]
            return np.zeros((len(rows.result.time), 0))  # nor has that of OpenSees
        sizes = [len(domain.node_dofs[int(n)]) for n in element.nodes]
        found = np.zeros((len(rows.result.time), sum(sizes)))
        found[:, [0, sizes[0]]] = basic(rows, tag) * [-1.0, 1.0]
        return found
    if isinstance(element, TwoNodeLink):
        return global_force(rows, domain, tag) @ _into_local(rows, domain, element).T
    return basic(rows, tag)


def _into_local(rows: Rows, domain: Domain, element: TwoNodeLink) -> Array:
    """Matrix from the global to the local axes of a link, for the directions of both nodes."""
    # deformations by the directions of node i, then of node j
    motion = element.rows(rows.program.coordinates)
    half = len(motion["x"]) // 2
    turn = np.array([motion[d][half : half + domain.ndm] for d in "xyz"[: domain.ndm]])
    names = [(int(n), d) for n in element.nodes for d in domain.node_dofs[int(n)]]
    matrix = np.eye(len(names))
    for a, (node, local) in enumerate(names):
        for b, (other, direction) in enumerate(names):
            # "x" and "rx"
            if (
                node == other
                and len(local) == len(direction)
                and (domain.ndm == 3 or len(local) == 1)
            ):
                matrix[a, b] = turn["xyz".index(local[-1]), "xyz".index(direction[-1])]
    return matrix


def deformation(rows: Rows, tag: Name) -> Array:
    """Basic deformations."""
    element = rows.program.elements[tag]
    family = kind_of(element)
    if family == FRAME:
        return rows.result.deformation(tag)
    if family == TRUSS:
        return elongation(rows, tag)[:, None]
    plan = rows.program.plans[tag]
    return rows.displacements(plan.dofs) @ link_matrix(plan).T


def plastic(rows: Rows, tag: Name) -> Array:
    """Plastic part of the basic deformations of a frame member."""
    from femu.results.member_forces import plastic_deformation

    return plastic_deformation(rows.result, tag)


def end_of(rows: Rows, domain: Domain, tag: Name, node: int) -> Array:
    """Global force of an element on one of its nodes."""
    nodes = rows.program.elements[tag].nodes
    sizes = [len(domain.node_dofs[int(n)]) for n in nodes]
    force = global_force(rows, domain, tag)
    at = nodes.index(node)
    start = sum(sizes[:at])
    return force[:, start : start + sizes[at]]


def material_response(rows: Rows, tag: Name, number: int) -> tuple[Array, Array]:
    """Stress and strain of the law of a truss, or of one direction of a link."""
    element = rows.program.elements[tag]
    if kind_of(element) == TRUSS:
        apart, _ = relative(rows, tag)
        area = rows.parameters[rows.program.parameters.index(f"{tag}.area")]
        strain = elongation(rows, tag) / np.linalg.norm(apart) + beginning(element.material)  # type: ignore[attr-defined]
        return basic(rows, tag)[:, 0] / area, strain
    law = list(getattr(element, "laws", {0: None}).values())[number : number + 1]
    begun = beginning(law[0]) if law else 0.0
    return basic(rows, tag)[:, number], deformation(rows, tag)[:, number] + begun


def beginning(material: Any) -> float:
    """Strain at which a material begins, which OpenSees counts among its strains."""
    return float(material.strain) if isinstance(material, InitialStrain) else 0.0


def material_tangent(rows: Rows, tag: Name, number: int) -> Array:
    """Tangent of the law of a truss, or of one direction of a link."""
    element, names = rows.program.elements[tag], rows.program.plans[tag].state
    if kind_of(element) == TRUSS:
        apart, _ = relative(rows, tag)
        area = rows.parameters[rows.program.parameters.index(f"{tag}.area")]
        return rows.states[tag][:, names.index("k_NN")] * np.linalg.norm(apart) / area
    force = rows.program.plans[tag].basic_forces[number]
    return rows.states[tag][:, names.index(f"k_{force}_{force}")]


def integration(rows: Rows, tag: Name, what: str) -> Array:
    """Places of the integration points along a member, or their weights."""
    length = rows.program.plans[tag].geometry[0]
    along = rows.program.elements[tag].along(length)  # type: ignore[attr-defined]
    values = np.array(along.places if what == "integrationPoints" else along.weights) * length
    return np.broadcast_to(values, (len(rows.result.time), len(values)))
