"""The session: one run of one program, stepped by as many calls of analyze as a script likes.

Nothing is compiled or allocated again between calls: the tables of the series are filled ahead for
many steps, the kernel records what recorders want into one buffer, and the recorders get whole
buffers of rows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.analyses import code
from femu.analyses.newton_step import march
from femu.analyses.policy import MEMBER_HALVINGS, Policy
from femu.analyses.step_driver import StepDriver, Steps, has_divisible
from femu.analyses.transient import Transient
from femu.engine.element_kernels import EVALUATE, HALVINGS
from femu.engine.program import Program
from femu.engine.run_fields import Run
from femu.engine.run_settings import Settings
from femu.engine.workspace import Workspace, aligned
from femu.model.element import Name
from femu.model.series import Constant, Linear
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import REFERENCE, Domain, LoadPattern, kept_finite
from femu.results.outcome import Outcome
from femu.results.result import Result, describe
from femu.results.save import Save
from femu.support.errors import FemuError

if TYPE_CHECKING:
    from femu.opensees.front_end.choices import Plan

Array = npt.NDArray[np.float64]
_FIRST, _LAST, _ROW = Run.first.slot, Run.last.slot, Run.row.slot
AHEAD = 256  # steps whose loads are worked out at once
BUFFER = 1 << 18  # numbers of recorded rows that are kept before recorders get them


@dataclass(frozen=True)
class Needs(Save):
    """What recorders want of each step: as `Save`, and the whole state of some elements."""

    states: tuple[Name, ...] = field(default=())

    def blocks(self, program: Program) -> dict[str, list[int]]:
        """Places in the state vector by kind; the states of the elements are in "fibre"."""
        found = super().blocks(program)
        start = program.layout.elements
        found["fibre"] = [
            start + program.element_state(name)[0] + v
            for name in self.states
            for v in range(len(program.plans[name].state))
        ]
        return found


class States:
    """Raw states of elements: rows of the table, columns by the name of the element."""

    def __init__(self, program: Program, names: Iterable[Name]) -> None:
        self.columns: dict[Name, slice] = {}
        end = 0
        for name in names:
            start, end = end, end + len(program.plans[name].state)
            self.columns[name] = slice(start, end)
        self.table = np.zeros((0, end))

    def over(self, table: Array) -> States:
        """The same columns over other rows."""
        made = States.__new__(States)
        made.columns, made.table = self.columns, table
        return made

    def __getitem__(self, name: Name) -> Array:
        return self.table[:, self.columns[name]]


class Columns:
    """Places of displacements and basic forces in the tables of recorded rows."""

    def __init__(self, program: Program, save: Save, blocks: dict[str, list[int]]) -> None:
        self.displacement = {
            place - program.layout.u: column for column, place in enumerate(blocks["u"])
        }
        self.basic: dict[Name, slice] = {}
        end = 0
        for name in save.elements(program, save.forces):
            start, end = end, end + len(program.plans[name].basic_forces)
            self.basic[name] = slice(start, end)
        self.found: dict[tuple[Any, ...], Any] = {}  # what responses have looked up


@dataclass(frozen=True)
class Rows:
    """States to ask: a result, and the raw states of some elements, one row per step."""

    result: Result
    states: States
    columns: Columns
    program: Program
    parameters: Array
    accelerations: dict[str, Array]  # of the ground, by direction

    def displacements(self, dofs: Iterable[tuple[Name, str]]) -> Array:
        """Displacements in some directions, one column each; zeros if no element uses one."""
        place, columns, u = (
            self.program.numbering.place,
            self.columns.displacement,
            self.result.arrays["u"],
        )
        found = [place.get(dof) for dof in dofs]
        if None not in found:
            return u[:, [columns[p] for p in found if p is not None]]
        none = np.zeros(len(u))
        return np.stack([none if p is None else u[:, columns[p]] for p in found], axis=1)

    def basic(self, tag: Name) -> Array:
        """Basic forces of an element."""
        return self.result.arrays["basic"][:, self.columns.basic[tag]]


class Session:
    """Steps of one analysis on one program."""

    def __init__(self, domain: Domain, plan: Plan, needs: Needs) -> None:
        self.domain, self.plan, self.needs = domain, plan, needs
        self.program, self.state = domain.program, domain.state
        self.run = Workspace(self.program, self.state)
        with kept_finite(self.state):
            self.run.begin()
        self.patterns = list(domain.patterns.values())
        self.iterations, self.norm = 0, 0.0
        self.dt = 0.0
        self._count, self._at = 0, 0
        self._increments = np.zeros(AHEAD)
        self._motions = [m for _, m in sorted(self._imposed().items())]
        self._prepare()
        self.version = -1  # of the choices of the script that it was made for
        self._pointer = self.run.fields.vector.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
        self._kernel = self.marcher.kernel.ctypes
        self._whole: tuple[Any, ...] | None = None
        # responses of elements, by the words of a query
        self.asked: dict[tuple[Any, ...], Any] = {}

    # --- preparing ---

    def _imposed(self) -> dict[int, Any]:
        """Equations with imposed motion: what moves them."""
        place = self.program.numbering.place
        found = {}
        for pattern in self.patterns:
            for dof, what in pattern.imposed.items():
                found[place[dof]] = (pattern, what)
        return found

    def _prepare(self) -> None:
        run, plan, program = self.run, self.plan, self.program
        if plan.transient:
            Transient(integrator=plan.integrator).prepare(run, {}, massless=True)
            self._modal()
            plan.integrator.prepare(run)
        else:
            run.fields.settings = Settings()
            run.fields.nodal_loads = program.nodal.copy()
            run.hold_imposed()
        run.fields.limits = np.zeros(1, dtype=np.int64)
        run.fields.limit_values = np.zeros(1)
        self._loads()
        kernel = plan.integrator.kernel if plan.transient else march
        # they have what the march reads of femu's own
        means: tuple[Any, Any] = plan.algorithm, plan.test
        steps = Steps(AHEAD, self._install, self._divide)
        self.marcher = StepDriver(run, kernel, steps, *means, Policy.none(), self.needs, None, "")
        columns = max(len(self.marcher.columns), 1)
        self.recorded = len(self.marcher.columns) if self.domain.recorders else 0
        self.rows = max(BUFFER // columns, 2) if self.recorded else 1
        self.marcher.output = run.fields.output = np.zeros((self.rows, columns))
        run.fields.nrecorded = self.recorded
        run.fields.row = 0
        self._states = States(program, self.needs.states)
        self._columns = Columns(program, self.needs, self.marcher.blocks)
        self.index = describe(
            program, run.parameters, self.needs, self.marcher.blocks, run.fields.nodal_loads
        )

    def _loads(self) -> None:
        """Rows of the patterns.

        Base accelerations, and the reference load of displacement control.
        """
        run, program, plan = self.run, self.program, self.plan
        nodal, factors = run.fields.nodal_loads, self._factors()
        moves = np.zeros(len(program.pattern_names), dtype=np.int64)
        now = self.state.time
        reference = program.pattern_names.index(REFERENCE)
        for pattern in self.patterns:
            row = program.pattern_names.index(pattern.name)
            if pattern.kind == "UniformExcitation":
                nodal[row] = -run.mass_times(program.influence(pattern.direction))
                program.gather(nodal[row])
            factors[row] = float(pattern.at(now))
            moves[row] = int(pattern.held is None)
        factors[reference] = 0.0
        if plan.control in (code.DISPLACEMENT, code.ARC_LENGTH):
            self._reference(nodal, factors, reference)
            moves[:] = 0
        run.fields.follows_series = moves
        run.fields.has_nodal_loads = np.any(nodal != 0.0, axis=1).astype(np.int64)
        moving = any(m and np.any(program.member[row] != 0.0) for row, m in enumerate(moves))
        run.fields.rate_dependent = int(program.rate_dependent or moving)

    def _reference(self, nodal: Array, factors: Array, reference: int) -> None:
        """One row for all loads that grow with the load factor; they leave their own rows."""
        program = self.program
        for pattern in self.patterns:
            row = program.pattern_names.index(pattern.name)
            if pattern.held is not None or isinstance(pattern.series, Constant):
                continue
            loaded = np.any(nodal[row]) or np.any(program.member[row]) or pattern.imposed
            if loaded and not isinstance(pattern.series, Linear):
                raise self.plan.reader.unsupported(
                    f"pattern {pattern.tag} follows a series that is neither Linear nor Constant: "
                    "displacement and arc-length control scale loads by the load factor. Use "
                    "loadConst before, or LoadControl."
                )
            if np.any(program.member[row]) or pattern.imposed:
                raise self.plan.reader.unsupported(
                    f"pattern {pattern.tag} has element loads or imposed displacements: "
                    "displacement and arc-length control scale nodal loads only. Call loadConst "
                    "before, or put them into a pattern with a Constant series."
                )
            if loaded:
                nodal[reference] += pattern.factor * pattern.series.slope * nodal[row]
                nodal[row] = 0.0
        factors[reference] = self.state.time

    def _modal(self) -> None:
        """Modal damping with the modes that the last eigen found."""
        modes, program = self.domain.modes, self.program
        if not self.domain.modal_ratios or modes is None:
            return
        ratios = self.domain.modal_ratios[: len(modes.frequencies)]
        mass = program.mass_matrix(self.run.parameters)
        shapes = np.zeros((program.ndof, len(ratios)))
        for m in range(len(ratios)):
            for dof, place in program.numbering.place.items():
                if dof in modes.program.numbering.place:
                    shapes[place, m] = modes.shapes[modes.program.numbering.place[dof], m]
        rows = np.array(
            [
                np.sqrt(2.0 * r * w) * (mass @ shapes[:, m])[: program.neq]
                for m, (r, w) in enumerate(
                    zip(ratios, modes.frequencies[: len(ratios)], strict=True)
                )
            ]
        )
        self.run.fields.modal_shapes = np.ascontiguousarray(rows)
        self.run.fields.nmodes = len(rows)

    def _factors(self) -> Array:
        layout = self.program.layout
        return self.state.vector[layout.factors : layout.u]

    def _install(self, run: Workspace) -> None:
        """Settings and tables, as the step driver needs them before a call."""
        plan, settings = self.plan, run.fields.settings
        settings.control, settings.dt = plan.control, self.dt
        settings.accept_unconverged = plan.test.accept
        if plan.transient:
            alpha_m, alpha_f, beta, gamma = plan.integrator.coefficients()
            settings.alpha_m, settings.alpha_f = alpha_m, alpha_f
            settings.beta, settings.gamma = beta, gamma
            if alpha_f != 1.0 and run.fields.u is run.fields.u1:
                run.fields.u = aligned(run.program.ndof)
                run.fields.v = aligned(run.program.ndof)
        else:
            settings.alpha_f = settings.alpha_m = 1.0
            settings.load_factor_is_time = 1
            settings.predictor = plan.control != code.LOAD
            settings.pattern = self.program.pattern_names.index(REFERENCE)
            settings.arc_weight = plan.weight
            if plan.control == code.DISPLACEMENT:
                settings.controlled_dof = plan.dof
        self._fill()

    def _divide(self, run: Workspace, step: int, parts: int) -> None:
        raise AssertionError("a step of a script is never divided")

    def _fill(self) -> None:
        """Compute the loads of the steps ahead."""
        run, plan = self.run, self.plan
        self._count, self._at = AHEAD, 0
        if plan.control in (code.DISPLACEMENT, code.ARC_LENGTH):
            self._increments[:] = plan.increment
            run.fields.increments = self._increments
            return
        times = np.add.accumulate(np.concatenate([[self.state.time], np.full(AHEAD, self.dt)]))
        ends = times[1:]
        run.fields.series1 = self._sampled(ends)
        alpha = run.fields.settings.alpha_f
        inside = ends if alpha == 1.0 else times[:-1] + alpha * self.dt
        run.fields.series = run.fields.series1 if alpha == 1.0 else self._sampled(inside)
        if self._motions:
            rows = [motion_of(pattern, what, ends) for pattern, what in self._motions]
            run.fields.motion = np.ascontiguousarray(
                np.concatenate([np.stack([r[k] for r in rows], axis=1) for k in range(3)], axis=1)
            )

    def _sampled(self, times: Array) -> Array:
        table = np.zeros((AHEAD, len(self.program.pattern_names)))
        for row, pattern in enumerate(self.patterns):
            if pattern.held is None:
                table[:, row] = pattern.at(times)
        return table

    # --- stepping ---

    def fits(self, plan: Plan) -> bool:
        """Whether it can continue with this plan; only a new increment is taken over."""
        own = self.plan
        if (plan.control, plan.dof, plan.weight, plan.integrator, plan.algorithm, plan.test) != (
            own.control,
            own.dof,
            own.weight,
            own.integrator,
            own.algorithm,
            own.test,
        ):
            return False
        if plan.increment != own.increment:
            self.plan = plan
            self._increments[:] = plan.increment
        return True

    def take(self, steps: int, dt: float) -> int:
        """Take steps; returns how many were taken before one failed. `why` then says why."""
        done = 0
        vector = self.run.fields.vector  # several times faster than its fields
        if self._count == 0 or (dt != self.dt and self.plan.transient):
            self.dt = dt
            self.marcher.install()
        elif dt != self.dt:
            self.dt = self.run.fields.settings.dt = dt
            self._fill()
        while done < steps:
            if self._at == self._count:
                self._fill()
            batch = min(steps - done, self._count - self._at)
            if self.recorded:
                if int(vector[_ROW]) >= self.rows:
                    self.flush()
                batch = min(batch, self.rows - int(vector[_ROW]))
            vector[_FIRST], vector[_LAST] = self._at, self._at + batch
            self.why = self._kernel(self._pointer)
            if self.why != code.DONE:
                self._divide_members()
            at = int(vector[_FIRST])
            done += at - self._at
            if at > self._at:
                report = self.marcher.reports
                self.iterations, self.norm = int(report[at - 1, 0]), float(report[at - 1, 1])
            self._at = at
            if self.why != code.DONE:
                self.iterations, self.norm = (
                    int(self.marcher.reports[at, 0]),
                    float(self.marcher.reports[at, 1]),
                )
                self.run.fields.fresh = 1
                break
        return done

    def _divide_members(self) -> None:
        """Repeat the step that failed with the increments of force-based members in parts: one
        that has several answers then keeps to one of them."""
        fields = self.run.fields
        for halvings in MEMBER_HALVINGS if has_divisible(self.program) else ():
            fields.step[HALVINGS] = halvings
            fields.fresh, fields.last = 1, fields.first + 1
            self.why = self._kernel(self._pointer)
            fields.step[HALVINGS] = 0.0
            if self.why == code.DONE:
                return

    def reason(self) -> str:
        """Sentence on the step that failed."""
        return self.marcher.reason(self.why)

    def evaluate(self, reader: Reader) -> None:
        """Forces and states of the elements at the displacements in the state, which it keeps if
        there are none."""
        run, layout, vector = self.run, self.program.layout, self.state.vector
        run.fields.u[:] = vector[layout.u : layout.v]
        run.determine(EVALUATE)
        if not (np.isfinite(run.fields.elements).all() and np.isfinite(run.fields.internal).all()):
            raise reader.error("the elements have no answer there.")
        vector[layout.elements :] = run.fields.elements
        vector[layout.internal : layout.damping] = run.fields.internal

    def refresh(self) -> None:
        """Continue from what was written into the state or the parameters."""
        self._count = self._at = 0
        self.run.fields.fresh = 1

    # --- asking ---

    def flush(self) -> None:
        """Pass the recorded rows to the recorders."""
        rows = self.run.fields.row
        self.run.fields.row = 0
        if not rows or not self.recorded:
            return
        found = self._rows(
            self.marcher.output[:rows, : self.recorded],
            self.marcher.blocks,
            self.index,
            self._states,
            self._columns,
        )
        give(self.domain, found)

    def now(self) -> Rows:
        """The present state, as one row with everything."""
        if self._whole is None:
            everything = Needs(states=tuple(self.program.elements))
            blocks = everything.blocks(self.program)
            index = describe(
                self.program, self.run.parameters, everything, blocks, self.run.fields.nodal_loads
            )
            columns = np.array([c for block in blocks.values() for c in block], dtype=np.int64)
            self._whole = (
                columns,
                blocks,
                index,
                States(self.program, everything.states),
                Columns(self.program, everything, blocks),
            )
        columns, *rest = self._whole
        return self._rows(self.state.vector[columns][None, :], *rest)

    def _rows(
        self,
        table: Array,
        blocks: dict[str, list[int]],
        index: Any,
        states: States,
        columns: Columns,
    ) -> Rows:
        arrays, start = {}, 0
        for name, block in blocks.items():
            arrays[name] = table[:, start : start + len(block)]
            start += len(block)
        own = states.over(arrays.pop("fibre"))
        result = Result("script", self.program.name, Outcome.COMPLETE, "", arrays, index)
        ground: dict[str, Array] = {}
        for pattern in self.patterns:
            if pattern.kind == "UniformExcitation":
                row = self.program.pattern_names.index(pattern.name)
                ground[pattern.direction] = (
                    ground.get(pattern.direction, 0.0) + arrays["factor"][:, row]
                )
        return Rows(result, own, columns, self.program, self.run.parameters, ground)

    def end(self) -> None:
        """Give recorders what is left, and leave the factors of the patterns in the state by their
        own names."""
        if self.domain.session is self:
            self.domain.session = None
        factors, now = self._factors(), self.state.time
        factors[self.program.pattern_names.index(REFERENCE)] = 0.0
        try:
            self.flush()
        finally:  # also if a recorder could not write
            for pattern in self.patterns:
                factors[self.program.pattern_names.index(pattern.name)] = float(pattern.at(now))


def give(domain: Domain, rows: Rows) -> None:
    """Let all recorders take rows; what one cannot write is raised when the others have theirs."""
    problems = []
    for recorder in domain.recorders.values():
        try:
            recorder.take(rows)
        except FemuError as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


def motion_of(pattern: LoadPattern, what: Any, times: Array) -> tuple[Array, Array, Array]:
    """Displacement, velocity and acceleration of an imposed motion at given times."""
    if hasattr(what, "at"):
        return what.at(times)
    return (
        what * np.asarray(pattern.at(times), dtype=float),
        np.zeros_like(times),
        np.zeros_like(times),
    )
