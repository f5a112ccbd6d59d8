"""What is wrong, and what looks wrong, with a model: findings in sentences.

`check` asks what an experienced colleague would ask about a model before it runs. An "error" will
not run or has no meaning, a "warning" is probably a slip, a "note" may be meant.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, qr
from scipy.sparse import coo_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from femu.check.axes import weak_axes
from femu.check.gravity import weights
from femu.check.masses import free_equations, missing_mass
from femu.engine.element_kernels import EVALUATE
from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.model.component import Component, Section
from femu.model.element import ROTATIONS, Coordinates, Element, Name, span
from femu.model.findings import Finding, Findings, as_error, as_note, as_warning
from femu.model.series import Series
from femu.support.arguments import typed
from femu.support.errors import FemuError, InputError
from femu.units import g

if TYPE_CHECKING:
    from femu.model.model import Model

Array = npt.NDArray[np.float64]

# eigenvalue of the stiffness scaled to a unit diagonal, below which nothing resists
MECHANISM = 1e-13
DENSE = 600  # equations up to which all eigenvalues are found at once
MODES_SOUGHT = 8  # near-null vectors looked for in larger models
SAME_LENGTH = 0.01  # share by which a specimen may differ from its member
FAR = 200.0  # times the other members: metres and millimetres differ by a thousand
COINCIDENT = 1e-6  # distance of two nodes over the size of the model
# between neighbours: a double has 16 digits, and a result wants some of them
STIFFNESS_RATIO = 1e10
YIELD_STRAINS = (1e-4, 2e-2)  # fy/E of steels, concretes and timbers, with room to spare
PERIODS = (0.005, 15.0)  # seconds: from a stiff machine base to the tallest towers
DAMPING_MOST = 0.20  # ratio at one of the first modes
# median member: below the one it is in metres, above the other in millimetres
METRES, MILLIMETRES = 60.0, 600.0
MODULUS_IN_MPA = (8e3, 3e5)  # from timber to steel
MODULUS_IN_PA = 1e9
# up to that of steel; members that long may be parts of some in inches
MODULUS_IN_KSI, SHORT = 3.2e4, 8.0
PGA_IN_G, PGA_PERHAPS_IN_G, PGA_MOST = (0.01, 0.6), 2.0, 30.0  # peaks of records, in m/s2


@typed
def check(model: Model, motion: Series | None = None) -> Findings:
    """All findings on a model, and on a ground motion in its units if one is given."""
    found = [
        *_nodes(model),
        *_members(model),
        *_specimens(model),
        *_loads(model),
        *check_units(model),
        *far_nodes(model),
        *_yield_strains(model),
    ]
    program = None
    if not any(f.severity == "error" for f in found):
        # damping by ratios needs modes, which a mechanism does not have
        undamped = copy.copy(model)
        undamped.damping = undamped.modal = None
        try:
            program = undamped.compile()
        except FemuError as problem:
            found.append(as_error(str(problem)))
    if program is not None:
        loose = list(mechanisms(program))
        found += loose
        found += [
            *_stiff_neighbours(program),
            *missing_mass(program),
            *weights(model, program, length_unit_of(model)),
        ]
        found += weak_axes(model, program)
        if not loose:
            found += [*_periods(program), *_damping(model, program)]
    if motion is not None:
        found += check_motion(motion, length_unit_of(model))
    rank = {"error": 0, "warning": 1, "note": 2}
    return Findings(sorted(found, key=lambda f: rank[f.severity]))


@typed
def check_motion(motion: Series, length_unit: float | None = 1.0) -> Findings:
    """Findings on the peak of a ground motion.

    ``length_unit`` is that of the model in metres, None if not known.
    """
    samples = getattr(motion, "acceleration", None)
    if samples is None:
        raise InputError("check", "motion", motion, "must be a GroundMotion")
    peak, name = float(np.abs(samples).max()), getattr(motion, "name", "motion")
    says = f"the motion {name!r} has a peak of {peak:.3g}"
    if peak == 0.0:
        return Findings([as_warning(f"the motion {name!r} is zero throughout.", name)])
    if length_unit is not None and length_unit < 1.0 and peak < PGA_MOST:
        return Findings(
            [
                as_warning(
                    f"{says}: is this in g or m/s2, while the model is in millimetres? Expected "
                    "are some hundred or thousand mm/s2.",
                    name,
                )
            ]
        )
    if PGA_IN_G[0] <= peak < PGA_IN_G[1]:
        return Findings(
            [
                as_warning(
                    f"{says}: is this in g? In m/s2 it would be {peak * g:.3g}; multiply by "
                    "femu.units.g.",
                    name,
                )
            ]
        )
    if PGA_IN_G[1] <= peak < PGA_PERHAPS_IN_G:
        return Findings(
            [as_note(f"{says}: a moderate motion in m/s2, or a very strong one in g.", name)]
        )
    if length_unit is not None and peak * length_unit > PGA_MOST:
        return Findings(
            [as_warning(f"{says}, more than any record: is this in cm/s2 or mm/s2?", name)]
        )
    return Findings()


# --- the description ---


def _nodes(model: Model) -> Iterator[Finding]:
    if not model.elements:
        yield as_error(f"model {model.name!r} has no elements.", model.name)
        return
    used = {node for element in model.elements.values() for node in element.nodes}
    tied = {node for pair in _ties(model) for node in pair}
    for node in model.nodes.values():
        if node.name not in used | tied:
            carries = [
                what
                for what, there in (
                    ("mass", any(node.mass.values())),
                    ("loads", _loaded(model, node.name)),
                )
                if there
            ]
            severity, rest = (
                ("error", f", but has {' and '.join(carries)}") if carries else ("warning", "")
            )
            yield Finding(
                severity, f"node {node.name!r} is connected to no element{rest}.", (node.name,)
            )
    yield from _coincident(model)


def _ties(model: Model) -> list[tuple[Name, Name]]:
    """Pairs of nodes that a constraint ties."""
    return (
        [(a, b) for a, b, _ in model.equal]
        + list(model.links)
        + [(a, b) for a, b, _ in model.diaphragms]
    )


def _loaded(model: Model, name: Name) -> bool:
    return any(node == name for pattern in model.patterns.values() for node, _ in pattern.nodal)


def _coincident(model: Model) -> Iterator[Finding]:
    names = list(model.nodes)
    points = np.array([model.nodes[n].coordinates for n in names])
    size = float(np.ptp(points, axis=0).max()) or 1.0
    places = {name: place for place, name in enumerate(names)}
    pairs = [
        (places[a], places[b])
        for a, b in [
            *((e.nodes[0], n) for e in model.elements.values() for n in e.nodes[1:]),
            *_ties(model),
        ]
    ]
    pairs = [(a, b) for a, b in pairs if np.abs(points[a] - points[b]).max() <= COINCIDENT * size]
    a, b = np.array(pairs, dtype=int).reshape(-1, 2).T
    edges = coo_array((np.ones(len(a)), (a, b)), shape=(len(names), len(names)))
    # nodes at one place may be joined through others there
    group = connected_components(edges, directed=False)[1]
    order = np.argsort(points[:, 0], kind="stable")
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if points[j, 0] - points[i, 0] > COINCIDENT * size:
                break
            if group[i] != group[j] and np.abs(points[j] - points[i]).max() <= COINCIDENT * size:
                one, other = sorted((names[i], names[j]), key=places.__getitem__)
                yield as_warning(
                    f"nodes {one!r} and {other!r} are at the same place but nothing connects them: "
                    "are they meant to be one?",
                    one,
                    other,
                )


def _members(model: Model) -> Iterator[Finding]:
    coordinates = Coordinates({n.name: n.coordinates for n in model.nodes.values()})
    laid_out: set[Hashable] = set()
    between: dict[tuple[type[Element], frozenset[Name]], list[Element]] = {}
    for element in model.elements.values():
        try:
            likeness = element.likeness(coordinates)
            if likeness is None or likeness not in laid_out:
                element.plan(coordinates)
                laid_out.add(likeness)
        except FemuError as problem:
            yield as_error(str(problem), element.name)
        if len(element.nodes) < 2:
            continue
        others = between.setdefault((type(element), frozenset(element.nodes)), [])
        # springs may be side by side
        first = next((other for other in others if _equal(other, element)), None)
        if first is None:
            others.append(element)
            continue
        yield as_warning(
            f"{element.label()} joins the same nodes as "
            f"{type(element).__name__}({first.name!r}): is one of them a duplicate?",
            first.name,
            element.name,
        )


def _equal(one: Element, other: Element) -> bool:
    return one.values() == other.values() and list(one.walk_parameters()) == list(
        other.walk_parameters()
    )


def _specimens(model: Model) -> Iterator[Finding]:
    """An emulated member has its own length, which is 1 if none was given."""
    coordinates = {n.name: n.coordinates for n in model.nodes.values()}
    for element in model.elements.values():
        specimen = getattr(element, "specimen", None)
        inside, given = getattr(specimen, "of", None), getattr(specimen, "length", None)
        if (
            not isinstance(inside, Element)
            or given is None
            or getattr(element, "setup", None) is not None
        ):
            continue
        with contextlib.suppress(FemuError, KeyError):
            length = span(element, {n: np.asarray(x) for n, x in coordinates.items()})[0]
            if abs(given - length) > SAME_LENGTH * length:
                yield as_warning(
                    f"{element.label()} is {length:g} long and its specimen {given:g}: is "
                    f"length={length:g} of the {type(specimen).__name__} missing?",
                    element.name,
                )


def _loads(model: Model) -> Iterator[Finding]:
    for pattern in model.patterns.values():
        if not pattern.nodal and not pattern.member:
            yield as_warning(f"pattern {pattern.name!r} has no loads.", pattern.name)
        for node, direction in pattern.nodal:
            if direction in model.nodes[node].fixed and direction not in model.nodes[node].motion:
                yield as_note(
                    f"the load on node {node!r} along {direction} in pattern {pattern.name!r} goes "
                    "straight into the support: the node is fixed in that direction.",
                    node,
                    pattern.name,
                )


def _median_length(model: Model) -> float:
    lengths = [
        float(
            np.linalg.norm(
                model.nodes[e.nodes[1]].coordinates - model.nodes[e.nodes[0]].coordinates
            )
        )
        for e in model.elements.values()
        if len(e.nodes) > 1
    ]
    return float(np.median([v for v in lengths if v > 0.0] or [0.0]))


def length_unit_of(model: Model) -> float | None:
    length = _median_length(model)
    return 1.0 if 0.0 < length <= METRES else 1e-3 if length >= MILLIMETRES else None


def far_nodes(model: Model) -> Iterator[Finding]:
    """Nodes whose members are all far longer than those between other nodes.

    Coordinates in another unit.
    """
    lengths = {
        e.name: float(
            np.linalg.norm(
                model.nodes[e.nodes[1]].coordinates - model.nodes[e.nodes[0]].coordinates
            )
        )
        for e in model.elements.values()
        if len(e.nodes) > 1
    }
    at: dict[Name, list[Name]] = {}
    for e in model.elements.values():
        for node in e.nodes if e.name in lengths else ():
            at.setdefault(node, []).append(e.name)
    longest = max(lengths.values(), default=0.0)
    typical = float(np.median([v for v in lengths.values() if v > 0.0] or [0.0]))
    if longest <= FAR * typical:
        return
    for node, names in at.items():
        others = [length for name, length in lengths.items() if name not in names]
        nearest = min(lengths[name] for name in names)
        if others and 0.0 < max(others) * FAR < nearest:
            yield as_warning(
                f"node {node!r} is {nearest:.4g} away from its neighbours, "
                f"{nearest / max(others):.3g} times as far as any other two nodes of a member: are "
                "its coordinates in another unit?",
                node,
            )


def _section_parts(model: Model) -> Iterator[tuple[str, Element, Component]]:
    """Sections and bars and their materials, if a modulus is a stress over a strain."""

    def walk(
        label: str, element: Element, part: Component
    ) -> Iterator[tuple[str, Element, Component]]:
        yield label, element, part
        for name, inner in part.parts():
            # moment over curvature, torque over twist
            if name not in ("moment", "moment_y", "torsion"):
                yield from walk(f"{label}.{name}", element, inner)

    for element in model.elements.values():
        for name, part in element.parts():
            if isinstance(part, Section) or "area" in element.declared:
                yield from walk(f"{element.name}.{name}", element, part)


def check_units(model: Model) -> Iterator[Finding]:
    unit, length = length_unit_of(model), _median_length(model)
    for label, element, part in _section_parts(model):
        if "E" not in part.declared or ".axial" in label:  # there E is an axial stiffness
            continue
        E = part.E  # type: ignore[attr-defined]
        inches = E <= MODULUS_IN_KSI and length > SHORT
        if unit == 1.0 and MODULUS_IN_MPA[0] <= E <= MODULUS_IN_MPA[1] and not inches:
            yield as_warning(
                f"{label}: E = {E:.4g} looks like N/mm2, while a typical member has the length "
                f"{length:.3g}, which looks like metres.",
                element.name,
            )
            return
        if unit == 1e-3 and E >= MODULUS_IN_PA:
            yield as_warning(
                f"{label}: E = {E:.4g} looks like Pa, while a typical member has the length "
                f"{length:.4g}, which looks like millimetres.",
                element.name,
            )
            return


def _yield_strains(model: Model) -> Iterator[Finding]:
    seen: set[int] = set()
    for label, element, part in _section_parts(model):
        for stress, modulus in (("fy", "E"), ("yield_force", "EA")):
            if id(part) in seen or stress not in part.declared or modulus not in part.declared:
                continue
            seen.add(id(part))
            strain = getattr(part, stress) / getattr(part, modulus)
            if not YIELD_STRAINS[0] <= strain <= YIELD_STRAINS[1]:
                yield as_warning(
                    f"{label}: {stress}/{modulus} = {strain:.3g} is the strain at yield; in real "
                    f"materials it lies between {YIELD_STRAINS[0]:g} and {YIELD_STRAINS[1]:g}. Are "
                    "both in one unit?",
                    element.name,
                )


# --- the structure ---


def mechanisms(program: Program) -> Iterator[Finding]:
    """Motions without resistance.

    Rotations count as the motion of the end of half a member of median length.
    """
    if program.neq == 0:
        yield as_error(f"every degree of freedom of {program.name!r} is fixed.")
        return
    free = free_equations(program)
    names = {place: dof for dof, place in reversed(program.numbering.place.items())}
    K = program.sparsity.to_sparse(Workspace(program, program.state()).initial_stiffness())[free][
        :, free
    ]
    diagonal = K.diagonal()
    loose = diagonal <= 0.0
    for place in free[loose]:
        node, direction = names[int(place)]
        yield as_error(
            f"nothing holds node {node!r} in direction {direction}: no element gives it stiffness "
            "there. Fix it, or connect it.",
            node,
            direction,
        )
    kept = np.flatnonzero(~loose)
    if not len(kept):
        return
    scale = diags_array(1.0 / np.sqrt(diagonal[kept]))
    values, vectors = _smallest(scale @ K[kept][:, kept] @ scale)
    lengths = [
        float(np.linalg.norm(program.coordinates[e.nodes[1]] - program.coordinates[e.nodes[0]]))
        for e in program.elements.values()
        if len(e.nodes) > 1
    ]
    half = 0.5 * float(np.median([v for v in lengths if v > 0.0] or [0.0]))
    turns = np.array([half if names[int(free[k])][1] in ROTATIONS else 1.0 for k in kept])
    null = (scale @ vectors[:, values < MECHANISM]) * turns[:, None]
    if not null.shape[1]:
        return
    # one degree of freedom for each independent mechanism: the one that moves most
    moving = qr(null.T, pivoting=True, mode="r")[1][: null.shape[1]]
    for row in moving:
        node, direction = names[int(free[kept[row]])]
        yield as_error(
            f"the structure is a mechanism: node {node!r} moves most, in direction {direction}. A "
            "support, a member or a stiff joint is missing, or there are too many hinges.",
            node,
            direction,
        )


def _smallest(K: Any) -> tuple[Array, Array]:
    n = K.shape[0]
    if n <= DENSE:
        return eigh(K.toarray())
    shift = -1e-6  # next to zero: the shifted matrix is regular, and what is near zero comes first
    return eigsh(K.tocsc(), min(MODES_SOUGHT, n - 1), sigma=shift, which="LM", v0=np.ones(n))


def _stiff_neighbours(program: Program) -> Iterator[Finding]:
    run = Workspace(program, program.state())
    run.determine(EVALUATE)
    at: dict[Name, list[tuple[float, Name]]] = {}
    for name, element in program.elements.items():
        basic = len(program.plans[name].basic_forces)
        # the state begins with the basic forces and the basic stiffness: its first entry is the
        # axial one
        stiffness = (
            float(run.fields.elements[program.element_state(name)[0] + basic]) if basic else 0.0
        )
        if stiffness > 0.0:
            for node in element.nodes:
                at.setdefault(node, []).append((stiffness, name))
    reported: set[tuple[Name, Name]] = set()
    for node, members in at.items():
        by_stiffness = sorted(members, key=lambda member: member[0])
        (softest, soft), (stiffest, stiff) = by_stiffness[0], by_stiffness[-1]
        if stiffest > STIFFNESS_RATIO * softest and (soft, stiff) not in reported:
            reported.add((soft, stiff))
            yield as_warning(
                f"at node {node!r}, element {stiff!r} is {stiffest / softest:.1e} times as stiff "
                f"as {soft!r}: digits are lost. For a rigid part use rigid_link or offsets, or a "
                "stiffness 1e3 to 1e6 times the other.",
                node,
                stiff,
                soft,
            )


def _modes(program: Program) -> Any:
    from femu.analyses.eigen import eigen

    moving = int(np.count_nonzero(program.mass_matrix().diagonal()[free_equations(program)] > 0.0))
    try:
        return eigen(program, min(3, moving)) if moving else None
    except FemuError:
        return None


def _periods(program: Program) -> Iterator[Finding]:
    modes = _modes(program)
    if modes is not None:
        yield from implausible(float(modes.periods[0]))


def implausible(period: float) -> Iterator[Finding]:
    """A finding if the first period is not one of a structure."""
    if not PERIODS[0] <= period <= PERIODS[1]:
        long = period > PERIODS[1]
        yield as_warning(
            f"the first period is {period:.3g} s, very {'long' if long else 'short'} for a "
            f"structure: is the mass {'a weight, or too large' if long else 'too small'}, or are "
            "units mixed?"
        )


def damps_nothing(program: Program) -> list[Finding]:
    """A finding if there is damping in proportion to stiffness, and no element takes part in it."""
    p = program.parameters
    if not any(p[f"rayleigh.{term}"] for term in ("initial", "current", "committed")) or any(
        plan.damped for plan in program.plans.values()
    ):
        return []
    return [
        as_warning(
            f"Rayleigh damping of {program.name!r} has a part in proportion to stiffness that "
            "damps nothing: no element takes part in it. Links, trusses and experimental elements take part with "
            "damped=True."
        )
    ]


def _damping(model: Model, program: Program) -> Iterator[Finding]:
    modes = _modes(program)
    if model.damping is None or modes is None:
        return
    try:
        damped = model.compile()
    except FemuError as problem:
        yield as_error(str(problem))
        return
    p = damped.parameters
    yield from damps_nothing(damped)
    stiffness = sum(p[f"rayleigh.{term}"] for term in ("initial", "current", "committed"))
    ratios = 0.5 * (p["rayleigh.mass"] / modes.frequencies + stiffness * modes.frequencies)
    worst = int(np.argmax(np.abs(ratios)))
    if ratios.min() < 0.0:
        lowest = int(np.argmin(ratios))
        yield as_warning(
            f"Rayleigh damping is negative at mode {lowest + 1}: {100 * ratios[lowest]:.3g} % of "
            "critical."
        )
    elif ratios[worst] > DAMPING_MOST:
        yield as_warning(
            f"Rayleigh damping is {100 * ratios[worst]:.3g} % of critical at mode {worst + 1} "
            f"(period {modes.periods[worst]:.3g} s). Choose modes further apart, or smaller "
            "coefficients."
        )
