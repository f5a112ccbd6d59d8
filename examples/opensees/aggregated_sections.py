"""Members whose sections are laws for axial force and moment.

Aggregator, Uniaxial, and a zero-length section.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, 0.0, 3.0)
ops.node(3, 5.0, 3.0)
ops.node(4, 5.0, 3.0)
ops.fix(1, 1, 1, 1)
ops.fix(4, 1, 1, 1)
ops.uniaxialMaterial("Elastic", 1, 3.0e9)
ops.uniaxialMaterial("Steel01", 2, 60e3, 2.0e7, 0.03)
ops.uniaxialMaterial("Steel01", 3, 40e3, 1.5e7, 0.03)
ops.section("Aggregator", 1, 1, "P", 2, "Mz")
ops.section("Uniaxial", 2, 1, "P")
ops.section("Aggregator", 3, 3, "Mz", "-section", 2)
ops.geomTransf("Linear", 1)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.beamIntegration("Lobatto", 2, 3, 5)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
ops.element("forceBeamColumn", 2, 2, 3, 1, 2)
ops.element("zeroLengthSection", 3, 4, 3, 3)
ops.equalDOF(4, 3, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 10e3, -5e3, 0.0)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormUnbalance", 1.0e-5, 40)
ops.algorithm("Newton")
for step, count in ((0.002, 12), (-0.002, 20)):
    ops.integrator("DisplacementControl", 2, 1, step)
    ops.analysis("Static")
    for _ in range(count):
        ops.analyze(1)
        ops.testIter()
        ops.getTime()
ops.nodeDisp(2)
ops.sectionForce(1, 1)
ops.sectionDeformation(2, 5)
ops.eleResponse(3, "section", "force")
ops.eleForce(3)
