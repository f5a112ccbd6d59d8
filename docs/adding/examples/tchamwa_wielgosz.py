"""The explicit method of Tchamwa and Wielgosz, with a step of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.noniterative import (
    check_limit,
    forces_alone,
    hold_own,
    impose,
    impose_acceleration,
    load_end,
    one_pass,
    own_room,
    stepping,
    weigh_forces,
)
from femu.engine.residual import damping_force, determine, form_matrix, spread_links
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined
from femu.support.errors import InputError

PHI = 0  # place in run.own


@inlined
def step_forward(run, settings, step):
    dt, phi = settings.dt, run.own[PHI]
    u0, v0, a0, u1, v1, a1, r = run.u0, run.v0, run.a0, run.u1, run.v1, run.a1, run.r
    matrix, factors, room = run.matrix, run.factors, own_room(run, 0)
    # 1. displacement and velocity, which follow from the committed state
    for a in range(run.ndof):
        u1[a] = u0[a] + dt * v0[a] + phi * dt * dt * a0[a]
        v1[a] = v0[a] + dt * a0[a]
    # 2. supports that move, and loads
    impose(run, step, u1, v1)
    load_end(run, settings, step, 0.0)
    # 3. forces of the elements
    if determine(run, forces_alone(run)) != 0:
        return code.ELEMENT_FAILED
    # 4. acceleration: r = P - F - C v1, then M a1 = r; the mass is factored once
    weigh_forces(run, settings, v1, 1.0, r)
    impose_acceleration(run, step, 1.0, a1, r)
    if run.fresh != 0:
        form_matrix(run, run.mass, 0.0, 0.0, 1.0, 0.0, 0.0)
        if factor_damped(run, matrix, factors, room, 0.0) != 0:
            return code.SINGULAR
    solve_damped(run, factors, room, 0.0, r)
    imposed = run.imposed
    for q in range(run.nimposed):
        r[imposed[q]] = a1[imposed[q]]
    size = 0.0
    for a in range(run.neq):
        a1[a] = r[a]
        size += r[a] * r[a]
    # 5. linked degrees of freedom, damping force, and the report
    spread_links(run, v1)
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    damping_force(run, v1, current, committed, run.scratch1)
    one_pass(run, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


@dataclass(frozen=True)
class TchamwaWielgosz(Integrator):
    """One evaluation of the elements per step; damps high frequencies if phi is above 1 ::

        u_1 = u_0 + dt v_0 + phi dt^2 a_0,   v_1 = v_0 + dt a_0,   M a_1 = P_1 - F(u_1) - C v_1

    First order. With z = (omega dt)^2 an undamped step multiplies (u, dt v) by a matrix of trace
    2 - phi z and determinant 1 - (phi - 1) z, so it is stable while z < 4/(2 phi - 1). Damping
    lowers the limit.
    """

    phi: float = 1.033

    explicit: ClassVar[bool] = True  # needs mass everywhere
    kernel: ClassVar[Kernel] = stepping(step_forward)

    def __post_init__(self) -> None:
        if not 1.0 <= self.phi <= 2.0:
            raise InputError("TchamwaWielgosz", "phi", self.phi, "must lie between 1 and 2")

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 1.0, 0.0, 0.0

    def check_step(self, run: Workspace, dt: float) -> None:
        check_limit(run, "TchamwaWielgosz", dt, 2.0 / math.sqrt(2.0 * self.phi - 1.0))

    def prepare(self, run: Workspace) -> None:
        # room for modal damping of one matrix, and no matrices of its own
        hold_own(run, 1, [])[PHI] = self.phi
