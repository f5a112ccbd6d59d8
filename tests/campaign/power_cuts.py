"""Power cuts: of the pages of a journal that were written since its last sync, any may be on the
disk, in any version.

The content of the file after every row, and after every growth of a table, is kept while a test
runs, with the moments of its syncs. A cut takes each page from some moment between the last sync
and the cut; or, in ascending order, the first pages from the cut and the others from the sync; or
it leaves the file without its end, or with zeros there. A journal after a cut must be read, hold
every row that was synced and no row that was not written. Slots of checkpoints are written over, so
that what was synced of them can be gone; never a checkpoint that was appended, and in a durable
test never the last one. The test is resumed after every cut: the specimen gets no command again
that was measured, and no other one; the journal then holds every measurement that it held, and the
commands of them all. Where a cut of a test that is not durable leaves several commands without
their measurements, the specimen has gone on farther than is known: the resume is refused, and
nothing is sent.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from femu.experimental import read_journal
from femu.experimental.journal import checkpoints, rows
from femu.experimental.journal.journal import Journal, Record
from femu.experimental.journal.rows import Rows
from femu.results.outcome import Outcome
from femu.support.errors import FemuError
from tests.campaign import rig
from tests.campaign.tally import Tally

PAGE = 4096  # bytes
QUICK, FULL = 10, 125  # cuts of each kind
STOPPED = 30  # commands
SHORT = 8  # rows by which tables grow in a third test: each of them several times
SPACED = 7  # steps from one appended checkpoint to the next, with slots between
TESTS = {
    "paced": (False, rows.GROWTH, 1),
    "durable": (True, rows.GROWTH, 1),
    "paced, growing": (False, SHORT, 1),
    "paced, slots": (False, SHORT, SPACED),
    "durable, slots": (True, rows.GROWTH, SPACED),
}
ENDLESS = ("truncated", "zeros at the end")
KINDS = ("any order", "ascending", *ENDLESS)
FARTHER = "read, not resumed: several commands lost their measurements"


@contextlib.contextmanager
def spaced(steps: int) -> Iterator[None]:
    """Journals with checkpoints appended at regular steps."""
    usual = checkpoints.steps_between
    checkpoints.steps_between = lambda numbers: steps
    try:
        yield
    finally:
        checkpoints.steps_between = usual


def recorded(path: Path, durable: bool, growth: int) -> tuple[list[bytes], list[int]]:
    """The file after every row and growth of a test that is stopped, and those after which it was
    synced."""
    versions: list[bytes] = []
    synced: list[int] = [0]
    add, resize, sync, usual = Rows.add, Rows.resize, Journal._sync, rows.GROWTH

    def adding(self: Rows, *row: Any, **options: Any) -> int:
        out = add(self, *row, **options)
        versions.append(path.read_bytes())
        return out

    def resizing(self: Rows, room: int) -> None:
        resize(self, room)
        versions.append(path.read_bytes())

    def syncing(self: Journal) -> None:
        sync(self)
        synced.append(max(0, len(versions) - 1))

    def stop(measured: Any) -> Any:
        raise KeyboardInterrupt

    try:
        Rows.add, Rows.resize, Journal._sync = adding, resizing, syncing  # type: ignore[method-assign]
        rows.GROWTH = growth
        rig.test_of(rig.Physical(stop, STOPPED), durable=durable).run(path)
    finally:
        Rows.add, Rows.resize, Journal._sync = add, resize, sync  # type: ignore[method-assign]
        rows.GROWTH = usual
    return versions, synced


def cut(versions: list[bytes], last: int, now: int, kind: str, rng: np.random.Generator) -> bytes:
    """What a cut after the row ``now`` leaves of a file that was synced after the row ``last``."""
    size = max(len(versions[last]), len(versions[now]))
    if kind in ENDLESS:
        kept = int(rng.integers(min(len(versions[last]), size - 1), size))
        return versions[now][:kept].ljust(size if kind != "truncated" else 0, b"\0")
    starts = range(0, size, PAGE)
    through = int(rng.integers(0, len(starts) + 1))
    out = bytearray()
    for number, start in enumerate(starts):
        written = (
            int(rng.integers(last, now + 1))
            if kind == "any order"
            else now
            if number < through
            else last
        )
        out += versions[written][start : start + PAGE].ljust(PAGE, b"\0")
    return bytes(out)


def rows_of(record: Record) -> list[Any]:
    return [
        record.command[rig.NAME][:, :-1],
        record.measured[rig.NAME][:, :-1],
        record.record[:, :2],
    ]


def judged(path: Path, every: Record, before: Record, at_least: int) -> list[str]:
    """What is wrong with a journal after a cut, that held ``before`` when it was synced, and of
    it at least ``at_least`` steps.

    ``every`` is the journal of the whole test, with the state of every step.
    """
    try:
        found = read_journal(path)
    except Exception as problem:
        return [f"unreadable: {type(problem).__name__}"]
    out = []
    for known, synced, came in zip(
        rows_of(every)[:2], rows_of(before)[:2], rows_of(found)[:2], strict=True
    ):
        out += ["wrong rows"] if not np.array_equal(known[: len(came)], came) else []
        out += ["rows lost"] if len(came) < len(synced) else []
    steps = found.state[:, 0].astype(int)
    out += (
        ["wrong rows"]
        if not np.array_equal(every.state[steps - 1, :-1], found.state[:, :-1])
        else []
    )
    out += (
        ["wrong rows"]
        if not np.array_equal(rows_of(every)[2][: found.steps], rows_of(found)[2])
        else []
    )
    return out + (
        ["rows lost"] if found.steps < at_least or found.steps != steps.max(initial=0) else []
    )


def resumed(path: Path, whole: Record, durable: bool) -> list[str]:
    """What is wrong with a test that is resumed after a cut, or that it must not be resumed."""
    before = read_journal(path)
    done = max(before.steps, len(before.measured[rig.NAME]))
    stone = rig.Physical()
    for row in whole.command[rig.NAME][: max(done, len(before.command[rig.NAME]))]:
        # the laboratory has the specimen where the journal ends
        stone.inner.apply(row[2:-1], float(row[1]))
    try:
        outcome = rig.test_of(stone).resume(path).outcome
    except FemuError as problem:
        sent, measured = before.command[rig.NAME][:, 1], before.measured[rig.NAME][:, 1]
        lost = np.setdiff1d(sent, measured)
        if not durable and len(lost) > 1 and not stone.commands:
            return [FARTHER]
        return [f"refused to be resumed: {type(problem).__name__}"]
    if outcome is not Outcome.COMPLETE:
        return [f"resumed: {outcome.name}"]
    wanted = whole.commands(rig.NAME)[done:, 0].tolist()
    after = read_journal(path)
    kept = np.isin(before.measured[rig.NAME], after.measured[rig.NAME]).all()
    return (
        (["commands repeated or different"] if stone.commands != wanted else [])
        + (["measurements lost by the resume"] if not kept else [])
        + (["journal of the resumed test differs"] if not _same(whole, after) else [])
    )


def _same(whole: Record, after: Record) -> bool:
    """Whether two journals hold the same bits of commands, measurements, the last state, and what
    they keep of every step."""
    kept = (
        after.kept_columns
        if after.kept_columns is not None
        else np.arange(whole.state.shape[1] - 3)
    )
    return (
        after.steps == whole.steps
        and np.array_equal(after.state[-1, :-1], whole.state[-1, :-1])
        and all(
            np.array_equal(one, other)
            for one, other in (
                (whole.commands(rig.NAME), after.commands(rig.NAME)),
                (whole.measured[rig.NAME][:, :-1], after.measured[rig.NAME][:, :-1]),
                *(
                    (
                        checkpoints.of_every_step(r, kept[kept < r.state.shape[1] - 3])
                        for r in (whole, after)
                    ),
                ),
            )
        )
    )


def run(quick: bool) -> Tally:
    tally, rng = Tally(), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = QUICK if quick else FULL
        with spaced(1):
            every = rig.whole(folder)
        for tested, (durable, growth, steps) in TESTS.items():
            with spaced(steps):
                for kind, wrong in _cut_in_every_way(
                    folder, every, durable, growth, steps, count, rng
                ).items():
                    said = ", ".join(
                        f"{number} {problem}" for problem, number in wrong.items() if problem
                    )
                    tally.faults += count
                    tally.survived += wrong[""] + wrong[FARTHER]
                    what = f"{tested}, {kind}"
                    tally.lines.append(
                        (
                            what,
                            f"{count} cuts: "
                            f"{said or 'all read and resumed, nothing lost, no wrong row'}",
                        )
                    )
                    if set(wrong) - {"", FARTHER}:
                        tally.failures.append(f"{what}: {said}")
    return tally


def _cut_in_every_way(
    folder: Path,
    every: Record,
    durable: bool,
    growth: int,
    steps: int,
    count: int,
    rng: np.random.Generator,
) -> dict[str, Counter[str]]:
    """What was wrong after a number of cuts of each kind, and how often.

    "" counts the cuts after which nothing was.
    """
    path, then, test = (folder / f"{name}.h5" for name in ("cut", "then", "test"))
    test.unlink(missing_ok=True)
    versions, synced = recorded(test, durable, growth)
    out: dict[str, Counter[str]] = {}
    for kind in KINDS:
        out[kind] = wrong = Counter()
        for _ in range(count):
            now = int(rng.integers(1, len(versions)))
            last = max(s for s in synced if s <= now) if durable else int(rng.integers(0, now))
            path.write_bytes(cut(versions, last, now, kind, rng))
            then.write_bytes(versions[last])
            before = read_journal(then)
            at_least = before.steps if durable else before.steps // steps * steps
            if kind in ENDLESS and len(versions[now]) == len(versions[last]):
                # what the cut takes was synced: as a copy that was stopped
                at_least = at_least if steps == 1 else 0
            found = judged(path, every, before, at_least) or resumed(path, every, durable)
            wrong.update(set(found) or {""})
    return out
