"""Stress and strain of fibres, from the saved state of their element."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.component import Constitutive
from femu.element import Name
from femu.errors import InputError
from femu.kernels import compiled, floats_of, ints_of
from femu.laws import call_block
from femu.program import Program

Array = npt.NDArray[np.float64]


@compiled
def _evaluate(address, integers, p, history, trial, workspace, x, y, k):
    step = np.zeros(3)
    return call_block(address, (
        x.size, ints_of(integers, 0), floats_of(p, 0), floats_of(history, 0), floats_of(trial, 0), floats_of(workspace, 0),
        floats_of(x, 0), floats_of(x, 0), floats_of(step, 0), floats_of(y, 0), floats_of(k, 0), floats_of(k, 0)))


def evaluate(part: Constitutive, p: Array, history: Array, strain: Array) -> Array:
    """Stress of points given their committed history (a row a variable) and the strain they were committed at."""
    n = strain.size
    stress, tangent = np.zeros(n), np.zeros(n)
    flat = np.ascontiguousarray(history).ravel() if history.size else np.zeros(1)
    _evaluate(part.kernel().address, np.array(part.integers() or [0], dtype=np.int64), p, flat, np.zeros_like(flat),
              np.zeros(part.workspace(n) + 8), np.ascontiguousarray(strain), stress, tangent)
    return stress


def fibre_response(program: Program, parameters: Array, elements: list[Name],
                   raw: Array) -> tuple[Array, Array, list[list[Any]]]:
    """Strain and stress of all fibres of the elements, and what the columns are: (element, point, fibre).

    Fibres are counted through the groups of a section in their order. A law gives its committed stress when it is
    evaluated again at its committed strain, so nothing but the state is needed.
    """
    strains, stresses, index = [], [], []
    start = 0
    for name in elements:
        element, plan = program.elements[name], program.plans[name]
        state = raw[:, start:start + len(plan.state)]
        start += len(plan.state)
        column = {variable: c for c, variable in enumerate(plan.state)}
        along = getattr(element, "along", None)
        if along is None:
            raise InputError("Save", "fibres", name, "must be elements with fibre sections")
        first = 0
        for label, section, count in along(plan.geometry[0]).runs:
            groups = getattr(section, "groups", ())
            base = program.parameters.index(f"{name}.{label}.{groups[0].name}.y[0]") if groups else 0
            at_parts = base + sum(2 * len(g.y) for g in groups)
            for point in range(first, first + count):
                axial = state[:, column[f"section[{point}].axial_strain"]]
                curvature = state[:, column[f"section[{point}].curvature"]]
                at_shape, at_part, number = base, at_parts, 0
                for group in groups:
                    variables = group.material.history_names()
                    p = parameters[at_part:at_part + group.material.parameter_count]
                    for f in range(len(group.y)):
                        strain = axial - parameters[at_shape + f] * curvature
                        history = np.array([state[:, column[f"{label}[{point}].{group.name}[{f}].{v}"]] for v in variables])
                        strains.append(strain)
                        stresses.append(evaluate(group.material, p, history, strain))
                        index.append([name, point, number])
                        number += 1
                    at_shape += 2 * len(group.y)
                    at_part += group.material.parameter_count
            first += count
    rows = len(raw)
    return (np.array(strains).T if strains else np.zeros((rows, 0)),
            np.array(stresses).T if stresses else np.zeros((rows, 0)), index)
