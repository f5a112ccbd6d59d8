"""Link between two nodes at the same place."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from femu.element import Array, Element, Name
from femu.elements.link import Link, turned
from femu.errors import InputError, ModelError

SAME_PLACE = 1e-6  # distance of the nodes, as a share of their coordinates, up to which they count as coincident


class ZeroLength(Link):
    """Link between two nodes at the same place, with a uniaxial law per direction; OpenSees' ``zeroLength``.

    ``angle`` turns the local axes counterclockwise from the global ones (in radians). The deformations are the
    displacements of node j less those of node i. With node i fixed this is a grounded spring.
    """

    _: KW_ONLY
    angle: float = 0.0

    def validate_link(self) -> None:
        check_angle(self, self.angle)

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        check_coincident(self, coordinates)
        return turned(math.cos(self.angle), math.sin(self.angle))


def check_angle(element: Element, angle: Any) -> None:
    """Raise where an angle is not one."""
    if isinstance(angle, bool) or not isinstance(angle, (int, float)) or not math.isfinite(angle):
        raise InputError(element.label(), "angle", angle, "must be a finite number", "in radians")


def check_coincident(element: Element, coordinates: dict[Name, Array]) -> None:
    """Raise where the nodes of an element without length are apart."""
    i, j = element.nodes
    size = max(float(np.abs(coordinates[n]).max()) for n in (i, j))
    distance = float(np.linalg.norm(coordinates[j] - coordinates[i]))
    if distance > SAME_PLACE * size:
        raise ModelError(f"{element.label()}: nodes {i!r} and {j!r} are {distance:g} apart, but it has no length. "
                         "Put the nodes at the same place, or use a TwoNodeLink.")
