"""Krylov acceleration of modified Newton iterations (Carlson and Miller 1998.

Scott and Fenves 2010).
"""

from __future__ import annotations

import math

from femu.analyses.newton_step import Method, iterating
from femu.analyses.static_control import controlled
from femu.kernels import inlined, shift

NEGLIGIBLE = 1e-12  # a new direction this much shorter after orthogonalisation adds nothing


def basis_floats(equations: int, dimension: int) -> int:
    """Floats of the subspace: increments, their images, and the last preconditioned unbalance."""
    return equations * (2 * dimension + 1)


@inlined
def accelerate(n, basis, dimension, known, x):
    """Turn the preconditioned unbalance x into an increment, given the ``known`` increments before
    it.

    With the increments v_j and the changes w_j they made in the preconditioned unbalance, the part
    of x that lies in the span of the w_j is answered by the v_j that caused it; the rest is taken
    as it is. The w_j are kept orthonormal, the v_j combined likewise.
    """
    images, last = shift(basis, dimension * n), shift(basis, 2 * dimension * n)
    if known > 0:
        v, w = shift(basis, (known - 1) * n), shift(images, (known - 1) * n)
        before, after = 0.0, 0.0
        for a in range(n):
            w[a] = last[a] - x[a]
            before += w[a] * w[a]
        for j in range(known - 1):
            vj, wj = shift(basis, j * n), shift(images, j * n)
            share = 0.0
            for a in range(n):
                share += wj[a] * w[a]
            for a in range(n):
                w[a] -= share * wj[a]
                v[a] -= share * vj[a]
        for a in range(n):
            after += w[a] * w[a]
        inverse = 1.0 / math.sqrt(after) if after > NEGLIGIBLE * NEGLIGIBLE * before and after > 0.0 else 0.0
        for a in range(n):
            w[a] *= inverse
            v[a] *= inverse
    for a in range(n):
        last[a] = x[a]
    for j in range(known):
        vj, wj = shift(basis, j * n), shift(images, j * n)
        share = 0.0
        for a in range(n):
            share += wj[a] * last[a]
        for a in range(n):
            x[a] += share * (vj[a] - wj[a])
    if known < dimension:
        v = shift(basis, known * n)
        for a in range(n):
            v[a] = x[a]


@inlined
def _used_up(run, settings, iteration, known):
    """The matrix is renewed at the start of a step, and when the subspace is full."""
    return iteration <= 0 or known > settings.krylov


@inlined
def _accelerated(run, settings, step, iteration, known):
    """The increment is accelerated with the load's share in it, or, as OpenSees does with its
    predictors, before."""
    before = settings.predictor != 0
    if before and iteration >= 0:
        accelerate(run.neq, run.subspace, settings.krylov, known, run.dx)
    if not controlled(run, settings, step, iteration):
        return False
    if not before:
        accelerate(run.neq, run.subspace, settings.krylov, known, run.dx)
    return True


KRYLOV = Method("krylov", iterating(_used_up, _accelerated))
