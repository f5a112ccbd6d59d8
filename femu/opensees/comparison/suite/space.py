"""Models in space and on a line: every element that femu has there, static, cyclic and dynamic."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from femu.analyses import DisplacementControl, LoadControl, Newmark, Transient, protocol
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
    BoucWen,
    Elastic,
    ElasticSection,
    FibreSection,
    KentParkConcrete,
    MenegottoPinto,
    UncoupledSection,
    Viscous,
)
from femu.materials.sections.patches import rectangle_patch, straight_layer
from femu.model.element import ROTATIONS, Element
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, STATIC, Case, EigenCase, Limit, ModelCase
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion

GRAVITY = Stage(LoadControl(pattern="gravity", steps=4))
PUSH = Stage(LoadControl(pattern="push", steps=10))
SECONDS = 5.0
TOP = (0.4, -0.3, 3.3)  # of a leaning column: no axis of it is a global one
VECXZ = (0.3, 1.0, 0.2)


TURNING = (
    "displacement",
    "velocity",
    "acceleration",
    "reaction",
    "reaction moment",
    "element force",
    "element moment",
    "section force",
    "section moment",
    "load factor",
)
TURNING_REASON = (
    "A rotation in space is not a vector: OpenSees adds up the increments of all iterations, femu "
    "those of the steps, so the numbers that represent the same rotation differ in second order, "
    "and the work of moments on them."
)


def turning(limit: Limit) -> dict[str, Any]:
    """Limit of a case with corotational members.

    Of all that does not depend on how a rotation is written.
    """
    return {"limit": Limit(limit.largest, kinds=TURNING), "reason": TURNING_REASON}


def elastic() -> ElasticSection:
    """An H 300 x 200 of steel."""
    return ElasticSection(E=206e9, A=6.5e-3, I=1.1e-4, Iy=1.6e-5, G=79e9, J=2.9e-7)


def fibres() -> FibreSection:
    """The same H in fibres, with elastic torsion."""
    return FibreSection.h_shape(
        0.3,
        0.2,
        0.008,
        0.012,
        MenegottoPinto(206e9, 300e6, 0.02),
        flange_fibres=(2, 8),
        web_fibres=(8, 1),
        GJ=79e9 * 2.9e-7,
    )


def concrete() -> FibreSection:
    """A reinforced concrete column, not symmetric, with a law of torsion that yields."""
    core, cover = (
        KentParkConcrete(30e6, 0.002, 6e6, 0.02),
        KentParkConcrete(25e6, 0.002, 0.0, 0.006),
    )
    steel = Bilinear(200e9, 420e6, 0.01)
    points: list[Any] = [(*f, core) for f in rectangle_patch(6, 5, (-0.16, -0.14), (0.16, 0.14))]
    points += [
        (*f, cover)
        for low, high in (((-0.2, -0.18), (-0.16, 0.18)), ((0.16, -0.18), (0.2, 0.18)))
        for f in rectangle_patch(1, 5, low, high)
    ]
    points += [
        (*f, cover)
        for low, high in (((-0.16, -0.18), (0.16, -0.14)), ((-0.16, 0.14), (0.16, 0.18)))
        for f in rectangle_patch(6, 1, low, high)
    ]
    points += [(*f, steel) for f in straight_layer(4, 3e-4, (-0.15, -0.13), (-0.15, 0.13))]
    points += [(*f, steel) for f in straight_layer(3, 4e-4, (0.15, -0.13), (0.15, 0.13))]
    return FibreSection.from_points(points, torsion=Bilinear(8e6, 2e4, 0.1))


def uncoupled() -> UncoupledSection:
    """A law for each of N, Mz, My, T."""
    return UncoupledSection(
        Bilinear(206e9 * 6.5e-3, 2e6, 0.03),
        Bilinear(206e9 * 1.1e-4, 2.3e5, 0.03),
        Bilinear(206e9 * 1.6e-5, 5e4, 0.03),
        Bilinear(79e9 * 2.9e-7, 4e3, 0.05),
    )


def quake(pga: float = 4.0, directions: tuple[str, ...] = ("x", "y", "z")) -> Stage:
    """El Centro along several axes at once, each with its own factor."""
    return Stage(
        Transient(Newmark(), dt=0.01),
        {
            d: GroundMotion.el_centro().scaled(pga=pga * share)
            for d, share in zip(directions, (1.0, 0.7, 0.5), strict=False)
        },
        SECONDS,
    )


def cycles(node: Any, direction: str, size: float) -> Stage:
    """Cyclic displacements of a node."""
    return Stage(
        DisplacementControl(
            node, direction, protocol([0.4 * size, size]), 0.05 * size, pattern="push"
        )
    )


def column(
    member: Callable[..., Element],
    *,
    weight: float = 60e3,
    pieces: int = 1,
    lumped: float = 20e3,
    inertia: float = 300.0,
    moments: bool = True,
    **options: Any,
) -> Model:
    """A leaning column in space with a mass and loads in all directions at its top."""
    model = Model("column in space", dimensions=3)
    for k in range(pieces + 1):
        share = k / pieces
        model.node(
            k,
            *(share * v for v in TOP),
            fixed=k == 0,
            mass=[lumped] * 3 + [inertia] * 3 if k == pieces else None,
        )
    for k in range(pieces):
        model.add(member(f"piece {k + 1}", k, k + 1, vecxz=VECXZ, **options))
    model.load(pieces, z=-weight, pattern="gravity")
    model.load(pieces, x=10e3, y=6e3, z=-2e3, pattern="push")
    if moments:
        model.load(pieces, rx=1e3, ry=-2e3, rz=3e3, pattern="push")
    return model


def loaded_column(member: Callable[..., Element], **options: Any) -> Model:
    """The leaning column with loads along it."""
    model = column(member, **options)
    model.member_load("piece 1", UniformLoad(x=-2e3, y=3e3, z=-4e3), pattern="push")
    model.member_load("piece 1", PointLoad(0.3, x=1e3, y=-5e3, z=7e3), pattern="push")
    return model


def hinged_column(**options: Any) -> Model:
    """The leaning column, its top held against rotation, under a uniform load.

    (OpenSees' own forces of a point load on a member with a hinge differ from those of statics.)
    """
    model = column(ElasticBeamColumn, section=elastic(), **options)
    model.fix(1, ROTATIONS)
    model.member_load("piece 1", UniformLoad(x=-2e3, y=3e3, z=-4e3), pattern="push")
    return model


def frame(
    member: Callable[..., Element],
    make_section: Callable[[], Any],
    geometry: str = "linear",
    floors: int = 2,
    diaphragm: bool = True,
) -> Model:
    """A frame of one bay each way, with rigid floors whose nodes follow one at the centre of mass."""
    model = Model("frame in space", dimensions=3)
    corners = ((0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0))
    section = make_section()
    for floor in range(floors + 1):
        for c, (x, y) in enumerate(corners):
            mass = None if diaphragm or floor == 0 else 8e3
            model.node(10 * floor + c, x, y, 3.4 * floor, fixed=floor == 0, mass=mass)
    for floor in range(1, floors + 1):
        level = [10 * floor + c for c in range(4)]
        for c in range(4):
            model.add(
                member(
                    f"column {floor}.{c}",
                    10 * floor - 10 + c,
                    10 * floor + c,
                    section=section,
                    geometry=geometry,
                    vecxz=(0.0, 1.0, 0.0) if c % 2 else (1.0, 0.0, 0.0),
                )
            )
            model.add(
                ElasticBeamColumn(
                    f"beam {floor}.{c}", level[c], level[(c + 1) % 4], section=elastic()
                )
            )
            model.load(level[c], z=-60e3, pattern="gravity")
        if diaphragm:
            centre = 10 * floor + 9
            model.node(
                centre,
                3.2,
                1.9,
                3.4 * floor,
                fixed=("z", "rx", "ry"),
                mass=(32e3, 32e3, 0.0, 0.0, 0.0, 2e5),
            )
            model.rigid_diaphragm([centre, *level], normal="z")
            model.load(centre, x=20e3, y=8e3, pattern="push")
        else:
            model.load(level[0], x=20e3, y=8e3, pattern="push")
    return model


def dome(geometry: str = "linear", material: Callable[[], Any] = lambda: Elastic(206e9)) -> Model:
    """A star dome of trusses: no node has rotations."""
    model = Model("dome", dimensions=3)
    model.node("top", 0.0, 0.0, 1.6, mass=2e3)
    for k in range(6):
        turn = k * math.pi / 3.0
        model.node(f"ring {k}", 2.5 * math.cos(turn), 2.5 * math.sin(turn), 0.6, mass=1e3)
        model.node(
            f"base {k}", 4.3 * math.cos(turn + 0.5), 4.3 * math.sin(turn + 0.5), 0.0, fixed=True
        )
    law = material()
    bars = [("top", f"ring {k}") for k in range(6)] + [
        (f"ring {k}", f"ring {(k + 1) % 6}") for k in range(6)
    ]
    bars += [
        (f"ring {k}", f"base {k - d if k >= d else k - d + 6}") for k in range(6) for d in (0, 1)
    ]
    for n, (a, b) in enumerate(bars):
        model.add(Truss(f"bar {n}", a, b, material=law, area=3e-4, geometry=geometry))
    model.load("top", x=2e3, z=-25e3, pattern="gravity")
    model.load("top", x=4e3, z=-20e3, pattern="push")
    return model


def springs(link: str) -> Model:
    """A mass on a link with a law in each of the six directions."""
    laws = {
        "x": Bilinear(3e5, 4e3, 0.05),
        "y": BoucWen(0.1, 3e5, 2.0, 5e3, 5e3),
        "z": MenegottoPinto(4e5, 6e3, 0.03),
        "rx": Bilinear(2e5, 3e3, 0.1),
        "ry": Elastic(3e5),
        "rz": Bilinear(4e5, 2e3, 0.05),
    }
    model = Model(link, dimensions=3)
    far = (0.4, 0.3, 1.1) if link == "two-node link" else (0.0, 0.0, 0.0)
    model.node("base", 0.0, 0.0, 0.0, fixed=True)
    model.node("end", *far)
    # the mass is off the axis, so that it turns as well
    model.node(
        "mass", far[0] + 0.3, far[1] - 0.2, far[2] + 0.5, mass=(1e3, 1e3, 1e3, 50.0, 60.0, 70.0)
    )
    model.rigid_link("end", "mass")
    if link == "two-node link":
        model.add(
            TwoNodeLink(
                "link", "base", "end", laws, shear_distance=(0.3, 0.6), orient=(0.2, 1.0, 0.1)
            )
        )
    else:
        model.add(
            ZeroLength("link", "base", "end", laws, orient=((1.0, 0.3, 0.2), (-0.2, 1.0, 0.5)))
        )
    model.load("mass", x=3e3, y=2e3, z=-4e3, rx=1e3, ry=5e2, rz=-8e2, pattern="push")
    return model


def line() -> Model:
    """Masses on a line: a bar, a spring that yields and a dashpot."""
    model = Model("on a line", dimensions=1)
    model.node("base", 0.0, fixed=True)
    model.node("one", 2.0, mass=500.0)
    model.node("two", 2.0, mass=300.0)
    model.add(Truss("bar", "base", "one", material=MenegottoPinto(2e8, 3e5, 0.05), area=1e-3))
    model.add(ZeroLength("spring", "one", "two", {"x": Bilinear(5e4, 1e3, 0.1)}))
    model.add(ZeroLength("dashpot", "one", "two", {"x": Viscous(500.0)}))
    model.load("two", x=1.5e3, pattern="push")
    return model


def hinge_of_fibres() -> Model:
    """A mass on a section between two nodes at one place, the shears held by springs."""
    model = Model("section between two nodes", dimensions=3)
    model.node("base", 0.0, 0.0, 0.0, fixed=True)
    model.node("end", 0.0, 0.0, 0.0)
    model.node("mass", 0.2, 0.5, 1.5, mass=(2e3, 2e3, 2e3, 0.0, 0.0, 0.0))
    orient = ((0.1, 0.2, 1.0), (0.0, 1.0, 0.3))
    model.add(ZeroLengthSection("section", "base", "end", concrete(), orient=orient))
    model.add(
        ZeroLength("shear", "base", "end", {"y": Elastic(5e7), "z": Elastic(4e7)}, orient=orient)
    )
    model.rigid_link("end", "mass")
    model.load("mass", z=-3e5, pattern="gravity")
    model.load("mass", x=2e4, y=1e4, rz=2e3, pattern="push")
    return model


def _yielding() -> list[Case]:
    """Longer than a page: a list of cases."""
    made: list[Case] = []
    members: dict[str, tuple[Any, Callable[[], Any], dict[str, Any]]] = {
        "ForceBeamColumn, uncoupled": (ForceBeamColumn, uncoupled, {}),
        "ForceBeamColumn, fibres": (ForceBeamColumn, fibres, {}),
        "ForceBeamColumn, concrete": (ForceBeamColumn, concrete, {"points": 4}),
        "DisplacementBeamColumn, fibres": (DisplacementBeamColumn, fibres, {"pieces": 3}),
        "DisplacementBeamColumn, concrete": (
            DisplacementBeamColumn,
            concrete,
            {"pieces": 3, "points": 3},
        ),
    }
    for name, (member, section, options) in members.items():
        top = options.get("pieces", 1)
        size = 0.05 if section is concrete else 0.08
        for geometry in ("linear", "p-delta"):
            model = partial(column, member, section=section(), geometry=geometry, **options)
            made.append(
                ModelCase(
                    f"space {name}, {geometry}, cyclic",
                    model,
                    [GRAVITY, cycles(top, "x", size)],
                    quick=geometry == "p-delta",
                )
            )
        made.append(
            ModelCase(
                f"space {name}, p-delta, dynamic",
                model,
                [GRAVITY, quake(8.0)],
                limit=DYNAMIC,
                quick=name == "ForceBeamColumn, fibres",
            )
        )
        model = partial(
            column,
            member,
            section=section(),
            geometry="corotational",
            moments=False,
            inertia=0.0,
            **options,
        )
        made += [
            ModelCase(
                f"space {name}, corotational, cyclic",
                model,
                [GRAVITY, cycles(top, "x", size)],
                **turning(STATIC),
            ),
            ModelCase(
                f"space {name}, corotational, dynamic",
                model,
                [GRAVITY, quake(8.0)],
                **turning(DYNAMIC),
                quick=section is fibres,
            ),
        ]
    elastic_inside = elastic()
    hinges = Hinges(fibres(), 0.3, uncoupled(), 0.25, elastic_inside)
    made += [
        ModelCase(
            "space ForceBeamColumn, plastic hinges, cyclic",
            partial(column, ForceBeamColumn, integration=hinges),
            [GRAVITY, cycles(1, "y", 0.08)],
            quick=True,
        ),
        ModelCase(
            "space ForceBeamColumn, member loads",
            partial(loaded_column, ForceBeamColumn, section=fibres()),
            [GRAVITY, Stage(LoadControl(pattern="push", steps=20, factor=1.5))],
        ),
        ModelCase(
            "space DisplacementBeamColumn, member loads",
            partial(loaded_column, DisplacementBeamColumn, section=fibres()),
            [GRAVITY, PUSH],
        ),
        ModelCase(
            "space frame of fibres, rigid floors, dynamic",
            partial(frame, ForceBeamColumn, fibres, "p-delta"),
            [GRAVITY, quake(8.0, ("x", "y"))],
            limit=DYNAMIC,
        ),
        ModelCase("space ZeroLengthSection, static", hinge_of_fibres, [GRAVITY, PUSH]),
        ModelCase(
            "space ZeroLengthSection, dynamic",
            hinge_of_fibres,
            [GRAVITY, quake()],
            limit=DYNAMIC,
            quick=True,
        ),
    ]
    return made


def cases() -> list[Case]:
    """All of the group.

    Longer than a page: a list of cases.
    """
    made: list[Case] = _yielding()
    model = partial(
        column,
        ElasticBeamColumn,
        section=elastic(),
        geometry="corotational",
        moments=False,
        inertia=0.0,
        pieces=3,
    )
    made += [
        ModelCase(
            "space ElasticBeamColumn, corotational, static",
            model,
            [GRAVITY, Stage(LoadControl(pattern="push", factor=20.0, steps=20))],
            **turning(STATIC),
            quick=True,
        ),
        ModelCase(
            "space ElasticBeamColumn, corotational, dynamic",
            model,
            [GRAVITY, quake()],
            **turning(DYNAMIC),
        ),
    ]
    for geometry in ("linear", "p-delta"):
        model = partial(column, ElasticBeamColumn, section=elastic(), geometry=geometry)
        made += [
            ModelCase(
                f"space ElasticBeamColumn, {geometry}, static",
                model,
                [GRAVITY, PUSH],
                quick=geometry == "p-delta",
            ),
            ModelCase(
                f"space ElasticBeamColumn, {geometry}, dynamic",
                model,
                [GRAVITY, quake()],
                limit=DYNAMIC,
            ),
        ]
    offsets: dict[str, Any] = {"offset_i": (0.1, -0.05, 0.2), "offset_j": (-0.15, 0.1, -0.1)}
    made += [
        ModelCase(
            "space ElasticBeamColumn, member loads",
            partial(loaded_column, ElasticBeamColumn, section=elastic()),
            [PUSH],
        ),
        ModelCase(
            "space ElasticBeamColumn, member loads, offsets",
            partial(loaded_column, ElasticBeamColumn, section=elastic(), **offsets),
            [PUSH],
        ),
        ModelCase(
            "space ElasticBeamColumn, offsets, p-delta",
            partial(column, ElasticBeamColumn, section=elastic(), geometry="p-delta", **offsets),
            [GRAVITY, PUSH],
        ),
        ModelCase(
            "space ElasticBeamColumn, hinges about y and z",
            partial(hinged_column, release_i="y", release_j="z"),
            [PUSH],
        ),
        ModelCase(
            "space ElasticBeamColumn, hinge about both axes",
            partial(hinged_column, release_i=True),
            [PUSH],
        ),
        ModelCase(
            "space frame, rigid floors, static",
            partial(frame, ElasticBeamColumn, elastic),
            [GRAVITY, PUSH],
        ),
        ModelCase(
            "space frame, rigid floors, p-delta, dynamic",
            partial(frame, ElasticBeamColumn, elastic, "p-delta"),
            [GRAVITY, quake(directions=("x", "y"))],
            limit=DYNAMIC,
            quick=True,
        ),
        EigenCase(
            "space frame, periods", partial(frame, ElasticBeamColumn, elastic, diaphragm=False), 6
        ),
        EigenCase(
            "space ElasticBeamColumn, consistent mass, periods",
            partial(
                column,
                ElasticBeamColumn,
                section=elastic(),
                mass=50.0,
                lumped=10.0,
                inertia=0.0,
                pieces=3,
                consistent_mass=True,
            ),
            4,
        ),
        ModelCase("space dome of trusses, static", dome, [PUSH]),
        ModelCase(
            "space dome of trusses, corotational, yielding",
            partial(dome, "corotational", lambda: MenegottoPinto(206e9, 80e6, 0.05)),
            [GRAVITY, Stage(LoadControl(pattern="push", steps=20))],
            quick=True,
        ),
        ModelCase(
            "space dome of trusses, corotational, dynamic",
            partial(dome, "corotational", lambda: Bilinear(206e9, 80e6, 0.05)),
            [GRAVITY, quake(20.0)],
            limit=DYNAMIC,
        ),
        ModelCase("a line of springs, static", line, [PUSH]),
        ModelCase(
            "a line of springs, dynamic",
            line,
            [quake(directions=("x",))],
            limit=DYNAMIC,
            quick=True,
        ),
    ]
    for link in ("zero length", "two-node link"):
        made += [
            ModelCase(f"space {link}, six laws, static", partial(springs, link), [PUSH]),
            ModelCase(
                f"space {link}, six laws, dynamic",
                partial(springs, link),
                [PUSH, quake()],
                limit=DYNAMIC,
                quick=link == "zero length",
            ),
        ]
    return made
