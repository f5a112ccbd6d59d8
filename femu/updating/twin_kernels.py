"""The twin as a filter sees it: clones of one basic system, evaluated point by point in one
compiled call.

A filter hands a block of points to the functions of a `StateSpace`. Here such a function clones the
committed state of the twin for each point, gives the clone the point's parameters and moves it to
the measured displacement d. All it needs is reached through the fields of the twin, to which the
function is given a pointer.

With the deformations ``v = T d`` of the basic system (see
`femu.experimental.specimens.basic_system`) there are three systems.

**pure**: the state is the parameters θ; the measured force is that of the clone, ``y = F(θ,
history, v_k)``.

**joint** (Wu, Chen, Xu, Zeng 2015): the state is θ and the basic force q. The clone is given the
force of the filter in place of its own: it begins with the elastic deformation that belongs to
q_{k-1}, ::

    v = v_p + f0(θ) q_{k-1} + T (d_k - d_{k-1}),     v_p = v̂ - f0(θ) q̂   of the clone's last evaluation

with the elastic flexibility f0. For sections with forces s = k (e - e_p) this is the paper's F, in
which the forces of the sections at the last step are b(x) q_{k-1} and the histories are e and e_p.
While nothing yields the filter is the linear Kalman filter with q_k = q_{k-1} + K0 Δv.

**state**: the state is some history variables (z of a Bouc-Wen spring) and θ; see
`femu.updating.history_states`.
"""

from __future__ import annotations

from math import exp

from femu.engine.element_kernels import call_basic
from femu.filters.linalg import copy
from femu.kernels import FLOATS, INT, compiled, inlined, kernel, routine, shift
from femu.updating.updater_fields import TwinFields

twin_at = TwinFields.at
TWIN_MODEL = INT(INT, FLOATS, FLOATS, FLOATS, TwinFields.kernel_type)
"""Signature of the functions of the twin's `StateSpace`: a `MODEL` with the twin as its data."""

NAN = float("nan")


@inlined
def clip(twin, x, out):
    """Unknowns inside their bounds."""
    n, limits = twin.nunknowns, twin.limits
    for j in range(n):
        out[j] = min(max(x[j], limits[j]), limits[n + j])


@inlined
def value_of(twin, j, x):
    """Value of unknown j in its own unit."""
    unit = twin.units[j]
    return unit * x if unit > 0.0 else exp(x)


@routine
def place(twin, x):
    """Write the unknowns (inside their bounds) into the parameter vector of the clone."""
    p, targets = twin.parameters, twin.targets
    at = 0
    for j in range(twin.nunknowns):
        value = value_of(twin, j, x[j])
        for k in range(targets[at]):
            p[targets[at + 1 + k]] = value
        at += 1 + targets[at]


@inlined
def call_twin(twin, committed, trial, v, rate):
    return call_basic(twin.kernel, (
        twin.element_integers, twin.constants, twin.parameters, committed, trial, twin.workspace,
        v, rate, twin.step, twin.load))


@routine
def deform(twin):
    """Deformations v = T d of this step, their change and their rate: the same for all clones."""
    matrix, now, before, step = twin.matrix, twin.now, twin.before, twin.step
    target, change, rate, n = twin.deformation, twin.change, twin.rate, twin.nchannels
    for a in range(twin.nbasic):
        total, difference = 0.0, 0.0
        for b in range(n):
            total += matrix[a * n + b] * now[b]
            difference += matrix[a * n + b] * (now[b] - before[b])
        target[a], change[a], rate[a] = total, difference, difference * step[2]


@compiled
def deform_from_python(context):
    """The same for callers from Python that evaluate points themselves."""
    deform(twin_at(context))


@routine
def to_force(twin, q, f):
    """Force f = s T' q in the coordinates of the displacements."""
    matrix, scale, n = twin.matrix, twin.scale, twin.nchannels
    if twin.plain != 0:
        copy(n, q, f)
        return
    for b in range(n):
        f[b] = 0.0
    for a in range(twin.nbasic):
        for b in range(n):
            f[b] += scale * matrix[a * n + b] * q[a]


