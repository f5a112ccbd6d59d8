"""The march: implicit steps in time or along a load path, each solved to equilibrium by Newton iterations.

One step looks for displacements that balance ::

    R = P(t_f) - F(u_f, v_f) - D(v_f) - M a_m,     x_f = (1-alpha_f) x_0 + alpha_f x_1, likewise a_m

with Newmark's relations between u_1, v_1 and a_1 (transient), or ::

    R = P_held + lambda P - F(u)

with a constraint on lambda and u (static: load, displacement or arc-length control). Iterations, tests and
commits are the same for both. A step that fails leaves the committed state as it was.
"""

from __future__ import annotations

import math

from femu import context as slot
from femu.analyses.krylov import accelerate
from femu.band import call_factor, call_solve
from femu.equilibrium import (
    apply_loads,
    clear_imposed,
    copy,
    damping_force,
    determine,
    dot,
    form_matrix,
    inertia_force,
    norm,
    spread_links,
)
from femu.kernels import INT, INTS, floats_at, inlined, ints_at, kernel, routine, shift

# settings of a run (floats)
(DT, ALPHA_M, ALPHA_F, BETA, GAMMA, TEST, TOLERANCE, ITERATIONS, TANGENT, LINE_SEARCH, KRYLOV, CONTROL, CONTROLLED,
 PATTERN, ARC_WEIGHT, CURRENT, COMMITTED, ADVANCED, FACTORED, NSETTINGS) = range(20)
# ADVANCED: change of the load factor in the step so far; FACTORED: 1 where the initial matrix is factored

# how the step is controlled
TRANSIENT, LOAD, DISPLACEMENT, ARC_LENGTH = 0, 1, 2, 3
# which norm must fall below the tolerance: of the unbalance or the increment, or the energy, absolute or relative
UNBALANCE, INCREMENT, ENERGY, RELATIVE_UNBALANCE, RELATIVE_INCREMENT, RELATIVE_ENERGY = range(6)
# which tangent the iterations use
EACH, FIRST_OF_STEP, INITIAL = 0, 1, 2

# why a march stopped
DONE, NOT_CONVERGED, SINGULAR, ELEMENT_FAILED, NOT_FINITE, NO_ROOT, LIMIT_REACHED = range(7)

LINE_SEARCH_TRIALS = 10
LINE_SEARCH_LEAST, LINE_SEARCH_MOST = 0.1, 10.0
REPORT_FLOATS = 2
ROUNDING = 1e-12  # a Newton increment this small beside the displacement betters nothing


@inlined
def _see(context, settings):
    """What the elements see of the trial values: the state at alpha_f of the step."""
    alpha = settings[ALPHA_F]
    if alpha == 1.0:
        return  # U and V are U1 and V1 themselves
    u, v = floats_at(context[slot.U]), floats_at(context[slot.V])
    u0, v0 = floats_at(context[slot.U0]), floats_at(context[slot.V0])
    u1, v1 = floats_at(context[slot.U1]), floats_at(context[slot.V1])
    for a in range(context[slot.NDOF]):
        u[a] = (1.0 - alpha) * u0[a] + alpha * u1[a]
        v[a] = (1.0 - alpha) * v0[a] + alpha * v1[a]


