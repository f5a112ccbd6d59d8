"""Bad input: an error of femu's own, with object, argument, value and rule."""

from __future__ import annotations

import math

import pytest
from element_harness import BILINEAR, ELASTIC, Probe

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
from femu.materials import Elastic, Viscous
from femu.model.loads import UniformLoad
from femu.model.model import Model
from femu.support.errors import InputError, ModelError

SPRING = {"x": Elastic(1.0)}

WRONG = [
    (lambda: ElasticBeamColumn("e", 1, 1, section=ELASTIC), "j"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=BILINEAR), "section"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=None), "section"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, release_i=1), "release_i"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, release_j="yes"), "release_j"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, geometry="P-Delta"), "geometry"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, offset_i=(1.0, math.nan)), "offset_i"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, offset_j=3.0), "offset_j"),
    (lambda: ElasticBeamColumn("e", 1, 2, section=ELASTIC, mass=-1.0), "mass"),
    (lambda: ForceBeamColumn("e", 1, 2), "section"),
    (lambda: ForceBeamColumn("e", 1, 2, section=Elastic(1.0)), "section"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, points=1), "points"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, points=11), "points"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, points=4.0), "points"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, points=True), "points"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, integration="simpson"), "integration"),
    (lambda: ForceBeamColumn("e", 1, 2, section=BILINEAR, integration=3), "integration"),
    (
        lambda: ForceBeamColumn(
            "e", 1, 2, section=BILINEAR, integration=Hinges(BILINEAR, 1, BILINEAR, 1, ELASTIC)
        ),
        "section",
    ),
    (lambda: Hinges(BILINEAR, 0.0, BILINEAR, 1.0, ELASTIC), "length_i"),
    (lambda: Hinges(BILINEAR, 0.3, BILINEAR, math.inf, ELASTIC), "length_j"),
    (lambda: Hinges(BILINEAR, 0.3, None, 0.3, ELASTIC), "hinge_j"),
    (lambda: Hinges(BILINEAR, 0.3, BILINEAR, 0.3, Elastic(1.0)), "interior"),
    (
        lambda: DisplacementBeamColumn(
            "e", 1, 2, integration=Hinges(BILINEAR, 1, BILINEAR, 1, ELASTIC)
        ),
        "integration",
    ),
    (lambda: DisplacementBeamColumn("e", 1, 2, section=BILINEAR, points=0), "points"),
    (lambda: Truss("e", 1, 2, material=Elastic(1.0), area=0.0), "area"),
    (lambda: Truss("e", 1, 2, material=ELASTIC, area=1.0), "material"),
    (lambda: Truss("e", 1, 1, material=Elastic(1.0), area=1.0), "j"),
    (lambda: Truss("e", 1, 2, material=Elastic(1.0), area=1.0, geometry="exact"), "geometry"),
    (lambda: Truss("e", 1, 2, material=Viscous(1.0), area=1.0, damped=True), "damped"),
    (lambda: TwoNodeLink("e", 1, 1, SPRING), "j"),
    (lambda: TwoNodeLink("e", 1, 2, {}), "laws"),
    (lambda: TwoNodeLink("e", 1, 2, Elastic(1.0)), "laws"),
    (lambda: TwoNodeLink("e", 1, 2, {"w": Elastic(1.0)}), "laws"),
    (lambda: TwoNodeLink("e", 1, 2, {"x": ELASTIC}), "laws['x']"),
    (lambda: TwoNodeLink("e", 1, 2, SPRING, shear_distance=1.5), "shear_distance"),
    (lambda: TwoNodeLink("e", 1, 2, {"y": Viscous(1.0)}, damped=True), "damped"),
    (lambda: ZeroLength("e", 1, 2, SPRING, angle=math.nan), "angle"),
    (lambda: ZeroLengthSection("e", 1, 2, Elastic(1.0)), "section"),
    (lambda: ZeroLengthSection("e", 1, 2, BILINEAR, angle="up"), "angle"),
    (lambda: ViscousDashpot("e", 1, 2, C=-1.0), "C"),
    (lambda: ViscousDashpot("e", 1, 2, C=1.0, alpha=0.0), "alpha"),
    (lambda: LumpedMass("m", 1, -1.0), "mass"),
    (lambda: LumpedMass("m", 1, 0.0), "mass"),
]


@pytest.mark.parametrize(("make", "argument"), WRONG)
def test_wrong_argument(make, argument):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.argument == argument
    assert caught.value.object
    assert caught.value.rule
    assert argument in str(caught.value)


def two_nodes(element, distance=2.0):
    model = Model()
    model.node(1, 1.0, 1.0, fixed=True)
    model.node(2, 1.0 + distance, 1.0)
    model.add(element)
    return model


@pytest.mark.parametrize(
    "element",
    [
        ElasticBeamColumn("e", 1, 2, section=ELASTIC),
        ForceBeamColumn("e", 1, 2, section=BILINEAR),
        Truss("e", 1, 2, material=Elastic(1.0), area=1.0),
        TwoNodeLink("e", 1, 2, SPRING),
    ],
)
def test_no_length(element):
    with pytest.raises(ModelError, match=r"'e'.*no length.*ZeroLength"):
        two_nodes(element, 0.0).compile()


@pytest.mark.parametrize(
    "element", [ZeroLength("e", 1, 2, SPRING), ZeroLengthSection("e", 1, 2, BILINEAR)]
)
def test_too_much_length(element):
    with pytest.raises(ModelError, match=r"'e'.*2 apart.*TwoNodeLink"):
        two_nodes(element).compile()


def test_offsets_that_eat_the_member():
    with pytest.raises(ModelError, match="no length"):
        two_nodes(
            ElasticBeamColumn("e", 1, 2, section=ELASTIC, offset_i=(1.0, 0.0), offset_j=(-1.0, 0.0))
        ).compile()


def test_hinges_longer_than_the_member():
    with pytest.raises(InputError, match="quarter of the length"):
        two_nodes(
            ForceBeamColumn("e", 1, 2, integration=Hinges(BILINEAR, 0.3, BILINEAR, 0.3, ELASTIC))
        ).compile()


@pytest.mark.parametrize(
    "element", [Truss("e", 1, 2, material=Elastic(1.0), area=1.0), TwoNodeLink("e", 1, 2, SPRING)]
)
def test_no_member_load_on_what_cannot_bear_it(element):
    model = two_nodes(element)
    model.member_load("e", UniformLoad(y=1.0))
    with pytest.raises(InputError) as caught:
        model.compile()
    assert caught.value.argument == "load"


def test_releases_count_only_as_they_are():
    """A link along x alone asks nothing of y and rz."""
    model = two_nodes(TwoNodeLink("e", 1, 2, SPRING))
    probe = Probe(model)
    assert set(probe.program.numbering.place) == {(1, "x"), (2, "x")}
    with pytest.raises(ModelError, match="'y'"):
        probe.program.dof(2, "y")
