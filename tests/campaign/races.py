"""Several programs at one file: a result that is saved while others read it, a batch that two want to
run, a journal that is read while its test writes.

A reader sees a whole file or none; of two writers of a batch or a journal one is refused, and
nothing of the other is lost.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np

from femu import GroundMotion, Model, Result
from femu.analyses import Newmark, Pace, Transient
from femu.batch import BatchResult, ModelSource, Plan, RunOutcome, Suite
from femu.elements import ElasticBeamColumn
from femu.experimental import HybridTest, read_journal
from femu.materials import ElasticSection
from femu.support.errors import FemuError
from tests.campaign import rig
from tests.campaign.tally import Tally

SECONDS = {True: 2.0, False: 30.0}
WRITERS, READERS = 3, 2
BATCHES = {True: 2, False: 12}
RECORDS = 6
PATIENCE = 180.0


def column() -> Model:
    model = Model("column")
    model.node("a", 0.0, 0.0, fixed=True)
    model.node("b", 0.0, 3.0, mass=(1e3, 1e3, 0.0))
    model.add(ElasticBeamColumn("c", "a", "b", section=ElasticSection(E=2e11, A=0.01, I=5e-5)))
    return model


def _write(path: str, seconds: float, number: int, said: Any) -> None:
    """Save results of different lengths under one name."""
    motion = GroundMotion.el_centro()
    results = [
        Transient(Newmark(), dt=0.01).run(column(), motion, duration=0.1 * (number + k + 1))
        for k in range(3)
    ]
    saved, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        results[saved % 3].save(path)
        saved += 1
    said.put(("saved", saved, ""))


def _wait_for(path: str) -> None:
    """Processes begin one after the other, and compile before they write."""
    end = time.monotonic() + PATIENCE / 2
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)


def _read(path: str, seconds: float, number: int, said: Any) -> None:
    _wait_for(path)
    read, broken, end = 0, "", time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            result = Result.load(path)
            assert len(result.time) == len(result.displacement("b", "x")) > 10
            read += 1
        except Exception as problem:
            broken = f"{type(problem).__name__}: {problem}"
            break
    said.put(("read", read, broken))


def _batch(path: str, number: int, said: Any) -> None:
    records = [GroundMotion.el_centro().scaled(factor=0.1 * k) for k in range(1, RECORDS + 1)]
    plan = Plan(ModelSource("tests.campaign.races:column"), Transient(Newmark(), dt=0.01))
    try:
        found = Suite(plan, records).run(path, workers=1, on="threads")
        said.put(("ran", len(found), ""))
    except FemuError as refused:
        said.put(("refused", 0, str(refused)))
    except BaseException as problem:
        said.put(("broken", 0, f"{type(problem).__name__}: {problem}"))


def _test(path: str, number: int, said: Any) -> None:
    """A paced hybrid test; of two one is refused."""
    test: HybridTest = rig.test_of(rig.specimen(), 400, pace=Pace(400))
    try:
        said.put(("ran", test.run(path).steps, ""))
    except FemuError as refused:
        said.put(("refused", 0, str(refused)))


def _look(path: str, seconds: float, number: int, said: Any) -> None:
    """Read a journal that grows: never fewer rows than before, never a broken one."""
    _wait_for(path)
    looks, rows, broken, end = 0, 0, "", time.monotonic() + seconds
    while time.monotonic() < end and not broken:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                record = read_journal(path)
        except Exception as problem:
            broken = f"{type(problem).__name__}: {problem}"
            break
        measured = record.measured[rig.NAME]
        if len(measured) < rows or not np.array_equal(
            measured[:, 0], np.arange(1, len(measured) + 1)
        ):
            broken = f"{len(measured)} rows after {rows}"
        rows, looks = len(measured), looks + 1
    said.put(("looked", looks, broken))


def together(work: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> list[tuple[str, int, str]]:
    """What processes that begin at once have to say."""
    # started anew: threads of this process may hold locks
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    processes = [context.Process(target=one, args=(*given, said)) for one, given in work]
    for process in processes:
        process.start()
    found = []
    try:
        for _ in processes:
            found.append(said.get(timeout=PATIENCE))
    except Empty:
        found.append(("broken", 0, "a process hangs or has died"))
    for process in processes:
        process.join(5.0)
        if process.is_alive():
            process.kill()
    return found


def of_results(folder: Path, quick: bool) -> Tally:
    path, seconds = str(folder / "result.h5"), SECONDS[quick]
    found = together(
        [(_write, (path, seconds, k)) for k in range(WRITERS)]
        + [(_read, (path, seconds, k)) for k in range(READERS)]
    )
    reads, saves = (sum(n for kind, n, _ in found if kind == k) for k in ("read", "saved"))
    left = [p.name for p in folder.iterdir() if p.name != "result.h5"]
    tally = Tally(faults=reads, survived=reads)
    tally.failures = [f"results: {why}" for _, _, why in found if why]
    tally.failures += [f"results: {left} is left"] if left else []
    tally.failures += [] if reads and saves > WRITERS else ["results: nothing was read or saved"]
    tally.lines = [("results", f"{saves} saved by {WRITERS}, {reads} read by {READERS}, 0 broken")]
    return tally


def of_batches(folder: Path, quick: bool) -> Tally:
    tally, refused = Tally(), 0
    for k in range(BATCHES[quick]):
        path = str(folder / f"batch-{k}.h5")
        found = together([(_batch, (path, n)) for n in range(3)])
        whole = BatchResult.load(path)
        done = whole.counts().get(RunOutcome.COMPLETE, 0)
        refused += sum(kind == "refused" for kind, _, _ in found)
        wrong = [why for kind, _, why in found if kind == "broken"]
        if not any(kind == "ran" for kind, _, _ in found):
            wrong.append("nobody ran it")
        if done != RECORDS:
            wrong.append(f"{done} of {RECORDS} runs are in the file")
        tally.faults += 1
        tally.survived += not wrong
        tally.failures += [f"batches: {why}" for why in wrong]
    tally.lines = [("batches", f"{tally.faults} by three at once, {refused} refused, 0 lost")]
    return tally


def of_journals(folder: Path, quick: bool) -> Tally:
    path = str(folder / "journal.h5")
    found = together(
        [(_test, (path, k)) for k in range(2)]
        + [(_look, (path, 4.0 if quick else 12.0, k)) for k in range(READERS)]
    )
    ran = [n for kind, n, _ in found if kind == "ran"]
    refused = sum(kind == "refused" for kind, _, _ in found)
    looks = sum(n for kind, n, _ in found if kind == "looked")
    wrong = [why for kind, _, why in found if why and kind != "refused"]
    record = read_journal(path)
    if ran != [400] or refused != 1 or record.steps != 400:
        wrong.append(f"{ran} ran, {refused} were refused, {record.steps} steps are in the journal")
    tally = Tally(faults=looks, survived=looks, steps=record.steps)
    tally.failures = [f"journals: {why}" for why in wrong]
    tally.lines = [
        ("journals", f"400 steps by one of two, read {looks} times while it was written")
    ]
    return tally


def run(quick: bool) -> Tally:
    tally = Tally()
    for part in (of_results, of_batches, of_journals):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            tally.add(part(Path(folder), quick))
    return tally
