"""The benchmark of real-time tests: what its frame does, and that its table names the figures. No
limit on time."""

from __future__ import annotations

import numpy as np

from femu.analyses import Pace
from femu.benchmarks import real_time
from femu.benchmarks import real_time_frame as frame
from femu.benchmarks.hybrid import AT_ONCE
from femu.elements import ForceBeamColumn


def test_the_frame_yields_and_its_braces_learn_from_the_tested_one():
    test = frame.hybrid_test(4.0, Pace(AT_ONCE))
    members = [e for e in frame.model().elements.values() if isinstance(e, ForceBeamColumn)]
    assert len(members) == len(frame.MEMBERS) == 30
    assert test.stability().stable
    result = test.run(check=False)
    assert result.outcome.ok
    assert frame.yielded(result) > 0
    assert np.abs(result.measured("brace 1")[0]).max() > 3.0 * frame.YIELD
    assert result.tracking("brace 1")[0].error < 0.005
    # all five other braces have what was learned, and it is closer to the truth than the start
    for name, start in frame.BELIEVED.items():
        found = test.updater.values[name]
        assert abs(found - frame.BRACE[name]) < 0.3 * abs(start - frame.BRACE[name])


def test_the_table_names_the_figures(monkeypatch):
    for name, value in (("QUICK_HELD", 0.1), ("QUICK_TIMED", 0.3), ("QUICK_TURNS", 2)):
        monkeypatch.setattr(real_time, name, value)
    table = real_time.run(quick=True)
    names = [row.name for row in table.rows]
    for wanted in (
        "plant of five states",
        "compensator estimated plant",
        "one actuator: step, median",
        "0.1 s at 4096 per second: overruns",
        "0.1 s at 1024 per second: overruns",
        "empty loop at 4096",
        "empty loop at 1024",
        "members that yield",
    ):
        assert any(wanted in name for name in names), wanted
    assert all(row.value >= 0 for row in table.rows if isinstance(row.value, (int, float)))


def test_the_time_of_a_step_is_the_shortest_of_all_turns(monkeypatch):
    """Two runs of which each is disturbed in another step."""

    class Test:
        def __init__(self, seconds):
            self.seconds = seconds

        def run(self, check):
            return self

        outcome, message = type("", (), {"ok": True}), ""

        def of_step(self, name):
            return np.array([9.0, *self.seconds])

    runs = iter([Test([1e-5, 5e-3, 3e-5]), Test([7e-3, 2e-5, 3e-5])])
    median, rare = real_time.timed(lambda seconds, pace: next(runs), 1.0, 2)
    assert median == 20.0 and 29.0 < rare <= 30.0
