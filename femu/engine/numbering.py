"""Numbering: from named degrees of freedom to places in the vectors, for little work in the
elimination.

Order of the places: equations (free or with imposed motion), then linked degrees of freedom (a
combination of equations), then fixed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from femu.engine.couplings import Integers, flattened, half_band, reverse_cuthill_mckee
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
    order, blocks = (
        _eliminations(members, np.array([coordinates[node] for node, _ in free]))
        if free
        else ([], [])
    )
    equation = {e: i for i, e in enumerate(order)}
    place = {d: equation[i] for d, i in at.items()}
    linked = [d for d in bases if d in resolved]
    held = [d for d in bases if d in fixed]
    for i, d in enumerate(linked + held):
        place[d] = len(free) + i
    representative = sorted(place, key=place.__getitem__)
    # fixed places stay among the terms: their reactions hold what their followers carry
    links_by_place = {place[d]: [(place[b], f) for b, f in resolved[d]] for d in linked}
    for d in dofs:
        place[d] = place[same.get(d, d)]
    sparsity = Sparsity(len(free), [[equation[e] for e in m] for m in members], blocks)
    return Numbering(place, len(free), len(bases), sparsity, links_by_place, representative)


def _order(
    equations: Sequence[int], members: list[list[int]], points: np.ndarray
) -> tuple[list[int], int]:
    """Some of the equations in an order of small half bandwidth, and that half bandwidth.

    The best of the given order, sorting the nodes along each axis and reverse Cuthill-McKee: for
    regular frames sorting often wins.
    """
    n = len(equations)
    at = {e: i for i, e in enumerate(equations)}
    starts, inside = flattened([[at[e] for e in m] for m in members])
    own = points[np.array(equations, dtype=np.int64)]

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
    return [equations[i] for i in best.tolist()], least


def _widest(members: Iterable[Sequence[int]]) -> int:
    """The half bandwidth that no order goes below.

    The equations of the largest member side by side.
    """
    return max(max(map(len, members), default=0) - 1, 0)


def _independent(order: list[int], members: list[list[int]]) -> list[tuple[list[int], list[int]]]:
    """Blocks of equations that may go first, as many as a walk along ``order`` finds, each with
    those it is coupled to.

    The equations of a block stand in the same members (they belong to one node), and no two blocks
    share a member.
    """
    member_of: dict[int, list[int]] = {e: [] for e in order}
    for number, member in enumerate(members):
        for e in member:
            member_of[e].append(number)
    alike: dict[tuple[int, ...], list[int]] = {}
    for e in order:
        alike.setdefault(tuple(member_of[e]), []).append(e)
    taken: set[int] = set()  # members that a block was taken from
    found = []
    for own, block in alike.items():
        if not own or taken.intersection(own):
            continue
        outside = sorted({e for number in own for e in members[number]}.difference(block))
        if outside and len(outside) <= MOST_OUTSIDE:
            taken.update(own)
            found.append((block, outside))
    return found


def _eliminations(members: list[list[int]], points: np.ndarray) -> tuple[list[int], list[int]]:
    """The order of the equations, and the sizes of the blocks at its head that are eliminated
    before the band.

    Blocks go first where that saves a good part of the work; see `femu.engine.ldlt`.
    """
    order, band = _order(range(len(points)), members, points)
    limit = WORTH_WHILE * len(order) * (band + BAND_COLUMN) ** 2
    if limit <= (1 + BLOCK_COLUMN) ** 2:  # less than one block takes
        return order, []
    blocks = _independent(order, members)
    gone = {e for block, _ in blocks for e in block}
    left = [[e for e in m if e not in gone] for m in members] + [outside for _, outside in blocks]
    ahead, behind = (
        sum(len(b) * (len(o) + BLOCK_COLUMN) ** 2 for b, o in blocks),
        len(order) - len(gone),
    )
    if ahead + behind * (_widest(left) + BAND_COLUMN) ** 2 >= limit:
        return order, []
    rest, narrow = _order([e for e in order if e not in gone], left, points)
    if ahead + behind * (narrow + BAND_COLUMN) ** 2 >= limit:
        return order, []
    place = {e: i for i, e in enumerate(rest)}
    blocks.sort(key=lambda entry: min(place[e] for e in entry[1]))
    return [e for block, _ in blocks for e in block] + rest, [len(block) for block, _ in blocks]
