"""Integrators in hybrid tests with emulated specimens.

The same as the numerical run wherever they must be.
"""

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c

from femu import AnalysisError, GroundMotion, HybridTest, InputError, Model, Outcome
from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    RungeKutta,
    Transient,
)
from femu.elements import ForceBeamColumn, Truss, TwoNodeLink
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    ExperimentalLink,
    ExperimentalTruss,
    Specimen,
    Unlimited,
)
from femu.materials import Bilinear, Elastic, UncoupledSection

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
    # steps beyond the limit of stability
    pytest.mark.filterwarnings("ignore:dt = .* is longer than"),
]

QUAKE = GroundMotion.el_centro().scaled(pga=5.0)
HEIGHT, WIDTH = 3.0, 6.0
ELASTIC = UncoupledSection(axial=Bilinear(2e9, 3e9, 0.02), moment=Bilinear(2e7, 2e9, 0.02))
YIELDING = UncoupledSection(axial=Bilinear(2e9, 3e6, 0.02), moment=Bilinear(2e7, 1.2e5, 0.02))
ONCE = [
    (NewmarkExplicit(0.6), 2e-3),
    (CentralDifference(), 2e-3),
    (AlphaOS(1.0), 5e-3),
    (AlphaOS(0.9), 5e-3),
    (KRAlpha(0.5), 5e-3),
]


