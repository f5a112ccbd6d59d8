"""Models as people build them: steel and reinforced concrete frames, plastic hinges, gravity first.

Each is a model of femu with gravity loads and Rayleigh damping. Sizes, loads and strengths are
those of ordinary buildings; the ground motion makes most of the members yield or crack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    ZeroLength,
)
from femu.materials import (
    Bilinear,
    ElasticSection,
    FibreSection,
    KentParkConcrete,
    KentParkTension,
    MenegottoPinto,
    ModifiedIMK,
)
from femu.materials.sections.patches import rectangle_patch, straight_layer
from femu.model.component import Material, Section
from femu.model.model import Model

STOREY, BAY = 3.5, 6.0
STEEL = MenegottoPinto(E=200e9, fy=345e6, b=0.01, R0=18.0, cR1=0.925, cR2=0.15)
BARS = MenegottoPinto(E=200e9, fy=420e6, b=0.01, R0=18.0, cR1=0.925, cR2=0.15)
BILINEAR_BARS = Bilinear(200e9, 420e6, 0.01)
COVER = 0.05
WEIGHT = 150e3
DAMPING: dict[str, Any] = {"mass": 0.2, "initial": 2e-3}


@dataclass(frozen=True)
class Everyday:
    """A model, how long it shakes how strongly, and how many times faster femu has to be."""

    name: str
    model: Callable[[], Model]
    steps: int
    pga: float
    limit: float
    roof: str
    """Node whose displacement is compared."""


# --- sections ---


def w_shape(depth: float, width: float, web: float, flange: float, steel: Material) -> Section:
    """A wide-flange shape: 14 fibres, two in each flange and ten in the web."""
    return FibreSection.h_shape(depth, width, web, flange, steel, flange_fibres=2, web_fibres=10)


def reinforced(
    width: float, depth: float, area: float, kent_park: type, steel: Material
) -> Section:
    """Confined and unconfined concrete in 36 layers, and four layers of bars."""
    edge, third = depth / 2 - COVER, depth / 6 - COVER / 3
    bars = [(-edge, area), (-third, 0.4 * area), (third, 0.4 * area), (edge, area)]
    core, cover = concretes(kent_park)
    return FibreSection.reinforced_concrete(
        width, depth, COVER, core=core, unconfined=cover, steel=steel, bars=bars, fibres=16
    )


def reinforced_in_space(width: float, depth: float, area: float) -> Section:
    """Confined and unconfined concrete in 88 fibres, and twelve bars."""
    core, cover = concretes(KentParkTension)
    y, z, y_in, z_in = depth / 2, width / 2, depth / 2 - COVER, width / 2 - COVER
    core_cells = rectangle_patch(8, 6, (-y_in, -z_in), (y_in, z_in))
    cover_cells = [
        *rectangle_patch(1, 10, (-y, -z), (-y_in, z)),
        *rectangle_patch(1, 10, (y_in, -z), (y, z)),
        *rectangle_patch(10, 1, (-y_in, -z), (y_in, -z_in)),
        *rectangle_patch(10, 1, (-y_in, z_in), (y_in, z)),
    ]
    bars = [b for at in (-y_in, y_in) for b in straight_layer(4, area, (at, -z_in), (at, z_in))]
    bars += [b for at in (-z_in, z_in) for b in straight_layer(2, area, (-0.1, at), (0.1, at))]
    points: list[Any] = [(*cell, core) for cell in core_cells]
    points += [(*cell, cover) for cell in cover_cells]
    return FibreSection.from_points([*points, *((*bar, BARS) for bar in bars)], GJ=2e7)


def concretes(kent_park: type) -> tuple[Material, Material]:
    """Confined and unconfined concrete."""
    confined = {"fc": 36e6, "peak_strain": 0.003, "fcu": 28e6, "crushing_strain": 0.02}
    unconfined = {"fc": 30e6, "peak_strain": 0.002, "fcu": 5e6, "crushing_strain": 0.006}
    if kent_park is KentParkTension:
        tension = {"unloading_ratio": 0.1, "ft": 2.5e6, "softening_modulus": 2e9}
        return KentParkTension(**confined, **tension), KentParkTension(**unconfined, **tension)
    return KentParkConcrete(**confined), KentParkConcrete(**unconfined)


# --- frames ---


def _name(*place: int | str) -> str:
    return ".".join(map(str, place))


def _grid(model: Model, storeys: int, bays: int, weight: float) -> None:
    """Nodes of a plane frame, with a weight on each of its storeys."""
    for k in range(storeys + 1):
        for i in range(bays + 1):
            model.node(_name(k, i), BAY * i, STOREY * k, fixed=k == 0)
            if k > 0:
                model.mass(_name(k, i), weight / 9.81)
                model.load(_name(k, i), y=-weight, pattern="gravity")


def frame(
    storeys: int,
    bays: int,
    column: Section,
    beam: Section,
    member: Callable[..., Any] = ForceBeamColumn,
    pieces: int = 1,
) -> Model:
    """A plane frame whose members are elements in ``pieces``."""
    model = Model(f"{storeys}x{bays}")
    _grid(model, storeys, bays, WEIGHT)

    def add(kind: str, start: str, end: str, section: Section) -> None:
        kind, a, b = f"{kind} {start}", model.nodes[start].coordinates, model.nodes[end].coordinates
        line = [start, *(f"{kind}, {p}" for p in range(1, pieces)), end]
        for p, name in enumerate(line[1:-1], start=1):
            model.node(name, *(a + (b - a) * (p / pieces)).tolist())
        for p, (i, j) in enumerate(pairwise(line), start=1):
            name = kind if pieces == 1 else f"{kind}, piece {p}"
            model.add(member(name, i, j, section=section, geometry="p-delta"))

    for k in range(1, storeys + 1):
        for i in range(bays + 1):
            add("column", _name(k - 1, i), _name(k, i), column)
        for i in range(bays):
            add("beam", _name(k, i), _name(k, i + 1), beam)
    model.rayleigh(**DAMPING)
    return model


def steel_frame(storeys: int, bays: int) -> Model:
    """Wide-flange shapes of Menegotto-Pinto steel."""
    column = w_shape(0.40, 0.40, 0.016, 0.026, STEEL)
    beam = w_shape(0.53, 0.21, 0.011, 0.018, STEEL)
    return frame(storeys, bays, column, beam)


def concrete_frame(
    storeys: int,
    bays: int,
    kent_park: type = KentParkTension,
    steel: Material = BARS,
    **options: Any,
) -> Model:
    """Reinforced concrete."""
    column = reinforced(0.5, 0.5, 1.5e-3, kent_park, steel)
    beam = reinforced(0.3, 0.6, 1.2e-3, kent_park, steel)
    return frame(storeys, bays, column, beam, **options)


def concrete_building() -> Model:
    """Reinforced concrete in space: three storeys, two bays each way."""
    model = Model("3x2x2", dimensions=3)
    column, beam = reinforced_in_space(0.5, 0.5, 4e-4), reinforced_in_space(0.3, 0.6, 4e-4)
    rows = range(3)
    for k in range(4):
        for i in rows:
            for j in rows:
                name = _name(k, i, j)
                model.node(name, BAY * i, BAY * j, STOREY * k, fixed=k == 0)
                if k > 0:
                    model.mass(name, WEIGHT / 9.81)
                    model.load(name, z=-WEIGHT, pattern="gravity")

    def add(kind: str, start: str, end: str, section: Section) -> None:
        name = f"{kind} {start}"
        model.add(ForceBeamColumn(name, start, end, section=section, geometry="p-delta"))

    for k in range(1, 4):
        for i in rows:
            for j in rows:
                add("column", _name(k - 1, i, j), _name(k, i, j), column)
                if i < 2:
                    add("beam x", _name(k, i, j), _name(k, i + 1, j), beam)
                if j < 2:
                    add("beam y", _name(k, i, j), _name(k, i, j + 1), beam)
    model.rayleigh(**DAMPING)
    return model


def hinged_frame(storeys: int, bays: int) -> Model:
    """Elastic members, with hinges that deteriorate at both ends of the beams and at the feet.

    The hinges are ten times as stiff as their members. Newton's method in openseespy does not
    converge with ``Bilin`` under strong shaking: the comparison ends before that.
    """
    model = Model(f"{storeys}x{bays}, hinges")
    column, beam = ElasticSection(200e9, 3e-2, 8e-4), ElasticSection(200e9, 1.3e-2, 6e-4)
    _grid(model, storeys, bays, WEIGHT)

    def hinge(name: str, at: str, moment: float, section: ElasticSection, length: float) -> str:
        """A node that turns against another, and the spring between them."""
        model.node(name, *model.nodes[at].coordinates.tolist())
        model.equal_dof(at, name, ("x", "y"))
        both: dict[str, float] = {"fy": moment, **IMK}
        sides: dict[str, float] = {f"{key}_{side}": both[key] for side in "pn" for key in both}
        wear: dict[str, float] = {f"lambda_{kind}": 1.0 for kind in "sck"}
        wear |= {f"c_{kind}": 1.0 for kind in "sck"}
        law = ModifiedIMK(K=6.0 * section.E * section.I / length, n=10.0, **sides, **wear)
        model.add(ZeroLength(f"hinge {name}", at, name, {"rz": law}))
        return name

    def add(kind: str, start: str, end: str, section: ElasticSection) -> None:
        name = f"{kind} {start}"
        model.add(ElasticBeamColumn(name, start, end, section=section, geometry="p-delta"))

    for k in range(1, storeys + 1):
        for i in range(bays + 1):
            foot = _name(k - 1, i)
            if k == 1:
                foot = hinge(_name("foot", i), foot, 0.5e6, column, STOREY)
            add("column", foot, _name(k, i), column)
        for i in range(bays):
            left = hinge(_name("left", k, i), _name(k, i), 0.3e6, beam, BAY)
            right = hinge(_name("right", k, i), _name(k, i + 1), 0.3e6, beam, BAY)
            add("beam", left, right, beam)
    model.rayleigh(**DAMPING)
    return model


IMK: dict[str, float] = {
    "alpha": 0.03,
    "theta_p": 0.03,
    "theta_pc": 0.2,
    "residual": 0.3,
    "theta_u": 0.4,
    "rate": 1.0,
}

MODELS = (
    Everyday("steel 5x3, Steel02", partial(steel_frame, 5, 3), 400, 12.0, 15.0, "5.0"),
    Everyday("steel 10x5, Steel02", partial(steel_frame, 10, 5), 200, 15.0, 15.0, "10.0"),
    Everyday(
        "RC 5x3, Steel02 + Concrete02, force-based",
        partial(concrete_frame, 5, 3),
        200,
        6.0,
        20.0,
        "5.0",
    ),
    Everyday(
        "RC 10x5, Steel02 + Concrete02, force-based",
        partial(concrete_frame, 10, 5),
        100,
        6.0,
        20.0,
        "10.0",
    ),
    Everyday(
        "RC 5x3, Steel02 + Concrete02, displacement-based",
        partial(concrete_frame, 5, 3, member=DisplacementBeamColumn, pieces=4),
        200,
        6.0,
        30.0,
        "5.0",
    ),
    Everyday(
        "RC 10x5, Steel02 + Concrete02, displacement-based",
        partial(concrete_frame, 10, 5, member=DisplacementBeamColumn, pieces=4),
        100,
        6.0,
        30.0,
        "10.0",
    ),
    Everyday(
        "RC 5x3, Steel01 + Concrete01, force-based",
        partial(concrete_frame, 5, 3, kent_park=KentParkConcrete, steel=BILINEAR_BARS),
        200,
        6.0,
        20.0,
        "5.0",
    ),
    Everyday(
        "RC in space 3x2x2, Steel02 + Concrete02, force-based",
        concrete_building,
        60,
        6.0,
        15.0,
        "3.0.0",
    ),
    Everyday("nine storeys of IMK hinges, 9x1", partial(hinged_frame, 9, 1), 340, 2.5, 20.0, "9.0"),
    Everyday("nine storeys of IMK hinges, 9x3", partial(hinged_frame, 9, 3), 270, 3.5, 20.0, "9.0"),
)

RECORDS_MODEL = MODELS[1]
"""The model that is shaken by many records."""
