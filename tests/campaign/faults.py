"""Faults in a hybrid test: each is held or survived, no acknowledged sample is lost, and the resumed test is the whole one."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from femu.analyses import HybridResult
from femu.experimental import Measurement, read_journal
from femu.experimental import journal as journal_module
from femu.outcome import Outcome
from tests.campaign import proxy, rig
from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
FAULT_AT = 41  # number of the message that meets the fault: three a step
SMALL_DISK = "8m"
LEFT = 500_000  # bytes that are left of it


@dataclass
class Fate:
    """What became of a test."""

    outcome: str
    held: bool
    """Whether the test ended with the specimen held, or reached its end."""
    lost: int
    same: bool | None
    """Whether the test, resumed where it was interrupted, equals the whole one bit for bit; None where that has no meaning."""
    steps: int = 0
    sameness: str = "same bits"
    """What the comparison with the whole test showed."""

    @property
    def ok(self) -> bool:
        return self.held and self.lost == 0 and self.same is not False

    def __str__(self) -> str:
        return (f"{self.outcome}; {'held or finished' if self.held else 'NOT HELD'}; {self.lost} lost"
                + ("" if self.same is None else f"; {self.sameness}" if self.same else f"; NOT {self.sameness}"))


Fault = Callable[[Path], Fate]
Change = Callable[[int, Measurement], Measurement]


def _after(folder: Path, result: HybridResult, again: Callable[[], HybridResult], held: bool) -> Fate:
    """The fate of a test with its journal in this folder, resumed where it did not reach its end."""
    record = read_journal(folder / "test.h5")
    missing = rig.lost(result, record)
    outcome, steps = result.outcome.name, result.steps
    if result.outcome is not Outcome.COMPLETE:
        if record.steps == 0:
            os.remove(folder / "test.h5")
        final = again()
        outcome += f", resumed: {final.outcome.name}"
        steps = final.steps
    return Fate(outcome, held, missing, rig.same(rig.whole(folder), read_journal(folder / "test.h5")), steps)


def network(behave: Callable[[], proxy.Behaviour], udp: bool = False) -> Fault:
    """A network that behaves badly once; it is restored for the resumed test."""
    def fault(folder: Path) -> Fate:
        laboratory = rig.Laboratory(folder, udp)

        def test(behaviour: proxy.Behaviour, go: Callable[[Any], HybridResult]) -> HybridResult:
            with proxy.Proxy(laboratory.open(), behaviour, udp) as between:
                specimen = rig.remote(between.port, udp)
                result = go(rig.test_of(specimen))
                specimen.close()
                laboratory.close()
            return result

        def fine(direction: str, number: int, data: bytes) -> list[bytes]:
            return [data]

        def again() -> HybridResult:
            path = folder / "test.h5"
            return test(fine, lambda t: t.resume(path) if path.exists() else t.run(path))

        result = test(behave(), lambda t: t.run(folder / "test.h5"))
        held = result.outcome is Outcome.COMPLETE or laboratory.specimen.holds > 0 or laboratory.served[0].ending.ok
        fate = _after(folder, result, again, held)
        fate.lost += max(0, rig.STEPS - laboratory.moves())
        return fate

    return fault


def peer_killed(folder: Path) -> Fate:
    """The process of the laboratory is killed with -9; the specimen stays where it is, and another process takes it over."""
    def start(day: int) -> tuple[subprocess.Popen[bytes], int]:
        port = folder / f"port-{day}"
        earlier = [str(folder / f"laboratory-{d}.h5") for d in range(1, day)]
        process = subprocess.Popen([sys.executable, "-m", "tests.campaign.peer", str(port), str(folder / f"laboratory-{day}.h5"),
                                    *earlier], cwd=ROOT)
        deadline = time.monotonic() + 2 * rig.PATIENCE
        while not port.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return process, int(port.read_text())

    process, port = start(1)

    class Killing(rig.RemoteApplication):
        def commit(self, at: float) -> None:
            super().commit(at)
            if abs(at - 0.5 * rig.STEPS * rig.DT) < 0.5 * rig.DT:
                process.kill()
                process.wait()

    result = rig.test_of(Killing(1, port)).run(folder / "test.h5")
    others = []

    def again() -> HybridResult:
        other, port = start(2)
        others.append(other)
        specimen = rig.remote(port)
        final = rig.test_of(specimen).resume(folder / "test.h5")
        specimen.close()
        return final

    fate = _after(folder, result, again, result.outcome in (Outcome.PEER_LOST, Outcome.PEER_SILENT))
    for other in others:
        other.wait(rig.PATIENCE)
    return fate


def numerical_side_killed(folder: Path) -> Fate:
    """The process of the test is killed with -9 in a step of its own choice, after its command was measured or before."""
    lost, same, steps = 0, True, 0
    for trial, seconds in enumerate((0.0, 0.15, 0.4)):
        path = folder / f"killed-{trial}.h5"
        reading, writing = os.pipe()

        class Told(rig.Specimen):
            pipe = -1

            def apply(self, command: Any, time: float) -> Any:
                if self.pipe >= 0:
                    os.write(self.pipe, b".")  # the step before is acknowledged
                    globals()["time"].sleep(0.01)
                return super().apply(command, time)

        def make(pipe: int = -1, kind: Any = Told) -> Any:
            made = kind(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
            made.pipe = pipe
            return rig.test_of(made)

        child = os.fork()
        if child == 0:
            make(writing).run(path)
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        begun = 1
        while data := os.read(reading, 4096):
            begun += len(data)
        os.close(reading)
        record = read_journal(path)
        lost += max(0, begun - 1 - record.steps)
        if record.steps:
            make().resume(path)
        else:
            os.remove(path)
            make().run(path)
        steps += rig.STEPS
        same = same and rig.same(rig.whole(folder), read_journal(path))
    return Fate("killed, resumed: COMPLETE", True, lost, same, steps)


def clock_jumps(folder: Path) -> Fate:
    """The wall clock jumps an hour back and a day ahead while the test runs."""
    true = time.time
    jumps = iter([0.0] * 30 + [-3600.0] * 30 + [86400.0] * 10_000)

    class Jumping:
        time = staticmethod(lambda: true() + next(jumps))

    kept = journal_module.clock
    journal_module.clock = Jumping  # type: ignore[assignment]
    try:
        result = rig.test_of(rig.specimen()).run(folder / "test.h5")
    finally:
        journal_module.clock = kept
    return _after(folder, result, lambda: result, result.outcome is Outcome.COMPLETE)


@contextlib.contextmanager
def small_disk(folder: Path, size: str = SMALL_DISK) -> Iterator[Path]:
    """A small disk in memory; raises OSError where it cannot be mounted."""
    place = folder / "disk"
    place.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise OSError("only root mounts a disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True)
    if done.returncode:
        raise OSError(done.stderr.decode().strip())
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def disk_full(folder: Path) -> Fate:
    """The disk of the journal fills up; somebody makes room."""
    try:
        with small_disk(folder) as disk:
            class Filling(rig.Specimen):
                def apply(self, command: Any, time: float) -> Any:
                    if self._clock[0] == 20.0:  # somebody else fills the disk in the middle of the test
                        (disk / "other").write_bytes(bytes(shutil.disk_usage(disk).free - LEFT))
                    return super().apply(command, time)

            stone = Filling(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
            result = rig.test_of(stone).run(disk / "test.h5")
            record = read_journal(disk / "test.h5")
            missing = rig.lost(result, record)
            (disk / "other").unlink()
            final = rig.test_of(rig.specimen()).resume(disk / "test.h5")
            return Fate(f"{result.outcome.name}, resumed: {final.outcome.name}",
                        result.outcome is Outcome.JOURNAL_FULL and stone.holds > 0, missing,
                        rig.same(rig.whole(folder), read_journal(disk / "test.h5")), final.steps)
    except OSError as problem:
        if isinstance(problem, journal_module.FileError):
            raise
        return Fate(f"skipped: {problem}", True, 0, None)


def _with_force(measured: Measurement, force: float) -> Measurement:
    return Measurement(measured.displacement, np.array([force]), measured.time)


def _with_displacement(measured: Measurement, displacement: float) -> Measurement:
    return Measurement(np.array([displacement]), measured.force, measured.time)


class Wrong(rig.Specimen):
    """A specimen whose measurements are changed."""

    def __init__(self, change: Change) -> None:
        super().__init__(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
        self.change, self.commands = change, [0.0]

    def apply(self, command: Any, time: float) -> Measurement:
        self.commands.append(float(np.abs(command).max()))
        return self.change(len(self.commands) - 1, super().apply(command, time))


def once(change: Callable[[Measurement], Measurement], at: int = 20) -> Change:
    return lambda number, measured: change(measured) if number == at else measured


def measurement(change: Callable[[], Change], wanted: Outcome) -> Fault:
    """A specimen with a measurement that cannot be believed; it is sound when the test is resumed."""
    def fault(folder: Path) -> Fate:
        wrong = Wrong(change())
        result = rig.test_of(wrong).run(folder / "test.h5")
        refused = len(read_journal(folder / "test.h5").refused[rig.NAME])
        held = result.outcome is wanted and wrong.holds > 0 and max(wrong.commands) <= rig.REACH
        fate = _after(folder, result, lambda: rig.test_of(rig.specimen()).resume(folder / "test.h5"), held)
        fate.lost += refused != 1
        return fate

    return fault


def wild_over_the_network(folder: Path) -> Fate:
    """The laboratory sends a wild force once; its specimen stays where it is, and is measured again in the resumed test."""
    laboratory = rig.Laboratory(folder, stone=Wrong(once(lambda m: _with_force(m, 1e12))))

    def test(go: Callable[[Any], HybridResult]) -> HybridResult:
        specimen = rig.remote(laboratory.open())
        result = go(rig.test_of(specimen))
        specimen.close()
        laboratory.close()
        return result

    result = test(lambda t: t.run(folder / "test.h5"))
    held = result.outcome is Outcome.WILD_MEASUREMENT
    fate = _after(folder, result, lambda: test(lambda t: t.resume(folder / "test.h5")), held)
    fate.lost += len(read_journal(folder / "test.h5").refused[rig.NAME]) != 1
    return fate


class Stuck:
    """A sensor that shows one reading for ever, or until it is repaired."""

    def __init__(self, sensor: str, after: int = 60, until: int = 10**9) -> None:
        self.sensor, self.after, self.until = sensor, after, until
        self.kept: Any = None

    def __call__(self, number: int, measured: Measurement) -> Measurement:
        if number <= self.after:
            self.kept = measured
        if not self.after < number <= self.until:
            return measured
        if self.sensor == "force":
            return Measurement(measured.displacement, self.kept.force.copy(), measured.time)
        return Measurement(self.kept.displacement.copy(), measured.force, measured.time)


def stuck(sensor: str) -> Fault:
    """A sensor is stuck; it works again when the test is resumed.

    What it showed until it was found out is part of the test: the resumed test must equal one with the same readings that nobody
    looked at.
    """
    def fault(folder: Path) -> Fate:
        path, steps = folder / "test.h5", 10 * rig.STEPS
        wrong = Wrong(Stuck(sensor))
        result = rig.test_of(wrong, steps).run(path)
        record = read_journal(path)
        lost = rig.lost(result, record) + (len(record.refused[rig.NAME]) != 1)
        held = result.outcome is Outcome.STUCK_SENSOR and wrong.holds > 0 and result.steps < steps
        final = rig.test_of(rig.specimen(), steps).resume(path)
        rig.test_of(Wrong(Stuck(sensor, until=result.steps)), steps, unwatched=True).run(folder / "unwatched.h5")
        same = rig.same(read_journal(folder / "unwatched.h5"), read_journal(path))
        return Fate(f"{result.outcome.name}, resumed: {final.outcome.name}", held, lost, same, final.steps)

    return fault


def updater_killed(folder: Path) -> Fate:
    """The process of the updater is killed with -9: the test never waits for it, and another one goes on with its filter."""
    resumed = _with_updater()
    killed: list[int] = []
    heard: list[float] = []

    class Killer(resumed.RemoteUpdater):  # type: ignore[name-defined,misc]
        def update(self, step: int, at: float, displacement: Any, force: Any) -> None:
            super().update(step, at, displacement, force)
            if step == 400:
                self.old = self._worker
                heard.append(self._told[0])
                for child in children(self._process.pid):
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)
            deadline = time.monotonic() + rig.PATIENCE  # the rest of the test comes when another one is there
            while step == 450 and self._worker == self.old and time.monotonic() < deadline:
                time.sleep(0.02)
                super().update(step, at, displacement, force)

    with Killer(resumed.SOURCE, rate=100.0) as updater:
        result = resumed.hybrid(updater).run(folder / "test.h5")
        keeper, heard_at_last = updater._process, updater._told[0]
    record = read_journal(folder / "test.h5")
    gone = keeper is not None and keeper.poll() is not None
    return Fate(f"{result.outcome.name}, {len(killed)} killed", result.outcome is Outcome.COMPLETE and len(killed) == 1 and gone,
                max(0, result.steps - record.steps), heard_at_last > heard[0] > 0, result.steps, "the filter went on")


def numerical_side_killed_beside_updater(folder: Path) -> Fate:
    """The test is killed with -9 while its updater learns; the resumed test goes on with the filter."""
    resumed = _with_updater()
    path, beside = folder / "test.h5", folder / f"test.h5{resumed.BESIDE}"
    process = subprocess.Popen([sys.executable, "-c", resumed.SCRIPT, str(path)], cwd=folder)
    deadline = time.monotonic() + resumed.PATIENCE
    while resumed.samples_in(beside) < resumed.LEARNT and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    before, known = read_journal(path), resumed.samples_in(beside)
    with resumed.RemoteUpdater(resumed.SOURCE, rate=100.0) as updater:
        result = resumed.hybrid(updater).resume(path)
        heard = updater._told[0]
    after = read_journal(path)
    kept = np.array_equal(after.state[:before.steps, :-1], before.state[:, :-1])
    return Fate(f"killed after {before.steps} steps, resumed: {result.outcome.name}", 0 < before.steps < result.steps,
                max(0, result.steps - after.steps), kept and heard > known >= resumed.LEARNT, result.steps, "the filter went on")


def _with_updater() -> Any:
    """The test with an updater in another process, from where it is tested by itself."""
    if str(ROOT / "tests" / "updating") not in sys.path:
        sys.path.insert(0, str(ROOT / "tests" / "updating"))
    return importlib.import_module("test_remote_resumed")


def test_killed_with_updater(folder: Path) -> Fate:
    """The test is killed with -9 while its updater runs: the updater's processes end by themselves."""
    sys.path.insert(0, str(ROOT / "tests" / "updating"))
    import remote_spring as spring

    script = (f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'updating')!r})\n"
              "import remote_spring as spring\nfrom femu.updating import RemoteUpdater\n"
              f"u = RemoteUpdater({str(Path(spring.__file__))!r} + ':make_updater')\n"
              "p = spring.two_springs().compile()\nu.start(p, p.parameters.vector.copy())\n"
              "print(u._process.pid, flush=True)\nimport time; time.sleep(600)\n")
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
    return Fate(f"{len(family)} processes ended" if not left else f"{len(left)} orphans", not left and len(family) == 2, 0, None)


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


