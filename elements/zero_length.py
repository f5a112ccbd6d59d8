"""Link between two nodes at the same place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from femu.elements.link import Link, oriented, turned, turned_in_plane, turned_in_space
from femu.elements.space_member import numbers
from femu.model.element import Array, Element, Name, dimensions
from femu.support.errors import InputError, ModelError

# distance of the nodes, as a share of their coordinates, up to which they count as coincident
SAME_PLACE = 1e-6


class ZeroLength(Link):
    """Link between two nodes at the same place, with a uniaxial law per direction; OpenSees'
    ``zeroLength``.

    ``angle`` turns the local axes counterclockwise from the global ones (in radians). ``orient``
    does in space, and in the plane where local y is clockwise from local x: a vector along local
    x, and one in the local x-y plane, of three numbers each, as in OpenSees. The
    deformations are the displacements of node j less those of node i. With node i fixed this is a
    grounded spring.
    """

    _: KW_ONLY
    angle: float = 0.0
    orient: Sequence[Sequence[float]] | None = None

    # the OpenSees front end sets it: there the distance has no effect
    may_be_apart: ClassVar[bool] = False
    has_length: ClassVar[bool] = False
    by_chord: ClassVar[bool] = True

    def validate_link(self) -> None:
        check_angle(self, self.angle)
        check_orient(self, self.orient)

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        return coincident_rows(self, coordinates, self.angle, self.orient)


def coincident_rows(
    element: Element,
    coordinates: dict[Name, Array],
    angle: float,
    orient: Sequence[Sequence[float]] | None,
) -> dict[str, list[float]]:
    """Rows of B by direction, for an element without length on a line, in the plane or in space."""
    check_coincident(element, coordinates)
    n = dimensions(element, coordinates)
    if orient is not None and n == 1:
        raise InputError(
            element.label(), "orient", orient, "is for models in the plane and in space"
        )
    if angle != 0.0 and n != 2:
        raise InputError(
            element.label(),
            "angle",
            angle,
            "is for plane models",
            fix="give orient=(x vector, y vector) in space",
        )
    if n == 3:
        x, yp = np.eye(3)[:2] if orient is None else np.asarray(orient, dtype=float)
        return turned_in_space(oriented(element, x, yp))
    if n == 2 and orient is not None:
        return turned_in_plane(element, oriented(element, *np.asarray(orient, dtype=float)))
    return turned(math.cos(angle), math.sin(angle)) if n == 2 else {"x": [-1.0, 1.0]}


def check_orient(element: Element, orient: Any) -> None:
    """Raise if an orientation is not two vectors."""
    if orient is not None and numbers(orient).shape != (2, 3):
        raise InputError(
            element.label(),
            "orient",
            orient,
            "must be two vectors of three finite numbers",
            fix="give one vector along local x and one in the local x-y plane",
        )


def check_angle(element: Element, angle: Any) -> None:
    """Raise if an angle is not one."""
    if isinstance(angle, bool) or not isinstance(angle, (int, float)) or not math.isfinite(angle):
        raise InputError(
            element.label(), "angle", angle, "must be a finite number", fix="give it in radians"
        )


def check_coincident(element: Element, coordinates: dict[Name, Array]) -> None:
    """Raise if the nodes of an element without length are apart."""
    i, j = element.nodes
    size = max(float(np.abs(coordinates[n]).max()) for n in (i, j))
    distance = float(np.linalg.norm(coordinates[j] - coordinates[i]))
    if distance > SAME_PLACE * size and not getattr(element, "may_be_apart", False):
        raise ModelError(
            f"{element.label()}: nodes {i!r} and {j!r} are {distance:g} apart, but it has no "
            "length. Put the nodes at the same place, or use a TwoNodeLink."
        )
