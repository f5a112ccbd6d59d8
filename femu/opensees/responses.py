"""What can be asked of nodes and elements: one implementation for queries (one row) and recorders (a row a step).

Each function takes `Rows` and returns an array with a row for each of them, its columns in the order of OpenSees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.element import Name
from femu.elements import Truss
from femu.elements.frame_element import FrameElement
from femu.elements.link import BasicLink
from femu.fibres import evaluate
from femu.opensees.arguments import Reader
from femu.opensees.domain import Domain
from femu.opensees.sections import FibreRecipe
from femu.opensees.session import Rows

Array = npt.NDArray[np.float64]
FRAME, TRUSS, LINK = "frame", "truss", "link"


def kind_of(element: Any) -> str:
    """Which family an element belongs to."""
    return FRAME if isinstance(element, FrameElement) else TRUSS if isinstance(element, Truss) else LINK


# --- nodes ---

_NODAL = {"disp": "u", "vel": "v", "accel": "a", "displacement": "u", "velocity": "v", "acceleration": "a"}


def nodal(rows: Rows, domain: Domain, node: int, quantity: str) -> Array:
    """Displacement, velocity or acceleration of a node in all its directions."""
    place, kind = rows.program.numbering.place, _NODAL[quantity]
    none = np.zeros(len(rows.result.time))
    method = {"u": rows.result.displacement, "v": rows.result.velocity, "a": rows.result.acceleration}[kind]
    return np.stack([method(node, d) if (node, d) in place else none for d in domain.node_dofs[node]], axis=1)


def reaction(rows: Rows, domain: Domain, node: int) -> Array:
    """What the elements put on a node, less its loads: the reaction of a support, and next to nothing at a free node."""
    program = rows.program
    tied = {n for a, b, _ in domain.model.equal for n in (a, b)} | {n for pair in domain.model.links for n in pair}
    held = set(rows.result.index["held"])
    names = domain.node_dofs[node]
    places = [program.numbering.place.get((node, d)) for d in names]
    none = np.zeros(len(rows.result.time))
    if node not in tied:
        return np.stack([rows.result.reaction(node, d) if p in held else none
                         for d, p in zip(names, places, strict=True)], axis=1)
    total = np.zeros((len(none), len(names)))
    for tag, element in program.elements.items():
        if node in element.nodes:
            total += end_of(rows, domain, tag, node)
    factors = rows.result.arrays["factor"]
    for pattern in domain.patterns.values():
        row = program.pattern_names.index(pattern.name)
        for tag, direction, value in pattern.nodal:
            if tag == node:
                total[:, names.index(direction)] -= factors[:, row] * value
    return total


def end_of(rows: Rows, domain: Domain, tag: Name, node: int) -> Array:
    """Global force of an element on one of its nodes."""
    nodes = rows.program.elements[tag].nodes
    sizes = [len(domain.node_dofs[int(n)]) for n in nodes]
    force = global_force(rows, domain, tag)
    at = nodes.index(node)
    start = sum(sizes[:at])
    return force[:, start:start + sizes[at]]


# --- elements ---

def basic(rows: Rows, tag: Name) -> Array:
    """Basic forces."""
    return rows.result.force(tag, "basic")


def relative(rows: Rows, tag: Name) -> tuple[Array, Array]:
    """Coordinates and displacements of the second node relative to the first, along the axes there are."""
    i, j = rows.program.elements[tag].nodes[:2]
    apart = rows.program.coordinates[j] - rows.program.coordinates[i]
    place, none = rows.program.numbering.place, np.zeros(len(rows.result.time))
    moved = [(rows.result.displacement(j, d) if (j, d) in place else none) - (
        rows.result.displacement(i, d) if (i, d) in place else none) for d in ("x", "y", "z")[:len(apart)]]
    return apart, np.stack(moved, axis=1)


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
        line = np.broadcast_to(apart, moved.shape) + (moved if element.geometry == "corotational" else 0.0)  # type: ignore[attr-defined]
        line = line / np.linalg.norm(line, axis=1)[:, None]
        pull = basic(rows, tag) * line
        own = [(int(n), d) for n in element.nodes for d in ("x", "y", "z")[:len(apart)]]
        force = np.concatenate([-pull, pull], axis=1)
    else:
        plan = rows.program.plans[tag]
        own = [(int(n), d) for n, d in plan.dofs]
        force = basic(rows, tag) @ link_matrix(plan)
    for column, dof in enumerate(own):
        if dof in names:
            found[:, names.index(dof)] = force[:, column]
    return found + _base_inertia(rows, domain, tag, names)


def _base_inertia(rows: Rows, domain: Domain, tag: Name, names: list[tuple[int, str]]) -> Any:
    """Inertia of an element's own mass under base acceleration, which OpenSees counts among its forces."""
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


