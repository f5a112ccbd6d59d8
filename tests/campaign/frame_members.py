"""Sections and members of a random frame.

Every section, rule of integration and beam-column that femu and OpenSees both have.
"""

from __future__ import annotations

import math
from typing import Any

from tests.campaign.frame_materials import STEEL_E, Writer

W_SHAPES = (
    (0.31, 0.165, 0.0066, 0.0112),
    (0.353, 0.254, 0.0095, 0.0164),
    (0.459, 0.191, 0.0091, 0.0145),
    (0.533, 0.21, 0.0102, 0.0157),
)  # depth, width, web, flange
COVER = 0.05
SECTIONS = (
    "fibres",
    "fibres",
    "fibres",
    "fibres",
    "Elastic",
    "Aggregator",
    "with shear",
    "WFSection2d",
)
FORCE_RULES = (
    "Lobatto",
    "Lobatto",
    "Lobatto",
    "Radau",
    "NewtonCotes",
    "Trapezoidal",
    "CompositeSimpson",
    "HingeRadau",
    "HingeRadauTwo",
    "HingeMidpoint",
    "HingeEndpoint",
    "UserDefined",
    "FixedLocation",
    "LowOrder",
    "MidDistance",
    "UserHinge",
)
OLDER_RULES = ("Lobatto", "Radau", "NewtonCotes", "Trapezoidal")
DISPLACEMENT_RULES = ("Legendre", "Legendre", "Lobatto", "Radau")
LOBATTO_5 = (
    (0.0, 0.1726731646460114, 0.5, 0.8273268353539886, 1.0),
    (0.05, 0.2722222222222222, 0.3555555555555556, 0.2722222222222222, 0.05),
)


