"""section, patch, layer, fiber: the sections of OpenSees, as femu's."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from femu import materials as laws
from femu.materials.sections import patches
from femu.model.component import Material, Section
from femu.model.doubts import accepting, warn_accepted
from femu.opensees.front_end.accepted import ACCEPTED
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import Domain, domain, started
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

SECTIONS = Kinds("section", "section")
PATCHES = Kinds("patch", "shape")
LAYERS = Kinds("layer", "shape")

Cell = tuple[float, float, float]  # y, z, area


@dataclass
class FibreRecipe:
    """A fibre section that grows with patches, layers and fibres; an element takes it as it then
    is.

    In the plane, fibres of one material at one height are one fibre of femu: `merged` says which.
    """

    space: bool
    centred: bool
    GJ: float | None = None
    torsion: Material | None = None
    # y, z, area, material
    cells: list[tuple[float, float, float, int]] = field(default_factory=list)
    built: Section | None = None
    # for each cell: group and fibre in it
    merged: list[tuple[int, int]] = field(default_factory=list)

    def add(self, cells: list[Cell], material: int) -> None:
        """Add fibres of one material."""
        self.cells += [(y, z, area, material) for y, z, area in cells]
        self.built = None

    def centre(self) -> tuple[float, float]:
        """The point from which fibres are measured."""
        if not self.centred:
            return 0.0, 0.0
        area = sum(c[2] for c in self.cells)
        if area == 0.0:  # no centroid: OpenSees has NaN there
            return 0.0, 0.0
        return sum(c[0] * c[2] for c in self.cells) / area, sum(
            c[1] * c[2] for c in self.cells
        ) / area

    def made(self, reader: Reader) -> Section:
        """The section of femu."""
        if self.built is None:
            if not self.cells:
                raise reader.error(
                    "a fibre section has no fibres: call patch, layer or fiber after section."
                )
            with accepting(ACCEPTED):
                self.built = self._space(reader) if self.space else self._plane(reader)
        return self.built

    def _plane(self, reader: Reader) -> Section:
        y0, _ = self.centre()
        groups: dict[int, dict[float, tuple[int, float]]] = {}
        order: dict[int, int] = {}
        self.merged = []
        scale = max(abs(c[0]) for c in self.cells) or 1.0
        for y, _, area, material in self.cells:
            found = groups.setdefault(material, {})
            order.setdefault(material, len(order))
            height = round((y - y0) / scale, 13)
            index, total = found.get(height, (len(found), 0.0))
            found[height] = (index, total + area)
            self.merged.append((order[material], index))
        heights: dict[tuple[int, int], float] = {}
        for (y, _, _, _), key in zip(self.cells, self.merged, strict=True):
            heights.setdefault(key, y - y0)
        fibres = []
        for material, found in groups.items():
            own = [heights[order[material], index] for index, _ in found.values()]
            fibres.append(
                laws.Fibres(
                    f"material{material}",
                    domain.material(material, reader),
                    np.array(own),
                    np.array([area for _, area in found.values()]),
                )
            )
        return laws.FibreSection(fibres)

    def _space(self, reader: Reader) -> Section:
        y0, z0 = self.centre()
        groups: dict[int, list[Cell]] = {}
        self.merged = []
        order: dict[int, int] = {}
        for y, z, area, material in self.cells:
            own = groups.setdefault(material, [])
            order.setdefault(material, len(order))
            self.merged.append((order[material], len(own)))
            own.append((y - y0, z - z0, area))
        fibres = []
        for material, own in groups.items():
            y, z, area = np.array(own).T
            fibres.append(
                laws.Fibres(f"material{material}", domain.material(material, reader), y, area, z=z)
            )
        return laws.FibreSection(fibres, GJ=self.GJ, torsion=self.torsion)


@command("section", "sections", "kind:w tag:i", "A cross-section; see the kinds.")
def section(reader: Reader) -> None:
    started(reader)
    kind = SECTIONS.find(reader)
    tag = reader.take("secTag", "i")
    reader.command = f"section({kind.name!r}, {tag})"
    with accepting(ACCEPTED):
        made = kind.make(domain, reader)
    domain.define("section", domain.sections, tag, made, reader)
    domain.section_open = tag if isinstance(made, FibreRecipe) else None


@dataclass(frozen=True)
class Listed:
    """A section with the order in which OpenSees lists its forces."""

    section: Section
    codes: tuple[str, ...]

    def made(self, reader: Reader) -> Section:
        """The section of femu."""
        return self.section


def codes_of(d: Domain, section: Section) -> tuple[str, ...]:
    """Forces of a section in the order of OpenSees."""
    listed = next(
        (
            known.codes
            for known in d.sections.values()
            if isinstance(known, Listed) and known.section is section
        ),
        None,
    )
    return listed or (("P", "Mz", "My", "T") if d.ndm == 3 else ("P", "Mz"))


@SECTIONS.kind(
    "Elastic",
    form="E A Iz Iy=None G=None J=None alphaY=None alphaZ=None",
    into="ElasticSection (in the plane: E A Iz G alphaY)",
)
def _elastic(d: Domain, reader: Reader) -> Section | Listed:
    if d.ndm == 3:
        a = reader.read("E A Iz Iy G J alphaY=None alphaZ=None")
        made = laws.ElasticSection(
            a["E"], a["A"], a["Iz"], a["Iy"], a["G"], a["J"], a["alphaY"], a["alphaZ"]
        )
        if a["alphaY"] is None:
            return made
        if a["alphaZ"] is None:
            raise reader.error("argument alphaZ (a number) is missing after alphaY.")
        return Listed(made, ("P", "Mz", "Vy", "My", "Vz", "T"))
    a = reader.read("E A Iz G=None alphaY=None")
    if a["alphaY"] is None:
        return laws.ElasticSection(a["E"], a["A"], a["Iz"])
    return Listed(
        laws.ElasticSection(a["E"], a["A"], a["Iz"], G=a["G"], alpha_y=a["alphaY"]),
        ("P", "Mz", "Vy"),
    )


@SECTIONS.kind(
    "Fiber",
    "fiberSec",
    "FiberSection",
    form=" | -GJ GJ | -torsion torsionMat:i | -noCentroid",
    into="FibreSection",
)
def _fiber(d: Domain, reader: Reader) -> FibreRecipe:
    a = reader.read(" | -GJ GJ | -torsion torsionMat:i | -noCentroid")
    torsion = d.material(a["torsion"], reader) if a["torsion"] is not None else None
    if d.ndm == 3 and d.ndf == 6 and a["GJ"] is None and torsion is None:
        raise reader.error("a fibre section in space needs -GJ GJ or -torsion matTag.")
    return FibreRecipe(d.ndm == 3, not a["noCentroid"], a["GJ"], torsion)


@SECTIONS.kind(
    "WFSection2d",
    "WSection2d",
    form="matTag:i d tw bf tf Nfw:i Nff:i",
    into="FibreSection of a wide flange",
)
def _wide_flange(d: Domain, reader: Reader) -> FibreRecipe:
    a = reader.read("matTag:i d tw bf tf Nfw:i Nff:i")
    d.material(a["matTag"], reader)
    if (
        min(a["d"], a["tw"], a["bf"], a["tf"]) <= 0.0
        or 2.0 * a["tf"] >= a["d"]
        or min(a["Nfw"], a["Nff"]) < 1
    ):
        raise reader.error("d, tw, bf, tf must be above 0 with 2 tf < d, and Nfw, Nff at least 1.")
    if max(a["Nfw"], a["Nff"]) > patches.MOST_FIBRES:
        raise reader.error(
            f"Nfw = {a['Nfw']}, Nff = {a['Nff']} must be at most {patches.MOST_FIBRES}."
        )
    clear = a["d"] - 2.0 * a["tf"]
    flange, web = a["tf"] / a["Nff"], clear / a["Nfw"]
    made = FibreRecipe(False, True)
    made.add(
        [(0.5 * a["d"] - flange * (k + 0.5), 0.0, a["bf"] * flange) for k in range(a["Nff"])],
        a["matTag"],
    )
    made.add(
        [(0.5 * clear - web * (k + 0.5), 0.0, a["tw"] * web) for k in range(a["Nfw"])], a["matTag"]
    )
    made.add(
        [(-0.5 * clear - flange * (k + 0.5), 0.0, a["bf"] * flange) for k in range(a["Nff"])],
        a["matTag"],
    )
    return made


_CODES = ("P", "Mz", "Vy", "My", "Vz", "T")


@SECTIONS.kind(
    "Aggregator",
    form="*pairs | -section secTag:i",
    into="UncoupledSection of the laws for P and Mz (My, T in space), SectionWithShear of those "
    "for Vy and Vz",
)
def _aggregator(d: Domain, reader: Reader) -> Section | Listed:
    given: dict[str, Material] = {}
    while reader.left and reader.peek() != "-section":
        material = d.material(reader.take("matTag", "i"), reader)
        code = reader.take("dof", "w")
        if code not in _CODES:
            raise reader.error(f"dof = {shown(code)} must be one of {', '.join(_CODES)}.")
        if code in given:
            raise reader.error(
                f"dof {shown(code)} is given twice: in OpenSees the two laws act in series in a "
                "force-based element and in parallel in others. Fix: combine them with Series or "
                "Parallel."
            )
        given[code] = material
    base: Any = None
    before: tuple[str, ...] = ()
    if reader.left:
        tag = reader.read(" | -section secTag:i")["section"]
        added = d.find("section", d.sections, tag, reader)
        if isinstance(added, OneForce):
            given = {added.code: added.law} | given
        else:
            base = d.section(tag, reader)
            before = codes_of(d, base)
    return Listed(_aggregated(d, reader, given, base), (*before, *given))


def _aggregated(
    d: Domain, reader: Reader, given: dict[str, Material], base: Section | None
) -> Section:
    """The laws of an Aggregator by code, with a section if there is one.

    Laws of space have no effect in the plane.
    """
    shear = {
        f"shear_{code[-1].lower()}": law for code, law in given.items() if code in ("Vy", "Vz")
    }
    if d.ndm == 2:
        shear.pop("shear_z", None)
    rest = {code: law for code, law in given.items() if code not in ("Vy", "Vz")}
    if isinstance(base, laws.SectionWithShear):  # more laws with the same section
        shear = {
            name: law for name in ("shear_y", "shear_z") if (law := getattr(base, name)) is not None
        } | shear
        base = base.section
    if base is None:
        base, rest = _uncoupled(d, reader, rest), {}
    wrong = [code for code in rest if code != "T"]
    if wrong:
        raise reader.unsupported(
            f"dof {shown(wrong[0])} together with '-section' is not supported; T, Vy and Vz are."
        )
    if rest and d.ndm == 3:
        if not isinstance(base, laws.FibreSection):
            raise reader.unsupported("'-section' with T is supported for fibre sections only.")
        base = laws.FibreSection(base.groups, torsion=rest["T"])
    # a separate section for each Aggregator, as each lists its forces in its own order
    return laws.SectionWithShear(base, **shear) if shear else copy(base)


def _uncoupled(d: Domain, reader: Reader, given: dict[str, Material]) -> Section:
    wanted = ("P", "Mz") if d.ndm == 2 else ("P", "Mz", "My", "T")
    missing = [code for code in wanted if code not in given]
    if missing:
        raise reader.unsupported(f"a section without {' and '.join(missing)} is not supported.")
    return laws.UncoupledSection(*(given[code] for code in wanted))


@dataclass(frozen=True)
class OneForce:
    """A law for one force of a section: of use as the section that an Aggregator adds to."""

    code: str
    law: Material

    def made(self, reader: Reader) -> Section:
        """Not a section that an element can use."""
        raise reader.unsupported(
            f"a section of {self.code} alone is not supported: use zeroLength with '-mat', or "
            "Aggregator."
        )


@SECTIONS.kind(
    "Uniaxial",
    "Generic1D",
    "Generic1d",
    form="matTag:i quantity:w",
    into="one law of an Aggregator",
)
def _uniaxial(d: Domain, reader: Reader) -> OneForce:
    a = reader.read("matTag:i quantity:w")
    if a["quantity"] not in _CODES:
        raise reader.error(f"quantity = {shown(a['quantity'])} must be one of {', '.join(_CODES)}.")
    return OneForce(a["quantity"], d.material(a["matTag"], reader))


SECTIONS.refuse(
    "femu has no such section",
    "NDFiber",
    "NDFiberWarping",
    "RCTunnelSection",
    "ElasticMembranePlateSection",
    "PlateFiber",
    "LayeredShell",
    "Bidirectional",
    "Isolator2spring",
    "Parallel",
    "ElasticShear",
    "TimoshenkoSection",
    "Tube",
    "HSSSection",
    "WFFiberSection2d",
)


# --- fibres ---


def _open(reader: Reader) -> FibreRecipe:
    if domain.section_open is None:
        raise reader.error("there is no fibre section to add to: call section('Fiber', tag) first.")
    return domain.sections[domain.section_open]


@command("fiber", "sections", "yLoc zLoc A matTag:i", "Add one fibre to the open section.")
def fiber(reader: Reader) -> None:
    a = reader.read("yLoc zLoc A matTag:i")
    domain.material(a["matTag"], reader)
    _open(reader).add([(a["yLoc"], a["zLoc"], a["A"])], a["matTag"])


@command(
    "patch",
    "sections",
    "kind:w matTag:i",
    "Add a patch of fibres to the open section; see the kinds.",
)
def patch(reader: Reader) -> None:
    _add(reader, PATCHES)


@command(
    "layer",
    "sections",
    "kind:w matTag:i",
    "Add a layer of fibres to the open section; see the kinds.",
)
def layer(reader: Reader) -> None:
    _add(reader, LAYERS)


def _add(reader: Reader, shapes: Kinds) -> None:
    """Add the fibres of a shape to the open section."""
    recipe = _open(reader)
    kind = shapes.find(reader)
    material = reader.take("matTag", "i")
    domain.material(material, reader)
    recipe.add(kind.make(reader, reader.read(kind.form)), material)


@PATCHES.kind(
    "rect", "rectangular", form="numSubdivY:i numSubdivZ:i yI zI yJ zJ", into="rectangle_patch"
)
def _rect(reader: Reader, a: dict[str, Any]) -> list[Cell]:
    return patches.rectangle_patch(
        a["numSubdivY"], a["numSubdivZ"], (a["yI"], a["zI"]), (a["yJ"], a["zJ"])
    )


@PATCHES.kind(
    "quad",
    "quadr",
    "quadrilateral",
    form="numSubdivIJ:i numSubdivJK:i yI zI yJ zJ yK zK yL zL",
    into="quad_patch",
)
def _quad(reader: Reader, a: dict[str, Any]) -> list[Cell]:
    corners = [(a[f"y{c}"], a[f"z{c}"]) for c in "IJKL"]
    if (
        sum(
            p[0] * q[1] - q[0] * p[1]
            for p, q in zip(corners, corners[1:] + corners[:1], strict=True)
        )
        < 0.0
    ):
        warn(
            f"{reader.command}: the corners I, J, K, L are clockwise. OpenSees makes fibres of "
            "negative area of them; femu takes the area as positive. Fix: give the corners "
            "counterclockwise, from local y towards local z.",
            ModelWarning,
        )
    return patches.quad_patch(a["numSubdivIJ"], a["numSubdivJK"], *corners)


@PATCHES.kind(
    "circ",
    "circular",
    form="numSubdivCirc:i numSubdivRad:i yC zC intRad extRad startAng=0 endAng=360",
    into="circle_patch",
)
def _circ(reader: Reader, a: dict[str, Any]) -> list[Cell]:
    return patches.circle_patch(
        a["numSubdivCirc"],
        a["numSubdivRad"],
        (a["yC"], a["zC"]),
        a["intRad"],
        a["extRad"],
        a["startAng"],
        a["endAng"],
    )


@LAYERS.kind("straight", form="numFiber:i areaFiber yStart zStart yEnd zEnd", into="straight_layer")
def _straight(reader: Reader, a: dict[str, Any]) -> list[Cell]:
    bars = patches.straight_layer(
        a["numFiber"], 1.0, (a["yStart"], a["zStart"]), (a["yEnd"], a["zEnd"])
    )
    return [(y, z, a["areaFiber"]) for y, z, _ in bars]


@LAYERS.kind(
    "circ",
    "circular",
    form="numFiber:i areaFiber yC zC radius startAng=0 endAng=None",
    into="circle_layer",
)
def _circle(reader: Reader, a: dict[str, Any]) -> list[Cell]:
    start, end, centre = a["startAng"], a["endAng"], (a["yC"], a["zC"])
    if end is not None and end - start >= patches.FULL_CIRCLE:
        end = None  # full circle: the last bar is not on the first
    if a["radius"] <= 0.0:
        warn_accepted(f"{reader.command}: radius = {a['radius']:g} must be above 0.")
    places = patches.circle_layer(a["numFiber"], 1.0, (0.0, 0.0), 1.0, start, end)
    return [
        (centre[0] + a["radius"] * y, centre[1] + a["radius"] * z, a["areaFiber"])
        for y, z, _ in places
    ]
