"""A model as TOML text, and back: the round trip is exact.

::

    format = "femu model 2"
    name = "portal"
    dimensions = 2

    [[node]]
    name = "A"
    at = [0.0, 0.0]
    fixed = ["x", "y", "rz"]

    [part.elastic_section_1]          # materials and sections, each written once
    type = "ElasticSection"
    E = 206e9

    [[element]]
    type = "ElasticBeamColumn"
    name = "beam"
    i = "C"
    j = "D"
    section = { part = "elastic_section_1" }

    [[pattern]]
    name = "gravity"
    nodal = [{ node = "C", y = -294e3 }]
    member = [{ element = "beam", type = "UniformLoad", y = -10e3 }]

Omitted arguments have femu's defaults. A file of format 1 differs in one of them: a
member in space without `vecxz` has its local y level, and is read with the `vecxz` that says so.
Angles are in radians; units are those of the model.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from femu.elements.beam_column import FrameElement
from femu.elements.space_member import numbers, vecxz_of_format_1
from femu.exchange.objects import TYPE, Decoder, Encoder
from femu.files import toml_text
from femu.model.element import Element
from femu.model.loads import Pattern
from femu.model.model import Model
from femu.model.parameters import Parameter
from femu.support.arguments import typed
from femu.support.errors import FemuError, FileError
from femu.support.ordinary_file import text_of

FORMAT = "femu model 2"
FORMAT_1 = "femu model 1"  # before: members in space without vecxz had other local axes
_MASS = Parameter("nodal mass", "mass", 0.0)


@typed
def model_to_toml(model: Model) -> str:
    """The text of a model."""
    encoder = Encoder()
    nodes = [_node(node, encoder) for node in model.nodes.values()]
    elements = [encoder.object(element) for element in model.elements.values()]
    patterns = [_pattern(pattern, encoder) for pattern in model.patterns.values()]
    tables: dict[str, Any] = {
        "format": FORMAT,
        "name": model.name,
        "dimensions": model.dimensions,
        "node": nodes,
        "part": encoder.parts,
        "element": elements,
    }
    if model.equal:
        tables["equal"] = [
            {"node": a, "other": b, "directions": list(d)} for a, b, d in model.equal
        ]
    if model.links:
        tables["link"] = [{"node": a, "other": b} for a, b in model.links]
    if model.diaphragms:
        tables["diaphragm"] = [
            {"node": a, "other": b, "normal": normal} for a, b, normal in model.diaphragms
        ]
    tables["pattern"] = patterns
    if model.damping is not None:
        tables["rayleigh"] = {k: v for k, v in encoder.object(model.damping).items() if k != TYPE}
    if model.modal is not None:
        tables["modal"] = {"ratios": list(model.modal.ratios)}
    return toml_text.write({k: v for k, v in tables.items() if v not in ([], {})})


@typed
def model_from_toml(text: str, what: str = "the TOML text") -> Model:
    """The model of a text; ``what`` names it in messages."""
    try:
        tables = toml_text.read(text)
    except toml_text.NotTOML as problem:
        raise FileError(what, f"is not TOML: {problem}") from None
    if tables.get("format") not in (FORMAT, FORMAT_1):
        raise FileError(
            what, f"is not a model of femu: its format is {tables.get('format')!r}, not {FORMAT!r}"
        )
    try:
        return _model(tables, what)
    except (KeyError, TypeError, AttributeError) as problem:
        missing = f"lacks {problem}" if isinstance(problem, KeyError) else str(problem)
        raise FileError(what, f"does not describe a model: {missing}") from problem
    except FileError:
        raise
    except FemuError as problem:
        raise FileError(what, str(problem)) from problem


@typed
def read_model(path: str | os.PathLike[str]) -> Model:
    """The model in a TOML file."""
    try:
        return model_from_toml(text_of(path), os.fspath(path))
    except (OSError, UnicodeDecodeError) as problem:
        if isinstance(problem, FemuError):
            raise
        raise FileError(path, f"cannot be read: {problem}") from problem


@typed
def write_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a TOML file."""
    text = model_to_toml(model)
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except OSError as problem:
        raise FileError(path, f"cannot be written: {problem}") from problem


