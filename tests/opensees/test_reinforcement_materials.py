"""Fatigue, Bond_SP01 and ReinforcingSteel as scripts write them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import femu.opensees as ops

BAR = (420.0, 620.0, 200e3, 8e3, 0.01, 0.1)
SLIP = (64.0, 0.021, 102.2, 1.0, 0.3, 0.8)


@pytest.fixture(autouse=True)
def model() -> Iterator[None]:
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    yield
    ops.wipe()


def along(tag: int, strains: list[float]) -> list[float]:
    ops.testUniaxialMaterial(tag)
    found = []
    for strain in strains:
        ops.setStrain(strain)
        found.append(ops.getStress())
    return found


def test_a_broken_material_answers_behind_the_step() -> None:
    """setStrain ends a step: what broke in it has nothing left, as in OpenSees."""
    ops.uniaxialMaterial("Elastic", 1, 100.0)
    ops.uniaxialMaterial("Fatigue", 2, 1, "-max", 0.05)
    ops.uniaxialMaterial("Fatigue", 3, 1, "-E0", 0.01, "-m", -0.5, "-Dmax", 0.5)
    assert along(2, [0.0, 0.04, 0.06, 0.02]) == pytest.approx([0.0, 4.0, 6e-8, 2e-8])
    assert along(3, [0.0, 0.009, 0.011, 0.002]) == pytest.approx([0.0, 0.9, 1.1e-8, 2e-9])


def test_slip_takes_six_numbers_or_ten() -> None:
    ops.uniaxialMaterial("Bond_SP01", 1, *SLIP)
    ops.uniaxialMaterial("Bond_SP01", 2, *SLIP, 0.5, 1.0, 5.0, 20.0)
    path = [0.01, -0.015, 0.1, 0.02, -0.1, 0.15]
    assert along(1, path) == along(2, path)
    with pytest.raises(ops.OpenSeesError, match=r"fu = 50.*below fy"):
        ops.uniaxialMaterial("Bond_SP01", 3, 64.0, 0.021, 50.0, 1.0, 0.3, 0.8)


def test_options_of_reinforcing_steel() -> None:
    path = [0.004, 0.03, 0.0, -0.03, 0.03]
    ops.uniaxialMaterial("ReinforcingSteel", 1, *BAR)
    ops.uniaxialMaterial(
        "ReinforcingSteel", 2, *BAR, "-CMFatigue", 0.0, -4.46, 0.0, "-DMBuck", 0.0, 1.0
    )
    ops.uniaxialMaterial("ReinforcingSteel", 3, *BAR, "-GABuck", 8.0, 1.0, 0.4, 0.5)
    plain = along(1, path)
    assert along(2, path) == plain  # fatigue without a coefficient, a bar that cannot buckle
    bent = along(3, path)
    assert bent[:2] == plain[:2] and bent[3] > plain[3]
    with pytest.raises(ops.UnsupportedCommand, match=r"-DMBuck.*Dhakal.*-GABuck"):
        ops.uniaxialMaterial("ReinforcingSteel", 4, *BAR, "-DMBuck", 6.0, 1.0)
    with pytest.raises(ops.OpenSeesError, match=r"hardening_strain = 0.2"):
        ops.uniaxialMaterial("ReinforcingSteel", 5, *BAR[:4], 0.2, 0.1)
