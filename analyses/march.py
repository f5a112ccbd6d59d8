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
from femu.analyses import settings as code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.control import control
from femu.analyses.krylov import accelerate
from femu.analyses.secant import correct, keep, last_solution
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
    separate_imposed,
    spread_links,
)
from femu.kernels import INT, INTS, floats_at, inlined, ints_at, kernel, routine, shift
from femu.solver import factored, solve

SERVED = 3  # iterations of a step with the same factors; a step that needs more leaves them to be made anew


@inlined
def _see(context, settings):
    """What the elements see of the trial values: the state at alpha_f of the step."""
    alpha = settings[code.ALPHA_F]
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
    if int(settings[code.CONTROL]) != code.TRANSIENT:
        seen[0], seen[1], seen[2] = floats_at(context[slot.TIME])[0], 0.0, 0.0
        for a in range(ndof):
            v1[a], a1[a] = 0.0, 0.0
        settings[code.ADVANCED] = 0.0
        if int(settings[code.CONTROL]) == code.LOAD and settings[code.CLOCK] != 0.0:
            seen[0] += settings[code.DT]
            follow(context, shift(floats_at(context[slot.SERIES]), step * patterns))
            imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
            motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
            for q in range(count):
                u1[imposed[q]] = motion[q]
            spread_links(context, u1)
        elif int(settings[code.CONTROL]) == code.LOAD:
            factors[int(settings[code.PATTERN])] += floats_at(context[slot.INCREMENTS])[step]
    else:
        dt, beta, gamma = settings[code.DT], settings[code.BETA], settings[code.GAMMA]
        for a in range(ndof):
            v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
            a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
        seen[0] = floats_at(context[slot.TIME])[0] + settings[code.ALPHA_F] * dt
        seen[1], seen[2] = settings[code.ALPHA_F] * dt, gamma / (beta * dt)
        follow(context, shift(floats_at(context[slot.SERIES]), step * patterns))
        imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
        motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
        for q in range(count):
            u1[imposed[q]], v1[imposed[q]], a1[imposed[q]] = motion[q], motion[count + q], motion[2 * count + q]
        spread_links(context, u1)
        spread_links(context, v1)
    _see(context, settings)
    apply_loads(context, factors)


@routine
def _unbalance(context, settings):
    """R over the equations; returns the size of the forces in it (reactions included), for relative tests."""
    neq, ndof = context[slot.NEQ], context[slot.NDOF]
    r, external, internal = floats_at(context[slot.R]), floats_at(context[slot.PEXT]), floats_at(context[slot.F])
    for a in range(neq):
        r[a] = external[a] - internal[a]
    relative = int(settings[code.TEST]) == code.RELATIVE_UNBALANCE
    scale = dot(neq, external, external) + dot(ndof, internal, internal) if relative else 0.0
    if int(settings[code.CONTROL]) == code.TRANSIENT:
        middle, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
        a0, a1, alpha = floats_at(context[slot.A0]), floats_at(context[slot.A1]), settings[code.ALPHA_M]
        for a in range(neq):
            middle[a] = (1.0 - alpha) * a0[a] + alpha * a1[a]
        inertia_force(context, middle, product)
        damping_force(context, floats_at(context[slot.V]), settings[code.CURRENT], settings[code.COMMITTED], middle)
        damping = floats_at(context[slot.D])
        for a in range(neq):
            r[a] -= product[a] + damping[a]
        if relative:
            scale += dot(neq, product, product) + dot(neq, damping, damping)
    clear_imposed(context, r)
    return math.sqrt(scale)


