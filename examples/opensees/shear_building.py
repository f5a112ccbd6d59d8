"""Five-storey shear building on springs.

Eigenvalues, modal properties, earthquake with modal damping.
"""

import math

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 1, "-ndf", 1)
storeys, m, k = 5, 2.0e4, 2.5e7
ops.node(0, 0.0)
ops.fix(0, 1)
for s in range(1, storeys + 1):
    ops.node(s, 0.0, "-mass", m)
    ops.uniaxialMaterial("Steel01", s, 9.0e5 / math.sqrt(s), k, 0.05)
    ops.element("zeroLength", s, s - 1, s, "-mat", s, "-dir", 1)
values = ops.eigen("-fullGenLapack", 3)
for mode in (1, 2, 3):
    top = ops.nodeEigenvector(storeys, mode, 1)
    assert top != 0.0
ops.modalDamping(0.03)
record = [2.5 * math.sin(9.0 * 0.01 * i) * math.exp(-0.3 * 0.01 * i) for i in range(600)]
ops.timeSeries("Path", 1, "-dt", 0.01, "-values", *record, "-factor", 1.2)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1.0e-10, 20)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.recorder("Node", "-file", "floors.out", "-time", "-nodeRange", 1, storeys, "-dof", 1, "disp")
ops.recorder("EnvelopeElement", "-file", "shears.out", "-eleRange", 1, storeys, "force")
for _ in range(300):
    ops.analyze(1, 0.01)
ops.nodeDisp(storeys, 1)
ops.nodeVel(storeys, 1)
ops.nodeAccel(storeys, 1)
ops.eleForce(1)
