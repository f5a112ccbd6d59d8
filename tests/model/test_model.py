"""The model as an object: names, repr, and what its constraints do to a structure."""

from __future__ import annotations

import numpy as np
import pytest
from example_frames import ELASTIC, QUAKE, E, I, cantilever, portal

from femu import GroundMotion, Model, ModelError, Motion
from femu.analyses import LoadControl, Newmark, Transient, eigen
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection
from femu.model.series import Constant, Sine

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")
STIFF = ElasticSection(E=E, A=60.0, I=10.0)  # 1e4 and 1e5 times the members it joins


def test_names_may_be_numbers_or_words() -> None:
    model = Model("mixed")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node("top of pier", 0.0, 2.0)
    model.add(ElasticBeamColumn(7, 1, "top of pier", section=ELASTIC))
    model.load("top of pier", x=1.0)
    result = LoadControl(steps=1).run(model)
    assert result.displacement("top of pier", "x")[-1] == pytest.approx(
        8.0 / (3.0 * E * I), rel=1e-6
    )
    assert result.reaction(1, "x")[-1] == pytest.approx(-1.0)
    assert result.force(7, "basic")[-1, 1] == pytest.approx(2.0)


def test_repr_reads_well() -> None:
    model = portal()
    assert repr(model) == (
        "Model('portal': 4 nodes, 2 ForceBeamColumn, 1 ElasticBeamColumn; patterns: gravity, push)"
    )
    assert repr(model.nodes["A"]) == "Node('A', 0, 0, fixed='rzxy')"
    assert repr(model.nodes["C"]) == "Node('C', 0, 3.6, mass=x:30000, y:30000, rz:20000)"
    assert repr(Model()) == "Model('model': 0 nodes, no elements)"


def test_directions_in_words_and_letters() -> None:
    model = Model()
    model.node(1, 0.0, 0.0, fixed="xrz")
    model.node(2, 0.0, 0.0, fixed=("y",))
    model.fix(2, "rz")
    assert model.nodes[1].fixed == {"x", "rz"}
    assert model.nodes[2].fixed == {"y", "rz"}


def test_a_node_refused_leaves_nothing_behind() -> None:
    model = Model()
    with pytest.raises(ValueError, match="mass"):
        model.node(1, 0.0, 0.0, mass=-1.0)
    assert model.nodes == {}
    model.node(1, 0.0, 0.0, mass=1.0)


def test_several_models_side_by_side() -> None:
    first, second = cantilever(3.0), cantilever(6.0)
    alone = eigen(cantilever(3.0), 1).periods[0]
    programs = [first.compile(), second.compile()]
    second.elements["column"].section = STIFF  # type: ignore[attr-defined]
    periods = [eigen(p, 1).periods[0] for p in programs]
    assert periods[0] == alone
    assert periods[1] / periods[0] == pytest.approx(8.0**0.5, rel=1e-9)


# --- equal_dof and diaphragm ---


def two_columns() -> Model:
    """Two free-standing columns, one twice as tall."""
    model = Model("columns")
    for side, x, height in (("left", 0.0, 3.0), ("right", 5.0, 6.0)):
        model.node(f"{side} foot", x, 0.0, fixed=True)
        model.node(side, x, height)
        model.add(ElasticBeamColumn(f"{side} column", f"{side} foot", side, section=ELASTIC))
    return model


@pytest.mark.parametrize("loaded", ["left", "right"])
def test_equal_dof_shares_load_by_stiffness(loaded: str) -> None:
    model = two_columns()
    model.equal_dof("left", "right", "x")
    model.load(loaded, x=900.0)
    result = LoadControl(steps=1).run(model)
    stiffness = [3.0 * E * I / h**3 for h in (3.0, 6.0)]
    u = 900.0 / sum(stiffness)
    assert result.displacement("left", "x")[-1] == pytest.approx(u, rel=1e-10)
    assert result.displacement("right", "x")[-1] == result.displacement("left", "x")[-1]
    assert result.reaction("left foot", "x")[-1] == pytest.approx(-stiffness[0] * u, rel=1e-10)
    assert result.reaction("right foot", "x")[-1] == pytest.approx(-stiffness[1] * u, rel=1e-10)
    assert result.displacement("left", "rz")[-1] != result.displacement("right", "rz")[-1]
    assert result.base_shear()[-1] == pytest.approx(-900.0, rel=1e-10)