FAULTS: dict[str, Fault] = {
    "network cut and restored": network(lambda: proxy.at(FAULT_AT, lambda data: None)),
    "answer cut off in its middle": network(lambda: proxy.at(13, lambda data: [data[:100]], proxy.ANSWER)),
    "request cut off in its middle": network(lambda: proxy.at(FAULT_AT, lambda data: [data[:100]])),
    "messages delayed": network(lambda: proxy.delayed(0.01)),
    "messages in pieces": network(lambda: proxy.cut_up),
    "answer dropped": network(lambda: proxy.at(13, lambda data: [], proxy.ANSWER)),
    "UDP: request dropped": network(lambda: proxy.at(FAULT_AT, lambda data: []), udp=True),
    "UDP: answer dropped": network(lambda: proxy.at(13, lambda data: [], proxy.ANSWER), udp=True),
    "UDP: every answer twice": network(lambda: lambda way, n, data: [data, data] if way == proxy.ANSWER else [data], udp=True),
    "UDP: every request twice": network(lambda: lambda way, n, data: [data, data] if way == proxy.REQUEST else [data], udp=True),
    "UDP: requests in another order": network(lambda: proxy.Held(FAULT_AT), udp=True),
    "UDP: answer truncated": network(lambda: proxy.at(13, lambda data: [data[:-8]], proxy.ANSWER), udp=True),
    "peer killed": peer_killed,
    "numerical side killed": numerical_side_killed,
    "clock jumps back and ahead": clock_jumps,
    "disk full": disk_full,
    "measurement not a number": measurement(lambda: once(lambda m: _with_force(m, np.nan)), Outcome.BAD_MEASUREMENT),
    "measurement infinite": measurement(lambda: once(lambda m: _with_force(m, np.inf)), Outcome.BAD_MEASUREMENT),
    "wild force": measurement(lambda: once(lambda m: _with_force(m, 1e12)), Outcome.WILD_MEASUREMENT),
    "wild displacement": measurement(lambda: once(lambda m: _with_displacement(m, -1e3)), Outcome.WILD_MEASUREMENT),
    "wild force over the network": wild_over_the_network,
    "stuck load cell": stuck("force"),
    "stuck displacement sensor": stuck("displacement"),
    "updater killed": updater_killed,
    "numerical side killed beside its updater": numerical_side_killed_beside_updater,
    "test killed beside its updater": test_killed_with_updater,
}
WITH_UPDATER = {"updater killed", "numerical side killed beside its updater", "test killed beside its updater"}
LINUX_ONLY = {"numerical side killed", "disk full", *WITH_UPDATER}
SLOW = {"peer killed", *WITH_UPDATER}  # they start processes


def meet(name: str) -> Fate:
    """One fault; a hang is a fate too."""
    found: list[Fate] = []

    def go() -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found.append(FAULTS[name](Path(folder)))
            except Exception as problem:
                found.append(Fate(f"{type(problem).__name__}: {problem}", False, 0, None))

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    thread.join(10 * rig.PATIENCE)
    return found[0] if found else Fate("hung", False, 0, None)


def run(quick: bool) -> Tally:
    tally = Tally()
    for name in FAULTS:
        if name in LINUX_ONLY and sys.platform != "linux":
            continue
        fate = meet(name)
        tally.faults += 1
        tally.survived += fate.ok
        tally.lost += fate.lost
        tally.steps += fate.steps
        tally.lines.append((name, str(fate)))
        if not fate.ok:
            tally.failures.append(f"{name}: {fate}")
    return tally
