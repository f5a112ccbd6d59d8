"""Transient analysis: response in time to ground motion, loads that follow a series, and moving
supports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import code
from femu.analyses.algorithms import Algorithm, Newton
from femu.analyses.convergence import RelativeUnbalance, Test
from femu.analyses.inputs import (
    MOST_STEPS,
    as_program,
    check_means,
    must_be_true_or_false,
    must_not_have_specimens,
    starting,
    what_to_save,
)
from femu.analyses.integrators.integrator import Integrator, checked_coefficients
from femu.analyses.integrators.newmark import Newmark
from femu.analyses.limits import Limit, install_limits
from femu.analyses.policy import Policy
from femu.analyses.step_driver import StepDriver, Steps
from femu.engine.program import Program
from femu.engine.run_settings import Settings
from femu.engine.state import State
from femu.engine.workspace import Workspace, aligned
from femu.model.model import GROUND, Model
from femu.model.series import Motion, Series
from femu.results.progress import Progress
from femu.results.result import Result
from femu.results.save import Save
from femu.support import hooks
from femu.support.errors import AnalysisError, InputError

Array = npt.NDArray[np.float64]
Excitation = Series | Mapping[str, Series] | None


@dataclass(frozen=True)
class Transient:
    """Step-by-step response in time.

    ::

        result = Transient(Newmark(), dt=0.01).run(frame, GroundMotion.el_centro())

    ``limits`` end the run when reached. The convergence ``policy`` helps steps that do not
    converge; see `femu.analyses.policy.Policy`.
    """

    integrator: Integrator = field(default_factory=Newmark)
    dt: float = 0.01
    algorithm: Algorithm = field(default_factory=Newton)
    test: Test = field(default_factory=RelativeUnbalance)
    policy: Policy = field(default_factory=Policy)
    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        if not (isinstance(self.dt, (int, float)) and math.isfinite(self.dt) and self.dt > 0.0):
            raise InputError("Transient", "dt", self.dt, "must be above 0")
        if not isinstance(self.integrator, Integrator):
            raise InputError(
                "Transient",
                "integrator",
                self.integrator,
                "must be an integrator",
                fix="use Newmark(), for example",
            )
        check_means("Transient", self.algorithm, self.test, self.policy, self.limits)

    def run(
        self,
        model: Model | Program,
        motion: Excitation = None,
        *,
        duration: float | None = None,
        start: State | None = None,
        save: Save | None = None,
        parameters: Array | None = None,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Result:
        """Response to base acceleration ``motion`` (along x, or a mapping of "x", "y", "z" to
        motions).

        ``duration`` is that of the longest motion if left out. ``start`` is a state to continue from,
        at its own time; it is not changed. ``parameters`` replaces the program's parameter
        vector. Displacements are relative to the ground. With ``check=False`` nothing is
        questioned; see `femu.check`.
        """
        program = as_program(model)
        must_not_have_specimens(program, "Transient")
        must_be_true_or_false("Transient.run", check)
        state = starting(program, start)
        motions = motions_by_direction(motion)
        steps = self.count_steps(motions, duration, state)
        findings = ()
        if check:
            found = hooks.check_transient(program, self.dt, motions, state, parameters)
            findings = hooks.show_findings(program, found)
        run = Workspace(program, state, parameters)
        self.prepare(run, motions)
        series = self.series_of(run, motions)
        began = state.time
        nodes = time_grid(began, self.dt, steps)

        def install(run: Workspace) -> None:
            self.install(run, series, nodes, self.dt)

        def divide(run: Workspace, step: int, parts: int) -> None:
            self.install(
                run, series, np.linspace(nodes[step], nodes[step + 1], parts + 1), self.dt / parts
            )

        install_limits(run, self.limits)
        self.integrator.prepare(run)
        self.integrator.check_step(run, self.dt)
        marcher = StepDriver(
            run,
            self.integrator.kernel,
            Steps(steps, install, divide),
            self.algorithm,
            self.test,
            self.policy,
            what_to_save(save, Save()),
            progress,
            f"{program.name}: {type(self.integrator).__name__}",
        )
        outcome = marcher.go()
        return Result.of(marcher, outcome, "transient", findings)

    # --- pieces ---

    def count_steps(self, motions: dict[str, Series], duration: float | None, state: State) -> int:
        if duration is None:
            lengths = [m.duration for m in motions.values() if hasattr(m, "duration")]
            if not lengths:
                raise InputError(
                    "Transient.run",
                    "duration",
                    None,
                    "is required when no ground motion defines it",
                )
            duration = max(lengths) - state.time
        if not (isinstance(duration, (int, float)) and math.isfinite(duration) and duration >= 0.0):
            raise InputError("Transient.run", "duration", duration, "must not be negative")
        if duration / self.dt > MOST_STEPS:
            raise InputError(
                "Transient.run",
                "duration",
                duration,
                f"must be at most {MOST_STEPS} steps of {self.dt:g}",
            )
        return math.ceil(duration / self.dt - 1e-9)

    def prepare(
        self, run: Workspace, motions: Mapping[str, Series], massless: bool = False
    ) -> None:
        """Mass, damping and ground motion as the kernels want them.

        A ``massless`` model is a sequence of equilibria in time.
        """
        program = run.program
        mass, diagonal = run.mass_matrix()
        masses = mass[program.sparsity.diagonal]
        if not (massless or np.any(masses > 0.0)):
            raise AnalysisError(
                f"{program.name!r} has no mass, so it has no transient response. Give nodes a "
                "mass=(x, y, rz)."
            )
        if self.integrator.explicit:
            bare = [a for a in np.flatnonzero(masses <= 0.0) if a not in program.imposed]
            if len(bare):
                node, direction = program.numbering.representative[bare[0]]
                raise AnalysisError(
                    f"{type(self.integrator).__name__} needs mass on every degree of freedom, and "
                    f"node {node!r} has none in direction {direction!r}. Give it mass, or use an "
                    "implicit integrator."
                )
        run.fields.mass = mass
        if diagonal:
            run.fields.mass_diagonal = masses
        p = run.parameters
        a, initial, current, committed = (
            p[program.parameters.index(f"rayleigh.{n}")]
            for n in ("mass", "initial", "current", "committed")
        )
        constant = a * mass
        if initial != 0.0:
            constant = constant + initial * run.initial_stiffness(damped=True)
        if a != 0.0 or initial != 0.0:
            held = run.fields.damping_matrix = aligned(len(mass))
            held[:] = constant
            held[program.storage :] = 0.0
        if current != 0.0 or committed != 0.0:
            run.fields.damped_tangent = aligned(len(mass))
        if committed != 0.0:
            if not run.fields.damped_tangent0:
                raise AnalysisError(
                    "rayleigh.committed was set after the model was compiled without it. Set it "
                    "with Model.rayleigh(committed=...), then compile."
                )
            if not np.any(run.state.vector[program.layout.stiffness : program.layout.elements]):
                run.state.vector[program.layout.stiffness : program.layout.elements] = Workspace(
                    program, run.state.copy(), p
                ).tangent(damped=True)[: program.storage]
        settings = run.fields.settings = Settings()
        settings.current_stiffness_damping, settings.committed_stiffness_damping = (
            current,
            committed,
        )
        self._modal(run)
        nodal = run.fields.nodal_loads = program.nodal.copy()
        for direction in motions:
            if GROUND[direction] not in program.pattern_names:
                raise InputError(
                    "Transient.run",
                    "motion",
                    direction,
                    f"must be along one of {program.translations}",
                )
            row = program.pattern_names.index(GROUND[direction])
            nodal[row] = -run.mass_times(program.influence(direction))
            program.gather(nodal[row])
        run.fields.has_nodal_loads = np.any(nodal != 0.0, axis=1).astype(np.int64)
        run.hold_imposed()

    def _modal(self, run: Workspace) -> None:
        """Modal damping as a sum of rows: C = sum over modes of 2 ratio omega (M phi)(M phi)^T."""
        program = run.program
        if not program.modal_ratios:
            return
        from femu.analyses.eigen import eigen

        modes = eigen(program, len(program.modal_ratios), parameters=run.parameters)
        mass = program.mass_matrix(run.parameters)
        rows = np.array(
            [
                np.sqrt(2.0 * r * w) * (mass @ modes.shapes[:, m])[: program.neq]
                for m, (r, w) in enumerate(
                    zip(program.modal_ratios, modes.frequencies, strict=True)
                )
            ]
        )
        run.fields.modal_shapes = np.ascontiguousarray(rows)
        run.fields.nmodes = len(rows)

    def series_of(self, run: Workspace, motions: Mapping[str, Series]) -> list[Series | None]:
        program = run.program
        series = list(program.series)
        for direction, motion in motions.items():
            series[program.pattern_names.index(GROUND[direction])] = motion
        moves = np.array([int(s is not None) for s in series] or [0], dtype=np.int64)
        run.fields.follows_series = moves
        moving_member = any(
            s is not None and np.any(program.member[row] != 0.0) for row, s in enumerate(series)
        )
        run.fields.rate_dependent = int(program.rate_dependent or moving_member)
        return series

    def install(self, run: Workspace, series: list[Series | None], nodes: Array, dt: float) -> None:
        settings = run.fields.settings
        alpha_m, alpha_f, beta, gamma = checked_coefficients(self.integrator)
        settings.dt, settings.alpha_m, settings.alpha_f = dt, alpha_m, alpha_f
        settings.beta, settings.gamma, settings.control = (
            beta,
            gamma,
            code.TRANSIENT,
        )
        if alpha_f != 1.0 and run.fields.u is run.fields.u1:
            run.fields.u = aligned(run.program.ndof)
            run.fields.v = aligned(run.program.ndof)
        ends = nodes[1:]
        inside = nodes[:-1] + alpha_f * np.diff(nodes)
        run.fields.series1 = sample(series, ends)
        run.fields.series = run.fields.series1 if alpha_f == 1.0 else sample(series, inside)
        imposed = run.program.imposed
        if imposed:
            rows = [imposed[place].at(ends) for place in sorted(imposed)]
            run.fields.motion = np.ascontiguousarray(
                np.concatenate([np.stack([r[k] for r in rows], axis=1) for k in range(3)], axis=1)
            )


def time_grid(began: float, dt: float, steps: int) -> npt.NDArray[Any]:
    """Times of the steps. On multiples of dt wherever the start is one.

    A run that continues gets the same bits.
    """
    before = round(began / dt)
    if abs(began - before * dt) <= 1e-6 * dt:
        return dt * (before + np.arange(steps + 1))
    return began + dt * np.arange(steps + 1)


def sample(series: list[Series | None], times: Array) -> Array:
    """Factors of the patterns at given times, one row a time."""
    table = np.zeros((max(len(times), 1), max(len(series), 1)))
    for column, s in enumerate(series):
        if s is not None:
            table[: len(times), column] = s.at(times)
    if not np.isfinite(table).all():
        raise InputError(
            "Transient.run", "series", series, "must be finite at all times of the run"
        )
    return table


def motions_by_direction(motion: Excitation) -> dict[str, Series]:
    if motion is None:
        return {}
    found = dict(motion) if isinstance(motion, Mapping) else {"x": motion}
    for direction, series in found.items():
        if direction not in GROUND:
            raise InputError(
                "Transient.run", "motion", direction, f"must be along one of {tuple(GROUND)}"
            )
        if not isinstance(series, Series) or isinstance(series, Motion):
            raise InputError(
                "Transient.run",
                "motion",
                series,
                "must have a method at(t)",
                fix="give a GroundMotion",
            )
    return found
