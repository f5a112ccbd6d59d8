"""Numbering of degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.engine.couplings import couplings, flattened, half_band, reverse_cuthill_mckee
from femu.engine.numbering import number, resolve_links
from femu.support.errors import ModelError

XY = {n: np.array([float(n), 0.0]) for n in range(12)}


def test_equations_first_then_linked_then_fixed() -> None:
    dofs = [(0, "x"), (1, "x"), (2, "x"), (3, "x")]
    found = number(dofs, {(0, "x")}, {}, {(2, "x"): [((1, "x"), 2.0)]}, [dofs], XY)
    assert found.equations == 2
    assert found.total == 4
    assert {found.place[1, "x"], found.place[3, "x"]} == {0, 1}
    assert found.place[2, "x"] == 2
    assert found.place[0, "x"] == 3
    assert found.links == {2: [(found.place[1, "x"], 2.0)]}
    assert [found.place[d] for d in found.representative] == [0, 1, 2, 3]


def test_equal_degrees_of_freedom_share_a_place() -> None:
    dofs = [(0, "x"), (1, "x"), (2, "x")]
    found = number(
        dofs, set(), {(2, "x"): (0, "x")}, {}, [[(0, "x"), (1, "x")], [(1, "x"), (2, "x")]], XY
    )
    assert found.place[0, "x"] == found.place[2, "x"]
    assert (found.equations, found.total) == (2, 2)


def test_links_to_fixed_places_stay_for_the_reactions() -> None:
    dofs = [(0, "x"), (1, "x")]
    found = number(dofs, {(0, "x")}, {}, {(1, "x"): [((0, "x"), 1.0)]}, [[(1, "x")]], XY)
    assert found.links == {found.place[1, "x"]: [(found.place[0, "x"], 1.0)]}
    assert found.equations == 0


def test_links_are_resolved_through_chains() -> None:
    a, b, c, d = (0, "x"), (1, "x"), (2, "x"), (0, "rz")
    links = {c: [(b, 1.0), (d, -2.0)], b: [(a, 1.0), (d, 3.0)]}
    assert dict(resolve_links(links, {})[c]) == {a: 1.0, d: 1.0}
    # a term that cancels is dropped
    assert resolve_links({c: [(b, 1.0), (d, -3.0)], b: [(a, 1.0), (d, 3.0)]}, {})[c] == [(a, 1.0)]


def test_a_circle_is_refused() -> None:
    a, b = (0, "x"), (1, "x")
    with pytest.raises(ModelError, match="circular"):
        resolve_links({a: [(b, 1.0)], b: [(a, 1.0)]}, {})


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=20),
    st.sets(st.integers(0, 11), max_size=4),
)
def test_the_pattern_covers_every_element(pairs: list[tuple[int, int]], fixed: set[int]) -> None:
    elements = [[(i, d) for i in dict.fromkeys(pair) for d in ("x", "y")] for pair in pairs]
    dofs = dict.fromkeys(d for e in elements for d in e)
    found = number(dofs, {(n, "x") for n in fixed} & set(dofs), {}, {}, elements, XY)
    assert sorted(found.place.values()) == list(range(len(dofs)))
    for element in elements:
        places = [found.place[d] for d in element if found.place[d] < found.equations]
        for a in places:
            for b in places:
                found.sparsity.place(a, b)


@pytest.mark.parametrize(
    ("bays", "storeys", "blocks"), [(3, 30, 0), (30, 3, 0), (20, 30, 315), (30, 20, 310)]
)
def test_wide_frames_are_eliminated_as_a_chessboard(bays: int, storeys: int, blocks: int) -> None:
    at = {(i, j): np.array([6.0 * i, 3.0 * j]) for i in range(bays + 1) for j in range(storeys)}
    pairs = [((i, j), other) for i, j in at for other in ((i + 1, j), (i, j + 1)) if other in at]
    elements = [[(node, d) for node in pair for d in ("x", "y", "rz")] for pair in pairs]
    found = number(
        [(node, d) for node in at for d in ("x", "y", "rz")], set(), {}, {}, elements, at
    )
    assert len(found.sparsity.blocks) == blocks
    assert found.sparsity.band <= 3 * (min(bays + 1, storeys) + 1) + 2
    first = sum(found.sparsity.blocks)
    for a, b in pairs:
        assert max(found.place[a, "x"], found.place[b, "x"]) >= first, (
            "no two nodes that go first share a member"
        )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 14), min_size=1, max_size=5, unique=True), max_size=20),
    st.booleans(),
)
def test_couplings_are_those_of_the_members(members: list[list[int]], lower: bool) -> None:
    begin, found = couplings(15, *flattened(members), lower)
    for e in range(15):
        others = {e} | {o for m in members if e in m for o in m}
        assert found[begin[e] : begin[e + 1]].tolist() == sorted(
            o for o in others if not lower or o >= e
        )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.integers(0, 14), min_size=2, max_size=4, unique=True), min_size=1, max_size=20
    )
)
def test_reverse_cuthill_mckee_goes_level_by_level(members: list[list[int]]) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    starts, flat = flattened(members)
    order = reverse_cuthill_mckee(15, starts, flat)
    assert sorted(order) == list(range(15))
    pairs = np.array([(a, b) for m in members for a in m for b in m])
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(15, 15)).tocsr()
    count, part = connected_components(graph, directed=False)
    walk = order[::-1]
    for component in range(count):
        own = [e for e in walk if part[e] == component]
        coupled = {e: {o for m in members if e in m for o in m} | {e} for e in own}
        assert len(coupled[own[0]]) == min(map(len, coupled.values())), (
            "the walk begins where there are few couplings"
        )
        # whoever comes later follows from someone who does not come earlier
        parent = [next(i for i, e in enumerate(own) if o in coupled[e]) for o in own]
        assert parent == sorted(parent)
    place = np.argsort(order)
    assert half_band(order, starts, flat) == max(abs(place[a] - place[b]) for a, b in pairs)
