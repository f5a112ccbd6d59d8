"""algorithm: how the iterations of a step look for equilibrium."""

from __future__ import annotations

from typing import Any

from femu.analyses import settings as code
from femu.errors import shown
from femu.opensees.arguments import Reader
from femu.opensees.choices import Algorithm, chosen
from femu.opensees.table import Kinds, command

ALGORITHMS = Kinds("algorithm", "algorithm")
UPDATES = 10  # of a quasi-Newton method before it forms a new tangent
MOST_UPDATES = 100
ACCELERATED = 8  # increments that stand in for those of a method that femu does not have


@command("algorithm", "analysis", "kind:w", "How a step looks for equilibrium; see the kinds.")
def algorithm(reader: Reader) -> None:
    kind = ALGORITHMS.find(reader)
    reader.command = f"algorithm({kind.name!r})"
    reader.items = ["-initial" if item == "-Initial" else item for item in reader.items]  # OpenSees takes both
    chosen.algorithm = kind.make(reader, kind.name)
    chosen.changed()


@ALGORITHMS.kind("Linear", form="| -initial | -secant | -factorOnce", into="one iteration, not tested")
def _linear(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial | -secant | -factorOnce")
    return Algorithm(name, code.INITIAL if a["initial"] else code.EACH)


@ALGORITHMS.kind("Newton", form="| -initial", into="Newton")
def _newton(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial", ("-initialThenCurrent", "-intialThenCurrent", "-secant", "-hall", "-Hall"))
    return Algorithm(name, code.INITIAL if a["initial"] else code.EACH)


@ALGORITHMS.kind("ModifiedNewton", form="| -initial", into="ModifiedNewton")
def _modified(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial", ("-secant", "-hall", "-Hall", "-factorOnce", "-FactorOnce"))
    return Algorithm(name, code.INITIAL if a["initial"] else code.FIRST_OF_STEP)


@ALGORITHMS.kind("NewtonLineSearch", into="NewtonLineSearch",
                 form="ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta maxEta")
def _line_search(reader: Reader, name: str) -> Algorithm:
    a = reader.read("ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta maxEta | -initial",
                    ("-pFlag",))  # -initial has no effect in OpenSees either
    if a["type"] not in (None, "InitialInterpolated"):
        raise reader.unsupported(f"option '-type' = {shown(a['type'])} is not supported. Use InitialInterpolated.")
    for option, value in (("maxIter", code.LINE_SEARCH_TRIALS), ("minEta", code.LINE_SEARCH_LEAST),
                          ("maxEta", code.LINE_SEARCH_MOST)):
        if a[option] not in (None, value):
            raise reader.unsupported(f"option '-{option}' other than {value:g} is not supported.")
    return Algorithm(name, code.EACH, a["ratio"] if a["tol"] is None else a["tol"])


def _with_current_tangents(reader: Reader) -> dict[str, Any]:
    """Options of the accelerated methods; -initial is taken by OpenSees too, and has no effect there."""
    a = reader.read(" | -maxDim maxDim:i | -iterate iterate:w | -increment increment:w | -initial")
    for option in ("iterate", "increment"):
        if a[option] not in (None, "current"):
            raise reader.unsupported(f"option '-{option}' = {shown(a[option])} is not supported. Use current.")
    return a


@ALGORITHMS.kind("RaphsonNewton", form="", into="Newton")
def _raphson(reader: Reader, name: str) -> Algorithm:
    _with_current_tangents(reader)
    return Algorithm("Newton")


@ALGORITHMS.kind("KrylovNewton", form="| -maxDim maxDim:i", into="KrylovNewton")
def _krylov(reader: Reader, name: str) -> Algorithm:
    a = _with_current_tangents(reader)
    dimension = 3 if a["maxDim"] is None else a["maxDim"]
    if not 1 <= dimension <= 20:
        raise reader.error(f"maxDim = {dimension} must lie between 1 and 20.")
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, dimension)


@ALGORITHMS.kind("BFGS", "Broyden", form="| -initial | -count count:i", into="BFGS, Broyden")
def _quasi_newton(reader: Reader, name: str) -> Algorithm:
    a = reader.read("ignored:i=0 | -initial | -count count:i", ("-secant",))  # OpenSees skips a number without -count
    updates = UPDATES if a["count"] is None else a["count"]
    if not 1 <= updates <= MOST_UPDATES:
        raise reader.error(f"count = {updates} must lie between 1 and {MOST_UPDATES}.")
    return Algorithm(name, code.INITIAL if a["initial"] else code.FIRST_OF_STEP, 0.0, updates,
                     code.BFGS if name == "BFGS" else code.BROYDEN)


@ALGORITHMS.kind("SecantNewton", "PeriodicNewton", into="KrylovNewton: the same equilibrium, other iterations",
                 form="| -maxDim maxDim:i")
def _accelerated(reader: Reader, name: str) -> Algorithm:
    reader.read("count:i=0 | -initial | -secant | -count count:i | -maxDim maxDim:i | -iterate iterate:w | -increment incr:w")
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, ACCELERATED)


ALGORITHMS.refuse("femu has Newton, ModifiedNewton, NewtonLineSearch, KrylovNewton, BFGS, Broyden and Linear",
                  "MillerNewton", "ExpressNewton", "AcceleratedNewton")
