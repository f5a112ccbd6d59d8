"""The classical Runge-Kutta method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.commit import follow
from femu.analyses.explicit import check_limit, forces_alone, is_damped, one_pass, stepping
from femu.analyses.one_step import OneStep
from femu.equilibrium import apply_loads, copy, damping_force, determine, form_matrix, spread_links
from femu.errors import AnalysisError
from femu.kernels import Kernel, floats_at, inlined, routine, shift
from femu.run import Run
from femu.solver import factored, solve


@routine
def _acceleration(context, settings, a):
    """Acceleration a at the displacement and velocity the elements see; 0, or 1 where an element has no answer."""
    neq = context[slot.NEQ]
    if determine(context, forces_alone(context)) != 0:
        return 1
    damping_force(context, floats_at(context[slot.V]), settings[code.CURRENT], settings[code.COMMITTED],
                  floats_at(context[slot.S1]))
    external, internal, damping = floats_at(context[slot.PEXT]), floats_at(context[slot.F]), floats_at(context[slot.D])
    for i in range(neq):
        a[i] = external[i] - internal[i] - damping[i]
    solve(context, a)
    return 0


@inlined
def _step(context, settings, step):
    neq, ndof, dt = context[slot.NEQ], context[slot.NDOF], settings[code.DT]
    time, patterns = floats_at(context[slot.TIME])[0], context[slot.NPATTERNS]
    u0, v0 = floats_at(context[slot.U0]), floats_at(context[slot.V0])
    u, v = floats_at(context[slot.U]), floats_at(context[slot.V])
    u1, v1, a = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    factors, seen = floats_at(context[slot.FACTORS1]), floats_at(context[slot.STEP])
    settings[code.ALPHA_F] = 1.0  # forces balance at the end of the step once it is taken
    seen[2] = 0.0
    if context[slot.FRESH] != 0:
        form_matrix(context, floats_at(context[slot.K]), 0.0, 0.0, 1.0, 0.0, 0.0)
        if factored(context, floats_at(context[slot.A])) != 0:
            return code.SINGULAR
    copy(ndof, u0, u)
    copy(ndof, v0, v)
    copy(ndof, u0, u1)
    copy(ndof, v0, v1)
    copy(patterns, floats_at(context[slot.FACTORS]), factors)
    apply_loads(context, factors)
    # stages at 0, 1/2, 1/2, 1 of the step with weights 1/6, 1/3, 1/3, 1/6
    for stage in range(4):
        weight = dt / 6.0 if stage == 0 or stage == 3 else dt / 3.0
        reach = 0.5 * dt if stage < 2 else dt
        seen[0], seen[1] = time + (0.0 if stage == 0 else (0.5 * dt if stage < 3 else dt)), (
            0.0 if stage == 0 else (0.5 * dt if stage < 3 else dt))
        if _acceleration(context, settings, a) != 0:
            return code.ELEMENT_FAILED
        for i in range(neq):
            u1[i] += weight * v[i]
            v1[i] += weight * a[i]
        if stage < 3:
            for i in range(neq):
                u[i] = u0[i] + reach * v[i]
                v[i] = v0[i] + reach * a[i]
            spread_links(context, u)
            spread_links(context, v)
            if stage == 0:
                follow(context, shift(floats_at(context[slot.SERIES]), step * patterns))
                apply_loads(context, factors)
            elif stage == 2:
                follow(context, shift(floats_at(context[slot.SERIES1]), step * patterns))
                apply_loads(context, factors)
    spread_links(context, u1)
    spread_links(context, v1)
    copy(ndof, u1, u)
    copy(ndof, v1, v)
    if _acceleration(context, settings, a) != 0:
        return code.ELEMENT_FAILED
    size = 0.0
    for i in range(neq):
        size += a[i] * a[i]
    one_pass(context, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


runge_kutta = stepping(_step)


@dataclass(frozen=True)
class RungeKutta(OneStep):
    """The classical Runge-Kutta method of fourth order, explicit: five state determinations a step.

    Acts on (u, v) with a = M^-1 (P - F(u) - C v). Every stage determines the elements from the committed state.
    Fourth order where the forces are smooth; stable for undamped linear systems while dt < 2.83/omega of the
    highest mode; every degree of freedom needs mass.
    """

    explicit: ClassVar[bool] = True
    hybrid: ClassVar[bool] = False  # asks at four displacements a step, one of them back
    kernel: ClassVar[Kernel] = runge_kutta

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 0.5, 0.0, 0.5

    def check_step(self, run: Run, dt: float) -> None:
        if not is_damped(run):
            check_limit(run, "RungeKutta", dt, math.sqrt(8.0))

    def prepare(self, run: Run) -> None:
        if run.program.imposed:
            raise AnalysisError("RungeKutta does not take imposed support motion: it would need the motion inside the step. "
                                "Use another integrator, or uniform base acceleration.")
