"""Stability before the test: linear models against what runs, margins against simulation."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from stone import Stone

from femu import GroundMotion, InputError, Model, Outcome
from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlphaOS,
    HybridTest,
    ImplicitHybrid,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
)
from femu.benchmarks import stability as benchmark
from femu.elements import ElasticBeamColumn, ZeroLength
from femu.experimental import (
    Actuator,
    AdaptiveCompensation,
    BroydenTangent,
    Cantilever,
    CompensatedSpecimen,
    ContinuousSpecimen,
    CoupledInverseCompensation,
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    ExperimentalBeamColumn,
    ExperimentalElement,
    FIRCompensation,
    InverseCompensation,
    LinearSystem,
    LQGCompensation,
    MotionGenerator,
    Plant,
    PolynomialCompensation,
    Scaled,
    Unlimited,
)
from femu.experimental.stability import specimen_path, stability
from femu.experimental.stability.linear_system import delayed, filtered, gain, side_by_side
from femu.materials import Elastic, ElasticSection, Parallel, Viscous
from femu.model.findings import CheckWarning

# the damping of these models is that of their masses
pytestmark = pytest.mark.filterwarnings("ignore:Rayleigh damping")
DT = 0.005
ACTUATORS = {
    "none": Actuator(),
    "delay": Actuator(delay=0.0123),
    "lag": Actuator(lag=0.008),
    "servo": Actuator(frequency=9.0, damping=0.6),
    "delay and servo": Actuator(delay=0.007, frequency=20.0),
    "delay and lag": Actuator(delay=0.0005, lag=0.03),
}


# --- linear models of parts, against what runs ---


@pytest.mark.parametrize("name", ACTUATORS)
def test_the_model_of_an_actuator_moves_as_it_does(name):
    actuator = ACTUATORS[name]
    commands = np.random.default_rng(1).normal(size=60)
    state, place, made = np.zeros(actuator.state_size(1)), np.zeros(1), []
    for k, c in enumerate(commands, 1):
        place = actuator.move(state, np.array([c]), place, DT * k, DT)
        made.append(place[0])
    found = specimen_path.of_actuator(actuator, DT).response(commands)[:, 0]
    assert found == pytest.approx(np.array(made), abs=1e-13)


@pytest.mark.parametrize(
    "compensation",
    [
        *(PolynomialCompensation(0.013, order) for order in range(4)),
        AdaptiveCompensation(0.013, threshold=100.0),
    ],
    ids=repr,
)
def test_the_model_of_a_compensation_commands_as_it_does(compensation):
    targets = np.random.default_rng(2).normal(size=40)
    model = specimen_path.of_compensation(compensation, DT)
    compensation.start(1, DT)
    made = [compensation.command(np.array([x]))[0] for x in targets]
    assert model.response(targets)[:, 0] == pytest.approx(np.array(made), abs=1e-9)


PLANT = Plant(
    [[0.0, 1.0], [-4e4, -300.0]], [[0.0], [4e4]], [[1.0, 0.0]],
    force=[[0.0], [0.02]], mass=50.0, damping=200.0,
)  # fmt: skip
TWO = Plant.columns([([[900.0], [90.0]], [1, 42, 900]), ([[-60.0], [1600.0]], [1, 55, 1600])])


@pytest.mark.parametrize("rate", [0.0, 3e3])
def test_the_model_of_a_plant_moves_and_measures_as_it_does(rate):
    """With interaction, and the force of the mass between load cell and specimen."""
    law = Parallel([Elastic(8e5), Viscous(rate)]) if rate else Elastic(8e5)
    specimen = EmulatedSpecimen([law], actuator=PLANT)
    commands = 1e-3 * np.random.default_rng(4).normal(size=(60, 1))
    found = specimen_path.of_specimen(specimen, DT, np.array([[8e5]])).response(commands)
    made = [specimen.apply(c, DT * k) for k, c in enumerate(commands, 1)]
    wanted = np.array([[m.displacement[0], m.force[0]] for m in made])
    assert (np.abs(found - wanted) < 1e-9 * np.abs(wanted).max(axis=0)).all()


@pytest.mark.parametrize(
    "compensation",
    [
        InverseCompensation(plant=TWO, order=2),
        CoupledInverseCompensation(TWO),
        LQGCompensation(TWO, noise=1e-5, disturbance=1e-3),
        FIRCompensation(TWO, threshold=1.0),
        EstimatedPlantCompensation(TWO, noise=1e3),
    ],
    ids=lambda c: type(c).__name__,
)
def test_compiled_compensators_command_as_their_models(compensation):
    """Two coupled channels whose compensators see what they reach."""
    specimen = EmulatedSpecimen([Elastic(1.0), Elastic(2.0)], actuator=TWO)
    targets = 1e-3 * np.random.default_rng(5).normal(size=(80, 2)).cumsum(axis=0)
    moved = specimen_path.of_specimen(specimen, DT, np.eye(2))
    found = specimen_path.compensated(compensation, moved, 2, DT).response(targets)
    compensation.start(2, DT)
    made = []
    for k, target in enumerate(targets, 1):
        measured = specimen.apply(compensation.command(target), DT * k)
        compensation.measured(measured.displacement)
        made.append([*measured.displacement, *measured.force])
    assert found == pytest.approx(np.array(made), abs=1e-7 * np.abs(made).max())


def test_systems_are_put_together():
    one, two = filtered([1.0, -0.5]), delayed(1.25)
    inputs = np.random.default_rng(3).normal(size=(30, 2))
    both = side_by_side(one.then(two), gain([[3.0]])).response(inputs)
    by_hand = np.convolve(np.convolve(inputs[:, 0], [1.0, -0.5]), [0.0, 0.75, 0.25])[:30]
    assert both[:, 0] == pytest.approx(by_hand, abs=1e-14)
    assert both[:, 1] == pytest.approx(3.0 * inputs[:, 1])
    f = 7.0
    wanted = (1.0 - 0.5 * np.exp(-2j * math.pi * f * DT)) * np.exp(-2j * math.pi * f * DT)
    at = one.then(delayed(1.0)).at(f, DT)
    assert at[0, 0] == pytest.approx(wanted, abs=1e-14)


def test_what_is_no_system_is_refused():
    with pytest.raises(InputError, match="2 by 2"):
        LinearSystem(np.ones((2, 3)), np.ones((2, 1)), np.ones((1, 2)), [[1.0]])
    with pytest.raises(InputError, match="1 inputs"):
        gain([[1.0]]).then(gain([[1.0, 1.0]]))


# --- the whole loop ---


def masses(specimen, stiffness, **options):
    """Two masses; the specimen is below the first one, with a spring and a damper."""
    model = Model("masses")
    model.node(0, 0.0, 0.0, fixed=True)
    for k, mass in ((1, 1e4), (2, 6e3)):
        model.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
    model.add(
        ExperimentalElement("s", [(1, "x")], specimen=specimen, stiffness=stiffness, **options)
    )
    model.add(ZeroLength("low", 0, 1, {"x": Parallel([Elastic(6e5), Viscous(1e4)])}))
    model.add(ZeroLength("high", 1, 2, {"x": Elastic(9e5)}))
    model.rayleigh(mass=0.3, initial=1e-3)
    return model


def portal(specimen, stiffness):
    """A cantilever of three actuators below a beam."""
    section = ElasticSection(E=2e11, A=4e-3, I=4e-5)
    model = Model("portal")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.5, fixed=True)
    model.node("C", 0.2, 3.6, mass=(1e4, 1e4, 3e3))
    model.node("D", 6.0, 3.6, mass=(1e4, 1e4, 3e3))
    length = math.hypot(0.2, 3.6)
    model.add(
        ExperimentalBeamColumn(
            "s", "A", "C", specimen=specimen, setup=Cantilever(length), stiffness=stiffness
        )
    )
    for name, i, j in (("beam", "C", "D"), ("right", "B", "D")):
        model.add(ElasticBeamColumn(name, i, j, section=section))
    model.rayleigh(ratio=0.03, modes=(1, 2))
    return model


def hybrid(model, integrator=None, dt=DT, duration=0.5):
    pulse = GroundMotion(name="pulse", acceleration=np.array([0.0, 1.0, -0.4, 0.0]), dt=dt)
    return HybridTest(model, pulse, integrator, dt=dt, duration=duration)


INTEGRATORS = [
    Newmark(),
    HHT(0.8),
    ImplicitHybrid(),
    ImplicitHybrid(HHT(0.8)),
    AlphaOS(0.8),
    AlphaOS(0.8, predictor="taylor"),
    GeneralizedAlphaOS(0.5),
    CentralDifference(),
    NewmarkExplicit(0.7),
    KRAlpha(0.6),
    KRAlpha(0.6, form="midpoint"),
    KRAlpha(0.6, form="inside"),
]


def predicted(test, result, begin):
    """Targets from a step on, by the matrix of the loop and the state the test had then."""
    loop = stability._Loop(test, {})
    path = loop.path()
    program, dt = test.program, test.transient.dt
    places = loop.part.places
    at = [program.numbering.representative[p] for p in places]
    y = np.concatenate(
        [
            np.array([result.displacement(*dof)[begin] for dof in at]),
            dt * np.array([result.velocity(*dof)[begin] for dof in at]),
            dt**2 * np.array([result.acceleration(*dof)[begin] for dof in at]),
        ]
    )
    reached, force = result.measured("s")
    q = force[begin] - loop.initial @ reached[begin]
    strokes = result.command("s")[1 : begin + 1] @ loop.jacobian.T
    x = np.zeros(len(path.a))
    for u in strokes:
        x = path.a @ x + path.b @ u
    state, matrix, made = np.concatenate([y, q, x]), loop.matrix(path), []
    for _ in range(begin + 1, result.steps + 1):
        made.append(loop.part.target @ state[: loop.part.target.shape[1]])
        state = matrix @ state
    return np.array(made)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)
def test_the_matrix_takes_the_steps_that_the_test_takes(integrator):
    """From the state after a pulse on: the same targets, to the rounding of a hundred steps."""
    damped = Parallel([Elastic(5e5), Viscous(3e3)])
    specimen = EmulatedSpecimen([damped], actuator=Actuator(delay=0.008, lag=0.004))
    test = hybrid(masses(specimen, 2e5, compensation=PolynomialCompensation(0.01, 2)), integrator)
    result = test.run(check=False)
    assert result.outcome is Outcome.COMPLETE
    begin = 10
    made, found = predicted(test, result, begin), result.command("s")[begin + 1 :]
    # iterations of an implicit step end at an unbalance of 1e-5 of the forces
    loose = 1e-4 if isinstance(integrator, (Newmark, HHT, ImplicitHybrid)) else 1e-9
    assert made == pytest.approx(found, abs=loose * np.abs(found).max())


def test_the_matrix_knows_setups_and_inclined_columns():
    column = ElasticBeamColumn("c", "i", "j", section=ElasticSection(E=2e11, A=4e-3, I=4e-5))
    length = math.hypot(0.2, 3.6)
    inverse = np.linalg.inv(Cantilever(length).jacobian(np.zeros(3)))
    specimen = EmulatedSpecimen(
        column, length=length, coordinates=inverse, actuator=Actuator(delay=0.0004)
    )
    part = 0.7 * Cantilever(length).stiffness(specimen.initial_stiffness())
    test = hybrid(portal(specimen, part), AlphaOS(), dt=1.0 / 2048.0, duration=200 / 2048.0)
    result = test.run(check=False)
    made, found = predicted(test, result, 20), result.command("s")[21:]
    assert np.abs(made - found).max() < 1e-9 * np.abs(found).max()


# --- margins ---


def test_the_largest_delay_of_an_oscillator_is_that_of_its_equation():
    """x'' + 2 zeta w x' + w^2 ((1-p) x + p x(t - tau)) = 0, at the edge of stability: x = e^(i W t).

    With a step of a thousandth of the period; there is no tangent, so all of the force is late.
    """
    w, zeta, p = 2.0 * math.pi, 0.02, 0.5
    model = Model("oscillator")
    model.node(0, 0.0, 0.0, fixed=True)
    model.node(1, 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
    specimen = EmulatedSpecimen([Elastic(p * w**2)])
    model.add(ExperimentalElement("s", [(1, "x")], specimen=specimen, stiffness=1e-9))
    law = Parallel([Elastic((1.0 - p) * w**2), Viscous(2.0 * zeta * w)])
    model.add(ZeroLength("spring", 0, 1, {"x": law}))
    found = hybrid(model, CentralDifference(), dt=0.001).stability()

    def unbalance(at):
        """|p e^(-i W tau)| = p of the real and the imaginary part."""
        return (1.0 - p - (at / w) ** 2) ** 2 + (2.0 * zeta * at / w) ** 2 - p**2

    edge = brentq(unbalance, 0.9 * w, 1.1 * w)
    sine = 2.0 * zeta * edge / w / p
    assert found.stable and found.largest_delay == pytest.approx(math.asin(sine) / edge, rel=2e-3)
    assert found.frequency == pytest.approx(1.0, rel=1e-3)
    assert found.damping == pytest.approx(zeta, rel=1e-2)


@pytest.mark.parametrize("number", [7, 10, 30])
def test_loops_on_both_sides_of_their_limit_do_what_the_check_says(number):
    """`femu bench stability` has all of them."""
    loop = list(benchmark.loops())[number]
    below, above = benchmark.both_sides(loop)
    assert below.predicted and below.simulated and not above.predicted and not above.simulated
    # the mode of the check is the slowest: it is what is left at the end
    for one in (below, above):
        assert math.log(one.growth) == pytest.approx(math.log(one.magnitude), rel=0.2)


# --- what it says ---


def of_the_loop(test):
    """Findings of a test, but for those of its model: these have links alone, whose damping is that
    of their masses."""
    return [found for found in test.check() if "rayleigh" not in found.message.lower()]


def late(stiffness=1e4, duration=0.5, **options):
    specimen = EmulatedSpecimen([Elastic(8e5)], actuator=Actuator(delay=0.03))
    return hybrid(masses(specimen, stiffness, **options), AlphaOS(), duration=duration)


def test_an_unstable_loop_is_called_so_with_what_helps():
    test = late(duration=12.0)
    found = test.stability()
    assert not found.stable and found.magnitude > 1.0 and found.largest_delay == 0.0
    assert (found.node, found.direction, found.element) in ((1, "x", "s"), (2, "x", "s"))
    assert found.magnitude ** (found.tenfold / DT) == pytest.approx(10.0)
    assert found.damping < 0.0
    helps = " ".join(found.remedies)
    assert "PolynomialCompensation" in helps and "stiffness=8e+05" in helps
    (warning,) = of_the_loop(test)
    assert "unstable" in warning.message and "Fix: give 's'" in warning.message
    with pytest.warns(CheckWarning, match="unstable"):
        result = test.run()
    assert result.findings


def test_each_remedy_that_is_named_makes_the_test_stable():
    delay = 0.03
    for remedied in (
        late(compensation=PolynomialCompensation(delay, 1)),
        late(8e5),
    ):
        assert remedied.stability().stable
        assert np.abs(remedied.run(check=False).command("s")).max() < 0.01


def test_a_stable_loop_says_how_far_it_is_from_instability():
    specimen = EmulatedSpecimen([Elastic(8e5)], actuator=Actuator(delay=0.002))
    test = hybrid(masses(specimen, 1e4), AlphaOS())
    (note,) = of_the_loop(test)
    assert note.severity == "note" and "further delay" in note.message
    exact = hybrid(masses(EmulatedSpecimen([Elastic(8e5)], actuator=Actuator(delay=0.03)), 8e5))
    assert exact.stability().largest_delay is None  # K_e is exact: the delay is made up for
    assert "does not make it unstable" in str(exact.stability())


def test_a_physical_specimen_needs_its_plant():
    """As an actuator, as matrices, or as an object of one's own."""

    class Plant:
        def state_space(self, dt):
            return delayed(0.03 / dt)

    limits = Unlimited("a test")
    test = hybrid(masses(Stone(), 1e4, limits=limits), AlphaOS())
    alone = test.stability()
    assert alone.stable and "follow its commands at once" in alone.assumptions[0]
    shift = delayed(0.03 / DT)
    whole = shift.then(gain([[1.0], [8e5]]))
    for plant in (whole, (whole.a, whole.b, whole.c, whole.d)):
        found = test.stability({"s": plant})
        assert not found.stable and not found.assumptions
        assert found.magnitude == pytest.approx(late().stability().magnitude, rel=1e-12)
    by_class, by_actuator = (
        test.stability({"s": p}).magnitude for p in (Plant(), Actuator(delay=0.03))
    )
    assert by_class == pytest.approx(by_actuator, rel=1e-12)
    with pytest.raises(InputError, match="experimental elements"):
        test.stability({"t": Plant()})


