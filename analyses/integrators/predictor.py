"""The explicit predictor.

Where the specimens are asked in a step, unless an integrator knows better.
"""

from __future__ import annotations

from femu.analyses import code
from femu.engine.residual import spread_links
from femu.engine.run_fields import RUN
from femu.kernels import INT, inlined, kernel, shift

COMMAND = INT(RUN, INT, INT)
"""Signature of a command kernel: (context, step, exchange). It writes the displacement at which the
specimens are asked in this exchange of the step to run.command, over all degrees of freedom;
code.DONE, or why there is none."""


@inlined
def predict_explicitly(run, settings, step, u):
    """u = u_0 + dt v_0 + dt^2/2 a_0, with imposed motion and links as they will be at the end of
    the step."""
    dt = settings.dt
    u0, v0, a0 = run.u0, run.v0, run.a0
    for a in range(run.ndof):
        u[a] = u0[a] + dt * v0[a] + 0.5 * dt * dt * a0[a]
    imposed, count = run.imposed, run.nimposed
    motion = shift(run.motion, step * 3 * count)
    for q in range(count):
        u[imposed[q]] = motion[q]
    spread_links(run, u)


@kernel(COMMAND, noalias=False)
def explicit_predictor(run, step, exchange):
    """Command of a step with one exchange: the explicit predictor."""
    predict_explicitly(run, run.settings, step, run.command)
    return code.DONE
