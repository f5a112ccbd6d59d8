"""Calls of the OpenSees front end that are right: a line for each command and each kind, as a
script in Tcl would have them.

The words before the last ``;`` make ready for the call, which is the rest. `not_tried` lists what
the front end has and no line calls, so that a new command or a new kind must come with a line.
"""

from __future__ import annotations

import importlib
from typing import Any

import femu.opensees as ops
from femu.opensees.front_end.document import KINDS
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.refused import REFUSED
from femu.opensees.front_end.table import COMMANDS, Kinds

Words = tuple[Any, ...]

PLANE = """
model basic -ndm 2 -ndf 3; node 1 0.0 0.0; node 2 0.0 3.0; node 3 4.0 3.0; node 4 4.0 3.0; node 5 4.0 0.0
fix 1 1 1 1; fix 5 1 1 1; mass 2 2e3 2e3 10.0; mass 3 2e3 2e3 10.0
uniaxialMaterial Elastic 1 2e11; uniaxialMaterial Steel01 2 3e8 2e11 0.01; uniaxialMaterial Elastic 3 1e7
geomTransf Linear 1; section Elastic 1 2e11 0.01 1e-4; section Fiber 2; patch rect 1 4 1 -0.1 -0.1 0.1 0.1
beamIntegration Lobatto 1 2 3; beamIntegration Legendre 2 1 3
element elasticBeamColumn 1 1 2 0.01 2e11 1e-4 1; element forceBeamColumn 2 2 3 1 1; element Truss 4 1 3 1e-3 2
element zeroLength 3 3 4 -mat 3 3 3 -dir 1 2 6; element dispBeamColumn 5 5 4 1 2
timeSeries Linear 1; timeSeries Path 2 -dt 0.01 -values 0.0 1.0 -1.0 0.0; pattern Plain 1 1; load 2 1e3 -1e3 0.0
region 1 -node 2 3; parameter 1 element 4 E; rayleigh 0.1 0.0 1e-3 0.0; recorder Node -file base.out -time -node 2 -dof 1 disp
"""
"""A portal with a member of every family, a load, a recorder and a parameter.

Lines run before each line of the tables below.
"""

SPACE = """
model basic -ndm 3 -ndf 6; node 1 0.0 0.0 0.0; node 2 0.0 0.0 3.0; node 3 4.0 0.0 3.0; node 4 4.0 0.0 3.0; node 5 4.0 0.0 0.0
fix 1 1 1 1 1 1 1; fix 5 1 1 1 1 1 1; mass 2 2e3 2e3 2e3 10.0 10.0 10.0
uniaxialMaterial Elastic 1 2e11; uniaxialMaterial Elastic 3 1e7; uniaxialMaterial Elastic 2 1e7
geomTransf Linear 1 1.0 0.0 0.0; geomTransf Linear 2 0.0 0.0 1.0; section Elastic 1 2e11 0.01 1e-4 1e-4 8e10 1e-4
section Fiber 2 -GJ 1e6; patch rect 1 2 2 -0.1 -0.1 0.1 0.1; beamIntegration Lobatto 1 2 3
element elasticBeamColumn 1 1 2 0.01 2e11 8e10 1e-4 1e-4 1e-4 1; element forceBeamColumn 2 2 3 2 1
element elasticBeamColumn 5 5 4 0.01 2e11 8e10 1e-4 1e-4 1e-4 1; element zeroLength 3 3 4 -mat 3 3 3 3 3 3 -dir 1 2 3 4 5 6
timeSeries Linear 1; pattern Plain 1 1; load 2 1e3 -1e3 0.0 0.0 0.0 0.0
"""

