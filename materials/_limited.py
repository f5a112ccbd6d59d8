"""What the materials around another one share.

Its place among their parameters and history, and limits of its strain.
"""

from __future__ import annotations

from femu.materials._composite import OWN_INTEGERS
from femu.model.component import Constitutive, Material, part_table, require
from femu.support.errors import InputError

NO_LIMIT = 1e16
"""Strain that means no limit, as in OpenSees."""
LIMITS = ("smallest_strain", "largest_strain")
"""Names under which the materials declare their limits, each among its own parameters."""


class LimitedMaterial(Material):
    """Base of `MinMax` and `LowCycleFatigue`: another material, and strains at which it fails.

    Its kernel finds the number of the part's history variables, whether the part depends on the
    rate, and the part's table among its integers; the part's damping is at the front of the
    workspace.
    """

    material: Material

    def validate(self) -> None:
        require(self.label(), "material", self.material, Material, fix="give a uniaxial material")
        smallest, largest = (getattr(self, name) for name in LIMITS)
        if not smallest < 0.0 < largest:
            raise InputError(self.label(), ", ".join(LIMITS), (smallest, largest), "must lie on "
                                                                                   "the two sides "
                                                                                   "of zero",
                             fix="give for example -0.004 and 0.05")

    def parts(self) -> list[tuple[str, Constitutive]]:
        return [("material", self.material)]

    def integers(self) -> list[int]:
        return [len(self.material.history_names()), int(self.material.rate_dependent),
                *part_table([self.material], len(self.declared), len(self.history), OWN_INTEGERS)]

    def workspace(self, points: int) -> int:
        return points + self.material.workspace(points)
