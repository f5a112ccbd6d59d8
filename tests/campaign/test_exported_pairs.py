"""Some pairs of features; `python -m tests.campaign exported_pairs` compares all of them."""

from __future__ import annotations

import pytest

from femu import Model
from femu.elements import ElasticBeamColumn, LumpedMass
from femu.opensees.translation.script import opensees_script
from femu.support.errors import UnsupportedError
from tests.campaign import exported_pairs
from tests.campaign.exported_pairs import SECTION, compared, of_pair

RESOLVED = [
    ("equal chain", "equal chain"),
    ("equal chain", "floor"),
    ("link chain", "link chain"),
    ("equal to support", "equal to support"),
    ("moving", "uniform"),
    ("moving", "modal"),
    ("link of a support", "force"),
]


@pytest.mark.opensees
def test_chains_and_held_supports_are_the_same_in_both_programs() -> None:
    assert compared(RESOLVED) == dict.fromkeys(RESOLVED, "same")


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (("equal to two", "equal to two"), "nodes '02' and '22' at once"),
        (("link then equal", "mass"), "nodes '02' and '12' at once"),
        (("link of a support", "roller"), "as a rigid body and that one is held"),
        (("link", "modal"), "modalDamping"),
    ],
)
def test_what_opensees_would_compute_otherwise_is_refused(pair: tuple[str, str], why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        opensees_script(of_pair(*pair))


def test_a_chain_in_space_is_resolved() -> None:
    model = Model("space", dimensions=3)
    for name, z in (("a", 0.0), ("b", 3.0), ("c", 3.5), ("d", 4.0)):
        model.node(name, 0.0, 0.0, z, fixed=z == 0.0)
    section = {
        "E": SECTION.E,
        "A": SECTION.A,
        "I": SECTION.I,
        "Iy": SECTION.I,
        "G": 8e10,
        "J": 1e-6,
    }
    model.add(ElasticBeamColumn("ab", "a", "b", section=type(SECTION)(**section)))
    model.add(LumpedMass("top", "d", mass=1e3, inertia=10.0))
    model.rigid_link("b", "c")
    model.rigid_link("c", "d")
    script = opensees_script(model)
    assert """ops.rigidLink("beam", node['b'], node['c'])""" in script
    assert """ops.rigidLink("beam", node['b'], node['d'])""" in script


def test_a_pair_that_differs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        exported_pairs,
        "compared",
        lambda pairs: dict.fromkeys(pairs, "same") | {pairs[1]: "differs by 1e-3 at node 1, x"},
    )
    (failure,) = exported_pairs.run(True).failures
    assert "differs by 1e-3" in failure