MATERIALS = """
uniaxialMaterial Elastic 9 2e11 1e5 1e11
uniaxialMaterial ENT 9 2e11
uniaxialMaterial ElasticPP 9 2e11 1e-3 -1e-3 0.0
uniaxialMaterial ElasticPPGap 9 2e11 3e8 1e-3 0.0 damage
uniaxialMaterial Steel01 9 3e8 2e11 0.01 0.0 55.0 0.0 55.0
uniaxialMaterial Steel01 9 3e8 2e11 0.01 0.1 55.0 0.1 55.0
uniaxialMaterial Steel02 9 3e8 2e11 0.01 18.0 0.925 0.15 0.0 1.0 0.0 1.0 0.0
uniaxialMaterial Hardening 9 2e11 3e8 1e9 1e9 0.0
uniaxialMaterial Concrete01 9 -3e7 -0.002 -6e6 -0.006
uniaxialMaterial Concrete02 9 -3e7 -0.002 -6e6 -0.006 0.1 3e6 1e9
uniaxialMaterial Concrete04 9 -3e7 -0.002 -0.006 2.5e10 3e6 2e-4 0.1
uniaxialMaterial Hysteretic 9 2e8 0.001 3e8 0.02 -2e8 -0.001 -3e8 -0.02 0.8 0.2 0.0 0.0 0.1
uniaxialMaterial Hysteretic 9 2e8 0.001 3e8 0.02 1e8 0.05 -2e8 -0.001 -3e8 -0.02 -1e8 -0.05 0.8 0.2 0.0 0.0 0.1
uniaxialMaterial HystereticSM 9 -posEnv 2e8 0.001 3e8 0.02 -negEnv -2e8 -0.001 -3e8 -0.02 -pinch 0.8 0.2 -damage 0.0 0.0 -beta 0.1
uniaxialMaterial Pinching4 9 4e7 1e-3 6e7 5e-3 7e7 2e-2 2e7 5e-2 0.5 0.25 0.05 \
    0.1 0.1 0.1 0.1 0.5 0.1 0.1 0.1 0.1 0.5 0.1 0.1 0.1 0.1 0.5 10.0 energy
uniaxialMaterial Bilin 9 1e7 0.02 0.02 1e5 -1e5 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.02 0.02 0.2 0.2 0.3 0.3 0.4 0.4 1.0 1.0 0.0
uniaxialMaterial BoucWen 9 0.1 1e7 1.0 0.5 0.5 1.0 0.0 0.0 0.0 1e-8 20
uniaxialMaterial Viscous 9 1e5 1.0 1e-11
uniaxialMaterial CoulombDamper 9 1e7 1e4 -tol 1e-6
uniaxialMaterial ViscousDamper 9 1e7 1e5 0.5 0.0 1 1e-6 1e-10 15
uniaxialMaterial Parallel 9 1 2 -factors 1.0 0.5
uniaxialMaterial Series 9 1 3
uniaxialMaterial MinMax 9 2 -min -0.1 -max 0.1
uniaxialMaterial Fatigue 9 2 -E0 0.2 -m -0.5 -Dmax 1.0 -min -0.1 -max 0.1
uniaxialMaterial InitStrainMaterial 9 2 0.001
uniaxialMaterial InitStressMaterial 9 2 1e6
uniaxialMaterial Multiplier 9 2 2.0
uniaxialMaterial SelfCentering 9 2e11 1e10 3e8 0.5 0.0 0.0 1.0
uniaxialMaterial ImpactMaterial 9 1e9 1e8 -0.001 -0.0005
uniaxialMaterial ElasticBilin 9 2e11 1e11 0.001 1e11 5e10 -0.002
uniaxialMaterial ElasticMultiLinear 9 0.0 -strain -0.01 0.0 0.01 0.03 -stress -3e8 0.0 2e8 3e8
uniaxialMaterial MultiLinear 9 0.001 2e8 0.003 2.5e8 0.01 3e8
uniaxialMaterial SteelMPF 9 3e8 3e8 2e11 0.02 0.02 20.0 0.925 0.15
uniaxialMaterial ReinforcingSteel 9 4e8 6e8 2e11 4e9 0.01 0.1 -GABuck 6.0 1.0 0.4 0.5 \
    -CMFatigue 0.26 0.5 0.39 -IsoHard 4.3 0.2 -MPCurveParams 0.33 18.0 4.0
uniaxialMaterial ReinforcingSteel 9 4e8 6e8 2e11 4e9 0.01 0.1 -DMBuck 0.0 1.0
uniaxialMaterial Bond_SP01 9 4e8 5e-4 6e8 1e-2 0.3 0.8 0.0 1.0 4.35 0.0
testUniaxialMaterial 2
testUniaxialMaterial 2; setStrain 0.001 0.0
testUniaxialMaterial 2; getStrain
testUniaxialMaterial 2; getStress
testUniaxialMaterial 2; getTangent
"""

