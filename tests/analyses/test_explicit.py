"""Integrators with a fixed amount of work a step, on frames.

Constraints, supports that move, member loads, what is refused.
"""

import numpy as np
import pytest

from femu import AnalysisError, GroundMotion, InputError, Model, Motion
from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlphaOS,
    KRAlpha,
    LoadControl,
    Newmark,
    NewmarkExplicit,
    RungeKutta,
    Transient,
    eigen,
)
from femu.analyses.noniterative import highest_frequency
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.engine.workspace import Workspace
from femu.materials import Bilinear, ElasticSection, UncoupledSection
from femu.model.loads import UniformLoad
from femu.model.series import Sine

QUAKE = GroundMotion.el_centro().scaled(pga=5.0)
YIELDING = UncoupledSection(axial=Bilinear(1.5e9, 2e6, 0.02), moment=Bilinear(1.9e7, 2e5, 0.02))
INTEGRATORS = [
    CentralDifference(),
    AlphaOS(0.9),
    AlphaOS(0.9, "current"),
    KRAlpha(0.8),
    FixedIterations(HHT(0.9)),
]
INTEGRATORS += [
    AlphaOS(0.9, "current", "midpoint"),
    KRAlpha(0.8, "midpoint"),
    AlphaOS(0.9, "current", predictor="taylor"),
]
INTEGRATORS += [
    AlphaOS(0.9, "current", "inside"),
    KRAlpha(0.8, "inside"),
    GeneralizedAlphaOS(0.7, "current", "inside"),
]
ALL = [*INTEGRATORS, RungeKutta()]


