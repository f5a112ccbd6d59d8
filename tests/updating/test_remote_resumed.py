"""A resumed test continues with the filter of its updater, whichever side was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time as clock
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import remote_spring as spring

from femu import GroundMotion, HybridTest, Outcome
from femu.analyses import Pace
from femu.experimental import read_journal
from femu.support.errors import FileError
from femu.updating import RemoteUpdater
from femu.updating.remote import CHECKPOINT
from femu.updating.worker import Checkpoint

SOURCE = f"{Path(spring.__file__)}:make_updater"
RATE, STEPS = 250.0, 1500
LEARNT = 150  # samples after which the strength is known
CLOSE = 0.05  # to the true strength
TAUGHT = "beside.x.fy"
PATIENCE = 400.0  # seconds: the processes may have to compile
SCRIPT = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_remote_resumed as here
with here.RemoteUpdater(here.SOURCE, rate=100.0) as updater:
    here.hybrid(updater).run(sys.argv[1])
"""


def hybrid(updater: Any) -> HybridTest:
    return HybridTest(
        spring.two_springs(),
        GroundMotion.el_centro().scaled(pga=8.0),
        dt=1.0 / RATE,
        duration=STEPS / RATE,
        pace=Pace(RATE),
        updater=updater,
    )


def samples_in(path: Path) -> int:
    """Samples that the filter in a checkpoint has processed; 0 if there is none yet."""
    if not path.exists():
        return 0
    made = spring.make_updater()
    made.start()
    Checkpoint(path, 0, go_on=True).load(made)
    return int(made.counts["samples"] - made.counts["missing"])


def in_use(journal: Path) -> float:
    """The strength that a running test works with."""
    record = read_journal(journal)
    rows = record.parameter_history
    return float(rows[-1, 2 + record.parameter_names.index(TAUGHT)]) if len(rows) else spring.GUESS


@pytest.mark.skipif(sys.platform != "linux", reason="ends processes by signals")
def test_the_numerical_side_is_killed_and_the_filter_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "test.h5"
    beside = Path(f"{journal}{CHECKPOINT}")
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(journal)], cwd=tmp_path)
    deadline = clock.monotonic() + PATIENCE
    while (
        not (samples_in(beside) >= LEARNT and abs(in_use(journal) - spring.STRENGTH) < CLOSE)
        and process.poll() is None
        and clock.monotonic() < deadline
    ):
        clock.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = read_journal(journal)
    assert LEARNT < before.steps < STEPS, "the test was to be killed in its middle"
    known = samples_in(beside)

    class Watched(RemoteUpdater):
        first: np.ndarray | None = None

        def _take(self, message: Any) -> None:
            if self.first is None:
                Watched.first = message.values.copy()
            super()._take(message)

    with Watched(SOURCE, rate=100.0) as updater:
        result = hybrid(updater).resume(journal)
        assert result.outcome is Outcome.COMPLETE
        assert beside.exists()
    assert not beside.exists()  # nothing is left to continue with
    assert Watched.first is not None
    assert Watched.first[0] > known  # it has processed what it had received
    after = read_journal(journal)
    assert after.steps == STEPS and np.array_equal(
        after.state[: before.steps, :-1], before.state[:, :-1]
    )
    place = 2 + before.parameter_names.index(TAUGHT)
    last, then = before.parameter_history[-1, place], after.parameter_history[before.steps :, place]
    assert abs(last - spring.STRENGTH) < 0.1 < abs(spring.GUESS - spring.STRENGTH)
    # at no step after it does the first guess come back
    assert np.abs(then - spring.STRENGTH).max() < 0.1
    assert Watched.first[4] == pytest.approx(last, rel=0.05)


def test_without_its_checkpoint_a_resumed_updater_says_so(tmp_path: Path) -> None:
    updater = RemoteUpdater(SOURCE)
    with pytest.warns(UserWarning, match="starts over"):
        updater.prepare_for_journal(tmp_path / "test.h5", resumed=True)


def test_a_checkpoint_is_not_lost_where_a_journal_exists(tmp_path: Path) -> None:
    journal, beside = tmp_path / "test.h5", tmp_path / f"test.h5{CHECKPOINT}"
    updater = RemoteUpdater(SOURCE)
    beside.write_bytes(b"x")
    journal.write_bytes(b"x")
    updater.prepare_for_journal(journal, resumed=False)
    assert beside.exists()
    journal.unlink()
    updater.prepare_for_journal(journal, resumed=False)
    assert not beside.exists()


def test_what_is_no_checkpoint_is_said(tmp_path: Path) -> None:
    made = spring.make_updater()
    made.start()
    path = tmp_path / "c.npz"
    kept = Checkpoint(path, 5)
    kept.save(made, 7, 3, 0.0)
    assert Checkpoint(path, 5).load(made) == (7, 3)
    assert Checkpoint(path, 6).load(made) == (-1, 0)
    assert Checkpoint(path, 6, go_on=True).load(made) == (7, 3)
    with np.load(path) as whole:
        other = {**whole, "values": np.zeros(1)}
    np.savez(path, **other)
    with pytest.raises(FileError, match="of another updater"):
        Checkpoint(path, 5).load(made)


@pytest.mark.parametrize(
    "left",
    [
        lambda data: b"",
        lambda data: data[:100],
        lambda data: data[:-40],
        lambda data: bytes(3000),
        lambda data: data[:300] + bytes(200) + data[500:],
    ],
)
def test_a_checkpoint_that_a_power_cut_has_left_does_not_keep_the_updater_from_its_work(
    tmp_path: Path, left: Any
) -> None:
    made = spring.make_updater()
    made.start()
    before = made.checkpoint().copy()
    path = tmp_path / "c.npz"
    Checkpoint(path, 5).save(made, 7, 3, 0.0)
    path.write_bytes(left(path.read_bytes()))
    with pytest.warns(UserWarning, match="starts over"):
        assert Checkpoint(path, 5, go_on=True).load(made) == (-1, 0)
    assert np.array_equal(made.checkpoint(), before, equal_nan=True)
    Checkpoint(path, 5).save(made, 8, 3, 0.0)
    assert Checkpoint(path, 5).load(made) == (8, 3)


def test_a_checkpoint_is_on_the_disk_before_it_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: Any
) -> None:
    calls: list[str] = []
    for name in ("fsync", "replace"):
        true = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, name=name, true=true: (calls.append(name), true(*given))
        )
    made = spring.make_updater()
    made.start()
    Checkpoint(tmp_path / "c.npz", 5).save(made, 7, 3, 0.0)
    assert calls == ["fsync", "replace"]
