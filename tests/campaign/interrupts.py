"""Ctrl-C at any instant of the commands, once or twice in a row.

Every command ends with exit code 130 (or 0, if it was done before), without a traceback, with one
line that says that it was stopped, and what is kept can be read. Python itself needs some hundredths
of a second before the first line of femu runs; what comes in them is Python's own.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from femu import Result
from femu.batch import BatchResult
from femu.experimental import read_journal
from femu.support.errors import FemuError
from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
BEGIN = (
    "import sys; sys.argv[0] = 'femu'; print('up', flush=True); from femu.cli import main; main()"
)
PATIENCE = 120.0  # seconds after which a stopped command counts as hung
ROUNDS = {True: 2, False: 40}
DONE, STOPPED = 0, 130
LAST = 0.9  # share of the time of a whole run within which the instants are

FRAME = """
from femu import GroundMotion, Model
from femu.analyses import Newmark, Transient
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection
model = Model("m")
model.node("a", 0.0, 0.0, fixed=True)
model.node("b", 0.0, 3.0, mass=(1e3, 1e3, 0.0))
model.add(ElasticBeamColumn("e", "a", "b", section=ElasticSection(E=2e11, A=0.01, I=5e-5)))
def build():
    return model
"""
ANALYSIS = FRAME + (
    "Transient(Newmark(), dt=1e-4).run(model, GroundMotion.el_centro(), duration=30.0)\n"
)
HYBRID = (
    FRAME
    + """
from femu import HybridTest
from femu.analyses import Pace
from femu.experimental import EmulatedSpecimen, ExperimentalElement, Limits
from femu.materials import Elastic
model.add(ExperimentalElement("s", [("b", "x")], specimen=EmulatedSpecimen(Elastic(1e5)),
                              stiffness=[[1e5]], limits=Limits(displacement=10.0)))
test = HybridTest(model, GroundMotion.el_centro(), dt=0.01, duration=4.0, pace=Pace(200))
if __name__ == "__main__":
    test.run("journal.h5")
"""
)
BATCH = """
from femu import GroundMotion
from femu.analyses import Newmark, Transient
from femu.batch import ModelSource, Plan, Suite
if __name__ == "__main__":
    records = [GroundMotion.el_centro().scaled(factor=0.1 * k) for k in range(1, 13)]
    plan = Plan(ModelSource("model.py:build"), Transient(Newmark(), dt=1e-3), storeys=("a", "b"))
    Suite(plan, records).run("batch.h5", workers=2)