MODEL = """
model basic -ndm 2 -ndf 3
node 9 1.0 1.0 -ndf 3 -mass 1.0 1.0 1.0 -disp 0.0 0.0 0.0 -vel 0.0 0.0 0.0
fix 2 1 0 0
fixX 4.0 1 0 0 -tol 1e-6
fixY 3.0 1 0 0 -tol 1e-6
mass 3 1.0 1.0 1.0
equalDOF 2 3 1 2
rigidLink beam 2 4
rigidLink bar 2 4
geomTransf Linear 9 -jntOffset 0.0 0.1 0.0 -0.1
geomTransf PDelta 9
geomTransf Corotational 9
rayleigh 0.1 0.0 0.0 1e-3
region 9 -ele 1 2 -eleOnly 4 -eleRange 1 2 -eleOnlyRange 3 4
region 9 -node 1 2 -nodeOnly 3 -nodeRange 1 2 -nodeOnlyRange 1 2 -rayleigh 0.1 0.0 1e-3 0.0
remove element 4
node 9 0.0 1.0; remove node 9
remove loadPattern 1
sp 3 1 0.1; remove sp 3 1 1
remove sp 1 1
equalDOF 2 3 1; remove mp 3
remove recorder 0
remove recorders
remove timeSeries 2
section Elastic 9 2e11 0.01 1e-4 8e10 0.8
section Fiber 9 -GJ 1e6 -torsion 1 -noCentroid; fiber 0.0 0.0 1e-3 1
section Fiber 9 -GJ 1e6 -torsion 1 -noCentroid
section WFSection2d 9 1 0.3 0.01 0.2 0.015 8 2
section RCSection2d 9 1 1 2 0.5 0.3 0.04 1e-3 1e-3 1e-3 4 2 3
section RCCircularSection 9 1 1 2 0.5 0.04 3e-4 3 1 6 6
section Aggregator 9 1 P 1 Mz 1 Vy
section Aggregator 9 1 Vy -section 1
section Uniaxial 9 1 P
section Fiber 9; patch rect 1 4 1 -0.1 -0.1 0.1 0.1
section Fiber 9; patch quad 1 4 1 -0.1 -0.1 0.1 -0.1 0.1 0.1 -0.1 0.1
section Fiber 9; patch circ 1 8 2 0.0 0.0 0.0 0.1 0.0 360.0
section Fiber 9; layer straight 1 3 1e-4 -0.1 0.1 -0.1 0.1
section Fiber 9; layer circ 1 3 1e-4 0.0 0.0 0.1 0.0 360.0
beamIntegration Lobatto 9 2 3
beamIntegration Legendre 9 2 3
beamIntegration Radau 9 2 3
beamIntegration NewtonCotes 9 2 3
beamIntegration Trapezoidal 9 2 3
beamIntegration CompositeSimpson 9 2 3
beamIntegration Simpson 9 2 3
beamIntegration UserDefined 9 2 2 2 0.1 0.9 0.5 0.5
beamIntegration FixedLocation 9 2 2 2 0.1 0.9
beamIntegration LowOrder 9 2 2 2 0.1 0.9 0.5
beamIntegration UserHinge 9 1 1 2 0.0 0.1 1 2 1.0 0.1
beamIntegration MidDistance 9 2 2 2 0.2 0.8
beamIntegration HingeRadau 9 2 0.1 2 0.1 1
beamIntegration HingeRadauTwo 9 2 0.1 2 0.1 1
beamIntegration HingeMidpoint 9 2 0.1 2 0.1 1
beamIntegration HingeEndpoint 9 2 0.1 2 0.1 1
element elasticBeamColumn 9 1 3 0.01 2e11 1e-4 1 -mass 1.0 -cMass -release 1
element elasticBeamColumn 9 1 3 1 1 -mass 1.0
element ElasticTimoshenkoBeam 9 1 3 2e11 8e10 0.01 1e-4 8e-3 1 -mass 1.0
element forceBeamColumn 9 1 3 1 1 -iter 10 1e-12 -mass 1.0
element nonlinearBeamColumn 9 1 3 3 2 1 -mass 1.0 -integration Lobatto
element dispBeamColumn 9 1 3 1 2 -mass 1.0 -cMass
element Truss 9 1 3 1e-3 1 -rho 1.0 -cMass 1 -doRayleigh 1
element beamWithHinges 9 1 3 2 0.1 2 0.1 2e11 0.01 1e-4 1 -mass 1.0
element TrussSection 9 1 3 2 -rho 1.0 -cMass 1 -doRayleigh 1
element trussSection 9 1 3 2
element corotTrussSection 9 1 3 1 -rho 1.0
element CorotTrussSection 9 1 3 1
element corotTruss 9 1 3 1e-3 1 -rho 1.0
element zeroLength 9 3 4 -mat 3 3 -dir 1 2 -doRayleigh 1 -orient 1.0 0.0 0.0 0.0 1.0 0.0
element twoNodeLink 9 2 3 -mat 3 3 -dir 1 2 -pDelta 0.0 0.0 -shearDist 0.5 -doRayleigh
element zeroLengthSection 9 3 4 2 -orient 1.0 0.0 0.0 0.0 1.0 0.0 -doRayleigh 1
defaultUnits -force kN -length m -time sec -temp C
logFile some.log
"""

