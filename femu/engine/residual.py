"""Pieces of the iteration for equilibrium, used by the kernels that march through steps.

All act on the vectors of a `femu.engine.run_fields.Run`. The larger ones are kernels of their own, so
that they are compiled once for all marches; the functions of the same purpose below them call them
through the fields of the run.
"""

from __future__ import annotations

import math

from femu.engine.element_kernels import FORCES, FORM, RESUME, call_group
from femu.engine.fields import given
from femu.engine.ldlt import STARTS, times_matrix
from femu.engine.run_fields import RUN
from femu.kernels import (
    FLOAT,
    FLOATS,
    INT,
    caller,
    inlined,
    kernel,
    routine,
    shift,
    summed,
)

DETERMINE = INT(RUN, INT)
LOADS = INT(RUN, FLOATS)
DAMPING_FORCE = INT(RUN, FLOATS, FLOAT, FLOAT, FLOATS)
MATRIX = INT(RUN, FLOATS, FLOAT, FLOAT, FLOAT, FLOAT, FLOAT)

_call_determine, _call_loads = caller(DETERMINE), caller(LOADS)
_call_damping, _call_matrix = caller(DAMPING_FORCE), caller(MATRIX)


@inlined
def determine(run, mode):
    """Internal force and tangent stiffness of all elements; 0, or 1 if an element has no answer.

    The modes are those of `femu.engine.element_kernels`: EVALUATE, FORM, FORCES, RESUME.
    """
    return _call_determine(run.determine_kernel, (run, mode))


@inlined
def apply_loads(run, factors):
    """External nodal force and member loads at the given factors of the patterns."""
    _call_loads(run.loads_kernel, (run, factors))


@inlined
def damping_force(run, v, current, committed, scratch):
    """Damping force of velocity v.

    Constant part, stiffness-proportional parts and modal damping.
    """
    _call_damping(run.damping_kernel, (run, v, current, committed, scratch))


@inlined
def form_matrix(run, tangent, stiffness, damping, mass, current, committed):
    """A = stiffness tangent + damping (C + current K_d + committed K_c) + mass M, ready to be
    factored."""
    _call_matrix(run.matrix_kernel, (run, tangent, stiffness, damping, mass, current, committed))


@kernel(DETERMINE, noalias=False)
def determine_kernel(run, mode):
    """See `determine`."""
    spread_links(run, run.u)
    force = run.internal
    for a in range(run.ndof):
        force[a] = 0.0
    if mode != FORCES:
        _clear_tangent(run)
    run.resumed = int(mode == RESUME)
    passed = FORM if mode == RESUME else mode
    groups = run.groups
    for group in range(run.ngroups):
        own = shift(groups, 3 * group)
        if call_group(own[0], (run, own[1], own[2], passed)) != 0:
            return 1
    gather_links(run, force)
    return 0


@inlined
def _clear_tangent(run):
    """What the tangent begins with before the elements add to it."""
    storage, tangent = run.storage, run.tangent
    if given(run.tangent_base):
        copy(storage, run.tangent_base, tangent)
    else:
        for a in range(storage):
            tangent[a] = 0.0
    if run.base_mass != 0:
        mass, factor = run.mass_diagonal, run.step[3]
        starts = starts_of(run)
        for a in range(run.neq):
            tangent[starts[a]] = factor * mass[a]
    if given(run.damped_tangent):
        damped = run.damped_tangent
        for a in range(storage):
            damped[a] = 0.0


@inlined
def spread_links(run, u):
    """Displacement of the linked degrees of freedom from the equations they follow."""
    links, factors = run.links, run.geometry
    for _ in range(run.nlinks):
        total = 0.0
        for term in range(links[1]):
            total += factors[links[3 + 2 * term]] * u[links[2 + 2 * term]]
        u[links[0]] = total
        links = shift(links, 2 + 2 * links[1])


@inlined
def gather_links(run, force):
    """Force on the linked degrees of freedom, handed to the equations they follow."""
    links, factors = run.links, run.geometry
    for _ in range(run.nlinks):
        for term in range(links[1]):
            force[links[2 + 2 * term]] += factors[links[3 + 2 * term]] * force[links[0]]
        links = shift(links, 2 + 2 * links[1])


@kernel(LOADS, noalias=False)
def loads_kernel(run, factors):
    """See `apply_loads`."""
    ndof, nload = run.ndof, run.nload
    external, load = run.external, run.member_load
    nodal, member = run.nodal_loads, run.member_loads
    wanted = run.has_nodal_loads
    for a in range(ndof):
        external[a] = 0.0
    for a in range(nload):
        load[a] = 0.0
    for pattern in range(run.npatterns):
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
def starts_of(run):
    """Where the columns of a matrix begin, each with its diagonal."""
    plan = run.plan
    return shift(plan, plan[STARTS])


@kernel(DAMPING_FORCE, noalias=False)
def damping_kernel(run, v, current, committed, scratch):
    """See `damping_force`."""
    neq = run.neq
    force = run.damping
    for a in range(neq):
        force[a] = 0.0
    if given(run.damping_matrix):
        times_matrix(run, run.damping_matrix, v, force)
    if current != 0.0:
        times_matrix(run, run.damped_tangent, v, scratch)
        for a in range(neq):
            force[a] += current * scratch[a]
    if committed != 0.0:
        times_matrix(run, run.damped_tangent0, v, scratch)
        for a in range(neq):
            force[a] += committed * scratch[a]
    shapes = run.modal_shapes
    for mode in range(run.nmodes):
        row = shift(shapes, mode * neq)
        amplitude = 0.0
        for a in range(neq):
            amplitude += row[a] * v[a]
        for a in range(neq):
            force[a] += amplitude * row[a]
    return 0


@inlined
def inertia_force(run, a1, y):
    """y = mass times acceleration."""
    if given(run.mass_diagonal):
        mass = run.mass_diagonal
        for a in range(run.neq):
            y[a] = mass[a] * a1[a]
    else:
        times_matrix(run, run.mass, a1, y)


@kernel(MATRIX, noalias=False)
def matrix_kernel(run, tangent, stiffness, damping, mass, current, committed):
    """See `form_matrix`."""
    storage = run.storage
    matrix = run.matrix
    for a in range(storage):
        matrix[a] = stiffness * tangent[a]
    if damping != 0.0:
        if given(run.damping_matrix):
            constant = run.damping_matrix
            for a in range(storage):
                matrix[a] += damping * constant[a]
        if current != 0.0:
            damped = run.damped_tangent
            for a in range(storage):
                matrix[a] += damping * current * damped[a]
        if committed != 0.0:
            before = run.damped_tangent0
            for a in range(storage):
                matrix[a] += damping * committed * before[a]
    if mass != 0.0:
        masses = run.mass
        for a in range(storage):
            matrix[a] += mass * masses[a]
    separate_imposed(run, matrix)
    return 0


@inlined
def separate_imposed(run, matrix):
    """Take the equations with imposed motion out of a matrix: their increment is zero."""
    imposed, coupled, starts = run.imposed, run.coupled, starts_of(run)
    for q in range(run.ncoupled):
        matrix[coupled[q]] = 0.0
    for q in range(run.nimposed):
        matrix[starts[imposed[q]]] = 1.0


@inlined
def clear_imposed(run, x):
    """Nothing is unbalanced, and nothing moves further, where the motion is imposed."""
    imposed = run.imposed
    for q in range(run.nimposed):
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
