"""Finding nodes, degrees of freedom and elements in the index of a result."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from femu.model.element import SPACE_DOFS, Name
from femu.support.errors import InputError, ModelError, shown

if TYPE_CHECKING:
    from femu.results.result import Result


@lru_cache(maxsize=1 << 16, typed=True)
def _written(node: Name) -> str:
    return json.dumps(node)


def node_key(node: Name) -> str:
    """The name of a node as a key of the index."""
    return _written(node) if isinstance(node, (int, str)) else repr(node)


def has_dof(result: Result, node: Name, direction: str) -> bool:
    """Whether the model has this degree of freedom."""
    return direction in result.index["places"].get(node_key(node), {})


def dof_place(result: Result, node: Name, direction: str) -> int:
    """Place of a degree of freedom in the vectors of the program."""
    places = result.index["places"].get(node_key(node))
    if places is None:
        raise ModelError(f"there is no node {shown(node)} in the result of {result.model!r}.")
    if direction not in places:
        raise InputError(
            f"node {node!r}",
            "direction",
            direction,
            f"must be one of {tuple(d for d in SPACE_DOFS if d in places)}",
        )
    return int(places[direction])


def element_entry(result: Result, name: Name) -> dict[str, Any]:
    """What the index holds of an element."""
    for element in result.index["elements"]:
        if element["name"] == name:
            found: dict[str, Any] = element
            return found
    raise ModelError(f"there is no element {shown(name)} in the result of {result.model!r}.")
