"""algorithm: how the iterations of a step look for equilibrium."""

from __future__ import annotations

from typing import Any

from femu.analyses import code
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import Algorithm, chosen
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

ALGORITHMS = Kinds("algorithm", "algorithm")
UPDATES = 10  # of a quasi-Newton method before it forms a new tangent
MOST_UPDATES = 100
MOST_DIMENSIONS = 20  # of the subspace of KrylovNewton
ACCELERATED = 8  # increments used for a method that femu does not have


@command("algorithm", "analysis", "kind:w", "How a step looks for equilibrium; see the kinds.")
def algorithm(reader: Reader) -> None:
    kind = ALGORITHMS.find(reader)
    reader.command = f"algorithm({kind.name!r})"
    # OpenSees takes both
    reader.items = ["-initial" if item == "-Initial" else item for item in reader.items]
    chosen.algorithm = kind.make(reader, kind.name)
    chosen.changed()


@ALGORITHMS.kind(
    "Linear", form="| -initial | -secant | -factorOnce", into="one iteration, not tested"
)
def _linear(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial | -secant | -factorOnce | -FactorOnce")
    once = a["factorOnce"] or a["FactorOnce"]
    if once and domain.reached is not None:
        _instead(
            reader,
            "option '-factorOnce' after steps of another analysis",
            "forms the stiffness in each step",
        )
        once = False
    return Algorithm(name, code.INITIAL if a["initial"] or once else code.EACH)


def _instead(reader: Reader, what: str, does: str) -> None:
    """Warn that the iterations are others than those of OpenSees."""
    warn(
        f"{reader.command}: {what} is not followed: femu {does}. Equilibrium is the same if the "
        "steps converge.",
        ModelWarning,
    )


def _bounded(reader: Reader, name: str, value: int, most: int) -> int:
    """A count within the bounds of femu."""
    inside = min(max(value, 1), most)
    if inside != value:
        _instead(reader, f"{name} = {value}", f"takes {inside}")
    return inside


_TANGENTS = " | -initial | -secant | -hall *shares | -Hall *shares"


def _question_tangent(reader: Reader, a: dict[str, Any]) -> None:
    """Warn of tangents that femu does not mix."""
    for option in ("secant", "hall", "Hall"):
        if a[option]:
            _instead(reader, f"option '-{option}'", "takes the current stiffness")


@ALGORITHMS.kind("Newton", form="| -initial", into="Newton")
def _newton(reader: Reader, name: str) -> Algorithm:
    a = reader.read(_TANGENTS + " | -initialThenCurrent | -intialThenCurrent")
    _question_tangent(reader, a)
    if a["initialThenCurrent"] or a["intialThenCurrent"]:
        _instead(
            reader, "option '-initialThenCurrent'", "takes the current stiffness in all iterations"
        )
    return Algorithm(name, code.INITIAL if a["initial"] else code.EACH)


@ALGORITHMS.kind("ModifiedNewton", form="| -initial", into="ModifiedNewton")
def _modified(reader: Reader, name: str) -> Algorithm:
    a = reader.read(_TANGENTS + " | -factorOnce | -factoronce | -FactorOnce")
    _question_tangent(reader, a)
    if a["factorOnce"] or a["factoronce"] or a["FactorOnce"]:
        _instead(reader, "option '-factorOnce'", "forms the stiffness in each step")
    return Algorithm(name, code.INITIAL if a["initial"] else code.FIRST_OF_STEP)


@ALGORITHMS.kind(
    "NewtonLineSearch",
    into="NewtonLineSearch",
    form="ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta "
    "maxEta",
)
def _line_search(reader: Reader, name: str) -> Algorithm:
    a = reader.read(
        "ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta "
        "maxEta | -initial",
        ("-pFlag",),
    )  # -initial has no effect in OpenSees either
    if a["type"] not in (None, "InitialInterpolated"):
        if a["type"] not in ("Bisection", "Secant", "RegulaFalsi", "LinearInterpolated"):
            raise reader.wrong(
                "-type", a["type"], "must be InitialInterpolated, Bisection, Secant or RegulaFalsi"
            )
        _instead(reader, f"option '-type' = {shown(a['type'])}", "has InitialInterpolated")
    for option, value in (
        ("maxIter", code.LINE_SEARCH_TRIALS),
        ("minEta", code.LINE_SEARCH_LEAST),
        ("maxEta", code.LINE_SEARCH_MOST),
    ):
        if a[option] not in (None, value):
            _instead(reader, f"option '-{option}' = {a[option]:g}", f"has {value:g}")
    return Algorithm(name, code.EACH, a["ratio"] if a["tol"] is None else a["tol"])


def _with_current_tangents(reader: Reader) -> dict[str, Any]:
    """Options of the accelerated methods.

    -initial is taken by OpenSees too, and has no effect there.
    """
    a = reader.read(" | -maxDim maxDim:i | -iterate iterate:w | -increment increment:w | -initial")
    for option in ("iterate", "increment"):
        if a[option] not in (None, "current"):
            _instead(
                reader, f"option '-{option}' = {shown(a[option])}", "takes the current stiffness"
            )
    return a


@ALGORITHMS.kind("RaphsonNewton", form="", into="Newton")
def _raphson(reader: Reader, name: str) -> Algorithm:
    _with_current_tangents(reader)
    return Algorithm("Newton")


@ALGORITHMS.kind("KrylovNewton", form="| -maxDim maxDim:i", into="KrylovNewton")
def _krylov(reader: Reader, name: str) -> Algorithm:
    a = _with_current_tangents(reader)
    dimension = (
        3 if a["maxDim"] is None else _bounded(reader, "maxDim", a["maxDim"], MOST_DIMENSIONS)
    )
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, dimension)


@ALGORITHMS.kind("BFGS", "Broyden", form="| -initial | -count count:i", into="BFGS, Broyden")
def _quasi_newton(reader: Reader, name: str) -> Algorithm:
    # OpenSees skips a number without -count
    a = reader.read("ignored:i=0 | -initial | -count count:i", ("-secant",))
    updates = UPDATES if a["count"] is None else _bounded(reader, "count", a["count"], MOST_UPDATES)
    return Algorithm(
        name,
        code.INITIAL if a["initial"] else code.FIRST_OF_STEP,
        0.0,
        updates,
        code.BFGS if name == "BFGS" else code.BROYDEN,
    )


@ALGORITHMS.kind(
    "SecantNewton",
    "PeriodicNewton",
    "ExpressNewton",
    "MillerNewton",
    "AcceleratedNewton",
    into="KrylovNewton: the same equilibrium, other iterations",
    form="| -maxDim maxDim:i",
)
def _accelerated(reader: Reader, name: str) -> Algorithm:
    reader.read(
        "count=0 kMultiplier=1 | -initial | -initialTangent | -currentTangent | -factorOnce | "
        "-secant | -count count:i | -maxDim maxDim:i | -iterate iterate:w | "
        "-increment incr:w"
    )
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, ACCELERATED)