@routine
def _factor(context, settings):
    """Form and factor the matrix of the iteration; 0, or 1 where it is singular."""
    context[slot.CHANGED] = 0
    if context[slot.IN_PLACE] != 0:
        copy(context[slot.NMEMBERS], floats_at(context[slot.AXIAL]), floats_at(context[slot.AXIAL_FACTORED]))
        separate_imposed(context, floats_at(context[slot.K]))
        return factored(context, floats_at(context[slot.K]))
    dt, alpha = settings[code.DT], settings[code.ALPHA_F]
    initial = int(settings[code.TANGENT]) == code.INITIAL
    if initial and settings[code.FACTORED] != 0.0 and settings[code.CURRENT] == 0.0 and settings[code.COMMITTED] == 0.0:
        return 0
    stiffness = floats_at(context[slot.KINITIAL] if initial else context[slot.K])
    if int(settings[code.CONTROL]) == code.TRANSIENT:
        form_matrix(context, stiffness, alpha, alpha * settings[code.GAMMA] / (settings[code.BETA] * dt),
                    settings[code.ALPHA_M] / (settings[code.BETA] * dt * dt), settings[code.CURRENT], settings[code.COMMITTED])
    else:
        form_matrix(context, stiffness, 1.0, 0.0, 0.0, 0.0, 0.0)
    settings[code.FACTORED] = 1.0
    return factored(context, floats_at(context[slot.A]))


@routine
def advance(context, settings, share):
    """Add a share of DX to the trial displacement, with the velocity and acceleration it implies."""
    neq = context[slot.NEQ]
    u1, dx = floats_at(context[slot.U1]), floats_at(context[slot.DX])
    for a in range(neq):
        u1[a] += share * dx[a]
    spread_links(context, u1)
    if int(settings[code.CONTROL]) == code.TRANSIENT:
        v1, a1 = floats_at(context[slot.V1]), floats_at(context[slot.A1])
        by_v = share * settings[code.GAMMA] / (settings[code.BETA] * settings[code.DT])
        by_a = share / (settings[code.BETA] * settings[code.DT] * settings[code.DT])
        for a in range(neq):
            v1[a] += by_v * dx[a]
            a1[a] += by_a * dx[a]
        spread_links(context, v1)
    _see(context, settings)


@inlined
def tested(context, settings, scale, started, first):
    """What the convergence test compares with its tolerance, and the first such size of the step (below 0: none yet).

    ``scale`` is the size of all forces, ``started`` the unbalance at the start of the step.
    """
    neq, test = context[slot.NEQ], int(settings[code.TEST])
    r, dx = floats_at(context[slot.R]), floats_at(context[slot.DX])
    if test == code.UNBALANCE or test == code.RELATIVE_UNBALANCE or test == code.STARTING_UNBALANCE:
        value = norm(neq, r)
    elif test == code.INCREMENT or test == code.RELATIVE_INCREMENT:
        value = norm(neq, dx)
    else:
        value = 0.5 * abs(dot(neq, dx, r))
    if test == code.RELATIVE_UNBALANCE:
        value = value / scale if scale > 0.0 else value
    elif test == code.RELATIVE_INCREMENT or test == code.RELATIVE_ENERGY:
        first = value if first < 0.0 else first
        value = value / first if first > 0.0 else value
    elif test == code.STARTING_UNBALANCE:
        value = value / started if started > 0.0 else value
    return value, first


