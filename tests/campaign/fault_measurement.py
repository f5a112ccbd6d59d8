"""Faults of sensors, of specimens and of what is called while a step is taken."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu.experimental import Measurement, read_journal
from femu.results.outcome import Outcome
from tests.campaign import rig
from tests.campaign.fate import Fate, Fault, after
from tests.campaign.fault_network import Wrong

Change = Callable[[int, Measurement], Measurement]


def _with_force(measured: Measurement, force: float) -> Measurement:
    return Measurement(measured.displacement, np.array([force]), measured.time)


def _with_displacement(measured: Measurement, displacement: float) -> Measurement:
    return Measurement(np.array([displacement]), measured.force, measured.time)


def once(change: Callable[[Measurement], Any], at: int = 20) -> Change:
    return lambda number, measured: change(measured) if number == at else measured


def measurement(change: Callable[[], Change], wanted: Outcome) -> Fault:
    """A specimen with a measurement that cannot be believed.

    It is sound when the test is resumed.
    """

    def fault(folder: Path) -> Fate:
        wrong = Wrong(change())
        result = rig.test_of(wrong).run(folder / "test.h5")
        refused = len(read_journal(folder / "test.h5").refused[rig.NAME])
        held = result.outcome is wanted and wrong.holds > 0 and max(wrong.commands) <= rig.REACH
        fate = after(
            folder, result, lambda: rig.test_of(rig.specimen()).resume(folder / "test.h5"), held
        )
        fate.lost += refused != 1
        return fate

    return fault


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

    What it showed until it was found out is part of the test: the resumed test must equal one with
    the same readings that nobody looked at.
    """

    def fault(folder: Path) -> Fate:
        path, steps = folder / "test.h5", 10 * rig.STEPS
        wrong = Wrong(Stuck(sensor))
        result = rig.test_of(wrong, steps).run(path)
        record = read_journal(path)
        lost = rig.lost(result, record) + (len(record.refused[rig.NAME]) != 1)
        held = result.outcome is Outcome.STUCK_SENSOR and wrong.holds > 0 and result.steps < steps
        final = rig.test_of(rig.specimen(), steps).resume(path)
        rig.test_of(Wrong(Stuck(sensor, until=result.steps)), steps, unwatched=True).run(
            folder / "unwatched.h5"
        )
        same = rig.same(read_journal(folder / "unwatched.h5"), read_journal(path))
        return Fate(
            f"{result.outcome.name}, resumed: {final.outcome.name}", held, lost, same, final.steps
        )

    return fault


def physical(
    happens: Callable[[Any], Any],
    wanted: str,
    measured: int,
    refused: int,
    at: int = 20,
    **options: Any,
) -> Fault:
    """Something happens to a test of a physical specimen: it is held, every command has its row,
    and it moves once a step.

    ``wanted`` is the outcome, or the exception that the test ends with. Of the rows beyond the
    committed steps, that many are ``measured``, or ``refused``.
    """

    def fault(folder: Path) -> Fate:
        path, stone = folder / "test.h5", rig.Physical()
        test = rig.test_of(stone, **{name: make() for name, make in options.items()})
        stone.at = at
        happens(stone)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it could not be held
            try:
                ended = test.run(path).outcome.name
            except Exception as problem:
                ended = type(problem).__name__
        record = read_journal(path)
        lost = len(stone.commands) - len(record.measured[rig.NAME]) - len(record.refused[rig.NAME])
        held = (
            ended == wanted
            and stone.holds > 0
            and len(record.measured[rig.NAME]) == record.steps + measured
            and len(record.refused[rig.NAME]) == refused
            and record.ending is not None
            and bool(record.message)
        )
        moved = len(stone.commands)
        stone.happens = None
        stone.__dict__.pop("commit", None)
        stone.__dict__.pop("hold", None)
        final = rig.test_of(stone, **{name: make() for name, make in options.items()}).resume(path)
        # what was measured is not measured again, and what was refused once more
        held = held and len(stone.commands) == rig.STEPS + refused and moved == at
        return Fate(
            f"{ended}, resumed: {final.outcome.name}",
            held and final.outcome is Outcome.COMPLETE,
            abs(lost),
            rig.same(rig.whole(folder), read_journal(path)),
            final.steps,
        )

    return fault


def answers(what: Callable[[Measurement], Any]) -> Callable[[Any], None]:
    def happens(stone: Any) -> None:
        stone.happens = what

    return happens


def in_commit(problem: BaseException) -> Callable[[Any], None]:
    """Something fails when the step is already taken, and not yet in the journal."""

    def happens(stone: Any) -> None:
        def commit(time: float) -> None:
            if len(stone.commands) == stone.at:
                raise problem

        stone.commit = commit

    return happens


def not_held(stone: Any) -> None:
    """What it answers is nonsense, and then it cannot even be held."""

    def hold() -> None:
        stone.holds += 1
        raise OSError("no hydraulics")

    stone.happens, stone.hold = (lambda measured: None), hold


