"""Eigenvalues and modal properties of a plane frame with lumped and distributed mass, before and
after gravity."""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
bays, storeys = 2, 3
for s in range(storeys + 1):
    for b in range(bays + 1):
        ops.node(10 * s + b + 1, 6.0 * b, 3.3 * s)
ops.fixY(0.0, 1, 1, 1)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
tag = 0
for s in range(storeys):
    for b in range(bays + 1):
        tag += 1
        ops.element(
            "elasticBeamColumn",
            tag,
            10 * s + b + 1,
            10 * s + b + 11,
            0.16,
            30e9,
            2.1e-3,
            1,
            "-mass",
            400.0,
        )
for s in range(1, storeys + 1):
    for b in range(bays):
        tag += 1
        ops.element(
            "elasticBeamColumn",
            tag,
            10 * s + b + 1,
            10 * s + b + 2,
            0.18,
            30e9,
            5.4e-3,
            2,
            "-mass",
            2500.0,
        )
for s in range(1, storeys + 1):
    for b in range(bays + 1):
        ops.mass(10 * s + b + 1, 1.5e4, 1.5e4, 50.0)
ops.eigen(6)
for mode in (1, 2, 3):
    first = ops.nodeEigenvector(11, mode, 1)
    for node in (21, 31):
        assert ops.nodeEigenvector(node, mode, 1) / first is not None
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
for s in range(1, storeys + 1):
    for b in range(bays + 1):
        ops.load(10 * s + b + 1, 0.0, -4.0e5, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 10)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.5)
ops.analysis("Static")
ops.analyze(2)
ops.eigen(4)
ops.modalProperties("-return")
ops.nodeMass(21, 1)
