"""Round column and steel wide flange.

Moment-curvature with circular patches, layers and a T-shape off its centroid.
"""

import math

import openseespy.opensees as ops


def curve(build, axial, largest):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.uniaxialMaterial("Concrete02", 1, -30.0, -0.002, -6.0, -0.006, 0.1, 3.0, 1500.0)
    ops.uniaxialMaterial("Steel02", 2, 420.0, 200000.0, 0.01, 18.0, 0.925, 0.15)
    build()
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.fix(2, 0, 1, 0)
    ops.element("zeroLengthSection", 1, 1, 2, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, axial, 0.0, 0.0)
    ops.system("BandGeneral")
    ops.numberer("Plain")
    ops.constraints("Plain")
    ops.test("NormDispIncr", 1.0e-10, 30)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    ops.analyze(10)
    ops.nodeDisp(2)
    ops.loadConst("-time", 0.0)
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(2, 0.0, 0.0, 1.0)
    for target, count in ((largest, 30), (-largest, 60), (0.3 * largest, 30)):
        here = ops.nodeDisp(2, 3)
        ops.integrator("DisplacementControl", 2, 3, (target - here) / count)
        for _ in range(count):
            ops.analyze(1)
            ops.testIter()
            ops.getTime()
    ops.eleResponse(1, "section", "force")


def round_column():
    ops.section("Fiber", 1)
    ops.patch("circ", 1, 12, 6, 0.0, 0.0, 0.0, 250.0, 0.0, 360.0)
    ops.layer("circ", 2, 10, 314.0, 0.0, 0.0, 210.0)


def wide_flange():
    ops.section("WFSection2d", 1, 2, 400.0, 10.0, 200.0, 16.0, 12, 4)


def tee():
    ops.section("Fiber", 1)
    ops.patch("quad", 1, 8, 2, -150.0, 300.0, -150.0, -300.0, 150.0, -300.0, 150.0, 300.0)
    ops.patch("rect", 1, 8, 1, 150.0, -400.0, 250.0, 400.0)
    for k in range(4):
        ops.fiber(-110.0, -60.0 + 40.0 * k, 400.0, 2)


curve(round_column, -800e3, 6.0e-5)
curve(wide_flange, -500e3, 5.0e-5)
curve(tee, -600e3, math.pi * 1e-5)
