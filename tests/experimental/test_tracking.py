"""Tracking indicators of whole records and of running tests, and limits that end a test."""

import math

import numpy as np
import pytest

from femu import GroundMotion, InputError, Model, Outcome
from femu.analyses import AlphaOS, HybridTest
from femu.elements import ZeroLength
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    PolynomialCompensation,
    Sensors,
    TrackingLimits,
    read_journal,
    tracking_indicators,
)
from femu.experimental.hybrid_record import STEP_COLUMNS
from femu.experimental.safety.tracking import TrackingMonitor
from femu.materials import Elastic, Parallel, Viscous
from femu.results.outcome import failures_handled

DT, STIFFNESS = 0.005, 8e5
OTHER, MASS = 6e5, 1e4
PERIOD = 2.0 * math.pi * math.sqrt(MASS / (STIFFNESS + OTHER))


# --- whole records ---


def test_indicators_of_a_late_sine_are_those_of_its_formulas():
    """x(t) = A sin(w (t - d)) over whole periods: J2 is |A e^(-i w d) - 1|."""
    dt, w, d, a = 0.002, 2.0 * math.pi, 0.0133, 0.95
    t = dt * np.arange(2000)
    found = tracking_indicators(np.sin(w * t), a * np.sin(w * (t - d)), dt)
    # the ends of the record move the peak of the correlation by less than 2 %
    assert found.delay == pytest.approx(d, rel=0.02)
    wanted = abs(a * np.exp(-1j * w * d) - 1.0)
    assert found.error == pytest.approx(wanted, rel=1e-9)
    assert found.peak == pytest.approx(wanted, rel=1e-4)
    ahead = tracking_indicators(a * np.sin(w * (t - d)), np.sin(w * t), dt)
    assert ahead.delay == pytest.approx(-d, rel=0.02)


def test_a_record_that_does_not_move_has_no_delay():
    still = tracking_indicators(np.zeros(10), np.ones(10), DT)
    assert still.delay == 0.0 and math.isnan(still.error) and math.isnan(still.peak)
    stuck = tracking_indicators(np.sin(np.arange(10.0)), np.zeros(10), DT)
    assert stuck.error == pytest.approx(1.0)
    for bad in (np.zeros(3), [np.nan] * 4, []):
        with pytest.raises(InputError):
            tracking_indicators(np.ones(4), bad, DT)


# --- running ---


class Rows:
    """The rows of a test with one channel, as a `HybridRecord` has them."""

    class columns:
        size, command, measured_displacement = 1, (len(STEP_COLUMNS), 1), (len(STEP_COLUMNS) + 1, 1)

    def __init__(self, targets, reached):
        self.rows = np.zeros((len(targets), len(STEP_COLUMNS) + 2))
        self.rows[:, -2], self.rows[:, -1] = targets, reached
        self.columns, self.channels = {"s": Rows.columns}, {"s": ("x",)}


def running(targets, reached, dt, **limits):
    given = {"s": TrackingLimits(**{"error": 1e9, **limits})}
    return TrackingMonitor(given, Rows(targets, reached), dt, {"s": np.zeros(1)})


@pytest.mark.parametrize("delay", [-0.02, 0.004, 0.0333, 0.15])
def test_running_indicators_of_a_sine_are_those_of_its_formulas(delay):
    """Also for a delay of more than a quarter of the period, and with an offset."""
    dt, w = 0.001, 2.0 * math.pi * 2.0
    t = dt * np.arange(6000)
    monitor = running(0.3 + np.sin(w * t), 0.2 + np.sin(w * (t - delay)), dt, window=2.0)
    for step in range(len(t)):
        monitor.see(step)
    (found,) = monitor.indicators("s")
    # the weight falls by e^(-1/4) in a period: that much is uneven in the means
    assert found.delay == pytest.approx(delay, abs=0.02 * abs(delay) + 1e-4)
    assert found.error == pytest.approx(abs(np.exp(-1j * w * delay) - 1.0), rel=0.03)


def test_running_means_are_weighted_means():
    """With numpy's weights over the same samples."""
    random = np.random.default_rng(4)
    targets = np.cumsum(random.normal(size=300))
    reached = targets + random.normal(size=300)
    window = 40 * DT
    monitor = running(targets, reached, DT, window=window)
    for step in range(300):
        monitor.see(step, judge=False)
    (found,) = monitor.indicators("s")
    age = np.arange(297, -1, -1.0)
    weight = np.exp(-DT * age / window)
    t, x = targets[1:299], reached[1:299]
    v = (targets[2:] - targets[:-2]) / (2.0 * DT)
    cov = np.cov(np.stack([t, x, v, x - t]), aweights=weight, ddof=0)
    assert found.error == pytest.approx(math.sqrt(cov[3, 3] / cov[0, 0]), rel=1e-9)
    w = math.sqrt(cov[2, 2] / cov[0, 0])
    assert found.delay == pytest.approx(math.atan2(-cov[3, 2] / w, cov[0, 1]) / w, rel=1e-9)
    assert found.peak == pytest.approx(np.abs(reached - targets).max() / np.abs(targets).max())


