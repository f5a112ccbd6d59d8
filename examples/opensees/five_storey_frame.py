"""Five-storey, three-bay steel frame of fibre members under gravity and an earthquake, with
Rayleigh damping at two modes."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
storeys, bays, h, b, g = 5, 3, 3.5, 6.0, 9.81
for s in range(storeys + 1):
    for k in range(bays + 1):
        ops.node(10 * s + k + 1, k * b, s * h)
        if s:
            ops.mass(10 * s + k + 1, 9.0e3, 9.0e3, 0.0)
for k in range(bays + 1):
    ops.fix(k + 1, 1, 1, 1)
ops.uniaxialMaterial("Steel02", 1, 345e6, 200e9, 0.015, 20.0, 0.925, 0.15)
ops.section("WFSection2d", 1, 1, 0.36, 0.0125, 0.37, 0.020, 8, 3)
ops.section("WFSection2d", 2, 1, 0.45, 0.0094, 0.19, 0.0146, 8, 3)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.beamIntegration("Lobatto", 2, 2, 5)
tag = 0
for s in range(storeys):
    for k in range(bays + 1):
        tag += 1
        ops.element("forceBeamColumn", tag, 10 * s + k + 1, 10 * s + k + 11, 1, 1)
for s in range(1, storeys + 1):
    for k in range(bays):
        tag += 1
        ops.element("forceBeamColumn", tag, 10 * s + k + 1, 10 * s + k + 2, 2, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
for s in range(1, storeys + 1):
    for k in range(bays + 1):
        ops.load(10 * s + k + 1, 0.0, -9.0e3 * g, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-8, 20)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.25)
ops.analysis("Static")
ops.analyze(4)
ops.loadConst("-time", 0.0)
w1, _, w3 = (math.sqrt(v) for v in ops.eigen("-fullGenLapack", 3))
ops.rayleigh(0.03 * 2.0 * w1 * w3 / (w1 + w3), 0.0, 0.03 * 2.0 / (w1 + w3), 0.0)
record = [0.7 * g * math.sin(2 * math.pi * 0.02 * i / 1.1) * math.sin(0.01 * i) for i in range(320)]
ops.timeSeries("Path", 2, "-dt", 0.02, "-values", *record)
ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
ops.wipeAnalysis()
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-8, 20)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.recorder("Node", "-file", "roof.out", "-time", "-node", 10 * storeys + 1, "-dof", 1, "disp")
ops.recorder("Element", "-file", "base.out", "-ele", 1, 2, 3, 4, "localForce")
for _ in range(300):
    if ops.analyze(1, 0.02) != 0:
        break
    ops.testIter()
    ops.nodeDisp(10 * storeys + 1, 1)
ops.eleForce(1)
ops.nodeVel(10 * storeys + 1)