@inlined
def _predict(context, settings, step):
    """Trial values and loads at the start of a step: displacement held, Newmark's velocity and acceleration."""
    ndof, patterns = context[slot.NDOF], context[slot.NPATTERNS]
    u0, v0, a0 = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.A0])
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    factors, seen = floats_at(context[slot.FACTORS1]), floats_at(context[slot.STEP])
    copy(ndof, u0, u1)
    copy(patterns, floats_at(context[slot.FACTORS]), factors)
    if int(settings[CONTROL]) != TRANSIENT:
        seen[0], seen[1], seen[2] = floats_at(context[slot.TIME])[0], 0.0, 0.0
        for a in range(ndof):
            v1[a], a1[a] = 0.0, 0.0
        settings[ADVANCED] = 0.0
        if int(settings[CONTROL]) == LOAD:
            factors[int(settings[PATTERN])] += floats_at(context[slot.INCREMENTS])[step]
    else:
        dt, beta, gamma = settings[DT], settings[BETA], settings[GAMMA]
        for a in range(ndof):
            v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
            a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
        seen[0] = floats_at(context[slot.TIME])[0] + settings[ALPHA_F] * dt
        seen[1], seen[2] = settings[ALPHA_F] * dt, gamma / (beta * dt)
        follow(context, shift(floats_at(context[slot.SERIES]), step * patterns))
        imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
        motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
        for q in range(count):
            u1[imposed[q]], v1[imposed[q]], a1[imposed[q]] = motion[q], motion[count + q], motion[2 * count + q]
        spread_links(context, u1)
        spread_links(context, v1)
    _see(context, settings)
    apply_loads(context, factors)


@inlined
def follow(context, series):
    """Let the patterns that follow a series take its value."""
    factors, moves = floats_at(context[slot.FACTORS1]), ints_at(context[slot.MOVES])
    for pattern in range(context[slot.NPATTERNS]):
        if moves[pattern] != 0:
            factors[pattern] = series[pattern]


@routine
def _unbalance(context, settings):
    """R over the equations; returns the size of the forces in it (reactions included), for relative tests."""
    neq, ndof = context[slot.NEQ], context[slot.NDOF]
    r, external, internal = floats_at(context[slot.R]), floats_at(context[slot.PEXT]), floats_at(context[slot.F])
    scale = 0.0
    for a in range(neq):
        r[a] = external[a] - internal[a]
        scale += external[a] * external[a] + internal[a] * internal[a]
    for a in range(neq, ndof):
        scale += internal[a] * internal[a]
    if int(settings[CONTROL]) == TRANSIENT:
        middle, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
        a0, a1, alpha = floats_at(context[slot.A0]), floats_at(context[slot.A1]), settings[ALPHA_M]
        for a in range(neq):
            middle[a] = (1.0 - alpha) * a0[a] + alpha * a1[a]
        inertia_force(context, middle, product)
        damping_force(context, floats_at(context[slot.V]), settings[CURRENT], settings[COMMITTED], middle)
        damping = floats_at(context[slot.D])
        for a in range(neq):
            r[a] -= product[a] + damping[a]
            scale += product[a] * product[a] + damping[a] * damping[a]
    clear_imposed(context, r)
    return math.sqrt(scale)


@routine
def _factor(context, settings):
    """Form and factor the matrix of the iteration; 0, or 1 where it is singular."""
    dt, alpha = settings[DT], settings[ALPHA_F]
    initial = int(settings[TANGENT]) == INITIAL
    if initial and settings[FACTORED] != 0.0 and settings[CURRENT] == 0.0 and settings[COMMITTED] == 0.0:
        return 0
    stiffness = floats_at(context[slot.KINITIAL] if initial else context[slot.K])
    if int(settings[CONTROL]) == TRANSIENT:
        form_matrix(context, stiffness, alpha, alpha * settings[GAMMA] / (settings[BETA] * dt),
                    settings[ALPHA_M] / (settings[BETA] * dt * dt), settings[CURRENT], settings[COMMITTED])
    else:
        form_matrix(context, stiffness, 1.0, 0.0, 0.0, 0.0, 0.0)
    settings[FACTORED] = 1.0
    return 1 if call_factor(context[slot.FACTOR], (
        context[slot.NEQ], context[slot.BAND], context[slot.LD], floats_at(context[slot.A]))) < 0 else 0


@inlined
def solve(context, x):
    call_solve(context[slot.SOLVE], (
        context[slot.NEQ], context[slot.BAND], context[slot.LD], floats_at(context[slot.A]), x))


