"""Rigs of one, two and three actuators around a moving head, with linear and with exact geometry.

The head is a rigid body in the plane with displacements (x, y, rotation) of its control point. An
actuator is pinned to the head at a point r (from the control point) and to the reaction wall at a
point g. Its length ::

    l = |d + R(rotation) r - g|,      stroke = sign (l - l at rest)

The derivative of the stroke is the direction of the actuator, e, and its moment about the control
point. Linear geometry is the exact one linearised at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental.setups.setup import Setup
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
DIRECTIONS = ("x", "y", "rz")


@dataclass(frozen=True)
class Jack:
    """An actuator between the pin on the ``head`` and the pin on the ``wall``, both from the
    control point at rest.

    ``sign`` is -1 if a positive stroke is to shorten it.
    """

    head: tuple[float, float]
    wall: tuple[float, float]
    sign: int = 1

    @property
    def length(self) -> float:
        """Length at rest."""
        return math.hypot(self.head[0] - self.wall[0], self.head[1] - self.wall[1])


class Rig(Setup):
    """A head moved by jacks.

    ``directions`` are those of the element among "x", "y" and "rz"; the others stay at 0.
    """

    def __init__(
        self, jacks: Sequence[Jack], directions: Sequence[str] = DIRECTIONS, exact: bool = False
    ) -> None:
        self.jacks = tuple(jacks)
        if not self.jacks or any(j.length == 0.0 for j in self.jacks):
            raise InputError(
                type(self).__name__, "jacks", jacks, "must be actuators that have a length"
            )
        if not directions or any(d not in DIRECTIONS for d in directions):
            raise InputError(
                type(self).__name__, "directions", directions, f"must be some of {DIRECTIONS}"
            )
        self.exact = exact
        self._places = [DIRECTIONS.index(d) for d in directions]
        self.inputs, self.outputs = len(self._places), len(self.jacks)
        self.size = max(j.length for j in self.jacks)
        self._rest = self._rows(np.zeros(3))[:, self._places]

    def _head(self, displacement: Array) -> Array:
        full = np.zeros(3)
        full[self._places] = displacement
        return full

    def _rows(self, head: Array) -> Array:
        rows = np.zeros((len(self.jacks), 3))
        c, s = math.cos(head[2]), math.sin(head[2])
        for row, jack in zip(rows, self.jacks, strict=True):
            rx, ry = c * jack.head[0] - s * jack.head[1], s * jack.head[0] + c * jack.head[1]
            ex, ey = head[0] + rx - jack.wall[0], head[1] + ry - jack.wall[1]
            length = math.hypot(ex, ey)
            ex, ey = jack.sign * ex / length, jack.sign * ey / length
            row[:] = ex, ey, rx * ey - ry * ex
        return rows

    def command(self, displacement: Array) -> Array:
        if not self.exact:
            return self._rest @ displacement
        head = self._head(displacement)
        half = math.sin(0.5 * head[2])
        less, s = 2.0 * half * half, math.sin(head[2])
        strokes = np.empty(len(self.jacks))
        for i, jack in enumerate(self.jacks):
            # the pin moves by m; l^2 - l0^2 = m (2 (r - g) + m) keeps the digits that l - l0 would
            # lose
            mx = head[0] - less * jack.head[0] - s * jack.head[1]
            my = head[1] + s * jack.head[0] - less * jack.head[1]
            wx, wy = jack.head[0] - jack.wall[0], jack.head[1] - jack.wall[1]
            strokes[i] = (
                jack.sign
                * (mx * (2.0 * wx + mx) + my * (2.0 * wy + my))
                / (math.hypot(wx + mx, wy + my) + jack.length)
            )
        return strokes

    def jacobian(self, displacement: Array) -> Array:
        return self._rows(self._head(displacement))[:, self._places] if self.exact else self._rest


class OneActuator(Rig):
    """One actuator along x, of the given length, from the left (side=-1) or from the right
    (side=1)."""

    def __init__(self, length: float, *, side: int = -1, exact: bool = False) -> None:
        super().__init__([_horizontal(length, 0.0, side)], ("x",), exact)


class TwoActuators(Rig):
    """Two parallel actuators along x: one through the control point, one at ``distance`` above it.
    Displacements (x, rz).

    Linear: ``c1 = x``, ``c2 = x - distance rotation``.
    """

    def __init__(
        self,
        length_1: float,
        length_2: float,
        distance: float,
        *,
        side: int = -1,
        exact: bool = False,
    ) -> None:
        super().__init__(
            [_horizontal(length_1, 0.0, side), _horizontal(length_2, distance, side)],
            ("x", "rz"),
            exact,
        )


class ThreeActuators(Rig):
    """The column rig of three actuators: one along x, two along y at both sides of the control
    point.

    ``distance_2`` is that of the second actuator to the left, ``distance_3`` that of the third to
    the right. Linear::

        c1 = x,   c2 = y - distance_2 rotation,   c3 = y + distance_3 rotation
    """

    def __init__(
        self,
        length_1: float,
        length_2: float,
        length_3: float,
        distance_2: float,
        distance_3: float,
        *,
        side: int = -1,
        exact: bool = False,
    ) -> None:
        super().__init__(
            [
                _horizontal(length_1, 0.0, side),
                Jack((-distance_2, 0.0), (-distance_2, -length_2)),
                Jack((distance_3, 0.0), (distance_3, -length_3)),
            ],
            DIRECTIONS,
            exact,
        )


def _horizontal(length: float, height: float, side: int) -> Jack:
    """An actuator along x whose positive stroke moves the head to positive x, on either side of it."""
    if side not in (-1, 1):
        raise InputError("setup", "side", side, "must be -1 (left) or 1 (right)")
    return Jack((0.0, height), (side * length, height), sign=-side)
