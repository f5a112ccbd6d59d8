"""Forces and deformations of sections, and stress and strain of their fibres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.elements.link import BasicLink
from femu.model.element import Name
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import Domain
from femu.opensees.front_end.element_responses import beginning
from femu.opensees.front_end.sections import FibreRecipe, codes_of
from femu.opensees.front_end.session import Rows
from femu.results.fibre_response import evaluate

Array = npt.NDArray[np.float64]
SECTION_FORCES = {
    2: {"P": "N", "Mz": "M", "Vy": "V"},
    3: {"P": "N", "Mz": "Mz", "My": "My", "T": "T", "Vy": "Vy", "Vz": "Vz"},
}
SECTION_DEFORMATIONS = {
    2: {"P": "axial_strain", "Mz": "curvature", "Vy": "shear_strain"},
    3: {
        "P": "axial_strain",
        "Mz": "curvature_z",
        "My": "curvature_y",
        "T": "twist",
        "Vy": "shear_strain_y",
        "Vz": "shear_strain_z",
    },
}
"""What femu calls the forces and deformations of a section, by the codes of OpenSees."""
_DEFORMATION_OF = {
    SECTION_FORCES[n][code]: SECTION_DEFORMATIONS[n][code]
    for n in (3, 2)
    for code in SECTION_FORCES[n]
}


def section_columns(
    domain: Domain, tag: Name, point: int, names: dict[int, dict[str, str]]
) -> tuple[str, ...]:
    """Forces or deformations of a section in the order in which OpenSees lists them."""
    codes = codes_of(domain, section_at(domain.model.elements[tag], point))
    own = names[3 if domain.ndm == 3 else 2]
    return tuple(own.get(code, "") for code in codes)


def section_values(rows: Rows, tag: Name, point: int, names: tuple[str, ...]) -> Array:
    """State variables of a section along a member, or of a zero-length section (point 0).

    What it does not have is zero.
    """
    found, asked = rows.columns.found, (tag, point, names)
    if asked not in found:
        found[asked] = _section_places(rows, tag, point, names)
    state, none = rows.states[tag], np.zeros(len(rows.result.time))
    return np.stack([none if place is None else state[:, place] for place in found[asked]], axis=1)


def _section_places(rows: Rows, tag: Name, point: int, names: tuple[str, ...]) -> list[int | None]:
    variables = rows.program.plans[tag].state
    if isinstance(rows.program.elements[tag], BasicLink):
        forces = rows.program.plans[tag].basic_forces
        first = next(i for i, v in enumerate(variables) if v.startswith("v_"))
        own = {
            **{name: k for k, name in enumerate(forces)},
            **{_DEFORMATION_OF[name]: first + k for k, name in enumerate(forces)},
        }
        return [own.get(name) for name in names]
    return [
        variables.index(at) if (at := f"section[{point}].{name}") in variables else None
        for name in names
    ]


@dataclass(frozen=True)
class FibrePlace:
    """Places of a fibre's history and parameters."""

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
        runs = [
            (label, section)
            for label, section, count in along(program.plans[tag].geometry[0]).runs
            for _ in range(count)
        ]
        label, section = runs[point]
        head = f"{label}[{point}]."
    found = section.groups[group]
    columns_of = {name: column for column, name in enumerate(variables)}
    columns = [
        columns_of[f"{head}{found.name}[{fibre}].{h}"] for h in found.material.history_names()
    ]
    names = [name for name, _, _ in found.material.walk_parameters()]
    start = program.parameters.index(f"{tag}.{label}.{found.name}.{names[0]}")
    z = getattr(found, "z", None)
    return FibrePlace(
        found.material, float(found.y[fibre]), 0.0 if z is None else float(z[fibre]), columns, start
    )


def fibre_response(
    rows: Rows, tag: Name, point: int, group: int, fibre: int
) -> tuple[Array, Array]:
    """Stress and strain of a fibre."""
    material, p, history, strain = _fibre_points(rows, tag, point, group, fibre)
    return evaluate(material, p, history, strain)[0], strain + beginning(material)


def fibre_tangent(rows: Rows, tag: Name, point: int, group: int, fibre: int) -> Array:
    """Tangent of a fibre."""
    return evaluate(*_fibre_points(rows, tag, point, group, fibre))[1]


def _fibre_points(
    rows: Rows, tag: Name, point: int, group: int, fibre: int
) -> tuple[Any, Array, Array, Array]:
    """Material of a fibre, its parameters, and its history and strain in each row."""
    found, asked = rows.columns.found, (tag, point, group, fibre)
    if asked not in found:
        found[asked] = fibre_place(rows, tag, point, group, fibre)
    place = found[asked]
    space = len(next(iter(rows.program.coordinates.values()))) == 3
    own = section_values(
        rows,
        tag,
        point,
        ("axial_strain", *(("curvature_z", "curvature_y") if space else ("curvature",))),
    )
    strain = own[:, 0] - place.y * own[:, 1] + (place.z * own[:, 2] if space else 0.0)
    history = rows.states[tag][:, place.columns].T
    p = rows.parameters[place.start : place.start + place.material.parameter_count]
    return place.material, p, np.ascontiguousarray(history), np.ascontiguousarray(strain)


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


def nearest_fibre(recipe: FibreRecipe, numbers: list[float], reader: Reader) -> int:
    """Number of the fibre: given, or the nearest to y, z, of a material if one is named."""
    for whole in numbers[:1] if len(numbers) == 1 else numbers[2:3]:
        if whole != int(whole):
            raise reader.wrong(
                "fiber",
                whole,
                "must be a whole number if it is the number of a fibre or a matTag",
            )
    if len(numbers) == 1:
        index = int(numbers[0])
        if not 0 <= index < len(recipe.cells):
            raise reader.error(f"fiber {index} must lie between 0 and {len(recipe.cells) - 1}.")
        return index
    if len(numbers) not in (2, 3):
        raise reader.error("fiber needs its number, or y z, or y z matTag.")
    y, z = numbers[:2]
    candidates = [
        k for k, cell in enumerate(recipe.cells) if len(numbers) == 2 or cell[3] == int(numbers[2])
    ]
    if not candidates:
        raise reader.error(f"the section has no fiber of material {int(numbers[2])}.")
    return min(
        candidates,
        key=lambda k: (
            abs(recipe.cells[k][0] - y)
            if not recipe.space
            else (math.hypot(recipe.cells[k][0] - y, recipe.cells[k][1] - z))
        ),
    )
