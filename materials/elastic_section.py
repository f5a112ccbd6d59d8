"""Linear elastic section."""

from __future__ import annotations

from femu.component import Section
from femu.errors import InputError
from femu.laws import law
from femu.parameters import finite, positive


class ElasticSection(Section):
    """Linear elastic section: ``N = E A strain``, ``M = E I curvature``."""

    E: float = positive("Young's modulus", "stress")
    A: float = positive("area", "length^2")
    I: float = positive("second moment of area", "length^4")

    @law
    def law(p, h, x):
        E, A, I = p
        strain, curvature = x
        return (E * A * strain, E * I * curvature), (E * A, 0.0, E * I), h

    @classmethod
    def rectangle(cls, width: float, depth: float, E: float) -> ElasticSection:
        """Solid rectangle bent about the axis parallel to its width."""
        return cls(E=E, A=width * depth, I=width * depth**3 / 12.0)

    @classmethod
    def h_shape(cls, depth: float, width: float, web: float, flange: float, E: float) -> ElasticSection:
        """Doubly symmetric H bent about its strong axis."""
        A, I, _, _ = h_shape_properties(depth, width, web, flange)
        return cls(E=E, A=A, I=I)


def h_shape_properties(depth: float, width: float, web: float, flange: float) -> tuple[float, float, float, float]:
    """Area, second moment, plastic modulus and ratio of one flange to the web, of a doubly symmetric H."""
    for name, value in (("depth", depth), ("width", width), ("web", web), ("flange", flange)):
        if not finite(value) or not value > 0.0:
            raise InputError("h_shape", name, value, "must be above 0", "give the plate sizes in one unit of length")
    if not 2.0 * flange < depth or not web < width:
        raise InputError("h_shape", "flange, web", (flange, web), "must leave room: 2*flange < depth, web < width")
    clear = depth - 2.0 * flange
    area = 2.0 * width * flange + clear * web
    inertia = (width * depth**3 - (width - web) * clear**3) / 12.0
    modulus = width * flange * (depth - flange) + web * clear**2 / 4.0
    return area, inertia, modulus, width * flange / (clear * web)
