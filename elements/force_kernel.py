"""State determination of the force-based beam-column (see `femu.elements.force_beam_column`).

Sections that deform in shear have a component more, see `femu.elements.section_shear`. Members
without such sections have a kernel of their own, without any of it.
"""

from __future__ import annotations

import math
from functools import cache

from femu.elements.section_shear import FLOOR, SHEAR_FLOATS, SHEAR_WORK, same, section_shear
from femu.elements.sections import determine_sections
from femu.engine.element_kernels import (
    AGAIN,
    AT_END,
    BASIC_SIGNATURE,
    FIRST,
    HALVINGS,
    ITERATING,
)
from femu.kernels import Kernel, inlined, shift

ITERATIONS = 20
# on the energy of the error, relative to that of the member: about 1e-11 in force
TOLERANCE = 1e-22
LEFT_TO_NEXT = 1e-6  # of the energy of a change: error of a state determination that is followed by another
# share of the energy of the change from the committed to the last trial state: a smaller change
# after it begins with that trial state; after a larger one a softening member, which has several
# answers, could be led away from that of the committed state
NEAR = 0.05
TOLERATED = 1e-17  # the same where round-off keeps the iteration from getting there
CUTS = 30  # of a move that goes too far
# slope of the energy that is left when a move is cut back, as a share of that at its start
ENOUGH = 0.5
SUBDIVISIONS = 6  # halvings of the increment where the iteration fails
# rounds of iterations after that, from where the last one ended and without cutting back: a law
# that jumps, as that of a concrete whose tensile stress ends at once, has no least energy, but
# mostly an equilibrium on the far side of the jump
PLAIN_ROUNDS = 3
# A move along which the energy rises is turned round: it leads back to a state that has no least
# energy, as a section after its peak falls faster than the others give way, and equilibrium is
# farther on. If all this fails, no move is turned round, again with all divisions of the increment
FARTHEST = 1024.0  # times its length may a move become that was turned round
# determinant of the flexibility over the product of its diagonal, below which it is eliminated
ILL_CONDITIONED = 1e-6
# squares of strains, times the axial stiffness of the member: energies that are round-off in any
# structure. Concretes ignore increments below 2.2e-16, so that a member which hardly carries
# anything has no better answer
ROUND_OFF = 1e-31  # of an error that ends the iteration
ROUND_OFF_LEFT = 1e-28  # of an error that is accepted if the iteration cannot reach less

# geometry: EA and EI of the virgin section; then by points x/L, and the weights w L times
# 1, x/L - 1, x/L, (x/L - 1)^2, (x/L - 1) x/L, (x/L)^2
ELASTIC_EA, ELASTIC_EI, PLACES = 0, 1, 2
# state: basic force (3), basic stiffness (6), deformation (3); by points: axial strain, curvature,
# N, M, flexibility (3), stiffness (3); then the histories of the sections
DEFORMATION, STRAINS = 9, 12
SECTION_FLOATS = 10
# workspace by points: section stiffness (3), target forces (2), move (2); then the sections'
WORK_FLOATS = 7
# shear: integers begin with where the table of its laws is; constants after the geometry above,
# state after that of N and M, workspace in front of the sections'
CONSTANTS_BY_POINTS = 7  # numbers of the geometry by points
SHEAR_LOADS = 2  # component of the member loads in shear, after N and M
# what failed, left in the workspace: code, iterations, last energy and scale
NO_SECTION_FORCE, SINGULAR_FLEXIBILITY, NOT_CONVERGED = 1, 2, 3


def section_constants(length: float, EA: float, EI: float, places: tuple[float, ...],
                      weights: tuple[float, ...]) -> list[float]:
    """The geometry vector that the kernel reads."""
    points = [(x, w * length) for x, w in zip(places, weights, strict=True)]
    by_points = [*places, *(w for _, w in points), *(w * (x - 1.0) for x, w in points),
                 *(w * x for x, w in points),
                 *(w * (x - 1.0) ** 2 for x, w in points), *(w * (x - 1.0) * x for x, w in points),
                 *(w * x * x for x, w in points)]
    return [EA, EI, *by_points]


@inlined
def cut_back(cut, start, slope, at, low, high, slope_low, slope_high, side, turned):
    """Where to go next on the line of a move that went beyond the least energy, from the slope
    there and at its start.

    By false position; an end of the bracket that stays twice counts half, so that it moves too. A
    move that was turned round has no length of its own: it is doubled until it is beyond the least
    energy. Returns whether the place is good enough, the next one, and the bracket.
    """
    if slope <= -ENOUGH * start and ((cut == 0 and not turned) or slope >= ENOUGH * start):
        return True, at, low, high, slope_low, slope_high, side
    if turned and slope < 0.0 and slope_high == 0.0:
        return at >= FARTHEST, 2.0 * at, at, high, slope, slope_high, side
    if slope > 0.0:
        slope_low, high, slope_high, side = slope_low * (0.5 if side == 1 else 1.0), at, slope, 1
    else:
        slope_high, low, slope_low, side = slope_high * (0.5 if side == -1 else 1.0), at, slope, -1
    return False, low - slope_low * (high - low) / (slope_high
                                                    - slope_low), low, high, slope_low, slope_high, side


