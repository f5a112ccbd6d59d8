"""The benchmark of the hybrid test.

The search for the rate, and that the table names its figures. No limit on time.
"""

from __future__ import annotations

import pytest

from femu.analyses import Pace
from femu.benchmarks import hybrid

CASES = [
    ({1.0: 100, 20.0: 30}, 30.0),
    ({1.0: 25, 20.0: 25}, 20.0),
    ({1.0: 5, 20.0: 5}, 0.0),
    ({1.0: 100, 20.0: 5}, 0.0),
]


@pytest.mark.parametrize(("limits", "wanted"), CASES)
def test_the_highest_rate_is_the_one_that_is_held_for_the_full_time(limits, wanted):
    asked = []

    def holds(rate: float, seconds: float) -> bool:
        asked.append((rate, seconds))
        return rate <= limits[seconds]

    assert hybrid.highest(holds, (10, 20, 30, 40), 20.0, 1.0) == wanted
    # no long test of what failed at once
    assert all(rate <= limits[1.0] for rate, seconds in asked if seconds == 20.0)


def test_a_rate_gets_another_chance():
    tries = iter([True, False, True, False, True])
    assert hybrid.highest(lambda rate, seconds: next(tries), (10, 20), 20.0, 1.0) == 20.0


def test_table_names_the_figures(monkeypatch):
    monkeypatch.setattr(hybrid, "DURATION", 200 * hybrid.DT)
    monkeypatch.setattr(hybrid, "QUICK_RATES", (100,))
    monkeypatch.setattr(hybrid, "QUICK_HELD", 0.2)
    monkeypatch.setattr(hybrid, "SHORT", 0.1)
    table = hybrid.run(quick=True)
    names = [row.name for row in table.rows]
    for wanted in ("median", "99.9th percentile", "highest rate held", "empty loop"):
        assert any(wanted in name for name in names)
    assert any("priority" in note for note in table.notes)
    assert hybrid.shaking(100.0).duration >= 100.0


def test_an_empty_loop_is_late_by_what_its_clock_says(monkeypatch):
    """A clock of the test: 1 ms a look, 50 ms once."""
    now = 0.0
    looks = 0

    def clock() -> float:
        nonlocal now, looks
        looks += 1
        now += 0.05 if looks == 40 else 1e-3
        return now

    monkeypatch.setattr(
        hybrid, "Pace", lambda rate, **_: Pace(rate, clock=clock, sleep=lambda seconds: None)
    )
    overruns, latest = hybrid.empty_loop(100.0, 0.2, True)
    assert overruns == 1
    assert 0.04 < latest < 0.06
