"""Files that version 0.1.0 wrote open, hold the figures they held, and are resumed.

What is read from a file is compared with the bits that were written. What is computed from it may
differ by the rounding of another machine, or of a kernel that sums in another order, which seven
digits leave room for (`ROUNDING`).
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import described as d
import numpy as np
import pytest

from femu import Model, Result, State
from femu.analyses import HybridResult
from femu.batch import BatchResult, IDACurves, RunOutcome
from femu.experimental import Ending, read_journal
from femu.updating import UpdatingHistory
from femu.updating.worker import Checkpoint

FOLDER = Path(__file__).parent
FIGURES: dict[str, Any] = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
ROUNDING = 1e-7
SAMPLES_BEFORE = 250  # that an updater had taken at its checkpoint
TESTED = {"device": (d.device_test, "device", "B"), "updating": (d.updated_test, "left", "C")}


def peak(values: Any) -> float:
    return float(np.abs(values).max())


def close(value: Any) -> Any:
    return pytest.approx(value, rel=ROUNDING)


def journal(name: str, folder: Path) -> Path:
    """A copy of a journal that can be written to."""
    path = folder / name
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.gz").read_bytes()))
    return path


def copied(name: str, folder: Path) -> Path:
    return Path(shutil.copy(FOLDER / name, folder / name))


# --- results, states, models ---


def test_a_result_holds_its_figures() -> None:
    known, result = FIGURES["portal"], Result.load(FOLDER / "result_of_portal.h5")
    assert result.outcome.ok and len(result.time) == 101 and result.time[-1] == pytest.approx(1.0)
    assert list(result.columns()) == known["columns"]
    assert peak(result.displacement("C", "x")) == known["peak"]
    assert peak(result.base_shear()) == known["base shear"]
    result = Result.load(FOLDER / "result_in_space.h5")
    assert peak(result.displacement(2, "x")) == FIGURES["space"]["peak"]


@pytest.mark.parametrize("name", TESTED)
def test_a_result_of_a_hybrid_test_holds_its_figures(name: str) -> None:
    known, node = FIGURES[name], TESTED[name][2]
    result = HybridResult.load(FOLDER / f"result_of_{name}.h5")
    assert (result.outcome, result.steps) == (Ending.COMPLETE, d.STEPS)
    assert peak(result.displacement(node, "x")) == known["peak"]


def test_a_state_is_continued() -> None:
    known, program = FIGURES["portal"], d.portal().compile()
    state = State.load(FOLDER / "state_of_portal.h5", program)
    assert state.time == known["time"] and state.displacement("C", "x") == known["C"]
    assert state.element("left") == known["moment"] and state.energy == known["energy"]
    end = d.TRANSIENT.run(program, d.QUAKE, start=state, duration=0.5).state
    assert end.displacement("C", "x") == close(known["end"])
    known, program = FIGURES["space"], d.space_frame().compile()
    state = State.load(FOLDER / "state_in_space.h5", program)
    assert state.time == known["time"] and state.displacement(2, "x") == known["x"]
    end = d.TRANSIENT.run(program, d.QUAKE, start=state, duration=0.4).state
    assert end.displacement(2, "x") == close(known["end"])


@pytest.mark.parametrize(
    ("file", "make", "state"),
    [
        ("model_of_portal.toml", d.portal, "state_of_portal.h5"),
        ("model_in_space.toml", d.space_frame, "state_in_space.h5"),
    ],
)
def test_a_model_is_the_one_that_was_written(file: str, make: Any, state: str) -> None:
    read, made = (model.compile() for model in (Model.from_toml(FOLDER / file), make()))
    assert read.parameters.names == made.parameters.names
    for name in ("geometry", "nodal", "member"):
        assert np.array_equal(getattr(read, name), getattr(made, name)), name
    assert np.array_equal(read.parameters.vector, made.parameters.vector)
    assert State.load(FOLDER / state, read).time > 0.0


# --- hybrid tests ---


@pytest.mark.parametrize("name", TESTED)
def test_a_journal_holds_its_figures(name: str, tmp_path: Path) -> None:
    known, element = FIGURES[name], TESTED[name][1]
    record = read_journal(journal(f"journal_of_{name}.h5", tmp_path))
    displacement, force = record.measurements(element)
    assert (record.ending, record.steps) == (Ending.COMPLETE, known["steps"])
    assert record.commands(element)[-1].tolist() == known["last command"]
    assert (peak(displacement), peak(force)) == (
        known["largest displacement"],
        known["largest force"],
    )


@pytest.mark.parametrize("name", TESTED)
def test_a_journal_of_a_killed_test_is_resumed(name: str, tmp_path: Path) -> None:
    """It was killed after a command had left, so one command has no measurement."""
    known, (make, element, node) = FIGURES[name], TESTED[name]
    path = journal(f"journal_of_{name}_killed.h5", tmp_path)
    before = read_journal(path)
    assert (before.steps, before.ending) == (known["killed steps"], None)
    assert len(before.commands(element)) == known["killed commands"]
    assert len(before.measured[element]) == known["killed measurements"] == before.steps
    test = make()
    result = test.resume(path)
    assert (result.outcome, result.steps) == (Ending.COMPLETE, d.STEPS)
    after = read_journal(path)
    whole = read_journal(journal(f"journal_of_{name}.h5", tmp_path))
    done = before.steps
    for table in ("command", "measured"):
        rows, old = getattr(after, table)[element], getattr(before, table)[element]
        assert np.array_equal(rows[:done], old[:done]), "what was sent and measured stays"
        known_rows = getattr(whole, table)[element]
        scale = np.abs(known_rows[:, :-1]).max(axis=0)
        assert np.all(np.abs(rows - known_rows)[:, :-1] <= ROUNDING * scale)
    assert peak(result.displacement(node, "x")) == close(known["peak"])
    assert result.displacement(node, "x")[-1] == close(known["end"])
    if test.updater is not None:
        assert test.updater.values == close(known["values"])
        assert test.updater.std == close(known["std"])


# --- batches ---


@pytest.mark.parametrize(("name", "make"), [("suite", d.suite), ("ida", d.ida)])
def test_a_batch_is_opened_and_an_interrupted_one_is_resumed(
    name: str, make: Any, tmp_path: Path
) -> None:
    known = FIGURES[name]
    whole = BatchResult.load(FOLDER / f"batch_{name}.h5")
    assert [outcome.name for outcome in whole.outcomes] == known["outcomes"]
    assert whole["peak_drift"].tolist() == known["peak_drift"]
    path = copied(f"batch_{name}_interrupted.h5", tmp_path)
    before = BatchResult.load(path)
    done = np.array([outcome is not RunOutcome.PENDING for outcome in before.outcomes])
    assert done.sum() == 4
    found = make().run(path, workers=1, on="threads")
    assert [outcome.name for outcome in found.outcomes] == known["outcomes"]
    assert np.array_equal(found["peak_drift"][done], before["peak_drift"][done])
    assert found["peak_drift"] == close(np.array(known["peak_drift"]))
    assert found["scale"] == close(np.array(known["scale"]))


def test_a_finished_batch_is_only_opened(tmp_path: Path) -> None:
    path = copied("batch_ida.h5", tmp_path)
    kept = path.read_bytes()
    curves = d.ida().trace(path)
    assert isinstance(curves, IDACurves) and len(curves.records) == 3
    assert path.read_bytes() == kept


# --- updaters ---


def test_a_history_holds_its_figures() -> None:
    known, history = FIGURES["spring"], UpdatingHistory.load(FOLDER / "history_of_spring.h5")
    assert (len(history), list(history.names)) == (known["rows"], known["names"])
    _, u, force = d.samples()
    assert np.array_equal(history.displacement, u) and np.array_equal(history.force, force)
    assert history.innovation_std[-1].tolist() == known["innovation_std"]
    for k, name in enumerate(history.names):
        assert history.value(name)[-1] == known["end"]["values"][name]
        assert history.std[-1, k] == known["end"]["std"][name]
    known, history = FIGURES["updating"], UpdatingHistory.load(FOLDER / "history_of_updating.h5")
    assert len(history) == known["steps"]
    assert dict(zip(history.names, history.values[-1].tolist(), strict=True)) == known["values"]


@pytest.mark.parametrize(("name", "settings"), [("spring", {}), ("spring_pure", {"mode": "pure"})])
def test_an_updater_is_continued_from_its_checkpoint(name: str, settings: dict[str, str]) -> None:
    known, updater = FIGURES[name], d.spring_updater(**settings)
    updater.start()
    kept = Checkpoint(FOLDER / f"checkpoint_of_{name}.npz", session=7)
    assert kept.load(updater) == (SAMPLES_BEFORE, 3)
    assert updater.values == known["at the checkpoint"]["values"]
    assert updater.std == known["at the checkpoint"]["std"]
    rest = [rows[SAMPLES_BEFORE:] for rows in d.samples()]
    updater.run(*rest, first=SAMPLES_BEFORE + 1)
    assert updater.values == close(known["end"]["values"])
    assert updater.std == close(known["end"]["std"])