class Learner:
    """An updater whose own arithmetic fails."""

    element, names = rig.NAME, ()

    def start(self, program: Any, parameters: Any) -> None:
        pass

    def update(self, step: int, time: float, displacement: Any, force: Any) -> None:
        if step == 20 and not Learner.failed:
            Learner.failed = True
            raise FloatingPointError("overflow")

    def checkpoint(self) -> Any:
        return np.zeros(0)

    def restore(self, values: Any) -> None:
        pass

    failed = False


def learner() -> Learner:
    return Learner()


def updater_fails(folder: Path) -> Fate:
    """The updater raises an exception: the sample of the step is there already."""
    Learner.failed = False
    fault = physical(lambda stone: None, "FloatingPointError", 1, 0, updater=learner)
    return fault(folder)


def second_specimen_fails(folder: Path) -> Fate:
    """Of two specimens the first has moved when the second fails: it is not moved again."""
    path, first, second = folder / "test.h5", rig.Physical(), rig.Physical(lambda measured: None)
    result = rig.test_of(first, second=second).run(path)
    record = read_journal(path)
    held = (
        result.outcome is Outcome.BAD_MEASUREMENT
        and first.holds > 0
        and second.holds > 0
        and len(first.commands) == 20
        and len(record.measured[rig.NAME]) == 20
        and len(record.measured[rig.SECOND]) == 19
        and len(record.refused[rig.SECOND]) == 1
    )
    second.happens = None
    final = rig.test_of(first, second=second).resume(path)
    held = held and len(first.commands) == rig.STEPS and len(second.commands) == rig.STEPS + 1
    rig.test_of(rig.Physical(), second=rig.Physical()).run(folder / "both.h5")
    one, two = read_journal(folder / "both.h5"), read_journal(path)
    same = rig.same(one, two) and np.array_equal(
        one.measured[rig.SECOND][:, :-1], two.measured[rig.SECOND][:, :-1]
    )
    return Fate(
        f"{result.outcome.name}, resumed: {final.outcome.name}",
        held,
        rig.lost(result, record),
        same,
        final.steps,
    )


def specimen_moved(folder: Path) -> Fate:
    """Overnight the laboratory brings the actuator back.

    The test is not resumed until it is where the journal ends.
    """
    path, stone = folder / "test.h5", rig.Physical()
    in_commit(KeyboardInterrupt())(stone)
    stone.at = 35
    result = rig.test_of(stone).run(path)
    del stone.commit
    standing, far = stone.inner.position, stone.inner.position + 0.01
    stone.inner._position[:] = far
    refused = rig.test_of(stone).resume(path)
    held = (
        refused.outcome is Outcome.SPECIMEN_LIMIT
        and len(stone.commands) == 35
        and stone.inner.position[0] == far[0]
    )
    stone.inner._position[:] = standing
    fate = after(
        folder, result, lambda: rig.test_of(stone).resume(path), held and len(stone.commands) == 35
    )
    fate.outcome = f"{result.outcome.name}, resumed: {refused.outcome.name}, COMPLETE"
    fate.lost += abs(len(stone.commands) - rig.STEPS)
    return fate


def out_of_memory(measured: Measurement) -> Any:
    """The memory is there again when the measurement is written."""

    class Heavy:
        force, time, looks = measured.force, measured.time, 0

        @property
        def displacement(self) -> Any:
            self.looks += 1
            if self.looks == 1:
                raise MemoryError
            return measured.displacement

    return Heavy()


MEASUREMENT_FAULTS: dict[str, Fault] = {
    "measurement not a number": measurement(
        lambda: once(lambda m: _with_force(m, np.nan)), Outcome.BAD_MEASUREMENT
    ),
    "measurement infinite": measurement(
        lambda: once(lambda m: _with_force(m, np.inf)), Outcome.BAD_MEASUREMENT
    ),
    "force outlier": measurement(
        lambda: once(lambda m: _with_force(m, 1e12)), Outcome.WILD_MEASUREMENT
    ),
    "displacement outlier": measurement(
        lambda: once(lambda m: _with_displacement(m, -1e3)), Outcome.WILD_MEASUREMENT
    ),
    "force outlier in the first step": measurement(
        lambda: once(lambda m: _with_force(m, 1e12), 1), Outcome.WILD_MEASUREMENT
    ),
    "force outlier in the last step": measurement(
        lambda: once(lambda m: _with_force(m, 1e12), rig.STEPS), Outcome.WILD_MEASUREMENT
    ),
    "stuck load cell": stuck("force"),
    "stuck displacement sensor": stuck("displacement"),
    "specimen answers nonsense and cannot be held": physical(not_held, "BAD_MEASUREMENT", 0, 1),
    "memory runs out over a measurement": physical(answers(out_of_memory), "MemoryError", 0, 1),
    "stopped between measurement and commit": physical(
        in_commit(KeyboardInterrupt()), "STOPPED_BY_USER", 1, 0
    ),
    "stopped in the first step": physical(
        in_commit(KeyboardInterrupt()), "STOPPED_BY_USER", 1, 0, 1
    ),
    "stopped in the last step": physical(
        in_commit(KeyboardInterrupt()), "STOPPED_BY_USER", 1, 0, rig.STEPS
    ),
    "updater fails": updater_fails,
    "second of two specimens fails": second_specimen_fails,
    "specimen moved before the test is resumed": specimen_moved,
}
