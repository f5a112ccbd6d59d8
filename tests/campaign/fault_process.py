"""Faults of the processes on the numerical side.

The test is killed or asked to end, its updater is killed.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu.experimental import read_journal
from femu.experimental.loop import HybridLoop
from femu.results.outcome import Outcome
from femu.support.errors import FileError
from tests.campaign import rig
from tests.campaign.fate import Fate, Fault

ROOT = Path(__file__).parents[2]
MOVE = 0.01  # seconds that a specimen takes to move, so that there is something to interrupt
CLIENT = "import sys\nfrom tests.campaign import rig\nrig.test_of(rig.remote(int(sys.argv[1]))).run(sys.argv[2])\n"


class Slow(rig.Specimen):
    """Tells a pipe of each command (by then the step before is acknowledged) and of being held, and
    takes its time."""

    pipe = -1

    def apply(self, command: Any, at: float) -> Any:
        if self.pipe >= 0:
            os.write(self.pipe, b".")
            time.sleep(MOVE)
        return super().apply(command, at)

    def hold(self) -> None:
        if self.pipe >= 0:
            os.write(self.pipe, b"h")
        super().hold()


def slow(pipe: int = -1) -> Any:
    made = Slow(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
    made.pipe = pipe
    return rig.test_of(made)


def signalled(number: int, trials: int) -> Fault:
    """The process of the test gets a signal at random instants, from the first step on."""

    def fault(folder: Path) -> Fate:
        lost, same, held, steps, rng = 0, True, True, 0, random.Random(int(number))
        for trial in range(trials):
            path = folder / f"{trial}.h5"
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                # what was started in the background ignores Ctrl-C, and under nohup SIGHUP
                if number != signal.SIGKILL:
                    signal.signal(
                        number,
                        signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL,
                    )
                ended = slow(writing).run(path)
                os._exit(0 if ended.outcome is Outcome.STOPPED_BY_USER else 1)
            os.close(writing)
            os.read(reading, 1)
            time.sleep(rng.uniform(0.0, 0.8 * rig.STEPS * MOVE))
            os.kill(child, number)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            reported = b"."
            while data := os.read(reading, 4096):
                reported += data
            os.close(reading)
            record = read_journal(path)
            if number == signal.SIGKILL:
                held = held and status == -number
            else:
                held = (
                    held
                    and b"h" in reported
                    and record.ending is Outcome.STOPPED_BY_USER
                    and status in ((0,) if number == signal.SIGINT else (-number,))
                )
                # every command has its measurement
                lost += max(0, reported.count(b".") - len(record.measured[rig.NAME]))
            lost += max(0, reported.count(b".") - 1 - record.steps)
            final = slow().resume(path)
            held = held and final.outcome is Outcome.COMPLETE
            steps += final.steps
            same = same and rig.same(rig.whole(folder), read_journal(path))
        return Fate(
            f"{trials} times {signal.Signals(number).name}, resumed: COMPLETE",
            held,
            lost,
            same,
            steps,
        )

    return fault


def killed_away_from_its_laboratory(folder: Path, trials: int = 3) -> Fate:
    """The process of the test is killed with -9 while its specimen is in a laboratory, which goes
    on standing where it is."""
    lost, same, held, steps, rng = 0, True, True, 0, random.Random(5)
    for trial in range(trials):
        place = folder / str(trial)
        place.mkdir()
        laboratory, path = rig.Laboratory(place), place / "test.h5"
        laboratory.silence = rig.PATIENCE  # the process takes its time to begin
        process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, str(laboratory.open()), str(path)], cwd=ROOT
        )
        deadline, at = time.monotonic() + 2 * rig.PATIENCE, rng.randint(1, rig.STEPS - 5)
        while (
            laboratory.specimen._clock[0] < at
            and process.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(1e-4)
        process.kill()
        process.wait()
        ending = laboratory.close()
        record = read_journal(path)
        held = held and not ending.ending.ok and laboratory.specimen.holds > 0
        lost += max(0, ending.commits - len(record.measured[rig.NAME]))
        specimen = rig.remote(laboratory.open())
        final = rig.test_of(specimen).resume(path)
        specimen.close()
        laboratory.close()
        held = held and final.outcome is Outcome.COMPLETE
        lost += max(0, rig.STEPS - laboratory.moves())
        same = same and rig.same(rig.whole(folder), read_journal(path))
        steps += final.steps
    return Fate(f"{trials} times killed, resumed: COMPLETE", held, lost, same, steps)


def killed_while_it_is_resumed(folder: Path) -> Fate:
    """The process is killed with -9 while it takes its journal over, at every call that changes a
    file, and resumed again."""
    path, held, same, lost = folder / "test.h5", True, True, 0
    rig.test_of(rig.Stopping(20)).run(path)
    kept = path.read_bytes()
    places: list[tuple[Any, str]] = [(os, "replace"), (os, "fsync"), (HybridLoop, "go")]
    for owner, name in places:
        for late in (False, True):
            path.write_bytes(kept)
            child = os.fork()
            if child == 0:
                try:
                    true = getattr(owner, name)

                    def ends(
                        *given: Any, true: Any = true, late: bool = late, **named: Any
                    ) -> None:
                        if late:
                            true(*given, **named)
                        os._exit(9)

                    setattr(owner, name, ends)
                    rig.test_of(rig.specimen()).resume(path)
                finally:
                    os._exit(1)
            held = held and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
            lost += max(0, 19 - read_journal(path).steps)
            held = held and rig.test_of(rig.specimen()).resume(path).outcome is Outcome.COMPLETE
            same = same and rig.same(rig.whole(folder), read_journal(path))
    left = [p.name for p in folder.iterdir() if ".resuming-" in p.name]
    return Fate(
        f"{2 * len(places)} times killed, resumed: COMPLETE",
        held and not left,
        lost,
        same,
        2 * len(places) * rig.STEPS,
    )


def resumed_while_it_runs(folder: Path) -> Fate:
    """Somebody resumes a test that is still running.

    It is refused, and the one that runs loses nothing.
    """

    class Waiting(rig.Specimen):
        """Tells a pipe when it has come half way, and waits for another one."""

        def apply(self, command: Any, at: float) -> Any:
            if self._clock[0] == rig.STEPS // 2:
                os.write(reported, b".")
                os.read(gate, 1)
            return super().apply(command, at)

    path = folder / "test.h5"
    (reported_here, reported), (gate, gate_here) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        ended = rig.test_of(Waiting(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))).run(path)
        os._exit(0 if ended.outcome is Outcome.COMPLETE else 1)
    os.close(reported)
    os.read(reported_here, 1)
    second, refused = rig.test_of(rig.specimen()), ""
    try:
        second.resume(path)
    except FileError as problem:
        refused = str(problem)
    os.write(gate_here, b".")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for pipe in (reported_here, gate, gate_here):
        os.close(pipe)
    record = read_journal(path)
    held = "still running" in refused and status == 0 and not second.sessions
    return Fate(
        "refused, COMPLETE",
        held,
        rig.STEPS - record.steps,
        rig.same(rig.whole(folder), record),
        record.steps,
    )


# --- with an updater in another process ---


def with_updater() -> Any:
    """The test with an updater in another process, from where it is tested by itself."""
    if str(ROOT / "tests" / "updating") not in sys.path:
        sys.path.insert(0, str(ROOT / "tests" / "updating"))
    return importlib.import_module("test_remote_resumed")


def updater_meets(does: Callable[[int], None], restarted: bool) -> Fault:
    """Something is done to the process of the updater: the test never waits for it.

    Where it is killed another one continues with its filter; where it is only stopped it continues
    itself.
    """

    def fault(folder: Path) -> Fate:
        resumed = with_updater()
        met: list[int] = []
        received: list[float] = []

        class Watched(resumed.RemoteUpdater):  # type: ignore[name-defined,misc]
            def update(self, step: int, at: float, displacement: Any, force: Any) -> None:
                super().update(step, at, displacement, force)
                if step == 400:
                    self.old = self._worker
                    received.append(self._reported[0])
                    for child in children(self._process.pid):
                        does(child)
                        met.append(child)
                if step == 450 and not restarted:
                    for child in met:
                        os.kill(child, signal.SIGCONT)
                # the rest of the test comes when another one is there
                deadline = time.monotonic() + rig.PATIENCE
                while (
                    step == 450
                    and restarted
                    and self._worker == self.old
                    and time.monotonic() < deadline
                ):
                    time.sleep(0.02)
                    super().update(step, at, displacement, force)

        with Watched(resumed.SOURCE, rate=100.0) as updater:
            result = resumed.hybrid(updater).run(folder / "test.h5")
            keeper, received_at_last = updater._process, updater._reported[0]
        record = read_journal(folder / "test.h5")
        gone = keeper is not None and keeper.poll() is not None
        return Fate(
            f"{result.outcome.name}, {len(met)} {'killed' if restarted else 'stopped'}",
            result.outcome is Outcome.COMPLETE and len(met) == 1 and gone,
            max(0, result.steps - record.steps),
            received_at_last > received[0] > 0,
            result.steps,
            "the filter continued",
        )

    return fault


def numerical_side_killed_with_updater(folder: Path) -> Fate:
    """The test is killed with -9 while its updater learns.

    The resumed test continues with the filter.
    """
    resumed = with_updater()
    path, beside = folder / "test.h5", folder / f"test.h5{resumed.CHECKPOINT}"
    process = subprocess.Popen([sys.executable, "-c", resumed.SCRIPT, str(path)], cwd=folder)
    deadline = time.monotonic() + resumed.PATIENCE
    while (
        resumed.samples_in(beside) < resumed.LEARNT
        and process.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    process.kill()
    process.wait()
    before, known = read_journal(path), resumed.samples_in(beside)
    with resumed.RemoteUpdater(resumed.SOURCE, rate=100.0) as updater:
        result = resumed.hybrid(updater).resume(path)
        received = updater._reported[0]
    after = read_journal(path)
    kept = np.array_equal(after.state[: before.steps, :-1], before.state[:, :-1])
    return Fate(
        f"killed after {before.steps} steps, resumed: {result.outcome.name}",
        0 < before.steps < result.steps,
        max(0, result.steps - after.steps),
        kept and received > known >= resumed.LEARNT,
        result.steps,
        "the filter continued",
    )


def test_killed_with_updater(folder: Path) -> Fate:
    """The test is killed with -9 while its updater runs.

    The updater's processes end by themselves.
    """
    resumed = with_updater()
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'updating')!r})\n"
        "import remote_spring as spring\nfrom femu.updating import RemoteUpdater\n"
        f"u = RemoteUpdater({resumed.SOURCE!r})\n"
        "p = spring.two_springs().compile()\nu.start(p, p.parameters.vector.copy())\n"
        "print(u._process.pid, flush=True)\nimport time; time.sleep(600)\n"
    )
    test = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert test.stdout is not None
    keeper = int(test.stdout.readline())
    family = [keeper, *children(keeper)]
    test.kill()
    test.wait()
    deadline = time.monotonic() + rig.PATIENCE
    while (left := [pid for pid in family if alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return Fate(
        f"{len(family)} processes ended" if not left else f"{len(left)} orphans",
        not left and len(family) == 2,
        0,
        None,
    )


def children(pid: int) -> list[int]:
    """Processes that a process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def process_faults(trials: int) -> dict[str, Fault]:
    """The faults, those at random instants several times each."""
    return {
        "numerical side killed": signalled(signal.SIGKILL, trials),
        "numerical side asked to end (SIGTERM)": signalled(signal.SIGTERM, trials),
        "terminal of the numerical side lost (SIGHUP)": signalled(signal.SIGHUP, trials),
        "numerical side interrupted (Ctrl-C)": signalled(signal.SIGINT, trials),
        "numerical side killed while it is resumed": killed_while_it_is_resumed,
        "numerical side killed away from its laboratory": killed_away_from_its_laboratory,
        "test resumed while it is still running": resumed_while_it_runs,
        "updater killed": updater_meets(lambda child: os.kill(child, signal.SIGKILL), True),
        "updater stopped for a while": updater_meets(
            lambda child: os.kill(child, signal.SIGSTOP), False
        ),
        "numerical side killed with its updater running": numerical_side_killed_with_updater,
        "test killed with its updater": test_killed_with_updater,
    }
