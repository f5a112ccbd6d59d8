"""Elastic beam-column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from femu.elements.beam_column import BASIC_STATE, FrameElement
from femu.elements.member_loads import MemberLoad, clamped_forces, clamped_in_space
from femu.elements.space_member import SPACE_STATE
from femu.engine.element_kernels import BASIC_SIGNATURE
from femu.kernels import Kernel, inlined, kernel, shift
from femu.materials.sections.elastic_section import ElasticSection
from femu.model.component import Constitutive, Section
from femu.model.element import Array, Plan, Shared
from femu.support.errors import InputError

# integers: where the section's parameters begin, and the places of G and alpha_y (in space of alpha_y
# and alpha_z) among them, -1 for one that the section does not have; geometry: length, then 1 if an
# end is released at i and j about z (in space also about y)
SECTION_P, SHEAR = 0, 1
LENGTH, HINGES = 0, 1
# parameters of the section: in the plane E, A, I, in space E, A, I, Iy, G, J
YOUNG, AREA, INERTIA, SHEAR_MODULUS, TORSION = 0, 1, 2, 4, 5
# state in space: basic forces, upper triangle of the basic stiffness, deformations
SPACE_K, SPACE_V, SPACE_STATE_FLOATS = 6, 27, 33


@inlined
def _bent(EI, GA, length, hinge_i, hinge_j, Mi, Mj):
    """Stiffness of a bar in bending and shear (GA = 0 for none), and its end moments by loads from
    those of the clamped bar without shear.

    The load turns the ends of the simply supported bar alike with and without shear, since its
    shear force has no mean. What holds them is the stiffness: so the mean of the moments shrinks by
    1 + phi, and their difference stays.
    """
    bending = EI / length
    kii, kij = 4.0 * bending, 2.0 * bending
    if GA > 0.0:
        phi = 12.0 * EI / (GA * length * length)
        bending = EI / (length * (1.0 + phi))
        kii, kij = (4.0 + phi) * bending, (2.0 - phi) * bending
        mean, half = 0.5 * (Mi + Mj) / (1.0 + phi), 0.5 * (Mi - Mj)
        Mi, Mj = mean + half, mean - half
    kjj = kii
    if hinge_i != 0.0:  # what it cannot bear goes to the other end
        ratio = kij / kii
        Mi, Mj, kii, kij, kjj = 0.0, Mj - ratio * Mi, 0.0, 0.0, kjj - ratio * kij
    if hinge_j != 0.0:
        ratio = kij / kjj if kjj > 0.0 else 0.0
        Mi, Mj, kii, kij, kjj = Mi - ratio * Mj, 0.0, kii - ratio * kij, 0.0, 0.0
    return kii, kij, kjj, Mi, Mj


@kernel(BASIC_SIGNATURE)
def _elastic(i, g, p, c, t, w, v, rate, step, load):
    section, length = shift(p, i[SECTION_P]), g[LENGTH]
    GA = section[i[SHEAR]] * section[i[SHEAR + 1]] * section[AREA] if i[SHEAR + 1] >= 0 else 0.0
    kii, kij, kjj, Mi, Mj = _bent(section[YOUNG] * section[INERTIA], GA, length, g[HINGES],
                                  g[HINGES + 1], load[1], load[2])
    axial = section[YOUNG] * section[AREA] / length
    t[0] = axial * v[0] + load[0]
    t[1] = kii * v[1] + kij * v[2] + Mi
    t[2] = kij * v[1] + kjj * v[2] + Mj
    t[3], t[4], t[5], t[6], t[7], t[8] = axial, 0.0, 0.0, kii, kij, kjj
    t[9], t[10], t[11] = v[0], v[1], v[2]
    return 0


@kernel(BASIC_SIGNATURE)
def _elastic_in_space(i, g, p, c, t, w, v, rate, step, load):
    section, length = shift(p, i[SECTION_P]), g[LENGTH]
    G, A = section[SHEAR_MODULUS], section[AREA]
    for a in range(SPACE_STATE_FLOATS):
        t[a] = 0.0
    t[SPACE_K], t[SPACE_K + 20] = section[YOUNG] * A / length, G * section[TORSION] / length
    t[0] = t[SPACE_K] * v[0] + load[0]
    t[5] = t[SPACE_K + 20] * v[5] + load[5]
    for axis in range(2):  # moments about z go with shear along y
        GA = section[i[SHEAR + axis]] * G * A if i[SHEAR + axis] >= 0 else 0.0
        a, first = 1 + 2 * axis, SPACE_K + (6 if axis == 0 else 15)
        kii, kij, kjj, Mi, Mj = _bent(section[YOUNG] * section[INERTIA + axis], GA, length,
                                      g[HINGES + 2 * axis], g[HINGES + 1 + 2 * axis], load[a],
                                      load[a + 1])
        t[a], t[a + 1] = kii * v[a] + kij * v[a + 1] + Mi, kij * v[a] + kjj * v[a + 1] + Mj
        t[first], t[first + 1], t[first + (5 if axis == 0 else 3)] = kii, kij, kjj
    for a in range(6):
        t[SPACE_V + a] = v[a]
    return 0


class ElasticBeamColumn(FrameElement):
    """Prismatic elastic beam-column (Euler-Bernoulli); OpenSees' ``elasticBeamColumn``.

    ::

        N = EA/L v_N + N0,    Mi = EI/L (4 v_i + 2 v_j) + Mi0,    Mj = EI/L (2 v_i + 4 v_j) + Mj0

    with the forces N0, Mi0, Mj0 of the member loads on the clamped bar. ``release_i`` and
    ``release_j`` are hinges: the moment there is zero, and its rotation is condensed out, which
    leaves 3 EI/L at the other end, or no bending at all. A node whose members are all released
    there has no rotational stiffness: fix its rotation.

    In space the same holds about local z with I and about local y with Iy, and T = GJ/L v_T. A
    release there may be "z" or "y" for the moment about one local axis; True releases both.

    With a section that deforms in shear (``alpha_y``, in space also ``alpha_z``) it is a Timoshenko
    beam, OpenSees' ``ElasticTimoshenkoBeam``: with phi = 12 EI / (alpha G A L^2) the factors 4 and
    2 become (4 + phi)/(1 + phi) and (2 - phi)/(1 + phi).
    """

    _: KW_ONLY
    section: Section
    release_i: bool | str = False
    release_j: bool | str = False

    by_chord: ClassVar[bool] = True

    def validate_member(self) -> None:
        if not isinstance(self.section, ElasticSection):
            raise InputError(self.label(), "section", self.section, "must be an ElasticSection",
                             fix="use a ForceBeamColumn or a DisplacementBeamColumn, which take "
                                 "any section")
        for name in ("release_i", "release_j"):
            if not isinstance(getattr(self, name), (bool,
                                                    np.bool_)) and getattr(self, name) not in ("y",
                                                                                               "z"):
                raise InputError(self.label(), name, getattr(self, name), "must be True or False",
                                 'In space it can also be "y" or "z", the local axis of the moment')
            if isinstance(getattr(self, name), np.bool_):
                setattr(self, name, bool(getattr(self, name)))

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("section", self.section)]

    @property
    def in_shear(self) -> bool:
        """Whether the section deforms in shear."""
        return bool(self.section.shear_laws())

    def basic_kernel(self) -> Kernel:
        return _elastic

    def _places(self, names: tuple[str, ...]) -> list[int]:
        """Places of shear parameters among those of the section, -1 for one that it does not have.
        """
        section: Any = self.section
        return [-1 if getattr(section, name) is None else section.place(name) for name in names]

    def basic_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        if "y" in (self.release_i, self.release_j):
            raise InputError(self.label(), "release_i, release_j", (self.release_i, self.release_j),
                             "must not be about y in the plane")
        hinges = [float(released) for released in self.released("z")]
        shear = self._places(("G", "alpha_y"))
        return [len(self.declared), *shear], [length, *hinges], BASIC_STATE, 0, 3

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return np.array(clamped_forces(load, length))  # the kernel releases the ends

    def space_kernel(self) -> Kernel:
        return _elastic_in_space

    def space_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        self.section.in_space()  # it must have Iy, G and J
        hinges = [float(released) for axis in "zy" for released in self.released(axis)]
        shear = self._places(("alpha_y", "alpha_z"))
        return [len(self.declared), *shear], [length, *hinges], SPACE_STATE, 0, 6

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        return clamped_in_space(load, length)

    def polar_radius_squared(self) -> float:
        section: Any = self.section
        return float(section.J / section.A)

    def released(self, axis: str) -> tuple[bool, bool]:
        """Whether the moment about an axis is released at i and at j."""
        return self.release_i is True or self.release_i == axis, self.release_j is True or self.release_j == axis
