"""Adding an element's force and stiffness to those of the structure."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from femu import context as slot
from femu.kernels import FLOATS, INTS, floats_at, inlined, ints_at, routine, shift, store
from femu.solver import place_of


@intrinsic
def add_at(typingctx, vector, places, values):
    """Add the entries of a tuple to a vector, each at its place."""
    def codegen(context, builder, signature, args):
        vector, places, packed = args
        for i in range(len(signature.args[2])):
            place = builder.load(builder.gep(places, [ir.Constant(ir.IntType(64), i)]))
            entry = builder.gep(vector, [place])
            builder.store(builder.fadd(builder.load(entry), builder.extract_value(packed, i)), entry)
        return context.get_dummy_value()

    return types.none(FLOATS, INTS, values), codegen


@inlined
def scatter(context, own, force, stiffness, workspace):
    """Add the tuples ``force`` (n) and ``stiffness`` (lower triangle, row by row, n(n+1)/2) of one element.

    The place of each stiffness entry in the matrix was computed once; entries of fixed degrees of freedom go
    to a spare place behind the matrix.
    """
    add_at(floats_at(context[slot.F]), shift(own, slot.DOFS), force)
    if own[slot.LINKED] != 0:
        store(workspace, 0, 1, stiffness)
        scatter_linked(context, own, len(force), workspace)
        return
    places = shift(own, own[slot.POSITIONS])
    add_at(floats_at(context[slot.K]), places, stiffness)
    if context[slot.KD] != 0 and own[slot.DAMPED] != 0:
        add_at(floats_at(context[slot.KD]), places, stiffness)


@inlined
def scatter_force(context, own, force):
    """Add the force of one element alone, where the stiffness is not wanted."""
    add_at(floats_at(context[slot.F]), shift(own, slot.DOFS), force)


@inlined
def scatter_forces(context, own, dofs, force):
    """The same for a vector, where the number of degrees of freedom is known at run time alone."""
    total = floats_at(context[slot.F])
    for a in range(dofs):
        total[own[slot.DOFS + a]] += force[a]


@inlined
def scatter_vectors(context, own, dofs, force, stiffness):
    """As `scatter`, for vectors, where the number of degrees of freedom is known at run time alone."""
    scatter_forces(context, own, dofs, force)
    if own[slot.LINKED] != 0:
        scatter_linked(context, own, dofs, stiffness)
        return
    places = shift(own, own[slot.POSITIONS])
    tangent, damped = floats_at(context[slot.K]), floats_at(context[slot.KD])
    for e in range(dofs * (dofs + 1) // 2):
        tangent[places[e]] += stiffness[e]
    if context[slot.KD] != 0 and own[slot.DAMPED] != 0:
        for e in range(dofs * (dofs + 1) // 2):
            damped[places[e]] += stiffness[e]


@routine
def scatter_linked(context, own, dofs, stiffness):
    """Stiffness where a degree of freedom is a combination of others: K_e -> L^T K_e L.

    The links of each local degree of freedom: the number of its equations, then pairs (equation, place of the factor
    in the geometry vector). A table in front says where each list begins.
    """
    neq, plan = context[slot.NEQ], ints_at(context[slot.PLAN])
    geometry = floats_at(context[slot.G])
    links = shift(own, own[slot.LINKED])
    tangent, damped = floats_at(context[slot.K]), floats_at(context[slot.KD])
    damped_wanted = context[slot.KD] != 0 and own[slot.DAMPED] != 0
    for a in range(dofs):
        row = shift(links, links[a])
        for b in range(dofs):
            column = shift(links, links[b])
            value = stiffness[a * (a + 1) // 2 + b] if b <= a else stiffness[b * (b + 1) // 2 + a]
            for r in range(row[0]):
                i, fi = row[1 + 2 * r], geometry[row[2 + 2 * r]]
                for s in range(column[0]):
                    j, fj = column[1 + 2 * s], geometry[column[2 + 2 * s]]
                    if i < neq and j <= i:
                        place = place_of(plan, i, j)
                        tangent[place] += fi * fj * value
                        if damped_wanted:
                            damped[place] += fi * fj * value
