"""Beams with known answers, and elastic members of all kinds against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from element_harness import AREA, EA, EI, ELASTIC, E, Probe, equilibrium

from femu.analyses.eigen import eigen
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
)
from femu.materials import Elastic
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model

L = 4.0
EXACT = {
    "elastic": lambda **o: ElasticBeamColumn("e", 1, 2, section=ELASTIC, **o),
    "force": lambda **o: ForceBeamColumn("e", 1, 2, section=ELASTIC, **o),
    "displacement": lambda **o: DisplacementBeamColumn("e", 1, 2, section=ELASTIC, **o),
}
FRAMES = pytest.mark.parametrize("make", EXACT.values(), ids=EXACT.keys())
ANGLES = pytest.mark.parametrize("angle", [0.0, 0.9])


def beam(element, fixed_i=True, fixed_j=False, angle=0.0):
    model = Model()
    model.node(1, 0.0, 0.0, fixed=fixed_i)
    model.node(2, L * math.cos(angle), L * math.sin(angle), fixed=fixed_j)
    model.add(element)
    return model


def local(probe, node, angle):
    """Displacement of a node along and across the member, and its rotation."""
    x, y, r = probe.run.fields.u1[probe.places((node, "x"), (node, "y"), (node, "rz"))]
    return x * math.cos(angle) + y * math.sin(angle), -x * math.sin(angle) + y * math.cos(angle), r


@FRAMES
@ANGLES
def test_cantilever(make, angle):
    model = beam(make(), angle=angle)
    P, N, M = 7.0, -50.0, 3.0
    c, s = math.cos(angle), math.sin(angle)
    model.load(2, x=N * c - P * s, y=N * s + P * c, rz=M)
    probe = equilibrium(model)
    along, across, rotation = local(probe, 2, angle)
    assert along == pytest.approx(N * L / EA, rel=1e-10)
    assert across == pytest.approx(P * L**3 / (3 * EI) + M * L**2 / (2 * EI), rel=1e-10)
    assert rotation == pytest.approx(P * L**2 / (2 * EI) + M * L / EI, rel=1e-10)
    state = probe.element()
    assert state["N"] == pytest.approx(N, rel=1e-10)
    assert state["Mi"] == pytest.approx(-P * L - M, rel=1e-10)
    assert state["Mj"] == pytest.approx(M, rel=1e-10)


@FRAMES
@ANGLES
def test_cantilever_under_uniform_load(make, angle):
    model = beam(make(), angle=angle)
    model.member_load("e", UniformLoad(x=2.0, y=-3.0))
    probe = equilibrium(model)
    along, across, rotation = local(probe, 2, angle)
    assert across == pytest.approx(-3.0 * L**4 / (8 * EI), rel=1e-10)
    assert rotation == pytest.approx(-3.0 * L**3 / (6 * EI), rel=1e-10)
    assert along == pytest.approx(2.0 * L**2 / (2 * EA), rel=1e-10)
    x, y, r = probe.run.fields.internal[probe.places((1, "x"), (1, "y"), (1, "rz"))]
    c, s = math.cos(angle), math.sin(angle)
    assert x * c + y * s == pytest.approx(-2.0 * L, rel=1e-10)
    assert -x * s + y * c == pytest.approx(3.0 * L, rel=1e-10)
    assert r == pytest.approx(3.0 * L**2 / 2, rel=1e-10)


@FRAMES
def test_fixed_beam_under_uniform_load(make):
    model = beam(make(), fixed_j=True)
    model.node(3, 9.0, 9.0, fixed="y")
    model.add(Truss("held", 2, 3, material=Elastic(E), area=AREA))  # something free, far away
    model.member_load("e", UniformLoad(y=-5.0, x=1.0))
    probe = equilibrium(model)
    state = probe.element()
    assert state["Mi"] == pytest.approx(5.0 * L**2 / 12, rel=1e-10)
    assert state["Mj"] == pytest.approx(-5.0 * L**2 / 12, rel=1e-10)
    assert state["N"] == pytest.approx(-1.0 * L / 2, rel=1e-10)
    reactions = probe.run.fields.internal[probe.places((1, "x"), (1, "y"))]
    assert reactions == pytest.approx([-1.0 * L / 2, 5.0 * L / 2], rel=1e-10)


@pytest.mark.parametrize("at", [0.2, 0.5, 0.85])
def test_fixed_beam_under_point_load(at):
    P, a, b = -6.0, at * L, (1 - at) * L
    for make in (EXACT["elastic"], EXACT["displacement"]):
        model = beam(make(), fixed_j="xy")
        model.member_load("e", PointLoad(at, x=2.0, y=P))
        probe = Probe(model)
        probe.run.fields.member_load[:] = probe.program.member[0]
        probe(np.zeros(probe.program.ndof))
        state = probe.element()
        assert state["Mi"] == pytest.approx(-P * a * b**2 / L**2, rel=1e-12)
        assert state["Mj"] == pytest.approx(P * a**2 * b / L**2, rel=1e-12)
        assert state["N"] == pytest.approx(-2.0 * at, rel=1e-12)
        reactions = probe.run.fields.internal[probe.places((1, "x"), (2, "x"))]
        assert reactions == pytest.approx([-2.0 * (1 - at), -2.0 * at], rel=1e-12)


def test_force_based_point_load_converges_to_the_clamped_moment():
    """The moment has a kink under the load, which the integration rule does not see.

    It converges with more points.
    """
    errors = []
    for points in (4, 6, 10):
        model = beam(ForceBeamColumn("e", 1, 2, section=ELASTIC, points=points), fixed_j="xy")
        model.member_load("e", PointLoad(0.3, y=-6.0))
        probe = Probe(model)
        probe.run.fields.member_load[:] = probe.program.member[0]
        probe(np.zeros(probe.program.ndof))
        errors.append(abs(probe.element()["Mi"] / (6.0 * 0.3 * 0.7**2 * L) - 1.0))
    assert errors[-1] < 0.02
    assert errors[-1] < errors[0]


@pytest.mark.parametrize(
    ("at", "make"), [(0.0, EXACT["force"]), (1.0, EXACT["force"]), (0.0, EXACT["elastic"])]
)
def test_point_load_at_an_end_goes_into_the_support(at, make):
    model = beam(make(), fixed_j="xy")
    model.member_load("e", PointLoad(at, y=-6.0, x=4.0))
    probe = equilibrium(model)
    node = 1 if at == 0.0 else 2
    assert probe.run.fields.internal[probe.places((node, "x"), (node, "y"))] == pytest.approx(
        [-4.0, 6.0], rel=1e-12
    )
    assert probe.run.fields.u1 == pytest.approx(np.zeros(probe.program.ndof), abs=1e-15)


@pytest.mark.parametrize("released", ["i", "j"])
@ANGLES
def test_propped_cantilever_by_a_release(released, angle):
    """A clamped beam with a hinge at one end is a propped cantilever."""
    w, P, at = -5.0, -9.0, 0.3
    model = beam(
        ElasticBeamColumn("e", 1, 2, section=ELASTIC, **{f"release_{released}": True}),
        angle=angle,
        fixed_j=True,
    )
    model.nodes[2].fixed.discard("x")  # something must be free
    model.member_load("e", UniformLoad(y=w))
    model.member_load("e", PointLoad(at, y=P))
    probe = Probe(model)
    probe.run.fields.member_load[:] = probe.program.member[0]
    probe(np.zeros(probe.program.ndof))
    state = probe.element()
    far = at if released == "i" else 1.0 - at  # distance from the hinge, as a share
    clamped = w * L**2 / 8 + P * L * far * (1 - far**2) / 2
    assert state["Mi" if released == "i" else "Mj"] == 0.0
    assert state["Mj" if released == "i" else "Mi"] == pytest.approx(
        clamped if released == "i" else -clamped, rel=1e-12
    )


def test_both_releases_leave_a_bar_without_bending():
    model = beam(
        ElasticBeamColumn("e", 1, 2, section=ELASTIC, release_i=True, release_j=True), fixed_j="y"
    )
    model.fix(2, "rz")
    model.member_load("e", UniformLoad(y=-5.0))
    model.load(2, x=100.0)
    probe = equilibrium(model)
    state = probe.element()
    assert (state["Mi"], state["Mj"]) == (0.0, 0.0)
    assert state["N"] == pytest.approx(100.0, rel=1e-12)
    assert probe.run.fields.internal[probe.places((1, "y"), (2, "y"))] == pytest.approx(
        [10.0, 10.0], rel=1e-12
    )
    assert probe.run.fields.internal[probe.places((1, "rz"), (2, "rz"))] == pytest.approx(
        [0.0, 0.0], abs=1e-12
    )


@pytest.mark.parametrize("geometry", ["linear", "corotational"])
@FRAMES
def test_offsets_are_rigid_arms(make, geometry):
    """The reactions of a cantilever with rigid ends by statics, of the deformed structure where it
    is corotational."""
    model = Model()
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, L, 0.5)
    model.add(make(offset_i=(0.5, 0.0), offset_j=(0.0, -0.5), geometry=geometry))
    model.load(2, x=10.0, y=20.0)
    model.member_load("e", UniformLoad(y=-10.0))
    probe = equilibrium(model)
    x, y, turn = probe.run.fields.u1[probe.places((2, "x"), (2, "y"), (2, "rz"))]
    if geometry == "linear":
        x, y, turn = 0.0, 0.0, 0.0
    else:
        assert abs(turn) > 1e-3
    half = 10.0 * (L - 0.5) / 2  # the load acts half at each end of the flexible part
    moment = 10.0 * (0.5 + y) - 20.0 * (L + x) + half * 0.5 + half * (L + x + 0.5 * math.sin(turn))
    reaction = probe.run.fields.internal[probe.places((1, "x"), (1, "y"), (1, "rz"))]
    assert reaction == pytest.approx([-10.0, -20.0 + 2 * half, moment], rel=1e-9)


def test_corotational_elastica_rolls_up():
    """A cantilever under the end moment 2 pi EI / L becomes a circle; ten elements come close."""
    model = Model()
    parts = 10
    for node in range(parts + 1):
        model.node(node, L * node / parts, 0.0, fixed=node == 0)
        if node:
            model.add(
                ElasticBeamColumn(
                    f"e{node}", node - 1, node, section=ELASTIC, geometry="corotational"
                )
            )
    model.load(parts, rz=math.pi * EI / L)  # half a circle
    probe = Probe(model)
    for share in np.linspace(0.1, 1.0, 10):
        equilibrium(model, float(share), probe=probe)
    x, y, r = probe.run.fields.u1[probe.places((parts, "x"), (parts, "y"), (parts, "rz"))]
    assert r == pytest.approx(math.pi, rel=1e-6)
    assert y == pytest.approx(2 * L / math.pi, rel=0.005)
    assert x == pytest.approx(-L, rel=0.005)


@pytest.mark.parametrize(("geometry", "tolerance"), [("p-delta", 0.22), ("corotational", 0.01)])
def test_euler_load(geometry, tolerance):
    """The stiffness of a cantilever column loses its sign at the Euler load.

    P-Delta of one element is 22 % high.
    """
    parts = 1 if geometry == "p-delta" else 6
    euler = math.pi**2 * EI / (4 * L**2)
    model = Model()
    for node in range(parts + 1):
        model.node(node, 0.0, L * node / parts, fixed=node == 0)
        if node:
            model.add(
                ElasticBeamColumn(f"e{node}", node - 1, node, section=ELASTIC, geometry=geometry)
            )
    model.load(parts, y=-1.0)

    def least(load):
        return np.linalg.eigvalsh(equilibrium(model, load).stiffness())[0]

    low, high = 0.5 * euler, 2.0 * euler
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if least(middle) > 0.0 else (low, middle)
    assert low / euler == pytest.approx(1.0, abs=tolerance)


def test_truss_of_two_bars():
    """A shallow arch of two bars, corotational: exact equilibrium at a finite displacement."""
    model = Model()
    model.node(1, -2.0, 0.0, fixed=True)
    model.node(2, 2.0, 0.0, fixed=True)
    model.node(3, 0.0, 1.0)
    for name, node in (("a", 1), ("b", 2)):
        model.add(Truss(name, node, 3, material=Elastic(E), area=AREA, geometry="corotational"))
    model.load(3, y=-0.25 * 1e5)
    probe = equilibrium(model)
    drop = -probe.run.fields.u1[probe.program.dof(3, "y")]
    original, now = math.sqrt(5.0), math.sqrt(4.0 + (1.0 - drop) ** 2)
    assert 2 * E * AREA * (original - now) / original * (1.0 - drop) / now == pytest.approx(
        0.25e5, rel=1e-9
    )
    assert probe.element("a")["v_N"] == pytest.approx(now - original, rel=1e-9)


def test_two_node_link_shear_acts_at_its_distance():
    model = Model()
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 2.0)
    model.add(
        TwoNodeLink(
            "e",
            1,
            2,
            {"x": Elastic(50.0), "y": Elastic(7.0), "rz": Elastic(3.0)},
            shear_distance=0.25,
        )
    )
    model.load(2, x=1.0)
    probe = equilibrium(model)
    x, y, r = probe.run.fields.u1[probe.places((2, "x"), (2, "y"), (2, "rz"))]
    # local y points to the left of an upright link; node 2 is 1.5 above the shear spring
    assert (x, y, r) == pytest.approx(
        (1.0 / 7.0 + 1.5**2 / 3.0, 0.0, -1.5 / 3.0), rel=1e-12, abs=1e-15
    )
    assert probe.run.fields.internal[probe.program.dof(1, "rz")] == pytest.approx(2.0, rel=1e-12)


def test_hinges_integrate_elastic_members_exactly_where_they_should():
    """Two-point Radau and Legendre rules are exact for the quadratic of an elastic member."""
    whole = beam(
        ForceBeamColumn("e", 1, 2, integration=Hinges(ELASTIC, 0.3, ELASTIC, 0.4, ELASTIC))
    )
    expected = beam(EXACT["elastic"]())
    still = np.zeros(6)
    assert Probe(whole)(still)[1] == pytest.approx(Probe(expected)(still)[1], rel=1e-12)


def test_lumped_mass_and_spring_have_the_period_of_an_oscillator():
    model = Model()
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0)
    model.add(ZeroLength("k", 1, 2, {"x": Elastic(40.0), "y": Elastic(90.0)}))
    model.add(LumpedMass("m", 2, 10.0))
    assert eigen(model, 2).periods == pytest.approx([math.pi, 2 * math.pi / 3], rel=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda **o: ElasticBeamColumn("e", 1, 2, section=ELASTIC, mass=3.0, **o),
        lambda **o: Truss("e", 1, 2, material=Elastic(E), area=AREA, mass=3.0, **o),
    ],
)
@pytest.mark.parametrize("consistent", [False, True])
def test_mass_of_a_member_is_all_there(make, consistent):
    program = beam(make(consistent_mass=consistent), angle=0.7, fixed_i=False).compile()
    mass = program.mass_matrix().toarray()
    assert mass == pytest.approx(mass.T)
    for direction in "xy":
        r = program.influence(direction)
        assert r @ mass @ r == pytest.approx(3.0 * L, rel=1e-12)
    program.parameters["e.mass"] = 6.0
    assert program.mass_matrix().toarray() == pytest.approx(2.0 * mass)
