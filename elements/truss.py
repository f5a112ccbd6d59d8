"""Truss."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY

from femu import context as slot
from femu.component import Constitutive, Material, require
from femu.element import TRANSLATIONS, Array, Element, Name, Plan, span
from femu.elements import space_truss
from femu.elements.assembly import scatter, scatter_force
from femu.elements.frame import COROTATIONAL, GEOMETRIES, LINEAR, P_DELTA
from femu.errors import InputError
from femu.kernels import floats_at, ints_at, kernel, shift
from femu.laws import call_block
from femu.parameters import nonnegative, positive

DOFS = 4
# integers after the degrees of freedom: geometry, address of the material's block, where its parameters begin, its own
GEOMETRY, BLOCK_ADDRESS, MATERIAL_P, MATERIAL = (slot.DOFS + DOFS + a for a in range(4))
# geometry vector; parameters
LENGTH, COSINE, SINE = 0, 1, 2
AREA = 0
# state: force, stiffness, elongation, then the material's history
FORCE, STIFFNESS, ELONGATION, HISTORY = 0, 1, 2, 3
# workspace: strain, rate, stress, tangent, damping, stiffness of linked elements (10), then the material's
STRAIN, RATE, STRESS, TANGENT, DAMPING, LINKED, MATERIAL_WORKSPACE = 0, 1, 2, 3, 4, 5, 15


@kernel(slot.GROUP)
def truss_group(context, first, count, mode):
    """Forces and stiffnesses of many trusses, added to those of the structure.

    The material is evaluated in all modes: at its committed strain it gives its committed stress, and its force may
    depend on the velocity.
    """
    table, integers = ints_at(context[slot.TABLE]), ints_at(context[slot.INTEGERS])
    u, velocity, step = floats_at(context[slot.U]), floats_at(context[slot.V]), floats_at(context[slot.STEP])
    w = floats_at(context[slot.W])
    for e in range(first, first + count):
        own = shift(integers, table[e])
        g, p = shift(floats_at(context[slot.G]), own[slot.AT_G]), shift(floats_at(context[slot.P]), own[slot.AT_P])
        committed = shift(floats_at(context[slot.C]), own[slot.AT_STATE])
        trial = shift(floats_at(context[slot.T]), own[slot.AT_STATE])
        length, c, s, kind = g[LENGTH], g[COSINE], g[SINE], own[GEOMETRY]
        ix, iy, jx, jy = own[slot.DOFS], own[slot.DOFS + 1], own[slot.DOFS + 2], own[slot.DOFS + 3]
        dx, dy = u[jx] - u[ix], u[jy] - u[iy]
        along, transverse, now = c * dx + s * dy, -s * dx + c * dy, length
        elongation = along
        if kind == COROTATIONAL:
            now = math.sqrt((length + along) ** 2 + transverse * transverse)
            # (l^2 - L^2)/(l + L) keeps the digits that l - L would lose
            elongation = (2.0 * length * along + along * along + transverse * transverse) / (now + length)
            c, s = (c * (length + along) - s * transverse) / now, (s * (length + along) + c * transverse) / now
        w[STRAIN] = elongation / length
        w[RATE] = (c * (velocity[jx] - velocity[ix]) + s * (velocity[jy] - velocity[iy])) / length
        w[DAMPING] = 0.0
        if call_block(own[BLOCK_ADDRESS], (
                1, shift(own, MATERIAL), shift(p, own[MATERIAL_P]), shift(committed, HISTORY), shift(trial, HISTORY),
                shift(w, MATERIAL_WORKSPACE), w, shift(w, RATE), step, shift(w, STRESS), shift(w, TANGENT),
                shift(w, DAMPING))) != 0:
            context[slot.FAILED] = e + 1
            return 1
        N = p[AREA] * w[STRESS]
        # a rate follows the displacement as the integrator has it
        k = p[AREA] / length * (w[TANGENT] + step[2] * w[DAMPING])
        if kind == COROTATIONAL or k != trial[STIFFNESS]:
            context[slot.CHANGED] = 1
        trial[FORCE], trial[STIFFNESS], trial[ELONGATION] = N, k, elongation
        fx, fy = c * N, s * N
        kxx, kxy, kyy = c * c * k, c * s * k, s * s * k
        if kind != LINEAR:
            ratio = N / now
            kxx, kxy, kyy = kxx + ratio * s * s, kxy - ratio * s * c, kyy + ratio * c * c
            if kind == P_DELTA:
                fx, fy = fx - ratio * transverse * s, fy + ratio * transverse * c
        if mode == slot.FORCES:
            scatter_force(context, own, (-fx, -fy, fx, fy))
            continue
        scatter(context, own, (-fx, -fy, fx, fy), (
            kxx,
            kxy, kyy,
            -kxx, -kxy, kxx,
            -kxy, -kyy, kxy, kyy), shift(w, LINKED))
    return 0


class Truss(Element):
    """Bar with hinged ends; OpenSees' ``Truss`` (linear) and ``CorotTruss`` (corotational).

    ``N = A stress(strain)`` with the strain ``v_N / L`` by the elongation v_N, of the undeformed chord's direction
    (linear, p-delta) or of the true length (corotational). A rate-dependent ``material`` sees the rate of strain along
    the chord. ``mass`` is a mass per length, lumped at the ends unless ``consistent_mass``. As in OpenSees, a truss
    takes part in stiffness-proportional damping only where ``damped``.
    """

    name: Name
    i: Name
    j: Name
    _: KW_ONLY
    material: Material
    area: float = positive("area of the cross-section", "length^2")
    geometry: str = "linear"
    mass: float = nonnegative("mass per length", "mass/length", default=0.0)
    consistent_mass: bool = False
    damped: bool = False

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        require(self.label(), "material", self.material, Material, "for example Elastic(E)")
        if self.geometry not in GEOMETRIES:
            raise InputError(self.label(), "geometry", self.geometry, f"must be one of {tuple(GEOMETRIES)}")
        check_damped(self, self.damped, self.material.rate_dependent)

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("material", self.material)]

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        length, direction = span(self, coordinates)
        n = len(direction)
        mass: list[tuple[int, int, str, float]] = []
        if self.consistent_mass:
            mass = [(r, c, "mass", length / (3.0 if r == c else 6.0)) for r in range(2 * n) for c in range(2 * n)
                    if (r - c) % n == 0]
        elif self.mass > 0.0:
            mass = [(d, d, "mass", length / 2.0) for d in range(2 * n)]
        plane = n == 2
        return Plan(
            dofs=[(node, d) for node in self.nodes for d in TRANSLATIONS[:n]],
            group=truss_group if plane else space_truss.truss_group_in(n), basic=None,
            integers=[GEOMETRIES[self.geometry], self.material.kernel().address, len(self.declared),
                      *self.material.integers()],
            geometry=[length, *direction.tolist()], state=["N", "k_NN", "v_N", *(
                f"material.{h}" for h in self.material.history_names())],
            workspace=(MATERIAL_WORKSPACE if plane else space_truss.MATERIAL_WORKSPACE) + self.material.workspace(1),
            damped=self.damped, restless=self.material.rate_dependent, mass=mass, basic_forces=("N",))


def check_damped(element: Element, damped: bool, rate_dependent: bool) -> None:
    """Raise where a rate-dependent element would damp twice."""
    if damped and rate_dependent:
        raise InputError(element.label(), "damped", damped, "must be False where a law depends on the rate",
                         "its own damping would enter the stiffness-proportional one")