def test_a_specimen_that_compensates_itself_is_known():
    inner = EmulatedSpecimen([Elastic(8e5)], actuator=Actuator(delay=0.03))
    outside = late(compensation=PolynomialCompensation(0.03, 1)).stability()
    behind = CompensatedSpecimen(inner, PolynomialCompensation(0.03, 1), DT)
    inside = hybrid(masses(behind, 1e4), AlphaOS()).stability()
    assert inside.eigenvalue == pytest.approx(outside.eigenvalue, rel=1e-12)


def test_what_has_no_linear_model_is_not_known():
    specimen = EmulatedSpecimen([Elastic(8e5)])
    test = hybrid(masses(specimen, 8e5), FixedIterations())
    assert "FixedIterations" in test.stability().unknown
    (note,) = of_the_loop(test)
    assert note.severity == "note" and "not known" in note.message
    moving = ContinuousSpecimen(specimen, MotionGenerator(1, step=DT, rate=2000.0))
    assert "between the steps" in hybrid(masses(moving, 8e5)).stability().unknown


def test_what_grows_too_slowly_to_matter_is_a_note():
    """An undamped mass with a stiffness that is too large by a half."""
    model = Model("slow")
    model.node(0, 0.0, 0.0, fixed=True)
    model.node(1, 0.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    specimen = EmulatedSpecimen([Elastic(8e5)])
    model.add(ExperimentalElement("s", [(1, "x")], specimen=specimen, stiffness=1.2e6))
    test = hybrid(model, ImplicitHybrid())
    found = test.stability()
    assert not found.stable and found.tenfold > 10.0 * test.count * DT
    (note,) = of_the_loop(test)
    assert note.severity == "note" and "unstable" in note.message
    assert not test.run().findings


def test_an_estimator_of_the_tangent_makes_it_a_note():
    test = late()
    other = HybridTest(
        test.program,
        test.motions["x"],
        AlphaOS(),
        dt=DT,
        duration=0.5,
        tangents={"s": BroydenTangent()},
    )
    (note,) = of_the_loop(other)
    assert note.severity == "note" and "BroydenTangent will change it" in note.message


def test_a_setup_that_scales_forces_is_no_instability():
    specimen = EmulatedSpecimen([Elastic(8e5)])
    test = hybrid(masses(specimen, None, setup=Scaled(1, 0.5, 0.25)), AlphaOS())
    found = test.stability()
    assert found.stable and found.largest_delay is None
