"""Elements that are alike are laid out once: nothing of it can be seen in a program but its size."""

from __future__ import annotations

import gc
import hashlib
import tracemalloc
from dataclasses import KW_ONLY
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from femu.elements import ForceBeamColumn, TwoNodeLink
from femu.engine import digest
from femu.engine.program import Program
from femu.engine.state import State
from femu.materials import Bilinear, Elastic, FibreSection, MenegottoPinto, UncoupledSection
from femu.model.component import Section
from femu.model.element import Array, Coordinates, Element, Name, Plan
from femu.model.model import Model
from femu.support.errors import InputError, ModelError

E, FY = 200e9, 300e6


def fibres(E: float = E) -> Section:
    return FibreSection.rectangle(0.3, 0.4, MenegottoPinto(E, FY, 0.01), (5, 4), GJ=1e7)


def chain(members: int, section: Section | None = None, apart: bool = False) -> Model:
    """Members in a row in space, all with one section, or each with its own."""
    shared = section or fibres()
    model = Model("chain", dimensions=3)
    model.node(0, 0.0, 0.0, 0.0, fixed=True)
    for k in range(1, members + 1):
        model.node(k, 4.0 * k, 0.0, 0.0, mass=10.0)
        model.add(
            ForceBeamColumn(f"m{k}", k - 1, k, section=fibres() if apart else shared, mass=2.0)
        )
    return model


