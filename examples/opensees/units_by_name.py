"""Units by name: a cantilever in kip and inch, its numbers written in metric units and in US units."""

import sys

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.defaultUnits("-force", "kip", "-length", "in", "-time", "sec", "-temp", "F")
unit = sys.modules["__main__"]  # the names are there: kN, m, MPa, ksi, g and others
height = 3.6 * unit.m
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, height)
ops.fix(1, 1, 1, 1)
mass = 25.0 * unit.Mg
ops.mass(2, mass, mass, 0.0)
ops.uniaxialMaterial("Steel02", 1, 36.0 * unit.ksi, 200e3 * unit.MPa, 0.01, 18.0, 0.925, 0.15)
ops.section("Fiber", 1)
ops.patch(
    "rect", 1, 12, 1, -15.0 * unit.cm, -0.5 * unit.ft / 2.0, 150.0 * unit.mm, 0.5 * unit.ft / 2.0
)
ops.geomTransf("PDelta", 1)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, -mass * unit.g, 0.0)
ops.recorder("Node", "-file", "top.out", "-time", "-node", 2, "-dof", 1, 2, "disp")
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-10, 20)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.5)
ops.analysis("Static")
ops.initialize()
ops.analyze(2)
ops.loadConst("-time", 0.0)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(2, 1.0 * unit.kN, 0.0, 0.0)
ops.integrator("DisplacementControl", 2, 1, 2.0 * unit.mm)
ops.analysis("Static")
for _ in range(30):
    ops.analyze(1)
    ops.getTime()
ops.nodeDisp(2)
ops.eleForce(1)
ops.wipe()