IN_SPACE = """
fixZ 3.0 1 0 0 0 0 0 -tol 1e-6
rigidDiaphragm 3 2 3 4
geomTransf Corotational 9 1.0 0.0 0.0 -jntOffset 0.0 0.0 0.1 0.0 0.0 -0.1
section Elastic 9 2e11 0.01 1e-4 1e-4 8e10 1e-4 0.8 0.8
section Fiber 9 -GJ 1e6
section Aggregator 9 1 P 1 Mz 1 My 1 T
element elasticBeamColumn 9 2 3 0.01 2e11 8e10 1e-4 1e-4 1e-4 2 -mass 1.0 -cMass -releasez 1 -releasey 2
element ElasticTimoshenkoBeam 9 2 3 2e11 8e10 0.01 1e-4 1e-4 1e-4 8e-3 8e-3 2 -mass 1.0
element zeroLength 9 3 4 -mat 3 -dir 1 -orient 1.0 0.0 0.0 0.0 1.0 0.0
element twoNodeLink 9 2 3 -mat 3 3 -dir 1 2 -orient 1.0 0.0 0.0 0.0 1.0 0.0 -shearDist 0.5 0.5
element zeroLengthSection 9 3 4 2
element Truss 9 2 3 1e-3 1
eleLoad -ele 1 2 -type -beamUniform -1e3 0.0 0.0
eleLoad -ele 1 -type -beamPoint -1e3 0.0 0.5 0.0
analysis Static; analyze 1; eleResponse 2 section 1 fiber 0.0 0.0 stress
"""

LOADS = """
timeSeries Constant 9 -factor 2.0
timeSeries Linear 9 -factor 2.0 -tStart 0.0
timeSeries Path 9 -dt 0.1 -values 0.0 1.0 2.0 -factor 1.0 -useLast -prependZero -startTime 0.0
timeSeries Path 9 -time 0.0 0.5 1.0 -values 0.0 1.0 2.0
timeSeries Path 9 -dt 0.1 -filePath samples.txt
timeSeries Path 9 -fileTime times.txt -filePath samples.txt
timeSeries Trig 9 0.0 1.0 0.5 -factor 1.0 -shift 0.0 -zeroShift 0.0
timeSeries Triangle 9 0.0 1.0 0.5 -factor 1.0 -shift 0.0 -zeroShift 0.1
timeSeries Pulse 9 0.0 1.0 0.5 -width 0.5 -shift 0.0 -factor 1.0 -zeroShift 0.1
timeSeries Rectangular 9 0.0 1.0 -factor 2.0
timeSeries Ramp 9 0.0 1.0 -smooth 0.2 -factor 2.0 -offset 0.1
pattern Plain 9 1 -factor 2.0
pattern Plain 9 1 -fact 2.0
pattern UniformExcitation 9 1 -accel 2 -fact 9.81
pattern MultipleSupport 9
load 3 1e3 0.0 0.0 -pattern 1
eleLoad -ele 1 2 -range 1 2 -type -beamUniform -1e3 0.0
eleLoad -ele 1 -type -beamUniform -1e3 0.0 0.2 0.8 -2e3 0.0
eleLoad -ele 1 2 -type -beamPoint -1e3 0.5 0.0
sp 3 1 0.01 -pattern 1
sp 3 1 0.01 -const
getNodeLoadTags 1
getNodeLoadData 1
eleLoad -ele 1 2 -type -beamUniform -1e3 0.0; getEleLoadTags 1
eleLoad -ele 1 2 -type -beamPoint -1e3 0.5 0.0; getEleLoadClassTags 1
eleLoad -ele 1 2 -type -beamUniform -1e3 0.0; getEleLoadData 1
pattern MultipleSupport 9; groundMotion 1 Plain -disp 2 -vel 2 -accel 2 -fact 1.0
pattern MultipleSupport 9; groundMotion 1 Plain -disp 2; imposedMotion 1 1 1
loadConst -time 0.0
setTime 1.0
getTime
getLoadFactor 1
getPatterns
"""

