"""Members and sections that deform in shear: closed forms, parameters, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from femu import InputError, Model, PointLoad, Save, UniformLoad
from femu.analyses import DisplacementControl, LoadControl
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    Stations,
    ZeroLengthSection,
)
from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    NMSection,
    SectionWithShear,
    UncoupledSection,
    Viscous,
)

L, E, A, I, G, ALPHA = 1.5, 2.0e8, 0.02, 3.0e-4, 8.0e7, 0.8
IY, J, ALPHA_Z = 1.0e-4, 2.0e-4, 0.5
GA = ALPHA * G * A
PLANE = ElasticSection(E, A, I, G=G, alpha_y=ALPHA)
SPACE = ElasticSection(E, A, I, IY, G, J, alpha_y=ALPHA, alpha_z=ALPHA_Z)
BESIDE = SectionWithShear(UncoupledSection(Elastic(E * A), Elastic(E * I)), Elastic(GA))


def cantilever(member, load=None, **tip):
    model = Model("cantilever")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.0)
    model.add(member)
    if tip:
        model.load(2, **tip)
    if load is not None:
        model.member_load("e", load)
    return LoadControl().run(
        model.compile(), save=Save(sections=not isinstance(member, ElasticBeamColumn))
    )


@pytest.mark.parametrize(
    "member",
    [
        ElasticBeamColumn("e", 1, 2, section=PLANE),
        ForceBeamColumn("e", 1, 2, section=PLANE),
        ForceBeamColumn("e", 1, 2, section=BESIDE, points=3),
        ForceBeamColumn("e", 1, 2, section=BESIDE, integration="legendre"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_cantilever_of_timoshenko(member):
    P, w = 40.0, -15.0
    result = cantilever(member, y=P)
    assert result.displacement(2, "y")[-1] == pytest.approx(
        P * L**3 / (3 * E * I) + P * L / GA, rel=1e-12
    )
    assert result.displacement(2, "rz")[-1] == pytest.approx(P * L**2 / (2 * E * I), rel=1e-12)
    if getattr(member, "points", 5) < 5:
        return  # the curvature of a uniform load is beyond a rule of three points
    result = cantilever(member, load=UniformLoad(y=w))
    assert result.displacement(2, "y")[-1] == pytest.approx(
        w * L**4 / (8 * E * I) + w * L**2 / (2 * GA), rel=1e-12
    )


def test_a_displacement_based_member_has_no_shear():
    result = cantilever(DisplacementBeamColumn("e", 1, 2, section=BESIDE), y=40.0)
    assert result.displacement(2, "y")[-1] == pytest.approx(40.0 * L**3 / (3 * E * I), rel=1e-12)


@pytest.mark.parametrize("kind", [ElasticBeamColumn, ForceBeamColumn])
def test_cantilever_in_space(kind):
    model = Model("cantilever", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.0, 0.0)
    model.add(kind("e", 1, 2, section=SPACE, vecxz=(0.0, 0.0, 1.0)))
    model.load(2, y=10.0, z=20.0)
    result = LoadControl().run(model.compile())
    assert result.displacement(2, "y")[-1] == pytest.approx(
        10.0 * L**3 / (3 * E * I) + 10.0 * L / GA, rel=1e-12
    )
    expected = 20.0 * L**3 / (3 * E * IY) + 20.0 * L / (ALPHA_Z * G * A)
    assert result.displacement(2, "z")[-1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("release_i", "release_j"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize(
    "load", [PointLoad(0.3, x=5.0, y=-20.0), UniformLoad(y=-7.0)], ids=["point", "uniform"]
)
def test_loads_on_an_elastic_member_with_shear_are_those_of_many_short_ones(
    load, release_i, release_j
):
    """A clamped member under a load, against the same divided where the load is."""

    def clamped(places, loads):
        model = Model("clamped")
        for k, x in enumerate(places):
            model.node(k, x * L, 0.0, fixed=x in (0.0, 1.0))
        last = len(places) - 1
        for k in range(last):
            model.add(
                ElasticBeamColumn(
                    f"e{k}",
                    k,
                    k + 1,
                    section=PLANE,
                    release_i=release_i and k == 0,
                    release_j=release_j and k == last - 1,
                )
            )
        loads(model)
        return LoadControl().run(model.compile()), last

    one, _ = clamped((0.0, 1.0), lambda model: model.member_load("e0", load))
    if isinstance(load, PointLoad):
        many, last = clamped((0.0, load.at, 1.0), lambda model: model.load(1, x=load.x, y=load.y))
    else:

        def divided(model):
            for name in model.elements:
                model.member_load(name, load)

        many, last = clamped((0.0, 0.2, 0.55, 1.0), divided)
    for d in ("x", "y", "rz"):
        for near, far in ((0, 0), (1, last)):
            assert one.reaction(near, d)[-1] == pytest.approx(
                many.reaction(far, d)[-1], rel=1e-11, abs=1e-10
            ), (d, near)


def test_shear_of_the_sections_is_the_derivative_of_their_moment():
    member = ForceBeamColumn("e", 1, 2, section=BESIDE, points=5)
    result = cantilever(member, load=UniformLoad(y=-15.0), y=40.0)
    x = np.array(member.along(L).places) * L
    M = np.array([result.section("e", p, "M")[-1] for p in range(5)])
    V = np.array([result.section("e", p, "V")[-1] for p in range(5)])
    assert np.polyval(np.polyder(np.polyfit(x, M, 2)), x) == pytest.approx(V, rel=1e-9)
    strain = np.array([result.section("e", p, "shear_strain")[-1] for p in range(5)])
    assert strain == pytest.approx(V / GA, rel=1e-11)


def test_shear_that_yields_holds_the_force():
    """A short cantilever whose shear is perfectly plastic bears no more than that, and all further
    motion is shear."""
    yielding = SectionWithShear(
        UncoupledSection(Elastic(E * A), Elastic(E * I)), Bilinear(GA, 100.0, 1e-9)
    )
    model = Model("cantilever")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.0)
    model.add(ForceBeamColumn("e", 1, 2, section=yielding))
    model.load(2, y=1.0, pattern="push")
    result = DisplacementControl(2, "y", [0.01, 0.02], 0.001, pattern="push").run(
        model.compile(), save=Save(sections=True)
    )
    force = result.factor("push")
    assert force[-1] == pytest.approx(100.0, rel=1e-5)
    turned = result.displacement(2, "rz")
    assert turned[-1] == pytest.approx(100.0 * L**2 / (2 * E * I), rel=1e-5)
    assert result.section("e", 0, "shear_strain")[-1] * L == pytest.approx(
        -(0.02 - 100.0 * L**3 / (3 * E * I)), rel=1e-6
    )


def test_parameters_of_shear_have_names_and_act():
    fibres = FibreSection.rectangle(0.1, 0.2, Elastic(E), 4)
    model = Model("cantilever")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.0)
    model.add(ForceBeamColumn("e", 1, 2, section=SectionWithShear(fibres, Elastic(GA))))
    model.load(2, y=-1.0)  # V is positive
    program = model.compile()
    assert (
        "e.section.shear_y.E" in program.parameters and "e.section.material.E" in program.parameters
    )
    stiff = LoadControl().run(program).displacement(2, "y")[-1]
    program.parameters["e.section.shear_y.E"] = GA / 2
    assert LoadControl().run(program).displacement(2, "y")[-1] - stiff == pytest.approx(
        -L / GA, rel=1e-9
    )


def test_sections_with_and_without_shear_in_one_member():
    """The weights of the points with shear count, and no others."""
    plain = BESIDE.section
    rule = Stations([BESIDE, plain, plain, BESIDE], (0.0, 0.3, 0.7, 1.0), (0.15, 0.35, 0.35, 0.15))
    bare = Stations([plain] * 4, rule.places, rule.weights)
    found = [
        cantilever(ForceBeamColumn("e", 1, 2, integration=r), y=40.0).displacement(2, "y")[-1]
        for r in (rule, bare)
    ]
    assert found[0] - found[1] == pytest.approx(0.3 * 40.0 * L / GA, rel=1e-9)
    # 4 lengths of each hinge are at the end, the rest is shared by the interior
    hinges = Hinges(plain, 0.1, plain, 0.1, PLANE)
    turned = cantilever(ForceBeamColumn("e", 1, 2, integration=hinges), y=40.0).displacement(
        2, "y"
    )[-1]
    assert turned == pytest.approx(40.0 * L**3 / (3 * E * I) + 40.0 * (L - 0.2) / GA, rel=1e-9)


def test_section_of_zero_length_slides():
    model = Model("slide")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0)
    model.add(ZeroLengthSection("e", 1, 2, BESIDE, angle=np.pi / 2))
    model.load(2, x=-3.0, y=5.0, rz=2.0)
    result = LoadControl().run(model.compile())
    assert result.displacement(2, "x")[-1] == pytest.approx(-3.0 / GA, rel=1e-12)
    assert result.displacement(2, "y")[-1] == pytest.approx(5.0 / (E * A), rel=1e-12)
    assert result.force("e", "basic")[-1] == pytest.approx([5.0, 2.0, 3.0], rel=1e-12)


def test_fibres_of_a_section_with_shear_are_saved():
    fibres = FibreSection.rectangle(0.1, 0.2, Bilinear(E, 3e5, 0.02), 6)
    made = [
        ForceBeamColumn("e", 1, 2, section=s)
        for s in (fibres, SectionWithShear(fibres, Elastic(GA)))
    ]
    found = []
    for member in made:
        model = Model("cantilever")
        model.node(1, 0.0, 0.0, fixed=True)
        model.node(2, L, 0.0)
        model.add(member)
        model.load(2, y=200.0)
        found.append(LoadControl(steps=4).run(model.compile(), save=Save(fibres=True)))
    for fibre in range(6):
        for ours, theirs in zip(
            found[0].fibre("e", 0, fibre), found[1].fibre("e", 0, fibre), strict=True
        ):
            assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: ElasticSection(E, A, I, alpha_y=0.8), "G"),
        (lambda: ElasticSection(E, A, I, G=G), "Iy"),
        (lambda: ElasticSection(E, A, I, G=G, alpha_y=0.8, alpha_z=0.8), "alpha_z"),
        (lambda: ElasticSection(E, A, I, G=G, alpha_y=0.0), "alpha_y"),
        (lambda: ElasticSection(E, A, I, G=G, alpha_y=float("nan")), "alpha_y"),
        (lambda: SectionWithShear(BESIDE, Elastic(GA)), "section"),
        (lambda: SectionWithShear(PLANE, Elastic(GA)), "section"),
        (lambda: SectionWithShear(BESIDE.section, GA), "shear_y"),
        (lambda: SectionWithShear(BESIDE.section, Viscous(1e3)), "shear_y"),
        (lambda: SectionWithShear(BESIDE.section, Elastic(GA), 3.0), "shear_z"),
        (lambda: SectionWithShear("H", Elastic(GA)), "section"),
        (lambda: ElasticBeamColumn("e", 1, 2, section=BESIDE), "section"),
    ],
)
def test_wrong_sections(make, argument):
    with pytest.raises(InputError, match=argument):
        make()


def test_a_plane_section_with_shear_is_refused_in_space():
    model = Model("space", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.0, 0.0)
    model.add(
        ForceBeamColumn(
            "e",
            1,
            2,
            section=SectionWithShear(
                NMSection(EA=E * A, EI=E * I, yield_force=1e4, plastic_moment=1e3), Elastic(GA)
            ),
        )
    )
    with pytest.raises(InputError, match="plane members"):
        model.compile()
