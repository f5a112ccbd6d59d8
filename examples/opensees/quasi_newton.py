"""A cyclic steel portal by quasi-Newton methods, step by step, with the number of tangents that
each step took."""

import math

import openseespy.opensees as ops


def portal():
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for tag, x, y in ((1, 0.0, 0.0), (2, 0.0, 3.0), (3, 5.0, 3.0), (4, 5.0, 0.0)):
        ops.node(tag, x, y)
    for tag in (1, 4):
        ops.fix(tag, 1, 1, 1)
    for tag in (2, 3):
        ops.mass(tag, 20.0, 20.0, 1.0)
    ops.uniaxialMaterial("Steel02", 1, 3.0e5, 2.0e8, 0.02, 18.0, 0.925, 0.15)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 10, 1, -0.15, -0.05, 0.15, 0.05)
    ops.geomTransf("PDelta", 1)
    ops.beamIntegration("Lobatto", 1, 1, 4)
    for tag, i, j in ((1, 1, 2), (2, 2, 3), (3, 3, 4)):
        ops.element("forceBeamColumn", tag, i, j, 1, 1)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")


def push(test, *algorithm):
    portal()
    ops.timeSeries("Path", 1, "-dt", 1.0, "-values", 0.0, 290.0, -270.0, 300.0, 20.0, 0.0)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0, -0.5, 0.0)
    ops.test(*test)
    ops.algorithm(*algorithm)
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    for _ in range(30):
        ops.analyze(1)
        ops.testIter()
        ops.nodeDisp(2)
    ops.eleForce(1)


def shake(test, *algorithm):
    portal()
    ops.rayleigh(0.1, 0.0, 0.001, 0.0)
    record = [8.0 * math.sin(9.0 * 0.02 * i) for i in range(100)]
    ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *record)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.test(*test)
    ops.algorithm(*algorithm)
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    for _ in range(60):
        ops.analyze(1, 0.02)
        ops.testIter()
        ops.nodeDisp(3, 1)
    ops.nodeVel(3)
    ops.eleForce(3)


push(("NormDispIncr", 1.0e-10, 50), "BFGS")
push(("NormDispIncr", 1.0e-10, 50), "Broyden")
push(("NormUnbalance", 1.0e-6, 50), "BFGS", "-count", 3)
push(("EnergyIncr", 1.0e-14, 50), "Broyden", "-initial", "-count", 4)
shake(("NormDispIncr", 1.0e-10, 50), "BFGS", "-count", 3)
shake(("NormUnbalance", 1.0e-6, 50), "Broyden")
shake(("EnergyIncr", 1.0e-14, 50), "BFGS", "-initial")
