"""Static control: how the load factor goes with the displacement."""

from __future__ import annotations

import math

from femu.analyses import code
from femu.analyses.newton_step import first_iteration
from femu.engine.ldlt import solve
from femu.engine.residual import apply_loads, clear_imposed, copy, dot
from femu.kernels import inlined, shift


@inlined
def _arc_change(run, settings, wanted, iteration):
    """Change of the load factor that keeps the increment on the arc, and whether there is one.

    |s + x + change xp|^2 + weight (l + change)^2 = arc^2, with the increments s and l of the step so far, the
    displacement x by the unbalance and xp by the reference load.

    Many locals: the terms of the quadratic equation.
    """
    neq, weight = run.neq, settings.arc_weight
    x, xp = run.dx, run.dx_load
    u0, u1 = run.u0, run.u1
    xp_xp = dot(neq, xp, xp)
    if iteration == first_iteration(settings):
        direction = dot(neq, xp, run.last_increment)
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
    so_far = settings.load_change
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
def controlled(run, settings, step, iteration):
    """Add to DX its part by the change of the load factor, where that is sought.

    False if there is no such change.
    """
    neq, pattern, kind = run.neq, settings.pattern, settings.control
    if kind == code.TRANSIENT or kind == code.LOAD:
        return True
    wanted, dx, xp = run.increments[step], run.dx, run.dx_load
    copy(neq, shift(run.nodal_loads, pattern * run.ndof), xp)
    clear_imposed(run, xp)
    solve(run, xp)
    if kind == code.DISPLACEMENT:
        dof = settings.controlled_dof
        if xp[dof] == 0.0:
            return False
        moved = run.u1[dof] - run.u0[dof]
        change = (wanted - moved - dx[dof]) / xp[dof]
    else:
        found, change = _arc_change(run, settings, wanted, iteration)
        if not found:
            return False
    for a in range(neq):
        dx[a] += change * xp[a]
    settings.load_change += change
    factors = run.load_factors1
    factors[pattern] += change
    apply_loads(run, factors)
    return True
