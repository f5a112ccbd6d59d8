"""Link between two separate nodes."""

from __future__ import annotations

from dataclasses import KW_ONLY

from femu.element import Array, Name, chord
from femu.elements.link import Link, turned
from femu.errors import InputError


class TwoNodeLink(Link):
    """Link between two separate nodes with a uniaxial law per direction; OpenSees' ``twoNodeLink``.

    Local x points from node i to node j, local y is a quarter turn counterclockwise from it. With the displacements
    in local axes and the length L ::

        v_x = x_j - x_i,   v_y = y_j - y_i - s L rz_i - (1 - s) L rz_j,   v_rz = rz_j - rz_i

    where s is ``shear_distance``: the place of the shear spring as a share of the length from node i.
    """

    _: KW_ONLY
    shear_distance: float = 0.5

    def validate_link(self) -> None:
        s = self.shear_distance
        if isinstance(s, bool) or not isinstance(s, (int, float)) or not 0.0 <= s <= 1.0:
            raise InputError(self.label(), "shear_distance", s, "must lie between 0 and 1",
                             "it is a share of the length")

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        length, cosine, sine = chord(self, coordinates)
        return turned(cosine, sine, self.shear_distance * length, (1.0 - self.shear_distance) * length)
