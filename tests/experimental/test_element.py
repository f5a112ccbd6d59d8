"""Experimental elements in a model, emulated specimens, and a test from end to end."""

import threading

import numpy as np
import pytest
from stone import enough

from femu import GroundMotion, InputError, Model, failures_handled
from femu.analyses import HybridTest, Newmark, Transient, eigen
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss, TwoNodeLink, ZeroLength
from femu.experimental import (
    Actuator,
    BadMeasurement,
    Cantilever,
    EmulatedSpecimen,
    Ending,
    ExperimentalBeamColumn,
    ExperimentalElement,
    ExperimentalLink,
    ExperimentalTruss,
    Limits,
    LimitTripped,
    Measurement,
    PolynomialCompensation,
    RemoteApplication,
    RemoteSite,
    Sensors,
    Specimen,
    SpecimenServer,
    SpecimenSession,
    ThreeActuators,
    exchange,
    read_journal,
)
from femu.materials import Bilinear, BoucWen, Elastic, ElasticSection, UncoupledSection

SECTION = ElasticSection(E=2e11, A=1e-2, I=1e-4)
HEIGHT, WIDTH = 3.0, 6.0
QUAKE = GroundMotion.el_centro()
SPRING = 2e6


def column(name="left"):
    return ElasticBeamColumn(name, "A", "C", section=SECTION)


def portal(left):
    frame = Model("portal")
    frame.node("A", 0.0, 0.0, fixed=True)
    frame.node("B", WIDTH, 0.0, fixed=True)
    frame.node("C", 0.0, HEIGHT, mass=(1e5, 1e5, 1e3))
    frame.node("D", WIDTH, HEIGHT, mass=(1e5, 1e5, 1e3))
    frame.add(left)
    frame.add(ElasticBeamColumn("right", "B", "D", section=SECTION))
    frame.add(ElasticBeamColumn("beam", "C", "D", section=SECTION))
    frame.rayleigh(0.02)
    return frame


def masses(link):
    model = Model("masses")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(link)
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(0.3 * SPRING)}))
    return model


def compare(experimental, ordinary, node, tolerance, duration=4.0):
    test = HybridTest(experimental, QUAKE, Newmark(), dt=0.005, duration=duration)
    tested = test.run()
    assert tested.outcome is Ending.COMPLETE
    wanted = (
        Transient(Newmark(), dt=0.005)
        .run(ordinary, QUAKE, duration=duration)
        .displacement(node, "x")
    )
    got = tested.displacement(node, "x")
    assert np.abs(got - wanted).max() <= tolerance * np.abs(wanted).max()
    return test, tested


def test_beam_column_behind_three_actuators_equals_the_ordinary_one():
    rig = Cantilever(HEIGHT) >> ThreeActuators(2.0, 1.5, 1.5, 0.6, 0.8)
    # the specimen is the column seen by the actuators: the basic system by the inverse of the setup
    seen = np.linalg.inv(rig.jacobian(np.zeros(3)))
    specimen = EmulatedSpecimen(column(), length=HEIGHT, coordinates=seen)
    left = ExperimentalBeamColumn("left", "A", "C", specimen=specimen, setup=rig, damped=True)
    test, tested = compare(portal(left), portal(column()), "C", 1e-9)
    assert (
        test.sessions["left"].moves == tested.steps
    )  # one command a step, whatever the iterations


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
def test_initial_periods_equal_those_of_the_ordinary_element(geometry):
    left = ExperimentalBeamColumn(
        "left", "A", "C", specimen=EmulatedSpecimen(column(), length=HEIGHT), geometry=geometry
    )
    assert np.allclose(
        eigen(portal(left).compile(), 3).periods,
        eigen(portal(column()).compile(), 3).periods,
        rtol=1e-12,
    )