@routine
def invert(m, triangle, out):
    """Inverse of a symmetric matrix given by its upper triangle; False if it has none."""
    for a in range(m):
        for b in range(m):
            low, high = min(a, b), max(a, b)
            out[a * m + b] = triangle[low * m - low * (low - 1) // 2 + high - low]
    # Gauss and Jordan in place: a stiffness is positive definite, its pivots are safe
    for k in range(m):
        pivot = out[k * m + k]
        if not pivot > 0.0:
            return False
        out[k * m + k] = 1.0
        for b in range(m):
            out[k * m + b] /= pivot
        for a in range(m):
            if a != k:
                factor = out[a * m + k]
                out[a * m + k] = 0.0
                for b in range(m):
                    out[a * m + b] -= factor * out[k * m + b]
    return True


@routine
def find_flexibility(twin):
    """Elastic flexibility of the clone in hand.

    The inverse of its stiffness before anything happened.
    """
    m = twin.nbasic
    virgin, after, still = twin.virgin, shift(twin.virgin, twin.row_size), twin.v
    for a in range(m):
        still[a] = 0.0
    if call_twin(twin, virgin, after, still, still) != 0:
        return False
    return invert(m, shift(after, m), twin.flexibility)


@routine
def evaluate(twin, x, committed, trial):
    """Move a clone of ``committed`` with unknowns x to the deformation of this step.

    True where it has an answer.
    """
    place(twin, x)
    if call_twin(twin, committed, trial, twin.deformation, twin.rate) != 0:
        twin.failures += 1
        return False
    return True


@routine
def evaluate_from_force(twin, x, q, committed, trial):
    """The same from a basic force q in place of the clone's own.

    The plastic deformation goes after the state.
    """
    m = twin.nbasic
    place(twin, x)
    if twin.stiffness_unknown != 0 and not find_flexibility(twin):
        twin.failures += 1
        return False
    v, change, flexibility = twin.v, twin.change, twin.flexibility
    plastic = shift(committed, twin.nstate)
    for a in range(m):
        total = plastic[a] + change[a]
        for b in range(m):
            total += flexibility[a * m + b] * q[b]
        v[a] = total
    if call_twin(twin, committed, trial, v, twin.rate) != 0:
        twin.failures += 1
        return False
    plastic = shift(trial, twin.nstate)
    for a in range(m):
        total = v[a]
        for b in range(m):
            total -= flexibility[a * m + b] * trial[b]
        plastic[a] = total
    return True


@inlined
def row_of(twin, i):
    return i * twin.row_size if twin.separate_rows != 0 else 0


# --- pure: the state is the unknowns ---

@kernel(TWIN_MODEL)
def pure_process(count, points, u, out, twin):
    n = twin.nunknowns
    for i in range(count):
        clip(twin, shift(points, i * n), shift(out, i * n))
    return 0


@kernel(TWIN_MODEL)
def pure_measurement(count, points, u, out, twin):
    n, m = twin.nunknowns, twin.nchannels
    x = twin.scratch
    for i in range(count):
        at, y = row_of(twin, i), shift(out, i * m)
        clip(twin, shift(points, i * n), x)
        trial = shift(twin.trial, at)
        if evaluate(twin, x, shift(twin.rows, at), trial):
            to_force(twin, trial, y)
        else:
            for b in range(m):
                y[b] = NAN
    return 0


# --- joint: the state is the unknowns and the basic forces ---

@kernel(TWIN_MODEL)
def joint_process(count, points, u, out, twin):
    known, m = twin.nunknowns, twin.nbasic
    n, unit = known + m, twin.force_units
    q = twin.scratch
    for i in range(count):
        point, image, at = shift(points, i * n), shift(out, i * n), row_of(twin, i)
        clip(twin, point, image)
        for a in range(m):
            q[a] = unit[a] * point[known + a]
        trial = shift(twin.trial, at)
        if evaluate_from_force(twin, image, q, shift(twin.rows, at), trial):
            for a in range(m):
                image[known + a] = trial[a] / unit[a]
        else:
            for a in range(m):
                image[known + a] = NAN
    return 0


@kernel(TWIN_MODEL)
def joint_measurement(count, points, u, out, twin):
    known, m = twin.nunknowns, twin.nbasic
    n, unit = known + m, twin.force_units
    q = twin.scratch
    for i in range(count):
        for a in range(m):
            q[a] = unit[a] * points[i * n + known + a]
        to_force(twin, q, shift(out, i * twin.nchannels))
    return 0


@inlined
def commit_rows(twin, count):
    """The evaluated rows become the committed ones."""
    copy(count * twin.row_size, twin.trial, twin.rows)
