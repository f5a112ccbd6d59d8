"""Patches and layers of fibres: points (y, z, area) for `FibreSection.from_points`.

The same subdivisions as those of OpenSees' ``patch`` and ``layer``, so that both programs have the
same fibres. Angles are in degrees from local y towards local z.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from femu.support.errors import InputError

Fibre = tuple[float, float, float]  # y, z, area
Corner = Sequence[float]
FULL_CIRCLE = 360.0
# of one patch or layer: more are a mistake, and would fill the memory before a section could refuse
# them
MOST_FIBRES = 100_000


def rectangle_patch(count_y: int, count_z: int, low: Corner, high: Corner) -> list[Fibre]:
    """Rectangle from the corner ``low`` to the corner ``high`` (y, z), in count_y by count_z cells.
    OpenSees: ``rect``."""
    (y0, z0), (y1, z1) = _corner("rectangle_patch", "low", low), _corner("rectangle_patch", "high",
                                                                         high)
    _count("rectangle_patch", count_y=count_y, count_z=count_z)
    height, width = (y1 - y0) / count_y, (z1 - z0) / count_z
    if height * width == 0.0:
        raise InputError("rectangle_patch", "low, high", (low, high), "must enclose an area")
    return _finite("rectangle_patch", [(y0 + (a + 0.5) * height, z0 + (b + 0.5) * width,
                                        abs(height * width))
                                       for b in range(count_z) for a in range(count_y)])


def quad_patch(count_ij: int, count_jk: int, i: Corner, j: Corner, k: Corner,
               l: Corner) -> list[Fibre]:
    """Quadrilateral with the corners i, j, k, l (counterclockwise), in count_ij by count_jk cells.
    OpenSees: ``quad``.

    Each cell has its exact area and centroid.
    """
    corners = np.array([_corner("quad_patch", name, v) for name,
                        v in zip("ijkl", (i, j, k, l), strict=True)])
    _count("quad_patch", count_ij=count_ij, count_jk=count_jk)

    def at(a: float, b: float) -> np.ndarray:
        return (1 - a) * (1 - b) * corners[0] + a * (1
                                                     - b) * corners[1] + a * b * corners[2] + (1 - a) * b * corners[3]

    found = []
    for b in range(count_jk):
        for a in range(count_ij):
            a0, a1, b0, b1 = a / count_ij, (a + 1) / count_ij, b / count_jk, (b + 1) / count_jk
            found.append(_cell(np.array([at(a0, b0), at(a1, b0), at(a1, b1), at(a0, b1)])))
    return _finite("quad_patch", found)


def _cell(corners: np.ndarray) -> Fibre:
    """Centroid and area of a polygon."""
    y, z = corners.T
    cross = y * np.roll(z, -1) - np.roll(y, -1) * z
    area = 0.5 * float(cross.sum())
    if area == 0.0:
        raise InputError("quad_patch", "i, j, k, l", corners.tolist(), "must enclose an area")
    centre = [float(((v + np.roll(v, -1)) * cross).sum() / (6.0 * area)) for v in (y, z)]
    return centre[0], centre[1], abs(area)


def circle_patch(count_around: int, count_radial: int, centre: Corner, inner: float, outer: float,
                 start: float = 0.0,
                 end: float = FULL_CIRCLE) -> list[Fibre]:
    """Ring or sector between two radii and two angles, each cell with its exact area and centroid.
    OpenSees: ``circ``."""
    yc, zc = _corner("circle_patch", "centre", centre)
    _count("circle_patch", count_around=count_around, count_radial=count_radial)
    if not 0.0 <= inner < outer < math.inf:
        raise InputError("circle_patch", "inner, outer", (inner, outer), "must be 0 <= inner < "
                                                                         "outer")
    if not (math.isfinite(start) and math.isfinite(end) and start < end):
        raise InputError("circle_patch", "start, end", (start, end), "must be two angles in "
                                                                     "degrees, the first less")
    angle = math.radians(end - start) / count_around
    radii = np.linspace(inner, outer, count_radial + 1)
    found = []
    for ring in range(count_radial):
        r0, r1 = float(radii[ring]), float(radii[ring + 1])
        square = r1 * r1 - r0 * r0
        area = 0.5 * angle * square
        arm = 4.0 / 3.0 * math.sin(0.5 * angle) / angle * (r1 * r1 * r1
                                                           - r0 * r0
                                                           * r0) / square if area > 0.0 else math.nan
        for sector in range(count_around):
            turn = math.radians(start) + (sector + 0.5) * angle
            found.append((yc + arm * math.cos(turn), zc + arm * math.sin(turn), area))
    return _finite("circle_patch", found)


def straight_layer(count: int, area: float, start: Corner, end: Corner) -> list[Fibre]:
    """Bars of one area each on a line from start to end.

    One bar is in the middle. OpenSees: ``straight``.
    """
    first, last = np.array(_corner("straight_layer", "start",
                                   start)), np.array(_corner("straight_layer", "end", end))
    _count("straight_layer", count=count)
    _area("straight_layer", area)
    shares = [0.5] if count == 1 else np.linspace(0.0, 1.0, count).tolist()
    return [(float(y), float(z), area) for y, z in (first + s * (last - first) for s in shares)]


def circle_layer(count: int, area: float, centre: Corner, radius: float, start: float = 0.0,
                 end: float | None = None) -> list[Fibre]:
    """Bars of one area each on a circle from the angle start to the angle end, all round if left
    out. OpenSees: ``circ``."""
    yc, zc = _corner("circle_layer", "centre", centre)
    _count("circle_layer", count=count)
    _area("circle_layer", area)
    last = start + FULL_CIRCLE * (count - 1) / count if end is None else end
    if not (math.isfinite(radius) and radius > 0.0 and math.isfinite(start)
            and math.isfinite(last)):
        raise InputError("circle_layer", "radius, start, end", (radius, start, end),
                         "must be finite, the radius above 0")
    angles = [0.5 * (start + last)] if count == 1 else np.linspace(start, last, count).tolist()
    return [(yc + radius * math.cos(math.radians(a)), zc + radius * math.sin(math.radians(a)),
             area) for a in angles]


def _corner(what: str, name: str, value: Iterable[float]) -> tuple[float, float]:
    try:
        y, z = (float(v) for v in value)
    except (TypeError, ValueError):
        y = z = math.nan
    if not (math.isfinite(y) and math.isfinite(z)):
        raise InputError(what, name, value, "must be two finite numbers, y and z")
    return y, z


def _finite(what: str, found: list[Fibre]) -> list[Fibre]:
    """The same fibres: numbers near the largest or the smallest that there are give none that can
    be used."""
    wrong = next((fibre for fibre in found if not (math.isfinite(sum(fibre)) and fibre[2] > 0.0)),
                 None)
    if wrong is not None:
        raise InputError(what, "fibre (y, z, area)", wrong, "must be finite, its area above 0",
                         fix="check corners and radii")
    return found


def _count(what: str, **counts: int) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InputError(what, name, value, "must be a whole number from 1 on")
    if math.prod(int(value) for value in counts.values()) > MOST_FIBRES:
        raise InputError(what, ", ".join(counts), tuple(counts.values()), "must make at most "
                                                                          f"{MOST_FIBRES} fibres")


def _area(what: str, area: float) -> None:
    if not (isinstance(area, (int, float)) and math.isfinite(area) and area > 0.0):
        raise InputError(what, "area", area, "must be above 0", fix="give the area of one bar")
