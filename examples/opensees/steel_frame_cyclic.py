"""Two-storey steel frame of displacement-based beam-columns under a cyclic roof displacement."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
span, storey = 6000.0, 3500.0
for level in range(3):
    for column in range(2):
        ops.node(10 * level + column + 1, column * span, level * storey)
ops.fixY(0.0, 1, 1, 1)
ops.uniaxialMaterial("Steel02", 1, 345.0, 200e3, 0.02, 18.0, 0.925, 0.15)
ops.section("WFSection2d", 1, 1, 350.0, 10.0, 350.0, 19.0, 6, 2)
ops.section("WFSection2d", 2, 1, 400.0, 8.5, 180.0, 13.5, 6, 2)
ops.geomTransf("Corotational", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Legendre", 1, 1, 3)
ops.beamIntegration("Legendre", 2, 2, 3)
tag = 0
for level in range(2):
    for column in range(2):
        tag += 1
        ops.element("dispBeamColumn", tag, 10 * level + column + 1, 10 * level + column + 11, 1, 1)
for level in (1, 2):
    tag += 1
    ops.element("dispBeamColumn", tag, 10 * level + 1, 10 * level + 2, 2, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
for node in (11, 12, 21, 22):
    ops.load(node, 0.0, -300e3, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormDispIncr", 1.0e-8, 20)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.2)
ops.analysis("Static")
ops.analyze(5)
ops.loadConst("-time", 0.0)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(11, 0.5e3, 0.0, 0.0)
ops.load(21, 1.0e3, 0.0, 0.0)
ops.recorder("Node", "-file", "roof.out", "-time", "-node", 21, "-dof", 1, "disp")
ops.recorder("Element", "-file", "base.out", "-ele", 1, 2, "localForce")
for amplitude in (40.0, 90.0):
    for target in (amplitude, -amplitude, 0.0):
        here = ops.nodeDisp(21, 1)
        count = max(round(abs(target - here) / 10.0), 1)
        ops.integrator("DisplacementControl", 21, 1, (target - here) / count)
        for _ in range(count):
            ops.analyze(1)
            ops.testIter()
            ops.getTime()
ops.eleForce(1)
ops.eleResponse(2, "localForce")
ops.eleResponse(1, "section", 1, "force")
ops.sectionDeformation(5, 2)
ops.eleResponse(1, "basicDeformation")
