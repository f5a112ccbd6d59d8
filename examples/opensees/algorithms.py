"""The same cyclic column with every algorithm and every test: results and iterations."""

import openseespy.opensees as ops


def column(algorithm, test):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 3.0)
    ops.node(3, 4.0, 3.0)
    ops.fix(1, 1, 1, 1)
    ops.fix(3, 0, 1, 0)
    ops.uniaxialMaterial("Steel01", 1, 3.0e5, 2.0e8, 0.02)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 10, 1, -0.15, -0.05, 0.15, 0.05)
    ops.geomTransf("Linear", 1)
    ops.beamIntegration("Lobatto", 1, 1, 5)
    ops.element("dispBeamColumn", 1, 1, 2, 1, 1)
    ops.element("dispBeamColumn", 2, 2, 3, 1, 1)
    ops.timeSeries("Path", 1, "-dt", 1.0, "-values", 0.0, 190.0, -177.0, 200.0, 20.0, 0.0)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0, -0.5, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test(*test)
    ops.algorithm(*algorithm)
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    for _ in range(40):
        ops.analyze(1)
        ops.testIter()
        ops.nodeDisp(2)
    ops.eleForce(1)


INCREMENT = ("NormDispIncr", 1.0e-9, 300)
for algorithm in (
    ("Newton",),
    ("Newton", "-initial"),
    ("ModifiedNewton",),
    ("ModifiedNewton", "-initial"),
):
    column(algorithm, INCREMENT)
for test in (
    ("NormUnbalance", 1.0e-6, 50),
    ("EnergyIncr", 1.0e-14, 50),
    ("RelativeNormUnbalance", 1.0e-8, 50),
    ("RelativeNormDispIncr", 1.0e-8, 50),
    ("RelativeEnergyIncr", 1.0e-12, 50),
    ("FixedNumIter", 8),
):
    column(("Newton",), test)
