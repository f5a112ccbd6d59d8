"""The twin as a filter sees it: clones of one basic system, evaluated point by point in one compiled call.

A filter hands a block of points to the functions of a `StateSpace`. Here such a function clones the committed state of
the twin for each point, gives the clone the point's parameters and moves it to the measured displacement d. All it
needs is reached through one vector of integers (the *context* below), whose address is the filter's only
input: a double holds every address of a present machine exactly.

With the deformations ``v = T d`` of the basic system (see `femu.experimental.basic_system`) there are three systems.

**pure**: the state is the parameters θ; the measured force is that of the clone, ``y = F(θ, history, v_k)``.

**joint** (Wu, Chen, Xu, Zeng 2015): the state is θ and the basic force q. The clone is given the force of the filter
in place of its own: it begins with the elastic deformation that belongs to q_{k-1}, ::

    v = v_p + f0(θ) q_{k-1} + T (d_k - d_{k-1}),     v_p = v̂ - f0(θ) q̂   of the clone's last evaluation

with the elastic flexibility f0. For sections with forces s = k (e - e_p) this is the paper's F, in which the forces of
the sections at the last step are b(x) q_{k-1} and the histories are e and e_p. While nothing yields the filter is
the linear Kalman filter with q_k = q_{k-1} + K0 Δv.

**state**: the state is some history variables (z of a Bouc-Wen spring) and θ; see `femu.updating.hidden`.
"""

from __future__ import annotations

from math import exp

from femu import context as slot
from femu.filters.linalg import copy
from femu.filters.model import MODEL
from femu.kernels import compiled, floats_at, inlined, ints_at, ints_of, kernel, routine, shift

_names = iter(range(64))
KERNEL = next(_names)  # address of the basic kernel
INTEGERS, CONSTANTS, WORK, LOAD, STEP = (next(_names) for _ in range(5))  # its other arguments
MATRIX = next(_names)  # T, BASIC rows of CHANNELS
SCALE = next(_names)  # [factor of the forces]
BASIC = next(_names)  # number of basic deformations
CHANNELS = next(_names)  # number of displacements
SIZE = next(_names)  # numbers of a twin's state
STRIDE = next(_names)  # numbers of a row: state, then plastic deformation
UNKNOWNS = next(_names)  # number of unknowns
P = next(_names)  # parameter vector of the clone in hand
TARGETS = next(_names)  # for each unknown: number of its places in P, then the places
UNIT = next(_names)  # for each unknown: its unit inside the filter, or 0 where the filter has the logarithm
LIMITS = next(_names)  # lower bounds of the unknowns inside the filter, then upper bounds
FORCE_UNIT = next(_names)  # unit of each basic force inside the filter
ROWS = next(_names)  # committed rows
TRIAL = next(_names)  # rows after the evaluation
SEPARATE = next(_names)  # 1 where each point has a row of its own
NOW, BEFORE = next(_names), next(_names)  # displacements of this step and of the last one
TARGET, CHANGE, RATE = (next(_names) for _ in range(3))  # deformation of this step, its change over the step and its rate
V = next(_names)  # deformation of the clone in hand
PLAIN = next(_names)  # 1 where the displacements are the deformations, and the forces the basic ones
FLEXIBILITY = next(_names)  # elastic flexibility of the clone in hand
STIFF = next(_names)  # 1 where the elastic stiffness depends on the unknowns
VIRGIN = next(_names)  # two rows of scratch for the elastic stiffness: zeros, and what they become
HIDDEN = next(_names)  # places in a row of the history variables that the filter carries (mode "state")
HIDDEN_COUNT = next(_names)
HIDDEN_UNIT = next(_names)  # unit of each of them inside the filter
SCRATCH = next(_names)  # numbers of one point
CLONE = next(_names)  # two rows of scratch
RULE = next(_names)  # how a step of the history variables is integrated
FAILURES = next(_names)  # clones that had no answer, counted
OWN_SLOTS = next(_names)  # the slots of `femu.updating.step` begin here

NAN = float("nan")


@inlined
def context_of(u):
    return ints_at(int(u[0]))


@inlined
def clip(c, x, out):
    """Unknowns inside their bounds."""
    n, limits = c[UNKNOWNS], floats_at(c[LIMITS])
    for j in range(n):
        out[j] = min(max(x[j], limits[j]), limits[n + j])


@inlined
def value_of(c, j, x):
    """Value of unknown j in its own unit."""
    unit = floats_at(c[UNIT])[j]
    return unit * x if unit > 0.0 else exp(x)


@routine
def place(c, x):
    """Write the unknowns (inside their bounds) into the parameter vector of the clone."""
    p, targets = floats_at(c[P]), ints_at(c[TARGETS])
    at = 0
    for j in range(c[UNKNOWNS]):
        value = value_of(c, j, x[j])
        for k in range(targets[at]):
            p[targets[at + 1 + k]] = value
        at += 1 + targets[at]


@inlined
def call_twin(c, committed, trial, v, rate):
    return slot.call_basic(c[KERNEL], (
        ints_at(c[INTEGERS]), floats_at(c[CONSTANTS]), floats_at(c[P]), committed, trial, floats_at(c[WORK]), v, rate,
        floats_at(c[STEP]), floats_at(c[LOAD])))


@routine
def deform(c):
    """Deformations v = T d of this step, their change and their rate: the same for all clones."""
    matrix, now, before, step = floats_at(c[MATRIX]), floats_at(c[NOW]), floats_at(c[BEFORE]), floats_at(c[STEP])
    target, change, rate, n = floats_at(c[TARGET]), floats_at(c[CHANGE]), floats_at(c[RATE]), c[CHANNELS]
    for a in range(c[BASIC]):
        total, difference = 0.0, 0.0
        for b in range(n):
            total += matrix[a * n + b] * now[b]
            difference += matrix[a * n + b] * (now[b] - before[b])
        target[a], change[a], rate[a] = total, difference, difference * step[2]


