"""Space truss with three degrees of freedom a node: yielding bars and a corotational dome."""

import math

import openseespy.opensees as ops


def solve(control, count):
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormUnbalance", 1.0e-6, 30)
    ops.algorithm("Newton")
    ops.integrator(*control)
    ops.analysis("Static")
    for _ in range(count):
        ops.analyze(1)
        ops.testIter()
        ops.getTime()


for kind in ("Truss", "corotTruss"):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 3)
    ops.node(1, 0.0, 0.0, 1.0)
    ops.uniaxialMaterial("Steel01", 1, 250e6, 200e9, 0.02)
    for k in range(6):
        angle = math.pi * k / 3.0
        ops.node(10 + k, 5.0 * math.cos(angle), 5.0 * math.sin(angle), 0.0)
        ops.fix(10 + k, 1, 1, 1)
        ops.element(kind, k + 1, 1, 10 + k, 1.0e-3, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(1, 1.0e3, 0.5e3, -20.0e3)
    solve(("DisplacementControl", 1, 3, -0.002), 12)
    ops.nodeDisp(1)
    for k in range(6):
        ops.basicForce(k + 1)
    ops.eleForce(2)
    ops.eleResponse(3, "material", "stress")
    ops.reactions()
    ops.nodeReaction(11)
