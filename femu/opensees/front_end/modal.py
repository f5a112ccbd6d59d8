"""eigen, modalProperties, modalDamping: natural modes."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eig

from femu.analyses.eigen import Modes
from femu.analyses.eigen import eigen as find_modes
from femu.engine.workspace import Workspace
from femu.model.doubts import warn_accepted
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain, kept_finite
from femu.opensees.front_end.files import write_text
from femu.opensees.front_end.session import give
from femu.opensees.front_end.table import command
from femu.support.errors import AnalysisError, shown

Array = npt.NDArray[np.float64]
MOST_DENSE = 2000  # equations

_SOLVERS = (
    "-genBandArpack",
    "-fullGenLapack",
    "-symmBandLapack",
    "-frequency",
    "-generalized",
    "-Umfpack",
    "genBandArpack",
    "fullGenLapack",
    "symmBandLapack",
    "-mumps",
)


@command(
    "eigen",
    "analysis",
    "solver:w=None numEigenvalues:i",
    "Eigenvalues (squares of the circular frequencies) of the present state.",
)
def eigen(reader: Reader) -> list[float]:
    while isinstance(reader.peek(), str):
        solver = reader.take("solver", "w")
        if solver not in _SOLVERS:
            raise reader.unsupported(
                f"option {shown(solver)} is not supported. Supported: {', '.join(_SOLVERS[:3])}."
            )
    count = reader.read("numEigenvalues:i")["numEigenvalues"]
    if not domain.model.elements:
        raise reader.error("there are no elements.")
    with kept_finite(domain.state):
        try:
            modes = find_modes(
                domain.program,
                count,
                state=domain.state,
                parameters=domain.program.parameters.vector,
            )
            values = modes.frequencies**2
        except AnalysisError as problem:
            modes, values = _all_modes(count, problem)
    domain.modes, domain.eigenvalues = modes, values.tolist()
    if domain.modal_ratios and domain.session is not None:
        domain.session.end()  # it has damped the modes found before
    return list(domain.eigenvalues)


def _all_modes(count: int, problem: AnalysisError) -> tuple[Modes, Array]:
    """Modes of a model that can move without resistance, or that has few masses.

    Motions without mass have an infinite eigenvalue, which OpenSees writes as the largest number.
    """
    program = domain.program
    run = Workspace(program, domain.state.copy(), program.parameters.vector)
    stiffness, masses = run.tangent(), run.mass_matrix()[0]
    free = np.delete(np.arange(program.neq), list(program.imposed))
    if not 1 <= count <= len(free) or len(free) > MOST_DENSE:
        raise problem
    K, M = (program.sparsity.to_dense(m)[np.ix_(free, free)] for m in (stiffness, masses))
    if not (np.isfinite(K).all() and np.isfinite(M).all()):
        raise problem
    try:
        (top, bottom), vectors = eig(K, M, homogeneous_eigvals=True)
    except np.linalg.LinAlgError:
        raise problem from None
    finite = np.abs(bottom) > sys.float_info.epsilon * np.abs(top) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(finite, (top / bottom).real, sys.float_info.max)
    order = np.argsort(values, kind="stable")[:count]
    warn_accepted(f"eigen: {problem}")
    shapes = np.zeros((program.ndof, count))
    shapes[free] = vectors[:, order].real
    for place, terms in program.numbering.links.items():
        shapes[place] = sum(f * shapes[e] for e, f in terms)
    with np.errstate(divide="ignore", invalid="ignore"):
        periods = 2.0 * np.pi / np.sqrt(values[order])
    return Modes(program, periods, shapes, {}), values[order]


def shape_of(node: int, mode: int) -> list[float]:
    """Displacements of a node in a mode."""
    modes = domain.modes
    if modes is None or not 1 <= mode <= len(modes.periods):
        return [0.0] * len(domain.node_dofs[node])
    place = modes.program.numbering.place
    return [
        float(modes.shapes[place[node, d], mode - 1]) if (node, d) in place else 0.0
        for d in domain.node_dofs[node]
    ]


@command(
    "nodeEigenvector",
    "queries",
    "nodeTag:i eigenvector:i dof:i=None",
    "Displacement of a node in a mode.",
)
def node_eigenvector(reader: Reader) -> Any:
    a = reader.read("nodeTag:i eigenvector:i dof:i=None")
    domain.node(a["nodeTag"], reader)
    if domain.modes is None:
        raise reader.error("there are no modes yet: call eigen first.")
    if not 1 <= a["eigenvector"] <= len(domain.eigenvalues):
        raise reader.error(
            f"eigenvector = {a['eigenvector']} must lie between 1 and {len(domain.eigenvalues)}."
        )
    found = shape_of(a["nodeTag"], a["eigenvector"])
    if a["dof"] is None:
        return found
    domain.direction(a["nodeTag"], a["dof"], reader)
    return found[a["dof"] - 1]


@command(
    "modalDamping",
    "model",
    "*factors",
    "A damping ratio for each mode that eigen found: one for all, or one each.",
)
def modal_damping(reader: Reader) -> None:
    factors = reader.read("*factors")["factors"]
    if domain.modes is None:
        raise reader.error("there are no modes yet: call eigen first.")
    wrong = [factor for factor in factors if factor < 0.0]
    if wrong:
        raise reader.wrong("factor", wrong[0], "must not be negative")
    count = len(domain.eigenvalues)
    if len(factors) not in (1, count):
        raise reader.error(
            f"needs one factor, or {count}, one for each mode; {len(factors)} were given."
        )
    domain.modal_ratios = tuple(factors * count if len(factors) == 1 else factors)
    if domain.session is not None:
        domain.session.end()


@command(
    "responseSpectrumAnalysis",
    "analysis",
    "tsTag:i direction:i | -scale scale | -mode mode:i | -Tn *Tn | -Sa *Sa",
    "Largest displacements of each mode, one after the other; with -Tn and -Sa in place of tsTag.",
)
def response_spectrum(reader: Reader) -> None:
    """Recorders write each mode; the last one is the state that stays."""
    a = reader.read("first:i second:i=None | -scale scale | -mode mode:i | -Tn *Tn | -Sa *Sa")
    if a["scale"] is not None:
        warn_accepted(f"{reader.command}: -scale does not change the displacements.")
    direction = a["first"] if a["second"] is None else a["second"]
    if domain.modes is None:
        raise reader.error("there are no modes yet: call eigen first.")
    names = [name for name in properties(False) if name.startswith("partiFactor")]
    if not 1 <= direction <= len(names):
        raise reader.wrong("direction", direction, f"must lie between 1 and {len(names)}")
    if a["second"] is not None:
        series = domain.find("timeSeries", domain.series, a["first"], reader)
    elif len(a["Tn"]) != len(a["Sa"]) or not a["Tn"]:
        raise reader.error("needs tsTag and direction, or as many -Tn as -Sa.")
    found = properties(False)
    factors, modes = found[names[direction - 1]], domain.modes
    count = len(domain.eigenvalues)
    if a["mode"] is not None and not 1 <= a["mode"] <= count:
        raise reader.wrong("-mode", a["mode"], f"must lie between 1 and {count}")
    for m in range(count) if a["mode"] is None else [a["mode"] - 1]:
        period = found["eigenPeriod"][m]
        strength = (
            float(series.at(period))
            if a["second"] is not None
            else float(np.interp(period, a["Tn"], a["Sa"]))
        )
        _take_shape(reader, factors[m] * strength / domain.eigenvalues[m] * modes.shapes[:, m])


def _take_shape(reader: Reader, moved: Array) -> None:
    """Go to displacements, and let the recorders write them."""
    session = present(reader)
    session.flush()
    layout, place = session.program.layout, domain.modes.program.numbering.place
    for dof, at in session.program.numbering.place.items():
        session.state.vector[layout.u + at] = moved[place[dof]] if dof in place else 0.0
    session.evaluate(reader)
    session.refresh()
    give(domain, session.now())


@command(
    "modalProperties",
    "analysis",
    "| -print | -file file:w | -unorm | -return",
    "Periods, participation factors and masses of the modes that eigen found.",
)
def modal_properties(reader: Reader) -> Any:
    a = reader.read(" | -print | -file file:w | -unorm | -return")
    if domain.modes is None:
        raise reader.error("there are no modes yet: call eigen first.")
    if min(domain.eigenvalues, default=0.0) <= 0.0:
        raise reader.error(
            f"eigenvalue {min(domain.eigenvalues, default=0.0)!r} has no period: it must be above "
            "0."
        )
    found = properties(a["unorm"])
    if a["print"]:
        print(_report(found))
    if a["file"] is not None:
        write_text(reader, a["file"], _report(found))
    return found if a["return"] else None


def properties(unit: bool) -> dict[str, list[float]]:
    """Modal properties under the names of OpenSees.

    In the plane MX, MY, RMZ, in space also MZ, RMX, RMY.

    Longer than a page: the table, name by name.
    """
    modes, program = domain.modes, domain.modes.program
    mass = program.mass_matrix()
    space = domain.ndm == 3
    axes = ("x", "y", "z")[: domain.ndm]
    coordinates, place = program.coordinates, program.numbering.place
    held = {p for p in range(program.neq, program.ndof)}
    names = [f"M{d.upper()}" for d in axes] + (
        ["RMX", "RMY", "RMZ"] if space else ["RMZ"] if domain.ndm == 2 else []
    )
    diagonal = mass.diagonal()
    total, free, centre = {}, {}, {}
    for d, name in zip(axes, names, strict=False):
        at = [(place[n, d], coordinates[n]) for n in coordinates if (n, d) in place]
        total[name] = sum(float(diagonal[p]) for p, _ in at)
        free[name] = sum(float(diagonal[p]) for p, _ in at if p not in held)
        weights = [float(diagonal[p]) for p, _ in at if p not in held]
        where = [x for p, x in at if p not in held]
        axis = axes.index(d)
        centre[d] = (
            (sum(w * x[axis] for w, x in zip(weights, where, strict=True)) / sum(weights))
            if sum(weights)
            else 0.0
        )
    influence = {}
    for name in names:
        r = np.zeros(program.ndof)
        for (node, d), p in place.items():
            arm = np.zeros(3)
            arm[: domain.ndm] = [coordinates[node][axes.index(x)] - centre[x] for x in axes]
            r[p] = _rigid(name, d, arm)
        influence[name] = r
        if name.startswith("R"):
            everything, movable = r, np.where([p in held for p in range(program.ndof)], 0.0, r)
            total[name] = float(everything @ (mass @ everything))
            free[name] = float(movable @ (mass @ movable))
    result: dict[str, list[float]] = {
        "eigenLambda": list(domain.eigenvalues),
        "eigenOmega": [math.sqrt(v) for v in domain.eigenvalues],
        "eigenFrequency": [math.sqrt(v) / (2.0 * math.pi) for v in domain.eigenvalues],
        "eigenPeriod": [2.0 * math.pi / math.sqrt(v) for v in domain.eigenvalues],
        "totalMass": [total[n] for n in names],
        "totalFreeMass": [free[n] for n in names],
        "centerOfMass": [float(centre[d]) for d in axes],
        "domainSize": [float(domain.ndm)],
    }
    for name in names:
        factors, masses = [], []
        for m in range(len(domain.eigenvalues)):
            shape = modes.shapes[:, m]
            if unit:
                shape = shape / shape[np.abs(shape).argmax()]
            general = float(shape @ (mass @ shape))
            moved = float(shape @ (mass @ influence[name]))
            factors.append(moved / general)
            masses.append(moved**2 / general)
        result[f"partiFactor{name}"] = factors
        result[f"partiMass{name}"] = masses
        result[f"partiMassesCumu{name}"] = np.cumsum(masses).tolist()
        share = [100.0 * v / free[name] if free[name] else 0.0 for v in masses]
        result[f"partiMassRatios{name}"] = share
        result[f"partiMassRatiosCumu{name}"] = np.cumsum(share).tolist()
    return result


def _rigid(name: str, direction: str, arm: Any) -> float:
    """Displacement in a direction when the whole moves or turns as one: MX ... or RMX ..."""
    if not name.startswith("R"):
        return 1.0 if direction == name[1].lower() else 0.0
    axis = "xyz".index(name[2].lower())
    if direction.startswith("r"):
        return 1.0 if direction[1] == name[2].lower() else 0.0
    turn = np.zeros(3)
    turn[axis] = 1.0
    return float(np.cross(turn, arm)["xyz".index(direction)])


def _report(found: dict[str, list[float]]) -> str:
    return (
        "\n".join(
            f"{name}: {', '.join(f'{v:.6g}' for v in values)}" for name, values in found.items()
        )
        + "\n"
    )
