"""Elastic materials and gaps against closed forms."""

from __future__ import annotations

import pytest
from material_harness import FY, E

from femu.materials import Bilinear, BoucWen, Elastic, ElasticGap, ElasticNoTension, MenegottoPinto
from femu.model.strain_path import drive
from femu.support.errors import InputError


def test_two_moduli() -> None:
    path = drive(Elastic(E, 0.5 * E), [0.001, -0.001, 0.0])
    assert path.force[:, 0] == pytest.approx([0.001 * E, -0.0005 * E, 0.0])
    assert path.tangent[:, 0] == pytest.approx([E, 0.5 * E, E])


def test_no_tension() -> None:
    path = drive(ElasticNoTension(E), [0.001, -0.001, 0.0])
    assert path.force[:, 0] == pytest.approx([0.0, -0.001 * E, 0.0])
    assert path.tangent[:, 0] == pytest.approx([0.0, E, E])


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("damage", [False, True])
def test_gap(side: float, damage: bool) -> None:
    """Closes at 1e-3, yields at 2.5e-3, pushed to 5e-3 (touches at 3.5e-3 then), back to 2e-3,
    again to 3e-3."""
    material = ElasticGap(E, side * FY, side * 1e-3, damage=damage)
    strain = [0.5e-3, 2e-3, 5e-3, 2e-3, 3e-3]
    again = 0.0 if damage else 1e-3 * E
    stress = drive(material, [side * e for e in strain]).force[:, 0]
    assert side * stress == pytest.approx([0.0, 1e-3 * E, FY, 0.0, again], abs=1e-7)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_stop_that_softens_ends_at_no_stress(side: float) -> None:
    """Yields at 2.5e-3 and falls by half of E.

    Nothing is left from 5.5e-3 on, and so at a second look.
    """
    material = ElasticGap(E, side * FY, side * 1e-3, eta=-0.5)
    path = drive(material, [side * e for e in (2.5e-3, 4e-3, 6e-3, 6e-3, 9e-3, 8e-3)])
    assert side * path.force[:, 0] == pytest.approx(
        [FY, 0.5 * FY, 0.0, 0.0, 0.0, 0.0], abs=1e-6 * FY
    )


def test_wrong_input() -> None:
    with pytest.raises(InputError, match=r"ElasticGap: gap = -0.001 must have the sign of fy"):
        ElasticGap(E, FY, -0.001)
    with pytest.raises(InputError, match=r"fy = 0.0 must not be zero"):
        ElasticGap(E, 0.0, 0.001)
    with pytest.raises(InputError, match=r"damage = 0.5 must be True or False"):
        ElasticGap(E, FY, 0.001, damage=0.5)
    with pytest.raises(InputError, match=r"eta = 1.0"):
        ElasticGap(E, FY, 0.001, eta=1.0)
    with pytest.raises(InputError, match=r"E = -1.0 must be above 0"):
        Bilinear(-1.0, FY)
    with pytest.raises(InputError, match=r"b = 1.0"):
        MenegottoPinto(E, FY, 1.0)
    with pytest.raises(InputError, match=r"n = 0.5 must be at least 1"):
        BoucWen(0.1, E, 0.5)
    with pytest.raises(InputError, match=r"gamma = -0.6 plus beta = 0.5 must be above 0"):
        BoucWen(0.1, E, 1.0, gamma=-0.6, beta=0.5)
    with pytest.raises(InputError, match=r"fy = nan"):
        Bilinear(E, float("nan"))