def test_equal_dof_adds_masses_wherever_they_stand() -> None:
    model = two_columns()
    model.equal_dof("right", "left", "x")
    model.mass("left", (100.0, 0.0))
    model.mass("right", (300.0, 0.0))
    stiffness = sum(3.0 * E * I / h**3 for h in (3.0, 6.0))
    assert eigen(model, 1).periods[0] == pytest.approx(
        2.0 * np.pi * np.sqrt(400.0 / stiffness), rel=1e-9
    )


def test_diaphragm_equals_a_stiff_bar_between_the_nodes() -> None:
    tied, barred = two_columns(), two_columns()
    tied.node("mid", 2.5, 4.5)
    tied.add(ElasticBeamColumn("mid column", "left foot", "mid", section=ELASTIC))
    tied.rigid_diaphragm(["left", "right", "mid"])
    barred.node("mid", 2.5, 4.5)
    barred.add(ElasticBeamColumn("mid column", "left foot", "mid", section=ELASTIC))
    rod = ElasticSection(E=E, A=1e4, I=1e-14)  # axially stiff, without bending
    for name in ("left", "right"):
        barred.add(ElasticBeamColumn(f"rod {name}", name, "mid", section=rod))
    # level rods only tie the x displacements: bring the tops to one height
    for model in (tied, barred):
        for name in ("left", "right", "mid"):
            model.nodes[name].coordinates[1] = 4.0
        model.load("mid", x=5e3)
    results = [LoadControl(steps=1).run(m) for m in (tied, barred)]
    for node in ("left", "right", "mid"):
        u = [r.displacement(node, "x")[-1] for r in results]
        assert u[0] == pytest.approx(u[1], rel=1e-5)


def test_an_element_between_tied_nodes_feels_nothing() -> None:
    model = two_columns()
    for node in ("left", "right"):
        model.nodes[node].coordinates[1] = 3.0
    model.add(
        ElasticBeamColumn("tie", "left", "right", section=ElasticSection(E=E, A=1.0, I=1e-14))
    )
    model.equal_dof("left", "right", "x")
    model.load("left", x=1000.0)
    result = LoadControl(steps=1).run(model)
    assert result.displacement("right", "x")[-1] == pytest.approx(
        1000.0 / (2 * 3.0 * E * I / 27.0), rel=1e-9
    )
    assert abs(result.basic_force("tie", "N")[-1]) < 1e-9


def test_equal_dof_to_a_fixed_node_fixes() -> None:
    model = two_columns()
    model.fix("right", "x")
    model.equal_dof("left", "right", "x")
    model.load("left", x=100.0, rz=50.0)
    result = LoadControl(steps=1).run(model)
    assert result.displacement("left", "x")[-1] == 0.0
    assert result.reaction("right", "x")[-1] == pytest.approx(-100.0 + 1.5 * 50.0 / 3.0, rel=1e-9)


# --- rigid links ---


def bracket(kind: str) -> Model:
    """A column with an arm of 1.5 across and 0.8 up at its top, as a rigid link or as a stiff
    member."""
    model = cantilever(3.0, mass=0.0)
    model.node("tip", 1.5, 3.8, mass=(400.0, 400.0, 50.0))
    if kind == "link":
        model.rigid_link("B", "tip")
    else:
        model.add(ElasticBeamColumn("arm", "B", "tip", section=STIFF))
    model.load("tip", x=2e3, y=-7e3, rz=1e3)
    return model


def test_rigid_link_against_closed_form() -> None:
    result = LoadControl(steps=1).run(bracket("link"))
    moment = 1e3 - 7e3 * 1.5 - 2e3 * 0.8  # at the top of the column, counterclockwise
    EI, EA, h = E * I, E * ELASTIC.A, 3.0
    sway = 2e3 * h**3 / (3 * EI) - moment * h**2 / (2 * EI)
    turn = -2e3 * h**2 / (2 * EI) + moment * h / EI
    assert result.displacement("B", "x")[-1] == pytest.approx(sway, rel=1e-10)
    assert result.displacement("tip", "rz")[-1] == pytest.approx(turn, rel=1e-10)
    assert result.displacement("tip", "x")[-1] == pytest.approx(sway - 0.8 * turn, rel=1e-10)
    assert result.displacement("tip", "y")[-1] == pytest.approx(
        -7e3 * h / EA + 1.5 * turn, rel=1e-10
    )
    assert result.reaction("A", "x")[-1] == pytest.approx(-2e3, rel=1e-10)
    assert result.reaction("A", "y")[-1] == pytest.approx(7e3, rel=1e-10)
    assert result.reaction("A", "rz")[-1] == pytest.approx(2e3 * h - moment, rel=1e-10)
    assert result.base_shear()[-1] == pytest.approx(-2e3, rel=1e-10)