@compiled
def deform_from_python(context):
    """The same for callers from Python that evaluate points themselves."""
    deform(ints_of(context, 0))


@routine
def to_force(c, q, f):
    """Force f = s T' q in the coordinates of the displacements."""
    matrix, scale, n = floats_at(c[MATRIX]), floats_at(c[SCALE])[0], c[CHANNELS]
    if c[PLAIN] != 0:
        copy(n, q, f)
        return
    for b in range(n):
        f[b] = 0.0
    for a in range(c[BASIC]):
        for b in range(n):
            f[b] += scale * matrix[a * n + b] * q[a]


@routine
def invert(m, triangle, out):
    """Inverse of a symmetric matrix given by its upper triangle; False where it has none."""
    for a in range(m):
        for b in range(m):
            low, high = min(a, b), max(a, b)
            out[a * m + b] = triangle[low * m - low * (low - 1) // 2 + high - low]
    for k in range(m):  # Gauss and Jordan in place: a stiffness is positive definite, its pivots are safe
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
def find_flexibility(c):
    """Elastic flexibility of the clone in hand: the inverse of its stiffness before anything happened."""
    m = c[BASIC]
    virgin, after, still = floats_at(c[VIRGIN]), shift(floats_at(c[VIRGIN]), c[STRIDE]), floats_at(c[V])
    for a in range(m):
        still[a] = 0.0
    if call_twin(c, virgin, after, still, still) != 0:
        return False
    return invert(m, shift(after, m), floats_at(c[FLEXIBILITY]))


@routine
def evaluate(c, x, committed, trial):
    """Move a clone of ``committed`` with unknowns x to the deformation of this step; True where it has an answer."""
    place(c, x)
    if call_twin(c, committed, trial, floats_at(c[TARGET]), floats_at(c[RATE])) != 0:
        c[FAILURES] += 1
        return False
    return True


@routine
def evaluate_from_force(c, x, q, committed, trial):
    """The same from a basic force q in place of the clone's own; the plastic deformation goes behind the state."""
    m = c[BASIC]
    place(c, x)
    if c[STIFF] != 0 and not find_flexibility(c):
        c[FAILURES] += 1
        return False
    v, change, flexibility = floats_at(c[V]), floats_at(c[CHANGE]), floats_at(c[FLEXIBILITY])
    plastic = shift(committed, c[SIZE])
    for a in range(m):
        total = plastic[a] + change[a]
        for b in range(m):
            total += flexibility[a * m + b] * q[b]
        v[a] = total
    if call_twin(c, committed, trial, v, floats_at(c[RATE])) != 0:
        c[FAILURES] += 1
        return False
    plastic = shift(trial, c[SIZE])
    for a in range(m):
        total = v[a]
        for b in range(m):
            total -= flexibility[a * m + b] * trial[b]
        plastic[a] = total
    return True


@inlined
def row_of(c, i):
    return i * c[STRIDE] if c[SEPARATE] != 0 else 0


# --- pure: the state is the unknowns ---

@kernel(MODEL)
def pure_process(count, points, u, out):
    c = context_of(u)
    n = c[UNKNOWNS]
    for i in range(count):
        clip(c, shift(points, i * n), shift(out, i * n))
    return 0


@kernel(MODEL)
def pure_measurement(count, points, u, out):
    c = context_of(u)
    n, m = c[UNKNOWNS], c[CHANNELS]
    x = floats_at(c[SCRATCH])
    for i in range(count):
        at, y = row_of(c, i), shift(out, i * m)
        clip(c, shift(points, i * n), x)
        trial = shift(floats_at(c[TRIAL]), at)
        if evaluate(c, x, shift(floats_at(c[ROWS]), at), trial):
            to_force(c, trial, y)
        else:
            for b in range(m):
                y[b] = NAN
    return 0


# --- joint: the state is the unknowns and the basic forces ---

@kernel(MODEL)
def joint_process(count, points, u, out):
    c = context_of(u)
    known, m = c[UNKNOWNS], c[BASIC]
    n, unit = known + m, floats_at(c[FORCE_UNIT])
    q = floats_at(c[SCRATCH])
    for i in range(count):
        point, image, at = shift(points, i * n), shift(out, i * n), row_of(c, i)
        clip(c, point, image)
        for a in range(m):
            q[a] = unit[a] * point[known + a]
        trial = shift(floats_at(c[TRIAL]), at)
        if evaluate_from_force(c, image, q, shift(floats_at(c[ROWS]), at), trial):
            for a in range(m):
                image[known + a] = trial[a] / unit[a]
        else:
            for a in range(m):
                image[known + a] = NAN
    return 0


@kernel(MODEL)
def joint_measurement(count, points, u, out):
    c = context_of(u)
    known, m = c[UNKNOWNS], c[BASIC]
    n, unit = known + m, floats_at(c[FORCE_UNIT])
    q = floats_at(c[SCRATCH])
    for i in range(count):
        for a in range(m):
            q[a] = unit[a] * points[i * n + known + a]
        to_force(c, q, shift(out, i * c[CHANNELS]))
    return 0


@inlined
def commit_rows(c, count):
    """The evaluated rows become the committed ones."""
    copy(count * c[STRIDE], floats_at(c[TRIAL]), floats_at(c[ROWS]))
