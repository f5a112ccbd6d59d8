"""The explicit predictor: where the specimens are asked in a step, unless an integrator knows better."""

from __future__ import annotations

from femu import context as slot
from femu.analyses import settings as code
from femu.equilibrium import spread_links
from femu.kernels import INT, INTS, floats_at, inlined, ints_at, kernel, shift

COMMAND = INT(INTS, INT, INT)
"""Signature of a command kernel: (context, step, exchange). It writes the displacement at which the specimens are asked in
this exchange of the step to slot.COMMAND, over all degrees of freedom; code.DONE, or why there is none."""


@inlined
def predict_explicitly(context, settings, step, u):
    """u = u_0 + dt v_0 + dt^2/2 a_0, with imposed motion and links as they will be at the end of the step."""
    dt = settings[code.DT]
    u0, v0, a0 = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.A0])
    for a in range(context[slot.NDOF]):
        u[a] = u0[a] + dt * v0[a] + 0.5 * dt * dt * a0[a]
    imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
    motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
    for q in range(count):
        u[imposed[q]] = motion[q]
    spread_links(context, u)


@kernel(COMMAND, noalias=False)
def explicit_predictor(context, step, exchange):
    """Command of a step with one exchange: the explicit predictor."""
    predict_explicitly(context, floats_at(context[slot.SETTINGS]), step, floats_at(context[slot.COMMAND]))
    return code.DONE
