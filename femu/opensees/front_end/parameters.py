"""parameter, updateParameter: numbers of elements that a script may change between steps."""

from __future__ import annotations

from typing import Any

from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader, looks_like_number
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import command
from femu.support.errors import FemuError, shown

NAMES = {
    "E": "E",
    "E0": "E",
    "A": "A",
    "area": "area",
    "I": "I",
    "Iz": "I",
    "Iy": "Iy",
    "G": "G",
    "J": "J",
    "Fy": "fy",
    "fy": "fy",
    "sigmaY": "fy",
    "b": "b",
    "fpc": "fc",
    "fc": "fc",
    "alpha": "alpha",
    "ko": "k",
    "n": "n",
    "gamma": "gamma",
    "beta": "beta",
    "C": "C",
    "rho": "mass",
    "Hkin": "H_kin",
    "H_kin": "H_kin",
    "Hiso": "H_iso",
    "H_iso": "H_iso",
    "R0": "R0",
    "mass": "mass",
}
"""Names of OpenSees, and femu's last part of the name; A of a truss is its area."""


def _find(reader: Reader) -> list[str]:
    """Names of the parameters that the rest of a command means."""
    kind = reader.take("kind", "w")
    if kind != "element":
        raise reader.unsupported(
            f"a parameter of a {shown(kind)} is not supported. Supported: element."
        )
    tag = reader.take("eleTag", "i")
    domain.element(tag, reader)
    words = [w for w in reader.items[reader.at :] if isinstance(w, str)]
    if len(words) < len(reader.items) - reader.at:
        raise reader.unsupported("a parameter of one section or fibre alone is not supported.")
    reader.at = len(reader.items)
    word = words[-1] if words else ""
    if word not in NAMES:
        raise reader.unsupported(
            f"parameter {shown(word)} is not supported. Supported: {', '.join(NAMES)}."
        )
    wanted = {NAMES[word], *(["area"] if word == "A" else [])}
    found = [
        name
        for name in domain.program.parameters.names
        if name.startswith(f"{tag}.") and name.rpartition(".")[2] in wanted
    ]
    if not found:
        raise reader.error(f"element {tag} has no parameter {shown(word)}.")
    return found


@command(
    "parameter",
    "parameters",
    "tag:i kind:w eleTag:i *words:w",
    "Give a number of an element a tag.",
)
def parameter(reader: Reader) -> int:
    tag = reader.take("tag", "i")
    domain.define("parameter", domain.parameters, tag, _find(reader) if reader.left else [], reader)
    return tag


@command(
    "addToParameter",
    "parameters",
    "tag:i kind:w eleTag:i *words:w",
    "Add a number of another element to a parameter.",
)
def add_to_parameter(reader: Reader) -> None:
    tag = reader.take("tag", "i")
    found = domain.find("parameter", domain.parameters, tag, reader)
    found += _find(reader)


def _set(reader: Reader, names: list[str], value: float) -> None:
    session = present(reader)
    session.flush()
    program, run = session.program, session.run
    before = program.parameters.vector.copy()
    try:
        for name in names:
            program.parameters[name] = value
        session.evaluate(reader)
    except FemuError:
        program.parameters.vector[:] = before
        session.end()  # it has evaluated what was refused
        raise
    domain.changed.update(dict.fromkeys(names, value))
    if session.plan.transient or run.fields.initial_tangent is not None:
        session.end()  # matrices that were made once, such as mass and damping, may hold the number
    else:
        session.refresh()


@command("updateParameter", "parameters", "tag:i newValue", "Give a parameter a new value.")
def update_parameter(reader: Reader) -> None:
    a = reader.read("tag:i newValue")
    _set(reader, domain.find("parameter", domain.parameters, a["tag"], reader), a["newValue"])


@command(
    "setParameter",
    "parameters",
    "| -val value | -ele *eles:i",
    "Give a number of several elements a new value.",
)
def set_parameter(reader: Reader) -> None:
    a, words = _split(reader)
    if a["val"] is None or not a["ele"] or not words:
        raise reader.error("needs -val value, -ele *eleTags and the name of the parameter.")
    names = [
        name for tag in a["ele"] for name in _find(Reader(reader.command, ("element", tag, *words)))
    ]
    _set(reader, names, a["val"])


def _split(reader: Reader) -> tuple[dict[str, Any], list[Any]]:
    named = [
        isinstance(w, str) and not w.startswith("-") and not looks_like_number(w)
        for w in reader.items
    ]
    words = [w for w, name in zip(reader.items, named, strict=True) if name]
    reader.items = [w for w, name in zip(reader.items, named, strict=True) if not name]
    return reader.read(" | -val value | -ele *eles:i", ("-eleRange",)), words


@command("getParamTags", "parameters", "", "Tags of the parameters.")
def get_param_tags(reader: Reader) -> list[int]:
    return sorted(domain.parameters)


@command("getParamValue", "parameters", "tag:i", "Value of a parameter.")
def get_param_value(reader: Reader) -> float:
    names = domain.find("parameter", domain.parameters, reader.read("tag:i")["tag"], reader)
    return float(domain.program.parameters[names[0]]) if names else 0.0
