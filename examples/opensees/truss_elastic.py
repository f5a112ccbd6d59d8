"""Plane truss of three bars under a load at its apex: displacements, reactions and bar forces."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 2)
ops.node(1, 0.0, 0.0)
ops.node(2, 144.0, 0.0)
ops.node(3, 168.0, 0.0)
ops.node(4, 72.0, 96.0)
for support in (1, 2, 3):
    ops.fix(support, 1, 1)
ops.uniaxialMaterial("Elastic", 1, 3000.0)
ops.element("truss", 1, 1, 4, 10.0, 1)
ops.element("truss", 2, 2, 4, 5.0, 1)
ops.element("Truss", 3, 3, 4, 5.0, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(4, 100.0, -50.0)
ops.system("BandSPD")
ops.numberer("RCM")
ops.constraints("Plain")
ops.integrator("LoadControl", 1.0)
ops.algorithm("Linear")
ops.analysis("Static")
assert ops.analyze(1) == 0
ops.nodeDisp(4, 1)
ops.nodeDisp(4)
ops.reactions()
for support in (1, 2, 3):
    ops.nodeReaction(support)
for bar in (1, 2, 3):
    ops.eleForce(bar)
    ops.basicForce(bar)
    ops.eleResponse(bar, "axialForce")
    ops.eleResponse(bar, "material", "stress")
ops.getTime()
ops.nodeCoord(4)
ops.getNodeTags()
ops.getEleTags()
ops.eleNodes(3)
