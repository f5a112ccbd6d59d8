"""Quasi-Newton increments: the inverse of a factored tangent, corrected by what the increments since have shown.

Between two tangents an increment s_i changed the force of the structure by y_i = r_i - r_(i+1), where r is the unbalance (y_i
without the part of a load that changed meanwhile). The corrected inverse H_n gives s_i for y_i:

BFGS (Matthies and Strang 1979), symmetric, with z_i = H_(i-1) y_i::

    H_i = H_(i-1) + (1 + y.z / s.y) s s^T / s.y - (s z^T + z s^T) / s.y

Broyden (1965), of rank one, with z_i = H_(i-1) y_i::

    H_i = H_(i-1) + (s - z) s^T H_(i-1) / (s.z)
"""

from __future__ import annotations

from femu import context as slot
from femu.analyses import settings as code
from femu.equilibrium import clear_imposed, copy, dot
from femu.kernels import floats_at, inlined, routine, shift
from femu.solver import solve

NO_WORK = 1e-16  # an increment and a change of force that do less work on each other say nothing


def secant_floats(equations: int, updates: int) -> int:
    """Floats of increments, their images, three more rows, and two numbers of each pair."""
    return equations * (2 * updates + 4) + 2 * (updates + 1)


@inlined
def _images(context, updates):
    return shift(floats_at(context[slot.BASIS]), (updates + 1) * context[slot.NEQ])


@inlined
def _last_unbalance(context, updates):
    return shift(_images(context, updates), updates * context[slot.NEQ])


@inlined
def last_solution(context, updates):
    """The factored tangent's answer to the last change of force."""
    return shift(_last_unbalance(context, updates), 2 * context[slot.NEQ])


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
def correct(context, settings, known, x):
    """Turn the factored tangent's answer x to the unbalance into that of the corrected inverse, with ``known`` pairs."""
    n, updates, kind = context[slot.NEQ], int(settings[code.KRYLOV]), int(settings[code.SECANT])
    increments, images, r = floats_at(context[slot.BASIS]), _images(context, updates), floats_at(context[slot.R])
    last = _last_unbalance(context, updates)
    y, solved = shift(last, n), shift(last, 2 * n)
    works = shift(last, 3 * n)
    norms = shift(works, updates + 1)
    if known > 0:
        newest = known - 1
        s, z = shift(increments, newest * n), shift(images, newest * n)
        for a in range(n):
            y[a] = last[a] - r[a]
            z[a] = y[a]
        solve(context, z)
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
def keep(context, settings, known, change):
    """Keep the increment in DX as the next one of the pairs; the load factor has changed by ``change`` with it."""
    n, updates = context[slot.NEQ], int(settings[code.KRYLOV])
    copy(n, floats_at(context[slot.DX]), shift(floats_at(context[slot.BASIS]), known * n))
    if change != 0.0:
        last, load = _last_unbalance(context, updates), shift(_last_unbalance(context, updates), n)
        copy(n, shift(floats_at(context[slot.NODAL]), int(settings[code.PATTERN]) * context[slot.NDOF]), load)
        clear_imposed(context, load)
        for a in range(n):
            last[a] += change * load[a]
