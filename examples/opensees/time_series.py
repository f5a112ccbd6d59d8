"""Every kind of time series: the factor of a pattern at many times."""

import openseespy.opensees as ops

SERIES = (
    ("Constant", "-factor", 2.5),
    ("Linear", "-factor", -1.5),
    ("Trig", 0.3, 2.1, 0.7, "-factor", 2.0, "-shift", 0.4),
    ("Triangle", 0.3, 2.1, 0.7, "-factor", 2.0, "-shift", 0.1),
    ("Rectangular", 0.5, 1.7, "-factor", 3.0),
    ("Pulse", 0.2, 2.2, 0.5, "-width", 0.3, "-factor", 2.0),
    ("Path", "-dt", 0.35, "-values", 0.0, 1.0, -1.0, 2.0, 0.5),
    ("Path", "-dt", 0.35, "-values", 0.0, 1.0, -1.0, 2.0, 0.5, "-useLast", "-factor", 2.0),
    ("Path", "-dt", 0.35, "-values", 1.0, -1.0, 2.0, 0.5, "-prependZero"),
    ("Path", "-dt", 0.35, "-values", 1.0, -1.0, 2.0, 0.5, "-startTime", 0.4),
    ("Path", "-time", 0.1, 0.4, 1.3, 2.0, "-values", 1.0, -1.0, 2.0, 0.5),
)
for kind, *arguments in SERIES:
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial("Elastic", 1, 10.0)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.timeSeries(kind, 1, *arguments)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 3.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.algorithm("Linear")
    ops.integrator("LoadControl", 0.13)
    ops.analysis("Static")
    for _ in range(18):
        ops.analyze(1)
        ops.getTime()
        ops.getLoadFactor(1)
        ops.nodeDisp(2, 1)
