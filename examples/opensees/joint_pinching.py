"""Beam-column joint of concrete as a pinched spring of Pinching4.

Cyclic drift of the subassembly, then an earthquake.
"""

import math

import openseespy.opensees as ops

POINTS = (90e3, 0.0008, 150e3, 0.005, 165e3, 0.014, 40e3, 0.035)
PINCH = (0.45, 0.3, 0.05)
DAMAGE = (0.6, 0.1, 0.4, 1.0, 0.7, 0.2, 0.05, 1.0, 1.0, 0.4, 0.2, 0.05, 1.0, 1.0, 0.6, 12.0)


def subassembly(kind, mass=0.0):
    """Column with pins at mid-height, two half beams on rollers, and the joint between column and
    beams."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 1.5)
    ops.node(3, 0.0, 3.0, "-mass", mass, mass, 1.0)
    ops.node(4, 0.0, 1.5)
    ops.node(5, -2.5, 1.5)
    ops.node(6, 2.5, 1.5)
    ops.fix(1, 1, 1, 0)
    ops.fix(5, 0, 1, 0)
    ops.fix(6, 0, 1, 0)
    ops.equalDOF(2, 4, 1, 2)
    if kind == "one side":
        ops.uniaxialMaterial("Pinching4", 1, *POINTS, *PINCH, *DAMAGE, "energy")
    else:
        ops.uniaxialMaterial(
            "Pinching4",
            1,
            *POINTS,
            *[-0.9 * v for v in POINTS],
            *PINCH,
            0.5,
            0.35,
            -0.1,
            *DAMAGE,
            "cycle",
        )
    ops.element("zeroLength", 1, 2, 4, "-mat", 1, "-dir", 6)
    ops.geomTransf("Linear", 1)
    for tag, (i, j) in enumerate(((1, 2), (2, 3), (5, 4), (4, 6)), start=2):
        ops.element("elasticBeamColumn", tag, i, j, 0.16, 30e9, 1.5e-3, 1)
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("FullGeneral")
    ops.algorithm("Newton")


for kind in ("one side", "two sides"):
    subassembly(kind)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(3, 1.0e3, 0.0, 0.0)
    ops.test("NormDispIncr", 1.0e-10, 50)
    for amplitude in (0.01, 0.02, 0.03, 0.03, 0.045):
        for target in (amplitude, -amplitude):
            step = 0.001 if target > 0.0 else -0.001
            ops.integrator("DisplacementControl", 3, 1, step)
            ops.analysis("Static")
            for _ in range(round((target - ops.nodeDisp(3, 1)) / step)):
                if ops.analyze(1) != 0:
                    break
                ops.nodeDisp(3, 1)
                ops.getTime()
                ops.eleResponse(1, "material", 1, "stressStrain")
    subassembly(kind, 20.0e3)
    ops.timeSeries(
        "Path",
        1,
        "-dt",
        0.02,
        "-values",
        *[2.5 * math.sin(0.11 * i) * math.exp(-0.006 * i) for i in range(300)],
    )
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.test("NormDispIncr", 1.0e-10, 100)
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    for _ in range(600):
        if ops.analyze(1, 0.01) != 0:
            break
        ops.nodeDisp(3, 1)
        ops.eleResponse(1, "material", 1, "stress")
