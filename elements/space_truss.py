"""Truss in space and on a line: the kernel of `femu.elements.truss` for directions of any number of dimensions.

With the relative displacement d of the ends, the unit vector t of the chord and its length l (undeformed, or deformed in
the corotational geometry) ::

    f = N t,    K = k t t^T + N/l (I - t t^T)

and P-Delta adds N/L times the part of d across the undeformed chord to f.
"""

from __future__ import annotations

import math
from functools import cache

from femu import context as slot
from femu.elements.assembly import scatter_forces, scatter_vectors
from femu.elements.frame import COROTATIONAL, LINEAR, P_DELTA
from femu.kernels import Kernel, floats_at, ints_at, shift
from femu.laws import call_block

# parameters; state: force, stiffness, elongation, then the material's history
AREA = 0
FORCE, STIFFNESS, ELONGATION, HISTORY = 0, 1, 2, 3
# workspace: strain, rate, stress, tangent, damping, chord (3), displacement (3), force (6), matrix (21), then the material's
STRAIN, RATE, STRESS, TANGENT, DAMPING, CHORD, MOVED, ENDS, MATRIX, MATERIAL_WORKSPACE = 0, 1, 2, 3, 4, 5, 8, 11, 17, 38
# geometry vector: length, then the direction
LENGTH, DIRECTION = 0, 1


@cache
def truss_group_in(dimensions: int) -> Kernel:
    """Group kernel of trusses whose nodes have so many coordinates."""
    n = dimensions
    geometry, address, at_material, own_material = (slot.DOFS + 2 * n + a for a in range(4))

    def truss_group(context, first, count, mode):
        table, integers = ints_at(context[slot.TABLE]), ints_at(context[slot.INTEGERS])
        u, velocity, step = floats_at(context[slot.U]), floats_at(context[slot.V]), floats_at(context[slot.STEP])
        w = floats_at(context[slot.W])
        t, moved, ends, matrix = shift(w, CHORD), shift(w, MOVED), shift(w, ENDS), shift(w, MATRIX)
        for e in range(first, first + count):
            own = shift(integers, table[e])
            g, p = shift(floats_at(context[slot.G]), own[slot.AT_G]), shift(floats_at(context[slot.P]), own[slot.AT_P])
            committed = shift(floats_at(context[slot.C]), own[slot.AT_STATE])
            trial = shift(floats_at(context[slot.T]), own[slot.AT_STATE])
            dofs, kind, length = shift(own, slot.DOFS), own[geometry], g[LENGTH]
            along, square = 0.0, 0.0
            for a in range(n):
                t[a] = g[DIRECTION + a]
                moved[a] = u[dofs[n + a]] - u[dofs[a]]
                along += t[a] * moved[a]
                square += moved[a] * moved[a]
            now, elongation = length, along
            if kind == COROTATIONAL:
                # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
                longer = 2.0 * length * along + square
                now = math.sqrt(length * length + longer)
                elongation = longer / (now + length)
                for a in range(n):
                    t[a] = (length * t[a] + moved[a]) / now
            w[STRAIN], w[RATE], w[DAMPING] = elongation / length, 0.0, 0.0
            for a in range(n):
                w[RATE] += t[a] * (velocity[dofs[n + a]] - velocity[dofs[a]]) / length
            if call_block(own[address], (
                    1, shift(own, own_material), shift(p, own[at_material]), shift(committed, HISTORY),
                    shift(trial, HISTORY), shift(w, MATERIAL_WORKSPACE), w, shift(w, RATE), step, shift(w, STRESS),
                    shift(w, TANGENT), shift(w, DAMPING))) != 0:
                context[slot.FAILED] = e + 1
                return 1
            N = p[AREA] * w[STRESS]
            # a rate follows the displacement as the integrator has it
            k = p[AREA] / length * (w[TANGENT] + step[2] * w[DAMPING])
            if kind == COROTATIONAL or k != trial[STIFFNESS]:
                context[slot.CHANGED] = 1
            trial[FORCE], trial[STIFFNESS], trial[ELONGATION] = N, k, elongation
            across = 0.0 if kind == LINEAR else N / now
            for a in range(n):
                force = N * t[a]
                if kind == P_DELTA:
                    force += across * (moved[a] - along * t[a])
                ends[a], ends[n + a] = -force, force
            if mode == slot.FORCES:
                scatter_forces(context, own, 2 * n, ends)
                continue
            for a in range(n):
                for b in range(a + 1):
                    value = (k - across) * t[a] * t[b] + (across if a == b else 0.0)
                    low, high = a, n + a
                    matrix[low * (low + 1) // 2 + b] = value
                    matrix[high * (high + 1) // 2 + n + b] = value
                    matrix[high * (high + 1) // 2 + b] = -value
                    matrix[(n + b) * (n + b + 1) // 2 + a] = -value
            scatter_vectors(context, own, 2 * n, ends, matrix)
        return 0

    return Kernel(truss_group, slot.GROUP, f"{__name__}.truss_group_{n}")
