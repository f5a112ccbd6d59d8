"""Section between two nodes at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import cache
from typing import ClassVar

from femu.elements.link import BasicLink
from femu.elements.zero_length import check_angle, check_orient, coincident_rows
from femu.engine.element_kernels import BASIC_SIGNATURE
from femu.kernels import Kernel, shift
from femu.model.component import Constitutive, Section, require
from femu.model.constitutive import call_block
from femu.model.element import Array, Name, Plan, dimensions
from femu.support.errors import InputError, ModelError

# integers: address of the section's block, where its parameters begin, then its own
BLOCK_ADDRESS, SECTION_P, SECTION = 0, 1, 2
# local directions of a section's components
PLANE = {"N": "x", "M": "rz"}
SPACE = {"N": "x", "Mz": "rz", "My": "ry", "T": "rx"}
# with shear. Integers: address of the section's block, where its parameters and its own integers
# begin; then for each shear law the same and where its history begins, after that of the section
LAW = 4


@cache
def _one_section(components: int) -> Kernel:
    """Basic kernel of a section.

    Its state: forces, stiffness, deformations, then the section's history.
    """
    m = components
    deformation = m + m * (m + 1) // 2
    history = deformation + m

    def section(i, g, p, c, t, w, v, rate, step, load):
        for a in range(m):
            t[deformation + a] = v[a]
        return call_block(i[BLOCK_ADDRESS], (
            1, shift(i, SECTION), shift(p, i[SECTION_P]), shift(c, history), shift(t, history), w,
            v, rate, step,
            t, shift(t, m), w))

    return Kernel(section, BASIC_SIGNATURE, f"{__name__}.section_{m}")


@cache
def _section_in_shear(components: int, shears: int) -> Kernel:
    """The same with laws for shear along local y (and z).

    Their components come after those of the section.
    """
    m, size = components, components + shears
    entries = size * (size + 1) // 2
    deformation = size + entries
    history = deformation + size

    def section(i, g, p, c, t, w, v, rate, step, load):
        stiffness, own, rest = shift(t, size), w, shift(w, m * (m + 1) // 2 + 1)
        for a in range(size):
            t[deformation + a] = v[a]
        for a in range(entries):
            stiffness[a] = 0.0
        failed = call_block(i[0], (
            1, shift(i, i[2]), shift(p, i[1]), shift(c, history), shift(t, history), rest, v, rate,
            step, t, own, rest))
        from_entry = 0
        for a in range(m):
            for b in range(a, m):
                stiffness[a * size - a * (a - 1) // 2 + b - a] = own[from_entry]
                from_entry += 1
        for a in range(shears):
            law, at = shift(i, 3 + LAW * a), m + a
            failed += call_block(law[0], (
                1, shift(i, law[2]), shift(p, law[1]), shift(c, history + law[3]),
                shift(t, history + law[3]), rest,
                shift(v, at), shift(rate, at), step, shift(t, at), own, rest))
            stiffness[at * size - at * (at - 1) // 2] = own[0]
        return failed

    return Kernel(section, BASIC_SIGNATURE, f"{__name__}.section_{m}_shear_{shears}")


class ZeroLengthSection(BasicLink):
    """A section of unit length between two nodes at the same place; OpenSees'
    ``zeroLengthSection``.

    N and M follow from the relative displacement along local x and the relative rotation, in place
    of axial strain and curvature; in space N, Mz, My and T. ``angle`` turns local x
    counterclockwise from global x (in radians); in space ``orient`` is a vector along local x, and
    one in the local x-y plane. A section that deforms in shear gives V from the relative
    displacement along local y (in space Vy and Vz). Without shear nothing holds the nodes together
    across local x: use `femu.model.model.Model.equal_dof` or a link.
    """

    section: Section
    _: KW_ONLY
    angle: float = 0.0
    orient: Sequence[Sequence[float]] | None = None
    damped: bool = False

    has_length: ClassVar[bool] = False
    by_chord: ClassVar[bool] = True

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        require(self.label(), "section", self.section, Section, fix="use one of femu.materials")
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
        head = len(self.declared)
        basic, workspace = _one_section(len(directions)), section.workspace(1)
        integers = [section.kernel().address, head, *section.integers()]
        histories = [f"section.{h}" for h in section.history_names()]
        laws = {axis: law for axis, law in self.section.shear_laws().items() if n == 3
                or axis == "y"}
        if laws:
            basic = _section_in_shear(len(directions), len(laws))
            directions = directions | ({"V": "y"} if n == 2
                                       else {f"V{axis}": axis for axis in laws})
            table, tail = [integers[0], head, 3 + LAW * len(laws)], integers[2:]
            for axis, (law, start) in laws.items():
                table += [law.kernel().address, head + start, 3 + LAW * len(laws) + len(tail),
                          len(histories)]
                tail += law.integers()
                histories += [f"section.shear_{axis}.{h}" for h in law.history_names()]
                workspace = max(workspace, law.workspace(1))
            integers, workspace = table + tail, workspace + section.components * (section.components + 1) // 2 + 1
        return self.lay_out(
            [rows[d] for d in directions.values()], basic, integers, list(directions),
            [f"v_{d}" for d in directions.values()], histories, workspace, self.damped, False)
