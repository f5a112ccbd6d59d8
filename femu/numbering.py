"""Numbering: from named degrees of freedom to places in the vectors, for a narrow band.

Order of the places: equations (free or with imposed motion), then linked degrees of freedom (a combination of
equations), then fixed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from femu.element import Name
from femu.errors import ModelError

Dof = tuple[Name, str]


@dataclass
class Numbering:
    """Places of the degrees of freedom."""

    place: dict[Dof, int]
    equations: int
    total: int
    band: int
    links: dict[int, list[tuple[int, float]]] = field(default_factory=dict)  # linked place -> (place, factor)
    representative: list[Dof] = field(default_factory=list)  # one degree of freedom for each place


def resolve_links(links: dict[Dof, list[tuple[Dof, float]]],
                  same: dict[Dof, Dof]) -> dict[Dof, list[tuple[Dof, float]]]:
    """Express each linked degree of freedom by degrees of freedom that are not linked themselves."""
    resolved: dict[Dof, list[tuple[Dof, float]]] = {}

    def visit(dof: Dof, trail: tuple[Dof, ...]) -> list[tuple[Dof, float]]:
        dof = same.get(dof, dof)
        if dof not in links:
            return [(dof, 1.0)]
        if dof in trail:
            raise ModelError(f"The constraints go in a circle: node {dof[0]!r}, direction {dof[1]!r} follows itself.")
        if dof not in resolved:
            total: dict[Dof, float] = {}
            for other, factor in links[dof]:
                for base, inner in visit(other, (*trail, dof)):
                    total[base] = total.get(base, 0.0) + factor * inner
            resolved[dof] = [(base, factor) for base, factor in total.items() if factor != 0.0]
        return resolved[dof]

    for dof in links:
        visit(dof, ())
    return resolved


def number(dofs: Iterable[Dof], fixed: set[Dof], same: dict[Dof, Dof], links: dict[Dof, list[tuple[Dof, float]]],
           elements: Sequence[Sequence[Dof]], coordinates: dict[Name, np.ndarray]) -> Numbering:
    """Number the degrees of freedom.

    ``same`` maps a degree of freedom to the one it equals (already resolved to the last). The order is the best
    of reverse Cuthill-McKee and sorting the nodes along each axis: for regular frames sorting often wins.
    """
    resolved = resolve_links(links, same)
    bases = list(dict.fromkeys(same.get(d, d) for d in dofs))
    free = [d for d in bases if d not in fixed and d not in resolved]
    at = {d: i for i, d in enumerate(free)}
    members: list[list[int]] = []
    for element in elements:
        found: set[int] = set()
        for d in element:
            base = same.get(d, d)
            for target, _ in resolved.get(base, [(base, 1.0)]):
                if target in at:
                    found.add(at[target])
        members.append(sorted(found))
    order = _best_order(free, members, coordinates)
    equation = np.empty(len(free), dtype=int)
    equation[order] = np.arange(len(free))
    place = {d: int(equation[i]) for d, i in at.items()}
    linked = [d for d in bases if d in resolved]
    held = [d for d in bases if d in fixed]
    for i, d in enumerate(linked + held):
        place[d] = len(free) + i
    representative = sorted(place, key=place.__getitem__)
    # fixed places stay among the terms: their reactions hold what their followers carry
    links_by_place = {place[d]: [(place[b], f) for b, f in resolved[d]] for d in linked}
    for d in dofs:
        place[d] = place[same.get(d, d)]
    return Numbering(place, len(free), len(bases), _band(members, equation), links_by_place, representative)


def _band(members: list[list[int]], equation: np.ndarray) -> int:
    return max((int(equation[m].max() - equation[m].min()) for m in members if m), default=0)


def _best_order(free: list[Dof], members: list[list[int]], coordinates: dict[Name, np.ndarray]) -> np.ndarray:
    n = len(free)
    if n == 0:
        return np.zeros(0, dtype=int)
    rows = np.concatenate([np.repeat(m, len(m)) for m in members if m] or [np.zeros(0, int)])
    columns = np.concatenate([np.tile(m, len(m)) for m in members if m] or [np.zeros(0, int)])
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n)).tocsr()
    points = np.array([coordinates[node] for node, _ in free])
    axes = range(points.shape[1])
    candidates = [np.arange(n), *(np.lexsort(tuple(points[:, a] for a in order)) for order in permutations(axes)),
                  np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True), dtype=int)]

    def cost(order: np.ndarray) -> int:
        equation = np.empty(n, dtype=int)
        equation[order] = np.arange(n)
        return _band(members, equation)

    return min(candidates, key=cost)
