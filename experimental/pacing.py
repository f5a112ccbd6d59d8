"""Real-time pacing: steps at a fixed rate, with the overruns counted.

A step that is not done when the next one is due overruns. The next step then begins at once, and
the schedule counts from there: time lost is not caught up, since a specimen cannot move faster to
make up for it.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.model.parameters import finite
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
# seconds before a step is due: sleeping ends late by up to about this much, so the rest is waited
# for awake
SPIN = 3e-4
# of a period, slept at least with real-time priority: a task that never sleeps is stopped for 50 ms
# in each second
REST = 0.1
THROTTLE = Path("/proc/sys/kernel/sched_rt_runtime_us")
# seconds from step to step: nobody waits longer, and systems cannot sleep for centuries
LONGEST = 86400.0
PERCENTILES = {50.0: "half below", 99.0: "99 % below", 99.9: "99.9 % below", 100.0: "longest"}


@dataclass(frozen=True)
class Pace:
    """Take steps at a ``rate`` (a second of wall clock).

    ``priority`` (1 to 99) asks the system for its first-in-first-out scheduling, ``core`` binds the
    test to a processor. Where the system does not allow one of them, the test runs without it and
    its result says so. ``awake`` waits for the next step without sleeping: it keeps a processor
    busy, and is for machines that wake up late, as virtual ones do. While a test runs, Python's
    garbage collector is off. ``clock`` and ``sleep`` are those of the system unless given.
    """

    rate: float = 1024.0
    priority: int | None = None
    core: int | None = None
    awake: bool = False
    clock: Callable[[], float] = field(default=time.perf_counter, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if not finite(self.rate) or not self.rate > 0.0:
            raise InputError(
                "Pace", "rate", self.rate, "must be above 0", fix="give it in steps per second"
            )
        if self.rate * LONGEST < 1.0:
            raise InputError(
                "Pace",
                "rate",
                self.rate,
                f"must be at least {1.0 / LONGEST:.3g}, a step a day",
                fix="give it in steps per second",
            )
        for name, low, high in (("priority", 1, 99), ("core", 0, 1 << 16)):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high
            ):
                raise InputError(
                    "Pace", name, value, f"must be a whole number from {low} to {high}"
                )
        if not isinstance(self.awake, bool):
            raise InputError("Pace", "awake", self.awake, "must be True or False")


@dataclass(frozen=True)
class PaceReport:
    """How the pace was held.

    Steps that overran, and the distribution of the step times in seconds.
    """

    rate: float
    steps: int
    overruns: int
    step_times: dict[str, float]  # by percentile: "50", "99", "99.9", "100"
    notes: tuple[str, ...]

    def __str__(self) -> str:
        times = ", ".join(
            f"{share_name} {1e3 * self.step_times[f'{share:g}']:.3g} ms"
            for share, share_name in PERCENTILES.items()
        )
        return " ".join(
            [
                f"{self.overruns} of {self.steps} steps were late at {self.rate:g} a second; step "
                f"times: {times}.",
                *self.notes,
            ]
        )

    def as_data(self) -> dict[str, Any]:
        """As plain data, for files."""
        return asdict(self)


class Pacer:
    """Holds a pace for one test.

    Use as a context: on leaving, scheduling and garbage collector are as before.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace, self.period = pace, 1.0 / pace.rate
        self.notes: list[str] = []
        self.overruns = 0
        self._first_in_line = False
        self._due: float | None = None
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> Pacer:
        if gc.isenabled():
            self._undo.append(gc.enable)
        gc.collect()
        gc.disable()
        if self.pace.core is not None:
            self._bind(self.pace.core)
        if self.pace.priority is not None:
            self._raise(self.pace.priority)
        return self

    def __exit__(self, *_: object) -> None:
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()

    def wait(self) -> bool:
        """Wait until the next step is due; returns whether the step before it overran."""
        clock = self.pace.clock
        now = clock()
        if self._due is None:
            self._due = now
            return False
        self._due += self.period
        if now > self._due:
            self._due = now
            self.overruns += 1
            return True
        if not self.pace.awake:
            left = self._due - now
            rest = max(left - SPIN, min(REST * self.period, left) if self._first_in_line else 0.0)
            if rest > 0.0:
                self.pace.sleep(rest)
        while clock() < self._due:
            pass
        return False

    def report(self, step_times: Array, late: int | None = None) -> PaceReport:
        """How the pace was held; ``late`` steps are those that it counted itself unless given."""
        known = step_times[np.isfinite(step_times)]
        times = {
            f"{p:g}": float(np.percentile(known, p)) if len(known) else math.nan
            for p in PERCENTILES
        }
        return PaceReport(
            self.pace.rate,
            len(known),
            self.overruns if late is None else late,
            times,
            tuple(self.notes),
        )

    # --- what the system may allow ---

    def _bind(self, core: int) -> None:
        try:
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {core})
        except (AttributeError, OSError, ValueError) as problem:
            self.notes.append(f"The test was not bound to processor {core}: {_reason(problem)}.")
            return
        self._undo.append(lambda: os.sched_setaffinity(0, before))

    def _raise(self, priority: int) -> None:
        if self.pace.awake and _throttled():
            self.notes.append(
                f"The test ran without real-time priority {priority}: with it, the system stops a "
                "task that never sleeps for a part of each second."
            )
            return
        try:
            before, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        except (AttributeError, OSError, ValueError) as problem:
            self.notes.append(
                f"The test ran without real-time priority {priority}: {_reason(problem)}."
            )
            return
        self._first_in_line = True
        self._undo.append(lambda: os.sched_setscheduler(0, before, parameters))


def _throttled() -> bool:
    """Whether the system holds back tasks with real-time priority that never sleep.

    Linux does, unless it is set not to.
    """
    try:
        return int(THROTTLE.read_text()) >= 0
    except (OSError, ValueError):
        return True


def _reason(problem: Exception) -> str:
    if isinstance(problem, PermissionError):
        return "the system does not allow it to this user"
    if isinstance(problem, AttributeError):
        return "this system does not offer it"
    return f"the system says: {getattr(problem, 'strerror', None) or problem}"
