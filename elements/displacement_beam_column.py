"""Displacement-based beam-column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from functools import cache

import numpy as np

from femu import context as slot
from femu.element import Array, Plan
from femu.elements.frame_element import BASIC_STATE
from femu.elements.member_loads import MemberLoad, clamped_forces, clamped_in_space
from femu.elements.quadrature import Hinges, Stations
from femu.elements.sectioned_element import SectionedElement
from femu.elements.sections import determine_sections
from femu.elements.space_displacement_kernel import STRAINS as SPACE_STRAINS
from femu.elements.space_displacement_kernel import WORK_FLOATS as SPACE_FLOATS
from femu.elements.space_displacement_kernel import section_constants as space_constants
from femu.elements.space_displacement_kernel import space_displacement_based
from femu.elements.space_member import SPACE_STATE
from femu.elements.space_sections import DEFORMATIONS, FORCES
from femu.errors import InputError
from femu.kernels import Kernel, shift

# geometry: 1/L, then by points the weights w L, and the curvatures by the rotations at i and j
INVERSE, WEIGHTS = 0, 1
# state: basic force (3), basic stiffness (6), deformation (3); by points: axial strain, curvature, N, M; histories
STRAINS = 12
WORK_FLOATS = 3  # workspace by points: section stiffness
_BY_POINTS = ("axial_strain", "curvature", "N", "M")
assert len(BASIC_STATE) == STRAINS and len(SPACE_STATE) == SPACE_STRAINS


@cache
def displacement_based(points: int) -> Kernel:
    """Basic kernel for a number of points: a constant, so that the loops over the points unroll."""
    n = points

    def determination(i, g, p, c, t, w, v, rate, step, load):
        weight, by_i, by_j = shift(g, WEIGHTS), shift(g, WEIGHTS + n), shift(g, WEIGHTS + 2 * n)
        e, y, k = shift(t, STRAINS), shift(t, STRAINS + 2 * n), w
        inverse = g[INVERSE]
        for j in range(n):
            e[j] = v[0] * inverse
            e[n + j] = by_i[j] * v[1] + by_j[j] * v[2]
        failed = determine_sections(n, i, p, c, t, shift(w, WORK_FLOATS * n), e, y, k, step)
        N, Mi, Mj = load[0], load[1], load[2]
        knn, kni, knj, kii, kij, kjj = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            axial, left, right = weight[j] * inverse, weight[j] * by_i[j], weight[j] * by_j[j]
            N += axial * y[j]
            Mi += left * y[n + j]
            Mj += right * y[n + j]
            knn += axial * inverse * k[j]
            kni += axial * by_i[j] * k[n + j]
            knj += axial * by_j[j] * k[n + j]
            kii += left * by_i[j] * k[2 * n + j]
            kij += left * by_j[j] * k[2 * n + j]
            kjj += right * by_j[j] * k[2 * n + j]
        t[0], t[1], t[2] = N, Mi, Mj
        t[3], t[4], t[5], t[6], t[7], t[8] = knn, kni, knj, kii, kij, kjj
        t[9], t[10], t[11] = v[0], v[1], v[2]
        if failed != 0:
            w[0], w[1], w[2], w[3] = 1.0, 0.0, 0.0, 0.0
        return failed

    return Kernel(determination, slot.BASIC_SIGNATURE, f"{__name__}.displacement_based_{points}")


class DisplacementBeamColumn(SectionedElement):
    """Displacement-based beam-column: compatibility holds exactly along the member, equilibrium on average.

    The displacements are interpolated, linearly along the member and by cubic Hermite polynomials across it, so that
    at the share x of the length ::

        axial strain = v_N / L,     curvature = ((6 x - 4) v_i + (6 x - 2) v_j) / L

    and the basic forces are the forces of the sections, integrated with the same functions. Member loads act by the
    forces of the clamped elastic bar. Curvature is linear in a member: divide it where it yields. In space both curvatures
    are interpolated alike, and the twist is v_T / L. The interpolation has no shear strain: shear laws of sections take no part.
    OpenSees: ``dispBeamColumn``.
    """

    _: KW_ONLY
    integration: str | Hinges | Stations = "legendre"

    def validate_member(self) -> None:
        if isinstance(self.integration, Hinges):
            raise InputError(self.label(), "integration", self.integration, "must be the name of a rule",
                             "plastic hinges need the force distribution of a ForceBeamColumn")
        super().validate_member()

    def basic_kernel(self) -> Kernel:
        return displacement_based(self.section_count)

    def basic_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        x, weights, n = np.array(along.places), np.array(along.weights), len(along.places)
        before = [f"section[{p}].{v}" for v in _BY_POINTS for p in range(n)]
        sections = self.lay_out_sections(along, before)
        constants = np.concatenate([
            [1.0 / length], weights * length, (6.0 * x - 4.0) / length, (6.0 * x - 2.0) / length])
        return (sections.integers, [float(v) for v in constants], before + sections.histories,
                sections.workspace + max(WORK_FLOATS * n, 4), 3)

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return np.array(clamped_forces(load, length))

    def space_kernel(self) -> Kernel:
        return space_displacement_based(self.section_count)

    def space_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        n = len(along.places)
        before = [f"section[{p}].{v}" for v in (*DEFORMATIONS, *FORCES) for p in range(n)]
        sections = self.lay_out_sections(along, before, in_space=True)
        return (sections.integers, space_constants(length, along.places, along.weights), before + sections.histories,
                sections.workspace + SPACE_FLOATS * n, 6)

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return clamped_in_space(load, length)
