"""Members as hypothesis draws them: their numbers, places, offsets, axes and motions."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from femu import InputError
from femu.model.model import Model
from tests.campaign.physics.cases import plane, space
from tests.campaign.physics.draw import Made, directions, turns, varied


@dataclass
class Drawn:
    """A member as drawn: where it is, how it is moved, turned and mirrored."""

    where: str
    name: str
    geometry: str
    member: Made
    places: tuple[np.ndarray, np.ndarray]
    size: float
    seed: int
    corners: list[tuple[float, ...]]
    rotation: np.ndarray
    shift: np.ndarray
    normal: np.ndarray

    @property
    def dimensions(self) -> int:
        return len(self.places[0])

    def probe(self, matrix: np.ndarray | None = None) -> Any:
        """A model of this member alone; as a whole turned or mirrored by a matrix."""
        matrix = np.eye(self.dimensions) if matrix is None else matrix
        model = Model(self.name, dimensions=self.dimensions)
        for node, place in enumerate(self.places, start=1):
            model.node(node, *(float(x) for x in matrix @ place))
        model.add(turned(self.member.made, matrix))
        return plane.Probe(model)

    def shapes(self, probe: Any) -> np.ndarray:
        """Two displacements over all degrees of freedom, of the size drawn."""
        return self.size * np.random.default_rng(self.seed).uniform(
            -1.0, 1.0, (2, probe.program.ndof)
        )


def turned(member: Any, matrix: np.ndarray) -> Any:
    """A member whose own vectors and angles are turned or mirrored by a matrix."""
    changes: dict[str, Any] = {}
    for name in ("offset_i", "offset_j", "vecxz"):
        vector = getattr(member, name, None)
        if vector is not None and len(vector) == len(matrix):
            changes[name] = tuple(matrix @ np.asarray(vector))
    if len(matrix) == 2 and hasattr(member, "angle"):
        x = matrix @ [math.cos(member.angle), math.sin(member.angle)]
        changes["angle"] = math.atan2(x[1], x[0])
    if len(matrix) == 3 and getattr(member, "orient", None) is not None:
        orient = np.asarray(member.orient)
        changes["orient"] = (
            tuple(matrix @ orient) if orient.ndim == 1 else [tuple(matrix @ v) for v in orient]
        )
    return dataclasses.replace(member, **changes)


@st.composite
def drawn_members(draw: Any, where: str, name: str, geometry: str) -> Drawn:
    """A case with other numbers, length, direction, offsets, axes and motion."""
    in_space = where == "space"
    case, n = (space if in_space else plane).CASES[name], 3 if in_space else 2
    member = case.make(geometry, np.eye(3)) if in_space else case.make(geometry)
    made = draw(varied(member, symmetric=True)).made
    length = plane.LENGTH * 10.0 ** draw(st.floats(-0.3, 0.5))
    chord = length * draw(directions(n))
    start = np.array(draw(st.tuples(*[st.floats(-3.0, 3.0)] * n)))
    changes: dict[str, Any] = {}
    for end in ("offset_i", "offset_j"):
        if len(getattr(made, end, ())) == n and any(getattr(made, end)):
            changes[end] = tuple(
                0.1 * length * x for x in draw(st.tuples(*[st.floats(-1.0, 1.0)] * n))
            )
    if in_space and getattr(made, "vecxz", None) is not None:
        changes["vecxz"] = tuple(draw(directions()))
        assume(np.linalg.norm(np.cross(chord / length, changes["vecxz"])) > 0.3)
    if isinstance(getattr(made, "shear_distance", None), float):
        changes["shear_distance"] = draw(st.floats(0.0, 1.0))
    if not in_space and hasattr(made, "angle") and name != "zero length, y":
        changes["angle"] = draw(st.floats(-3.0, 3.0))
    if in_space and name == "two-node link":
        assume(np.linalg.norm(np.cross(chord / length, made.orient)) > 0.3)
    ends = start, start if case.coincident else start + chord
    size = (
        case.size
        * 10.0 ** draw(st.floats(-1.5, 0.3))
        * (1.0 if case.coincident else length / plane.LENGTH)
    )
    rotation = draw(st.floats(0.1, 3.0)) * (draw(directions()) if in_space else np.ones(1))
    try:
        made = Made(dataclasses.replace(made, **changes))
        found = Drawn(
            where,
            name,
            geometry,
            made,
            ends,
            size,
            draw(st.integers(0, 2**32 - 1)),
            draw(turns(2, 3)),
            rotation,
            np.array(draw(st.tuples(*[st.floats(-20.0, 20.0)] * n))),
            draw(directions(n)),
        )
        found.probe()
    except InputError:
        assume(False)
    return found


@st.composite
def drawn_dashpots(draw: Any) -> tuple[int, float, np.ndarray, np.ndarray, int]:
    """Dimensions, damping, the two places, and a seed."""
    n = draw(st.sampled_from([2, 3]))
    start = np.array(draw(st.tuples(*[st.floats(-3.0, 3.0)] * n)))
    return (
        n,
        10.0 ** draw(st.floats(-3.0, 6.0)),
        start,
        start + draw(st.floats(0.2, 9.0)) * draw(directions(n)),
        draw(st.integers(0, 2**32 - 1)),
    )