def portal(left):
    model = Model("portal")
    for name, x in (("A", 0.0), ("B", WIDTH)):
        model.node(name, x, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", WIDTH)):
        model.node(name, x, HEIGHT, mass=(3e4, 3e4, 5e3))
    model.add(left)
    for name, i, j in (("right", "B", "D"), ("beam", "C", "D")):
        model.add(ForceBeamColumn(name, i, j, section=YIELDING))
    model.rayleigh(mass=0.3)
    return model


def column(section):
    return ForceBeamColumn("left", "A", "C", section=section)


def both(integrator, dt, section, duration=2.5, numerical=False):
    """Hybrid and numerical run, and the session of the experimental element."""
    specimen = EmulatedSpecimen(column(section), length=HEIGHT, numerical=numerical)
    tested = ExperimentalBeamColumn("left", "A", "C", specimen=specimen)
    test = HybridTest(portal(tested), QUAKE, integrator, dt=dt, duration=duration)
    hybrid = test.run()
    plain = Transient(integrator, dt=dt).run(portal(column(section)), QUAKE, duration=duration)
    assert hybrid.outcome is Outcome.COMPLETE and plain.outcome.ok
    return hybrid, plain, test.sessions["left"]


def difference(hybrid, plain):
    return max(
        np.abs(hybrid.displacement("C", d) - plain.displacement("C", d)).max()
        / np.abs(plain.displacement("C", d)).max()
        for d in ("x", "rz")
    )


@pytest.mark.parametrize("section", [ELASTIC, YIELDING], ids=["elastic", "yielding"])
@pytest.mark.parametrize("integrator, dt", ONCE, ids=lambda v: str(v))
def test_one_command_a_step_is_the_numerical_run_to_round_off(integrator, dt, section):
    """These ask an element once a step at a displacement known beforehand, and never for its
    tangent."""
    hybrid, plain, tested = both(integrator, dt, section)
    assert difference(hybrid, plain) < 1e-12
    assert tested.moves == len(plain.time) - 1
    if section is YIELDING:
        assert np.abs(plain.plastic_rotation("left")).max() > 0.01
        assert (
            np.abs(hybrid.measured("left")[1] - plain.force("left", "basic")).max() < 1e-9 * 1.2e5
        )


@pytest.mark.parametrize(
    "integrator", [AlphaOS(1.0), FixedIterations(Newmark(), 1, 1, "initial")], ids=str
)
def test_converged_response_of_a_specimen_is_linear_from_what_it_answered(integrator):
    """The specimen stays where it was asked.

    Its element goes to the end of the step, so that the energy error has a meaning.
    """
    hybrid, plain, tested = both(integrator, 5e-3, YIELDING)
    (v_m, q_m), (v, q) = hybrid.measured("left"), hybrid.converged_response("left")
    assert np.abs(v - v_m).max() > 1e-5 * np.abs(v).max()
    assert np.allclose(q, q_m + (v - v_m) @ tested.initial, rtol=1e-9, atol=1e-9 * np.abs(q).max())
    # the elongation of the column
    assert np.allclose(v[:, 0], hybrid.displacement("C", "y"), rtol=0.0, atol=1e-12)
    assert np.array_equal(q, hybrid.force("left", "basic"))
    assert 0.0 < abs(hybrid.experimental_error) < 0.02


def test_current_tangent_of_a_specimen_is_what_its_estimator_says():
    """Elastic: the same. Yielding.

    Near, as the specimen keeps its initial stiffness where the element has a tangent.
    """
    assert difference(*both(AlphaOS(0.9, "current"), 5e-3, ELASTIC)[:2]) < 1e-12
    coarse, fine = (
        difference(*both(AlphaOS(0.9, "current"), dt, YIELDING)[:2]) for dt in (4e-3, 1e-3)
    )
    assert 1e-9 < fine < 0.5 * coarse < 0.01


@pytest.mark.parametrize(
    "integrator",
    [
        FixedIterations(),
        FixedIterations(HHT(0.9), 4, 1, "initial"),
        FixedIterations(Newmark(), 3, 3),
    ],
    ids=str,
)
def test_fixed_iterations(integrator):
    """A specimen goes through the iterates for good, a numerical element starts each from its
    committed state."""
    hybrid, plain, tested = both(integrator, 5e-3, ELASTIC)
    assert difference(hybrid, plain) < 1e-11
    assert tested.moves == integrator.iterations * (len(plain.time) - 1)
    assert difference(*both(integrator, 5e-3, YIELDING)[:2]) < 0.01


def test_fixed_iterations_of_a_specimen_that_can_be_set_back():
    """With commands from the last committed state, and one stiffness, nothing is left that differs."""
    hybrid, plain, _ = both(
        FixedIterations(HHT(0.9), 4, 2, "initial"), 5e-3, YIELDING, numerical=True
    )
    assert difference(hybrid, plain) < 1e-11
    assert np.abs(plain.plastic_rotation("left")).max() > 0.01


@pytest.mark.parametrize(
    "integrator",
    [
        AlphaOS(0.8, form="midpoint"),
        KRAlpha(0.5, "midpoint"),
        AlphaOS(0.8, form="inside"),
        KRAlpha(0.5, "inside"),
    ],
    ids=str,
)
def test_midpoint(integrator):
    """A specimen is asked inside the step and counts as linear to its end, where a numerical
    element is evaluated again."""
    hybrid, plain, tested = both(integrator, 5e-3, ELASTIC)
    assert difference(hybrid, plain) < 1e-12
    assert tested.moves == len(plain.time) - 1
    assert difference(*both(integrator, 5e-3, YIELDING)[:2]) < 0.02


def test_a_step_beyond_the_limit_of_stability_is_refused_before_anything_moves():
    tested = ExperimentalBeamColumn(
        "left", "A", "C", specimen=EmulatedSpecimen(column(ELASTIC), length=HEIGHT)
    )
    with pytest.raises(AnalysisError, match=r"CentralDifference is unstable at dt = 0\.05"):
        test = HybridTest(portal(tested), QUAKE, CentralDifference(), dt=0.05, duration=1.0)
        test.run()
    assert test.sessions["left"].moves == 0


def test_runge_kutta_is_refused():
    tested = ExperimentalBeamColumn(
        "left", "A", "C", specimen=EmulatedSpecimen(column(ELASTIC), length=HEIGHT)
    )
    with pytest.raises(InputError, match="integrator"):
        HybridTest(portal(tested), QUAKE, RungeKutta(), dt=1e-3)


class Watched(EmulatedSpecimen):
    """Remembers where it was sent."""

    def apply(self, command, time):
        if not hasattr(self, "sent"):
            self.sent = []
        self.sent.append(float(command[0]))
        return super().apply(command, time)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_commands_of_a_step_go_one_way_in_even_shares(order):
    """Within a step the path is the polynomial through the last displacements and the end: no
    command turns back but where the motion itself does."""
    n = 5
    specimen = Watched(Elastic(1e6))
    model = Model("mass")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 1.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(ExperimentalLink("e", "A", "B", ("x",), specimen=specimen))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(1e6)}))
    hybrid = HybridTest(
        model, QUAKE, FixedIterations(Newmark(), n, order), dt=5e-3, duration=2.0
    ).run()
    u = hybrid.displacement("B", "x")
    sent = np.array(specimen.sent).reshape(-1, n)
    assert np.abs(sent[:, -1] - u[1:]).max() < 1e-9 * np.abs(u).max()
    shares = (1.0 + np.arange(n)) / n
    for step in range(order, len(sent)):
        # displacements of the steps at -order + 1 ... 0, and the end at 1
        past = u[step + 1 - order : step + 2]
        wanted = np.polyval(np.polyfit(np.arange(1 - order, 2), past, order), shares)
        assert np.abs(sent[step] - wanted).max() < 1e-8 * np.abs(u).max()
    if order == 1:
        assert (np.diff(sent, axis=1) * np.sign(u[1:] - u[:-1])[:, None] >= -1e-12).all()


