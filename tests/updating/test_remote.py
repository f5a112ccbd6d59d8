"""The updater in a process of its own.

It learns, drops what is old, dies and comes back, and the test never waits.
"""

from __future__ import annotations

import os
import signal
import sys
import time as clock
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import remote_spring as spring

from femu import GroundMotion, HybridTest, Outcome
from femu.analyses import Pace
from femu.support.errors import AnalysisError, InputError
from femu.updating import RemoteUpdater, datagrams
from femu.updating.worker import Checkpoint

SOURCE = f"{Path(spring.__file__)}:make_updater"
RATE = 250.0
KILL, LAST = 900, 1450
PATIENCE = 60.0


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid:
            found.append(int(entry.parent.name))
    return found


def test_a_message_of_another_session_or_form_is_not_read() -> None:
    data = datagrams.pack(7, datagrams.SAMPLE, 1, 2, 0.5, 0.0, np.array([1.0, 2.0]))
    message = datagrams.unpack(data, 7)
    assert message is not None
    assert (message.kind, message.step, message.values.tolist()) == (
        datagrams.SAMPLE,
        2,
        [1.0, 2.0],
    )
    assert datagrams.unpack(data, 8) is None
    assert datagrams.unpack(data[:-3], 7) is None
    assert datagrams.unpack(b"", 7) is None
    assert datagrams.unpack(b"x" * 200, 7) is None


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes by /proc")
def test_the_number_of_the_session_is_not_where_other_users_can_read_it(tmp_path: Path) -> None:
    with RemoteUpdater(SOURCE, rate=100.0) as updater:
        HybridTest(
            spring.two_springs(), GroundMotion.el_centro(), dt=0.01, duration=0.05, updater=updater
        ).run()
        assert updater._process is not None
        keeper = updater._process.pid
        seen = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (keeper, *children(keeper))]
    assert len(seen) == 2 and all(b"--master" in words for words in seen)
    assert not any(str(updater._session).encode() in words for words in seen)
    kept = Checkpoint(tmp_path / "kept.npz", updater._session)
    kept.save(spring.make_updater(), 1, 0, 1e9)
    with np.load(tmp_path / "kept.npz") as file:
        assert int(file["session"]) != updater._session


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes by /proc")
def test_it_learns_beside_a_paced_test_and_survives_its_own_death() -> None:
    quake = GroundMotion.el_centro().scaled(pga=8.0)

    class Killer(RemoteUpdater):
        """Kills the worker once, in mid-test, and lets some steps pass before it gives another one
        time to stand."""

        killed = 0
        before = np.nan
        went_on = 0

        def update(
            self, step: int, time: float, displacement: np.ndarray, force: np.ndarray
        ) -> None:
            super().update(step, time, displacement, force)

            def wait(until: Callable[[], bool]) -> None:
                """A busy machine may leave the second process without time for most of the test."""
                deadline = clock.monotonic() + PATIENCE
                while not until() and clock.monotonic() < deadline:
                    clock.sleep(0.05)
                    super(Killer, self).update(step, time, displacement, force)

            if step in (KILL, LAST):
                wait(lambda: self._heard > step - 100)
            if step == KILL:
                assert self._process is not None
                (worker,) = children(self._process.pid)
                self.before, self.old = float(self.values[0]), self._worker
                os.kill(worker, signal.SIGKILL)
                Killer.killed += 1
            if step == KILL + 50:
                Killer.went_on = int(self._heard)
                wait(lambda: self._worker != self.old)

    with Killer(SOURCE, rate=100.0) as updater:
        test = HybridTest(
            spring.two_springs(),
            quake,
            dt=1.0 / RATE,
            duration=6.0,
            pace=Pace(RATE),
            updater=updater,
        )
        result = test.run()
        process = updater._process
    assert process is not None and process.poll() is not None
    assert result.outcome is Outcome.COMPLETE
    assert Killer.killed == 1
    rows = updater.history
    assert result.steps == 1500
    # how much it learns depends on how many samples it has time for; that it learns does not, nor
    # does what it learnt suffer from the samples that it missed while it was dead: the path that it
    # did not see comes with the next sample
    wrong = abs(spring.GUESS - spring.STRENGTH)
    assert abs(updater.before - spring.STRENGTH) < 0.5 * wrong
    assert abs(updater.values[0] - spring.STRENGTH) < 0.5 * wrong
    # it continued from its checkpoint: the estimate after the restart is that from before, not the
    # first guess
    ages, values = rows[:, 1], rows[:, 5]
    assert Killer.went_on <= KILL  # fifty steps were taken without an updater
    after = np.flatnonzero((rows[:, 0] > KILL) & (np.diff(ages, prepend=ages[0]) < -20.0))
    assert len(after), "no estimate came after the restart"
    assert abs(values[after[0]] - updater.before) < 0.5 * abs(spring.GUESS - updater.before)
    # at most one sample in two and a half is processed, older ones are dropped and counted
    samples, dropped = rows[-1, 2], rows[-1, 3]
    assert samples < 0.45 * result.steps
    assert dropped > samples


def test_what_cannot_start_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must return a ModelUpdater"):
        RemoteUpdater(f"{Path(spring.__file__)}:no_updater")
    with pytest.raises(InputError, match="rate"):
        RemoteUpdater(SOURCE, rate=0.0)
    source = tmp_path / "once.py"
    source.write_text(Path(spring.__file__).read_text())
    updater = RemoteUpdater(f"{source}:make_updater")
    source.write_text("def make_updater():\n    return 1\n")
    program = spring.two_springs().compile()
    with pytest.raises(AnalysisError, match="did not start"):
        updater.start(program, program.parameters.vector.copy())


def test_values_from_the_other_side_stay_within_the_bounds() -> None:
    updater = RemoteUpdater(SOURCE)
    program = spring.two_springs().compile()
    vector = program.parameters.vector.copy()
    updater._vector, updater._places = vector, [np.array([program.parameters.index("beside.x.fy")])]
    updater.values, updater.std, updater._reported = np.array([1.2]), np.array([1.0]), np.zeros(3)
    for sent, kept in ((np.nan, 1.2), (99.0, 4.0), (-1.0, 0.5), (2.0, 2.0)):
        updater._take(
            datagrams.Datagram(
                datagrams.ESTIMATE,
                1,
                5,
                0.1,
                clock.time(),
                np.array([1.0, 0.0, 1.0, 4.0, sent, 0.1]),
            )
        )
        assert vector[program.parameters.index("beside.x.fy")] == pytest.approx(
            kept if np.isfinite(sent) else 1.2
        )
