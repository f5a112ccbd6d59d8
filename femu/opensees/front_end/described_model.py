"""Queries of what a model is made of: constrained nodes, loads, classes of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.elements.beam_column import FrameElement
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain, tags
from femu.opensees.front_end.table import command

ELEMENT_CLASSES: dict[str, tuple[tuple[str, int], tuple[str, int]]] = {
    "elasticBeamColumn": (("ElasticBeam2d", 3), ("ElasticBeam3d", 5)),
    "ElasticTimoshenkoBeam": (("ElasticTimoshenkoBeam2d", 145), ("ElasticTimoshenkoBeam3d", 146)),
    "forceBeamColumn": (("ForceBeamColumn2d", 73), ("ForceBeamColumn3d", 74)),
    "nonlinearBeamColumn": (("ForceBeamColumn2d", 73), ("ForceBeamColumn3d", 74)),
    "dispBeamColumn": (("DispBeamColumn2d", 62), ("DispBeamColumn3d", 64)),
    "truss": (("Truss", 12), ("Truss", 12)),
    "corotTruss": (("CorotTruss", 14), ("CorotTruss", 14)),
    "zeroLength": (("ZeroLength", 19), ("ZeroLength", 19)),
    "zeroLengthSection": (("ZeroLengthSection", 20), ("ZeroLengthSection", 20)),
    "twoNodeLink": (("TwoNodeLink", 86), ("TwoNodeLink", 86)),
}
"""Name and number that OpenSees gives an element, in the plane and in space."""
_SAME = {"Truss": "truss", "CorotTruss": "corotTruss", "corottruss": "corotTruss"}


def class_of(tag: int) -> tuple[str, int]:
    """Name and number of the class of an element."""
    kind = domain.kinds[tag]
    found = ELEMENT_CLASSES.get(_SAME.get(kind, kind))
    return (kind, 0) if found is None else found[domain.ndm == 3]


@command("eleType", "queries", "eleTag:i", "OpenSees' name of the class of an element.")
def ele_type(reader: Reader) -> str:
    tag = reader.read("eleTag:i")["eleTag"]
    domain.element(tag, reader)
    return class_of(tag)[0]


@command("getEleClassTags", "queries", "eleTag:i=None", "OpenSees' numbers of element classes.")
def get_ele_class_tags(reader: Reader) -> list[int]:
    tag = reader.read("eleTag:i=None")["eleTag"]
    if tag is not None:
        domain.element(tag, reader)
    wanted = tags(int(t) for t in domain.model.elements) if tag is None else [tag]
    return [class_of(t)[1] for t in wanted]


@command("getCrdTransfTags", "queries", "", "Tags of the transformations.")
def get_crd_transf_tags(reader: Reader) -> list[int]:
    return tags(domain.transformations)


@command("basicStiffness", "queries", "eleTag:i", "Basic stiffness of a beam-column, by rows.")
def basic_stiffness(reader: Reader) -> list[float]:
    tag = reader.read("eleTag:i")["eleTag"]
    element = domain.element(tag, reader)
    if not isinstance(element, FrameElement):
        raise reader.unsupported(f"element {tag} is not supported: it must be a beam-column.")
    rows, plan = present(reader).now(), domain.program.plans[tag]
    size = len(plan.basic_forces)
    first = next(k for k, name in enumerate(plan.state) if name.startswith("k_"))
    triangle = rows.states[tag][0, first : first + size * (size + 1) // 2]
    found = np.zeros((size, size))
    found[np.triu_indices(size)] = triangle
    return (found + np.triu(found, 1).T).ravel().tolist()


# --- constraints ---


def _pairs() -> list[tuple[int, int, tuple[str, ...]]]:
    """Leader, follower and directions of each constraint, as OpenSees counts them."""
    found = [(int(a), int(b), tuple(d)) for a, b, d in domain.model.equal]
    found += [(int(a), int(b), domain.node_dofs[int(b)]) for a, b in domain.model.links]
    found += [
        (int(a), int(b), tuple(d for d in domain.node_dofs[int(b)] if d in _in_plane(axis)))
        for a, b, axis in domain.model.diaphragms
    ]
    return found


def _in_plane(axis: str) -> tuple[str, ...]:
    return (*(d for d in "xyz" if d != axis), f"r{axis}")


def _numbers(node: int, which: int, other: int | None) -> list[int]:
    """Directions of a node that take part in constraints, numbered from 1."""
    names = domain.node_dofs[node]
    used = {
        names.index(d) + 1
        for pair in _pairs()
        for d in pair[2]
        if pair[which] == node and other in (None, pair[1 - which]) and d in names
    }
    return sorted(used)


@command("getConstrainedNodes", "queries", "rNodeTag:i=None", "Nodes that follow others.")
def get_constrained_nodes(reader: Reader) -> list[int]:
    leader = reader.read("rNodeTag:i=None")["rNodeTag"]
    return sorted({b for a, b, _ in _pairs() if leader in (None, a)})


@command("getRetainedNodes", "queries", "cNodeTag:i=None", "Nodes that others follow.")
def get_retained_nodes(reader: Reader) -> list[int]:
    follower = reader.read("cNodeTag:i=None")["cNodeTag"]
    return sorted({a for a, b, _ in _pairs() if follower in (None, b)})


@command(
    "getConstrainedDOFs",
    "queries",
    "cNodeTag:i rNodeTag:i=None rDOF:i=None",
    "Directions in which a node follows others.",
)
def get_constrained_dofs(reader: Reader) -> list[int]:
    a = reader.read("cNodeTag:i rNodeTag:i=None rDOF:i=None")
    domain.node(a["cNodeTag"], reader)
    return _numbers(a["cNodeTag"], 1, a["rNodeTag"])


@command(
    "getRetainedDOFs",
    "queries",
    "rNodeTag:i cNodeTag:i=None cDOF:i=None",
    "Directions of a node in which others follow it.",
)
def get_retained_dofs(reader: Reader) -> list[int]:
    a = reader.read("rNodeTag:i cNodeTag:i=None cDOF:i=None")
    domain.node(a["rNodeTag"], reader)
    return _numbers(a["rNodeTag"], 0, a["cNodeTag"])


# --- loads ---


def _patterns(reader: Reader) -> list[Any]:
    tag = reader.read("patternTag:i=None")["patternTag"]
    if tag is None:
        return [domain.patterns[t] for t in tags(domain.patterns)]
    return [domain.find("pattern", domain.patterns, tag, reader)]


def _nodal(reader: Reader) -> list[tuple[int, list[float]]]:
    """Loads of nodes, one for each call of load."""
    return [item for pattern in _patterns(reader) for item in pattern.given]


@command("getNodeLoadTags", "queries", "patternTag:i=None", "Nodes with loads.")
def get_node_load_tags(reader: Reader) -> list[int]:
    return [tag for tag, _ in _nodal(reader)]


@command("getNodeLoadData", "queries", "patternTag:i=None", "Loads on nodes, one after the other.")
def get_node_load_data(reader: Reader) -> list[float]:
    return [value for _, values in _nodal(reader) for value in values]


def _data(load: Any) -> tuple[int, list[float]]:
    """Number of the class of a load on a member in OpenSees, and its numbers."""
    space = domain.ndm == 3
    if isinstance(load, PointLoad):
        if space:
            return 6, [load.y, load.z, load.x, load.at]
        return 4, [load.y, load.x, load.at]
    if isinstance(load, UniformLoad):
        return (5, [load.y, load.z, load.x]) if space else (3, [load.y, load.x])
    assert isinstance(load, DistributedLoad)
    return 0, []


def _member(reader: Reader) -> list[tuple[int, Any]]:
    return [item for pattern in _patterns(reader) for item in pattern.member]


@command("getEleLoadTags", "queries", "patternTag:i=None", "Elements with loads.")
def get_ele_load_tags(reader: Reader) -> list[int]:
    return [tag for tag, _ in _member(reader)]


@command("getEleLoadClassTags", "queries", "patternTag:i=None", "Classes of loads on elements.")
def get_ele_load_class_tags(reader: Reader) -> list[int]:
    return [_data(load)[0] for _, load in _member(reader)]


@command("getEleLoadData", "queries", "patternTag:i=None", "Numbers of loads on elements.")
def get_ele_load_data(reader: Reader) -> list[float]:
    return [value for _, load in _member(reader) for value in _data(load)[1]]
