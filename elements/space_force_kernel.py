"""State determination of the force-based beam-column in space: that of `femu.elements.force_kernel`
with four components a section and six basic forces. With shear, Vy(x) = (Mz_i + Mz_j)/L +
Vy_load(x) and Vz(x) = (My_i + My_j)/L + Vz_load(x): each is the derivative of its moment along the
member."""

from __future__ import annotations

import math
from functools import cache

from femu.elements.force_kernel import (
    CUTS,
    ITERATIONS,
    LEFT_TO_NEXT,
    NEAR,
    NO_SECTION_FORCE,
    NOT_CONVERGED,
    PLAIN_ROUNDS,
    ROUND_OFF,
    ROUND_OFF_LEFT,
    SINGULAR_FLEXIBILITY,
    SUBDIVISIONS,
    TOLERANCE,
    TOLERATED,
    axial,
    cut_back,
)
from femu.elements.section_shear import FLOOR, SHEAR_FLOATS, SHEAR_WORK, same, section_shear
from femu.elements.sections import determine_sections
from femu.elements.space_sections import (
    BASIC,
    BASIC_TRIANGLE,
    COMPONENT,
    COMPONENTS,
    ENTRY,
    TRIANGLE,
    integrate,
    invert,
)
from femu.engine.element_kernels import (
    AGAIN,
    AT_END,
    BASIC_SIGNATURE,
    FIRST,
    HALVINGS,
    ITERATING,
)
from femu.kernels import Kernel, inlined, shift

# geometry: stiffness of the virgin section by components; then by points the weights w L and the
# factors b_a
ELASTIC, WEIGHTS = 0, COMPONENTS
# state: basic force, basic stiffness, deformation; by points: deformations, forces, flexibility,
# stiffness; histories
STIFFNESS, DEFORMATION, STRAINS = BASIC, BASIC + BASIC_TRIANGLE, 2 * BASIC + BASIC_TRIANGLE
SECTION_FLOATS = 2 * (COMPONENTS + TRIANGLE)
# workspace: basic force, compatible deformation, wanted deformation, error, stiffness and its
# pieces; then by points: section stiffness, target forces, move; then the sections'
Q, COMPATIBLE, WANTED, ERROR, SQUARE = 0, BASIC, 2 * BASIC, 3 * BASIC, 4 * BASIC
PIECES = SQUARE + BASIC * BASIC
POINTS = PIECES + BASIC_TRIANGLE + 2 * BASIC * BASIC
WORK_FLOATS = TRIANGLE + 2 * COMPONENTS
# with shear, for y and then for z. Integers: where the tables of the shear laws begin, then those
# of the sections. The rest as in the plane, axis by axis: geometry from CONSTANTS_BY_POINTS by
# points on, state after that of the other components, workspace in front of the sections'
SHEAR_AXES, CONSTANTS_BY_POINTS = 2, 1 + BASIC
# basic moments of each axis, and the places of their pairs in the upper triangle of the flexibility
MOMENTS, PAIRS_OF_MOMENTS = ((1, 2), (3, 4)), ((6, 7, 11), (15, 16, 18))
SHEAR_LOADS = 3  # where the shear by member loads is in the load vector, by points


def section_constants(length: float, elastic: tuple[float, ...], places: tuple[float, ...],
                      weights: tuple[float, ...]) -> list[float]:
    """The geometry vector that the kernel reads."""
    one, left, right = [1.0] * len(places), [x - 1.0 for x in places], list(places)
    return [*elastic, *(w * length for w in weights), *one, *left, *right, *left, *right, *one]


