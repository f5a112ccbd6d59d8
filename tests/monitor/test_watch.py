"""The monitor sees what the journal holds, over the end and the restart of a test, and never
writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from journal_writer import DT, Writer

from femu.experimental import Journal
from femu.monitor import JournalTail, Watch, tail
from femu.monitor.thinned import MOST
from femu.monitor.watch import Channel
from femu.studies import one_bay_frame as study
from femu.support.errors import FileError


def test_rows_come_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    watch = Watch(path)
    assert not watch.refresh()
    assert watch.state == "waiting for the journal"
    journal = Writer(path)
    watch.refresh()
    assert list(watch.channels) == ["column"]
    journal("steps", 1, 31)
    assert watch.refresh()
    assert watch.state == "running"
    assert watch.steps == 30
    journal("steps", 31, 96)
    journal("command", 96, [8.64, 0.96])  # sent, not yet answered
    assert watch.refresh()
    first = watch.channels["column"][0].tracking.rows
    np.testing.assert_allclose(first[:, 0], DT * np.arange(1, 96))
    np.testing.assert_allclose(first[:, 2], 0.09 * np.arange(1, 96))
    np.testing.assert_allclose(first[:, 1] - first[:, 2], 0.001)
    np.testing.assert_allclose(watch.channels["column"][1].latest[-1], [0.951, 1.9])
    assert not watch.refresh()
    assert watch.shares() == [
        ("column 1: displacement", pytest.approx(0.855), 10.0),
        ("column 2: displacement", pytest.approx(0.0475), 20.0),
    ]
    assert any("column 1: displacement" in a and "of its limit 10" in a for a in watch.alarms())
    journal("measured", 96, [8.64, 0.96])
    journal("close", "SPECIMEN_LIMIT", "The command would pass 10.")
    assert watch.refresh()
    assert (watch.steps, watch.state) == (96, "stopped")
    assert watch.alarms()[0] == "The command would pass 10."


def test_a_test_begun_anew_is_shown_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    journal = Writer(path)
    journal("steps", 1, 50)
    watch = Watch(path)
    watch.refresh()
    journal("close", "COMPLETE", "")
    watch.refresh()
    assert watch.state == "finished"
    journal = Writer(path)
    journal("steps", 1, 5)
    watch.refresh()
    assert watch.state == "running"
    assert (watch.steps, len(watch.channels["column"][0].tracking)) == (4, 4)
    journal("close", "COMPLETE", "")


def test_a_long_journal_is_caught_up_with_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "AT_ONCE", 16)
    journal = Writer(tmp_path / "a.h5")
    journal("steps", 1, 96)
    watch = Watch(tmp_path / "a.h5")
    looks = 0
    while watch.refresh():  # each reads for a while only, so that the page stays alive
        looks += 1
    assert watch.steps == 95 and looks <= 6
    assert watch.changes == looks
    journal("close", "COMPLETE", "")


def test_a_look_that_fails_midway_loses_no_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two states of the file one table may be read and the next not.

    The next look has the rows of both.
    """
    journal = Writer(tmp_path / "a.h5")
    journal("steps", 1, 31)
    watch = Watch(tmp_path / "a.h5")
    whole = tail._whole

    def only_the_first(file: Any, name: str, *given: Any) -> Any:
        if not name.endswith("command"):
            raise FileError("a.h5", "is between two states") from OSError()
        return whole(file, name, *given)

    monkeypatch.setattr(tail, "_whole", only_the_first)
    assert not watch.refresh()
    monkeypatch.setattr(tail, "_whole", whole)
    assert watch.refresh()
    rows = watch.channels["column"][0].tracking.rows
    np.testing.assert_allclose(rows[:, 1] - rows[:, 2], 0.001)
    assert len(rows) == 30
    journal("close", "COMPLETE", "")


@pytest.mark.parametrize(
    ("table", "shown"),
    [("elements/0/measured", 20), ("elements/0/command", 20), ("committed/record", 30)],
)
def test_a_torn_row_is_not_shown_nor_one_after_it(tmp_path: Path, table: str, shown: int) -> None:
    """Step, time and clock of the row are there; its numbers are not as they were written."""
    path, steps = tmp_path / "a.h5", 30
    journal = Journal(path, {"column": 1}, record=6, about={"updating": ["E"], "updating_at": 0})
    for k in range(1, steps + 1):
        journal.command("column", k, DT * k, np.array([0.1 * k]))
        journal.measured("column", k, DT * k, np.array([0.1 * k]), np.array([2.0 * k]))
        journal.commit(k, DT * k, np.zeros(0), np.zeros(0), record=np.full(6, float(k)))
    journal.close()
    with h5py.File(path, "r+") as file:
        file[table][20, 2] = 1e9
    watch = Watch(path)
    for _ in range(2):  # a second look does not pass it by either
        watch.refresh()
        rows = watch.channels["column"][0].tracking.rows
        assert len(rows) == shown and np.abs(rows).max() < 10.0
        assert len(watch.parameters["E"]) == (20 if table == "committed/record" else steps)


def test_the_last_seconds_can_be_looked_at_closely() -> None:
    channel, t = Channel(), np.arange(0.0, 30.0, 0.0005)
    for part in np.array_split(t, 50):
        channel.add(part, np.sin(40.0 * part), np.sin(40.0 * part), part)
    rows = channel.recent
    assert rows[-1, 0] == t[-1] and 19.9 < rows[0, 0] < 20.1
    assert MOST / 2 <= len(rows) <= MOST + 20
    assert rows[:, 1].max() > 0.999


def test_late_steps_that_a_journal_does_not_have_are_unknown(tmp_path: Path) -> None:
    # four a step: 10 ms of 12.5
    stamps = np.cumsum(np.where(np.arange(400) % 40 == 39, 0.02, 0.0025))
    journal = Writer(tmp_path / "a.h5", rate=80.0, stamps=stamps.tolist())
    journal("steps", 1, 90)
    watch = Watch(tmp_path / "a.h5")
    watch.refresh()
    assert watch.budget == 0.0125
    took = watch.step_time.rows[:, 1]
    # of the clock between two measurements: steps are late by the record alone
    assert np.count_nonzero(took > 0.014) == 8
    assert watch.late is None
    assert any("late steps of its journal are unknown" in a for a in watch.alarms())
    journal("close", "COMPLETE", "")


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"not HDF5 at all")
    assert JournalTail(tmp_path / "a.h5").look().about == {}  # may be a file in the making
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.attrs["format"] = "another"
    with pytest.raises(FileError, match="not a femu journal"):
        JournalTail(tmp_path / "b.h5").look()


def test_a_hybrid_test_with_updating_shows_its_parameters(tmp_path: Path) -> None:
    script = Path(__file__).with_name("tested_column.py")
    subprocess.run([sys.executable, str(script), str(tmp_path / "a.h5"), "4.0"], check=True)
    watch = Watch(tmp_path / "a.h5")
    watch.refresh()
    assert watch.state == "finished"
    assert watch.steps == 400
    assert watch.budget == 0.001
    assert list(watch.parameters) == list(study.NAMES)
    time, value, two = watch.parameters["section.plastic_moment"].rows.T
    assert time[-1] == pytest.approx(4.0)
    assert value[-1] == pytest.approx(study.TRUE[1], rel=0.02)
    assert 0.0 < two[-1] < two[0]
    assert watch.innovation is not None
    _, mean, low, high = watch.innovation.rows[-1]
    assert low < 1.0 < high
    assert low / 2 < mean < 2 * high
