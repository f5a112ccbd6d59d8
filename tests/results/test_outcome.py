"""How analyses end: interrupted, out of time, at a limit.

What they had until then is a valid result.
"""

from __future__ import annotations

import runpy
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from example_frames import QUAKE, portal

from femu import FailedAnalysis, Outcome, Result, Save, failures_handled
from femu.analyses import Limit, Policy, Pushover, Transient
from femu.cli.main import main
from femu.experimental import read_journal

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")


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
    with pytest.raises(KeyboardInterrupt) as stopped:
        Transient(dt=0.001).run(program, QUAKE, progress=stop)
    result: Result = stopped.value.result  # type: ignore[attr-defined]
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
    reported = False
    def start(self, title, total): pass
    def advance(self, done):
        if not self.reported:
            print("running", flush=True)
            self.reported = True
    def finish(self): pass
model = portal("fibre")
for _ in range(3):
    try:
        Transient(dt=1e-5).run(model, QUAKE, progress=Tell(), save=Save(displacement=["C"], velocity=False,
                               acceleration=False, forces=False, every=100))
    except KeyboardInterrupt as stop:
        stop.result.save({out!r})
        raise
    print("went on", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_in_a_process_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "r.h5"
    script = INTERRUPTED.format(tests=str(Path(__file__).parents[1]), out=str(out))
    # a process started from a shell's background ignores Ctrl-C, and so would its children
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=300)[0]
    assert process.returncode == -signal.SIGINT, (
        "as Python ends on Ctrl-C, so that a shell's loop ends too"
    )
    assert rest == ""
    result = Result.load(out)
    assert result.outcome is Outcome.STOPPED_BY_USER
    assert 1 <= len(result.time) < 31180
    assert np.isfinite(result.displacement("C", "x")).all()


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_time_limit() -> None:
    result = Transient(dt=1e-5, policy=Policy(time_limit=0.3)).run(
        portal("fibre"), QUAKE, save=Save(velocity=False, acceleration=False, every=50)
    )
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
    between = Pushover(
        "C", 0.2, pattern="push", steps=100, limits=(Limit("C", "x", 0.05, base="A"),)
    ).run(model)
    assert between.outcome is Outcome.LIMIT_REACHED
    assert between.displacement("C", "x")[-1] == pytest.approx(0.05, abs=0.0021)


def test_outcomes_are_sentences() -> None:
    for outcome in Outcome:
        assert str(outcome).endswith(".")
        assert str(outcome)[0].isupper()


MECHANISM = """
from femu import Model
from femu.analyses import LoadControl
from femu.elements import Truss
from femu.materials import Elastic
model = Model("mechanism")
model.node("A", 0.0, 0.0, fixed=True)
model.node("B", 3.0, 0.0)
model.add(Truss("bar", "A", "B", material=Elastic(2e11), area=1e-3))
model.load("B", y=1.0)
result = LoadControl(steps=3).run(model)
"""


def test_a_failed_analysis_warns_at_the_users_line(tmp_path: Path) -> None:
    """The warning says where, when and why; code that handles failures itself is not warned."""
    script = tmp_path / "mechanism.py"
    script.write_text(MECHANISM)
    with pytest.warns(
        FailedAnalysis,
        match=r"Step 1 of 3 \(from t = 0\) did not converge: "
        r".*singular",
    ) as caught:
        found = runpy.run_path(str(script))["result"]
    assert [(w.filename, w.lineno) for w in caught] == [(str(script), 11)]
    assert found.outcome is Outcome.NOT_CONVERGED
    assert "Step 1 of 3" in str(found) and "singular" in str(found)
    assert "Nothing holds node 'B' in direction y" in str(found)
    with warnings.catch_warnings(), failures_handled():
        warnings.simplefilter("error")
        runpy.run_path(str(script))


def test_an_end_that_was_asked_for_is_no_failure() -> None:
    assert {o for o in Outcome if not o.failed} == {
        Outcome.COMPLETE,
        Outcome.PEER_DONE,
        Outcome.LIMIT_REACHED,
        Outcome.STOPPED_BY_USER,
    }


def test_femu_run_of_a_failed_analysis_says_so_and_exits_with_3(tmp_path: Path) -> None:
    script = tmp_path / "mechanism.py"
    script.write_text(MECHANISM)
    with pytest.warns(FailedAnalysis):
        found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 3
    assert "Step 1 of 3 (from t = 0) did not converge" in found.output
    assert Result.load(tmp_path / "mechanism.h5").outcome is Outcome.NOT_CONVERGED


