"""History variables in the filter's state: the system of Bouc-Wen springs (Wu and Wang 2014, Wang et al. 2021, Ou et al. 2015).

The state is θ and the hidden history variables h. A clone is given h in place of its own history, ::

    h_k = step(θ, h_{k-1}, v_{k-1} -> v_k),      y_k = force(θ, h_k, v_k)

The step is the law's own (``LAW``: what a numerical member with these parameters does), or for a Bouc-Wen spring
``dz/dv = A - |z|^n (gamma + beta sign(z dv))`` over the measured increment: one Runge-Kutta step of order four with
the velocity held at its forward difference (``RUNGE_KUTTA``: Wu and Wang 2014, Ou et al. 2015), or as many of them as make
the error negligible (``EXACT``). The law is rate-independent, so the time does not enter.
"""

from __future__ import annotations

from math import ceil

from femu.filters.linalg import copy
from femu.filters.model import MODEL
from femu.filters.power import power
from femu.kernels import floats_at, inlined, ints_at, kernel, routine, shift
from femu.updating import twin
from femu.updating.twin import NAN, clip, context_of, evaluate, place, to_force

LAW, RUNGE_KUTTA, EXACT = range(3)
INTEGRATIONS = {"law": LAW, "rk4": RUNGE_KUTTA, "exact": EXACT}
SMALLEST_EXPONENT = 0.05  # |z|^n has no limit at z = 0 for n ≤ 0, which a filter without bounds may try
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
    """z of a Bouc-Wen spring (parameters in the order of `femu.materials.BoucWen`) after a change of its deformation."""
    n, gamma, beta, A = p[2], p[3], p[4], p[5]
    count = 1
    if rule == EXACT and gamma + beta > 0.0:
        bound = power(A / (gamma + beta), 1.0 / max(n, SMALLEST_EXPONENT))
        count = min(max(ceil(abs(change) * A / (SUBSTEP * bound)), 1), MOST_SUBSTEPS)
    for _ in range(count):
        z = _runge_kutta(z, change / count, n, gamma, beta, A)
    return z


@inlined
def _put(c, x, row):
    """Hidden variables of a point into a row."""
    places, unit, known = ints_at(c[twin.HIDDEN]), floats_at(c[twin.HIDDEN_UNIT]), c[twin.UNKNOWNS]
    for k in range(c[twin.HIDDEN_COUNT]):
        row[places[k]] = unit[k] * x[known + k]


@kernel(MODEL)
def state_process(count, points, u, out):
    c = context_of(u)
    known, hidden = c[twin.UNKNOWNS], c[twin.HIDDEN_COUNT]
    n, places, unit = known + hidden, ints_at(c[twin.HIDDEN]), floats_at(c[twin.HIDDEN_UNIT])
    rows, trial = floats_at(c[twin.ROWS]), floats_at(c[twin.TRIAL])
    clone = floats_at(c[twin.CLONE])
    after = shift(clone, c[twin.STRIDE])
    for i in range(count):
        point, image = shift(points, i * n), shift(out, i * n)
        clip(c, point, image)
        answered = True
        if c[twin.RULE] == LAW:
            copy(c[twin.STRIDE], rows, clone)
            _put(c, point, clone)
            answered = evaluate(c, image, clone, after)
        else:
            place(c, image)
            after[places[0]] = _advance(c[twin.RULE], floats_at(c[twin.P]), unit[0] * point[known], floats_at(c[twin.CHANGE])[0])
        for k in range(hidden):
            image[known + k] = after[places[k]] / unit[k] if answered else NAN
    clip(c, points, floats_at(c[twin.SCRATCH]))  # whatever follows the displacement alone, at the new displacement
    evaluate(c, floats_at(c[twin.SCRATCH]), rows, trial)
    return 0


@kernel(MODEL)
def state_measurement(count, points, u, out):
    c = context_of(u)
    n, m, x = c[twin.UNKNOWNS] + c[twin.HIDDEN_COUNT], c[twin.CHANNELS], floats_at(c[twin.SCRATCH])
    clone = floats_at(c[twin.CLONE])
    after = shift(clone, c[twin.STRIDE])
    for i in range(count):
        point, y = shift(points, i * n), shift(out, i * m)
        clip(c, point, x)
        copy(c[twin.STRIDE], floats_at(c[twin.TRIAL]), clone)
        _put(c, point, clone)
        if evaluate(c, x, clone, after):
            to_force(c, after, y)
        else:
            for b in range(m):
                y[b] = NAN
    return 0


@inlined
def commit_hidden(c, x):
    """The nominal row takes the filter's estimate of the hidden variables."""
    copy(c[twin.STRIDE], floats_at(c[twin.TRIAL]), floats_at(c[twin.ROWS]))
    _put(c, x, floats_at(c[twin.ROWS]))
