"""Bad input over the public API, every file format and every command: an exception of femu that names what is wrong.

Counts the cases of tests/test_bad_input.py and runs them, and adds those of files, of the experimental side, of updating and
filters, and of the command line.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from femu import FemuError, GroundMotion, Model, Result, State
from femu.analyses import HybridTest, ImplicitHybrid, LoadControl, Pace, RungeKutta
from femu.batch.result import BatchResult
from femu.batch.toml_file import read_suite
from femu.cli import main
from femu.elements import ElasticBeamColumn
from femu.exchange.model_toml import read_model, write_model
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    ExperimentalLink,
    Journal,
    Limits,
    RemoteController,
    Sensors,
    SpecimenServer,
    read_journal,
)
from femu.filters import UKF, Bounds
from femu.materials import Bilinear, ElasticSection
from femu.updating import ModelUpdater, RemoteUpdater, Unknown, UpdatingHistory
from tests.campaign import rig
from tests.campaign.bad_arguments import sweep
from tests.campaign.faults import small_disk
from tests.campaign.tally import Tally

TESTS = Path(__file__).parents[1]
NAN, INF = float("nan"), float("inf")
STEEL = Bilinear(E=2e11, fy=3e8, b=0.01)
Case = Callable[[], Any]


def frame() -> Model:
    model = Model("cantilever")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0, mass=1e3)
    model.add(ElasticBeamColumn("column", 1, 2, section=ElasticSection(E=2e11, A=1e-2, I=1e-4)))
    model.load(2, x=1.0)
    return model


def updater(**change: Any) -> ModelUpdater:
    return ModelUpdater(**{"element": "tested", "twin": STEEL, "parameters": {"fy": Unknown(lower=1e8, upper=6e8)}, **change})


def hybrid(**change: Any) -> HybridTest:
    return rig.test_of(rig.specimen(), 3, **change)


EXPERIMENTAL: dict[str, Case] = {
    **{f"Limits {name} = {value!r}": lambda name=name, value=value: Limits(**{name: value})
       for name in ("displacement", "increment", "velocity", "force") for value in (0.0, -1.0, NAN, "far", (1.0, -1.0))},
    **{f"Limits silence = {value!r}": lambda value=value: Limits(silence=value) for value in (0.0, -1.0, NAN, INF, "long")},
    **{f"Sensors {name} = {value!r}": lambda name=name, value=value: Sensors(**{name: value})
       for name in ("displacement_noise", "force_noise", "displacement_step", "force_step")
       for value in (-1.0, NAN, INF, "loud")},
    **{f"Actuator delay = {value!r}": lambda value=value: Actuator(delay=value) for value in (-1.0, NAN, "late")},
    **{f"Actuator backlash = {value!r}": lambda value=value: Actuator(backlash=value) for value in (-1.0, NAN, "loose")},
    **{f"specimen seed = {value!r}": lambda value=value: EmulatedSpecimen(STEEL, seed=value) for value in (-1, 1.5, "x", True)},
    **{f"specimen command = {value!r}": lambda value=value: rig.specimen().apply(np.array(value), 0.0)
       for value in ([NAN], [INF], [1.0, 2.0], [])},
    **{f"controller size = {value!r}": lambda value=value: RemoteController(value, 80)
       for value in (0, -1, 1.5, True, "1", 5000)},
    **{f"server port = {value!r}": lambda value=value: SpecimenServer(rig.specimen(), port=value) for value in (-1, 70000, "x")},
    **{f"server host = {value!r}": lambda value=value: SpecimenServer(rig.specimen(), host=value)
       for value in ("localhost", "", 3)},
    "server protocol": lambda: SpecimenServer(rig.specimen(), protocol="http"),
    "server force limit without stiffness": lambda: SpecimenServer(RemoteController(1, 80), limits=Limits(force=1.0)),
    **{f"dofs = {value!r}": lambda value=value: ExperimentalElement("e", value, specimen=rig.specimen(), stiffness=[[1.0]])
       for value in ([], [("B", "q")], [("B", "x"), ("B", "x")], 3, None, [("B",)])},
    **{f"directions = {value!r}": lambda value=value: ExperimentalLink("e", 1, 2, value, specimen=rig.specimen())
       for value in ((), ("q",), ("x", "x"))},
    "link to itself": lambda: ExperimentalLink("e", 1, 1, ("x",), specimen=rig.specimen()),
    **{f"test dt = {value!r}": lambda value=value: HybridTest(
        rig.test_of(rig.specimen()).program, GroundMotion.el_centro(), dt=value)
       for value in (0.0, -1.0, NAN, "x")},
    "test without specimen": lambda: HybridTest(frame(), GroundMotion.el_centro(), dt=0.01),
    "test integrator": lambda: hybrid(integrator=RungeKutta()),
    "test integrator class": lambda: hybrid(integrator=ImplicitHybrid),
    "test tangents": lambda: hybrid(tangents={"nobody": 3}),
    "test tangent": lambda: hybrid(tangents={rig.NAME: 3}),
    "test updater": lambda: hybrid(updater=3),
    "test pace": lambda: hybrid(pace=1024),
    **{f"pace rate = {value!r}": lambda value=value: Pace(value) for value in (0.0, -1.0, NAN, INF, "fast")},
    **{f"pace priority = {value!r}": lambda value=value: Pace(priority=value) for value in (0, 100, 1.5, True)},
}
LEARNING: dict[str, Case] = {
    "updater parameter": lambda: updater(parameters={"q": Unknown()}),
    "updater no parameters": lambda: updater(parameters={}),
    "updater twin": lambda: updater(twin=3),
    "updater mode": lambda: updater(mode="guess"),
    **{f"updater force_noise = {v!r}": lambda v=v: updater(force_noise=v) for v in (-1.0, NAN, "x")},
    **{f"unknown bounds = {v!r}": lambda v=v: updater(parameters={"fy": Unknown(lower=v[0], upper=v[1])})
       for v in ((2.0, 1.0), (NAN, 1.0), (0.0, NAN))},
    **{f"remote rate = {v!r}": lambda v=v: RemoteUpdater("a:b", rate=v) for v in (0.0, -1.0, NAN, INF, "x")},
    **{f"remote source = {v!r}": lambda v=v: RemoteUpdater(v)
       for v in ("nothing", "no.such.module:f", "os:no_such_function", "")},
    **{f"filter Q = {v!r}": lambda v=v: UKF(_space(), v, 1.0) for v in (NAN, -1.0, "x", np.zeros((3, 3)))},
    **{f"filter R = {v!r}": lambda v=v: UKF(_space(), 1.0, v) for v in (NAN, -1.0, "x", np.zeros((3, 3)))},
    "bounds crossed": lambda: Bounds([1.0], [0.0]),
    "bounds nan": lambda: Bounds([NAN], [0.0]),
    "bounds lengths": lambda: Bounds([0.0, 0.0], [1.0]),
}


def _space() -> Any:
    sys.path.insert(0, str(TESTS / "filters"))
    from systems import linear_model

    return linear_model()


@contextlib.contextmanager
def files() -> Iterator[dict[str, Case]]:
    """Missing, wrong, unreadable and unwritable files, and a full disk where one can be mounted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = LoadControl(steps=1).run(frame())
        program, state = frame().compile(), result.state
        assert state is not None
        history = UpdatingHistory(("fy",), 1, np.zeros((20000, 14)), ((0.0, 1.0),))
        readers: dict[str, Callable[[Path], Any]] = {
            "AT2": GroundMotion.from_at2, "CSV": GroundMotion.from_csv, "SMC": GroundMotion.from_smc,
            "COSMOS": GroundMotion.from_cosmos, "text": lambda p: GroundMotion.from_text(p, 0.01, "g"), "suite": read_suite,
            "model": read_model, "journal": read_journal, "result": Result.load, "state": lambda p: State.load(p, program),
            "history": UpdatingHistory.load, "batch": BatchResult.load}
        writers: dict[str, Callable[[Path], Any]] = {
            "result": result.save, "state": state.save, "history": history.save, "model": lambda p: write_model(frame(), p),
            "CSV": GroundMotion.el_centro().to_csv, "AT2": GroundMotion.el_centro().to_at2,
            "journal": lambda p: Journal(p, {"e": 1}), "test": lambda p: hybrid().run(p)}
        (folder / "empty").write_bytes(b"")
        (folder / "words").write_text("these are words\nand more of them\n")
        (folder / "binary").write_bytes(bytes(range(256)) * 8)
        (folder / "old.h5").write_bytes(b"kept")
        cases: dict[str, Case] = {}
        for kind, read in readers.items():
            for what in ("missing", "empty", "words", "binary", "."):
                cases[f"{kind} file: {what}"] = lambda read=read, what=what: read(folder / what)
        for kind, write in writers.items():
            cases[f"{kind} to a folder that is not there"] = lambda write=write: write(folder / "no" / "such" / "folder.h5")
            cases[f"{kind} in the place of a folder"] = lambda write=write: write(folder)
        closed = folder / "closed"
        closed.mkdir()
        closed.chmod(0o500)
        if os.access(closed, os.W_OK):  # of the administrator
            closed = Path("/sys/kernel")
        for kind, write in writers.items() if closed.exists() else ():
            cases[f"{kind} to a read-only folder"] = lambda write=write: write(closed / "femu-test.h5")
        try:
            with small_disk(folder, "128k") as disk:
                with contextlib.suppress(OSError):
                    (disk / "other").write_bytes(bytes(1 << 20))
                for kind, write in writers.items():
                    if kind != "state":  # a state is small enough for what is left of a page
                        cases[f"{kind} to a full disk"] = lambda write=write: write(disk / "file.h5")
                yield cases
        except OSError as problem:
            if isinstance(problem, FemuError):
                raise
            yield cases


