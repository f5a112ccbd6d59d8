"""Elastic portal with uniform and point loads on its members, releases and rigid joint offsets."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for tag, x, y in (
    (1, 0.0, 0.0),
    (2, 6.0, 0.0),
    (3, 0.0, 4.0),
    (4, 6.0, 4.0),
    (5, 0.0, 7.5),
    (6, 6.0, 7.5),
):
    ops.node(tag, x, y)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 0)
ops.geomTransf("Linear", 1)
ops.geomTransf("PDelta", 2)
ops.geomTransf("Linear", 3, "-jntOffset", 0.2, 0.0, -0.2, 0.0)
E, A, I = 30e9, 0.12, 1.6e-3
ops.section("Elastic", 7, E, 1.5 * A, 2.0 * I)
ops.element("elasticBeamColumn", 1, 1, 3, A, E, I, 2)
ops.element("elasticBeamColumn", 2, 2, 4, A, E, I, 2)
ops.element("elasticBeamColumn", 3, 3, 5, A, E, I, 1)
ops.element("elasticBeamColumn", 4, 4, 6, A, E, I, 1, "-release", 1)
ops.element("elasticBeamColumn", 5, 3, 4, 7, 3)
ops.element("elasticBeamColumn", 6, 5, 6, A, E, I, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.eleLoad("-ele", 5, 6, "-type", "-beamUniform", -20e3)
ops.eleLoad("-ele", 3, "-type", "-beamUniform", 4e3, -2e3)
ops.eleLoad("-ele", 6, "-type", "-beamPoint", -30e3, 0.35, 5e3)
ops.load(5, 15e3, 0.0, 2e3)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormUnbalance", 1.0e-6, 10)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.25)
ops.analysis("Static")
ops.recorder("Element", "-file", "local.out", "-time", "-ele", 1, 2, 3, 4, 5, 6, "localForce")
ops.recorder("EnvelopeElement", "-file", "envelope.out", "-ele", 5, 6, "force")
for _ in range(4):
    ops.analyze(1)
for tag in ops.getNodeTags():
    ops.nodeDisp(tag)
ops.reactions()
ops.nodeReaction(1)
ops.nodeReaction(2)
for tag in ops.getEleTags():
    ops.eleForce(tag)
    ops.basicForce(tag)
    ops.eleResponse(tag, "localForce")
    ops.eleResponse(tag, "basicDeformation")
ops.eleForce(5, 2)
ops.getLoadFactor(1)
