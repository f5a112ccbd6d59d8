"""Files of the versions whose texts have a variable length open and hold what was written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import h5py
import pytest
from springs import STEPS, hybrid_test, spring

from femu import InputError, Result, State
from femu.experimental import Ending, read_journal
from femu.updating import UpdatingHistory

FOLDER = Path(__file__).parent
FIGURES: dict[str, Any] = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.h5"
    path.write_bytes(gzip.decompress((FOLDER / "journal.h5.gz").read_bytes()))
    return path


def test_their_texts_do_have_a_variable_length(journal: Path) -> None:
    for path in (*FOLDER.glob("*.h5"), journal):
        with h5py.File(path, "r") as file:
            assert file.attrs.get_id("format").get_type().is_variable_str(), path.name


def test_result() -> None:
    result = Result.load(FOLDER / "result.h5")
    assert result.outcome.ok
    assert result.displacement("B", "x").tolist() == FIGURES["displacement"]


def test_state() -> None:
    state = State.load(FOLDER / "state.h5", spring().compile())
    assert state.displacement("B", "x") == FIGURES["state"]
    assert state.element("link") == FIGURES["link"]


def test_history() -> None:
    history = UpdatingHistory.load(FOLDER / "history.h5")
    assert history.names == ("fy",) and history.value("fy").tolist() == FIGURES["fy"]


def test_journal(journal: Path) -> None:
    record = read_journal(journal)
    assert (record.ending, record.steps) == (Ending.COMPLETE, STEPS)
    displacement, force = record.measurements("device")
    assert displacement[:, 0].tolist() == FIGURES["measured"]
    assert force[:, 0].tolist() == FIGURES["force"]


def test_an_interrupted_test_of_that_time_is_refused_and_left_as_it_is(journal: Path) -> None:
    """Its specimens have fewer numbers per step than a test keeps since then."""
    with h5py.File(journal, "r+") as file:
        file["ending"][:] = 0
    kept = journal.read_bytes()
    with pytest.raises(InputError, match="written by another version of femu"):
        hybrid_test().resume(journal)
    assert journal.read_bytes() == kept
