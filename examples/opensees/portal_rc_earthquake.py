"""Reinforced concrete portal.

Gravity, then a base motion with Rayleigh damping from the first mode.
"""

import math

import openseespy.opensees as ops

width, height, load, g = 360.0, 144.0, 180.0, 386.4
mass = load / g
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, width, 0.0)
ops.node(3, 0.0, height)
ops.node(4, width, height)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.uniaxialMaterial("Concrete01", 1, -6.0, -0.004, -5.0, -0.014)
ops.uniaxialMaterial("Concrete01", 2, -5.0, -0.002, 0.0, -0.006)
ops.uniaxialMaterial("Steel01", 3, 60.0, 30000.0, 0.01)
y, z, cover, bar = 12.0, 7.5, 1.5, 0.60
ops.section("Fiber", 1)
ops.patch("rect", 1, 10, 1, cover - y, cover - z, y - cover, z - cover)
ops.patch("rect", 2, 10, 1, -y, z - cover, y, z)
ops.patch("rect", 2, 10, 1, -y, -z, y, cover - z)
ops.patch("rect", 2, 2, 1, -y, cover - z, cover - y, z - cover)
ops.patch("rect", 2, 2, 1, y - cover, cover - z, y, z - cover)
ops.layer("straight", 3, 3, bar, y - cover, z - cover, y - cover, cover - z)
ops.layer("straight", 3, 3, bar, cover - y, z - cover, cover - y, cover - z)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 1, 1, 3, 1, 1)
ops.element("forceBeamColumn", 2, 2, 4, 1, 1)
ops.element("elasticBeamColumn", 3, 3, 4, 360.0, 4030.0, 8640.0, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 0.0, -load, 0.0)
ops.load(4, 0.0, -load, 0.0)
ops.system("BandGeneral")
ops.constraints("Transformation")
ops.numberer("RCM")
ops.test("NormDispIncr", 1.0e-12, 10)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
ops.analyze(10)
ops.loadConst("-time", 0.0)
ops.mass(3, mass, mass, 0.0)
ops.mass(4, mass, mass, 0.0)
values = ops.eigen("-fullGenLapack", 2)
omega = math.sqrt(values[0])
ops.rayleigh(0.0, 0.0, 0.0, 2.0 * 0.02 / omega)
motion = [
    0.15 * g * math.sin(2.0 * math.pi * k * 0.02 / 0.6) * math.exp(-0.1 * k * 0.02)
    for k in range(300)
]
ops.timeSeries("Path", 2, "-dt", 0.02, "-values", *motion)
ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
ops.wipeAnalysis()
ops.system("BandGeneral")
ops.constraints("Plain")
ops.numberer("RCM")
ops.test("NormDispIncr", 1.0e-9, 20)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.recorder("Node", "-file", "top.out", "-time", "-node", 3, 4, "-dof", 1, "disp")
ops.recorder("Node", "-file", "base.out", "-time", "-node", 1, 2, "-dof", 1, 2, 3, "reaction")
ops.recorder("Node", "-file", "accel.out", "-time", "-node", 3, "-dof", 1, "accel")
ops.recorder("EnvelopeNode", "-file", "envelope.out", "-node", 3, 4, "-dof", 1, 2, "disp")
while ops.getTime() < 4.0:
    ok = ops.analyze(1, 0.01)
    if ok != 0:
        break
    ops.testIter()
    ops.nodeDisp(3, 1)
ops.analyze(50, 0.02)
ops.nodeDisp(3)
ops.nodeVel(3)
ops.nodeAccel(3)
ops.reactions()
ops.nodeReaction(1)
ops.eleForce(1)
ops.wipe()
