"""Runs elements in space at imposed displacements, and the list of elements that the tests go
through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from element_harness import AREA, EA, FY, GEOMETRIES, INERTIA, MP, NY, E, Probe
from scipy.spatial.transform import Rotation

from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    Truss,
    TwoNodeLink,
    ZeroLength,
    ZeroLengthSection,
)
from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    MenegottoPinto,
    SectionWithShear,
    UncoupledSection,
)
from femu.model.model import Model

SPACE = ElasticSection(E=E, A=AREA, I=INERTIA, Iy=0.3 * INERTIA, G=0.4 * E, J=0.02 * INERTIA)
FIBRES = FibreSection.h_shape(
    0.25,
    0.25,
    0.006,
    0.012,
    MenegottoPinto(E, FY, 0.03),
    (1, 4),
    (4, 1),
    GJ=0.4 * E * 0.02 * INERTIA,
)
UNCOUPLED = UncoupledSection(
    Bilinear(EA, NY, 0.03),
    MenegottoPinto(E * INERTIA, MP, 0.03),
    Bilinear(0.3 * E * INERTIA, 0.4 * MP, 0.05),
    Bilinear(0.008 * E * INERTIA, 0.01 * MP, 0.1),
)
SHEARED_ELASTIC = ElasticSection(
    E=E, A=AREA, I=INERTIA, Iy=0.3 * INERTIA, G=0.4 * E, J=0.02 * INERTIA, alpha_y=0.2, alpha_z=0.5
)
SHEARED = SectionWithShear(
    UNCOUPLED,
    Bilinear(0.08 * E * AREA, 0.2 * MP, 0.05),
    MenegottoPinto(0.2 * E * AREA, 0.1 * MP, 0.05),
)
ALONG_Y = SectionWithShear(FIBRES, Elastic(0.1 * E * AREA))
ORIGIN = np.array([1.0, -0.5, 0.3])
CHORD = np.array([1.7, 1.2, 2.1])
VECXZ = np.array([0.3, -0.2, 1.0])
OFFSETS = (np.array([0.2, -0.1, 0.15]), np.array([-0.3, 0.15, 0.1]))
LAWS = {
    "x": Bilinear(EA / 3.0, NY, 0.03),
    "y": MenegottoPinto(8e4, 150.0, 0.02),
    "z": Bilinear(6e4, 200.0, 0.05),
    "rx": Bilinear(2e4, 100.0, 0.1),
    "ry": MenegottoPinto(3e4, 120.0, 0.05),
    "rz": Bilinear(2e4, 100.0, 0.1),
}
ORIENT = (np.array([1.0, 0.4, -0.2]), np.array([-0.3, 1.0, 0.5]))


@dataclass
class Case:
    """How to make an element between nodes 1 and 2 in axes turned by a matrix, and how much it
    bears."""

    make: Callable[[str, np.ndarray], Any]
    geometries: tuple[str, ...] = ("linear",)
    size: float = 0.02
    coincident: bool = False


def frame(kind: Any, offsets: bool = False, **options: Any) -> Case:
    """A beam-column."""

    def make(geometry: str, turn: np.ndarray) -> Any:
        own = dict(options)
        if offsets:
            own |= {"offset_i": turn @ OFFSETS[0], "offset_j": turn @ OFFSETS[1]}
        return kind("e", 1, 2, geometry=geometry, vecxz=turn @ VECXZ, **own)

    return Case(make, GEOMETRIES)


CASES: dict[str, Case] = {
    "elastic": frame(ElasticBeamColumn, section=SPACE),
    "elastic, offsets": frame(ElasticBeamColumn, offsets=True, section=SPACE),
    "elastic, hinges": frame(ElasticBeamColumn, section=SPACE, release_i="y", release_j=True),
    "elastic, shear, offsets": frame(ElasticBeamColumn, offsets=True, section=SHEARED_ELASTIC),
    "elastic, shear, hinges": frame(
        ElasticBeamColumn, section=SHEARED_ELASTIC, release_i="y", release_j=True
    ),
    "force, shear, offsets": frame(ForceBeamColumn, offsets=True, section=SHEARED),
    "force, shear along y at i": frame(
        ForceBeamColumn, integration=Hinges(ALONG_Y, 0.2, UNCOUPLED, 0.25, SPACE)
    ),
    "force, fibres": frame(ForceBeamColumn, section=FIBRES, points=4),
    "force, uncoupled, offsets": frame(ForceBeamColumn, offsets=True, section=UNCOUPLED, points=3),
    "force, hinges": frame(
        ForceBeamColumn, integration=Hinges(FIBRES, 0.2, UNCOUPLED, 0.25, SPACE)
    ),
    "displacement, fibres": frame(DisplacementBeamColumn, section=FIBRES, points=3),
    "displacement, uncoupled, offsets": frame(
        DisplacementBeamColumn, offsets=True, section=UNCOUPLED, points=4
    ),
    "zero length section": Case(
        lambda geometry, turn: ZeroLengthSection(
            "e", 1, 2, FIBRES, orient=[turn @ v for v in ORIENT]
        ),
        coincident=True,
    ),
    "zero length section, shear": Case(
        lambda geometry, turn: ZeroLengthSection(
            "e", 1, 2, SHEARED, orient=[turn @ v for v in ORIENT]
        ),
        coincident=True,
    ),
    "truss": Case(
        lambda geometry, turn: Truss(
            "e", 1, 2, material=MenegottoPinto(E, FY, 0.02), area=AREA, geometry=geometry
        ),
        GEOMETRIES,
    ),
    "two-node link": Case(
        lambda geometry, turn: TwoNodeLink(
            "e", 1, 2, LAWS, shear_distance=(0.3, 0.6), orient=turn @ np.array([0.2, 1.0, -0.4])
        )
    ),
    "zero length": Case(
        lambda geometry, turn: ZeroLength("e", 1, 2, LAWS, orient=[turn @ v for v in ORIENT]),
        coincident=True,
    ),
}
ALL = [(name, geometry) for name, case in CASES.items() for geometry in case.geometries]
TURNING = [
    (name, geometry) for name, geometry in ALL if geometry == "corotational" and name != "truss"
]
"""Members whose rotations are finite.

