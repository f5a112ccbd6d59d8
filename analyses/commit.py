"""The end of a step: commit, record, and the limits that stop a march."""

from __future__ import annotations

from femu.analyses import code
from femu.engine.element_kernels import ALONE, AT_END, EVALUATE, ITERATING
from femu.engine.residual import (
    apply_loads,
    copy,
    damping_force,
    determine,
    dot,
    inertia_force,
    spread_links,
)
from femu.engine.run_fields import RUN
from femu.engine.run_settings import Settings
from femu.kernels import INT, caller, floats_at, inlined, kernel, shift


@inlined
def follow(run, series):
    """Let the patterns that follow a series take its value."""
    factors, moves = run.load_factors1, run.follows_series
    for pattern in range(run.npatterns):
        if moves[pattern] != 0:
            factors[pattern] = series[pattern]


COMMIT = INT(RUN, Settings.kernel_type, INT)
_call_commit = caller(COMMIT)


@inlined
def commit(run, settings, step):
    """Make the trial values the committed ones, and account for the energy.

    0, or 1 if an element has no answer.
    """
    return _call_commit(run.commit_kernel, (run, settings, step))


@kernel(COMMIT, noalias=False)
def commit_kernel(run, settings, step):
    """See `commit`.

    Longer than a page: energies, state and factors of the step are committed in one pass over the
    vectors.
    """
    neq, ndof, patterns = run.neq, run.ndof, run.npatterns
    static = settings.control != code.TRANSIENT
    energy = run.energy
    u0, u1 = run.u0, run.u1
    scratch, product = run.scratch1, run.scratch2
    external, external0 = run.external, run.external0
    internal, internal0 = run.internal, run.internal0
    damping, damping0 = run.damping, run.damping0
    if settings.alpha_f != 1.0:
        # balanced inside the step: the state at its end is still to be determined
        stay = settings.keep_element_state != 0
        copy(ndof, run.v1, run.v)
        # elements that stay where they are still take over the velocity
        if stay and run.rate_dependent != 0 and determine(run, EVALUATE) != 0:
            return 1
        seen = run.step
        seen[0], seen[1] = run.time + settings.dt, settings.dt
        follow(run, shift(run.series1, step * patterns))
        apply_loads(run, run.load_factors1)
        if not stay:
            copy(ndof, u1, run.u)
            seen[ITERATING] = 0.0 + AT_END
            failed = determine(run, EVALUATE)
            seen[ITERATING] = 0.0 + ALONE
            if failed != 0:
                return 1
        damping_force(run, run.v1, settings.current_stiffness_damping,
                      settings.committed_stiffness_damping, scratch)
    for a in range(neq):
        moved = 0.5 * (u1[a] - u0[a])
        energy[0] += moved * (external[a] + external0[a])
        energy[3] += moved * (internal[a] + internal0[a])
    if not static:
        v1, a1 = run.v1, run.a1
        spread_links(run, a1)
        for a in range(neq):
            energy[2] += 0.5 * (u1[a] - u0[a]) * (damping[a] + damping0[a])
        imposed = run.imposed
        if run.nimposed > 0:
            # supports do work by what holds them: internal, damping and inertia force
            inertia_force(run, run.a0, scratch)
            inertia_force(run, a1, product)
            for q in range(run.nimposed):
                a = imposed[q]
                energy[0] += 0.5 * (u1[a] - u0[a]) * (internal[a] + internal0[a] + damping[a]
                                                      + damping0[a] + scratch[a]
                                                      + product[a] - external[a] - external0[a])
        inertia_force(run, v1, product)
        energy[1] = 0.5 * dot(neq, v1, product)
        copy(ndof, v1, run.v0)
        copy(ndof, a1, run.a0)
        copy(neq, damping, damping0)
        run.time += settings.dt
        if settings.committed_stiffness_damping != 0.0:
            copy(run.storage, run.damped_tangent, run.damped_tangent0)
    else:
        previous = run.last_increment
        for a in range(neq):
            previous[a] = u1[a] - u0[a]
        if settings.load_factor_is_time != 0:
            run.time += settings.dt if settings.control == code.LOAD else settings.load_change
    copy(ndof, u1, u0)
    copy(ndof, internal, internal0)
    copy(ndof, external, external0)
    copy(patterns, run.load_factors1, run.load_factors0)
    kept = run.reusable != 0 and run.stiffness_changed == 0
    copy(run.nelements, run.axial_factored if kept else run.axial, run.axial0)
    copy(run.nstate, run.elements, run.elements0)
    return 0


@inlined
def record(run):
    """Copy the wanted numbers into the next row of the output."""
    wanted = run.recorded
    row = shift(run.output, run.row * run.nrecorded)
    for a in range(run.nrecorded):
        row[a] = floats_at(wanted[a])[0]
    run.row += 1


@inlined
def limit_reached(run):
    """Whether a watched difference of displacements has reached its limit."""
    pairs, values, u = run.limits, run.limit_values, run.u0
    for q in range(run.nlimits):
        base = u[pairs[2 * q + 1]] if pairs[2 * q + 1] >= 0 else 0.0
        if abs(u[pairs[2 * q]] - base) >= values[q]:
            return True
    return False


@inlined
def start(run):
    """Loads of the committed state, where they are not known from the step before."""
    if run.fresh != 0:
        copy(run.nstate, run.elements0, run.elements)
        apply_loads(run, run.load_factors0)
        copy(run.ndof, run.external, run.external0)


@inlined
def conclude(run, settings, step, why):
    """End a step: commit and record it where it was solved.

    Returns why the march cannot continue, or code.DONE.
    """
    settings.iterations_left -= shift(run.report, code.REPORT_FLOATS * step)[0]
    if why == code.DONE and commit(run, settings, step) != 0:
        why = code.ELEMENT_FAILED
    if why != code.DONE:
        return why
    run.fresh = 0
    run.first += 1
    if run.first % run.every == 0:
        record(run)
    if limit_reached(run):
        return code.LIMIT_REACHED
    return code.DONE if settings.iterations_left > 0.0 else code.OUT_OF_ITERATIONS
