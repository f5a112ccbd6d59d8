"""The same cyclic column by algorithms that accelerate or search: Krylov-Newton and line search."""

import openseespy.opensees as ops


def column(*algorithm):
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 3.0)
    ops.node(3, 4.0, 3.0)
    ops.fix(1, 1, 1, 1)
    ops.fix(3, 0, 1, 0)
    ops.uniaxialMaterial("Steel02", 1, 3.0e5, 2.0e8, 0.02, 18.0, 0.925, 0.15)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 10, 1, -0.15, -0.05, 0.15, 0.05)
    ops.geomTransf("PDelta", 1)
    ops.beamIntegration("Lobatto", 1, 1, 5)
    ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
    ops.element("forceBeamColumn", 2, 2, 3, 1, 1)
    ops.timeSeries("Path", 1, "-dt", 1.0, "-values", 0.0, 190.0, -177.0, 200.0, 20.0, 0.0)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0, -0.5, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1.0e-10, 100)
    ops.algorithm(*algorithm)
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    for _ in range(40):
        ops.analyze(1)
        ops.nodeDisp(2)
    ops.eleForce(1)


column("KrylovNewton")
column("KrylovNewton", "-maxDim", 6)
column("Broyden", 10)
column("BFGS")
column("NewtonLineSearch")
column("NewtonLineSearch", "-type", "InitialInterpolated", "-tol", 0.6)