@inlined
def _invert_sections(n, g, k, f):
    """Flexibilities f of the sections from their stiffnesses k."""
    for j in range(n):
        k11, k12, k22 = k[j], k[n + j], k[2 * n + j]
        determinant = k11 * k22 - k12 * k12
        # determinant over trace, both relative to the elastic stiffness, is about the least
        # stiffness
        if abs(determinant) <= FLOOR * (abs(k11) * g[ELASTIC_EI] + abs(k22) * g[ELASTIC_EA]):
            k11, k22 = k11 + FLOOR * g[ELASTIC_EA], k22 + FLOOR * g[ELASTIC_EI]
            determinant = k11 * k22 - k12 * k12
        r = 1.0 / determinant
        f[j], f[n + j], f[2 * n + j] = k22 * r, -k12 * r, k11 * r


@inlined
def _compatible(n, g, e, y, f, target):
    """Deformation of the element that its sections are compatible with, once they have given way to
    their unbalance by their flexibility; and the energy of that."""
    axial, left, right = shift(g, PLACES + n), shift(g, PLACES + 2 * n), shift(g, PLACES + 3 * n)
    vn, vi, vj, energy = 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        dN, dM = target[j] - y[j], target[n + j] - y[n + j]
        strain, curvature = f[j] * dN + f[n + j] * dM, f[n + j] * dN + f[2 * n + j] * dM
        energy += axial[j] * (dN * strain + dM * curvature)
        strain, curvature = e[j] + strain, e[n + j] + curvature
        vn += axial[j] * strain
        vi += left[j] * curvature
        vj += right[j] * curvature
    return vn, vi, vj, abs(energy)


@inlined
def _size(n, g, e, y):
    """Energy that deformations and forces of the sections would have were they elastic: never zero
    in a deformed or stressed member, as force times deformation may be."""
    weight, EA, EI = shift(g, PLACES + n), g[ELASTIC_EA], g[ELASTIC_EI]
    total = 0.0
    for j in range(n):
        total += weight[j] * (EA * e[j] * e[j] + EI * e[n + j] * e[n + j] + y[j] * y[j] / EA
                              + y[n + j] * y[n + j] / EI)
    return total


@inlined
def axial(n, weight, EA):
    """Axial stiffness of the member times the square of its length."""
    total = 0.0
    for j in range(n):
        total += weight[j] * EA
    return total


@inlined
def _slope(n, g, y, target, move):
    """Derivative of the energy of the sections, less the work of the forces they should have, along
    a move."""
    weight = shift(g, PLACES + n)
    total = 0.0
    for j in range(n):
        total += weight[j] * ((y[j] - target[j]) * move[j]
                              + (y[n + j] - target[n + j]) * move[n + j])
    return total


@inlined
def _stiffness(n, g, f, sheared):
    """Basic stiffness of the element: the inverse of its flexibility, integrated from that of the
    sections; ``sheared`` is what shear adds to it for each pair of end moments.

    Many locals: entries of small matrices, written out.
    """
    axial, left, right = shift(g, PLACES + n), shift(g, PLACES + 2 * n), shift(g, PLACES + 3 * n)
    left_left, left_right, right_right = shift(g, PLACES
                                               + 4 * n), shift(g, PLACES + 5 * n), shift(g, PLACES
                                                                                         + 6 * n)
    fnn, fni, fnj, fii, fij, fjj = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        fnn += axial[j] * f[j]
        fni += left[j] * f[n + j]
        fnj += right[j] * f[n + j]
        fii += left_left[j] * f[2 * n + j]
        fij += left_right[j] * f[2 * n + j]
        fjj += right_right[j] * f[2 * n + j]
    if sheared != 0.0:
        fii, fij, fjj = fii + sheared, fij + sheared, fjj + sheared
    c00, c01, c02 = fii * fjj - fij * fij, fij * fnj - fni * fjj, fni * fij - fii * fnj
    determinant = fnn * c00 + fni * c01 + fnj * c02
    if 0.0 < determinant < ILL_CONDITIONED * fnn * fii * fjj:
        # a section hardly resists: cofactors are small differences of large numbers, elimination
        # keeps half of the digits more
        by_i, by_j = fni / fnn, fnj / fnn
        sii, sij = fii - by_i * fni, fij - by_i * fnj
        share = sij / sii
        kjj = 1.0 / (fjj - by_j * fnj - share * sij)
        kij = -share * kjj
        kii = 1.0 / sii - share * kij
        kni, knj = -(by_i * kii + by_j * kij), -(by_i * kij + by_j * kjj)
        return 1.0 / fnn - (by_i * kni + by_j * knj), kni, knj, kii, kij, kjj
    r = 1.0 / determinant
    return (c00 * r, c01 * r, c02 * r, (fnn * fjj - fnj * fnj) * r, (fni * fnj - fnn * fij) * r,
            (fnn * fii - fni * fni) * r)


