"""Linear elastic material."""

from __future__ import annotations

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative


class Elastic(Material):
    """Linear spring, with a modulus of its own in compression if wanted; OpenSees' ``Elastic``.

    ``stress = E strain``. A link takes force and displacement in place of stress and strain: E is
    then a stiffness. At zero strain the tangent is the larger of the two moduli.
    """

    E: float = nonnegative("modulus in tension", "stress")
    E_compression: float | None = nonnegative("modulus in compression", "stress", default=None)

    def prepare(self) -> None:
        if self.E_compression is None:
            self.E_compression = self.E

    @law
    def law(p, h, strain):
        tension, compression = p
        modulus = tension if strain > 0.0 else compression
        tangent = max(tension, compression) if strain == 0.0 else modulus
        return modulus * strain, tangent, h