@inlined
def _arc_change(context, settings, wanted, iteration):
    """Change of the load factor that keeps the increment on the arc, and whether there is one.

    |s + x + change xp|^2 + weight (l + change)^2 = arc^2, with the increments s and l of the step so far, the
    displacement x by the unbalance and xp by the reference load.
    """
    neq, weight = context[slot.NEQ], settings[ARC_WEIGHT]
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
    so_far = settings[ADVANCED]
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
def _control(context, settings, step, iteration):
    """Static control: add to DX its part by the change of the load factor; False where there is no such change."""
    neq, pattern, kind = context[slot.NEQ], int(settings[PATTERN]), int(settings[CONTROL])
    wanted = floats_at(context[slot.INCREMENTS])[step]
    if kind == LOAD:
        return True
    dx, xp = floats_at(context[slot.DX]), floats_at(context[slot.XP])
    copy(neq, shift(floats_at(context[slot.NODAL]), pattern * context[slot.NDOF]), xp)
    clear_imposed(context, xp)
    solve(context, xp)
    if kind == DISPLACEMENT:
        dof = int(settings[CONTROLLED])
        if xp[dof] == 0.0:
            return False
        moved = floats_at(context[slot.U1])[dof] - floats_at(context[slot.U0])[dof]
        change = (wanted - moved - dx[dof]) / xp[dof]
    else:
        found, change = _arc_change(context, settings, wanted, iteration)
        if not found:
            return False
    for a in range(neq):
        dx[a] += change * xp[a]
    settings[ADVANCED] += change
    factors = floats_at(context[slot.FACTORS1])
    factors[pattern] += change
    apply_loads(context, factors)
    return True


@routine
def _advance(context, settings, share):
    """Add a share of DX to the trial displacement, with the velocity and acceleration it implies."""
    neq = context[slot.NEQ]
    u1, dx = floats_at(context[slot.U1]), floats_at(context[slot.DX])
    for a in range(neq):
        u1[a] += share * dx[a]
    spread_links(context, u1)
    if int(settings[CONTROL]) == TRANSIENT:
        v1, a1 = floats_at(context[slot.V1]), floats_at(context[slot.A1])
        by_v = share * settings[GAMMA] / (settings[BETA] * settings[DT])
        by_a = share / (settings[BETA] * settings[DT] * settings[DT])
        for a in range(neq):
            v1[a] += by_v * dx[a]
            a1[a] += by_a * dx[a]
        spread_links(context, v1)
    _see(context, settings)


@inlined
def _search(context, settings, start, scale):
    """Line search: lengthen or shorten the increment until the unbalance does little work on it.

    ``start`` is that work before the increment. Secant steps from the start; returns the size of the forces,
    or a negative number where an element has no answer.
    """
    neq, length = context[slot.NEQ], 1.0
    dx, r = floats_at(context[slot.DX]), floats_at(context[slot.R])
    work = dot(neq, dx, r)
    for _ in range(LINE_SEARCH_TRIALS):
        if abs(work) <= settings[LINE_SEARCH] * abs(start) or start == work:
            break
        wanted = min(max(length * start / (start - work), LINE_SEARCH_LEAST), LINE_SEARCH_MOST)
        if wanted == length:
            break
        _advance(context, settings, wanted - length)
        length = wanted
        if determine(context, slot.EVALUATE) != 0:
            return -1.0
        scale = _unbalance(context, settings)
        work = dot(neq, dx, r)
    for a in range(neq):
        dx[a] *= length
    return scale


