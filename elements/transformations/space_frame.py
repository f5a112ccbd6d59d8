"""Space frame elements: from nodal displacements to the basic system and back.

Local x points from end i to end j of the flexible part. Local y and z follow from a vector in the
local x-z plane, as in OpenSees: y is along vecxz x x, z is along x x y. The basic system has the
deformations and the conjugate forces ::

    v = (elongation, rotations about z at i and j, rotations about y at i and j, twist)
    q = (N, Mz_i, Mz_j, My_i, My_j, T)

rotations measured from the chord. With the displacements of the ends in local axes and the length L
::

    v = ( ux_j - ux_i,
          rz_i - (uy_j - uy_i)/L,   rz_j - (uy_j - uy_i)/L,
          ry_i + (uz_j - uz_i)/L,   ry_j + (uz_j - uz_i)/L,
          rx_j - rx_i )

so that v = B u with a constant matrix B over the twelve global displacements, rigid offsets at the
ends included, and f = B^T q, K = B^T k B: the linear geometry. P-Delta adds the moment of N on the
relative transverse displacement in both local planes, N/L (n_y n_y^T + n_z n_z^T) u with rows n_y
and n_z; what the change of N adds to the stiffness is not symmetric and left out, as is usual. The
corotational geometry is in `femu.elements.transformations.space_corotation`. The end reactions of a
member load keep their direction in all three.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.elements.assembly import scatter_forces, scatter_vectors
from femu.elements.transformations.frame import BASIC_WORKSPACE as PLANE_WORKSPACE
from femu.elements.transformations.frame import COROTATIONAL, P_DELTA
from femu.elements.transformations.space_corotation import (
    ROTATION_FLOATS,
    WORK_FLOATS,
    add_geometric_stiffness,
    corotate,
)
from femu.engine.element_kernels import DOFS_AT, FORCES, FORM, GROUP, call_basic, element_at
from femu.kernels import inlined, kernel, shift

Array = npt.NDArray[np.float64]

DOFS, BASIC = 12, 6
TRIANGLE = BASIC * (BASIC + 1) // 2
# geometry vector of a space frame element, before what its basic kernel reads: length, local axes
# (rows), offsets at i and j in global axes, B (rows of 12), the rows n_y and n_z, and the reactions
# at the ends over the twelve displacements
LENGTH, AXES, OFFSETS, MATRIX = 0, 1, 10, 16
SWAY, REACTIONS = MATRIX + BASIC * DOFS, MATRIX + (BASIC + 2) * DOFS
# member load: reactions at the ends (local x at i, y at i and j, z at i and j), then its own
END_REACTIONS = 5
FRAME_CONSTANTS = REACTIONS + END_REACTIONS * DOFS
# integers after the degrees of freedom: geometry, where the rotations of the ends begin in the
# state (corotational)
GEOMETRY, ROTATIONS = DOFS_AT + DOFS, DOFS_AT + DOFS + 1
OWN_INTEGERS = DOFS_AT + DOFS + 2
# where the basic stiffness begins in the state
BASIC_STIFFNESS = BASIC
# workspace: displacements, deformations, forces, k B, stiffness, B of the deformed member and what
# it was made of; then the basic kernel's
U, V, F, KB = 0, DOFS, DOFS + BASIC, 2 * DOFS + BASIC
K = KB + BASIC * DOFS
B = K + DOFS * (DOFS + 1) // 2
TURNED = B + BASIC * DOFS
BASIC_WORKSPACE = TURNED + WORK_FLOATS


@kernel(GROUP)
def space_frame_group(run, first, count, mode):
    """Forces and stiffnesses of many space frame elements, added to those of the structure.

    Longer than a page: transformation and assembly are one loop, whose numbers stay in registers.
    """
    table, integers = run.element_starts, run.element_integers
    committed, trial = run.elements0, run.elements
    total, w = run.u, run.workspace
    u, v, f, kb, k = shift(w, U), shift(w, V), shift(w, F), shift(w, KB), shift(w, K)
    for e in range(first, first + count):
        own = element_at(shift(integers, table[e]))
        g, kind, dofs = shift(run.geometry, own.geometry_at), own[GEOMETRY], own.dofs
        loaded = shift(run.member_load, own.loads_at)
        before, after = shift(committed, own.state_at), shift(trial, own.state_at)
        for a in range(DOFS):
            u[a] = total[dofs[a]]
        matrix = shift(g, MATRIX)
        if kind == COROTATIONAL:
            matrix = shift(w, B)
            corotate(g, shift(before, own[ROTATIONS]), u, v, matrix, shift(w, TURNED))
        else:
            for r in range(BASIC):
                v[r] = 0.0
                for a in range(DOFS):
                    v[r] += matrix[DOFS * r + a] * u[a]

        state, evaluated = before, False
        # an element that was never evaluated has no stiffness to form anything from
        if mode != FORM or before[BASIC_STIFFNESS] == 0.0:
            state, evaluated = after, True
            for a in range(TRIANGLE):
                k[a] = state[BASIC_STIFFNESS + a]
            if call_basic(own.basic_kernel, (
                    shift(own, OWN_INTEGERS), shift(g, FRAME_CONSTANTS),
                    shift(run.parameters, own.parameters_at), before, state,
                    shift(w, BASIC_WORKSPACE), v, v, run.step, shift(loaded, END_REACTIONS))) != 0:
                run.failed_element = e + 1
                for a in range(4):  # where `FrameElement.failure` looks for what went wrong
                    w[PLANE_WORKSPACE + a] = w[BASIC_WORKSPACE + a]
                return 1
            for a in range(TRIANGLE):
                if k[a] != state[BASIC_STIFFNESS + a] or kind == COROTATIONAL:
                    run.stiffness_changed = 1

        for a in range(DOFS):
            f[a] = 0.0
        for r in range(BASIC):
            for a in range(DOFS):
                f[a] += matrix[DOFS * r + a] * state[r]
        for r in range(END_REACTIONS):
            if loaded[r] != 0.0:
                for a in range(DOFS):
                    f[a] += loaded[r] * g[REACTIONS + DOFS * r + a]
        ratio = state[0] / g[LENGTH]
        if kind == P_DELTA:
            for axis in range(2):
                row, moved = shift(g, SWAY + DOFS * axis), 0.0
                for a in range(DOFS):
                    moved += row[a] * u[a]
                for a in range(DOFS):
                    f[a] += ratio * moved * row[a]
        if kind == COROTATIONAL and evaluated:
            kept = shift(after, own[ROTATIONS])
            for a in range(ROTATION_FLOATS):
                kept[a] = w[TURNED + a]
            for a in range(DOFS):
                kept[ROTATION_FLOATS + a] = f[a]
        if mode == FORCES:
            scatter_forces(run, own, DOFS, f)
            continue
        _stiffness(matrix, shift(state, BASIC_STIFFNESS), kb, k)
        if kind == P_DELTA:
            for axis in range(2):
                row, entry = shift(g, SWAY + DOFS * axis), 0
                for a in range(DOFS):
                    for b in range(a + 1):
                        k[entry + b] += ratio * row[a] * row[b]
                    entry += a + 1
        elif kind == COROTATIONAL:
            add_geometric_stiffness(state, matrix, shift(w, TURNED), k)
        scatter_vectors(run, own, DOFS, f, k)
    return 0


@inlined
def _stiffness(matrix, basic, kb, k):
    """Lower triangle k of B^T basic B; ``basic`` is an upper triangle."""
    for a in range(BASIC * DOFS):
        kb[a] = 0.0
    entry = 0
    for r in range(BASIC):
        for s in range(r, BASIC):
            value = basic[entry]
            entry += 1
            if value != 0.0:
                for a in range(DOFS):
                    kb[DOFS * r + a] += value * matrix[DOFS * s + a]
                if s != r:
                    for a in range(DOFS):
                        kb[DOFS * s + a] += value * matrix[DOFS * r + a]
    for a in range(DOFS * (DOFS + 1) // 2):
        k[a] = 0.0
    for r in range(BASIC):
        row, product, entry = shift(matrix, DOFS * r), shift(kb, DOFS * r), 0
        for a in range(DOFS):
            value = row[a]
            if value != 0.0:
                for b in range(a + 1):
                    k[entry + b] += value * product[b]
            entry += a + 1


def constants(length: float, axes: Array, offset_i: Array, offset_j: Array) -> list[float]:
    """The geometry vector of an element of a length, with its local axes (rows) and offsets (in
    global axes)."""
    matrix, sway, reactions = basic_matrix(length, axes, offset_i, offset_j)
    return [length, *axes.ravel().tolist(), *offset_i.tolist(), *offset_j.tolist(),
            *matrix.ravel().tolist(),
            *sway.ravel().tolist(), *reactions.ravel().tolist()]


def basic_matrix(length: float, axes: Array, offset_i: Array,
                 offset_j: Array) -> tuple[Array, Array, Array]:
    """B, the rows n_y and n_z, and rows for the reactions of a member load, over the twelve global
    displacements."""
    ends = end_rows(axes, offset_i, offset_j)
    (xi, yi, zi), (rxi, ryi, rzi), (xj, yj, zj), (rxj, ryj, rzj) = ends
    sway_y, sway_z = yj - yi, zj - zi
    matrix = np.array([xj - xi, rzi - sway_y / length, rzj - sway_y / length, ryi + sway_z / length,
                       ryj + sway_z / length,
                       rxj - rxi])
    return matrix, np.array([sway_y, sway_z]), np.array([xi, yi, yj, zi, zj])


def end_rows(axes: Array, offset_i: Array, offset_j: Array) -> Array:
    """Displacements and rotations of both ends in local axes by the twelve global displacements.

    (4, 3, 12).
    """
    rows = np.zeros((4, 3, DOFS))
    for end, offset in enumerate((offset_i, offset_j)):
        x, y, z = offset
        # theta x offset
        turned = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        rows[2 * end, :, 6 * end:6 * end + 3] = axes
        rows[2 * end, :, 6 * end + 3:6 * end + 6] = axes @ turned
        rows[2 * end + 1, :, 6 * end + 3:6 * end + 6] = axes
    return rows
