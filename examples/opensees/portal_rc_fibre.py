"""Reinforced concrete portal.

Gravity by load control, pushover by displacement control, with recorders.
"""

import openseespy.opensees as ops

width, height = 360.0, 144.0
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, width, 0.0)
ops.node(3, 0.0, height)
ops.node(4, width, height)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.uniaxialMaterial("Concrete01", 1, -6.0, -0.004, -5.0, -0.014)
ops.uniaxialMaterial("Concrete01", 2, -5.0, -0.002, 0.0, -0.006)
ops.uniaxialMaterial("Steel01", 3, 60.0, 30000.0, 0.01)
y, z, cover, bar = 12.0, 7.5, 1.5, 0.60
ops.section("Fiber", 1)
ops.patch("rect", 1, 10, 1, cover - y, cover - z, y - cover, z - cover)
ops.patch("rect", 2, 10, 1, -y, z - cover, y, z)
ops.patch("rect", 2, 10, 1, -y, -z, y, cover - z)
ops.patch("rect", 2, 2, 1, -y, cover - z, cover - y, z - cover)
ops.patch("rect", 2, 2, 1, y - cover, cover - z, y, z - cover)
ops.layer("straight", 3, 3, bar, y - cover, z - cover, y - cover, cover - z)
ops.layer("straight", 3, 2, bar, 0.0, z - cover, 0.0, cover - z)
ops.layer("straight", 3, 3, bar, cover - y, z - cover, cover - y, cover - z)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 1, 1, 3, 1, 1)
ops.element("forceBeamColumn", 2, 2, 4, 1, 1)
ops.element("elasticBeamColumn", 3, 3, 4, 360.0, 4030.0, 8640.0, 2)
load = 180.0
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 0.0, -load, 0.0)
ops.load(4, 0.0, -load, 0.0)
ops.system("BandGeneral")
ops.constraints("Transformation")
ops.numberer("RCM")
ops.test("NormDispIncr", 1.0e-12, 10, 0)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
ops.analyze(10)
ops.testIter()
ops.nodeDisp(3)
ops.nodeDisp(4)
ops.loadConst("-time", 0.0)

ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(3, 10.0, 0.0, 0.0)
ops.load(4, 10.0, 0.0, 0.0)
ops.recorder("Node", "-file", "top.out", "-time", "-node", 3, 4, "-dof", 1, 2, 3, "disp")
ops.recorder("Node", "-file", "base.out", "-time", "-node", 1, 2, "-dof", 1, 2, 3, "reaction")
ops.recorder("Element", "-file", "force.out", "-time", "-ele", 1, 2, "force")
ops.recorder("Element", "-file", "local.out", "-ele", 1, 2, 3, "localForce")
ops.recorder("Element", "-file", "section.out", "-time", "-ele", 1, "section", 1, "force")
ops.recorder("Element", "-file", "curvature.out", "-time", "-ele", 1, "section", 1, "deformation")
ops.recorder(
    "Element",
    "-file",
    "steel.out",
    "-time",
    "-ele",
    1,
    "section",
    1,
    "fiber",
    y,
    0.0,
    3,
    "stressStrain",
)
ops.integrator("DisplacementControl", 3, 1, 0.1)
for _ in range(60):
    if ops.analyze(1) != 0:
        break
    ops.testIter()
    ops.getTime()
    ops.nodeDisp(3, 1)
    ops.eleResponse(1, "section", 1, "force")
ops.nodeReaction(1)
ops.reactions()
ops.nodeReaction(1)
ops.eleForce(1)
ops.eleForce(3)
ops.basicForce(2)
ops.sectionForce(1, 1)
ops.sectionDeformation(1, 1)
ops.eleResponse(1, "section", 1, "fiber", -y, 0.0, "stressStrain")
ops.remove("recorders")
