"""Section of independent uniaxial laws."""

from __future__ import annotations

from femu.kernels import Kernel, kernel, shift
from femu.model.component import (
    SPACE_COMPONENTS,
    Constitutive,
    Material,
    Section,
    SpaceSection,
    part_table,
    require,
)
from femu.model.constitutive import BLOCK, call_block
from femu.support.errors import InputError


@kernel(BLOCK)
def _uncoupled(n, i, p, c, t, w, x, r, s, y, k, d):
    failed = 0
    for part in range(2):
        own = shift(i, 4 * part)
        failed += call_block(own[0], (
            n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n), shift(t, own[3] * n), w,
            shift(x, part * n), r, s, shift(y, part * n), shift(k, 2 * part * n), d))
    for j in range(n):
        k[n + j] = 0.0
    return failed


class UncoupledSection(Section):
    """Axial force and moment by a uniaxial law each, without interaction; OpenSees' ``Aggregator``.

    ``axial`` gives N from the axial strain, ``moment`` gives M from the curvature: the "moduli" of
    the two laws are EA and EI, their "yield stresses" a yield force and a yield moment. In space
    ``moment`` is that about local z, and ``moment_y`` and ``torsion`` are needed too.
    """

    axial: Material
    moment: Material
    moment_y: Material | None = None
    torsion: Material | None = None

    def validate(self) -> None:
        if (self.moment_y is None) != (self.torsion is None):
            raise InputError(self.label(), "moment_y, torsion", (self.moment_y, self.torsion),
                             "must be given together",
                             fix="give both for members in space")
        for name, part in self.parts():
            require(self.label(), name, part, Material,
                    fix="use Bilinear(E=EA, fy=Ny, b=0.01), for example")
            if part.rate_dependent:
                raise InputError(self.label(), name, part, "must not depend on the rate of strain",
                                 fix="put rate-dependent laws in a link or truss")

    def parts(self) -> list[tuple[str, Constitutive]]:
        found = [("axial", self.axial), ("moment", self.moment), ("moment_y", self.moment_y),
                 ("torsion", self.torsion)]
        return [(name, part) for name, part in found if part is not None]

    def history_names(self) -> list[str]:
        return [f"{name}.{h}" for name, part in self.parts()[:2] for h in part.history_names()]

    def in_space(self) -> Section:
        if self.moment_y is None:
            raise InputError(self.label(), "moment_y", None, "must be given for a member in space",
                             fix="give moment_y and torsion")
        return UncoupledInSpace(self)

    def integers(self) -> list[int]:
        return part_table([self.axial, self.moment], 0, 0)

    def workspace(self, points: int) -> int:
        return max(self.axial.workspace(points), self.moment.workspace(points))

    def kernel(self) -> Kernel:
        return _uncoupled


@kernel(BLOCK)
def _uncoupled_in_space(n, i, p, c, t, w, x, r, s, y, k, d):
    failed, entry = 0, 0
    for a in range(SPACE_COMPONENTS):
        own = shift(i, 4 * a)
        failed += call_block(own[0], (
            n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n), shift(t, own[3] * n), w,
            shift(x, a * n), r, s, shift(y, a * n), shift(k, entry * n), d))
        for b in range(1, SPACE_COMPONENTS - a):
            for j in range(n):
                k[(entry + b) * n + j] = 0.0
        entry += SPACE_COMPONENTS - a
    return failed


class UncoupledInSpace(SpaceSection):
    """An `UncoupledSection` of a member in space."""

    def history_names(self) -> list[str]:
        return [f"{name}.{h}" for name, part in self.plane.parts() for h in part.history_names()]

    def integers(self) -> list[int]:
        return part_table([part for _, part in self.plane.parts()], 0, 0)

    def workspace(self, points: int) -> int:
        return max(part.workspace(points) for _, part in self.plane.parts())

    def kernel(self) -> Kernel:
        return _uncoupled_in_space
