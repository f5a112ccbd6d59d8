"""Pacing with a clock of its own: schedule, overruns, and what the system allows."""

import gc
import math
import os

import numpy as np
import pytest
from hybrid_models import hybrid

from femu import GroundMotion, InputError, Outcome
from femu.analyses import HybridTest, Pace
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.pacing import Pacer

RATE = 100.0


class Clock:
    """A clock that moves only when it is looked at or slept on."""

    def __init__(self):
        self.now, self.slept = 50.0, []

    def __call__(self):
        self.now += 1e-6
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def paced(work):
    """Begin of each step, overruns, and the clock, where the steps take so long."""
    clock = Clock()
    begins, late = [], []
    with Pacer(Pace(RATE, clock=clock, sleep=clock.sleep)) as pacer:
        for seconds in work:
            late.append(pacer.wait())
            begins.append(clock.now)
            clock.now += seconds
    return np.array(begins) - begins[0], late, pacer


def test_steps_begin_at_the_rate():
    begins, late, pacer = paced([0.003, 0.0, 0.0099, 0.005])
    assert np.allclose(begins, np.arange(4) / RATE, atol=5e-6)
    assert not any(late)
    assert pacer.overruns == 0


def test_an_overrun_is_counted_once_and_the_schedule_counts_from_it():
    begins, late, pacer = paced([0.003, 0.025, 0.002, 0.002])
    assert np.allclose(begins, [0.0, 0.01, 0.035, 0.045], atol=1e-5)
    assert late == [False, False, True, False]
    assert pacer.overruns == 1


def test_awake_it_never_sleeps_and_keeps_the_schedule():
    clock, begins = Clock(), []
    with Pacer(Pace(RATE, awake=True, clock=clock, sleep=clock.sleep)) as pacer:
        for _ in range(3):
            pacer.wait()
            begins.append(clock.now)
    assert clock.slept == []
    assert np.allclose(np.diff(begins), 1.0 / RATE, atol=5e-6)


@pytest.mark.parametrize(("throttle", "asked"), [("950000", False), ("-1", True), (None, False)])
def test_awake_priority_is_asked_for_only_where_it_does_not_stop_the_test(
    throttle, asked, tmp_path, monkeypatch
):
    if throttle is not None:
        (tmp_path / "runtime").write_text(throttle)
    calls = []
    monkeypatch.setattr("femu.experimental.pacing.THROTTLE", tmp_path / "runtime")
    monkeypatch.setattr(
        os, "sched_setscheduler", lambda *arguments: calls.append(arguments), raising=False
    )
    with Pacer(Pace(RATE, priority=40, awake=True)) as pacer:
        assert bool(calls) is asked
    assert ("never sleeps" in " ".join(pacer.notes)) is not asked


def test_report():
    pacer = Pacer(Pace(RATE))
    pacer.notes.append("no priority")
    report = pacer.report(np.array([np.nan, *np.linspace(0.0, 1.0, 1001)]))
    assert (report.steps, report.overruns, report.notes) == (1001, 0, ("no priority",))
    assert str(report) == (
        "0 of 1001 steps were late at 100 a second; step times: half below 500 ms, 99 % below 990 "
        "ms, 99.9 % below 999 ms, longest 1e+03 ms. no priority"
    )
    assert report.step_times == {"50": 0.5, "99": 0.99, "99.9": pytest.approx(0.999), "100": 1.0}
    assert all(math.isnan(v) for v in pacer.report(np.zeros(0)).step_times.values())


def test_garbage_is_not_collected_meanwhile_and_all_is_as_before_afterwards():
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), Pacer(Pace(core=min(before or {0}))) as pacer:
        assert not gc.isenabled()
        assert pacer.notes or os.sched_getaffinity(0) == {min(before)}
        raise ZeroDivisionError
    assert gc.isenabled()
    assert before is None or os.sched_getaffinity(0) == before


def test_what_the_system_refuses_is_said(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse, raising=False)
    with Pacer(Pace(priority=50, core=60000)) as pacer:
        pass
    assert len(pacer.notes) == 2
    assert "processor 60000" in pacer.notes[0]
    assert (
        "without real-time priority 50: the system does not allow it to this user."
        in pacer.notes[1]
    )


@pytest.mark.parametrize(
    "argument, value",
    [
        ("rate", 0.0),
        ("rate", float("nan")),
        ("rate", 1e-12),
        ("rate", 1e-320),
        ("priority", 0),
        ("priority", 1.5),
        ("core", -1),
        ("awake", 1),
    ],
)
def test_wrong_arguments_are_explained(argument, value):
    with pytest.raises(InputError, match=argument):
        Pace(**{argument: value})


def test_a_paced_hybrid_test_reports_its_step_times_and_gives_the_same_bits(tmp_path):
    clock = Clock()
    made = []
    for pace in (None, Pace(1024.0, clock=clock, sleep=clock.sleep)):
        made.append(
            HybridTest(
                hybrid(False), GroundMotion.el_centro(), dt=0.01, duration=1.0, pace=pace
            ).run()
        )
    free, timed = made
    assert free.pace is None
    assert timed.outcome is Outcome.COMPLETE
    assert np.array_equal(free.state.vector, timed.state.vector)
    assert (timed.pace.rate, timed.pace.steps, timed.pace.overruns) == (1024.0, 100, 0)
    assert timed.pace.step_times["50"] <= timed.pace.step_times["100"]
    assert clock.now - 50.0 == pytest.approx(99 / 1024.0, rel=1e-2)
    timed.save(tmp_path / "r.h5")
    assert HybridResult.load(tmp_path / "r.h5").pace == timed.pace
    with pytest.raises(InputError, match="pace"):
        HybridTest(hybrid(), GroundMotion.el_centro(), dt=0.01, pace=1024.0)


def test_overruns_of_a_test_are_marked_in_its_steps():
    class Slow:
        """Looks at the clock cost time in some steps."""

        def __init__(self):
            self.now, self.looks = 0.0, 0

        def __call__(self):
            self.looks += 1
            self.now += 0.004 if self.looks % 7 == 0 else 1e-5
            return self.now

        def sleep(self, seconds):
            self.now += seconds

    clock = Slow()
    result = HybridTest(
        hybrid(False),
        GroundMotion.el_centro(),
        dt=0.01,
        duration=1.0,
        pace=Pace(1000.0, clock=clock, sleep=clock.sleep),
    ).run()
    assert result.pace.overruns == result.of_step("overrun").sum() > 0
