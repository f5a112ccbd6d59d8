"""Mass at a node."""

from __future__ import annotations

from femu.engine.element_kernels import GROUP
from femu.kernels import kernel
from femu.model.element import TRANSLATIONS, Array, Element, Name, Plan, dimensions, dof_names
from femu.model.parameters import nonnegative
from femu.support.errors import InputError


@kernel(GROUP)
def _no_force(run, first, count, mode):
    return 0


class LumpedMass(Element):
    """A mass at a node, with a name of its own: the same as the ``mass`` of
    `femu.model.model.Model.node`, and added to it.

    ``mass`` acts in all translations, ``inertia`` in all rotations.
    """

    name: Name
    node: Name
    mass: float = nonnegative("mass", "mass")
    inertia: float = nonnegative("rotational inertia", "mass*length^2", default=0.0)

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.node,)

    def validate(self) -> None:
        if self.mass == 0.0 and self.inertia == 0.0:
            raise InputError(self.label(), "mass", self.mass, "must be above 0 if there is no "
                                                              "inertia")

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        directions = dof_names(dimensions(self, coordinates))
        terms = [(d, "mass" if d in TRANSLATIONS else "inertia") for d in directions]
        given = [(d, parameter) for d, parameter in terms if getattr(self, parameter) > 0.0]
        return Plan(dofs=[(self.node, d) for d, _ in given], group=_no_force, basic=None,
                    integers=[], geometry=[],
                    state=[], workspace=0, damped=False,
                    mass=[(a, a, parameter, 1.0) for a, (_, parameter) in enumerate(given)])
