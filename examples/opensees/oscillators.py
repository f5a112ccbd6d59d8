"""Single degree of freedom under a base motion, once with each uniaxial material."""

import math

import openseespy.opensees as ops

MATERIALS = {
    "Elastic": (4.0e6,),
    "Elastic with eta": (4.0e6, 2.0e4),
    "ElasticPP": (4.0e6, 0.01),
    "Steel01": (4.0e4, 4.0e6, 0.05),
    "Steel01 with isotropic hardening": (4.0e4, 4.0e6, 0.05, 0.02, 1.0, 0.02, 1.0),
    "Steel02": (4.0e4, 4.0e6, 0.05, 18.0, 0.925, 0.15),
    "Hardening": (4.0e6, 4.0e4, 1.0e5, 2.0e5),
    "BoucWen": (0.1, 4.0e6, 1.5, 100.0, 100.0, 1.0, 0.0, 0.0, 0.0, 1.0e-12, 100),
    "ENT": (4.0e6,),
}
g, dt, steps = 9.81, 0.01, 200


def oscillator(kind, arguments):
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0, "-mass", 1.0e4)
    ops.fix(1, 1)
    ops.uniaxialMaterial(kind, 1, *arguments)
    ops.uniaxialMaterial("Elastic", 2, 1.0e5)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, 2, "-dir", 1, 1)
    ops.timeSeries("Trig", 1, 0.0, 1.5, 0.4, "-factor", 0.5 * g)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormUnbalance", 1.0e-5, 40)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    for _ in range(steps):
        ops.analyze(1, dt)
        if kind != "BoucWen":
            ops.testIter()
        ops.nodeDisp(2, 1)
    ops.nodeAccel(2, 1)
    ops.eleForce(1)


for kind, arguments in MATERIALS.items():
    oscillator(kind.split()[0], arguments)
assert math.isfinite(g)
