"""Steel column whose fibres break by low-cycle fatigue one after the other under cycles of its top."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, 3.0)
ops.fix(1, 1, 1, 1)
ops.uniaxialMaterial("Steel02", 1, 345e6, 200e9, 0.02, 18.0, 0.925, 0.15)
ops.uniaxialMaterial("Fatigue", 2, 1, "-E0", 0.02, "-m", -0.458, "-min", -0.2, "-max", 0.2)
ops.uniaxialMaterial("Fatigue", 3, 1)
ops.section("Fiber", 1)
ops.patch("rect", 2, 8, 1, -0.15, -0.1, 0.15, 0.1)
ops.section("Fiber", 2)
ops.patch("rect", 3, 8, 1, -0.15, -0.1, 0.15, 0.1)
ops.geomTransf("Linear", 1)
ops.beamIntegration("UserDefined", 1, 3, 1, 1, 2, 0.0, 0.5, 1.0, 1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1, "-iter", 50, 1e-14)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 1.0e3, 0.0, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1.0e-11, 60)
ops.algorithm("Newton")
ops.analysis("Static")
for target in (0.1, -0.1, 0.15, -0.15, 0.15, -0.15, 0.15):
    here = ops.nodeDisp(2, 1)
    count = max(round(abs(target - here) / 0.01), 1)
    ops.integrator("DisplacementControl", 2, 1, (target - here) / count)
    for _ in range(count):
        if ops.analyze(1) != 0:
            break
        ops.getTime()
        ops.eleForce(1)
        ops.nodeDisp(2)
ops.eleResponse(1, "section", 1, "force")
ops.testUniaxialMaterial(2)
for k in range(400):
    ops.setStrain(0.03 * math.sin(0.2 * k) + 0.01 * math.sin(0.33 * k))
    ops.getStress()
    ops.getTangent()
ops.wipe()
