"""Load and displacement control whose increments follow from the iterations of the last step."""

import openseespy.opensees as ops


def model():
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 3.0, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.uniaxialMaterial("Steel01", 1, 300e6, 200e9, 0.02)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 16, 1, -0.1, -0.05, 0.1, 0.05)
    ops.geomTransf("Linear", 1)
    ops.beamIntegration("Lobatto", 1, 1, 5)
    ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, 1.0e3, 0.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-9, 30)
    ops.algorithm("Newton")


model()
ops.integrator("LoadControl", 5.0, 4, 0.5, 10.0)
ops.analysis("Static")
for _ in range(12):
    ops.analyze(1)
    ops.getTime()
    ops.testIter()
    ops.nodeDisp(2, 2)
model()
ops.integrator("DisplacementControl", 2, 2, 0.004, 4, 0.001, 0.02)
ops.analysis("Static")
for _ in range(12):
    ops.analyze(1)
    ops.getTime()
    ops.testIter()
    ops.nodeDisp(2, 2)
