"""Section with laws for shear next to those of another section."""

from __future__ import annotations

from typing import Any

from femu.kernels import Kernel
from femu.model.component import Constitutive, Material, Section, require
from femu.model.parameters import Parameter
from femu.support.errors import InputError


class SectionWithShear(Section):
    """Another section, and a uniaxial law for the shear force along local y (in space also along
    z); OpenSees' ``Aggregator``.

    ``shear_y`` gives the shear force V from the shear strain, without interaction with N and M:
    ``Elastic(5/6 * G * A)`` for an elastic rectangle, a hysteretic law for shear failure. A
    `ForceBeamColumn` and a `ZeroLengthSection` deform in shear by these laws. The interpolation of
    a `DisplacementBeamColumn` has no shear, so they take no part there, as in OpenSees.
    """

    section: Section
    shear_y: Material | None = None
    shear_z: Material | None = None

    def validate(self) -> None:
        require(self.label(), "section", self.section, Section, fix="use one of femu.materials")
        if self.shear_y is None and self.shear_z is None:
            raise InputError(self.label(), "shear_y", None, "must be a Material",
                             fix="use Elastic(5/6 * G * A), for example")
        if self.section.shear_laws():
            raise InputError(self.label(), "section", self.section, "must not have shear laws of "
                                                                    "its own")
        for name, part in self._laws():
            require(self.label(), name, part, Material, fix="use Elastic(5/6 * G * A), for example")
            if part.rate_dependent:
                raise InputError(self.label(), name, part, "must not depend on the rate of strain",
                                 fix="put rate-dependent laws in a link or truss")

    def _laws(self) -> list[tuple[str, Material]]:
        return [(name, law) for name, law in (("shear_y", self.shear_y),
                                              ("shear_z", self.shear_z)) if law is not None]

    # its parameters are those of the other section under their names, then those of the laws for
    # shear

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        return self.section.own_parameters()

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [*self.section.parts(), *self._laws()]

    def shear_laws(self) -> dict[str, tuple[Constitutive, int]]:
        found: dict[str, tuple[Constitutive, int]] = {}
        start = self.section.parameter_count
        for name, part in self._laws():
            found[name[-1]] = (part, start)
            start += part.parameter_count
        return found

    # all else is that of the other section

    @property
    def groups(self) -> Any:
        """Fibres of the other section, if it has any."""
        return getattr(self.section, "groups", ())

    def in_space(self) -> Section:
        return self.section.in_space()

    def history_names(self) -> list[str]:
        return self.section.history_names()

    def locate(self, variable: int, point: int, points: int) -> int:
        return self.section.locate(variable, point, points)

    def integers(self) -> list[int]:
        return self.section.integers()

    def workspace(self, points: int) -> int:
        return self.section.workspace(points)

    def kernel(self) -> Kernel:
        return self.section.kernel()
