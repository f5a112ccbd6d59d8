"""Section between two nodes at the same place."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY

from femu import context as slot
from femu.component import Constitutive, Section, require
from femu.element import Array, Name, Plan
from femu.elements.link import BasicLink, turned
from femu.elements.zero_length import check_angle, check_coincident
from femu.errors import InputError
from femu.kernels import kernel, shift
from femu.laws import call_block

# integers: address of the section's block, where its parameters begin, then its own
BLOCK_ADDRESS, SECTION_P, SECTION = 0, 1, 2
# state: N, M, k_NN, k_NM, k_MM, deformations, then the section's history
STIFFNESS, DEFORMATION, HISTORY = 2, 5, 7


@kernel(slot.BASIC_SIGNATURE)
def _one_section(i, g, p, c, t, w, v, rate, step, load):
    t[DEFORMATION], t[DEFORMATION + 1] = v[0], v[1]
    return call_block(i[BLOCK_ADDRESS], (
        1, shift(i, SECTION), shift(p, i[SECTION_P]), shift(c, HISTORY), shift(t, HISTORY), w, v, rate, step,
        t, shift(t, STIFFNESS), w))


class ZeroLengthSection(BasicLink):
    """A section of unit length between two nodes at the same place; OpenSees' ``zeroLengthSection``.

    N and M follow from the relative displacement along local x and the relative rotation, in place of axial strain and
    curvature. ``angle`` turns local x counterclockwise from global x (in radians). Nothing holds the nodes together
    across local x: use `femu.model.Model.equal_dof` or a link.
    """

    section: Section
    _: KW_ONLY
    angle: float = 0.0
    damped: bool = False

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        require(self.label(), "section", self.section, Section, "see femu.materials")
        check_angle(self, self.angle)

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("section", self.section)]

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        check_coincident(self, coordinates)
        rows = turned(math.cos(self.angle), math.sin(self.angle))
        return self.lay_out(
            [rows["x"], rows["rz"]], _one_section,
            [self.section.kernel().address, len(self.declared), *self.section.integers()], ["N", "M"], ["v_x", "v_rz"],
            [f"section.{h}" for h in self.section.history_names()], self.section.workspace(1), self.damped, False)
