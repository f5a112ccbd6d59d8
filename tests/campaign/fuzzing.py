"""Fuzzing: whatever bytes come, a reader, a server or a client answers, or raises an exception of
femu; and soon.

An input is a good one with edits, or bytes without sense; see `tests.campaign.fuzz_targets`. Each
target runs in a process of its own with a watchdog: a crash or a hang of a library in C ends that
process, and the input that did it is kept. ``python -m tests.campaign fuzzing`` takes ten
minutes with every target, ``--quick`` for a second; ``python -m tests.campaign.fuzzing SECONDS
[--workers N] [NAME ...]`` takes some of them. Where atheris is installed (``pip install
femu[fuzz]``), it has the second half of the time, and looks for inputs that reach new lines; see
`tests.campaign.coverage_fuzz`. Targets of the long run go side by side, four for each core, since
those over sockets wait most of the time; they leave the processor to whatever else runs.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import faulthandler
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from femu import FemuError, Result, State
from femu.batch.result import BatchResult
from femu.experimental import read_journal
from femu.updating import UpdatingHistory
from tests.campaign.fuzz_targets import (
    HDF5,
    SEEDS,
    SOCKETS,
    TARGETS,
    edited,
    files,
    others,
    program,
)
from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
QUICK_SECONDS, FULL_SECONDS = 1.0, 600.0
LONGEST_CALL = 20.0  # seconds of computing that count as a hang
WATCHDOG = 90  # seconds of wall clock after which a call is ended, on a busy machine too
PEAK = 300_000  # kilobytes that the process may grow by at most, for one input
CREEP = 40_000  # kilobytes that it may have grown by from a fifth of the time to the end
WARMED = 0.2


def resident() -> int:
    """Kilobytes of memory in use now."""
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize() // 1024


class Watched:
    """Feeds a target, and counts what is wrong with the way it took an input."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed, self.tally, self.count = name, seed, Tally(), 0
        warnings.simplefilter("ignore")
        self.target, self.good = TARGETS[name].target(), TARGETS[name].seed()
        self.target(self.good)  # must be accepted
        self.first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.warmed = 0

    def feed(self, data: bytes) -> None:
        self.count += 1
        began = time.process_time()
        try:
            self.target(data)
        except FemuError:
            pass
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            self.tally.failures.append(
                f"{self.name}: {type(problem).__name__}: {problem} ({where.filename}, line "
                f"{where.lineno}); seed {self.seed}, round {self.count}"
            )
        took = time.process_time() - began
        if took > LONGEST_CALL:
            self.tally.failures.append(
                f"{self.name}: {took:.0f} s for {len(data)} bytes; seed {self.seed}, round "
                f"{self.count}"
            )
        self.tally.bytes += len(data)

    def close(self) -> Tally:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self.first
        if peak > PEAK:
            self.tally.failures.append(f"{self.name}: the process grew by {peak // 1024} MB")
        if self.warmed and resident() - self.warmed > CREEP:
            self.tally.failures.append(
                f"{self.name}: {(resident() - self.warmed) // 1024} MB were never given back"
            )
        self.tally.lines.append(
            (
                f"fuzzed: {self.name}",
                f"{self.count} inputs, {self.tally.bytes} bytes, {len(self.tally.failures)} "
                "failures",
            )
        )
        return self.tally


def fuzz(
    name: str, seconds: float, seed: int = 0, rounds: int | None = None, keep: Path | None = None
) -> Tally:
    """Feed one target for a time, or a number of rounds.

    ``keep`` is where each input is written before it is fed.
    """
    watched, rng, other = Watched(name, seed), np.random.default_rng(seed), others(name)
    began = time.monotonic()
    while time.monotonic() - began < seconds if rounds is None else watched.count < rounds:
        data = edited(watched.good, rng, other)
        if keep is not None:
            keep.write_bytes(data)
            faulthandler.dump_traceback_later(WATCHDOG, exit=True)
        watched.feed(data)
        if not watched.warmed and rounds is None and time.monotonic() - began > WARMED * seconds:
            watched.warmed = resident()
        if len(watched.tally.failures) > 5:
            break
    faulthandler.cancel_dump_traceback_later()
    return watched.close()


