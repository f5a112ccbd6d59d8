"""A material that begins at a strain."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import Kernel, kernel, shift
from femu.materials._composite import OWN_INTEGERS, call_part
from femu.model.component import Constitutive, Material, part_table, require
from femu.model.constitutive import BLOCK
from femu.model.parameters import number


@kernel(BLOCK)
def _initial_strain(n, i, p, c, t, w, x, r, s, y, k, d):
    """The part sees ``x`` plus the initial strain.

    Before its first step, points that have not begun are taken to the initial strain alone: their
    history then is what the part commits there.
    """
    moved, begun, damping = w, shift(w, n), shift(w, (2 + i[0]) * n)
    own, failed = shift(i, OWN_INTEGERS), 0
    first = 0
    for j in range(n):
        moved[j] = p[0]
        first += 1 if c[j] == 0.0 else 0
        for v in range(1 + i[0]):
            begun[v * n + j] = c[v * n + j]
    if first != 0:
        failed = call_part(own, n, i, p, c, t, damping, moved, r, s, y, k)
        for j in range(n):
            if c[j] == 0.0:
                for v in range(1, 1 + i[0]):
                    begun[v * n + j] = t[v * n + j]
    for j in range(n):
        moved[j] = x[j] + p[0]
    failed += call_part(own, n, i, p, begun, t, damping, moved, r, s, y, k)
    for j in range(n):
        t[j] = 1.0
    if i[1] != 0:
        for j in range(n):
            d[j] += damping[j]
    return failed


class InitialStrain(Material):
    """Another material that begins at a strain, and so with a stress; OpenSees'
    ``InitStrainMaterial``.

    It sees the strain plus ``strain``. Its way to that strain is one step.
    """

    material: Material
    strain: float = number("strain at the beginning", "strain")

    history: ClassVar[tuple[str, ...]] = ("begun",)

    def validate(self) -> None:
        require(self.label(), "material", self.material, Material, fix="give a uniaxial material")

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("material", self.material)]

    def integers(self) -> list[int]:
        return [len(self.material.history_names()), int(self.material.rate_dependent),
                *part_table([self.material], len(self.declared), len(self.history), OWN_INTEGERS)]

    def workspace(self, points: int) -> int:
        size = len(self.material.history_names())
        return (3 + size) * points + self.material.workspace(points)

    def kernel(self) -> Kernel:
        return _initial_strain
