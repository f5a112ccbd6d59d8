"""Small frames that the tests of the core share. SI units."""

from __future__ import annotations

from femu import GroundMotion, Model, UniformLoad
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, FibreSection, NMSection, UncoupledSection
from femu.model.component import Section

E, I, A = 200e9, 1e-4, 6e-3
SHAPE = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
ELASTIC = ElasticSection(E=E, A=A, I=I)
NM = NMSection.h_shape(**SHAPE, E=206e9, fy=280e6, b=0.03)
UNCOUPLED = UncoupledSection(
    axial=Bilinear(E=1.5e9, fy=2.0e6, b=0.03), moment=Bilinear(E=1.87e7, fy=2.2e5, b=0.03)
)
FIBRES = FibreSection.h_shape(
    **SHAPE, material=Bilinear(E=206e9, fy=280e6, b=0.03), flange_fibres=2, web_fibres=4
)
SECTIONS: dict[str, Section] = {
    "elastic": ELASTIC,
    "nm": NM,
    "uncoupled": UNCOUPLED,
    "fibre": FIBRES,
}
QUAKE = GroundMotion.el_centro().scaled(pga=5.0)


def cantilever(height: float = 3.0, mass: float = 1e3, **options: object) -> Model:
    """An elastic column fixed at A, free at B."""
    model = Model("cantilever")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, height, mass=mass)
    model.add(ElasticBeamColumn("column", "A", "B", section=ELASTIC, **options))  # type: ignore[arg-type]
    return model


def two() -> Model:
    """Two nodes to be joined."""
    model = Model("two")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0, mass=1e3)
    return model


def joined() -> Model:
    """The two nodes joined by an elastic column, with a load."""
    model = two()
    model.add(ElasticBeamColumn("column", 1, 2, section=ELASTIC))
    model.load(2, x=1.0)
    return model


def portal(
    section: str = "nm", geometry: str = "p-delta", damping: str | None = "initial"
) -> Model:
    """A portal of two yielding columns and an elastic beam, with gravity as nodal and member loads."""
    model = Model("portal")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    model.node("C", 0.0, 3.6, mass=(30e3, 30e3, 2e4))
    model.node("D", 6.0, 3.6, mass=(30e3, 30e3, 2e4))
    for name, i, j in (("left", "A", "C"), ("right", "B", "D")):
        model.add(ForceBeamColumn(name, i, j, section=SECTIONS[section], geometry=geometry))
    model.add(ElasticBeamColumn("beam", "C", "D", section=ELASTIC, geometry=geometry))
    for node in "CD":
        model.load(node, y=-260e3, pattern="gravity")
    model.member_load("beam", UniformLoad(y=-10e3), "gravity")
    model.load("C", x=1.0, pattern="push")
    if damping is not None:
        model.rayleigh(ratio=0.02, modes=(1, 2), stiffness=damping)
    return model
