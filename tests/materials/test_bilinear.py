"""Bilinear and perfectly plastic steel against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import FY, YIELD_STRAIN, E

from femu.materials import Bilinear, BilinearIsotropic, ElasticPerfectlyPlastic, Hardening
from femu.model.strain_path import drive


def test_loop_of_a_bilinear_steel() -> None:
    """To 4 yield strains and back to -4.

    Yields at fy + 3 b fy, unloads by 2 fy, and so on (Masing).
    """
    b = 0.05
    strain = YIELD_STRAIN * np.array([1.0, 4.0, 2.0, -4.0, 4.0])
    peak = FY * (1.0 + 3.0 * b)
    expected = [FY, peak, peak - 2.0 * FY, -peak, peak]
    assert drive(Bilinear(E, FY, b), strain).force[:, 0] == pytest.approx(expected, rel=1e-14)


def test_hardening_with_kinematic_hardening_alone_is_bilinear() -> None:
    b = 0.03
    strain = 8.0 * YIELD_STRAIN * np.sin(np.linspace(0.0, 20.0, 300)) * np.linspace(0.0, 1.0, 300)
    one = drive(Bilinear(E, FY, b), strain)
    other = drive(Hardening(E, FY, 0.0, b * E / (1.0 - b)), strain)
    assert one.force == pytest.approx(other.force, abs=1e-14 * E * strain.max())


def test_isotropic_hardening_grows_by_the_accumulated_strain() -> None:
    """fy + H a with a = 3 plastic strains of equal length; E_t = E H / (E + H)."""
    H = 0.1 * E
    path = drive(Hardening(E, FY, H_iso=H), YIELD_STRAIN * np.array([2.0, -3.0]))
    first = FY + H * (FY / (E + H))
    plastic = FY / (E + H)
    relative = E * (-3.0 * YIELD_STRAIN - plastic)
    size = (abs(relative) - first) / (E + H)
    assert path.force[:, 0] == pytest.approx([first, -(first + H * size)], rel=1e-14)


def test_isotropic_factors_of_zero_leave_a_bilinear_steel() -> None:
    strain = 6.0 * YIELD_STRAIN * np.sin(np.linspace(0.0, 15.0, 200))
    one, other = drive(Bilinear(E, FY, 0.02), strain), drive(BilinearIsotropic(E, FY, 0.02), strain)
    assert one.force == pytest.approx(other.force, abs=1e-14 * FY)


def test_perfectly_plastic_with_unequal_strengths_and_initial_strain() -> None:
    material = ElasticPerfectlyPlastic(E, FY, fy_compression=0.5 * FY, initial_strain=0.001)
    strain = np.array([0.0, 0.001, 0.02, 0.02 - 1.2 * YIELD_STRAIN, -0.02])
    expected = [-0.5 * FY, 0.25 * FY, FY, -0.2 * FY, -0.5 * FY]
    # yields in compression at once: 0.001 is 2/3 of the yield strain
    plastic = 0.5 * YIELD_STRAIN - 0.001
    expected[1] = E * (0.0 - plastic)
    assert drive(material, strain).force[:, 0] == pytest.approx(expected, rel=1e-13)
