"""Uniform, trapezoidal and triangular loads over a part of a member, in the plane and in space."""

import openseespy.opensees as ops

E, A, I = 200e9, 8e-3, 1.8e-4
LOADS = {
    "uniform over a part": (-60e3, 20e3, 0.2, 0.7),
    "trapezoid": (-60e3, 20e3, 0.15, 0.8, -10e3, -5e3),
    "triangle": (0.0, 0.0, 0.0, 1.0, -80e3, 0.0),
}


def solve():
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-11, 40)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.5)
    ops.analysis("Static")
    return ops.analyze(2)


def portal(kind, load):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for tag, x, y in ((1, 0.0, 0.0), (2, 6.0, 0.0), (3, 0.3, 3.6), (4, 6.0, 4.4)):
        ops.node(tag, x, y)
    ops.fix(1, 1, 1, 1)
    ops.fix(2, 1, 1, 0)
    ops.geomTransf("PDelta", 1)
    ops.uniaxialMaterial("Steel01", 1, 300e6, E, 0.02)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 12, 1, -0.2, -0.01, 0.2, 0.01)
    ops.beamIntegration("Lobatto", 1, 1, 5)
    for tag, i, j in ((1, 1, 3), (2, 2, 4)):
        ops.element("elasticBeamColumn", tag, i, j, A, E, I, 1)
    if kind == "elasticBeamColumn":
        ops.element(kind, 3, 3, 4, A, E, I, 1)
    else:
        ops.element(kind, 3, 3, 4, 1, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.eleLoad("-ele", 3, "-type", "-beamUniform", *load)


for name, numbers in LOADS.items():
    for member in ("elasticBeamColumn", "forceBeamColumn"):
        portal(member, numbers)
        print(name, member, solve(), ops.nodeDisp(3), ops.nodeDisp(4))
        print(ops.eleForce(3), ops.eleResponse(3, "localForce"), ops.eleResponse(3, "basicForce"))
        if member == "forceBeamColumn":
            print([ops.sectionForce(3, point) for point in range(1, 6)])
        ops.reactions()
        print(ops.nodeReaction(1), ops.nodeReaction(2))

# in space
for member, numbers in (
    ("elasticBeamColumn", (3e3, -4e3, 2e3, 0.2, 0.7)),
    ("forceBeamColumn", (3e3, -4e3, 2e3, 0.2, 0.7, 9e3, 2e3, -1e3)),
):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    ops.node(1, 0.0, 0.0, 0.0)
    ops.node(2, 1.0, 2.0, 3.0)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.fix(2, 0, 1, 0, 0, 0, 0)
    ops.geomTransf("Linear", 1, 0.0, 0.0, 1.0)
    if member == "elasticBeamColumn":
        ops.element(member, 1, 1, 2, A, E, 77e9, 3e-7, 2e-5, I, 1)
    else:
        ops.section("Elastic", 1, E, A, I, 2e-5, 77e9, 3e-7)
        ops.beamIntegration("Legendre", 1, 1, 5)
        ops.element(member, 1, 1, 2, 1, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.eleLoad("-ele", 1, "-type", "-beamUniform", *numbers)
    print(member, solve(), ops.nodeDisp(2), ops.eleForce(1))
