"""Two-bay, two-storey reinforced concrete frame.

Gravity, eigenvalues, pushover by storey forces.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
span, storey = 6.0, 3.3
for level in range(3):
    for line in range(3):
        ops.node(10 * level + line + 1, line * span, level * storey)
        if level:
            ops.mass(10 * level + line + 1, 2.0e4, 2.0e4, 0.0)
for line in range(3):
    ops.fix(line + 1, 1, 1, 1)
for level in (1, 2):
    for line in (2, 3):
        ops.equalDOF(10 * level + 1, 10 * level + line, 1)
ops.uniaxialMaterial("Concrete02", 1, -33e6, -0.0025, -8e6, -0.012, 0.1, 2.5e6, 1.2e9)
ops.uniaxialMaterial("Steel02", 2, 450e6, 200e9, 0.008, 20.0, 0.925, 0.15)
for section, (b, h, bars, area) in {1: (0.40, 0.40, 4, 3.1e-4), 2: (0.30, 0.50, 3, 4.9e-4)}.items():
    ops.section("Fiber", section)
    ops.patch("rect", 1, 12, 1, -h / 2, -b / 2, h / 2, b / 2)
    ops.layer("straight", 2, bars, area, h / 2 - 0.05, -b / 2 + 0.05, h / 2 - 0.05, b / 2 - 0.05)
    ops.layer("straight", 2, bars, area, 0.05 - h / 2, -b / 2 + 0.05, 0.05 - h / 2, b / 2 - 0.05)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.beamIntegration("Lobatto", 2, 2, 5)
tag = 0
for level in range(2):
    for line in range(3):
        tag += 1
        ops.element(
            "forceBeamColumn",
            tag,
            10 * level + line + 1,
            10 * level + line + 11,
            1,
            1,
            "-iter",
            50,
            1e-14,
        )
beams = []
for level in (1, 2):
    for line in range(2):
        tag += 1
        beams.append(tag)
        ops.element(
            "forceBeamColumn",
            tag,
            10 * level + line + 1,
            10 * level + line + 2,
            2,
            2,
            "-iter",
            50,
            1e-14,
        )
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.eleLoad("-ele", *beams, "-type", "-beamUniform", -25e3)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("UmfPack")
ops.test("NormDispIncr", 1.0e-9, 50)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
ops.analyze(10)
ops.loadConst("-time", 0.0)
ops.eigen("-fullGenLapack", 2)
ops.reactions()
for line in range(3):
    ops.nodeReaction(line + 1)
ops.timeSeries("Linear", 2)
ops.pattern("Plain", 2, 2)
ops.load(11, 1.0e3, 0.0, 0.0)
ops.load(21, 2.0e3, 0.0, 0.0)
ops.integrator("DisplacementControl", 21, 1, 0.004)
for _ in range(30):
    if ops.analyze(1) != 0:
        break
    ops.getTime()
    ops.nodeDisp(11, 1)
ops.eleForce(1)
ops.eleResponse(beams[0], "localForce")
ops.sectionForce(1, 1)
ops.sectionDeformation(1, 1)
ops.reactions()
for line in range(3):
    ops.nodeReaction(line + 1)
