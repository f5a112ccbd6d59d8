"""Two-storey building in space with rigid floors under a motion in two directions."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 3, "-ndf", 6)
W, D, H, g = 6.0, 4.0, 3.2, 9.81
corners = ((0.0, 0.0), (W, 0.0), (W, D), (0.0, D))
for level in range(3):
    for k, (x, y) in enumerate(corners, start=1):
        ops.node(10 * level + k, x, y, level * H)
for k in range(1, 5):
    ops.fix(k, 1, 1, 1, 1, 1, 1)
for level in (1, 2):
    ops.node(10 * level + 9, 0.55 * W, 0.5 * D, level * H)
    ops.mass(10 * level + 9, 3.0e4, 3.0e4, 0.0, 0.0, 0.0, 2.0e5)
    ops.fix(10 * level + 9, 0, 0, 1, 1, 1, 0)
    ops.rigidDiaphragm(3, 10 * level + 9, *[10 * level + k for k in range(1, 5)])
ops.geomTransf("Linear", 1, 1.0, 0.0, 0.0)
ops.geomTransf("Linear", 2, 0.0, 0.0, 1.0)
E, G = 30e9, 12.5e9
tag = 0
for level in range(2):
    for k in range(1, 5):
        tag += 1
        ops.element(
            "elasticBeamColumn",
            tag,
            10 * level + k,
            10 * level + 10 + k,
            0.09,
            E,
            G,
            1.1e-3,
            6.75e-4,
            6.75e-4,
            1,
        )
for level in (1, 2):
    for i, j in ((1, 2), (2, 3), (3, 4), (4, 1)):
        tag += 1
        ops.element(
            "elasticBeamColumn",
            tag,
            10 * level + i,
            10 * level + j,
            0.12,
            E,
            G,
            2.2e-3,
            9.0e-4,
            1.6e-3,
            2,
        )
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
values = ops.eigen("-fullGenLapack", 4)
ops.rayleigh(0.0, 0.0, 2.0 * 0.03 / math.sqrt(values[0]), 0.0)
along_x = [0.3 * g * math.sin(12.0 * 0.01 * i) * math.exp(-0.01 * i) for i in range(200)]
along_y = [0.2 * g * math.sin(9.0 * 0.01 * i + 0.5) * math.exp(-0.01 * i) for i in range(200)]
ops.timeSeries("Path", 1, "-dt", 0.01, "-values", *along_x)
ops.timeSeries("Path", 2, "-dt", 0.01, "-values", *along_y)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.pattern("UniformExcitation", 2, 2, "-accel", 2)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormDispIncr", 1.0e-10, 10)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.recorder("Node", "-file", "roof.out", "-time", "-node", 29, "-dof", 1, 2, 6, "disp")
for _ in range(150):
    ops.analyze(1, 0.01)
    ops.nodeDisp(29, 1)
    ops.nodeDisp(29, 2)
ops.nodeDisp(21)
ops.nodeVel(29)
ops.eleForce(1)
