"""Random ordinary frames: one seed makes one frame, as the commands of an openseespy script.

Plane and space, steel and reinforced concrete, in N-m, kN-m or kip-in; gravity, then a pushover or
an earthquake. What is left out is in `LEFT_OUT`, by kind, and here, because OpenSees depends on how
its iteration went or leaves something out:

- mass of an elasticBeamColumn under base motion: mass is on the nodes alone.
- member loads on corotational members: both programs approximate them, in different ways.
- damping by the stiffness of corotational members in space: OpenSees forms the initial stiffness
  with the axes of the deformed member, once or in each step depending on the element, and its
  tangent is not symmetric; that of femu is.
- ViscousDamper in other methods than average acceleration: OpenSees takes the rate at the two ends
  of a step for its strain.
- damping by the committed stiffness of Bond_SP01: its tangent after yielding is the slope of its
  stress divided by its hardening exponent b (2.5 times the slope for 0.4), which enters the damping
  forces.
- Bond_SP01 in other units than inches: OpenSees has a slip of 0.00405 in it, whatever the unit.
- CompositeSimpson with more than 3 points: OpenSees has sections outside the member.
- chains of constraints: OpenSees does not follow them.
- displacement control of a node that follows another one: OpenSees moves another of its degrees of
  freedom.
"""

from __future__ import annotations

from typing import Any

from femu.records import GroundMotion
from tests.campaign.frame_materials import Frame
from tests.campaign.frame_members import COVER, Members

G = 9.81
TOLERANCE = 1e-10  # of the displacement increment, in metres
ITERATIONS = 40
PLAIN, SPACE = 3, 6
LEFT_OUT = {
    ("material", "Hardening"): "OpenSees keeps the plastic strain of an iterate that it gave up",
    ("material", "Series"): "OpenSees does not iterate until the stresses are equal",
    ("material", "CoulombDamper"): "OpenSees lowers the friction depending on how its iteration "
    "went",
    **dict.fromkeys(
        (
            *(
                ("element", f"{kind}Section")
                for kind in ("truss", "Truss", "corotTruss", "CorotTruss")
            ),
            ("element", "beamWithHinges"),
            *(("material", f"Elastic{kind}") for kind in ("Bilin", "MultiLinear")),
            *(
                ("material", kind + ending)
                for kind in ("Impact", "InitStrain", "InitStress")
                for ending in ("", "Material")
            ),
            *(
                ("material", kind)
                for kind in ("MultiLinear", "Multiplier", "SelfCentering", "SteelMPF")
            ),
            ("rule", "Simpson"),
        ),
        "ordinary frames hardly have it: compared in the collection of scripts",
    ),
}
FORCES = ("forceBeamColumn", "forceBeamColumn", "nonlinearBeamColumn")
METHODS = (
    ["Newmark", 0.5, 0.25],
    ["Newmark", 0.6, 0.3025],
    ["HHT", 0.9],
    ["TRBDF2"],
    ["GeneralizedAlpha", 1.0, 0.9],
    ["HHTGeneralized", 0.9],
)