@inlined
def _invert_sections(n, g, k, f, w):
    """Flexibilities f of the sections from their stiffnesses k, by points, both relative to the
    elastic stiffness."""
    matrix, inverse = w, shift(w, COMPONENTS * COMPONENTS)
    work = shift(w, 2 * COMPONENTS * COMPONENTS)
    for j in range(n):
        for a in range(COMPONENTS):
            for b in range(COMPONENTS):
                matrix[a * COMPONENTS + b] = k[ENTRY[a][b] * n
                                               + j] / math.sqrt(g[ELASTIC + a] * g[ELASTIC + b])
        least = invert(COMPONENTS, matrix, inverse, work)
        for a in range(COMPONENTS):
            least = min(least, abs(matrix[a * COMPONENTS + a]))
        if not least > FLOOR:
            for a in range(COMPONENTS):
                matrix[a * COMPONENTS + a] += FLOOR
            invert(COMPONENTS, matrix, inverse, work)
        for a in range(COMPONENTS):
            for b in range(a, COMPONENTS):
                f[ENTRY[a][b] * n + j] = inverse[a * COMPONENTS
                                                 + b] / math.sqrt(g[ELASTIC + a] * g[ELASTIC + b])


@inlined
def _give_way(n, f, y, target, j, a):
    """Deformation of component a of section j by its unbalance."""
    total = 0.0
    for b in range(COMPONENTS):
        total += f[ENTRY[a][b] * n + j] * (target[b * n + j] - y[b * n + j])
    return total


@inlined
def _compatible(n, g, e, y, f, target, s):
    """Deformation s of the element that its sections are compatible with, once they have given way
    to their unbalance by their flexibility; returns the energy of that."""
    weight, factor = shift(g, WEIGHTS), shift(g, WEIGHTS + n)
    energy = 0.0
    for a in range(BASIC):
        s[a] = 0.0
    for j in range(n):
        for a in range(BASIC):
            at = COMPONENT[a]
            strain = _give_way(n, f, y, target, j, at)
            if a != 2 and a != 4:  # each component once
                energy += weight[j] * (target[at * n + j] - y[at * n + j]) * strain
            s[a] += weight[j] * factor[a * n + j] * (e[at * n + j] + strain)
    return abs(energy)


@inlined
def _size(n, g, e, y):
    """Energy that deformations and forces of the sections would have were they elastic."""
    total = 0.0
    for a in range(COMPONENTS):
        k = g[ELASTIC + a]
        for j in range(n):
            total += g[WEIGHTS + j] * (k * e[a * n + j] * e[a * n + j]
                                       + y[a * n + j] * y[a * n + j] / k)
    return total


@inlined
def _slope(n, g, y, target, move):
    """Derivative of the energy of the sections, less the work of the forces they should have, along
    a move."""
    total = 0.0
    for a in range(COMPONENTS):
        for j in range(n):
            total += g[WEIGHTS + j] * (y[a * n + j] - target[a * n + j]) * move[a * n + j]
    return total


@inlined
def _stiffness(n, g, f, sheared, square, pieces):
    """Basic stiffness of the element, full: the inverse of its flexibility; whether it has one.
    ``sheared`` is what shear along y and z adds to the flexibility."""
    full, work = shift(pieces, BASIC_TRIANGLE), shift(pieces, BASIC_TRIANGLE + BASIC * BASIC)
    integrate(n, shift(g, WEIGHTS), shift(g, WEIGHTS + n), f, pieces)
    for axis in range(SHEAR_AXES):
        if sheared[axis] != 0.0:
            for entry in PAIRS_OF_MOMENTS[axis]:
                pieces[entry] += sheared[axis]
    entry = 0
    for a in range(BASIC):
        for b in range(a, BASIC):
            full[a * BASIC + b] = pieces[entry]
            full[b * BASIC + a] = pieces[entry]
            entry += 1
    invert(BASIC, full, square, work)
    total = 0.0
    for a in range(BASIC):
        total += square[a * BASIC + a]
    return math.isfinite(total)


@inlined
def _unpack(triangle, square):
    entry = 0
    for a in range(BASIC):
        for b in range(a, BASIC):
            square[a * BASIC + b] = triangle[entry]
            square[b * BASIC + a] = triangle[entry]
            entry += 1


@inlined
def _near(c, t, v, square):
    """Whether the deformation is near the last trial one, compared with how far that is from the
    committed one: by the energy of these changes."""
    _unpack(shift(t, STIFFNESS), square)
    new = old = 0.0
    for a in range(BASIC):
        to_new = to_old = 0.0
        for b in range(BASIC):
            to_new += square[a * BASIC + b] * (v[b] - t[DEFORMATION + b])
            to_old += square[a * BASIC + b] * (t[DEFORMATION + b] - c[DEFORMATION + b])
        new += abs(to_new * (v[a] - t[DEFORMATION + a]))
        old += abs(to_old * (t[DEFORMATION + a] - c[DEFORMATION + a]))
    return new <= NEAR * old