"""
SPECIMEN = '[specimen.of]\ntype = "Elastic"\nE = 1e5\n[server]\nport = 0\n'


@dataclass(frozen=True)
class Scene:
    """A command, what it needs, and whether it also runs without the cache of kernels."""

    words: tuple[str, ...]
    files: dict[str, str]
    compiles: bool = False
    ends: bool = True


SCENES = {
    "imports": Scene(("info",), {}),
    "analysis": Scene(("run", "script.py"), {"script.py": ANALYSIS}),
    "compiling": Scene(("run", "script.py"), {"script.py": ANALYSIS}, compiles=True),
    "hybrid test": Scene(("run", "script.py"), {"script.py": HYBRID}),
    "pool": Scene(("run", "script.py"), {"script.py": BATCH, "model.py": FRAME}),
    "plot": Scene(("plot", "result.h5", "model"), {"result.h5": ""}),
    "report": Scene(("report", "result.h5"), {"result.h5": ""}),
    "server": Scene(("serve", "s.toml"), {"s.toml": SPECIMEN}, ends=False),
}


class Stage:
    """Runs a scene, and knows how long it takes when nobody stops it."""

    def __init__(self, scene: Scene, result: Path) -> None:
        self.scene, self._result = scene, result
        self.whole = self._whole()

    def _whole(self) -> float:
        if not self.scene.ends:
            return 6.0
        with tempfile.TemporaryDirectory() as folder:
            process, began = self._begin(Path(folder)), time.monotonic()
            _, said = process.communicate(timeout=PATIENCE)
            assert process.returncode == DONE, said[-2000:]
            return time.monotonic() - began

    def _begin(self, folder: Path) -> subprocess.Popen[str]:
        for name, text in self.scene.files.items():
            if text:
                (folder / name).write_text(text, encoding="utf-8")
            else:
                (folder / name).write_bytes(self._result.read_bytes())
        env = {**os.environ, "MPLBACKEND": "agg"}
        if self.scene.compiles:
            env["FEMU_CACHE_DIR"] = str(folder / "cache")
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", BEGIN, *self.scene.words],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hears,
        )
        assert process.stdout is not None
        process.stdout.readline()  # it is up
        return process

    def stopped(self, after: float, again: float | None) -> list[str]:
        """What is wrong if Ctrl-C comes after some seconds, and perhaps again."""
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            process = self._begin(folder)
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            if again is not None:
                time.sleep(again)
                process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                return ["it hangs"]
            return [*_wrong_ending(process.returncode, out, err), *_wrong_files(folder)]


def _hears() -> None:
    """A command in the background of a shell has Ctrl-C switched off."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _wrong_ending(code: int, out: str, err: str) -> list[str]:
    wrong = []
    if code not in (DONE, STOPPED):
        wrong.append(f"exit code {code}: {err[-300:]!r}")
    for sign in ("Traceback", "Exception ignored", "KeyboardInterrupt", "Aborted!"):
        if sign in err or sign in out:
            wrong.append(f"it prints {sign}: {(err or out)[-1500:]!r}")
            break
    lines = [line for line in (out + err).splitlines() if line.startswith("femu: ")]
    if code == STOPPED and not any("stop" in line.lower() for line in lines):
        wrong.append(f"no line says that it was stopped: {(out + err)[-300:]!r}")
    return wrong


def _wrong_files(folder: Path) -> list[str]:
    """Files that cannot be read, and those that were only begun."""
    wrong = []
    readers: dict[str, Callable[[Path], object]] = {
        "batch.h5": BatchResult.load,
        "journal.h5": read_journal,
    }
    for path in folder.rglob("*"):
        if "cache" in path.relative_to(folder).parts or path.is_dir():
            continue
        if path.suffix == ".h5":
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    readers.get(path.name, Result.load)(path)
            except FemuError as problem:
                wrong.append(f"{path.name} cannot be read: {problem}")
        elif path.suffix not in (".py", ".toml", ".html", ".png", ".pyc"):
            wrong.append(f"{path.name} is left")
        elif path.suffix in (".html", ".png") and not path.stat().st_size:
            wrong.append(f"{path.name} is empty")
    return wrong


def _a_result(folder: Path) -> Path:
    (folder / "script.py").write_text(ANALYSIS.replace("1e-4", "1e-2"), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-P", "-c", BEGIN, "run", "script.py"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return folder / "script.h5"


def of_scene(name: str, result: Path, rounds: int, seed: int) -> Tally:
    """A scene, stopped at random instants."""
    random_ = random.Random(f"{name} {seed}")
    tally, stage = Tally(), Stage(SCENES[name], result)
    for k in range(rounds):
        after = random_.uniform(0.0, LAST * stage.whole)
        again = random_.choice([0.001, 0.03, 0.3]) if k % 2 else None
        wrong = stage.stopped(after, again)
        tally.faults += 1
        tally.survived += not wrong
        twice = "" if again is None else f", again after {again:g} s"
        tally.failures += [f"{name}, Ctrl-C after {after:.2f} s{twice}: {what}" for what in wrong]
    tally.lines = [(name, f"{tally.survived} of {tally.faults} ended as they must")]
    return tally


def run(quick: bool, names: tuple[str, ...] = tuple(SCENES)) -> Tally:
    tally = Tally()
    if os.name != "posix":
        tally.lines.append(("interrupts", "need signals of POSIX: not run here"))
        return tally
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        result = _a_result(Path(folder))
        for name in names:
            tally.add(of_scene(name, result, ROUNDS[quick], seed=1))
    return tally