def frame(member=ForceBeamColumn, section=YIELDING, **options):
    model = Model("frame")
    for name, x in (("A", 0.0), ("B", 6.0)):
        model.node(name, x, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", 6.0)):
        model.node(name, x, 3.6, mass=(30e3, 30e3, 5e3))
    for name, i, j in (("left", "A", "C"), ("right", "B", "D"), ("beam", "C", "D")):
        model.add(member(name, i, j, section=section, **options))
    return model


def agrees(integrator, model, tolerance, motion=QUAKE, node="C", dt=5e-4, start=None):
    """With Newmark's method at the same small step."""
    program = model.compile()
    state = None if start is None else LoadControl(pattern=start).run(program).state
    found, wanted = (
        Transient(i, dt=dt).run(program, motion, duration=3.0, start=state)
        for i in (integrator, Newmark())
    )
    assert found.outcome.ok and not found.relaxations
    for direction in ("x", "rz"):
        a, b = found.displacement(node, direction), wanted.displacement(node, direction)
        assert np.abs(a - b).max() <= tolerance * np.abs(b).max()
    return found, wanted


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_yielding_frame(integrator):
    found, wanted = agrees(integrator, frame(geometry="p-delta"), 2e-3)
    assert np.abs(wanted.plastic_rotation("left")).max() > 0.005
    assert (
        np.abs(found.reaction("A", "x") - wanted.reaction("A", "x")).max()
        < 0.02 * np.abs(wanted.reaction("A", "x")).max()
    )
    assert found.energy_error < 0.01


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_constraints(integrator):
    """A rigid beam, and a mass on a rigid arm."""
    model = frame()
    model.equal_dof("C", "D", "x")
    model.node("arm", 0.5, 4.4, mass=(2e3, 2e3, 50.0))
    model.rigid_link("C", "arm")
    found, _ = agrees(integrator, model, 2e-3)
    assert np.array_equal(found.displacement("C", "x"), found.displacement("D", "x"))
    arm, top = (
        found.displacement("arm", "x"),
        found.displacement("C", "x") - 0.8 * found.displacement("C", "rz"),
    )
    assert np.allclose(arm, top, rtol=1e-12, atol=1e-15)
    assert np.allclose(
        found.velocity("arm", "x"),
        found.velocity("C", "x") - 0.8 * found.velocity("C", "rz"),
        atol=1e-12,
    )
    assert np.allclose(
        found.acceleration("arm", "x"),
        found.acceleration("C", "x") - 0.8 * found.acceleration("C", "rz"),
        atol=1e-9,
    )


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
@pytest.mark.parametrize("consistent", [False, True], ids=["lumped", "consistent"])
def test_supports_that_move(integrator, consistent):
    """With a consistent mass, accelerations of the supports push at the rest of the structure."""
    options = {"mass": 3e3, "consistent_mass": True} if consistent else {}
    model = frame(ElasticBeamColumn, ElasticSection(2e11, 1e-2, 1e-4), **options)
    model.rayleigh(mass=0.3, initial=2e-4)
    for node, factor in (("A", 1.0), ("B", 0.7)):
        model.support_motion(node, "x", Motion(QUAKE.dt, acceleration=factor * QUAKE.acceleration))
    found, wanted = agrees(integrator, model, 1e-3, motion=None)
    assert np.array_equal(found.displacement("A", "x"), wanted.displacement("A", "x"))
    assert np.array_equal(found.acceleration("B", "x"), wanted.acceleration("B", "x"))


def test_runge_kutta_refuses_supports_that_move():
    model = frame()
    model.support_motion("A", "x", Motion(QUAKE.dt, acceleration=QUAKE.acceleration))
    with pytest.raises(AnalysisError, match="imposed support motion"):
        Transient(RungeKutta(), dt=1e-3).run(model, duration=1.0)


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_member_loads_held_and_moving(integrator):
    model = frame()
    model.member_load("beam", UniformLoad(y=-20e3), pattern="gravity")
    model.pattern("crowd", Sine(period=0.7))
    model.member_load("beam", UniformLoad(y=-15e3), pattern="crowd")
    agrees(integrator, model, 2e-3, start="gravity")


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_modal_damping_on_a_frame(integrator):
    model = frame(ElasticBeamColumn, ElasticSection(2e11, 1e-2, 1e-4))
    model.modal_damping([0.10, 0.05, 0.03])
    agrees(integrator, model, 2e-3)


@pytest.mark.parametrize(
    "integrator",
    [
        CentralDifference(),
        AlphaOS(0.9),
        AlphaOS(0.9, "current"),
        KRAlpha(0.8),
        KRAlpha(0.8, "midpoint"),
    ],
    ids=str,
)
def test_a_run_in_two_parts_meets_the_same_bits(integrator):
    program = frame().compile()
    transient = Transient(integrator, dt=2e-3)
    whole = transient.run(program, QUAKE, duration=3.0)
    part = transient.run(program, QUAKE, duration=1.5)
    rest = transient.run(program, QUAKE, duration=1.5, start=part.state)
    assert np.array_equal(whole.displacement("C", "x")[-700:], rest.displacement("C", "x")[-700:])


@pytest.mark.parametrize(
    "make",
    [
        lambda form: AlphaOS(0.8, form=form),
        lambda form: GeneralizedAlphaOS(0.5, form=form),
        lambda form: KRAlpha(0.5, form),
    ],
    ids=["alpha-OS", "generalized", "KR-alpha"],
)
def test_elements_left_inside_the_step(make):
    """An elastic structure moves as if they were not.

    The force of its members is the one that balanced the step.
    """
    program = frame(ElasticBeamColumn, ElasticSection(2e11, 1e-2, 1e-4)).compile()
    left, updated = (
        Transient(make(form), dt=2e-3).run(program, QUAKE, duration=2.0)
        for form in ("inside", "midpoint")
    )
    u = updated.displacement("C", "x")
    np.testing.assert_allclose(left.displacement("C", "x"), u, atol=1e-12 * np.abs(u).max())
    share, whole, inside = (
        make("inside").coefficients()[1],
        updated.force("left", "basic"),
        left.force("left", "basic"),
    )
    size = np.abs(whole).max(axis=0)
    assert (np.abs(inside - whole).max(axis=0) > 1e-3 * size).all()
    if isinstance(make("inside"), KRAlpha):
        np.testing.assert_allclose(
            inside[1:], (1.0 - share) * whole[:-1] + share * whole[1:], atol=1e-9 * size.max()
        )
    else:  # they are asked between two predictors, which are near the displacements
        assert (
            np.abs(inside[1:] - (1.0 - share) * whole[:-1] - share * whole[1:]).max(axis=0)
            < 0.05 * size
        ).all()


@pytest.mark.parametrize("storeys", [1, 23])
@pytest.mark.parametrize("consistent", [False, True], ids=["lumped", "consistent"])
def test_the_highest_frequency_is_that_of_the_last_mode(storeys, consistent):
    """Found at once for few equations, by iteration for many."""
    model = Model("tower")
    options = {"mass": 2e3, "consistent_mass": True} if consistent else {}
    for k in range(storeys + 1):
        for line in (0, 1, 2):
            model.node(
                10 * k + line,
                6.0 * line,
                3.5 * k,
                fixed=k == 0,
                mass=(1e4, 1e4, 1e3) if k else None,
            )
            if k:
                model.add(
                    ElasticBeamColumn(
                        f"column {k}.{line}",
                        10 * (k - 1) + line,
                        10 * k + line,
                        section=ElasticSection(2e11, 1e-2, 1e-4),
                        **options,
                    )
                )
    program = model.compile()
    found = highest_frequency(Workspace(program, program.state()))
    last = eigen(program, program.neq).periods[-1]
    assert found == pytest.approx(2.0 * np.pi / last, rel=2e-3)


@pytest.mark.parametrize(
    "make, argument",
    [
        (lambda: NewmarkExplicit(0.4), "gamma"),
        (lambda: NewmarkExplicit(float("nan")), "gamma"),
        (lambda: AlphaOS(0.6), "alpha"),
        (lambda: AlphaOS(1.1), "alpha"),
        (lambda: AlphaOS(0.9, "secant"), "tangent"),
        (lambda: KRAlpha(-0.1), "radius"),
        (lambda: KRAlpha(1.5), "radius"),
        (lambda: KRAlpha("1"), "radius"),
        (lambda: KRAlpha(form="middle"), "form"),
        (lambda: AlphaOS(form=""), "form"),
        (lambda: GeneralizedAlphaOS(1.1), "radius"),
        (lambda: GeneralizedAlphaOS(form="end"), "form"),
        (lambda: AlphaOS(predictor="linear"), "predictor"),
        (lambda: AlphaOS(form="midpoint", predictor="taylor"), "predictor"),
        (lambda: FixedIterations(CentralDifference()), "of"),
        (lambda: FixedIterations(5), "of"),
        (lambda: FixedIterations(iterations=0), "iterations"),
        (lambda: FixedIterations(iterations=2.5), "iterations"),
        (lambda: FixedIterations(order=4), "order"),
        (lambda: FixedIterations(tangent="none"), "tangent"),
    ],
)
def test_bad_arguments(make, argument):
    with pytest.raises(InputError, match=argument):
        make()


def test_degrees_of_freedom_without_mass():
    """Their frequency is infinite: a stiffness below that of unloading would not do."""
    model = frame()
    for node in ("C", "D"):
        model.nodes[node].mass.pop("rz")
    for integrator in (AlphaOS(0.9), FixedIterations(HHT(0.9))):
        agrees(integrator, model, 2e-3)
    with pytest.raises(AnalysisError, match="current tangent needs mass"):
        Transient(AlphaOS(0.9, "current"), dt=1e-3).run(model, QUAKE, duration=1.0)


@pytest.mark.parametrize("integrator", [NewmarkExplicit(), KRAlpha(0.5)], ids=str)
def test_mass_is_needed_everywhere_but_at_supports_that_move(integrator):
    model = frame()
    model.support_motion("A", "x", Motion(QUAKE.dt, acceleration=QUAKE.acceleration))
    assert Transient(integrator, dt=5e-4).run(model, duration=0.1).outcome.ok
    model.nodes["C"].mass.pop("rz")
    with pytest.raises(AnalysisError, match="'C' has none in direction 'rz'"):
        Transient(integrator, dt=5e-4).run(model, duration=0.1)