@cache
def space_force_based(points: int, shear: bool = False) -> Kernel:
    """Basic kernel for a number of points."""
    n, components = points, COMPONENTS
    unturned = SUBDIVISIONS + 1 + PLAIN_ROUNDS  # from this level on no move is turned round
    axes = SHEAR_AXES if shear else 0
    floats, work = SECTION_FLOATS + axes * SHEAR_FLOATS, WORK_FLOATS + axes * SHEAR_WORK
    (size_of_shear, give_way_in_shear, slope_of_shear, turn_shear_round, go_in_shear,
     determine_shear, shear_unchanged, flexibility_in_shear,
     compatible_shear) = section_shear(n, axes, SHEAR_LOADS)
    # of which end moments the rotations gain by shear along y and along z
    (yi, yj), (zi, zj) = MOMENTS

    def determination(i, g, p, c, t, w, v, rate, step, load):
        """Longer than a page because it is one iteration: what its parts would pass to each other
        is a dozen numbers and as many vectors."""
        factor = shift(g, WEIGHTS + n)
        e, y, f = shift(t, STRAINS), shift(t, STRAINS + components * n), shift(t, STRAINS
                                                                               + 2 * components * n)
        # the stiffnesses that f and the element's stiffness belong to
        known = shift(f, TRIANGLE * n)
        committed, start_v = shift(c, STRAINS), shift(c, DEFORMATION)
        q, s, wanted, r, square = shift(w, Q), shift(w,
                                                     COMPATIBLE), shift(w, WANTED), shift(w, ERROR), shift(w, SQUARE)
        pieces, k = shift(w, PIECES), shift(w, POINTS)
        target, move = shift(k, TRIANGLE * n), shift(k, (TRIANGLE + components) * n)
        rest = shift(k, work * n)
        sheared, i = (i, shift(g, WEIGHTS), shift(g, WEIGHTS + CONSTANTS_BY_POINTS * n),
                      shift(e, SECTION_FLOATS * n), shift(k, WORK_FLOATS * n)), shift(i, axes)
        code, iterations, error, scale, energy, enough = 0, 0, 0.0, 0.0, 0.0, 0.0
        # the last trial state comes first (level -1), then the committed one
        again = step[HALVINGS] == 0.0 and (step[ITERATING] == AT_END
                                           or (step[ITERATING] == AGAIN and _near(c, t, v, square)))
        loose = LEFT_TO_NEXT if FIRST <= step[ITERATING] <= AGAIN else 0.0
        for level in range(-1 if again else int(step[HALVINGS]), unturned + SUBDIVISIONS + 1):
            plain, turns = SUBDIVISIONS < level < unturned, level <= SUBDIVISIONS
            parts = 1 if plain or level < 0 else 1 << (level if turns else level - unturned)
            if level < 0:
                for a in range(BASIC):
                    q[a] = t[a]
                    s[a] = t[DEFORMATION + a]
                _unpack(shift(t, STIFFNESS), square)
            elif not plain:
                for j in range(floats * n):
                    e[j] = committed[j]
                # a virgin element has no flexibility and no stiffness yet: its first iteration
                # moves nothing and finds them
                for a in range(BASIC):
                    q[a] = c[a]
                    s[a] = start_v[a]
                _unpack(shift(c, STIFFNESS), square)
                energy = 0.0
            for part in range(1, parts + 1):
                for a in range(BASIC):
                    wanted[a] = v[a] if part == parts else start_v[a] + part / parts * (v[a] - start_v[a])
                code = NOT_CONVERGED
                # whether the sections had the element's deformation before the move
                compatible = False
                for iteration in range(ITERATIONS):
                    error, scale = energy, 0.0
                    for a in range(BASIC):
                        r[a] = wanted[a] - s[a]
                    for a in range(BASIC):
                        change = 0.0
                        for b in range(BASIC):
                            change += square[a * BASIC + b] * r[b]
                        q[a] += change
                        error += abs(change * r[a])
                        scale += abs(q[a] * wanted[a])
                    if iteration == 0:
                        enough = loose * error
                    else:
                        if error > TOLERANCE * scale:
                            scale = size_of_shear(sheared, _size(n, g, e, y))
                        if (error <= max(TOLERANCE * scale, enough)
                                or error <= ROUND_OFF * axial(n, shift(g, WEIGHTS), g[ELASTIC])):
                            code = 0
                            break
                    iterations += 1
                    for j in range(n):
                        target[j] = q[0] + load[j]
                        target[n + j] = factor[n + j] * q[1] + factor[2 * n + j] * q[2] + load[n
                                                                                               + j]
                        target[2 * n + j] = factor[n
                                                   + j] * q[3] + factor[2 * n + j] * q[4] + load[2 * n + j]
                        target[3 * n + j] = q[5]
                    for a in range(components):
                        for j in range(n):
                            move[a * n + j] = _give_way(n, f, y, target, j, a)
                    for j in range(components * n):
                        e[j] += move[j]
                    give_way_in_shear(sheared, (q[yi] + q[yj], q[zi] + q[zj]), load)
                    start = 0.0
                    if compatible:
                        start = slope_of_shear(sheared, _slope(n, g, y, target, move))
                    turned = turns and start > 0.0
                    if turned:
                        start = -start
                        for j in range(components * n):
                            e[j], move[j] = e[j] - 2.0 * move[j], -move[j]
                        turn_shear_round(sheared)
                    low, high, slope_low, slope_high, side = 0.0, 1.0, start, 0.0, 0
                    at, failed = 1.0, 0
                    for cut in range(CUTS + 1):
                        failed = determine_sections(n, i, p, c, t, rest, e, y, k, step, components)
                        failed += determine_shear(sheared, p, c, t, rest, step)
                        # (a slope that is only round-off has no least energy)
                        if failed != 0 or not start < -TOLERATED * scale or cut == CUTS:
                            break
                        slope = slope_of_shear(sheared, _slope(n, g, y, target, move))
                        found, to, low, high, slope_low, slope_high, side = cut_back(
                            cut, start, slope, at, low, high, slope_low, slope_high, side, turned)
                        if found:
                            break
                        for j in range(components * n):
                            e[j] += (to - at) * move[j]
                        go_in_shear(sheared, to - at)
                        at = to
                    if failed != 0:
                        code = NO_SECTION_FORCE
                        break
                    compatible = square[0] != 0.0 and not plain
                    if not (same(TRIANGLE * n, k, known) and shear_unchanged(sheared)):
                        for j in range(TRIANGLE * n):
                            known[j] = k[j]
                        _invert_sections(n, g, k, f, pieces)
                        turns_gained = (flexibility_in_shear(sheared, 0),
                                        flexibility_in_shear(sheared, 1))
                        if not _stiffness(n, g, f, turns_gained, square, pieces):
                            code = SINGULAR_FLEXIBILITY
                            break
                    energy = _compatible(n, g, e, y, f, target, s)
                    energy, s[yi], s[yj] = compatible_shear(sheared, 0, energy, s[yi], s[yj])
                    energy, s[zi], s[zj] = compatible_shear(sheared, 1, energy, s[zi], s[zj])
                if (code == NOT_CONVERGED
                        and error <= max(TOLERATED * scale,
                                         ROUND_OFF_LEFT * axial(n, shift(g, WEIGHTS), g[ELASTIC]))):
                    code = 0
                if code != 0:
                    break
            if code == 0:
                entry = STIFFNESS
                for a in range(BASIC):
                    t[a] = q[a]
                    t[DEFORMATION + a] = v[a]
                    for b in range(a, BASIC):
                        t[entry] = square[a * BASIC + b]
                        entry += 1
                return 0
        w[0], w[1], w[2], w[3] = float(code), float(iterations), error, scale
        return code

    return Kernel(determination, BASIC_SIGNATURE,
                  f"{__name__}.space_force_based_{points}{'_shear' if shear else ''}")