def test_rigid_link_against_a_stiff_member() -> None:
    linked, stiff = eigen(bracket("link"), 3), eigen(bracket("member"), 3)
    assert linked.periods == pytest.approx(stiff.periods, rel=1e-3)
    assert abs(linked.shape(1, "tip", "x") / linked.shape(1, "B", "x")) == pytest.approx(
        abs(stiff.shape(1, "tip", "x") / stiff.shape(1, "B", "x")), rel=1e-3
    )
    histories = []
    for kind in ("link", "member"):
        model = bracket(kind)
        model.rayleigh(mass=0.5, initial=1e-4)
        histories.append(Transient(Newmark(), dt=0.01).run(model, QUAKE, duration=4.0))
    for direction in ("x", "y", "rz"):
        one, two = (h.displacement("tip", direction) for h in histories)
        assert np.abs(one - two).max() < 2e-2 * np.abs(two).max()


def test_followers_of_a_rigid_link_move_with_it_in_all_three_respects() -> None:
    result = Transient(Newmark(), dt=0.01).run(bracket("link"), QUAKE, duration=2.0)
    for read in (result.displacement, result.velocity, result.acceleration):
        base, turn = read("B", "x"), read("B", "rz")
        assert np.abs(read("tip", "x") - (base - 0.8 * turn)).max() <= 1e-12 * np.abs(base).max()


def test_rigid_link_to_a_fixed_node_hands_it_the_reaction() -> None:
    model = Model("pedestal")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("base", 0.5, 1.0)
    model.node("top", 0.5, 4.0)
    model.rigid_link("ground", "base")
    model.add(ElasticBeamColumn("column", "base", "top", section=ELASTIC))
    model.load("top", x=1000.0, y=-300.0)
    model.load("base", x=50.0)
    result = LoadControl(steps=1).run(model)
    assert result.displacement("top", "x")[-1] == pytest.approx(
        1000.0 * 27.0 / (3 * E * I), rel=1e-9
    )
    assert result.reaction("ground", "x")[-1] == pytest.approx(-1050.0, rel=1e-10)
    assert result.reaction("ground", "y")[-1] == pytest.approx(300.0, rel=1e-10)
    assert result.reaction("ground", "rz")[-1] == pytest.approx(
        1000.0 * 4.0 + 300.0 * 0.5 + 50.0 * 1.0, rel=1e-10
    )
    assert result.base_shear()[-1] == pytest.approx(-1050.0, rel=1e-10)


def test_chain_of_rigid_links() -> None:
    model = cantilever(3.0, mass=0.0)
    model.node("one", 1.0, 3.0)
    model.node("two", 1.0, 5.0)
    model.rigid_link("one", "two")
    model.rigid_link("B", "one")
    model.load("two", x=10.0)
    result = LoadControl(steps=1).run(model)
    turn = result.displacement("B", "rz")[-1]
    assert result.displacement("two", "x")[-1] == pytest.approx(
        result.displacement("B", "x")[-1] - 2.0 * turn, rel=1e-12
    )
    assert result.reaction("A", "rz")[-1] == pytest.approx(10.0 * 5.0, rel=1e-10)


def test_constraints_in_a_circle_are_refused() -> None:
    model = cantilever()
    model.node("one", 1.0, 3.0)
    model.node("two", 1.0, 5.0)
    model.rigid_link("one", "two")
    model.rigid_link("two", "one")
    with pytest.raises(ModelError, match="circular"):
        model.compile()


@pytest.mark.parametrize("breaks", ["two masters", "equal", "fixed"])
def test_contradicting_constraints_are_refused(breaks: str) -> None:
    model = cantilever()
    model.node("tip", 1.0, 3.0)
    model.rigid_link("B", "tip")
    if breaks == "two masters":
        model.rigid_link("A", "tip")
    elif breaks == "equal":
        model.equal_dof("tip", "A", "x")
    else:
        model.fix("tip", "y")
    with pytest.raises(ModelError, match="'tip'"):
        model.compile()


# --- support motion ---


