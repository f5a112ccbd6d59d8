"""The marcher: takes the steps of an analysis, helps where one does not converge, and records."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.algorithms import Algorithm, Newton
from femu.analyses.commit import commit_kernel
from femu.analyses.convergence import Test
from femu.analyses.inputs import check_progress
from femu.analyses.krylov import basis_floats
from femu.analyses.march import march
from femu.analyses.policy import Policy, Relaxation
from femu.analyses.secant import secant_floats
from femu.kernels import Kernel
from femu.outcome import Outcome
from femu.progress import AMBIENCE, Progress
from femu.run import Run, address
from femu.save import Save

Array = npt.NDArray[np.float64]
CHUNK_SECONDS = 0.05  # a call into the kernel lasts about this long; between calls Ctrl-C and time limits are seen

FIRST_CHUNK = 32  # steps
REUSED_FROM = 24  # equations whose factors are worth more than an iteration more now and then
_OUT_OF_TIME = -1
_NEVER = 1 << 62
_WHY = {
    code.NOT_CONVERGED: "the iteration did not converge",
    code.SINGULAR: "the tangent stiffness is singular (a mechanism, or the peak of the load path)",
    code.NOT_FINITE: "the unbalance is not a finite number",
    code.NO_ROOT: "the controlled displacement cannot be reached by changing the load",
}


@dataclass
class Steps:
    """The steps of an analysis as the kernel wants them; `divide` makes the parts of one step."""

    count: int
    install: Callable[[Run], None]
    divide: Callable[[Run, int, int], None]


class Marcher:
    """Takes steps with one kernel on one run."""

    def __init__(self, run: Run, kernel: Kernel, steps: Steps, algorithm: Algorithm, test: Test, policy: Policy,
                 save: Save, progress: Progress | None, title: str) -> None:
        self.run, self.kernel, self.steps = run, kernel, steps
        self.algorithm, self.test, self.policy, self.save = algorithm, test, policy, save
        check_progress(progress)
        self.progress, self.title = AMBIENCE.progress if progress is None else progress, title
        self.relaxations: list[Relaxation] = []
        self.message = ""
        self._deadline = 0.0
        program = run.program
        self.settings = run[slot.SETTINGS]
        self.settings[code.LEFT] = policy.iteration_limit
        run.context[slot.COMMIT] = commit_kernel.address
        basis = max(basis_floats(program.neq, a.krylov) if a.secant == code.SUBSPACE else secant_floats(program.neq, a.krylov)
                    for a in (algorithm, *policy.algorithms))
        run.rooms({slot.A: program.storage + 8, slot.L: program.pattern.factors,
                   **dict.fromkeys((slot.R, slot.DX, slot.XP, slot.S1, slot.S2, slot.PREVIOUS), program.ndof + 4),
                   slot.BASIS: basis})
        self.nodal = run[slot.NODAL]
        self.blocks = save.blocks(program)
        self.columns = np.array([c for block in self.blocks.values() for c in block], dtype=np.int64)
        rows = steps.count // save.every + 2
        run.hold(slot.RECORD, self.columns * 8 + address(run.state.vector))
        self.output = run.hold(slot.OUTPUT, np.zeros((rows, max(len(self.columns), 1))))
        run.context[slot.NRECORD] = len(self.columns)
        run.context[slot.EVERY] = save.every
        self.reports = np.zeros((steps.count, code.REPORT_FLOATS))

    def _use(self, algorithm: Algorithm) -> None:
        s = self.settings
        s[code.TANGENT], s[code.LINE_SEARCH], s[code.KRYLOV] = algorithm.tangent, algorithm.line_search, algorithm.krylov
        s[code.SECANT], s[code.NESTED] = algorithm.secant, algorithm.nested
        s[code.TEST], s[code.TOLERANCE], s[code.ITERATIONS] = self.test.code, self.test.tolerance, self.test.iterations
        s[code.FACTORED] = 0.0
        self._choose_matrix(algorithm)
        if algorithm.tangent == code.INITIAL and self.run.context[slot.KINITIAL] == 0:
            self.run.hold(slot.KINITIAL, self.run.initial_stiffness())

    def _choose_matrix(self, algorithm: Algorithm) -> None:
        """Assemble the matrix of the iteration in place where every iteration wants a new one and it is K plus constants."""
        s, context = self.settings, self.run.context
        in_place = (algorithm.tangent == code.EACH and algorithm.krylov == 0 and s[code.ALPHA_F] == 1.0
                    and s[code.CURRENT] == 0.0 and s[code.COMMITTED] == 0.0 and self.kernel is march)
        context[slot.IN_PLACE] = int(in_place)
        # a step may go on with the factors of the last one where a resumed run can make the same ones from the state
        context[slot.REUSABLE] = int(in_place and isinstance(algorithm, Newton) and s[code.CONTROL] == code.TRANSIENT
                                     and self.run.program.steady
                                     and not context[slot.NIMPOSED] and not context[slot.RESTLESS]
                                     and self.run.program.neq >= REUSED_FROM)
        context[slot.BASE] = context[slot.BASE_MASS] = 0
        if in_place and s[code.CONTROL] == code.TRANSIENT:
            by_mass = s[code.ALPHA_M] / (s[code.BETA] * s[code.DT] ** 2)
            if context[slot.MASS_DIAGONAL] and not context[slot.DAMPING]:
                context[slot.BASE_MASS] = 1
                self.run[slot.STEP][3] = by_mass
            else:
                base = by_mass * self.run[slot.MASS]
                if context[slot.DAMPING]:
                    base += s[code.GAMMA] / (s[code.BETA] * s[code.DT]) * self.run[slot.DAMPING]
                self.run.hold(slot.BASE, base)

    def _call(self, first: int, last: int) -> int:
        self.run.context[slot.FIRST], self.run.context[slot.LAST] = first, last
        return self.run.call(self.kernel)

    def _record(self) -> None:
        row = int(self.run.context[slot.ROW])
        self.output[row, :len(self.columns)] = self.run.state.vector[self.columns]
        self.run.context[slot.ROW] = row + 1

    def go(self) -> Outcome:
        """Take all steps; returns how it ended. ``output`` then holds ``rows`` rows."""
        run, context = self.run, self.run.context
        run.begin()
        self._install()
        self._record()
        began = time.perf_counter()
        self._deadline = began + self.policy.time_limit
        done, chunk = 0, FIRST_CHUNK
        outcome = Outcome.COMPLETE
        if self.progress:
            self.progress.start(self.title, self.steps.count)
        try:
            while done < self.steps.count:
                call = time.perf_counter()
                why = self._call(done, min(done + chunk, self.steps.count))
                done = int(context[slot.FIRST])
                spent = time.perf_counter() - call
                if why == code.LIMIT_REACHED:
                    outcome = Outcome.LIMIT_REACHED
                    break
                if why == code.OUT_OF_ITERATIONS:
                    outcome = Outcome.ITERATION_LIMIT if done < self.steps.count else Outcome.COMPLETE
                    break
                if why != code.DONE:
                    why = self._help(done, why)
                    if why == code.OUT_OF_ITERATIONS:
                        outcome = Outcome.ITERATION_LIMIT
                        break
                    if why == _OUT_OF_TIME:
                        outcome = Outcome.TIME_LIMIT
                        break
                    if why not in (code.DONE, code.LIMIT_REACHED):
                        outcome = Outcome.NOT_CONVERGED
                        break
                    done += 1
                    self._install()
                    context[slot.FIRST] = done
                    if done % self.save.every == 0:
                        self._record()
                    if why == code.LIMIT_REACHED:
                        outcome = Outcome.LIMIT_REACHED
                        break
                elif spent < CHUNK_SECONDS:
                    chunk = min(2 * chunk, 1 << 20)
                elif spent > 2.0 * CHUNK_SECONDS and chunk > 1:
                    chunk //= 2
                if self.progress:
                    self.progress.advance(done)
                if time.perf_counter() > self._deadline:
                    outcome = Outcome.TIME_LIMIT
                    break
        except KeyboardInterrupt:
            outcome = Outcome.STOPPED_BY_USER
            done = int(context[slot.FIRST])
        finally:
            if self.progress:
                self.progress.finish()
        self.done = done
        self.rows = int(context[slot.ROW])
        if outcome is not Outcome.COMPLETE and not self.message:
            self.message = f"{outcome.value} {done} of {self.steps.count} steps were done."
        self.seconds = time.perf_counter() - began
        return outcome

    def _install(self) -> None:
        self.steps.install(self.run)
        self.run.hold(slot.REPORT, self.reports)
        self.run.context[slot.EVERY] = self.save.every
        self.run.context[slot.FRESH] = 1
        self._use(self.algorithm)

    def _reason(self, why: int) -> str:
        return self.run.failure() if why == code.ELEMENT_FAILED else _WHY[why]

    def _help(self, step: int, why: int) -> int:
        """Try the ladder on one step, with a note of what helped; returns why it stopped, DONE where the step was taken."""
        run, context = self.run, self.run.context
        first = self._reason(why)
        before = run.state.vector.copy()
        parts = 1
        try:
            for level in range(self.policy.halvings + 1):
                parts = 1 << level
                for algorithm in self.policy.algorithms if level == 0 else (self.algorithm, *self.policy.algorithms):
                    if time.perf_counter() > self._deadline:
                        return _OUT_OF_TIME
                    if self.settings[code.LEFT] <= 0.0:
                        return code.OUT_OF_ITERATIONS
                    run.state.vector[:] = before
                    self.steps.divide(run, step, parts)
                    reports = run.hold(slot.REPORT, np.zeros((parts, code.REPORT_FLOATS)))
                    context[slot.EVERY] = _NEVER  # the caller records
                    context[slot.FRESH] = 1
                    self._use(algorithm)
                    why = self._call(0, parts)
                    if why == code.OUT_OF_ITERATIONS and context[slot.FIRST] == parts:
                        why = code.DONE
                    if why in (code.DONE, code.LIMIT_REACHED):
                        iterations = int(reports[:, 0].sum())
                        self.reports[step, :2] = iterations, reports[-1, 1]
                        what = repr(algorithm) if parts == 1 else f"{parts} parts with {algorithm!r}"
                        self.relaxations.append(Relaxation(step + 1, run.state.time, what, iterations))
                        before = run.state.vector
                        return why
            self.message = (f"Step {step + 1} of {self.steps.count} (from t = {float(before[0]):g}) did not converge: {first}. "
                            f"Other algorithms and up to {parts} parts did not help; at the last try, {self._reason(why)}.")
            return why
        finally:
            if before is not run.state.vector:
                run.state.vector[:] = before
            context[slot.FIRST] = step

