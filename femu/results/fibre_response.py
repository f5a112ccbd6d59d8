"""Stress and strain of fibres, from the saved state of their element."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.kernels import compiled, floats_of, ints_of
from femu.model.component import Constitutive
from femu.model.constitutive import call_block
from femu.model.element import Name
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@compiled
def evaluate_block(address, integers, p, history, trial, workspace, x, y, k):
    """Stress ``y`` and tangent ``k`` of a block of points at strains ``x``.

    0, or above 0 if the law has no answer.
    """
    step = np.zeros(3)
    return call_block(
        address,
        (
            x.size,
            ints_of(integers, 0),
            floats_of(p, 0),
            floats_of(history, 0),
            floats_of(trial, 0),
            floats_of(workspace, 0),
            floats_of(x, 0),
            floats_of(x, 0),
            floats_of(step, 0),
            floats_of(y, 0),
            floats_of(k, 0),
            floats_of(k, 0),
        ),
    )


def evaluate(part: Constitutive, p: Array, history: Array, strain: Array) -> tuple[Array, Array]:
    """Stress and tangent of points given their committed history (one row per variable) and the
    strain at which they were committed."""
    n = strain.size
    stress, tangent = np.zeros(n), np.zeros(n)
    flat = np.ascontiguousarray(history).ravel() if history.size else np.zeros(1)
    evaluate_block(
        part.kernel().address,
        np.array(part.integers() or [0], dtype=np.int64),
        p,
        flat,
        np.zeros_like(flat),
        np.zeros(part.workspace(n) + 8),
        np.ascontiguousarray(strain),
        stress,
        tangent,
    )
    return stress, tangent


def fibre_index(program: Program, elements: list[Name]) -> list[list[Any]]:
    """What the columns of `fibre_response` are.

    Element, integration point, number of the fibre in its section.
    """
    return [
        [name, first + point, fibre]
        for name in elements
        for first, _, section, count in _runs(program, name)
        for point in range(count)
        for fibre in range(sum(len(g.y) for g in getattr(section, "groups", ())))
    ]


def _runs(program: Program, name: Name) -> list[tuple[int, str, Any, int]]:
    """Sections along an element: first point, name, section, number of points."""
    along = getattr(program.elements[name], "along", None)
    if along is None:
        raise InputError("Save", "fibres", name, "must be elements with fibre sections")
    runs, first = [], 0
    for label, section, count in along(program.plans[name].geometry[0]).runs:
        runs.append((first, label, section, count))
        first += count
    return runs


def fibre_response(
    program: Program, parameters: Array, elements: list[Name], raw: Array
) -> tuple[Array, Array]:
    """Strain and stress of all fibres of the elements, one column each (see `fibre_index`), from
    their saved states.

    A law gives its committed stress when it is evaluated again at its committed strain, so nothing
    but the state is needed.
    """
    strains: list[Array] = []
    stresses: list[Array] = []
    start = 0
    for name in elements:
        names = program.plans[name].state
        state = raw[:, start : start + len(names)]
        start += len(names)
        column = {variable: c for c, variable in enumerate(names)}
        for first, label, section, count in _runs(program, name):
            groups = getattr(section, "groups", ())
            base = (
                program.parameters.index(f"{name}.{label}.{groups[0].name}.y[0]") if groups else 0
            )
            for point in range(first, first + count):
                axial = state[:, column[f"section[{point}].axial_strain"]]
                space = f"section[{point}].curvature_z" in column
                about_z = state[:, column[f"section[{point}].curvature{'_z' if space else ''}"]]
                about_y = (
                    state[:, column[f"section[{point}].curvature_y"]]
                    if space
                    else np.zeros_like(axial)
                )
                at_shape, at_part = (
                    base,
                    base + sum((2 if g.z is None else 3) * len(g.y) for g in groups),
                )
                for group in groups:
                    variables = group.material.history_names()
                    p = parameters[at_part : at_part + group.material.parameter_count]
                    for f in range(len(group.y)):
                        strain = axial - parameters[at_shape + f] * about_z
                        if space:
                            strain = strain + parameters[at_shape + 2 * len(group.y) + f] * about_y
                        history = np.array(
                            [
                                state[:, column[f"{label}[{point}].{group.name}[{f}].{v}"]]
                                for v in variables
                            ]
                        )
                        strains.append(strain)
                        stresses.append(evaluate(group.material, p, history, strain)[0])
                    at_shape += (2 if group.z is None else 3) * len(group.y)
                    at_part += group.material.parameter_count
    none = np.zeros((len(raw), 0))
    return (np.array(strains).T, np.array(stresses).T) if strains else (none, none)
