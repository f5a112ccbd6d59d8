"""Portal with rotational springs at its column feet and elastic members.

Cyclic loading of the storey.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
L, H = 5.0, 3.0
ops.node(1, 0.0, 0.0)
ops.node(2, L, 0.0)
ops.node(3, 0.0, H)
ops.node(4, L, H)
ops.node(11, 0.0, 0.0)
ops.node(12, L, 0.0)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.equalDOF(1, 11, 1, 2)
ops.equalDOF(2, 12, 1, 2)
ops.uniaxialMaterial("Steel01", 1, 80e3, 2.0e7, 0.03)
ops.uniaxialMaterial("Hardening", 2, 2.0e7, 70e3, 1.0e5, 4.0e5)
ops.element("zeroLength", 11, 1, 11, "-mat", 1, "-dir", 6)
ops.element("zeroLength", 12, 2, 12, "-mat", 2, "-dir", 6)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.element("elasticBeamColumn", 1, 11, 3, 0.01, 200e9, 1.0e-4, 1)
ops.element("elasticBeamColumn", 2, 12, 4, 0.01, 200e9, 1.0e-4, 1)
ops.element("elasticBeamColumn", 3, 3, 4, 0.01, 200e9, 2.0e-4, 2)
ops.timeSeries("Constant", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 0.0, -200e3, 0.0)
ops.load(4, 0.0, -200e3, 0.0)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("EnergyIncr", 1.0e-9, 30)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.0)
ops.analysis("Static")
ops.analyze(1)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(3, 1.0e3, 0.0, 0.0)
ops.recorder("Element", "-file", "springs.out", "-time", "-ele", 11, 12, "deformation")
ops.recorder("Element", "-file", "moments.out", "-time", "-ele", 11, 12, "material", 1, "stress")
for target in (0.03, -0.03, 0.06, -0.06, 0.0):
    step = 0.003 if target > ops.nodeDisp(3, 1) else -0.003
    ops.integrator("DisplacementControl", 3, 1, step)
    ops.analysis("Static")
    while (target - ops.nodeDisp(3, 1)) * step > 1.0e-9:
        if ops.analyze(1) != 0:
            break
        ops.testIter()
        ops.getTime()
ops.eleForce(11)
ops.eleForce(1)
ops.eleResponse(12, "material", 1, "stressStrain")
ops.reactions()
ops.nodeReaction(1)
ops.nodeReaction(12)
