"""Commands that build the model.

Nodes, supports, masses, constraints, transformations, damping, removal.
"""

from __future__ import annotations

from typing import Any

from femu.model.doubts import warn_accepted
from femu.model.model import Model
from femu.opensees.front_end.analysis import wipe_analysis
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import failures
from femu.opensees.front_end.domain import DOFS, Transformation, domain, started
from femu.opensees.front_end.recorders import close, close_all
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

TRANSFORMATIONS = Kinds("geomTransf", "transformation")
GEOMETRIES = {"Linear": "linear", "PDelta": "p-delta", "Corotational": "corotational"}


@command("wipe", "model", "", "Forget the model, close the recorders.")
def wipe(reader: Reader) -> None:
    failures.keep()
    try:
        close_all()
    finally:  # also if a recorder could not write
        wipe_analysis()
        domain.session = None
        domain.clear()


@command(
    "model",
    "model",
    "kind:w | -ndm ndm:i | -ndf ndf:i",
    "Set the number of dimensions and degrees of freedom.",
)
def model(reader: Reader) -> None:
    kind = reader.take("kind", "w")
    if kind.lower() not in ("basic", "basicbuilder"):
        raise reader.unsupported(f"kind {shown(kind)} is not supported. Use 'basic'.")
    a = reader.read(" | -ndm ndm:i | -ndf ndf:i")
    ndm = a["ndm"]
    if ndm is None:
        raise reader.error("option -ndm is missing: 1, 2 or 3.")
    ndf = a["ndf"] if a["ndf"] is not None else {1: 1, 2: 3, 3: 6}.get(ndm, 0)
    if (ndm, ndf) not in DOFS:
        known = ", ".join(f"{m}/{f}" for m, f in DOFS)
        raise reader.unsupported(f"ndm/ndf = {ndm}/{ndf} is not supported. Supported: {known}.")
    if ndm != domain.ndm and not domain.model.nodes:
        domain.model = Model("script") if ndm == 2 else Model("script", dimensions=ndm)
    elif ndm != domain.ndm:
        raise reader.unsupported("nodes of different ndm in one model are not supported.")
    domain.ndm, domain.ndf = ndm, ndf


@command(
    "node",
    "model",
    "tag:i *crds | -ndf ndf:i | -mass *mass | -disp *disp | -vel *vel",
    "Add a node.",
)
def node(reader: Reader) -> None:
    started(reader)
    tag = reader.take("tag", "i")
    a = reader.read("*crds | -ndf ndf:i | -mass *mass | -disp *disp | -vel *vel", ("-dispLoc",))
    crds = a["crds"]
    if len(crds) < domain.ndm:
        raise reader.error(f"node {tag} has {len(crds)} coordinates and needs {domain.ndm} (ndm).")
    if len(crds) > domain.ndm:
        warn_accepted(
            f"node {tag} has {len(crds)} coordinates and needs {domain.ndm} (ndm): the first ones "
            "count."
        )
        crds = crds[: domain.ndm]
    ndf = domain.ndf if a["ndf"] is None else a["ndf"]
    if (domain.ndm, ndf) not in DOFS:
        raise reader.unsupported(
            f"option '-ndf' = {ndf} is not supported in {domain.ndm} dimensions."
        )
    if tag in domain.node_dofs:
        raise reader.error(f"there is already a node with tag {tag}.")
    if any(a["disp"]):
        raise reader.unsupported("option '-disp' is not supported: use setNodeDisp.")
    names = DOFS[domain.ndm, ndf]
    masses = _masses(reader, tag, names, a["mass"]) if a["mass"] else []
    domain.model.node(tag, *crds)
    domain.node_dofs[tag] = names
    domain.begin.update({(tag, d): (0.0, v) for d, v in zip(names, a["vel"], strict=False) if v})
    domain.touch()
    if masses:
        _set_mass(tag, masses)


@command("fix", "model", "nodeTag:i *constrValues:i", "Hold a node in the directions marked 1.")
def fix(reader: Reader) -> None:
    tag = reader.take("nodeTag", "i")
    _fix(tag, _held(reader, tag, reader.read("*constrValues:i")["constrValues"]))


def _fix(tag: int, held: list[str]) -> None:
    if held:
        domain.model.fix(tag, held)
        domain.touch()
        _question_fixed(tag)


