"""Elastic beam-column."""

from __future__ import annotations

from dataclasses import KW_ONLY

import numpy as np

from femu import context as slot
from femu.component import Constitutive, Section
from femu.element import Array, Plan
from femu.elements.frame_element import FrameElement, clamped_forces
from femu.errors import InputError
from femu.kernels import Kernel, kernel
from femu.loads import PointLoad, UniformLoad
from femu.materials.elastic_section import ElasticSection

# integers: where the section's parameters E, A, I begin; geometry: length, then the factors of EI/L in k_ii, k_ij, k_jj
SECTION_P = 0
LENGTH, BENDING = 0, 1

# factors of EI/L by (released at i, released at j)
_FACTORS = {(False, False): (4.0, 2.0, 4.0), (True, False): (0.0, 0.0, 3.0), (False, True): (3.0, 0.0, 0.0),
            (True, True): (0.0, 0.0, 0.0)}


@kernel(slot.BASIC_SIGNATURE)
def _elastic(i, g, p, c, t, w, v, rate, step, load):
    E, A, I = p[i[SECTION_P]], p[i[SECTION_P] + 1], p[i[SECTION_P] + 2]
    axial, bending = E * A / g[LENGTH], E * I / g[LENGTH]
    kii, kij, kjj = g[BENDING] * bending, g[BENDING + 1] * bending, g[BENDING + 2] * bending
    t[0] = axial * v[0] + load[0]
    t[1] = kii * v[1] + kij * v[2] + load[1]
    t[2] = kij * v[1] + kjj * v[2] + load[2]
    t[3], t[4], t[5], t[6], t[7], t[8] = axial, 0.0, 0.0, kii, kij, kjj
    t[9], t[10], t[11] = v[0], v[1], v[2]
    return 0


class ElasticBeamColumn(FrameElement):
    """Prismatic elastic beam-column (Euler-Bernoulli); OpenSees' ``elasticBeamColumn``.

    ::

        N = EA/L v_N + N0,    Mi = EI/L (4 v_i + 2 v_j) + Mi0,    Mj = EI/L (2 v_i + 4 v_j) + Mj0

    with the forces N0, Mi0, Mj0 of the member loads on the clamped bar. ``release_i`` and ``release_j`` are hinges: the
    moment there is zero, and its rotation is condensed out, which leaves 3 EI/L at the other end, or no bending at all.
    A node whose members are all released there has no rotational stiffness: fix its rotation.
    """

    _: KW_ONLY
    section: Section
    release_i: bool = False
    release_j: bool = False

    def validate_member(self) -> None:
        if not isinstance(self.section, ElasticSection):
            raise InputError(self.label(), "section", self.section, "must be an ElasticSection",
                             "ForceBeamColumn and DisplacementBeamColumn take any section")
        for name in ("release_i", "release_j"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise InputError(self.label(), name, getattr(self, name), "must be True or False")

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("section", self.section)]

    def basic_kernel(self) -> Kernel:
        return _elastic

    def basic_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        return [len(self.declared)], [length, *_FACTORS[bool(self.release_i), bool(self.release_j)]], [], 0, 3

    def basic_load(self, load: UniformLoad | PointLoad, length: float, plan: Plan) -> Array:
        N, Mi, Mj = clamped_forces(load, length)
        if self.release_i and self.release_j:
            Mi, Mj = 0.0, 0.0
        elif self.release_i:
            Mi, Mj = 0.0, Mj - 0.5 * Mi
        elif self.release_j:
            Mi, Mj = Mi - 0.5 * Mj, 0.0
        return np.array([N, Mi, Mj])
