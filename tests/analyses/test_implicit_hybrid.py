"""Implicit hybrid integration.

Against pure numerical solutions, and against a plain rendering of the method.
"""

import numpy as np
import pytest
from hybrid_models import CHAIN, SPRINGS, Plain, hybrid, laws, masses, ordinary

from femu import GroundMotion, InputError, Model, Outcome
from femu.analyses import (
    HHT,
    CentralDifference,
    HybridTest,
    ImplicitHybrid,
    Increment,
    Newmark,
    Policy,
    RelativeUnbalance,
    Transient,
)
from femu.elements import ElasticBeamColumn, TwoNodeLink
from femu.experimental import (
    BasicSystem,
    BroydenTangent,
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    ExperimentalElement,
    IntrinsicTangent,
    Sensors,
    TangentEstimator,
    TwinTangent,
)
from femu.materials import Elastic, ElasticSection
from femu.studies.fifteen_storeys import emulated, hybrid_building, motion

# steps beyond the limit of stability
pytestmark = pytest.mark.filterwarnings("ignore:dt = .* is longer than")
QUAKE = GroundMotion.el_centro()
DT, DURATION = 0.01, 6.0
TIGHT = RelativeUnbalance(1e-13, iterations=15)
NOISE = (2e-6, 2e-3)
FAILING = tuple(range(7, 400, 20))


@pytest.mark.parametrize(
    "make_tangent",
    [None, BroydenTangent, lambda: TwinTangent(BasicSystem(laws(True), coordinates=CHAIN))],
    ids=["none", "Broyden", "twin"],
)
@pytest.mark.parametrize("kinematics", [Newmark(), Newmark(0.6, 0.3), HHT(0.8)], ids=str)
@pytest.mark.parametrize("modal", [False, True])
def test_a_linear_specimen_without_noise_is_the_numerical_solution(kinematics, make_tangent, modal):
    models = ordinary(), hybrid()
    for model in models:
        if modal:
            model.modal_damping(0.05, modes=3)
        else:
            model.rayleigh(mass=0.3)
    wanted = Transient(kinematics, dt=DT, test=TIGHT).run(models[0], QUAKE, duration=DURATION)
    got = HybridTest(
        models[1],
        QUAKE,
        ImplicitHybrid(kinematics, TIGHT),
        dt=DT,
        duration=DURATION,
        tangents={"specimen": make_tangent()} if make_tangent else None,
    ).run()
    assert got.outcome is Outcome.COMPLETE
    assert got.converged.all()
    for node in (1, 2, 3):
        x, y = wanted.displacement(node, "x"), got.displacement(node, "x")
        assert np.abs(x - y).max() <= 1e-10 * np.abs(x).max()
    # elastic work depends on the ends of the path alone
    stiffness, ends = (
        CHAIN.T @ np.diag(SPRINGS) @ CHAIN,
        (got.converged_response("specimen")[0], got.measured("specimen")[0]),
    )
    work = [0.5 * np.einsum("ta,ab,tb->t", v, stiffness, v) for v in ends]
    assert (
        np.abs(got.energy("experimental error") - (work[0] - work[1])).max() < 1e-9 * work[0].max()
    )
    if kinematics == Newmark():
        assert got.energy_error < 1e-9


@pytest.mark.parametrize("estimates", [1, 15])
@pytest.mark.parametrize(
    "tangent", [EigenvectorTangent(), IntrinsicTangent([[2.0]])], ids=lambda t: type(t).__name__
)
def test_parabolas_find_the_stiffness_of_a_linear_specimen(tangent, estimates):
    element = ExperimentalElement(
        "e", [("B", "x")], specimen=EmulatedSpecimen(Elastic(2e6)), stiffness=[[2.2e6]]
    )
    wanted = (
        Transient(Newmark(), dt=DT, test=TIGHT)
        .run(masses(TwoNodeLink("e", "A", "B", {"x": Elastic(2e6)})), QUAKE, duration=DURATION)
        .displacement("B", "x")
    )
    result = HybridTest(
        masses(element),
        QUAKE,
        ImplicitHybrid(test=TIGHT, estimates=estimates),
        dt=DT,
        duration=DURATION,
        tangents={"e": tangent},
    ).run()
    assert result.updated("e").mean() > 0.9  # not where it turns: there no sample is near
    assert np.allclose(result.stiffness("e")[10:, 0, 0], 2e6, rtol=1e-6)
    # but for the first steps, with the wrong stiffness
    assert np.abs(result.displacement("B", "x") - wanted).max() < 1e-6 * np.abs(wanted).max()


