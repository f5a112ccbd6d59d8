"""The one list of sections for all tests.

A section in `SECTIONS` is tested by the properties of the physics and the bad input of the campaign
and by the files of models.
"""

from __future__ import annotations

from dataclasses import dataclass

import element_harness as plane
import space_harness as space

from femu.materials import Bilinear, SectionWithShear
from femu.model.component import Section


@dataclass
class SectionCase:
    """A section and the deformations that exercise it.

    Axial strain, curvature; in space also the other curvature and twist.
    """

    section: Section
    scale: tuple[float, ...] = (3e-3, 0.03)
    in_space: bool = False

    def made(self, section: Section) -> Section:
        """The section as a member of these dimensions sees it."""
        return section.in_space() if self.in_space else section


_STEEL = Bilinear(0.3 * plane.EA, 0.2 * plane.NY, 0.05)
SECTIONS: dict[str, SectionCase] = {
    "bilinear": SectionCase(plane.BILINEAR),
    "N-M": SectionCase(plane.INTERACTION),
    "elastic": SectionCase(plane.ELASTIC),
    "fibres": SectionCase(space.FIBRES),
    "with shear": SectionCase(SectionWithShear(plane.BILINEAR, _STEEL)),
}
