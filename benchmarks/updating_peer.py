"""13 columns in openseespy along a path, for `femu.benchmarks.updating`.

Run as a program: ``python -m femu.benchmarks.updating_peer path.npz repetitions sections``; prints
the seconds per step. Each column has five Lobatto sections and a strength of its own: an H-shape of
twenty fibres of Steel01, in which axial force and moment yield together as in the N-M section
("fibres"), or Steel01 in each for itself ("uncoupled"). Its foot is fixed and its top follows the
path by imposed displacements, known beforehand (a test would have to set them in each step).
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from femu.opensees.load_openseespy import load_opensees
from femu.studies.one_bay_frame import AREA, DT, HEIGHT, INERTIA, STEEL, TRUE

COLUMNS, SECTIONS = 13, 5
PIECE = 50
DEPTH, WIDTH, WEB, FLANGE = 0.25, 0.25, 0.006, 0.012  # m, HA 250×250
FLANGE_FIBRES, WEB_FIBRES = 4, 12
FREE_NODE = 999  # openseespy wants an equation to solve


def _section(ops: Any, k: int, sections: str) -> None:
    strength = 0.88 + 0.02 * k
    if sections == "uncoupled":
        ops.uniaxialMaterial("Steel01", 2 * k, strength * TRUE[1], STEEL * INERTIA, TRUE[2])
        ops.uniaxialMaterial("Steel01", 2 * k + 1, TRUE[0], STEEL * AREA, TRUE[2])
        ops.section("Aggregator", k, 2 * k + 1, "P", 2 * k, "Mz")
        return
    ops.uniaxialMaterial("Steel01", 2 * k, strength * TRUE[0] / AREA, STEEL, TRUE[2])
    ops.section("Fiber", k)
    inner, outer = 0.5 * DEPTH - FLANGE, 0.5 * DEPTH
    for low, high, width, count in (
        (-outer, -inner, WIDTH, FLANGE_FIBRES),
        (-inner, inner, WEB, WEB_FIBRES),
        (inner, outer, WIDTH, FLANGE_FIBRES),
    ):
        ops.patch("rect", 2 * k, count, 1, low, -0.5 * width, high, 0.5 * width)


def build(ops: Any, deformations: np.ndarray, sections: str) -> None:
    """The columns side by side, and the motion of their tops."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.geomTransf("Linear", 1)
    for k in range(1, COLUMNS + 1):
        ops.node(2 * k, 0.0, 10.0 * k)
        ops.node(2 * k + 1, HEIGHT, 10.0 * k)
        ops.fix(2 * k, 1, 1, 1)
        _section(ops, k, sections)
        ops.beamIntegration("Lobatto", k, k, SECTIONS)
        ops.element("forceBeamColumn", k, 2 * k, 2 * k + 1, 1, k)
    ops.node(FREE_NODE, 0.0, -10.0)
    ops.node(FREE_NODE + 1, 0.0, -10.0)
    ops.fix(FREE_NODE, 1, 1, 1)
    ops.fix(FREE_NODE + 1, 0, 1, 1)
    ops.uniaxialMaterial("Elastic", FREE_NODE, 1.0)
    ops.element("zeroLength", FREE_NODE, FREE_NODE, FREE_NODE + 1, "-mat", FREE_NODE, "-dir", 1)
    top = np.column_stack(
        [deformations[:, 0], -HEIGHT * deformations[:, 1], deformations[:, 2] - deformations[:, 1]]
    )
    for direction in range(3):
        ops.timeSeries(
            "Path",
            direction + 1,
            "-dt",
            DT,
            "-values",
            *np.concatenate([[0.0], top[:, direction]]).tolist(),
        )
        ops.pattern("Plain", direction + 1, direction + 1)
        for k in range(1, COLUMNS + 1):
            ops.sp(2 * k + 1, direction + 1, 1.0)
    ops.constraints("Transformation")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.algorithm("Linear")
    ops.integrator("LoadControl", DT)
    ops.analysis("Static")


def main(file: str, repetitions: int, sections: str) -> None:
    """Print the seconds per step."""
    ops = load_opensees()
    deformations = np.load(file)["deformations"]
    pieces = len(deformations) // PIECE
    shortest = np.full(pieces, np.inf)
    for _ in range(repetitions):
        build(ops, deformations, sections)
        for number in range(pieces):
            began = time.perf_counter()
            if ops.analyze(PIECE) != 0:
                raise SystemExit("openseespy did not follow the path")
            shortest[number] = min(shortest[number], time.perf_counter() - began)
    print(float(shortest.mean()) / PIECE)
    ops.wipe()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
