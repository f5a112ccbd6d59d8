"""Menegotto-Pinto steel against its equation and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import FY, YIELD_STRAIN, E

from femu.materials import Bilinear, MenegottoPinto
from femu.model.strain_path import drive


def test_first_loading_follows_the_equation() -> None:
    b, R = 0.02, 20.0
    ratio = np.linspace(0.1, 6.0, 50)
    expected = FY * (b * ratio + (1.0 - b) * ratio / (1.0 + ratio**R) ** (1.0 / R))
    assert drive(MenegottoPinto(E, FY, b, R), ratio * YIELD_STRAIN).force[:, 0] == pytest.approx(
        expected, rel=1e-13
    )


def test_a_large_exponent_leaves_a_bilinear_steel() -> None:
    strain = 5.0 * YIELD_STRAIN * np.sin(np.linspace(0.0, 12.0, 400))
    smooth = drive(MenegottoPinto(E, FY, 0.02, R0=20000.0, cR1=0.0), strain).force
    assert smooth == pytest.approx(drive(Bilinear(E, FY, 0.02), strain).force, abs=1e-3 * FY)


def test_huge_strain_ends_on_the_asymptote() -> None:
    """|r| ** R would overflow: 1e20 ** 20."""
    path = drive(MenegottoPinto(E, FY, 0.0, 20.0), [1e20 * YIELD_STRAIN])
    assert path.force[0, 0] == pytest.approx(FY, rel=1e-15)
    assert path.tangent[0, 0] == 0.0


def test_reversal_on_the_asymptote() -> None:
    """Far on the asymptote, back by a hair and on again.

    No division by zero, the stress stays on the asymptote.
    """
    far = 500.0 * YIELD_STRAIN
    path = drive(
        MenegottoPinto(E, FY, 0.01, 20.0),
        [far, far - 1e-15, far, far - 1e-14, far + 1e-15, 2.0 * far],
    )
    assert path.force[2:, 0] == pytest.approx(
        [FY * 0.99 + 0.01 * E * e for e in (far, far - 1e-14, far + 1e-15, 2.0 * far)], rel=1e-5
    )


def test_initial_stress() -> None:
    path = drive(MenegottoPinto(E, FY, 0.01, initial_stress=0.4 * FY), [0.0, 1e-5])
    assert path.force[:, 0] == pytest.approx([0.4 * FY, 0.4 * FY + 1e-5 * E], rel=1e-6)
