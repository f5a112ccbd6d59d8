"""The march: implicit steps in time or along a load path, each solved to equilibrium by Newton
iterations.

One step looks for displacements that balance ::

    R = P(t_f) - F(u_f, v_f) - D(v_f) - M a_m,     x_f = (1-alpha_f) x_0 + alpha_f x_1, likewise a_m

with Newmark's relations between u_1, v_1 and a_1 (transient), or ::

    R = P_held + lambda P - F(u)

with a constraint on lambda and u (static: load, displacement or arc-length control). Iterations,
tests and commits are the same for both. A step that fails leaves the committed state as it was.
"""

from __future__ import annotations

import math

from femu.analyses import code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.krylov import accelerate
from femu.analyses.quasi_newton import correct, keep, last_solution
from femu.analyses.static_control import control
from femu.engine.element_kernels import EVALUATE, RESUME
from femu.engine.ldlt import factored, solve
from femu.engine.residual import (
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
from femu.engine.run_fields import RUN
from femu.kernels import INT, inlined, kernel, routine, shift

# iterations of a step with the same factors; after a step that needs more, the matrix is factored again
SERVED = 3


@inlined
def _see(run, settings):
    """What the elements see of the trial values: the state at alpha_f of the step."""
    alpha = settings.alpha_f
    if alpha == 1.0:
        return  # u and v are u1 and v1 themselves
    u, v = run.u, run.v
    u0, v0 = run.u0, run.v0
    u1, v1 = run.u1, run.v1
    for a in range(run.ndof):
        u[a] = (1.0 - alpha) * u0[a] + alpha * u1[a]
        v[a] = (1.0 - alpha) * v0[a] + alpha * v1[a]


@inlined
def _predict(run, settings, step):
    """Trial values and loads at the start of a step.

    Displacement held, Newmark's velocity and acceleration.
    """
    ndof, patterns = run.ndof, run.npatterns
    u0, v0, a0 = run.u0, run.v0, run.a0
    u1, v1, a1 = run.u1, run.v1, run.a1
    factors, seen = run.load_factors1, run.step
    copy(ndof, u0, u1)
    copy(patterns, run.load_factors0, factors)
    if settings.control != code.TRANSIENT:
        seen[0], seen[1], seen[2] = run.time, 0.0, 0.0
        for a in range(ndof):
            v1[a], a1[a] = 0.0, 0.0
        settings.load_change = 0.0
        if settings.control == code.LOAD and settings.load_factor_is_time != 0:
            seen[0] += settings.dt
            follow(run, shift(run.series, step * patterns))
            imposed, count = run.imposed, run.nimposed
            motion = shift(run.motion, step * 3 * count)
            for q in range(count):
                u1[imposed[q]] = motion[q]
            spread_links(run, u1)
        elif settings.control == code.LOAD:
            factors[settings.pattern] += run.increments[step]
    else:
        dt, beta, gamma = settings.dt, settings.beta, settings.gamma
        for a in range(ndof):
            v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
            a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
        seen[0] = run.time + settings.alpha_f * dt
        seen[1], seen[2] = settings.alpha_f * dt, gamma / (beta * dt)
        follow(run, shift(run.series, step * patterns))
        imposed, count = run.imposed, run.nimposed
        motion = shift(run.motion, step * 3 * count)
        for q in range(count):
            u1[imposed[q]], v1[imposed[q]], a1[imposed[q]] = motion[q], motion[count + q], motion[2 * count + q]
        spread_links(run, u1)
        spread_links(run, v1)
    _see(run, settings)
    apply_loads(run, factors)


@routine
def _unbalance(run, settings):
    """R over the equations.

    Returns the size of the forces in it (reactions included), for relative tests.
    """
    neq, ndof = run.neq, run.ndof
    r, external, internal = run.r, run.external, run.internal
    for a in range(neq):
        r[a] = external[a] - internal[a]
    relative = settings.test == code.RELATIVE_UNBALANCE
    scale = dot(neq, external, external) + dot(ndof, internal, internal) if relative else 0.0
    if settings.control == code.TRANSIENT:
        middle, product = run.scratch1, run.scratch2
        a0, a1, alpha = run.a0, run.a1, settings.alpha_m
        for a in range(neq):
            middle[a] = (1.0 - alpha) * a0[a] + alpha * a1[a]
        inertia_force(run, middle, product)
        damping_force(run, run.v, settings.current_stiffness_damping,
                      settings.committed_stiffness_damping, middle)
        damping = run.damping
        for a in range(neq):
            r[a] -= product[a] + damping[a]
        if relative:
            scale += dot(neq, product, product) + dot(neq, damping, damping)
    clear_imposed(run, r)
    return math.sqrt(scale)


@routine
def _factor(run, settings):
    """Form and factor the matrix of the iteration; 0, or 1 where it is singular."""
    run.stiffness_changed = 0
    if run.in_place != 0:
        copy(run.nelements, run.axial, run.axial_factored)
        separate_imposed(run, run.tangent)
        return factored(run, run.tangent)
    dt, alpha = settings.dt, settings.alpha_f
    initial = settings.tangent == code.INITIAL
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    if initial and settings.factored != 0 and current == 0.0 and committed == 0.0:
        return 0
    stiffness = run.initial_tangent if initial else run.tangent
    if settings.control == code.TRANSIENT:
        form_matrix(run, stiffness, alpha, alpha * settings.gamma / (settings.beta * dt),
                    settings.alpha_m / (settings.beta * dt * dt), current, committed)
    else:
        form_matrix(run, stiffness, 1.0, 0.0, 0.0, 0.0, 0.0)
    settings.factored = 1
    return factored(run, run.matrix)


@routine
def advance(run, settings, share):
    """Add a share of DX to the trial displacement, with the velocity and acceleration it implies.
    """
    neq = run.neq
    u1, dx = run.u1, run.dx
    for a in range(neq):
        u1[a] += share * dx[a]
    spread_links(run, u1)
    if settings.control == code.TRANSIENT:
        v1, a1 = run.v1, run.a1
        by_v = share * settings.gamma / (settings.beta * settings.dt)
        by_a = share / (settings.beta * settings.dt * settings.dt)
        for a in range(neq):
            v1[a] += by_v * dx[a]
            a1[a] += by_a * dx[a]
        spread_links(run, v1)
    _see(run, settings)


@inlined
def tested(run, settings, scale, started, first):
    """What the convergence test compares with its tolerance, and the first such size of the step
    (below 0: none yet).

    ``scale`` is the size of all forces, ``started`` the unbalance at the start of the step.
    """
    neq, test = run.neq, settings.test
    r, dx = run.r, run.dx
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
def _search(run, settings, start, scale):
    """Line search: lengthen or shorten the increment until the unbalance does little work on it.

    ``start`` is that work before the increment. Secant steps from the start; returns the size of
    the forces, or a negative number where an element has no answer.
    """
    neq, length = run.neq, 1.0
    dx, r = run.dx, run.r
    work = dot(neq, dx, r)
    for _ in range(code.LINE_SEARCH_TRIALS):
        if abs(work) <= settings.line_search * abs(start) or start == work:
            break
        wanted = min(max(length * start / (start - work), code.LINE_SEARCH_LEAST),
                     code.LINE_SEARCH_MOST)
        if wanted == length:
            break
        advance(run, settings, wanted - length)
        length = wanted
        if determine(run, EVALUATE) != 0:
            return -1.0
        scale = _unbalance(run, settings)
        work = dot(neq, dx, r)
    for a in range(neq):
        dx[a] *= length
    return scale


@inlined
def _iterate(run, settings, step):
    """Iterate one step to equilibrium.

    Returns why it stopped. The report gets iterations and the last norm.

    Longer than a page: all algorithms share this loop and differ in when they renew the matrix and
    in what they do with an increment, which depends on what the iterations before have left.
    """
    neq = run.neq
    static = settings.control != code.TRANSIENT
    krylov, secant, nested = settings.krylov, settings.acceleration, settings.nested_test != 0
    report = shift(run.report, code.REPORT_FLOATS * step)
    r, dx = run.r, run.dx
    _predict(run, settings, step)
    # the elements rest where they were committed, unless supports, velocities or member loads
    # changed
    if run.nimposed > 0 or run.rate_dependent != 0:
        if determine(run, EVALUATE) != 0:
            return code.ELEMENT_FAILED
    elif run.fresh != 0:
        determine(run, RESUME)
    scale = _unbalance(run, settings)
    first, known, served, started = -1.0, 0, 0, norm(neq, r)
    tangents = 0
    kept = run.reusable != 0 and run.fresh == 0 and run.stiffness_changed == 0
    predictors = 1 if settings.predictor != 0 else 0
    for iteration in range(predictors + settings.max_iterations * (krylov + 1 if nested else 1)):
        # the factors of the last iteration, or step, still serve where no element changed its
        # stiffness since
        renew = settings.tangent == code.EACH and krylov == 0 and run.stiffness_changed != 0
        if (iteration <= predictors and not kept) or renew or (krylov > 0 and known > krylov):
            if _factor(run, settings) != 0:
                return code.SINGULAR
            known, served = 0, 0
        served += 1
        copy(neq, r, dx)
        solve(run, dx)
        # the increment is accelerated with the load's share in it, or, as OpenSees does with its
        # predictors, before
        subspace = krylov > 0 and secant == code.SUBSPACE
        if subspace and predictors == 1 and iteration >= predictors:
            accelerate(neq, run.subspace, krylov, known, dx)
            known += 1
        if secant != code.SUBSPACE and iteration >= predictors:
            correct(run, settings, known, dx)
        advanced = settings.load_change
        if static and not control(run, settings, step, iteration):
            return code.NO_ROOT
        if subspace and predictors == 0:
            accelerate(neq, run.subspace, krylov, known, dx)
            known += 1
        if secant != code.SUBSPACE and iteration >= predictors:
            keep(run, settings, known, settings.load_change - advanced if static else 0.0)
            known += 1
        work = dot(neq, dx, r)
        advance(run, settings, 1.0)
        if determine(run, EVALUATE) != 0:
            return code.ELEMENT_FAILED
        scale = _unbalance(run, settings)
        if iteration < predictors:
            started = norm(neq, r)
            continue
        if settings.line_search != 0.0:
            scale = _search(run, settings, work, scale)
            if scale < 0.0:
                return code.ELEMENT_FAILED
        if nested:
            if known == 1:  # the tangent's own increment is not tested
                first, started = -1.0, norm(neq, r)
                continue
            if not static:
                copy(neq, last_solution(run, krylov), dx)
        value, first = tested(run, settings, max(scale, started), started, first)
        if nested:
            if value > settings.tolerance and known <= krylov:
                continue
            tangents, known = tangents + 1, krylov + 1
        # next to very stiff members the unbalance keeps their rounding error: no increment can
        # better it
        newton = settings.tangent == code.EACH and krylov == 0
        if (newton and settings.test == code.RELATIVE_UNBALANCE
                and norm(neq, dx) <= code.ROUNDING * norm(neq, run.u1)):
            report[0], report[1] = iteration + 1.0 - predictors, value
            return code.DONE
        report[0], report[1] = tangents if nested else iteration + 1.0 - predictors, value
        if not math.isfinite(value):
            return code.NOT_FINITE
        if value <= settings.tolerance:
            if served > SERVED:
                run.stiffness_changed = 1
            return code.DONE
        if nested and tangents >= settings.max_iterations:
            break
    return code.DONE if settings.accept_unconverged != 0 else code.NOT_CONVERGED


@kernel(INT(RUN), noalias=False)
def march(run):
    """Take the steps from ``first`` to ``last``.

    Returns why it stopped; ``first`` is then the step that was not committed.
    """
    settings = run.settings
    start(run)
    while run.first < run.last:
        step = run.first
        why = conclude(run, settings, step, _iterate(run, settings, step))
        if why != code.DONE:
            return why
    return code.DONE