@inlined
def _iterate(context, settings, step):
    """Iterate one step to equilibrium; returns why it stopped. The report gets iterations and the last norm."""
    neq = context[slot.NEQ]
    static = int(settings[CONTROL]) != TRANSIENT
    krylov, test = int(settings[KRYLOV]), int(settings[TEST])
    report = shift(floats_at(context[slot.REPORT]), REPORT_FLOATS * step)
    r, dx = floats_at(context[slot.R]), floats_at(context[slot.DX])
    _predict(context, settings, step)
    # the elements rest where they were committed, unless supports, velocities or member loads changed
    if context[slot.NIMPOSED] > 0 or context[slot.RESTLESS] != 0:
        if determine(context, slot.EVALUATE) != 0:
            return ELEMENT_FAILED
    elif context[slot.FRESH] != 0:
        determine(context, slot.FORM)
    scale = _unbalance(context, settings)
    first, known, started = 0.0, 0, norm(neq, r)
    for iteration in range(int(settings[ITERATIONS])):
        if iteration == 0 or (int(settings[TANGENT]) == EACH and krylov == 0) or (krylov > 0 and known > krylov):
            if _factor(context, settings) != 0:
                return SINGULAR
            known = 0
        copy(neq, r, dx)
        solve(context, dx)
        if static and not _control(context, settings, step, iteration):
            return NO_ROOT
        if krylov > 0:
            accelerate(neq, floats_at(context[slot.BASIS]), krylov, known, dx)
            known += 1
        work = dot(neq, dx, r)
        _advance(context, settings, 1.0)
        if determine(context, slot.EVALUATE) != 0:
            return ELEMENT_FAILED
        scale = _unbalance(context, settings)
        if settings[LINE_SEARCH] != 0.0:
            scale = _search(context, settings, work, scale)
            if scale < 0.0:
                return ELEMENT_FAILED
        if test == UNBALANCE or test == RELATIVE_UNBALANCE:
            value = norm(neq, r)
        elif test == INCREMENT or test == RELATIVE_INCREMENT:
            value = norm(neq, dx)
        else:
            value = 0.5 * abs(dot(neq, dx, r))
        if test == RELATIVE_UNBALANCE:
            scale = max(scale, started)
            value = value / scale if scale > 0.0 else value
            # beside very stiff members the unbalance keeps their rounding error: no increment can better it
            newton = int(settings[TANGENT]) == EACH and krylov == 0
            if newton and norm(neq, dx) <= ROUNDING * norm(neq, floats_at(context[slot.U1])):
                report[0], report[1] = iteration + 1.0, value
                return DONE
        elif test == RELATIVE_INCREMENT or test == RELATIVE_ENERGY:
            if iteration == 0:
                first = value
            value = value / first if first > 0.0 else value
        report[0], report[1] = iteration + 1.0, value
        if not math.isfinite(value):
            return NOT_FINITE
        if value <= settings[TOLERANCE]:
            return DONE
    return NOT_CONVERGED


