"""Springs and links in space.

Zero-length laws in six directions, turned axes, a link with length.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 3, "-ndf", 6)
ops.node(1, 0.0, 0.0, 0.0)
ops.node(2, 0.0, 0.0, 0.0)
ops.node(3, 0.0, 0.0, 2.0)
ops.node(4, 1.5, 0.5, 2.0)
ops.fix(1, 1, 1, 1, 1, 1, 1)
ops.fix(4, 1, 1, 1, 1, 1, 1)
ops.uniaxialMaterial("Steel01", 1, 5e4, 1e7, 0.05)
ops.uniaxialMaterial("Elastic", 2, 5e7)
ops.uniaxialMaterial("Elastic", 3, 2e6)
ops.uniaxialMaterial("Hardening", 4, 1e6, 1e4, 0.0, 2e4)
ops.element(
    "zeroLength",
    1,
    1,
    2,
    "-mat",
    1,
    1,
    2,
    3,
    3,
    3,
    "-dir",
    1,
    2,
    3,
    4,
    5,
    6,
    "-orient",
    0.8,
    0.6,
    0.0,
    -0.6,
    0.8,
    0.0,
)
ops.geomTransf("PDelta", 1, 0.0, 1.0, 0.0)
ops.element("elasticBeamColumn", 2, 2, 3, 0.01, 200e9, 77e9, 2e-5, 1e-5, 3e-5, 1)
ops.element("twoNodeLink", 3, 3, 4, "-mat", 4, 3, 3, "-dir", 1, 2, 3)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 6e3, 9e3, -20e3, 0.0, 0.0, 1e3)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 30)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.5)
ops.analysis("Static")
for _ in range(16):
    ops.analyze(1)
    ops.nodeDisp(3)
ops.eleForce(1)
ops.eleForce(3)
ops.eleResponse(1, "deformation")
ops.eleResponse(3, "basicForce")
ops.reactions()
ops.nodeReaction(1)
ops.nodeReaction(4)
