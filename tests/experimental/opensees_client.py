"""Run by a test in a process of its own: openseespy as the client of femu's servers, and as the
reference.

Reads a list of cases from standard input as JSON and writes a list of results: for each case the
displacements with the specimen behind the network and those with an ordinary element of OpenSees,
and the time a step took over the network.
"""

import contextlib
import json
import math
import os
import sys
import time

ops = None  # openseespy, imported where this runs as a program

E, A, I, L = 2.0e11, 1.0e-2, 1.0e-4, 3.0
MASS = (3.0e4, 3.0e4, 2.0e2)
# alpha, k, n, gamma, beta, A, degradation
BOUC_WEN = (0.05, 4.0e5, 2.0, 4.0e3, 4.0e3, 1.0, 0.0, 0.0, 0.0)
STIFF = 4.0e5
ACCELERATION = 3.0
LOAD = 4.5e3


def build(case, remote):
    """A model of 1, 3 or 6 degrees of freedom whose only element is the specimen or its equal."""
    ops.wipe()
    size = case["size"]
    if size == 1:
        ops.model("basic", "-ndm", 1, "-ndf", 1)
        ops.node(1, 0.0)
        ops.node(2, 0.0)
        ops.fix(1, 1)
        ops.mass(2, MASS[0])
        nodes, dofs = [2], [[1]]
    else:
        ops.model("basic", "-ndm", 2, "-ndf", 3)
        ops.node(1, 0.0, 0.0)
        ops.node(2, L, 0.0)
        ops.mass(2, *MASS)
        if size == 3:
            ops.fix(1, 1, 1, 1)
            nodes, dofs = [2], [[1, 2, 3]]
        else:
            # both ends free: held by springs to the ground
            ops.mass(1, *MASS)
            ops.node(11, 0.0, 0.0)
            ops.fix(11, 1, 1, 1)
            ops.uniaxialMaterial("Elastic", 9, 3.0e6)
            ops.element("zeroLength", 9, 11, 1, "-mat", 9, 9, 9, "-dir", 1, 2, 6)
            nodes, dofs = [1, 2], [[1, 2, 3], [1, 2, 3]]
    if remote:
        arguments = ["-node", *nodes]
        for group in dofs:
            arguments += ["-dof", *group]
        arguments += ["-server", case["port"], "127.0.0.1"]
        if case["udp"]:
            arguments.append("-udp")
        if case.get("data"):
            arguments += ["-dataSize", case["data"]]
        ops.element("genericClient", 1, *arguments)
    elif size == 1:
        if case["law"] == "bouc-wen":
            ops.uniaxialMaterial("BoucWen", 1, *BOUC_WEN, 1e-14, 200)
        else:
            ops.uniaxialMaterial("Elastic", 1, STIFF)
        ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    else:
        ops.geomTransf("Linear", 1)
        ops.element("elasticBeamColumn", 1, 1, 2, A, E, I, 1)


def respond(case):
    """Displacements of all free degrees of freedom, a row a step."""
    size = case["size"]
    free = {
        1: [(2, 1)],
        3: [(2, d) for d in (1, 2, 3)],
        6: [(n, d) for n in (1, 2) for d in (1, 2, 3)],
    }[size]
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormUnbalance", 1e-9 * STIFF, 40)
    if case["analysis"] == "static":
        ops.timeSeries("Trig", 1, 0.0, 40.0, 20.0)
        ops.pattern("Plain", 1, 1)
        ops.load(2, *(f * LOAD for f in ((1.0,) if size == 1 else (1.0, -0.5, 0.3))))
        ops.algorithm("Newton")
        ops.integrator("LoadControl", 1.0)
        ops.analysis("Static")
    else:
        ops.timeSeries(
            "Path",
            1,
            "-dt",
            0.02,
            "-values",
            *(ACCELERATION * math.sin(0.9 * k) * math.exp(-0.02 * k) for k in range(200)),
        )
        ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
        if size > 1:
            ops.pattern("UniformExcitation", 2, 2, "-accel", 1)
        if case["integrator"] == "AlphaOS":
            ops.algorithm("Linear")
            ops.integrator("AlphaOS", 0.9)
        else:
            ops.algorithm("Newton")
            ops.integrator("Newmark", 0.5, 0.25)
        ops.analysis("Transient")
    rows = []
    began = time.perf_counter()
    for _ in range(case["steps"]):
        done = ops.analyze(1) if case["analysis"] == "static" else ops.analyze(1, 0.01)
        if done != 0 and case.get("limited"):
            break
        if done != 0:
            raise SystemExit(f"openseespy: {case} did not converge")
        rows.append([ops.nodeDisp(n, d) for n, d in free])
    return rows, (time.perf_counter() - began) / case["steps"]


def main():
    results = []
    for case in json.load(sys.stdin):
        build(case, remote=False)
        wanted, _ = respond(case)
        build(case, remote=True)
        got, seconds = respond(case)
        results.append({"wanted": wanted, "got": got, "seconds": seconds})
        ops.wipe()
    return results


if __name__ == "__main__":
    # openseespy writes to the standard output: keep it away from the result
    out = os.dup(1)
    os.dup2(2, 1)
    from femu.opensees.load_openseespy import load_opensees

    ops = load_opensees()

    answer = main()
    with contextlib.suppress(BrokenPipeError), os.fdopen(out, "w") as stream:
        json.dump(answer, stream)