def guarded(name: str, seconds: float, seed: int = 0) -> Tally:
    """Fuzz a target in a process of its own, and in another with atheris."""
    both = (
        seconds > 10.0
        and name not in (*SOCKETS, *HDF5)
        and importlib.util.find_spec("atheris") is not None
    )
    each = seconds / 2 if both else seconds
    tally = _in_process(
        [sys.executable, "-m", "tests.campaign.fuzzing", "--alone", name, str(each), str(seed)],
        name,
        each,
    )
    if both:
        tally.add(
            _in_process(
                [sys.executable, "-m", "tests.campaign.coverage_fuzz", name, str(each)], name, each
            )
        )
    return tally


@cache
def _seeds() -> str:
    """A folder with the good files, made once for all processes."""
    folder = Path(tempfile.mkdtemp(prefix="femu-seeds-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in files().items():
        (folder / name).write_bytes(data)
    return str(folder)


def rounds(count: int, names: list[str]) -> Tally:
    """A few rounds of some targets, all in one other process."""
    return _in_process(
        [sys.executable, "-m", "tests.campaign.fuzzing", "--rounds", str(count), *names],
        ", ".join(names),
        0.0,
    )


def _in_process(words: list[str], name: str, seconds: float) -> Tally:
    with tempfile.TemporaryDirectory(prefix="femu-fuzzing-") as folder:
        kept = Path(folder) / "input"
        reported: list[str] = []
        why: list[str] = []
        try:
            done = subprocess.run(
                words,
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=300 + 2 * WATCHDOG + 1.5 * seconds,
                env={
                    **os.environ,
                    "TMPDIR": folder,
                    "FEMU_FUZZED": str(kept),
                    SEEDS: _seeds(),
                    "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
                },
            )
            reported, code = done.stdout.splitlines(), done.returncode
            why = [line.strip() for line in done.stderr.splitlines() if line.strip()][-3:]
        except subprocess.TimeoutExpired:
            code = 1
        if code == 0 and reported:
            return Tally.of(json.loads(reported[-1]))
        how = f"ended with signal {-code}" if code < 0 else "hung or failed"
        where = (
            Path(tempfile.gettempdir())
            / f"femu-fuzzing-{name.replace(' ', '-').replace(',', '')}-{os.getpid()}"
        )
        if kept.exists():
            where.write_bytes(kept.read_bytes())
        return Tally(failures=[f"{name}: {how}; the input is in {where}: {' '.join(why)}"])


# --- HDF5 files that are sound for HDF5 and wrong for femu ---

WRONG: list[Any] = [
    0,
    1.5,
    b"x",
    "{}",
    "[]",
    "null",
    "[1, 2]",
    '{"elements": 3}',
    '{"elements": {"device": -1}}',
    np.zeros((2, 2)),
    np.array([b"x"]),
    "x" * 70_000,
    '{"elements": {"a": 1, "b": 2}}',
    np.array([1, 2, 3], "i1"),
    h5py.Empty("f"),
]
READERS: dict[str, Callable[[Path], Any]] = {
    "journal": read_journal,
    "result": Result.load,
    "history": UpdatingHistory.load,
    "state": lambda p: State.load(p, program()),
    "batch": BatchResult.load,
}


def _stored(value: Any) -> Any:
    """Texts in a fixed length, as femu writes them."""
    return np.bytes_(value.encode()) if isinstance(value, str) and value else value


def wrong_attributes() -> Tally:
    """Every attribute and every table of every kind of file.

    Taken out, and put in with another type or form. It must be refused, read up to the damage with
    a warning, or of no consequence.
    """
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in READERS:
            good, places = files()[kind], []
            (folder / "good.h5").write_bytes(good)
            with h5py.File(folder / "good.h5", "r") as file:
                places += [("", a) for a in file.attrs]
                file.visititems(
                    lambda n, thing, kept=places: (
                        kept.append((n, "")) if isinstance(thing, h5py.Dataset) else None
                    )
                )
            for place, attribute in places:
                for value in (None, *WRONG):
                    path = folder / "wrong.h5"
                    path.write_bytes(good)
                    with h5py.File(path, "r+", libver="latest") as file:
                        if attribute:
                            del file.attrs[attribute]
                            if value is not None:
                                # too long for an attribute
                                with contextlib.suppress(RuntimeError, OSError):
                                    file.attrs[attribute] = _stored(value)
                        else:
                            del file[place]
                            if value is not None:
                                file[place] = _stored(value)
                    tally.bytes += len(good)
                    tally.inputs += 1
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("error", UserWarning)
                            READERS[kind](path)
                        tally.inputs -= 1  # still good, or of no consequence
                    except FemuError:
                        pass
                    except UserWarning as said:
                        if f"{path} is damaged" not in str(said):
                            tally.failures.append(f"{kind}, {attribute or place}: {said}")
                    except Exception as problem:
                        tally.inputs -= 1
                        tally.failures.append(
                            f"{kind}, {attribute or place} = {str(value)[:40]!r}: "
                            f"{type(problem).__name__}: {problem}"
                        )
    tally.lines.append(
        (
            "HDF5 files with wrong contents",
            f"{tally.inputs} refused or named as damaged, {len(tally.failures)} failures",
        )
    )
    return tally


def run(
    quick: bool,
    seconds: float | None = None,
    names: list[str] | None = None,
    workers: int | None = None,
) -> Tally:
    for_each = seconds if seconds is not None else QUICK_SECONDS if quick else FULL_SECONDS
    at_once = 1 if quick else workers or 4 * (os.cpu_count() or 1)
    if not quick:
        os.nice(10)  # it is the time that counts, not how many inputs
    _seeds()  # once, before there are several that need them

    def one(name: str) -> Tally:
        alone = name in HDF5 or not quick  # the others are Python: a process less to start
        came = guarded(name, for_each) if alone else fuzz(name, for_each)
        for line in [f"{what}: {count}" for what, count in came.lines] + came.failures:
            print(f"  {line}", file=sys.stderr, flush=True)
        return came

    tally = Tally()
    with ThreadPoolExecutor(at_once) as pool:
        for came in pool.map(one, names or TARGETS):
            tally.add(came)
    if not names:
        tally.add(wrong_attributes())
    return tally


def main(words: list[str]) -> int:
    if words[0] == "--alone":
        tally = fuzz(words[1], float(words[2]), int(words[3]), keep=Path(os.environ["FEMU_FUZZED"]))
        print(json.dumps(tally.to_dict()), flush=True)
        return 0
    if words[0] == "--rounds":
        tally = Tally()
        for name in words[2:]:
            tally.add(
                fuzz(name, 0.0, seed=1, rounds=int(words[1]), keep=Path(os.environ["FEMU_FUZZED"]))
            )
        print(json.dumps(tally.to_dict()), flush=True)
        return 0
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.fuzzing", description="Feed targets with bytes."
    )
    parser.add_argument("seconds", type=float, help="for each target")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"some of: {', '.join(TARGETS)}; all if left out"
    )
    parser.add_argument(
        "--workers", type=int, help="targets side by side; four for each core if left out"
    )
    given = parser.parse_intermixed_args(words)
    unknown = [name for name in given.names if name not in TARGETS]
    if unknown:
        parser.error(f"no target {unknown[0]!r}; there are: {', '.join(TARGETS)}")
    tally = run(False, given.seconds, given.names, given.workers)
    for name, came in tally.lines:
        print(f"{name}: {came}")
    print("\n".join(tally.failures))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
