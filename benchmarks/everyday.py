"""femu next to openseespy, and xara if it is installed, on models as people build them.

Programs take turns on one core; each time is the least of several turns, in CPU seconds, with the
fastest solver of each peer. Gravity is applied before, and is not part of a time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from femu.analyses import LoadControl
from femu.benchmarks.everyday_models import MODELS, RECORDS_MODEL, Everyday
from femu.benchmarks.everyday_peer import PeerModel
from femu.benchmarks.frame_models import (
    DT,
    STRONG_FROM,
    analysis,
    clocked,
    spent,
)
from femu.engine.program import Program
from femu.engine.state import State
from femu.opensees.comparison.suite.frames import artificial
from femu.records import GroundMotion
from femu.results.result import Result
from femu.results.save import Save
from femu.support.tables import Row

AGREEMENT = 1e-8  # of the peak
TURNS = 4
BATCH_ONE_CORE, BATCH_TWO_CORES = 25.0, 50.0


@dataclass(frozen=True)
class Compared:
    """One model in femu and in its peers."""

    name: str
    members: int
    equations: int
    limit: float
    femu: float  # s per step
    iterations: float  # of Newton per step
    peers: dict[str, float]  # s per step
    settings: dict[str, str]
    agreement: float  # largest difference from openseespy, of the peak

    @property
    def ratio(self) -> float:
        """How many times longer openseespy takes."""
        return self.peers["openseespy"] / self.femu


class Shaken:
    """A model of femu under gravity, ready to be shaken."""

    def __init__(self, of: Everyday) -> None:
        self.of, self.model = of, of.model()
        self.program: Program = self.model.compile()
        start = LoadControl(pattern="gravity", steps=10).run(self.program).state
        assert start is not None
        self.start: State = start
        self.save = Save(
            displacement=[of.roof],
            velocity=False,
            acceleration=False,
            reactions=False,
            forces=False,
            energy=False,
        )

    def run(self, motion: GroundMotion, steps: int) -> Result:
        """The response to some steps of a motion."""
        return analysis().run(
            self.program,
            motion,
            duration=steps * DT,
            start=self.start,
            save=self.save,
            check=False,
        )


def motion_of(model: Everyday) -> GroundMotion:
    """El Centro from its strong part on."""
    return GroundMotion.el_centro().trimmed(STRONG_FROM).scaled(pga=model.pga)


def measure(peers: dict[str, Any], of: Everyday, turns: int) -> Compared:
    """One model in all programs, in turns."""
    shaken, motion = Shaken(of), motion_of(of)
    commands = PeerModel.of(shaken.model)
    result = shaken.run(motion, of.steps)
    settings = {name: commands.fastest(ops, motion) for name, ops in peers.items()}
    commands.build(peers["openseespy"], motion, settings["openseespy"])
    theirs = commands.history(peers["openseespy"], of.roof, of.steps)
    ours = result.displacement(of.roof, "x")
    times: dict[str, list[float]] = {name: [] for name in ("femu", "setup", *peers)}
    for _ in range(turns):
        times["setup"].append(spent(lambda: shaken.run(motion, 0)))
        times["femu"].append(spent(lambda: shaken.run(motion, of.steps)))
        for name, ops in peers.items():
            commands.build(ops, motion, settings[name])
            times[name].append(spent(partial(ops.analyze, of.steps, DT)))
    least = {name: min(found) / of.steps for name, found in times.items()}
    return Compared(
        of.name,
        commands.members,
        shaken.program.neq,
        of.limit,
        least["femu"] - least["setup"],
        float(result.iterations.mean()),
        {name: least[name] for name in peers},
        settings,
        float(np.abs(ours - theirs).max() / np.abs(theirs).max()),
    )


def records(ops: Any, count: int, steps: int, one_core: Callable[[], Any]) -> dict[str, float]:
    """Many records on one model: openseespy in sequence, femu in sequence and in two threads."""
    of = RECORDS_MODEL
    shaken = Shaken(of)
    commands = PeerModel.of(shaken.model)
    motions = [artificial(seed).trimmed(3.0).scaled(pga=of.pga) for seed in range(count)]
    shaken.run(motions[0], 2)
    with one_core():
        setting = commands.fastest(ops, motions[0])
        femu, peer = 0.0, 0.0
        for motion in motions:
            femu += min(spent(partial(shaken.run, motion, steps)) for _ in range(2))
            commands.build(ops, motion, setting)
            peer += spent(lambda: ops.analyze(steps, DT))

    def all_of_them() -> None:
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda motion: shaken.run(motion, steps), motions))

    walls = [clocked(all_of_them) for _ in range(3)]
    return {
        "records": float(count),
        "steps": float(steps),
        "openseespy": peer,
        "femu": femu,
        "femu, two threads": min(walls),
    }


def collect(peers: dict[str, Any], quick: bool) -> list[Compared]:
    """The figures of all models; the smaller ones if ``quick``."""
    chosen = [m for m in MODELS if not quick or "10x5" not in m.name]
    return [
        measure(peers, replace(m, steps=m.steps // 4) if quick else m, 2 if quick else TURNS)
        for m in chosen
    ]


def rows_of(m: Compared) -> list[Row]:
    """What was measured of one model."""
    found = [
        Row(
            f"{m.name}: openseespy / femu",
            m.ratio,
            "",
            limit=f">= {m.limit:g}",
            ok=m.ratio >= m.limit,
            reference=f"{1e6 * m.peers['openseespy']:.4g} / {1e6 * m.femu:.4g} us per step "
            f"({m.settings['openseespy']})",
        )
    ]
    for name, seconds in m.peers.items():
        if name != "openseespy":
            found.append(
                Row(
                    f"{m.name}: {name} / femu",
                    seconds / m.femu,
                    "",
                    reference=f"{1e6 * seconds:.4g} us per step ({m.settings[name]})",
                )
            )
    return [
        *found,
        Row(
            f"{m.name}: per element and iteration",
            1e9 * m.femu / (m.iterations * m.members),
            "ns",
            reference=f"{m.members} elements, {m.equations} equations, {m.iterations:.3g} "
            "iterations per step",
        ),
        Row(
            f"{m.name}: agreement",
            f"{m.agreement:.1e}",
            limit=f"<= {AGREEMENT:g}",
            ok=m.agreement <= AGREEMENT,
        ),
    ]
