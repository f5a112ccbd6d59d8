"""The loop of a hybrid test."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from femu.analyses import code
from femu.analyses.step_driver import StepDriver, Steps
from femu.analyses.transient import time_grid
from femu.engine.element_kernels import ESTIMATE, EVALUATE, HELD, call_group
from femu.engine.run_fields import RUN, Run
from femu.engine.workspace import Workspace, address, aligned
from femu.experimental.errors import BadParameters, NotConverged
from femu.experimental.hybrid_checkpoint import updated_places
from femu.experimental.hybrid_record import STEP_COLUMNS, Columns, HybridRecord
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.journal.checkpoints import of_every_step
from femu.experimental.journal.journal import HEAD, Record
from femu.experimental.late_steps import LATE, are_noted, by_own_step, count_late
from femu.experimental.pacing import Pacer, PaceReport
from femu.experimental.safety.tracking import TrackingMonitor
from femu.experimental.session import SpecimenSession
from femu.experimental.specimens.specimen import Measurement
from femu.experimental.tangents.tangent import TangentEstimator, raised
from femu.kernels import INT, INTS, floats_at, kernel
from femu.model.element import Name
from femu.model.findings import Finding
from femu.results.outcome import Outcome

if TYPE_CHECKING:
    from femu.experimental.hybrid_run import HybridRun

Array = npt.NDArray[np.float64]
_INTEGERS = ctypes.POINTER(ctypes.c_int64)
_FIRST, _LAST = Run.first.slot, Run.last.slot
_SCRATCH = 2  # addresses in front of the experimental elements in the list of `_deform`


@kernel(INT(RUN, INTS, INT), noalias=False)
def _deform(run, asked, count):
    """Basic deformations of the experimental elements at run.command, into their trial states.

    ``asked``: scratch for force and stiffness, then (address of the group's kernel, element) each.
    """
    seen, force, tangent, damped = run.u, run.internal, run.tangent, run.damped_tangent
    changed = run.stiffness_changed
    run.u, run.internal, run.tangent = run.command, floats_at(asked[0]), floats_at(asked[1])
    run.damped_tangent = floats_at(0)
    run.step[ESTIMATE] = HELD
    failed = 0
    for q in range(count):
        failed += call_group(
            asked[_SCRATCH + 2 * q], (run, asked[_SCRATCH + 2 * q + 1], 1, EVALUATE)
        )
    run.u, run.internal, run.tangent, run.damped_tangent = seen, force, tangent, damped
    run.stiffness_changed = changed
    return code.ELEMENT_FAILED if failed != 0 else code.DONE


@dataclass
class _Asked:
    """One session in the loop of a test."""

    session: SpecimenSession
    tangent: TangentEstimator
    inside: bool  # whether the iterations estimate its stiffness
    target: Array  # its deformations in the trial state
    # displacement and force of the last step, in the committed state
    converged: tuple[Array, Array]
    columns: Columns
    measured: Measurement
    own: slice  # its state among those of the elements


class HybridLoop:
    """The loop of one run of a test: takes the steps and notes them."""

    def __init__(self, hybrid: HybridRun, before: Record | None) -> None:
        self.hybrid, self.test, self.before = hybrid, hybrid.test, before
        test, program = hybrid.test, hybrid.program
        transient, integrator = test.transient, test.integrator
        self.updated = updated_places(hybrid.updater, program)
        self.program, self.count = program, test.count
        self.state = program.state()
        self.run = run = Workspace(program, self.state, hybrid.parameters)
        transient.prepare(run, test.motions)
        series = transient.series_of(run, test.motions)
        self.nodes = time_grid(0.0, transient.dt, self.count)
        integrator.prepare(run)
        integrator.check_step(run, transient.dt)
        hybrid.memory.live_in(run)

        def install(run: Workspace) -> None:
            transient.install(run, series, self.nodes, transient.dt)

        self.driver = StepDriver(
            run,
            integrator.kernel,
            Steps(self.count, install, lambda *_: None),
            transient.algorithm,
            transient.test,
            transient.policy,
            test.save,
            None,
            program.name,
        )
        run.begin()
        self.elements = self.state.vector[program.layout.elements :]
        self.record = HybridRecord(program, test.elements, self.count)
        self.findings: Sequence[Finding] = ()
        run.fields.command = aligned(program.ndof)
        order = {name: place for place, name in enumerate(program.elements)}
        self.scratch = aligned(program.ndof), aligned(program.storage + 8)
        self.places = np.array(
            [
                *map(address, self.scratch),
                *(
                    x
                    for name in test.elements
                    for x in (program.plans[name].group.address, order[name])
                ),
            ],
            dtype=np.int64,
        )
        self.least = integrator.least_share(transient.dt**2 * self._stiffness_by_mass())
        self.tracking = self._tracking_monitor()
        self.asked = [self._asked(name) for name in test.elements]
        self.driver.install()
        self.done = self.first = 0
        self.seconds = 0.0
        self.driver.record()
        self.record.fill(0, self.state.vector)
        if before is not None and before.steps:
            self._go_on(before)

    def _tracking_monitor(self) -> TrackingMonitor | None:
        """What follows how well the specimens track, if there are limits for it."""
        test = self.test
        if not test.tracking:
            return None
        noise = {}
        for name in test.tracking:
            element, session = test.elements[name], self.hybrid.sessions[name]
            inverse = np.linalg.pinv(element.actuator_setup.jacobian(np.zeros(element.basic_size)))
            noise[name] = np.abs(inverse) @ element.displacement_noise(session.specimen)
        return TrackingMonitor(test.tracking, self.record, test.transient.dt, noise)

    def _asked(self, name: Name) -> _Asked:
        session, tangent = self.hybrid.sessions[name], self.test.tangents[name]
        element = session.element
        n = element.basic_size
        start, names = self.program.element_state(name)
        inside = self.test.integrator.inside and tangent.springs_of() is not None
        if inside:
            element.estimate_by(
                self.program,
                self.elements,
                tangent,
                getattr(self.test.integrator, "reach", 1.0),
                self.least,
            )
        at = start + n + n * (n + 1) // 2
        return _Asked(
            session,
            tangent,
            inside,
            self.run.fields.elements[at : at + n],
            (self.elements[at : at + n], self.elements[start : start + n]),
            self.record.columns[name],
            Measurement(np.zeros(n), np.zeros(n)),
            slice(start, start + len(names)),
        )

    def _stiffness_by_mass(self) -> float:
        """Largest eigenvalue of M^-1 K with the initial stiffness of all specimens, where there is
        mass."""
        program = self.program
        _deform.ctypes(
            *(a.ctypes.data_as(_INTEGERS) for a in (self.run.fields.vector, self.places)),
            len(self.test.elements),
        )
        stiffness, mass = self.scratch[1], self.run.fields.mass
        diagonal = program.sparsity.diagonal
        used = np.flatnonzero((stiffness[diagonal] > 0.0) & (mass[diagonal] > 0.0))
        if len(used) == 0:
            return 0.0
        part = (program.sparsity.to_sparse(m)[used][:, used].toarray() for m in (stiffness, mass))
        return float(eigh(*part, eigvals_only=True)[-1])

    def _go_on(self, before: Record) -> None:
        """Take over the rows and the state of an interrupted test."""
        self.first = self.done = done = before.checkpoint()[0]
        width = self.record.rows.shape[1]  # after it comes what the updater notes
        self.record.rows[1 : done + 1] = before.record[:done, HEAD : HEAD + width]
        self.record.rows[1 : done + 1, LATE] = by_own_step(before.record[:done])
        if self.tracking is not None:
            for step in range(1, done + 1):
                self.tracking.see(step, judge=False)
        driver, every = self.driver, self.test.save.every
        saved = of_every_step(before, driver.columns)[every - 1 : done : every]
        driver.output[1 : 1 + len(saved), : len(driver.columns)] = saved
        self.run.fields.row = 1 + len(saved)
        driver.reports[:done, 0] = self.record.rows[1 : done + 1, 0]
        self.state.vector[:] = before.checkpoint()[1]

    def go(self, pacer: Pacer | None) -> None:
        """Take the steps.

        Longer than a page: one step in order, with what ends the run between its parts.
        """
        run, test, hybrid = self.run, self.test, self.hybrid
        rows, reports = self.record.rows, self.driver.reports
        context = run.fields.vector.ctypes.data_as(_INTEGERS)
        places = self.places.ctypes.data_as(_INTEGERS)
        command, deform, kernel = (
            test.integrator.command.ctypes,
            _deform.ctypes,
            self.driver.kernel.ctypes,
        )
        vector = run.fields.vector  # several times faster than its fields
        exchanges, dt, updater = test.integrator.exchanges, test.transient.dt, hybrid.updater
        clock, journal = time.perf_counter, hybrid.journal
        known = hybrid.parameters.copy()
        begun = clock()
        try:
            for step in range(self.first, self.count):
                # of the step before this one
                late = 1.0 if pacer is not None and pacer.wait() else 0.0
                rows[step, LATE] = late
                start, waiting = clock(), 0.0
                row = rows[step + 1]
                for exchange in range(exchanges):
                    self._must(command(context, step, exchange), step)
                    self._must(deform(context, places, len(self.asked)), step)
                    last = exchange == exchanges - 1
                    now = (
                        float(self.nodes[step + 1])
                        if last
                        else float(self.nodes[step]) + dt * (exchange + 1) / exchanges
                    )
                    waiting += self._exchange(step + 1, now, row)
                vector[_FIRST], vector[_LAST] = step, step + 1
                self._must(kernel(context), step)
                if test.integrator.elements_stay:
                    self._must(self._settle(context, places, step + 1), step)
                for asked in self.asked:
                    asked.session.commit(self.program, self.elements, now)
                row[0], row[1], row[3] = reports[step, 0], reports[step, 2], waiting
                self.record.fill(step + 1, self.state.vector)
                if updater is not None:
                    self._update(step + 1, now, known)
                row[2] = clock() - start
                if journal is not None:
                    row[LATE] = late  # its own row was written before that was known
                    watched = updater.values_to_monitor() if updater is not None else None
                    noted = row if watched is None else np.concatenate([row, watched])
                    journal.commit(
                        step + 1,
                        now,
                        self.state.vector,
                        hybrid.checkpoint(),
                        hybrid.parameters,
                        noted,
                    )
                    row[LATE] = 0.0
                    # with the journal's own time, which the journal itself cannot hold
                    row[2] = clock() - start
                self.done = step + 1
                if self.tracking is not None:
                    self.tracking.see(step + 1)
        finally:
            self.seconds = clock() - begun

    def _settle(self, context: Any, places: Any, done: int) -> int:
        """Let experimental elements that the integrator left where they were asked go linearly to
        the end of the step."""
        u, trial, driver = self.program.layout.u, self.run.fields.elements, self.driver
        self.run.fields.command[:] = self.state.vector[u : u + self.program.ndof]
        why = int(_deform.ctypes(context, places, len(self.asked)))
        for asked in self.asked:
            self.elements[asked.own] = trial[asked.own]
        if done % self.test.save.every == 0:  # the row was recorded with the commit
            driver.output[self.run.fields.row - 1, : len(driver.columns)] = self.state.vector[
                driver.columns
            ]
        return why

    def _must(self, why: int, step: int) -> None:
        if why != code.DONE:
            raise NotConverged(
                f"Step {step + 1} of {self.count} did not converge: {self.driver.reason(why)}."
            )

    def _exchange(self, step: int, now: float, row: Array) -> float:
        """Ask every specimen once, and write what it answered into the state.

        Returns the seconds spent waiting.
        """
        waited, clock = 0.0, time.perf_counter
        for asked in self.asked:
            session, tangent = asked.session, asked.tangent
            target = asked.target.copy()
            first, count = asked.columns.command
            row[first : first + count] = target
            began = clock()
            asked.measured = measured = session.exchange(target, now, step)
            waited += clock() - began
            if asked.inside:
                session.write_measurement(self.program, self.elements, measured)
            else:
                before = tangent.updates
                stiffness = tangent.update(measured.displacement, measured.force, asked.converged)
                if stiffness.shape != session.initial.shape or not math.isfinite(stiffness.sum()):
                    n = len(session.initial)
                    raise NotConverged(
                        f"{type(tangent).__name__} of {session.element.label()} returned the "
                        f"tangent {stiffness.tolist()}; {n} by {n} finite numbers were expected."
                    )
                if self.least > 0.0:
                    stiffness = raised(stiffness, session.initial, self.least)
                session.write_measurement(
                    self.program, self.elements, measured, stiffness, tangent.updates > before
                )
        return waited

    def _update(self, step: int, now: float, known: Array) -> None:
        """Let the updater learn, and make the matrices again if it wrote."""
        updater, parameters = self.hybrid.updater, self.hybrid.parameters
        assert updater is not None
        measured = next(a.measured for a in self.asked if a.session.name == updater.element)
        updater.update(step, now, measured.displacement, measured.force)
        if not np.array_equal(known, parameters):
            wrong = np.flatnonzero(~np.isfinite(parameters))
            if len(wrong):
                name, value = self.program.parameters.names[wrong[0]], parameters[wrong[0]]
                parameters[:] = known
                raise BadParameters(
                    f"After step {step} of {self.count} the updater wrote {name} = {value}."
                )
            others = known != parameters
            others[self.updated] = False
            if others.any():
                name = self.program.parameters.names[int(np.argmax(others))]
                raise BadParameters(
                    f"After step {step} of {self.count} the updater wrote {name}, which is not in "
                    "its writes_to."
                )
            known[:] = parameters
            self.run.fields.fresh = 1

    def result(self, outcome: Outcome, message: str, pacer: Pacer | None) -> HybridResult:
        """What the test gave."""
        driver = self.driver
        for asked in self.asked:
            if asked.inside:
                asked.tangent.stiffness = asked.session.element.stiffness_of(
                    self.program, self.elements
                )
                asked.tangent.updates = int(
                    self.record.rows[: self.done + 1, asked.columns.updated[0]].sum()
                )
        # a step that was taken but could not be written any more is none
        driver.done, driver.rows = (
            self.done,
            min(self.run.fields.row, 1 + self.done // self.test.save.every),
        )
        driver.message, driver.seconds = message or outcome.value, self.seconds
        self.record.rows[self.done, LATE] = 0.0  # it has no next step that was committed
        report = self._paced(pacer) if pacer is not None else None
        return HybridResult.of_test(
            driver, outcome, self.record, self.test.transient.dt, report, self.findings
        )

    def _paced(self, pacer: Pacer) -> PaceReport:
        """How the pace was held.

        In the whole test, as its journal has it, or since an older journal was resumed.
        """
        before = self.before
        unknown = self.first if before is not None and not are_noted(before.about) else 0
        if unknown:
            pacer.notes.append(
                f"Steps 1 to {unknown} are not counted: their journal was written by a version of "
                "femu that did not record late steps."
            )
        rows = self.record.rows[unknown + 1 : self.done + 1]
        return pacer.report(rows[:, STEP_COLUMNS.index("seconds")], count_late(rows[:, LATE]))
