"""A section whose moment approaches its strength smoothly."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.model import Section, law, positive


class SmoothSection(Section):
    """Axially elastic; M = strength tanh(EI curvature / strength), also when unloading."""

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
