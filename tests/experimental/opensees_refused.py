"""Run by a test in a process of its own: openseespy as a client that femu's server refuses. Prints
what ``analyze`` returned.

Arguments: port, degrees of freedom, "tcp" or "udp", algorithm, steps.
"""

import sys

from femu.opensees.load_openseespy import load_opensees


def main(port, size, kind, algorithm, steps):
    ops = load_opensees()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.fix(1, 1)
    nodes = list(range(2, 2 + size))
    for node in nodes:
        ops.node(node, 0.0)
        ops.mass(node, 1.0)
    groups = [word for _ in nodes for word in ("-dof", 1)]
    ops.element(
        "genericClient",
        1,
        "-node",
        *nodes,
        *groups,
        "-server",
        port,
        "127.0.0.1",
        *(["-udp"] if kind == "udp" else []),
    )
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 10.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormUnbalance", 1e-8, 10)
    ops.algorithm(algorithm)
    if algorithm == "Linear":
        ops.integrator("AlphaOS", 0.9)
        ops.analysis("Transient")
        done = [ops.analyze(1, 0.1) for _ in range(steps)]
    else:
        ops.integrator("LoadControl", 1.0)
        ops.analysis("Static")
        done = [ops.analyze(1) for _ in range(steps)]
    moved = ops.nodeDisp(2, 1)
    ops.wipe()
    print("RESULT", any(done) or moved != moved, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5]))
