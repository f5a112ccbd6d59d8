"""Incremental dynamic analysis of an oscillator.

The same model wiped and built again for each intensity.
"""

import math

import openseespy.opensees as ops

RECORD = [math.sin(0.15 * i) * math.sin(0.011 * i) for i in range(300)]
for scale in (1.0, 2.0, 4.0, 6.0):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 3.0)
    ops.mass(2, 1.0e4, 1.0e4, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.uniaxialMaterial("Steel01", 1, 300e6, 200e9, 0.02)
    ops.section("WFSection2d", 1, 1, 0.2, 0.0065, 0.1, 0.01, 8, 3)
    ops.geomTransf("PDelta", 1)
    ops.element("nonlinearBeamColumn", 1, 1, 2, 5, 1, 1)
    ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *RECORD, "-factor", scale)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.rayleigh(0.0, 0.0, 0.0, 0.002)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-9, 20)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    ops.recorder("EnvelopeNode", "-file", f"peak_{scale:g}.out", "-node", 2, "-dof", 1, "disp")
    peak = 0.0
    for _ in range(300):
        ops.analyze(1, 0.02)
        peak = max(peak, abs(ops.nodeDisp(2, 1)))
    ops.eleForce(1)
