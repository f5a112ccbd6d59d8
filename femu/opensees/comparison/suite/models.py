"""Models that several groups of cases use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from femu.elements import ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, FibreSection, UncoupledSection
from femu.model.component import Section
from femu.model.element import Element
from femu.model.model import Model

E, FY, B = 200e9, 300e6, 0.01
STEEL = Bilinear(E, FY, B)
GEOMETRIES = ("linear", "p-delta", "corotational")


def uncoupled(depth: float, area: float, inertia: float) -> UncoupledSection:
    """Bilinear axial force and moment, without interaction."""
    return UncoupledSection(
        axial=Bilinear(E * area, FY * area, B),
        moment=Bilinear(E * inertia, FY * 2.0 * inertia / depth, B),
    )


def fibres(depth: float, area: float, inertia: float = 0.0, count: int = 20) -> FibreSection:
    """Rectangle of bilinear fibres."""
    return FibreSection.rectangle(area / depth, depth, STEEL, count)


def elastic(depth: float, area: float, inertia: float) -> ElasticSection:
    """Elastic section."""
    return ElasticSection(E, area, inertia)


SECTIONS: dict[str, Callable[..., Section]] = {
    "uncoupled": uncoupled,
    "fibre": fibres,
    "elastic": elastic,
}
COLUMN, BEAM = (0.3, 9e-3, 1.2e-4), (0.4, 8e-3, 1.8e-4)


def cantilever(
    member: Callable[..., Element],
    *,
    weight: float = 0.0,
    pieces: int = 1,
    lean: float = 0.15,
    **options: Any,
) -> Model:
    """A leaning column of one or more pieces with a mass, a weight and a push at its top.

    Gravity in its own pattern.
    """
    model = Model("cantilever")
    for k in range(pieces + 1):
        share = k / pieces
        top = k == pieces
        model.node(
            k,
            lean * share,
            3.5 * share,
            fixed=k == 0,
            mass=(20e3, 20e3, 500.0) if top else (500.0, 500.0, 20.0),
        )
    for k in range(pieces):
        model.add(member(f"piece {k + 1}", k, k + 1, **options))
    model.load(pieces, y=-weight or -1.0, pattern="gravity")
    model.load(pieces, x=1.0, pattern="push")
    return model


def frame(
    storeys: int,
    bays: int,
    kind: str = "uncoupled",
    geometry: str = "p-delta",
    member: Callable[..., Element] = ForceBeamColumn,
) -> Model:
    """Frame of equal storeys and bays, one member per column or beam, with gravity and push
    patterns."""
    model = Model(f"{storeys}x{bays} frame, {kind} sections")
    column, beam = SECTIONS[kind](*COLUMN), SECTIONS[kind](*BEAM)
    for storey in range(storeys + 1):
        for line in range(bays + 1):
            model.node(
                1000 * storey + line,
                6.0 * line,
                3.5 * storey,
                fixed=storey == 0,
                mass=(20e3, 20e3, 10.0) if storey else None,
            )
    for storey in range(1, storeys + 1):
        for line in range(bays + 1):
            model.add(
                member(
                    f"column {storey}.{line}",
                    1000 * (storey - 1) + line,
                    1000 * storey + line,
                    section=column,
                    geometry=geometry,
                )
            )
            model.load(1000 * storey + line, y=-100e3, pattern="gravity")
        for line in range(bays):
            model.add(
                member(
                    f"beam {storey}.{line}",
                    1000 * storey + line,
                    1000 * storey + line + 1,
                    section=beam,
                    geometry=geometry,
                )
            )
        model.load(1000 * storey, x=storey / storeys, pattern="push")
    return model


def heavy_frame(
    storeys: int, bays: int, kind: str = "uncoupled", geometry: str = "linear"
) -> Model:
    """A frame with enough rotational inertia for reasonable steps of explicit methods."""
    model = frame(storeys, bays, kind, geometry)
    for node in model.nodes.values():
        if node.mass:
            node.mass["rz"] = 2000.0
    return model
