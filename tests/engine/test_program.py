"""The compiled program.

A frozen copy of the model, whose results do not depend on how it was written down.
"""

from __future__ import annotations

import numpy as np
import pytest
from example_frames import ELASTIC, NM, QUAKE, cantilever, portal

from femu import InputError, Model, ModelError
from femu.analyses import LoadControl, Transient, eigen
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import ElasticSection


def test_program_is_frozen() -> None:
    model = portal()
    program = model.compile()
    before = eigen(program, 3).periods
    model.nodes["C"].coordinates[1] = 9.0
    model.mass("D", 1.0)
    model.fix("C")
    model.load("C", x=1e9, pattern="push")
    assert np.array_equal(eigen(program, 3).periods, before)
    assert LoadControl(pattern="push", steps=1).run(program).displacement("C", "x")[-1] < 1e-6


def test_repr_tells_sizes() -> None:
    text = repr(portal().compile())
    assert text.startswith("Program('portal': 6 equations, half bandwidth 5, 3 elements, ")
    assert "parameters, state of" in text


def test_compiling_twice_gives_the_same_program() -> None:
    one, two = portal("fibre").compile(), portal("fibre").compile()
    assert one.digest == two.digest
    assert np.array_equal(one.parameters.vector, two.parameters.vector)
    assert one.parameters.names == two.parameters.names


def test_a_virgin_state_rests() -> None:
    program = portal().compile()
    state = program.state()
    assert state.vector.size == program.layout.size
    assert not state.vector.any()


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda p: p.dof("Z", "x"), ModelError, "no node 'Z'"),
        (lambda p: p.dof("A", "z"), InputError, "direction = 'z'"),
        (lambda p: p.element_state("Z"), ModelError, "no element 'Z'"),
    ],
)
def test_unknown_names(call: object, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call(portal().compile())  # type: ignore[operator]


def test_no_elements() -> None:
    with pytest.raises(ModelError, match="'bare' has no elements"):
        Model("bare").compile()


def test_a_load_where_nothing_is() -> None:
    model = cantilever()
    model.node("away", 5.0, 5.0)
    model.load("away", x=1.0)
    with pytest.raises(ModelError, match="node 'away' has no degree of freedom 'x'"):
        model.compile()


def test_mass_matrix_holds_nodal_and_member_mass() -> None:
    model = cantilever(4.0, mass=10.0)
    model.elements["column"].mass = 3.0  # type: ignore[attr-defined]
    program = model.compile()
    M = program.mass_matrix()
    for direction in ("x", "y"):
        r = program.influence(direction)
        assert r @ (M @ r) == pytest.approx(10.0 + 12.0)


def test_consistent_mass_has_the_same_total_and_the_textbook_period() -> None:
    model = cantilever(4.0, mass=0.0, consistent_mass=True)
    model.elements["column"].mass = 30.0  # type: ignore[attr-defined]
    program = model.compile()
    M = program.mass_matrix()
    r = program.influence("x")
    assert r @ (M @ r) == pytest.approx(120.0)
    # one element gives 3.533^2 where the exact cantilever has 3.516^2 (Clough and Penzien)
    omega = 3.533 * np.sqrt(ELASTIC.E * ELASTIC.I / (30.0 * 4.0**4))
    assert eigen(program, 1).frequencies[0] == pytest.approx(omega, rel=1e-3)


def frame(storeys: int, bays: int, order: np.ndarray, members: np.ndarray) -> Model:
    """A regular frame, its nodes and members added in a given order."""
    model = Model("frame")
    at = [(s, b) for s in range(storeys + 1) for b in range(bays + 1)]
    for k in order:
        s, b = at[k]
        model.node(f"{s}/{b}", 5.0 * b, 3.0 * s, fixed=s == 0, mass=8e3 if s else None)
    bars = [
        (f"c{s}/{b}", f"{s}/{b}", f"{s + 1}/{b}", NM)
        for s in range(storeys)
        for b in range(bays + 1)
    ]
    bars += [
        (f"b{s}/{b}", f"{s}/{b}", f"{s}/{b + 1}", None)
        for s in range(1, storeys + 1)
        for b in range(bays)
    ]
    for k in members:
        name, i, j, section = bars[k]
        if section is None:
            model.add(ElasticBeamColumn(name, i, j, section=ElasticSection(E=2e11, A=6e-3, I=1e-4)))
        else:
            model.add(ForceBeamColumn(name, i, j, section=section))
    model.rayleigh(mass=0.2, initial=2e-3)
    return model


def test_the_order_of_description_does_not_matter() -> None:
    rng = np.random.default_rng(7)
    storeys, bays = 3, 4
    nodes, bars = (storeys + 1) * (bays + 1), storeys * (bays + 1) + storeys * bays
    histories = []
    for seed in range(3):
        order = np.arange(nodes) if seed == 0 else rng.permutation(nodes)
        members = np.arange(bars) if seed == 0 else rng.permutation(bars)
        result = Transient(dt=0.02).run(frame(storeys, bays, order, members), QUAKE, duration=4.0)
        histories.append(
            (result.displacement("3/2", "x"), result.force("c0/0", "global"), result.base_shear())
        )
    for history in histories[1:]:
        for one, two in zip(histories[0], history, strict=True):
            assert np.abs(one - two).max() < 1e-7 * np.abs(one).max()


def test_band_is_narrow_for_a_tall_frame_whatever_the_order() -> None:
    storeys, bays = 12, 2
    nodes, bars = (storeys + 1) * (bays + 1), storeys * (bays + 1) + storeys * bays
    for order in (np.arange(nodes), np.random.default_rng(1).permutation(nodes)):
        program = frame(storeys, bays, order, np.arange(bars)).compile()
        assert program.neq == 3 * storeys * (bays + 1)
        # sorted by storeys: a column spans one storey of three nodes with three directions each
        assert program.sparsity.band <= 3 * (bays + 1) + 2
