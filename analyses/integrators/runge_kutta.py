"""The classical Runge-Kutta method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.analyses.commit import follow
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.noniterative import check_limit, forces_alone, is_damped, one_pass, stepping
from femu.engine.ldlt import factored, solve
from femu.engine.residual import (
    apply_loads,
    copy,
    damping_force,
    determine,
    form_matrix,
    spread_links,
)
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined, routine, shift
from femu.support.errors import AnalysisError


@routine
def _acceleration(run, settings, a):
    """Acceleration a at the displacement and velocity the elements see.

    0, or 1 if an element has no answer.
    """
    neq = run.neq
    if determine(run, forces_alone(run)) != 0:
        return 1
    damping_force(run, run.v, settings.current_stiffness_damping,
                  settings.committed_stiffness_damping, run.scratch1)
    external, internal, damping = run.external, run.internal, run.damping
    for i in range(neq):
        a[i] = external[i] - internal[i] - damping[i]
    solve(run, a)
    return 0


@inlined
def _step(run, settings, step):
    neq, ndof, dt = run.neq, run.ndof, settings.dt
    time, patterns = run.time, run.npatterns
    u0, v0 = run.u0, run.v0
    u, v = run.u, run.v
    u1, v1, a = run.u1, run.v1, run.a1
    factors, seen = run.load_factors1, run.step
    settings.alpha_f = 1.0  # forces balance at the end of the step once it is taken
    seen[2] = 0.0
    if run.fresh != 0:
        form_matrix(run, run.tangent, 0.0, 0.0, 1.0, 0.0, 0.0)
        if factored(run, run.matrix) != 0:
            return code.SINGULAR
    copy(ndof, u0, u)
    copy(ndof, v0, v)
    copy(ndof, u0, u1)
    copy(ndof, v0, v1)
    copy(patterns, run.load_factors0, factors)
    apply_loads(run, factors)
    # stages at 0, 1/2, 1/2, 1 of the step with weights 1/6, 1/3, 1/3, 1/6
    for stage in range(4):
        weight = dt / 6.0 if stage == 0 or stage == 3 else dt / 3.0
        reach = 0.5 * dt if stage < 2 else dt
        seen[0], seen[1] = time + (0.0 if stage == 0 else (0.5 * dt if stage < 3 else dt)), (
            0.0 if stage == 0 else (0.5 * dt if stage < 3 else dt))
        if _acceleration(run, settings, a) != 0:
            return code.ELEMENT_FAILED
        for i in range(neq):
            u1[i] += weight * v[i]
            v1[i] += weight * a[i]
        if stage < 3:
            for i in range(neq):
                u[i] = u0[i] + reach * v[i]
                v[i] = v0[i] + reach * a[i]
            spread_links(run, u)
            spread_links(run, v)
            if stage == 0:
                follow(run, shift(run.series, step * patterns))
                apply_loads(run, factors)
            elif stage == 2:
                follow(run, shift(run.series1, step * patterns))
                apply_loads(run, factors)
    spread_links(run, u1)
    spread_links(run, v1)
    copy(ndof, u1, u)
    copy(ndof, v1, v)
    if _acceleration(run, settings, a) != 0:
        return code.ELEMENT_FAILED
    size = 0.0
    for i in range(neq):
        size += a[i] * a[i]
    one_pass(run, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


runge_kutta = stepping(_step)


@dataclass(frozen=True)
class RungeKutta(Integrator):
    """The classical Runge-Kutta method of fourth order, explicit: five state determinations a step.

    Acts on (u, v) with a = M^-1 (P - F(u) - C v). Every stage determines the elements from the
    committed state. Fourth order where the forces are smooth; stable for undamped linear systems
    while dt < 2.83/omega of the highest mode; every degree of freedom needs mass.
    """

    explicit: ClassVar[bool] = True
    hybrid: ClassVar[bool] = False  # asks at four displacements a step, one of them back
    kernel: ClassVar[Kernel] = runge_kutta

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 0.5, 0.0, 0.5

    def check_step(self, run: Workspace, dt: float) -> None:
        if not is_damped(run):
            check_limit(run, "RungeKutta", dt, math.sqrt(8.0))

    def prepare(self, run: Workspace) -> None:
        if run.program.imposed:
            raise AnalysisError("RungeKutta does not take imposed support motion: it would need "
                                "the motion inside the step. Use another integrator, or uniform "
                                "base acceleration.")
