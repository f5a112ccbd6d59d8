"""Displacement-based beam-column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np

from femu.elements.beam_column import BASIC_STATE
from femu.elements.displacement_kernel import (
    constants,
    displacement_based,
    strains_at,
    work_floats,
)
from femu.elements.member_loads import MemberLoad, clamped_forces, clamped_in_space
from femu.elements.quadrature import Hinges, Stations
from femu.elements.section_beam_column import SectionedElement
from femu.elements.space_member import SPACE_STATE
from femu.elements.space_sections import DEFORMATIONS, FORCES
from femu.kernels import Kernel
from femu.model.element import Array, Plan, Shared
from femu.support.errors import InputError

_BY_POINTS = {2: ("axial_strain", "curvature", "N", "M"), 3: (*DEFORMATIONS, *FORCES)}
assert len(BASIC_STATE) == strains_at(2) and len(SPACE_STATE) == strains_at(3)


class DisplacementBeamColumn(SectionedElement):
    """Displacement-based beam-column: compatibility holds exactly along the member, equilibrium on
    average.

    The displacements are interpolated, linearly along the member and by cubic Hermite polynomials
    across it, so that at the share x of the length ::

        axial strain = v_N / L,     curvature = ((6 x - 4) v_i + (6 x - 2) v_j) / L

    and the basic forces are the forces of the sections, integrated with the same functions. Member
    loads act by the forces of the clamped elastic bar. Curvature is linear in a member: divide it
    where it yields. In space both curvatures are interpolated alike, and the twist is v_T / L. The
    interpolation has no shear strain: shear laws of sections take no part. OpenSees:
    ``dispBeamColumn``.
    """

    _: KW_ONLY
    integration: str | Hinges | Stations = "legendre"

    by_chord: ClassVar[bool] = True

    def validate_member(self) -> None:
        if isinstance(self.integration, Hinges):
            raise InputError(
                self.label(),
                "integration",
                self.integration,
                "must be the name of a rule",
                fix="use a ForceBeamColumn: plastic hinges need its force distribution",
            )
        super().validate_member()

    def _plan(
        self, length: float, shared: Shared, dimensions: int
    ) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        n = len(along.places)
        sections = self.lay_out_sections(
            along, _BY_POINTS[dimensions], shared, in_space=dimensions == 3
        )
        return (
            sections.integers,
            constants(length, along.places, along.weights, dimensions),
            sections.state,
            sections.workspace + max(work_floats(dimensions) * n, 4),
            3 if dimensions == 2 else 6,
        )

    def basic_kernel(self) -> Kernel:
        return displacement_based(self.section_count, 2)

    def basic_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        return self._plan(length, shared, 2)

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return np.array(clamped_forces(load, length))

    def space_kernel(self) -> Kernel:
        return displacement_based(self.section_count, 3)

    def space_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        return self._plan(length, shared, 3)

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return clamped_in_space(load, length)
