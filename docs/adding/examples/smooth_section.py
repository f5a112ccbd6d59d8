"""A section whose moment grows smoothly to its strength."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.component import Section
from femu.laws import law
from femu.parameters import positive


class SmoothSection(Section):
    """Elastic along the axis, and M = strength tanh(EI curvature / strength), the same way back as forth."""

    EA: float = positive("axial stiffness", "force")
    EI: float = positive("flexural stiffness at zero curvature", "force*length^2")
    strength: float = positive("moment at large curvature", "force*length")

    history: ClassVar[tuple[str, ...]] = ()

    @law
    def law(p, h, x):
        EA, EI, strength = p
        strain, curvature = x
        share = math.tanh(EI * curvature / strength)
        # forces; stiffness as the upper triangle of its matrix, row by row; history
        return (EA * strain, strength * share), (EA, 0.0, EI * (1.0 - share * share)), h
