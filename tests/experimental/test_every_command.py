"""No command reaches a specimen that was not checked.

Over all integrators, and on every path there is.
"""

import threading

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from stone import enough

from femu import GroundMotion, InputError, Model
from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlpha,
    GeneralizedAlphaOS,
    HybridTest,
    ImplicitHybrid,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
)
from femu.analyses.integrators.integrator import Integrator
from femu.elements import TwoNodeLink
from femu.experimental import (
    AdaptiveCompensation,
    Cantilever,
    CompensatedSpecimen,
    EmulatedSpecimen,
    Ending,
    ExperimentalBeamColumn,
    ExperimentalElement,
    ExperimentError,
    Guard,
    Limits,
    Measurement,
    PolynomialCompensation,
    RemoteApplication,
    RemoteSite,
    Scaled,
    Specimen,
    SpecimenServer,
    ThreeActuators,
    Unlimited,
)
from femu.materials import Elastic

pytestmark = [
    pytest.mark.filterwarnings("ignore::femu.FailedAnalysis"),  # failures are what is tested here
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
]

K, DT, STEPS = 2e5, 0.01, 40
QUAKE = GroundMotion("sine", 0.01, 3.0 * np.sin(2.0 * np.pi * 1.5 * 0.01 * np.arange(400)))
LIMITS = {"displacement": 0.004, "increment": 6e-4, "velocity": 0.06, "force": 700.0}
INTEGRATORS = [
    ImplicitHybrid(),
    Newmark(),
    HHT(0.9),
    GeneralizedAlpha(0.8),
    AlphaOS(),
    GeneralizedAlphaOS(0.8),
    KRAlpha(0.8),
    CentralDifference(),
    NewmarkExplicit(),
    FixedIterations(Newmark(), 3),
]


class Checks:
    """Every check of every guard that passed, in order."""

    def __init__(self, monkeypatch):
        self.passed = []
        check = Guard.check

        def noted(guard, command, time):
            check(guard, command, time)
            self.passed.append((guard.limits, command.copy(), time))

        monkeypatch.setattr(Guard, "check", noted)


class Strict(Specimen):
    """Takes a command only where the very last thing that happened was its check, and looks at the
    limits itself."""

    def __init__(self, checks, limits, size=1, stiffness=None):
        self.checks, self.limits, self.size = checks, limits, size
        self.stiffness = K * np.eye(size) if stiffness is None else stiffness
        self.used, self.commands, self.times = 0, [np.zeros(size)], [0.0]

    def apply(self, command, time):
        assert len(self.checks.passed) > self.used, "a command was not checked"
        self.used = len(self.checks.passed)
        limits, seen, when = self.checks.passed[-1]
        assert limits is self.limits
        assert np.array_equal(seen, command)
        assert when == time
        step, dt = command - self.commands[-1], time - self.times[-1]
        at_most = limits.__dict__
        assert np.isfinite(command).all()
        for name, values in (
            ("displacement", command),
            ("increment", step),
            ("velocity", step / dt),
        ):
            if at_most[name] is not None:
                assert np.all(np.abs(values) <= at_most[name]), name
        if limits.force is not None:
            # it is elastic: the prediction is exact
            assert np.all(np.abs(self.stiffness @ command) <= limits.force)
        self.commands.append(command.copy())
        self.times.append(time)
        return Measurement(command.copy(), self.stiffness @ command, time)

    def initial_stiffness(self):
        return self.stiffness


def masses(specimen, limits, **options):
    model = Model("checked")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(0.3 * K)}))
    model.add(
        ExperimentalElement("e", [("B", "x")], specimen=specimen, limits=enough(limits), **options)
    )
    return model


def run(model, integrator=None, steps=STEPS, journal=None):
    return HybridTest(model, QUAKE, integrator, dt=DT, duration=steps * DT).run(journal)


def test_no_integrator_is_missing():
    def kinds(cls):
        return {cls, *(k for sub in cls.__subclasses__() for k in kinds(sub))}

    wanted = {
        k
        for k in kinds(Integrator)
        if k.hybrid
        and not getattr(k, "__abstractmethods__", None)
        and k.__module__.startswith("femu.analyses")
    }
    assert {type(i) for i in INTEGRATORS} == wanted


