"""Elastic beam-column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from femu import context as slot
from femu.component import Constitutive, Section
from femu.element import Array, Plan
from femu.elements.frame_element import FrameElement
from femu.elements.member_loads import MemberLoad, clamped_forces, clamped_in_space
from femu.errors import InputError
from femu.kernels import Kernel, inlined, kernel, shift
from femu.materials.elastic_section import ElasticSection

# integers: where the section's parameters E, A, I begin; geometry: length, then the factors of EI/L in k_ii, k_ij, k_jj
SECTION_P = 0
LENGTH, BENDING = 0, 1
# state in space: basic forces, upper triangle of the basic stiffness, deformations
SPACE_K, SPACE_V, SPACE_STATE_FLOATS = 6, 27, 33

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


# integers in space: where the section's parameters E, A, I, Iy, G, J begin; geometry: length, then the factors of EI/L in
# k_ii, k_ij, k_jj about z, and about y
@kernel(slot.BASIC_SIGNATURE)
def _elastic_in_space(i, g, p, c, t, w, v, rate, step, load):
    section = shift(p, i[SECTION_P])
    E, inverse = section[0], 1.0 / g[LENGTH]
    for a in range(SPACE_STATE_FLOATS):
        t[a] = 0.0
    t[SPACE_K] = E * section[1] * inverse
    t[SPACE_K + 20] = section[4] * section[5] * inverse
    t[0] = t[SPACE_K] * v[0] + load[0]
    t[5] = t[SPACE_K + 20] * v[5] + load[5]
    for axis in range(2):
        bending, factor, a = E * section[2 + axis] * inverse, shift(g, BENDING + 3 * axis), 1 + 2 * axis
        kii, kij, kjj = factor[0] * bending, factor[1] * bending, factor[2] * bending
        t[a] = kii * v[a] + kij * v[a + 1] + load[a]
        t[a + 1] = kij * v[a] + kjj * v[a + 1] + load[a + 1]
        first = SPACE_K + (6 if axis == 0 else 15)
        t[first], t[first + 1], t[first + (5 if axis == 0 else 3)] = kii, kij, kjj
    for a in range(6):
        t[SPACE_V + a] = v[a]
    return 0


@inlined
def _bent(EI, GA, length, hinge_i, hinge_j, Mi, Mj):
    """Stiffness of a bar in bending and shear, and its end moments by loads from those of the clamped bar without shear.

    The load turns the ends of the simply supported bar alike with and without shear, since its shear force has no mean. What
    holds them is the stiffness: so the mean of the moments shrinks by 1 + phi, and their difference stays.
    """
    phi = 12.0 * EI / (GA * length * length) if GA > 0.0 else 0.0
    bending = EI / (length * (1.0 + phi))
    kii, kij, kjj = (4.0 + phi) * bending, (2.0 - phi) * bending, (4.0 + phi) * bending
    mean, half = 0.5 * (Mi + Mj) / (1.0 + phi), 0.5 * (Mi - Mj)
    Mi, Mj = mean + half, mean - half
    if hinge_i != 0.0:
        Mi, Mj, kii, kij, kjj = 0.0, Mj - kij / kii * Mi, 0.0, 0.0, kjj - kij * kij / kii
    if hinge_j != 0.0:
        ratio = kij / kjj if kjj > 0.0 else 0.0
        Mi, Mj, kii, kij, kjj = Mi - ratio * Mj, 0.0, kii - ratio * kij, 0.0, 0.0
    return kii, kij, kjj, Mi, Mj


# with shear. Integers: where the section's parameters begin, and the places of G and alpha_y (in space of alpha_y and alpha_z)
# among them, -1 for a share of the area that the section does not have; geometry: length, then 1 where an end is released at
# i and j about z (in space also about y)
@kernel(slot.BASIC_SIGNATURE)
def _timoshenko(i, g, p, c, t, w, v, rate, step, load):
    section = shift(p, i[SECTION_P])
    E, A, length = section[0], section[1], g[LENGTH]
    GA = section[i[1]] * section[i[2]] * A
    kii, kij, kjj, Mi, Mj = _bent(E * section[2], GA, length, g[1], g[2], load[1], load[2])
    axial = E * A / length
    t[0], t[1], t[2] = axial * v[0] + load[0], kii * v[1] + kij * v[2] + Mi, kij * v[1] + kjj * v[2] + Mj
    t[3], t[4], t[5], t[6], t[7], t[8] = axial, 0.0, 0.0, kii, kij, kjj
    t[9], t[10], t[11] = v[0], v[1], v[2]
    return 0


@kernel(slot.BASIC_SIGNATURE)
def _timoshenko_in_space(i, g, p, c, t, w, v, rate, step, load):
    section, length = shift(p, i[SECTION_P]), g[LENGTH]
    E, A, G = section[0], section[1], section[4]
    for a in range(SPACE_STATE_FLOATS):
        t[a] = 0.0
    t[SPACE_K], t[SPACE_K + 20] = E * A / length, G * section[5] / length
    t[0] = t[SPACE_K] * v[0] + load[0]
    t[5] = t[SPACE_K + 20] * v[5] + load[5]
    for axis in range(2):  # moments about z go with shear along y
        GA = section[i[1 + axis]] * G * A if i[1 + axis] >= 0 else 0.0
        a, first = 1 + 2 * axis, SPACE_K + (6 if axis == 0 else 15)
        kii, kij, kjj, Mi, Mj = _bent(E * section[2 + axis], GA, length, g[1 + 2 * axis], g[2 + 2 * axis], load[a], load[a + 1])
        t[a], t[a + 1] = kii * v[a] + kij * v[a + 1] + Mi, kij * v[a] + kjj * v[a + 1] + Mj
        t[first], t[first + 1], t[first + (5 if axis == 0 else 3)] = kii, kij, kjj
    for a in range(6):
        t[SPACE_V + a] = v[a]
    return 0


class ElasticBeamColumn(FrameElement):
    """Prismatic elastic beam-column (Euler-Bernoulli); OpenSees' ``elasticBeamColumn``.

    ::

        N = EA/L v_N + N0,    Mi = EI/L (4 v_i + 2 v_j) + Mi0,    Mj = EI/L (2 v_i + 4 v_j) + Mj0

    with the forces N0, Mi0, Mj0 of the member loads on the clamped bar. ``release_i`` and ``release_j`` are hinges: the
    moment there is zero, and its rotation is condensed out, which leaves 3 EI/L at the other end, or no bending at all.
    A node whose members are all released there has no rotational stiffness: fix its rotation.

    In space the same holds about local z with I and about local y with Iy, and T = GJ/L v_T. A release there may be "z" or
    "y" for the moment about one local axis; True releases both.

    With a section that deforms in shear (``alpha_y``, in space also ``alpha_z``) it is a Timoshenko beam, OpenSees'
    ``ElasticTimoshenkoBeam``: with phi = 12 EI / (alpha G A L^2) the factors 4 and 2 become (4 + phi)/(1 + phi) and
    (2 - phi)/(1 + phi).
    """

    _: KW_ONLY
    section: Section
    release_i: bool | str = False
    release_j: bool | str = False

    def validate_member(self) -> None:
        if not isinstance(self.section, ElasticSection):
            raise InputError(self.label(), "section", self.section, "must be an ElasticSection",
                             "ForceBeamColumn and DisplacementBeamColumn take any section")
        for name in ("release_i", "release_j"):
            if not isinstance(getattr(self, name), (bool, np.bool_)) and getattr(self, name) not in ("y", "z"):
                raise InputError(self.label(), name, getattr(self, name), "must be True or False",
                                 'in space also "y" or "z", the local axis of the moment')
            if isinstance(getattr(self, name), np.bool_):
                setattr(self, name, bool(getattr(self, name)))

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("section", self.section)]

    @property
    def in_shear(self) -> bool:
        """Whether the section deforms in shear."""
        return bool(self.section.shear_laws())

    def basic_kernel(self) -> Kernel:
        return _timoshenko if self._in_plane_shear() else _elastic

    def _in_plane_shear(self) -> bool:
        return "y" in self.section.shear_laws()

    def _shares(self, names: tuple[str, ...]) -> list[int]:
        """Places of shear parameters among those of the section, -1 for one that it does not have."""
        section: Any = self.section
        return [-1 if getattr(section, name) is None else section.place(name) for name in names]

    def basic_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        if "y" in (self.release_i, self.release_j):
            raise InputError(self.label(), "release_i, release_j", (self.release_i, self.release_j),
                             "must not be about y in the plane")
        if self._in_plane_shear():
            hinges = [float(released) for released in self.released("z")]
            return [len(self.declared), *self._shares(("G", "alpha_y"))], [length, *hinges], [], 0, 3
        return [len(self.declared)], [length, *_FACTORS[self.released("z")]], [], 0, 3

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        N, Mi, Mj = clamped_forces(load, length)
        if self._in_plane_shear():  # the kernel releases the ends
            return np.array([N, Mi, Mj])
        return np.array([N, *_condensed(Mi, Mj, self.released("z"))])

    def space_kernel(self) -> Kernel:
        return _timoshenko_in_space if self.in_shear else _elastic_in_space

    def space_plan(self, length: float) -> tuple[list[int], list[float], list[str], int, int]:
        self.section.in_space()  # it must have Iy, G and J
        if self.in_shear:
            hinges = [float(released) for axis in "zy" for released in self.released(axis)]
            return [len(self.declared), *self._shares(("alpha_y", "alpha_z"))], [length, *hinges], [], 0, 6
        return ([len(self.declared)], [length, *_FACTORS[self.released("z")], *_FACTORS[self.released("y")]], [], 0, 6)

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        N, zi, zj, yi, yj, T = clamped_in_space(load, length)
        if self.in_shear:
            return np.array([N, zi, zj, yi, yj, T])
        return np.array([N, *_condensed(zi, zj, self.released("z")), *_condensed(yi, yj, self.released("y")), T])

    def polar_radius_squared(self) -> float:
        section: Any = self.section
        return float(section.J / section.A)

    def released(self, axis: str) -> tuple[bool, bool]:
        """Whether the moment about an axis is released at i and at j."""
        return self.release_i is True or self.release_i == axis, self.release_j is True or self.release_j == axis


def _condensed(Mi: float, Mj: float, released: tuple[bool, bool]) -> tuple[float, float]:
    """End moments of a member load where ends are released: what a released end cannot bear goes to the other by half."""
    if released == (True, True):
        return 0.0, 0.0
    if released == (True, False):
        return 0.0, Mj - 0.5 * Mi
    if released == (False, True):
        return Mi - 0.5 * Mj, 0.0
    return Mi, Mj
