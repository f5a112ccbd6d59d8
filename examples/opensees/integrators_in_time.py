"""A yielding two-storey spring model under a base motion by several integrators."""

import math

import openseespy.opensees as ops


def respond(integrator, algorithm, dt=0.01):
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0, "-mass", 1.2e4)
    ops.node(3, 0.0, "-mass", 1.0e4)
    ops.fix(1, 1)
    ops.uniaxialMaterial("Steel01", 1, 6.0e4, 6.0e6, 0.05)
    ops.uniaxialMaterial("Steel01", 2, 4.0e4, 5.0e6, 0.05)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1, "-doRayleigh", 1)
    ops.element("zeroLength", 2, 2, 3, "-mat", 2, "-dir", 1, "-doRayleigh", 1)
    ops.rayleigh(0.2, 0.0, 0.001, 0.0)
    record = [3.0 * math.sin(11.0 * 0.01 * i) * math.exp(-0.2 * 0.01 * i) for i in range(400)]
    ops.timeSeries("Path", 1, "-dt", 0.01, "-values", *record)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormDispIncr", 1.0e-10, 30)
    ops.algorithm(*algorithm)
    ops.integrator(*integrator)
    ops.analysis("Transient")
    for _ in range(150):
        ops.analyze(1, dt)
        ops.nodeDisp(3, 1)
    if integrator[0] != "CentralDifference":  # OpenSees gives its velocity one step back
        ops.nodeVel(3)
        ops.nodeAccel(3)
    ops.eleForce(1)


respond(("Newmark", 0.5, 0.25), ("Newton",))
respond(("HHT", 0.85), ("Newton",))
respond(("TRBDF2",), ("Newton",))
respond(("NewmarkExplicit", 0.5), ("Linear",), 0.005)
respond(("CentralDifference",), ("Linear",), 0.005)
respond(("AlphaOS", 0.9, "-updateElemDisp"), ("Linear",))
respond(("AlphaOS_TP", 0.9), ("Linear", "-initial"))
respond(("AlphaOS", 0.8), ("Linear", "-initial"))
respond(("AlphaOS", 0.8), ("Linear",))
respond(("AlphaOSGeneralized", 0.6), ("Linear", "-initial"))
respond(("AlphaOSGeneralized", 0.6, "-updateElemDisp"), ("Linear",))
respond(("AlphaOSGeneralized_TP", 0.6), ("Linear",))
respond(("KRAlphaExplicit", 0.8), ("Linear",), 0.005)
respond(("KRAlphaExplicit", 0.8, "-updateElemDisp"), ("Linear",), 0.005)
respond(("KRAlphaExplicit_TP", 0.8), ("Linear",), 0.005)