COMMANDS: dict[str, list[str]] = {
    "unknown command": ["dance"], "unknown option": ["info", "--loud"], "run: missing": ["run", "none.py"],
    "run: nothing": ["run"],
    "batch: nothing": ["batch"], "batch: missing": ["batch", "none.toml"],
    "batch: workers": ["batch", "a.toml", "--workers", "0"],
    "batch: words": ["batch", "words"], "batch: binary": ["batch", "binary"],
    "serve: missing": ["serve", "none.py"], "serve: port": ["serve", "words", "--port", "99999"],
    "serve: protocol": ["serve", "words", "--protocol", "http"], "serve: silence": ["serve", "words", "--silence", "0"],
    "serve: host": ["serve", "words", "--host", "nowhere"], "serve: words": ["serve", "words"],
    "resume: missing": ["resume", "none.h5", "none.py"], "resume: words": ["resume", "words", "words"],
    "resume: one": ["resume", "words"], "replay: missing": ["replay", "none.h5", "none.py"],
    "replay: words": ["replay", "words", "words"],
    "replay: tolerance": ["replay", "words", "words", "--tolerance", "-1"],
    "report: missing": ["report", "none.h5"], "report: words": ["report", "words"], "report: binary": ["report", "binary"],
    "plot: missing": ["plot", "none.h5", "modes"], "plot: kind": ["plot", "words", "beauty"],
    "plot: words": ["plot", "words", "modes"],
    "plot: scale": ["plot", "words", "modes", "--scale", "0"], "plot: modes": ["plot", "words", "modes", "--modes", "0"],
    "identify: nothing": ["identify"], "identify: missing": ["identify", "none.py"], "identify: words": ["identify", "words"],
    "demo: more": ["demo", "more"], "demo: no file": ["demo", "--output"],
    "monitor: port": ["monitor", "words", "--port", "-1"], "crossvalidate: missing": ["crossvalidate", "none.py"],
    "reproduce: unknown": ["reproduce", "miracles"], "bench: unknown": ["bench", "miracles"],
}


