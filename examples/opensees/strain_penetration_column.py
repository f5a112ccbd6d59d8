"""Column whose bars slip out of the footing (Bond_SP01 in a zero-length section), in kip and inch:
gravity, then cycles."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
height = 96.0
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, 0.0)
ops.node(3, 0.0, height)
ops.fix(1, 1, 1, 1)
ops.equalDOF(1, 2, 1)
ops.uniaxialMaterial("Concrete01", 1, -5.0, -0.004, -4.0, -0.02)
ops.uniaxialMaterial("Steel02", 2, 64.0, 29000.0, 0.01, 18.0, 0.925, 0.15)
ops.uniaxialMaterial("Bond_SP01", 3, 64.0, 0.021, 102.2, 0.8, 0.4, 0.7)
ops.uniaxialMaterial("Concrete01", 4, -5.0, -0.06, -4.0, -0.3)


def section(tag, concrete, bars):
    ops.section("Fiber", tag)
    ops.patch("rect", concrete, 12, 1, -9.0, -9.0, 9.0, 9.0)
    ops.layer("straight", bars, 4, 0.79, 7.0, 7.0, 7.0, -7.0)
    ops.layer("straight", bars, 4, 0.79, -7.0, 7.0, -7.0, -7.0)


section(1, 1, 2)
section(2, 4, 3)
ops.geomTransf("Linear", 1)
ops.element("zeroLengthSection", 1, 1, 2, 2, "-orient", 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 2, 2, 3, 1, 1, "-iter", 60, 1e-14)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 0.0, -150.0, 0.0)
ops.constraints("Transformation")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1.0e-11, 100)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.25)
ops.analysis("Static")
ops.analyze(4)
ops.loadConst("-time", 0.0)
ops.nodeDisp(2)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(3, 1.0, 0.0, 0.0)
for target in (0.4, -0.4, 1.0, -0.8, 1.6, -1.8, 0.5, -0.3, 2.5, 0.0):
    here = ops.nodeDisp(3, 1)
    count = max(round(abs(target - here) / 0.1), 1)
    ops.integrator("DisplacementControl", 3, 1, (target - here) / count)
    for _ in range(count):
        if ops.analyze(1) != 0:
            break
        ops.getTime()
        ops.nodeDisp(2)
        ops.eleForce(2)
        ops.eleResponse(1, "section", "fiber", 7.0, 0.0, 3, "stressStrain")
ops.eleResponse(1, "section", "force")
ops.testUniaxialMaterial(3)
for slip in (
    0.01,
    -0.015,
    0.05,
    0.12,
    0.1,
    -0.02,
    -0.1,
    0.02,
    0.08,
    0.06,
    0.3,
    0.9,
    0.0,
    -0.5,
    0.2,
):
    ops.setStrain(slip)
    ops.getStress()
ops.wipe()