@inlined
def _near(c, t, v):
    """Whether the deformation is near the last trial one, compared with how far that is from the
    committed one: by the energy of these changes."""
    knn, kni, knj, kii, kij, kjj = t[3], t[4], t[5], t[6], t[7], t[8]
    n, i, j = v[0] - t[DEFORMATION], v[1] - t[DEFORMATION + 1], v[2] - t[DEFORMATION + 2]
    new = (abs(n * (knn * n + kni * i + knj * j)) + abs(i * (kni * n + kii * i + kij * j))
           + abs(j * (knj * n + kij * i + kjj * j)))
    n, i, j = (t[DEFORMATION] - c[DEFORMATION], t[DEFORMATION + 1] - c[DEFORMATION + 1],
               t[DEFORMATION + 2] - c[DEFORMATION + 2])
    old = (abs(n * (knn * n + kni * i + knj * j)) + abs(i * (kni * n + kii * i + kij * j))
           + abs(j * (knj * n + kij * i + kjj * j)))
    return new <= NEAR * old


@cache
def force_based(points: int, shear: bool = False) -> Kernel:
    """Basic kernel for a number of points: a constant, so that the loops over the points unroll."""
    # from this level on no move is turned round
    n, unturned = points, SUBDIVISIONS + 1 + PLAIN_ROUNDS
    axes = 1 if shear else 0
    floats, work = SECTION_FLOATS + axes * SHEAR_FLOATS, WORK_FLOATS + axes * SHEAR_WORK
    (size_of_shear, give_way_in_shear, slope_of_shear, turn_shear_round, go_in_shear,
     determine_shear, shear_unchanged, flexibility_in_shear,
     compatible_shear) = section_shear(n, axes, SHEAR_LOADS)

    def determination(i, g, p, c, t, w, v, rate, step, load):
        """Longer than a page because it is one iteration: what its parts would pass to each other
        (force, deformation, stiffness, bracket) is twenty numbers that stay in registers here."""
        place, weight = shift(g, PLACES), shift(g, PLACES + n)
        e, y, f = shift(t, STRAINS), shift(t, STRAINS + 2 * n), shift(t, STRAINS + 4 * n)
        # the stiffnesses that f and the element's stiffness belong to
        known = shift(t, STRAINS + 7 * n)
        committed = shift(c, STRAINS)
        k, target, move, rest = w, shift(w, 3 * n), shift(w, 5 * n), shift(w, work * n)
        sheared, i = (i, weight, shift(g, PLACES + CONSTANTS_BY_POINTS * n),
                      shift(e, SECTION_FLOATS * n), shift(w, WORK_FLOATS * n)), shift(i, axes)
        code, iterations, error, scale, energy, enough = 0, 0, 0.0, 0.0, 0.0, 0.0
        N, Mi, Mj, sn, si, sj = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        knn, kni, knj, kii, kij, kjj = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        # the last trial state comes first (level -1), then the committed one
        again = step[HALVINGS] == 0.0 and (step[ITERATING] == AT_END
                                           or (step[ITERATING] == AGAIN and _near(c, t, v)))
        loose = LEFT_TO_NEXT if FIRST <= step[ITERATING] <= AGAIN else 0.0
        for level in range(-1 if again else int(step[HALVINGS]), unturned + SUBDIVISIONS + 1):
            plain, turns = SUBDIVISIONS < level < unturned, level <= SUBDIVISIONS
            parts = 1 if plain or level < 0 else 1 << (level if turns else level - unturned)
            if level < 0:
                N, Mi, Mj = t[0], t[1], t[2]
                knn, kni, knj, kii, kij, kjj = t[3], t[4], t[5], t[6], t[7], t[8]
                sn, si, sj = t[DEFORMATION], t[DEFORMATION + 1], t[DEFORMATION + 2]
            elif not plain:
                for j in range(floats * n):
                    e[j] = committed[j]
                # a virgin element has no flexibility and no stiffness yet: its first iteration
                # moves nothing and finds them
                N, Mi, Mj = c[0], c[1], c[2]
                knn, kni, knj, kii, kij, kjj = c[3], c[4], c[5], c[6], c[7], c[8]
                sn, si, sj, energy = c[DEFORMATION], c[DEFORMATION + 1], c[DEFORMATION + 2], 0.0
            for part in range(1, parts + 1):
                tn, ti, tj = v[0], v[1], v[2]
                if part < parts:
                    share = part / parts
                    tn = c[DEFORMATION] + share * (tn - c[DEFORMATION])
                    ti = c[DEFORMATION + 1] + share * (ti - c[DEFORMATION + 1])
                    tj = c[DEFORMATION + 2] + share * (tj - c[DEFORMATION + 2])
                code = NOT_CONVERGED
                # whether the sections had the element's deformation before the move
                compatible = False
                for iteration in range(ITERATIONS):
                    rn, ri, rj = tn - sn, ti - si, tj - sj
                    dn = knn * rn + kni * ri + knj * rj
                    di = kni * rn + kii * ri + kij * rj
                    dj = knj * rn + kij * ri + kjj * rj
                    N, Mi, Mj = N + dn, Mi + di, Mj + dj
                    error = abs(dn * rn) + abs(di * ri) + abs(dj * rj) + energy
                    scale = abs(N * tn) + abs(Mi * ti) + abs(Mj * tj)
                    if iteration == 0:
                        enough = loose * error
                    else:
                        if error > TOLERANCE * scale:
                            scale = size_of_shear(sheared, _size(n, g, e, y))
                        if (error <= max(TOLERANCE * scale, enough)
                                or error <= ROUND_OFF * axial(n, weight, g[ELASTIC_EA])):
                            code = 0
                            break
                    iterations += 1
                    for j in range(n):
                        x = place[j]
                        target[j] = N + load[j]
                        target[n + j] = (x - 1.0) * Mi + x * Mj + load[n + j]
                        dN, dM = target[j] - y[j], target[n + j] - y[n + j]
                        strain, curvature = f[j] * dN + f[n + j] * dM, f[n + j] * dN + f[2 * n
                                                                                         + j] * dM
                        move[j], move[n + j] = strain, curvature
                        e[j] += strain
                        e[n + j] += curvature
                    give_way_in_shear(sheared, (Mi + Mj,), load)
                    start = slope_of_shear(sheared, _slope(n, g, y, target, move)) if compatible else 0.0
                    turned = turns and start > 0.0
                    if turned:
                        start = -start
                        for j in range(2 * n):
                            e[j], move[j] = e[j] - 2.0 * move[j], -move[j]
                        turn_shear_round(sheared)
                    low, high, slope_low, slope_high, side = 0.0, 1.0, start, 0.0, 0
                    at, failed = 1.0, 0
                    for cut in range(CUTS + 1):
                        failed = determine_sections(n, i, p, c, t, rest, e, y, k, step)
                        failed += determine_shear(sheared, p, c, t, rest, step)
                        # (a slope that is only round-off has no least energy)
                        if failed != 0 or not start < -TOLERATED * scale or cut == CUTS:
                            break
                        slope = slope_of_shear(sheared, _slope(n, g, y, target, move))
                        found, to, low, high, slope_low, slope_high, side = cut_back(
                            cut, start, slope, at, low, high, slope_low, slope_high, side, turned)
                        if found:
                            break
                        for j in range(2 * n):
                            e[j] += (to - at) * move[j]
                        go_in_shear(sheared, to - at)
                        at = to
                    if failed != 0:
                        code = NO_SECTION_FORCE
                        break
                    compatible = knn != 0.0 and not plain
                    if not (same(3 * n, k, known) and shear_unchanged(sheared)):
                        for j in range(3 * n):
                            known[j] = k[j]
                        _invert_sections(n, g, k, f)
                        knn, kni, knj, kii, kij, kjj = _stiffness(n, g, f, flexibility_in_shear(sheared, 0))
                        if not math.isfinite(knn + kii + kjj):
                            code = SINGULAR_FLEXIBILITY
                            break
                    sn, si, sj, energy = _compatible(n, g, e, y, f, target)
                    energy, si, sj = compatible_shear(sheared, 0, energy, si, sj)
                if (code == NOT_CONVERGED
                        and error <= max(TOLERATED * scale,
                                         ROUND_OFF_LEFT * axial(n, weight, g[ELASTIC_EA]))):
                    code = 0
                if code != 0:
                    break
            if code == 0:
                t[0], t[1], t[2] = N, Mi, Mj
                t[3], t[4], t[5], t[6], t[7], t[8] = knn, kni, knj, kii, kij, kjj
                t[DEFORMATION], t[DEFORMATION + 1], t[DEFORMATION + 2] = v[0], v[1], v[2]
                return 0
        w[0], w[1], w[2], w[3] = float(code), float(iterations), error, scale
        return code

    return Kernel(determination, BASIC_SIGNATURE,
                  f"{__name__}.force_based_{points}{'_shear' if shear else ''}")
