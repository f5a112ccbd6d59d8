"""Some races; `python -m tests.campaign races` runs them longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign import races


@pytest.mark.parametrize("part", [races.of_results, races.of_batches, races.of_journals])
def test_nothing_is_broken_or_lost(
    part: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))  # of the processes
    monkeypatch.setitem(races.BATCHES, True, 1)
    tally = part(tmp_path, True)  # type: ignore[operator]
    assert not tally.failures
    assert tally.survived == tally.faults > 0
