"""Force-based beam-column."""

from __future__ import annotations

import numpy as np

from femu.element import Array, Plan
from femu.elements.force_kernel import STRAINS, WORK_FLOATS, force_based, section_constants
from femu.elements.frame_element import BASIC_STATE
from femu.elements.sectioned_element import SectionedElement
from femu.kernels import Kernel
from femu.loads import PointLoad, UniformLoad

_BY_POINTS = ("axial_strain", "curvature", "N", "M", "f_NN", "f_NM", "f_MM", "k_NN", "k_NM", "k_MM")
assert len(BASIC_STATE) == STRAINS


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
    without stiffness counts with 1e-8 of its elastic one. One element a member is enough. OpenSees:
    ``forceBeamColumn``.
    """

    def basic_kernel(self) -> Kernel:
        return force_based(self.section_count)

    def basic_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        along = self.along(length)
        n = len(along.places)
        before = [f"section[{p}].{v}" for v in _BY_POINTS for p in range(n)]
        sections = self.lay_out_sections(along, before)
        constants = section_constants(length, *sections.stiffness, along.places, along.weights)
        return sections.integers, constants, before + sections.histories, sections.workspace + WORK_FLOATS * n, 2 * n

    def basic_load(self, load: UniformLoad | PointLoad, length: float, plan: Plan) -> Array:
        x = np.array(self.along(length).places) * length
        if isinstance(load, UniformLoad):
            return np.concatenate([load.x * (length - x), 0.5 * load.y * x * (x - length)])
        a = load.at * length
        # N jumps under the load: a section right there takes the mean, one at an end what the member has
        before = np.where(x == a, 0.5 if 0.0 < load.at < 1.0 else load.at, x < a)
        moment = np.where(x < a, (1.0 - load.at) * x, load.at * (length - x))
        return np.concatenate([load.x * before, -load.y * moment])