def _question_fixed(tag: int) -> None:
    """Warn of a node that follows another one in a direction in which it is fixed."""
    fixed = domain.model.nodes[tag].fixed
    for leader, follower in domain.model.links:
        if follower == tag and fixed:
            warn(
                f"node {tag} follows node {leader} by a rigid link, and is fixed in "
                f"{', '.join(sorted(fixed))}: it does not follow there, as with Plain and "
                "Transformation constraints of OpenSees. Fix: remove the fix or the link.",
                ModelWarning,
            )
    for leader, follower, directions in domain.model.equal:
        both = [d for d in directions if d in fixed and d not in domain.model.nodes[leader].fixed]
        if follower == tag and both:
            warn(
                f"node {tag} follows node {leader} in {', '.join(both)} by equalDOF, and is fixed "
                "there: it is held and does not follow, as with Plain and Transformation "
                "constraints of OpenSees; with Penalty and Lagrange both nodes are held. Fix: "
                "remove the fix or the equalDOF.",
                ModelWarning,
            )
            return


def _held(reader: Reader, tag: int, values: list[int]) -> list[str]:
    """Directions of a node that are marked."""
    names = domain.node(tag, reader)
    if len(values) < len(names):
        raise reader.error(
            f"node {tag} has {len(names)} degrees of freedom, but {len(values)} constrValues were "
            "given."
        )
    return [d for d, value in zip(names, values, strict=False) if value]


def _fix_at(reader: Reader, axis: int) -> None:
    started(reader)
    if axis >= domain.ndm:
        raise reader.error(
            f"needs a model with ndm {axis + 1} or more; this one has ndm {domain.ndm}."
        )
    place = reader.take("coordinate")
    a = reader.read("*constrValues:i | -tol tol")
    tolerance = 1e-10 if a["tol"] is None else a["tol"]
    if not tolerance > 0.0:
        raise reader.wrong("-tol", tolerance, "must be above 0")
    if not a["constrValues"]:
        raise reader.error("argument constrValues is missing.")
    marked = {
        int(tag): _held(reader, int(tag), a["constrValues"])
        for tag, found in domain.model.nodes.items()
        # all of them before any is fixed
        if abs(found.coordinates[axis] - place) < tolerance
    }
    for tag, held in marked.items():
        _fix(tag, held)


@command("fixX", "model", "x *constrValues:i | -tol tol", "Fix all nodes at an x coordinate.")
def fix_x(reader: Reader) -> None:
    _fix_at(reader, 0)


@command("fixY", "model", "y *constrValues:i | -tol tol", "Fix all nodes at a y coordinate.")
def fix_y(reader: Reader) -> None:
    _fix_at(reader, 1)


@command("fixZ", "model", "z *constrValues:i | -tol tol", "Fix all nodes at a z coordinate.")
def fix_z(reader: Reader) -> None:
    _fix_at(reader, 2)


def _masses(reader: Reader, tag: int, names: tuple[str, ...], values: list[float]) -> list[float]:
    """Masses of a node in its directions."""
    if len(values) < len(names):
        warn_accepted(
            f"{reader.command}: node {tag} has {len(names)} degrees of freedom, but {len(values)} "
            "masses were given; the others have none."
        )
    values = [*values, *[0.0] * len(names)][: len(names)]
    if min(values) < 0.0:
        raise reader.error(f"mass = {values} must not be negative.")
    return values


def _set_mass(tag: int, values: list[float]) -> None:
    domain.node_mass[tag] = list(values)
    domain.mass_of(tag)


@command("mass", "model", "nodeTag:i *massValues", "Set the mass of a node.")
def mass(reader: Reader) -> None:
    tag = reader.take("nodeTag", "i")
    names = domain.node(tag, reader)
    _set_mass(tag, _masses(reader, tag, names, reader.read("*massValues")["massValues"]))


@command(
    "equalDOF",
    "model",
    "rNodeTag:i cNodeTag:i *dofs:i",
    "Let a node move as another one does in some directions.",
)
def equal_dof(reader: Reader) -> None:
    a = reader.read("rNodeTag:i cNodeTag:i *dofs:i")
    retained, constrained = a["rNodeTag"], a["cNodeTag"]
    domain.node(retained, reader), domain.node(constrained, reader)
    if not a["dofs"]:
        raise reader.error("argument dofs is missing.")
    domain.model.equal_dof(
        retained, constrained, [domain.direction(constrained, dof, reader) for dof in a["dofs"]]
    )
    domain.touch()
    _question_fixed(constrained)


