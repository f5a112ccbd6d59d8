"""The displacement-based beam-column in space: `femu.elements.displacement_beam_column` with four components a section."""

from __future__ import annotations

from functools import cache

from femu import context as slot
from femu.elements.sections import determine_sections
from femu.elements.space_sections import BASIC, BASIC_TRIANGLE, COMPONENT, COMPONENTS, TRIANGLE, integrate
from femu.kernels import Kernel, shift

# state: basic force, basic stiffness, deformation; by points: deformations, forces; histories
STIFFNESS, DEFORMATION, STRAINS = BASIC, BASIC + BASIC_TRIANGLE, 2 * BASIC + BASIC_TRIANGLE
WORK_FLOATS = TRIANGLE  # workspace by points: section stiffness


def section_constants(length: float, places: tuple[float, ...], weights: tuple[float, ...]) -> list[float]:
    """The geometry vector that the kernel reads: weights w L and the factors b_a by points."""
    along = [1.0 / length] * len(places)
    left, right = [(6.0 * x - 4.0) / length for x in places], [(6.0 * x - 2.0) / length for x in places]
    return [*(w * length for w in weights), *along, *left, *right, *left, *right, *along]


@cache
def space_displacement_based(points: int) -> Kernel:
    """Basic kernel for a number of points."""
    n, components = points, COMPONENTS

    def determination(i, g, p, c, t, w, v, rate, step, load):
        weight, factor = g, shift(g, n)
        e, y, k = shift(t, STRAINS), shift(t, STRAINS + components * n), w
        for j in range(components * n):
            e[j] = 0.0
        for a in range(BASIC):
            for j in range(n):
                e[COMPONENT[a] * n + j] += factor[a * n + j] * v[a]
        failed = determine_sections(n, i, p, c, t, shift(w, WORK_FLOATS * n), e, y, k, step, components)
        for a in range(BASIC):
            total = load[a]
            for j in range(n):
                total += weight[j] * factor[a * n + j] * y[COMPONENT[a] * n + j]
            t[a], t[DEFORMATION + a] = total, v[a]
        integrate(n, weight, factor, k, shift(t, STIFFNESS))
        if failed != 0:
            w[0], w[1], w[2], w[3] = 1.0, 0.0, 0.0, 0.0
        return failed

    return Kernel(determination, slot.BASIC_SIGNATURE, f"{__name__}.space_displacement_based_{points}")
