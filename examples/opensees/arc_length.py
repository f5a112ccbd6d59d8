"""Arc-length control of a shallow truss up to its limit point and of a yielding frame."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 2)
ops.node(1, -10.0, 0.0)
ops.node(2, 0.0, 1.5)
ops.node(3, 10.0, 0.0)
ops.fix(1, 1, 1)
ops.fix(3, 1, 1)
ops.fix(2, 1, 0)
ops.uniaxialMaterial("Elastic", 1, 1.0e5)
ops.element("corotTruss", 1, 1, 2, 1.0, 1)
ops.element("corotTruss", 2, 2, 3, 1.0, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, -10.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("BandGeneral")
ops.test("NormUnbalance", 1.0e-8, 25)
ops.algorithm("Newton")
ops.integrator("ArcLength", 0.05, 0.1)
ops.analysis("Static")
for _ in range(10):
    ops.analyze(1)
    ops.getTime()
    ops.nodeDisp(2, 2)
