"""element: the elements of OpenSees, as femu's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from femu import elements
from femu.elements.quadrature import Stations
from femu.elements.zero_length import SAME_PLACE
from femu.materials import Elastic, ElasticSection, FibreSection, Parallel, SectionWithShear
from femu.model.component import Material, Section
from femu.model.doubts import accepting, warn_accepted
from femu.opensees.front_end.accepted import ACCEPTED
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.beam_integration import hinge_shares, standard
from femu.opensees.front_end.domain import Domain, Transformation, domain
from femu.opensees.front_end.table import Kinds, command
from femu.opensees.front_end.uniaxial_point import Point

ELEMENTS = Kinds("element", "element")
MOVED = 1e-300  # displacement from which a node counts as moved: any at all
ROTATION_IN_THE_PLANE = 6  # number of the rotation among the directions of zeroLength


@command("element", "elements", "kind:w tag:i *nodes:i", "An element; see the kinds.")
def element(reader: Reader) -> None:
    if not domain.ndm:
        raise reader.error(
            "there is no model yet: call model('basic', '-ndm', 2, '-ndf', 3) first."
        )
    kind = ELEMENTS.find(reader)
    tag = reader.take("eleTag", "i")
    reader.command = f"element({kind.name!r}, {tag})"
    if tag in domain.model.elements:
        raise reader.error(f"there is already an element with tag {tag}.")
    nodes = reader.take("iNode", "i"), reader.take("jNode", "i")
    for node in nodes:
        domain.node(node, reader)
    with accepting(ACCEPTED):
        made = kind.make(domain, reader, Ends(tag, *nodes), kind.name)
    _check_at_rest(reader, nodes)
    domain.model.add(made)
    if tag in domain.link_mass:
        for node in nodes:
            domain.mass_of(node)
    domain.kinds[tag] = kind.name
    domain.asked_damping[tag] = bool(getattr(made, "damped", False))
    domain.touch()


def _check_at_rest(reader: Reader, nodes: tuple[int, int]) -> None:
    """An element begins unstressed at the nodes' places.

    OpenSees would begin at their moved places.
    """
    state = domain.reached
    if state is None:
        return
    for node in nodes:
        for direction in domain.node_dofs[node]:
            place = state.program.numbering.place.get((node, direction))
            if place is not None and abs(state.vector[state.program.layout.u + place]) > MOVED:
                raise reader.unsupported(
                    f"an element at node {node}, which has moved already, is not supported: add it "
                    "before the analysis."
                )


@dataclass(frozen=True)
class Ends:
    """Tag and nodes of an element."""

    tag: int
    i: int
    j: int

    def length(self, offset_i: Sequence[float] = (), offset_j: Sequence[float] = ()) -> float:
        """Distance of the nodes, or of the ends of rigid offsets at them."""
        nodes = domain.model.nodes
        along = nodes[self.j].coordinates - nodes[self.i].coordinates
        for offset, sign in ((offset_i, -1.0), (offset_j, 1.0)):
            along = along + sign * np.asarray(offset) if len(offset) else along
        return float(np.linalg.norm(along))


def _transformed(d: Domain, tag: int, reader: Reader) -> dict[str, Any]:
    """Arguments of a beam-column by its transformation."""
    found: Transformation = d.find("geomTransf", d.transformations, tag, reader)
    given: dict[str, Any] = {"geometry": found.geometry}
    for name in ("vecxz", "offset_i", "offset_j"):
        if getattr(found, name) is not None:
            given[name] = getattr(found, name)
    return given


_MASS = " | -mass mass | -cMass | -lMass"


def _mass(a: dict[str, Any]) -> dict[str, Any]:
    return {"mass": a["mass"] or 0.0, "consistent_mass": bool(a["cMass"]) and bool(a["mass"])}


@ELEMENTS.kind(
    "elasticBeamColumn",
    form="iNode:i jNode:i A E Iz transfTag:i | -mass mass | -cMass | -release code:i",
    into="ElasticBeamColumn",
)
def _elastic_beam(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    space = d.ndm == 3
    releases = (
        " | -releasez codez:i | -releasey codey:i"
        if space
        else " | -release code:i | -releasez code:i"
    )
    if reader.numbers_ahead() == 2:
        a = reader.read("secTag:i transfTag:i" + _MASS + releases)
        section = _elastic(without_shear(d.section(a["secTag"], reader)))
        if not isinstance(section, ElasticSection):
            raise reader.error(f"section {a['secTag']} must be an Elastic section.")
    elif space:
        a = reader.read("A E G J Iy Iz transfTag:i" + _MASS + releases)
        section = ElasticSection(a["E"], a["A"], a["Iz"], a["Iy"], a["G"], a["J"])
    else:
        a = reader.read("A E Iz transfTag:i" + _MASS + releases)
        section = ElasticSection(a["E"], a["A"], a["Iz"])
    released: dict[str, Any] = {}
    if space:
        z, y = a["releasez"] or 0, a["releasey"] or 0
        for end, bit in (("release_i", 1), ("release_j", 2)):
            about_y, about_z = bool(y & bit), bool(z & bit)
            if about_y or about_z:
                released[end] = True if about_y and about_z else "y" if about_y else "z"
    elif a["release"] or a["releasez"]:
        code = a["release"] or a["releasez"]
        released = {"release_i": bool(code & 1), "release_j": bool(code & 2)}
    return elements.ElasticBeamColumn(
        ends.tag,
        ends.i,
        ends.j,
        section=section,
        **_transformed(d, a["transfTag"], reader),
        **_mass(a),
        **released,
    )


def _elastic(section: Section) -> Section:
    """The elastic section of the initial stiffness of a fibre section, about its axes."""
    if not isinstance(section, FibreSection):
        return section
    EA = EIz = EIy = 0.0
    for group in section.groups:
        E = Point(group.material).tangent
        EA += E * float(np.sum(group.area))
        EIz += E * float(np.sum(group.area * group.y**2))
        EIy += E * float(np.sum(group.area * group.z**2)) if group.z is not None else 0.0
    if section.torsion is None:
        return ElasticSection(1.0, EA, EIz)
    return ElasticSection(1.0, EA, EIz, EIy, 1.0, Point(section.torsion).tangent)


def without_shear(section: Section) -> Section:
    """A section as elasticBeamColumn takes it: that element omits shear."""
    if isinstance(section, SectionWithShear):
        return section.section
    if isinstance(section, ElasticSection) and section.alpha_y is not None:
        space = {} if section.Iy is None else {"Iy": section.Iy, "G": section.G, "J": section.J}
        return ElasticSection(section.E, section.A, section.I, **space)
    return section


@ELEMENTS.kind(
    "ElasticTimoshenkoBeam",
    into="ElasticBeamColumn of a section with shear",
    form="iNode:i jNode:i E G A Iz Avy transfTag:i | -mass mass",
)
def _timoshenko(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    if d.ndm == 3:
        a = _positive_area(
            reader,
            reader.read("E G A Jx Iy Iz Avy Avz transfTag:i | -mass mass | -lMass", ("-cMass",)),
        )
        section = ElasticSection(
            a["E"], a["A"], a["Iz"], a["Iy"], a["G"], a["Jx"], a["Avy"] / a["A"], a["Avz"] / a["A"]
        )
    else:
        a = _positive_area(
            reader, reader.read("E G A Iz Avy transfTag:i | -mass mass | -lMass", ("-cMass",))
        )
        section = ElasticSection(a["E"], a["A"], a["Iz"], G=a["G"], alpha_y=a["Avy"] / a["A"])
    given = _transformed(d, a["transfTag"], reader)
    if given["geometry"] != "linear":
        raise reader.unsupported(
            f"geomTransf {a['transfTag']} of this element is not supported: it must be Linear."
        )
    return elements.ElasticBeamColumn(
        ends.tag, ends.i, ends.j, section=section, mass=a["mass"] or 0.0, **given
    )


def _positive_area(reader: Reader, a: dict[str, Any]) -> dict[str, Any]:
    """The same arguments: shear areas are given as fractions of the area."""
    if not a["A"] > 0.0:
        raise reader.wrong("A", a["A"], "must be above 0")
    return a


@ELEMENTS.kind(
    "forceBeamColumn",
    "nonlinearBeamColumn",
    into="ForceBeamColumn",
    form="iNode:i jNode:i transfTag:i integrationTag:i | -iter maxIter:i tol | -mass mass",
)
def _force_beam(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    return _sectioned(
        d, reader, ends, elements.ForceBeamColumn, "Lobatto", " | -iter maxIter:i=10 tol=1e-12"
    )


@ELEMENTS.kind(
    "dispBeamColumn",
    into="DisplacementBeamColumn",
    form="iNode:i jNode:i transfTag:i integrationTag:i | -mass mass | -cMass",
)
def _disp_beam(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    return _sectioned(d, reader, ends, elements.DisplacementBeamColumn, "Legendre", "")


def _newer(d: Domain, reader: Reader) -> bool:
    """Whether the next numbers are transfTag and integrationTag with something after them, and not
    the older numIntgrPts secTag transfTag."""
    transformation, integration, older = reader.items[reader.at : reader.at + 3]
    if not all(isinstance(item, int) for item in (transformation, integration)):
        return False
    return (
        transformation in d.transformations
        and integration in d.integrations
        and not (isinstance(older, int) and older in d.transformations)
    )


def _sectioned(
    d: Domain, reader: Reader, ends: Ends, cls: Any, rule_name: str, options: str
) -> Any:
    options += " | -mass mass | -cMass | -lMass | -integration integration:w"
    if reader.numbers_ahead() >= 3 and not _newer(d, reader):
        a = reader.read("numIntgrPts:i secTag:i transfTag:i" + options)
        rule = standard(reader, a["integration"] or rule_name, a["secTag"], a["numIntgrPts"])
    else:
        a = reader.read("transfTag:i integrationTag:i" + options)
        rule = d.find("beamIntegration", d.integrations, a["integrationTag"], reader)
    if a["cMass"] and cls is elements.ForceBeamColumn:
        raise reader.unsupported("option '-cMass' of this element is not supported.")
    sections: dict[int, Section] = {tag: d.section(tag, reader) for tag in set(rule.sections)}
    given = {**_transformed(d, a["transfTag"], reader), **_mass(a)}
    if rule.name in ("lobatto", "legendre", "radau"):
        return cls(
            ends.tag,
            ends.i,
            ends.j,
            section=sections[rule.sections[0]],
            points=len(rule.sections),
            integration=rule.name,
            **given,
        )
    if not (length := ends.length(given.get("offset_i", ()), given.get("offset_j", ()))) > 0.0:
        raise reader.error(
            f"nodes {ends.i} and {ends.j} are at the same place: a beam-column needs a length "
            "above 0."
        )
    places, weights = rule.shares(length)
    return cls(
        ends.tag,
        ends.i,
        ends.j,
        integration=Stations([sections[s] for s in rule.sections], places, weights),
        **given,
    )


@ELEMENTS.kind(
    "beamWithHinges",
    into="ForceBeamColumn with HingeRadau",
    form="iNode:i jNode:i secI:i lpI secJ:i lpJ E A Iz transfTag:i | -mass mass",
)
def _beam_with_hinges(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    """In space: E A Iz Iy G J."""
    inner = "E A Iz Iy G J" if d.ndm == 3 else "E A Iz"
    a = reader.read(f"secI:i lpI secJ:i lpJ {inner} transfTag:i | -mass mass | -iter maxIter:i tol")
    given = _transformed(d, a["transfTag"], reader)
    length = ends.length(given.get("offset_i", ()), given.get("offset_j", ()))
    if not length > 0.0:
        raise reader.error(f"nodes {ends.i} and {ends.j} are at the same place.")
    space = {"Iy": a["Iy"], "G": a["G"], "J": a["J"]} if d.ndm == 3 else {}
    middle = ElasticSection(a["E"], a["A"], a["Iz"], **space)
    places, weights = hinge_shares("HingeRadau", a["lpI"], a["lpJ"], length)
    first, last = d.section(a["secI"], reader), d.section(a["secJ"], reader)
    stations = Stations([first, *[middle] * (len(places) - 2), last], places, weights)
    return elements.ForceBeamColumn(
        ends.tag, ends.i, ends.j, integration=stations, mass=a["mass"] or 0.0, **given
    )


@ELEMENTS.kind(
    "TrussSection",
    "trussSection",
    "corotTrussSection",
    "CorotTrussSection",
    into="Truss of the laws of a section along its axis",
    form="iNode:i jNode:i secTag:i | -rho rho | -cMass cFlag:i=1 | -doRayleigh rFlag:i=1",
)
def _truss_section(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    a = reader.read("secTag:i | -rho rho | -cMass cFlag:i=1 | -doRayleigh rFlag:i=1")
    section = d.section(a["secTag"], reader)
    if isinstance(section, ElasticSection):
        law: Material = Elastic(section.E)
        area = section.A
    elif isinstance(section, FibreSection):
        area = 1.0
        groups = [(g.material, float(np.sum(g.area))) for g in section.groups]
        law = Parallel([m for m, _ in groups], [total for _, total in groups])
    else:
        raise reader.unsupported(
            f"section {a['secTag']} is not supported: it must be Elastic or Fiber."
        )
    return _made_truss(ends, a, name, law, area)


def _made_truss(ends: Ends, a: dict[str, Any], name: str, law: Material, area: float) -> Any:
    return elements.Truss(
        ends.tag,
        ends.i,
        ends.j,
        material=law,
        area=area,
        geometry="corotational" if name.lower().startswith("corot") else "linear",
        mass=a["rho"] or 0.0,
        consistent_mass=bool(a["cMass"]),
        damped=bool(a["doRayleigh"]),
    )


@ELEMENTS.kind(
    "truss",
    "Truss",
    "corotTruss",
    "CorotTruss",
    into="Truss",
    form="iNode:i jNode:i A matTag:i | -rho rho | -cMass cFlag:i=1 | -doRayleigh rFlag:i=1",
)
def _truss(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    a = reader.read("A matTag:i | -rho rho | -cMass cFlag:i=1 | -doRayleigh rFlag:i=1")
    return _made_truss(ends, a, name, d.material(a["matTag"], reader), a["A"])


def _laws(
    d: Domain, reader: Reader, materials: list[int], directions: list[int]
) -> dict[str, Material]:
    """Laws by direction; several in one direction act in parallel."""
    if len(materials) != len(directions) or not materials:
        raise reader.error(
            f"-mat ({len(materials)} tags) and -dir ({len(directions)} directions) must be of one "
            "length."
        )
    names = (
        {1: "x", 2: "y", 3: "z", 4: "rx", 5: "ry", 6: "rz"}
        if d.ndm == 3
        else {1: "x"}
        if d.ndm == 1
        else {1: "x", 2: "y", 3: "rz", ROTATION_IN_THE_PLANE: "rz"}
    )
    found: dict[str, list[Material]] = {}
    for material, direction in zip(materials, directions, strict=True):
        if direction not in names:
            raise reader.error(
                f"-dir {direction} must be one of {tuple(names)} in {d.ndm} dimensions."
            )
        found.setdefault(names[direction], []).append(d.material(material, reader))
    return {
        direction: laws[0] if len(laws) == 1 else Parallel(laws)
        for direction, laws in found.items()
    }


def _orientation(d: Domain, reader: Reader, given: list[float]) -> dict[str, Any]:
    """Local axes from -orient: x, and a vector yp in the local x-y plane."""
    if not given:
        return {}
    if len(given) not in (3, 6):
        raise reader.error(
            f"-orient needs 6 numbers (x vector, yp vector), {len(given)} were given."
        )
    if d.ndm == 3:
        if len(given) == 3:
            raise reader.unsupported(
                "-orient with a yp vector alone is not supported: give x and yp."
            )
        return {"orient": (tuple(given[:3]), tuple(given[3:]))}
    x = given[:3]
    if x[2] != 0.0 or (x[0] == 0.0 and x[1] == 0.0):
        raise reader.error(f"-orient: the x vector {tuple(x)} must lie in the plane.")
    if len(given) == 6 and x[0] * given[4] - x[1] * given[3] <= 0.0:
        return {"orient": (tuple(x), tuple(given[3:]))}
    angle = math.atan2(x[1], x[0])
    return {"angle": angle} if angle else {}


@ELEMENTS.kind(
    "zeroLength",
    into="ZeroLength",
    form="iNode:i jNode:i | -mat *mats:i | -dir *dirs:i | -doRayleigh rFlag:i=1 | -orient *vecs",
)
def _zero_length(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    a = reader.read(
        " | -mat *mats:i | -dir *dirs:i | -doRayleigh rFlag:i=1 | -orient *vecs",
        ("-dampMats", "-damp"),
    )
    laws = _laws(d, reader, a["mat"], a["dir"])
    return _without_length(
        reader,
        ends,
        elements.ZeroLength(
            ends.tag,
            ends.i,
            ends.j,
            laws,
            damped=bool(a["doRayleigh"]),
            **_orientation(d, reader, a["orient"]),
        ),
    )


def _without_length(reader: Reader, ends: Ends, made: Any) -> Any:
    """The same element; if its nodes are apart, the distance has no effect."""
    places = [domain.model.nodes[node].coordinates for node in (ends.i, ends.j)]
    if ends.length() > SAME_PLACE * max(float(np.abs(place).max()) for place in places):
        warn_accepted(
            f"{reader.command}: nodes {ends.i} and {ends.j} are {ends.length():g} apart, but it "
            "has no length, so that the distance has no effect. Fix: put the nodes at the same "
            "place, or use twoNodeLink."
        )
        made.may_be_apart = True
    return made


@ELEMENTS.kind(
    "twoNodeLink",
    into="TwoNodeLink",
    form="iNode:i jNode:i | -mat *mats:i | -dir *dirs:i | -orient *vecs | -pDelta *Mratios | "
    "-shearDist *shares | -doRayleigh | -mass mass",
)
def _two_node_link(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    a = reader.read(
        " | -mat *mats:i | -dir *dirs:i | -orient *vecs | -pDelta *Mratios | -shearDist *shares | "
        "-doRayleigh | -mass mass",
    )
    laws = _laws(d, reader, a["mat"], a["dir"])
    given: dict[str, Any] = {}
    if a["shearDist"]:
        given["shear_distance"] = a["shearDist"][0] if d.ndm < 3 else tuple(a["shearDist"])
    if a["pDelta"]:
        wanted = 4 if d.ndm == 3 else 2
        if len(a["pDelta"]) != wanted:
            raise reader.error(
                f"-pDelta needs {wanted} numbers in {d.ndm} dimensions, {len(a['pDelta'])} were "
                "given."
            )
        given["p_delta"] = tuple(a["pDelta"])
    if ends.length() == 0.0:
        if "p_delta" in given:
            raise reader.unsupported("option '-pDelta' of a link without length is not supported.")
        return elements.ZeroLength(
            ends.tag,
            ends.i,
            ends.j,
            laws,
            damped=a["doRayleigh"],
            **_orientation(d, reader, a["orient"]),
        )
    if a["mass"]:
        d.link_mass[ends.tag] = a["mass"]
    if a["orient"] and d.ndm > 1:
        given["orient"] = (
            tuple(a["orient"])
            if len(a["orient"]) == 3
            else (tuple(a["orient"][:3]), tuple(a["orient"][3:]))
        )
    return elements.TwoNodeLink(ends.tag, ends.i, ends.j, laws, damped=a["doRayleigh"], **given)


@ELEMENTS.kind(
    "zeroLengthSection",
    into="ZeroLengthSection",
    form="iNode:i jNode:i secTag:i | -orient *vecs | -doRayleigh rFlag:i=1",
)
def _zero_length_section(d: Domain, reader: Reader, ends: Ends, name: str) -> Any:
    a = reader.read("secTag:i | -orient *vecs | -doRayleigh rFlag:i=1")
    damped = True if a["doRayleigh"] is None else bool(a["doRayleigh"])
    return _without_length(
        reader,
        ends,
        elements.ZeroLengthSection(
            ends.tag,
            ends.i,
            ends.j,
            d.section(a["secTag"], reader),
            damped=damped,
            **_orientation(d, reader, a["orient"]),
        ),
    )


ELEMENTS.refuse(
    "femu models frames, trusses and links",
    "quad",
    "shell",
    "ShellMITC4",
    "ShellDKGQ",
    "stdBrick",
    "tri31",
    "FourNodeTetrahedron",
    "bbarBrick",
    "SSPquad",
    "SSPbrick",
    "ModElasticBeam2d",
    "elasticForceBeamColumn",
    "gradientInelasticBeamColumn",
    "mixedBeamColumn",
    "dispBeamColumnInt",
    "MVLEM",
    "SFI_MVLEM",
    "Joint2D",
    "beamColumnJoint",
    "elastomericBearingPlasticity",
    "elastomericBearingBoucWen",
    "flatSliderBearing",
    "singleFPBearing",
    "TFP",
    "TripleFrictionPendulum",
    "CatenaryCable",
    "ZeroLengthND",
    "zeroLengthContact2D",
    "genericClient",
    "actuator",
    "adapter",
    "componentElement2d",
    "pipe",
    "inerter",
    "Pipe",
    "RockingBC",
    "E_SFI",
)
