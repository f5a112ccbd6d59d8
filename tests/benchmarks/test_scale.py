"""The benchmark of scale: its models, its figures on a small one, and its table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from femu.benchmarks.scale import (
    COMPILING,
    PLANE,
    SPACE,
    Measured,
    Size,
    exponent,
    in_process,
    model,
    section,
    table,
)


@pytest.mark.parametrize("size", [Size(2, 3), Size(3, 2, 1), Size(1, 1, 1)])
def test_a_size_knows_its_members(size: Size) -> None:
    made = model(size)
    assert len(made.elements) == size.members
    assert made.dimensions == (3 if size.in_space else 2)


def test_the_sizes_are_those_that_the_limits_name() -> None:
    assert {size.members for size in SPACE} >= set(COMPILING)
    for sizes in (PLANE, SPACE):
        members = [size.members for size in sizes]
        assert members == sorted(members)
        assert members[0] < 200 and members[-1] >= 100_000


@pytest.mark.parametrize(("in_space", "fibres"), [(True, 100), (False, 44)])
def test_a_section_has_the_fibres_that_the_table_speaks_of(in_space: bool, fibres: int) -> None:
    made = section(0.3, 0.6, in_space)
    assert sum(len(group.y) for group in made.groups) == fibres  # type: ignore[attr-defined]


def measured(members: int, in_space: bool = True) -> Measured:
    return Measured(
        "1x1",
        in_space,
        members,
        6 * members,
        0.1,
        1e-4 * members**0.9,
        300.0,
        200.0,
        0.5,
        1e-6 * members**1.5,
        2.0,
        200.0 + 0.1 * members,
    )


def test_growth_is_between_the_first_large_model_and_the_largest() -> None:
    models = [measured(100), measured(1_000), measured(20_000)]
    models.append(replace(measured(100_000), step=None))
    assert exponent(models, lambda m: m.compiling) == pytest.approx(0.9)
    assert exponent(models, lambda m: m.step) == pytest.approx(1.5)
    assert exponent(models[:2], lambda m: m.step) is None


def test_the_table_judges_what_has_a_limit() -> None:
    made = table([measured(1_000, False), measured(9_000, False), measured(1_000), measured(5_115)])
    judged = {row.name: row.ok for row in made.rows if row.ok is not None}
    assert judged == {
        "space 1x1, 1,000 members: peak memory of a run": True,
        "space 1x1, 5,115 members: compiling": True,
        "space 1x1, 5,115 members: memory, compiled": True,
        "space 1x1, 5,115 members: peak memory of a run": True,
        "plane: growth of compiling, exponent": True,
        "space: growth of compiling, exponent": True,
        "space: growth of a step, exponent": False,
    }


def test_a_small_building_in_a_process_of_its_own() -> None:
    found = in_process(Size(2, 2, 1, steps=2))
    assert found.members == 26 and found.equations == 72
    assert found.compiling > 0.0 and found.step is not None and found.iterations >= 1.0
    assert found.peak >= found.compiled >= found.before > 0.0