@pytest.mark.parametrize(
    "estimates, clamp, reach, alpha, failing",
    [
        (1, (0.5, 1.0), 1.0, 1.0, ()),
        (15, (0.02, 1.5), 1.0, 0.85, ()),
        (15, (0.02, 1.5), 1.0, 1.0, FAILING),
        (2, (0.1, 1.2), 0.4, 0.85, FAILING),
    ],
)
def test_against_a_plain_rendering(estimates, clamp, reach, alpha, failing):
    damping, tolerance, duration = 0.4, 1e-7, 4.0
    steps = round(duration / DT)
    times = DT * np.arange(steps + 1)
    plain = Plain(
        DT,
        QUAKE.at(times),
        damping,
        alpha_f=alpha,
        noise=NOISE,
        clamp=clamp,
        estimates=estimates,
        reach=reach,
        tolerance=tolerance,
        failing=failing,
    )
    wanted = plain.run(
        EmulatedSpecimen(laws(False), coordinates=CHAIN, sensors=Sensors(*NOISE), seed=3), steps
    )
    model = hybrid(False, noise=NOISE, seed=3)
    model.rayleigh(mass=damping)
    integrator = ImplicitHybrid(
        HHT(alpha),
        Increment(tolerance, iterations=15),
        estimates=estimates,
        reach=reach,
        chord_after=15,
        safe=False,
        failing=failing,
    )
    tangent = EigenvectorTangent(clamp=clamp, displacement_noise=NOISE[0], force_noise=NOISE[1])
    got = HybridTest(
        model, QUAKE, integrator, dt=DT, duration=duration, tangents={"specimen": tangent}
    ).run()
    assert got.steps == steps
    size = np.abs(wanted["u"]).max()
    assert size > 3.0 * 0.01  # it yields
    for place in range(3):
        assert np.abs(got.displacement(place + 1, "x") - wanted["u"][:, place]).max() < 1e-8 * size
    assert np.abs(got.stiffness("specimen")[1:] - wanted["K"]).max() < 1e-4 * SPRINGS[0]
    assert np.array_equal(got.updated("specimen"), wanted["updated"])
    assert np.array_equal(got.iterations, wanted["iterations"])
    assert np.array_equal(~got.converged, wanted["fallback"])
    assert np.array_equal(np.flatnonzero(~got.converged) + 1, failing)
    assert 0.2 < got.updated("specimen").mean() < 1.0
    assert tangent.updates == got.updated("specimen").sum()


def test_where_no_step_converges_the_test_still_reaches_its_end():
    got = HybridTest(
        hybrid(False, noise=NOISE),
        QUAKE,
        ImplicitHybrid(test=Increment(1e-300, iterations=1)),
        dt=DT,
        duration=DURATION,
    ).run()
    assert got.outcome is Outcome.COMPLETE
    assert not got.converged.any()
    assert np.all(got.iterations == 2)
    wanted = (
        Transient(Newmark(), dt=DT)
        .run(ordinary(False), QUAKE, duration=DURATION)
        .displacement(3, "x")
    )
    assert np.sqrt(np.mean((got.displacement(3, "x") - wanted) ** 2) / np.mean(wanted**2)) < 0.03


def test_chord_iterations_help_where_newton_goes_in_circles():
    """15 storeys under 2.5 times the shaking, at four times the step."""

    def run(chord_after):
        integrator = ImplicitHybrid(test=Increment(1e-3, iterations=15), chord_after=chord_after)
        return HybridTest(
            hybrid_building(emulated(1)),
            motion().scaled(pga=0.8 * 9810.0),
            integrator,
            dt=40.0 / 1024.0,
            duration=15.0,
        ).run()

    assert run(15).converged.mean() < 0.9
    assert run(5).converged.all()


class Soft(TangentEstimator):
    """A stiffness far too low."""

    def update(self, displacement, force, since=None):
        self.stiffness = 0.2 * self.initial
        return self.stiffness


@pytest.mark.parametrize("ratio, stable", [(1.0, True), (5.0, False)])
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_stiffness_far_too_low_is_unstable_unless_it_is_raised(ratio, stable):
    """Linear specimen: (K - K_e) dt^2/2 < M."""
    k, mass = 2e6, 1e4
    dt = np.sqrt(ratio * mass / k)

    def largest(safe):
        element = ExperimentalElement("e", [("B", "x")], specimen=EmulatedSpecimen(Elastic(k)))
        result = HybridTest(
            masses(element, 1.0),
            QUAKE,
            ImplicitHybrid(safe=safe),
            dt=dt,
            duration=400 * dt,
            tangents={"e": Soft()},
        ).run()
        u = np.abs(result.displacement("B", "x"))
        return u[-40:].max() / u[:200].max() if result.outcome.ok else np.inf, result

    grown, _ = largest(False)
    assert (grown < 2.0) == stable
    _, raised = largest(True)
    share = raised.stiffness("e")[-1, 0, 0] / k
    assert share == pytest.approx(max(0.2, 1.0 - 3.0 / ratio), rel=1e-9)