def link_matrix(plan: Any) -> Array:
    """Matrix of a link: deformations from the displacements of its degrees of freedom."""
    m, n = int(plan.geometry[0]), int(plan.geometry[1])
    return np.array(plan.geometry[2:2 + m * n]).reshape(m, n)


def _all_directions(domain: Domain) -> tuple[str, ...]:
    return ("x", "y", "z", "rx", "ry", "rz") if domain.ndm == 3 else ("x", "y", "rz")


def local_force(rows: Rows, domain: Domain, tag: Name) -> Array:
    """Forces in the element's own axes: at the ends of a frame member, along the directions of a link or truss."""
    family = kind_of(rows.program.elements[tag])
    if family == FRAME:
        return rows.result.force(tag, "local")
    if family == TRUSS:
        N = basic(rows, tag)
        return np.concatenate([-N, N], axis=1)
    return basic(rows, tag)


def deformation(rows: Rows, tag: Name) -> Array:
    """Basic deformations."""
    element = rows.program.elements[tag]
    family = kind_of(element)
    if family == FRAME:
        return rows.result.deformation(tag)
    if family == TRUSS:
        return elongation(rows, tag)[:, None]
    plan = rows.program.plans[tag]
    u = np.stack([rows.result.displacement(n, d) for n, d in plan.dofs], axis=1)
    return u @ link_matrix(plan).T


def plastic(rows: Rows, tag: Name) -> Array:
    """Plastic part of the basic deformations of a frame member."""
    from femu.forces import plastic_deformation

    return plastic_deformation(rows.result, tag)


# --- sections and fibres ---

SECTION_FORCES = {2: ("N", "M"), 3: ("N", "Mz", "My", "T")}
SECTION_DEFORMATIONS = {2: ("axial_strain", "curvature"), 3: ("axial_strain", "curvature_z", "curvature_y", "twist")}


def section_values(rows: Rows, tag: Name, point: int, names: tuple[str, ...]) -> Array:
    """State variables of a section along a member, or of a zero-length section (point 0)."""
    state, variables = rows.states[tag], rows.program.plans[tag].state
    if isinstance(rows.program.elements[tag], BasicLink):
        k = len(names)
        if names[0] == "N":
            return state[:, :k]
        first = next(i for i, v in enumerate(variables) if v.startswith("v_"))
        return state[:, first:first + k]
    return state[:, [variables.index(f"section[{point}].{name}") for name in names]]


@dataclass(frozen=True)
class FibrePlace:
    """Where a fibre's history and parameters are."""

    material: Any
    y: float
    z: float
    columns: list[int]
    start: int  # of the material's parameters


def fibre_place(rows: Rows, tag: Name, point: int, group: int, fibre: int) -> FibrePlace:
    """Find one fibre of a section along a member, or of a zero-length section."""
    program, element = rows.program, rows.program.elements[tag]
    variables = program.plans[tag].state
    along = getattr(element, "along", None)
    if along is None:
        label, section, head = "section", element.section, "section."  # type: ignore[attr-defined]
    else:
        runs = [(label, section) for label, section, count in along(program.plans[tag].geometry[0]).runs for _ in range(count)]
        label, section = runs[point]
        head = f"{label}[{point}]."
    found = section.groups[group]
    columns = [variables.index(f"{head}{found.name}[{fibre}].{h}") for h in found.material.history_names()]
    names = [name for name, _, _ in found.material.walk_parameters()]
    start = program.parameters.index(f"{tag}.{label}.{found.name}.{names[0]}")
    z = getattr(found, "z", None)
    return FibrePlace(found.material, float(found.y[fibre]), 0.0 if z is None else float(z[fibre]), columns, start)


