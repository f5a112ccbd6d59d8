"""Plane truss whose bars yield.

Loaded by displacement control, unloaded, and loaded the other way.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 2)
for tag, x, y in ((1, 0.0, 0.0), (2, 4.0, 0.0), (3, 0.0, 3.0), (4, 4.0, 3.0)):
    ops.node(tag, x, y)
ops.fix(1, 1, 1)
ops.fix(2, 0, 1)
ops.uniaxialMaterial("Steel01", 1, 250e6, 200e9, 0.02)
ops.uniaxialMaterial("Steel01", 2, 180e6, 200e9, 0.03)
for tag, (i, j) in enumerate(((1, 2), (1, 3), (2, 4), (3, 4)), start=1):
    ops.element("Truss", tag, i, j, 1.0e-3, 1)
ops.element("Truss", 5, 1, 4, 1.2e-3, 2)
ops.element("Truss", 6, 2, 3, 1.2e-3, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 1.0e3, 0.0)
ops.load(4, 1.0e3, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandSPD")
ops.test("NormUnbalance", 1.0e-4, 20)
ops.algorithm("Newton")
ops.recorder("Element", "-file", "bars.out", "-time", "-ele", 1, 2, 3, 4, 5, 6, "axialForce")
for step, count in ((0.001, 20), (-0.001, 40), (0.001, 20)):
    ops.integrator("DisplacementControl", 3, 1, step)
    ops.analysis("Static")
    for _ in range(count):
        ops.analyze(1)
        ops.testIter()
        ops.getTime()
    ops.nodeDisp(4)
    ops.eleResponse(5, "material", "stressStrain")
    ops.basicDeformation(5)
    ops.eleForce(6)
ops.reactions()
ops.nodeReaction(1)
ops.nodeReaction(2, 2)
