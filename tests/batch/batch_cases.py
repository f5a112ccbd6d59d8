"""A small plan and suite that the tests of this folder share."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from femu import GroundMotion, Model
from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import Plan, Suite
from femu.elements import ForceBeamColumn
from femu.materials import Bilinear, UncoupledSection
from femu.records import synthetic


def tower() -> Model:
    """A column of two storeys that yields."""
    section = UncoupledSection(
        axial=Bilinear(E=2e9, fy=2e6, b=0.01), moment=Bilinear(E=2e7, fy=1.2e5, b=0.02)
    )
    model = Model("tower")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("middle", 0.0, 3.5, mass=(1e4, 1e4, 100.0))
    model.node("top", 0.0, 7.0, mass=(1e4, 1e4, 100.0))
    model.add(ForceBeamColumn("lower", "foot", "middle", section=section, geometry="p-delta"))
    model.add(ForceBeamColumn("upper", "middle", "top", section=section, geometry="p-delta"))
    for node in ("middle", "top"):
        model.load(node, y=-9.81e4, pattern="gravity")
    model.rayleigh(ratio=0.03, modes=(1, 2))
    return model


def plan(**options: Any) -> Plan:
    return Plan(
        tower(),
        analysis=Transient(Newmark(), dt=0.01),
        gravity=LoadControl(pattern="gravity", steps=2),
        scale_by="pga",
        **options,
    )


def motions(count: int, duration: float = 8.0) -> list[GroundMotion]:
    return [synthetic(seed, duration=duration, rise=1.0, strong=2.0) for seed in range(count)]


def suite(
    records: int = 4, scales: tuple[float, ...] = (1.0, 3.0, 6.0), duration: float = 8.0
) -> Suite:
    return Suite(plan(), motions(records, duration), scales=scales)


class Watch:
    """A progress object that remembers what was reported to it."""

    def __init__(self) -> None:
        self.total = self.done_before = self.done = self.failures = -1
        self.finished = False

    def start(self, total: int, done: int) -> None:
        self.total, self.done_before = total, done

    def advance(self, done: int, failures: int) -> None:
        self.done, self.failures = done, failures

    def finish(self) -> None:
        self.finished = True


def resident(pid: int) -> int:
    """Memory of a process in kB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise ProcessLookupError(pid)


class Slow(Watch):
    """Takes its time after each run, so that a test can kill the batch in its middle on any
    machine."""

    def advance(self, done: int, failures: int) -> None:
        time.sleep(0.1)


if __name__ == "__main__":  # the process that a test kills
    suite(20, duration=30.0).run(sys.argv[1], workers=2, progress=Slow())
