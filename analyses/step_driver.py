"""The marcher: takes the steps of an analysis, helps where one does not converge, and records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from femu.analyses import code
from femu.analyses.algorithms import Algorithm, Newton
from femu.analyses.commit import commit_kernel
from femu.analyses.convergence import Test
from femu.analyses.inputs import check_progress
from femu.analyses.krylov import basis_floats
from femu.analyses.newton_step import Marching, march
from femu.analyses.policy import MEMBER_HALVINGS, Policy, Relaxation
from femu.analyses.quasi_newton import secant_floats
from femu.analyses.unbounded import unbounded
from femu.engine.element_kernels import HALVINGS
from femu.engine.program import Program
from femu.engine.workspace import Workspace, address
from femu.kernels import Kernel
from femu.results.outcome import Outcome
from femu.results.progress import AMBIENCE, Progress
from femu.results.save import Save
from femu.support import hooks

Array = npt.NDArray[np.float64]
# a call into the kernel lasts about this long; between calls Ctrl-C and time limits are seen
CHUNK_SECONDS = 0.05

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
    install: Callable[[Workspace], None]
    divide: Callable[[Workspace, int, int], None]


def has_divisible(program: Program) -> bool:
    """Whether a program has members whose increments can be divided."""
    return any(plan.divisible for plan in program.plans.values())


class StepDriver:
    """Takes steps on one run; ``kernel`` is the one of the algorithm in use."""

    def __init__(
        self,
        run: Workspace,
        kernel: Kernel | Marching,
        steps: Steps,
        algorithm: Algorithm,
        test: Test,
        policy: Policy,
        save: Save,
        progress: Progress | None,
        title: str,
    ) -> None:
        self.run, self.kernels, self.steps = run, kernel, steps
        self.algorithm, self.test, self.policy, self.save = algorithm, test, policy, save
        self.kernel = self._kernel_of(algorithm)
        check_progress(progress)
        self.progress, self.title = AMBIENCE.progress if progress is None else progress, title
        self.relaxations: list[Relaxation] = []
        self.message = ""
        self._deadline = 0.0
        program = run.program
        self.settings = run.fields.settings
        self.settings.iterations_left = policy.iteration_limit
        run.fields.commit_kernel = commit_kernel.address
        basis = max(
            basis_floats(program.neq, a.krylov)
            if a.secant == code.SUBSPACE
            else secant_floats(program.neq, a.krylov)
            for a in (algorithm, *policy.algorithms)
        )
        run.rooms(
            {
                "matrix": program.storage + 8,
                "factors": program.sparsity.factors,
                **dict.fromkeys(
                    ("r", "dx", "dx_load", "scratch1", "scratch2", "last_increment"),
                    program.ndof + 4,
                ),
                "subspace": basis,
            }
        )
        self.nodal = run.fields.nodal_loads
        self.blocks = save.blocks(program)
        self.columns = np.array(
            [c for block in self.blocks.values() for c in block], dtype=np.int64
        )
        rows = steps.count // save.every + 2
        run.fields.recorded = self.columns * 8 + address(run.state.vector)
        self.output = run.fields.output = np.zeros((rows, max(len(self.columns), 1)))
        run.fields.nrecorded = len(self.columns)
        run.fields.every = save.every
        self.reports = np.zeros((steps.count, code.REPORT_FLOATS))

    def _kernel_of(self, algorithm: Algorithm) -> Kernel:
        kernels = self.kernels
        return kernels.by(algorithm.method) if isinstance(kernels, Marching) else kernels

    def _use(self, algorithm: Algorithm) -> None:
        self.kernel = self._kernel_of(algorithm)
        s = self.settings
        s.tangent, s.line_search = algorithm.tangent, algorithm.line_search
        # more increments than equations depend on each other
        subspace = algorithm.krylov > 0 and algorithm.secant == code.SUBSPACE
        s.krylov = (
            min(algorithm.krylov, max(self.run.program.neq, 1)) if subspace else algorithm.krylov
        )
        s.acceleration = algorithm.secant
        s.test, s.tolerance, s.max_iterations = (
            self.test.code,
            self.test.tolerance,
            self.test.iterations,
        )
        s.factored = 0
        self._choose_matrix(algorithm)
        if algorithm.tangent == code.INITIAL and self.run.fields.initial_tangent is None:
            self.run.fields.initial_tangent = self.run.initial_stiffness()

    def _choose_matrix(self, algorithm: Algorithm) -> None:
        """Assemble the matrix of the iteration in place where every iteration wants a new one and
        it is K plus constants."""
        s, fields = self.settings, self.run.fields
        in_place = (
            algorithm.tangent == code.EACH
            and algorithm.krylov == 0
            and s.alpha_f == 1.0
            and s.current_stiffness_damping == 0.0
            and s.committed_stiffness_damping == 0.0
            and self.kernels is march
        )
        fields.in_place = int(in_place)
        # a step may use the factors of the last one where a resumed run can make the same
        # ones from the state
        fields.reusable = int(
            in_place
            and isinstance(algorithm, Newton)
            and s.control == code.TRANSIENT
            and self.run.program.reusable_stiffness
            and not fields.nimposed
            and not fields.rate_dependent
            and self.run.program.neq >= REUSED_FROM
        )
        fields.tangent_base = fields.base_mass = 0
        if in_place and s.control == code.TRANSIENT:
            by_mass = s.alpha_m / (s.beta * s.dt**2)
            if fields.mass_diagonal is not None and fields.damping_matrix is None:
                fields.base_mass = 1
                fields.step[3] = by_mass
            else:
                base = by_mass * fields.mass
                if fields.damping_matrix is not None:
                    base += s.gamma / (s.beta * s.dt) * fields.damping_matrix
                fields.tangent_base = base

    def advance(self, first: int, last: int) -> int:
        """Take the steps from one to another; returns why it stopped."""
        self.run.fields.first, self.run.fields.last = first, last
        return self.run.call(self.kernel)

    def record(self) -> None:
        """Write the present state into the next row of the output."""
        row = self.run.fields.row
        self.output[row, : len(self.columns)] = self.run.state.vector[self.columns]
        self.run.fields.row = row + 1

    def go(self) -> Outcome:
        """Take all steps; returns how it ended. ``output`` then holds ``rows`` rows."""
        run, fields = self.run, self.run.fields
        run.begin()
        self.install()
        self.record()
        began = time.perf_counter()
        self._deadline = began + self.policy.time_limit
        done, chunk = 0, FIRST_CHUNK
        outcome = Outcome.COMPLETE
        if self.progress:
            self.progress.start(self.title, self.steps.count)
        try:
            while done < self.steps.count:
                call = time.perf_counter()
                why = self.advance(done, min(done + chunk, self.steps.count))
                done = fields.first
                spent = time.perf_counter() - call
                if why == code.LIMIT_REACHED:
                    outcome = Outcome.LIMIT_REACHED
                    break
                if why == code.OUT_OF_ITERATIONS:
                    outcome = (
                        Outcome.ITERATION_LIMIT if done < self.steps.count else Outcome.COMPLETE
                    )
                    break
                if why != code.DONE:
                    why = self.rescue(done, why)
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
                    self.install()
                    fields.first = done
                    if done % self.save.every == 0:
                        self.record()
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
            done = fields.first
        finally:
            if self.progress:
                self.progress.finish()
        self.done = done
        self.rows = fields.row
        if outcome is Outcome.COMPLETE and (grown := unbounded(run.program, run.state)):
            outcome, self.message = Outcome.UNSTABLE, grown
        if outcome is not Outcome.COMPLETE and not self.message:
            self.message = f"{outcome.value} {done} of {self.steps.count} steps were done, to t = {run.state.time:g}."
        self.seconds = time.perf_counter() - began
        return outcome

    def install(self) -> None:
        """Put tables, reports and algorithm in place before steps are taken."""
        self.steps.install(self.run)
        self.run.fields.report = self.reports
        self.run.fields.every = self.save.every
        self.run.fields.fresh = 1
        self._use(self.algorithm)

    def reason(self, why: int) -> str:
        """Why a step was not taken, in words."""
        return self.run.failure().removesuffix(".") if why == code.ELEMENT_FAILED else _WHY[why]

    def mechanism(self, why: int) -> str:
        """What of the structure nothing holds, if the stiffness of its virgin state is singular
        too."""
        found = hooks.find_mechanisms(self.run.program) if why == code.SINGULAR else ()
        return "".join(f" {one.message[0].upper()}{one.message[1:]}" for one in islice(found, 1))

    def _ladder(self) -> Iterator[tuple[int, Algorithm, int]]:
        """What to try, in order: parts of the step, algorithm, halvings of increments of members."""
        for level in range(self.policy.halvings + 1):
            own = () if level == 0 else (self.algorithm,)
            for algorithm in (*own, *self.policy.algorithms):
                yield 1 << level, algorithm, 0
        if self.policy.divide_members and has_divisible(self.run.program):
            for halvings in MEMBER_HALVINGS:
                yield 1, self.algorithm, halvings

    def rescue(self, step: int, why: int) -> int:
        """Try the ladder on one step, with a note of what helped.

        Returns why it stopped, DONE where the step was taken.
        """
        run, fields = self.run, self.run.fields
        first = self.reason(why)
        before = run.state.vector.copy()
        most = 1 << self.policy.halvings
        try:
            for parts, algorithm, halvings in self._ladder():
                if time.perf_counter() > self._deadline:
                    return _OUT_OF_TIME
                if self.settings.iterations_left <= 0.0:
                    return code.OUT_OF_ITERATIONS
                run.state.vector[:] = before
                self.steps.divide(run, step, parts)
                reports = fields.report = np.zeros((parts, code.REPORT_FLOATS))
                fields.every = _NEVER  # the caller records
                fields.fresh = 1
                self._use(algorithm)
                fields.step[HALVINGS] = halvings
                why = self.advance(0, parts)
                if why == code.OUT_OF_ITERATIONS and fields.first == parts:
                    why = code.DONE
                if why in (code.DONE, code.LIMIT_REACHED):
                    iterations = int(reports[:, 0].sum())
                    self.reports[step, :2] = iterations, reports[-1, 1]
                    what = repr(algorithm) if parts == 1 else f"{parts} parts with {algorithm!r}"
                    if halvings:
                        what += f", increments of force-based members in {1 << halvings} parts"
                    self.relaxations.append(Relaxation(step + 1, run.state.time, what, iterations))
                    before = run.state.vector
                    return why
            last = self.reason(why)
            self.message = (
                f"Step {step + 1} of {self.steps.count} (from t = {float(before[0]):g}) did not "
                f"converge: {first}. Other algorithms and up to {most} parts did not "
                f"help{'' if last == first else f'; at the last try, {last}'}.{self.mechanism(why)}"
            )
            return why
        finally:
            if before is not run.state.vector:
                run.state.vector[:] = before
            fields.step[HALVINGS] = 0.0
            fields.first = step
