"""The modified Ibarra-Medina-Krawinkler law against what its parameters say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from material_harness import HINGE

from femu.materials import ModifiedIMK
from femu.model.strain_path import drive

K, ALPHA, FY, PLASTIC, FALLING, RESIDUAL, ULTIMATE = 1e5, 0.02, 1000.0, 0.03, 0.15, 0.3, 0.4
YIELD = FY / K
CAP = FY + ALPHA * K * PLASTIC


def hinge(
    lambda_s: float = 0.0, lambda_c: float = 0.0, lambda_k: float = 0.0, n: float = 0.0
) -> ModifiedIMK:
    return ModifiedIMK(
        K,
        ALPHA,
        ALPHA,
        FY,
        FY,
        lambda_s,
        lambda_c,
        lambda_k,
        1.0,
        1.0,
        1.0,
        PLASTIC,
        PLASTIC,
        FALLING,
        FALLING,
        RESIDUAL,
        RESIDUAL,
        ULTIMATE,
        ULTIMATE,
        1.0,
        1.0,
        n,
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_first_loading(side: float) -> None:
    """Yield, cap, half way down, residual strength, nothing."""
    strain = np.array([YIELD, YIELD + PLASTIC, YIELD + PLASTIC + 0.5 * FALLING, 0.35, 0.45, 0.46])
    expected = [FY, CAP, 0.5 * CAP, RESIDUAL * FY, 0.0, 0.0]
    assert side * drive(hinge(), side * strain).force[:, 0] == pytest.approx(
        expected, rel=1e-9, abs=1e-6
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_broken_before_its_residual_strength_is_broken_for_good(side: float) -> None:
    strain = np.array([YIELD, 0.05, 0.45, 0.1, -0.1, 0.02])
    assert drive(hinge(), side * strain).force[2:, 0] == pytest.approx(np.zeros(4), abs=1e-6)


def test_without_capacities_nothing_deteriorates() -> None:
    turns = np.array([0.0, 0.03, -0.03] + [0.03, -0.03] * 5)
    strain = np.concatenate([np.linspace(a, b, 60)[1:] for a, b in pairwise(turns)])
    stress = drive(hinge(), strain).force[:, 0].reshape(-1, 59)
    assert stress[4] == pytest.approx(stress[2], rel=1e-12)
    assert stress[-1] == pytest.approx(stress[3], rel=1e-12)


def test_yield_stress_after_one_excursion() -> None:
    """Up to 0.03 and through zero stress.

    The other side yields at (1 - E / (lambda fy - E)) fy, with that hardening.
    """
    lambda_s = 2.0
    top = FY + ALPHA * K * (0.03 - YIELD)
    zero = 0.03 - top / K
    crossing = zero - 1e-6
    history = drive(hinge(lambda_s=lambda_s), [YIELD, 0.03, crossing, -0.02])
    energy = 0.5 * FY * YIELD + 0.5 * (FY + top) * (0.03 - YIELD) - 0.5 * top * top / K
    left = 1.0 - energy / (lambda_s * FY - energy)
    assert history.force[-1, 0] == pytest.approx(
        -left * (FY + ALPHA * K * (0.02 - left * YIELD)), rel=1e-5
    )


def test_unloading_stiffness_after_one_excursion() -> None:
    """The first change of direction beyond yield.

    B = (E - E_elastic) / (2 lambda fy - (E - E_elastic)).
    """
    lambda_k = 1.5
    top = FY + ALPHA * K * (0.03 - YIELD)
    energy = 0.5 * FY * YIELD + 0.5 * (FY + top) * (0.03 - YIELD) - 0.5 * top * top / K
    b = energy / (2.0 * lambda_k * FY - energy)
    response = drive(hinge(lambda_k=lambda_k), [YIELD, 0.03, 0.029])
    assert response.tangent[-1, 0] == pytest.approx((1.0 - b) * K, rel=1e-9)


def test_spring_of_a_member_is_stiffer_and_hardens_less() -> None:
    """In series with an elastic part of (1 + n) / n K, the spring of (1 + n) K has the stiffness K
    and hardens by alpha K."""
    n = 10.0
    response = drive(hinge(n=n), [0.5 * FY / ((1.0 + n) * K), 0.01])
    elastic, hardening = response.tangent[:, 0]
    rest = (1.0 + n) / n * K
    assert 1.0 / (1.0 / elastic + 1.0 / rest) == pytest.approx(K, rel=1e-12)
    assert 1.0 / (1.0 / hardening + 1.0 / rest) == pytest.approx(ALPHA * K, rel=1e-12)


def test_a_yield_stress_changed_on_the_way_counts_at_once() -> None:
    """What the law remembers are strains, energies and shares.

    A parameter may be updated during a test.
    """
    before = drive(ModifiedIMK(*HINGE), [0.02, 0.0, -0.02, 0.0, 0.02])
    stronger = list(HINGE)
    stronger[3] *= 1.2
    names = list(ModifiedIMK.history)
    kept = before.history[-1][names.index("strength_left_p")]
    assert 0.5 < kept < 1.0
    after = ModifiedIMK(*stronger)
    parameters = tuple(value for _, _, value in after.walk_parameters())
    stress, _, _ = ModifiedIMK.law.function(parameters, tuple(before.history[-1]), 0.03)
    assert stress == pytest.approx(1.2 * kept * 1000.0, rel=0.05)
