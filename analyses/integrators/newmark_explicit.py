"""Newmark's method with beta = 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.noniterative import (
    check_limit,
    element_damping,
    forces_alone,
    hold_own,
    impose,
    impose_acceleration,
    is_damped,
    load_end,
    one_pass,
    own_matrix,
    own_room,
    stepping,
    weigh_forces,
)
from femu.engine.residual import damping_force, determine, form_matrix, spread_links
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined
from femu.model.doubts import raise_or_warn
from femu.model.parameters import finite
from femu.support.errors import InputError

RATES = 0  # place in run.own: 1 if forces of elements depend on the velocity


@inlined
def step_explicitly(run, settings, step):
    neq, dt, gamma = run.neq, settings.dt, settings.gamma
    u0, v0, a0 = run.u0, run.v0, run.a0
    u1, v1, a1 = run.u1, run.v1, run.a1
    r, room = run.r, own_room(run, 0)
    matrix, factors = run.matrix, run.factors
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    for a in range(run.ndof):
        u1[a] = u0[a] + dt * v0[a] + 0.5 * dt * dt * a0[a]
        v1[a] = v0[a] + (1.0 - gamma) * dt * a0[a]
    impose(run, step, u1, v1)
    load_end(run, settings, step, 0.0)
    if determine(run, forces_alone(run)) != 0:
        return code.ELEMENT_FAILED
    weigh_forces(run, settings, v1, 1.0, r)
    impose_acceleration(run, step, 1.0, a1, r)
    if run.fresh != 0 or current != 0.0 or committed != 0.0:
        # mass and constant damping do not change: factored once
        form_matrix(run, own_matrix(run, 1, 0), gamma * dt, gamma * dt, 1.0, current, committed)
        if factor_damped(run, matrix, factors, room, gamma * dt) != 0:
            return code.SINGULAR
    solve_damped(run, factors, room, gamma * dt, r)
    size = 0.0
    for a in range(neq):
        v1[a] += gamma * dt * r[a]
        size += r[a] * r[a]
    finish_accelerations(run, r, a1)
    spread_links(run, v1)
    if run.own[RATES] != 0.0 and determine(run, forces_alone(run)) != 0:
        return code.ELEMENT_FAILED
    damping_force(run, v1, current, committed, run.scratch1)
    one_pass(run, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


@inlined
def finish_accelerations(run, found, a1):
    """Take the accelerations that were found, next to the imposed ones that a1 has already."""
    imposed, count = run.imposed, run.nimposed
    for q in range(count):
        found[imposed[q]] = a1[imposed[q]]
    for a in range(run.neq):
        a1[a] = found[a]


newmark_explicit = stepping(step_explicitly)


@dataclass(frozen=True)
class NewmarkExplicit(Integrator):
    """Newmark's method with beta = 0, explicit: one state determination a step, no iteration, no
    tangent ::

        u_1 = u_0 + dt v_0 + dt^2/2 a_0
        (M + gamma dt C) a_1 = P_1 - F(u_1) - C (v_0 + (1-gamma) dt a_0),     v_1 = v_0 + dt ((1-gamma) a_0 + gamma a_1)

    gamma = 1/2 is `CentralDifference`: second order, no numerical damping. Above it the method is
    of first order and damps. Stable for undamped linear systems while dt < sqrt(2/gamma)/omega of
    the highest mode; every degree of freedom needs mass. Elements whose force depends on the
    velocity are linearised about rest. OpenSees: ``NewmarkExplicit gamma``. In a hybrid test the
    specimens are asked at u_1.
    """

    gamma: float = 0.5

    explicit: ClassVar[bool] = True
    kernel: ClassVar[Kernel] = newmark_explicit

    def __post_init__(self) -> None:
        if not finite(self.gamma) or not self.gamma >= 0.5:
            raise_or_warn(self, InputError("NewmarkExplicit", "gamma", self.gamma,
                                           "must be at least 0.5: below it the method is unstable"))

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 1.0, 0.0, self.gamma

    def check_step(self, run: Workspace, dt: float) -> None:
        # damping adds to the limit where gamma is above 1/2
        if self.gamma == 0.5 or not is_damped(run):
            check_limit(run, type(self).__name__, dt, math.sqrt(2.0 / self.gamma))

    def prepare(self, run: Workspace) -> None:
        rates = element_damping(run)
        hold_own(run, 1, [rates])[RATES] = float(rates.any())
