"""Elastic space frame: nodal and member loads, reactions, end forces and modes."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 3, "-ndf", 6)
W, D, H = 6.0, 5.0, 3.5
corners = ((0.0, 0.0), (W, 0.0), (W, D), (0.0, D))
for k, (x, y) in enumerate(corners, start=1):
    ops.node(k, x, y, 0.0)
    ops.node(10 + k, x, y, H)
    ops.fix(k, 1, 1, 1, 1, 1, 1)
    ops.mass(10 + k, 8.0e3, 8.0e3, 8.0e3, 10.0, 10.0, 10.0)
ops.geomTransf("PDelta", 1, 1.0, 0.0, 0.0)
ops.geomTransf("Linear", 2, 0.0, 0.0, 1.0)
E, G = 30e9, 12.5e9
for k in range(1, 5):
    ops.element("elasticBeamColumn", k, k, 10 + k, 0.16, E, G, 3.6e-3, 2.1e-3, 2.4e-3, 1)
for k, (i, j) in enumerate(((11, 12), (12, 13), (13, 14), (14, 11)), start=5):
    ops.element("elasticBeamColumn", k, i, j, 0.15, E, G, 2.8e-3, 1.1e-3, 3.1e-3, 2)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(11, 40e3, 15e3, -100e3, 0.0, 0.0, 3e3)
ops.load(13, 0.0, 25e3, -120e3, 2e3, 0.0, 0.0)
ops.eleLoad("-ele", 5, 6, 7, 8, "-type", "-beamUniform", -12e3, 3e3)
ops.eleLoad("-ele", 5, "-type", "-beamPoint", -20e3, 5e3, 0.4)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 20)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.5)
ops.analysis("Static")
ops.analyze(2)
for tag in (11, 12, 13, 14):
    ops.nodeDisp(tag)
ops.reactions()
for tag in (1, 2, 3, 4):
    ops.nodeReaction(tag)
for tag in range(1, 9):
    ops.eleForce(tag)
    ops.eleResponse(tag, "localForce")
    ops.basicForce(tag)
ops.eigen(5)
ops.modalProperties("-return")
