"""The end of a step: commit, record, and the limits that stop a march."""

from __future__ import annotations

from femu import context as slot
from femu.analyses import settings as code
from femu.equilibrium import apply_loads, copy, damping_force, determine, dot, inertia_force, spread_links
from femu.kernels import FLOATS, INT, INTS, caller, floats_at, inlined, ints_at, kernel, shift


@inlined
def follow(context, series):
    """Let the patterns that follow a series take its value."""
    factors, moves = floats_at(context[slot.FACTORS1]), ints_at(context[slot.MOVES])
    for pattern in range(context[slot.NPATTERNS]):
        if moves[pattern] != 0:
            factors[pattern] = series[pattern]


COMMIT = INT(INTS, FLOATS, INT)
_call_commit = caller(COMMIT)


@inlined
def commit(context, settings, step):
    """Make the trial values the committed ones, and account for the energy; 0, or 1 where an element has no answer."""
    return _call_commit(context[slot.COMMIT], (context, settings, step))


@kernel(COMMIT, noalias=False)
def commit_kernel(context, settings, step):
    """See `commit`."""
    neq, ndof, patterns = context[slot.NEQ], context[slot.NDOF], context[slot.NPATTERNS]
    static = int(settings[code.CONTROL]) != code.TRANSIENT
    time, energy = floats_at(context[slot.TIME]), floats_at(context[slot.ENERGY])
    u0, u1 = floats_at(context[slot.U0]), floats_at(context[slot.U1])
    scratch, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
    external, external0 = floats_at(context[slot.PEXT]), floats_at(context[slot.PEXT0])
    internal, internal0 = floats_at(context[slot.F]), floats_at(context[slot.F0])
    damping, damping0 = floats_at(context[slot.D]), floats_at(context[slot.D0])
    if settings[code.ALPHA_F] != 1.0:
        # balanced inside the step: the state at its end is still to be determined
        stay = settings[code.STAY] != 0.0
        copy(ndof, floats_at(context[slot.V1]), floats_at(context[slot.V]))
        # elements that stay where they are still take over the velocity
        if stay and context[slot.RESTLESS] != 0 and determine(context, slot.EVALUATE) != 0:
            return 1
        seen = floats_at(context[slot.STEP])
        seen[0], seen[1] = time[0] + settings[code.DT], settings[code.DT]
        follow(context, shift(floats_at(context[slot.SERIES1]), step * patterns))
        apply_loads(context, floats_at(context[slot.FACTORS1]))
        if not stay:
            copy(ndof, u1, floats_at(context[slot.U]))
            if determine(context, slot.EVALUATE) != 0:
                return 1
        damping_force(context, floats_at(context[slot.V1]), settings[code.CURRENT], settings[code.COMMITTED], scratch)
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
        time[0] += settings[code.DT]
        if settings[code.COMMITTED] != 0.0:
            copy(context[slot.STORAGE], floats_at(context[slot.KD]), floats_at(context[slot.KC]))
    else:
        previous = floats_at(context[slot.PREVIOUS])
        for a in range(neq):
            previous[a] = u1[a] - u0[a]
        if settings[code.CLOCK] != 0.0:
            time[0] += settings[code.DT] if int(settings[code.CONTROL]) == code.LOAD else settings[code.ADVANCED]
    copy(ndof, u1, u0)
    copy(ndof, internal, internal0)
    copy(ndof, external, external0)
    copy(patterns, floats_at(context[slot.FACTORS1]), floats_at(context[slot.FACTORS]))
    kept = context[slot.REUSABLE] != 0 and context[slot.CHANGED] == 0
    copy(context[slot.NMEMBERS], floats_at(context[slot.AXIAL_FACTORED] if kept else context[slot.AXIAL]),
         floats_at(context[slot.AXIAL0]))
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
        copy(context[slot.NELEMENT], floats_at(context[slot.C]), floats_at(context[slot.T]))
        apply_loads(context, floats_at(context[slot.FACTORS]))
        copy(context[slot.NDOF], floats_at(context[slot.PEXT]), floats_at(context[slot.PEXT0]))


@inlined
def conclude(context, settings, step, why):
    """End a step: commit and record it where it was solved; returns why the march cannot go on, or code.DONE."""
    settings[code.LEFT] -= shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)[0]
    if why == code.DONE and commit(context, settings, step) != 0:
        why = code.ELEMENT_FAILED
    if why != code.DONE:
        return why
    context[slot.FRESH] = 0
    context[slot.FIRST] += 1
    if context[slot.FIRST] % context[slot.EVERY] == 0:
        record(context)
    if limit_reached(context):
        return code.LIMIT_REACHED
    return code.DONE if settings[code.LEFT] > 0.0 else code.OUT_OF_ITERATIONS
