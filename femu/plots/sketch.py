"""The geometry of a model as pictures need it: points, members, and the curves that moved members follow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.eigen import Modes
from femu.element import Element, Name
from femu.elements.frame_element import FrameElement
from femu.errors import FileError, InputError
from femu.experimental.element import Experimental, ExperimentalBeamColumn
from femu.model import Model
from femu.program import Program
from femu.results import Result

Array = npt.NDArray[np.float64]
POINTS = 25  # along a member
Displacements = Mapping[Name, Mapping[str, float]]
"""Displacements by node and direction; what is left out is zero."""


@dataclass(frozen=True)
class Member:
    """An element as it is drawn."""

    name: Name
    kind: str
    nodes: tuple[Name, ...]
    frame: bool = False  # whether it bends between its ends
    specimen: bool = False
    offsets: tuple[tuple[float, ...], tuple[float, ...]] = ((0.0, 0.0), (0.0, 0.0))  # rigid ends
    released: tuple[bool, bool] = (False, False)


@dataclass
class Sketch:
    """Points, members, and the model they come from, where it is known."""

    name: str
    points: dict[Name, Array]
    members: dict[Name, Member]
    model: Model | None = None
    loads: dict[Name, list[Any]] = field(default_factory=dict)

    @cached_property
    def size(self) -> float:
        """Largest extent, for the size of symbols."""
        if not self.points:
            return 1.0
        return float(np.ptp(np.array(list(self.points.values())), axis=0).max()) or 1.0

    @property
    def plane(self) -> bool:
        """Whether it is a plane model."""
        return all(len(p) == 2 for p in self.points.values())

    def ends(self, member: Member) -> tuple[Array, Array]:
        """Ends of the flexible part."""
        i, j = member.nodes[0], member.nodes[-1]
        return self.points[i] + np.array(member.offsets[0]), self.points[j] + np.array(member.offsets[1])

    def length(self, member: Member) -> float:
        """Length of the flexible part."""
        a, b = self.ends(member)
        return float(np.linalg.norm(b - a))

    def axes(self, member: Member) -> Array:
        """Local x and y as rows; of a member without length those of the globe."""
        a, b = self.ends(member)
        along = b - a
        length = float(np.linalg.norm(along))
        if length == 0.0:
            return np.eye(2)
        c, s = along / length
        return np.array([[c, s], [-s, c]])

    def curve(self, member: Member, moved: Displacements, scale: float) -> Array:
        """The axis of a moved member, its displacements enlarged by ``scale``: two columns.

        Along the member linear, across it the cubic that its ends' displacements and rotations fix; a hinged end turns freely.
        """
        a, b = self.ends(member)
        (ua, ta), (ub, tb) = (_end(moved, n, o) for n, o in zip((member.nodes[0], member.nodes[-1]), member.offsets, strict=True))
        x = np.linspace(0.0, 1.0, POINTS if member.frame else 2)
        straight = (1.0 - x)[:, None] * (a + scale * ua) + x[:, None] * (b + scale * ub)
        length = float(np.linalg.norm(b - a))
        if not member.frame or length == 0.0:
            return straight
        across = self.axes(member)[1]
        chord = float(across @ (ub - ua)) / length
        ri, rj = ta - chord, tb - chord
        if member.released[0]:
            ri = 0.0 if member.released[1] else -0.5 * rj
        if member.released[1]:
            rj = 0.0 if member.released[0] else -0.5 * ri
        bow = length * (ri * (x - 2 * x**2 + x**3) + rj * (x**3 - x**2))
        return straight + scale * bow[:, None] * across

    def rigid_ends(self, member: Member, moved: Displacements, scale: float) -> list[Array]:
        """The rigid ends of a moved member, as lines of two points."""
        found = []
        for node, offset in zip((member.nodes[0], member.nodes[-1]), member.offsets, strict=True):
            if any(offset):
                end, _ = _end(moved, node, offset)
                at_node, _ = _end(moved, node, (0.0, 0.0))
                found.append(np.array([self.points[node] + scale * at_node, self.points[node] + np.array(offset) + scale * end]))
        return found

    def enlargement(self, moved: Displacements, share: float) -> float:
        """Factor at which the largest movement is a ``share`` of the model's size, rounded to one a person would choose."""
        reach = max(
            (
                float(np.abs(self.curve(m, moved, 1.0) - self.curve(m, moved, 0.0)).max())
                for m in self.members.values()
                if len(m.nodes) > 1
            ),
            default=0.0,
        )
        if reach == 0.0 or not np.isfinite(reach):
            return 1.0
        return rounded(share * self.size / reach)


def rounded(value: float) -> float:
    """The next smaller of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value) + 1e-12)
    return float(max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-12)) * power)


def _end(moved: Displacements, node: Name, offset: tuple[float, ...]) -> tuple[Array, float]:
    at = moved.get(node, {})
    turn = at.get("rz", 0.0)
    return np.array([at.get("x", 0.0) - turn * offset[1], at.get("y", 0.0) + turn * offset[0]]), turn


def sketch(source: Model | Program | Result | Modes) -> Sketch:
    """The geometry of a model, of a program, or of the model that a result came from."""
    if isinstance(source, Modes):
        source = source.program
    if isinstance(source, Program):
        source = source.source
    if isinstance(source, Result):
        result = source
        try:
            source = result.description()
        except FileError:
            return _from_index(result)
    if not isinstance(source, Model):
        raise InputError("plots", "source", source, "must be a Model, a Program, Modes or a Result")
    loads: dict[Name, list[Any]] = {}
    for pattern in source.patterns.values():
        for element, load in pattern.member:
            loads.setdefault(element, []).append((pattern.name, load))
    return Sketch(
        source.name,
        {n: node.coordinates for n, node in source.nodes.items()},
        {n: _member(e) for n, e in source.elements.items()},
        source,
        loads,
    )


def _member(element: Element) -> Member:
    frame = isinstance(element, (FrameElement, ExperimentalBeamColumn))
    zero = (0.0, 0.0)
    offsets = (tuple(map(float, getattr(element, "offset_i", zero))), tuple(map(float, getattr(element, "offset_j", zero))))
    released = (bool(getattr(element, "release_i", False)), bool(getattr(element, "release_j", False)))
    return Member(
        element.name, type(element).__name__, element.nodes, frame, isinstance(element, Experimental), offsets, released
    )


def _from_index(result: Result) -> Sketch:
    """What a result knows of its geometry without its model."""
    points = {json.loads(k): np.array(x, dtype=float) for k, x in result.index["coordinates"].items()}
    members = {}
    for e in result.index["elements"]:
        ax, ay, bx, by = e["constants"][3:] if "constants" in e else (0.0, 0.0, 0.0, 0.0)
        members[e["name"]] = Member(
            e["name"], e["kind"], tuple(e["nodes"]), "constants" in e, "Experimental" in e["kind"], ((ax, ay), (bx, by))
        )
    return Sketch(result.model, points, members)


def displacements(source: Result | Modes, at: int) -> dict[Name, dict[str, float]]:
    """Displacements of all nodes in a row of a result, or in a mode (numbered from 1)."""
    if isinstance(source, Modes):
        found: dict[Name, dict[str, float]] = {}
        for (node, direction), place in source.program.numbering.place.items():
            found.setdefault(node, {})[direction] = float(source.shapes[place, at - 1])
        return found
    saved = {place: column for column, place in enumerate(source.index["nodal"]["u"])}
    row = source.arrays["u"][at]
    return {
        node: {d: float(row[saved[p]]) for d, p in source.index["places"][json.dumps(node)].items() if p in saved}
        for node in source.index["names"]
    }
