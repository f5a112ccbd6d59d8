"""The frames of the benchmark, and how they are run in femu."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import Increment, Newmark, Transient
from femu.engine.program import Program
from femu.opensees.comparison.suite.models import frame
from femu.records import GroundMotion
from femu.results.result import Result
from femu.results.save import Save

Array = npt.NDArray[np.float64]
DT = 0.01
TOLERANCE, ITERATIONS = 1e-8, 25  # norm of the last increment, in both programs
STRONG_FROM = 1.0  # s: El Centro without its quiet beginning


@dataclass(frozen=True)
class FrameSize:
    """Storeys and bays, how long the comparison runs, and the peak of the ground motion that makes
    it yield."""

    storeys: int
    bays: int
    steps: int
    pga: float

    @property
    def members(self) -> int:
        """Columns and beams."""
        return self.storeys * (2 * self.bays + 1)

    def __str__(self) -> str:
        return f"{self.storeys}x{self.bays}"


SIZES = (
    FrameSize(1, 1, 3000, 6.0),
    FrameSize(3, 3, 1500, 6.0),
    FrameSize(10, 5, 400, 9.0),
    FrameSize(30, 8, 300, 20.0),
    FrameSize(60, 20, 150, 40.0),
)


def motion(size: FrameSize) -> GroundMotion:
    """El Centro from its strong part on."""
    return GroundMotion.el_centro().trimmed(STRONG_FROM).scaled(pga=size.pga)


def program(size: FrameSize, kind: str) -> Program:
    """The compiled frame."""
    return frame(size.storeys, size.bays, kind).compile()


def analysis() -> Transient:
    """Newmark's method with full Newton iterations."""
    return Transient(Newmark(), dt=DT, test=Increment(TOLERANCE, ITERATIONS))


def run(size: FrameSize, made: Program, record: GroundMotion, steps: int) -> Result:
    """The response, with the roof's displacement saved."""
    save = Save(
        displacement=[1000 * size.storeys],
        velocity=False,
        acceleration=False,
        reactions=False,
        forces=False,
        energy=False,
    )
    return analysis().run(made, record, duration=steps * DT, save=save, check=False)


def yielded(made: Program, record: GroundMotion, steps: int) -> float:
    """Share of the members that yield at an end."""
    result = analysis().run(
        made,
        record,
        duration=steps * DT,
        save=Save(velocity=False, acceleration=False),
        check=False,
    )
    plastic = [
        max(np.abs(result.plastic_rotation(name, end)).max() for end in ("i", "j"))
        for name in made.elements
    ]
    return float(np.mean(np.array(plastic) > 1e-6))


def spent(work: Callable[[], Any]) -> float:
    """CPU seconds of this process that some work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def clocked(work: Callable[[], Any]) -> float:
    """Seconds by the clock that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
