"""The session: one run of one program, stepped by as many calls of analyze as a script likes.

Nothing is compiled or allocated again between calls: the tables of the series are filled ahead for many steps, the
kernel records what recorders want into one buffer, and the recorders get whole buffers of rows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.march import march
from femu.analyses.marcher import Marcher, Steps
from femu.analyses.policy import Policy
from femu.analyses.transient import Transient
from femu.element import Name
from femu.errors import FemuError
from femu.opensees.arguments import Reader
from femu.opensees.domain import REFERENCE, Domain, LoadPattern, kept_finite
from femu.outcome import Outcome
from femu.program import Program
from femu.results import Result, describe
from femu.run import Run, aligned
from femu.save import Save
from femu.series import Constant, Linear

if TYPE_CHECKING:
    from femu.opensees.choices import Plan

Array = npt.NDArray[np.float64]
AHEAD = 256  # steps whose loads are worked out at once
BUFFER = 1 << 18  # numbers of recorded rows that are kept before recorders get them


@dataclass(frozen=True)
class Needs(Save):
    """What recorders want of each step: as `Save`, and the whole state of some elements."""

    states: tuple[Name, ...] = field(default=())

    def blocks(self, program: Program) -> dict[str, list[int]]:
        """Places in the state vector by kind; the states of the elements stand in "fibre"."""
        found = super().blocks(program)
        start = program.layout.elements
        found["fibre"] = [start + program.element_state(name)[0] + v for name in self.states
                          for v in range(len(program.plans[name].state))]
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
    """Where displacements and basic forces stand in the tables of recorded rows."""

    def __init__(self, program: Program, save: Save, blocks: dict[str, list[int]]) -> None:
        self.displacement = {place - program.layout.u: column for column, place in enumerate(blocks["u"])}
        self.basic: dict[Name, slice] = {}
        end = 0
        for name in save.elements(program, save.forces):
            start, end = end, end + len(program.plans[name].basic_forces)
            self.basic[name] = slice(start, end)
        self.found: dict[tuple[Any, ...], Any] = {}  # what responses have looked up


@dataclass(frozen=True)
class Rows:
    """States to ask: a result, and the raw states of some elements, a row a step."""

    result: Result
    states: States
    columns: Columns
    program: Program
    parameters: Array
    accelerations: dict[str, Array]  # of the ground, by direction

    def displacements(self, dofs: Iterable[tuple[Name, str]]) -> Array:
        """Displacements in some directions, a column each; zeros where no element uses one."""
        place, columns, u = self.program.numbering.place, self.columns.displacement, self.result.arrays["u"]
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
        self.run = Run(self.program, self.state)
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
        self._pointer = self.run.context.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
        self._kernel = self.marcher.kernel.ctypes
        self._whole: tuple[Any, ...] | None = None
        self.asked: dict[tuple[Any, ...], Any] = {}  # responses of elements, by the words of a query

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
            Transient(integrator=plan.integrator).prepare(run, {})
            self._modal()
            plan.integrator.prepare(run)
        else:
            run.hold(slot.SETTINGS, np.zeros(code.NSETTINGS))
            run.hold(slot.NODAL, program.nodal.copy())
            run.hold_imposed()
        run.hold(slot.LIMITS, np.zeros(1, dtype=np.int64))
        run.hold(slot.LIMIT_VALUES, np.zeros(1))
        self._loads()
        kernel = plan.integrator.kernel if plan.transient else march
        means: tuple[Any, Any] = plan.algorithm, plan.test  # they have what the march reads of femu's own
        steps = Steps(AHEAD, self._install, self._divide)
        self.marcher = Marcher(run, kernel, steps, *means, Policy.none(), self.needs, None, "")
        columns = max(len(self.marcher.columns), 1)
        self.recorded = len(self.marcher.columns) if self.domain.recorders else 0
        self.rows = max(BUFFER // columns, 2) if self.recorded else 1
        self.marcher.output = run.hold(slot.OUTPUT, np.zeros((self.rows, columns)))
        run.context[slot.NRECORD] = self.recorded
        run.context[slot.ROW] = 0
        self._states = States(program, self.needs.states)
        self._columns = Columns(program, self.needs, self.marcher.blocks)
        self.index = describe(program, run.parameters, self.needs, self.marcher.blocks, run[slot.NODAL])

    def _loads(self) -> None:
        """Rows of the patterns: base accelerations, and the reference load of displacement control."""
        run, program, plan = self.run, self.program, self.plan
        nodal, factors = run[slot.NODAL], self._factors()
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
        run.hold(slot.MOVES, moves)
        run.hold(slot.NODAL_WANTED, np.any(nodal != 0.0, axis=1).astype(np.int64))
        moving = any(m and np.any(program.member[row] != 0.0) for row, m in enumerate(moves))
        run.context[slot.RESTLESS] = int(program.restless or moving)

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
                    f"pattern {pattern.tag} follows a series that is neither Linear nor Constant: displacement and arc-length "
                    "control scale loads by the load factor. Use loadConst before, or LoadControl.")
            if np.any(program.member[row]) or pattern.imposed:
                raise self.plan.reader.unsupported(
                    f"pattern {pattern.tag} has element loads or imposed displacements: displacement and arc-length control "
                    "scale nodal loads only. Call loadConst before, or put them into a pattern with a Constant series.")
            if loaded:
                nodal[reference] += pattern.factor * pattern.series.slope * nodal[row]
                nodal[row] = 0.0
        factors[reference] = self.state.time

    def _modal(self) -> None:
        """Modal damping with the modes that the last eigen found."""
        modes, program = self.domain.modes, self.program
        if not self.domain.modal_ratios or modes is None:
            return
        ratios = self.domain.modal_ratios[:len(modes.frequencies)]
        mass = program.mass_matrix(self.run.parameters)
        shapes = np.zeros((program.ndof, len(ratios)))
        for m in range(len(ratios)):
            for dof, place in program.numbering.place.items():
                if dof in modes.program.numbering.place:
                    shapes[place, m] = modes.shapes[modes.program.numbering.place[dof], m]
        rows = np.array([np.sqrt(2.0 * r * w) * (mass @ shapes[:, m])[:program.neq]
                         for m, (r, w) in enumerate(zip(ratios, modes.frequencies[:len(ratios)], strict=True))])
        self.run.hold(slot.MODAL, np.ascontiguousarray(rows))
        self.run.context[slot.NMODAL] = len(rows)

    def _factors(self) -> Array:
        layout = self.program.layout
        return self.state.vector[layout.factors:layout.u]

    def _install(self, run: Run) -> None:
        """Settings and tables, as the marcher wants them before a call."""
        plan, settings = self.plan, run[slot.SETTINGS]
        settings[code.CONTROL], settings[code.DT] = plan.control, self.dt
        settings[code.ACCEPT] = float(plan.test.accept)
        if plan.transient:
            alpha_m, alpha_f, beta, gamma = plan.integrator.coefficients()
            settings[code.ALPHA_M], settings[code.ALPHA_F] = alpha_m, alpha_f
            settings[code.BETA], settings[code.GAMMA] = beta, gamma
            if alpha_f != 1.0 and run[slot.U] is run[slot.U1]:
                run.hold(slot.U, aligned(run.program.ndof))
                run.hold(slot.V, aligned(run.program.ndof))
        else:
            settings[code.ALPHA_F] = settings[code.ALPHA_M] = 1.0
            settings[code.CLOCK] = 1.0
            settings[code.PREDICTOR] = float(plan.control != code.LOAD)
            settings[code.PATTERN] = self.program.pattern_names.index(REFERENCE)
            settings[code.ARC_WEIGHT] = plan.weight
            if plan.control == code.DISPLACEMENT:
                settings[code.CONTROLLED] = plan.dof
        self._fill()

    def _divide(self, run: Run, step: int, parts: int) -> None:
        raise AssertionError("a step of a script is never divided")

    def _fill(self) -> None:
        """Work out the loads of the steps ahead."""
        run, plan = self.run, self.plan
        self._count, self._at = AHEAD, 0
        if plan.control in (code.DISPLACEMENT, code.ARC_LENGTH):
            self._increments[:] = plan.increment
            run.hold(slot.INCREMENTS, self._increments)
            return
        times = np.add.accumulate(np.concatenate([[self.state.time], np.full(AHEAD, self.dt)]))
        ends = times[1:]
        run.hold(slot.SERIES1, self._sampled(ends))
        alpha = run[slot.SETTINGS][code.ALPHA_F]
        inside = ends if alpha == 1.0 else times[:-1] + alpha * self.dt
        run.hold(slot.SERIES, run[slot.SERIES1] if alpha == 1.0 else self._sampled(inside))
        if self._motions:
            rows = [motion_of(pattern, what, ends) for pattern, what in self._motions]
            run.hold(slot.MOTION, np.ascontiguousarray(np.concatenate(
                [np.stack([r[k] for r in rows], axis=1) for k in range(3)], axis=1)))

    def _sampled(self, times: Array) -> Array:
        table = np.zeros((AHEAD, len(self.program.pattern_names)))
        for row, pattern in enumerate(self.patterns):
            if pattern.held is None:
                table[:, row] = pattern.at(times)
        return table

    # --- stepping ---

    def fits(self, plan: Plan) -> bool:
        """Whether it can go on by this plan; a new increment alone is taken over."""
        own = self.plan
        if (plan.control, plan.dof, plan.weight, plan.integrator, plan.algorithm, plan.test) != (
                own.control, own.dof, own.weight, own.integrator, own.algorithm, own.test):
            return False
        if plan.increment != own.increment:
            self.plan = plan
            self._increments[:] = plan.increment
        return True

    def take(self, steps: int, dt: float) -> int:
        """Take steps; returns how many were taken before one failed. `why` then says why."""
        done = 0
        context = self.run.context
        if self._count == 0 or (dt != self.dt and self.plan.transient):
            self.dt = dt
            self.marcher._install()
        elif dt != self.dt:
            self.dt = self.run[slot.SETTINGS][code.DT] = dt
            self._fill()
        while done < steps:
            if self._at == self._count:
                self._fill()
            batch = min(steps - done, self._count - self._at)
            if self.recorded:
                if int(context[slot.ROW]) >= self.rows:
                    self.flush()
                batch = min(batch, self.rows - int(context[slot.ROW]))
            context[slot.FIRST], context[slot.LAST] = self._at, self._at + batch
            self.why = self._kernel(self._pointer)
            at = int(context[slot.FIRST])
            done += at - self._at
            if at > self._at:
                report = self.marcher.reports
                self.iterations, self.norm = int(report[at - 1, 0]), float(report[at - 1, 1])
            self._at = at
            if self.why != code.DONE:
                self.iterations, self.norm = int(self.marcher.reports[at, 0]), float(self.marcher.reports[at, 1])
                context[slot.FRESH] = 1
                break
        return done

    def reason(self) -> str:
        """Sentence on the step that failed."""
        return self.marcher._reason(self.why)

    def evaluate(self, reader: Reader) -> None:
        """Forces and states of the elements at the displacements that stand in the state, which it keeps where there are none."""
        run, layout, vector = self.run, self.program.layout, self.state.vector
        run[slot.U][:] = vector[layout.u:layout.v]
        run.determine(slot.EVALUATE)
        if not (np.isfinite(run[slot.T]).all() and np.isfinite(run[slot.F]).all()):
            raise reader.error("the elements have no answer there.")
        vector[layout.elements:] = run[slot.T]
        vector[layout.internal:layout.damping] = run[slot.F]

    def refresh(self) -> None:
        """Go on from what has been written into the state or the parameters."""
        self._count = self._at = 0
        self.run.context[slot.FRESH] = 1

    # --- asking ---

    def flush(self) -> None:
        """Hand what was recorded to the recorders."""
        rows = int(self.run.context[slot.ROW])
        self.run.context[slot.ROW] = 0
        if not rows or not self.recorded:
            return
        found = self._rows(self.marcher.output[:rows, :self.recorded], self.marcher.blocks, self.index, self._states,
                           self._columns)
        give(self.domain, found)

    def now(self) -> Rows:
        """The present state, as one row with everything."""
        if self._whole is None:
            everything = Needs(states=tuple(self.program.elements))
            blocks = everything.blocks(self.program)
            index = describe(self.program, self.run.parameters, everything, blocks, self.run[slot.NODAL])
            columns = np.array([c for block in blocks.values() for c in block], dtype=np.int64)
            self._whole = columns, blocks, index, States(self.program, everything.states), Columns(
                self.program, everything, blocks)
        columns, *rest = self._whole
        return self._rows(self.state.vector[columns][None, :], *rest)

    def _rows(self, table: Array, blocks: dict[str, list[int]], index: Any, states: States, columns: Columns) -> Rows:
        arrays, start = {}, 0
        for name, block in blocks.items():
            arrays[name] = table[:, start:start + len(block)]
            start += len(block)
        own = states.over(arrays.pop("fibre"))
        result = Result("script", self.program.name, Outcome.COMPLETE, "", arrays, index)
        ground: dict[str, Array] = {}
        for pattern in self.patterns:
            if pattern.kind == "UniformExcitation":
                row = self.program.pattern_names.index(pattern.name)
                ground[pattern.direction] = ground.get(pattern.direction, 0.0) + arrays["factor"][:, row]
        return Rows(result, own, columns, self.program, self.run.parameters, ground)

    def end(self) -> None:
        """Give recorders what is left, and leave the factors of the patterns in the state by their own names."""
        if self.domain.session is self:
            self.domain.session = None
        factors, now = self._factors(), self.state.time
        factors[self.program.pattern_names.index(REFERENCE)] = 0.0
        try:
            self.flush()
        finally:  # also where a recorder could not write
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
    return what * np.asarray(pattern.at(times), dtype=float), np.zeros_like(times), np.zeros_like(times)
