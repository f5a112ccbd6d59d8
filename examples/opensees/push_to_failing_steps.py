"""Column pushed by load in steps whose size follows the iterations, on beyond steps that fail with
Newton's tangent."""

import openseespy.opensees as ops

HEIGHT, MOST = 144.0, 5.0
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, HEIGHT)
ops.fix(1, 1, 1, 1)
ops.uniaxialMaterial("Concrete01", 1, -5.0, -0.004, -4.0, -0.014)
ops.uniaxialMaterial("Steel01", 2, 60.0, 30000.0, 0.02)
ops.section("Fiber", 1)
ops.patch("rect", 1, 10, 1, -12.0, -7.5, 12.0, 7.5)
ops.layer("straight", 2, 3, 0.6, 10.0, 6.0, 10.0, -6.0)
ops.layer("straight", 2, 3, 0.6, -10.0, 6.0, -10.0, -6.0)
ops.geomTransf("PDelta", 1)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, -180.0, 0.0)
ops.system("BandGeneral")
ops.numberer("RCM")
ops.constraints("Plain")
ops.test("NormDispIncr", 1e-10, 6)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
ops.analyze(10)
ops.loadConst("-time", 0.0)
ops.pattern("Plain", 2, 1)
ops.load(2, 1.0, 0.0, 0.0)
ops.integrator("LoadControl", 4.0, 5, 0.1, 8.0)
ops.recorder("Node", "-file", "top.out", "-time", "-node", 2, "-dof", 1, "disp")
moved = 0.0
for _ in range(60):
    if ops.analyze(1) != 0:
        ops.testIter()
        ops.test("NormDispIncr", 1e-10, 2000)
        ops.algorithm("ModifiedNewton", "-initial")
        found = ops.analyze(1)
        ops.test("NormDispIncr", 1e-10, 6)
        ops.algorithm("Newton")
        if found != 0:
            break
    ops.testIter()
    ops.getTime()
    moved = ops.nodeDisp(2, 1)
    if moved > MOST:
        break
ops.eleForce(1)
ops.wipe()
