"""Runs elements at imposed displacements, and the list of elements that the tests of this folder go
through."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
from femu.engine.element_kernels import EVALUATE
from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.materials import Bilinear, Elastic, MenegottoPinto, SectionWithShear
from femu.materials.sections.elastic_section import ElasticSection
from femu.materials.sections.nm_section import NMSection
from femu.materials.sections.uncoupled_section import UncoupledSection
from femu.model.element import Element
from femu.model.model import Model

Array = npt.NDArray[np.float64]

# an H 250x250 in kN and m
E, FY, AREA, INERTIA, PLASTIC_MODULUS = 2.06e8, 2.35e5, 7.356e-3, 9.081e-5, 7.906e-4
EA, EI, NY, MP = E * AREA, E * INERTIA, FY * AREA, FY * PLASTIC_MODULUS
LENGTH, SLOPE = 3.0, 0.4
ELASTIC = ElasticSection(E=E, A=AREA, I=INERTIA)
BILINEAR = UncoupledSection(Bilinear(EA, NY, 0.03), Bilinear(EI, MP, 0.03))
INTERACTION = NMSection(
    EA=EA, EI=EI, yield_force=NY, plastic_moment=MP, flange_web_ratio=2.2, b=0.03
)
GA = 0.4 * E * 0.2 * AREA
SHEARED = SectionWithShear(BILINEAR, Bilinear(GA, 0.7 * MP / LENGTH, 0.05))
SHEARED_ELASTIC = ElasticSection(E=E, A=AREA, I=INERTIA, G=0.4 * E, alpha_y=0.2)
GEOMETRIES = ("linear", "p-delta", "corotational")


class Probe:
    """A program whose displacements are imposed from outside."""

    def __init__(self, model: Model) -> None:
        self.program: Program = model.compile()
        self.run = Workspace(self.program, self.program.state())

    def __call__(
        self, u: Array, velocity: Array | None = None, mode: int = EVALUATE
    ) -> tuple[Array, Array]:
        """Internal force over all degrees of freedom, and stiffness over the equations."""
        self.run.fields.u1[:] = u
        self.run.fields.v1[:] = 0.0 if velocity is None else velocity
        self.run.fields.elements[:] = np.nan  # whatever is not written again shows up
        self.run.fields.workspace[:] = np.nan
        self.run.determine(mode)
        return self.run.fields.internal.copy(), self.stiffness()

    def stiffness(self) -> Array:
        return self.program.sparsity.to_sparse(self.run.fields.tangent).toarray()

    def commit(self) -> None:
        self.run.state.vector[self.program.layout.elements :] = self.run.fields.elements

    def element(self, name: str = "e") -> dict[str, float]:
        """Trial state of an element by name."""
        start, names = self.program.element_state(name)
        return dict(zip(names, self.run.fields.elements[start : start + len(names)], strict=True))

    def places(self, *dofs: tuple[object, str]) -> list[int]:
        return [self.program.dof(*d) for d in dofs]  # type: ignore[arg-type]


@dataclass
class Case:
    """How to make an element between nodes 1 and 2, whose axes may be turned by an angle, and how
    much it bears."""

    make: Callable[..., Element]
    geometries: tuple[str, ...] = ("linear",)
    size: float = 0.02  # displacement that takes it well beyond yield
    coincident: bool = False
    angled: bool = False  # takes the angle of its axes


def _frame(kind: type[Element], **options: object) -> Case:
    def make(geometry: str, turn: float = 0.0) -> Element:
        own = dict(options)
        for end in ("offset_i", "offset_j"):
            if end in own:
                x, y = own[end]  # type: ignore[misc]
                own[end] = (
                    math.cos(turn) * x - math.sin(turn) * y,
                    math.sin(turn) * x + math.cos(turn) * y,
                )
        return kind("e", 1, 2, geometry=geometry, **own)  # type: ignore[call-arg]

    return Case(make, GEOMETRIES)


OFFSETS = {"offset_i": (0.2, -0.1), "offset_j": (-0.3, 0.15)}
LAWS = {
    "x": Bilinear(EA / LENGTH, NY, 0.03),
    "y": MenegottoPinto(8e4, 150.0, 0.02),
    "rz": Bilinear(2e4, 100.0, 0.1),
}

CASES: dict[str, Case] = {
    "elastic": _frame(ElasticBeamColumn, section=ELASTIC),
    "elastic, offsets": _frame(ElasticBeamColumn, section=ELASTIC, **OFFSETS),
    "elastic, hinge at i": _frame(ElasticBeamColumn, section=ELASTIC, release_i=True),
    "elastic, hinge at j, offsets": _frame(
        ElasticBeamColumn, section=ELASTIC, release_j=True, **OFFSETS
    ),
    "elastic, hinges": _frame(ElasticBeamColumn, section=ELASTIC, release_i=True, release_j=True),
    "elastic, shear, offsets": _frame(ElasticBeamColumn, section=SHEARED_ELASTIC, **OFFSETS),
    "elastic, shear, hinge at i": _frame(
        ElasticBeamColumn, section=SHEARED_ELASTIC, release_i=True
    ),
    "elastic, shear, hinge at j": _frame(
        ElasticBeamColumn, section=SHEARED_ELASTIC, release_j=True
    ),
    "force": _frame(ForceBeamColumn, section=BILINEAR),
    "force, shear": _frame(ForceBeamColumn, section=SHEARED, points=3),
    "force, hinges, shear at j": _frame(
        ForceBeamColumn, integration=Hinges(INTERACTION, 0.25, SHEARED, 0.3, SHEARED_ELASTIC)
    ),
    "force, N-M, offsets": _frame(ForceBeamColumn, section=INTERACTION, points=4, **OFFSETS),
    "force, legendre": _frame(
        ForceBeamColumn, section=INTERACTION, points=3, integration="legendre"
    ),
    "force, radau": _frame(ForceBeamColumn, section=BILINEAR, points=4, integration="radau"),
    "force, hinges": _frame(
        ForceBeamColumn, integration=Hinges(INTERACTION, 0.25, BILINEAR, 0.3, ELASTIC)
    ),
    "displacement": _frame(DisplacementBeamColumn, section=BILINEAR),
    "displacement, N-M, offsets": _frame(
        DisplacementBeamColumn, section=INTERACTION, points=3, **OFFSETS
    ),
    "displacement, lobatto": _frame(
        DisplacementBeamColumn, section=BILINEAR, points=4, integration="lobatto"
    ),
    "truss": Case(
        lambda geometry, turn=0.0: Truss(
            "e", 1, 2, material=MenegottoPinto(E, FY, 0.02), area=AREA, geometry=geometry
        ),
        GEOMETRIES,
    ),
    "two-node link": Case(
        lambda geometry, turn=0.0: TwoNodeLink("e", 1, 2, LAWS, shear_distance=0.3)
    ),
    "two-node link, shear": Case(
        lambda geometry, turn=0.0: TwoNodeLink("e", 1, 2, {"y": LAWS["y"]})
    ),
    "zero length": Case(
        lambda geometry, turn=0.0: ZeroLength("e", 1, 2, LAWS, angle=0.3 + turn), coincident=True
    ),
    "zero length, y": Case(
        lambda geometry, turn=0.0: ZeroLength("e", 1, 2, {"y": Elastic(5.0)}, angle=turn),
        coincident=True,
    ),
    "zero length section": Case(
        lambda geometry, turn=0.0: ZeroLengthSection("e", 1, 2, INTERACTION, angle=0.3 + turn),
        coincident=True,
    ),
    "zero length section, shear": Case(
        lambda geometry, turn=0.0: ZeroLengthSection("e", 1, 2, SHEARED, angle=0.3 + turn),
        coincident=True,
    ),
}
ALL = [(name, geometry) for name, case in CASES.items() for geometry in case.geometries]


def free_element(name: str, geometry: str, turn: float = 0.0) -> Probe:
    """A model of one element, all of whose degrees of freedom are free.

    Turned as a whole by an angle.
    """
    case = CASES[name]
    model = Model(name)
    origin = np.array([1.0, -0.5])
    end = (
        origin
        if case.coincident
        else origin + LENGTH * np.array([math.cos(SLOPE), math.sin(SLOPE)])
    )
    turned = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    for node, place in ((1, turned @ origin), (2, turned @ end)):
        model.node(node, *(float(v) for v in place))
    model.add(case.make(geometry, turn))
    return Probe(model)


def random_motion(probe: Probe, seed: int, size: float, rotation: float = 0.0) -> Array:
    """A rigid motion (a finite rotation about the origin, a shift) with random displacements of the
    given size."""
    rng = np.random.default_rng(seed)
    u = rigid_motion(probe, rotation, (0.4, -0.3) if rotation else (0.0, 0.0))
    return u + size * rng.uniform(-1.0, 1.0, len(u))


def rigid_motion(probe: Probe, rotation: float, shift: tuple[float, float]) -> Array:
    """Displacements of a finite rotation about the origin, and a shift."""
    u = np.zeros(probe.program.ndof)
    c, s = math.cos(rotation), math.sin(rotation)
    for (node, direction), place in probe.program.numbering.place.items():
        x, y = probe.program.coordinates[node]
        u[place] = {
            "x": c * x - s * y - x + shift[0],
            "y": s * x + c * y - y + shift[1],
            "rz": rotation,
        }[direction]
    return u


def equilibrium(
    model: Model, factor: float = 1.0, pattern: int = 0, probe: Probe | None = None
) -> Probe:
    """The model under a load pattern, balanced by Newton's method.

    The displacements are in ``run[run.u1]``.
    """
    probe = probe or Probe(model)
    program, run = probe.program, probe.run
    run.fields.member_load[:] = factor * program.member[pattern]
    u = run.fields.u1.copy()
    for _ in range(60):
        force, stiffness = probe(u)
        unbalance = (factor * program.nodal[pattern] - force)[: program.neq]
        if np.abs(unbalance).max() <= 1e-10 * np.abs(force).max():
            return probe
        u[: program.neq] += np.linalg.solve(stiffness, unbalance)
    raise AssertionError("no equilibrium")
