"""Every element, static, cyclic and dynamic, under each geometric transformation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from femu.analyses import DisplacementControl, LoadControl, Newmark, Transient, protocol
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ViscousDashpot,
    ZeroLength,
    ZeroLengthSection,
)
from femu.materials import (
    Bilinear,
    BoucWen,
    Elastic,
    ElasticGap,
    ElasticSection,
    KentParkConcrete,
    MaxwellDamper,
    MenegottoPinto,
    NMSection,
    Parallel,
    Viscous,
)
from femu.model.model import Model
from femu.model.series import Sine
from femu.opensees.comparison.case import DYNAMIC, Case, Limit, ModelCase
from femu.opensees.comparison.suite.models import (
    COLUMN,
    GEOMETRIES,
    STEEL,
    cantilever,
    elastic,
    fibres,
    uncoupled,
)
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion

GRAVITY = Stage(LoadControl(pattern="gravity", steps=4))
QUAKE_SECONDS = 8.0


def quake(pga: float = 5.0) -> Stage:
    """El Centro, strong enough to yield the models of this group."""
    return Stage(
        Transient(Newmark(), dt=0.01), GroundMotion.el_centro().scaled(pga=pga), QUAKE_SECONDS
    )


def cycles(node: Any, size: float = 0.1) -> Stage:
    """Cyclic displacements of a node."""
    path = protocol([0.3 * size, 0.7 * size, size])
    return Stage(DisplacementControl(node, "x", path, 0.025 * size, pattern="push"))


BEAM_COLUMNS: dict[str, Callable[..., Model]] = {
    "ElasticBeamColumn": partial(
        cantilever, ElasticBeamColumn, section=elastic(*COLUMN), weight=300e3
    ),
    "ForceBeamColumn, uncoupled": partial(
        cantilever, ForceBeamColumn, section=uncoupled(*COLUMN), weight=300e3
    ),
    "ForceBeamColumn, fibres": partial(
        cantilever, ForceBeamColumn, section=fibres(*COLUMN), weight=300e3
    ),
    "DisplacementBeamColumn, fibres": partial(
        cantilever, DisplacementBeamColumn, section=fibres(*COLUMN), weight=300e3, pieces=4
    ),
}


def _beam_columns() -> list[Case]:
    made: list[Case] = []
    for name, make in BEAM_COLUMNS.items():
        for geometry in GEOMETRIES:
            model = partial(make, geometry=geometry)
            top = 4 if name.startswith("Displacement") else 1
            corotational = geometry == "corotational"
            static = [GRAVITY, Stage(DisplacementControl(top, "x", [0.4], 0.01, pattern="push"))]
            made += [
                ModelCase(f"{name}, {geometry}, static", model, static),
                ModelCase(
                    f"{name}, {geometry}, cyclic", model, [GRAVITY, cycles(top)], quick=corotational
                ),
                ModelCase(
                    f"{name}, {geometry}, dynamic",
                    model,
                    [GRAVITY, quake()],
                    limit=DYNAMIC,
                    quick=corotational,
                ),
            ]
    return made


def _variants() -> list[Case]:
    force = partial(cantilever, ForceBeamColumn, weight=300e3, geometry="p-delta")
    steel02 = uncoupled(*COLUMN)
    steel02.moment = MenegottoPinto(steel02.moment.E, steel02.moment.fy, 0.02)  # type: ignore[attr-defined]
    hinge = Hinges(fibres(*COLUMN), 0.3, fibres(*COLUMN), 0.2, elastic(*COLUMN))
    offsets: dict[str, Any] = {"offset_i": (0.0, 0.3), "offset_j": (0.1, -0.2)}
    models: dict[str, Callable[[], Model]] = {
        "ForceBeamColumn, 3 points Legendre": partial(
            force, section=fibres(*COLUMN), points=3, integration="legendre"
        ),
        "ForceBeamColumn, 4 points Radau": partial(
            force, section=fibres(*COLUMN), points=4, integration="radau"
        ),
        "ForceBeamColumn, 7 points Lobatto": partial(force, section=fibres(*COLUMN), points=7),
        "ForceBeamColumn, plastic hinges": partial(force, integration=hinge),
        "ForceBeamColumn, Menegotto-Pinto moment": partial(force, section=steel02),
        "ForceBeamColumn, rigid offsets, p-delta": partial(
            force, section=uncoupled(*COLUMN), **offsets
        ),
        "ForceBeamColumn, mass per length": partial(force, section=uncoupled(*COLUMN), mass=2000.0),
        "ElasticBeamColumn, rigid offsets, linear": partial(
            cantilever, ElasticBeamColumn, section=elastic(*COLUMN), **offsets
        ),
        "DisplacementBeamColumn, consistent mass": partial(
            cantilever,
            DisplacementBeamColumn,
            section=uncoupled(*COLUMN),
            mass=3000.0,
            consistent_mass=True,
            pieces=3,
        ),
    }
    made: list[Case] = []
    for name, model in models.items():
        top = max(model().nodes)
        made += [
            ModelCase(f"{name}, cyclic", model, [GRAVITY, cycles(top)]),
            ModelCase(f"{name}, dynamic", model, [GRAVITY, quake()], limit=DYNAMIC),
        ]
    # by a force: OpenSees' elasticBeamColumn with consistent mass takes base acceleration otherwise
    # than its dispBeamColumn
    made.append(
        ModelCase(
            "ElasticBeamColumn, consistent mass, dynamic",
            _shaken,
            [Stage(Transient(Newmark(), dt=0.01), duration=QUAKE_SECONDS)],
            limit=DYNAMIC,
        )
    )
    for i, j in ((True, False), (False, True), (True, True)):
        name = f"ElasticBeamColumn, released at {' and '.join(n for n, r in (('i', i), ('j', j)) if r)}"
        made.append(
            ModelCase(
                name,
                partial(_portal, i, j),
                [Stage(LoadControl(pattern="push", factor=1e5, steps=3)), quake()],
                limit=DYNAMIC,
            )
        )
    return made


def _shaken() -> Model:
    model = cantilever(
        ElasticBeamColumn, section=elastic(*COLUMN), mass=3000.0, consistent_mass=True, pieces=3
    )
    model.pattern("shaker", Sine(0.5))
    model.load(3, x=1e5, rz=1e4, pattern="shaker")
    return model


def _portal(release_i: bool, release_j: bool) -> Model:
    """Two columns and a beam with hinged ends."""
    model = Model("portal")
    for k, (x, y) in enumerate(((0.0, 0.0), (6.0, 0.0), (0.0, 3.6), (6.0, 4.0))):
        model.node(k, x, y, fixed=k < 2, mass=None if k < 2 else (20e3, 20e3, 100.0))
    section = elastic(*COLUMN)
    model.add(ElasticBeamColumn("left", 0, 2, section=section))
    model.add(ElasticBeamColumn("right", 1, 3, section=section))
    model.add(
        ElasticBeamColumn("beam", 2, 3, section=section, release_i=release_i, release_j=release_j)
    )
    model.load(2, x=1.0, y=-0.5, rz=0.2, pattern="push")
    return model


def _truss(geometry: str, material: Any = STEEL, mass: float = 0.0) -> Model:
    """Two bars that meet at a loaded joint."""
    model = Model("two bars")
    model.node("left", 0.0, 0.0, fixed="xy")
    model.node("right", 4.0, 0.0, fixed="xy")
    model.node("top", 1.5, 2.0, mass=5e3)
    for name in ("left", "right"):
        model.add(
            Truss(
                f"{name} bar",
                name,
                "top",
                material=material,
                area=2e-4,
                geometry=geometry,
                mass=mass,
            )
        )
    model.load("top", y=-10e3, pattern="gravity")
    model.load("top", x=1.0, pattern="push")
    return model


def _springs(make: Callable[[Model], None]) -> Model:
    """A mass on links to the ground; ``make`` adds the links from "base" to "mass"."""
    model = Model("springs")
    model.node("base", 0.0, 0.0, fixed=True)
    model.node("far", 2.0, 1.0, fixed=True)
    model.node("mass", 0.0, 0.0, mass=(1000.0, 1000.0, 200.0))
    make(model)
    model.load("mass", y=-2e3, pattern="gravity")
    model.load("mass", x=1.0, y=0.2, rz=0.3, pattern="push")
    return model


def _zero_length(angle: float) -> Callable[[Model], None]:
    laws = {
        "x": Bilinear(2e5, 3e3, 0.05),
        "y": BoucWen(0.1, 3e5, 2.0, 5e3, 5e3),
        "rz": Elastic(4e4),
    }

    def make(model: Model) -> None:
        model.add(ZeroLength("springs", "base", "mass", laws, angle=angle))

    return make


def _two_node_link(model: Model) -> None:
    laws = {"x": Bilinear(3e5, 4e3, 0.05), "y": Bilinear(2e5, 2e3, 0.1), "rz": Elastic(4e4)}
    model.add(TwoNodeLink("link", "far", "mass", laws, shear_distance=0.3))


def _gaps(model: Model) -> None:
    model.add(
        ZeroLength(
            "springs", "base", "mass", {"x": Elastic(1e5), "y": Elastic(2e5), "rz": Elastic(4e4)}
        )
    )
    model.add(ZeroLength("stop", "base", "mass", {"x": ElasticGap(1e6, 2e4, 0.02, 0.05)}))
    model.add(ZeroLength("other stop", "base", "mass", {"x": ElasticGap(1e6, -2e4, -0.02, 0.05)}))


def _section(model: Model) -> None:
    model.add(ZeroLengthSection("section", "base", "mass", fibres(0.3, 9e-6)))
    model.add(ZeroLength("shear", "base", "mass", {"y": Elastic(2e5)}))


def _dampers(*dashpots: Any) -> Callable[[Model], None]:
    def make(model: Model) -> None:
        model.add(
            ZeroLength(
                "springs",
                "base",
                "mass",
                {"x": Bilinear(2e5, 3e3, 0.05), "y": Elastic(3e5), "rz": Elastic(4e4)},
            )
        )
        for k, law in enumerate(dashpots):
            model.add(ZeroLength(f"damper {k + 1}", "base", "mass", {"x": law}))
        model.add(LumpedMass("more", "mass", 200.0, 10.0))

    return make


def _dashpot(model: Model) -> None:
    _dampers()(model)
    model.add(ViscousDashpot("dashpot", "far", "mass", C=3e3, alpha=1.0))


def _links() -> list[Case]:
    """Longer than a page: a list of cases."""
    made: list[Case] = []
    for geometry in ("linear", "corotational"):
        model = partial(_truss, geometry)
        made += [
            ModelCase(
                f"Truss, {geometry}, static",
                model,
                [Stage(LoadControl(pattern="gravity", steps=5))],
            ),
            ModelCase(
                f"Truss, {geometry}, cyclic", model, [GRAVITY, cycles("top", 0.02)], quick=True
            ),
            ModelCase(
                f"Truss, {geometry}, dynamic",
                model,
                [GRAVITY, quake(20.0)],
                limit=DYNAMIC,
                quick=True,
            ),
        ]
    made.append(
        ModelCase(
            "Truss, mass per length, dynamic",
            partial(_truss, "linear", mass=300.0),
            [GRAVITY, quake(20.0)],
            limit=DYNAMIC,
        )
    )
    concrete = Parallel([KentParkConcrete(3e8, 0.002, 6e7, 0.006), Elastic(1e10)])
    made.append(
        ModelCase(
            "Truss, concrete, cyclic",
            partial(_truss, "linear", concrete),
            [
                Stage(
                    DisplacementControl(
                        "top", "y", [-0.01, -0.001, -0.02, 0.005], 2e-4, pattern="gravity"
                    )
                )
            ],
        )
    )
    for name, make in (
        ("ZeroLength", _zero_length(0.0)),
        ("ZeroLength, turned", _zero_length(0.4)),
        ("TwoNodeLink", _two_node_link),
        ("ZeroLength, gaps", _gaps),
        ("ZeroLengthSection", _section),
    ):
        model = partial(_springs, make)
        made += [
            ModelCase(f"{name}, cyclic", model, [GRAVITY, cycles("mass", 0.06)]),
            ModelCase(
                f"{name}, dynamic",
                model,
                [GRAVITY, quake()],
                limit=DYNAMIC,
                quick=name == "TwoNodeLink",
            ),
        ]
    for name, make in (
        ("Viscous, linear", _dampers(Viscous(2e3))),
        ("Viscous, power 0.5", _dampers(Viscous(2e3, 0.5))),
        ("ViscousDashpot between nodes", _dashpot),
    ):
        made.append(
            ModelCase(
                f"{name}, dynamic", partial(_springs, make), [GRAVITY, quake()], limit=DYNAMIC
            )
        )
    damper = MaxwellDamper(5e5, 4e3, 0.5, relative_tolerance=1e-13)
    made.append(
        ModelCase(
            "MaxwellDamper, dynamic", partial(_springs, _dampers(damper)), [quake()], limit=DYNAMIC
        )
    )
    return made


NEAREST = (
    "OpenSees has no N-M section. It is compared with the fibre section of the same H, which "
    "yields gradually over its depth, while the N-M section yields at once (shape factor)."
)


def _nm_portal() -> Model:
    """The frame of Wu, Chen, Xu and Zeng (2015).

    Two N-M columns and an elastic beam, 30 t per node.
    """
    column = NMSection.h_shape(0.25, 0.25, 0.006, 0.012, E=206e9, fy=280e6, b=0.03)
    model = Model("portal")
    for name, x, y in (("A", 0.0, 0.0), ("B", 6.0, 0.0), ("C", 0.0, 3.6), ("D", 6.0, 3.6)):
        model.node(name, x, y, fixed=y == 0.0, mass=(30e3, 30e3, 20e3) if y else None)
    model.add(ForceBeamColumn("left", "A", "C", section=column))
    model.add(ForceBeamColumn("right", "B", "D", section=column))
    model.add(
        ElasticBeamColumn("beam", "C", "D", section=ElasticSection(206e9, 6.456e-3, 1.101e-4))
    )
    model.rayleigh(0.02)
    return model


def _nm() -> list[Case]:
    section = NMSection.h_shape(0.25, 0.25, 0.006, 0.012, E=206e9, fy=280e6, b=0.03)
    made: list[Case] = []
    for share in (0.0, 0.2, 0.4):
        model = partial(
            cantilever,
            ForceBeamColumn,
            section=section,
            weight=share * section.yield_force,
            lean=0.0,
        )
        made.append(
            ModelCase(
                f"NMSection in a column at {share:g} of its yield force, cyclic",
                model,
                [GRAVITY, cycles(1, 0.25)],
                limit=Limit(rms=0.03, of_peaks=0.01, kinds=("load factor",)),
                reason=NEAREST,
            )
        )
    made.append(
        ModelCase(
            "NMSection in a portal, dynamic",
            _nm_portal,
            [quake(2.2)],
            limit=Limit(rms=0.06, of_peaks=0.04, kinds=("displacement",)),
            reason=NEAREST,
            quick=True,
        )
    )
    return made


def cases() -> list[Case]:
    """The cases of this group."""
    return [*_beam_columns(), *_variants(), *_links(), *_nm()]
