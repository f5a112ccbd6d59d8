"""Numbering: from named degrees of freedom to places in the vectors, for little work in the
elimination.

Order of the places: equations (free or with imposed motion), then linked degrees of freedom (a
combination of equations), then fixed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, permutations

import numpy as np

from femu.engine.couplings import Integers, Members, half_band, reverse_cuthill_mckee
from femu.engine.sparsity import Sparsity
from femu.model.element import Name
from femu.support.errors import ModelError

Dof = tuple[Name, str]

MOST_OUTSIDE = 40  # equations a block that goes first may be coupled to
# cost of a column in addition to the square of its length: the loops around it, as a number of entries
BAND_COLUMN, BLOCK_COLUMN = 8, 28
WORTH_WHILE = 0.8  # share of the work from which blocks go first


@dataclass
class Numbering:
    """Places of the degrees of freedom."""

    place: dict[Dof, int]
    equations: int
    total: int
    sparsity: Sparsity
    # linked place -> (place, factor)
    links: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
    representative: list[Dof] = field(default_factory=list)  # one degree of freedom for each place


def resolve_links(
    links: dict[Dof, list[tuple[Dof, float]]], same: dict[Dof, Dof]
) -> dict[Dof, list[tuple[Dof, float]]]:
    """Express each linked degree of freedom by degrees of freedom that are not linked themselves."""
    resolved: dict[Dof, list[tuple[Dof, float]]] = {}

    def visit(dof: Dof, trail: tuple[Dof, ...]) -> list[tuple[Dof, float]]:
        dof = same.get(dof, dof)
        if dof not in links:
            return [(dof, 1.0)]
        if dof in trail:
            raise ModelError(
                f"The constraints are circular: node {dof[0]!r}, direction {dof[1]!r} follows "
                "itself."
            )
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


def number(
    dofs: Iterable[Dof],
    fixed: set[Dof],
    same: dict[Dof, Dof],
    links: dict[Dof, list[tuple[Dof, float]]],
    elements: Sequence[Sequence[Dof]],
    coordinates: dict[Name, np.ndarray],
) -> Numbering:
    """Number the degrees of freedom.

    ``same`` maps a degree of freedom to the one it equals (already resolved to the last).
    """
    dofs = list(dofs)
    resolved = resolve_links(links, same)
    bases = list(dict.fromkeys([same.get(d, d) for d in dofs] if same else dofs))
    free = [d for d in bases if d not in fixed and d not in resolved]
    at = {d: i for i, d in enumerate(free)}
    members = _members(elements, at, same, resolved)
    order, blocks = (
        _eliminations(members, np.array([coordinates[node] for node, _ in free]))
        if free
        else (np.zeros(0, np.int64), [])
    )
    equation = np.empty(len(free), np.int64)
    equation[order] = np.arange(len(free))
    place = dict(zip(free, equation.tolist(), strict=True))
    linked = [d for d in bases if d in resolved]
    held = [d for d in bases if d in fixed]
    place.update({d: len(free) + i for i, d in enumerate(linked + held)})
    representative = [free[i] for i in order.tolist()] + linked + held
    # fixed places stay among the terms: their reactions hold what their followers carry
    links_by_place = {place[d]: [(place[b], f) for b, f in resolved[d]] for d in linked}
    if same:
        place.update({d: place[same.get(d, d)] for d in dofs})
    sparsity = Sparsity(len(free), Members(members.starts, equation[members.inside]), blocks)
    return Numbering(place, len(free), len(bases), sparsity, links_by_place, representative)


def _members(
    elements: Sequence[Sequence[Dof]],
    at: dict[Dof, int],
    same: dict[Dof, Dof],
    resolved: dict[Dof, list[tuple[Dof, float]]],
) -> Members:
    """The free equations of each element, ascending; those that a linked one follows in its
    place."""
    targets = {d: [at[base] for base, _ in terms if base in at] for d, terms in resolved.items()}
    found: list[int] = []
    ends = [0]
    for element in elements:
        if same or targets:
            bases = [same.get(d, d) for d in element]
            free = [e for d in bases for e in targets.get(d, [at[d]] if d in at else [])]
        else:
            free = [at[d] for d in element if d in at]
        found += sorted(set(free))
        ends.append(len(found))
    return Members(np.array(ends, dtype=np.int64), np.array(found, dtype=np.int64))


def _order(equations: Integers, members: Members, points: np.ndarray) -> tuple[Integers, int]:
    """Some of the equations in an order of small half bandwidth, and that half bandwidth.

    The best of the given order, sorting the nodes along each axis and reverse Cuthill-McKee: for
    regular frames sorting often wins.
    """
    n = len(equations)
    at = np.zeros(len(points), np.int64)
    at[equations] = np.arange(n)
    starts, inside = members.starts, at[members.inside]
    own = points[equations]

    def candidates() -> Iterator[Integers]:
        yield np.arange(n)
        for axes in permutations(range(own.shape[1])):
            yield np.lexsort(tuple(own[:, a] for a in axes))
        yield reverse_cuthill_mckee(n, starts, inside)

    best, least, narrowest = np.arange(n), n, _widest(members)
    for order in candidates():
        band = half_band(order, starts, inside)
        if band < least:
            best, least = order, band
        if least <= narrowest:
            break
    return equations[best], least


def _widest(members: Members) -> int:
    """The half bandwidth that no order goes below.

    The equations of the largest member side by side.
    """
    return max(int(np.diff(members.starts).max(initial=0)) - 1, 0)


def _independent(order: Integers, members: Members) -> list[tuple[Integers, Integers]]:
    """Blocks of equations that may go first, as many as a walk along ``order`` finds, each with
    those it is coupled to.

    The equations of a block occur in the same members (they belong to one node), and no two blocks
    share a member.
    """
    starts, inside = members
    by_equation = np.argsort(inside, kind="stable")
    own = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[by_equation]
    first = np.searchsorted(inside[by_equation], np.arange(len(order) + 1)).tolist()
    alike: dict[bytes, list[int]] = {}
    for e in order.tolist():
        alike.setdefault(own[first[e] : first[e + 1]].tobytes(), []).append(e)
    taken: set[int] = set()  # members that a block was taken from
    found = []
    for key, block in alike.items():
        numbers = np.frombuffer(key, np.int64).tolist()
        if not numbers or not taken.isdisjoint(numbers):
            continue
        coupled = chain.from_iterable(inside[starts[m] : starts[m + 1]].tolist() for m in numbers)
        outside = sorted(set(coupled).difference(block))
        if outside and len(outside) <= MOST_OUTSIDE:
            taken.update(numbers)
            found.append((np.array(block, np.int64), np.array(outside, np.int64)))
    return found


def _eliminations(members: Members, points: np.ndarray) -> tuple[Integers, list[int]]:
    """The order of the equations, and the sizes of the blocks at its head that are eliminated
    before the band.

    Blocks go first where that saves a good part of the work; see `femu.engine.ldlt`.
    """
    order, band = _order(np.arange(len(points)), members, points)
    limit = WORTH_WHILE * len(order) * (band + BAND_COLUMN) ** 2
    if limit <= (1 + BLOCK_COLUMN) ** 2:  # less than one block takes
        return order, []
    blocks = _independent(order, members)
    gone = np.zeros(len(points), bool)
    for block, _ in blocks:
        gone[block] = True
    left = members.without(gone).and_also([outside for _, outside in blocks])
    ahead, behind = (
        sum(len(b) * (len(o) + BLOCK_COLUMN) ** 2 for b, o in blocks),
        len(order) - int(gone.sum()),
    )
    if ahead + behind * (_widest(left) + BAND_COLUMN) ** 2 >= limit:
        return order, []
    rest, narrow = _order(order[~gone[order]], left, points)
    if ahead + behind * (narrow + BAND_COLUMN) ** 2 >= limit:
        return order, []
    place = np.zeros(len(points), np.int64)
    place[rest] = np.arange(len(rest))
    blocks.sort(key=lambda entry: int(place[entry[1]].min()))
    first = [block for block, _ in blocks]
    return np.concatenate([*first, rest]), [len(block) for block in first]
