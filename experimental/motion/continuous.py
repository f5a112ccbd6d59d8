"""A specimen that moves without a stop: a generator drives it between the targets of the steps."""

from __future__ import annotations

import contextlib
import math
import threading
import time as clocks
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import PeerSilent
from femu.experimental.motion.generator import MotionGenerator
from femu.experimental.safety.limits import Limits
from femu.experimental.specimens.specimen import Measurement, Specimen, checked
from femu.experimental.specimens.wrapper import SpecimenWrapper
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
PATIENCE = 60.0  # seconds for a target to be reached, unless limits say otherwise
HELD_WITHIN = 1.0  # seconds that a move under way may take before the specimen is held without it
MOST_LATE = 1000.0  # steps
_REBUILT = {"_changed", "_thread", "_answer", "_problem"}
"""Attributes that a copy does not take over: those of a motion under way."""


class ContinuousSpecimen(SpecimenWrapper):
    """A specimen driven by a `MotionGenerator`: targets come once a step, commands at a high rate.

    ::

        generator = MotionGenerator(1, step=0.02, rate=4096.0, acceleration=20.0)
        specimen = ContinuousSpecimen(EmulatedSpecimen(Elastic(1e6)), generator, solving=0.3)

    Each answer is the measurement of the sample with which the target is reached. What follows the
    actuator at the high rate, as a `CompensatedSpecimen`, belongs inside. ``limits`` are checked on
    every command of the generator, also on predicted ones.

    Otherwise than with ``paced``, time is that of the test: a target comes when the share
    ``solving`` of its step has passed, a number or a function of the number of the step (from 1).
    More than 1 is a target that is later than a step. With ``paced`` a thread takes the samples by
    the clock of the wall, and the targets come when they come. It runs from the first target until
    the motion has come to rest. Python cannot promise samples in time: ``overruns`` counts those
    that were late. The specimen of a server is in a process of its own, and a controller in C takes
    the files of `femu motion-c`.
    """

    every_step = True  # a target that is the last one again is a step of rest

    def __init__(
        self,
        specimen: Specimen,
        generator: MotionGenerator,
        *,
        solving: float | Callable[[int], float] = 0.0,
        paced: bool = False,
        limits: Limits | None = None,
    ) -> None:
        if not isinstance(specimen, Specimen) or getattr(specimen, "numerical", False):
            raise InputError(
                "ContinuousSpecimen",
                "specimen",
                specimen,
                "must be a Specimen that every command moves for good",
                fix="use EmulatedSpecimen(...) without numerical=True, for example",
            )
        if not isinstance(generator, MotionGenerator) or generator.size != specimen.size:
            raise InputError(
                "ContinuousSpecimen",
                "generator",
                generator,
                f"must be a MotionGenerator of {specimen.size} channels, as many as the specimen "
                "has actuators",
            )
        if not isinstance(paced, bool):
            raise InputError("ContinuousSpecimen", "paced", paced, "must be True or False")
        if not callable(solving):
            _must_be_a_share(solving)
        super().__init__(specimen, limits)
        self.generator = generator
        self.solving, self.paced = solving, paced
        self.overruns = 0
        """Samples that a paced thread took late."""
        self.follow: Callable[[float, Array, Measurement], None] | None = None
        """Called with time, command and measurement of every sample, for plots and records."""
        # time of the last sample, steps begun, and 1 once there was a target
        self._clock = np.zeros(3)
        self._patience = PATIENCE
        self._begin_motion()

    def _begin_motion(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._answer: Measurement | None = None
        self._problem: BaseException | None = None

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without the thread."""
        with self._changed:
            return {name: value for name, value in vars(self).items() if name not in _REBUILT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin_motion()

    # --- a test ---

    def begin_test(self) -> None:
        self._come_to_rest()
        self._clock[:] = 0.0
        self._guard.time = None
        self._problem = None
        self.specimen.begin_test()

    def open(self) -> None:
        self.specimen.open()
        if self.specimen.physical and self.specimen.can_be_read:
            with self._changed:
                if self.generator.at_rest:
                    found = self.reading(self.generator.command)
                    if found is not None:
                        self.generator.begin(found.displacement)

    def apply(self, command: Array, time: float) -> Measurement:
        target = np.asarray(command, dtype=float)
        if self._clock[2] == 0.0:
            self._clock[0] = self._guard.time = time - self.generator.step
            self._clock[2] = 1.0
        self._clock[1] += 1.0
        made = self._by_the_wall(target) if self.paced else self._by_the_test(target)
        return Measurement(made.displacement, made.force, time)

    def _by_the_test(self, target: Array) -> Measurement:
        share = self.solving
        if callable(share):
            share = _must_be_a_share(share(int(self._clock[1])))
        for _ in range(round(share * self.generator.ticks)):
            self._sample()
        self.generator.accept(target)
        while True:
            made = self._sample()
            if self.generator.arrived:
                return made

    def _by_the_wall(self, target: Array) -> Measurement:
        with self._changed:
            self._must_be_well()
            self._answer = None
            self.generator.accept(target)
            if self._thread is None:
                self._thread = threading.Thread(target=self._move, name="femu motion", daemon=True)
                self._thread.start()
            self._changed.wait_for(
                lambda: self._answer is not None or self._problem is not None, self._patience
            )
            self._must_be_well()
            if self._answer is None:
                raise PeerSilent(
                    f"The specimen did not reach its target within {self._patience:g} s."
                )
            return self._answer

    def _must_be_well(self) -> None:
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem

    def _move(self) -> None:
        """Take samples by the clock until the motion has come to rest."""
        due = clocks.perf_counter()
        while True:
            with self._changed:
                if self.generator.at_rest:
                    self._thread = None
                    return
                try:
                    made = self._sample()
                # of a specimen of the user's own: whoever waits must not wait for ever
                except BaseException as problem:
                    self._problem, self._thread = problem, None
                    with contextlib.suppress(Exception):
                        self.specimen.hold()
                    self._changed.notify_all()
                    return
                if self.generator.arrived:
                    self._answer = made
                    self._changed.notify_all()
            due += self.generator.interval
            left = due - clocks.perf_counter()
            if left > 0.0:
                clocks.sleep(left)
            else:  # time lost is not caught up: the specimen cannot move faster for it
                due -= left
                self.overruns += 1

    def _sample(self) -> Measurement:
        """One command of the generator, and what was measured after it."""
        before = self.generator.state
        command = self.generator.tick()
        self._clock[0] += self.generator.interval
        now = float(self._clock[0])
        try:
            self._guard.check(command, now)
        except BaseException:
            self.generator.restore(before)
            raise
        self._guard.sent(command, now)
        raw: Measurement | None = None
        try:
            raw = self.specimen.apply(command, now)
            made = checked(raw, self.size, "The specimen")
            self._guard.measured(made, now)
        except BaseException as problem:
            if raw is not None:
                with contextlib.suppress(Exception):
                    problem.measurement = raw  # type: ignore[attr-defined]  # for the journal
            raise
        if self.follow is not None:
            self.follow(now, command, made)
        return made

    def hold(self) -> None:
        with self._within(HELD_WITHIN) as free:
            if free and self._thread is not None:
                self.generator.hold()  # the thread ends once it has come to rest
                return
            if free:
                self._come_to_rest()
            self.specimen.hold()

    @contextlib.contextmanager
    def _within(self, seconds: float) -> Iterator[bool]:
        """Whether the motion is free to be changed; it is not while a command takes too long."""
        free = self._changed.acquire(timeout=seconds)
        try:
            yield free
        finally:
            if free:
                self._changed.release()

    def _come_to_rest(self) -> None:
        """Forget the motion: the last command stays."""
        with self._changed:
            self.generator.begin(self.generator.command)

    # --- what is asked of the specimen itself ---

    def reading(self, last: Array) -> Measurement | None:
        with self._changed:
            return super().reading(last)

    def replay(self, command: Array, measured: Measurement) -> None:
        with self._changed:
            self.generator.begin(command)
            self._guard.sent(np.asarray(command, dtype=float), measured.time)
            self._clock[:] = measured.time, self._clock[1] + 1.0, 1.0
            self.specimen.replay(command, measured)

    def commit(self, time: float) -> None:
        with self._changed:
            super().commit(time)

    def wait_at_most(self, seconds: float) -> None:
        self._patience = seconds
        super().wait_at_most(seconds)

    def close(self) -> None:
        self.hold()
        super().close()

    @property
    def state(self) -> Array:
        with self._changed:
            moving = self.generator.state, self.specimen.state
            return np.concatenate([self._clock, self._guard_state(), *moving])

    def restore(self, state: Array) -> None:
        with self._changed:
            sizes = [3, 2 + 3 * self.size, len(self.generator.state)]
            clock, guard, motion, rest = np.split(state, np.cumsum(sizes))
            self._clock[:] = clock
            self._restore_guard(guard)
            self.generator.restore(motion)
            self.specimen.restore(rest)


def _must_be_a_share(value: Any) -> float:
    """The share of a step after which a target comes, if it is one."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not 0.0 <= value <= MOST_LATE or not math.isfinite(value):
        raise InputError(
            "ContinuousSpecimen",
            "solving",
            value,
            "must be a share of a step, not negative",
            "It is what passes of a step before its target is known",
        )
    return float(value)
