"""Storey with a linear, a power-law and a Maxwell damper under a harmonic force."""

import openseespy.opensees as ops


def storey(*damper):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 4.0, 0.0)
    ops.node(3, 0.0, 3.0, "-mass", 2.0e4, 2.0e4, 10.0)
    ops.node(4, 4.0, 3.0, "-mass", 2.0e4, 2.0e4, 10.0)
    ops.fix(1, 1, 1, 1)
    ops.fix(2, 1, 1, 1)
    ops.geomTransf("Linear", 1)
    for tag, (i, j) in enumerate(((1, 3), (2, 4), (3, 4)), start=1):
        ops.element("elasticBeamColumn", tag, i, j, 0.04, 30e9, 1.3e-4, 1)
    ops.uniaxialMaterial(damper[0], 1, *damper[1:])
    ops.element("twoNodeLink", 4, 1, 4, "-mat", 1, "-dir", 1)
    ops.timeSeries("Trig", 1, 0.0, 2.0, 0.5, "-factor", 3.0e4)
    ops.pattern("Plain", 1, 1)
    ops.load(3, 1.0, 0.0, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-10, 60)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    for _ in range(150):
        ops.analyze(1, 0.01)
        ops.nodeDisp(3, 1)
    ops.nodeVel(4, 1)
    ops.eleForce(4)


storey("Viscous", 2.0e5, 1.0)
storey("Viscous", 5.0e4, 0.5)
storey("ViscousDamper", 4.0e7, 1.5e5, 1.0, 0.0, 1, 1e-12, 1e-12, 15)
