"""Plane frame elements: from nodal displacements to the basic system and back, in three geometries.

The basic system of a plane beam-column has the deformations v = (elongation, rotation at i,
rotation at j), rotations measured from the chord, counterclockwise positive, and the conjugate
forces q = (N, Mi, Mj), N positive in tension. With the relative end displacement (dx, dy) = u_j -
u_i, the chord's direction (c, s) and length l, every geometry has the form::

    v = v(dx, dy, theta_i, theta_j),   dv = B (ddx, ddy, dtheta_i, dtheta_j)
    B = [  c     s    0  0
          s/l  -c/l   1  0
          s/l  -c/l   0  1 ]
    f = B^T q,   K = B^T k B + geometric part

linear: (c, s), l of the undeformed chord. P-Delta: the same, with the moment of N on the relative
transverse displacement, N/l n n^T with n = (-s, c); what the change of N adds to the stiffness is
not symmetric and left out, as is usual. Corotational: (c, s), l of the deformed chord, exact for
any rigid motion; geometric part N/l n n^T + (Mi + Mj)/l^2 (n t^T + t n^T) with t = (c, s).

Rigid offsets at the ends turn with the node: linearised in the first two geometries, exact in the
third. The end reactions of a member load keep their direction in all three.
"""

from __future__ import annotations

import math

from femu.elements.assembly import scatter, scatter_force
from femu.engine.element_kernels import DOFS_AT, FORCES, FORM, GROUP, call_basic, element_at
from femu.kernels import inlined, kernel, load, shift

LINEAR, P_DELTA, COROTATIONAL = 0, 1, 2
GEOMETRIES = {"linear": LINEAR, "p-delta": P_DELTA, "corotational": COROTATIONAL}

# geometry vector of a frame element, before what its basic kernel reads
LENGTH, INVERSE, COSINE, SINE, OFFSETS = 0, 1, 2, 3, 4  # 1/length; offsets: dx_i, dy_i, dx_j, dy_j
FRAME_CONSTANTS = 8
# integers of a frame element after the six degrees of freedom
GEOMETRY, RIGID_ENDS = DOFS_AT + 6, DOFS_AT + 7
OWN_INTEGERS = DOFS_AT + 8
# member load of a frame element: reactions at the ends (local x at i, local y at i, local y at j),
# then its own
END_REACTIONS = 3
# where the basic stiffness begins in the state
BASIC_STIFFNESS = 3
# workspace: deformation (3), stiffness of linked elements (21), then the basic kernel's
STIFFNESS, BASIC_WORKSPACE = 3, 24


