"""Adding an element's force and stiffness to those of the structure."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from femu.engine.fields import given
from femu.engine.ldlt import place_of
from femu.kernels import FLOATS, INTS, inlined, routine, shift, store


@intrinsic
def add_at(typingctx, vector, places, values):
    """Add the entries of a tuple to a vector, each at its place."""
    def codegen(context, builder, signature, args):
        vector, places, packed = args
        for i in range(len(signature.args[2])):
            place = builder.load(builder.gep(places, [ir.Constant(ir.IntType(64), i)]))
            entry = builder.gep(vector, [place])
            kind = signature.args[2][i]
            value = context.cast(builder, builder.extract_value(packed, i), kind, types.float64)
            builder.store(builder.fadd(builder.load(entry), value), entry)
        return context.get_dummy_value()

    return types.none(FLOATS, INTS, values), codegen


@intrinsic
def must_be_triangle(typingctx, force, stiffness):
    """Refuse to compile if the stiffness is not the lower triangle that fits the force: other
    entries would be added wherever the places happen to point."""
    n = len(force)
    if len(stiffness) != n * (n + 1) // 2:
        raise TypingError(
            f"scatter got {n} forces and {len(stiffness)} stiffnesses, and needs the lower "
            f"triangle of the {n} by {n} matrix, row by row: {n * (n + 1) // 2} numbers"
        )

    def codegen(context, builder, signature, args):
        return context.get_dummy_value()

    return types.none(force, stiffness), codegen


@inlined
def scatter(run, own, force, stiffness, workspace):
    """Add the tuples ``force`` (n) and ``stiffness`` (lower triangle, row by row, n(n+1)/2) of one
    element.

    The place of each stiffness entry in the matrix was computed once; entries of fixed degrees of
    freedom go to a spare place after the matrix.
    """
    must_be_triangle(force, stiffness)
    add_at(run.internal, own.dofs, force)
    if own.links_at != 0:
        store(workspace, 0, 1, stiffness)
        scatter_linked(run, own, len(force), workspace)
        return
    places = shift(own, own.positions_at)
    add_at(run.tangent, places, stiffness)
    if given(run.damped_tangent) and own.damped != 0:
        add_at(run.damped_tangent, places, stiffness)


@inlined
def scatter_force(run, own, force):
    """Add the force of one element alone, where the stiffness is not wanted."""
    add_at(run.internal, own.dofs, force)


@inlined
def scatter_forces(run, own, n, force):
    """The same for a vector, where the number of degrees of freedom is known at run time alone."""
    total, dofs = run.internal, own.dofs
    for a in range(n):
        total[dofs[a]] += force[a]


@inlined
def scatter_vectors(run, own, n, force, stiffness):
    """As `scatter`, for vectors, where the number of degrees of freedom is known at run time alone.
    """
    scatter_forces(run, own, n, force)
    if own.links_at != 0:
        scatter_linked(run, own, n, stiffness)
        return
    places = shift(own, own.positions_at)
    tangent, damped = run.tangent, run.damped_tangent
    for e in range(n * (n + 1) // 2):
        tangent[places[e]] += stiffness[e]
    if given(run.damped_tangent) and own.damped != 0:
        for e in range(n * (n + 1) // 2):
            damped[places[e]] += stiffness[e]


@routine
def scatter_linked(run, own, n, stiffness):
    """Stiffness where a degree of freedom is a combination of others: K_e -> L^T K_e L.

    The links of each local degree of freedom: the number of its equations, then pairs (equation,
    place of the factor in the geometry vector). A table in front says where each list begins.
    """
    neq, plan = run.neq, run.plan
    geometry = run.geometry
    links = shift(own, own.links_at)
    tangent, damped = run.tangent, run.damped_tangent
    damped_wanted = given(run.damped_tangent) and own.damped != 0
    for a in range(n):
        row = shift(links, links[a])
        for b in range(n):
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