ANALYSIS = """
test NormUnbalance 1e-6 10 0 2 1.0
test NormDispIncr 1e-6 10
test EnergyIncr 1e-6 10
test RelativeNormUnbalance 1e-6 10
test RelativeNormDispIncr 1e-6 10
test RelativeEnergyIncr 1e-6 10
test FixedNumIter 3 0 2
test NormDispAndUnbalance 1e-6 1e-3 10 0 2
test NormDispOrUnbalance 1e-6 1e-3 10 0 2
test RelativeTotalNormDispIncr 1e-6 10 0 2
algorithm Linear -initial -secant -factorOnce
algorithm Newton -initial
algorithm ModifiedNewton -initial
algorithm NewtonLineSearch 0.8 -type InitialInterpolated -tol 0.8 -maxIter 10 -minEta 0.1 -maxEta 10.0
algorithm RaphsonNewton
algorithm KrylovNewton -maxDim 3
algorithm BFGS -initial -count 5
algorithm Broyden -count 5
algorithm SecantNewton -maxDim 3
algorithm PeriodicNewton -maxDim 3
algorithm ExpressNewton 2 1.0
algorithm MillerNewton -maxDim 3
algorithm AcceleratedNewton -maxDim 3
integrator LoadControl 0.1 2 0.01 0.2
integrator GimmeMCK 1.0 0.0 0.0
integrator DisplacementControl 2 1 1e-4 2 1e-5 1e-3
integrator ArcLength 1e-3 1.0
integrator Newmark 0.5 0.25 -form D
integrator HHT 0.9 0.6 0.3025
integrator GeneralizedAlpha 1.0 0.9 0.6 0.3025
integrator HHTGeneralized 0.8
integrator NewmarkExplicit 0.5
integrator CentralDifference
integrator TRBDF2
integrator AlphaOS 0.9 -updateElemDisp
integrator AlphaOS_TP 0.9
integrator AlphaOSGeneralized 0.8 -updateElemDisp
integrator AlphaOSGeneralized_TP 0.8
integrator KRAlphaExplicit 0.8 -updateElemDisp
integrator KRAlphaExplicit_TP 0.8
wipe
wipeAnalysis
system BandGen
numberer RCM
constraints Plain
constraints Transformation
constraints Penalty 1e12 1e12
constraints Lagrange 1.0 1.0
constraints Auto -verbose -autoPenalty 3.0 -userPenalty 1e12
analysis Static -noWarnings -numSubLevels 1 -numSubSteps 1
analysis Transient
analysis Static; analyze 2
analysis Transient; analyze 2 0.01
analysis VariableTransient; analyze 2 0.01 0.001 0.1 5
testIter
numIter
testNorm
reset
eigen -fullGenLapack 2
eigen 2; nodeEigenvector 2 1 1
eigen 2; modalDamping 0.02 0.03
eigen 2; responseSpectrumAnalysis 1 1 -scale 1.0 -mode 1
eigen 2; modalProperties -print -file modes.txt -unorm -return
recorder Node -file a.out -time -dT 0.01 -closeOnWrite -precision 8 -scientific -node 2 3 -nodeRange 1 2 -region 1 -dof 1 2 disp
recorder EnvelopeNode -fileAdd a.out -time -node 2 -dof 1 reaction
eigen 2; recorder Node -file a.out -node 2 -dof 1 eigen 1
recorder Element -file a.out -time -ele 1 2 -eleRange 1 2 -dof 1 2 force
recorder EnvelopeElement -file a.out -ele 2 section 1 force
recorder Drift -file a.out -time -iNode 1 -jNode 2 -dof 1 -perpDirn 2
recorder EnvelopeDrift -file a.out -iNode 1 -jNode 2 -dof 1 -perpDirn 2
record
initialize
setPrecision 8
"""

