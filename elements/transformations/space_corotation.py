"""Corotational geometry of space frame elements, after Crisfield (1990) and de Souza (2000);
OpenSees' ``Corotational``.

Each end carries a triad R_I, R_J that turns with its node, whose columns are the local axes at
first. With the chord e1 and its length l between the displaced ends, and a triad R = (r1, r2, r3)
halfway between the two, the axes of the member are ::

    e2 = r2 - (r2 . e1)/2 (e1 + r1),    e3 = r3 - (r3 . e1)/2 (e1 + r1)

and the deformations of the basic system, with (i1, i2, i3) the columns of R_I ::

    elongation = l - L
    sin(twist at i)         = (i2 . e3 - i3 . e2)/2
    sin(rotation about z)   = (i1 . e2 - i2 . e1)/2
    sin(rotation about y)   = (i3 . e1 - i1 . e3)/2

and the same at j. Forces follow from B, the derivative of the deformations by the displacements and
the spins of the nodes, in which the triad halfway turns by the mean of the two spins. The geometric
stiffness is the derivative of B^T q, made symmetric.

A rotation in space is not a vector: a triad after a step is exp(increment of the nodal rotations
over the step) times that before, so that the committed triads, as quaternions (w - 1, x, y, z), and
the nodal rotations they belong to are part of the state. The tangent takes increments of rotation
for spins: exact where rotations go about one axis, and to first order in the rotation of a step
otherwise; where a moment is applied to a node, its part of the stiffness is not symmetric and left
out. Rigid offsets turn with their nodes, and those of the end reactions of a member load stay as
they were.
"""

from __future__ import annotations

import math

from femu.kernels import inlined, routine, shift

_DIRECTIONS = ("x", "y", "z")
ROTATION_STATE = [*(f"theta_{d}_{end}" for end in "ij" for d in _DIRECTIONS),
                  *(f"quaternion_{c}_{end}" for end in "ij" for c in ("w", *_DIRECTIONS))]
END_FORCES = [f"global_{what}{d}_{end}" for end in "ij" for what in ("F", "M") for d in _DIRECTIONS]
"""Forces on the nodes in global axes: they depend on rotations that no result keeps."""
THETA, QUATERNION = 0, 6
ROTATION_FLOATS = 14
# geometry vector, as in femu.elements.transformations.space_frame
LENGTH, AXES, OFFSETS = 0, 1, 10
DOFS, BASIC = 12, 6
# workspace: rotations (14), triads at i, at j and halfway (9 each, column by column), axes (9),
# arms at i and j (6), length, rotations by the sine (twist, z, y at i and at j), rows of the twists
# at i and j, matrix of the geometric stiffness
ROTATIONS, TRIADS, HALFWAY, MEMBER, ARMS, NOW, ANGLES, TWISTS = 0, 14, 32, 41, 50, 56, 57, 63
MATRIX = TWISTS + 2 * DOFS
WORK_FLOATS = MATRIX + DOFS * DOFS


# --- vectors of three ---

@inlined
def _at(w, start):
    return w[start], w[start + 1], w[start + 2]


@inlined
def _put(w, start, a):
    w[start], w[start + 1], w[start + 2] = a


