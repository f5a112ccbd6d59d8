"""Static control: how the load factor goes with the displacement."""

from __future__ import annotations

import math

from femu import context as slot
from femu.analyses import settings as code
from femu.equilibrium import apply_loads, clear_imposed, copy, dot
from femu.kernels import floats_at, inlined, shift
from femu.solver import solve


@inlined
def arc_change(context, settings, wanted, iteration):
    """Change of the load factor that keeps the increment on the arc, and whether there is one.

    |s + x + change xp|^2 + weight (l + change)^2 = arc^2, with the increments s and l of the step so far, the
    displacement x by the unbalance and xp by the reference load.
    """
    neq, weight = context[slot.NEQ], settings[code.ARC_WEIGHT]
    x, xp = floats_at(context[slot.DX]), floats_at(context[slot.XP])
    u0, u1 = floats_at(context[slot.U0]), floats_at(context[slot.U1])
    xp_xp = dot(neq, xp, xp)
    if iteration == 0:
        direction = dot(neq, xp, floats_at(context[slot.PREVIOUS]))
        size = wanted / math.sqrt(xp_xp + weight)
        return True, (-size if direction < 0.0 else size)
    s_x, s_xp, s_s, x_xp, x_x = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(neq):
        s = u1[a] - u0[a]
        s_x += s * x[a]
        s_xp += s * xp[a]
        s_s += s * s
        x_xp += x[a] * xp[a]
        x_x += x[a] * x[a]
    so_far = settings[code.ADVANCED]
    qa = xp_xp + weight
    qb = 2.0 * (s_xp + x_xp + weight * so_far)
    qc = s_s + 2.0 * s_x + x_x + weight * so_far * so_far - wanted * wanted
    under = qb * qb - 4.0 * qa * qc
    if under < 0.0:
        return False, 0.0
    root = math.sqrt(under)
    one, two = (-qb + root) / (2.0 * qa), (-qb - root) / (2.0 * qa)
    # of the two points on the arc, the one that turns the increment least
    turn = s_xp + weight * so_far
    return True, (one if one * turn >= two * turn else two)


@inlined
def control(context, settings, step, iteration):
    """Static control: add to DX its part by the change of the load factor; False where there is no such change."""
    neq, pattern, kind = context[slot.NEQ], int(settings[code.PATTERN]), int(settings[code.CONTROL])
    wanted = floats_at(context[slot.INCREMENTS])[step]
    if kind == code.LOAD:
        return True
    dx, xp = floats_at(context[slot.DX]), floats_at(context[slot.XP])
    copy(neq, shift(floats_at(context[slot.NODAL]), pattern * context[slot.NDOF]), xp)
    clear_imposed(context, xp)
    solve(context, xp)
    if kind == code.DISPLACEMENT:
        dof = int(settings[code.CONTROLLED])
        if xp[dof] == 0.0:
            return False
        moved = floats_at(context[slot.U1])[dof] - floats_at(context[slot.U0])[dof]
        change = (wanted - moved - dx[dof]) / xp[dof]
    else:
        found, change = arc_change(context, settings, wanted, iteration)
        if not found:
            return False
    for a in range(neq):
        dx[a] += change * xp[a]
    settings[code.ADVANCED] += change
    factors = floats_at(context[slot.FACTORS1])
    factors[pattern] += change
    apply_loads(context, factors)
    return True
