"""The geometry of a model as pictures need it.

Points, members, and the curves that moved members follow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from femu.analyses.eigen import Modes
from femu.elements.beam_column import FrameElement
from femu.elements.space_member import default_vecxz
from femu.elements.transformations.space_frame import MATRIX, OFFSETS
from femu.engine.program import Program
from femu.experimental.elements.experimental import Experimental
from femu.experimental.elements.kinds import ExperimentalBeamColumn
from femu.model.element import SPACE_DOFS, Element, Name
from femu.model.model import Model
from femu.results.result import Result
from femu.support.errors import FileError, InputError

Array = npt.NDArray[np.float64]
POINTS = 25  # along a member
# of the viewpoint of a model in space
AZIMUTH, ELEVATION = np.radians(-58.0), np.radians(22.0)
Displacements = Mapping[Name, Mapping[str, float]]
"""Displacements by node and direction; what is omitted is zero."""


@dataclass(frozen=True)
class Member:
    """An element as it is drawn."""

    name: Name
    kind: str
    nodes: tuple[Name, ...]
    frame: bool = False  # whether it bends between its ends
    specimen: bool = False
    offsets: tuple[Array, Array] = (np.zeros(3), np.zeros(3))  # rigid ends
    released: tuple[bool, bool] = (False, False)
    vecxz: Array | None = None  # a vector in its local x-z plane, of a member in space


@dataclass
class Sketch:
    """Points, members, and the model they come from, if it is known.

    ``space`` has three coordinates per node; everything that is drawn goes through ``view``, a
    matrix to the two of the paper.
    """

    name: str
    space: dict[Name, Array]
    members: dict[Name, Member]
    plane: bool
    model: Model | None = None
    loads: dict[Name, list[Any]] = field(default_factory=dict)
    _local: dict[Name, Array] = field(default_factory=dict, repr=False)

    @cached_property
    def view(self) -> Array:
        """From space to paper: the x-y plane as it is, or a view from the front left above of a
        model whose z is up."""
        if self.plane:
            return np.eye(3)[:, :2]
        (sa, ca), (se, ce) = (
            (np.sin(AZIMUTH), np.cos(AZIMUTH)),
            (np.sin(ELEVATION), np.cos(ELEVATION)),
        )
        return np.array([[-sa, -se * ca], [ca, -se * sa], [0.0, ce]])

    @cached_property
    def points(self) -> dict[Name, Array]:
        """Places of the nodes on the paper."""
        return {name: x @ self.view for name, x in self.space.items()}

    @cached_property
    def size(self) -> float:
        """Largest extent on the paper, for the size of symbols."""
        if not self.points:
            return 1.0
        return float(np.ptp(np.array(list(self.points.values())), axis=0).max()) or 1.0

    def direction(self, name: str) -> Array:
        """A global axis on the paper."""
        return np.asarray(self.view["xyz".index(name)])

    def _ends(self, member: Member) -> tuple[Array, Array]:
        i, j = member.nodes[0], member.nodes[-1]
        return self.space[i] + member.offsets[0], self.space[j] + member.offsets[1]

    def ends(self, member: Member) -> tuple[Array, Array]:
        """Ends of the flexible part on the paper."""
        a, b = self._ends(member)
        return a @ self.view, b @ self.view

    def length(self, member: Member) -> float:
        """True length of the flexible part."""
        a, b = self._ends(member)
        return float(np.linalg.norm(b - a))

    def _axes(self, member: Member) -> Array:
        if member.name not in self._local:
            self._local[member.name] = self._find_axes(member)
        return self._local[member.name]

    def _find_axes(self, member: Member) -> Array:
        a, b = self._ends(member)
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            return np.eye(3)
        x = (b - a) / length
        z = np.array([0.0, 0.0, 1.0])
        if not self.plane:
            z = np.asarray(member.vecxz if member.vecxz is not None else default_vecxz(x))
        y = np.cross(z, x)
        y = y / np.linalg.norm(y)
        return np.array([x, y, np.cross(x, y)])

    def axes(self, member: Member) -> Array:
        """Local x, y and z as rows, on the paper; for a member without length the global axes."""
        return np.asarray(self._axes(member) @ self.view)

    def normal(self, member: Member) -> Array:
        """Unit vector across a member on the paper, to its left."""
        a, b = self.ends(member)
        d = b - a
        return np.array([-d[1], d[0]]) / (float(np.hypot(d[0], d[1])) or 1.0)

    def curve(self, member: Member, moved: Displacements, scale: float) -> Array:
        """The axis of a moved member on the paper, its displacements enlarged by ``scale``: two
        columns.

        Along the member linear, across it the cubic that its ends' displacements and rotations fix;
        a hinged end turns freely.
        """
        a, b = self._ends(member)
        (ua, ta), (ub, tb) = (
            _end(moved, n, o)
            for n, o in zip((member.nodes[0], member.nodes[-1]), member.offsets, strict=True)
        )
        x = np.linspace(0.0, 1.0, POINTS if member.frame else 2)
        line = (1.0 - x)[:, None] * (a + scale * ua) + x[:, None] * (b + scale * ub)
        length = float(np.linalg.norm(b - a))
        if member.frame and length > 0.0:
            _, y, z = self._axes(member)
            # a turn about z bends towards y, one about y away from z
            for across, about, sign in ((y, z, 1.0), (z, y, -1.0)):
                chord = float(across @ (ub - ua)) / length
                ri, rj = sign * float(about @ ta) - chord, sign * float(about @ tb) - chord
                if member.released[0]:
                    ri = 0.0 if member.released[1] else -0.5 * rj
                if member.released[1]:
                    rj = 0.0 if member.released[0] else -0.5 * ri
                bow = length * (ri * (x - 2 * x**2 + x**3) + rj * (x**3 - x**2))
                line = line + scale * bow[:, None] * across
        return np.asarray(line @ self.view)

    def movement(self, member: Member) -> tuple[Array, Array]:
        """The axis at rest (points by 2), and what each displacement of its two nodes adds to it
        (points by 2 by 12).

        A shape is linear in the displacements, so that many moments of one member cost one product.
        """
        rest = self.curve(member, {}, 0.0)
        change = np.zeros((*rest.shape, 12))
        for end, node in enumerate((member.nodes[0], member.nodes[-1])):
            for k, direction in enumerate(SPACE_DOFS):
                change[:, :, 6 * end + k] = self.curve(member, {node: {direction: 1.0}}, 1.0) - rest
        return rest, change

    def rigid_ends(self, member: Member, moved: Displacements, scale: float) -> list[Array]:
        """The rigid ends of a moved member, as lines of two points on the paper."""
        found = []
        for node, offset in zip((member.nodes[0], member.nodes[-1]), member.offsets, strict=True):
            if offset.any():
                (end, _), (at_node, _) = _end(moved, node, offset), _end(moved, node, np.zeros(3))
                found.append(
                    np.array(
                        [
                            self.space[node] + scale * at_node,
                            self.space[node] + offset + scale * end,
                        ]
                    )
                    @ self.view
                )
        return found

    def enlargement(self, moved: Displacements, share: float) -> float:
        """Factor at which the largest movement is a ``share`` of the model's size, rounded to one a
        person would choose."""
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
    return float(
        max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-12)) * power
    )


def _end(moved: Displacements, node: Name, offset: Array) -> tuple[Array, Array]:
    """Displacement of a point that is rigidly attached to a node, and the rotation of the node."""
    at = moved.get(node, {})
    x, y, z, rx, ry, rz = (at.get(d, 0.0) for d in SPACE_DOFS)
    a, b, c = offset
    return np.array([x + ry * c - rz * b, y + rz * a - rx * c, z + rx * b - ry * a]), np.array(
        [rx, ry, rz]
    )


def _in_space(vector: Any) -> Array:
    """A vector of one, two or three numbers as one of three."""
    given = np.asarray(vector, dtype=float)
    return np.concatenate([given, np.zeros(3 - len(given))])


def sketch(source: Model | Program | Result | Modes) -> Sketch:
    """The geometry of a model, of a program, or of the model that a result came from."""
    if isinstance(source, Modes):
        source = source.program
    if isinstance(source, Program):
        source = source.source
    if isinstance(source, Result):
        kept = vars(source).get("_sketch")  # a report asks many times
        if kept is None:
            try:
                kept = sketch(source.description())
            except FileError:
                kept = _from_index(source)
            object.__setattr__(source, "_sketch", kept)
        return cast(Sketch, kept)
    if not isinstance(source, Model):
        raise InputError("plots", "source", source, "must be a Model, a Program, Modes or a Result")
    loads: dict[Name, list[Any]] = {}
    for pattern in source.patterns.values():
        for element, load in pattern.member:
            loads.setdefault(element, []).append((pattern.name, load))
    return Sketch(
        source.name,
        {n: _in_space(node.coordinates) for n, node in source.nodes.items()},
        {n: _member(e) for n, e in source.elements.items()},
        source.dimensions < 3,
        source,
        loads,
    )


def _member(element: Element) -> Member:
    none = (0.0, 0.0)
    given = getattr(element, "vecxz", None)
    return Member(
        element.name,
        type(element).__name__,
        element.nodes,
        isinstance(element, (FrameElement, ExperimentalBeamColumn)),
        isinstance(element, Experimental),
        (
            _in_space(getattr(element, "offset_i", none)),
            _in_space(getattr(element, "offset_j", none)),
        ),
        (bool(getattr(element, "release_i", False)), bool(getattr(element, "release_j", False))),
        None if given is None else np.asarray(given, dtype=float),
    )


def _from_index(result: Result) -> Sketch:
    """What a result knows of its geometry without its model."""
    points = {
        json.loads(k): np.array(x, dtype=float) for k, x in result.index["coordinates"].items()
    }
    plane = all(len(x) < 3 for x in points.values())
    members = {}
    for e in result.index["elements"]:
        ends, vecxz = (np.zeros(2), np.zeros(2)), None
        if "constants" in e and plane:
            ends = (np.array(e["constants"][3:5]), np.array(e["constants"][5:7]))
        elif "constants" in e:
            plane_constants = np.array(e["constants"][:MATRIX])
            ends, vecxz = (
                (plane_constants[OFFSETS : OFFSETS + 3], plane_constants[OFFSETS + 3 :]),
                plane_constants[OFFSETS - 3 : OFFSETS],
            )
        members[e["name"]] = Member(
            e["name"],
            e["kind"],
            tuple(e["nodes"]),
            "constants" in e,
            "Experimental" in e["kind"],
            (_in_space(ends[0]), _in_space(ends[1])),
            vecxz=vecxz,  # local z itself
        )
    return Sketch(result.model, {n: _in_space(x) for n, x in points.items()}, members, plane)


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
        node: {
            d: float(row[saved[p]])
            for d, p in source.index["places"][json.dumps(node)].items()
            if p in saved
        }
        for node in source.index["names"]
    }


def histories(result: Result, node: Name, rows: npt.NDArray[np.int64]) -> Array:
    """Displacements of a node in rows of a result, in the order of a node in space.

    What it does not have is zero.
    """
    found = np.zeros((len(rows), len(SPACE_DOFS)))
    saved = {place: column for column, place in enumerate(result.index["nodal"]["u"])}
    for direction, place in result.index["places"][json.dumps(node)].items():
        if place in saved:
            found[:, SPACE_DOFS.index(direction)] = result.arrays["u"][rows, saved[place]]
    return found
