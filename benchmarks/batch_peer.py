"""The suite of `femu.benchmarks.batch` in openseespy, as its users run one: a pool of processes, a
record and scale each.

Run as a program: ``python -m femu.benchmarks.batch_peer jobs.npz answers.npz``. Jobs hold the
records, factors, time step and number of workers. openseespy gets one call of ``analyze`` per run
and a recorder of one node per level.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from femu.batch.example import (
    BAYS,
    BEAM,
    COLUMN,
    FLANGE_FIBRES,
    HEIGHT,
    JOINT_MASS,
    SPAN,
    STEEL,
    STOREYS,
    WEB_FIBRES,
)
from femu.opensees.load_openseespy import load_opensees
from femu.units import g

POINTS = 5
TOLERANCE = 1e-3  # N; about 1e-9 of the base shear, which is femu's own tolerance
ITERATIONS = 25
GRAVITY_STEPS = 10
LADDER = (("NewtonLineSearch",), ("KrylovNewton",), ("ModifiedNewton", "-initial"))
SMALLEST_PART = 64

_ops: Any = None
_rayleigh = (0.0, 0.0)


def start(rayleigh: tuple[float, float]) -> None:
    """Begin a worker: one thread of BLAS."""
    global _ops, _rayleigh
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    _ops, _rayleigh = load_opensees(), rayleigh


def build(ops: Any) -> None:
    """The frame of `femu.batch.example` under its weight."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for s in range(STOREYS + 1):
        for b in range(BAYS + 1):
            tag = 100 * s + b + 1
            ops.node(tag, SPAN * b, HEIGHT * s)
            if s == 0:
                ops.fix(tag, 1, 1, 1)
            else:
                ops.mass(tag, *JOINT_MASS)
    ops.geomTransf("PDelta", 1)
    ops.geomTransf("Linear", 2)
    ops.uniaxialMaterial("Steel01", 1, STEEL["fy"], STEEL["E"], STEEL["b"])
    ops.section("Fiber", 1)
    depth, inner = COLUMN["depth"], COLUMN["depth"] / 2 - COLUMN["flange"]
    layers = (
        (-depth / 2, -inner, COLUMN["width"], FLANGE_FIBRES),
        (-inner, inner, COLUMN["web"], WEB_FIBRES),
        (inner, depth / 2, COLUMN["width"], FLANGE_FIBRES),
    )
    for low, high, width, count in layers:
        layer = (high - low) / count
        for k in range(count):
            ops.fiber(low + (k + 0.5) * layer, 0.0, width * layer, 1)
    ops.beamIntegration("Lobatto", 1, 1, POINTS)
    tag = 0
    for s in range(1, STOREYS + 1):
        for b in range(BAYS + 1):
            tag += 1
            ops.element("forceBeamColumn", tag, 100 * (s - 1) + b + 1, 100 * s + b + 1, 1, 1)
        for b in range(BAYS):
            tag += 1
            ops.element(
                "elasticBeamColumn",
                tag,
                100 * s + b + 1,
                100 * s + b + 2,
                BEAM["A"],
                BEAM["E"],
                BEAM["I"],
                2,
            )
    mass, initial = _rayleigh
    ops.rayleigh(mass, 0.0, initial, 0.0)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    for s in range(1, STOREYS + 1):
        for b in range(BAYS + 1):
            ops.load(100 * s + b + 1, 0.0, -JOINT_MASS[1] * g, 0.0)
    _solver(ops)
    ops.integrator("LoadControl", 1.0 / GRAVITY_STEPS)
    ops.analysis("Static")
    if ops.analyze(GRAVITY_STEPS) != 0:
        raise RuntimeError("openseespy did not converge under gravity")
    ops.loadConst("-time", 0.0)
    ops.wipeAnalysis()


def _solver(ops: Any) -> None:
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandSPD")
    ops.test("NormUnbalance", TOLERANCE, ITERATIONS, 0)
    ops.algorithm("Newton")


def run(job: tuple[int, float, np.ndarray, float]) -> tuple[np.ndarray, float, bool]:
    """One run: peak storey drifts, time of the analysis, and whether it reached the end."""
    steps, dt, samples, record_dt = job
    ops = _ops
    began = time.perf_counter()
    build(ops)
    ops.timeSeries("Path", 2, "-dt", record_dt, "-values", *samples.tolist(), 0.0)
    ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "moved.txt"
        ops.recorder(
            "Node",
            "-file",
            str(file),
            "-precision",
            12,
            "-node",
            *(100 * s + 1 for s in range(STOREYS + 1)),
            "-dof",
            1,
            "disp",
        )
        _solver(ops)
        ops.integrator("Newmark", 0.5, 0.25)
        ops.analysis("Transient")
        complete = _analyze(ops, steps, dt)
        ops.remove("recorders")
        drifts = (
            np.abs(
                np.diff(np.fromstring(file.read_text(), sep=" ").reshape(-1, STOREYS + 1), axis=1)
            ).max(axis=0)
            / HEIGHT
        )
    return drifts, time.perf_counter() - began, complete


def _analyze(ops: Any, steps: int, dt: float) -> bool:
    """All steps in one call.

    If one does not converge, other algorithms and smaller parts, then the rest.
    """
    while (left := steps - round(ops.getTime() / dt)) > 0:
        if ops.analyze(left, dt) == 0:
            return True
        parts = 1
        while parts <= SMALLEST_PART:
            for algorithm in LADDER:
                ops.algorithm(*algorithm)
                if ops.analyze(parts, dt / parts) == 0:
                    break
            else:
                parts *= 2
                continue
            break
        else:
            return False
        ops.algorithm("Newton")
    return True


def main(jobs_file: str, answers_file: str) -> None:
    """Read the jobs, run them in a pool, and write drifts and times."""
    with np.load(jobs_file) as given:
        records = [given[f"record{k}"] for k in range(int(given["records"]))]
        jobs = [
            (
                int(steps),
                float(given["dt"]),
                float(factor) * records[int(record)],
                float(given["steps_of"][int(record)]),
            )
            for record, factor, steps in given["runs"]
        ]
        workers, rayleigh = int(given["workers"]), tuple(map(float, given["rayleigh"]))
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(workers, start, (rayleigh,)) as pool:
        answers = pool.map(run, jobs, chunksize=1)
    wall = time.perf_counter() - began
    np.savez(
        answers_file,
        wall=wall,
        drifts=np.array([a[0] for a in answers]),
        seconds=np.array([a[1] for a in answers]),
        complete=np.array([a[2] for a in answers]),
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
