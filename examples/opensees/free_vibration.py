"""Free vibration from an initial velocity, and from an initial displacement, by several
integrators."""

import openseespy.opensees as ops


def vibrate(*integrator, damped=True):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 2.0, "-mass", 500.0, 500.0, 50.0)
    ops.node(3, 0.0, 4.0, "-mass", 500.0, 500.0, 50.0)
    ops.fix(1, 1, 1, 1)
    ops.geomTransf("Linear", 1)
    ops.element("elasticBeamColumn", 1, 1, 2, 0.01, 2.0e10, 2.0e-5, 1)
    ops.element("elasticBeamColumn", 2, 2, 3, 0.01, 2.0e10, 2.0e-5, 1)
    if damped:
        ops.rayleigh(0.3, 0.0, 0.001, 0.0)
    ops.setNodeVel(3, 1, 0.8, "-commit")
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-10, 10)
    ops.algorithm("Linear")
    ops.integrator(*integrator)
    ops.analysis("Transient")
    for _ in range(60):
        ops.analyze(1, 0.005)
        ops.nodeDisp(3, 1)
    ops.nodeVel(3)
    ops.nodeAccel(2)


vibrate("Newmark", 0.5, 0.25)
vibrate("Newmark", 0.5, 1.0 / 6.0)
vibrate("Newmark", 0.6, 0.3025)
vibrate("HHT", 0.8)
vibrate("HHT", 0.9, 0.6, 0.3025)
vibrate("HHTGeneralized", 0.7)
