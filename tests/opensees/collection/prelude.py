"""Models and analyses that the scripts of the collection share.

`ops` and `out` are given.
"""
# ruff: noqa: F821

E, A, I = (200000000000.0, 0.01, 0.0001)


def plane():
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 3.0)
    ops.fix(1, 1, 1, 1)


def cantilever(*options):
    plane()
    ops.geomTransf("Linear", 1)
    ops.element("elasticBeamColumn", 1, 1, 2, A, E, I, 1, *options)


def pull(node=2, load=(10000.0, -20000.0, 5000.0)):
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(node, *load)


def static(steps=1, size=1.0):
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormUnbalance", 1e-06, 50)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", size)
    ops.analysis("Static", "-noWarnings")
    out(ops.analyze(steps))


def shake(steps=20, dt=0.01):
    ops.timeSeries("Trig", 9, 0.0, 10.0, 0.3)
    ops.pattern("UniformExcitation", 9, 1, "-accel", 9)
    transient(steps, dt)


def transient(steps=20, dt=0.01):
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormUnbalance", 1e-08, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient", "-noWarnings")
    out(ops.analyze(steps, dt))


def spring(*material, steps=8, size=0.005, link=()):
    """A bar of length 1 and area 1 of a law, pulled to and fro."""
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    if material:
        ops.uniaxialMaterial(*material)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1, *link)


def law(*words, strains=(0.001, 0.002, -0.001, -0.003, 0.004)):
    ops.uniaxialMaterial(*words)
    ops.testUniaxialMaterial(words[1])
    for strain in strains:
        ops.setStrain(strain)
        out(ops.getStress(), ops.getTangent())


def fibre(kind="forceBeamColumn", *opts, rule=("Lobatto", 1, 1, 4), transf="Linear"):
    plane()
    ops.geomTransf(transf, 1)
    ops.uniaxialMaterial("Steel01", 1, 300000000.0, 200000000000.0, 0.02)
    ops.section("Fiber", 1)
    ops.patch("rect", 1, 8, 1, -0.1, -0.1, 0.1, 0.1)
    ops.beamIntegration(*rule)
    ops.element(kind, 1, 1, 2, 1, 1, *opts)


def push(
    *integrator,
    steps=6,
    load=(100000.0, 0.0, 0.0),
    test=("NormDispIncr", 1e-09, 50),
    algorithm=("Newton",),
):
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, *load)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test(*test)
    ops.algorithm(*algorithm)
    ops.integrator(*integrator)
    ops.analysis("Static", "-noWarnings")
    out(ops.analyze(steps), ops.nodeDisp(2), ops.getTime())
