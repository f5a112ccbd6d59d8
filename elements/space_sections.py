"""Sections along a member in space: how the six basic deformations and forces of the member reach
their four components.

Component and basic deformation a belong together by ::

    a              elongation   z at i   z at j   y at i   y at j   twist
    component      N            Mz       Mz       My       My       T

so that force- and displacement-based members differ only in the factors by which a section at x
takes part: b_a(x). Matrices are upper triangles row by row; vectors over n points are stored
component by component.
"""

from __future__ import annotations

from femu.kernels import inlined

BASIC, COMPONENTS = 6, 4
BASIC_TRIANGLE, TRIANGLE = BASIC * (BASIC + 1) // 2, COMPONENTS * (COMPONENTS + 1) // 2
COMPONENT = (0, 1, 1, 2, 2, 3)  # of each basic deformation
# places in the upper triangle of a section's matrix
ENTRY = ((0, 1, 2, 3), (1, 4, 5, 6), (2, 5, 7, 8), (3, 6, 8, 9))
DEFORMATIONS = ("axial_strain", "curvature_z", "curvature_y", "twist")
FORCES = ("N", "Mz", "My", "T")
PAIRS = tuple(f"{a}_{b}" for at, a in enumerate(FORCES) for b in FORCES[at:])


@inlined
def integrate(n, weight, factor, matrix, total):
    """Upper triangle over the basic system.

    Sum of w b_a b_b times the sections' entry for the components of a and b.
    """
    entry = 0
    for a in range(BASIC):
        for b in range(a, BASIC):
            at = ENTRY[COMPONENT[a]][COMPONENT[b]] * n
            value = 0.0
            for j in range(n):
                value += weight[j] * factor[a * n + j] * factor[b * n + j] * matrix[at + j]
            total[entry] = value
            entry += 1


@inlined
def invert(size, a, inverse, work):
    """Inverse of a symmetric matrix by L D L^T, both full rows of ``size``; the least pivot over
    its diagonal, by size.

    ``work`` holds ``size`` squared numbers.
    """
    least = 1.0
    for r in range(size):
        for c in range(size):
            work[r * size + c] = a[r * size + c]
            inverse[r * size + c] = 1.0 if r == c else 0.0
    for k in range(size):
        pivot = work[k * size + k]
        diagonal = abs(a[k * size + k])
        if diagonal > 0.0:
            least = min(least, abs(pivot) / diagonal)
        else:
            least = 0.0
        if pivot == 0.0:
            return 0.0
        for r in range(size):
            if r != k:
                ratio = work[r * size + k] / pivot
                if ratio != 0.0:
                    for c in range(k + 1, size):
                        work[r * size + c] -= ratio * work[k * size + c]
                    for c in range(size):
                        inverse[r * size + c] -= ratio * inverse[k * size + c]
    for k in range(size):
        for c in range(size):
            inverse[k * size + c] /= work[k * size + k]
    return least
