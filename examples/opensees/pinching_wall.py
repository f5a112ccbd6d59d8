"""Wall panel as a pinched trilinear spring on a mass: cyclic protocol, then an earthquake."""

import math

import openseespy.opensees as ops

ENVELOPE = (20e3, 0.004, 32e3, 0.02, 26e3, 0.06, -20e3, -0.004, -32e3, -0.02, -26e3, -0.06)


def wall(kind):
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0, "-mass", 6.0e3)
    ops.fix(1, 1)
    if kind == "Hysteretic":
        ops.uniaxialMaterial("Hysteretic", 1, *ENVELOPE, 0.7, 0.25, 0.01, 0.02, 0.2)
    else:
        ops.uniaxialMaterial(
            "HystereticSM",
            1,
            "-posEnv",
            *ENVELOPE[:6],
            "-negEnv",
            *ENVELOPE[6:],
            "-pinch",
            0.7,
            0.25,
            "-damage",
            0.01,
            0.0,
            "-beta",
            0.2,
        )
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.algorithm("Newton")


for kind in ("Hysteretic", "HystereticSM"):
    wall(kind)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0e3)
    ops.test("NormDispIncr", 1.0e-9, 50)
    for amplitude in (0.008, 0.016, 0.03):
        for target in (amplitude, -amplitude):
            count = round(abs(target - ops.nodeDisp(2, 1)) / 0.001)
            ops.integrator("DisplacementControl", 2, 1, (target - ops.nodeDisp(2, 1)) / count)
            ops.analysis("Static")
            for _ in range(count):
                ops.analyze(1)
                ops.eleResponse(1, "material", 1, "stress")
    wall(kind)
    ops.timeSeries(
        "Path",
        1,
        "-dt",
        0.02,
        "-values",
        *[4.0 * math.sin(0.2 * i) * math.exp(-0.01 * i) for i in range(200)],
    )
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.test("NormDispIncr", 1.0e-10, 100)
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    for _ in range(200):
        ops.analyze(1, 0.01)
        ops.nodeDisp(2, 1)
