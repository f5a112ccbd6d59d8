"""Steel space frame of displacement-based members pushed sideways, with and without P-Delta in its
columns."""

import openseespy.opensees as ops


def push(geometry):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    corners = ((0.0, 0.0), (4.0, 0.0), (4.0, 5.0), (0.0, 5.0))
    for k, (x, y) in enumerate(corners, start=1):
        ops.node(k, x, y, 0.0)
        ops.node(10 + k, x, y, 3.0)
        ops.fix(k, 1, 1, 1, 1, 1, 1)
    ops.uniaxialMaterial("Steel01", 1, 300e6, 200e9, 0.02)
    ops.section("Fiber", 1, "-GJ", 2.0e6)
    ops.patch("rect", 1, 6, 6, -0.1, -0.1, 0.1, 0.1)
    ops.section("Elastic", 2, 200e9, 0.01, 1.2e-4, 4.0e-5, 77e9, 2.0e-5)
    ops.geomTransf(geometry, 1, 1.0, 0.0, 0.0)
    ops.geomTransf("Linear", 2, 0.0, 0.0, 1.0)
    ops.beamIntegration("Legendre", 1, 1, 3)
    ops.beamIntegration("Lobatto", 2, 2, 3)
    for k in range(1, 5):
        ops.element("dispBeamColumn", k, k, 10 + k, 1, 1)
    for k, (i, j) in enumerate(((11, 12), (12, 13), (13, 14), (14, 11)), start=5):
        ops.element("forceBeamColumn", k, i, j, 2, 2)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    for k in range(11, 15):
        ops.load(k, 0.0, 0.0, -200e3, 0.0, 0.0, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-9, 30)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.5)
    ops.analysis("Static")
    ops.analyze(2)
    ops.loadConst("-time", 0.0)
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(11, 10e3, 3e3, 0.0, 0.0, 0.0, 0.0)
    ops.load(14, 12e3, 0.0, 0.0, 0.0, 0.0, 0.0)
    ops.integrator("DisplacementControl", 11, 1, 0.005)
    for _ in range(16):
        ops.analyze(1)
        ops.getTime()
    for node in (11, 12, 13, 14):
        ops.nodeDisp(node)
    ops.eleForce(1)
    ops.eleResponse(5, "localForce")
    ops.eleResponse(1, "section", 1, "force")
    ops.reactions()
    ops.nodeReaction(2)


for geometry in ("Linear", "PDelta"):
    push(geometry)
