"""The parameter vector of a program: names laid out once for all elements of a kind, values as
arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from femu.engine.couplings import Integers
from femu.model.component import Component, Constitutive, Itself
from femu.model.element import Array, Element, Name
from femu.model.parameters import ParameterBlock, ParameterNames, Parameters


class Owned(NamedTuple):
    """Numbers of one owner: what their names begin with, their names and declarations, values."""

    owner: str
    block: ParameterBlock
    values: Sequence[float]


class ParameterLayout(NamedTuple):
    """The parameters, where those of each owner begin, and the block of each."""

    parameters: Parameters
    starts: Integers
    blocks: list[ParameterBlock]


class _Parts:
    """What was found of the parts of elements, which many of them share."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, ParameterBlock] = {}
        self._known: dict[Itself, tuple[Hashable, Array]] = {}

    def of(self, part: Constitutive) -> tuple[Hashable, Array]:
        """What the part shares with those alike, and its values."""
        found = self._known.get(Itself(part))
        if found is None:
            found = self._known[Itself(part)] = part.alike(), np.array(part.values(), dtype=float)
        return found

    def block(self, element: Element) -> tuple[ParameterBlock, list[Array]]:
        """Names and values of the parameters of an element."""
        kind = type(element)
        if kind.walk_parameters is not Component.walk_parameters:
            walked = list(element.walk_parameters())
            return self._named(("walked", *_named(walked)), walked), [_values(walked)]
        own = element.own_parameters()
        # names that do not follow from the class
        other = () if kind.own_parameters is Component.own_parameters else _named(own)
        parts = [(name, self.of(part)) for name, part in element.parts()]
        key = (kind, other, tuple([(name, alike) for name, (alike, _) in parts]))
        block = self._blocks.get(key)
        if block is None:
            block = self._named(key, element.walk_parameters())
        return block, [_values(own), *(values for _, (_, values) in parts)]

    def _named(self, key: Hashable, walked: Iterable[tuple[str, object, float]]) -> ParameterBlock:
        return self._blocks.setdefault(key, ParameterBlock.of(walked))  # type: ignore[arg-type]


def _named(parameters: Iterable[tuple[str, Hashable, float]]) -> tuple[tuple[str, Hashable], ...]:
    return tuple([(name, declaration) for name, declaration, _ in parameters])


def _values(parameters: Iterable[tuple[str, object, float]]) -> Array:
    return np.array([value for _, _, value in parameters], dtype=float)


def lay_out_parameters(
    elements: Mapping[Name, Element], others: Iterable[Owned]
) -> ParameterLayout:
    """The parameters of the elements, one element after the other, then others."""
    parts = _Parts()
    owners: list[str] = []
    blocks: list[ParameterBlock] = []
    values: list[Array] = []
    for name, element in elements.items():
        block, found = parts.block(element)
        owners.append(f"{name}.")
        blocks.append(block)
        values += found
    for owner, block, given in others:
        owners.append(owner)
        blocks.append(block)
        values.append(np.array(given, dtype=float))
    names = ParameterNames(owners, blocks)
    vector = np.concatenate(values) if values else np.zeros(0)
    return ParameterLayout(Parameters.by_blocks(names, vector), names.starts, blocks)
