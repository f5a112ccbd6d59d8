"""Faults in a hybrid test: each is held or survived, no acknowledged sample is lost, and the resumed test is the whole one."""

from __future__ import annotations

import contextlib
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
from typing import Any, ClassVar

import numpy as np

from femu.analyses import HybridResult
from femu.experimental import journal as journal_module
from femu.experimental import read_journal
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

    @property
    def ok(self) -> bool:
        return self.held and self.lost == 0 and self.same is not False

    def __str__(self) -> str:
        return (f"{self.outcome}; {'held or finished' if self.held else 'NOT HELD'}; {self.lost} lost"
                + ("" if self.same is None else "; same bits" if self.same else "; OTHER BITS"))


Fault = Callable[[Path], Fate]


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


def measurement(change: Callable[[int, Any], Any], wanted: tuple[Outcome, ...], finite: bool = False) -> Fault:
    """A specimen whose measurement of one step is changed; it is sound when the test is resumed."""
    def fault(folder: Path) -> Fate:
        class Wrong(rig.Specimen):
            commands: ClassVar[list[float]] = []

            def apply(self, command: Any, time: float) -> Any:
                self.commands.append(float(np.abs(command).max()))
                return change(len(self.commands), super().apply(command, time))

        Wrong.commands = []
        wrong = Wrong(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
        result = rig.test_of(wrong).run(folder / "test.h5")
        held = result.outcome in wanted and (result.outcome is Outcome.COMPLETE or wrong.holds > 0)
        held = held and max(Wrong.commands) <= rig.REACH
        if finite:  # a false number was believed: the test is another one, and stays within its limits
            return Fate(result.outcome.name, held, rig.lost(result, read_journal(folder / "test.h5")), None, result.steps)
        return _after(folder, result, lambda: rig.test_of(rig.specimen()).resume(folder / "test.h5"), held)

    return fault


def _with_force(measured: Any, force: float) -> Any:
    return type(measured)(measured.displacement, np.array([force]), measured.time)


class Stuck:
    """A load cell that shows its tenth reading for ever."""

    def __init__(self) -> None:
        self.kept: Any = None

    def __call__(self, number: int, measured: Any) -> Any:
        if number <= 10:
            self.kept = measured.force.copy()
        return type(measured)(measured.displacement, self.kept.copy(), measured.time)


def updater_killed(folder: Path) -> Fate:
    """The process of the updater is killed with -9: the test never waits for it, and another one takes its place."""
    sys.path.insert(0, str(ROOT / "tests" / "updating"))
    import remote_spring as spring

    from femu import GroundMotion
    from femu.analyses import HybridTest, Pace
    from femu.updating import RemoteUpdater

    killed: list[int] = []

    class Killer(RemoteUpdater):
        def update(self, step: int, at: float, displacement: Any, force: Any) -> None:
            super().update(step, at, displacement, force)
            if step == 100 and self._process is not None:
                for child in children(self._process.pid):
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)

    with Killer(f"{Path(spring.__file__)}:make_updater", rate=100.0) as updater:
        test = HybridTest(spring.two_springs(), GroundMotion.el_centro(), dt=0.004, duration=1.2, pace=Pace(250.0),
                          updater=updater)
        result = test.run(folder / "test.h5")
        keeper = updater._process
    record = read_journal(folder / "test.h5")
    gone = keeper is not None and keeper.poll() is not None
    return Fate(f"{result.outcome.name}, {len(killed)} killed", result.outcome is Outcome.COMPLETE and len(killed) == 1 and gone,
                max(0, result.steps - record.steps), None, result.steps)


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
    "measurement not a number": measurement(lambda n, m: _with_force(m, np.nan) if n == 20 else m, (Outcome.BAD_MEASUREMENT,)),
    "measurement infinite": measurement(lambda n, m: _with_force(m, np.inf) if n == 20 else m, (Outcome.BAD_MEASUREMENT,)),
    "wild measurement": measurement(lambda n, m: _with_force(m, 1e12) if n == 20 else m, (Outcome.SPECIMEN_LIMIT,), True),
    "stuck sensor": measurement(Stuck(), (Outcome.COMPLETE, Outcome.SPECIMEN_LIMIT), True),
    "updater killed": updater_killed,
    "test killed beside its updater": test_killed_with_updater,
}
LINUX_ONLY = {"numerical side killed", "disk full", "updater killed", "test killed beside its updater"}
SLOW = {"updater killed", "test killed beside its updater", "peer killed"}  # they start processes


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
    thread.join(4 * rig.PATIENCE)
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
