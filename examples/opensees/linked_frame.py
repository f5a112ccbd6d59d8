"""Frame with equal degrees of freedom, a rigid link and a link element with a damper, under load
and in time."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for tag, x, y in (
    (1, 0.0, 0.0),
    (2, 5.0, 0.0),
    (3, 0.0, 3.5),
    (4, 5.0, 3.5),
    (5, 5.4, 3.5),
    (6, 9.0, 3.5),
    (7, 9.0, 0.0),
):
    ops.node(tag, x, y)
for tag in (1, 2, 7):
    ops.fix(tag, 1, 1, 1)
for tag in (3, 4, 6):
    ops.mass(tag, 8.0e3, 8.0e3, 10.0)
ops.geomTransf("Linear", 1)
for tag, i, j in ((1, 1, 3), (2, 2, 4), (3, 3, 4), (4, 5, 6), (5, 7, 6)):
    ops.element("elasticBeamColumn", tag, i, j, 0.05, 30e9, 4.0e-4, 1)
ops.rigidLink("beam", 4, 5)
ops.uniaxialMaterial("Viscous", 1, 2.0e5, 1.0)
ops.element("twoNodeLink", 6, 1, 4, "-mat", 1, "-dir", 1)
ops.equalDOF(6, 3, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.eleLoad("-ele", 3, 4, "-type", "-beamUniform", -10e3)
ops.load(3, 20e3, 0.0, 0.0)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormDispIncr", 1.0e-10, 10)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static")
ops.analyze(1)
for tag in (3, 4, 5, 6):
    ops.nodeDisp(tag)
ops.eleForce(4)
ops.reactions()
ops.nodeReaction(1)
ops.nodeReaction(7)
ops.loadConst("-time", 0.0)
ops.timeSeries("Trig", 2, 0.0, 3.0, 0.35, "-factor", 2.0)
ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
ops.wipeAnalysis()
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormDispIncr", 1.0e-10, 20)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
for _ in range(150):
    ops.analyze(1, 0.01)
    ops.testIter()
    ops.nodeDisp(3, 1)
ops.nodeDisp(6)
ops.eleForce(6)
ops.nodeVel(4)
assert math.isfinite(ops.getTime())
