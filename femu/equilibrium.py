"""Pieces of the iteration for equilibrium, used by the kernels that march through steps.

All act on the vectors of a `femu.context`. The larger ones are kernels of their own, so that they are compiled once
for all marches; the functions of the same purpose below them call them through the context.
"""

from __future__ import annotations

import math

from femu import context as slot
from femu.kernels import FLOAT, FLOATS, INT, INTS, caller, floats_at, inlined, ints_at, kernel, routine, shift, summed
from femu.solver import STARTS, times_matrix

DETERMINE = INT(INTS, INT)
LOADS = INT(INTS, FLOATS)
DAMPING_FORCE = INT(INTS, FLOATS, FLOAT, FLOAT, FLOATS)
MATRIX = INT(INTS, FLOATS, FLOAT, FLOAT, FLOAT, FLOAT, FLOAT)

_call_determine, _call_loads = caller(DETERMINE), caller(LOADS)
_call_damping, _call_matrix = caller(DAMPING_FORCE), caller(MATRIX)


@inlined
def determine(context, mode):
    """Internal force and tangent stiffness of all elements; 0, or 1 where an element has no answer.

    The modes are those of `femu.context`: slot.EVALUATE, slot.FORM, slot.FORCES, slot.RESUME.
    """
    return _call_determine(context[slot.DETERMINE], (context, mode))


@inlined
def apply_loads(context, factors):
    """External nodal force and member loads at the given factors of the patterns."""
    _call_loads(context[slot.APPLY_LOADS], (context, factors))


@inlined
def damping_force(context, v, current, committed, scratch):
    """Damping force of velocity v: constant part, stiffness-proportional parts and modal damping."""
    _call_damping(context[slot.DAMPING_FORCE], (context, v, current, committed, scratch))


@inlined
def form_matrix(context, tangent, stiffness, damping, mass, current, committed):
    """A = stiffness tangent + damping (C + current K_d + committed K_c) + mass M, ready to be factored."""
    _call_matrix(context[slot.FORM_MATRIX], (context, tangent, stiffness, damping, mass, current, committed))


@kernel(DETERMINE, noalias=False)
def determine_kernel(context, mode):
    """See `determine`."""
    spread_links(context, floats_at(context[slot.U]))
    force = floats_at(context[slot.F])
    for a in range(context[slot.NDOF]):
        force[a] = 0.0
    if mode != slot.FORCES:
        _clear_tangent(context)
    context[slot.RESUMED] = int(mode == slot.RESUME)
    passed = slot.FORM if mode == slot.RESUME else mode
    groups = ints_at(context[slot.GROUPS])
    for group in range(context[slot.NGROUPS]):
        own = shift(groups, 3 * group)
        if slot.call_group(own[0], (context, own[1], own[2], passed)) != 0:
            return 1
    gather_links(context, force)
    return 0


@inlined
def _clear_tangent(context):
    """What the tangent begins with before the elements add to it."""
    storage, tangent = context[slot.STORAGE], floats_at(context[slot.K])
    if context[slot.BASE] != 0:
        copy(storage, floats_at(context[slot.BASE]), tangent)
    else:
        for a in range(storage):
            tangent[a] = 0.0
    if context[slot.BASE_MASS] != 0:
        mass, factor = floats_at(context[slot.MASS_DIAGONAL]), floats_at(context[slot.STEP])[3]
        starts = starts_of(context)
        for a in range(context[slot.NEQ]):
            tangent[starts[a]] = factor * mass[a]
    if context[slot.KD] != 0:
        damped = floats_at(context[slot.KD])
        for a in range(storage):
            damped[a] = 0.0


@inlined
def spread_links(context, u):
    """Displacement of the linked degrees of freedom from the equations they follow."""
    links, factors = ints_at(context[slot.LINKS]), floats_at(context[slot.G])
    for _ in range(context[slot.NLINKS]):
        total = 0.0
        for term in range(links[1]):
            total += factors[links[3 + 2 * term]] * u[links[2 + 2 * term]]
        u[links[0]] = total
        links = shift(links, 2 + 2 * links[1])


@inlined
def gather_links(context, force):
    """Force on the linked degrees of freedom, handed to the equations they follow."""
    links, factors = ints_at(context[slot.LINKS]), floats_at(context[slot.G])
    for _ in range(context[slot.NLINKS]):
        for term in range(links[1]):
            force[links[2 + 2 * term]] += factors[links[3 + 2 * term]] * force[links[0]]
        links = shift(links, 2 + 2 * links[1])