@pytest.mark.parametrize("kind", ["truss", "link", "generic"])
def test_one_degree_of_freedom_elements(kind):
    law = Elastic(SPRING)
    if kind == "truss":
        ordinary = Truss("e", "A", "B", material=Elastic(2e9), area=2e-3)
        made = ExperimentalTruss("e", "A", "B", specimen=EmulatedSpecimen(ordinary, length=2.0))
    elif kind == "link":
        ordinary = TwoNodeLink("e", "A", "B", {"x": law})
        made = ExperimentalLink(
            "e", "A", "B", ("x",), specimen=EmulatedSpecimen(ordinary, length=2.0)
        )
    else:
        ordinary = TwoNodeLink("e", "A", "B", {"x": law})
        made = ExperimentalElement("e", [("B", "x")], specimen=EmulatedSpecimen(law))
    compare(masses(made), masses(ordinary), "B", 1e-9)


def test_hysteretic_specimen_follows_the_ordinary_element():
    law = BoucWen(alpha=0.1, k=SPRING, n=2, gamma=2000.0, beta=2000.0)
    made = ExperimentalElement("e", [("B", "x")], specimen=EmulatedSpecimen(law))
    # the specimen is linear between predictor and solution: equal to the order of the step
    compare(masses(made), masses(TwoNodeLink("e", "A", "B", {"x": law})), "B", 0.03)


def test_force_based_column_as_specimen_has_its_own_state_and_tangent():
    section = UncoupledSection(axial=Bilinear(2e9, 2e6, 0.01), moment=Bilinear(2e7, 2e5, 0.01))
    specimen = EmulatedSpecimen(ForceBeamColumn("c", "i", "j", section=section), length=HEIGHT)
    for theta in np.linspace(0.0, 0.05, 30):
        measured = specimen.apply(np.array([0.0, theta, theta]), theta)
    # far below the elastic moment
    assert np.all(np.abs(measured.force[1:]) < 0.06 * 6 * 2e7 / HEIGHT)
    here, state = specimen.tangent(), specimen.state
    step = 1e-8
    moved = specimen.apply(np.array([0.0, 0.05 + step, 0.05]), 1.0)
    assert np.allclose(
        (moved.force - measured.force) / step, here[:, 1], rtol=1e-4, atol=1e-2 * np.abs(here).max()
    )
    specimen.restore(state)
    assert np.array_equal(specimen.state, state)
    assert np.array_equal(
        specimen.apply(np.array([0.0, 0.05 + step, 0.05]), 1.0).force, moved.force
    )


def test_same_target_does_not_move_the_specimen_again():
    element = ExperimentalElement(
        "e",
        [("B", "x")],
        specimen=EmulatedSpecimen(Elastic(1.0), sensors=Sensors(force_noise=1.0), seed=3),
    )
    session = SpecimenSession(element)
    first = session.exchange([0.5], 0.1)
    assert session.exchange([0.5], 0.2) is first
    assert session.moves == 1
    assert exchange(element, [0.5], 0.2) is first  # another session of the same element
    assert exchange(element, [0.6], 0.3) is not first


def test_zero_length_link_with_an_angle():
    specimen = EmulatedSpecimen([Elastic(3.0), Elastic(7.0)])
    model = Model("turned")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 0.0, mass=(1.0, 1.0, 0.0), fixed=("rz",))
    model.add(ExperimentalLink("e", "A", "B", ("x", "y"), specimen=specimen, angle=0.3))
    same = Model("turned")
    same.node("A", 0.0, 0.0, fixed=True)
    same.node("B", 0.0, 0.0, mass=(1.0, 1.0, 0.0), fixed=("rz",))
    same.add(ZeroLength("e", "A", "B", {"x": Elastic(3.0), "y": Elastic(7.0)}, angle=0.3))
    assert np.allclose(
        eigen(model.compile(), 2).periods, eigen(same.compile(), 2).periods, rtol=1e-12
    )


class Unknown(Specimen):
    """Takes commands and keeps them; does not know its stiffness."""

    def __init__(self, size=1):
        self.size, self.commands, self.held = size, [], 0

    def apply(self, command, time):
        self.commands.append(command.copy())
        return Measurement(command, 10.0 * command, time)

    def hold(self):
        self.held += 1


