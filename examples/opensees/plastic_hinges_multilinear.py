"""Portal with column hinges of HystereticSM.

Envelopes of four to seven points, pinching, damage; cyclic push, earthquake.
"""

import math

import openseespy.opensees as ops

SEVEN = (60e3, 0.003, 90e3, 0.008, 95e3, 0.02, 85e3, 0.03, 60e3, 0.045, 30e3, 0.06, 20e3, 0.09)
FOUR = (-55e3, -0.003, -80e3, -0.01, -88e3, -0.025, -15e3, -0.07)


def portal(mass=0.0):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for tag, x, y in (
        (1, 0.0, 0.0),
        (2, 4.0, 0.0),
        (3, 0.0, 3.0),
        (4, 4.0, 3.0),
        (11, 0.0, 0.0),
        (12, 4.0, 0.0),
    ):
        ops.node(tag, x, y)
    ops.mass(3, mass, mass, 1.0)
    ops.mass(4, mass, mass, 1.0)
    for base in (1, 2):
        ops.fix(base, 1, 1, 1)
        ops.equalDOF(base, base + 10, 1, 2)
    ops.uniaxialMaterial(
        "HystereticSM",
        1,
        "-posEnv",
        *SEVEN,
        "-negEnv",
        *FOUR,
        "-pinch",
        0.6,
        0.4,
        "-damage",
        0.01,
        0.02,
        "-beta",
        0.3,
    )
    xy = [value for i in range(0, 14, 2) for value in (SEVEN[i + 1], SEVEN[i])]
    ops.uniaxialMaterial("HystereticSM", 2, "-EnvXY", *xy, "-pinch", 0.8, "-damage", 0.005)
    ops.element("zeroLength", 11, 1, 11, "-mat", 1, "-dir", 6)
    ops.element("zeroLength", 12, 2, 12, "-mat", 2, "-dir", 6)
    ops.geomTransf("Linear", 1)
    for tag, (i, j) in enumerate(((11, 3), (12, 4), (3, 4)), start=1):
        ops.element("elasticBeamColumn", tag, i, j, 0.09, 30e9, 1.0e-3, 1)
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("FullGeneral")
    ops.algorithm("Newton")


portal()
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 1.0e3, 0.0, 0.0)
ops.test("NormDispIncr", 1.0e-10, 50)
for amplitude in (0.02, 0.05, 0.09, 0.09, 0.14):
    for target in (amplitude, -amplitude):
        step = 0.002 if target > 0.0 else -0.002
        ops.integrator("DisplacementControl", 3, 1, step)
        ops.analysis("Static")
        for _ in range(round((target - ops.nodeDisp(3, 1)) / step)):
            if ops.analyze(1) != 0:
                break
            ops.getTime()
            ops.eleResponse(11, "material", 1, "stressStrain")
            ops.eleResponse(12, "material", 1, "stress")
portal(15.0e3)
ops.timeSeries(
    "Path",
    1,
    "-dt",
    0.02,
    "-values",
    *[6.0 * math.sin(0.15 * i) * math.exp(-0.006 * i) for i in range(300)],
)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.test("NormDispIncr", 1.0e-10, 100)
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
for _ in range(600):
    if ops.analyze(1, 0.01) != 0:
        break
    ops.nodeDisp(3, 1)
    ops.eleResponse(11, "material", 1, "stress")
    ops.eleResponse(12, "material", 1, "stress")
