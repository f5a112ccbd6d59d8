"""Elastic cantilever bent into a circle arc by an end moment, and a column under axial load, in
three geometries."""

import math

import openseespy.opensees as ops


def bent(geometry, parts):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    length, E, I = 10.0, 1.0e4, 0.1
    for k in range(parts + 1):
        ops.node(k + 1, length * k / parts, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.geomTransf(geometry, 1)
    for k in range(parts):
        ops.element("elasticBeamColumn", k + 1, k + 1, k + 2, 10.0, E, I, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(parts + 1, 0.0, 0.0, 0.5 * math.pi * E * I / length)
    ops.load(parts + 1, -2.0, 0.5, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-10, 50)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.05)
    ops.analysis("Static")
    for _ in range(20):
        ops.analyze(1)
        if geometry != "PDelta":
            ops.testIter()
    ops.nodeDisp(parts + 1)
    ops.eleForce(1)
    ops.basicForce(parts)
    ops.eleResponse(1, "localForce")
    ops.reactions()
    ops.nodeReaction(1)


for geometry in ("Linear", "PDelta", "Corotational"):
    bent(geometry, 8)