@kernel(GROUP)
def frame_group(run, first, count, mode):
    """Forces and stiffnesses of many frame elements, added to those of the structure.

    Longer than a page: transformation and assembly are written out, entry by entry, since most
    entries of the matrices are zeros or repeat others.
    """
    table = run.element_starts
    integers = run.element_integers
    parameters = run.parameters
    committed, trial = run.elements0, run.elements
    geometry, loads = run.geometry, run.member_load
    u, step = run.u, run.step
    axial, committed_axial = run.axial, run.axial0
    w = run.workspace
    v = w
    for e in range(first, first + count):
        own = element_at(shift(integers, table[e]))
        g, dofs = shift(geometry, own.geometry_at), own.dofs
        loaded = shift(loads, own.loads_at)
        kind = own[GEOMETRY]
        length, inverse, c, s = g[LENGTH], g[INVERSE], g[COSINE], g[SINE]
        theta_i, theta_j = u[dofs[2]], u[dofs[5]]
        dx = u[dofs[3]] - u[dofs[0]]
        dy = u[dofs[4]] - u[dofs[1]]
        # how the ends of the flexible part move with the rotations of the nodes
        xi, yi, xj, yj = 0.0, 0.0, 0.0, 0.0
        if own[RIGID_ENDS] != 0:
            ax, ay, bx, by = g[OFFSETS], g[OFFSETS + 1], g[OFFSETS + 2], g[OFFSETS + 3]
            if kind == COROTATIONAL:
                ci, si, cj, sj = math.cos(theta_i), math.sin(theta_i), math.cos(theta_j), math.sin(theta_j)
                dx += (cj - 1.0) * bx - sj * by - (ci - 1.0) * ax + si * ay
                dy += sj * bx + (cj - 1.0) * by - si * ax - (ci - 1.0) * ay
                ax, ay = ci * ax - si * ay, si * ax + ci * ay
                bx, by = cj * bx - sj * by, sj * bx + cj * by
            else:
                dx += ay * theta_i - by * theta_j
                dy += bx * theta_j - ax * theta_i
            xi, yi, xj, yj = ay, -ax, -by, bx

        transverse = -s * dx + c * dy
        if kind == COROTATIONAL:
            along = length + c * dx + s * dy
            deformed = math.sqrt(along * along + transverse * transverse)
            turn = math.atan2(transverse, along)
            # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
            longer = along - length
            v[0] = (2.0 * length * longer + longer * longer + transverse * transverse) / (deformed
                                                                                          + length)
            v[1] = _wrapped(theta_i - turn)
            v[2] = _wrapped(theta_j - turn)
            inverse = 1.0 / deformed
            c, s = (c * along - s * transverse) * inverse, (s * along + c * transverse) * inverse
        else:
            v[0] = c * dx + s * dy
            v[1] = theta_i - transverse * inverse
            v[2] = theta_j - transverse * inverse

        state = shift(committed, own.state_at)
        # an element that was never evaluated has no stiffness to form anything from
        if mode != FORM or state[BASIC_STIFFNESS] == 0.0:
            state = shift(trial, own.state_at)
            before = load(state, BASIC_STIFFNESS, 1, 6)
            failed = call_basic(own.basic_kernel, (
                shift(own, OWN_INTEGERS), shift(g, FRAME_CONSTANTS),
                shift(parameters, own.parameters_at),
                shift(committed, own.state_at), state, shift(w, BASIC_WORKSPACE), v, v, step,
                shift(loaded, END_REACTIONS)))
            if failed != 0:
                run.failed_element = e + 1
                return 1
            if kind == COROTATIONAL or before != load(state, BASIC_STIFFNESS, 1, 6):
                run.stiffness_changed = 1

        N, Mi, Mj = state[0], state[1], state[2]
        knn, kni, knj, kii, kij, kjj = state[3], state[4], state[5], state[6], state[7], state[8]
        # rows of B in dx and dy
        bx, by = s * inverse, -c * inverse
        sum_n, sum_i, sum_j = kni + knj, kii + kij, kij + kjj
        knx, kny = c * knn + bx * sum_n, s * knn + by * sum_n
        kix, kiy = c * kni + bx * sum_i, s * kni + by * sum_i
        kjx, kjy = c * knj + bx * sum_j, s * knj + by * sum_j
        kxx = c * knx + bx * (kix + kjx)
        kxy = s * knx + by * (kix + kjx)
        kyy = s * kny + by * (kiy + kjy)
        fx, fy = c * N + bx * (Mi + Mj), s * N + by * (Mi + Mj)
        fi, fj = Mi, Mj
        if kind != LINEAR:
            axial[e] = committed_axial[e] if run.resumed != 0 else N
            ratio = axial[e] * inverse
            kxx += ratio * s * s
            kxy -= ratio * s * c
            kyy += ratio * c * c
            if kind == P_DELTA:
                fx -= N * inverse * transverse * s
                fy += N * inverse * transverse * c
            else:
                moment = (Mi + Mj) * inverse * inverse
                kxx -= 2.0 * moment * s * c
                kxy += moment * (c * c - s * s)
                kyy += 2.0 * moment * s * c
        # reactions of the member load keep their direction
        c0, s0 = g[COSINE], g[SINE]
        fix, fiy = c0 * loaded[0] - s0 * loaded[1] - fx, s0 * loaded[0] + c0 * loaded[1] - fy
        fjx, fjy = fx - s0 * loaded[2], fy + c0 * loaded[2]
        if own[RIGID_ENDS] != 0:
            fi -= fix * xi + fiy * yi
            fj += fjx * xj + fjy * yj
            kij += kix * xj + kiy * yj + kjx * xi + kjy * yi + xi * (kxx * xj + kxy * yj) + yi * (kxy * xj + kyy * yj)
            kii += 2.0 * (kix * xi + kiy * yi) + xi * (kxx * xi + kxy * yi) + yi * (kxy * xi
                                                                                    + kyy * yi)
            kjj += 2.0 * (kjx * xj + kjy * yj) + xj * (kxx * xj + kxy * yj) + yj * (kxy * xj
                                                                                    + kyy * yj)
            kix, kiy = kix + kxx * xi + kxy * yi, kiy + kxy * xi + kyy * yi
            kjx, kjy = kjx + kxx * xj + kxy * yj, kjy + kxy * xj + kyy * yj
            if kind == COROTATIONAL:  # the arms of the end forces turn with the nodes
                kii += fix * yi - fiy * xi
                kjj += fjy * xj - fjx * yj
        if mode == FORCES:
            scatter_force(run, own, (fix, fiy, fi, fjx, fjy, fj))
            continue
        scatter(run, own, (fix, fiy, fi, fjx, fjy, fj), (kxx, kxy, kyy, -kix, -kiy, kii, -kxx,
                                                         -kxy, kix, kxx, -kxy, -kyy, kiy, kxy, kyy,
                                                         -kjx, -kjy, kij, kjx, kjy, kjj), shift(w,
                                                                                                STIFFNESS))
    return 0


@inlined
def _wrapped(angle):
    """The angle between -pi and pi that differs by whole turns."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