@pytest.mark.parametrize(
    "integrator",
    [
        CentralDifference(),
        AlphaOS(0.9),
        AlphaOS(0.8, "current"),
        AlphaOS(0.8, form="midpoint"),
        KRAlpha(0.5),
        FixedIterations(HHT(0.9), 3),
        FixedIterations(Newmark(), 4, 3, "initial"),
    ],
    ids=str,
)
def test_an_interrupted_test_goes_on_to_the_same_bits(integrator, tmp_path):
    dt = 5e-3

    def make():
        tested = ExperimentalBeamColumn(
            "left", "A", "C", specimen=EmulatedSpecimen(column(YIELDING), length=HEIGHT)
        )
        return HybridTest(
            portal(tested), QUAKE.scaled(pga=200.0), integrator, dt=dt, duration=70 * dt
        )

    whole = make().run()
    test = make()
    specimen, count = test.elements["left"].specimen, [0]
    apply = specimen.apply

    def stop(command, time):
        count[0] += 1
        if count[0] == 50 * integrator.exchanges + 1:
            raise KeyboardInterrupt
        return apply(command, time)

    specimen.apply = stop
    assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").outcome is Outcome.STOPPED_BY_USER
    resumed = make().resume(tmp_path / "j.h5")
    assert resumed.outcome is Outcome.COMPLETE
    assert np.abs(whole.force("left", "basic")[:, 1]).max() > 1.2e5  # it yields
    assert np.array_equal(resumed.displacement("C", "x"), whole.displacement("C", "x"))
    assert np.array_equal(resumed.force("left", "basic"), whole.force("left", "basic"))


class Physical(Specimen):
    """Cannot be set back: it moves on from wherever it is."""

    def __init__(self, inner):
        self.inner, self.size, self.sent, self.most = inner, inner.size, [], None

    def apply(self, command, time):
        if self.most is not None and len(self.sent) == self.most:
            raise KeyboardInterrupt
        self.sent.append(command.copy())
        return self.inner.apply(command, time)

    def initial_stiffness(self):
        return self.inner.initial_stiffness()


def test_a_step_interrupted_between_its_commands_sends_none_of_them_twice(tmp_path):
    """A real specimen that was asked for two of four moves must not be sent back to the first."""

    def make(specimen):
        tested = ExperimentalBeamColumn(
            "left", "A", "C", specimen=specimen, limits=Unlimited("a specimen of the tests")
        )
        return HybridTest(
            portal(tested),
            QUAKE.scaled(pga=200.0),
            FixedIterations(iterations=4),
            dt=5e-3,
            duration=0.25,
        )

    reference, specimen = (
        Physical(EmulatedSpecimen(column(YIELDING), length=HEIGHT)) for _ in range(2)
    )
    whole = make(reference).run()
    specimen.most = 4 * 30 + 2
    assert (
        stopped_by_ctrl_c(make(specimen).run, tmp_path / "j.h5").outcome is Outcome.STOPPED_BY_USER
    )
    specimen.most = None
    resumed = make(specimen).resume(tmp_path / "j.h5")
    assert resumed.outcome is Outcome.COMPLETE
    assert np.array_equal(np.array(specimen.sent), np.array(reference.sent))
    assert np.array_equal(resumed.displacement("C", "x"), whole.displacement("C", "x"))


def test_a_truss_between_moving_nodes():
    """Commands reach specimens through the degrees of freedom of both ends, in the direction of the
    bar."""

    def model(bar):
        made = portal(column(YIELDING))
        made.add(bar)
        return made

    def brace():
        return Truss("brace", "A", "D", material=Bilinear(2e11, 2e8, 0.02), area=3e-4)

    length = float(np.hypot(WIDTH, HEIGHT))
    tested = ExperimentalTruss("brace", "A", "D", specimen=EmulatedSpecimen(brace(), length=length))
    hybrid = HybridTest(model(tested), QUAKE, KRAlpha(0.6), dt=5e-3, duration=2.5).run()
    plain = Transient(KRAlpha(0.6), dt=5e-3).run(model(brace()), QUAKE, duration=2.5)
    assert difference(hybrid, plain) < 1e-11
    assert np.abs(plain.force("brace", "basic")).max() > 3e-4 * 2e8
