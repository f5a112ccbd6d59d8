"""What is wrong, and what looks wrong, with a model: findings in sentences.

`check` asks what an experienced colleague would ask of a model before it runs. An "error" will not run or has no
meaning, a "warning" is probably a slip, a "note" may be meant.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, qr
from scipy.sparse import diags_array
from scipy.sparse.linalg import eigsh

from femu import context as slot
from femu.arguments import typed
from femu.component import Component, Section
from femu.element import ROTATIONS, Element, Name, span
from femu.errors import FemuError, InputError
from femu.loads import DistributedLoad, PointLoad, UniformLoad
from femu.program import Program
from femu.run import Run
from femu.series import Series
from femu.units import g

if TYPE_CHECKING:
    from femu.model import Model

Array = npt.NDArray[np.float64]

MECHANISM = 1e-13  # eigenvalue of the stiffness scaled to a unit diagonal, below which nothing resists
DENSE = 600  # equations up to which all eigenvalues are found at once
MODES_SOUGHT = 8  # near-null vectors looked for in larger models
SAME_LENGTH = 0.01  # share by which a specimen may differ from its member
COINCIDENT = 1e-6  # distance of two nodes over the size of the model
STIFFNESS_RATIO = 1e10  # between neighbours: a double has 16 digits, and a result wants some of them
YIELD_STRAINS = (1e-4, 2e-2)  # fy/E of steels, concretes and timbers, with room to spare
PERIODS = (0.005, 15.0)  # seconds: from a stiff machine base to the tallest towers
DAMPING_MOST = 0.20  # ratio at one of the first modes
WEIGHT_RATIOS = (0.8, 1.25)  # vertical load over mass that makes the mass look like a weight
METRES, MILLIMETRES = 60.0, 600.0  # median member: below the one it is in metres, above the other in millimetres
MODULUS_IN_MPA = (8e3, 3e5)  # from timber to steel
MODULUS_IN_PA = 1e9
PGA_IN_G, PGA_PERHAPS_IN_G, PGA_MOST = (0.01, 0.6), 2.0, 30.0  # peaks of records, in m/s2


@dataclass(frozen=True)
class Finding:
    """One thing to look at: "error", "warning" or "note", a sentence, and the names of what it is about."""

    severity: str
    message: str
    objects: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.severity}: {self.message}"


def _error(message: str, *objects: Any) -> Finding:
    return Finding("error", message, objects)


def _warning(message: str, *objects: Any) -> Finding:
    return Finding("warning", message, objects)


def _note(message: str, *objects: Any) -> Finding:
    return Finding("note", message, objects)


class Findings(list[Finding]):
    """A list of findings that prints one line each, the worst first."""

    def __repr__(self) -> str:
        return "\n".join(repr(finding) for finding in self) or "no findings"


@typed
def check(model: Model, motion: Series | None = None) -> Findings:
    """All findings on a model, and on a ground motion in its units if one is given."""
    found = [*_nodes(model), *_members(model), *_specimens(model), *_loads(model), *_units(model), *_yield_strains(model)]
    program = None
    if not any(f.severity == "error" for f in found):
        undamped = copy.copy(model)  # damping by ratios needs modes, which a mechanism does not have
        undamped.damping = undamped.modal = None
        try:
            program = undamped.compile()
        except FemuError as problem:
            found.append(_error(str(problem)))
    if program is not None:
        mechanisms = list(_mechanisms(program, _median_length(model)))
        found += mechanisms
        found += [*_stiff_neighbours(program), *_missing_mass(program), *_weight_as_mass(model, program)]
        if not mechanisms:
            found += [*_periods(program), *_damping(model, program)]
    if motion is not None:
        found += check_motion(motion, _length_unit(model))
    rank = {"error": 0, "warning": 1, "note": 2}
    return Findings(sorted(found, key=lambda f: rank[f.severity]))


@typed
def check_motion(motion: Series, length_unit: float | None = 1.0) -> Findings:
    """Findings on the peak of a ground motion; ``length_unit`` is that of the model in metres, None if not known."""
    samples = getattr(motion, "acceleration", None)
    if samples is None:
        raise InputError("check", "motion", motion, "must be a GroundMotion")
    peak, name = float(np.abs(samples).max()), getattr(motion, "name", "motion")
    says = f"the motion {name!r} has a peak of {peak:.3g}"
    if peak == 0.0:
        return Findings([_warning(f"the motion {name!r} is zero throughout.", name)])
    if length_unit is not None and length_unit < 1.0 and peak < PGA_MOST:
        return Findings([_warning(f"{says}: is this in g or m/s2, while the model is in millimetres? Expected are some "
                                  "hundred or thousand mm/s2.", name)])
    if PGA_IN_G[0] <= peak < PGA_IN_G[1]:
        return Findings([_warning(f"{says}: is this in g? In m/s2 it would be {peak * g:.3g}; multiply by "
                                  "femu.units.g.", name)])
    if PGA_IN_G[1] <= peak < PGA_PERHAPS_IN_G:
        return Findings([_note(f"{says}: a moderate motion in m/s2, or a very strong one in g.", name)])
    if length_unit is not None and peak * length_unit > PGA_MOST:
        return Findings([_warning(f"{says}, more than any record: is this in cm/s2 or mm/s2?", name)])
    return Findings()


# --- the description ---

def _nodes(model: Model) -> Iterator[Finding]:
    if not model.elements:
        yield _error(f"model {model.name!r} has no elements.", model.name)
        return
    used = {node for element in model.elements.values() for node in element.nodes}
    tied = {node for pair in _ties(model) for node in pair}
    for node in model.nodes.values():
        if node.name not in used | tied:
            carries = [what for what, there in (
                ("mass", any(node.mass.values())), ("loads", _loaded(model, node.name))) if there]
            severity, rest = ("error", f", but has {' and '.join(carries)}") if carries else ("warning", "")
            yield Finding(severity, f"node {node.name!r} is connected to no element{rest}.", (node.name,))
    yield from _coincident(model)


def _ties(model: Model) -> list[tuple[Name, Name]]:
    """Pairs of nodes that a constraint ties."""
    return [(a, b) for a, b, _ in model.equal] + list(model.links) + [(a, b) for a, b, _ in model.diaphragms]


def _loaded(model: Model, name: Name) -> bool:
    return any(node == name for pattern in model.patterns.values() for node, _ in pattern.nodal)


def _coincident(model: Model) -> Iterator[Finding]:
    names = list(model.nodes)
    points = np.array([model.nodes[n].coordinates for n in names])
    size = float(np.ptp(points, axis=0).max()) or 1.0
    together = {frozenset(e.nodes) for e in model.elements.values()}
    together |= {frozenset((a, b)) for a, b in _ties(model)}
    order = np.argsort(points[:, 0], kind="stable")
    for place, i in enumerate(order):
        for j in order[place + 1:]:
            if points[j, 0] - points[i, 0] > COINCIDENT * size:
                break
            pair = frozenset((names[i], names[j]))
            if np.abs(points[j] - points[i]).max() <= COINCIDENT * size and pair not in together:
                a, b = sorted(pair, key=names.index)
                yield _warning(f"nodes {a!r} and {b!r} are at the same place but nothing connects them: are they "
                               "meant to be one?", a, b)


def _members(model: Model) -> Iterator[Finding]:
    coordinates = {n.name: n.coordinates for n in model.nodes.values()}
    seen: dict[tuple[type, frozenset[Name]], Name] = {}
    for element in model.elements.values():
        try:
            element.plan(coordinates)
        except FemuError as problem:
            yield _error(str(problem), element.name)
        key = (type(element), frozenset(element.nodes))
        if key in seen and len(element.nodes) > 1:
            yield _warning(f"{element.label()} joins the same nodes as {type(element).__name__}({seen[key]!r}): "
                           "is one of them a duplicate?", seen[key], element.name)
        seen.setdefault(key, element.name)


def _specimens(model: Model) -> Iterator[Finding]:
    """An emulated member has a length of its own, which is 1 where nobody gave it."""
    coordinates = {n.name: n.coordinates for n in model.nodes.values()}
    for element in model.elements.values():
        specimen = getattr(element, "specimen", None)
        inside, given = getattr(specimen, "of", None), getattr(specimen, "length", None)
        if not isinstance(inside, Element) or given is None or getattr(element, "setup", None) is not None:
            continue
        with contextlib.suppress(FemuError, KeyError):
            length = span(element, {n: np.asarray(x) for n, x in coordinates.items()})[0]
            if abs(given - length) > SAME_LENGTH * length:
                yield _warning(f"{element.label()} is {length:g} long and its specimen {given:g}: is length={length:g} of the "
                               f"{type(specimen).__name__} missing?", element.name)


def _loads(model: Model) -> Iterator[Finding]:
    for pattern in model.patterns.values():
        if not pattern.nodal and not pattern.member:
            yield _warning(f"pattern {pattern.name!r} has no loads.", pattern.name)
        for node, direction in pattern.nodal:
            if direction in model.nodes[node].fixed and direction not in model.nodes[node].motion:
                yield _note(f"the load on node {node!r} along {direction} in pattern {pattern.name!r} goes straight "
                            "into the support: the node is fixed in that direction.", node, pattern.name)


def _median_length(model: Model) -> float:
    lengths = [float(np.linalg.norm(model.nodes[e.nodes[1]].coordinates - model.nodes[e.nodes[0]].coordinates))
               for e in model.elements.values() if len(e.nodes) > 1]
    return float(np.median([v for v in lengths if v > 0.0] or [0.0]))


def _length_unit(model: Model) -> float | None:
    length = _median_length(model)
    return 1.0 if 0.0 < length <= METRES else 1e-3 if length >= MILLIMETRES else None


def _section_parts(model: Model) -> Iterator[tuple[str, Element, Component]]:
    """Sections and bars and what they are made of, where a modulus is a stress over a strain."""
    def walk(label: str, element: Element, part: Component) -> Iterator[tuple[str, Element, Component]]:
        yield label, element, part
        for name, inner in part.parts():
            if name not in ("moment", "moment_y", "torsion"):  # moment over curvature, torque over twist
                yield from walk(f"{label}.{name}", element, inner)

    for element in model.elements.values():
        for name, part in element.parts():
            if isinstance(part, Section) or "area" in element.declared:
                yield from walk(f"{element.name}.{name}", element, part)


def _units(model: Model) -> Iterator[Finding]:
    unit, length = _length_unit(model), _median_length(model)
    for label, element, part in _section_parts(model):
        if "E" not in part.declared or ".axial" in label:  # there E is an axial stiffness
            continue
        E = part.E  # type: ignore[attr-defined]
        if unit == 1.0 and MODULUS_IN_MPA[0] <= E <= MODULUS_IN_MPA[1]:
            yield _warning(f"{label}: E = {E:.4g} looks like N/mm2, while a typical member has the length "
                           f"{length:.3g}, which looks like metres.", element.name)
            return
        if unit == 1e-3 and E >= MODULUS_IN_PA:
            yield _warning(f"{label}: E = {E:.4g} looks like Pa, while a typical member has the length "
                           f"{length:.4g}, which looks like millimetres.", element.name)
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
                yield _warning(f"{label}: {stress}/{modulus} = {strain:.3g} is the strain at yield; in real materials "
                               f"it lies between {YIELD_STRAINS[0]:g} and {YIELD_STRAINS[1]:g}. Are both in one unit?",
                               element.name)


# --- the structure ---

def _held(program: Program) -> Array:
    """The equations that are free in all analyses: those with imposed motion are held."""
    return np.setdiff1d(np.arange(program.neq), sorted(program.imposed))


def _mechanisms(program: Program, member: float) -> Iterator[Finding]:
    """Motions without resistance. Rotations count as the motion of the end of half a ``member``."""

    if program.neq == 0:
        yield _error(f"every degree of freedom of {program.name!r} is fixed.")
        return
    free = _held(program)
    names = {place: dof for dof, place in reversed(program.numbering.place.items())}
    K = program.pattern.to_sparse(Run(program, program.state()).initial_stiffness())[free][:, free]
    diagonal = K.diagonal()
    loose = diagonal <= 0.0
    for place in free[loose]:
        node, direction = names[int(place)]
        yield _error(f"nothing holds node {node!r} in direction {direction}: no element gives it stiffness there. "
                     "Fix it, or connect it.", node, direction)
    kept = np.flatnonzero(~loose)
    if not len(kept):
        return
    scale = diags_array(1.0 / np.sqrt(diagonal[kept]))
    values, vectors = _smallest(scale @ K[kept][:, kept] @ scale)
    turns = np.array([0.5 * member if names[int(free[k])][1] in ROTATIONS else 1.0 for k in kept])
    null = (scale @ vectors[:, values < MECHANISM]) * turns[:, None]
    if not null.shape[1]:
        return
    # one degree of freedom for each independent mechanism: the one that moves most
    moving = qr(null.T, pivoting=True, mode="r")[1][:null.shape[1]]
    for row in moving:
        node, direction = names[int(free[kept[row]])]
        yield _error(f"the structure is a mechanism: node {node!r} moves most, in direction {direction}. A support, "
                     "a member or a stiff joint is missing, or there are too many hinges.", node, direction)


def _smallest(K: Any) -> tuple[Array, Array]:
    n = K.shape[0]
    if n <= DENSE:
        return eigh(K.toarray())
    shift = -1e-6  # next to zero: the shifted matrix is regular, and what is near zero comes first
    return eigsh(K.tocsc(), min(MODES_SOUGHT, n - 1), sigma=shift, which="LM", v0=np.ones(n))


def _stiff_neighbours(program: Program) -> Iterator[Finding]:
    run = Run(program, program.state())
    run.determine(slot.EVALUATE)
    at: dict[Name, list[tuple[float, Name]]] = {}
    for name, element in program.elements.items():
        basic = len(program.plans[name].basic_forces)
        # the state begins with the basic forces and the basic stiffness: its first entry is the axial one
        stiffness = float(run[slot.T][program.element_state(name)[0] + basic]) if basic else 0.0
        if stiffness > 0.0:
            for node in element.nodes:
                at.setdefault(node, []).append((stiffness, name))
    told: set[tuple[Name, Name]] = set()
    for node, members in at.items():
        by_stiffness = sorted(members, key=lambda member: member[0])
        (softest, soft), (stiffest, stiff) = by_stiffness[0], by_stiffness[-1]
        if stiffest > STIFFNESS_RATIO * softest and (soft, stiff) not in told:
            told.add((soft, stiff))
            yield _warning(f"at node {node!r}, element {stiff!r} is {stiffest / softest:.1e} times as stiff as "
                           f"{soft!r}: digits are lost. For a rigid part use rigid_link or offsets, or a stiffness 1e3 "
                           "to 1e6 times the other.", node, stiff, soft)


def _missing_mass(program: Program) -> Iterator[Finding]:
    diagonal = program.mass_matrix().diagonal()
    if not np.any(diagonal[_held(program)] > 0.0):
        yield _note(f"model {program.name!r} has no mass where it can move: it has no periods and no transient "
                    "response.")
        return
    free = set(_held(program).tolist())
    for direction in program.translations:
        places = {n: p for (n, d), p in program.numbering.place.items() if d == direction and p in free}
        bare = [n for n, p in places.items() if diagonal[p] == 0.0]
        if bare and len(bare) < len(places):
            shown = ", ".join(repr(n) for n in bare[:5]) + (f" and {len(bare) - 5} more" if len(bare) > 5 else "")
            yield _warning(f"node{'s' if len(bare) > 1 else ''} {shown} can move along {direction} but "
                           f"{'have' if len(bare) > 1 else 'has'} no mass there, unlike others: is that meant in a "
                           "transient run?", *bare)


def _weight_as_mass(model: Model, program: Program) -> Iterator[Finding]:
    up = program.translations[-1]  # y in the plane, z in space
    influence = program.influence(up)
    mass = float(influence @ (program.mass_matrix() @ influence))
    if mass == 0.0:
        influence = program.influence("x")
        mass = float(influence @ (program.mass_matrix() @ influence))
    for pattern in model.patterns.values():
        down = -sum(v for (_, d), v in pattern.nodal.items() if d == up)
        down -= sum(_vertical(program, name, load) for name, load in pattern.member)
        if mass > 0.0 and WEIGHT_RATIOS[0] <= down / mass <= WEIGHT_RATIOS[1]:
            yield _warning(f"the mass of {program.name!r}, {mass:.4g}, is about its vertical load in pattern "
                           f"{pattern.name!r}, {down:.4g}: is it a weight? Mass is weight / g; periods would be wrong "
                           "by the root of g.", pattern.name)
            return


def _vertical(program: Program, name: Name, load: UniformLoad | PointLoad | DistributedLoad) -> float:
    element = program.elements[name]
    length, along = span(element, program.coordinates)
    x, y, z = (load.resultant(axis, length)[0] if isinstance(load, DistributedLoad) else getattr(load, axis) for axis in "xyz")
    if program.dimensions == 3:
        local_y, local_z = getattr(element, "axes", lambda _: np.zeros((3, 3)))(program.coordinates)[1:]
        share = float(along[-1] * x + local_y[-1] * y + local_z[-1] * z)
    else:
        share = float(along[-1] * x + along[0] * y)
    return share * (length if isinstance(load, UniformLoad) else 1.0)


def _modes(program: Program) -> Any:
    from femu.analyses.eigen import eigen

    moving = int(np.count_nonzero(program.mass_matrix().diagonal()[_held(program)] > 0.0))
    try:
        return eigen(program, min(3, moving)) if moving else None
    except FemuError:
        return None


def _periods(program: Program) -> Iterator[Finding]:
    modes = _modes(program)
    if modes is None or PERIODS[0] <= modes.periods[0] <= PERIODS[1]:
        return
    long = modes.periods[0] > PERIODS[1]
    yield _warning(f"the first period is {modes.periods[0]:.3g} s, very {'long' if long else 'short'} for a structure: "
                   f"is the mass {'a weight, or too large' if long else 'too small'}, or are units mixed?")


def _damping(model: Model, program: Program) -> Iterator[Finding]:
    modes = _modes(program)
    if model.damping is None or modes is None:
        return
    try:
        p = model.compile().parameters
    except FemuError as problem:
        yield _error(str(problem))
        return
    stiffness = sum(p[f"rayleigh.{term}"] for term in ("initial", "current", "committed"))
    ratios = 0.5 * (p["rayleigh.mass"] / modes.frequencies + stiffness * modes.frequencies)
    worst = int(np.argmax(np.abs(ratios)))
    if ratios.min() < 0.0:
        lowest = int(np.argmin(ratios))
        yield _warning(f"Rayleigh damping is negative at mode {lowest + 1}: {100 * ratios[lowest]:.3g} % of critical.")
    elif ratios[worst] > DAMPING_MOST:
        yield _warning(f"Rayleigh damping is {100 * ratios[worst]:.3g} % of critical at mode {worst + 1} (period "
                       f"{modes.periods[worst]:.3g} s). Choose modes further apart, or smaller coefficients.")
