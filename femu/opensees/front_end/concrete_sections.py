"""Sections of reinforced concrete that OpenSees makes from a few dimensions: RCSection2d and
RCCircularSection."""

from __future__ import annotations

import math
from typing import Any

from femu.materials.sections import patches
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import Domain
from femu.opensees.front_end.sections import SECTIONS, Cell, FibreRecipe

_MATERIALS = ("coreTag", "coverTag", "steelTag")


def _checked(d: Domain, reader: Reader, a: dict[str, Any], counts: tuple[str, ...]) -> None:
    """Raise if a material is missing or the dimensions are none."""
    for name in _MATERIALS:
        d.material(a[name], reader)
    if min(a["d"], a.get("b", 1.0), a["cover"]) <= 0.0 or 2.0 * a["cover"] >= a["d"]:
        raise reader.error("d, b and cover must be above 0, and 2 cover below d.")
    for name in counts:
        if not 1 <= a[name] <= patches.MOST_FIBRES:
            raise reader.wrong(name, a[name], f"must lie between 1 and {patches.MOST_FIBRES}")


def _layers(count: int, top: float, bottom: float, width: float) -> list[Cell]:
    """Fibres of equal height from the top to the bottom."""
    height = (top - bottom) / count
    return [(top - height * (k + 0.5), 0.0, width * height) for k in range(count)]


@SECTIONS.kind(
    "RCSection2d",
    form="coreTag:i coverTag:i steelTag:i d b cover Atop Abot Aside Nfcore:i Nfcover:i Nfs:i",
    into="FibreSection of a rectangle with bars at top, bottom and sides",
)
def _rectangle(d: Domain, reader: Reader) -> FibreRecipe:
    a = reader.read(
        "coreTag:i coverTag:i steelTag:i d b cover Atop Abot Aside Nfcore:i Nfcover:i Nfs:i"
    )
    _checked(d, reader, a, ("Nfcore", "Nfcover", "Nfs"))
    half, cover = 0.5 * a["d"], a["cover"]
    edge = half - cover
    made = FibreRecipe(False, True)
    made.add(_layers(a["Nfcore"], edge, -edge, a["b"] - 2.0 * cover), a["coreTag"])
    made.add(_layers(a["Nfcore"], edge, -edge, 2.0 * cover), a["coverTag"])
    made.add(_layers(a["Nfcover"], half, edge, a["b"]), a["coverTag"])
    made.add(_layers(a["Nfcover"], -edge, -half, a["b"]), a["coverTag"])
    bars = a["Nfs"]  # along each edge; the areas are those of one bar
    made.add([(edge, 0.0, bars * a["Atop"]), (-edge, 0.0, bars * a["Abot"])], a["steelTag"])
    spacing = 2.0 * edge / max(bars - 1, 1)
    sides = [(edge - spacing * k, 0.0, 2.0 * a["Aside"]) for k in range(1, bars - 1)]
    made.add(sides, a["steelTag"])
    return made


@SECTIONS.kind(
    "RCCircularSection",
    form="coreTag:i coverTag:i steelTag:i d cover As NringsCore:i NringsCover:i Nwedges:i Nsteel:i "
    "| -GJ GJ",
    into="FibreSection of a circle with bars in a circle",
)
def _circle(d: Domain, reader: Reader) -> FibreRecipe:
    a = reader.read(
        "coreTag:i coverTag:i steelTag:i d cover As NringsCore:i NringsCover:i Nwedges:i Nsteel:i "
        "| -GJ GJ"
    )
    _checked(d, reader, a, ("NringsCore", "NringsCover", "Nwedges", "Nsteel"))
    if d.ndm == 3 and a["GJ"] is None:
        raise reader.error("a fibre section in space needs -GJ GJ.")
    centre, outside = (0.0, 0.0), 0.5 * a["d"]
    inside, turn = outside - a["cover"], 2.0 * math.pi / a["Nsteel"]
    made = FibreRecipe(d.ndm == 3, True, a["GJ"])
    for material, rings, inner, outer in (
        ("coreTag", a["NringsCore"], 0.0, inside),
        ("coverTag", a["NringsCover"], inside, outside),
    ):
        cells = patches.circle_patch(a["Nwedges"], rings, centre, inner, outer, 0.0, 360.0)
        made.add(cells, a[material])
    angles = [turn * (k + 0.5) for k in range(a["Nsteel"])]
    bars = [(inside * math.cos(angle), inside * math.sin(angle), a["As"]) for angle in angles]
    made.add(bars, a["steelTag"])
    return made
