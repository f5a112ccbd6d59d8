"""Load patterns, nodal loads and member loads."""

from __future__ import annotations

import numpy as np
import pytest
from example_frames import ELASTIC, SECTIONS, E, I, cantilever, portal

from femu import InputError, Model, Pattern, PointLoad, UniformLoad
from femu.analyses import LoadControl, Transient
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, ForceBeamColumn, Truss
from femu.materials import Elastic
from femu.model.series import Constant

# the load happens to be the number of kilograms
pytestmark = pytest.mark.filterwarnings("ignore:the mass of 'portal', 6e")


def test_loads_on_a_node_add_up() -> None:
    model = cantilever()
    model.load("B", x=3.0)
    model.load("B", x=np.float64(4.0), rz=np.int64(2))
    assert model.patterns["loads"].nodal == {("B", "x"): 7.0, ("B", "rz"): 2.0}


def test_a_bad_load_leaves_no_pattern_behind() -> None:
    model = cantilever()
    with pytest.raises(InputError, match=r"load on node 'B': x = nan must be a finite number"):
        model.load("B", x=float("nan"), pattern="bad")
    assert model.patterns == {}


def test_patterns_may_be_made_first_or_on_the_way() -> None:
    model = cantilever()
    made = model.pattern("wind", Constant(2.0))
    model.load("B", x=1.0, pattern="wind")
    assert model.patterns["wind"] is made
    assert made.series == Constant(2.0)


KINDS = {
    "elastic": ElasticBeamColumn,
    "force": ForceBeamColumn,
    "displacement": DisplacementBeamColumn,
}


def beam(kind: str, angle: float = 0.0, ends: tuple[object, object] = (True, True)) -> Model:
    """A beam of length 4 at an angle, in as many pieces as its kind needs to be exact.

    Supports at the ends.
    """
    model = Model("beam")
    c, s = np.cos(angle), np.sin(angle)
    model.node("i", 0.0, 0.0, fixed=ends[0])  # type: ignore[arg-type]
    model.node("j", 4.0 * c, 4.0 * s, fixed=ends[1])  # type: ignore[arg-type]
    model.add(KINDS[kind]("b", "i", "j", section=ELASTIC))
    return model


@pytest.mark.parametrize("kind", ["elastic", "force"])
@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2])
def test_clamped_beam_under_uniform_load(kind: str, angle: float) -> None:
    model = beam(kind, angle)
    model.node("free", 9.0, 9.0, fixed="y")  # something must be free to move
    model.add(Truss("bar", "j", "free", material=Elastic(E=1e9), area=1e-3))
    model.member_load("b", UniformLoad(x=30.0, y=-600.0))
    local = LoadControl(steps=2).run(model).force("b", "local")[-1]
    # support forces of the clamped beam, acting on it: wL/2, wL^2/12
    assert local == pytest.approx([-60.0, 1200.0, 800.0, -60.0, 1200.0, -800.0], rel=1e-9)


@pytest.mark.parametrize("kind", ["elastic", "force"])
def test_clamped_beam_under_a_point_load(kind: str) -> None:
    model = beam(kind)
    model.node("free", 9.0, 9.0, fixed="y")
    model.add(Truss("bar", "j", "free", material=Elastic(E=1e9), area=1e-3))
    model.member_load("b", PointLoad(at=0.25, y=-800.0, x=40.0))
    local = LoadControl(steps=1).run(model).force("b", "local")[-1]
    a, b, L, P = 1.0, 3.0, 4.0, 800.0
    if kind == "elastic":
        wanted = [
            -30.0,
            P * b**2 * (3 * a + b) / L**3,
            P * a * b**2 / L**2,
            -10.0,
            P * a**2 * (a + 3 * b) / L**3,
            -P * a**2 * b / L**2,
        ]
        assert local == pytest.approx(wanted, rel=1e-9)
    assert local[1] + local[4] == pytest.approx(P)  # equilibrium holds for any integration
    assert local[0] + local[3] == pytest.approx(-40.0)
    assert local[2] + local[5] + L * local[4] == pytest.approx(P * a)


