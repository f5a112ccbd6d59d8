"""A material that a user would write, beside the built-in one with the same law."""

from __future__ import annotations

from typing import ClassVar

from femu.benchmarks.frame_models import FrameSize, motion, program, run
from femu.component import Material
from femu.crossvalidation.suite.models import frame
from femu.laws import law
from femu.materials import UncoupledSection
from femu.parameters import number, positive
from femu.program import Program


class OwnSteel(Material):
    """Bilinear steel with kinematic hardening, as `femu.materials.Bilinear`, outside femu's materials."""

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
        return b * E * strain + (1.0 - b) * xi, E if elastic else b * E, (plastic if elastic else strain - xi * (1.0 / E),)


def own_program(size: FrameSize) -> Program:
    """The frame of the benchmark with uncoupled sections of `OwnSteel`."""
    model = frame(size.storeys, size.bays, "uncoupled")
    for element in model.elements.values():
        section = element.section  # type: ignore[attr-defined]
        laws = [OwnSteel(E=part.E, fy=part.fy, b=part.b) for part in (section.axial, section.moment)]
        element.section = UncoupledSection(axial=laws[0], moment=laws[1])  # type: ignore[attr-defined]
    return model.compile()


def compare(size: FrameSize, repeats: int) -> tuple[float, float]:
    """Least CPU seconds with the built-in law and with the user's, run in turns."""
    from femu.benchmarks.frames import spent

    record, programs = motion(size), (program(size, "uncoupled"), own_program(size))
    least = [float("inf"), float("inf")]
    for made in programs:
        run(size, made, record, 2)
    for _ in range(repeats):
        for which, made in enumerate(programs):
            least[which] = min(least[which], spent(lambda made=made: run(size, made, record, size.steps)))  # type: ignore[misc]
    return least[0], least[1]