def refused(name: str, case: Case) -> str | None:
    """What is wrong with the way a case is refused; None where it is refused as it must be."""
    try:
        case()
    except FemuError as problem:
        message = str(problem)
        if not message.strip() or "\n" in message.strip() or message.strip()[-1] not in ".?!":
            return f"{name}: the message is {message!r}"
        return None
    except Exception as problem:
        return f"{name}: {type(problem).__name__}: {problem}"
    return f"{name}: was accepted"


def command(words: list[str]) -> str | None:
    """What is wrong with the way the command line refuses some words."""
    with tempfile.TemporaryDirectory() as name:
        folder, before = Path(name), Path.cwd()
        (folder / "words").write_text("these are words\n")
        (folder / "binary").write_bytes(bytes(range(256)))
        try:
            os.chdir(folder)
            done = CliRunner().invoke(main, words)
        finally:
            os.chdir(before)
    if done.exit_code in (2, 3) and done.output.strip() and "Traceback" not in done.output:
        return None
    return f"femu {' '.join(words)}: exit code {done.exit_code}, {done.exception!r}"


def check() -> Tally:
    """All the cases of this module."""
    tally = Tally()
    with files() as more:
        for name, case in {**EXPERIMENTAL, **LEARNING, **more}.items():
            wrong = refused(name, case)
            tally.inputs += wrong is None
            tally.failures += [wrong] if wrong else []
    tally.add(sweep())
    for words in COMMANDS.values():
        wrong = command(words)
        tally.inputs += wrong is None
        tally.failures += [wrong] if wrong else []
    tally.lines.append(("files, experimental side, updating, filters, commands", f"{tally.inputs} refused, with the arguments"))
    return tally


def run(quick: bool) -> Tally:
    tally = check()
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bad_input.py"], cwd=TESTS,
                          capture_output=True, text=True)
    words = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-200:]
    passed = [int(a) for a, b in zip(words.split(), words.split()[1:], strict=False) if b.startswith("passed")]
    tally.inputs += passed[0] if passed else 0
    if done.returncode:
        tally.failures.append(f"tests/test_bad_input.py: {words}")
    tally.lines.append(("tests/test_bad_input.py", words))
    return tally