def fibre_response(rows: Rows, tag: Name, point: int, group: int, fibre: int) -> tuple[Array, Array]:
    """Stress and strain of a fibre."""
    place = fibre_place(rows, tag, point, group, fibre)
    space = len(next(iter(rows.program.coordinates.values()))) == 3
    own = section_values(rows, tag, point, SECTION_DEFORMATIONS[3 if space else 2])
    strain = own[:, 0] - place.y * own[:, 1] + (place.z * own[:, 2] if space else 0.0)
    history = rows.states[tag][:, place.columns].T
    p = rows.parameters[place.start:place.start + place.material.parameter_count]
    return evaluate(place.material, p, np.ascontiguousarray(history), np.ascontiguousarray(strain)), strain


def material_response(rows: Rows, tag: Name, number: int) -> tuple[Array, Array]:
    """Stress and strain of the law of a truss, or of one direction of a link."""
    element = rows.program.elements[tag]
    if kind_of(element) == TRUSS:
        apart, _ = relative(rows, tag)
        area = rows.parameters[rows.program.parameters.index(f"{tag}.area")]
        return basic(rows, tag)[:, 0] / area, elongation(rows, tag) / np.linalg.norm(apart)
    return basic(rows, tag)[:, number], deformation(rows, tag)[:, number]


# --- by name ---

Response = Callable[[Rows], Array]


@dataclass(frozen=True)
class Asked:
    """A response of an element, and what has to be known of each step for it."""

    response: Response
    state: bool = False  # the whole state of the element


_GLOBAL = ("force", "forces", "globalForce", "globalForces")
_LOCAL = ("localForce", "localForces")
_BASIC = ("basicForce", "basicForces", "axialForce")
_DEFORMATION = ("deformation", "deformations", "basicDeformation", "basicDeformations", "chordRotation", "chordDeformation",
                "basicDeformation")
_PLASTIC = ("plasticDeformation", "plasticRotation")


