"""Two-storey frame on Bouc-Wen bearings under a base motion, with Rayleigh damping of the frame
alone."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
W, H, m, g = 6.0, 3.2, 15.0e3, 9.81
for k in range(2):
    ops.node(1 + k, k * W, 0.0)
    ops.node(11 + k, k * W, 0.0, "-mass", m, m, 10.0)
    ops.node(21 + k, k * W, H, "-mass", m, m, 10.0)
    ops.node(31 + k, k * W, 2 * H, "-mass", m, m, 10.0)
    ops.fix(1 + k, 1, 1, 1)
ops.uniaxialMaterial("BoucWen", 1, 0.1, 6.0e6, 2.0, 2.0e4, 2.0e4, 1.0, 0.0, 0.0, 0.0, 1e-12, 50)
ops.uniaxialMaterial("Elastic", 2, 1.0e9)
ops.uniaxialMaterial("Elastic", 3, 1.0e7)
ops.uniaxialMaterial("Viscous", 4, 4.0e4, 1.0)
ops.uniaxialMaterial("Parallel", 5, 1, 4)
for k in range(2):
    ops.element("zeroLength", 1 + k, 1 + k, 11 + k, "-mat", 5, 2, 3, "-dir", 1, 2, 6)
ops.geomTransf("Linear", 1)
frame = []
for level in (1, 2):
    for k in range(2):
        tag = 10 * level + k
        frame.append(tag)
        ops.element(
            "elasticBeamColumn",
            tag,
            10 * level + 1 + k,
            10 * level + 11 + k,
            0.09,
            30e9,
            6.75e-4,
            1,
        )
for level in (1, 2, 3):
    tag = 100 + level
    frame.append(tag)
    ops.element("elasticBeamColumn", tag, 10 * level + 1, 10 * level + 2, 0.12, 30e9, 1.6e-3, 1)
values = ops.eigen(4)
ops.region(1, "-ele", *frame, "-rayleigh", 0.0, 0.0, 2.0 * 0.02 / math.sqrt(values[1]), 0.0)
record = [
    0.35 * g * math.sin(2 * math.pi * 0.02 * i / 0.9) * math.exp(-0.15 * 0.02 * i)
    for i in range(250)
]
ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *record)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-9, 30)
ops.algorithm("Newton")
ops.integrator("HHT", 0.9)
ops.analysis("Transient")
ops.recorder("Node", "-file", "floors.out", "-time", "-node", 11, 21, 31, "-dof", 1, "disp")
ops.recorder("Node", "-file", "accelerations.out", "-node", 31, "-dof", 1, "accel")
ops.recorder("Element", "-file", "bearings.out", "-time", "-ele", 1, 2, "force")
ops.analyze(200, 0.02)
ops.nodeDisp(31)
ops.eleForce(1)
ops.eleForce(10)
