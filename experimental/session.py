"""The session of an experimental element: everything that changes while its specimen is commanded.

The element describes; a session owns the last target and answer, the answers that are known from
before an interruption, the guard of the limits, the monitor of the sensors and the counters. A test
opens one session for each experimental element, so one model can be tested twice at once. There is
no revert: a specimen remembers. So the next session of an element knows where the last one has left
the specimen.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.experimental.compensation.compensation import Compensation
from femu.experimental.elements.experimental import Experimental
from femu.experimental.elements.measured_law import held_names, shift_samples
from femu.experimental.exchange import send_command
from femu.experimental.journal.journal import Journal, Record
from femu.experimental.journal.lost_rows import Exchanged
from femu.experimental.journal.position_check import find_position, must_have_sent
from femu.experimental.known_answers import KnownAnswers
from femu.experimental.last_session import LastSession, keep_last_session, last_session
from femu.experimental.safety.dead_sensor import Parts
from femu.experimental.safety.deferred_signals import NOT_DEFERRED, DeferredSignals
from femu.experimental.session_checkpoint import exchanged, exchanged_size, pack, unpack
from femu.experimental.specimens.allocation import (
    hold_specimen,
    release_all,
    take_part,
    take_specimen,
)
from femu.experimental.specimens.specimen import Measurement, checked
from femu.experimental.tangents.tangent import TangentEstimator
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
SAME_TARGET = np.finfo(float).eps  # a change this small compared with the target is no new target
BY_HAND = "a session by hand"


class SpecimenSession:
    """Commands the specimen of an element and keeps what changes meanwhile.

    ::

        device = ExperimentalLink("device", "A", "B", specimen=EmulatedSpecimen(BoucWen(k=4e6, alpha=0.1)))
        session = SpecimenSession(device)
        session.begin(0.01)
        measured = session.exchange(np.array([0.002]), 0.01)

    ``compensation`` is that of the element if left out; ``tangent`` estimates the stiffness in a
    test; commands and measurements go to a ``journal``; ``signals`` wait while a measurement is
    under way. The specimen takes commands of one session at a time: see `alone`.
    """

    def __init__(
        self,
        element: Experimental,
        compensation: Compensation | None = None,
        tangent: TangentEstimator | None = None,
        journal: Journal | None = None,
        signals: DeferredSignals = NOT_DEFERRED,
    ) -> None:
        self.element, self.specimen = element, element.specimen
        self.compensation = element.compensation if compensation is None else compensation
        self.tangent, self.journal, self.signals = tangent, journal, signals
        self.name, self.initial = element.name, element.initial
        self.moves = 0
        self.taken_at_zero = False
        """Whether the specimen could not be read before a test began."""
        self.doubt = ""
        """What is odd about where the specimen was when a test continued."""
        self._setup, self._size = element.actuator_setup, element.basic_size
        self._guard, self._monitor = element.new_guard(), element.new_monitor(self.specimen)
        self._following = element.new_following(self.specimen)
        self._excitation = Parts()
        self._target: Array | None = None
        self._answer: Measurement | None = None
        self._known = KnownAnswers()
        # where the specimen was found, until the known answers are used: command, displacement and
        # force
        self._found: tuple[Array, Array, Array] | None = None
        self._alone = False
        self._left: LastSession | None = None  # as this session has left the specimen

    # --- one session at a time ---

    @contextlib.contextmanager
    def alone(self, purpose: str = BY_HAND, copies: bool = False) -> Iterator[None]:
        """The specimen takes commands of this session only.

        Raises an `InputError` if another session has it. With ``copies`` the session works with a
        copy of an emulated specimen then. ``purpose`` says in messages what the session does.
        """
        if self._alone:
            yield
            return
        label = self.element.label()
        try:
            if copies:
                self.specimen = take_specimen(self.specimen, self, purpose, label)
            else:
                hold_specimen(self.specimen, self, purpose, label)
            if self.compensation is not None:
                self.compensation = take_part(self.compensation, self, purpose)
            self._take_over()
            self._alone = True
            yield
        finally:
            if self._alone:
                self._leave()
            self._alone = False
            release_all(self)

    def _take_over(self) -> None:
        """Know what the last session of the element has left."""
        left = last_session(self.element, self.specimen)
        if left is None or left is self._left:
            return
        self._guard.position, self._guard.time = left.position, left.time
        self._guard.stiffness, self._monitor = left.stiffness, left.monitor
        self._target, self._answer, self.moves = left.target, left.answer, left.moves

    def _leave(self) -> None:
        if self.specimen is not self.element.specimen:
            return  # a copy, or it was replaced
        self._left = LastSession(
            self.specimen,
            self._guard.position,
            self._guard.time,
            self._guard.stiffness,
            self._monitor,
            self._target,
            self._answer,
            self.moves,
        )
        keep_last_session(self.element, self._left)

    # --- a test begins ---

    def begin(self, dt: float, excitation: Parts | None = None) -> None:
        """Get ready for a test at steps of ``dt``; ``excitation`` says when it is strong."""
        with self.alone():
            m, n = self._setup.outputs, self._size
            if self.compensation is not None:
                self.compensation.start(m, dt)
            if self.tangent is not None:
                self.tangent.start(self.initial)
            self._target = self._answer = self._found = None
            self._known.clear()
            self.taken_at_zero, self.doubt = False, ""
            self._excitation = Parts() if excitation is None else excitation
            self._guard.begin()
            self.specimen.begin_test()
            self.specimen.name_actuators(self.element.label(), self.element.actuators)
            self._monitor = self.element.new_monitor(self.specimen)
            self._following = self.element.new_following(self.specimen)
            if self._monitor is not None:
                self._monitor.see(np.zeros(m), Measurement(np.zeros(m), np.zeros(m)))
                self._monitor.begin()
            # compiled before the first step, which may have to be in time
            shift_samples(
                np.zeros(2 * n + n * (n + 1) // 2 + len(held_names(n))),
                n,
                np.zeros(n),
                np.zeros(n),
                self.initial,
                self.initial,
                False,
                False,
            )

    def find_position(self, record: Record | None) -> None:
        """Before a test begins, or continues from a journal: see where the specimen is, if it can
        be read.

        Raises an `ExperimentError` if a specimen is not where its journal ends, or too far from
        zero for a test that begins. Answers that are known are held against the limits from where
        the specimen was before them.
        """
        before = self._guard.position
        found, self.doubt = find_position(
            self.specimen,
            self._guard,
            self.element.label(),
            str(self.name),
            record,
            self.element.limits,
            self.element.displacement_noise(self.specimen),
        )
        self.taken_at_zero = record is None and not found
        now = self._guard.position
        if self._known and now[0] is not before[0]:
            self._guard.position, self._found = before, now

    def must_command(self, record: Record, step: int) -> None:
        """Before a resumed test continues from a step: raise an `InputError` if the setup makes
        another command of its target.

        Not known if there is a compensation.
        """
        if self._target is not None and self.compensation is None:
            made = self._setup.command(self._target)
            element = self.element
            must_have_sent(record, str(self.name), step, made, element.setup, element.label())

    def queue_known_answer(self, command: Array | None, measured: Measurement) -> None:
        """After an interruption: what was measured for a command whose step was not committed. It
        is not sent again; see `KnownAnswers`."""
        self._known.queue(command, measured)

    @property
    def known_answers(self) -> int:
        """Answers from before an interruption that no step has used yet."""
        return len(self._known)

    # --- the exchange ---

    def exchange(self, displacement: npt.ArrayLike, time: float, step: int = 0) -> Measurement:
        """Send the specimen to a basic displacement and measure; the same target again gives the
        same answer, unmoved.

        With a compensation only at the same time: later it has to see that the target rests. Raises
        an `ExperimentError` if a limit trips or the specimen fails; it holds its position then. A
        limit of velocity needs `begin` first. The journal gets the number of the ``step``.
        """
        if not self._alone:
            with self.alone():
                return self.exchange(displacement, time, step)
        made = self._exchange(np.asarray(displacement, dtype=float), time, step)
        if self._found is not None and not self._known:
            self._guard.position, self._found = self._found, None
        return made

    def _exchange(self, target: Array, time: float, step: int) -> Measurement:
        if (
            self._answer is not None
            and self._target is not None
            and all(
                abs(a - b) <= SAME_TARGET * abs(b)
                for a, b in zip(target.tolist(), self._target.tolist(), strict=True)
            )
        ):
            last = self._guard.time
            if last is None or time <= last:
                return self._answer
            if self.compensation is None and not self.specimen.every_step:
                # else the next step would have the whole rest for its velocity
                self._guard.sent(self._guard.command, time)
                return self._answer
        try:
            command = self._setup.command(target)
            if self.compensation is not None:
                command = self.compensation.command(command)
            if self._known.has(command, time):
                made = self._replay(command, time, target, step)
            else:
                self._known.clear()

                def validate(
                    raw: Any, command: Array, time: float
                ) -> tuple[Measurement, Measurement]:
                    self.moves += 1
                    return self._validated(raw, command, time, target)

                made = send_command(
                    self.specimen,
                    self._guard,
                    command,
                    time,
                    validate,
                    self.signals,
                    self.journal,
                    str(self.name),
                    step,
                )
            self._target, self._answer = target.copy(), made
            return made
        except BaseException:
            self._target = self._answer = None  # it may be elsewhere by now
            try:
                self.specimen.hold()
            # what went wrong first must not be hidden by it, nor by a warning that is an error
            except Exception as problem:
                with contextlib.suppress(Warning):
                    warn(f"{self.element.label()}: the specimen could not be held: {problem!r}")
            raise

    def _replay(self, command: Array, time: float, target: Array, step: int) -> Measurement:
        """What was measured for this command before the interruption.

        The specimen is there already, and is not moved.
        """
        self._guard.check(command, time)
        sent, measured = self._known.next()
        if sent is None and self.journal is not None:
            self.journal.found(str(self.name), step, time, command)
        self._guard.sent(command, time)
        self.specimen.replay(command.copy(), measured)
        return self._validated(measured, command, time, target)[1]

    def _validated(
        self, raw: Any, command: Array, time: float, target: Array
    ) -> tuple[Measurement, Measurement]:
        """The measurement in the coordinates of the actuators and in those of the element, if it is
        valid.

        A step must not be taken with another one.
        """
        label = self.element.label()
        raw = checked(raw, self._setup.outputs, label)
        self._guard.measured(raw, time)
        if self._monitor is not None:
            parts = self._excitation
            self._monitor.see(command, raw, (time >= parts.strong) + (time >= parts.peak))
        if self._following is not None:
            sent = command if self.compensation is None else self._setup.command(target)
            self._following.see(sent, raw.displacement, time, self.compensation is None)
        reached = self._setup.displacement(raw.displacement, target)
        made = Measurement(reached, self._setup.force(raw.force, reached), raw.time)
        if not math.isfinite(sum(made.displacement.tolist()) + sum(made.force.tolist())):
            checked(made, self._size, f"{label}, seen through its setup,")
        if self.compensation is not None:
            self.compensation.measured(raw.displacement)
        return raw, made

    # --- the state of the program ---

    def write_measurement(
        self,
        program: Program,
        elements: Array,
        measured: Measurement,
        stiffness: Array | None = None,
        updated: bool = False,
    ) -> None:
        """Write a measurement (and a new stiffness) into the elements' part of a state vector; the
        force of the next command is predicted with that stiffness."""
        self.element.write_measurement(program, elements, measured, stiffness, updated)
        if stiffness is not None:
            self._predict_with(0.5 * (stiffness + stiffness.T))

    def commit(self, program: Program, elements: Array, time: float) -> None:
        """A step has been committed: predict the force of the next command with its stiffness."""
        self.specimen.commit(time)
        if self._guard.limits.force is not None:
            self._predict_with(self.element.stiffness_of(program, elements))

    def _predict_with(self, stiffness: Array) -> None:
        if self._guard.limits.force is not None:
            self._guard.stiffness = self._setup.stiffness_of_actuators(stiffness)

    # --- what must be kept to continue ---

    def checkpoint(self) -> Array:
        """What changes in the session: last target and answer, guard, specimen."""
        answered = self._target, self._answer
        return pack(self._size, *answered, self.moves, self._guard, self._states())

    def _states(self) -> tuple[Array, Array, Array]:
        """State of compensation, sensor monitor and specimen, empty without one."""
        none = np.zeros(0)
        return (
            self.compensation.state if self.compensation is not None else none,
            self._monitor.state if self._monitor is not None else none,
            self.specimen.state,
        )

    @property
    def exchanged_size(self) -> int:
        """Numbers at the beginning of a checkpoint that `exchanged` reads."""
        return exchanged_size(self._size, self._setup.outputs)

    def exchanged(self, values: Array) -> Exchanged:
        """The last exchanges, from the beginnings of checkpoints, one in each row."""
        return exchanged(values, self._size, self._setup.outputs)

    def restore(self, values: Array) -> None:
        """Continue from a checkpoint.

        An emulated specimen is set back, a physical one stays where it is.
        """
        ahead, seen, _ = map(len, self._states())
        self._target, self._answer, self.moves, rest = unpack(
            values, self._size, self._guard, ahead + seen
        )
        if self.compensation is not None:
            self.compensation.restore(rest[0][:ahead])
        if self._monitor is not None:
            self._monitor.restore(rest[0][ahead:])
        self.specimen.restore(rest[1])


def exchange(element: Experimental, displacement: npt.ArrayLike, time: float) -> Measurement:
    """One exchange with the specimen of an element; see `SpecimenSession.exchange`.

    It continues where the last session of the element has left its specimen.
    """
    return SpecimenSession(element).exchange(displacement, time)
