"""Commands of openseespy that femu does not offer: each raises an exception with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from femu.opensees.front_end.errors import UnsupportedCommand, located

_GROUPS = {
    "femu has no reliability analysis of this kind; see femu.batch for sampling": (
        "computeGradients correlate filter findDesignPoint functionEvaluator getCDF getInverseCDF "
        "getLSFTags getMean getPDF getRVParamTag getRVTags getRVValue getStdv "
        "gradPerformanceFunction gradientEvaluator meritFunctionCheck modulatingFunction "
        "performanceFunction probabilityTransformation randomNumberGenerator randomVariable "
        "reliabilityConvergenceCheck rootFinding runFORMAnalysis runFOSMAnalysis "
        "runImportanceSamplingAnalysis runSORMAnalysis searchDirection spectrum startPoint "
        "stepSizeRule transformUtoX wipeReliability findCurvatures"
    ),
    "femu has no sensitivity analysis": (
        "sensLambda sensNodeAccel sensNodeDisp sensNodePressure sensNodeVel sensSectionForce "
        "sensitivityAlgorithm"
    ),
    "femu models frames, trusses and links": (
        "block2D block3D mesh remesh nDMaterial frictionModel IGA NDTest ShallowFoundationGen "
        "partition pressureConstraint setNodePressure nodePressure setNodeTemperature "
        "getNodeTemperature updateMaterialStage InitialStateAnalysis setCreep equalDOF_Mixed"
    ),
    "femu runs in one process here; see femu.batch": "Bcast recv send",
    "femu has no such material property": (
        "hystereticBackbone limitCurve stiffnessDegradation strengthControl strengthDegradation "
        "unloadingRule damping"
    ),
    "a state is saved by femu.engine.state.State": "database restore save",
    "femu does not show its matrices here": "printX printGID",
    "not part of this front end": (
        "accelCPU build cbdiDisplacement classType convertBinaryToText convertTextToBinary "
        "domainCommitTag eleDynamicalForce getDampTangent metaData modalDampingQ numFact "
        "sdfResponse searchPeerNGA sectionDisplacement sectionFlexibility "
        "sectionStiffness sectionTag setElementRayleighDampingFactors setElementRayleighFactors "
        "setNodeCoord solveCPU stripXML testNorms imposedSupportMotion "
        "OpenSeesParameter"
    ),
}

REFUSED: dict[str, str] = {
    name: reason for reason, names in _GROUPS.items() for name in names.split()
}
"""Command: reason."""


def refuse(name: str, reason: str) -> Callable[..., Any]:
    """A function that raises the reason."""

    def run(*arguments: Any, **named: Any) -> Any:
        raise located(UnsupportedCommand, name, f"is not supported: {reason}.")

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"Not supported: {reason}."
    return run