def same(one: Program, other: Program) -> None:
    """Every array that the kernels read is equal to the last bit."""
    assert one.digest == other.digest
    assert list(one.parameters) == list(other.parameters)
    assert one.parameters.vector.tobytes() == other.parameters.vector.tobytes()
    for name in ("integers", "table", "geometry", "geometry_starts", "groups", "links"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for a, b in zip(one.mass_terms, other.mass_terms, strict=True):
        assert a.tobytes() == b.tobytes()


def test_equal_sections_and_one_section_give_the_same_program() -> None:
    same(chain(5).compile(), chain(5, apart=True).compile())


def test_each_member_keeps_the_numbers_of_its_own_section() -> None:
    model = chain(2)
    model.node("far", 4.0, 4.0, 0.0, fixed=True)
    model.add(ForceBeamColumn("soft", 1, "far", section=fibres(E / 2.0)))
    model.node("end", 8.0, 4.0, 0.0, fixed=True)
    model.add(ForceBeamColumn("stiff", 2, "end", section=fibres()))
    program = model.compile()
    assert program.parameters["soft.section.material.E"] == E / 2.0
    assert program.parameters["stiff.section.material.E"] == E
    # the elastic stiffness of the section is among the constants, which scale what is negligible
    soft, stiff = (program.plans[name].geometry for name in ("soft", "stiff"))
    changed = [b / a for a, b in zip(soft, stiff, strict=True) if a != b]
    assert changed == [pytest.approx(2.0)] * 3, "EA, EIz and EIy"


def test_a_law_of_another_class_has_its_own_layout() -> None:
    def cross(axial: object) -> Section:
        bends = Bilinear(1e7, 1e5, 0.02)
        return UncoupledSection(axial, bends)  # type: ignore[arg-type]

    model = Model("two")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    for name, axial in (("a", Bilinear(1e9, 1e6, 0.02)), ("b", MenegottoPinto(1e9, 1e6, 0.02))):
        model.add(ForceBeamColumn(name, 1, 2, section=cross(axial)))
    program = model.compile()
    alone = {}
    for name in ("a", "b"):
        one = model.copy()
        one.elements = {name: model.elements[name]}
        alone[name] = one.compile()
        assert program.plans[name].state == alone[name].plans[name].state
        own = [n for n in program.parameters if n.startswith(f"{name}.")]
        assert own == [n for n in alone[name].parameters if n.startswith(f"{name}.")]


def test_a_member_without_length_is_found_among_members_that_are_alike() -> None:
    model = Model("far", dimensions=2)
    section = UncoupledSection(Bilinear(1e9, 1e6, 0.02), Bilinear(1e7, 1e5, 0.02))
    for name, x, y in (("a", 0.0, 0.0), ("b", 1e-4, 0.0), ("c", 1e9, 0.0), ("d", 1e9 + 1e-4, 0.0)):
        model.node(name, x, y)
    model.add(ForceBeamColumn("near", "a", "b", section=section))
    model.add(ForceBeamColumn("lost", "c", "d", section=section))
    with pytest.raises(ModelError, match=r"lost.*has no length"):
        model.compile()


class Upright(ForceBeamColumn):
    """A member whose plan depends on where it is."""

    _: KW_ONLY
    seen: ClassVar[list[Name]] = []

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        self.seen.append(self.name)
        return super().plan(coordinates)


def test_a_subclass_is_laid_out_by_itself_unless_it_says_otherwise() -> None:
    model, section = Model("own"), fibres()
    for k in range(3):
        model.node(k, 0.0, 3.0 * k, fixed=k == 0)
    for k in (1, 2):
        model.add(Upright(k, k - 1, k, section=section))
    Upright.seen.clear()
    model.compile()
    assert Upright.seen == [1, 2]


def test_links_with_the_same_laws_are_alike_and_others_are_not() -> None:
    laws = {"x": Elastic(1e5), "y": Bilinear(1e4, 1e2, 0.1)}
    one, other = (TwoNodeLink(k, "a", "b", dict(laws)) for k in (1, 2))
    third = TwoNodeLink(3, "a", "b", {**laws, "x": Elastic(1e5)})
    at = Coordinates({"a": np.zeros(2), "b": np.array([0.0, 2.0])})
    assert one.likeness(at) == other.likeness(at) is not None
    assert third.likeness(at) != one.likeness(at)
    assert Element.likeness(one, Coordinates({"a": np.ones(2), "b": np.zeros(2)})) != one.likeness(
        at
    )


def test_a_member_more_costs_no_names() -> None:
    """The memory of compiling grows by the numbers of a member, not by the text of their names."""

    def peak(members: int) -> int:
        model = chain(members)
        tracemalloc.start()
        program = model.compile()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(program.elements) == members
        return found

    chain(2).compile()
    numbers = len(chain(1).compile().parameters)
    each = (peak(220) - peak(20)) / 200
    # integers, parameters, names of nodes, tuples of degrees of freedom, numbering
    assert each < 8 * numbers + 16e3
    names = sum(len(name) + 50 for name in chain(1).compile().element_state("m1")[1])
    assert each < names, "less than the names of its state alone would take"


def test_a_name_that_two_owners_could_have_is_found() -> None:
    model, section = Model("dots"), fibres()
    for k in range(4):
        model.node(k, 0.0, 3.0 * k, fixed=k == 0)
    for k, name in enumerate(("a", "a.section", "a.b.c"), start=1):
        model.add(ForceBeamColumn(name, k - 1, k, section=section))
    program = model.compile()
    for place, name in enumerate(program.parameters):
        assert program.parameters.index(name) == place
        assert program.parameters.name_at(place) == name
    assert program.parameters.index("a.section.mass") != program.parameters.index("a.mass")


def test_two_nodes_whose_names_read_alike_are_refused() -> None:
    model = chain(2)
    model.node("1", 0.0, 5.0, 0.0, mass=1.0)
    model.add(ForceBeamColumn("other", 0, "1", section=fibres()))
    with pytest.raises(InputError, match=r"node\.1\.mass\.x.*must belong to one number only"):
        model.compile()


def test_a_wrong_name_in_a_large_model_names_those_of_its_owner() -> None:
    program = chain(400).compile()
    assert len(program.parameters) > 20_000
    with pytest.raises(InputError, match=r"m7\.section\.material\.fy"):
        program.parameters["m7.section.material.fz"]
    with pytest.raises(InputError, match="m17"):
        program.parameters["m17x.mass"]


def test_the_digest_follows_the_names() -> None:
    def of(model: Model) -> tuple[str, str]:
        return model.compile().digest, digest.digest_by_kinds(model.compile())

    renamed = chain(3)
    renamed.elements = {f"n{name}": e for name, e in renamed.elements.items()}
    models = [
        chain(3),
        chain(2),
        chain(3, FibreSection.rectangle(0.3, 0.4, Elastic(E), (5, 4), GJ=1e7)),
        renamed,
    ]
    found = [of(model) for model in models]
    assert len({one for one, _ in found}) == len({one for _, one in found}) == len(models)
    assert of(chain(3, apart=True)) == found[0]


def test_the_text_that_is_digested_is_that_of_all_names() -> None:
    program = chain(3).compile()
    key = repr(
        (
            list(program.parameters.names),
            [plan.state for plan in program.plans.values()],
            program.pattern_names,
            program.layout,
            sorted((str(d), p) for d, p in program.numbering.place.items()),
        )
    )
    assert program.digest == hashlib.sha256(key.encode()).hexdigest()[:32]


def test_a_large_program_reads_files_by_either_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = chain(3).compile()
    small.state().save(tmp_path / "by_names.h5")
    monkeypatch.setattr(digest, "MOST_NAMES", 10)
    large = chain(3).compile()
    assert large.digest != small.digest
    large.state().save(tmp_path / "by_kinds.h5")
    for name in ("by_names.h5", "by_kinds.h5"):
        assert State.load(tmp_path / name, large).vector.size == large.layout.size
    with pytest.raises(InputError, match="must be compiled from the model"):
        State.load(tmp_path / "by_kinds.h5", small)


@pytest.mark.parametrize("running", [True, False])
def test_the_garbage_collector_is_left_as_it_was(running: bool) -> None:
    lost = chain(1)
    lost.nodes[1].coordinates[:] = 0.0  # a member without length
    before = gc.isenabled()
    try:
        (gc.enable if running else gc.disable)()
        chain(2).compile()
        assert gc.isenabled() is running
        with pytest.raises(ModelError, match="has no length"):
            lost.compile()
        assert gc.isenabled() is running
    finally:
        (gc.enable if before else gc.disable)()
