"""The composite method of the trapezoidal rule and backward differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.analyses.commit import conclude, start
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.newton_step import Marching, Stepping
from femu.analyses.noniterative import hold_own, own_row
from femu.engine.residual import copy
from femu.engine.workspace import Workspace
from femu.kernels import Helper

# numbers of run.own: 1 if the next step takes backward differences, and the length of the last
# step
SECOND, LENGTH = 0, 1
# rows of run.own: displacement and velocity one step back; start values that replace the
# committed ones
BACK_U, BACK_V, START_V, START_A = range(4)
ROWS = 4
TRAPEZOIDAL_BETA, TRAPEZOIDAL_GAMMA = 0.25, 0.5
BACKWARD_BETA, BACKWARD_GAMMA = 4.0 / 9.0, 2.0 / 3.0


@Marching
def trbdf2(iterate: Helper) -> Stepping:
    """Take the steps from ``first`` to ``last``; returns why it stopped."""

    def go(run):
        settings, own = run.settings, run.own
        ndof = run.ndof
        start(run)
        while run.first < run.last:
            step, dt = run.first, settings.dt
            committed_v, committed_a = run.v0, run.a0
            u0, v0 = run.u0, committed_v
            back_u, back_v = own_row(run, 0, 0, 0, BACK_U), own_row(run, 0, 0, 0, BACK_V)
            second = own[SECOND] != 0.0 and own[LENGTH] == dt
            settings.factored = 0
            if second:
                settings.beta, settings.gamma = BACKWARD_BETA, BACKWARD_GAMMA
                start_v, start_a = own_row(run, 0, 0, 0, START_V), own_row(run, 0, 0, 0, START_A)
                for a in range(ndof):
                    # velocity and acceleration of the backward differences at the old displacement, and
                    # the start values from which Newmark's relations make the same
                    v = 0.5 * (back_u[a] - u0[a]) / dt
                    acceleration = (0.5 * back_v[a] - 2.0 * v0[a] + 1.5 * v) / dt
                    start_v[a] = -(acceleration * dt + 0.5 * v) / 2.5
                    start_a[a] = 4.0 * (v + 0.5 * start_v[a]) / dt
                run.v0, run.a0 = start_v, start_a
            else:
                settings.beta, settings.gamma = TRAPEZOIDAL_BETA, TRAPEZOIDAL_GAMMA
            why = iterate(run, settings, step)
            run.v0, run.a0 = committed_v, committed_a
            if why == code.DONE and not second:
                copy(ndof, u0, back_u)
                copy(ndof, v0, back_v)
            why = conclude(run, settings, step, why)
            if why != code.DONE:
                return why
            own[SECOND], own[LENGTH] = 0.0 if second else 1.0, dt
        return code.DONE

    return go


@dataclass(frozen=True)
class TRBDF2(Integrator):
    """The trapezoidal rule and backward differences of second order in turn (Bank et al. 1985;
    Bathe 2007).

    Every other step is trapezoidal (Newmark's average acceleration). The one after it uses the two
    before::

        v_1 = (3 u_1 - 4 u_0 + u_-1) / (2 dt),        a_1 = (3 v_1 - 4 v_0 + v_-1) / (2 dt)

    Second order, unconditionally stable for linear systems, and damps the highest modes. A run
    begins with a trapezoidal step, and so does a change of dt. OpenSees: ``TRBDF2``.
    """

    kernel: ClassVar[Marching] = trbdf2
    hybrid: ClassVar[bool] = False

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 1.0, TRAPEZOIDAL_BETA, TRAPEZOIDAL_GAMMA

    def prepare(self, run: Workspace) -> None:
        hold_own(run, 0, [], rows=ROWS)
