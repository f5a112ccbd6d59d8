"""Every uniaxial material along one path of strains, with testUniaxialMaterial."""

import math

import openseespy.opensees as ops

MATERIALS = (
    ("Elastic", 200.0),
    ("Elastic", 200.0, 0.0, 100.0),
    ("ENT", 200.0),
    ("ElasticPP", 200.0, 0.004, -0.006, 0.001),
    ("ElasticPPGap", 200.0, 1.2, 0.003, 0.1),
    ("ElasticPPGap", 200.0, -1.2, -0.003, 0.1, "damage"),
    ("Steel01", 1.0, 200.0, 0.05),
    ("Steel01", 1.0, 200.0, 0.05, 0.1, 2.0, 0.15, 3.0),
    ("Steel02", 1.0, 200.0, 0.05),
    ("Steel02", 1.0, 200.0, 0.05, 18.0, 0.9, 0.15, 0.05, 2.0, 0.04, 2.0),
    ("Hardening", 200.0, 1.0, 10.0, 20.0),
    ("BoucWen", 0.1, 200.0, 1.5, 80.0, 60.0, 1.0, 0.0, 0.5, 0.5, 1e-14, 200),
    ("Concrete01", -1.0, -0.004, -0.3, -0.012),
    ("Concrete02", -1.0, -0.004, -0.2, -0.012, 0.15, 0.1, 20.0),
    ("Concrete04", -1.0, -0.004, -0.012, 400.0, 0.1, 0.003, 0.1),
    ("HystereticSM", "-Env", 1.0, 0.004, 1.3, 0.008, 1.4, 0.012, 0.9, 0.016, 0.1, 0.024, "-pinch", 0.7, 0.4, "-damage", 0.02,
     0.03, "-beta", 0.2, "-degEnv", 0.3, -0.2),
    ("Pinching4", 1.0, 0.004, 1.3, 0.008, 1.4, 0.012, 0.3, 0.024, 0.5, 0.3, 0.05, 0.3, 0.1, 1.0, 1.0, 0.5, 0.2, 0.1, 1.0, 1.0,
     0.3, 0.2, 0.1, 1.0, 1.0, 0.4, 10.0, "energy"),
    ("Bilin", 200.0, 0.03, 0.03, 1.0, -0.9, 0.3, 0.3, 0.0, 0.3, 1.0, 1.0, 1.0, 1.0, 0.01, 0.008, 0.03, 0.04, 0.2, 0.2, 0.1, 0.1,
     1.0, 1.0),
    ("Hysteretic", 1.0, 0.005, 1.3, 0.012, 1.1, 0.02, -1.0, -0.005, -1.3, -0.012, -1.1, -0.02, 0.8, 0.3, 0.01, 0.01, 0.2),
)
for number, (kind, *arguments) in enumerate(MATERIALS, start=1):
    ops.uniaxialMaterial(kind, number, *arguments)
count = len(MATERIALS)
ops.uniaxialMaterial("Parallel", count + 1, 7, 9, "-factors", 0.5, 1.5)
ops.uniaxialMaterial("MinMax", count + 2, 7, "-min", -0.02, "-max", 0.015)
for tag in range(1, count + 3):
    ops.testUniaxialMaterial(tag)
    for k in range(200):
        ops.setStrain(0.02 * (k / 200.0) * math.sin(0.21 * k) + 0.003 * math.sin(1.3 * k))
        ops.getStress()
ops.wipe()
