"""Plane truss bridge: moving load by several patterns, influence on one bar, mode shapes."""

import openseespy.opensees as ops

panels, bay, height = 6, 3.0, 3.5
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 2)
for k in range(panels + 1):
    ops.node(k + 1, k * bay, 0.0, "-mass", 500.0, 500.0)
    if 0 < k < panels:
        ops.node(100 + k, k * bay, height, "-mass", 300.0, 300.0)
ops.fix(1, 1, 1)
ops.fix(panels + 1, 0, 1)
ops.uniaxialMaterial("Elastic", 1, 200e9)
bars = [(k + 1, k + 2) for k in range(panels)] + [(100 + k, 101 + k) for k in range(1, panels - 1)]
bars += [(k + 1, 100 + k) for k in range(1, panels)] + [(1, 101), (panels + 1, 99 + panels)]
bars += [
    (k + 1, 101 + k) if k < panels // 2 else (k + 1, 99 + k)
    for k in range(1, panels)
    if k != panels // 2
]
bars += [(panels // 2 + 1, 99 + panels // 2)] if panels > 4 else []
for tag, (i, j) in enumerate(bars, start=1):
    ops.element("Truss", tag, i, j, 2.0e-3, 1)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandSPD")
ops.algorithm("Linear")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static")
ops.timeSeries("Constant", 1)
for k in range(1, panels):
    ops.pattern("Plain", k, 1)
    ops.load(k + 1, 0.0, -50e3)
    ops.analyze(1)
    ops.basicForce(2)
    ops.basicForce(len(bars))
    ops.nodeDisp(panels // 2 + 1, 2)
    ops.remove("loadPattern", k)
ops.eigen(3)
ops.nodeMass(101)
ops.getFixedNodes()
ops.getFixedDOFs(1)