Their forces are not the derivative of an energy by the components of rotations.
"""


def free_element(name: str, geometry: str, turn: np.ndarray | None = None) -> Probe:
    """A model of one element, all of whose degrees of freedom are free.

    Turned as a whole by a rotation matrix.
    """
    case, turn = CASES[name], np.eye(3) if turn is None else turn
    model = Model(name, dimensions=3)
    for node, place in ((1, ORIGIN), (2, ORIGIN if case.coincident else ORIGIN + CHORD)):
        model.node(node, *(turn @ place))
    model.add(case.make(geometry, turn))
    return Probe(model)


def random_motion(probe: Probe, seed: int, size: float) -> np.ndarray:
    """Random displacements of the given size."""
    return size * np.random.default_rng(seed).uniform(-1.0, 1.0, probe.program.ndof)


def rigid_motion(probe: Probe, rotation: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Displacements of a finite rotation (a vector) about the origin, and a shift."""
    u = np.zeros(probe.program.ndof)
    matrix = Rotation.from_rotvec(rotation).as_matrix()
    for (node, direction), place in probe.program.numbering.place.items():
        x = probe.program.coordinates[node]
        moved = dict(zip(("x", "y", "z"), matrix @ x - x + shift, strict=True))
        u[place] = {**moved, **dict(zip(("rx", "ry", "rz"), rotation, strict=True))}[direction]
    return u


def turned_dofs(one: Probe, two: Probe, turn: np.ndarray) -> np.ndarray:
    """Matrix that turns the vectors over the degrees of freedom of one model into those of the
    turned one."""
    matrix = np.zeros((two.program.ndof, one.program.ndof))
    for (node, direction), place in one.program.numbering.place.items():
        prefix, axis = direction[:-1], "xyz".index(direction[-1])
        for other in range(3):
            dof = (node, prefix + "xyz"[other])
            if dof in two.program.numbering.place:
                matrix[two.program.dof(*dof), place] = turn[other, axis]
    return matrix