def element_response(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    """A response of an element by the words of eleResponse and of recorders."""
    element = domain.element(tag, reader)
    if not words:
        raise reader.error("the response is missing, for example 'force'.")
    first, rest = str(words[0]), words[1:]
    family = kind_of(element)
    if first in _GLOBAL:
        return Asked(lambda rows: global_force(rows, domain, tag))
    if first in _LOCAL:
        return Asked(lambda rows: local_force(rows, domain, tag))
    if first in _BASIC:
        return Asked(lambda rows: basic(rows, tag))
    if first in _DEFORMATION:
        return Asked(lambda rows: deformation(rows, tag))
    if first in _PLASTIC and family == FRAME:
        return Asked(lambda rows: plastic(rows, tag))
    if first in ("defoANDforce", "deformationsANDforces") and family == LINK:
        return Asked(lambda rows: np.concatenate([deformation(rows, tag), basic(rows, tag)], axis=1))
    if first in ("material", "-material") and family != FRAME and rest:
        return _material(domain, tag, rest, reader)
    if first in ("section", "-section") and rest:
        return _section(domain, tag, rest, reader)
    if first in ("integrationPoints", "integrationWeights") and hasattr(element, "along"):
        return Asked(lambda rows: _integration(rows, tag, first))
    raise reader.unsupported(f"response {first!r} of {domain.kinds[tag]} {tag} is not supported. Supported: {_offered(element)}.")


def _offered(element: Any) -> str:
    family = kind_of(element)
    words = ["force", "localForce", "basicForce", "deformation"]
    words += ["plasticDeformation"] if family == FRAME else ["material <n> stress|strain|stressStrain"]
    if hasattr(element, "along") or hasattr(element, "section"):
        words += ["section <n> force|deformation|forceAndDeformation", "section <n> fiber y z <mat> stress|strain|stressStrain"]
    return ", ".join(words)


def _integration(rows: Rows, tag: Name, what: str) -> Array:
    length = rows.program.plans[tag].geometry[0]
    along = rows.program.elements[tag].along(length)  # type: ignore[attr-defined]
    values = np.array(along.places if what == "integrationPoints" else along.weights) * length
    return np.broadcast_to(values, (len(rows.result.time), len(values)))


def _pair(stress: Array, strain: Array, what: str, reader: Reader) -> Array:
    if what in ("stress", "force"):
        return stress[:, None]
    if what in ("strain", "deformation"):
        return strain[:, None]
    if what in ("stressStrain", "stressANDstrain"):
        return np.stack([stress, strain], axis=1)
    if what == "strainStress":
        return np.stack([strain, stress], axis=1)
    raise reader.unsupported(f"response {what!r} of a material is not supported. Supported: stress, strain, stressStrain.")


def _check_pair(what: str, reader: Reader) -> None:
    none = np.zeros(0)
    _pair(none, none, what, reader)


def _material(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    number = 0
    if _whole(words[0]) is not None:
        number = (_whole(words[0]) or 1) - 1
        words = words[1:]
    what = str(words[0]) if words else "stress"
    _check_pair(what, reader)
    laws = getattr(domain.model.elements[tag], "laws", None)
    if laws is not None and not 0 <= number < len(laws):
        raise reader.error(f"material {number + 1} must lie between 1 and {len(laws)}.")
    return Asked(lambda rows: _pair(*material_response(rows, tag, number), what, reader))


def _whole(word: Any) -> int | None:
    try:
        return int(word) if float(word) == int(float(word)) else None
    except (TypeError, ValueError):
        return None


def _section(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    element: Any = domain.model.elements[tag]
    point = 0
    if hasattr(element, "along"):
        number = _whole(words[0])
        if number is None:
            raise reader.unsupported("'section' without a number is not supported: name the section.")
        if not 1 <= number <= element.section_count:
            raise reader.error(f"section {number} must lie between 1 and {element.section_count}.")
        point, words = number - 1, words[1:]
    elif not hasattr(element, "section"):
        raise reader.error(f"{domain.kinds[tag]} {tag} has no sections.")
    elif words and _whole(words[0]) is not None:
        words = words[1:]
    what = str(words[0]) if words else "force"
    space = 3 if domain.ndm == 3 else 2
    forces, deformations = SECTION_FORCES[space], SECTION_DEFORMATIONS[space]
    if what in ("force", "forces"):
        return Asked(lambda rows: section_values(rows, tag, point, forces), state=True)
    if what in ("deformation", "deformations"):
        return Asked(lambda rows: section_values(rows, tag, point, deformations), state=True)
    if what == "forceAndDeformation":
        return Asked(lambda rows: np.concatenate([section_values(rows, tag, point, deformations),
                                                  section_values(rows, tag, point, forces)], axis=1), state=True)
    if what in ("fiber", "fibre"):
        return _fibre(domain, tag, point, words[1:], reader)
    raise reader.unsupported(f"response {what!r} of a section is not supported. Supported: force, deformation, "
                             "forceAndDeformation, fiber.")


def _fibre(domain: Domain, tag: int, point: int, words: list[Any], reader: Reader) -> Asked:
    element: Any = domain.model.elements[tag]
    section = section_at(element, point)
    recipe = next((r for r in domain.sections.values() if isinstance(r, FibreRecipe) and r._section is section), None)
    if recipe is None:
        raise reader.error(f"section {point + 1} of element {tag} has no fibres.")
    count = next((k for k, word in enumerate(words) if not _is_number(word)), len(words))
    numbers, words = [float(word) for word in words[:count]], words[count:]
    what = str(words[0]) if words else "stressStrain"
    _check_pair(what, reader)
    cell = _nearest(recipe, numbers, reader)
    group, fibre = recipe.merged[cell]
    return Asked(lambda rows: _pair(*fibre_response(rows, tag, point, group, fibre), what, reader), state=True)


def section_at(element: Any, point: int) -> Any:
    """The section at a point of a member, or of a zero-length section."""
    if not hasattr(element, "along"):
        return element.section
    count = 0
    for _, section, points in element.along(1.0).runs:
        count += points
        if point < count:
            return section
    raise IndexError(point)


def _is_number(word: Any) -> bool:
    try:
        float(word)
    except (TypeError, ValueError):
        return False
    return True


def _nearest(recipe: FibreRecipe, numbers: list[float], reader: Reader) -> int:
    """Number of the fibre: given, or the nearest to y, z, of a material if one is named."""
    if len(numbers) == 1:
        index = int(numbers[0])
        if not 0 <= index < len(recipe.cells):
            raise reader.error(f"fiber {index} must lie between 0 and {len(recipe.cells) - 1}.")
        return index
    if len(numbers) not in (2, 3):
        raise reader.error("fiber needs its number, or y z, or y z matTag.")
    y, z = numbers[:2]
    candidates = [k for k, cell in enumerate(recipe.cells) if len(numbers) == 2 or cell[3] == int(numbers[2])]
    if not candidates:
        raise reader.error(f"the section has no fiber of material {int(numbers[2])}.")
    return min(candidates, key=lambda k: abs(recipe.cells[k][0] - y) if not recipe.space else (
        (recipe.cells[k][0] - y) ** 2 + (recipe.cells[k][1] - z) ** 2))
