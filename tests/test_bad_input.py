"""Bad input: always one of femu's exceptions, which names the object, the argument and the rule."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import element_harness
import material_harness
import numpy as np
import pytest
import section_harness
from example_frames import ELASTIC, NM, QUAKE, cantilever, joined, portal, two

from femu import (
    AnalysisError,
    FemuError,
    GroundMotion,
    InputError,
    Model,
    ModelError,
    Motion,
    Outcome,
    PointLoad,
    Save,
    UniformLoad,
)
from femu.analyses import (
    HHT,
    ArcLength,
    CentralDifference,
    DisplacementControl,
    Energy,
    GeneralizedAlpha,
    Increment,
    KrylovNewton,
    Limit,
    LoadControl,
    Newmark,
    NewtonLineSearch,
    Policy,
    Pushover,
    RelativeUnbalance,
    RungeKutta,
    Transient,
    Unbalance,
    eigen,
    protocol,
)
from femu.elements import (
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
    ElasticGap,
    ElasticSection,
    Fibres,
    FibreSection,
    KentParkConcrete,
    MinMax,
    NMSection,
    Parallel,
    Series,
    UncoupledSection,
    Viscous,
)
from femu.model.component import Component
from femu.model.series import Constant
from femu.model.strain_path import drive

NAN, INF = math.nan, math.inf
STEEL = Bilinear(E=2e11, fy=3e8, b=0.01)
DAMPER = Viscous(C=1e3)
MOTION = Motion(0.01, displacement=[0.0, 0.1, 0.2])

# --- every declared number of every component ---


def all_of(made: Any) -> Iterator[Any]:
    yield made
    for _, part in made.parts():
        yield from all_of(part)


SOUND: dict[type[Component], dict[str, Any]] = {
    type(made): {f.name: getattr(made, f.name) for f in dataclasses.fields(made) if f.init}
    for whole in (
        *(case.material for case in material_harness.EVERY.values()),
        *(case.section for case in section_harness.SECTIONS.values()),
        *(case.make("linear") for case in element_harness.CASES.values()),
        LumpedMass("m", 1, mass=1.0),
        ViscousDashpot("d", 1, 2, C=1e4),
    )
    for made in all_of(whole)
}
"""Arguments of one of each kind that are right, from the lists of cases for all tests."""
NUMBERS = [
    (kind, name)
    for kind in SOUND
    for name in kind.declared
    if not (kind is ElasticGap and name == "damage")
]


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda v: getattr(v, "__name__", v))
def test_every_number_of_every_component_is_guarded(kind: type[Component], name: str) -> None:
    declared = kind.declared[name]
    wrong: list[Any] = [NAN, INF, -INF, "much", [1.0], 1j]
    if declared.lower > -INF:
        wrong.append(declared.lower if declared.open else declared.lower - 1.0)
    if declared.upper < INF:
        wrong.append(declared.upper if declared.open else declared.upper + 1.0)
    assert kind(**SOUND[kind]) is not None
    for value in wrong:
        with pytest.raises(InputError) as caught:
            kind(**{**SOUND[kind], name: value})
        assert caught.value.argument == name
        assert kind.__name__ in caught.value.object
        assert "must" in caught.value.rule


# --- the rest, one by one: what is done wrong, and words that the message must hold ---


def beam(**options: Any) -> Any:
    return ForceBeamColumn("b", 1, 2, **{"section": NM, **options})


def fibres(**change: Any) -> FibreSection:
    return FibreSection(
        [
            Fibres(
                **{
                    "name": "f",
                    "material": STEEL,
                    "y": np.array([0.0, 1.0]),
                    "area": np.array([1.0, 1.0]),
                    **change,
                }
            )
        ]
    )


Case = tuple[str, Callable[[], Any], tuple[str, ...]]
DESCRIPTION: list[Case] = [
    ("node: nan", lambda: two().node(3, NAN, 0.0), ("node 3", "x = nan", "finite")),
    ("node: inf", lambda: two().node(3, 0.0, INF), ("node 3", "y = inf", "finite")),
    ("node: text", lambda: two().node(3, "0", 0.0), ("node 3", "x = '0'", "finite number")),
    ("node: bool", lambda: two().node(3, True, 0.0), ("node 3", "x = True")),
    ("node: none", lambda: two().node(3, 0.0, None), ("node 3", "y = None")),
    ("node: twice", lambda: two().node(1, 0.0, 0.0), ("node 1", "already")),
    (
        "node: float name",
        lambda: two().node(1.5, 0.0, 0.0),
        ("name = 1.5", "whole number or a non-empty string"),
    ),
    ("node: bool name", lambda: two().node(True, 0.0, 0.0), ("name = True",)),
    ("node: empty name", lambda: two().node("", 0.0, 0.0), ("name = ''",)),
    ("node: list name", lambda: two().node([1], 0.0, 0.0), ("name = [1]",)),
    (
        "node: mass negative",
        lambda: two().node(3, 0.0, 0.0, mass=-1.0),
        ("node 3", "mass = -1.0", "negative"),
    ),
    (
        "node: mass nan",
        lambda: two().node(3, 0.0, 0.0, mass=(1.0, NAN)),
        ("node 3", "mass", "finite"),
    ),
    (
        "node: mass four",
        lambda: two().mass(1, (1.0, 1.0, 1.0, 1.0)),
        ("node 1", "mass", "(x, y, rz)"),
    ),
    ("node: mass text", lambda: two().mass(1, "heavy"), ("node 1", "mass = 'heavy'")),
    ("node: mass bool", lambda: two().mass(1, True), ("node 1", "mass = True")),
    ("node: mass none", lambda: two().mass(1, None), ("node 1", "mass = None")),
    ("mass: unknown", lambda: two().mass(9, 1.0), ("mass", "no node 9", "Nodes so far: 1, 2")),
    ("fix: unknown", lambda: two().fix("9"), ("fix", "no node '9'")),
    (
        "fix: direction",
        lambda: two().fix(1, "xz"),
        ("node 1", "directions = 'xz'", "'x', 'y', 'rz'"),
    ),
    ("fix: none", lambda: two().fix(1, None), ("node 1", "directions = None")),
    ("fix: number", lambda: two().fix(1, 3), ("node 1", "directions = 3")),
    ("fix: empty", lambda: two().fix(1, ()), ("node 1", "directions = ()")),
    ("equal_dof: unknown", lambda: two().equal_dof(1, 9), ("equal_dof", "no node 9")),
    ("equal_dof: unknown first", lambda: two().equal_dof(9, 1), ("equal_dof", "no node 9")),
    (
        "equal_dof: itself",
        lambda: two().equal_dof(1, 1),
        ("equal_dof", "others = 1", "must differ"),
    ),
    ("equal_dof: direction", lambda: two().equal_dof(1, 2, "q"), ("equal_dof", "directions = 'q'")),
    ("equal_dof: nothing", lambda: two().equal_dof(1, []), ("equal_dof", "must not be empty")),
    ("equal_dof: float", lambda: two().equal_dof(1, 2.0), ("equal_dof", "others = 2.0")),
    (
        "diaphragm: one",
        lambda: two().rigid_diaphragm([1]),
        ("rigid_diaphragm", "nodes", "at least two"),
    ),
    (
        "diaphragm: none",
        lambda: two().rigid_diaphragm([]),
        ("rigid_diaphragm", "nodes", "at least two"),
    ),
    ("diaphragm: number", lambda: two().rigid_diaphragm(1.0), ("rigid_diaphragm", "nodes = 1.0")),
    (
        "diaphragm: direction",
        lambda: two().rigid_diaphragm([1, 2], "z"),
        ("rigid_diaphragm", "direction = 'z'"),
    ),
    ("rigid_link: itself", lambda: two().rigid_link(1, 1), ("rigid_link", "must differ")),
    ("rigid_link: unknown", lambda: two().rigid_link(1, 9), ("rigid_link", "no node 9")),
    (
        "add: no element",
        lambda: two().add("column"),
        ("model 'two'", "element = 'column'", "must be an Element"),
    ),
    (
        "add: unknown node",
        lambda: two().add(ElasticBeamColumn("b", 1, 9, section=ELASTIC)),
        ("'b'", "no node 9"),
    ),
    (
        "add: list for a node",
        lambda: two().add(ElasticBeamColumn("b", 1, [2], section=ELASTIC)),
        ("'b'", "j = [2]"),
    ),
    (
        "add: twice",
        lambda: joined().add(ElasticBeamColumn("column", 1, 2, section=ELASTIC)),
        ("'column'", "already"),
    ),
    (
        "add: name",
        lambda: two().add(ElasticBeamColumn(None, 1, 2, section=ELASTIC)),
        ("name = None",),
    ),
    ("pattern: twice", lambda: joined().pattern("loads"), ("pattern 'loads'", "already")),
    ("pattern: series", lambda: two().pattern("p", 3.0), ("pattern 'p'", "series = 3.0", "at(t)")),
    ("pattern: name", lambda: two().pattern(3), ("pattern", "name = 3")),
    (
        "pattern: ground",
        lambda: two().pattern("ground.x"),
        ("pattern", "name = 'ground.x'", "base excitation"),
    ),
    ("load: unknown", lambda: two().load(9, x=1.0), ("load", "no node 9")),
    ("load: nan", lambda: two().load(2, x=NAN), ("load on node 2", "x = nan", "finite")),
    ("load: text", lambda: two().load(2, rz="1"), ("load on node 2", "rz = '1'")),
    (
        "member load: unknown",
        lambda: two().member_load("b", UniformLoad(y=1.0)),
        ("member_load", "no element 'b'"),
    ),
    (
        "member load: number",
        lambda: joined().member_load("column", 5.0),
        ("'column'", "load = 5.0", "UniformLoad"),
    ),
    (
        "member load: list",
        lambda: joined().member_load(["column"], PointLoad(0.5)),
        ("no element ['column']",),
    ),
    (
        "support: direction",
        lambda: two().support_motion(1, "xy", MOTION),
        ("node 1", "direction = 'xy'"),
    ),
    (
        "support: unknown",
        lambda: two().support_motion(9, "x", MOTION),
        ("support_motion", "no node 9"),
    ),
    (
        "support: series",
        lambda: two().support_motion(1, "x", Constant()),
        ("node 1", "motion", "must be a Motion"),
    ),
    (
        "rayleigh: 2 for 2 %",
        lambda: two().rayleigh(2.0),
        ("rayleigh", "ratio = 2.0", "below 1", "write 0.02 for 2 %"),
    ),
    ("rayleigh: nan", lambda: two().rayleigh(NAN), ("rayleigh", "ratio = nan")),
    ("rayleigh: text", lambda: two().rayleigh("2%"), ("rayleigh", "ratio = '2%'")),
    ("rayleigh: object", lambda: two().rayleigh(two()), ("rayleigh", "ratio")),
    ("rayleigh: three", lambda: two().rayleigh((0.1, 0.1, 0.1)), ("rayleigh", "ratio")),
    (
        "rayleigh: same modes",
        lambda: two().rayleigh(0.02, modes=(1, 1)),
        ("rayleigh", "modes = (1, 1)", "different"),
    ),
    (
        "rayleigh: mode 0",
        lambda: two().rayleigh(0.02, modes=(0, 1)),
        ("rayleigh", "modes = (0, 1)"),
    ),
    ("rayleigh: words", lambda: two().rayleigh(0.02, modes=("a", "b")), ("rayleigh", "modes")),
    ("rayleigh: one mode", lambda: two().rayleigh(0.02, modes=3), ("rayleigh", "modes = 3")),
    (
        "rayleigh: stiffness",
        lambda: two().rayleigh(0.02, stiffness="final"),
        ("rayleigh", "stiffness = 'final'"),
    ),
    (
        "rayleigh: both",
        lambda: two().rayleigh(0.02, mass=1.0),
        ("rayleigh", "mass = 1.0", "together with a ratio"),
    ),
    ("rayleigh: coefficient", lambda: two().rayleigh(initial=NAN), ("rayleigh", "initial = nan")),
    ("modal: no count", lambda: two().modal_damping(0.02), ("modal_damping", "modes = None")),
    ("modal: count", lambda: two().modal_damping(0.02, 0), ("modal_damping", "modes = 0")),
    ("modal: text", lambda: two().modal_damping(["a"]), ("modal_damping", "ratio = ['a']")),
    ("modal: nan", lambda: two().modal_damping([0.02, NAN]), ("modal_damping", "ratio")),
    ("modal: empty", lambda: two().modal_damping([]), ("modal_damping", "ratio = []")),
]

COMPONENTS: list[Case] = [
    (
        "h_shape: no room",
        lambda: NMSection.h_shape(depth=0.02, width=0.2, web=0.006, flange=0.012, E=2e11, fy=3e8),
        ("h_shape", "flange, web", "leave room"),
    ),
    (
        "h_shape: nan",
        lambda: ElasticSection.h_shape(depth=NAN, width=0.2, web=0.006, flange=0.012, E=2e11),
        ("h_shape", "depth = nan"),
    ),
    (
        "h_shape: text",
        lambda: ElasticSection.h_shape(depth="a", width=0.2, web=0.006, flange=0.012, E=2e11),
        ("h_shape", "depth = 'a'"),
    ),
    (
        "rectangle: zero",
        lambda: ElasticSection.rectangle(0.0, 1.0, 1e9),
        ("ElasticSection", "0.0", "above 0"),
    ),
    (
        "uncoupled: no material",
        lambda: UncoupledSection(axial=3.0, moment=STEEL),
        ("UncoupledSection", "axial = 3.0"),
    ),
    (
        "uncoupled: rate",
        lambda: UncoupledSection(axial=STEEL, moment=DAMPER),
        ("UncoupledSection", "moment", "rate"),
    ),
    ("fibres: none", lambda: FibreSection([]), ("FibreSection", "groups = []")),
    ("fibres: no group", lambda: FibreSection([STEEL]), ("FibreSection", "groups")),
    ("fibres: not a list", lambda: FibreSection(STEEL), ("FibreSection", "groups")),
    (
        "fibres: one name",
        lambda: FibreSection([*fibres().groups, *fibres().groups]),
        ("FibreSection", "different names"),
    ),
    ("fibres: rate", lambda: fibres(material=DAMPER), ("FibreSection", "f.material", "rate")),
    ("fibres: no material", lambda: fibres(material=None), ("Fibres", "material = None")),
    ("fibres: shapes", lambda: fibres(y=np.zeros(3)), ("FibreSection", "as many heights as areas")),
    (
        "fibres: negative",
        lambda: fibres(area=np.array([1.0, -1.0])),
        ("FibreSection", "area = -1.0 must be above 0"),
    ),
    (
        "fibres: nan area",
        lambda: fibres(area=np.array([1.0, NAN])),
        ("Fibres('f')", "area", "finite"),
    ),
    (
        "fibres: inf area",
        lambda: fibres(area=np.array([1.0, INF])),
        ("Fibres('f')", "area", "finite"),
    ),
    ("fibres: nan height", lambda: fibres(y=np.array([NAN, 1.0])), ("Fibres('f')", "y", "finite")),
    (
        "fibres: rectangle",
        lambda: FibreSection.rectangle(-1.0, 1.0, STEEL),
        ("FibreSection.rectangle", "width = -1.0"),
    ),
    (
        "fibres: text",
        lambda: FibreSection.rectangle("1", 1.0, STEEL),
        ("FibreSection.rectangle", "width = '1'"),
    ),
    (
        "fibres: count",
        lambda: FibreSection.rectangle(1.0, 1.0, STEEL, fibres=2.5),
        ("fibres = 2.5", "whole number"),
    ),
    (
        "fibres: hole",
        lambda: FibreSection.circle(1.0, STEEL, hole=2.0),
        ("FibreSection.circle", "hole = 2.0"),
    ),
    (
        "fibres: cover",
        lambda: FibreSection.reinforced_concrete(0.3, 0.3, 0.2, core=STEEL, steel=STEEL, top=1e-3),
        ("reinforced_concrete", "cover = 0.2"),
    ),
    (
        "fibres: no steel",
        lambda: FibreSection.reinforced_concrete(0.3, 0.3, 0.03, core=STEEL, steel=STEEL),
        ("reinforced_concrete", "bars = None"),
    ),
    ("series: empty", lambda: Series([]), ("Series", "materials = []")),
    ("series: no list", lambda: Series(STEEL), ("Series", "materials")),
    ("parallel: no material", lambda: Parallel([1.0]), ("Parallel", "part_1 = 1.0")),
    ("parallel: name", lambda: Parallel({"a.b": STEEL}), ("Parallel", "a.b")),
    ("minmax: limits", lambda: MinMax(STEEL, smallest_strain=0.1), ("MinMax", "smallest_strain")),
    ("minmax: no material", lambda: MinMax("steel"), ("MinMax", "material = 'steel'")),
    ("gap: signs", lambda: ElasticGap(E=1.0, fy=1.0, gap=-1.0), ("ElasticGap", "gap")),
    (
        "concrete: strains",
        lambda: KentParkConcrete(fc=3e7, peak_strain=5e-3, fcu=1e6, crushing_strain=2e-3),
        ("KentParkConcrete", "crushing_strain"),
    ),
    (
        "element: one node",
        lambda: ElasticBeamColumn("b", 1, 1, section=ELASTIC),
        ("ElasticBeamColumn('b')", "j = 1"),
    ),
    (
        "element: section",
        lambda: ElasticBeamColumn("b", 1, 2, section=NM),
        ("ElasticBeamColumn('b')", "section"),
    ),
    (
        "element: no section",
        lambda: ForceBeamColumn("b", 1, 2),
        ("ForceBeamColumn('b')", "section = None"),
    ),
    (
        "element: material",
        lambda: beam(section=STEEL),
        ("ForceBeamColumn('b')", "section", "must be a Section"),
    ),
    (
        "element: geometry",
        lambda: beam(geometry="nonlinear"),
        ("'b'", "geometry = 'nonlinear'", "corotational"),
    ),
    ("element: geometry list", lambda: beam(geometry=["linear"]), ("'b'", "geometry = ['linear']")),
    ("element: offset", lambda: beam(offset_i=(1.0,)), ("'b'", "offset_i = (1.0,)", "two finite")),
    ("element: offset nan", lambda: beam(offset_j=(NAN, 0.0)), ("'b'", "offset_j")),
    ("element: offset text", lambda: beam(offset_j="ab"), ("'b'", "offset_j = 'ab'")),
    ("element: points", lambda: beam(points=1), ("'b'", "points = 1", "2 to 10")),
    ("element: points 11", lambda: beam(points=11), ("'b'", "points = 11")),
    ("element: points float", lambda: beam(points=5.0), ("'b'", "points = 5.0")),
    (
        "element: rule",
        lambda: beam(integration="simpson"),
        ("'b'", "integration = 'simpson'", "lobatto"),
    ),
    ("element: rule number", lambda: beam(integration=3), ("'b'", "integration = 3")),
    (
        "element: hinges and section",
        lambda: beam(integration=Hinges(NM, 0.1, NM, 0.1, ELASTIC)),
        ("'b'", "section"),
    ),
    (
        "element: release",
        lambda: ElasticBeamColumn("b", 1, 2, section=ELASTIC, release_i="yes"),
        ("'b'", "release_i"),
    ),
    ("element: damped", lambda: beam(damped="no"), ("'b'", "damped = 'no'")),
    ("element: consistent", lambda: beam(consistent_mass="no"), ("'b'", "consistent_mass = 'no'")),
    (
        "hinges: long",
        lambda: _compile(ForceBeamColumn("b", 1, 2, integration=Hinges(NM, 1.0, NM, 1.0, ELASTIC))),
        ("'b'", "length_i, length_j"),
    ),
    (
        "hinges: negative",
        lambda: _compile(
            ForceBeamColumn("b", 1, 2, integration=Hinges(NM, -1.0, NM, 1.0, ELASTIC))
        ),
        ("Hinges", "length_i = -1.0"),
    ),
    (
        "hinges: no section",
        lambda: _compile(ForceBeamColumn("b", 1, 2, integration=Hinges(3, 0.1, NM, 0.1, ELASTIC))),
        ("hinge_i = 3", "must be a Section"),
    ),
    ("truss: section", lambda: Truss("t", 1, 2, material=NM, area=1.0), ("Truss('t')", "material")),
    (
        "truss: one node",
        lambda: Truss("t", 1, 1, material=STEEL, area=1.0),
        ("Truss('t')", "j = 1"),
    ),
    (
        "truss: geometry",
        lambda: Truss("t", 1, 2, material=STEEL, area=1.0, geometry="x"),
        ("Truss('t')", "geometry = 'x'"),
    ),
    ("link: none", lambda: TwoNodeLink("l", 1, 2, {}), ("TwoNodeLink('l')", "laws = {}")),
    (
        "link: direction",
        lambda: TwoNodeLink("l", 1, 2, {"w": STEEL}),
        ("TwoNodeLink('l')", "laws = 'w'"),
    ),
    (
        "link: material",
        lambda: TwoNodeLink("l", 1, 2, {"x": 5.0}),
        ("TwoNodeLink('l')", "laws['x'] = 5.0"),
    ),
    ("link: list", lambda: TwoNodeLink("l", 1, 2, [STEEL]), ("TwoNodeLink('l')", "laws")),
    (
        "link: shear",
        lambda: TwoNodeLink("l", 1, 2, {"y": STEEL}, shear_distance=2.0),
        ("'l'", "shear_distance = 2.0"),
    ),
    (
        "link: damps twice",
        lambda: TwoNodeLink("l", 1, 2, {"x": DAMPER}, damped=True),
        ("'l'", "damped = True"),
    ),
    (
        "zero length: apart",
        lambda: _compile(ZeroLength("z", 1, 2, {"x": STEEL})),
        ("'z'", "1", "2"),
    ),
    (
        "zero length: angle",
        lambda: ZeroLength("z", 1, 2, {"x": STEEL}, angle=NAN),
        ("ZeroLength('z')", "angle = nan"),
    ),
    (
        "zero length section",
        lambda: ZeroLengthSection("z", 1, 2, STEEL),
        ("ZeroLengthSection('z')", "section"),
    ),
    ("dashpot: negative", lambda: ViscousDashpot("d", 1, 2, C=-1.0), ("C = -1.0", "above 0")),
    (
        "drive: shape",
        lambda: drive(STEEL, np.zeros((3, 2))),
        ("Bilinear", "deformation", "(steps, 1)"),
    ),
    ("drive: nan", lambda: drive(STEEL, [0.0, NAN]), ("Bilinear", "deformation", "finite")),
    ("drive: section", lambda: drive(NM, [0.0, 1.0]), ("NMSection", "deformation", "(steps, 2)")),
    ("drive: text", lambda: drive(STEEL, ["a"]), ("drive", "deformation = ['a']")),
]


def _compile(element: Any) -> Any:
    model = two()
    model.add(element)
    return model.compile()


def run(analysis: Any, *arguments: Any, model: Model | None = None, **options: Any) -> Any:
    return analysis.run(model or joined(), *arguments, **options)


ANALYSES: list[Case] = [
    ("Newmark gamma", lambda: Newmark(gamma=0.3), ("Newmark", "gamma = 0.3", "0.5")),
    ("Newmark beta", lambda: Newmark(beta=0.0), ("Newmark", "beta = 0.0")),
    ("Newmark nan", lambda: Newmark(beta=NAN), ("Newmark", "beta = nan")),
    ("Newmark inf", lambda: Newmark(gamma=INF), ("Newmark", "gamma = inf")),
    ("Newmark text", lambda: Newmark("0.5"), ("Newmark", "gamma = '0.5'")),
    ("HHT", lambda: HHT(0.5), ("HHT", "alpha = 0.5", "2/3")),
    ("HHT nan", lambda: HHT(NAN), ("HHT", "alpha = nan")),
    ("HHT text", lambda: HHT("a"), ("HHT", "alpha = 'a'")),
    ("generalised", lambda: GeneralizedAlpha(1.5), ("GeneralizedAlpha", "radius = 1.5")),
    ("generalised none", lambda: GeneralizedAlpha(None), ("GeneralizedAlpha", "radius = None")),
    ("tolerance", lambda: Unbalance(0.0), ("Unbalance", "tolerance = 0.0")),
    ("tolerance nan", lambda: Increment(NAN), ("Increment", "tolerance = nan")),
    ("tolerance text", lambda: Energy("small"), ("Energy", "tolerance = 'small'")),
    (
        "iterations",
        lambda: RelativeUnbalance(iterations=0),
        ("RelativeUnbalance", "iterations = 0"),
    ),
    (
        "iterations float",
        lambda: RelativeUnbalance(iterations=2.5),
        ("RelativeUnbalance", "iterations = 2.5"),
    ),
    ("line search", lambda: NewtonLineSearch(1.5), ("NewtonLineSearch", "ratio = 1.5")),
    ("line search text", lambda: NewtonLineSearch("a"), ("NewtonLineSearch", "ratio = 'a'")),
    ("Krylov", lambda: KrylovNewton(0), ("KrylovNewton", "dimension = 0")),
    ("policy halvings", lambda: Policy(halvings=-1), ("Policy", "halvings = -1")),
    ("policy time", lambda: Policy(time_limit=0.0), ("Policy", "time_limit = 0.0")),
    ("policy text", lambda: Policy(time_limit="1 s"), ("Policy", "time_limit = '1 s'")),
    ("policy algorithms", lambda: Policy(algorithms=("Newton",)), ("Policy", "algorithms")),
    ("limit value", lambda: Limit(2, "x", 0.0), ("Limit", "value = 0.0")),
    ("limit nan", lambda: Limit(2, "x", NAN), ("Limit", "value = nan")),
    ("limit node", lambda: run(Transient(limits=(Limit(9, "x", 1.0),)), QUAKE), ("no node 9",)),
    (
        "limit direction",
        lambda: run(Transient(limits=(Limit(2, "z", 1.0),)), QUAKE),
        ("node 2", "direction = 'z'"),
    ),
    ("limits single", lambda: Transient(limits=Limit(2, "x", 1.0)), ("Transient", "limits")),
    ("dt zero", lambda: Transient(dt=0.0), ("Transient", "dt = 0.0")),
    ("dt nan", lambda: Transient(dt=NAN), ("Transient", "dt = nan")),
    ("dt text", lambda: Transient(dt="0.01"), ("Transient", "dt = '0.01'")),
    ("integrator", lambda: Transient("Newmark"), ("Transient", "integrator = 'Newmark'")),
    ("integrator class", lambda: Transient(Newmark), ("Transient", "integrator")),
    ("algorithm", lambda: Transient(algorithm="Newton"), ("Transient", "algorithm = 'Newton'")),
    ("test", lambda: Transient(test=1e-6), ("Transient", "test = 1e-06")),
    ("policy", lambda: Transient(policy=None), ("Transient", "policy = None")),
    ("transient: model", lambda: Transient().run("frame", QUAKE), ("model", "'frame'")),
    ("transient: no duration", lambda: run(Transient()), ("Transient.run", "duration = None")),
    (
        "transient: duration",
        lambda: run(Transient(), QUAKE, duration=-1.0),
        ("Transient.run", "duration = -1.0"),
    ),
    (
        "transient: duration nan",
        lambda: run(Transient(), QUAKE, duration=NAN),
        ("Transient.run", "duration = nan"),
    ),
    (
        "transient: motion",
        lambda: run(Transient(), [0.0, 1.0], duration=1.0),
        ("Transient.run", "motion"),
    ),
    (
        "transient: support motion",
        lambda: run(Transient(), MOTION, duration=1.0),
        ("Transient.run", "motion"),
    ),
    (
        "transient: direction",
        lambda: run(Transient(), {"z": QUAKE}),
        ("Transient.run", "motion = 'z'"),
    ),
    ("transient: start", lambda: run(Transient(), QUAKE, start="state"), ("start = 'state'",)),
    ("transient: save", lambda: run(Transient(), QUAKE, save="all"), ("save = 'all'",)),
    (
        "transient: no mass",
        lambda: run(Transient(), QUAKE, model=_massless()),
        ("'two'", "no mass"),
    ),
    ("transient: modes", lambda: run(Transient(), QUAKE, model=_damped(9)), ("eigen", "9 modes")),
    (
        "explicit: no mass",
        lambda: run(Transient(CentralDifference(), dt=1e-4), QUAKE, duration=0.1),
        ("mass",),
    ),
    (
        "explicit: no mass",
        lambda: run(Transient(RungeKutta(), dt=1e-4), QUAKE, duration=0.1),
        ("mass",),
    ),
    (
        "series nan",
        lambda: run(Transient(), GroundMotion("r", 0.01, [0.0, NAN])),
        ("acceleration", "finite"),
    ),
    ("load: steps", lambda: LoadControl(steps=0), ("LoadControl", "steps = 0")),
    ("load: steps float", lambda: LoadControl(steps=2.0), ("LoadControl", "steps = 2.0")),
    ("load: factor", lambda: LoadControl(NAN), ("LoadControl", "factor = nan")),
    (
        "load: pattern",
        lambda: run(LoadControl(pattern="snow")),
        ("LoadControl", "pattern = 'snow'", "loads"),
    ),
    (
        "load: no load",
        lambda: run(LoadControl(pattern="p"), model=_empty_pattern()),
        ("pattern 'p'", "no nodal load"),
    ),
    ("load: model", lambda: LoadControl().run(None), ("model = None",)),
    (
        "load: algorithm",
        lambda: run(LoadControl(algorithm=None)),
        ("LoadControl", "algorithm = None"),
    ),
    (
        "load: save",
        lambda: run(LoadControl(), save=Save(displacement=["Z"])),
        ("Save", "no node 'Z'"),
    ),
    (
        "displacement: step",
        lambda: DisplacementControl(2, "x", [0.1], 0.0),
        ("DisplacementControl", "step = 0.0"),
    ),
    (
        "displacement: path",
        lambda: DisplacementControl(2, "x", [NAN], 0.1),
        ("DisplacementControl", "path = [nan]"),
    ),
    (
        "displacement: empty",
        lambda: DisplacementControl(2, "x", [], 0.1),
        ("DisplacementControl", "path = []"),
    ),
    (
        "displacement: text",
        lambda: DisplacementControl(2, "x", "far", 0.1),
        ("DisplacementControl", "path = 'far'"),
    ),
    ("displacement: node", lambda: run(DisplacementControl(9, "x", [0.1], 0.1)), ("no node 9",)),
    (
        "displacement: fixed",
        lambda: run(DisplacementControl(1, "x", [0.1], 0.1)),
        ("DisplacementControl", "free to move"),
    ),
    (
        "displacement: nowhere",
        lambda: run(DisplacementControl(2, "x", [0.0], 0.1)),
        ("path = [0.0]", "lead away"),
    ),
    ("pushover: zero", lambda: Pushover(2, 0.0), ("Pushover", "to = 0.0")),
    ("pushover: steps", lambda: Pushover(2, 0.1, steps=0), ("Pushover", "steps = 0")),
    (
        "pushover: direction",
        lambda: run(Pushover(2, 0.1, direction="z")),
        ("node 2", "direction = 'z'"),
    ),
    ("arc: arc", lambda: ArcLength(0.0, 5), ("ArcLength", "arc = 0.0")),
    ("arc: weight", lambda: ArcLength(0.1, 5, weight=-1.0), ("ArcLength", "weight = -1.0")),
    ("arc: steps", lambda: ArcLength(0.1, 0), ("ArcLength", "steps = 0")),
    (
        "arc: member loads",
        lambda: run(ArcLength(0.1, 5), model=_member_loaded()),
        ("member loads",),
    ),
    ("protocol: nan", lambda: protocol([NAN]), ("protocol", "amplitudes", "nan")),
    ("protocol: cycles", lambda: protocol([0.1], cycles=0), ("protocol", "cycles = 0")),
    ("eigen: modes", lambda: eigen(joined(), 0), ("eigen", "modes = 0")),
    ("eigen: too many", lambda: eigen(joined(), 7), ("eigen", "7 modes", "2 degrees of freedom")),
    ("eigen: float", lambda: eigen(joined(), 1.0), ("eigen", "modes = 1.0")),
    ("eigen: model", lambda: eigen("frame"), ("model = 'frame'",)),
    ("eigen: state", lambda: eigen(joined(), 1, state=portal().compile().state()), ("state",)),
    ("eigen: mechanism", lambda: eigen(_hinged(), 1), ("'two'", "mechanism")),
    ("eigen: shape", lambda: eigen(joined(), 1).shape(2, 2, "x"), ("mode = 2",)),
    ("eigen: shape node", lambda: eigen(joined(), 1).shape(1, 9, "x"), ("no node 9",)),
    ("save: every", lambda: Save(every=0), ("Save", "every = 0")),
    ("save: text", lambda: Save(displacement="C"), ("Save", "displacement = 'C'", "list of names")),
    ("save: number", lambda: Save(forces=3), ("Save", "forces = 3")),
    ("save: reactions", lambda: Save(reactions=["A"]), ("Save", "reactions = ['A']")),
    ("save: energy", lambda: Save(energy=1), ("Save", "energy = 1")),
    (
        "save: element",
        lambda: run(LoadControl(), save=Save(forces=["Z"])),
        ("Save", "no element 'Z'"),
    ),
    (
        "save: list name",
        lambda: run(LoadControl(), save=Save(forces=[["Z"]])),
        ("Save", "no element ['Z']"),
    ),
    (
        "save: section",
        lambda: run(LoadControl(), save=Save(sections=["column"])),
        ("Save", "sections = 'column'"),
    ),
    (
        "save: fibres",
        lambda: run(LoadControl(), save=Save(fibres=["column"])),
        ("Save", "fibres = 'column'"),
    ),
]


def _massless() -> Model:
    model = Model("two")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    model.add(ElasticBeamColumn("column", 1, 2, section=ELASTIC))
    return model


def _damped(modes: int) -> Model:
    model = joined()
    model.modal_damping(0.02, modes)
    return model


def _empty_pattern() -> Model:
    model = joined()
    model.pattern("p")
    return model


def _member_loaded() -> Model:
    model = joined()
    model.member_load("column", UniformLoad(y=1.0))
    return model


def _hinged() -> Model:
    model = Model("two")
    model.node(1, 0.0, 0.0, fixed="xy")
    model.node(2, 0.0, 3.0, mass=1e3)
    model.add(ElasticBeamColumn("column", 1, 2, section=ELASTIC))
    return model


CASES = DESCRIPTION + COMPONENTS + ANALYSES


@pytest.mark.parametrize(
    ("wrong", "words"),
    [(call, words) for _, call, words in CASES],
    ids=[name for name, _, _ in CASES],
)
def test_bad_input_is_named(wrong: Callable[[], Any], words: tuple[str, ...]) -> None:
    with pytest.raises(FemuError) as caught:
        wrong()
    message = str(caught.value)
    for word in words:
        assert word in message
    assert message.strip()[-1] in ".?!"
    assert "\n" not in message


# --- models that are unstable: a sentence, never a NaN and never a hang ---


def test_zero_length_member() -> None:
    model = two()
    model.node(3, 0.0, 3.0)
    model.add(ElasticBeamColumn("dot", 2, 3, section=ELASTIC))
    with pytest.raises(
        ModelError, match=r"ElasticBeamColumn\('dot'\) has no length: nodes 2 and 3"
    ):
        model.compile()


def test_offsets_that_eat_the_member_up() -> None:
    model = two()
    model.add(
        ElasticBeamColumn("b", 1, 2, section=ELASTIC, offset_i=(0.0, 1.5), offset_j=(0.0, -1.5))
    )
    with pytest.raises(ModelError, match=r"'b'\) has no length"):
        model.compile()


@pytest.mark.parametrize(
    "analysis",
    [LoadControl(steps=1), Pushover(2, 0.1, steps=1), ArcLength(0.1, 1)],
    ids=lambda a: type(a).__name__,
)
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_static_analysis_of_a_mechanism(analysis: Any) -> None:
    model = _hinged()
    model.load(2, x=1.0)
    result = analysis.run(model)
    assert result.outcome is Outcome.NOT_CONVERGED
    assert "singular" in result.message
    assert np.isfinite(result.displacement(2, "x")).all()


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_node_that_hangs_loose() -> None:
    model = joined()
    model.node("loose", 5.0, 5.0, mass=1.0)
    result = LoadControl(steps=1).run(model)
    assert result.outcome is Outcome.NOT_CONVERGED
    assert "singular" in result.message
    with pytest.raises(AnalysisError, match="mechanism"):
        eigen(model, 1)


def test_every_exception_can_be_caught_as_the_built_in_kind() -> None:
    with pytest.raises(ValueError, match="mass"):
        cantilever().mass("B", -1.0)
    with pytest.raises(RuntimeError, match="no mass"):
        Transient().run(_massless(), QUAKE)


def test_there_are_many_cases() -> None:
    assert len(CASES) + len(NUMBERS) > 250
