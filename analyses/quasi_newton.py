"""Quasi-Newton increments: the inverse of a factored tangent, corrected by what the increments
since have shown.

Between two tangents an increment s_i changed the force of the structure by y_i = r_i - r_(i+1),
where r is the unbalance (y_i without the part of a load that changed meanwhile). The corrected
inverse H_n gives s_i for y_i:

BFGS (Matthies and Strang 1979), symmetric, with z_i = H_(i-1) y_i::

    H_i = H_(i-1) + (1 + y.z / s.y) s s^T / s.y - (s z^T + z s^T) / s.y

Broyden (1965), of rank one, with z_i = H_(i-1) y_i::

    H_i = H_(i-1) + (s - z) s^T H_(i-1) / (s.z)
"""

from __future__ import annotations

import math

from femu.analyses import code
from femu.analyses.newton_step import (
    Method,
    begin,
    factor,
    first_iteration,
    iterating,
    moved,
    tested,
    unbalance,
    unconverged,
)
from femu.analyses.static_control import controlled
from femu.engine.ldlt import solve
from femu.engine.residual import clear_imposed, copy, dot, norm
from femu.kernels import inlined, routine, shift

NO_WORK = 1e-16  # an increment and a change of force that do less work on each other say nothing


def secant_floats(equations: int, updates: int) -> int:
    """Floats of increments, their images, three more rows, and two numbers of each pair."""
    return equations * (2 * updates + 4) + 2 * (updates + 1)


@inlined
def _images(run, updates):
    return shift(run.subspace, (updates + 1) * run.neq)


@inlined
def _last_unbalance(run, updates):
    return shift(_images(run, updates), updates * run.neq)


@inlined
def _last_solution(run, updates):
    """The factored tangent's answer to the last change of force."""
    return shift(_last_unbalance(run, updates), 2 * run.neq)


@inlined
def _says_nothing(kind, work):
    return work < NO_WORK if kind == code.BFGS else abs(work) < NO_WORK


@inlined
def _correct_bfgs(n, s, z, work, norm, v, x):
    """x += (H_i - H_(i-1)) v."""
    by_s, by_z = dot(n, s, v), dot(n, z, v)
    along = ((1.0 + norm / work) * by_s - by_z) / work
    for a in range(n):
        x[a] += along * s[a] - by_s / work * z[a]


@inlined
def _correct_broyden(n, s, z, work, x):
    """x <- x + (s - z) s^T x / (s.z)."""
    share = dot(n, s, x) / work
    for a in range(n):
        x[a] += share * (s[a] - z[a])


@routine
def _correct(run, settings, known, x):
    """Turn the factored tangent's answer x to the unbalance into that of the corrected inverse,
    with ``known`` pairs."""
    n, updates, kind = run.neq, settings.krylov, settings.acceleration
    increments, images, r = run.subspace, _images(run, updates), run.r
    last = _last_unbalance(run, updates)
    y, solved = shift(last, n), shift(last, 2 * n)
    works = shift(last, 3 * n)
    norms = shift(works, updates + 1)
    if known > 0:
        newest = known - 1
        s, z = shift(increments, newest * n), shift(images, newest * n)
        for a in range(n):
            y[a] = last[a] - r[a]
            z[a] = y[a]
        solve(run, z)
        copy(n, z, solved)
        for i in range(newest):
            if _says_nothing(kind, works[i]):
                break
            si, zi = shift(increments, i * n), shift(images, i * n)
            if kind == code.BFGS:
                _correct_bfgs(n, si, zi, works[i], norms[i], y, z)
            else:
                _correct_broyden(n, si, zi, works[i], z)
        if kind == code.BFGS:
            works[newest], norms[newest] = dot(n, s, y), dot(n, z, y)
        else:
            works[newest] = dot(n, s, z)
        for i in range(known):
            if _says_nothing(kind, works[i]):
                break
            si, zi = shift(increments, i * n), shift(images, i * n)
            if kind == code.BFGS:
                _correct_bfgs(n, si, zi, works[i], norms[i], r, x)
            else:
                _correct_broyden(n, si, zi, works[i], x)
    copy(n, r, last)


@inlined
def _keep(run, settings, known, change):
    """Keep the increment in DX as the next one of the pairs.

    The load factor has changed by ``change`` with it.
    """
    n, updates = run.neq, settings.krylov
    copy(n, run.dx, shift(run.subspace, known * n))
    if change != 0.0:
        last, load = _last_unbalance(run, updates), shift(_last_unbalance(run, updates), n)
        copy(n, shift(run.nodal_loads, settings.pattern * run.ndof), load)
        clear_imposed(run, load)
        for a in range(n):
            last[a] += change * load[a]


@inlined
def _used_up(run, settings, iteration, known):
    """The matrix is renewed at the start of a step, and after a number of corrections."""
    return iteration <= 0 or known > settings.krylov


@inlined
def _corrected(run, settings, step, iteration, known):
    """The increment is the answer of the corrected inverse, and becomes the next pair.

    A predictor is neither corrected nor kept.
    """
    before = settings.load_change
    if iteration >= 0:
        _correct(run, settings, known, run.dx)
    if not controlled(run, settings, step, iteration):
        return False
    if iteration >= 0:
        _keep(run, settings, known, settings.load_change - before)
    return True


@inlined
def _iterate_nested(run, settings, step):
    """As OpenSees has it: the increments after a tangent have a test of their own, which compares
    with the tangent's.

    A tangent is one iteration of the step, with all increments until that test is passed or the
    corrections are used up.
    """
    neq, updates, r, dx = run.neq, settings.krylov, run.r, run.dx
    report = shift(run.report, code.REPORT_FLOATS * step)
    if begin(run, settings, step) != 0:
        return code.ELEMENT_FAILED
    unbalance(run, settings)
    value, started, first = 0.0, 0.0, -1.0
    for tangent in range(first_iteration(settings), settings.max_iterations):
        if factor(run, settings) != 0:
            return code.SINGULAR
        for known in range(updates + 1 if tangent >= 0 else 1):
            copy(neq, r, dx)
            solve(run, dx)
            if not _corrected(run, settings, step, tangent + known, known):
                return code.NO_ROOT
            scale = moved(run, settings, 1.0)
            if scale < 0.0:
                return code.ELEMENT_FAILED
            if known == 0:  # the tangent's own increment is not tested
                started, first = norm(neq, r), -1.0
                continue
            if settings.control == code.TRANSIENT:
                copy(neq, _last_solution(run, updates), dx)
            value, first = tested(run, settings, max(scale, started), started, first)
            if not value > settings.tolerance:
                break
        if tangent >= 0:
            report[0], report[1] = tangent + 1.0, value
            if not math.isfinite(value):
                return code.NOT_FINITE
            if value <= settings.tolerance:
                return code.DONE
    return unconverged(settings)


QUASI_NEWTON = Method("quasi_newton", iterating(_used_up, _corrected))
NESTED_QUASI_NEWTON = Method("nested_quasi_newton", _iterate_nested)