# --- limits of a test ---


def late(delay=0.02, *, tracking=None, sensors=None, compensation=None, duration=12.0):
    """A mass on a specimen that is late: the loop is unstable, 1.2 % a step without damping."""
    model = Model("late")
    model.node(0, 0.0, 0.0, fixed=True)
    model.node(1, 0.0, 0.0, fixed=("y", "rz"), mass=(MASS, 0.0, 0.0))
    specimen = EmulatedSpecimen(
        [Elastic(STIFFNESS)], actuator=Actuator(delay=delay), sensors=sensors or Sensors()
    )
    model.add(
        ExperimentalElement(
            "s", [(1, "x")], specimen=specimen, stiffness=1.0, compensation=compensation
        )
    )
    law = Parallel([Elastic(OTHER), Viscous(1e3)])
    model.add(ZeroLength("spring", 0, 1, {"x": law}))
    return HybridTest(
        model, GroundMotion.el_centro(), AlphaOS(), dt=DT, duration=duration, tracking=tracking
    )


def ran(test, journal=None):
    with failures_handled():
        return test.run(journal, check=False)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"error": 0.15}, "error J2"),
        ({"delay": 0.015}, "delay J1"),
        ({"peak": 0.2}, "error J3"),
        ({"energy": 0.5}, "energy error"),
    ],
)
def test_a_test_that_would_diverge_is_ended_before(limits, says, tmp_path):
    free = ran(late())
    test = late(tracking=TrackingLimits(**limits))
    journal = tmp_path / "late.h5"
    result = ran(test, journal)
    assert result.outcome is Outcome.POOR_TRACKING and says in result.message
    assert not result.outcome.ok and result.outcome.failed
    assert 200 <= result.steps < free.steps
    most = np.abs(result.command("s")).max()
    assert most < 0.2 * np.abs(free.command("s")).max()
    # steps up to there are those of the test without limits, and all of them are in the journal
    assert np.array_equal(result.command("s"), free.command("s")[: result.steps + 1])
    record = read_journal(journal)
    assert record.ending is Outcome.POOR_TRACKING and record.steps == result.steps


def test_it_is_judged_after_the_window_and_once_there_is_motion():
    strict = {"error": 1e-6, "window": 0.5}
    at_once = ran(late(tracking=TrackingLimits(**strict)))
    assert at_once.steps == round(0.5 / DT)
    # with a noise of 10 mm nothing moves by 20 times as much
    noisy = late(0.001, tracking=TrackingLimits(**strict), sensors=Sensors(1e-2), duration=2.0)
    assert ran(noisy).outcome is Outcome.COMPLETE
    large = TrackingLimits(**strict, least=1.0)
    assert ran(late(tracking=large, duration=2.0)).outcome is Outcome.COMPLETE


def test_a_specimen_that_is_compensated_passes_and_its_result_has_the_indicators():
    limits = {"s": TrackingLimits(delay=0.01, error=0.1, peak=0.2, energy=0.5)}
    compensated = PolynomialCompensation(0.02, 2)
    result = ran(late(tracking=limits, compensation=compensated, duration=6.0))
    assert result.outcome is Outcome.COMPLETE, result.message
    (found,) = result.tracking("s")
    assert abs(found.delay) < 0.002 and found.error < 0.1
    (bare,) = ran(late(duration=6.0)).tracking("s")
    assert bare.delay == pytest.approx(0.02, rel=0.05)
    # at its own frequency, which is what it moves with
    assert bare.error == pytest.approx(2.0 * math.pi / PERIOD * 0.02, rel=0.2)


def test_a_resumed_test_continues_with_the_indicators_it_had(tmp_path):
    limits = TrackingLimits(energy=0.5)
    whole = ran(late(tracking=limits))
    journal = tmp_path / "cut.h5"
    first = late(tracking=TrackingLimits(error=0.1))
    stopped = ran(first, journal)
    assert stopped.outcome is Outcome.POOR_TRACKING and stopped.steps < whole.steps
    with failures_handled():
        resumed = late(tracking=limits).resume(journal)
    assert resumed.outcome is Outcome.POOR_TRACKING and resumed.steps == whole.steps
    assert resumed.message == whole.message


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "error"),
        ({"error": 0.0}, "error"),
        ({"delay": math.inf}, "delay"),
        ({"error": 0.1, "window": 0.0}, "window"),
        ({"error": 0.1, "least": -1.0}, "least"),
        ({"energy": True}, "energy"),
    ],
)
def test_limits_that_cannot_be_are_refused(given, argument):
    with pytest.raises(InputError) as caught:
        TrackingLimits(**given)
    assert caught.value.argument == argument


@pytest.mark.parametrize("given", [0.1, {"other": TrackingLimits(error=0.1)}, {"s": 0.1}])
def test_a_test_takes_limits_of_its_elements_only(given):
    with pytest.raises(InputError, match="tracking"):
        late(tracking=given)
