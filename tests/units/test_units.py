"""Units against definitions that hold by law or by treaty, none of them taken from the module
itself."""

from __future__ import annotations

import pytest

from femu import units


@pytest.mark.parametrize(
    ("unit", "in_si"),
    [
        (units.ft, 0.3048),
        (units.kip, 4448.2216152605),
        (units.ksi, 6894757.293168361),
        (units.psi, 6894.757293168361),
        (units.slug, 14.593902937206364),
        (units.g, 9.80665),
        (units.tonf, 9806.65),
        (units.GPa, 1e9),
        (units.gal, 0.01),
        (units.degree * 180, 3.141592653589793),
    ],
)
def test_value_in_si(unit: float, in_si: float) -> None:
    assert unit == pytest.approx(in_si, rel=1e-14)


def test_a_kip_of_weight_has_the_mass_an_american_engineer_expects() -> None:
    """1 kip / 386.0886 in/s² = 2.59008e-3 kip s²/in."""
    mass = units.kip / units.g
    assert mass / (units.kip * units.s**2 / units.inch) == pytest.approx(
        1 / 386.0885826771654, rel=1e-12
    )


def test_consistent_sets() -> None:
    assert units.N / units.mm**2 == pytest.approx(units.MPa, rel=1e-14)
    assert units.kN / units.m**2 == pytest.approx(units.kPa, rel=1e-14)
    assert units.ton * units.m / units.s**2 == pytest.approx(units.kN, rel=1e-14)