class Layout(Members):
    """A frame while it is being written: its grid, and what was chosen for it."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        r = self.r
        self.rc = r.random() < 0.5
        self.dofs = SPACE if self.space else PLAIN
        storeys, bays = (
            r.choice([1, 1, 2, 3]),
            r.choice([1, 1, 2]) if self.space else r.choice([1, 1, 2, 3]),
        )
        self.heights, self.xs = [0.0], [0.0]
        for _ in range(storeys):
            self.heights.append(self.heights[-1] + r.uniform(2.8, 4.8))
        for _ in range(bays):
            self.xs.append(self.xs[-1] + r.uniform(4.0, 8.0))
        self.rows = [0.0, r.uniform(4.0, 7.0)] if self.space else [0.0]
        self.storeys, self.bays = storeys, bays
        self.nodes: dict[tuple[int, int, int], int] = {}
        self.masters: dict[int, int] = {}  # of the diaphragms, by storey
        self.loaded: list[int] = []

    def place(self, key: tuple[int, int, int]) -> tuple[float, ...]:
        """Coordinates in metres."""
        s, b, k = key
        return (
            (self.xs[b], self.rows[k], self.heights[s])
            if self.space
            else (self.xs[b], self.heights[s])
        )

    def node(self, place: tuple[float, ...]) -> int:
        tag = self.tag("node")
        self.write("node", tag, *map(self.m, place))
        return tag

    def grid(self) -> None:
        """Nodes and supports; a footing may let the bars slip."""
        for s in range(self.storeys + 1):
            for b in range(self.bays + 1):
                for k in range(len(self.rows)):
                    self.nodes[s, b, k] = self.node(self.place((s, b, k)))
        pinned = self.r.random() < 0.15 and not self.space
        for (s, _, _), tag in self.nodes.items():
            if s == 0:
                self.write("fix", tag, *([1] * (self.dofs - 1)), 0 if pinned else 1)
        if (
            self.units == "kip-in"
            and self.rc
            and not self.space
            and not pinned
            and self.r.random() < 0.5
        ):
            self.slip()

    def slip(self) -> None:
        """Columns on sections of contact and of bars that slip."""
        contact, bars, m = self.material("ENT", self.Pa(27e9) / self.m(0.1)), self.bond(), self.m
        tag = self.tag("section")
        self.write("section", "Fiber", tag)
        self.write("patch", "rect", contact, 10, 1, m(-0.22), m(-0.18), m(0.22), m(0.18))
        for at in (COVER - 0.22, 0.22 - COVER):
            self.write(
                "layer", "straight", bars, 3, 6e-4 / self.length**2, m(at), m(-0.13), m(at), m(0.13)
            )
        for b in range(self.bays + 1):
            above = self.node(self.place((0, b, 0)))
            self.write("fix", above, 1, 0, 0)
            self.write(
                "element",
                "zeroLengthSection",
                self.tag("element"),
                self.nodes[0, b, 0],
                above,
                tag,
                "-orient",
                0.0,
                1.0,
                0.0,
                -1.0,
                0.0,
                0.0,
            )
            self.nodes[0, b, 0] = above

    def members(self) -> None:
        """Columns and beams, with hinges at one end of the beams or without."""
        r, m, space = self.r, self.m, self.space
        self.geometry = r.choice(["Linear", "PDelta", "Corotational"])
        self.write("geomTransf", self.geometry, 1, *([0.0, 1.0, 0.0] if space else []))
        of_beams = "Linear" if r.random() < 0.7 else self.geometry
        self.write("geomTransf", of_beams, 2, *([0.0, 0.0, 1.0] if space else []))
        self.beams_corotate = of_beams == "Corotational"
        self.rigid = r.random() < 0.15 and not space and self.geometry != "Corotational"
        if self.rigid:
            self.write("geomTransf", "Linear", 3, "-jntOffset", m(0.2), 0.0, m(-0.2), 0.0)
        force = r.choice(FORCES)
        self.columns = r.choice(["elasticBeamColumn", force, force, "dispBeamColumn"])
        self.beams = r.choice(
            ["elasticBeamColumn", force, "dispBeamColumn", "ElasticTimoshenkoBeam"]
        )
        if self.beams == "ElasticTimoshenkoBeam" and (of_beams != "Linear" or self.rigid):
            self.beams = "elasticBeamColumn"
        column = 0 if self.columns == "elasticBeamColumn" else self.section(self.rc)
        beam = (
            0
            if self.beams in ("elasticBeamColumn", "ElasticTimoshenkoBeam")
            else self.section(self.rc)
        )
        points = r.choice([3, 4, 5])
        for key, tag in list(self.nodes.items()):
            below = (key[0] - 1, *key[1:])
            if key[0]:
                self.member(
                    (self.nodes[below], tag),
                    self.apart(self.place(below), self.place(key)),
                    self.columns,
                    column,
                    1,
                    points,
                    self.rc,
                )
        self.hinged = r.random() < 0.35 and self.beams == "elasticBeamColumn" and not space
        for key, tag in list(self.nodes.items()):
            s, b, k = key
            for other in ((s, b + 1, k), (s, b, k + 1)):
                if not s or other not in self.nodes:
                    continue
                i = self.hinge(key, tag) if self.hinged else tag
                self.loaded.append(
                    self.member(
                        (i, self.nodes[other]),
                        self.apart(self.place(key), self.place(other)),
                        self.beams,
                        beam,
                        3 if self.rigid and not self.hinged else 2,
                        points,
                        self.rc,
                    )
                )

    def hinge(self, key: tuple[int, int, int], at: int) -> int:
        r, node = self.r, self.node(self.place(key))
        self.write("equalDOF", at, node, 1, 2)
        self.write(
            "element",
            "zeroLength",
            self.tag("element"),
            at,
            node,
            "-mat",
            self.spring(r.uniform(0.5e8, 5e8), r.uniform(1.5e5, 5e5)),
            "-dir",
            6,
        )
        return node

    def diagonals(self) -> None:
        """Braces and dampers in the first bay."""
        r = self.r
        self.braced, self.damped = (
            r.random() < 0.3 and not self.space,
            r.random() < 0.3 and not self.space,
        )
        if self.braced:
            law, kind = self.brace(), "corotTruss" if self.geometry == "Corotational" else "truss"
            area = r.uniform(5e-4, 2e-3) / self.length**2
            for s in range(1, self.storeys + 1):
                self.write(
                    "element",
                    kind,
                    self.tag("element"),
                    self.nodes[s - 1, 0, 0],
                    self.nodes[s, 1, 0],
                    area,
                    law,
                )
        if self.damped:
            law = self.damper()
            for s in range(1, self.storeys + 1):
                self.write(
                    "element",
                    "twoNodeLink",
                    self.tag("element"),
                    self.nodes[s - 1, 1, 0],
                    self.nodes[s, 0, 0],
                    "-mat",
                    law,
                    "-dir",
                    1,
                )

    def floors(self) -> dict[int, list[int]]:
        """Nodes by storey, tied to each other or not."""
        found = {
            s: [tag for (level, _, _), tag in self.nodes.items() if level == s]
            for s in range(1, self.storeys + 1)
        }
        self.diaphragm = self.r.random() < 0.35 and not self.hinged
        for s, floor in found.items():
            if self.diaphragm and not self.space:
                for other in floor[1:]:
                    self.write("equalDOF", floor[0], other, 1)
            elif self.diaphragm:
                self.masters[s] = master = self.node(
                    (self.xs[-1] / 2, self.rows[-1] / 2, self.heights[s])
                )
                self.write("fix", master, 0, 0, 1, 1, 1, 0)
                self.write("rigidDiaphragm", 3, master, *floor)
        return found

    def gravity(self, floors: dict[int, list[int]]) -> None:
        """About 5 % of the strength of the columns, and loads on the beams; masses."""
        r, space = self.r, self.space
        weight = r.uniform(4e4, 2e5)
        self.write("timeSeries", "Linear", 1)
        self.write("pattern", "Plain", 1, 1)
        for floor in floors.values():
            for tag in floor:
                self.write(
                    "load",
                    tag,
                    *(
                        [0.0, 0.0, self.N(-weight), 0.0, 0.0, 0.0]
                        if space
                        else [0.0, self.N(-weight), 0.0]
                    ),
                )
        if r.random() < 0.5 and not self.beams_corotate:
            line, point = (
                -r.uniform(5e3, 2e4) * self.length / self.force,
                self.N(-r.uniform(1e4, 4e4)),
            )
            at_a_point = r.random() < 0.3 and self.beams != "ElasticTimoshenkoBeam"
            words = (
                ["-beamPoint", point, *([0.0] if space else []), 0.4]
                if at_a_point
                else ["-beamUniform", line, *([0.0] if space else [])]
            )
            for tag in self.loaded:
                self.write("eleLoad", "-ele", tag, "-type", *words)
        mass = self.kg(weight / G)
        for floor in floors.values():
            for tag in floor:
                self.write(
                    "mass",
                    tag,
                    *([mass] * (3 if space else 2)),
                    *([mass * 1e-3 * self.m(1.0) ** 2] * (3 if space else 1)),
                )
        self.frame.commands += self.solver()
        steps = r.choice([1, 5, 10, 20])
        self.frame.stages.append(
            {
                "commands": [["integrator", "LoadControl", 1.0 / steps], ["analysis", "Static"]],
                "steps": steps,
                "analyze": [1],
            }
        )

    def solver(self) -> list[list[Any]]:
        """How the equations are solved, on both programs."""
        return [
            ["constraints", "Transformation"],
            ["numberer", "RCM"],
            ["system", "UmfPack" if self.space else "BandGeneral"],
            ["test", "NormDispIncr", TOLERANCE / self.length, ITERATIONS],
            ["algorithm", "Newton"],
        ]

    def lateral(self, floors: dict[int, list[int]]) -> None:
        """Pushover or earthquake."""
        before: list[list[Any]] = [["loadConst", "-time", 0.0], ["wipeAnalysis"], *self.solver()]
        if self.r.random() < 0.5:
            self.pushover(floors, before)
        else:
            self.earthquake(before)

    def pushover(self, floors: dict[int, list[int]], before: list[list[Any]]) -> None:
        r, m = self.r, self.m
        drift, steps = r.uniform(0.003, 0.02), int(10 ** r.uniform(1.0, 2.3))
        push: list[list[Any]] = [["timeSeries", "Linear", 2], ["pattern", "Plain", 2, 2]]
        push += [
            ["load", tag, self.N(1e4 * s), *([0.0] * (self.dofs - 1))]
            for s, floor in floors.items()
            for tag in floor
        ]
        top = self.masters.get(self.storeys, self.nodes[self.storeys, 0, 0])
        for number, way in enumerate(r.choice([(1,), (1,), (1, -1)])):
            size = way * m(drift * self.heights[-1]) / steps * (1 if number == 0 else 2)
            control: list[list[Any]] = [
                ["integrator", "DisplacementControl", top, 1, size],
                ["analysis", "Static"],
            ]
            commands = [*before, *push, *control] if number == 0 else control
            self.frame.stages.append(
                {
                    "commands": commands,
                    "steps": steps,
                    "analyze": [1],
                    "what": f"pushover, {steps} steps to {100 * drift:.1f} %",
                }
            )

    def earthquake(self, before: list[list[Any]]) -> None:
        r = self.r
        pga, dt = r.uniform(0.2, 1.0) * G, 10 ** r.uniform(-3.0, -1.0)
        steps = min(150, max(20, int(2.0 / dt)))
        record = GroundMotion.el_centro()
        first = int(1.4 / record.dt)
        piece = record.acceleration[first : first + int(3.2 / record.dt)]
        factor = pga / float(abs(record.acceleration).max()) / self.length
        method = METHODS[0] if "damper ViscousDamper" in self.said else r.choice(METHODS)
        initial, committed = r.choice(
            [(0.0, 0.0), (r.uniform(1e-4, 2e-3), 0.0), (0.0, r.uniform(1e-4, 2e-3))]
        )
        if self.space and self.geometry == "Corotational":
            initial, committed = 0.0, 0.0
        if "Bond_SP01" in self.said:
            committed = 0.0
        shake: list[list[Any]] = [
            ["rayleigh", r.uniform(0.1, 0.8), 0.0, initial, committed],
            [
                "timeSeries",
                "Path",
                2,
                "-dt",
                record.dt,
                "-values",
                *(round(float(a), 6) for a in piece),
                "-factor",
                factor,
            ],
            ["pattern", "UniformExcitation", 2, 1, "-accel", 2],
            ["integrator", *method],
            ["analysis", "Transient"],
        ]
        self.frame.stages.append(
            {
                "commands": [*before, *shake],
                "steps": steps,
                "analyze": [1, dt],
                "what": f"earthquake of {pga / G:.1f} g by {method[0]}, {steps} steps of {dt:.3g} "
                "s",
            }
        )

    def title(self) -> str:
        """The frame in a line."""
        parts = [
            ("braces", self.braced),
            ("dampers", self.damped),
            ("floors", self.diaphragm),
            ("rigid ends", self.rigid),
        ]
        return (
            f"{'space' if self.space else 'plane'}, {'concrete' if self.rc else 'steel'}, "
            f"{self.storeys} by {self.bays}, {self.units}, {self.geometry}, columns "
            f"{self.columns}, beams {self.beams}, "
            f"{', '.join([*sorted(set(self.said)), *(name for name, there in parts if there)])}; "
            f"{self.frame.stages[-1]['what']}"
        )


def frame_of(seed: int) -> Frame:
    """The frame of a seed."""
    w = Layout(seed)
    w.write("model", "basic", "-ndm", 3 if w.space else 2, "-ndf", w.dofs)
    w.grid()
    w.members()
    w.diagonals()
    floors = w.floors()
    w.gravity(floors)
    w.lateral(floors)
    w.frame.watched = sorted(w.nodes.values())
    w.frame.title = w.title()
    return w.frame
