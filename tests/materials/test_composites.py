"""Series, parallel and min-max materials."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from material_harness import FY, STEEL, YIELD_STRAIN, Block, E, cyclic

from femu.materials import (
    Bilinear,
    BoucWen,
    Elastic,
    ElasticGap,
    ElasticNoTension,
    ElasticPerfectlyPlastic,
    Hardening,
    MaxwellDamper,
    MenegottoPinto,
    MinMax,
    Parallel,
    Series,
    Viscous,
)
from femu.model.strain_path import drive
from femu.support.errors import InputError

PARTS = [
    Elastic(E),
    STEEL,
    ElasticPerfectlyPlastic(E, 0.6 * FY),
    ElasticGap(E, FY, 0.001, 0.02),
    ElasticNoTension(0.5 * E),
    Hardening(E, FY, 2e9, 1e9),
    MenegottoPinto(E, FY),
    ElasticGap(E, -FY, -0.002),
    BoucWen(0.1, E, 2.0, 0.5 / YIELD_STRAIN**2, 0.5 / YIELD_STRAIN**2),
]


def test_spring_in_series_with_bilinear_steel_is_bilinear() -> None:
    """Flexibilities add up: 1/E + 1/k before, 1/(b E) + 1/k after yield at the same stress."""
    k, b = 0.5 * E, 0.02
    before, after = 1.0 / (1.0 / E + 1.0 / k), 1.0 / (1.0 / (b * E) + 1.0 / k)
    strain = cyclic(0.02, 4)
    series = drive(Series([Elastic(k), Bilinear(E, FY, b)]), strain)
    expected = drive(Bilinear(before, FY, after / before), strain)
    assert series.force == pytest.approx(expected.force, abs=1e-12 * FY)
    assert series.tangent == pytest.approx(expected.tangent, rel=1e-12)


def test_series_with_an_open_gap_carries_nothing() -> None:
    path = drive(Series([Elastic(E), ElasticGap(E, FY, 0.001)]), [0.0005, -0.01, 0.001, 0.002])
    assert path.force[:, 0] == pytest.approx([0.0, 0.0, 0.0, 0.001 * E / 2.0], abs=1e-13 * FY)


@settings(max_examples=120, deadline=None)
@given(
    choice=st.lists(st.integers(0, len(PARTS) - 1), min_size=1, max_size=4, unique=True),
    steps=st.lists(
        st.tuples(st.sampled_from((-1.0, 1.0)), st.floats(-7.0, 0.5)), min_size=1, max_size=20
    ),
)
def test_any_series_is_in_balance(choice: list[int], steps: list[tuple[float, float]]) -> None:
    """Parts of all kinds, steps of all sizes.

    Equal stresses, and strains that sum up to the strain given.
    """
    parts = [PARTS[j] for j in choice]
    law = Block(Series(parts))
    history, strain = law.virgin(), 0.0
    for sign, size in steps:
        strain += sign * 0.01 * 10.0**size
        old = history
        response = law(old, strain)
        history = response.history
        count = len(parts)
        assert history[:count, 0].sum() == pytest.approx(
            strain, abs=1e-14 * np.abs(history[:count, 0]).max()
        )
        offset = 2 * count
        for j, part in enumerate(parts):
            single = Block(part)
            own = single(old[offset : offset + single.variables], history[j, 0])
            offset += single.variables
            noise = (
                1e-15 * 2 * E * (np.abs(history[:count, 0]).max() + abs(strain)) + 2 * E * 2.3e-16
            )
            assert own.stress[0] == pytest.approx(response.stress[0], rel=1e-12, abs=noise)


def test_parallel_adds_up_with_factors() -> None:
    strain = cyclic(0.01, 5)
    together = drive(Parallel({"a": STEEL, "b": Elastic(E)}, [2.0, -0.25]), strain)
    one, other = drive(STEEL, strain), drive(Elastic(E), strain)
    assert together.force == pytest.approx(
        2.0 * one.force - 0.25 * other.force, abs=1e-14 * E * 0.01
    )
    assert together.tangent == pytest.approx(2.0 * one.tangent - 0.25 * other.tangent, rel=1e-14)
    assert (together.history == one.history).all()


def test_nested_composites() -> None:
    """A parallel of two equal series, of which each is two equal springs, is one of these springs."""
    series = Series([Elastic(E), Elastic(E)])
    nested = MinMax(Parallel([series, series]), largest_strain=0.01)
    path = drive(nested, [0.001, -0.5, 0.009, 0.011, 0.001])
    assert path.force[:, 0] == pytest.approx([0.001 * E, -0.5 * E, 0.009 * E, 0.0, 0.0], rel=1e-13)
    names = [name for name, _, _ in nested.walk_parameters()]
    assert names[:4] == [
        "smallest_strain",
        "largest_strain",
        "material.factor_1",
        "material.factor_2",
    ]
    assert names[4] == "material.part_1.part_1.E"


def test_a_failed_material_stays_failed_and_its_trial_does_not() -> None:
    law = Block(MinMax(STEEL, largest_strain=0.01))
    history = law(law.virgin(), 0.009).history
    beyond = law(history, 0.011)
    assert beyond.stress[0] == beyond.tangent[0] == 0.0
    assert law(history, 0.0095).stress[0] > FY  # the step was not committed
    assert law(beyond.history, 0.0).stress[0] == 0.0
    assert (beyond.history[1:] == history[1:]).all()


def test_wrong_parts() -> None:
    with pytest.raises(InputError, match=r"Series: part_2 = .*rate.*MaxwellDamper"):
        Series([Elastic(E), Viscous(1.0)])
    with pytest.raises(InputError, match=r"rate"):
        Series({"inner": Parallel([Elastic(E), MaxwellDamper(1.0, 1.0)])})
    with pytest.raises(InputError, match=r"at least one material"):
        Series([])
    with pytest.raises(InputError, match=r"list of materials"):
        Parallel(STEEL)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"part_2 = 5.*Material"):
        Parallel([STEEL, 5])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"2 numbers"):
        Parallel([STEEL, STEEL], [1.0])
    with pytest.raises(InputError, match=r"factors = .* in which \[1\] must be"):
        Parallel([STEEL, STEEL], [1.0, float("nan")])
    with pytest.raises(InputError, match=r"without a dot"):
        Parallel({"a.b": STEEL})
    with pytest.raises(InputError, match=r"two sides of zero"):
        MinMax(STEEL, smallest_strain=0.001)
