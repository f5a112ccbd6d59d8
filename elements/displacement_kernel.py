"""Kernel of displacement-based beam-columns, in the plane and in space.

Basic deformation a of the member and component of its sections belong together as in
`femu.elements.space_sections`; in the plane ::

    a              elongation   at i   at j
    component      N            M      M

With the factors b_a(x) by which v_a deforms the section at x, weights w and member loads Q_0 ::

    e(x) = b_a(x) v_a,    Q_a = sum of w L b_a s + Q_0a,    K_ab = sum of w L b_a b_b k
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from femu.elements import space_sections
from femu.elements.sections import determine_sections
from femu.engine.element_kernels import BASIC_SIGNATURE
from femu.kernels import Kernel, shift

PLANE_COMPONENT = (0, 1, 1)  # of each basic deformation
PLANE_ENTRY = ((0, 1), (1, 2))  # places in the upper triangle of a section's matrix


def strains_at(dimensions: int) -> int:
    """Where the deformations of the sections begin in the state, after basic force, basic
    stiffness and deformation; by points: deformations, forces; then the histories."""
    basic = 3 if dimensions == 2 else space_sections.BASIC
    return 2 * basic + basic * (basic + 1) // 2


def work_floats(dimensions: int) -> int:
    """Floats of workspace by points: the stiffness of a section."""
    return 3 if dimensions == 2 else space_sections.TRIANGLE


def constants(length: float, places: Sequence[float], weights: Sequence[float],
              dimensions: int) -> list[float]:
    """The geometry vector that the kernel reads: weights w L and the factors b_a, by points."""
    along = [1.0 / length] * len(places)
    left = [(6.0 * x - 4.0) / length for x in places]
    right = [(6.0 * x - 2.0) / length for x in places]
    bent = [*left, *right] if dimensions == 2 else [*left, *right, *left, *right, *along]
    return [*(w * length for w in weights), *along, *bent]


@cache
def displacement_based(points: int, dimensions: int) -> Kernel:
    """Basic kernel for a number of points: a constant, so that the loops over the points unroll."""
    n = points
    in_plane = dimensions == 2
    component = PLANE_COMPONENT if in_plane else space_sections.COMPONENT
    entry = PLANE_ENTRY if in_plane else space_sections.ENTRY
    basic, components, matrix_floats = len(component), len(entry), work_floats(dimensions)
    deformation, strains = strains_at(dimensions) - basic, strains_at(dimensions)

    def determination(i, g, p, c, t, w, v, rate, step, load):
        weight, factor = g, shift(g, n)
        e, y, k = shift(t, strains), shift(t, strains + components * n), w
        for j in range(components * n):
            e[j] = 0.0
        for a in range(basic):
            for j in range(n):
                e[component[a] * n + j] += factor[a * n + j] * v[a]
        failed = determine_sections(n, i, p, c, t, shift(w, matrix_floats * n), e, y, k, step,
                                    components)
        place = basic
        for a in range(basic):
            total = load[a]
            for j in range(n):
                total += weight[j] * factor[a * n + j] * y[component[a] * n + j]
            t[a], t[deformation + a] = total, v[a]
            for b in range(a, basic):
                at = entry[component[a]][component[b]] * n
                value = 0.0
                for j in range(n):
                    value += weight[j] * factor[a * n + j] * factor[b * n + j] * k[at + j]
                t[place] = value
                place += 1
        if failed != 0:
            w[0], w[1], w[2], w[3] = 1.0, 0.0, 0.0, 0.0
        return failed

    return Kernel(determination, BASIC_SIGNATURE,
                  f"{__name__}.displacement_based_{points}_{dimensions}")
