"""Solving with a sparse matrix that modal damping fills up, by the formula of Woodbury (1950).

Modal damping is a sum over modes, C_m = Q^T Q with a row of Q for each mode, so it does not fit
into the pattern. With the matrix A of everything else and its own factor c of C_m::

    (A + c Q^T Q) x = r:     x = y - c Z^T (I + c Q Z^T)^-1 Q y,     A y = r,  A Z^T = Q^T

Z and the Cholesky factors of the small matrix are made once for a factored A. Without modal damping
this is the plain solution. Imposed equations are left out of Q, as they are of A.

An integrator that solves once a step needs this: an iteration would find the same by taking the
damping force again.
"""

from __future__ import annotations

import math

from femu.engine.ldlt import factored_at, solve_at
from femu.engine.residual import clear_imposed, dot
from femu.kernels import inlined, routine, shift


@routine
def factor_damped(run, matrix, factors, room, c):
    """Factor a matrix, and make Z and the small factors in ``room``.

    0, or 1 if it is singular.
    """
    neq, modes, shapes = run.neq, run.nmodes, run.modal_shapes
    if factored_at(run, matrix, factors) != 0:
        return 1
    small = shift(room, modes * neq)
    for k in range(modes):
        z = shift(room, k * neq)
        for a in range(neq):
            z[a] = shapes[k * neq + a]
        clear_imposed(run, z)
        for j in range(k + 1):
            small[k * modes + j] = 0.0
        solve_at(run, factors, z)
    for k in range(modes):
        for j in range(k + 1):
            small[k * modes + j] = c * dot(neq, shift(shapes, k * neq),
                                           shift(room, j * neq)) + (1.0 if j == k else 0.0)
    for k in range(modes):
        for j in range(k + 1):
            value = small[k * modes + j]
            for i in range(j):
                value -= small[k * modes + i] * small[j * modes + i]
            if j < k:
                small[k * modes + j] = value / small[j * modes + j]
            elif value > 0.0:
                small[k * modes + k] = math.sqrt(value)
            else:
                return 1
    return 0


@routine
def solve_damped(run, factors, room, c, x):
    """x <- (A + c Q^T Q)^-1 x, with what `factor_damped` left.

    x is zero at imposed equations before and after.
    """
    neq, modes, shapes = run.neq, run.nmodes, run.modal_shapes
    solve_at(run, factors, x)
    if modes == 0:
        return
    small = shift(room, modes * neq)
    y = shift(small, modes * modes)
    for k in range(modes):
        value = dot(neq, shift(shapes, k * neq), x)
        for i in range(k):
            value -= small[k * modes + i] * y[i]
        y[k] = value / small[k * modes + k]
    for back in range(modes):
        k = modes - 1 - back
        value = y[k]
        for i in range(k + 1, modes):
            value -= small[i * modes + k] * y[i]
        y[k] = value / small[k * modes + k]
    for k in range(modes):
        z = shift(room, k * neq)
        for a in range(neq):
            x[a] -= c * y[k] * z[a]


@inlined
def modal_room(run):
    """Floats that `factor_damped` needs, as a multiple of eight.

    Matrices after it begin at a cache line.
    """
    modes = run.nmodes
    return (modes * (run.neq + modes + 1) + 7) // 8 * 8
