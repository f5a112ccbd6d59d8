"""Sections in space with shear along both axes.

Aggregator over fibres, and Elastic sections with alphaY and alphaZ.
"""

import openseespy.opensees as ops

E, G = 200e9, 77e9
A, IZ, IY, J = 6.5e-3, 1.1e-4, 1.6e-5, 2.9e-7
TOP = (0.3, 0.2, 1.4)


def start():
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    ops.node(1, 0.0, 0.0, 0.0)
    ops.node(2, *TOP)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.geomTransf("PDelta", 1, 0.0, 1.0, 0.0)
    ops.uniaxialMaterial("Steel01", 1, 300e6, E, 0.02)
    ops.uniaxialMaterial("Steel01", 2, 60e3, 0.4 * G * A, 0.02)
    ops.uniaxialMaterial("Elastic", 3, 0.6 * G * A)


def push(name, element):
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 40e3, 25e3, -100e3, 300.0, -500.0, 200.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-11, 50)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.2)
    ops.analysis("Static")
    for _ in range(8):
        ops.analyze(1)
        print(name, ops.nodeDisp(2))
    print(ops.eleForce(1))
    if element != "elastic":
        for point in (1, 2):
            print(ops.sectionForce(1, point), ops.sectionDeformation(1, point))


def fibres(*codes):
    ops.section("Fiber", 2, "-GJ", G * J)
    ops.patch("rect", 1, 2, 6, 0.113, -0.125, 0.125, 0.125)
    ops.patch("rect", 1, 6, 1, -0.113, -0.003, 0.113, 0.003)
    ops.patch("rect", 1, 2, 6, -0.125, -0.125, -0.113, 0.125)
    ops.section("Aggregator", 1, *codes, "-section", 2)


CASES = {
    "fibres, both": lambda: fibres(2, "Vy", 3, "Vz"),
    "fibres, y alone": lambda: fibres(2, "Vy"),
    "fibres, z alone": lambda: fibres(3, "Vz"),
    "elastic": lambda: ops.section("Elastic", 1, E, A, IZ, IY, G, J, 0.4, 0.6),
}
for label, make in CASES.items():
    for kind in ("forceBeamColumn", "dispBeamColumn"):
        start()
        make()
        ops.beamIntegration("Lobatto", 1, 1, 3)
        ops.element(kind, 1, 1, 2, 1, 1)
        push(f"{label}, {kind}", kind)

start()
ops.geomTransf("Linear", 2, 0.0, 1.0, 0.0)
ops.element("ElasticTimoshenkoBeam", 1, 1, 2, E, G, A, J, IY, IZ, 0.4 * A, 0.6 * A, 2)
push("Timoshenko", "elastic")
