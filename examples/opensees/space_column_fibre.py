"""Reinforced concrete column in space.

Axial load, then biaxial cyclic displacement, with a fibre section and GJ.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 3, "-ndf", 6)
H = 3.0
ops.node(1, 0.0, 0.0, 0.0)
ops.node(2, 0.0, 0.0, H)
ops.fix(1, 1, 1, 1, 1, 1, 1)
ops.uniaxialMaterial("Concrete01", 1, -35e6, -0.003, -25e6, -0.015)
ops.uniaxialMaterial("Concrete01", 2, -28e6, -0.002, 0.0, -0.006)
ops.uniaxialMaterial("Steel02", 3, 420e6, 200e9, 0.01, 18.0, 0.925, 0.15)
b, c = 0.2, 0.04
ops.section("Fiber", 1, "-GJ", 1.0e8)
ops.patch("rect", 1, 6, 6, c - b, c - b, b - c, b - c)
ops.patch("rect", 2, 8, 1, -b, b - c, b, b)
ops.patch("rect", 2, 8, 1, -b, -b, b, c - b)
ops.patch("rect", 2, 1, 6, -b, c - b, c - b, b - c)
ops.patch("rect", 2, 1, 6, b - c, c - b, b, b - c)
ops.layer("straight", 3, 3, 3.0e-4, b - c, b - c, b - c, c - b)
ops.layer("straight", 3, 2, 3.0e-4, 0.0, b - c, 0.0, c - b)
ops.layer("straight", 3, 3, 3.0e-4, c - b, b - c, c - b, c - b)
ops.geomTransf("PDelta", 1, 1.0, 0.0, 0.0)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, 0.0, -800e3, 0.0, 0.0, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 50)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.2)
ops.analysis("Static")
ops.analyze(5)
ops.nodeDisp(2)
ops.loadConst("-time", 0.0)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(2, 1.0e3, 0.4e3, 0.0, 0.0, 0.0, 0.0)
ops.recorder("Node", "-file", "top.out", "-time", "-node", 2, "-dof", 1, 2, 3, "disp")
ops.recorder("Element", "-file", "section.out", "-time", "-ele", 1, "section", 1, "force")
ops.recorder(
    "Element",
    "-file",
    "bar.out",
    "-time",
    "-ele",
    1,
    "section",
    1,
    "fiber",
    b,
    b,
    3,
    "stressStrain",
)
for step, count in ((0.002, 8), (-0.002, 16), (0.002, 8)):
    ops.integrator("DisplacementControl", 2, 1, step)
    for _ in range(count):
        ops.analyze(1)
        ops.getTime()
ops.nodeDisp(2)
ops.eleForce(1)
ops.basicForce(1)
ops.eleResponse(1, "section", 1, "force")
ops.eleResponse(1, "section", 1, "deformation")
