"""Continuous beam on springs with a settled support.

Imposed displacement and springs in both directions.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for k in range(5):
    ops.node(k + 1, 3.0 * k, 0.0)
ops.node(11, 0.0, 0.0)
ops.node(13, 6.0, 0.0)
ops.fix(11, 1, 1, 1)
ops.fix(13, 1, 1, 1)
ops.uniaxialMaterial("Elastic", 1, 5.0e6)
ops.uniaxialMaterial("ENT", 2, 8.0e6)
ops.uniaxialMaterial("Elastic", 3, 1.0e6)
ops.element("zeroLength", 11, 11, 1, "-mat", 1, 1, 3, "-dir", 1, 2, 6)
ops.element("zeroLength", 13, 13, 3, "-mat", 2, "-dir", 2)
ops.geomTransf("Linear", 1)
for k in range(4):
    ops.element("elasticBeamColumn", k + 1, k + 1, k + 2, 0.02, 30e9, 4.0e-4, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.eleLoad("-range", 1, 4, "-type", "-beamUniform", -5e3)
ops.sp(5, 2, -0.01)
ops.load(4, 0.0, 0.0, 4e3)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormUnbalance", 1.0e-6, 30)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.25)
ops.analysis("Static")
for _ in range(4):
    ops.analyze(1)
    ops.testIter()
    ops.nodeDisp(5, 2)
for k in range(5):
    ops.nodeDisp(k + 1)
for tag in (1, 2, 3, 4, 11, 13):
    ops.eleForce(tag)
ops.reactions()
ops.nodeReaction(11)
ops.nodeReaction(5)
