"""Numbers of elements changed between steps.

Stiffness of a spring, modulus of a beam, yield stress of a bar.
"""

import openseespy.opensees as ops

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, 3.0, 0.0)
ops.node(3, 3.0, -2.0)
ops.fix(1, 1, 1, 1)
ops.fix(3, 1, 1, 1)
ops.geomTransf("Linear", 1)
ops.element("elasticBeamColumn", 1, 1, 2, 0.01, 200e9, 5.0e-5, 1)
ops.uniaxialMaterial("Elastic", 1, 100e9)
ops.element("Truss", 2, 2, 3, 2.0e-4, 1)
ops.timeSeries("Constant", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, -20e3, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("BandGeneral")
ops.test("NormUnbalance", 1.0e-6, 10)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static")
ops.parameter(1, "element", 1, "E")
ops.parameter(2, "element", 2, "A")
ops.getParamTags()
for E in (200e9, 150e9, 100e9):
    ops.updateParameter(1, E)
    for A in (2.0e-4, 4.0e-4):
        ops.updateParameter(2, A)
        ops.analyze(1)
        ops.nodeDisp(2)
        ops.eleForce(1)
        ops.basicForce(2)
