"""The plainest hybrid test: implicit Newmark, one command a step.

Each step sends the explicit predictor ``d + dt v + dt^2/2 a`` to the specimens, once, and then solves the numerical part
to equilibrium with the specimens linear about what they answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.marcher import Marcher, Steps
from femu.analyses.newmark import Newmark
from femu.analyses.transient import Excitation, Transient, _by_direction, _grid
from femu.element import Name
from femu.errors import InputError
from femu.experimental.element import Experimental
from femu.experimental.errors import Ending, ExperimentError, NotConverged
from femu.experimental.journal import Journal, Record, read_journal
from femu.experimental.specimen import Measurement
from femu.experimental.tangent import InitialTangent, TangentEstimator
from femu.model import Model
from femu.outcome import Outcome
from femu.program import Program
from femu.results import Result
from femu.run import Run
from femu.save import Save

Array = npt.NDArray[np.float64]
_OUTCOMES = {Ending.COMPLETE: Outcome.COMPLETE, Ending.SPECIMEN_LIMIT: Outcome.SPECIMEN_LIMIT,
             Ending.NOT_CONVERGED: Outcome.NOT_CONVERGED}


@dataclass(frozen=True)
class Tested:
    """How a test went."""

    ending: Ending
    message: str
    steps: int
    result: Result


class SteppedTest:
    """A hybrid test of a model with experimental elements.

    ``tangents`` maps names of experimental elements to estimators; the others keep their initial stiffness.
    """

    def __init__(self, model: Model | Program, motion: Excitation = None, *, dt: float = 0.01, duration: float | None = None,
                 tangents: Mapping[Name, TangentEstimator] | None = None, save: Save | None = None) -> None:
        self.program = model.compile() if isinstance(model, Model) else model
        self.elements: dict[Name, Experimental] = {
            n: e for n, e in self.program.elements.items() if isinstance(e, Experimental)}
        if not self.elements:
            raise InputError("SteppedTest", "model", model, "must have an experimental element")
        self.tangents: dict[Name, TangentEstimator] = {}
        for name, element in self.elements.items():
            self.tangents[name] = (tangents or {}).get(name) or InitialTangent()
            self.tangents[name].start(element.initial)
            element.begin(dt)
        self._transient = Transient(Newmark(), dt=dt)
        self._motions = _by_direction(motion)
        self._count = self._transient._count(self._motions, duration, self.program.state())
        self._save = save

    def describe(self) -> dict[str, Any]:
        """The test in a few words, for the journal."""
        constants = hashlib.sha256(self.program.geometry.tobytes() + self.program.nodal.tobytes()).hexdigest()[:32]
        return {"model": self.program.name, "program": self.program.digest, "constants": constants,
                "dt": self._transient.dt, "steps": self._count}

    def run(self, journal: str | PathLike[str] | None = None) -> Tested:
        """Run from the start."""
        book = self._journal(journal) if journal is not None else None
        return self._march(0, self.program.state().vector, book)

    def resume(self, journal: str | PathLike[str]) -> Tested:
        """Go on from the last committed step of an interrupted test."""
        record = read_journal(journal)
        self.check(record)
        step, state, extra, _ = record.checkpoint()
        place = 0
        for name, element in self.elements.items():
            for part in (element, self.tangents[name]):
                size = len(part.checkpoint() if isinstance(part, Experimental) else part.state)
                part.restore(extra[place:place + size])
                place += size
        kept = []
        for name, element in self.elements.items():
            last = record.unfinished(str(name), step + 1)
            if last is not None and not len(element.specimen.state):  # an emulated one is set back and moves again
                element.expect(last[0], Measurement(last[1], last[2], float(record.measured[str(name)][-1, 1])))
                kept.append(str(name))
        book = self._journal(f"{record.path}.resumed", overwrite=True)
        book.take_over(record, step, kept)
        return self._march(step, state.copy(), book)

    def check(self, record: Record) -> None:
        """Raise where a journal belongs to another test."""
        for key, value in self.describe().items():
            if record.about.get(key) != value:
                raise InputError(f"journal {record.path}", key, record.about.get(key), f"must be {value!r}, as in this test",
                                 "the model or the test has changed since the journal was written")
        if not np.array_equal(record.parameters, self.program.parameters.vector):
            changed = [n for n, a, b in zip(record.parameter_names, record.parameters, self.program.parameters.vector,
                                            strict=True) if a != b]
            raise InputError(f"journal {record.path}", "parameters", changed, "must have the values of this test")

    # --- pieces ---

    def _extra(self) -> Array:
        return np.concatenate([part for name, e in self.elements.items() for part in (e.checkpoint(), self.tangents[name].state)])

    def _journal(self, path: str | PathLike[str], overwrite: bool = False) -> Journal:
        p = self.program
        return Journal(path, {str(n): e.specimen.size for n, e in self.elements.items()}, state=p.layout.size,
                       specimens=len(self._extra()), parameters=(list(p.parameters.names), p.parameters.vector),
                       about=self.describe(), overwrite=overwrite)

    def _march(self, first: int, vector: Array, journal: Journal | None) -> Tested:
        program, transient = self.program, self._transient
        state = program.state()
        state.vector[:] = vector
        run = Run(program, state)
        transient.prepare(run, self._motions)
        series = transient._series(run, self._motions)
        nodes = _grid(0.0, transient.dt, self._count)

        def install(run: Run) -> None:
            transient._install(run, series, nodes, transient.dt)

        marcher = Marcher(run, transient.integrator.kernel, Steps(self._count, install, lambda *_: None), transient.algorithm,
                          transient.test, transient.policy, self._save or Save(), None, program.name)
        run.begin()
        marcher._install()
        marcher._record()
        ending, message, done = Ending.ERROR, "", first
        try:
            for element in self.elements.values():
                element.specimen.open()
            for step in range(first, self._count):
                self._exchange(run, step + 1, nodes[step + 1], journal)
                why = marcher._call(step, step + 1)
                if why != code.DONE:
                    raise NotConverged(f"Step {step + 1} of {self._count} did not converge.")
                done = step + 1
                for element in self.elements.values():
                    element.specimen.commit(float(nodes[done]))
                if journal is not None:
                    journal.commit(done, float(nodes[done]), state.vector, self._extra())
            ending = Ending.COMPLETE
        except ExperimentError as problem:
            ending, message = problem.ending, str(problem)
        except KeyboardInterrupt:
            ending = Ending.STOPPED_BY_USER
        finally:
            for element in self.elements.values():
                if ending is not Ending.COMPLETE:
                    element.specimen.hold()
            if journal is not None:
                journal.close(ending, message)
        marcher.done, marcher.rows = done, int(run.context[slot.ROW])
        marcher.message, marcher.seconds = message or ending.value, 0.0
        result = Result.of(marcher, _OUTCOMES.get(ending, Outcome.STOPPED_BY_USER), "hybrid")
        return Tested(ending, message or ending.value, done, result)

    def _exchange(self, run: Run, step: int, time: float, journal: Journal | None) -> None:
        program, layout, dt = self.program, self.program.layout, self._transient.dt
        vector, n = run.state.vector, self.program.ndof
        u, v, a = (vector[s:s + n] for s in (layout.u, layout.v, layout.a))
        run[slot.U][:] = u + dt * v + 0.5 * dt * dt * a
        run.determine(slot.EVALUATE)
        elements = vector[layout.elements:]
        for name, element in self.elements.items():
            element.journal, element.step = journal, step
            measured = element.exchange(element.deformation(program, run[slot.T]), float(time))
            element.take(program, elements, measured, self.tangents[name].update(measured.displacement, measured.force))
