"""The frames of the benchmark in openseespy, with each of its settings that may be the fastest."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.benchmarks.frame_models import DT, ITERATIONS, TOLERANCE, FrameSize
from femu.opensees.comparison.suite.models import BEAM, COLUMN, FY, B, E
from femu.opensees.load_openseespy import load_opensees
from femu.records import GroundMotion

Array = npt.NDArray[np.float64]
POINTS = 5
FIBRES = 20

SETTINGS: dict[str, tuple[str, str]] = {
    "RCM, BandSPD": ("RCM", "BandSPD"),
    "Plain, BandGeneral": ("Plain", "BandGeneral"),
    "RCM, ProfileSPD": ("RCM", "ProfileSPD"),
    "AMD, UmfPack": ("AMD", "UmfPack"),
    "Plain, SparseSYM": ("Plain", "SparseSYM"),
    "Plain, SparseGeneral": ("Plain", "SparseGeneral"),
}
"""Numberer and solver by name."""
LARGE = 100  # members from which sparse solvers are tried, too
SMALL_SETTINGS = ("RCM, BandSPD", "Plain, BandGeneral", "RCM, ProfileSPD")


def opensees() -> ModuleType:
    """openseespy, with one thread of BLAS."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    return load_opensees()


def build(ops: Any, size: FrameSize, kind: str, motion: GroundMotion, setting: str) -> None:
    """A fresh model, ready for analyze()."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for storey in range(size.storeys + 1):
        for line in range(size.bays + 1):
            tag = 1000 * storey + line + 1
            ops.node(tag, 6.0 * line, 3.5 * storey)
            if storey == 0:
                ops.fix(tag, 1, 1, 1)
            else:
                ops.mass(tag, 20e3, 20e3, 10.0)
    ops.geomTransf("PDelta", 1)
    for number, (depth, area, inertia) in enumerate((COLUMN, BEAM), start=1):
        if kind == "uncoupled":
            ops.uniaxialMaterial("Steel01", 10 * number, FY * area, E * area, B)
            ops.uniaxialMaterial(
                "Steel01", 10 * number + 1, FY * 2.0 * inertia / depth, E * inertia, B
            )
            ops.section("Aggregator", number, 10 * number, "P", 10 * number + 1, "Mz")
        else:
            ops.uniaxialMaterial("Steel01", 10 * number, FY, E, B)
            ops.section("Fiber", number)
            height = depth / FIBRES
            for k in range(FIBRES):
                ops.fiber(-depth / 2 + height * (k + 0.5), 0.0, area / FIBRES, 10 * number)
        ops.beamIntegration("Lobatto", number, number, POINTS)
    tag = 0
    for storey in range(1, size.storeys + 1):
        for line in range(size.bays + 1):
            tag += 1
            ops.element(
                "forceBeamColumn",
                tag,
                1000 * (storey - 1) + line + 1,
                1000 * storey + line + 1,
                1,
                1,
            )
        for line in range(size.bays):
            tag += 1
            ops.element(
                "forceBeamColumn", tag, 1000 * storey + line + 1, 1000 * storey + line + 2, 1, 2
            )
    ops.timeSeries("Path", 1, "-dt", motion.dt, "-values", *motion.acceleration.tolist(), 0.0)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    numberer, system = SETTINGS[setting]
    ops.constraints("Plain")
    ops.numberer(numberer)
    ops.system(system)
    ops.test("NormDispIncr", TOLERANCE, ITERATIONS, 0)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")


def roof_history(ops: Any, size: FrameSize, steps: int) -> tuple[Array, int]:
    """Displacement of the roof step by step, and the number of Newton iterations, of a model that
    was just built."""
    found, iterations = np.zeros(steps + 1), 0
    for step in range(1, steps + 1):
        if ops.analyze(1, DT) != 0:
            raise RuntimeError(f"openseespy did not converge in step {step} of the {size} frame")
        iterations += ops.testIter()
        found[step] = ops.nodeDisp(1000 * size.storeys + 1, 1)
    return found, iterations
