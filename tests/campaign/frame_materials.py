"""Commands of a random frame, its units and its materials.

Every law that femu and OpenSees both have.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

# force and length in SI
UNITS = {"N-m": (1.0, 1.0), "kN-m": (1e3, 1.0), "kip-in": (4448.2216152605, 0.0254)}
STEEL_E = 2e11
STEELS = (
    "Steel01",
    "Steel02",
    "Steel02",
    "ElasticPP",
    "isotropic",
    "MinMax",
    "Fatigue",
    "Parallel",
)
HINGES = (
    "Elastic",
    "Steel01",
    "Steel02",
    "ElasticPP",
    "Hysteretic",
    "HystereticSM",
    "Bilin",
    "Pinching4",
    "BoucWen",
)
BRACES = ("steel", "steel", "ENT", "ElasticPPGap", "Elastic")
DAMPERS = ("Viscous", "ViscousDamper", "BoucWen")


@dataclass
class Frame:
    """Commands of a frame: the model, then stages of commands, a number of steps and the arguments
    of analyze."""

    seed: int
    title: str = ""
    commands: list[list[Any]] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)
    watched: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class Writer:
    """Writes a frame; numbers come in SI and leave in the frame's units."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.frame = Frame(seed)
        self.units = self.r.choice(list(UNITS))
        self.force, self.length = UNITS[self.units]
        self.space = self.r.random() < 0.35
        self.tags: dict[str, int] = {}
        self.said: list[str] = []

    def write(self, *words: Any) -> None:
        self.frame.commands.append(list(words))

    def tag(self, what: str) -> int:
        self.tags[what] = self.tags.get(what, 0) + 1
        return self.tags[what]

    def N(self, x: float) -> float:
        return x / self.force

    def m(self, x: float) -> float:
        return x / self.length

    def Nm(self, x: float) -> float:
        return x / (self.force * self.length)

    def Pa(self, x: float) -> float:
        return x / self.force * self.length**2

    def kg(self, x: float) -> float:
        return x / self.force * self.length

    def material(self, kind: str, *numbers: Any) -> int:
        tag = self.tag("material")
        self.write("uniaxialMaterial", kind, tag, *numbers)
        return tag

    # --- materials ---

    def steel(self) -> int:
        r, Pa = self.r, self.Pa
        fy, b = r.uniform(235e6, 500e6), r.uniform(0.002, 0.03)
        kind = r.choice(STEELS)
        self.said.append(kind)
        if kind == "Steel01":
            return self.material(kind, Pa(fy), Pa(STEEL_E), b)
        if kind == "isotropic":
            return self.material("Steel01", Pa(fy), Pa(STEEL_E), b, 0.02, 5.0, 0.02, 5.0)
        if kind == "ElasticPP":
            return self.material(kind, Pa(STEEL_E), fy / STEEL_E)
        if kind == "Parallel":
            return self.material(
                kind,
                self.material("ElasticPP", Pa(0.98 * STEEL_E), fy / STEEL_E),
                self.material("Elastic", Pa(0.02 * STEEL_E)),
            )
        base = self.material("Steel02", Pa(fy), Pa(STEEL_E), b, r.uniform(15.0, 20.0), 0.925, 0.15)
        if kind == "MinMax":
            return self.material(kind, base, "-min", -0.15, "-max", 0.15)
        return self.material(kind, base) if kind == "Fatigue" else base

    def bars(self) -> int:
        r, Pa = self.r, self.Pa
        if r.random() < 0.25:
            self.said.append("ReinforcingSteel")
            fy = r.uniform(400e6, 500e6)
            return self.material(
                "ReinforcingSteel",
                Pa(fy),
                Pa(1.4 * fy),
                Pa(STEEL_E),
                Pa(0.03 * STEEL_E),
                0.01,
                0.12,
            )
        return self.steel()

    def concrete(self, confined: bool) -> int:
        r, Pa = self.r, self.Pa
        fc = r.uniform(20e6, 45e6) * (1.25 if confined else 1.0)
        peak, crushing = (
            (0.004, r.uniform(0.012, 0.025)) if confined else (0.002, r.uniform(0.005, 0.008))
        )
        fcu = fc * (r.uniform(0.5, 0.9) if confined else r.uniform(0.1, 0.3))
        kind = r.choice(["Concrete01", "Concrete02", "Concrete04"])
        self.said.append(kind)
        if kind == "Concrete01":
            return self.material(kind, Pa(-fc), -peak, Pa(-fcu), -crushing)
        ft = 0.1 * fc
        if kind == "Concrete02":
            return self.material(
                kind,
                Pa(-fc),
                -peak,
                Pa(-fcu),
                -crushing,
                r.choice([0.1, 0.3]),
                Pa(ft),
                Pa(0.1 * fc / peak),
            )
        modulus = 4700e6 * (fc / 1e6) ** 0.5
        tension = [Pa(ft), r.uniform(3.0, 10.0) * ft / modulus] if r.random() < 0.5 else []
        return self.material(kind, Pa(-fc), -peak, -crushing, Pa(modulus), *tension)

    def spring(self, stiffness: float, strength: float) -> int:
        """A rotational hinge, in N m."""
        r, Nm = self.r, self.Nm
        y = strength / stiffness
        kind = r.choice(HINGES)
        self.said.append(f"hinge {kind}")
        points = [Nm(strength), y, Nm(1.2 * strength), y + 0.03, Nm(1.3 * strength), y + 0.08]
        below = [-v for v in points]
        if kind == "Elastic":
            return self.material(kind, Nm(stiffness))
        if kind in ("Steel01", "Steel02"):
            curve = [18.0, 0.925, 0.15] if kind == "Steel02" else []
            return self.material(kind, Nm(strength), Nm(stiffness), 0.02, *curve)
        if kind == "ElasticPP":
            return self.material(kind, Nm(stiffness), y)
        if kind == "BoucWen":
            return self.bouc_wen(Nm(stiffness), y)
        if kind == "Hysteretic":
            return self.material(
                kind, *points, *below, r.uniform(0.5, 1.0), r.uniform(0.3, 1.0), 0.0, 0.0, 0.0
            )
        if kind == "HystereticSM":
            return self.material(kind, "-posEnv", *points, "-negEnv", *below, "-pinch", 0.8, 0.5)
        if kind == "Bilin":
            return self.material(
                kind,
                Nm(stiffness),
                0.02,
                0.02,
                Nm(strength),
                Nm(-strength),
                2.0,
                2.0,
                2.0,
                2.0,
                1.0,
                1.0,
                1.0,
                1.0,
                0.04,
                0.04,
                0.15,
                0.15,
                0.3,
                0.3,
                0.4,
                0.4,
                1.0,
                1.0,
            )
        more = [Nm(1.3 * strength), y + 0.1]
        return self.material(
            kind,
            *points,
            *more,
            *below,
            *(-v for v in more),
            0.4,
            0.3,
            0.05,
            0.4,
            0.3,
            0.05,
            *([0.0] * 15),
            10.0,
            "energy",
        )

    def bouc_wen(self, stiffness: float, y: float) -> int:
        """Smooth hysteresis that yields at a deformation y, in the units of the frame."""
        return self.material(
            "BoucWen", 0.05, stiffness, 1.0, 0.5 / y, 0.5 / y, 1.0, 0.0, 0.0, 0.0, 1e-13, 100
        )

    def brace(self) -> int:
        """The law of a diagonal truss, in stress and strain."""
        kind = self.r.choice(BRACES)
        if kind == "steel":
            return self.steel()
        self.said.append(f"brace {kind}")
        if kind == "Elastic":  # softer in compression
            return self.material(kind, self.Pa(STEEL_E), 0.0, self.Pa(0.3 * STEEL_E))
        if kind == "ElasticPPGap":
            return self.material(kind, self.Pa(STEEL_E), self.Pa(3e8), 2e-4, 0.01)
        return self.material(kind, self.Pa(STEEL_E))

    def damper(self) -> int:
        """The law of a link along a diagonal, in force and elongation.

        It resists with about 50 kN.
        """
        r, N, m = self.r, self.N, self.m
        kind, force = r.choice(DAMPERS), r.uniform(2e4, 1e5)
        self.said.append(f"damper {kind}")
        at = m(0.2)  # velocity in 1/s
        if kind == "Viscous":
            alpha = r.choice([1.0, 0.7])
            return self.material(kind, N(force) / at**alpha, alpha)
        if kind == "ViscousDamper":
            # the last numbers: no gap, Dormand-Prince, its tolerances
            return self.material(
                kind, N(force) / m(0.002), N(force) / at, 1.0, 0.0, 1, 1e-11, 1e-13, 15
            )
        return self.bouc_wen(N(force) / m(0.004), m(0.004))

    def bond(self) -> int:
        """Slip of bars out of a footing, in stress and displacement."""
        fy = self.r.uniform(400e6, 500e6)
        self.said.append("Bond_SP01")
        return self.material(
            "Bond_SP01", self.Pa(fy), self.m(5e-4), self.Pa(1.4 * fy), self.m(2e-2), 0.4, 0.7
        )
