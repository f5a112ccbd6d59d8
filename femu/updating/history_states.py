"""History variables in the filter's state: the system of Bouc-Wen springs (Wu and Wang 2014, Wang
et al. 2021, Ou et al. 2015).

The state is θ and the hidden history variables h. A clone is given h in place of its own history,
::

    h_k = step(θ, h_{k-1}, v_{k-1} -> v_k),      y_k = force(θ, h_k, v_k)

The step is the law's own (``LAW``: what a numerical member with these parameters does), or for a
Bouc-Wen spring ``dz/dv = A - |z|^n (gamma + beta sign(z dv))`` over the measured increment: one
Runge-Kutta step of order four with the velocity held at its forward difference (``RUNGE_KUTTA``: Wu
and Wang 2014, Ou et al. 2015), or as many of them as make the error negligible (``EXACT``). The law
is rate-independent, so the time does not enter.
"""

from __future__ import annotations

from math import ceil

from femu.filters.linalg import copy
from femu.filters.power import power
from femu.kernels import inlined, kernel, routine, shift
from femu.updating.twin_kernels import NAN, TWIN_MODEL, clip, evaluate, place, to_force

LAW, RUNGE_KUTTA, EXACT = range(3)
INTEGRATIONS = {"law": LAW, "rk4": RUNGE_KUTTA, "exact": EXACT}
# |z|^n has no limit at z = 0 for n ≤ 0, which a filter without bounds may try
SMALLEST_EXPONENT = 0.05
SUBSTEP = 0.02  # of z's bound: the error of order four is then below 1e-8 of it
MOST_SUBSTEPS = 1000


@inlined
def _rate(z, side, n, gamma, beta, A):
    """dz over the increment of the deformation, whose sign is ``side``."""
    sign = 1.0 if z > 0.0 else -1.0 if z < 0.0 else 0.0
    return A - (gamma + beta * sign * side) * power(abs(z), max(n, SMALLEST_EXPONENT))


@inlined
def _runge_kutta(z, change, n, gamma, beta, A):
    side = 1.0 if change >= 0.0 else -1.0
    k1 = _rate(z, side, n, gamma, beta, A)
    k2 = _rate(z + 0.5 * change * k1, side, n, gamma, beta, A)
    k3 = _rate(z + 0.5 * change * k2, side, n, gamma, beta, A)
    k4 = _rate(z + change * k3, side, n, gamma, beta, A)
    return z + change / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@routine
def _advance(rule, p, z, change):
    """z of a Bouc-Wen spring (parameters in the order of `femu.materials.BoucWen`) after a change
    of its deformation."""
    n, gamma, beta, A = p[2], p[3], p[4], p[5]
    count = 1
    if rule == EXACT and gamma + beta > 0.0:
        bound = power(A / (gamma + beta), 1.0 / max(n, SMALLEST_EXPONENT))
        count = min(max(ceil(abs(change) * A / (SUBSTEP * bound)), 1), MOST_SUBSTEPS)
    for _ in range(count):
        z = _runge_kutta(z, change / count, n, gamma, beta, A)
    return z


@inlined
def _put(twin, x, row):
    """Hidden variables of a point into a row."""
    places, unit, known = twin.hidden, twin.hidden_units, twin.nunknowns
    for k in range(twin.nhidden):
        row[places[k]] = unit[k] * x[known + k]


@kernel(TWIN_MODEL)
def state_process(count, points, u, out, twin):
    known, hidden = twin.nunknowns, twin.nhidden
    n, places, unit = known + hidden, twin.hidden, twin.hidden_units
    rows, trial = twin.rows, twin.trial
    clone = twin.clone
    after = shift(clone, twin.row_size)
    for i in range(count):
        point, image = shift(points, i * n), shift(out, i * n)
        clip(twin, point, image)
        answered = True
        if twin.integration == LAW:
            copy(twin.row_size, rows, clone)
            _put(twin, point, clone)
            answered = evaluate(twin, image, clone, after)
        else:
            place(twin, image)
            after[places[0]] = _advance(twin.integration, twin.parameters, unit[0] * point[known],
                                        twin.change[0])
        for k in range(hidden):
            image[known + k] = after[places[k]] / unit[k] if answered else NAN
    # whatever follows the displacement alone, at the new displacement
    clip(twin, points, twin.scratch)
    evaluate(twin, twin.scratch, rows, trial)
    return 0


@kernel(TWIN_MODEL)
def state_measurement(count, points, u, out, twin):
    n, m, x = twin.nunknowns + twin.nhidden, twin.nchannels, twin.scratch
    clone = twin.clone
    after = shift(clone, twin.row_size)
    for i in range(count):
        point, y = shift(points, i * n), shift(out, i * m)
        clip(twin, point, x)
        copy(twin.row_size, twin.trial, clone)
        _put(twin, point, clone)
        if evaluate(twin, x, clone, after):
            to_force(twin, after, y)
        else:
            for b in range(m):
                y[b] = NAN
    return 0


@inlined
def commit_hidden(twin, x):
    """The nominal row takes the filter's estimate of the hidden variables."""
    copy(twin.row_size, twin.trial, twin.rows)
    _put(twin, x, twin.rows)
