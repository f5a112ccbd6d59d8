"""Short columns that deform and yield in shear.

Aggregator, Elastic sections with alphaY, zero-length sections.
"""

import openseespy.opensees as ops

E, G, NU = 25e9, 10e9, 5.0 / 6.0
B, H, L = 0.4, 0.5, 1.2


def start():
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, L)
    ops.fix(1, 1, 1, 1)
    ops.geomTransf("PDelta", 1)
    ops.uniaxialMaterial("Concrete01", 1, -35e6, -0.002, -10e6, -0.008)
    ops.uniaxialMaterial("Steel01", 2, 420e6, 200e9, 0.01)
    ops.uniaxialMaterial("Elastic", 3, NU * G * B * H)
    # shear that yields before the bars do
    ops.uniaxialMaterial("Steel01", 4, 180e3, NU * G * B * H, 0.02)
    ops.uniaxialMaterial("Elastic", 5, E * B * H)
    ops.uniaxialMaterial("Steel01", 6, 200e3, E * B * H**3 / 12.0, 0.01)


def fibre_section(tag):
    ops.section("Fiber", tag)
    ops.patch("rect", 1, 10, 1, -H / 2, -B / 2, H / 2, B / 2)
    ops.layer("straight", 2, 4, 4e-4, -0.2, -0.15, -0.2, 0.15)
    ops.layer("straight", 2, 4, 4e-4, 0.2, -0.15, 0.2, 0.15)


def push(name):
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, -400e3, 0.0)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-10, 50)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.25)
    ops.analysis("Static")
    print(name, "gravity", ops.analyze(4), ops.nodeDisp(2))
    ops.loadConst("-time", 0.0)
    ops.pattern("Plain", 2, 1)
    ops.load(2, 1.0, 0.0, 0.0)
    for step in (1e-4, -1e-4, 1e-4):
        ops.integrator("DisplacementControl", 2, 1, step)
        for _ in range(20 if step < 0 else 15):
            ops.analyze(1)
        print(name, ops.getTime(), ops.nodeDisp(2), ops.eleResponse(1, "force"))


def members(name, make):
    """The column with the section that ``make`` defines as number 1."""
    for element, rule in (("forceBeamColumn", "Lobatto"), ("dispBeamColumn", "Legendre")):
        start()
        make()
        ops.beamIntegration(rule, 1, 1, 4)
        ops.element(element, 1, 1, 2, 1, 1)
        push(f"{name}, {element}")
        for point in (1, 3):
            print(ops.sectionForce(1, point), ops.sectionDeformation(1, point))
            print(
                ops.eleResponse(1, "section", point, "force"),
                ops.eleResponse(1, "section", point, "deformation"),
            )
        if name.startswith("fibres"):
            print(ops.eleResponse(1, "section", 1, "fiber", 0.2, 0.15, 2, "stressStrain"))


def elastic_shear():
    fibre_section(2)
    ops.section("Aggregator", 1, 3, "Vy", "-section", 2)


def yielding_shear():
    fibre_section(2)
    ops.section("Aggregator", 1, 4, "Vy", "-section", 2)


members("fibres with elastic shear", elastic_shear)
members("fibres with shear that yields", yielding_shear)
members("laws one by one", lambda: ops.section("Aggregator", 1, 6, "Mz", 5, "P", 4, "Vy"))
members("elastic", lambda: ops.section("Elastic", 1, E, B * H, B * H**3 / 12.0, G, NU))

# hinges in bending and shear next to an elastic part
start()
yielding_shear()
ops.section("Elastic", 3, E, B * H, B * H**3 / 12.0, G, NU)
ops.beamIntegration("HingeRadau", 1, 1, 0.12, 1, 0.12, 3)
ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
push("hinges")
print(ops.sectionForce(1, 1), ops.sectionForce(1, 3))

# a column that slides on its foot
start()
yielding_shear()
ops.node(3, 0.0, 0.0)
ops.fix(3, 1, 1, 1)
ops.remove("sp", 1, 1)
ops.remove("sp", 1, 2)
ops.remove("sp", 1, 3)
ops.element("zeroLengthSection", 9, 3, 1, 1, "-orient", 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
ops.element("elasticBeamColumn", 1, 1, 2, B * H, E, B * H**3 / 12.0, 1)
push("sliding foot")
print(ops.eleResponse(9, "section", "force"), ops.eleResponse(9, "section", "deformation"))
print(ops.nodeDisp(1), ops.eleForce(9))

# Timoshenko's beam
start()
ops.geomTransf("Linear", 2)
ops.element("ElasticTimoshenkoBeam", 1, 1, 2, E, G, B * H, B * H**3 / 12.0, NU * B * H, 2)
ops.timeSeries("Linear", 5)
ops.pattern("Plain", 5, 5)
ops.eleLoad("-ele", 1, "-type", "-beamUniform", -20e3, 5e3)
push("Timoshenko")
print(ops.eleResponse(1, "localForce"))
