"""Transient analysis: closed forms, orders of accuracy, spectral properties, damping and
excitation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from femu import AnalysisError, GroundMotion, InputError, Model, Motion, Outcome
from femu.analyses import (
    HHT,
    CentralDifference,
    GeneralizedAlpha,
    Increment,
    Limit,
    Newmark,
    RungeKutta,
    Transient,
    eigen,
)
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, UncoupledSection
from femu.model.series import Sampled, Sine

# oscillators with numbers of their own, in any steps
pytestmark = pytest.mark.filterwarnings("ignore::femu.check.CheckWarning")


def oscillator(mass=1.0, stiffness=100.0):
    """One degree of freedom: a bar of length 1 with a mass at its end."""
    model = Model("oscillator")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 1.0, 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
    model.add(ElasticBeamColumn("bar", 1, 2, section=ElasticSection(E=stiffness, A=1.0, I=1.0)))
    return model


def test_newmark_table_of_chopra():
    # Chopra, Dynamics of Structures, example 5.3: m = 0.2533, k = 10, 5 % damping, half-sine pulse,
    # dt = 0.1
    model = oscillator(0.2533, 10.0)
    model.rayleigh(mass=2 * 0.05 * np.sqrt(10.0 / 0.2533))
    model.pattern("pulse", Sampled(0.1 * np.arange(7), [0, 5.0, 8.6602, 10.0, 8.6603, 5.0, 0.0]))
    model.load(2, x=1.0, pattern="pulse")
    found = Transient(Newmark(), dt=0.1).run(model, duration=1.0).displacement(2, "x")[1:]
    table = [0.0437, 0.2326, 0.6121, 1.0825, 1.4309, 1.4231, 0.9622, 0.1908, -0.6044, -1.1442]
    assert found == pytest.approx(table, abs=1.5e-4)


@pytest.mark.parametrize(
    "integrator, order",
    [
        (Newmark(), 2),
        (HHT(0.8), 2),
        (GeneralizedAlpha(0.6), 2),
        (CentralDifference(), 2),
        (RungeKutta(), 4),
    ],
    ids=lambda v: str(v),
)
def test_order_of_accuracy(integrator, order):
    model = oscillator(2.0, 100.0)
    model.rayleigh(mass=0.2, initial=0.001)
    model.pattern("force", Sine(period=1.3))
    model.load(2, x=1.0, pattern="force")
    c = 0.2 * 2.0 + 0.001 * 100.0
    exact = solve_ivp(
        lambda t, y: [y[1], (np.sin(2 * np.pi * t / 1.3) - c * y[1] - 100.0 * y[0]) / 2.0],
        (0, 2.0),
        [0, 0],
        rtol=1e-12,
        atol=1e-14,
        method="DOP853",
    ).y[0, -1]
    errors = [
        abs(Transient(integrator, dt=dt).run(model, duration=2.0).displacement(2, "x")[-1] - exact)
        for dt in (0.005, 0.0025)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15 if order == 2 else 0.4)


@pytest.mark.parametrize(
    "integrator",
    [Newmark(), HHT(0.7), HHT(0.9), GeneralizedAlpha(0.0), GeneralizedAlpha(0.5)],
    ids=str,
)
@pytest.mark.parametrize("ratio", [0.05, 0.5, 5.0, 500.0])
def test_amplification_is_that_of_the_closed_form(integrator, ratio):
    """A linear step must be A x with A from the coefficients (Chung and Hulbert 1993), at any omega
    dt."""
    am, af, beta, gamma = integrator.coefficients()
    dt = 0.01
    omega2 = (ratio / dt) ** 2
    # M a_m + K u_f = 0 with Newmark's relations, unknowns (u, v, a) at the end of the step
    left = np.array([[1.0, 0.0, -beta * dt**2], [0.0, 1.0, -gamma * dt], [af * omega2, 0.0, am]])
    right = np.array(
        [
            [1.0, dt, (0.5 - beta) * dt**2],
            [0.0, 1.0, (1 - gamma) * dt],
            [-(1 - af) * omega2, 0.0, -(1 - am)],
        ]
    )
    amplification = np.linalg.solve(left, right)
    model = oscillator(1.0, omega2)
    program = model.compile()
    state = program.state()
    x = np.array([0.01, -0.3, 2.0])
    place = program.dof(2, "x")
    for start, value in zip((program.layout.u, program.layout.v, program.layout.a), x, strict=True):
        state.vector[start + place] = value
    result = Transient(integrator, dt=dt).run(program, duration=5 * dt, start=state)
    scale = np.array([1.0, ratio / dt, omega2])
    for row in range(1, 6):
        x = amplification @ x
        found = np.array(
            [
                result.displacement(2, "x")[row],
                result.velocity(2, "x")[row],
                result.acceleration(2, "x")[row],
            ]
        )
        assert np.abs((found - x) / scale).max() < 1e-11 * 0.02 / min(1.0, ratio)
    assert np.abs(np.linalg.eigvals(amplification)).max() <= 1.0 + 1e-7


def test_central_difference_is_stable_up_to_its_limit_and_refused_beyond():
    model = oscillator(1.0, 1e4)  # omega = 100, limit 0.02
    quake = GroundMotion.el_centro()
    fine = Transient(CentralDifference(), dt=0.0199).run(model, quake, duration=5.0)
    assert np.abs(fine.displacement(2, "x")).max() < 0.01
    with pytest.raises(AnalysisError, match=r"unstable at dt = 0.021.*at most 0.02\."):
        Transient(CentralDifference(), dt=0.021).run(model, quake, duration=5.0)
    with pytest.raises(AnalysisError, match=r"RungeKutta is unstable.*at most 0.02828"):
        Transient(RungeKutta(), dt=0.03).run(model, quake, duration=5.0)


def shear_frame(**options):
    model = Model("frame")
    section = UncoupledSection(
        axial=Bilinear(E=1.5e9, fy=2e6, b=0.02), moment=Bilinear(E=1.9e7, fy=2e5, b=0.02)
    )
    for name, x in (("A", 0.0), ("B", 6.0)):
        model.node(name, x, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", 6.0)):
        model.node(name, x, 3.6, mass=(30e3, 30e3, 1e3))
    for name, i, j in (("left", "A", "C"), ("right", "B", "D"), ("beam", "C", "D")):
        model.add(ForceBeamColumn(name, i, j, section=section, **options))
    return model


@pytest.mark.parametrize("damping", ["initial", "current", "committed"])
def test_rayleigh_ratio_is_reached_in_free_vibration(damping):
    model = shear_frame()
    model.rayleigh(ratio=0.05, modes=(1, 2), stiffness=damping)
    program = model.compile()
    modes = eigen(program, 1)
    state = program.state()
    state.vector[program.layout.u : program.layout.u + program.ndof] = 0.0
    # start with the velocity of the first mode, small enough to stay elastic
    state.vector[program.layout.v : program.layout.v + program.ndof] = 0.5 * modes.shapes[:, 0]
    result = Transient(Newmark(), dt=modes.periods[0] / 400).run(
        program, duration=6 * modes.periods[0], start=state
    )
    u = result.displacement("C", "x")
    peaks = np.flatnonzero((u[1:-1] > u[:-2]) & (u[1:-1] >= u[2:])) + 1
    decrement = np.log(u[peaks[0]] / u[peaks[3]]) / 3
    assert decrement / np.sqrt(4 * np.pi**2 + decrement**2) == pytest.approx(0.05, rel=2e-3)


def test_modal_damping_damps_each_mode_by_its_ratio():
    model = shear_frame()
    model.modal_damping([0.03, 0.10])
    program = model.compile()
    modes = eigen(program, 2)
    for mode, ratio in ((0, 0.03), (1, 0.10)):
        state = program.state()
        state.vector[program.layout.v : program.layout.v + program.ndof] = (
            0.05 * modes.shapes[:, mode]
        )
        result = Transient(Newmark(), dt=modes.periods[mode] / 400).run(
            program, duration=5 * modes.periods[mode], start=state
        )
        q = result.arrays["u"] @ (program.mass_matrix() @ modes.shapes[:, mode])
        peaks = np.flatnonzero((q[1:-1] > q[:-2]) & (q[1:-1] >= q[2:])) + 1
        decrement = np.log(q[peaks[0]] / q[peaks[2]]) / 2
        assert decrement / np.sqrt(4 * np.pi**2 + decrement**2) == pytest.approx(ratio, rel=3e-3)


@pytest.mark.parametrize("integrator", [Newmark(), HHT(0.9)], ids=str)
@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
def test_energy_balance_while_yielding(integrator, geometry):
    model = shear_frame(geometry=geometry)
    model.rayleigh(ratio=0.02)
    quake = GroundMotion.el_centro().scaled(pga=6.0)
    result = Transient(integrator, dt=0.01).run(model, quake, duration=15.0)
    assert result.outcome.ok and not result.relaxations
    assert np.abs(result.plastic_rotation("left")).max() > 0.005
    # Newmark's average acceleration conserves energy step by step; HHT dissipates a little
    assert result.energy_error < (1e-7 if isinstance(integrator, Newmark) else 0.05)


def test_uniform_excitation_equals_the_same_motion_of_all_supports():
    quake = GroundMotion.el_centro().scaled(pga=3.0)
    base = shear_frame()
    relative = Transient(Newmark(), dt=0.005).run(base, quake, duration=8.0)
    moving = shear_frame()
    motion = Motion(quake.dt, acceleration=quake.acceleration)
    for node in ("A", "B"):
        moving.support_motion(node, "x", motion)
    absolute = Transient(Newmark(), dt=0.005).run(moving, duration=8.0)
    ground = absolute.displacement("A", "x")
    difference = absolute.displacement("C", "x") - ground - relative.displacement("C", "x")
    # the ground displacement between samples is interpolated linearly: small differences
    assert np.abs(difference).max() < 0.02 * np.abs(relative.displacement("C", "x")).max()


def test_gravity_is_held_during_the_earthquake():
    from femu.analyses import LoadControl

    model = shear_frame(geometry="p-delta")
    for node in ("C", "D"):
        model.load(node, y=-3e5, pattern="gravity")
    program = model.compile()
    gravity = LoadControl(pattern="gravity").run(program)
    quake = GroundMotion.el_centro().scaled(pga=2.0)
    result = Transient().run(program, quake, duration=3.0, start=gravity.state)
    assert result.factor("gravity") == pytest.approx(np.ones(len(result.time)))
    assert result.reaction("A", "y")[0] == pytest.approx(3e5, rel=1e-6)
    assert gravity.state.time == 0.0


def test_limit_ends_the_run():
    quake = GroundMotion.el_centro().scaled(pga=4.0)
    result = Transient(limits=(Limit("C", "x", 0.03),)).run(shear_frame(), quake)
    assert result.outcome is Outcome.LIMIT_REACHED
    u = np.abs(result.displacement("C", "x"))
    assert u[-1] >= 0.03 and (u[:-1] < 0.03).all()


def test_no_mass_and_massless_explicit_runs_are_refused():
    model = shear_frame()
    for node in model.nodes.values():
        node.mass.clear()
    with pytest.raises(AnalysisError, match="has no mass"):
        Transient().run(model, GroundMotion.el_centro())
    model.mass("C", (1.0, 1.0, 0.0))
    with pytest.raises(AnalysisError, match="needs mass on every degree of freedom"):
        Transient(CentralDifference()).run(model, GroundMotion.el_centro())


def test_bad_arguments():
    with pytest.raises(InputError, match="dt"):
        Transient(dt=0.0)
    with pytest.raises(InputError, match="duration"):
        Transient().run(shear_frame())
    with pytest.raises(InputError, match="motion"):
        Transient().run(shear_frame(), {"z": GroundMotion.el_centro()})
    with pytest.raises(InputError, match="tolerance"):
        Increment(0.0)
