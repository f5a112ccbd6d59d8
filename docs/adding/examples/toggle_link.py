"""A link that magnifies the relative displacement of its nodes: a toggle-brace damper."""

from __future__ import annotations

from dataclasses import KW_ONLY

from femu.elements.link import Link, turned
from femu.model.element import Array, Name, chord
from femu.support.errors import InputError


class ToggleLink(Link):
    """Link whose damper elongates ``magnification`` times as much as the distance between its
    nodes.

    v = m B u and f = m B^T q: by virtual work, the force is magnified as the stroke is
    (Constantinou et al. 2001).
    """

    _: KW_ONLY
    magnification: float = 2.0

    def validate_link(self) -> None:
        if not isinstance(self.magnification, (int, float)) or not self.magnification > 0.0:
            raise InputError(self.label(), "magnification", self.magnification, "must be above 0")

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        _, cosine, sine = chord(self, coordinates)
        return {
            direction: [self.magnification * b for b in row]
            for direction, row in turned(cosine, sine).items()
        }