def _node(node: Any, encoder: Encoder) -> dict[str, Any]:
    table: dict[str, Any] = {"name": node.name, "at": node.coordinates.tolist()}
    if node.fixed:
        table["fixed"] = sorted(node.fixed, key=lambda d: (len(d), d))  # translations first
    if node.mass:
        table["mass"] = dict(node.mass)
    if node.motion:
        table["motion"] = {d: encoder.object(m) for d, m in node.motion.items()}
    return table


def _pattern(pattern: Pattern, encoder: Encoder) -> dict[str, Any]:
    table: dict[str, Any] = {"name": pattern.name}
    if pattern.series is not None:
        table["series"] = encoder.object(pattern.series)
    nodal: list[dict[str, Any]] = []
    # neighbours on one node share a table; their order stays
    for (node, direction), force in pattern.nodal.items():
        if (
            not nodal
            or nodal[-1]["node"] != node
            or type(nodal[-1]["node"]) is not type(node)
            or direction in nodal[-1]
        ):
            nodal.append({"node": node})
        nodal[-1][direction] = force
    if nodal:
        table["nodal"] = nodal
    if pattern.member:
        table["member"] = [
            {"element": element, **encoder.object(load)} for element, load in pattern.member
        ]
    return table


def _model(tables: dict[str, Any], what: str) -> Model:
    decoder = Decoder(tables.get("part", {}), what)
    model = Model(tables["name"], dimensions=tables.get("dimensions", 2))
    for table in tables.get("node", []):
        node = model.node(table["name"], *table["at"], fixed=table.get("fixed", False))
        for direction, mass in table.get("mass", {}).items():
            node.mass[direction] = _MASS.check(f"node {node.name!r}", f"mass.{direction}", mass)
        for direction, motion in table.get("motion", {}).items():
            model.support_motion(node.name, direction, decoder.value(motion))
    for table in tables.get("element", []):
        element = decoder.object(table)
        if not isinstance(element, Element):
            raise FileError(what, f"has the element {table!r}, whose type is not an element")
        if (
            tables["format"] == FORMAT_1
            and model.dimensions == 3
            and isinstance(element, FrameElement)
            and element.vecxz is None
        ):
            element.vecxz = _vecxz_of_format_1(element, model)
        model.add(element)
    for table in tables.get("equal", []):
        model.equal_dof(table["node"], [table["other"]], table["directions"])
    for table in tables.get("link", []):
        model.rigid_link(table["node"], table["other"])
    for table in tables.get("diaphragm", []):
        model.rigid_diaphragm([table["node"], table["other"]], normal=table["normal"])
    for table in tables.get("pattern", []):
        model.pattern(table["name"], decoder.value(table["series"]) if "series" in table else None)
        for load in table.get("nodal", []):
            model.load(
                load["node"],
                pattern=table["name"],
                **{d: v for d, v in load.items() if d != "node"},
            )
        for load in table.get("member", []):
            model.member_load(
                load["element"],
                decoder.object({k: v for k, v in load.items() if k != "element"}),
                table["name"],
            )
    if "rayleigh" in tables:
        given = dict(tables["rayleigh"])
        model.rayleigh(given.pop("ratios", None), **given)
    if "modal" in tables:
        model.modal_damping(tables["modal"]["ratios"])
    return model


def _vecxz_of_format_1(element: FrameElement, model: Model) -> tuple[float, float, float]:
    ends = [
        np.asarray(model.nodes[n].coordinates, dtype=float)
        for n in element.nodes
        if n in model.nodes
    ]
    offsets = [numbers(o) for o in (element.offset_i, element.offset_j)]
    shift = [o if o.shape == (3,) else np.zeros(3) for o in offsets]
    chord = ends[1] + shift[1] - ends[0] - shift[0] if len(ends) == 2 else np.zeros(3)
    return vecxz_of_format_1(chord / (float(np.linalg.norm(chord)) or 1.0))
