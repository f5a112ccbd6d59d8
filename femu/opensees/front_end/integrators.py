"""integrator: what a step is, in time or along a load path."""

from __future__ import annotations

import math
from typing import Any

from femu.analyses import (
    TRBDF2,
    AlphaOS,
    CentralDifference,
    GeneralizedAlphaOS,
    KRAlpha,
    NewmarkExplicit,
    code,
)
from femu.analyses.integrators.integrator import Integrator
from femu.model.doubts import accepting, warn_accepted
from femu.opensees.front_end.accepted import ACCEPTED
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import Implicit, StaticControl, chosen
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import Kinds, command

INTEGRATORS = Kinds("integrator", "integrator")
ROUND_OFF = 1e-12  # of a sum of coefficients


@command("integrator", "analysis", "kind:w", "What a step is; see the kinds.")
def integrator(reader: Reader) -> None:
    kind = INTEGRATORS.find(reader)
    reader.command = f"integrator({kind.name!r})"
    with accepting(ACCEPTED):
        made = kind.make(reader, reader.read(kind.form), kind.name)
    if isinstance(made, StaticControl):
        chosen.static = made
    else:
        chosen.transient = made
    chosen.changed()


@INTEGRATORS.kind(
    "LoadControl", form="dLambda numIter:i=1 minLambda=None maxLambda=None", into="load control"
)
def _load_control(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    least, most = a["minLambda"], a["maxLambda"]
    step, wanted = a["dLambda"], _wanted_iterations(reader, a)
    return StaticControl(
        code.LOAD,
        step,
        wanted=wanted,
        least=step if least is None else least,
        most=step if most is None else most,
        last=wanted,
    )


def _wanted_iterations(reader: Reader, a: dict[str, Any]) -> int:
    """Iterations that a step should take; 0 counts as 1, as in OpenSees."""
    if a["numIter"] < 0:
        raise reader.wrong("numIter", a["numIter"], "must not be negative")
    return max(1, int(a["numIter"]))


@INTEGRATORS.kind(
    "DisplacementControl",
    into="displacement control",
    form="nodeTag:i dof:i incr numIter:i=1 dUmin=None dUmax=None | -initial",
)
def _displacement_control(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    domain.direction(a["nodeTag"], a["dof"], reader)
    if a["initial"]:
        warn_accepted(f"{reader.command}: -initial: femu starts from the current stiffness.")
    wanted = _wanted_iterations(reader, a)
    step, least, most = a["incr"], a["dUmin"], a["dUmax"]
    return StaticControl(
        code.DISPLACEMENT,
        step,
        a["nodeTag"],
        a["dof"],
        wanted=wanted,
        least=step if least is None else least,
        most=step if most is None else most,
        last=wanted,
    )


@INTEGRATORS.kind("ArcLength", form="s alpha", into="arc length")
def _arc_length(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    weight = a["alpha"] * a["alpha"]
    if not math.isfinite(weight):
        raise reader.wrong("alpha", a["alpha"], "is too large: its square must be finite")
    if a["s"] == 0.0:
        raise reader.wrong("s", a["s"], "must not be 0")
    return StaticControl(code.ARC_LENGTH, a["s"], weight=weight)


def _implicit(
    reader: Reader, name: str, alpha_m: float, alpha_f: float, beta: float, gamma: float
) -> Implicit:
    """An integrator of these coefficients: beta divides, so it must be above 0."""
    for what, value in (("beta", beta), ("gamma", gamma)):  # worked out from the others
        if not math.isfinite(value):
            raise reader.wrong(what, value, "must be finite")
    if not beta > 0.0:
        raise reader.wrong("beta", beta, "must be above 0")
    if not alpha_m >= alpha_f >= 0.5 or gamma < 0.5 + alpha_m - alpha_f - ROUND_OFF:
        warn_accepted(
            f"{reader.command}: alphaM = {alpha_m:g}, alphaF = {alpha_f:g}, gamma = {gamma:g}, "
            f"beta = {beta:g} are outside the range in which the method is stable: it needs alphaM "
            ">= alphaF >= 0.5 and gamma >= 0.5 + alphaM - alphaF."
        )
    return Implicit(name, alpha_m, alpha_f, beta, gamma)


@INTEGRATORS.kind("Newmark", form="gamma beta | -form form:w", into="Newmark")
def _newmark(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    if a["form"] not in (None, "D", "d"):
        warn_accepted(
            f"{reader.command}: -form {a['form']} names the unknowns of the iterations: femu "
            "takes displacements, and tests them. The same equilibrium is found."
        )
    if not a["beta"] > 0.0:
        raise reader.unsupported("beta = 0 is not supported: use NewmarkExplicit.")
    return _implicit(reader, name, 1.0, 1.0, a["beta"], a["gamma"])


@INTEGRATORS.kind("HHT", form="alpha gamma=None beta=None", into="HHT")
def _hht(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    alpha = a["alpha"]
    if a["beta"] is None and a["gamma"] is not None:
        warn_accepted(f"{reader.command}: gamma without beta has no effect.")
    gamma = 1.5 - alpha if a["beta"] is None else a["gamma"]
    beta = (2.0 - alpha) * (2.0 - alpha) / 4.0 if a["beta"] is None else a["beta"]
    return _implicit(reader, name, 1.0, alpha, beta, gamma)


@INTEGRATORS.kind(
    "GeneralizedAlpha", form="alphaM alphaF gamma=None beta=None", into="GeneralizedAlpha"
)
def _generalized(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    difference = a["alphaM"] - a["alphaF"]
    gamma = 0.5 + difference if a["gamma"] is None else a["gamma"]
    beta = (1.0 + difference) * (1.0 + difference) / 4.0 if a["beta"] is None else a["beta"]
    return _implicit(reader, name, a["alphaM"], a["alphaF"], beta, gamma)


@INTEGRATORS.kind("HHTGeneralized", form="rhoInf", into="GeneralizedAlpha")
def _hht_generalized(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    r = a["rhoInf"]
    if r == -1.0:
        raise reader.wrong("rhoInf", r, "must not be -1")
    m, f = (2.0 - r) / (1.0 + r), 1.0 / (1.0 + r)
    return _implicit(reader, name, m, f, (1.0 + m - f) ** 2 / 4.0, 0.5 + m - f)


@INTEGRATORS.kind("NewmarkExplicit", form="gamma", into="NewmarkExplicit")
def _newmark_explicit(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    return NewmarkExplicit(a["gamma"])


@INTEGRATORS.kind("CentralDifference", form="", into="CentralDifference")
def _central_difference(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    return CentralDifference()


@INTEGRATORS.kind("TRBDF2", form="", into="TRBDF2")
def _trbdf2(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    return TRBDF2()


@INTEGRATORS.kind(
    "AlphaOS",
    "AlphaOS_TP",
    form="alpha | -updateElemDisp",
    into="AlphaOS, with the tangent of the algorithm",
)
def _alpha_os(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    if not math.isfinite(a["alpha"] * a["alpha"]):
        raise reader.wrong("alpha", a["alpha"], "is too large: its square must be finite")
    if name == "AlphaOS" and a["alpha"] != 1.0:
        return AlphaOS(a["alpha"], form=_form(a))
    return AlphaOS(a["alpha"])


@INTEGRATORS.kind(
    "AlphaOSGeneralized",
    "AlphaOSGeneralized_TP",
    form="rhoInf | -updateElemDisp",
    into="GeneralizedAlphaOS, with the tangent of the algorithm",
)
def _alpha_os_generalized(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    return GeneralizedAlphaOS(
        a["rhoInf"], form=_form(a) if name == "AlphaOSGeneralized" else "trapezoidal"
    )


@INTEGRATORS.kind(
    "KRAlphaExplicit", "KRAlphaExplicit_TP", form="rhoInf | -updateElemDisp", into="KRAlpha"
)
def _kr_alpha(reader: Reader, a: dict[str, Any], name: str) -> Integrator:
    return KRAlpha(a["rhoInf"], form=_form(a) if name == "KRAlphaExplicit" else "trapezoidal")


def _form(a: dict[str, Any]) -> str:
    return "midpoint" if a["updateElemDisp"] else "inside"


INTEGRATORS.refuse(
    "femu has no such integrator",
    "MinUnbalDispNorm",
    "ParallelDisplacementControl",
    "ArcLength1",
    "HSConstraint",
    "PFEM",
    "Houbolt",
    "WilsonTheta",
    "Collocation",
    "BackwardEuler",
    "CentralDifferenceAlternative",
    "CentralDifferenceNoDamping",
    "ExplicitDifference",
    "Newmark1",
    "HHT1",
    "HHTExplicit",
    "TRBDF3",
    "NewmarkHSFixedNumIter",
    "NewmarkHSIncrReduct",
    "NewmarkHSIncrLimit",
    "EQPath",
    "GimmeMCK",
)
