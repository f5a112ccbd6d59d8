"""Shear as a component of the sections of force-based members, in the plane and in space.

The force-based kernels iterate on N and M of their sections. Shear is a component of its own: along
an axis the shear force is the derivative of the moment, V(x) = (Mi + Mj)/L + V_load(x), and does
work on the shear strain. So it needs nothing of the other components, and both end rotations of the
axis gain the same share of it ::

    strain += f (V - V_section),    turn = sum of w L (strain + f (V - V_section))/L

`section_shear` makes the functions that do this at n points, for no axis (they do nothing), one
axis (plane) or two (space).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from femu.elements.sections import determine_sections
from femu.kernels import inlined, shift

FLOOR = 1e-8  # least stiffness of a section, relative to the elastic one; less is given this much
# by points, axis by axis. State: shear strain, V, flexibility, stiffness. Workspace: stiffness,
# target force, move
SHEAR_FLOATS, SHEAR_WORK = 4, 3
# axis by axis: GA of the virgin section, then by points 1/L, or 0 at a section without shear


def shear_constants(length: float, GA: float, present: tuple[bool, ...]) -> list[float]:
    """What the kernel reads besides for shear along one axis: of which points have it."""
    return [GA, *(1.0 / length if has else 0.0 for has in present)]


class SectionShear(NamedTuple):
    """What a force-based kernel does about shear; sums take the sum so far and return the new one."""

    size: Callable[..., Any]  # elastic energy of the sections
    give_way: Callable[..., Any]  # target forces and moves, from the sums of the end moments
    slope: Callable[..., Any]  # derivative of the energy along the move
    turn_round: Callable[..., Any]  # the move
    go: Callable[..., Any]  # farther along the move, by a share of it
    determine: Callable[..., Any]  # forces and stiffnesses; number of failures
    unchanged: Callable[..., Any]  # whether all stiffnesses are those known
    flexibility: Callable[..., Any]  # of the member along an axis, for each pair of end moments
    compatible: Callable[..., Any]  # energy of the error and rotations of the two ends, of an axis


@inlined
def same(n, x, y):
    """Whether two vectors are equal."""
    for j in range(n):
        if x[j] != y[j]:
            return False
    return True


@cache
def section_shear(points: int, axes: int, loads: int) -> SectionShear:
    """The functions for a number of points and axes.

    ``loads`` is the first component of the member loads that is a shear force. The functions take
    ``s``, which says where the data of a member begin: (tables of the laws among the integers,
    weights w L, constants, state, workspace).
    """
    n, floats, work = points, SHEAR_FLOATS * points, SHEAR_WORK * points
    constants = 1 + points

    @inlined
    def size(s, total):
        for axis in range(axes):
            weight, e, y = s[1], shift(s[3], axis * floats), shift(s[3], axis * floats + n)
            GA, found = s[2][axis * constants], 0.0
            for j in range(n):
                found += weight[j] * (GA * e[j] * e[j] + y[j] * y[j] / GA)
            total += found
        return total

    @inlined
    def give_way(s, ends, load):
        for axis in range(axes):
            e, y, f = (shift(s[3], axis * floats), shift(s[3], axis * floats + n),
                       shift(s[3], axis * floats + 2 * n))
            target, move = shift(s[4], axis * work + n), shift(s[4], axis * work + 2 * n)
            factor, by_ends = shift(s[2], axis * constants + 1), ends[axis]
            for j in range(n):
                target[j] = by_ends * factor[j] + load[(loads + axis) * n + j]
                move[j] = f[j] * (target[j] - y[j])
                e[j] += move[j]

    @inlined
    def slope(s, total):
        found = 0.0
        for axis in range(axes):
            weight, y = s[1], shift(s[3], axis * floats + n)
            target, move = shift(s[4], axis * work + n), shift(s[4], axis * work + 2 * n)
            of_axis = 0.0
            for j in range(n):
                of_axis += weight[j] * (y[j] - target[j]) * move[j]
            found += of_axis
        return total + found if axes > 0 else total

    @inlined
    def turn_round(s):
        for axis in range(axes):
            e, move = shift(s[3], axis * floats), shift(s[4], axis * work + 2 * n)
            for j in range(n):
                e[j], move[j] = e[j] - 2.0 * move[j], -move[j]

    @inlined
    def go(s, share):
        for axis in range(axes):
            e, move = shift(s[3], axis * floats), shift(s[4], axis * work + 2 * n)
            for j in range(n):
                e[j] += share * move[j]

    @inlined
    def determine(s, p, c, t, w, step):
        failed = 0
        for axis in range(axes):
            e, k = shift(s[3], axis * floats), shift(s[4], axis * work)
            failed += determine_sections(n, shift(s[0], s[0][axis]), p, c, t, w, e, shift(e, n), k,
                                         step, 1)
        return failed

    @inlined
    def unchanged(s):
        for axis in range(axes):
            if not same(n, shift(s[4], axis * work), shift(s[3], axis * floats + 3 * n)):
                return False
        return True

    @inlined
    def flexibility(s, axis):
        total = 0.0
        if axis < axes:
            f, known = shift(s[3], axis * floats + 2 * n), shift(s[3], axis * floats + 3 * n)
            k, weight, factor = shift(s[4], axis * work), s[1], shift(s[2], axis * constants + 1)
            GA = s[2][axis * constants]
            for j in range(n):
                known[j] = k[j]
            for j in range(n):
                f[j] = 1.0 / (k[j] if abs(k[j]) > FLOOR * GA else k[j] + FLOOR * GA)
            for j in range(n):
                total += weight[j] * factor[j] * factor[j] * f[j]
        return total

    @inlined
    def compatible(s, axis, energy, i, j):
        if axis < axes:
            e, y, f = (shift(s[3], axis * floats), shift(s[3], axis * floats + n),
                       shift(s[3], axis * floats + 2 * n))
            weight, factor = s[1], shift(s[2], axis * constants + 1)
            target, turn, error = shift(s[4], axis * work + n), 0.0, 0.0
            for q in range(n):
                dV = target[q] - y[q]
                error += weight[q] * dV * dV * f[q]
                turn += weight[q] * factor[q] * (e[q] + f[q] * dV)
            return energy + abs(error), i + turn, j + turn
        return energy, i, j

    return SectionShear(size, give_way, slope, turn_round, go, determine, unchanged, flexibility,
                        compatible)
