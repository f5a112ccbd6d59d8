"""Beams on their side: members that bend about their weak axis under gravity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from femu.elements.beam_column import FrameElement
from femu.engine.element_kernels import EVALUATE
from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.model.element import Array, Name, span
from femu.model.findings import Finding, as_warning
from femu.model.loads import DistributedLoad

if TYPE_CHECKING:
    from femu.model.model import Model

LEVEL = 0.5  # rise over length up to which a member carries its load by bending
ON_ITS_SIDE = 0.9  # share of the vertical along local z from which the depth counts as level
SOFTER = 1.5  # strong over weak axis; below it the section is nearly square
MOST_NAMED = 5


def weak_axes(model: Model, program: Program) -> Iterator[Finding]:
    """Beams in space with their depth level, which are softer under the gravity load that they
    carry."""
    if program.dimensions != 3:
        return
    up = _upward(model)
    carrying, between_columns = _carrying(model, program, up)
    run: Workspace | None = None
    found: list[tuple[FrameElement, float, Array]] = []
    girts: list[tuple[FrameElement, float, Array]] = []
    upright = False
    for name, element in program.elements.items():
        if not isinstance(element, FrameElement):
            continue
        x, y, z = element.axes(program.coordinates)
        if abs(x[up]) > LEVEL:
            continue
        on_its_side = abs(z[up]) >= ON_ITS_SIDE * np.sqrt(1.0 - x[up] ** 2)
        upright |= not on_its_side
        if not on_its_side or name not in carrying | between_columns:
            continue
        if run is None:
            run = Workspace(program, program.state())
            run.determine(EVALUATE)
        about_z, about_y = _bending(program, run, name)
        if about_z > SOFTER * about_y > 0.0:
            kind = found if name in carrying else girts
            kind.append((element, about_z / about_y, y))
    if not upright:  # without any other beam they are no girts
        found += girts
    if found:
        worst = max(found, key=lambda one: one[1])
        names = ", ".join(repr(e.name) for e, _, _ in found[:MOST_NAMED])
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        vector = ", ".join(f"{v:.3g}" for v in worst[2] + 0.0)
        yield as_warning(
            f"{type(worst[0]).__name__} {names}{more}: the depth (local y) is level, so that loads "
            f"along {'xyz'[up]} bend the section about its weak axis, up to {worst[1]:.3g} times "
            f"softer than the other. Is it on its side? Fix: give {worst[0].name!r} "
            f"vecxz=({vector})" + (", or leave vecxz out." if up == 2 else "."),
            *(e.name for e, _, _ in found),
        )


def vertical_axis(model: Model) -> str:
    """y in the plane; in space z, or y in a model whose supports are all at its lowest y and not
    all at its lowest z."""
    return "xyz"[_upward(model)] if model.dimensions == 3 else "y"


def _upward(model: Model) -> int:
    points = np.array([node.coordinates for node in model.nodes.values()])
    feet = np.array(
        [node.coordinates for node in model.nodes.values() if node.fixed >= {"x", "y", "z"}]
    )
    if not len(feet):
        return 2
    size = float(np.ptp(points, axis=0).max()) or 1.0

    def at_the_foot(axis: int) -> bool:
        rise = feet[:, axis] - points[:, axis].min()
        return bool((rise <= 1e-6 * size).all()) and float(np.ptp(points[:, axis])) > 0.0

    return 1 if at_the_foot(1) and not at_the_foot(2) else 2


def _carrying(model: Model, program: Program, up: int) -> tuple[set[Name], set[Name]]:
    """Members with a load down, or with one on a node at an end; and those whose axes were given
    and whose node has a column or hanger, which carries its load: girts are laid on their side."""
    axis = "xyz"[up]
    nodes = {
        node
        for pattern in model.patterns.values()
        for (node, d), v in pattern.nodal.items()
        if d == axis and v < 0.0
    }
    hung = {name for name, node in model.nodes.items() if axis in node.fixed}
    for element in program.elements.values():
        if len(element.nodes) > 1 and nodes & set(element.nodes):
            length, along = span(element, program.coordinates)
            if length > 0.0 and abs(along[up]) > LEVEL:
                hung |= set(element.nodes)
    ends = {name for name, element in program.elements.items() if nodes & set(element.nodes)}
    found = {
        name
        for name in ends
        if getattr(program.elements[name], "vecxz", None) is None
        or (nodes - hung) & set(program.elements[name].nodes)
    }
    for pattern in model.patterns.values():
        for name, load in pattern.member:
            element = program.elements[name]
            if isinstance(element, FrameElement):
                length = span(element, program.coordinates)[0]
                local = np.array(
                    [
                        load.resultant(d, length)[0]
                        if isinstance(load, DistributedLoad)
                        else getattr(load, d)
                        for d in "xyz"
                    ]
                )
                force = element.axes(program.coordinates).T @ local
                if force[up] < -ON_ITS_SIDE * float(np.linalg.norm(force)) < 0.0:
                    found.add(name)
    return found, ends - found


def _bending(program: Program, run: Workspace, name: Name) -> tuple[float, float]:
    """Stiffness against end rotations about local z and about local y, of both ends together."""
    plan = program.plans[name]
    if plan.frame_dimensions != 3:
        return 0.0, 0.0
    start = program.element_state(name)[0]
    both = []
    for axis in "zy":
        places = [start + plan.state.index(f"k_{axis}_{end}_{axis}_{end}") for end in "ij"]
        both.append(float(sum(run.fields.elements[place] for place in places)))
    return both[0], both[1]
