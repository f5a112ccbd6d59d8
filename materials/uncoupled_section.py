"""Section of two independent uniaxial laws."""

from __future__ import annotations

from femu.component import Constitutive, Material, Section, part_table, require
from femu.errors import InputError
from femu.kernels import Kernel, kernel, shift
from femu.laws import BLOCK, call_block


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

    ``axial`` gives N from the axial strain, ``moment`` gives M from the curvature: the "moduli" of the two
    laws are EA and EI, their "yield stresses" a yield force and a yield moment.
    """

    axial: Material
    moment: Material

    def validate(self) -> None:
        for name in ("axial", "moment"):
            part = getattr(self, name)
            require(self.label(), name, part, Material, "for example Bilinear(E=EA, fy=Ny, b=0.01)")
            if part.rate_dependent:
                raise InputError(self.label(), name, part, "must not depend on the rate of strain",
                                 "put rate-dependent laws in a link or truss")

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("axial", self.axial), ("moment", self.moment)]

    def integers(self) -> list[int]:
        return part_table([self.axial, self.moment], 0, 0)

    def workspace(self, points: int) -> int:
        return max(self.axial.workspace(points), self.moment.workspace(points))

    def kernel(self) -> Kernel:
        return _uncoupled
