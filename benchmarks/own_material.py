"""A material as a user would write it, compared with the built-in one of the same law."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from femu.benchmarks.frame_models import FrameSize, motion, program, run, spent
from femu.engine.program import Program
from femu.materials import UncoupledSection
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive
from femu.opensees.comparison.suite.models import frame


class OwnSteel(Material):
    """Bilinear steel with kinematic hardening, as `femu.materials.Bilinear`, outside femu's
    materials."""

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress", "stress")
    b: float = number("hardening ratio", lower=0.0, upper=1.0, default=0.0)

    history: ClassVar[tuple[str, ...]] = ("plastic_strain",)

    @law
    def law(p, h, strain):
        E, fy, b = p
        (plastic,) = h
        trial = E * (strain - plastic)
        xi = min(max(trial, -fy), fy)
        elastic = abs(trial) < (1.0 - 1e-12) * fy
        return (
            b * E * strain + (1.0 - b) * xi,
            E if elastic else b * E,
            (plastic if elastic else strain - xi * (1.0 / E),),
        )


def own_program(size: FrameSize) -> Program:
    """The frame of the benchmark with uncoupled sections of `OwnSteel`."""
    model = frame(size.storeys, size.bays, "uncoupled")
    for element in model.elements.values():
        section = element.section  # type: ignore[attr-defined]
        laws = [
            OwnSteel(E=part.E, fy=part.fy, b=part.b) for part in (section.axial, section.moment)
        ]
        element.section = UncoupledSection(axial=laws[0], moment=laws[1])  # type: ignore[attr-defined]
    return model.compile()


def compare(size: FrameSize, repeats: int) -> tuple[float, float]:
    """Least CPU seconds with the built-in law and with the user's, run in turns."""
    record, programs = motion(size), (program(size, "uncoupled"), own_program(size))
    least = [float("inf"), float("inf")]
    for made in programs:
        run(size, made, record, 2)
    for _ in range(repeats):
        for which, made in enumerate(programs):
            took = spent(partial(run, size, made, record, size.steps))
            least[which] = min(least[which], took)
    return least[0], least[1]
