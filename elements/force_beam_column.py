"""Force-based beam-column."""

from __future__ import annotations

import numpy as np

from femu.element import Array, Plan
from femu.elements.force_kernel import STRAINS, WORK_FLOATS, force_based, section_constants
from femu.elements.frame_element import BASIC_STATE
from femu.elements.sectioned_element import SectionedElement
from femu.elements.space_force_kernel import POINTS as SPACE_POINTS
from femu.elements.space_force_kernel import STRAINS as SPACE_STRAINS
from femu.elements.space_force_kernel import WORK_FLOATS as SPACE_FLOATS
from femu.elements.space_force_kernel import section_constants as space_constants
from femu.elements.space_force_kernel import space_force_based
from femu.elements.space_member import SPACE_STATE
from femu.elements.space_sections import DEFORMATIONS, FORCES, PAIRS
from femu.kernels import Kernel
from femu.loads import PointLoad, UniformLoad

_BY_POINTS = ("axial_strain", "curvature", "N", "M", "f_NN", "f_NM", "f_MM", "k_NN", "k_NM", "k_MM")
_BY_POINTS_IN_SPACE = (*DEFORMATIONS, *FORCES, *(f"f_{pair}" for pair in PAIRS), *(f"k_{pair}" for pair in PAIRS))
assert len(BASIC_STATE) == STRAINS and len(SPACE_STATE) == SPACE_STRAINS


class ForceBeamColumn(SectionedElement):
    """Force-based beam-column: equilibrium holds exactly along the member, compatibility on average.

    With the basic forces q = (N, Mi, Mj) the forces of the section at x are ::

        N(x) = N + N_load(x),     M(x) = (x/L - 1) Mi + (x/L) Mj + M_load(x)

    and the deformations of the sections, integrated with the same functions, must give the deformations v of the
    basic system. The state determination (Spacone, Filippou, Taucer 1996; Neuenhofer, Filippou 1997) iterates from
    the committed state: forces from the compatibility error by the element's stiffness, deformations of the
    sections from their unbalance by their flexibility, until the energy of the error is negligible. The answer makes
    the energy of the sections least among all deformations that fit v, so a move beyond the least energy on its line
    is cut back: without softening any step, however large, has its answer. Where the iteration still fails, the
    increment is divided by 2, 4, ... 64. The stiffness is the inverse of the integrated flexibility; a section
    without stiffness counts with 1e-8 of its elastic one. One element a member is enough. In space Mz(x) and My(x) follow
    from their end moments in the same way, and T is constant. OpenSees: ``forceBeamColumn``.
    """

    def basic_kernel(self) -> Kernel:
        return force_based(self.section_count)

    def basic_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        n = len(along.places)
        before = [f"section[{p}].{v}" for v in _BY_POINTS for p in range(n)]
        sections = self.lay_out_sections(along, before)
        EA, EI = sections.stiffness
        constants = section_constants(length, EA, EI, along.places, along.weights)
        return sections.integers, constants, before + sections.histories, sections.workspace + WORK_FLOATS * n, 2 * n

    def basic_load(self, load: UniformLoad | PointLoad, length: float, plan: Plan) -> Array:
        x = np.array(self.along(length).places) * length
        return np.concatenate([_axial(load, x, length), _moment(load, load.y, x, length)])

    def space_kernel(self) -> Kernel:
        return space_force_based(self.section_count)

    def space_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        n = len(along.places)
        before = [f"section[{p}].{v}" for v in _BY_POINTS_IN_SPACE for p in range(n)]
        sections = self.lay_out_sections(along, before, in_space=True)
        constants = space_constants(length, sections.stiffness, along.places, along.weights)
        workspace = SPACE_POINTS + SPACE_FLOATS * n + sections.workspace
        return sections.integers, constants, before + sections.histories, workspace, 3 * n

    def space_load(self, load: UniformLoad | PointLoad, length: float, plan: Plan) -> Array:
        x = np.array(self.along(length).places) * length
        return np.concatenate([_axial(load, x, length), _moment(load, load.y, x, length), -_moment(load, load.z, x, length)])


def _axial(load: UniformLoad | PointLoad, x: Array, length: float) -> Array:
    """Axial force of the sections at x by a member load, with end j free to move along the member."""
    if isinstance(load, UniformLoad):
        return load.x * (length - x)
    # N jumps under the load: a section right there takes the mean, one at an end what the member has
    a = load.at * length
    return load.x * np.where(x == a, 0.5 if 0.0 < load.at < 1.0 else load.at, x < a)


def _moment(load: UniformLoad | PointLoad, across: float, x: Array, length: float) -> Array:
    """Moment of the sections at x by the part of a member load across it, of a simply supported member."""
    if isinstance(load, UniformLoad):
        return 0.5 * across * x * (x - length)
    return -across * np.where(x < load.at * length, (1.0 - load.at) * x, load.at * (length - x))
