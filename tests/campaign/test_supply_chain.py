"""Nothing that was received or read is run."""

from __future__ import annotations

from tests.campaign.supply_chain import calls, dangerous, floors


def test_no_pickle_eval_or_exec_on_data() -> None:
    assert dangerous() == []
    assert any(name == "pickle.loads" for _, _, name in calls())  # the search finds those that are there


def test_floors_are_read() -> None:
    assert len(floors()) == 7 and all("numba==0.61.2" in f or "~=" in f for f in floors())
