"""Frame with different motions of its two supports."""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for tag, x, y in ((1, 0.0, 0.0), (2, 8.0, 0.0), (3, 0.0, 4.0), (4, 8.0, 4.0)):
    ops.node(tag, x, y)
for tag in (3, 4):
    ops.mass(tag, 2.0e4, 2.0e4, 100.0)
ops.fix(1, 0, 1, 1)
ops.fix(2, 0, 1, 1)
ops.geomTransf("Linear", 1)
ops.element("elasticBeamColumn", 1, 1, 3, 0.09, 3.0e10, 6.75e-4, 1)
ops.element("elasticBeamColumn", 2, 2, 4, 0.09, 3.0e10, 6.75e-4, 1)
ops.element("elasticBeamColumn", 3, 3, 4, 0.12, 3.0e10, 1.6e-3, 1)
dt, w = 0.01, 2.0 * math.pi / 0.5
for tag, delay in ((1, 0.0), (2, 0.05)):
    t = [max(i * dt - delay, 0.0) for i in range(301)]
    ops.timeSeries(
        "Path", 10 * tag + 1, "-dt", dt, "-values", *[0.02 * (1.0 - math.cos(w * s)) for s in t]
    )
    ops.timeSeries(
        "Path", 10 * tag + 2, "-dt", dt, "-values", *[0.02 * w * math.sin(w * s) for s in t]
    )
    ops.timeSeries(
        "Path", 10 * tag + 3, "-dt", dt, "-values", *[0.02 * w * w * math.cos(w * s) for s in t]
    )
ops.pattern("MultipleSupport", 1)
for tag in (1, 2):
    ops.groundMotion(
        tag, "Plain", "-disp", 10 * tag + 1, "-vel", 10 * tag + 2, "-accel", 10 * tag + 3
    )
    ops.imposedMotion(tag, 1, tag)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 10)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
for _ in range(150):
    ops.analyze(1, dt)
    ops.nodeDisp(1, 1)
    ops.nodeDisp(3, 1)
ops.nodeDisp(4)
ops.eleForce(1)
ops.eleForce(2)
