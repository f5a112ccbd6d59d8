"""Steel frame of one bay and two storeys with deteriorating plastic hinges of Bilin.

Pushover, cyclic drift, earthquake.
"""

import math

import openseespy.opensees as ops

BEAM = (
    4.0e7,
    0.02,
    0.02,
    2.4e5,
    -2.2e5,
    0.9,
    0.9,
    0.9,
    0.9,
    1.0,
    1.0,
    1.0,
    1.0,
    0.03,
    0.025,
    0.16,
    0.15,
    0.4,
    0.4,
    0.2,
    0.2,
    1.0,
    1.0,
)
COLUMN = (
    6.0e7,
    0.03,
    0.03,
    3.2e5,
    -3.2e5,
    1.2,
    1.2,
    0.0,
    1.2,
    1.0,
    1.0,
    1.0,
    1.0,
    0.025,
    0.025,
    0.2,
    0.2,
    0.3,
    0.3,
    0.2,
    0.2,
    1.0,
    1.0,
)


def frame(mass=0.0):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for level in range(3):
        for line in range(2):
            ops.node(10 * level + line, 6.0 * line, 3.5 * level)
    for line in range(2):
        ops.fix(line, 1, 1, 1)
        ops.node(100 + line, 6.0 * line, 0.0)
        ops.equalDOF(line, 100 + line, 1, 2)
    ops.uniaxialMaterial("Bilin", 1, *BEAM)
    ops.uniaxialMaterial("Bilin", 2, *COLUMN, 10.0)
    ops.geomTransf("Linear", 1)
    ops.geomTransf("PDelta", 2)
    tag = 0
    for line in range(2):
        ops.element("zeroLength", 200 + line, line, 100 + line, "-mat", 2, "-dir", 6)
        for level in range(2):
            tag += 1
            ops.element(
                "elasticBeamColumn",
                tag,
                100 + line if level == 0 else 10 + line,
                10 * (level + 1) + line,
                0.012,
                200e9,
                2.2e-4,
                2,
            )
    for level in (1, 2):
        tag += 1
        for line in range(2):
            hinge = 1000 + 10 * level + line
            ops.node(hinge, 6.0 * line, 3.5 * level)
            ops.equalDOF(10 * level + line, hinge, 1, 2)
            ops.element(
                "zeroLength",
                300 + 10 * level + line,
                10 * level + line,
                hinge,
                "-mat",
                1,
                "-dir",
                6,
            )
        ops.element(
            "elasticBeamColumn", tag, 1000 + 10 * level, 1001 + 10 * level, 0.009, 200e9, 1.8e-4, 1
        )
        for line in range(2):
            ops.mass(10 * level + line, mass, mass, 1.0e-3 * mass)
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("FullGeneral")
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    for level in (1, 2):
        for line in range(2):
            ops.load(10 * level + line, 0.0, -1.5e5, 0.0)
    ops.test("NormDispIncr", 1.0e-13, 200)
    ops.algorithm("KrylovNewton")
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    ops.analyze(10)
    ops.loadConst("-time", 0.0)


def push(targets, step):
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(10, 1.0e3, 0.0, 0.0)
    ops.load(20, 2.0e3, 0.0, 0.0)
    for target in targets:
        signed = math.copysign(step, target - ops.nodeDisp(20, 1))
        ops.integrator("DisplacementControl", 20, 1, signed)
        ops.analysis("Static")
        for _ in range(round((target - ops.nodeDisp(20, 1)) / signed)):
            if ops.analyze(1) != 0:
                break
            ops.getTime()
            ops.nodeDisp(10, 1)
            ops.eleResponse(200, "material", 1, "stress")
            ops.eleResponse(310, "material", 1, "stressStrain")


frame()
push((0.5,), 0.004)
frame()
push((0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.3, 0.0), 0.004)
frame(6.0e4)
ops.timeSeries(
    "Path",
    3,
    "-dt",
    0.02,
    "-values",
    *[1.6 * math.sin(0.09 * i) * math.exp(-0.004 * i) for i in range(400)],
)
ops.pattern("UniformExcitation", 3, 1, "-accel", 3)
ops.wipeAnalysis()
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1.0e-13, 200)
ops.algorithm("KrylovNewton")
ops.rayleigh(0.2, 0.0, 0.0, 0.0)
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
for _ in range(500):
    if ops.analyze(1, 0.01) != 0:
        break
    ops.nodeDisp(20, 1)
    ops.eleResponse(200, "material", 1, "stress")
    ops.eleResponse(310, "material", 1, "stress")