@routine
def commit(context, settings, step):
    """Make the trial values the committed ones, and account for the energy; 0, or 1 where an element has no answer."""
    neq, ndof, patterns = context[slot.NEQ], context[slot.NDOF], context[slot.NPATTERNS]
    static = int(settings[CONTROL]) != TRANSIENT
    time, energy = floats_at(context[slot.TIME]), floats_at(context[slot.ENERGY])
    u0, u1 = floats_at(context[slot.U0]), floats_at(context[slot.U1])
    scratch, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
    external, external0 = floats_at(context[slot.PEXT]), floats_at(context[slot.PEXT0])
    internal, internal0 = floats_at(context[slot.F]), floats_at(context[slot.F0])
    damping, damping0 = floats_at(context[slot.D]), floats_at(context[slot.D0])
    if settings[ALPHA_F] != 1.0:
        # balanced inside the step: the state at its end is still to be determined
        copy(ndof, u1, floats_at(context[slot.U]))
        copy(ndof, floats_at(context[slot.V1]), floats_at(context[slot.V]))
        seen = floats_at(context[slot.STEP])
        seen[0], seen[1] = time[0] + settings[DT], settings[DT]
        follow(context, shift(floats_at(context[slot.SERIES1]), step * patterns))
        apply_loads(context, floats_at(context[slot.FACTORS1]))
        if determine(context, slot.EVALUATE) != 0:
            return 1
        damping_force(context, floats_at(context[slot.V1]), settings[CURRENT], settings[COMMITTED], scratch)
    for a in range(neq):
        moved = 0.5 * (u1[a] - u0[a])
        energy[0] += moved * (external[a] + external0[a])
        energy[3] += moved * (internal[a] + internal0[a])
    if not static:
        v1, a1 = floats_at(context[slot.V1]), floats_at(context[slot.A1])
        spread_links(context, a1)
        for a in range(neq):
            energy[2] += 0.5 * (u1[a] - u0[a]) * (damping[a] + damping0[a])
        imposed = ints_at(context[slot.IMPOSED])
        if context[slot.NIMPOSED] > 0:
            # supports do work by what holds them: internal, damping and inertia force
            inertia_force(context, floats_at(context[slot.A0]), scratch)
            inertia_force(context, a1, product)
            for q in range(context[slot.NIMPOSED]):
                a = imposed[q]
                energy[0] += 0.5 * (u1[a] - u0[a]) * (internal[a] + internal0[a] + damping[a] + damping0[a] + scratch[a]
                                                      + product[a] - external[a] - external0[a])
        inertia_force(context, v1, product)
        energy[1] = 0.5 * dot(neq, v1, product)
        copy(ndof, v1, floats_at(context[slot.V0]))
        copy(ndof, a1, floats_at(context[slot.A0]))
        copy(neq, damping, damping0)
        time[0] += settings[DT]
        if settings[COMMITTED] != 0.0:
            copy(context[slot.STORAGE], floats_at(context[slot.KD]), floats_at(context[slot.KC]))
    else:
        previous = floats_at(context[slot.PREVIOUS])
        for a in range(neq):
            previous[a] = u1[a] - u0[a]
    copy(ndof, u1, u0)
    copy(ndof, internal, internal0)
    copy(ndof, external, external0)
    copy(patterns, floats_at(context[slot.FACTORS1]), floats_at(context[slot.FACTORS]))
    copy(context[slot.NELEMENT], floats_at(context[slot.T]), floats_at(context[slot.C]))
    return 0


@inlined
def record(context):
    """Copy the wanted numbers into the next row of the output."""
    wanted = ints_at(context[slot.RECORD])
    row = shift(floats_at(context[slot.OUTPUT]), context[slot.ROW] * context[slot.NRECORD])
    for a in range(context[slot.NRECORD]):
        row[a] = floats_at(wanted[a])[0]
    context[slot.ROW] += 1


@inlined
def limit_reached(context):
    """Whether a watched difference of displacements has reached its limit."""
    pairs, values, u = ints_at(context[slot.LIMITS]), floats_at(context[slot.LIMIT_VALUES]), floats_at(context[slot.U0])
    for q in range(context[slot.NLIMITS]):
        base = u[pairs[2 * q + 1]] if pairs[2 * q + 1] >= 0 else 0.0
        if abs(u[pairs[2 * q]] - base) >= values[q]:
            return True
    return False


@inlined
def start(context):
    """Loads of the committed state, where they are not known from the step before."""
    if context[slot.FRESH] != 0:
        apply_loads(context, floats_at(context[slot.FACTORS]))
        copy(context[slot.NDOF], floats_at(context[slot.PEXT]), floats_at(context[slot.PEXT0]))


@inlined
def conclude(context, settings, step, why):
    """End a step: commit and record it where it was solved; returns why the march cannot go on, or DONE."""
    if why == DONE and commit(context, settings, step) != 0:
        why = ELEMENT_FAILED
    if why != DONE:
        return why
    context[slot.FRESH] = 0
    context[slot.FIRST] += 1
    if context[slot.FIRST] % context[slot.EVERY] == 0:
        record(context)
    return LIMIT_REACHED if limit_reached(context) else DONE


@kernel(INT(INTS), noalias=False)
def march(context):
    """Take steps FIRST to LAST; returns why it stopped. FIRST is then the step that was not committed."""
    settings = floats_at(context[slot.SETTINGS])
    start(context)
    while context[slot.FIRST] < context[slot.LAST]:
        step = context[slot.FIRST]
        why = conclude(context, settings, step, _iterate(context, settings, step))
        if why != DONE:
            return why
    return DONE