def test_springs_keep_the_share_that_the_step_needs():
    k, mass = 2e6, 1e4
    dt = np.sqrt(4.5 * mass / k)
    element = ExperimentalElement(
        "e", [("B", "x")], specimen=EmulatedSpecimen(laws(False)[0]), stiffness=[[k]]
    )
    result = HybridTest(
        masses(element),
        QUAKE,
        dt=dt,
        duration=100 * dt,
        tangents={"e": EigenvectorTangent(clamp=(0.01, 1.0))},
    ).run()
    # the specimen is nearly without stiffness compared with what was given
    assert result.stiffness("e")[-1, 0, 0] == pytest.approx((1.0 - 3.0 / 4.5) * k)


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
def test_a_beam_column_as_specimen(geometry):
    """An elastic column of a portal, with gravity that follows it, in each geometry."""
    section = ElasticSection(E=2e11, A=1e-2, I=1e-4)

    def portal(left):
        model = Model("portal")
        model.node("A", 0.0, 0.0, fixed=True)
        model.node("B", 6.0, 0.0, fixed=True)
        for name, x in (("C", 0.0), ("D", 6.0)):
            model.node(name, x, 3.0, mass=(1e5, 1e5, 0.0))
        model.add(left)
        model.add(ElasticBeamColumn("right", "B", "D", section=section, geometry=geometry))
        model.add(ElasticBeamColumn("beam", "C", "D", section=section))
        model.rayleigh(0.02)
        return model

    column = ElasticBeamColumn("left", "A", "C", section=section, geometry=geometry)
    specimen = EmulatedSpecimen(ElasticBeamColumn("left", "A", "C", section=section), length=3.0)
    left = ExperimentalBeamColumn(
        "left", "A", "C", specimen=specimen, geometry=geometry, damped=True
    )
    test = RelativeUnbalance(1e-11, iterations=15)  # tighter than this is rounding
    plain = Transient(Newmark(), dt=0.01, test=test).run(portal(column), QUAKE, duration=3.0)
    wanted = plain.displacement("C", "x")
    result = HybridTest(portal(left), QUAKE, ImplicitHybrid(test=test), dt=0.01, duration=3.0).run()
    assert result.converged.all()
    assert not plain.relaxations
    assert np.abs(result.displacement("C", "x") - wanted).max() < 1e-8 * np.abs(wanted).max()


def test_least_share():
    assert ImplicitHybrid().least_share(0.0) == 0.0
    assert ImplicitHybrid().least_share(2.0) == 0.0
    assert ImplicitHybrid().least_share(6.0) == 0.5
    assert ImplicitHybrid(safe=False).least_share(6.0) == 0.0
    assert Newmark().least_share(6.0) == 0.0


def test_serves_in_pure_numerical_runs_too():
    model = ordinary(False)
    model.rayleigh(mass=0.2)
    wanted = Transient(Newmark(), dt=DT).run(model, QUAKE, duration=2.0)
    got = Transient(ImplicitHybrid(), dt=DT).run(model, QUAKE, duration=2.0)
    x, y = got.displacement(3, "x"), wanted.displacement(3, "x")
    assert np.abs(x - y).max() < 1e-8 * np.abs(y).max()


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_without_specimens_the_policy_helps_and_says_so():
    integrator = ImplicitHybrid(failing=(20,))
    result = Transient(integrator, dt=DT).run(ordinary(), QUAKE, duration=1.0)
    assert result.outcome is Outcome.COMPLETE
    assert [r["step"] for r in result.relaxations] == [20]
    helpless = Transient(integrator, dt=DT, policy=Policy.none()).run(
        ordinary(), QUAKE, duration=1.0
    )
    assert helpless.outcome is Outcome.NOT_CONVERGED


@pytest.mark.parametrize(
    "argument, options",
    [
        ("kinematics", {"kinematics": CentralDifference()}),
        ("kinematics", {"kinematics": 3}),
        ("test", {"test": 1e-3}),
        ("estimates", {"estimates": 0}),
        ("chord_after", {"chord_after": 0}),
        ("reach", {"reach": -1.0}),
        ("failing", {"failing": (0,)}),
    ],
)
def test_wrong_arguments_are_explained(argument, options):
    with pytest.raises(InputError, match=argument):
        ImplicitHybrid(**options)