class Members(Writer):
    """Writes sections and beam-columns."""

    # --- sections ---

    def section(self, rc: bool) -> int:
        """A cross-section of a beam or column."""
        kind = self.r.choice(SECTIONS)
        if kind == "WFSection2d" and (rc or self.space):
            kind = "fibres"
        if kind in ("fibres", "with shear"):
            base = self.fibres(rc)
            return self.with_shear(base, rc) if kind == "with shear" else base
        self.said.append(f"section {kind}")
        if kind == "WFSection2d":
            steel, shape = self.steel(), self.r.choice(W_SHAPES)
            depth, width, web, flange = map(self.m, shape)
            tag = self.tag("section")
            self.write("section", kind, tag, steel, depth, web, width, flange, 8, 2)
            return tag
        return self.elastic(rc) if kind == "Elastic" else self.aggregator(rc)

    def size(self, rc: bool) -> tuple[float, float, float, float, float]:
        """E, A, Iz, Iy and J of an elastic member, in the units of the frame."""
        E, depth, width = (27e9, 0.5, 0.4) if rc else (STEEL_E, 0.12, 0.09)
        A, Iz, Iy = depth * width, width * depth**3 / 12.0, depth * width**3 / 12.0
        return (
            self.Pa(E),
            A / self.length**2,
            Iz / self.length**4,
            Iy / self.length**4,
            (Iy + Iz) / self.length**4,
        )

    def elastic(self, rc: bool) -> int:
        E, A, Iz, Iy, J = self.size(rc)
        tag = self.tag("section")
        sheared = self.r.random() < 0.3
        more = (
            [Iy, E / 2.4, J, *([5 / 6, 5 / 6] if sheared else [])]
            if self.space
            else [E / 2.4, 5 / 6]
            if sheared
            else []
        )
        self.write("section", "Elastic", tag, E, A, Iz, *more)
        return tag

    def aggregator(self, rc: bool) -> int:
        """Uncoupled laws of force and moment.

        That of the axial force may come from a section of its own.
        """
        r = self.r
        E, A, Iz, Iy, J = self.size(rc)
        axial = self.material("Elastic", E * A)
        yields = r.uniform(0.006, 0.012) / self.m(1.0)  # curvature

        def bending(inertia: float) -> int:
            law = r.choice(["Steel01", "Steel02", "Hysteretic"])
            k = E * inertia
            if law == "Hysteretic":
                points = [
                    k * yields,
                    yields,
                    1.3 * k * yields,
                    8.0 * yields,
                    1.4 * k * yields,
                    30.0 * yields,
                ]
                return self.material(law, *points, *(-v for v in points), 0.8, 0.5, 0.0, 0.0, 0.0)
            return self.material(
                law, k * yields, k, 0.02, *([18.0, 0.925, 0.15] if law == "Steel02" else [])
            )

        pairs: list[Any] = [bending(Iz), "Mz"]
        if self.space:
            pairs += [bending(Iy), "My", self.material("Elastic", E / 2.4 * J), "T"]
        if r.random() < 0.3:
            base = self.tag("section")
            self.write("section", "Uniaxial", base, axial, "P")
            tag = self.tag("section")
            self.write("section", "Aggregator", tag, *pairs, "-section", base)
            return tag
        tag = self.tag("section")
        self.write("section", "Aggregator", tag, axial, "P", *pairs)
        return tag

    def with_shear(self, base: int, rc: bool) -> int:
        """A section and elastic shear."""
        self.said.append("section with shear")
        E, A, *_ = self.size(rc)
        shear = self.material("Elastic", E / 2.4 * A)
        tag = self.tag("section")
        self.write(
            "section",
            "Aggregator",
            tag,
            shear,
            "Vy",
            *([shear, "Vz"] if self.space else []),
            "-section",
            base,
        )
        return tag

    def fibres(self, rc: bool, bars: int | None = None) -> int:
        """A W shape, or a rectangle or circle of concrete with bars; in space with torsion."""
        r, space = self.r, self.space
        if not rc:
            return self._w_shape()
        core, cover = self.concrete(True), self.concrete(False)
        bars = self.bars() if bars is None else bars
        tag = self.tag("section")
        torsion = self.Nm(1e7) * self.m(1.0)
        twist = (
            ["-torsion", self.material("Elastic", torsion)]
            if space and r.random() < 0.3
            else ["-GJ", torsion]
        )
        self.write("section", "Fiber", tag, *(twist if space else []))
        area = r.uniform(3e-4, 7e-4) / self.length**2
        if r.random() < 0.2:
            self._circle(core, cover, bars, area)
        else:
            self._rectangle(core, cover, bars, area)
        return tag

    def _w_shape(self) -> int:
        r, m = self.r, self.m
        steel = self.steel()
        depth, width, web, flange = r.choice(W_SHAPES)
        tag = self.tag("section")
        self.write(
            "section", "Fiber", tag, *(["-GJ", self.Nm(1e7) * self.m(1.0)] if self.space else [])
        )
        y, z = 0.5 * depth, 0.5 * width
        across = r.choice([4, 6]) if self.space else 1
        for low, high, side, count in (
            (-y, flange - y, z, 2),
            (y - flange, y, z, 2),
            (flange - y, y - flange, web / 2, 6),
        ):
            self.write(
                "patch",
                "rect",
                steel,
                count,
                across if side == z else 1,
                m(low),
                m(-side),
                m(high),
                m(side),
            )
        return tag

    def _rectangle(self, core: int, cover: int, bars: int, area: float) -> None:
        r, m = self.r, self.m
        y, z = 0.5 * r.uniform(0.35, 0.6), 0.5 * r.uniform(0.3, 0.5)
        across, count = (r.choice([4, 6]) if self.space else 1), r.choice([8, 12])
        c = COVER
        corners = ((c - y, c - z), (y - c, c - z), (y - c, z - c), (c - y, z - c))
        if r.random() < 0.3:
            self.write(
                "patch", "quad", core, count, across, *(m(v) for corner in corners for v in corner)
            )
        else:
            self.write("patch", "rect", core, count, across, *map(m, (*corners[0], *corners[2])))
        for low, high in ((-y, c - y), (y - c, y)):
            self.write("patch", "rect", cover, 2, across, m(low), m(-z), m(high), m(z))
        for low, high in ((-z, c - z), (z - c, z)):
            self.write(
                "patch",
                "rect",
                cover,
                count,
                2 if self.space else 1,
                m(c - y),
                m(low),
                m(y - c),
                m(high),
            )
        if r.random() < 0.3:
            for at in (c - y, y - c):
                for opposite in (c - z, z - c):
                    self.write("fiber", m(at), m(opposite), 1.5 * area, bars)
            return
        for at in (c - y, y - c):
            self.write("layer", "straight", bars, 3, area, m(at), m(c - z), m(at), m(z - c))

    def _circle(self, core: int, cover: int, bars: int, area: float) -> None:
        m, radius = self.m, 0.5 * self.r.uniform(0.4, 0.6)
        inner = radius - COVER
        self.write("patch", "circ", core, 12, 4, 0.0, 0.0, 0.0, m(inner), 0.0, 360.0)
        self.write("patch", "circ", cover, 12, 2, 0.0, 0.0, m(inner), m(radius), 0.0, 360.0)
        self.write("layer", "circ", bars, 8, area, 0.0, 0.0, m(inner))

    # --- rules and members ---

    def rule(self, kind: str, section: int, points: int, span: float) -> int:
        """A beamIntegration for a member of a length."""
        tag = self.tag("rule")
        name = self.r.choice(DISPLACEMENT_RULES if kind == "dispBeamColumn" else FORCE_RULES)
        if name.startswith("Hinge"):
            hinge = 0.06 * span
            self.write("beamIntegration", name, tag, section, hinge, section, hinge, section)
        elif name in ("UserDefined", "FixedLocation", "LowOrder", "MidDistance"):
            places, weights = (list(row) for row in LOBATTO_5)
            more = {"UserDefined": weights, "LowOrder": weights[:2]}.get(name, [])
            self.write("beamIntegration", name, tag, 5, *([section] * 5), *places, *more)
        elif name == "UserHinge":
            end = [1, section]
            self.write("beamIntegration", name, tag, section, *end, 0.0, 0.08, *end, 1.0, 0.08)
        else:
            count = {"NewtonCotes": 5, "CompositeSimpson": 3, "Trapezoidal": 5}.get(name, points)
            self.write("beamIntegration", name, tag, section, count)
        self.said.append(name)
        return tag

    def member(
        self,
        ends: tuple[int, int],
        span: float,
        kind: str,
        section: int,
        transformation: int,
        points: int,
        rc: bool,
    ) -> int:
        """An element between two nodes, ``span`` apart in the units of the frame."""
        tag = self.tag("element")
        E, A, Iz, Iy, J = self.size(rc)
        if kind == "elasticBeamColumn":
            shear = [E / 2.4, J, Iy] if self.space else []
            self.write("element", kind, tag, *ends, A, E, *shear, Iz, transformation)
            return tag
        if kind == "ElasticTimoshenkoBeam":
            more = [J, Iy, Iz, A * 5 / 6, A * 5 / 6] if self.space else [Iz, A * 5 / 6]
            self.write("element", kind, tag, *ends, E, E / 2.4, A, *more, transformation)
            return tag
        # energy in the units of the frame: 1e-16 J or less is round-off in any of these frames
        options = [] if kind == "dispBeamColumn" else ["-iter", 50, self.Nm(1e-14)]
        if kind == "nonlinearBeamColumn":  # openseespy has its older form alone
            name = self.r.choice(FORCE_RULES)
            name = name if name in OLDER_RULES else "Lobatto"
            count = {"NewtonCotes": 5, "Trapezoidal": 5}.get(name, points)
            options += ["-integration", name]
            self.write("element", kind, tag, *ends, count, section, transformation, *options)
            self.said.append(name)
            return tag
        rule = self.rule(kind, section, points, span)
        self.write("element", kind, tag, *ends, transformation, rule, *options)
        return tag

    def apart(self, a: tuple[float, ...], b: tuple[float, ...]) -> float:
        """Distance of two places, in the units of the frame."""
        return self.m(math.dist(a, b))
