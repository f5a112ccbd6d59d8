"""Small models in space, turned to any direction."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model
from femu.results.result import Result

E, G, A, IZ, IY, J, L = 200e9, 80e9, 8e-3, 1.2e-4, 3e-5, 5e-6, 3.0
SECTION = ElasticSection(E=E, A=A, I=IZ, Iy=IY, G=G, J=J)


def cantilever(turn: np.ndarray, **options: object) -> Model:
    """Fixed at the origin, along x before it is turned, its local z along the turned z axis."""
    model = Model("cantilever", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, *(L * turn[:, 0]), mass=100.0)
    model.add(ElasticBeamColumn("beam", 1, 2, section=SECTION, vecxz=turn[:, 2], **options))  # type: ignore[arg-type]
    return model


def load(
    model: Model, node: object, turn: np.ndarray, force: tuple, moment: tuple = (0.0, 0.0, 0.0)
) -> None:
    f, m = turn @ np.array(force), turn @ np.array(moment)
    model.load(node, x=f[0], y=f[1], z=f[2], rx=m[0], ry=m[1], rz=m[2])  # type: ignore[arg-type]


def end(result: Result, node: object, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u = turn.T @ np.array([result.displacement(node, d)[-1] for d in "xyz"])  # type: ignore[arg-type]
    return u, turn.T @ np.array([result.displacement(node, d)[-1] for d in ("rx", "ry", "rz")])  # type: ignore[arg-type]


TURNS = [
    np.eye(3),
    Rotation.from_rotvec([0.3, 1.1, -0.6]).as_matrix(),
    Rotation.from_rotvec([2.0, -0.2, 0.9]).as_matrix(),
]


def portal(dimensions: int, turn: np.ndarray) -> Model:
    """A plane frame with a hinge, offsets, member loads and a spring.

    In the plane, or turned in space.
    """
    space = dimensions == 3
    model = Model("portal", dimensions=dimensions)

    def place(x: float, y: float) -> tuple[float, ...]:
        return tuple(turn @ np.array([x, y, 0.0])) if space else (x, y)

    offsets = {"offset_i": place(0.2, 0.1), "offset_j": place(-0.3, 0.0)}
    axes = {"vecxz": turn[:, 2]} if space else {}
    for name, x, y, fixed in (
        ("A", 0.0, 0.0, True),
        ("B", 6.0, 0.5, True),
        ("C", 0.0, 3.5, False),
        ("D", 6.0, 3.8, False),
    ):
        model.node(
            name, *place(x, y), fixed=fixed, mass=[3e3] * dimensions + [0.0] * (3 if space else 1)
        )
    for name, i, j, options in (
        ("left", "A", "C", {"geometry": "p-delta"}),
        ("right", "B", "D", {"release_j": "z"}),
        ("beam", "C", "D", offsets),
    ):
        model.add(ElasticBeamColumn(name, i, j, section=SECTION, **axes, **options))  # type: ignore[arg-type]
    for node, (x, y, m) in {"C": (4e4, -2e5, 1e4), "D": (1e4, -1e5, 0.0)}.items():
        if space:
            load(model, node, turn, (x, y, 0.0), (0.0, 0.0, m))
        else:
            model.load(node, x=x, y=y, rz=m)
    model.member_load("beam", UniformLoad(x=1e3, y=-5e3), pattern="loads")
    model.member_load("right", PointLoad(0.4, x=2e3, y=3e3), pattern="loads")
    return model
