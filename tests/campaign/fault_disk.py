"""Faults of the disk and of the clock."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from femu.analyses import HybridResult
from femu.experimental import read_journal
from femu.experimental.errors import JournalFull
from femu.experimental.journal.rows import CHUNK_FLOATS
from femu.results.outcome import Outcome
from femu.support.errors import FemuError, FileError
from tests.campaign import rig
from tests.campaign.fate import Fate, Fault, after

SMALL_DISK = "8m"
LEFT = 500_000  # bytes that are left of it
JUMPS = {"back": -3600.0, "ahead": 86400.0}  # seconds


@contextlib.contextmanager
def small_disk(folder: Path, size: str = SMALL_DISK) -> Iterator[Path]:
    """A small disk in memory; raises OSError where it cannot be mounted."""
    place = folder / "disk"
    place.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise OSError("only root mounts a disk")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True
    )
    if done.returncode:
        raise OSError(done.stderr.decode().strip())
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def needs_disk(fault: Callable[[Path, Path], Fate]) -> Fault:
    """A fault that needs a small disk of its own; skipped where none can be mounted."""

    @functools.wraps(fault)
    def skipped(folder: Path) -> Fate:
        with contextlib.ExitStack() as stack:
            try:
                disk = stack.enter_context(small_disk(folder))
            except OSError as problem:
                return Fate(f"skipped: {problem}", True, 0, None)
            return fault(folder, disk)

    del skipped.__wrapped__  # type: ignore[attr-defined]
    return skipped


def fill(disk: Path, left: int = LEFT) -> None:
    """Somebody else fills the disk."""
    (disk / "other").write_bytes(bytes(shutil.disk_usage(disk).free - left))


class Filling(rig.Specimen):
    """While it moves for the n-th time, somebody fills the disk."""

    disk, at, left = Path(), 20, LEFT

    def apply(self, command: Any, time: float) -> Any:
        if self._clock[0] == self.at - 1:
            fill(self.disk, self.left)
        return super().apply(command, time)


def filling(disk: Path, at: int, left: int) -> Filling:
    made = Filling(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
    made.disk, made.at, made.left = disk, at, left
    return made


def _resumed(
    folder: Path, disk: Path, result: HybridResult, held: bool, steps: int = rig.STEPS
) -> Fate:
    missing = rig.lost(result, read_journal(disk / "test.h5"))
    (disk / "other").unlink(missing_ok=True)
    final = rig.test_of(rig.specimen(), steps).resume(disk / "test.h5")
    return Fate(
        f"{result.outcome.name}, resumed: {final.outcome.name}",
        held and final.outcome is Outcome.COMPLETE,
        missing,
        rig.same(rig.whole(folder, steps), read_journal(disk / "test.h5")),
        final.steps,
    )


@needs_disk
def disk_full(folder: Path, disk: Path) -> Fate:
    """The disk of the journal fills up; the next command does not leave; somebody makes room."""
    stone = filling(disk, 20, LEFT)
    result = rig.test_of(stone).run(disk / "test.h5")
    held = result.outcome is Outcome.JOURNAL_FULL and stone.holds > 0 and stone._clock[0] == 20
    return _resumed(folder, disk, result, held)


@needs_disk
def disk_full_in_a_step(folder: Path, disk: Path) -> Fate:
    """Not a byte is left just when a step must be written.

    The system refuses to write, and HDF5 cannot close its file.
    """
    width = rig.whole(folder, 200).specimens.shape[1]
    at = CHUNK_FLOATS // width + 1  # the step whose row begins a new chunk
    stone = filling(disk, at, 0)
    result = rig.test_of(stone, 200).run(disk / "test.h5")
    held = (
        result.outcome is Outcome.JOURNAL_FULL
        and stone.holds > 0
        and "No space left" in result.message
    )
    return _resumed(folder, disk, result, held, 200)


def _refused(
    folder: Path,
    disk: Path,
    wanted: type[FemuError],
    before: Callable[[], None],
    after_it: Callable[[], None],
) -> Fate:
    """The test is interrupted in its 20th step.

    Then its disk keeps it from being resumed, and the journal stays as it is.
    """
    path = disk / "test.h5"
    result = rig.test_of(rig.Stopping(20)).run(path)
    kept = path.read_bytes()
    before()
    stone = rig.specimen()
    try:
        rig.test_of(stone).resume(path)
        refusal: Exception | None = None
    except Exception as problem:
        refusal = problem
    held = (
        isinstance(refusal, wanted)
        and bool(str(refusal))
        and stone._clock[0] <= 19
        and path.read_bytes() == kept
    )
    after_it()
    fate = _resumed(
        folder, disk, result, held and sorted(p.name for p in disk.iterdir()) == ["test.h5"]
    )
    fate.outcome = f"{result.outcome.name}, resumed: {type(refusal).__name__}, COMPLETE"
    return fate


@needs_disk
def disk_full_when_resumed(folder: Path, disk: Path) -> Fate:
    """There is no room for the copy of the journal with which a resumed test begins."""
    return _refused(
        folder, disk, JournalFull, lambda: fill(disk, 1_200_000), lambda: (disk / "other").unlink()
    )


@needs_disk
def read_only_when_resumed(folder: Path, disk: Path) -> Fate:
    """The folder of the journal has become read-only."""

    def remount(how: str) -> None:
        subprocess.run(
            ["mount", "-o", f"remount,{how}", str(disk)], check=True, capture_output=True
        )

    return _refused(folder, disk, FileError, lambda: remount("ro"), lambda: remount("rw"))


def journal_lost(how: Callable[[Path], Any]) -> Fault:
    """Somebody deletes or replaces the journal while the test runs.

    The next command does not leave, and all rows are rescued.
    """

    def fault(folder: Path) -> Fate:
        path = folder / "test.h5"

        def happens(measured: Any) -> Any:
            how(path)
            return measured

        stone = rig.Physical(happens)
        result = rig.test_of(stone).run(path)
        named = [
            word.rstrip(":")
            for word in result.message.split()
            if word.startswith(str(folder)) and word.endswith(":")
        ]
        rescued = Path(named[0])
        held = (
            result.outcome is Outcome.JOURNAL_FULL and stone.holds > 0 and len(stone.commands) == 20
        )
        stone.happens = None
        missing = max(0, 20 - len(read_journal(rescued).measured[rig.NAME]))
        final = rig.test_of(stone).resume(rescued)
        same = (
            rig.same(rig.whole(folder), read_journal(rescued)) and len(stone.commands) == rig.STEPS
        )
        return Fate(
            f"{result.outcome.name}, resumed: {final.outcome.name}",
            held and final.outcome is Outcome.COMPLETE,
            missing,
            same,
            final.steps,
        )

    return fault


def _replaced(path: Path) -> None:
    """What programs do that keep two folders alike."""
    shutil.copy(path, path.with_name("copy"))
    os.replace(path.with_name("copy"), path)


def power_cut(folder: Path) -> Fate:
    """A power cut takes what was committed of the last steps and leaves what was measured.

    No command is sent again.
    """
    path = folder / "test.h5"

    def happens(measured: Any) -> Any:
        raise KeyboardInterrupt

    stone = rig.Physical(happens)
    rig.test_of(stone).run(path)
    with h5py.File(path, "r+") as file:
        for table in ("state", "specimens", "record"):
            file[f"committed/{table}"][12:, -1] = np.nan  # as rows that were never written
    stone.happens = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        kept = len(read_journal(path).measured[rig.NAME])
        final = rig.test_of(stone).resume(path)
    named = any("rows of committed, from row 12 on" in str(one.message) for one in said)
    record = read_journal(path)
    # the command that was interrupted has no measurement, and is sent once more
    again = len(stone.commands) - rig.STEPS - 1
    return Fate(
        f"12 of {kept} measured steps committed, resumed: {final.outcome.name}",
        final.outcome is Outcome.COMPLETE and again == 0 and named,
        max(0, rig.STEPS - len(record.measured[rig.NAME])),
        rig.same(rig.whole(folder), record),
        final.steps,
    )


def clock_jumps(way: str) -> Fault:
    """The wall clock jumps while a test runs over the network.

    It is stamped as it is, and nothing waits for it.
    """

    def fault(folder: Path) -> Fate:
        laboratory, true, calls = rig.Laboratory(folder), time.time, [0]

        def jumping() -> float:
            calls[0] += 1
            return true() + (JUMPS[way] if calls[0] > 60 else 0.0)

        specimen = rig.remote(laboratory.open())
        time.time = jumping
        try:
            result = rig.test_of(specimen).run(folder / "test.h5")
            specimen.close()
            laboratory.close()
        finally:
            time.time = true
        stamps = read_journal(folder / "test.h5").measured[rig.NAME][:, -1]
        jumped = np.diff(stamps)
        seen = (
            len(stamps) == rig.STEPS
            and abs(jumped[np.argmax(np.abs(jumped))] - JUMPS[way]) < rig.PATIENCE
        )
        return after(
            folder, result, lambda: result, result.outcome is Outcome.COMPLETE and bool(seen)
        )

    return fault


DISK_FAULTS: dict[str, Fault] = {
    "disk full": disk_full,
    "disk full in the middle of a step": disk_full_in_a_step,
    "disk full when the test is resumed": disk_full_when_resumed,
    "folder read-only when the test is resumed": read_only_when_resumed,
    "journal deleted while the test runs": journal_lost(Path.unlink),
    "journal replaced while the test runs": journal_lost(_replaced),
    "power cut that takes committed steps": power_cut,
    "clock jumps back": clock_jumps("back"),
    "clock jumps ahead": clock_jumps("ahead"),
}
