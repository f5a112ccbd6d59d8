"""Recorders of every kind on a small frame in free vibration and under load."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for k in range(4):
    ops.node(k + 1, 0.0, 1.5 * k)
ops.fix(1, 1, 1, 1)
for k in range(2, 5):
    ops.mass(k, 800.0, 800.0, 20.0)
ops.uniaxialMaterial("Steel01", 1, 250e6, 200e9, 0.02)
ops.section("Fiber", 1)
ops.patch("rect", 1, 8, 1, -0.06, -0.04, 0.06, 0.04)
ops.geomTransf("PDelta", 1)
ops.beamIntegration("Lobatto", 1, 1, 4)
for k in range(3):
    ops.element("forceBeamColumn", k + 1, k + 1, k + 2, 1, 1)
values = ops.eigen(2)
ops.rayleigh(0.2, 0.0, 0.0004, 0.0)
ops.timeSeries("Trig", 1, 0.0, 1.0, 0.6, "-factor", 30e3)
ops.pattern("Plain", 1, 1)
ops.load(4, 1.0, 0.0, 0.0)
ops.region(1, "-ele", 1, 2)
ops.recorder("Node", "-file", "disp.out", "-time", "-node", 2, 3, 4, "-dof", 1, 2, 3, "disp")
ops.recorder("Node", "-file", "vel.out", "-time", "-node", 4, "-dof", 1, "vel")
ops.recorder("Node", "-file", "accel.out", "-node", 4, "-dof", 1, 3, "accel")
ops.recorder("Node", "-file", "sparse.out", "-time", "-dT", 0.05, "-node", 4, "-dof", 1, "disp")
ops.recorder(
    "Node", "-file", "digits.out", "-precision", 12, "-time", "-node", 4, "-dof", 1, "disp"
)
ops.recorder("Node", "-file", "closed.out", "-closeOnWrite", "-time", "-node", 4, "-dof", 1, "disp")
ops.recorder("Node", "-file", "reaction.out", "-time", "-node", 1, "-dof", 1, 2, 3, "reaction")
ops.recorder("Node", "-file", "range.out", "-nodeRange", 2, 4, "-dof", 1, "disp")
ops.recorder("Element", "-file", "global.out", "-time", "-ele", 1, 2, 3, "globalForce")
ops.recorder("Element", "-file", "local.out", "-time", "-eleRange", 1, 2, "localForce")
ops.recorder("Element", "-file", "region.out", "-region", 1, "localForce")
ops.recorder("Element", "-file", "basic.out", "-ele", 1, "basicForce")
ops.recorder("Element", "-file", "deformation.out", "-ele", 1, "basicDeformation")
ops.recorder("Element", "-file", "plastic.out", "-ele", 1, "plasticDeformation")
ops.recorder("Element", "-file", "section.out", "-time", "-ele", 1, 2, "section", 1, "force")
ops.recorder("Element", "-file", "curvature.out", "-ele", 1, "section", "1", "deformation")
ops.recorder(
    "Element",
    "-file",
    "fibre.out",
    "-time",
    "-ele",
    1,
    "section",
    1,
    "fiber",
    0.06,
    0.0,
    "stressStrain",
)
ops.recorder("EnvelopeNode", "-file", "node_envelope.out", "-node", 2, 4, "-dof", 1, 2, "disp")
ops.recorder("EnvelopeElement", "-file", "element_envelope.out", "-ele", 1, 2, "localForce")
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 20)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.analyze(100, 0.01)
ops.remove("recorders")
ops.analyze(5, 0.01)
ops.nodeDisp(4)