@kernel(LOADS, noalias=False)
def loads_kernel(context, factors):
    """See `apply_loads`."""
    ndof, nload = context[slot.NDOF], context[slot.NLOAD]
    external, load = floats_at(context[slot.PEXT]), floats_at(context[slot.LOAD])
    nodal, member = floats_at(context[slot.NODAL]), floats_at(context[slot.MEMBER])
    wanted = ints_at(context[slot.NODAL_WANTED])
    for a in range(ndof):
        external[a] = 0.0
    for a in range(nload):
        load[a] = 0.0
    for pattern in range(context[slot.NPATTERNS]):
        factor = factors[pattern]
        if wanted[pattern] != 0:
            row = shift(nodal, pattern * ndof)
            for a in range(ndof):
                external[a] += factor * row[a]
        row = shift(member, pattern * nload)
        for a in range(nload):
            load[a] += factor * row[a]
    return 0


@inlined
def starts_of(context):
    """Where the columns of a matrix begin, each with its diagonal."""
    plan = ints_at(context[slot.PLAN])
    return shift(plan, plan[STARTS])


@kernel(DAMPING_FORCE, noalias=False)
def damping_kernel(context, v, current, committed, scratch):
    """See `damping_force`."""
    neq = context[slot.NEQ]
    force = floats_at(context[slot.D])
    for a in range(neq):
        force[a] = 0.0
    if context[slot.DAMPING] != 0:
        times_matrix(context, floats_at(context[slot.DAMPING]), v, force)
    if current != 0.0:
        times_matrix(context, floats_at(context[slot.KD]), v, scratch)
        for a in range(neq):
            force[a] += current * scratch[a]
    if committed != 0.0:
        times_matrix(context, floats_at(context[slot.KC]), v, scratch)
        for a in range(neq):
            force[a] += committed * scratch[a]
    shapes = floats_at(context[slot.MODAL])
    for mode in range(context[slot.NMODAL]):
        row = shift(shapes, mode * neq)
        amplitude = 0.0
        for a in range(neq):
            amplitude += row[a] * v[a]
        for a in range(neq):
            force[a] += amplitude * row[a]
    return 0


@inlined
def inertia_force(context, a1, y):
    """y = mass times acceleration."""
    if context[slot.MASS_DIAGONAL] != 0:
        mass = floats_at(context[slot.MASS_DIAGONAL])
        for a in range(context[slot.NEQ]):
            y[a] = mass[a] * a1[a]
    else:
        times_matrix(context, floats_at(context[slot.MASS]), a1, y)


@kernel(MATRIX, noalias=False)
def matrix_kernel(context, tangent, stiffness, damping, mass, current, committed):
    """See `form_matrix`."""
    storage = context[slot.STORAGE]
    matrix = floats_at(context[slot.A])
    for a in range(storage):
        matrix[a] = stiffness * tangent[a]
    if damping != 0.0:
        if context[slot.DAMPING] != 0:
            constant = floats_at(context[slot.DAMPING])
            for a in range(storage):
                matrix[a] += damping * constant[a]
        if current != 0.0:
            damped = floats_at(context[slot.KD])
            for a in range(storage):
                matrix[a] += damping * current * damped[a]
        if committed != 0.0:
            before = floats_at(context[slot.KC])
            for a in range(storage):
                matrix[a] += damping * committed * before[a]
    if mass != 0.0:
        masses = floats_at(context[slot.MASS])
        for a in range(storage):
            matrix[a] += mass * masses[a]
    separate_imposed(context, matrix)
    return 0


@inlined
def separate_imposed(context, matrix):
    """Take the equations with imposed motion out of a matrix: their increment is zero."""
    imposed, coupled, starts = ints_at(context[slot.IMPOSED]), ints_at(context[slot.COUPLED]), starts_of(context)
    for q in range(context[slot.NCOUPLED]):
        matrix[coupled[q]] = 0.0
    for q in range(context[slot.NIMPOSED]):
        matrix[starts[imposed[q]]] = 1.0


@inlined
def clear_imposed(context, x):
    """Nothing is unbalanced, and nothing moves further, where the motion is imposed."""
    imposed = ints_at(context[slot.IMPOSED])
    for q in range(context[slot.NIMPOSED]):
        x[imposed[q]] = 0.0


@summed
def dot(n, x, y):
    """Scalar product."""
    total = 0.0
    for a in range(n):
        total += x[a] * y[a]
    return total


@summed
def norm(n, x):
    """Euclidean length."""
    return math.sqrt(dot(n, x, x))


@routine
def copy(n, source, destination):
    for a in range(n):
        destination[a] = source[a]