@inlined
def _search(context, settings, start, scale):
    """Line search: lengthen or shorten the increment until the unbalance does little work on it.

    ``start`` is that work before the increment. Secant steps from the start; returns the size of the forces,
    or a negative number where an element has no answer.
    """
    neq, length = context[slot.NEQ], 1.0
    dx, r = floats_at(context[slot.DX]), floats_at(context[slot.R])
    work = dot(neq, dx, r)
    for _ in range(code.LINE_SEARCH_TRIALS):
        if abs(work) <= settings[code.LINE_SEARCH] * abs(start) or start == work:
            break
        wanted = min(max(length * start / (start - work), code.LINE_SEARCH_LEAST), code.LINE_SEARCH_MOST)
        if wanted == length:
            break
        advance(context, settings, wanted - length)
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
    static = int(settings[code.CONTROL]) != code.TRANSIENT
    krylov, secant, nested = int(settings[code.KRYLOV]), int(settings[code.SECANT]), settings[code.NESTED] != 0.0
    report = shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)
    r, dx = floats_at(context[slot.R]), floats_at(context[slot.DX])
    _predict(context, settings, step)
    # the elements rest where they were committed, unless supports, velocities or member loads changed
    if context[slot.NIMPOSED] > 0 or context[slot.RESTLESS] != 0:
        if determine(context, slot.EVALUATE) != 0:
            return code.ELEMENT_FAILED
    elif context[slot.FRESH] != 0:
        determine(context, slot.RESUME)
    scale = _unbalance(context, settings)
    first, known, served, started = -1.0, 0, 0, norm(neq, r)
    tangents = 0
    kept = context[slot.REUSABLE] != 0 and context[slot.FRESH] == 0 and context[slot.CHANGED] == 0
    predictors = 1 if settings[code.PREDICTOR] != 0.0 else 0
    for iteration in range(predictors + int(settings[code.ITERATIONS]) * (krylov + 1 if nested else 1)):
        # the factors of the last iteration, or step, still serve where no element changed its stiffness since
        renew = int(settings[code.TANGENT]) == code.EACH and krylov == 0 and context[slot.CHANGED] != 0
        if (iteration <= predictors and not kept) or renew or (krylov > 0 and known > krylov):
            if _factor(context, settings) != 0:
                return code.SINGULAR
            known, served = 0, 0
        served += 1
        copy(neq, r, dx)
        solve(context, dx)
        # the increment is accelerated with the load's share in it, or, as OpenSees does beside its predictors, before
        subspace = krylov > 0 and secant == code.SUBSPACE
        if subspace and predictors == 1 and iteration >= predictors:
            accelerate(neq, floats_at(context[slot.BASIS]), krylov, known, dx)
            known += 1
        if secant != code.SUBSPACE and iteration >= predictors:
            correct(context, settings, known, dx)
        advanced = settings[code.ADVANCED]
        if static and not control(context, settings, step, iteration):
            return code.NO_ROOT
        if subspace and predictors == 0:
            accelerate(neq, floats_at(context[slot.BASIS]), krylov, known, dx)
            known += 1
        if secant != code.SUBSPACE and iteration >= predictors:
            keep(context, settings, known, settings[code.ADVANCED] - advanced if static else 0.0)
            known += 1
        work = dot(neq, dx, r)
        advance(context, settings, 1.0)
        if determine(context, slot.EVALUATE) != 0:
            return code.ELEMENT_FAILED
        scale = _unbalance(context, settings)
        if iteration < predictors:
            started = norm(neq, r)
            continue
        if settings[code.LINE_SEARCH] != 0.0:
            scale = _search(context, settings, work, scale)
            if scale < 0.0:
                return code.ELEMENT_FAILED
        if nested:
            if known == 1:  # the tangent's own increment is not tested
                first, started = -1.0, norm(neq, r)
                continue
            if not static:
                copy(neq, last_solution(context, krylov), dx)
        value, first = tested(context, settings, max(scale, started), started, first)
        if nested:
            if value > settings[code.TOLERANCE] and known <= krylov:
                continue
            tangents, known = tangents + 1, krylov + 1
        # beside very stiff members the unbalance keeps their rounding error: no increment can better it
        newton = int(settings[code.TANGENT]) == code.EACH and krylov == 0
        if newton and int(settings[code.TEST]) == code.RELATIVE_UNBALANCE and norm(neq, dx) <= code.ROUNDING * norm(
                neq, floats_at(context[slot.U1])):
            report[0], report[1] = iteration + 1.0 - predictors, value
            return code.DONE
        report[0], report[1] = tangents if nested else iteration + 1.0 - predictors, value
        if not math.isfinite(value):
            return code.NOT_FINITE
        if value <= settings[code.TOLERANCE]:
            if served > SERVED:
                context[slot.CHANGED] = 1
            return code.DONE
        if nested and tangents >= int(settings[code.ITERATIONS]):
            break
    return code.DONE if settings[code.ACCEPT] != 0.0 else code.NOT_CONVERGED


@kernel(INT(INTS), noalias=False)
def march(context):
    """Take steps FIRST to LAST; returns why it stopped. FIRST is then the step that was not committed."""
    settings = floats_at(context[slot.SETTINGS])
    start(context)
    while context[slot.FIRST] < context[slot.LAST]:
        step = context[slot.FIRST]
        why = conclude(context, settings, step, _iterate(context, settings, step))
        if why != code.DONE:
            return why
    return code.DONE
