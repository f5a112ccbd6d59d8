"""How analyses end: interrupted, out of time, at a limit; what they had until then is a valid result."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from example_frames import QUAKE, portal

from femu import Outcome, Result, Save
from femu.analyses import Limit, Policy, Pushover, Transient


class StopAt:
    """Progress that interrupts, as Ctrl-C does."""

    def __init__(self, steps: int) -> None:
        self.steps, self.finished, self.total = steps, False, 0

    def start(self, title: str, total: int) -> None:
        self.total = total

    def advance(self, done: int) -> None:
        if done >= self.steps:
            raise KeyboardInterrupt

    def finish(self) -> None:
        self.finished = True


def test_an_interrupt_leaves_a_valid_result(tmp_path: Path) -> None:
    program = portal("fibre").compile()
    stop = StopAt(100)
    result = Transient(dt=0.001).run(program, QUAKE, progress=stop)
    assert result.outcome is Outcome.STOPPED_BY_USER
    assert "stopped by the user" in result.message
    assert stop.finished
    assert 100 <= len(result.time) - 1 < stop.total
    assert len(result.iterations) == len(result.time) - 1
    result.save(tmp_path / "r.h5")
    assert Result.load(tmp_path / "r.h5", program) == result
    rest = Transient(dt=0.001).run(program, QUAKE, start=result.state, duration=0.2)
    whole = Transient(dt=0.001).run(program, QUAKE, duration=result.time[-1] + 0.2)
    assert np.array_equal(rest.state.vector, whole.state.vector)


def test_a_progress_bar_ends_with_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    from femu import ProgressBar

    bar = ProgressBar()
    for _ in range(2):  # and can be used again
        result = Transient(dt=0.02).run(portal("nm"), QUAKE, duration=2.0, progress=bar)
        assert result.outcome.ok
        assert bar._bar._bar.finished  # type: ignore[attr-defined]
    capsys.readouterr()


INTERRUPTED = """
import sys
sys.path.insert(0, {tests!r})
from example_frames import QUAKE, portal
from femu import Save
from femu.analyses import Transient
class Tell:
    told = False
    def start(self, title, total): pass
    def advance(self, done):
        if not self.told:
            print("running", flush=True)
            self.told = True
    def finish(self): pass
model = portal("fibre")
Transient(dt=1e-5).run(model, QUAKE, progress=Tell(), save=Save(displacement=["C"], velocity=False, acceleration=False,
                       forces=False, every=100)).save({out!r})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_in_a_process_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "r.h5"
    script = INTERRUPTED.format(tests=str(Path(__file__).parent), out=str(out))
    # a process started from a shell's background ignores Ctrl-C, and so would its children
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None)
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0
    result = Result.load(out)
    assert result.outcome is Outcome.STOPPED_BY_USER
    assert 2 < len(result.time) < 31180
    assert np.isfinite(result.displacement("C", "x")).all()


def test_time_limit() -> None:
    result = Transient(dt=1e-5, policy=Policy(time_limit=0.3)).run(
        portal("fibre"), QUAKE, save=Save(velocity=False, acceleration=False, every=50))
    assert result.outcome is Outcome.TIME_LIMIT
    assert not result.outcome.ok
    assert result.seconds >= 0.3
    assert "time limit" in result.message
    assert len(result.time) > 1


def test_limit_state() -> None:
    model = portal("nm")
    result = Transient(dt=0.01, limits=(Limit("C", "x", 0.02),)).run(model, QUAKE)
    assert result.outcome is Outcome.LIMIT_REACHED
    u = np.abs(result.displacement("C", "x"))
    assert u[-1] >= 0.02
    assert u[:-1].max() < 0.02
    assert result.state is not None
    assert result.state.time == result.time[-1]
    between = Pushover("C", 0.2, pattern="push", steps=100, limits=(Limit("C", "x", 0.05, base="A"),)).run(model)
    assert between.outcome is Outcome.LIMIT_REACHED
    assert between.displacement("C", "x")[-1] == pytest.approx(0.05, abs=0.0021)


def test_outcomes_are_sentences() -> None:
    for outcome in Outcome:
        assert str(outcome).endswith(".")
        assert str(outcome)[0].isupper()
