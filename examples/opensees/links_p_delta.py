"""Heavy masses on links with P-Delta.

By shear forces alone, or with moments at the ends; in the plane and in space.
"""

import openseespy.opensees as ops


def solve(steps, direction, size):
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("FullGeneral")
    ops.test("NormUnbalance", 1e-7, 60)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.25)
    ops.analysis("Static")
    print("gravity", ops.analyze(4), ops.nodeDisp(2))
    ops.loadConst("-time", 0.0)
    ops.pattern("Plain", 2, 1)
    ops.load(2, *direction)
    for sign in (1.0, -1.0):
        ops.integrator("DisplacementControl", 2, 1, sign * size)
        for _ in range(steps):
            ops.analyze(1)
        print(ops.getTime(), ops.nodeDisp(2), ops.eleForce(1))
        print(ops.eleResponse(1, "basicForce"), ops.eleResponse(1, "localForce"))


for ratios in ((), (0.0, 0.0), (0.3, 0.5), (1.0, 0.0)):
    for share in (0.5, 0.2):
        ops.wipe()
        ops.model("basic", "-ndm", 2, "-ndf", 3)
        ops.node(1, 0.0, 0.0)
        ops.node(2, 0.3, 1.5)
        ops.fix(1, 1, 1, 1)
        ops.uniaxialMaterial("Elastic", 1, 5e6)
        ops.uniaxialMaterial("Steel01", 2, 8e3, 4e5, 0.1)
        ops.uniaxialMaterial("Steel01", 3, 15e3, 6e5, 0.05)
        extra = ("-pDelta", *ratios) if ratios else ()
        ops.element(
            "twoNodeLink",
            1,
            1,
            2,
            "-mat",
            1,
            2,
            3,
            "-dir",
            1,
            2,
            3,
            *extra,
            "-shearDist",
            share,
            "-doRayleigh",
        )
        ops.timeSeries("Linear", 1)
        ops.pattern("Plain", 1, 1)
        ops.load(2, 0.0, -40e3, 0.0)
        print("plane", ratios, share)
        solve(15, (1.0, 0.0, 0.1), 0.003)

for shares in ((0.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.3, 0.35)):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    ops.node(1, 0.0, 0.0, 0.0)
    ops.node(2, 0.2, 0.1, 1.5)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    for tag, stiffness in enumerate((5e6, 4e5, 3e5, 1e5, 5e5, 6e5), start=1):
        ops.uniaxialMaterial("Elastic", tag, stiffness)
    ops.element(
        "twoNodeLink",
        1,
        1,
        2,
        "-mat",
        *range(1, 7),
        "-dir",
        *range(1, 7),
        "-orient",
        0.2,
        0.1,
        1.5,
        0.0,
        1.0,
        0.0,
        "-pDelta",
        *shares,
        "-shearDist",
        0.4,
        0.6,
    )
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, 0.0, -40e3, 0.0, 0.0, 0.0)
    print("space", shares)
    solve(10, (1.0, 0.4, 0.0, 0.0, 0.0, 0.0), 0.004)
