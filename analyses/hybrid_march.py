"""The loop of a hybrid test."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.hybrid_record import Columns, HybridRecord
from femu.analyses.hybrid_result import HybridResult
from femu.analyses.marcher import Marcher, Steps
from femu.analyses.pacing import Pacer
from femu.analyses.transient import _grid
from femu.element import Name
from femu.experimental.element import Experimental
from femu.experimental.errors import BadParameters, NotConverged
from femu.experimental.journal import HEAD, TAIL, Journal, Record
from femu.experimental.shield import NO_SHIELD
from femu.experimental.specimen import Measurement
from femu.experimental.tangent import TangentEstimator, raised
from femu.kernels import INT, INTS, floats_at, kernel
from femu.outcome import Outcome
from femu.run import Run, address, aligned

if TYPE_CHECKING:
    from femu.analyses.hybrid_test import HybridTest

Array = npt.NDArray[np.float64]
_INTEGERS = ctypes.POINTER(ctypes.c_int64)
_SCRATCH = 2  # addresses in front of the experimental elements in the list of `_deform`


@kernel(INT(INTS, INTS, INT), noalias=False)
def _deform(context, asked, count):
    """Basic deformations of the experimental elements at slot.COMMAND, into their trial states.

    ``asked``: scratch for force and stiffness, then (address of the group's kernel, element) each.
    """
    seen, force, tangent, damped = context[slot.U], context[slot.F], context[slot.K], context[slot.KD]
    changed = context[slot.CHANGED]
    context[slot.U], context[slot.F], context[slot.K], context[slot.KD] = context[slot.COMMAND], asked[0], asked[1], 0
    floats_at(context[slot.STEP])[slot.ESTIMATE] = slot.HELD
    failed = 0
    for q in range(count):
        failed += slot.call_group(asked[_SCRATCH + 2 * q], (context, asked[_SCRATCH + 2 * q + 1], 1, slot.EVALUATE))
    context[slot.U], context[slot.F], context[slot.K], context[slot.KD] = seen, force, tangent, damped
    context[slot.CHANGED] = changed
    return code.ELEMENT_FAILED if failed != 0 else code.DONE


@dataclass
class _Asked:
    """One experimental element in the loop of a test."""

    element: Experimental
    tangent: TangentEstimator
    inside: bool  # whether the iterations estimate its stiffness
    target: Array  # its deformations in the trial state
    converged: tuple[Array, Array]  # displacement and force of the last step, in the committed state
    columns: Columns
    measured: Measurement
    own: slice  # its state among those of the elements


class HybridMarch:
    """The loop of one test."""

    def __init__(self, test: HybridTest, before: Record | None, journal: Journal | None) -> None:
        self.test, self.journal, self.before = test, journal, before
        self.shield = NO_SHIELD
        self.standing: dict[Name, tuple[Array, Array, Array]] = {}
        """Where resumed specimens stand, until what they had measured has been used: command, displacement and force."""
        program, transient, integrator = test.program, test._transient, test.integrator
        self.program, self.count = program, test._count
        self.state = program.state()
        self.run = run = Run(program, self.state, test.parameters)
        transient.prepare(run, test._motions)
        series = transient._series(run, test._motions)
        self.nodes = _grid(0.0, transient.dt, self.count)
        integrator.prepare(run)
        integrator.check_step(run, transient.dt)
        test.memory.live_in(run)

        def install(run: Run) -> None:
            transient._install(run, series, self.nodes, transient.dt)

        self.marcher = Marcher(run, integrator.kernel, Steps(self.count, install, lambda *_: None), transient.algorithm,
                               transient.test, transient.policy, test._save, None, program.name)
        run.begin()
        self.elements = self.state.vector[program.layout.elements:]
        self.record = HybridRecord(program, test.elements, self.count)
        run.hold(slot.COMMAND, aligned(program.ndof))
        order = {name: place for place, name in enumerate(program.elements)}
        self.scratch = aligned(program.ndof), aligned(program.storage + 8)
        self.places = np.array([*map(address, self.scratch), *(
            x for name in test.elements for x in (program.plans[name].group.address, order[name]))], dtype=np.int64)
        self.least = integrator.least_share(transient.dt**2 * self._stiffness_by_mass())
        self.asked = [self._asked(name) for name in test.elements]
        self.marcher._install()
        self.done = self.first = 0
        self.seconds = 0.0
        self.marcher._record()
        self.record.fill(0, self.state.vector)
        if before is not None and before.steps:
            self._go_on(before)

    def _asked(self, name: Name) -> _Asked:
        element, tangent, n = self.test.elements[name], self.test.tangents[name], self.test.elements[name].basic_size
        start, names = self.program.element_state(name)
        inside = self.test.integrator.inside and tangent.springs_of() is not None
        if inside:
            element.estimate_by(self.program, self.elements, tangent, getattr(self.test.integrator, "reach", 1.0), self.least)
        at = start + n + n * (n + 1) // 2
        return _Asked(element, tangent, inside, self.run[slot.T][at:at + n],
                      (self.elements[at:at + n], self.elements[start:start + n]), self.record.columns[name],
                      Measurement(np.zeros(n), np.zeros(n)), slice(start, start + len(names)))

    def _stiffness_by_mass(self) -> float:
        """Largest eigenvalue of M^-1 K with the initial stiffness of all specimens, where there is mass."""
        program = self.program
        _deform.ctypes(*(a.ctypes.data_as(_INTEGERS) for a in (self.run.context, self.places)), len(self.test.elements))
        stiffness, mass = self.scratch[1], self.run[slot.MASS]
        diagonal = program.pattern.diagonal
        used = np.flatnonzero((stiffness[diagonal] > 0.0) & (mass[diagonal] > 0.0))
        if len(used) == 0:
            return 0.0
        part = (program.pattern.to_sparse(m)[used][:, used].toarray() for m in (stiffness, mass))
        return float(eigh(*part, eigvals_only=True)[-1])

    def _go_on(self, before: Record) -> None:
        """Take over the rows and the state of an interrupted test."""
        self.first = self.done = done = before.checkpoint()[0]
        states = before.state[:done, HEAD:-TAIL]
        width = self.record.rows.shape[1]  # behind it stands what the updater notes
        self.record.rows[1:done + 1] = before.record[:done, HEAD:HEAD + width]
        marcher, every = self.marcher, self.test._save.every
        saved = states[every - 1::every][:, marcher.columns]
        marcher.output[1:1 + len(saved), :len(marcher.columns)] = saved
        self.run.context[slot.ROW] = 1 + len(saved)
        marcher.reports[:done, 0] = self.record.rows[1:done + 1, 0]
        self.state.vector[:] = states[-1]

    def go(self, pacer: Pacer | None) -> None:
        """Take the steps."""
        run, test, rows, reports = self.run, self.test, self.record.rows, self.marcher.reports
        context = run.context.ctypes.data_as(_INTEGERS)
        places = self.places.ctypes.data_as(_INTEGERS)
        command, deform, kernel = test.integrator.command.ctypes, _deform.ctypes, test.integrator.kernel.ctypes
        exchanges, dt, updater = test.integrator.exchanges, test._transient.dt, test.updater
        watched = getattr(updater, "watched", None)
        clock = time.perf_counter
        known = test.parameters.copy()
        begun = clock()
        try:
            for step in range(self.first, self.count):
                if pacer is not None and pacer.wait():
                    rows[step, 4] = 1.0  # the step before this one
                start, waiting = clock(), 0.0
                row = rows[step + 1]
                for exchange in range(exchanges):
                    self._must(command(context, step, exchange), step)
                    self._must(deform(context, places, len(self.asked)), step)
                    last = exchange == exchanges - 1
                    now = float(self.nodes[step + 1]) if last else float(self.nodes[step]) + dt * (exchange + 1) / exchanges
                    waiting += self._exchange(step + 1, now, row)
                run.context[slot.FIRST], run.context[slot.LAST] = step, step + 1
                self._must(kernel(context), step)
                if test.integrator.elements_stay:
                    self._must(self._settle(context, places, step + 1), step)
                for asked in self.asked:
                    asked.element.specimen.commit(now)
                    asked.element.committed(self.program, self.elements)
                row[0], row[1], row[3] = reports[step, 0], reports[step, 2], waiting
                self.record.fill(step + 1, self.state.vector)
                if updater is not None:
                    self._update(step + 1, now, known)
                row[2] = clock() - start
                if self.journal is not None:
                    noted = row if watched is None else np.concatenate([row, watched()])
                    self.journal.commit(step + 1, now, self.state.vector, test._extra(), test.parameters, noted)
                    row[2] = clock() - start  # with the journal's own time, which the journal itself cannot hold
                self.done = step + 1
        finally:
            self.seconds = clock() - begun

    def _settle(self, context: Any, places: Any, done: int) -> int:
        """Let experimental elements that the integrator left where they were asked go linearly to the end of the step."""
        u, trial, marcher = self.program.layout.u, self.run[slot.T], self.marcher
        self.run[slot.COMMAND][:] = self.state.vector[u:u + self.program.ndof]
        why = int(_deform.ctypes(context, places, len(self.asked)))
        for asked in self.asked:
            self.elements[asked.own] = trial[asked.own]
        if done % self.test._save.every == 0:  # the row was recorded with the commit
            marcher.output[self.run.context[slot.ROW] - 1, :len(marcher.columns)] = self.state.vector[marcher.columns]
        return why

    def find_place(self, element: Experimental) -> None:
        """See where a specimen stands before the test begins or goes on.

        What it had measured before an interruption is held against the limits from where it stood then.
        """
        guard = element._guard
        then = guard.standing
        element.find_place(self.before)
        now = guard.standing
        if element._known and now[0] is not then[0]:
            guard.standing, self.standing[element.name] = then, now

    def _must(self, why: int, step: int) -> None:
        if why != code.DONE:
            raise NotConverged(f"Step {step + 1} of {self.count} did not converge: {self.marcher._reason(why)}.")

    def _exchange(self, step: int, now: float, row: Array) -> float:
        """Ask every specimen once, and write what it answered into the state; returns the seconds spent waiting."""
        waited, clock = 0.0, time.perf_counter
        for asked in self.asked:
            element, tangent = asked.element, asked.tangent
            element.journal, element.shield, element.step = self.journal, self.shield, step
            target = asked.target.copy()
            first, count = asked.columns.command
            row[first:first + count] = target
            began = clock()
            asked.measured = measured = element.exchange(target, now)
            waited += clock() - began
            if self.standing and element.name in self.standing and not element._known:
                element._guard.standing = self.standing.pop(element.name)
            if asked.inside:
                element.take(self.program, self.elements, measured)
            else:
                before = tangent.updates
                stiffness = tangent.update(measured.displacement, measured.force, asked.converged)
                if self.least > 0.0:
                    stiffness = raised(stiffness, element.initial, self.least)
                element.take(self.program, self.elements, measured, stiffness, tangent.updates > before)
        return waited

    def _update(self, step: int, now: float, known: Array) -> None:
        """Let the updater learn, and make the matrices anew where it wrote."""
        test = self.test
        assert test.updater is not None
        measured = next(a.measured for a in self.asked if a.element.name == test.updater.element)
        test.updater.update(step, now, measured.displacement, measured.force)
        if not np.array_equal(known, test.parameters):
            wrong = np.flatnonzero(~np.isfinite(test.parameters))
            if len(wrong):
                name, value = self.program.parameters.names[wrong[0]], test.parameters[wrong[0]]
                test.parameters[:] = known
                raise BadParameters(f"After step {step} of {self.count} the updater wrote {name} = {value}.")
            known[:] = test.parameters
            self.run.context[slot.FRESH] = 1

    def result(self, outcome: Outcome, message: str, pacer: Pacer | None) -> HybridResult:
        """What the test gave."""
        marcher = self.marcher
        for asked in self.asked:
            if asked.inside:
                asked.tangent.stiffness = asked.element.stiffness_of(self.program, self.elements)
                asked.tangent.updates = int(self.record.rows[:self.done + 1, asked.columns.updated[0]].sum())
        # a step that was taken but could not be written any more is none
        marcher.done, marcher.rows = self.done, min(int(self.run.context[slot.ROW]), 1 + self.done // self.test._save.every)
        marcher.message, marcher.seconds = message or outcome.value, self.seconds
        report = pacer.report(self.record.rows[self.first + 1:self.done + 1, 2]) if pacer is not None else None
        return HybridResult.of_test(marcher, outcome, self.record, self.test._transient.dt, report)