@pytest.mark.parametrize(
    "integrator, name",
    [
        *((i, name) for i in (INTEGRATORS[0], INTEGRATORS[-1]) for name in LIMITS),
        *((i, list(LIMITS)[k % len(LIMITS)]) for k, i in enumerate(INTEGRATORS[1:-1])),
    ],
    ids=lambda i: i if isinstance(i, str) else type(i).__name__,
)
def test_integrators(monkeypatch, integrator, name):
    limits = enough(Limits(**{name: LIMITS[name]}))
    specimen = Strict(Checks(monkeypatch), limits)
    result = run(masses(specimen, limits), integrator)
    assert result.outcome is Ending.SPECIMEN_LIMIT, (name, np.abs(specimen.commands).max())
    assert f"{name} limit" in result.message
    # of each command one check, and of each check that passed one command
    assert 1 < len(specimen.commands) == specimen.used + 1
    assert np.all(np.diff(specimen.times) > 0.0)


@pytest.mark.parametrize(
    "compensation",
    [PolynomialCompensation(0.015), AdaptiveCompensation(0.015, window=0.1)],
    ids=lambda c: type(c).__name__,
)
@pytest.mark.parametrize("name", LIMITS)
def test_compensation(monkeypatch, compensation, name):
    limits = enough(Limits(**{name: LIMITS[name]}))
    specimen = Strict(Checks(monkeypatch), limits)
    assert run(masses(specimen, limits, compensation=compensation)).outcome is Ending.SPECIMEN_LIMIT
    outside = Strict(Checks(monkeypatch), limits)
    compensated = CompensatedSpecimen(outside, compensation, DT, limits)
    assert run(masses(compensated, None)).outcome is Ending.SPECIMEN_LIMIT
    assert len(outside.commands) > 1
    assert max(len(specimen.commands), len(outside.commands)) < STEPS


@pytest.mark.parametrize("name", LIMITS)
def test_setups(monkeypatch, name):
    """Limits are those of the actuators, behind similitude and geometry."""
    limits = enough(Limits(**{name: 0.5 * LIMITS[name]}))
    specimen = Strict(Checks(monkeypatch), limits)
    assert (
        run(masses(specimen, limits, setup=Scaled(1, 0.5, 0.25))).outcome is Ending.SPECIMEN_LIMIT
    )
    assert 1 < len(specimen.commands) < STEPS


def test_exact_rigs(monkeypatch):
    height, limits = 3.0, Limits(displacement=(0.004, 0.002, 0.002), increment=8e-4, force=1e15)
    rig = Cantilever(height, exact=True) >> ThreeActuators(2.0, 1.5, 1.5, 0.6, 0.8, exact=True)
    inverse = np.linalg.inv(rig.jacobian(np.zeros(3)))
    basic = np.array([[6e8, 0.0, 0.0], [0.0, 2.7e7, 1.3e7], [0.0, 1.3e7, 2.7e7]])
    specimen = Strict(Checks(monkeypatch), limits, 3, inverse.T @ basic @ inverse)
    model = Model("rig")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("C", 0.0, height, mass=(1e5, 1e5, 1e3))
    model.add(
        ExperimentalBeamColumn(
            "left", "A", "C", specimen=specimen, setup=rig, limits=limits, geometry="corotational"
        )
    )
    result = run(model, steps=200)
    assert result.outcome is Ending.SPECIMEN_LIMIT
    assert len(specimen.commands) > 5


def test_resumed(monkeypatch, tmp_path):
    """What a resumed test sends is checked as everything else is.

    What is not sent again needs no move.
    """
    limits = Limits(**{name: 10.0 * most for name, most in LIMITS.items()})
    specimen = Strict(Checks(monkeypatch), limits)
    specimen.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(specimen.commands) == 15 else None
    )
    test = HybridTest(masses(specimen, limits), QUAKE, dt=DT, duration=STEPS * DT)
    assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    specimen.commit = lambda time: None
    assert test.resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(specimen.commands) == STEPS + 1


class Physical(Strict):
    """Is somewhere, and can be read there."""

    def __init__(self, checks, limits, place=0.0):
        super().__init__(checks, limits)
        self.place = np.array([place])

    def apply(self, command, time):
        self.place = command.copy()
        return super().apply(command, time)

    def reading(self, last):
        return Measurement(self.place.copy(), self.stiffness @ self.place)


