"""Shear in sections, loads over a part of a member, and links with P-Delta."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from femu.analyses import DisplacementControl, LoadControl
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    Stations,
    TwoNodeLink,
    ZeroLengthSection,
)
from femu.materials import Bilinear, Elastic, ElasticSection, MenegottoPinto, SectionWithShear
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, STATIC, Case, ModelCase
from femu.opensees.comparison.suite import space
from femu.opensees.comparison.suite.elements import GRAVITY, cycles, quake
from femu.opensees.comparison.suite.models import (
    BEAM,
    COLUMN,
    cantilever,
    elastic,
    fibres,
    uncoupled,
)
from femu.opensees.translation.translate import Stage

G = 77e9
GA = 5.0 / 6.0 * G * COLUMN[1]
YIELDING = Bilinear(GA, 60e3, 0.02)  # below the shear at which the column yields in bending
PART = DistributedLoad(0.2, 0.7, x=20e3, y=-90e3)
TRAPEZOID = DistributedLoad(0.15, 0.8, x=20e3, y=-90e3, x_end=-10e3, y_end=-20e3)
TRIANGLE = DistributedLoad(y_end=-100e3)
QUICK = ("fibres with shear that yields", "shear at some sections")


def _plane_shear() -> list[Case]:
    force = partial(cantilever, ForceBeamColumn, weight=300e3)
    sheared = SectionWithShear(fibres(*COLUMN), Elastic(GA))
    yielding = SectionWithShear(uncoupled(*COLUMN), YIELDING)
    gradual = SectionWithShear(fibres(*COLUMN), MenegottoPinto(GA, 90e3, 0.03))
    elastic_section = ElasticSection(200e9, COLUMN[1], COLUMN[2], G=G, alpha_y=5 / 6)
    mixed = Stations(
        [yielding, fibres(*COLUMN), fibres(*COLUMN), sheared],
        (0.0, 0.25, 0.75, 1.0),
        (0.1, 0.4, 0.4, 0.1),
    )
    hinges = Hinges(fibres(*COLUMN), 0.3, yielding, 0.2, elastic_section)
    models: dict[str, Callable[..., Model]] = {
        "fibres with elastic shear": partial(force, section=sheared),
        "shear that yields before bending": partial(force, section=yielding),
        "fibres with shear that yields": partial(force, section=gradual),
        "elastic section with shear": partial(force, section=elastic_section),
        "shear at some sections": partial(force, integration=mixed),
        "plastic hinges with shear": partial(force, integration=hinges),
    }
    made: list[Case] = []
    for name, model in models.items():
        for geometry in ("p-delta", "corotational"):
            own = partial(model, geometry=geometry)
            made.append(
                ModelCase(
                    f"ForceBeamColumn, {name}, {geometry}, cyclic",
                    own,
                    [GRAVITY, cycles(1)],
                    quick=geometry == "corotational" and name in QUICK,
                )
            )
        made.append(
            ModelCase(f"ForceBeamColumn, {name}, dynamic", model, [GRAVITY, quake()], limit=DYNAMIC)
        )
    made.append(
        ModelCase(
            "DisplacementBeamColumn, shear takes no part, cyclic",
            partial(cantilever, DisplacementBeamColumn, section=yielding, pieces=3),
            [GRAVITY, cycles(3)],
        )
    )
    made.append(
        ModelCase(
            "ElasticBeamColumn, Timoshenko, dynamic",
            partial(cantilever, ElasticBeamColumn, section=elastic_section, weight=300e3),
            [GRAVITY, cycles(1), quake()],
            limit=DYNAMIC,
            quick=True,
        )
    )
    made.append(
        ModelCase(
            "ZeroLengthSection, shear, cyclic", _sliding, [GRAVITY, cycles("top", 0.01)], quick=True
        )
    )
    return made


def _sliding() -> Model:
    """A column on a section that slides, turned out of the axes."""
    model = Model("sliding column")
    model.node("base", 0.0, 0.0, fixed=True)
    model.node("foot", 0.0, 0.0)
    model.node("top", 0.1, 3.0, mass=(20e3, 20e3, 100.0))
    section = SectionWithShear(fibres(*COLUMN), Bilinear(5e7, 40e3, 0.05))
    model.add(ZeroLengthSection("slide", "base", "foot", section, angle=1.4))
    model.add(ElasticBeamColumn("column", "foot", "top", section=elastic(*COLUMN)))
    model.load("top", y=-200e3, pattern="gravity")
    model.load("top", x=1.0, pattern="push")
    return model


def _space_shear() -> list[Case]:
    """Longer than a page: a list of cases."""
    base = space.elastic()
    rigid = 79e9 * 6.5e-3
    elastic_section = ElasticSection(
        base.E, base.A, base.I, base.Iy, base.G, base.J, alpha_y=0.4, alpha_z=0.6
    )
    along_y = ElasticSection(base.E, base.A, base.I, base.Iy, base.G, base.J, alpha_y=0.4)
    both = SectionWithShear(
        space.fibres(), Bilinear(0.4 * rigid, 35e3, 0.02), Bilinear(0.6 * rigid, 20e3, 0.05)
    )
    models: dict[str, Callable[[], Model]] = {
        "fibres with shear that yields": partial(space.column, ForceBeamColumn, section=both),
        "fibres with shear that yields, corotational": partial(
            space.column, ForceBeamColumn, section=both, geometry="corotational"
        ),
        "elastic section with shear": partial(
            space.column, ForceBeamColumn, section=elastic_section
        ),
        "elastic section with shear along y": partial(
            space.column, ForceBeamColumn, section=along_y
        ),
    }
    made: list[Case] = []
    for name, model in models.items():
        limit: dict[str, Any] = space.turning(STATIC) if "corotational" in name else {}
        made.append(
            ModelCase(
                f"ForceBeamColumn in space, {name}, cyclic",
                model,
                [GRAVITY, space.cycles(1, "x", 0.06)],
                quick=name in QUICK,
                **limit,
            )
        )
    yields = "fibres with shear that yields"
    made.append(
        ModelCase(
            f"ForceBeamColumn in space, {yields}, dynamic",
            models[yields],
            [GRAVITY, space.quake()],
            limit=DYNAMIC,
        )
    )
    made.append(
        ModelCase(
            "DisplacementBeamColumn in space, shear takes no part, cyclic",
            partial(space.column, DisplacementBeamColumn, section=both, pieces=2),
            [GRAVITY, space.cycles(2, "x", 0.06)],
        )
    )
    made.append(
        ModelCase(
            "ElasticBeamColumn in space, Timoshenko, dynamic",
            partial(space.column, ElasticBeamColumn, section=elastic_section),
            [GRAVITY, space.quake()],
            limit=DYNAMIC,
            quick=True,
        )
    )
    made.append(
        ModelCase(
            "ZeroLengthSection in space, shear, cyclic",
            partial(_sliding_in_space, both),
            [GRAVITY, space.cycles("top", "x", 0.02)],
        )
    )
    return made


def _sliding_in_space(section: Any) -> Model:
    model = Model("sliding column in space", dimensions=3)
    model.node("base", 0.0, 0.0, 0.0, fixed=True)
    model.node("foot", 0.0, 0.0, 0.0)
    model.node("top", 0.2, 0.1, 3.0)
    model.add(
        ZeroLengthSection(
            "slide", "base", "foot", section, orient=((0.1, 0.0, 1.0), (0.0, 1.0, 0.1))
        )
    )
    model.add(ElasticBeamColumn("column", "foot", "top", section=space.elastic()))
    model.load("top", z=-60e3, pattern="gravity")
    model.load("top", x=10e3, y=6e3, pattern="push")
    return model


def _beam(member: Callable[..., Any], load: Any, **options: Any) -> Model:
    """A sloping beam between two columns with a load on a part of it."""
    model = Model("loaded portal")
    for k, (x, y) in enumerate(((0.0, 0.0), (6.0, 0.0), (0.3, 3.6), (6.0, 4.4))):
        model.node(k, x, y, fixed=k < 2, mass=(20e3, 20e3, 100.0) if k > 1 else None)
    for name, i, j in (("left", 0, 2), ("right", 1, 3)):
        model.add(ForceBeamColumn(name, i, j, section=uncoupled(*COLUMN), geometry="corotational"))
    model.add(member("beam", 2, 3, **options))
    model.member_load("beam", load, pattern="gravity")
    model.load(2, x=1.0, pattern="push")
    return model


def _partial_loads() -> list[Case]:
    """Longer than a page: a list of cases."""
    sheared = SectionWithShear(fibres(*BEAM), Bilinear(5e8, 150e3, 0.05))
    members: dict[str, Callable[..., Any]] = {
        "ElasticBeamColumn": partial(ElasticBeamColumn, section=elastic(*BEAM)),
        "ForceBeamColumn": partial(ForceBeamColumn, section=fibres(*BEAM)),
        "ForceBeamColumn with shear": partial(ForceBeamColumn, section=sheared),
    }
    made: list[Case] = []
    for name, member in members.items():
        for label, load in (
            ("uniform over a part", PART),
            ("trapezoidal", TRAPEZOID),
            ("triangular", TRIANGLE),
        ):
            made.append(
                ModelCase(
                    f"{name}, {label} load, static",
                    partial(_beam, member, load),
                    [GRAVITY, cycles(2)],
                    quick=label == "trapezoidal",
                )
            )
    made.append(
        ModelCase(
            "ForceBeamColumn with shear, point load, static",
            partial(_beam, members["ForceBeamColumn with shear"], PointLoad(0.35, x=2e4, y=-150e3)),
            [GRAVITY],
        )
    )
    made.append(
        ModelCase(
            "ElasticBeamColumn, Timoshenko, uniform load, static",
            partial(
                _beam,
                partial(
                    ElasticBeamColumn,
                    section=ElasticSection(200e9, BEAM[1], BEAM[2], G=G, alpha_y=0.3),
                ),
                UniformLoad(x=3e4, y=-6e4),
            ),
            [GRAVITY, cycles(2)],
        )
    )
    for name, member, load in (
        ("ForceBeamColumn", partial(ForceBeamColumn, section=space.fibres()), _in_space(TRAPEZOID)),
        (
            "ForceBeamColumn with shear",
            partial(
                ForceBeamColumn,
                section=SectionWithShear(
                    space.fibres(), Bilinear(1e8, 35e3, 0.02), Bilinear(2e8, 20e3, 0.05)
                ),
            ),
            # (along z OpenSees' own shear force inside such a load is not that of statics)
            DistributedLoad(0.15, 0.8, x=2e3, y=3e3, y_end=9e3),
        ),
        (
            "ElasticBeamColumn",
            partial(ElasticBeamColumn, section=space.elastic()),
            DistributedLoad(0.2, 0.7, 2e3, 3e3, -4e3),
        ),
    ):
        made.append(
            ModelCase(
                f"{name} in space, load over a part, static",
                partial(_loaded_column, member, load),
                [Stage(LoadControl(pattern="push", steps=4))],
                quick="shear" in name,
            )
        )
    return made


def _in_space(load: DistributedLoad) -> DistributedLoad:
    return DistributedLoad(
        load.start, load.end, x=2e3, y=3e3, z=-4e3, x_end=-1e3, y_end=9e3, z_end=2e3
    )


def _loaded_column(member: Callable[..., Any], load: DistributedLoad) -> Model:
    model = space.column(member, moments=False)
    model.member_load("piece 1", load, pattern="push")
    return model


def _linked(p_delta: Any, shear_distance: float = 0.5) -> Model:
    """A heavy mass on a leaning link."""
    model = Model("linked")
    model.node("base", 0.0, 0.0, fixed=True)
    model.node("top", 0.3, 1.5, mass=(2e3, 2e3, 100.0))
    laws = {"x": Elastic(5e6), "y": Bilinear(4e5, 8e3, 0.1), "rz": Bilinear(6e5, 15e3, 0.05)}
    model.add(
        TwoNodeLink("link", "base", "top", laws, p_delta=p_delta, shear_distance=shear_distance)
    )
    model.load("top", y=-40e3, pattern="gravity")
    model.load("top", x=1.0, rz=0.1, pattern="push")
    return model


def _linked_in_space(p_delta: Any) -> Model:
    model = Model("linked in space", dimensions=3)
    model.node("base", 0.0, 0.0, 0.0, fixed=True)
    model.node("top", 0.2, 0.1, 1.5, mass=2e3)
    laws = {
        "x": Elastic(5e6),
        "y": Bilinear(4e5, 8e3, 0.1),
        "z": Elastic(3e5),
        "rx": Elastic(1e5),
        "ry": Elastic(5e5),
        "rz": Bilinear(6e5, 15e3, 0.05),
    }
    model.add(
        TwoNodeLink(
            "link", "base", "top", laws, p_delta=p_delta, orient=((0.2, 0.1, 1.5), (0.0, 1.0, 0.0))
        )
    )
    model.load("top", z=-40e3, pattern="gravity")
    model.load("top", x=1.0, y=0.4, pattern="push")
    return model


def _links() -> list[Case]:
    made: list[Case] = []
    for label, p_delta in (
        ("shear forces", True),
        ("moments at both ends", (0.3, 0.5)),
        ("moment at i", (1.0, 0.0)),
    ):
        made.append(
            ModelCase(
                f"TwoNodeLink, P-Delta by {label}, cyclic",
                partial(_linked, p_delta),
                [GRAVITY, cycles("top", 0.05)],
                quick=label == "moments at both ends",
            )
        )
    made.append(
        ModelCase(
            "TwoNodeLink, P-Delta, shear at a third, dynamic",
            partial(_linked, (0.2, 0.2), 1 / 3),
            [GRAVITY, quake(2.0)],
            limit=DYNAMIC,
        )
    )
    for shares in (True, (0.1, 0.2, 0.3, 0.35)):
        made.append(
            ModelCase(
                f"TwoNodeLink in space, P-Delta {shares}, static",
                partial(_linked_in_space, shares),
                [
                    GRAVITY,
                    Stage(DisplacementControl("top", "x", [0.04, -0.02], 0.004, pattern="push")),
                ],
                quick=shares is not True,
            )
        )
    return made


def cases() -> list[Case]:
    """The cases of this group."""
    return [*_plane_shear(), *_space_shear(), *_partial_loads(), *_links()]
