"""What can be asked of nodes and elements, by name: one implementation for queries (one row) and
recorders (one row per step).

Each response takes `Rows` and returns an array with a row for each of them, its columns in the
order of OpenSees.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.opensees.front_end.arguments import Reader, looks_like_number
from femu.opensees.front_end.domain import Domain
from femu.opensees.front_end.element_responses import (
    FRAME,
    LINK,
    basic,
    deformation,
    end_of,
    global_force,
    integration,
    kind_of,
    local_force,
    material_response,
    material_tangent,
    plastic,
)
from femu.opensees.front_end.section_responses import (
    SECTION_DEFORMATIONS,
    SECTION_FORCES,
    fibre_response,
    fibre_tangent,
    nearest_fibre,
    section_at,
    section_columns,
    section_values,
)
from femu.opensees.front_end.sections import FibreRecipe
from femu.opensees.front_end.session import Rows
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]

# --- nodes ---

_NODAL = {
    "disp": "u",
    "vel": "v",
    "accel": "a",
    "displacement": "u",
    "velocity": "v",
    "acceleration": "a",
}


NODE_RESPONSES = (*_NODAL, "reaction", "reactions", "unbalance", "unbalancedForce", "eigen")
"""Words of node recorders."""


def of_node(rows: Rows, domain: Domain, node: int, word: str) -> Array:
    """A response of a node by its word, in all its directions."""
    if word in _NODAL:
        return nodal(rows, domain, node, word)
    return (reaction if word.startswith("reaction") else unbalance)(rows, domain, node)


def unbalance(rows: Rows, domain: Domain, node: int) -> Array:
    """Loads on a node, also those of base accelerations on its mass."""
    names, time = domain.node_dofs[node], rows.result.time
    total = np.zeros((len(time), len(names)))
    factors = rows.result.arrays["factor"]
    for pattern in domain.patterns.values():
        row = rows.program.pattern_names.index(pattern.name)
        for tag, direction, value in pattern.nodal:
            if tag == node:
                total[:, names.index(direction)] += factors[:, row] * value
    masses = domain.node_mass.get(node, [0.0] * len(names))
    for direction, ground in rows.accelerations.items():
        if direction in names:
            k = names.index(direction)
            total[:, k] -= masses[k] * ground
    return total


def nodal(rows: Rows, domain: Domain, node: int, quantity: str) -> Array:
    """Displacement, velocity or acceleration of a node in all its directions."""
    place, kind = rows.program.numbering.place, _NODAL[quantity]
    none = np.zeros(len(rows.result.time))
    method = {
        "u": rows.result.displacement,
        "v": rows.result.velocity,
        "a": rows.result.acceleration,
    }[kind]
    return np.stack(
        [method(node, d) if (node, d) in place else none for d in domain.node_dofs[node]], axis=1
    )


def reaction(rows: Rows, domain: Domain, node: int) -> Array:
    """What the elements put on a node, less its loads.

    The reaction of a support; at a free node almost zero in a static analysis, and in a transient
    one what inertia and damping balance.
    """
    program = rows.program
    held = set(rows.result.index["held"])
    names = domain.node_dofs[node]
    places = [program.numbering.place.get((node, d)) for d in names]
    none = np.zeros(len(rows.result.time))
    if not summed(domain, node, rows.program.neq, places):
        return np.stack(
            [
                rows.result.reaction(node, d) if p in held else none
                for d, p in zip(names, places, strict=True)
            ],
            axis=1,
        )
    total = -unbalance(rows, domain, node)
    for tag, element in program.elements.items():
        if node in element.nodes:
            total += end_of(rows, domain, tag, node)
    return total


def summed(domain: Domain, node: int, equations: int, places: list[int | None]) -> bool:
    """Whether the reaction is summed from the elements: some direction is free, or tied."""
    return node in domain.tied() or any(p is not None and p < equations for p in places)


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
_DEFORMATION = (
    "deformation",
    "deformations",
    "basicDeformation",
    "basicDeformations",
    "chordRotation",
    "chordDeformation",
)
_PLASTIC = ("plasticDeformation", "plasticRotation")


OF_OPENSEES = (
    *_PLASTIC,
    "stiffness",
    "basicStiffness",
    "initialStiffness",
    "chordRotation",
    "tangentDrift",
    "inflectionPoint",
    "dampingForce",
    "dampingForces",
    "RayleighForces",
    "rayleighForces",
    "energy",
    "sectionDisplacements",
    "cbdiDisplacements",
    "integrationSections",
    "sectionTags",
    "xaxis",
    "yaxis",
    "zaxis",
)
"""Responses of elements of OpenSees that femu does not have for all its elements."""


def element_response(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    """A response of an element by the words of eleResponse and of recorders."""
    element = domain.element(tag, reader)
    if not words:
        raise reader.error("the response is missing, for example 'force'.")
    wrong = [word for word in words if not isinstance(word, (str, int, float))]
    if wrong:
        raise reader.error(
            f"{shown(wrong[0])} among the words of the response must be a word or a number."
        )
    if whole(words[0]) is not None or looks_like_number(str(words[0])):
        raise reader.wrong("response", words[0], "must be a word, for example 'force'")
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
        return Asked(
            lambda rows: np.concatenate([deformation(rows, tag), basic(rows, tag)], axis=1)
        )
    if first in ("material", "-material") and family != FRAME and rest:
        return _material(domain, tag, rest, reader)
    if first in ("section", "-section") and rest:
        return _section(domain, tag, rest, reader)
    if first in ("integrationPoints", "integrationWeights") and hasattr(element, "along"):
        return Asked(lambda rows: integration(rows, tag, first))
    if first in OF_OPENSEES or first in ("material", "section", "fiber", "-section", "-material"):
        raise reader.unsupported(
            f"response {shown(first)} of {domain.kinds[tag]} {tag} is not supported. Supported: "
            f"{_offered(element)}."
        )
    warn(
        f"{reader.command}: {domain.kinds[tag]} {tag} has no response {shown(first)}: there are "
        f"no numbers, as in OpenSees. Responses: {_offered(element)}.",
        ModelWarning,
    )
    return Asked(lambda rows: np.zeros((len(rows.result.time), 0)))


def _offered(element: Any) -> str:
    family = kind_of(element)
    words = ["force", "localForce", "basicForce", "deformation"]
    words += (
        ["plasticDeformation"] if family == FRAME else ["material <n> stress|strain|stressStrain"]
    )
    if hasattr(element, "along") or hasattr(element, "section"):
        words += [
            "section <n> force|deformation|forceAndDeformation",
            "section <n> fiber y z <mat> stress|strain|stressStrain",
        ]
    return ", ".join(words)


def _pair(stress: Array, strain: Array, tangent: Any, what: str, reader: Reader) -> Array:
    if what in ("stress", "force"):
        return stress[:, None]
    if what in ("strain", "deformation"):
        return strain[:, None]
    if what in ("stressStrain", "stressANDstrain"):
        return np.stack([stress, strain], axis=1)
    if what == "strainStress":
        return np.stack([strain, stress], axis=1)
    if what == "tangent":
        return tangent()[:, None]
    if what == "stressStrainTangent":
        return np.stack([stress, strain, tangent()], axis=1)
    raise reader.unsupported(
        f"response {shown(what)} of a material is not supported. Supported: stress, strain, "
        "stressStrain, tangent, stressStrainTangent."
    )


def _check_pair(what: str, reader: Reader) -> None:
    none = np.zeros(0)
    _pair(none, none, lambda: none, what, reader)


def _material(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    number = whole(words[0])
    if number is not None:
        words = words[1:]
    elif kind_of(domain.model.elements[tag]) == LINK:  # which material is not said
        return Asked(lambda rows: np.zeros((len(rows.result.time), 0)))
    what = str(words[0]) if words else "stress"
    _check_pair(what, reader)
    count = len(getattr(domain.model.elements[tag], "laws", (None,)))  # a truss has one
    if number is not None and not 1 <= number <= count:
        raise reader.error(f"material {number} must lie between 1 and {count}.")
    place = 0 if number is None else number - 1
    tangent = what in ("tangent", "stressStrainTangent")
    return Asked(
        lambda rows: _pair(
            *material_response(rows, tag, place),
            lambda: material_tangent(rows, tag, place),
            what,
            reader,
        ),
        state=tangent,
    )


def whole(word: Any) -> int | None:
    """A word as a whole number, or None if it is not."""
    try:
        return int(word) if float(word) == int(float(word)) else None
    except (TypeError, ValueError, OverflowError):
        return None


def _section(domain: Domain, tag: int, words: list[Any], reader: Reader) -> Asked:
    element: Any = domain.model.elements[tag]
    point = 0
    if hasattr(element, "along"):
        number = whole(words[0])
        if number is None:
            raise reader.unsupported(
                "'section' without a number is not supported: name the section."
            )
        if not 1 <= number <= element.section_count:
            raise reader.error(f"section {number} must lie between 1 and {element.section_count}.")
        point, words = number - 1, words[1:]
    elif not hasattr(element, "section"):
        raise reader.error(f"{domain.kinds[tag]} {tag} has no sections.")
    elif words and whole(words[0]) is not None:
        words = words[1:]
    what = str(words[0]) if words else "force"
    forces, deformations = (
        section_columns(domain, tag, point, names)
        for names in (SECTION_FORCES, SECTION_DEFORMATIONS)
    )
    if what in ("force", "forces"):
        return Asked(lambda rows: section_values(rows, tag, point, forces), state=True)
    if what in ("deformation", "deformations"):
        return Asked(lambda rows: section_values(rows, tag, point, deformations), state=True)
    if what == "forceAndDeformation":
        return Asked(
            lambda rows: np.concatenate(
                [
                    section_values(rows, tag, point, deformations),
                    section_values(rows, tag, point, forces),
                ],
                axis=1,
            ),
            state=True,
        )
    if what in ("fiber", "fibre"):
        return _fibre(domain, tag, point, words[1:], reader)
    raise reader.unsupported(
        f"response {shown(what)} of a section is not supported. Supported: force, deformation, "
        "forceAndDeformation, fiber."
    )


def _fibre(domain: Domain, tag: int, point: int, words: list[Any], reader: Reader) -> Asked:
    element: Any = domain.model.elements[tag]
    section = section_at(element, point)
    groups: Any = getattr(section, "groups", None)  # an Aggregator shares those of its section
    recipe = next(
        (
            r
            for r in domain.sections.values()
            if isinstance(r, FibreRecipe)
            and r.built is not None
            and getattr(r.built, "groups", ()) is groups
        ),
        None,
    )
    if recipe is None:
        raise reader.error(f"section {point + 1} of element {tag} has no fibres.")
    count = next((k for k, word in enumerate(words) if not is_number(word)), len(words))
    numbers, words = [float(word) for word in words[:count]], words[count:]
    what = str(words[0]) if words else "stressStrain"
    _check_pair(what, reader)
    cell = nearest_fibre(recipe, numbers, reader)
    group, fibre = recipe.merged[cell]
    return Asked(
        lambda rows: _pair(
            *fibre_response(rows, tag, point, group, fibre),
            lambda: fibre_tangent(rows, tag, point, group, fibre),
            what,
            reader,
        ),
        state=True,
    )


def is_number(word: Any) -> bool:
    """Whether a word is a number, and finite."""
    try:
        return math.isfinite(float(word))
    except (TypeError, ValueError, OverflowError):
        return False
