"""The hybrid test: a model with specimens under a ground motion, step by step.

Each step asks the specimens at the displacement that the integrator wants, once (or as often as the integrator says), and then
takes the numerical step with the specimens linear about what they answered. A specimen is never asked twice for a step.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu.analyses.convergence import RelativeUnbalance
from femu.analyses.hybrid_march import HybridMarch
from femu.analyses.hybrid_record import HybridRecord
from femu.analyses.hybrid_result import HybridResult
from femu.analyses.implicit_hybrid import ImplicitHybrid
from femu.analyses.inputs import as_program, what_to_save
from femu.analyses.one_step import OneStep
from femu.analyses.pacing import Pace, Pacer
from femu.analyses.policy import Policy
from femu.analyses.transient import Excitation, Transient, _by_direction, _grid
from femu.element import Name
from femu.environment import environment
from femu.errors import FileError, InputError
from femu.experimental.element import Experimental
from femu.experimental.errors import ExperimentError, JournalFull
from femu.experimental.in_use import taken_alone
from femu.experimental.journal import HEAD, TAIL, Journal, Record, read_journal
from femu.experimental.scratch import scratch_beside
from femu.experimental.script import must_be_asked_for
from femu.experimental.shield import FREE, NO_SHIELD, WRITING, Shield
from femu.experimental.specimen import Measurement, Specimen
from femu.experimental.tangent import InitialTangent, TangentEstimator
from femu.model import Model
from femu.outcome import Outcome
from femu.program import Program
from femu.run import Run
from femu.save import Save

Array = npt.NDArray[np.float64]
ADDED_LATER = ("loading", "compensations", "estimators")
"""What journals of earlier versions do not say of their test."""


class Updater(Protocol):
    """Something that learns parameters of the model from a specimen while the test runs."""

    @property
    def element(self) -> Name:
        """The experimental element it learns from."""

    def start(self, program: Program, parameters: Array) -> None:
        """Begin; ``parameters`` is the vector that the running model reads, and the updater writes."""

    def update(self, step: int, time: float, displacement: Array, force: Array) -> None:
        """Once a step, after its commit: measured basic displacement and force of the element."""

    def checkpoint(self) -> Array:
        """Everything that changes; of constant length."""

    def restore(self, values: Array) -> None:
        """Go on from a checkpoint."""


class _Memory:
    """What the integrator remembers from step to step beside the state: the end of slot.OWN."""

    def __init__(self, floats: int) -> None:
        self.values = np.zeros(floats)

    def live_in(self, run: Run) -> None:
        """Be part of a run from now on."""
        if len(self.values):
            own = run[slot.OWN][-len(self.values):]
            own[:] = self.values
            self.values = own

    def checkpoint(self) -> Array:
        return self.values

    def restore(self, values: Array) -> None:
        self.values[:] = values


class HybridTest:
    """A hybrid test of a model with experimental elements.

    ::

        test = HybridTest(model, GroundMotion.el_centro(), dt=0.01, tangents={"column": EigenvectorTangent(force_noise=50.0)})
        result = test.run("column.h5")

    ``tangents`` maps names of experimental elements to estimators; the others keep their initial stiffness. ``updater`` learns
    parameters of the model on the way; mass and damping matrices stay those of the start. ``pace`` takes the steps in real time,
    otherwise they follow as fast as they come. The result tells how the test ended; see `femu.Outcome`.

    What was measured is handed to the system before the test goes on, and survives the end of the program. ``durable`` says
    whether it must be on the disk by then, and survive a power cut: some milliseconds a step. Left out, it is so where a specimen
    is physical and no pace is held.
    """

    def __init__(self, model: Model | Program, motion: Excitation = None, integrator: OneStep | None = None, *, dt: float,
                 duration: float | None = None, tangents: Mapping[Name, TangentEstimator] | None = None,
                 updater: Updater | None = None, pace: Pace | None = None, save: Save | None = None,
                 durable: bool | None = None) -> None:
        self.program = as_program(model)
        self.elements: dict[Name, Experimental] = {
            n: e for n, e in self.program.elements.items() if isinstance(e, Experimental)}
        if not self.elements:
            raise InputError("HybridTest", "model", model, "must have an experimental element",
                             "a model without specimens is run by Transient")
        for what, parts in (("specimen", {n: e.specimen for n, e in self.elements.items()}), ("tangents", tangents or {}),
                            ("compensation", {n: e.compensation for n, e in self.elements.items()})):
            _each_its_own(what, parts)
        self.integrator = ImplicitHybrid() if integrator is None else integrator
        if not isinstance(self.integrator, OneStep) or not self.integrator.hybrid:
            raise InputError("HybridTest", "integrator", integrator, "must be an integrator that serves in hybrid tests",
                             "for example ImplicitHybrid()")
        self.tangents = self._check_tangents(tangents or {})
        if updater is not None and getattr(updater, "element", None) not in self.elements:
            raise InputError("HybridTest", "updater", updater, f"must learn from one of {list(self.elements)}")
        if pace is not None and not isinstance(pace, Pace):
            raise InputError("HybridTest", "pace", pace, "must be a Pace", "for example Pace(1024)")
        self.updater, self.pace, self._save, self._durable = updater, pace, what_to_save(save, Save()), durable
        test = getattr(self.integrator, "test", None) or RelativeUnbalance()
        self._transient = Transient(self.integrator, dt=dt, test=test, policy=Policy.none())
        self._motions = _by_direction(motion)
        self._count = self._transient._count(self._motions, duration, self.program.state())
        self.parameters = self.program.parameters.vector.copy()
        self.memory = _Memory(self.integrator.memory(self.program))
        self._before: dict[Name, tuple[Specimen, Array]] = {}  # specimens, and what was known of them before the first run

    def _check_tangents(self, given: Mapping[Name, TangentEstimator]) -> dict[Name, TangentEstimator]:
        for name, estimator in given.items():
            if name not in self.elements:
                raise InputError("HybridTest", "tangents", name, f"must name experimental elements: {list(self.elements)}")
            if not isinstance(estimator, TangentEstimator):
                raise InputError("HybridTest", f"tangents[{name!r}]", estimator, "must be a TangentEstimator",
                                 "for example EigenvectorTangent()")
        return {name: given.get(name) or InitialTangent() for name in self.elements}

    def describe(self) -> dict[str, Any]:
        """The test in a few words, for the journal."""
        p = self.program
        constants = _digest(p.geometry, p.geometry_starts, p.nodal)
        times = _grid(0.0, self._transient.dt, self._count)
        moving = [*zip(p.pattern_names, p.series, strict=True), *self._motions.items(), *p.imposed.items()]
        loading = _digest(p.member, *(part for name, series in moving if series is not None for part in (
            np.frombuffer(str(name).encode(), np.uint8), np.asarray(series.at(times), dtype=float))))
        return {"model": self.program.name, "program": self.program.digest, "constants": constants, "loading": loading,
                "integrator": repr(self.integrator), "dt": self._transient.dt, "steps": self._count,
                "updated": self.updater is not None,
                "compensations": {str(n): repr(e.compensation) for n, e in self.elements.items() if e.compensation is not None},
                "estimators": {str(n): type(t).__name__ for n, t in self.tangents.items()}}

    def run(self, journal: str | PathLike[str] | None = None) -> HybridResult:
        """Run from the start, with everything in a ``journal`` where one is wanted.

        Run again, emulated specimens are set back to where they were before the first run; physical ones stay where they are.
        """
        must_be_asked_for("run")
        self._stand_by(journal, False)
        self._begin()  # first: a compensation has a state only once it has begun
        self._set_back()
        march = HybridMarch(self, None, None)
        march.journal = self._journal(journal) if journal is not None else None
        return self._march(march)

    def _set_back(self) -> None:
        for name, element in self.elements.items():
            specimen, before = self._before.setdefault(name, (element.specimen, element.checkpoint()))
            if specimen is not element.specimen:  # it was replaced
                self._before[name] = element.specimen, element.checkpoint()
            elif not specimen.physical:
                element.restore(before)

    def resume(self, journal: str | PathLike[str]) -> HybridResult:
        """Go on from the last committed step of an interrupted test.

        A physical specimen that can be read must stand where the journal ends. What was measured of steps that were not committed
        is used and not measured again. A journal whose test is still running is refused. The journal stays as it is until the
        specimens are found ready; that of a complete test stays as it is, and nothing is sent.
        """
        must_be_asked_for("resume")
        with contextlib.ExitStack() as alone:
            alone.enter_context(taken_alone(journal))
            record = read_journal(journal)
            march, kept = self._restored(journal, record)
            if march.done == march.count and record.ending is Outcome.COMPLETE:
                self._tell_updater(Outcome.COMPLETE)
                return march.result(Outcome.COMPLETE, record.message, None)

            def take_over() -> None:
                made = self._journal(scratch_beside(fspath(journal)))
                made.take_over(record, march.done, kept)
                march.journal = made
                alone.close()  # the new file has its own mark

            return self._march(march, take_over)

    def _restored(self, journal: str | PathLike[str], record: Record) -> tuple[HybridMarch, list[str]]:
        """The loop of a test as its journal has left it, and the names of the physical specimens."""
        self.check(record)
        step = record.steps
        self._stand_by(journal, True)
        self._begin()
        parameters = None
        if step:
            parameters = self._restore(record)
        else:
            self._set_back()
        physical = [(str(n), e) for n, e in self.elements.items() if e.specimen.physical]  # an emulated one moves again
        for name, element in physical:
            _must_belong_together(record, name)
            for command, d, f, when in record.unfinished(name, step + 1):
                element.expect(command, Measurement(d, f, when))
        march = HybridMarch(self, record, None)  # with the parameters of the start: mass and damping stay what they were
        if parameters is not None:
            self.parameters[:] = parameters
        return march, [name for name, _ in physical]

    def _restore(self, record: Record) -> Array | None:
        """Everything beside the state of the program as it was after the last committed step of a journal.

        Returns the parameters that were in use then, where they had been updated; in use are still those of the start.
        """
        step, _, extra, parameters = record.checkpoint()
        place, needed = 0, sum(len(_checkpoint(part)) for part in self._parts())
        if len(extra) != needed:
            raise InputError(f"journal {record.path}", "specimens", len(extra), f"must have {needed} numbers a step in this test",
                             "it was written by another version of femu, or with another setup, sensor check or compensation")
        for part in self._parts():
            size = len(_checkpoint(part))
            part.restore(extra[place:place + size])
            place += size
        for element in self.elements.values():
            element.must_command(record, step)
        self.parameters[:] = self.program.parameters.vector  # an updater may have written what it restored
        return parameters

    def check(self, record: Record) -> None:
        """Raise where a journal belongs to another test."""
        for key, value in self.describe().items():
            if record.about.get(key) != value and (key in record.about or key not in ADDED_LATER):
                raise InputError(f"journal {record.path}", key, record.about.get(key), f"must be {value!r}, as in this test",
                                 "the model or the test has changed since the journal was written")
        sizes = {str(n): e.specimen.size for n, e in self.elements.items()}
        if record.about["elements"] != sizes:
            raise InputError(f"journal {record.path}", "elements", record.about["elements"],
                             f"must be {sizes}, with as many actuators as in this test")
        if not np.array_equal(record.state[:record.steps, 0], np.arange(1.0, record.steps + 1.0)):
            raise FileError(record.path, "is damaged: the steps in it do not follow each other")
        if record.steps and record.record.shape[1] < HEAD + HybridRecord(self.program, self.elements, 0).rows.shape[1] + TAIL:
            raise InputError(f"journal {record.path}", "record", record.record.shape[1], "has too few numbers a step",
                             "it was written by another version of femu")
        if not np.array_equal(record.parameters, self.program.parameters.vector):
            changed = [n for n, a, b in zip(record.parameter_names, record.parameters, self.program.parameters.vector,
                                            strict=True) if a != b]
            raise InputError(f"journal {record.path}", "parameters", changed, "must have the values of this test")

    # --- pieces ---

    def _begin(self) -> None:
        self.parameters[:] = self.program.parameters.vector
        self.memory.values = np.zeros(len(self.memory.values))
        for name, element in self.elements.items():
            self.tangents[name].start(element.initial)
            element.begin(self._transient.dt / self.integrator.exchanges)
        if self.updater is not None:
            self.updater.start(self.program, self.parameters)

    def _stand_by(self, journal: str | PathLike[str] | None, resumed: bool) -> None:
        stand_by = getattr(self.updater, "stand_by", None)
        if stand_by is not None:
            stand_by(journal, resumed)

    def _parts(self) -> list[Any]:
        """Everything beside the state of the program that a checkpoint must hold."""
        both = [part for name, e in self.elements.items() for part in (e, self.tangents[name])]
        return [*both, self.memory, *([self.updater] if self.updater is not None else [])]

    def _extra(self) -> Array:
        return np.concatenate([_checkpoint(part) for part in self._parts()])

    def _journal(self, path: str | PathLike[str], overwrite: bool = False) -> Journal:
        p = self.program
        width = HybridRecord(p, self.elements, 0).rows.shape[1]
        watched = getattr(self.updater, "watched", None)
        told = {"description": p.describe(), "environment": environment(),  # for whoever reads the journal without the script
                "limits": {str(n): e.limits.as_data() for n, e in self.elements.items() if e.limits is not None},
                "rate": self.pace.rate if self.pace is not None else None,
                "updating": list(self.updater.names) if watched is not None else [], "updating_at": width}  # type: ignore[union-attr]
        width += len(watched()) if watched is not None else 0
        durable = self._durable
        if durable is None:
            durable = self.pace is None and any(e.specimen.physical for e in self.elements.values())
        return Journal(path, {str(n): e.specimen.size for n, e in self.elements.items()}, state=p.layout.size, durable=durable,
                       specimens=len(self._extra()), parameters=(list(p.parameters.names), p.parameters.vector),
                       updated=self.updater is not None, record=width, about={**self.describe(), **told}, overwrite=overwrite)

    def _march(self, march: HybridMarch, take_over: Callable[[], None] | None = None) -> HybridResult:
        outcome, message = Outcome.ERROR, ""
        pacer = Pacer(self.pace) if self.pace is not None else None
        with Shield() as march.shield:
            try:
                if march.done < march.count:
                    self._get_ready(march)
                if take_over is not None:
                    march.shield.level = WRITING  # a signal waits until the journal is whole
                    take_over()
                    march.shield.level = FREE
                    march.shield.stop()
                with pacer or contextlib.nullcontext():
                    march.go(pacer)
                outcome = Outcome.COMPLETE
            except ExperimentError as problem:
                outcome, message = problem.ending, str(problem)
                if isinstance(problem, JournalFull) and take_over is not None and march.journal is None:
                    raise  # the test has not gone on
            except KeyboardInterrupt:
                outcome, march.shield.answered = Outcome.STOPPED_BY_USER, True
            except BaseException as problem:
                message = f"{Outcome.ERROR.value} {type(problem).__name__}: {problem}"
                raise
            finally:
                march.shield.level = WRITING  # from here on signals wait to the end
                message = self._end(march, outcome, message)
        return march.result(outcome, message, pacer)

    def _get_ready(self, march: HybridMarch) -> None:
        """Open every specimen, and see where it stands."""
        for element in self.elements.values():
            element.specimen.open()
            if element.specimen.physical:
                march.find_place(element)

    def _tell_updater(self, outcome: Outcome) -> None:
        if (ended := getattr(self.updater, "ended", None)) is not None:
            ended(outcome)

    def _end(self, march: HybridMarch, outcome: Outcome, message: str) -> str:
        """Hold every specimen and close the journal, whatever fails on the way; returns the message with what did."""
        for name, element in self.elements.items():
            try:
                if outcome is not Outcome.COMPLETE:
                    element.specimen.hold()
            except Exception as problem:
                message = f"{message or outcome.value} The specimen of {name!r} could not be held: {problem!r}."
        try:
            if march.journal is not None:
                march.journal.close(outcome, message)
        finally:
            for element in self.elements.values():  # they can be asked by hand from now on
                element.journal, element.shield = None, NO_SHIELD
            self._tell_updater(outcome)
        return message


def _each_its_own(what: str, parts: Mapping[Name, Any]) -> None:
    """Refuse what two elements share: it would take what one of them did for what the other did."""
    first: dict[int, Name] = {}
    for name, part in parts.items():
        if part is not None and first.setdefault(id(part), name) != name:
            raise InputError("HybridTest", what, part, f"must not be the same object for {first[id(part)]!r} and {name!r}",
                             "make one for each element")


def _must_belong_together(record: Record, name: str) -> None:
    """Refuse measurements of a physical specimen whose commands are not known: it would be moved back to repeat their steps."""
    sent, measured = record.command[name], record.measured[name]
    if len(measured) > len(sent):
        raise FileError(record.path, f"holds {len(measured)} measurements of {name!r} and only {len(sent)} of their commands, "
                        "as a power cut can leave it: the specimen has gone farther than the test can go on from. The journal "
                        "stays as it is. Read it with read_journal, and begin another test with the specimen as it is now")
    if not np.array_equal(sent[:len(measured), :HEAD], measured[:, :HEAD]):
        raise FileError(record.path, f"is damaged: commands and measurements of {name!r} are not of the same steps")


def _digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[:32]


def _checkpoint(part: Any) -> Array:
    made = part.state if isinstance(part, TangentEstimator) else part.checkpoint()
    return np.asarray(made, dtype=float)