@command(
    "rigidLink",
    "model",
    "type:w rNodeTag:i cNodeTag:i",
    "Let a node follow another one as a rigid beam or rod.",
)
def rigid_link(reader: Reader) -> None:
    a = reader.read("type:w rNodeTag:i cNodeTag:i")
    domain.node(a["rNodeTag"], reader), domain.node(a["cNodeTag"], reader)
    if a["type"] in ("bar", "-bar", "rod"):
        translations = [d for d in domain.node(a["cNodeTag"], reader) if not d.startswith("r")]
        domain.model.equal_dof(a["rNodeTag"], a["cNodeTag"], translations)
    elif a["type"] in ("beam", "-beam"):
        domain.model.rigid_link(a["rNodeTag"], a["cNodeTag"])
        _question_fixed(a["cNodeTag"])
    else:
        raise reader.error(f"type = {shown(a['type'])} must be 'bar' or 'beam'.")
    domain.touch()


@command(
    "rigidDiaphragm",
    "model",
    "perpDirn:i rNodeTag:i *cNodeTags:i",
    "A floor that is rigid in its own plane.",
)
def rigid_diaphragm(reader: Reader) -> None:
    a = reader.read("perpDirn:i rNodeTag:i *cNodeTags:i")
    if domain.ndm != 3 or domain.ndf != 6:
        raise reader.error("needs a model with ndm 3 and ndf 6; in the plane use equalDOF.")
    if a["perpDirn"] not in (1, 2, 3):
        raise reader.error(f"perpDirn = {a['perpDirn']} must be 1, 2 or 3.")
    for tag in (a["rNodeTag"], *a["cNodeTags"]):
        domain.node(tag, reader)
    made: Any = domain.model
    made.rigid_diaphragm([a["rNodeTag"], *a["cNodeTags"]], normal="xyz"[a["perpDirn"] - 1])
    domain.touch()


@command(
    "geomTransf",
    "model",
    "kind:w tag:i",
    "How a beam-column follows the motion of its nodes; see the kinds.",
)
def geom_transf(reader: Reader) -> None:
    started(reader)
    kind = TRANSFORMATIONS.find(reader)
    tag = reader.take("tag", "i")
    domain.define(
        "geomTransf", domain.transformations, tag, kind.make(domain, reader, kind.name), reader
    )


@TRANSFORMATIONS.kind(
    "Linear",
    "PDelta",
    "Corotational",
    form="*vecxz | -jntOffset *offsets",
    into='geometry="linear", "p-delta", "corotational"',
)
def _transformation(d: Any, reader: Reader, name: str) -> Transformation:
    a = reader.read("*vecxz | -jntOffset *offsets")
    vecxz, offsets = a["vecxz"], a["jntOffset"]
    if d.ndm == 3:
        if len(vecxz) != 3:
            raise reader.error(f"needs vecxz, three numbers, in space; {len(vecxz)} were given.")
    elif vecxz:
        warn_accepted(f"geomTransf: vecxz = {vecxz} has no effect in the plane.")
        vecxz = []
    if offsets and len(offsets) != 2 * d.ndm:
        raise reader.error(f"-jntOffset needs {2 * d.ndm} numbers, {len(offsets)} were given.")
    return Transformation(
        GEOMETRIES[name],
        tuple(vecxz) or None,
        tuple(offsets[: d.ndm]) or None,
        tuple(offsets[d.ndm :]) or None,
    )


TRANSFORMATIONS.refuse(
    "femu has Linear, PDelta and Corotational",
    "Corotational02",
    "CorotCrdTransfWarping2d",
    "LinearInt",
    "PDeltaWithFibers",
    "ModifiedLinear",
)


@command(
    "rayleigh",
    "model",
    "alphaM betaK betaKinit betaKcomm",
    "Rayleigh damping of all nodes and elements.",
)
def rayleigh(reader: Reader) -> None:
    a = reader.read("alphaM betaK betaKinit betaKcomm")
    domain.model.rayleigh(
        mass=a["alphaM"], current=a["betaK"], initial=a["betaKinit"], committed=a["betaKcomm"]
    )
    domain.touch()