def test_stiffness_must_be_known():
    with pytest.raises(InputError, match="stiffness"):
        ExperimentalElement("e", [("B", "x")], specimen=Unknown())
    with pytest.raises(InputError, match="as many actuators"):
        ExperimentalElement("e", [("B", "x")], specimen=Unknown(2), stiffness=[[10.0]])
    with pytest.raises(InputError, match="dofs"):
        ExperimentalElement("e", [("B", "w")], specimen=Unknown(), stiffness=[[10.0]])


@pytest.mark.parametrize(
    "limits, bad",
    [
        (Limits(displacement=1.0), 1.1),
        (Limits(increment=0.3), 0.6),
        (Limits(velocity=1.0), 0.5),
        (Limits(force=6.0), 0.7),
    ],
)
def test_a_limit_trips_before_the_command_leaves(limits, bad):
    specimen = Unknown()
    element = ExperimentalElement(
        "e", [("B", "x")], specimen=specimen, stiffness=[[10.0]], limits=limits
    )
    SpecimenSession(element).begin(0.1)  # from here the velocity counts
    exchange(element, [0.2], 0.2)
    with pytest.raises(LimitTripped, match="was not sent") as caught:
        exchange(element, [bad], 0.3)
    assert caught.value.ending is Ending.SPECIMEN_LIMIT
    assert [c.tolist() for c in specimen.commands] == [[0.2]]
    assert specimen.held == 1
    exchange(element, [0.21], 0.4)  # a smaller command is possible


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_tripped_limit_ends_the_test_with_its_outcome(tmp_path):
    specimen = EmulatedSpecimen(Elastic(SPRING))
    element = ExperimentalElement(
        "e", [("B", "x")], specimen=specimen, limits=Limits(displacement=0.005)
    )
    test = HybridTest(masses(element), QUAKE, dt=0.005, duration=8.0)
    tested = test.run(tmp_path / "j.h5")
    assert tested.outcome is Ending.SPECIMEN_LIMIT
    assert tested.outcome.name == "SPECIMEN_LIMIT"
    assert 0 < tested.steps == test.sessions["e"].moves
    assert np.abs(specimen.position).max() <= 0.005
    assert "displacement limit" in tested.message


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_measurement_that_is_not_finite_ends_the_test():
    class Broken(Unknown):
        def apply(self, command, time):
            return Measurement(
                command, np.array([np.nan if time > 0.1 else 10.0 * command[0]]), time
            )

    element = ExperimentalElement(
        "e", [("B", "x")], specimen=Broken(), stiffness=[[SPRING]], limits=enough(None)
    )
    tested = HybridTest(masses(element), QUAKE, dt=0.005, duration=1.0).run()
    assert tested.outcome is Ending.BAD_MEASUREMENT
    assert np.isfinite(tested.displacement("B", "x")).all()


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("protocol", ["site", "application"])
def test_going_remote_changes_the_transport_and_nothing_else(protocol, udp):
    """The same specimen here and behind the network: the same bits."""

    def specimen():
        return EmulatedSpecimen(column(), length=HEIGHT, sensors=Sensors(1e-7, 10.0), seed=4)

    server = SpecimenServer(specimen(), protocol=protocol, udp=udp, wait=20.0, silence=20.0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    remote = (RemoteSite if protocol == "site" else RemoteApplication)(
        3, server.port, udp=udp, stiffness=specimen().initial_stiffness()
    )
    results = [
        HybridTest(
            portal(ExperimentalBeamColumn("left", "A", "C", specimen=s, limits=enough(None))),
            QUAKE,
            dt=0.01,
            duration=1.0,
        ).run()
        for s in (specimen(), remote)
    ]
    remote.close()
    thread.join(20.0)
    assert all(r.outcome is Ending.COMPLETE for r in results)
    assert np.array_equal(results[0].state.vector, results[1].state.vector)
    assert server.commits == results[1].steps


def test_compensation_in_a_model_betters_a_delayed_test():
    def run(compensation, delay=0.012):
        # an elastic specimen would hide the delay: the measured displacement and force belong
        # together
        specimen = EmulatedSpecimen(
            BoucWen(alpha=0.1, k=SPRING, n=2, gamma=2e4, beta=2e4), actuator=Actuator(delay=delay)
        )
        made = ExperimentalElement("e", [("B", "x")], specimen=specimen, compensation=compensation)
        model = masses(made)
        model.rayleigh(mass=1.0)
        return HybridTest(model, QUAKE, dt=0.005, duration=4.0).run().displacement("B", "x")

    exact = run(None, delay=0.0)
    plain, compensated = (
        np.abs(run(c) - exact).max() / np.abs(exact).max()
        for c in (None, PolynomialCompensation(0.012))
    )
    assert compensated < 0.3 * plain


def test_limits_see_the_compensated_command():
    specimen = Unknown()
    element = ExperimentalElement(
        "e",
        [("B", "x")],
        specimen=specimen,
        stiffness=[[10.0]],
        limits=Limits(displacement=1.0),
        compensation=PolynomialCompensation(0.02, order=1),
    )
    SpecimenSession(element).begin(0.01)
    with pytest.raises(LimitTripped):
        exchange(element, [0.5], 0.01)  # 0.5 after one step is 1.5 two steps later
    assert specimen.commands == []


def test_an_unknown_failure_of_a_specimen_holds_it_and_is_journalled(tmp_path):
    class Failing(Unknown):
        def apply(self, command, time):
            if time > 0.1:
                raise ZeroDivisionError("my own bug")
            return super().apply(command, time)

    specimen = Failing()
    element = ExperimentalElement(
        "e", [("B", "x")], specimen=specimen, stiffness=[[SPRING]], limits=enough(None)
    )
    with pytest.raises(ZeroDivisionError):
        HybridTest(masses(element), QUAKE, dt=0.005, duration=1.0).run(tmp_path / "j.h5")
    assert specimen.held >= 1
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is Ending.ERROR
    assert record.steps == 20


def test_after_a_refused_measurement_no_answer_is_remembered():
    """The specimen has gone on: its old answer is not that of the old target any more."""

    class Broken(Unknown):
        def apply(self, command, time):
            measured = super().apply(command, time)
            return (
                Measurement(measured.displacement, np.array([np.nan]))
                if len(self.commands) == 2
                else measured
            )

    specimen = Broken()
    element = ExperimentalElement("e", [("B", "x")], specimen=specimen, stiffness=[[10.0]])
    exchange(element, [0.01], 0.01)
    with pytest.raises(BadMeasurement):
        exchange(element, [0.02], 0.02)
    exchange(element, [0.01], 0.03)
    assert [c[0] for c in specimen.commands] == [0.01, 0.02, 0.01]


@pytest.mark.filterwarnings("error")
def test_a_specimen_that_cannot_be_held_does_not_hide_why_it_should_be(tmp_path):
    """Not even where warnings are errors."""

    class Broken(Unknown):
        def apply(self, command, time):
            measured = super().apply(command, time)
            return None if len(self.commands) == 3 else measured

        def hold(self):
            raise OSError("no hydraulics")

    model = masses(
        ExperimentalElement(
            "e", [("B", "x")], specimen=Broken(), stiffness=[[SPRING]], limits=enough(None)
        )
    )
    with failures_handled():
        result = HybridTest(model, QUAKE, dt=0.01, duration=0.2).run(tmp_path / "j.h5")
    assert result.outcome is Ending.BAD_MEASUREMENT
    assert "no hydraulics" in result.message
    assert read_journal(tmp_path / "j.h5").ending is Ending.BAD_MEASUREMENT


def test_a_transient_run_refuses_to_leave_the_specimen_out() -> None:
    from femu import AnalysisError

    specimen = EmulatedSpecimen(Bilinear(E=1e6, fy=1e4, b=0.1))
    model = masses(ExperimentalTruss("link", "A", "B", specimen=specimen))
    with pytest.raises(AnalysisError, match="experimental element 'link'"):
        Transient(Newmark(), dt=0.01).run(model, QUAKE, duration=1.0)
