"""One cantilever column with every rule of integration: force-based and displacement-based."""

import openseespy.opensees as ops

H, P = 3.0, -400e3


def column(kind, rule, *arguments, transformation="PDelta"):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, H)
    ops.fix(1, 1, 1, 1)
    ops.uniaxialMaterial("Steel01", 1, 300e6, 200e9, 0.01)
    ops.uniaxialMaterial("Elastic", 2, 200e9)
    for section, material in ((1, 1), (2, 2), (3, 1)):
        ops.section("Fiber", section)
        ops.patch("rect", material, 12, 1, -0.15, -0.05, 0.15, 0.05)
    ops.section("Elastic", 4, 200e9, 0.03, 2.25e-4)
    ops.geomTransf(transformation, 1)
    ops.beamIntegration(rule, 1, *arguments)
    ops.element(kind, 1, 1, 2, 1, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, P, 0.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-10, 30)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.5)
    ops.analysis("Static")
    ops.analyze(2)
    ops.loadConst("-time", 0.0)
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(2, 1.0e3, 0.0, 0.0)
    for step, count in ((0.005, 8), (-0.005, 12)):
        ops.integrator("DisplacementControl", 2, 1, step)
        for _ in range(count):
            ops.analyze(1)
            ops.testIter()
            ops.getTime()
    ops.nodeDisp(2)
    ops.sectionLocation(1)
    ops.sectionWeight(1)
    ops.eleResponse(1, "section", 1, "force")
    ops.eleResponse(1, "section", 2, "deformation")


for points in (3, 5, 7):
    column("forceBeamColumn", "Lobatto", 1, points)
column("forceBeamColumn", "Legendre", 1, 4)
column("forceBeamColumn", "Radau", 1, 4)
column("forceBeamColumn", "NewtonCotes", 1, 5)
column("forceBeamColumn", "UserDefined", 3, 1, 2, 3, 0.0, 0.5, 1.0, 0.2, 0.6, 0.2)
column("forceBeamColumn", "FixedLocation", 3, 1, 2, 3, 0.0, 0.4, 1.0)
column("forceBeamColumn", "LowOrder", 4, 1, 1, 2, 3, 0.0, 0.3, 0.6, 1.0, 0.1, 0.3)
column("forceBeamColumn", "LowOrder", 3, 1, 2, 3, 0.0, 0.5, 1.0, 0.2)
column("forceBeamColumn", "UserHinge", 2, 2, 1, 1, 0.0, 0.1, 0.05, 0.1, 1, 3, 1.0, 0.1)
column("forceBeamColumn", "HingeRadau", 1, 0.3, 3, 0.2, 2)
column("forceBeamColumn", "HingeRadauTwo", 1, 0.3, 3, 0.2, 2)
column("forceBeamColumn", "HingeMidpoint", 1, 0.3, 3, 0.2, 2)
column("forceBeamColumn", "HingeEndpoint", 1, 0.3, 3, 0.2, 4)
column("dispBeamColumn", "Legendre", 1, 3)
column("dispBeamColumn", "Lobatto", 1, 4, transformation="Corotational")
