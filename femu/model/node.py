"""Nodes of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from femu.model.element import Name
from femu.model.series import Motion


@dataclass
class Node:
    """A point with its degrees of freedom: those that elements, masses and constraints use."""

    name: Name
    coordinates: npt.NDArray[np.float64]
    mass: dict[str, float] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    motion: dict[str, Motion] = field(default_factory=dict)

    def __repr__(self) -> str:
        text = f"Node({self.name!r}, {', '.join(f'{v:g}' for v in self.coordinates)}"
        if self.fixed:
            text += f", fixed={''.join(sorted(self.fixed))!r}"
        if self.mass:
            text += ", mass=" + ", ".join(f"{d}:{m:g}" for d, m in self.mass.items())
        return text + ")"
