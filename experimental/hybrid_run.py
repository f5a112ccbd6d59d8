"""One run of a hybrid test: its sessions, parameters and journal, from the start to the end.

`femu.experimental.hybrid_test.HybridTest` describes a test. A run opens a session for each
experimental element, lets the loop take the steps, and closes everything whatever happens.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.analyses.transient import time_grid
from femu.analyses.unbounded import unbounded
from femu.experimental.errors import ExperimentError, JournalFull
from femu.experimental.hybrid_checkpoint import (
    Memory,
    checkpoint_of,
    kept_of_every_step,
    updated_places,
)
from femu.experimental.hybrid_record import HybridRecord
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.journal.checkpoints import of_every_step
from femu.experimental.journal.journal import Journal, Record
from femu.experimental.journal.lost_rows import (
    SentAgain,
    give_back,
    must_belong_together,
    sent_again,
)
from femu.experimental.journal.position_check import UNREAD
from femu.experimental.late_steps import MARK, NOTED
from femu.experimental.loop import HybridLoop
from femu.experimental.pacing import Pacer
from femu.experimental.safety.dead_sensor import Parts, parts_of
from femu.experimental.safety.deferred_signals import FREE, NOT_DEFERRED, WRITING, DeferredSignals
from femu.experimental.safety.limits import Unlimited
from femu.experimental.session import SpecimenSession
from femu.experimental.specimens.allocation import hold_part, release_all
from femu.experimental.specimens.specimen import Measurement
from femu.model.element import Name
from femu.results.outcome import Outcome
from femu.support.environment import environment
from femu.support.errors import InputError
from femu.support.users_line import warn

if TYPE_CHECKING:
    from femu.experimental.hybrid_test import HybridTest

Array = npt.NDArray[np.float64]


class HybridRun:
    """A run of a test: everything that changes while it lasts."""

    def __init__(self, test: HybridTest) -> None:
        self.test, self.program = test, test.program
        self.parameters = test.program.parameters.vector.copy()
        self.memory = Memory(test.integrator.memory(test.program))
        self.sessions: dict[Name, SpecimenSession] = {
            name: SpecimenSession(element, tangent=test.tangents[name])
            for name, element in test.elements.items()
        }
        self.updater = test.updater_hooks
        self.journal: Journal | None = None
        self.signals = NOT_DEFERRED
        self.resumed_after = 0  # steps
        self.sent_again: list[tuple[SpecimenSession, int, SentAgain]] = []
        """What a resumed test sends once more, and the moves of its sessions before that."""

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Specimens, estimators and updater serve no other run meanwhile.

        If another run has them, a physical specimen is refused, and an emulated one is copied.
        """
        purpose = f"a test of the model {self.program.name!r} that is running"
        with contextlib.ExitStack() as until_the_end:
            until_the_end.callback(release_all, self)
            for name, estimator in self.test.tangents.items():
                hold_part(estimator, self, purpose, f"tangents[{name!r}]")
            if self.test.updater is not None:
                hold_part(self.test.updater, self, purpose, "updater")
            for session in self.sessions.values():
                until_the_end.enter_context(session.alone(purpose, copies=True))
            yield

    # --- from the start, or from a journal ---

    def begin(self) -> None:
        """Everything as it is before the first step."""
        test = self.test
        self.parameters[:] = self.program.parameters.vector
        self.memory.values = np.zeros(len(self.memory.values))
        parts = self._parts_of_excitation()
        for session in self.sessions.values():
            session.begin(test.transient.dt / test.integrator.exchanges, parts)
        if self.updater is not None:
            self.updater.start(self.program, self.parameters)

    def _parts_of_excitation(self) -> Parts:
        """When the strong part begins: sensors that have not changed by then are dead."""
        p, test = self.program, self.test
        times = time_grid(0.0, test.transient.dt, test.count)
        moving = [
            np.asarray(s.at(times), dtype=float)
            for s in (*p.series, *test.motions.values(), *p.imposed.values())
            if s is not None
        ]
        return parts_of(times, (v if v.ndim == 1 else v[0] for v in moving if v.ndim))

    def set_back(self) -> None:
        """Put emulated specimens where they were before the first run of the test."""
        known = self.test.before_first_run
        for name, session in self.sessions.items():
            described = session.element.specimen
            specimen, before = known.setdefault(name, (described, session.checkpoint()))
            if specimen is not described:  # it was replaced
                known[name] = described, session.checkpoint()
            elif not specimen.physical:
                session.restore(before)

    def restore(self, record: Record) -> Array | None:
        """Everything but the state of the program as it was after the last committed step of a
        journal.

        Returns the parameters that were in use then, if they had been updated; in use are still
        those of the start.
        """
        step, _, extra, parameters = record.checkpoint()
        place, needed = 0, sum(len(checkpoint_of(part)) for part in self.parts())
        if len(extra) != needed:
            raise InputError(
                f"journal {record.path}",
                "specimens",
                len(extra),
                f"must have {needed} numbers a step in this test",
                "The journal was written by another version of femu, or with another setup, sensor "
                "check or compensation",
            )
        for part in self.parts():
            size = len(checkpoint_of(part))
            if isinstance(part, SpecimenSession):
                places = self.program.layout.size + place + np.arange(part.exchanged_size)
                exchanged = part.exchanged(of_every_step(record, places))
                give_back(record, str(part.name), exchanged)
                if self.updater is not None and part.name == self.updater.element:
                    d, f = np.split(
                        exchanged.answered[:step, -2 * part.element.basic_size :], 2, axis=1
                    )
                    self.updater.remember(record.committed[:step, 1], d, f)
            part.restore(extra[place : place + size])
            place += size
        for session in self.sessions.values():
            session.must_command(record, step)
        # an updater may have written what it restored
        self.parameters[:] = self.program.parameters.vector
        return parameters

    def queue_known_answers(self, record: Record) -> list[str]:
        """What physical specimens had measured of steps that were not committed is used and not
        measured again; an emulated one moves again, which the message of the test says.

        Returns the names of the physical ones.
        """
        physical = [(str(n), s) for n, s in self.sessions.items() if s.specimen.physical]
        for name, session in physical:
            must_belong_together(record, name)
            for command, d, f, when in record.unfinished(name, record.steps + 1):
                session.queue_known_answer(command, Measurement(d, f, when))
        self._announce(record)
        return [name for name, _ in physical]

    def _announce(self, record: Record) -> None:
        """Note what is sent once more; warn of more than a kill leaves, which is one step."""
        self.resumed_after = record.steps
        for name, session in self.sessions.items():
            again = sent_again(record, str(name), session.specimen.physical)
            if again is None:
                continue
            self.sent_again.append((session, session.moves, again))
            if again.steps > 1:
                warn(
                    f"{record.path} ends after step {record.steps}, and holds more than that, as "
                    f"after a power cut. The test continues after this step, and sends again: "
                    f"{again}."
                )

    # --- what a journal holds ---

    def parts(self) -> list[Any]:
        """Everything but the state of the program that a checkpoint must hold."""
        both = [part for name, s in self.sessions.items() for part in (s, self.test.tangents[name])]
        return [*both, self.memory, *([self.updater] if self.updater is not None else [])]

    def checkpoint(self) -> Array:
        """Everything but the state of the program, after a step."""
        return np.concatenate([checkpoint_of(part) for part in self.parts()])

    def new_journal(
        self, path: str | PathLike[str], overwrite: bool = False, late: str | None = NOTED
    ) -> Journal:
        """The file that the run is written to."""
        test, p = self.test, self.program
        elements = test.elements
        width = HybridRecord(p, elements, 0).rows.shape[1]
        watched = self.updater.values_to_monitor() if self.updater is not None else None
        learnt = list(self.updater.names) if self.updater is not None else []
        # for whoever reads the journal without the script
        shown = {
            "description": p.describe(),
            "environment": environment(),
            "limits": {
                str(n): e.limits.as_data() for n, e in elements.items() if e.limits is not None
            },
            "channels": {str(n): list(e.actuators) for n, e in elements.items()},
            "targets": {str(n): list(e.basic_channels) for n, e in elements.items()},
            "not_read": [
                str(n)
                for n, e in elements.items()
                if e.specimen.physical and not e.specimen.can_be_read
            ],
            "rate": test.pace.rate if test.pace is not None else None,
            MARK: late,
            "updating": learnt if watched is not None else [],
            "updating_at": width,
        }
        width += len(watched) if watched is not None else 0
        durable = test.durable
        if durable is None:
            durable = test.pace is None and any(e.specimen.physical for e in elements.values())
        return Journal(
            path,
            {str(n): e.specimen.size for n, e in elements.items()},
            state=p.layout.size,
            durable=durable,
            specimens=len(self.checkpoint()),
            kept=kept_of_every_step(p, test.save, self.parts()),
            parameters=(list(p.parameters.names), p.parameters.vector),
            updated=updated_places(self.updater, p),
            record=width,
            about={**test.describe(), **shown},
            overwrite=overwrite,
        )

    def write_to(self, journal: Journal | None) -> None:
        """Commands, measurements and steps go to this journal."""
        self.journal = journal
        for session in self.sessions.values():
            session.journal = journal

    def _defer(self, signals: DeferredSignals) -> None:
        self.signals = signals
        for session in self.sessions.values():
            session.signals = signals

    # --- the run ---

    def take_steps(
        self, loop: HybridLoop, take_over: Callable[[], None] | None = None
    ) -> HybridResult:
        """Let the loop take its steps, and end the test whatever happens.

        ``take_over`` puts the journal of an interrupted test into use once the specimens are ready.
        """
        outcome, message = Outcome.ERROR, ""
        pacer = Pacer(self.test.pace) if self.test.pace is not None else None
        with DeferredSignals() as signals:
            self._defer(signals)
            try:
                if loop.done < loop.count:
                    self._get_ready(loop)
                if take_over is not None:
                    signals.level = WRITING  # a signal waits until the journal is whole
                    take_over()
                    signals.level = FREE
                    signals.stop()
                with pacer or contextlib.nullcontext():
                    loop.go(pacer)
                message = unbounded(self.program, loop.run.state)
                outcome = Outcome.UNSTABLE if message else Outcome.COMPLETE
            except ExperimentError as problem:
                outcome, message = problem.ending, str(problem)
                if (
                    isinstance(problem, JournalFull)
                    and take_over is not None
                    and self.journal is None
                ):
                    raise  # the test has not continued
            except KeyboardInterrupt:
                outcome, signals.answered = Outcome.STOPPED_BY_USER, True
            except BaseException as problem:
                message = f"{Outcome.ERROR.value} {type(problem).__name__}: {problem}"
                raise
            finally:
                signals.level = WRITING  # from here on signals wait to the end
                message = self._end(outcome, self._with_reasons(loop, outcome, message))
        return loop.result(outcome, message, pacer)

    def _with_reasons(self, loop: HybridLoop, outcome: Outcome, message: str) -> str:
        """The message, with how far the test came, why physical specimens had no limits, which were
        not read before it, and which commands a resumed test has sent again."""
        if outcome is not Outcome.COMPLETE:
            message = (
                f"{message or outcome.value} {loop.done} of {loop.count} steps were done, to t = "
                f"{loop.nodes[loop.done]:g}."
            )
        physical = {name: s for name, s in self.sessions.items() if s.specimen.physical}
        free = "; ".join(
            f"{name!r}: {limits.reason}"
            for name, s in physical.items()
            if isinstance(limits := s.element.limits, Unlimited)
        )
        reasons = [f"No limits were checked ({free})."] if free else []
        if unread := ", ".join(repr(name) for name, s in physical.items() if s.taken_at_zero):
            reasons.append(f"{UNREAD} {unread}.")
        reasons += [s.doubt for s in physical.values() if s.doubt]
        if again := "; ".join(str(a) for s, moves, a in self.sent_again if s.moves > moves):
            reasons.append(f"Resumed after step {self.resumed_after}. Sent again: {again}.")
        return " ".join([message or outcome.value, *reasons]) if reasons else message

    def _get_ready(self, loop: HybridLoop) -> None:
        """Open every specimen, and see where it is."""
        for session in self.sessions.values():
            session.specimen.open()
            if session.specimen.physical:
                session.find_position(loop.before)

    def end_updater(self, outcome: Outcome) -> None:
        """Let the updater know how the test ended."""
        if self.updater is not None:
            self.updater.test_ended(outcome)

    def _end(self, outcome: Outcome, message: str) -> str:
        """Hold every specimen and close the journal, whatever fails on the way.

        Returns the message with what did.
        """
        for name, session in self.sessions.items():
            try:
                if outcome is not Outcome.COMPLETE:
                    session.specimen.hold()
            except Exception as problem:
                message = (
                    f"{message or outcome.value} The specimen of {name!r} could not be held: "
                    f"{problem!r}."
                )
        journal = self.journal
        try:
            if journal is not None:
                journal.close(outcome, message)
        finally:
            self.write_to(None)  # the sessions can be used by hand from here on
            self._defer(NOT_DEFERRED)
            self.end_updater(outcome)
        return message
