"""Section between two nodes at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import cache

from femu import context as slot
from femu.component import Constitutive, Section, require
from femu.element import Array, Name, Plan, dimensions
from femu.elements.link import BasicLink
from femu.elements.zero_length import check_angle, check_orient, coincident_rows
from femu.errors import InputError, ModelError
from femu.kernels import Kernel, shift
from femu.laws import call_block

# integers: address of the section's block, where its parameters begin, then its own
BLOCK_ADDRESS, SECTION_P, SECTION = 0, 1, 2
# local directions of a section's components
PLANE = {"N": "x", "M": "rz"}
SPACE = {"N": "x", "Mz": "rz", "My": "ry", "T": "rx"}


@cache
def _one_section(components: int) -> Kernel:
    """Basic kernel of a section; its state: forces, stiffness, deformations, then the section's history."""
    m = components
    deformation = m + m * (m + 1) // 2
    history = deformation + m

    def section(i, g, p, c, t, w, v, rate, step, load):
        for a in range(m):
            t[deformation + a] = v[a]
        return call_block(i[BLOCK_ADDRESS], (
            1, shift(i, SECTION), shift(p, i[SECTION_P]), shift(c, history), shift(t, history), w, v, rate, step,
            t, shift(t, m), w))

    return Kernel(section, slot.BASIC_SIGNATURE, f"{__name__}.section_{m}")


class ZeroLengthSection(BasicLink):
    """A section of unit length between two nodes at the same place; OpenSees' ``zeroLengthSection``.

    N and M follow from the relative displacement along local x and the relative rotation, in place of axial strain and
    curvature; in space N, Mz, My and T. ``angle`` turns local x counterclockwise from global x (in radians); in space
    ``orient`` is a vector along local x, and one in the local x-y plane. Nothing holds the nodes together
    across local x: use `femu.model.Model.equal_dof` or a link.
    """

    section: Section
    _: KW_ONLY
    angle: float = 0.0
    orient: Sequence[Sequence[float]] | None = None
    damped: bool = False

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        require(self.label(), "section", self.section, Section, "see femu.materials")
        check_angle(self, self.angle)
        check_orient(self, self.orient)

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("section", self.section)]

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        n = dimensions(self, coordinates)
        if n == 1:
            raise ModelError(f"{self.label()} has a moment, but the model is on a line.")
        rows = coincident_rows(self, coordinates, self.angle, self.orient)
        section, directions = (self.section, PLANE) if n == 2 else (self.section.in_space(), SPACE)
        return self.lay_out(
            [rows[d] for d in directions.values()], _one_section(len(directions)),
            [section.kernel().address, len(self.declared), *section.integers()], list(directions),
            [f"v_{d}" for d in directions.values()], [f"section.{h}" for h in section.history_names()],
            section.workspace(1), self.damped, False)
