"""Kent-Park concrete: points of the envelope, unloading, tension."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import CONCRETE

from femu.materials import KentParkConcrete, KentParkTension
from femu.model.strain_path import drive
from femu.support.errors import InputError

FC, PEAK, FCU, CRUSHING = CONCRETE.values()


@pytest.mark.parametrize(
    "material", [KentParkConcrete(**CONCRETE), KentParkTension(**CONCRETE)], ids=["01", "02"]
)
def test_envelope(material: KentParkConcrete) -> None:
    strain = -np.array([0.5 * PEAK, PEAK, 0.5 * (PEAK + CRUSHING), CRUSHING, 2.0 * CRUSHING])
    stress = -np.array([0.75 * FC, FC, 0.5 * (FC + FCU), FCU, FCU])
    assert drive(material, strain).force[:, 0] == pytest.approx(stress, rel=1e-14)


def test_plastic_strain_after_karsan_and_jirsa() -> None:
    """From r = 1.5 peak strains the stress is zero at (0.145 r**2 + 0.13 r) peak strains, and the
    line goes back."""
    r = 1.5
    left = (0.145 * r**2 + 0.13 * r) * PEAK
    strength = FC - (FC - FCU) * 0.5 * PEAK / (CRUSHING - PEAK)
    strain = -np.array([r * PEAK, left, 0.0, left, 0.5 * (left + r * PEAK), r * PEAK])
    path = drive(KentParkConcrete(**CONCRETE), strain)
    assert path.force[:, 0] == pytest.approx(
        [-strength, 0.0, 0.0, 0.0, -0.5 * strength, -strength], abs=1e-9 * FC
    )


def test_no_tension_and_tension() -> None:
    modulus, ft, softening = 2.0 * FC / PEAK, 3e6, 2e9
    strain = (
        np.array([0.5, 1.0, 1.0 + 0.5 * modulus / softening, 1.0 + 2.0 * modulus / softening])
        * ft
        / modulus
    )
    expected = np.array([0.5 * ft, ft, 0.5 * ft, 0.0])
    cracked = drive(KentParkTension(**CONCRETE, ft=ft, softening_modulus=softening), strain)
    assert cracked.force[:, 0] == pytest.approx(expected, abs=1e-9 * ft)
    assert (drive(KentParkConcrete(**CONCRETE), strain).force == 0.0).all()


def test_defaults_of_tension() -> None:
    material = KentParkTension(**CONCRETE)
    assert (material.ft, material.softening_modulus) == (0.1 * FC, 0.1 * FC / PEAK)


@pytest.mark.parametrize("kind", [KentParkConcrete, KentParkTension])
def test_wrong_input(kind: type[KentParkConcrete]) -> None:
    with pytest.raises(InputError, match=r"fc = -30.*above 0.*positive number"):
        kind(-30e6, -0.002, -6e6, -0.006)
    with pytest.raises(
        InputError,
        match=r"crushing_strain = 0.002 must be above peak_strain = "
        r"0.002",
    ):
        kind(30e6, 0.002, 6e6, 0.002)
    with pytest.raises(InputError, match=r"peak_strain = 0.0"):
        kind(30e6, 0.0, 6e6, 0.006)
    with pytest.raises(InputError, match=r"fc = '30'"):
        kind("30", 0.002, 6e6, 0.006)  # type: ignore[arg-type]


def test_reloading_lines_need_a_focus() -> None:
    """The virgin state is none.

    Its reloading line would be 0 / 0. What is below it is accepted with a warning.
    """
    with pytest.raises(InputError, match=r"unloading_ratio = 0.0 must not be"):
        KentParkTension(30e6, 0.002, 0.0, 0.006, unloading_ratio=0.0)


def test_a_crushing_strain_without_a_focus_is_refused() -> None:
    """E times the crushing strain is a stress.

    Where it is infinite, the history of the first step would be no number.
    """
    with pytest.raises(InputError, match=r"crushing_strain = 1e\+300 must be so small"):
        KentParkTension(30e6, 0.002, 6e6, 1e300)