QUERIES = """
nodeDisp 2 1
nodeVel 2 1
nodeAccel 2 1
reactions
reactions; nodeReaction 1 1
nodeCoord 2 1
nodeMass 2 1
nodeDOFs 2
nodeBounds
eleForce 1 1
basicForce 1
basicDeformation 1
eleResponse 1 localForce
eleResponse 4 material 1 stress
eleResponse 2 section 1 force
eleResponse 2 section 1 fiber 0.0 0.0 1 stress
sectionForce 2 1 1
sectionDeformation 2 1 1
sectionLocation 2 1
sectionWeight 2 1
nodeUnbalance 2 1
nodeResponse 2 1 6
reactions -dynamic -rayleigh
printA -file a.txt -ret
printB -file b.txt -ret
eleType 1
basicStiffness 1
getEleClassTags 1
getCrdTransfTags
getConstrainedNodes 1
getRetainedNodes 2
getConstrainedDOFs 2 1 1
getRetainedDOFs 1 2 1
domainChange
updateElementDomain
setMaxOpenFiles 10
setStartNodeTag 10
setNumThreads 1
barrier
start
stop
getPID
getNP
getNumThreads
pyversion
totalCPU
getNodeTags
getEleTags
eleNodes 1
getFixedNodes
getFixedDOFs 1
getNumElements
getNDM 2
getNDF 2
systemSize
printModel -file model.txt
version
setNodeDisp 2 1 0.001 -commit
setNodeVel 2 1 0.1 -commit
setNodeAccel 2 1 0.1 -commit
parameter 9 element 2 section E
addToParameter 1 element 1 E
updateParameter 1 1e11
setParameter -val 1e11 -ele 1 4 E
getParamTags
getParamValue 1
"""

IN_THE_PLANE = (MATERIALS, MODEL, LOADS, ANALYSIS, QUERIES)


def words_of(line: str) -> Words:
    """The words of one command, numbers as numbers."""
    return tuple(_number(word) for word in line.split())


def _number(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def commands(text: str) -> list[Words]:
    """Commands of several lines, some with a ``;`` between them."""
    return [words_of(part) for part in text.replace("\n", ";").split(";") if part.strip()]


def lines() -> list[tuple[str, list[Words]]]:
    """Every line: the model it needs, and its commands, of which the last is to be tried."""
    found = [(PLANE, commands(line)) for text in IN_THE_PLANE for line in text.strip().splitlines()]
    return found + [(SPACE, commands(line)) for line in IN_SPACE.strip().splitlines()]


def call(words: Words) -> Any:
    """Call a command of the front end."""
    return getattr(ops, words[0])(*words[1:])


def build(text: str) -> None:
    """Begin with an empty model, and run the commands of a text."""
    ops.wipe()
    domain.next_recorder = 0  # their tags continue when a model is wiped
    for words in commands(text):
        call(words)


def _called(kinds: Kinds, words: Words) -> Any:
    """What makes the kind that a call of ``kinds.command`` names."""
    name = next((w for w in words[1:] if w in kinds.known), None)
    return None if name is None else kinds.known[name].make


def not_tried() -> list[str]:
    """Commands and kinds without a line, and what is public and in no table."""
    tried = [words for _, made in lines() for words in made[-1:]]
    missing = [
        f"{name}: this command is not tried"
        for name in COMMANDS
        if name not in {words[0] for words in tried}
    ]
    for kinds in KINDS:
        made = {_called(kinds, words) for words in tried if words[0] == kinds.command}
        missing += [
            f"{kinds.command} {kind.name}: this kind is not tried"
            for kind in kinds
            if kind.make not in made
        ]
    errors = {name for name in ops.__all__ if isinstance(getattr(ops, name), type)}
    missing += [
        f"{name}: neither a command nor one that is refused"
        for name in ops.__all__
        if name not in errors and name not in COMMANDS and name not in REFUSED
    ]
    found = [
        value
        for file in ops.FILES
        for value in vars(importlib.import_module(f"femu.opensees.front_end.{file}")).values()
    ]
    return missing + [
        f"{value.command}: these kinds are not in the list of the documentation"
        for value in found
        if isinstance(value, Kinds) and not any(value is kinds for kinds in KINDS)
    ]