@inlined
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def _sum(a, b, factor):
    """a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@inlined
def _scaled(a, factor):
    return factor * a[0], factor * a[1], factor * a[2]


@inlined
def _across(e1, length, x):
    """Change of the direction e1 of a chord when its end moves by x."""
    return _scaled(_sum(x, e1, -_dot(e1, x)), 1.0 / length)


# --- rotations ---

@inlined
def _turned(q, x):
    """The vector x turned by the quaternion q = (w, x, y, z)."""
    v = (q[1], q[2], q[3])
    once = _cross(v, x)
    return _sum(_sum(x, once, 2.0 * q[0]), _cross(v, once), 2.0)


@inlined
def _product(p, q):
    """The quaternion of the rotation q, then p."""
    a, b = (p[1], p[2], p[3]), (q[1], q[2], q[3])
    x, y, z = _sum(_sum(_cross(a, b), a, q[0]), b, p[0])
    return p[0] * q[0] - _dot(a, b), x, y, z


@inlined
def _exponential(theta):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(_dot(theta, theta))
    factor = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    x, y, z = _scaled(theta, factor)
    return math.cos(0.5 * angle), x, y, z


@inlined
def _unit(q):
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * size, q[1] * size, q[2] * size, q[3] * size


# --- the sum z1 . e1 + z2 . e2 + z3 . e3 of vectors z that turn with the nodes, and its derivatives ---

@inlined
def _gradient(e, r, length, zi, zj):
    """Derivative by the displacement of end j, and by the spins at i and j."""
    e1, both = e[0], _sum(e[0], r[0], 1.0)
    force, spin = _across(e1, length, _sum(zi[0], zj[0], 1.0)), (0.0, 0.0, 0.0)
    mi, mj = _cross(zi[0], e1), _cross(zj[0], e1)
    for k in range(1, 3):
        z = _sum(zi[k], zj[k], 1.0)
        c, s = 0.5 * _dot(r[k], e1), 0.5 * _dot(z, both)
        force = _sum(_sum(force, _across(e1, length, z), -c), _across(e1, length, r[k]), -s)
        spin = _sum(_sum(_sum(spin, _cross(r[k], z), 1.0), _cross(r[0], z), -c), _cross(r[k], e1),
                    -s)
        mi, mj = _sum(mi, _cross(zi[k], e[k]), 1.0), _sum(mj, _cross(zj[k], e[k]), 1.0)
    return force, _sum(mi, spin, 0.5), _sum(mj, spin, 0.5)


@inlined
def _across_change(e1, length, x, de1, longer, dx):
    """Change of `_across` when the chord turns by de1 and grows, and x changes."""
    change = _sum(_across(e1, length, dx), _across(e1, length, x), -longer / length)
    return _sum(_sum(change, de1, -_dot(e1, x) / length), e1, -_dot(de1, x) / length)


@inlined
def _gradient_change(e, r, length, zi, zj, moved, wi, wj):
    """Change of `_gradient` when end j moves and the ends spin.

    Many locals: entries of vectors, written out.
    """
    e1, both = e[0], _sum(e[0], r[0], 1.0)
    de1, longer, mean = _across(e1, length, moved), _dot(e1, moved), _scaled(_sum(wi, wj, 1.0), 0.5)
    dr1 = _cross(mean, r[0])
    dboth = _sum(de1, dr1, 1.0)
    dzi, dzj = _cross(wi, zi[0]), _cross(wj, zj[0])
    force = _across_change(e1, length, _sum(zi[0], zj[0], 1.0), de1, longer, _sum(dzi, dzj, 1.0))
    mi, mj = _sum(_cross(dzi, e1), _cross(zi[0], de1), 1.0), _sum(_cross(dzj, e1),
                                                                  _cross(zj[0], de1), 1.0)
    spin = (0.0, 0.0, 0.0)
    for k in range(1, 3):
        dzi, dzj = _cross(wi, zi[k]), _cross(wj, zj[k])
        z, dz, dr = _sum(zi[k], zj[k], 1.0), _sum(dzi, dzj, 1.0), _cross(mean, r[k])
        c, s = 0.5 * _dot(r[k], e1), 0.5 * _dot(z, both)
        dc = 0.5 * (_dot(dr, e1) + _dot(r[k], de1))
        ds = 0.5 * (_dot(dz, both) + _dot(z, dboth))
        force = _sum(_sum(force, _across(e1, length, z), -dc),
                     _across_change(e1, length, z, de1, longer, dz), -c)
        force = _sum(_sum(force, _across(e1, length, r[k]), -ds),
                     _across_change(e1, length, r[k], de1, longer, dr), -s)
        spin = _sum(_sum(spin, _cross(dr, z), 1.0), _cross(r[k], dz), 1.0)
        spin = _sum(_sum(_sum(spin, _cross(r[0], z), -dc), _cross(dr1, z), -c), _cross(r[0], dz),
                    -c)
        spin = _sum(_sum(_sum(spin, _cross(r[k], e1), -ds), _cross(dr, e1), -s), _cross(r[k], de1),
                    -s)
        de = _sum(_sum(dr, dboth, -c), both, -dc)
        mi = _sum(_sum(mi, _cross(dzi, e[k]), 1.0), _cross(zi[k], de), 1.0)
        mj = _sum(_sum(mj, _cross(dzj, e[k]), 1.0), _cross(zj[k], de), 1.0)
    return force, _sum(mi, spin, 0.5), _sum(mj, spin, 0.5)


@inlined
def _weighted(triad, twist, z, y):
    """Vectors z1, z2, z3 of one end, for weights of its twist and its rotations about z and y."""
    t1, t2, t3 = triad
    return (_sum(_scaled(t2, -z), t3, y), _sum(_scaled(t1, z), t3, -twist),
            _sum(_scaled(t1, -y), t2, twist))


@inlined
def _triad(w, start):
    return _at(w, start), _at(w, start + 3), _at(w, start + 6)


@inlined
def _row(force, mi, mj, ai, aj, row):
    """Over the twelve displacements, with the arms of rigid offsets."""
    _put(row, 0, _scaled(force, -1.0))
    _put(row, 3, _sum(mi, _cross(ai, force), -1.0))
    _put(row, 6, force)
    _put(row, 9, _sum(mj, _cross(aj, force), 1.0))


@routine
def corotate(g, before, u, v, matrix, w):
    """Deformations v and their derivative ``matrix`` (6 by 12) at the displacements u, from the
    committed rotations.

    Longer than a page: deformations and their derivative come from the same rotations, entry by
    entry.
    """
    length = g[LENGTH]
    axes = _triad(g, AXES)
    chord, moved = _scaled(axes[0], length), _sum(_at(u, 6), _at(u, 0), -1.0)
    for end in range(2):
        old, new, sign = shift(before, QUATERNION + 4 * end), shift(w, ROTATIONS + QUATERNION
                                                                    + 4 * end), 2.0 * end - 1.0
        theta = _at(u, 3 + 6 * end)
        spin = _exponential(_sum(theta, _at(before, THETA + 3 * end), -1.0))
        q = _unit(_product(spin, (1.0 + old[0], old[1], old[2], old[3])))
        _put(w, ROTATIONS + THETA + 3 * end, theta)
        new[0], new[1], new[2], new[3] = q[0] - 1.0, q[1], q[2], q[3]
        for k in range(3):
            _put(w, TRIADS + 9 * end + 3 * k, _turned(q, axes[k]))
        offset = _at(g, OFFSETS + 3 * end)
        arm = _turned(q, offset)
        _put(w, ARMS + 3 * end, arm)
        moved = _sum(moved, _sum(arm, offset, -1.0), sign)
    first, last = shift(w, ROTATIONS + QUATERNION), shift(w, ROTATIONS + QUATERNION + 4)
    qi = (1.0 + first[0], first[1], first[2], first[3])
    apart = _product((1.0 + last[0], last[1], last[2], last[3]), (qi[0], -qi[1], -qi[2], -qi[3]))
    # halfway by half the tangent of half the angle, as in OpenSees: half the angle to third order
    half = _product(_unit((apart[0], 0.5 * apart[1], 0.5 * apart[2], 0.5 * apart[3])), qi)
    now = _sum(chord, moved, 1.0)
    stretched = math.sqrt(_dot(now, now))
    e1 = _scaled(now, 1.0 / stretched)
    r = (_turned(half, axes[0]), _turned(half, axes[1]), _turned(half, axes[2]))
    both = _sum(e1, r[0], 1.0)
    e = (e1, _sum(r[1], both, -0.5 * _dot(r[1], e1)), _sum(r[2], both, -0.5 * _dot(r[2], e1)))
    w[NOW] = stretched
    for k in range(3):
        _put(w, HALFWAY + 3 * k, r[k])
        _put(w, MEMBER + 3 * k, e[k])
    # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
    v[0] = (2.0 * _dot(chord, moved) + _dot(moved, moved)) / (stretched + length)
    ai, aj, none = _at(w, ARMS), _at(w, ARMS + 3), (0.0, 0.0, 0.0)
    _row(e1, none, none, ai, aj, matrix)
    nothing = (none, none, none)
    for end in range(2):
        t = _triad(w, TRIADS + 9 * end)
        twist = math.asin(0.5 * (_dot(t[1], e[2]) - _dot(t[2], e[1])))
        z = math.asin(0.5 * (_dot(t[0], e[1]) - _dot(t[1], e1)))
        y = math.asin(0.5 * (_dot(t[2], e1) - _dot(t[0], e[2])))
        angle = shift(w, ANGLES + 3 * end)
        angle[0], angle[1], angle[2] = twist, z, y
        v[1 + end], v[3 + end] = z, y
        for which in range(3):
            scale = 0.5 / math.cos(angle[which])
            vectors = _weighted(t, scale if which == 0 else 0.0, scale if which == 1 else 0.0,
                                scale if which == 2 else 0.0)
            if end == 0:
                force, mi, mj = _gradient(e, r, stretched, vectors, nothing)
            else:
                force, mi, mj = _gradient(e, r, stretched, nothing, vectors)
            row = shift(w, TWISTS + DOFS * end) if which == 0 else shift(matrix, DOFS
                                                                         * (2 * which - 1 + end))
            _row(force, mi, mj, ai, aj, row)
    v[5] = w[ANGLES + 3] - w[ANGLES]
    for a in range(DOFS):
        matrix[5 * DOFS + a] = w[TWISTS + DOFS + a] - w[TWISTS + a]


@routine
def add_geometric_stiffness(q, matrix, w, k):
    """Add the geometric stiffness under the basic forces q to the lower triangle k.

    Many locals: entries of vectors, written out.
    """
    e, r, length = _triad(w, MEMBER), _triad(w, HALFWAY), w[NOW]
    angle = shift(w, ANGLES)
    scale = (0.5 / math.cos(angle[0]), 0.5 / math.cos(angle[1]), 0.5 / math.cos(angle[2]),
             0.5 / math.cos(angle[3]), 0.5 / math.cos(angle[4]), 0.5 / math.cos(angle[5]))
    zi = _weighted(_triad(w, TRIADS), -q[5] * scale[0], q[1] * scale[1], q[3] * scale[2])
    zj = _weighted(_triad(w, TRIADS + 9), q[5] * scale[3], q[2] * scale[4], q[4] * scale[5])
    ai, aj, none = _at(w, ARMS), _at(w, ARMS + 3), (0.0, 0.0, 0.0)
    force, _, _ = _gradient(e, r, length, zi, zj)
    force = _sum(force, e[0], q[0])
    full = shift(w, MATRIX)
    for column in range(3, DOFS):
        axis = column % 3
        unit = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        moved, wi, wj = none, none, none
        if column < 6:
            wi, moved = unit, _scaled(_cross(unit, ai), -1.0)
        elif column < 9:
            moved = unit
        else:
            wj, moved = unit, _cross(unit, aj)
        df, dmi, dmj = _gradient_change(e, r, length, zi, zj, moved, wi, wj)
        df = _sum(df, _across(e[0], length, moved), q[0])
        dmi = _sum(dmi, _cross(_cross(wi, ai), force), -1.0)
        dmj = _sum(dmj, _cross(_cross(wj, aj), force), 1.0)
        _row(df, dmi, dmj, ai, aj, shift(full, DOFS * column))
    for column in range(3):  # end i moves as end j does, the other way
        for a in range(DOFS):
            full[DOFS * column + a] = -full[DOFS * (column + 6) + a]
    entry = 0
    for a in range(DOFS):
        for b in range(a + 1):
            k[entry] += 0.5 * (full[DOFS * a + b] + full[DOFS * b + a])
            entry += 1
    # the sines: q tan(angle) by the rows of each rotation
    for which in range(6):
        end, kind = which // 3, which % 3
        if kind == 0:
            row, moment = shift(w, TWISTS + DOFS * end), (2.0 * end - 1.0) * q[5]
        else:
            row, moment = shift(matrix, DOFS * (2 * kind - 1 + end)), q[2 * kind - 1 + end]
        factor, entry = moment * math.tan(angle[which]), 0
        for a in range(DOFS):
            for b in range(a + 1):
                k[entry] += factor * row[a] * row[b]
                entry += 1
