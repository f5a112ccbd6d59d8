"""The integers and constants of all elements, laid out by arrays: once for all elements that share
the lists of their plans, repeated for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from femu.engine.couplings import Integers
from femu.engine.element_kernels import DOFS_AT, ElementFields
from femu.engine.numbering import Numbering
from femu.model.element import Array, Plan

T = TypeVar("T")


def grouped(objects: Sequence[T]) -> list[tuple[T, Integers]]:
    """The different objects of a sequence, each with the places where it occurs."""
    places: dict[int, list[int]] = {}
    for place, one in enumerate(objects):
        places.setdefault(id(one), []).append(place)
    return [(objects[found[0]], np.array(found, np.int64)) for found in places.values()]


def begins(sizes: Iterable[int]) -> Integers:
    """Where stretches of these sizes begin that lie one after the other, and where the last
    ends."""
    return np.array([*accumulate(sizes, initial=0)], dtype=np.int64)


def along(starts: Integers, size: int) -> Integers:
    """The places of stretches of one size, a row each."""
    return starts[:, None] + np.arange(size)


class ElementTables:
    """What the kernels read of the elements besides their parameters.

    ``parameters``, ``states`` and ``loads`` say where those of each element begin.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        numbering: Numbering,
        parameters: Integers,
        states: Integers,
        loads: Integers,
    ) -> None:
        self._numbering = numbering
        place = numbering.place
        self.dofs_at = begins(len(plan.dofs) for plan in plans)
        self.dofs = np.array([place[d] for plan in plans for d in plan.dofs], np.int64)
        """Places of the degrees of freedom of all elements."""
        self.sizes = np.diff(self.dofs_at)
        self._by_size = {n: np.flatnonzero(self.sizes == n) for n in set(self.sizes.tolist())}
        self.geometry: list[float] = []
        self.geometry_starts, links = self._lay_out_geometry(plans)
        triangles = self.sizes * (self.sizes + 1) // 2
        own = np.array([len(plan.integers) for plan in plans], np.int64)
        linked = np.array([len(table) for table in links], np.int64)
        positions = DOFS_AT + self.sizes + own + linked
        starts = begins(positions + triangles)
        self.table = starts[:-1]
        """Where the integers of each element begin."""
        self.integers = np.zeros(starts[-1], np.int64)
        head = np.zeros((len(plans), DOFS_AT), np.int64)
        for field, values in (
            (ElementFields.parameters_at, parameters),
            (ElementFields.state_at, states),
            (ElementFields.geometry_at, self.geometry_starts),
            (ElementFields.loads_at, loads),
            (ElementFields.damped, [int(plan.damped) for plan in plans]),
            (ElementFields.basic_kernel, [p.basic.address if p.basic else 0 for p in plans]),
            (ElementFields.links_at, np.where(linked > 0, positions - linked, 0)),
            (ElementFields.positions_at, positions),
        ):
            head[:, field.slot] = values
        self.integers[along(self.table, DOFS_AT)] = head
        for size, at in self._by_size.items():
            self.integers[along(self.table[at] + DOFS_AT, size)] = self.places(at, size)
        for integers, at in grouped([plan.integers for plan in plans]):
            self.integers[along(self.table[at] + DOFS_AT + self.sizes[at], len(integers))] = (
                integers
            )
        for e in np.flatnonzero(linked).tolist():
            end = self.table[e] + positions[e]
            self.integers[end - linked[e] : end] = links[e]
        self.groups = self._groups([plan.group.address for plan in plans])
        """Address of each group of elements, its first element, and how many they are."""

    def places(self, elements: Integers, size: int) -> Integers:
        """Places of the degrees of freedom of elements that have ``size`` of them, a row each."""
        found: Integers = self.dofs[along(self.dofs_at[elements], size)]
        return found

    def _lay_out_geometry(self, plans: Sequence[Plan]) -> tuple[Integers, list[list[int]]]:
        """Where the constants of each element begin, and the link table of each, empty for most.

        Equal constants are stored once: the members of a frame share a few, which then stay in the
        cache.
        """
        same_list: dict[int, int] = {}
        same_values: dict[bytes, int] = {}
        special = self._coupled()
        none: list[int] = []
        starts, links = [], []
        for e, plan in enumerate(plans):
            start = same_list.get(id(plan.geometry))
            if start is None:
                # + 0.0: zeros of both signs are equal
                key = (np.array(plan.geometry, dtype=float) + 0.0).tobytes()
                start = same_values.setdefault(key, len(self.geometry))
                if start == len(self.geometry):
                    self.geometry += plan.geometry
                same_list[id(plan.geometry)] = start
            starts.append(start)
            links.append(self._link_table(e) if special[e] else none)
        return np.array(starts, np.int64), links

    def _coupled(self) -> Any:
        """Whether an element has a linked degree of freedom, or one equation twice."""
        special = np.zeros(len(self.sizes), bool)
        links = np.array([*self._numbering.links], dtype=np.int64)
        for size, at in self._by_size.items():
            places = self.places(at, size)
            ordered = np.sort(places, axis=1)
            twice = (ordered[:, 1:] == ordered[:, :-1]) & (
                ordered[:, 1:] < self._numbering.equations
            )
            special[at] = twice.any(axis=1)
            if len(links):
                special[at] |= np.isin(places, links).any(axis=1)
        return special

    def _link_table(self, element: int) -> list[int]:
        """For each local degree of freedom the offset of its list, from the start of this table.

        Each list: count, then (equation, place of factor).
        """
        places = self.dofs[self.dofs_at[element] : self.dofs_at[element + 1]].tolist()
        offsets: list[int] = []
        lists: list[int] = []
        for p in places:
            offsets.append(len(places) + len(lists))
            own = [(p, 1.0)] if p < self._numbering.equations else []
            terms = self._numbering.links.get(p, own)
            lists.append(len(terms))
            for equation, factor in terms:
                lists += [equation, len(self.geometry)]
                self.geometry.append(factor)
        return offsets + lists

    @staticmethod
    def _groups(addresses: list[int]) -> Integers:
        kernels = np.array(addresses, dtype=np.int64)
        first = np.flatnonzero(np.append(True, kernels[1:] != kernels[:-1]))
        return np.column_stack([kernels[first], first, np.diff(np.append(first, len(kernels)))])

    def mass_terms(
        self, plans: Sequence[Plan], own: Sequence[dict[str, int]], parameters: Integers
    ) -> tuple[Integers, Integers, Integers, Array]:
        """The mass of the elements as a sum: rows, columns, places in the parameter vector and
        factors.

        ``own`` has the places of the parameters of each element from where they begin.
        """
        starts = begins(len(plan.mass) for plan in plans)
        rows, columns, index = (np.zeros(starts[-1], np.int64) for _ in range(3))
        factors = np.zeros(starts[-1])
        kinds: dict[tuple[int, int], list[int]] = {}
        for e, plan in enumerate(plans):
            if plan.mass:
                kinds.setdefault((id(plan.mass), id(own[e])), []).append(e)
        for elements in kinds.values():
            mass, names_at = plans[elements[0]].mass, own[elements[0]]
            r, c, names, factor = zip(*mass, strict=True)
            at = np.array(elements, np.int64)
            to = along(starts[at], len(mass))
            first = self.dofs_at[at][:, None]
            rows[to] = self.dofs[first + r]
            columns[to] = self.dofs[first + c]
            index[to] = parameters[at][:, None] + [names_at[name] for name in names]
            factors[to] = factor
        return rows, columns, index, factors
