"""Group kernels of trusses: on a line, in the plane and in space.

With the relative displacement d of the ends, the unit vector t of the chord and its length l
(undeformed, or deformed in the corotational geometry) ::

    f = N t,    K = k t t^T + N/l (I - t t^T)

and P-Delta adds N/L times the part of d across the undeformed chord to f. One loop over the trusses
serves all; the algebra of each number of dimensions is written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from femu.elements.assembly import scatter, scatter_force
from femu.elements.transformations.frame import COROTATIONAL, LINEAR, P_DELTA
from femu.engine.element_kernels import DOFS_AT, FORCES, GROUP, element_at
from femu.kernels import Kernel, inlined, load, shift
from femu.model.constitutive import call_block

# geometry vector; parameters
LENGTH, DIRECTION = 0, 1
AREA = 0
# state: force, stiffness, elongation, then the material's history
FORCE, STIFFNESS, ELONGATION, HISTORY = 0, 1, 2, 3
# workspace: strain, rate, stress, tangent, damping, stiffness of linked elements (up to 21), then
# the material's
STRAIN, RATE, STRESS, TANGENT, DAMPING, LINKED, MATERIAL_WORKSPACE = 0, 1, 2, 3, 4, 5, 26


class Algebra(NamedTuple):
    """Vectors of a number of dimensions, as tuples."""

    between: Callable[..., Any]  # difference of the ends, of displacements or velocities
    dot: Callable[..., Any]
    chord: Callable[..., Any]  # elongation, length, direction, and displacement across
    ends: Callable[..., Any]  # force, and lower triangle of the stiffness


# --- on a line ---

@inlined
def _between_1(x, dofs):
    return (x[dofs[1]] - x[dofs[0]],)


@inlined
def _dot_1(a, b):
    return a[0] * b[0]


@inlined
def _chord_1(kind, length, t, d):
    along = t[0] * d[0]
    if kind == COROTATIONAL and length + along < 0.0:  # turned over
        return -2.0 * length - along, -length - along, (-t[0],), 0.0
    return along, length + along if kind == COROTATIONAL else length, t, 0.0


@inlined
def _ends_1(kind, N, k, now, t, across):
    return (-N * t[0], N * t[0]), (k, -k, k)


# --- in the plane ---

@inlined
def _between_2(x, dofs):
    return x[dofs[2]] - x[dofs[0]], x[dofs[3]] - x[dofs[1]]


@inlined
def _dot_2(a, b):
    return a[0] * b[0] + a[1] * b[1]


@inlined
def _chord_2(kind, length, t, d):
    c, s = t
    along, across = c * d[0] + s * d[1], -s * d[0] + c * d[1]
    if kind != COROTATIONAL:
        return along, length, t, across
    now = math.sqrt((length + along) ** 2 + across * across)
    # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
    elongation = (2.0 * length * along + along * along + across * across) / (now + length)
    turned = (c * (length + along) - s * across) / now, (s * (length + along) + c * across) / now
    return elongation, now, turned, across


@inlined
def _ends_2(kind, N, k, now, t, across):
    c, s = t
    fx, fy = c * N, s * N
    kxx, kxy, kyy = c * c * k, c * s * k, s * s * k
    if kind != LINEAR:
        ratio = N / now
        kxx, kxy, kyy = kxx + ratio * s * s, kxy - ratio * s * c, kyy + ratio * c * c
        if kind == P_DELTA:
            fx, fy = fx - ratio * across * s, fy + ratio * across * c
    return (-fx, -fy, fx, fy), (kxx, kxy, kyy, -kxx, -kxy, kxx, -kxy, -kyy, kxy, kyy)


# --- in space ---

@inlined
def _between_3(x, dofs):
    return x[dofs[3]] - x[dofs[0]], x[dofs[4]] - x[dofs[1]], x[dofs[5]] - x[dofs[2]]


@inlined
def _dot_3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def _chord_3(kind, length, t, d):
    along = _dot_3(t, d)
    across = d[0] - along * t[0], d[1] - along * t[1], d[2] - along * t[2]
    if kind != COROTATIONAL:
        return along, length, t, across
    # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
    longer = 2.0 * length * along + _dot_3(d, d)
    now = math.sqrt(length * length + longer)
    turned = ((length * t[0] + d[0]) / now, (length * t[1] + d[1]) / now,
              (length * t[2] + d[2]) / now)
    return longer / (now + length), now, turned, across


@inlined
def _ends_3(kind, N, k, now, t, across):
    x, y, z = t
    fx, fy, fz = N * x, N * y, N * z
    ratio = 0.0 if kind == LINEAR else N / now
    if kind == P_DELTA:
        fx, fy, fz = fx + ratio * across[0], fy + ratio * across[1], fz + ratio * across[2]
    xx, yy, zz = (k - ratio) * x * x + ratio, (k - ratio) * y * y + ratio, (k - ratio) * z * z + ratio
    xy, xz, yz = (k - ratio) * y * x, (k - ratio) * z * x, (k - ratio) * z * y
    return (-fx, -fy, -fz, fx, fy, fz), (
        xx, xy, yy, xz, yz, zz, -xx, -xy, -xz, xx, -xy, -yy, -yz, xy, yy, -xz, -yz, -zz, xz, yz, zz)


_ALGEBRAS = {1: Algebra(_between_1, _dot_1, _chord_1, _ends_1),
             2: Algebra(_between_2, _dot_2, _chord_2, _ends_2),
             3: Algebra(_between_3, _dot_3, _chord_3, _ends_3)}


@cache
def truss_group(dimensions: int) -> Kernel:
    """Group kernel of trusses whose nodes have this number of coordinates.

    The material is evaluated in all modes: at its committed strain it gives its committed stress,
    and its force may depend on the velocity.
    """
    n = dimensions
    between, dot, chord, ends = _ALGEBRAS[n]
    # integers after the degrees of freedom: geometry, address of the material's block, where its
    # parameters begin, its own
    geometry, address, material_p, material = (DOFS_AT + 2 * n + a for a in range(4))

    def group(run, first, count, mode):
        """Many locals: fields of the run, unpacked before the loop."""
        table, integers = run.element_starts, run.element_integers
        u, velocity, step = run.u, run.v, run.step
        w = run.workspace
        for e in range(first, first + count):
            own = element_at(shift(integers, table[e]))
            g, p = shift(run.geometry, own.geometry_at), shift(run.parameters, own.parameters_at)
            committed = shift(run.elements0, own.state_at)
            trial = shift(run.elements, own.state_at)
            length, dofs, kind = g[LENGTH], own.dofs, own[geometry]
            elongation, now, t, across = chord(kind, length, load(g, DIRECTION, 1, n),
                                               between(u, dofs))
            w[STRAIN], w[DAMPING] = elongation / length, 0.0
            w[RATE] = dot(t, between(velocity, dofs)) / length
            if call_block(own[address], (
                    1, shift(own, material), shift(p, own[material_p]), shift(committed, HISTORY),
                    shift(trial, HISTORY), shift(w, MATERIAL_WORKSPACE), w, shift(w, RATE), step,
                    shift(w, STRESS), shift(w, TANGENT), shift(w, DAMPING))) != 0:
                run.failed_element = e + 1
                return 1
            N = p[AREA] * w[STRESS]
            # a rate follows the displacement as the integrator has it
            k = p[AREA] / length * (w[TANGENT] + step[2] * w[DAMPING])
            if kind == COROTATIONAL or k != trial[STIFFNESS]:
                run.stiffness_changed = 1
            trial[FORCE], trial[STIFFNESS], trial[ELONGATION] = N, k, elongation
            force, stiffness = ends(kind, N, k, now, t, across)
            if mode == FORCES:
                scatter_force(run, own, force)
            else:
                scatter(run, own, force, stiffness, shift(w, LINKED))
        return 0

    return Kernel(group, GROUP, f"{__name__}.truss_group_{n}")