@command(
    "region",
    "model",
    "tag:i | -ele *eles:i | -eleOnly *elesOnly:i | -eleRange first:i last:i | -eleOnlyRange "
    "firstOnly:i lastOnly:i | -node *nodes:i | -nodeOnly *nodesOnly:i | -nodeRange from:i to:i | "
    "-nodeOnlyRange fromOnly:i toOnly:i | -rayleigh alphaM betaK betaKinit betaKcomm",
    "A part of the model, for recorders and damping.",
)
def region(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    a = reader.read(
        " | -ele *eles:i | -eleOnly *eles:i | -eleRange first:i last:i | -eleOnlyRange first:i "
        "last:i | -node *nodes:i | -nodeOnly *nodes:i | -nodeRange first:i last:i | -nodeOnlyRange "
        "first:i last:i | -rayleigh alphaM betaK betaKinit betaKcomm"
    )
    eles, nodes = [*a["ele"], *a["eleOnly"]], [*a["node"], *a["nodeOnly"]]
    for option in ("eleRange", "eleOnlyRange"):
        if a[option]:
            eles += [t for t in domain.model.elements if a[option][0] <= int(t) <= a[option][1]]
    for option in ("nodeRange", "nodeOnlyRange"):
        if a[option]:
            nodes += [t for t in domain.model.nodes if a[option][0] <= int(t) <= a[option][1]]
    eles = _there(reader, "element", eles, domain.model.elements)
    nodes = _there(reader, "node", nodes, domain.node_dofs)
    if eles and not (a["eleOnly"] or a["eleOnlyRange"]):
        nodes += [int(n) for e in eles for n in domain.model.elements[e].nodes if n not in nodes]
    if a["rayleigh"]:
        _region_damping(reader, eles, nodes, a["rayleigh"])
    domain.regions[tag] = (eles, nodes)


def _there(reader: Reader, what: str, tags: list[int], table: Any) -> list[int]:
    """Those of the tags that there are, with a warning for others."""
    missing = [tag for tag in tags if tag not in table]
    if missing:
        warn_accepted(f"region: there is no {what} {missing[0]}: the others count.")
    return [tag for tag in tags if tag in table]


def _region_damping(
    reader: Reader, eles: list[int], nodes: list[int], coefficients: tuple[float, ...]
) -> None:
    """Damping of a part: possible if the rest has none, because a model has one set of
    coefficients."""
    mass, current, initial, committed = coefficients
    before = domain.model.damping
    if (
        before is not None
        and (before.mass, before.current, before.initial, before.committed)
        != (mass, current, initial, committed)
        and any((before.current, before.initial, before.committed, before.mass))
    ):
        raise reader.unsupported(
            "option '-rayleigh' with other coefficients than those set before is not supported."
        )
    if mass:
        massive = [t for t, found in domain.model.nodes.items() if found.mass and t not in nodes]
        heavy = [
            t for t, e in domain.model.elements.items() if getattr(e, "mass", 0.0) and t not in eles
        ]
        if massive or heavy:
            raise reader.unsupported(
                "option '-rayleigh' with alphaM needs all nodes and elements with mass in the "
                "region."
            )
    domain.model.rayleigh(mass=mass, current=current, initial=initial, committed=committed)
    domain.touch()
    if before is None:
        for found in domain.model.elements.values():
            if hasattr(found, "damped"):
                found.damped = False
    for e in eles:
        found = domain.model.elements[e]
        if domain.asked_damping.get(e, False):
            found.damped = True  # type: ignore[attr-defined]


@command(
    "remove",
    "model",
    "what:w tag:i=None",
    "Remove something: element, node, loadPattern, sp, recorder, recorders ...",
)
def remove(reader: Reader) -> None:
    what = reader.take("what", "w")
    if what not in _REMOVERS:
        warn_accepted(f"remove: {shown(what)} is not one of {', '.join(_REMOVERS)}.")
        return
    words = {"recorders": 0, "sp": 3, "SPconstraint": 3}.get(what, 1)
    surplus = reader.items[reader.at + words :]
    if surplus:  # before anything is removed
        Reader(reader.command, surplus).read("")
        del reader.items[reader.at + words :]
    _REMOVERS[what](reader)


def _absent(reader: Reader, what: str, table: Any, tag: int) -> bool:
    """Warn if something is not there to be removed."""
    if tag not in table:
        warn_accepted(f"remove: there is no {what} {tag}: nothing is removed.")
    return tag not in table


def _remove_recorders(reader: Reader) -> None:
    close_all()


def _remove_recorder(reader: Reader) -> None:
    close(reader, reader.take("tag", "i"))


def _remove_pattern(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    if not _absent(reader, "pattern", domain.patterns, tag):
        domain.touch_loads()
        del domain.patterns[tag]


def _remove_series(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    if not _absent(reader, "timeSeries", domain.series, tag):
        del domain.series[tag]


def _remove_parameter(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    if not _absent(reader, "parameter", domain.parameters, tag):
        del domain.parameters[tag]


def _remove_element(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    if _absent(reader, "element", domain.model.elements, tag):
        return
    _question_recorders("element", tag, any(tag in r.elements for r in domain.recorders.values()))
    domain.touch()
    nodes = [int(n) for n in domain.model.elements[tag].nodes]
    del domain.model.elements[tag], domain.kinds[tag], domain.asked_damping[tag]
    if domain.link_mass.pop(tag, None) is not None:
        for node in nodes:
            domain.mass_of(node)
    for pattern in domain.patterns.values():
        pattern.member = [(e, load) for e, load in pattern.member if e != tag]
    domain.regions = {
        r: ([e for e in eles if e != tag], nodes) for r, (eles, nodes) in domain.regions.items()
    }


def _question_recorders(what: str, tag: int, recorded: bool) -> None:
    """Warn of a recorder that loses columns."""
    if recorded:
        warn(
            f"remove: {what} {tag} has a recorder: its numbers are no longer in the rows that "
            "follow, and OpenSees may end there. Fix: remove the recorder before.",
            ModelWarning,
        )


def _remove_node(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    if _absent(reader, "node", domain.node_dofs, tag):
        return
    users = [e for e, found in domain.model.elements.items() if tag in found.nodes]
    if users:
        raise reader.error(f"node {tag} still has elements: {users}. Remove them first.")
    if any(
        tag in pair[:2]
        for pair in (*domain.model.equal, *domain.model.links, *domain.model.diaphragms)
    ):
        raise reader.error(
            f"node {tag} is tied to another one. Remove that first: remove('mp', "
            "constrainedNodeTag)."
        )
    _question_recorders("node", tag, any(tag in r.nodes for r in domain.recorders.values()))
    domain.touch()
    del domain.model.nodes[tag], domain.node_dofs[tag]
    domain.node_mass.pop(tag, None)
    for pattern in domain.patterns.values():
        pattern.nodal = [item for item in pattern.nodal if item[0] != tag]
        pattern.given = [item for item in pattern.given if item[0] != tag]
        pattern.imposed = {dof: value for dof, value in pattern.imposed.items() if dof[0] != tag}
    domain.regions = {
        r: (eles, [n for n in nodes if n != tag]) for r, (eles, nodes) in domain.regions.items()
    }


def _remove_sp(reader: Reader) -> None:
    tag = reader.take("nodeTag", "i")
    direction = domain.direction(tag, reader.take("dof", "i"), reader)
    if reader.left:
        pattern = reader.take("patternTag", "i")
        if not _absent(reader, "pattern", domain.patterns, pattern):
            domain.patterns[pattern].imposed.pop((tag, direction), None)
    else:
        domain.model.nodes[tag].fixed.discard(direction)
    domain.touch()


def _remove_mp(reader: Reader) -> None:
    tag = reader.take("constrainedNodeTag", "i")
    domain.node(tag, reader)
    domain.model.equal = [item for item in domain.model.equal if item[1] != tag]
    domain.model.links = [item for item in domain.model.links if item[1] != tag]
    domain.model.diaphragms = [item for item in domain.model.diaphragms if item[1] != tag]
    domain.touch()


_REMOVERS = {
    "element": _remove_element,
    "ele": _remove_element,
    "node": _remove_node,
    "loadPattern": _remove_pattern,
    "pattern": _remove_pattern,
    "timeSeries": _remove_series,
    "parameter": _remove_parameter,
    "sp": _remove_sp,
    "SPconstraint": _remove_sp,
    "mp": _remove_mp,
    "MPconstraint": _remove_mp,
    "recorder": _remove_recorder,
    "recorders": _remove_recorders,
}
