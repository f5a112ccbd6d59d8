"""Run as a program: elements at imposed displacements in openseespy. Reads and writes one file
each.

Arguments: a JSON file with ``[{"end": [x, y], "commands": [[name, arguments ...], ...], "path":
[[x, y, rz], ...]}, ...]`` and the file to write: for each job the forces of element 1 on its nodes,
in global axes.
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
        ops.model("basic", "-ndm", 2, "-ndf", 3)
        ops.node(1, 0.0, 0.0)
        ops.fix(1, 1, 1, 1)
        ops.node(2, *job["end"])
        ops.node(3, 0.0, 0.0)  # something free: a model without equations is refused
        ops.fix(3, 0, 1, 1)
        ops.uniaxialMaterial("Elastic", 99, 1.0)
        ops.element("zeroLength", 99, 1, 3, "-mat", 99, "-dir", 1)
        for name, *arguments in job["commands"]:
            getattr(ops, name)(*arguments)
        path = np.array(job["path"])
        for dof in range(3):
            ops.timeSeries("Path", dof + 1, "-dt", 1.0, "-values", *path[:, dof], "-useLast")
            ops.pattern("Plain", dof + 1, dof + 1)
            ops.sp(2, dof + 1, 1.0)
        if "loads" in job:
            ops.timeSeries("Constant", 4)
            ops.pattern("Plain", 4, 4)
            for load in job["loads"]:
                ops.eleLoad("-ele", 1, *load)
        ops.constraints("Transformation")
        ops.numberer("Plain")
        ops.system("FullGeneral")
        ops.test("NormUnbalance", 1e-8, 50)
        ops.algorithm("Newton")
        ops.integrator("LoadControl", 1.0)
        ops.analysis("Static")
        found = []
        for step in range(1, len(path)):
            assert ops.analyze(1) == 0, (number, step)
            moved = [ops.nodeDisp(2, d) for d in (1, 2, 3)]
            assert np.abs(np.array(moved) - path[step]).max() < 1e-12
            found.append(ops.eleResponse(1, "globalForce") or ops.eleResponse(1, "force"))
        results[f"{number}"] = np.array(found)
    np.savez(wanted, **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
