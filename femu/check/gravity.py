"""Weights and masses: gravity that points up, a mass that is a weight, masses in another unit than
the loads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from femu.check.axes import vertical_axis
from femu.elements.beam_column import FrameElement
from femu.engine.program import Program
from femu.model.element import Name, span
from femu.model.findings import Finding, as_warning
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.units import g

if TYPE_CHECKING:
    from femu.model.model import Model

WEIGHT_RATIOS = (0.8, 1.25)  # vertical load over mass that makes the mass look like a weight
_WORD = r"(?<![a-z])({})s?(loads?)?(?![a-z])"
# patterns that act down
DOWN = re.compile(_WORD.format("gravity|dead|live|(self[ _-]?)?weight|snow"), re.IGNORECASE)
# those that may be left out
OPTIONAL = re.compile(_WORD.format("live|snow|imposed|crane"), re.IGNORECASE)
# those that always act
PERMANENT = re.compile(_WORD.format("gravity|dead|(self[ _-]?)?weight"), re.IGNORECASE)
LEVEL_SHARE = 0.01  # of a load, up to which its level part does not count
A_THOUSAND = 1e3  # between kg and t, N and kN, m and mm


def weights(model: Model, program: Program, length_unit: float | None) -> Iterator[Finding]:
    """Findings on vertical loads, and on them compared with the mass.

    ``length_unit`` in metres, None if not known.
    """
    if model.dimensions == 1:
        return
    up = vertical_axis(model)
    mass = _mass(program, up)
    # springs may have any numbers
    real = any(isinstance(element, FrameElement) for element in program.elements.values())
    for pattern in model.patterns.values():
        down = -sum(v for (_, d), v in pattern.nodal.items() if d == up)
        down -= sum(_vertical(program, name, load, up) for name, load in pattern.member)
        if down < 0.0 and DOWN.search(pattern.name):
            yield as_warning(
                f"pattern {pattern.name!r} points up: its loads along {up} sum to {-down:.4g}. "
                "Fix: give loads that act down a minus sign.",
                pattern.name,
            )
        if not (real or DOWN.search(pattern.name)):
            continue
        ratio = down / mass if mass > 0.0 else 0.0
        if WEIGHT_RATIOS[0] <= ratio <= WEIGHT_RATIOS[1]:
            yield as_warning(
                f"the mass of {program.name!r}, {mass:.4g}, is about its vertical load in pattern "
                f"{pattern.name!r}, {down:.4g}: is it a weight? Mass is weight / g; periods would "
                "be wrong by the root of g.",
                pattern.name,
            )
            return
        if length_unit is None:
            continue
        # 1 if loads, masses and lengths have units that fit together
        share = ratio * length_unit / g
        for factor in (A_THOUSAND, 1.0 / A_THOUSAND):
            if WEIGHT_RATIOS[0] <= share / factor <= WEIGHT_RATIOS[1]:
                yield as_warning(
                    f"the vertical load in pattern {pattern.name!r}, {down:.4g}, is {factor:g} "
                    f"times the weight of the mass of {program.name!r}, {mass:.4g}: are kg and t, "
                    "N and kN, or m and mm mixed? Fix: use N, kg, m or N, t, mm throughout.",
                    pattern.name,
                )
                return


def is_permanent(model: Model, program: Program, name: str) -> bool:
    """Whether a pattern is a load that always acts: it is named so, or acts down alone."""
    if PERMANENT.search(name):
        return True
    if model.dimensions == 1 or OPTIONAL.search(name):
        return False
    up = vertical_axis(model)
    down = level = 0.0
    for (_, direction), value in model.patterns[name].nodal.items():
        down -= value if direction == up else 0.0
        level += abs(value) if direction in program.translations and direction != up else 0.0
    for member, load in model.patterns[name].member:
        length = span(program.elements[member], program.coordinates)[0]
        vertical = _vertical(program, member, load, up)
        whole = math.hypot(
            *[
                load.resultant(axis, length)[0]
                if isinstance(load, DistributedLoad)
                else getattr(load, axis)
                for axis in "xyz"
            ]
        ) * (length if isinstance(load, UniformLoad) else 1.0)
        down -= vertical
        level += math.sqrt(max(whole**2 - vertical**2, 0.0))
    return down > 0.0 and level <= LEVEL_SHARE * down


def _mass(program: Program, up: str) -> float:
    """The mass that moves along the vertical; along x if none does."""
    rows, columns, index, factors = program.mass_terms
    values = factors * program.parameters.vector[index]
    for direction in (up, "x"):
        influence = program.influence(direction)
        mass = float(np.sum(values * influence[rows] * influence[columns]))
        if mass != 0.0:
            return mass
    return 0.0


def _vertical(
    program: Program, name: Name, load: UniformLoad | PointLoad | DistributedLoad, up: str
) -> float:
    element = program.elements[name]
    length, along = span(element, program.coordinates)
    place = "xyz".index(up)
    x, y, z = (
        load.resultant(axis, length)[0]
        if isinstance(load, DistributedLoad)
        else getattr(load, axis)
        for axis in "xyz"
    )
    if program.dimensions == 3:
        local_y, local_z = getattr(element, "axes", lambda _: np.zeros((3, 3)))(
            program.coordinates
        )[1:]
        share = float(along[place] * x + local_y[place] * y + local_z[place] * z)
    else:
        share = float(along[-1] * x + along[0] * y)
    return share * (length if isinstance(load, UniformLoad) else 1.0)
