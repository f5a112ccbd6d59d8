"""Where a script for the OpenSees front end may be, and commands in a wrong order.

`bad_opensees` tries them.
"""

from __future__ import annotations

from tests.campaign.opensees_calls import PLANE

STAGES: dict[str, str] = {
    "nothing": "",
    "a model without nodes": "model basic -ndm 2 -ndf 3",
    "nodes alone": "model basic -ndm 2 -ndf 3; node 1 0.0 0.0; node 2 0.0 3.0; node 3 4.0 3.0; "
    "node 4 4.0 3.0",
    "no supports": PLANE.replace("fix 1 1 1 1; fix 5 1 1 1;", ""),
    "no masses": PLANE.replace("mass 2 2e3 2e3 10.0; mass 3 2e3 2e3 10.0", ""),
    "no loads": PLANE + "remove loadPattern 1",
    "no elements any more": PLANE + "; ".join(f"remove element {k}" for k in range(1, 6)),
    "a step taken": PLANE + "analysis Static; analyze 1",
    "a step in time taken": PLANE + "analysis Transient; analyze 1 0.01",
    "modes found": PLANE + "eigen 2; modalDamping 0.02",
    "loads held": PLANE + "analysis Static; analyze 1; loadConst -time 0.0",
    "a model of one dimension": "model basic -ndm 1 -ndf 1; node 1 0.0; node 2 1.0; fix 1 1; "
    "uniaxialMaterial Elastic 1 1e3; element Truss 1 1 2 1.0 1; timeSeries Linear 1; pattern Plain "
    "1 1; load 2 1.0",
    "wiped": PLANE + "analysis Static; analyze 1; wipe",
    "analysis wiped": PLANE + "analysis Static; analyze 1; wipeAnalysis",
}
"""Where a script may be when a command comes."""
ORDERS: dict[str, str] = {
    "element before its nodes": "model basic -ndm 2 -ndf 3; geomTransf Linear 1; element "
    "elasticBeamColumn 1 1 2 1.0 1.0 1.0 1",
    "analyze before an analysis": PLANE + "analyze 1",
    "eigen without a model": "eigen 1",
    "eigen of no modes": PLANE + "eigen 0",
    "eigen of less than none": PLANE + "eigen -1",
    "eigen of too many": PLANE + "eigen 1000",
    "pattern without its series": PLANE + "pattern Plain 2 77",
    "ground motion in a plain pattern": PLANE + "groundMotion 1 Plain",
    "excitation before a model": "timeSeries Linear 1; pattern UniformExcitation 1 1 -accel 1",
    "recorder into a folder": PLANE + "recorder Node -file . -node 2 -dof 1 disp",
    "recorder onto a full disk": PLANE + "recorder Node -file /dev/full -time -node 2 -dof 1 disp; "
    "analysis Static; analyze 1; wipe",
    "envelope onto a full disk": PLANE + "recorder EnvelopeNode -file /dev/full -node 2 -dof 1 "
    "disp; analysis Static; analyze 1; remove recorders",
    "step in time of no length": PLANE + "analysis Transient; analyze 1 0.0",
    "variable steps that may be nothing": PLANE + "analysis VariableTransient; analyze 1 0.01 0.0 "
    "0.1 0",
    "modes asked for before eigen": PLANE + "modalProperties -print",
    "damping of modes before eigen": PLANE + "modalDamping 0.02",
    "node twice": PLANE + "node 2 0.0 0.0",
    "material twice": PLANE + "uniaxialMaterial Elastic 1 1.0",
    "section twice": PLANE + "section Elastic 1 1.0 1.0 1.0",
    "transformation twice": PLANE + "geomTransf Linear 1",
    "series twice": PLANE + "timeSeries Linear 1",
    "pattern twice": PLANE + "pattern Plain 1 1",
    "integration twice": PLANE + "beamIntegration Lobatto 1 1 3",
    "parameter twice": PLANE + "parameter 1 element 1 E",
    "node in use removed": PLANE + "remove node 2",
    "tied node removed": PLANE + "node 9 0.0 9.0; equalDOF 2 9 1; remove node 9",
    "element of a parameter removed": PLANE + "remove element 4; updateParameter 1 1e11",
    "load without a pattern": "model basic -ndm 2 -ndf 3; node 1 0.0 0.0; load 1 1.0 0.0 0.0",
    "fibre without a section": "uniaxialMaterial Elastic 1 1.0; fiber 0.0 0.0 1.0 1",
    "section without fibres": PLANE + "section Fiber 9; element zeroLengthSection 9 3 4 9",
    "beam of no length": PLANE
    + "element elasticBeamColumn 9 3 4 0.01 2e11 1e-4 1; analysis Static; analyze 1",
    "beam of no length with hinges": PLANE
    + "beamIntegration HingeRadau 9 2 0.1 2 0.1 1; element forceBeamColumn 9 3 4 1 9",
    "hinges longer than the beam": PLANE
    + "beamIntegration HingeRadau 9 2 9.0 2 9.0 1; element forceBeamColumn 9 1 2 1 9",
    "sections at one place": PLANE + "beamIntegration FixedLocation 9 2 2 2 0.5 0.5",
    "strain before a material is chosen": "setStrain 0.1",
    "dimensions changed": PLANE + "model basic -ndm 3 -ndf 6",
    "series from no file": "timeSeries Path 1 -dt 0.1 -filePath none.txt",
    "series from a folder": "timeSeries Path 1 -dt 0.1 -filePath .",
    "series from a file of words": "timeSeries Path 1 -dt 0.1 -filePath words.txt",
    "series from a file with nan": "timeSeries Path 1 -dt 0.1 -filePath nan.txt",
    "series from a file of bytes": "timeSeries Path 1 -dt 0.1 -filePath bytes.bin",
    "modes written into no folder": PLANE + "eigen 1; modalProperties -file no/such/folder/a.txt",
    "model written into no folder": PLANE + "printModel -file no/such/folder/a.txt",
    "excitation of a triangle that is flat": PLANE
    + "timeSeries Triangle 9 0.0 1.0 0.5 -factor 0.0 -zeroShift 0.1",
    "control of a node that was removed": PLANE
    + "node 9 0.0 9.0; integrator DisplacementControl 9 1 0.1; remove node 9; analysis Static; "
    "analyze 1",
    "fewer modes than damping ratios": PLANE
    + "eigen 3; modalDamping 0.02 0.02 0.02; eigen 1; analysis Transient; analyze 1 0.01; "
    "nodeEigenvector 2 2",
}
"""Commands in a wrong order, or about what is not there.

The last one that is refused must say so.
"""
