"""How compiling, memory and a step grow with the number of members, in the plane and in space.

Reinforced concrete frames and buildings of force-based members with five fibre sections each, of
100 fibres in space and 44 in the plane, by Menegotto and Pinto and by Kent and Park with tension.
Each model has its own process, so that its peak memory is its own; what Python and femu take
before the model is subtracted from figures per member. Times are CPU seconds of the process.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from femu.analyses import Newmark, Transient
from femu.elements import ForceBeamColumn
from femu.materials import FibreSection, KentParkTension, MenegottoPinto
from femu.materials.sections.patches import rectangle_patch, straight_layer
from femu.model.component import Section
from femu.model.model import Model
from femu.records import GroundMotion
from femu.results.save import Save
from femu.support.isolated_python import python, surroundings
from femu.support.tables import Row, Table

COMPILING = {5_115: 1.0, 102_272: 15.0}
"""Most seconds of compiling, by the number of members in space."""
COMPILED_MEMORY = {5_115: 700.0}
"""Most MB of a process that has compiled, by the number of members in space."""
MEMBER_MEMORY = 120.0  # kB a member in space, with a run
STEP_EXPONENT = 1.35  # of the time of a step in space
LARGE = 1_000  # members from which growth is measured
DT = 0.01
STOREY, BAY = 3.5, 6.0
NOTHING = Save(
    displacement=False,
    velocity=False,
    acceleration=False,
    reactions=False,
    forces=False,
    energy=False,
)
TIMEOUT = 3600


@dataclass(frozen=True)
class Size:
    """A building of storeys and bays; a plane frame if it has no bays across."""

    storeys: int
    bays: int
    across: int | None = None
    steps: int = 0
    """Steps to run; none where one would take minutes."""

    @property
    def in_space(self) -> bool:
        """Whether it is a building in space."""
        return self.across is not None

    @property
    def members(self) -> int:
        """Columns and beams."""
        if self.across is None:
            return self.storeys * (2 * self.bays + 1)
        n, m = self.bays + 1, self.across + 1
        return self.storeys * (n * m + self.bays * m + n * self.across)

    def __str__(self) -> str:
        return "x".join(str(n) for n in (self.storeys, self.bays, self.across) if n is not None)


PLANE = (
    Size(10, 5, steps=200),
    Size(40, 12, steps=40),
    Size(130, 38, steps=10),
    Size(500, 100, steps=2),
)
SPACE = (
    Size(4, 3, 2, steps=100),
    Size(8, 6, 6, steps=20),
    Size(15, 10, 10, steps=4),
    Size(24, 16, 16, steps=1),
    Size(34, 31, 31, steps=0),
)


def section(width: float, depth: float, in_space: bool) -> Section:
    """A reinforced concrete section: in space 90 fibres of concrete and 10 bars, in the plane 40
    layers and 4 layers of bars."""
    concrete = KentParkTension(
        fc=30e6,
        peak_strain=0.002,
        fcu=6e6,
        crushing_strain=0.006,
        unloading_ratio=0.1,
        ft=2e6,
        softening_modulus=1.5e9,
    )
    steel = MenegottoPinto(E=200e9, fy=420e6, b=0.01)
    y, z, bar = 0.5 * depth, 0.5 * width, 3e-4
    edge_y, edge_z = y - 0.05, z - 0.05
    if in_space:
        rows = [straight_layer(5, bar, (at, -edge_z), (at, edge_z)) for at in (-edge_y, edge_y)]
        points: list[Any] = [(*cell, concrete) for cell in rectangle_patch(10, 9, (-y, -z), (y, z))]
        points += [(*fibre, steel) for row in rows for fibre in row]
        return FibreSection.from_points(points, GJ=1e8)
    cells = rectangle_patch(40, 1, (-y, -z), (y, z))
    layers = [(-edge_y, 5 * bar), (-edge_y / 3, 2 * bar), (edge_y / 3, 2 * bar), (edge_y, 5 * bar)]
    return FibreSection.from_points(
        [
            *((height, area, concrete) for height, _, area in cells),
            *((height, area, steel) for height, area in layers),
        ]
    )


def model(size: Size) -> Model:
    """The building or frame, all columns with one section and all beams with another."""
    made = Model(str(size), dimensions=3 if size.in_space else 2)
    column, beam = (section(*sides, size.in_space) for sides in ((0.5, 0.5), (0.3, 0.6)))
    rows = range((size.across or 0) + 1)
    for k in range(size.storeys + 1):
        for i in range(size.bays + 1):
            for j in rows:
                place = (BAY * i, BAY * j, STOREY * k) if size.in_space else (BAY * i, STOREY * k)
                made.node(_name(k, i, j), *place, fixed=k == 0)
                if k > 0:
                    made.mass(_name(k, i, j), 20e3)

    def member(a: tuple[int, int, int], b: tuple[int, int, int], of: Section, bends: str) -> None:
        made.add(
            ForceBeamColumn(len(made.elements), _name(*a), _name(*b), section=of, geometry=bends)
        )

    for k in range(1, size.storeys + 1):
        for i in range(size.bays + 1):
            for j in rows:
                member((k - 1, i, j), (k, i, j), column, "p-delta")
                if i < size.bays:
                    member((k, i, j), (k, i + 1, j), beam, "linear")
                if j + 1 < len(rows):
                    member((k, i, j), (k, i, j + 1), beam, "linear")
    made.rayleigh(mass=0.3, initial=1e-3)
    return made


def _name(k: int, i: int, j: int) -> int:
    return (k * 1000 + i) * 1000 + j


@dataclass(frozen=True)
class Measured:
    """One model."""

    size: str
    in_space: bool
    members: int
    equations: int
    describing: float  # s to build the model
    compiling: float  # s
    compiled: float  # MB of the process with the program
    before: float  # MB of the process before the model
    setup: float | None  # s of the first run before its first step
    step: float | None  # s
    iterations: float | None  # of Newton per step
    peak: float | None  # MB of the process with a run

    @property
    def member_compiling(self) -> float:
        """Microseconds of compiling a member."""
        return 1e6 * self.compiling / self.members

    @property
    def member_memory(self) -> float:
        """kB a member, with a run if there is one."""
        return 1e3 * ((self.peak or self.compiled) - self.before) / self.members


def peak_memory() -> float:
    """MB that this process has taken at most."""
    import resource  # Windows has none

    found = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return found / (2**20 if sys.platform == "darwin" else 2**10)


def measure(size: Size) -> Measured:
    """One model, in this process."""
    quake = GroundMotion.el_centro().trimmed(1.0).scaled(pga=3.0)

    def run(of: Any, steps: int) -> Any:
        analysis = Transient(Newmark(), dt=DT)
        return analysis.run(of, quake, duration=steps * DT, save=NOTHING)

    # its kernels are loaded now
    run(model(Size(1, 1, 1 if size.in_space else None)).compile(), 2)
    before = peak_memory()
    described, describing = _spent(lambda: model(size))
    program, compiling = _spent(described.compile)
    compiled = peak_memory()
    setup = step = iterations = peak = None
    if size.steps:
        setup = _spent(lambda: run(program, 0))[1]
        again = _spent(lambda: run(program, 0))[1]  # without what is done once for a program
        result, whole = _spent(lambda: run(program, size.steps))
        step = max(whole - again, 0.0) / size.steps
        iterations, peak = float(result.iterations.mean()), peak_memory()
    return Measured(
        str(size),
        size.in_space,
        size.members,
        program.neq,
        describing,
        compiling,
        compiled,
        before,
        setup,
        step,
        iterations,
        peak,
    )


def _spent(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


_SCRIPT = """
import json, sys
from dataclasses import asdict
from femu.benchmarks.scale import Size, measure
print(json.dumps(asdict(measure(Size(*json.loads(sys.argv[1]))))))
"""


def in_process(size: Size) -> Measured:
    """One model in a process of its own."""
    done = subprocess.run(
        python(_SCRIPT, json.dumps(list(asdict(size).values()))),
        env=surroundings(FEMU_QUIET="1"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def exponent(models: list[Measured], of: Callable[[Measured], float | None]) -> float | None:
    """Exponent of a time against the number of members, between the first large model and the
    largest that has it."""
    timed = [(m.members, t) for m in models if m.members >= LARGE and (t := of(m))]
    if len(timed) < 2:
        return None
    (few, least), (most, longest) = timed[0], timed[-1]
    return math.log(longest / least) / math.log(most / few)


def _at_most(value: float, most: float | None) -> dict[str, Any]:
    return {} if most is None else {"limit": f"<= {most:g}", "ok": value <= most}


def rows_of(m: Measured) -> list[Row]:
    """What was measured of one model."""
    where = "space" if m.in_space else "plane"
    name = f"{where} {m.size}, {m.members:,} members"
    limit = COMPILING.get(m.members) if m.in_space else None
    room = COMPILED_MEMORY.get(m.members) if m.in_space else None
    rows = [
        Row(
            f"{name}: compiling",
            m.compiling,
            "s",
            reference=f"{m.member_compiling:.3g} us a member; {m.describing:.3g} s to describe",
            **_at_most(m.compiling, limit),
        ),
        Row(
            f"{name}: memory, compiled",
            m.compiled,
            "MB",
            reference=f"{1e3 * (m.compiled - m.before) / m.members:.3g} kB a member",
            **_at_most(m.compiled, room),
        ),
    ]
    if m.step is None:
        return rows
    most = MEMBER_MEMORY if m.in_space and m.members >= LARGE else None
    return [
        *rows,
        Row(
            f"{name}: a step",
            1e3 * m.step,
            "ms",
            reference=f"{m.iterations:.3g} iterations, {m.equations:,} equations; setting up the "
            f"first run {m.setup:.3g} s",
        ),
        Row(
            f"{name}: peak memory of a run",
            m.member_memory,
            "kB a member",
            reference=f"{m.peak:.4g} MB in all",
            **_at_most(m.member_memory, most),
        ),
    ]


def table(found: list[Measured]) -> Table:
    """The figures as rows with limits."""
    rows = [row for m in found for row in rows_of(m)]
    for where in ("plane", "space"):
        models = [m for m in found if m.in_space == (where == "space")]
        growth = exponent(models, lambda m: m.compiling)
        if growth is not None:
            rows.append(
                Row(f"{where}: growth of compiling, exponent", growth, **_at_most(growth, 1.0))
            )
        growth = exponent(models, lambda m: m.step)
        if growth is not None:
            limit = STEP_EXPONENT if where == "space" else None
            rows.append(
                Row(f"{where}: growth of a step, exponent", growth, **_at_most(growth, limit))
            )
    return Table(
        "Compiling, memory and a step by the number of members",
        rows,
        [
            "Reinforced concrete, force-based members with 5 sections, of 100 fibres in space and 44 "
            "in the plane. CPU seconds, one process a model; memory a member is what the process "
            f"takes beyond that of a model of one bay. Growth from {LARGE:,} members on."
        ],
    )


def run(quick: bool = False) -> Table:
    """Measure, as a table."""
    sizes = [*PLANE, *SPACE]
    return table([in_process(s) for s in sizes if not quick or s.members <= 2 * LARGE])
