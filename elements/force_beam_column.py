"""Force-based beam-column."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from femu.elements.beam_column import BASIC_STATE
from femu.elements.force_kernel import (
    STRAINS,
    WORK_FLOATS,
    force_based,
    section_constants,
)
from femu.elements.member_loads import MemberLoad, axial_force, moment, shear_force
from femu.elements.section_beam_column import (
    SectionedElement,
    last_stiffness,
    shear_stiffness,
)
from femu.elements.section_shear import SHEAR_WORK, shear_constants
from femu.elements.space_force_kernel import POINTS as SPACE_POINTS
from femu.elements.space_force_kernel import STRAINS as SPACE_STRAINS
from femu.elements.space_force_kernel import WORK_FLOATS as SPACE_FLOATS
from femu.elements.space_force_kernel import section_constants as space_constants
from femu.elements.space_force_kernel import space_force_based
from femu.elements.space_member import SPACE_STATE
from femu.elements.space_sections import DEFORMATIONS, FORCES, PAIRS
from femu.kernels import Kernel
from femu.model.element import Array, Plan, Shared

_BY_POINTS = ("axial_strain", "curvature", "N", "M", "f_NN", "f_NM", "f_MM", "k_NN", "k_NM", "k_MM")
_SHEAR = ("shear_strain", "V", "f_VV", "k_VV")
_SHEAR_IN_SPACE = (
    "shear_strain_y",
    "Vy",
    "f_Vy_Vy",
    "k_Vy_Vy",
    "shear_strain_z",
    "Vz",
    "f_Vz_Vz",
    "k_Vz_Vz",
)
_BY_POINTS_IN_SPACE = (
    *DEFORMATIONS,
    *FORCES,
    *(f"f_{pair}" for pair in PAIRS),
    *(f"k_{pair}" for pair in PAIRS),
)
assert len(BASIC_STATE) == STRAINS and len(SPACE_STATE) == SPACE_STRAINS


class ForceBeamColumn(SectionedElement):
    """Force-based beam-column: equilibrium holds exactly along the member, compatibility on
    average.

    With the basic forces q = (N, Mi, Mj) the forces of the section at x are ::

        N(x) = N + N_load(x),     M(x) = (x/L - 1) Mi + (x/L) Mj + M_load(x)

    and the deformations of the sections, integrated with the same functions, must give the
    deformations v of the basic system. The state determination (Spacone, Filippou, Taucer 1996;
    Neuenhofer, Filippou 1997) iterates from the committed state: forces from the compatibility
    error by the element's stiffness, deformations of the sections from their unbalance by their
    flexibility, until the energy of the error is negligible. The answer makes the energy of the
    sections least among all deformations that fit v, so a move beyond the least energy on its line
    is cut back: without softening any step, however large, has its answer. A move along which the
    energy rises is turned round: it leads back to a state that has no least energy, as a section
    after its peak falls faster than the others give way. If the iteration still fails, the
    increment is divided by 2, 4, ... 64; then it continues without cutting back, which finds an
    equilibrium beyond a jump of a law; at last no move is turned round. A step that does not
    converge is repeated with the increment divided by 4 and 16 from the start (`Policy`), so that
    a member with several answers keeps to one of them. The stiffness is the
    inverse of the integrated flexibility; a section without stiffness counts with 1e-8 of its
    elastic one. One element a member is enough. In space Mz(x) and My(x) follow from their end
    moments in the same way, and T is constant. OpenSees: ``forceBeamColumn``.

    Where sections deform in shear (`SectionWithShear`, or an `ElasticSection` with ``alpha_y``), so
    does the member: the shear force is the derivative of the moment, V(x) = (Mi + Mj)/L +
    V_load(x), in space Vy of Mz and Vz of My.
    """

    by_chord: ClassVar[bool] = True
    divisible: ClassVar[bool] = True

    def basic_kernel(self) -> Kernel:
        return force_based(self.section_count, self.in_shear)

    def basic_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        along, shear = self.along(length), "y" if self.in_shear else ""
        n = len(along.places)
        variables = (*_BY_POINTS, *(_SHEAR if shear else ()))
        sections = self.lay_out_sections(along, variables, shared, shear=shear)
        EA, EI = last_stiffness(along, shared)
        constants = section_constants(length, EA, EI, along.places, along.weights)
        for axis in shear:
            constants += shear_constants(length, *shear_stiffness(along, axis, shared))
        return (
            sections.integers,
            constants,
            sections.state,
            sections.workspace + (WORK_FLOATS + len(shear) * SHEAR_WORK) * n,
            (2 + len(shear)) * n,
        )

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        x = np.array(self.along(length).places) * length
        found = [axial_force(load, x, length), moment(load, "y", x, length)]
        if self.in_shear:
            found.append(shear_force(load, "y", x, length) * self._sheared("y", length))
        return np.concatenate(found)

    def space_kernel(self) -> Kernel:
        return space_force_based(self.section_count, self.in_shear)

    def space_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        along, shear = self.along(length), "yz" if self.in_shear else ""
        n = len(along.places)
        variables = (*_BY_POINTS_IN_SPACE, *(_SHEAR_IN_SPACE if shear else ()))
        sections = self.lay_out_sections(along, variables, shared, in_space=True, shear=shear)
        elastic = last_stiffness(along, shared, in_space=True)
        constants = space_constants(length, elastic, along.places, along.weights)
        for axis in shear:
            constants += shear_constants(length, *shear_stiffness(along, axis, shared))
        workspace = SPACE_POINTS + (SPACE_FLOATS + len(shear) * SHEAR_WORK) * n + sections.workspace
        return (
            sections.integers,
            constants,
            sections.state,
            workspace,
            (3 + len(shear)) * n,
        )

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        x = np.array(self.along(length).places) * length
        found = [
            axial_force(load, x, length),
            moment(load, "y", x, length),
            -moment(load, "z", x, length),
        ]
        if self.in_shear:
            found += [
                sign * shear_force(load, axis, x, length) * self._sheared(axis, length)
                for axis, sign in (("y", 1.0), ("z", -1.0))
            ]
        return np.concatenate(found)

    def _sheared(self, axis: str, length: float) -> Array:
        """By points, 1 if the section deforms in shear along an axis, and 0 elsewhere."""
        runs = self.along(length).runs
        return np.array(
            [
                float(axis in section.shear_laws())
                for _, section, count in runs
                for _ in range(count)
            ]
        )