def test_femu_run_names_the_line_of_an_error(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text("from femu import Model\n\nModel('m').node('A', float('nan'), 0.0)\n")
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 3
    assert f"{script}, line 3: node 'A'" in found.output


def test_femu_run_keeps_an_interrupted_result_and_exits_with_130(tmp_path: Path) -> None:
    """The script raises Ctrl-C from its own progress, so that the moment does not depend on the
    machine."""
    script = tmp_path / "stopped.py"
    script.write_text(
        MECHANISM.replace("LoadControl(steps=3).run(model)", "None")
        + """
class Stop:
    def start(self, title, total): pass
    def advance(self, done): raise KeyboardInterrupt
    def finish(self): pass
model.fix("B", "y")
model.load("B", x=1.0)
for _ in range(2):
    LoadControl(steps=1000).run(model, progress=Stop())
    print("went on")
"""
    )
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 130, found.output
    assert "went on" not in found.output
    assert found.output.count("stopped by the user") == 1
    assert "stopped.h5" in found.output
    assert Result.load(tmp_path / "stopped.h5").outcome is Outcome.STOPPED_BY_USER


HYBRID = """
from femu import GroundMotion, HybridTest, Model
from femu.experimental import EmulatedSpecimen, ExperimentalLink
from femu.materials import Elastic
class Faulty(EmulatedSpecimen):
    def apply(self, command, time):
        if time > 0.055:
            {fault}
        return super().apply(command, time)
for number in range(2):
    model = Model("mass")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(30e3, 0.0, 0.0))
    model.add(ExperimentalLink("spring", "ground", "mass", ("x",), specimen=Faulty(Elastic(E=2e6))))
    HybridTest(model, GroundMotion.el_centro(), dt=0.01, duration=0.1).run({folder!r} + f"/journal-{{number}}.h5")
    print("went on")
"""


def test_ctrl_c_in_a_hybrid_test_ends_the_script_with_the_journal_whole(tmp_path: Path) -> None:
    script = tmp_path / "column.py"
    script.write_text(HYBRID.format(fault="raise KeyboardInterrupt", folder=str(tmp_path)))
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 130, found.output
    assert "went on" not in found.output
    record = read_journal(tmp_path / "journal-0.h5")
    assert (record.ending, record.steps) == (Outcome.STOPPED_BY_USER, 5)
    assert "5 of 10 steps were done, to t = 0.05." in record.message
    kept = Result.load(tmp_path / "column.h5")
    assert (kept.outcome, kept.message) == (Outcome.STOPPED_BY_USER, record.message)
    assert not (tmp_path / "journal-1.h5").exists()


def test_a_failed_hybrid_test_warns_and_femu_run_exits_with_3(tmp_path: Path) -> None:
    script = tmp_path / "column.py"
    script.write_text(HYBRID.format(fault="return None", folder=str(tmp_path)))
    with pytest.warns(FailedAnalysis) as caught:
        found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 3, found.output
    assert found.output.count("went on") == 2
    reported = [str(w.message) for w in caught if w.category is FailedAnalysis]
    assert [(w.filename, w.lineno) for w in caught if w.category is FailedAnalysis] == [
        (str(script), 15)
    ] * 2
    assert all(
        text.startswith("hybrid test of 'mass': ExperimentalLink('spring') answered with")
        for text in reported
    )
    assert all("5 of 10 steps were done, to t = 0.05." in text for text in reported)


def test_a_failure_that_is_an_error_carries_the_result(tmp_path: Path) -> None:
    """Whoever makes warnings errors catches it with what was computed."""
    script = tmp_path / "mechanism.py"
    script.write_text(MECHANISM)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FailedAnalysis)
        with pytest.raises(FailedAnalysis) as failed:
            runpy.run_path(str(script))
    assert failed.value.result.outcome is Outcome.NOT_CONVERGED


WRONG = {
    "def build(model):\n    model.node('A')\nfrom femu import Model\nbuild(Model('m'))\n": [
        "line 2: TypeError: ",
        "missing",
        "called from {script}, line 4",
    ],
    "import femu\nx = 1 +\n": ["{script}", "line 2", "invalid syntax"],
    "from femu import Model\n\nundefined\n": [
        "{script}, line 3: NameError: name 'undefined' is not defined"
    ],
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_of_a_script_names_its_line_and_nothing_inside_femu(
    tmp_path: Path, text: str
) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(text)
    for command in ("run", "crossvalidate", "identify"):
        found = CliRunner().invoke(main, [command, str(script)])
        assert found.exit_code == 3, found.output
        for words in WRONG[text]:
            assert words.format(script=script) in found.output
        assert "did not expect" not in found.output
        assert "Traceback" not in found.output and "runpy" not in found.output