def test_support_motion_of_all_supports_is_ground_motion() -> None:
    t = np.arange(0.0, 4.0, 0.005)
    acceleration = np.sin(6.0 * t)
    shaken = Transient(Newmark(), dt=0.005).run(
        portal("elastic", "linear", None), GroundMotion("s", 0.005, acceleration), duration=3.0
    )
    model = portal("elastic", "linear", None)
    motion = Motion(0.005, acceleration=acceleration)
    for node in "AB":
        model.support_motion(node, "x", motion)
    moved = Transient(Newmark(), dt=0.005).run(model, duration=3.0)
    for node in "CD":
        relative = moved.displacement(node, "x") - moved.displacement("A", "x")
        # the two differ by how the motion is integrated inside a step
        assert (
            np.abs(relative - shaken.displacement(node, "x")).max() < 1e-3 * np.abs(relative).max()
        )
    assert moved.displacement("A", "x") == pytest.approx(motion.at(moved.time)[0], abs=1e-12)
    assert moved.base_shear()[-1] == pytest.approx(shaken.base_shear()[-1], rel=1e-2)


def test_a_support_with_motion_is_held_in_static_and_eigen_analyses() -> None:
    still, moving = portal("elastic", "linear"), portal("elastic", "linear")
    moving.support_motion("A", "x", Motion(0.01, displacement=np.zeros(10)))
    assert eigen(moving, 3).periods == pytest.approx(eigen(still, 3).periods, rel=1e-9)
    results = [LoadControl(1e4, steps=1, pattern="push").run(m) for m in (still, moving)]
    assert results[1].displacement("C", "x")[-1] == pytest.approx(
        results[0].displacement("C", "x")[-1], rel=1e-9
    )
    assert results[1].reaction("A", "x")[-1] == pytest.approx(
        results[0].reaction("A", "x")[-1], rel=1e-9
    )


def test_supports_tied_to_a_moving_one_move_with_it() -> None:
    dt = 0.005
    acceleration = np.sin(7.0 * dt * np.arange(500))
    model = Model("tied")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("pedestal", 0.0, 0.5)
    model.node("B", 0.0, 3.5, mass=(1e3, 0.0, 0.0))
    model.node("other", 5.0, 0.0, fixed=("y", "rz"))
    model.node("C", 5.0, 3.0, mass=(1e3, 0.0, 0.0))
    model.rigid_link("A", "pedestal")
    model.equal_dof("A", "other", "x")
    model.add(ElasticBeamColumn("left", "pedestal", "B", section=ELASTIC))
    model.add(ElasticBeamColumn("right", "other", "C", section=ELASTIC))
    model.support_motion("A", "x", Motion(dt, acceleration=acceleration))
    result = Transient(Newmark(), dt=dt).run(model, duration=2.0)
    ground = result.displacement("A", "x")
    assert np.abs(ground).max() > 0.1
    assert np.array_equal(result.displacement("pedestal", "x"), ground)
    assert np.array_equal(result.displacement("other", "x"), ground)
    # both columns are 3 long: their tops move alike, as that of one on shaken ground does
    assert result.displacement("B", "x") == pytest.approx(
        result.displacement("C", "x"), rel=1e-9, abs=1e-15
    )
    alone = Model("alone")
    alone.node("A", 0.0, 0.0, fixed=True)
    alone.node("B", 0.0, 3.0, mass=(1e3, 0.0, 0.0))
    alone.add(ElasticBeamColumn("c", "A", "B", section=ELASTIC))
    shaken = Transient(Newmark(), dt=dt).run(
        alone, GroundMotion("g", dt, acceleration), duration=2.0
    )
    top = shaken.displacement("B", "x")
    assert np.abs(result.displacement("B", "x") - ground - top).max() < 2e-3 * np.abs(top).max()
    # the moving support carries both columns
    assert result.reaction("A", "x") == pytest.approx(
        2.0 * shaken.reaction("A", "x"), abs=4e-3 * np.abs(shaken.reaction("A", "x")).max()
    )
    assert result.energy_error < 1e-6


def test_pattern_with_a_series_follows_it_and_one_without_holds() -> None:
    model = cantilever()
    model.load("B", x=1e3)
    model.pattern("wind", Sine(period=0.7))
    model.load("B", x=100.0, pattern="wind")
    held = LoadControl(steps=1).run(model)
    result = Transient(Newmark(), dt=0.01).run(model, duration=1.0, start=held.state)
    assert np.all(result.factor("loads") == 1.0)
    assert result.factor("wind")[1:] == pytest.approx(
        np.sin(2 * np.pi * result.time[1:] / 0.7), abs=1e-12
    )


def test_constant_series_equals_a_held_load() -> None:
    still = cantilever()
    still.rayleigh(mass=1.0)
    still.pattern("dead", Constant(2.0))
    still.load("B", x=500.0, pattern="dead")
    result = Transient(Newmark(), dt=0.01).run(still, duration=20.0)
    assert result.displacement("B", "x")[-1] == pytest.approx(1000.0 * 27.0 / (3 * E * I), rel=1e-3)
