"""Run as a program: strain paths of many materials in openseespy. Reads and writes one file of
arrays each.

Arguments: a JSON file with ``[{"commands": [...], "strain": [...], "rate": [...] or null}, ...]``,
the file to write.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from femu.opensees.load_openseespy import load_opensees


def main(given: str, wanted: str) -> None:
    ops = load_opensees()
    results = {}
    for number, job in enumerate(json.loads(Path(given).read_text())):
        ops.wipe()
        ops.model("basic", "-ndm", 1, "-ndf", 1)
        if "damper" in job:
            results[f"{number}"] = damper(ops, **job["damper"])
            continue
        for command in job["commands"]:
            ops.uniaxialMaterial(*command)
        ops.testUniaxialMaterial(1)
        found = []
        rates = job["rate"] or [0.0] * len(job["strain"])
        for strain, rate in zip(job["strain"], rates, strict=True):
            ops.setStrain(strain, rate)
            found.append((ops.getStress(), ops.getTangent()))
        results[f"{number}"] = np.array(found)
    np.savez(wanted, **results)


def damper(ops, K, C, alpha, dt, force):
    """A mass on a damper under a force.

    Displacement, velocity and damper force of each step (average acceleration).
    """
    ops.uniaxialMaterial("ViscousDamper", 1, K, C, alpha, 0.0, 1, 1e-13, 1e-13, 15)
    ops.node(1, 0.0)
    ops.node(2, 0.0, "-mass", 1.0)
    ops.fix(1, 1)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.timeSeries("Path", 1, "-dt", dt, "-values", *force)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormUnbalance", 1e-9, 100)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    found = [(0.0, 0.0, 0.0)]
    for _ in range(len(force) - 1):
        assert ops.analyze(1, dt) == 0
        found.append(
            (ops.nodeDisp(2, 1), ops.nodeVel(2, 1), ops.eleResponse(1, "material", 1, "stress")[0])
        )
    return np.array(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