@pytest.mark.parametrize("compensated", [False, True])
@pytest.mark.parametrize("name", ["increment", "velocity"])
def test_a_test_that_begins_where_the_specimen_does_not_stand(monkeypatch, name, compensated):
    """The first command is a step from where it is, not from zero."""
    limits = Limits(**{name: 10.0 * LIMITS[name]})
    specimen = Physical(Checks(monkeypatch), limits, 0.05)
    asked = (
        CompensatedSpecimen(specimen, PolynomialCompensation(0.0), DT, limits)
        if compensated
        else specimen
    )
    result = run(
        masses(asked, Unlimited("it has limits of its own", start=1.0) if compensated else limits)
    )
    assert (result.outcome, len(specimen.commands)) == (Ending.SPECIMEN_LIMIT, 1)  # where it begins
    # by the reading, before a command is made
    found_before = name == "increment" and not compensated
    assert ("before the first step" if found_before else f"{name} limit") in result.message


def test_a_compensated_specimen_goes_on_from_its_last_command(monkeypatch, tmp_path):
    def make(specimen):
        return HybridTest(
            masses(CompensatedSpecimen(specimen, PolynomialCompensation(0.0), DT, limits), None),
            QUAKE,
            dt=DT,
            duration=STEPS * DT,
        )

    limits = Limits(increment=6e-3, velocity=0.6)
    specimen = Strict(Checks(monkeypatch), limits)
    specimen.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(specimen.commands) == STEPS - 5 else None
    )
    assert (
        stopped_by_ctrl_c(make(specimen).run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    )
    assert abs(specimen.commands[-1][0]) > limits.increment  # from zero it would be too far
    specimen.commit = lambda time: None
    assert make(specimen).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(specimen.commands) == STEPS + 1
    with_numbers = make(EmulatedSpecimen(Elastic(K)))
    assert [with_numbers.run().outcome for _ in range(2)] == [Ending.COMPLETE] * 2


def test_another_setup_cannot_go_on(monkeypatch, tmp_path):
    """It would make another command of where the structure is: a jump."""
    limits = enough(Limits(displacement=10.0))
    specimen = Strict(Checks(monkeypatch), limits)
    specimen.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(specimen.commands) == 15 else None
    )

    def make(scale):
        return HybridTest(
            masses(specimen, limits, setup=Scaled(1, scale, 0.25), stiffness=[[K]]),
            QUAKE,
            dt=DT,
            duration=STEPS * DT,
        )

    assert stopped_by_ctrl_c(make(0.5).run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    specimen.commit = lambda time: None
    with pytest.raises(InputError, match="must be that of the journal"):
        make(1.0).resume(tmp_path / "j.h5")
    assert len(specimen.commands) == 15
    assert make(0.5).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE


@pytest.mark.parametrize("at", [0.0, DT])
def test_the_first_command_to_a_server(monkeypatch, at):
    """Its velocity counts from where the specimen is, at time 0."""
    limits = enough(Limits(velocity=LIMITS["velocity"]))
    specimen = Strict(Checks(monkeypatch), limits)
    server = SpecimenServer(specimen, limits=limits, wait=20.0, silence=20.0)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(server.serve()), daemon=True)
    thread.start()
    remote = RemoteApplication(1, server.port, silence=20.0)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([1.0]), at)
    remote.close()
    thread.join(20.0)
    assert (ended[0].ending, len(specimen.commands)) == (Ending.SPECIMEN_LIMIT, 1)


def test_the_longest_wait_is_that_of_the_specimen_unless_limits_say_another():
    for limits, waits in ((None, 2.0), (Limits(displacement=1.0), 2.0), (Limits(silence=3.0), 3.0)):
        remote = RemoteSite(1, 1, silence=2.0, stiffness=[[K]])
        masses(remote, limits)
        assert remote._silence == waits


@pytest.mark.parametrize("protocol", ["site", "application"])
@pytest.mark.parametrize("name", ["displacement", "increment", "velocity", "force"])
def test_servers(monkeypatch, protocol, name):
    """The laboratory's own limits, where the client has none."""
    limits = enough(Limits(**{name: LIMITS[name]}), "increment")
    specimen = Strict(Checks(monkeypatch), limits)
    server = SpecimenServer(specimen, protocol=protocol, limits=limits, wait=20.0, silence=20.0)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(server.serve()), daemon=True)
    thread.start()
    remote = (RemoteSite if protocol == "site" else RemoteApplication)(
        1, server.port, silence=20.0, stiffness=[[K]]
    )
    for step in range(1, 200):
        command = np.array([1e-4 * step**1.4])
        try:
            remote.apply(command, DT * step)
        except Exception:
            break
    remote.close()
    thread.join(20.0)
    assert ended[0].ending is Ending.SPECIMEN_LIMIT
    assert f"{name} limit" in ended[0].message
    assert 1 < len(specimen.commands) == ended[0].moves + 1 < 200
