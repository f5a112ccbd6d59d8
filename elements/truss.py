"""Truss."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

from femu.elements.transformations.frame import GEOMETRIES
from femu.elements.truss_kernel import MATERIAL_WORKSPACE, truss_group
from femu.model.component import Constitutive, Material, require
from femu.model.element import TRANSLATIONS, Array, Element, Name, Plan, span
from femu.model.parameters import nonnegative, positive
from femu.support.errors import InputError


class Truss(Element):
    """Bar with hinged ends; OpenSees' ``Truss`` (linear) and ``CorotTruss`` (corotational).

    ``N = A stress(strain)`` with the strain ``v_N / L`` by the elongation v_N, of the undeformed
    chord's direction (linear, p-delta) or of the true length (corotational). A rate-dependent
    ``material`` sees the rate of strain along the chord. ``mass`` is a mass per length, lumped at
    the ends unless ``consistent_mass``. As in OpenSees, a truss takes part in
    stiffness-proportional damping only if ``damped``.
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

    by_chord: ClassVar[bool] = True

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        require(self.label(), "material", self.material, Material,
                fix="use Elastic(E), for example")
        if self.geometry not in GEOMETRIES:
            raise InputError(self.label(), "geometry", self.geometry, "must be one of "
                                                                      f"{tuple(GEOMETRIES)}")
        check_damped(self, self.damped, self.material.rate_dependent)

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("material", self.material)]

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        length, direction = span(self, coordinates)
        n = len(direction)
        mass: list[tuple[int, int, str, float]] = []
        if self.consistent_mass:
            mass = [(r, c, "mass", length / (3.0 if r == c else 6.0)) for r in range(2 * n)
                    for c in range(2 * n)
                    if (r - c) % n == 0]
        elif self.mass > 0.0:
            mass = [(d, d, "mass", length / 2.0) for d in range(2 * n)]
        return Plan(
            dofs=[(node, d) for node in self.nodes for d in TRANSLATIONS[:n]],
            group=truss_group(n), basic=None,
            integers=[GEOMETRIES[self.geometry], self.material.kernel().address, len(self.declared),
                      *self.material.integers()],
            geometry=[length, *direction.tolist()], state=["N", "k_NN", "v_N", *(
                f"material.{h}" for h in self.material.history_names())],
            workspace=MATERIAL_WORKSPACE + self.material.workspace(1),
            damped=self.damped, rate_dependent=self.material.rate_dependent, mass=mass,
            basic_forces=("N",))


def check_damped(element: Element, damped: bool, rate_dependent: bool) -> None:
    """Raise if a rate-dependent element would damp twice."""
    if damped and rate_dependent:
        raise InputError(element.label(), "damped", damped, "must be False if a law depends on the "
                                                            "rate",
                         "The damping of the law would enter the stiffness-proportional damping")