@pytest.mark.parametrize("kind", ["elastic", "force"])
def test_tip_of_a_cantilever_under_uniform_load(kind: str) -> None:
    model = beam(kind, ends=(True, False))
    model.member_load("b", UniformLoad(y=-100.0))
    result = LoadControl(steps=3).run(model)
    assert result.displacement("j", "y")[-1] == pytest.approx(
        -100.0 * 4.0**4 / (8 * E * I), rel=1e-9
    )
    assert result.displacement("j", "rz")[-1] == pytest.approx(
        -100.0 * 4.0**3 / (6 * E * I), rel=1e-9
    )
    assert result.reaction("i", "y")[-1] == pytest.approx(400.0, rel=1e-9)
    assert result.reaction("i", "rz")[-1] == pytest.approx(800.0, rel=1e-9)


def test_a_simple_beam_of_force_elements_has_its_parabola_of_moments() -> None:
    from femu import Save

    model = beam("force", ends=("xy", "y"))
    model.member_load("b", UniformLoad(y=-100.0))
    result = LoadControl(steps=1).run(model, save=Save(sections=["b"]))
    x = 4.0 * 0.5
    assert result.section("b", 2, "M")[-1] == pytest.approx(100.0 * x * (4.0 - x) / 2.0, rel=1e-9)
    assert result.displacement("i", "rz")[-1] == pytest.approx(
        -100.0 * 64.0 / (24 * E * I), rel=1e-9
    )


@pytest.mark.parametrize("section", SECTIONS)
def test_gravity_by_member_loads_alone_stays_through_a_quiet_record(section: str) -> None:
    """Nothing moves where nothing shakes.

    The held member load must still converge, step for step.
    """
    from femu import GroundMotion

    model = portal(section, "p-delta")
    model.patterns["gravity"].nodal.clear()
    held = LoadControl(pattern="gravity", steps=2).run(model)
    assert held.outcome.ok, held.message
    quiet = Transient(dt=0.02).run(
        model, GroundMotion("quiet", 0.02, np.zeros(50)), start=held.state
    )
    assert quiet.outcome.ok, quiet.message
    assert np.abs(quiet.displacement("C", "y") - quiet.displacement("C", "y")[0]).max() < 1e-9
    assert quiet.reaction("A", "y")[-1] + quiet.reaction("B", "y")[-1] == pytest.approx(
        60e3, rel=1e-6
    )


def test_member_load_that_follows_a_series() -> None:
    model = beam("elastic", ends=(True, False))
    model.mass("j", 1e3)
    model.rayleigh(mass=20.0)
    model.pattern("slow", Constant(0.5))
    model.member_load("b", UniformLoad(y=-100.0), "slow")
    result = Transient(dt=0.005).run(model, duration=3.0)
    assert result.displacement("j", "y")[-1] == pytest.approx(
        -50.0 * 4.0**4 / (8 * E * I), rel=1e-6
    )


def test_member_loads_are_refused_by_elements_without_length() -> None:
    model = cantilever()
    model.node("C", 2.0, 3.0, fixed="xy")
    model.add(Truss("bar", "B", "C", material=Elastic(E=1e9), area=1e-3))
    model.member_load("bar", UniformLoad(y=-1.0))
    with pytest.raises(
        InputError,
        match=r"Truss\('bar'\): load = .* is not possible on this kind "
        r"of element",
    ):
        model.compile()


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: UniformLoad(x=float("nan")), "x"),
        (lambda: UniformLoad(y="5"), "y"),
        (lambda: UniformLoad(y=True), "y"),
        (lambda: PointLoad(at=1.2, y=1.0), "at"),
        (lambda: PointLoad(at=-0.1), "at"),
        (lambda: PointLoad(at=float("nan")), "at"),
        (lambda: PointLoad(at=0.5, x=float("inf")), "x"),
        (lambda: Pattern("p", series=3.0), "series"),
        (lambda: Pattern(""), "name"),
        (lambda: Pattern(3), "name"),
        (lambda: Pattern("p").add_nodal("A", {"up": 1.0}), "direction"),
    ],
)
def test_bad_arguments(make: object, argument: str) -> None:
    with pytest.raises(InputError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.argument == argument
