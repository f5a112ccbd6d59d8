"""Bridge column with bars of ReinforcingSteel that harden, wear out and break.

Gravity, cycles, and the bar alone.
"""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
height, diameter = 2.4, 0.6
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, height)
ops.fix(1, 1, 1, 1)
BAR = (455e6, 640e6, 200e9, 7.0e9, 0.012, 0.12)
ops.uniaxialMaterial(
    "ReinforcingSteel", 1, *BAR, "-CMFatigue", 0.26, 0.506, 0.389, "-IsoHard", 4.3, 0.2
)
ops.uniaxialMaterial("ReinforcingSteel", 2, *BAR, "-MPCurveParams", 0.3, 16.0, 3.5)
ops.uniaxialMaterial(
    "ReinforcingSteel", 3, *BAR, "-CMFatigue", 0.09, 0.5, 0.0, "-GABuck", 6.0, 1.0, 0.4, 0.5
)
ops.uniaxialMaterial("Concrete04", 4, -45e6, -0.004, -0.02, 31e9)
ops.section("Fiber", 1)
ops.patch("circ", 4, 8, 6, 0.0, 0.0, 0.0, 0.5 * diameter, 0.0, 360.0)
ops.layer("circ", 1, 12, 3.87e-4, 0.0, 0.0, 0.24, 15.0, 345.0)
ops.geomTransf("PDelta", 1)
ops.beamIntegration("Lobatto", 1, 1, 4)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1, "-iter", 60, 1e-14)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, -650e3, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1.0e-11, 100)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.2)
ops.analysis("Static")
ops.analyze(5)
ops.loadConst("-time", 0.0)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(2, 1.0e3, 0.0, 0.0)
for target in (0.02, -0.02, 0.05, -0.03, 0.0):
    here = ops.nodeDisp(2, 1)
    count = max(round(abs(target - here) / 0.001), 1)
    ops.integrator("DisplacementControl", 2, 1, (target - here) / count)
    for _ in range(count):
        if ops.analyze(1) != 0:
            break
        ops.getTime()
        ops.eleForce(1)
        ops.eleResponse(1, "section", 1, "fiber", 0.24, 0.0, 1, "stressStrain")
for tag in (1, 2, 3):
    ops.testUniaxialMaterial(tag)
    for k in range(500):
        ops.setStrain(0.03 * (k / 500.0) * math.sin(0.11 * k) + 0.006 * math.sin(0.47 * k))
        ops.getStress()
ops.wipe()
