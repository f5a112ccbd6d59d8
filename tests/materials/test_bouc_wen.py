"""Bouc-Wen hysteresis against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import Block

from femu.materials import BoucWen
from femu.model.strain_path import drive

K, BOUND = 3.0, 0.4


def test_monotonic_loading_is_a_hyperbolic_tangent() -> None:
    """n = 2, beta = gamma, A = 1.

    Dz/de = 1 - (z/Z)**2, so z = Z tanh(e / Z). Backward Euler: first order.
    """
    material = BoucWen(alpha=0.1, k=K, n=2.0, gamma=0.5 / BOUND**2, beta=0.5 / BOUND**2)
    errors = []
    for steps in (200, 400, 800):
        strain = np.linspace(0.0, 1.0, steps + 1)
        exact = 0.1 * K * strain + 0.9 * K * BOUND * np.tanh(strain / BOUND)
        errors.append(np.abs(drive(material, strain).force[:, 0] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.05)
    assert errors[2] < 1e-3 * K * BOUND


def test_unloading_without_gamma_minus_beta_is_elastic() -> None:
    material = BoucWen(alpha=0.0, k=K, n=2.0, gamma=0.5 / BOUND**2, beta=0.5 / BOUND**2)
    path = drive(material, [0.0, 5.0, 4.9, 4.8])
    assert np.diff(path.force[1:, 0]) == pytest.approx([-0.1 * K, -0.1 * K], rel=1e-12)


@pytest.mark.parametrize("n", [1.0, 2.0, 7.5, 20.0])
def test_z_stays_within_its_bound(n: float) -> None:
    """(A / (beta + gamma)) ** (1/n), for steps from small to a million times the bound."""
    material = BoucWen(alpha=0.0, k=1.0, n=n, gamma=0.3, beta=0.9, A=2.0)
    bound = (2.0 / 1.2) ** (1.0 / n)
    strain = np.array([0.1, 1.0, 10.0, 1e6, -1e6, 0.0, 1e3, 1e3 - 0.5, 1e3 + 50.0])
    stress = drive(material, strain).force[:, 0]
    assert np.abs(stress).max() <= bound * (1.0 + 1e-12)
    assert stress[3] == pytest.approx(bound, rel=1e-5)


def test_the_equation_of_the_step_is_fulfilled() -> None:
    """z - z0 - dz/de de = 0 with all the degradations, put into the law as printed in the
    docstring."""
    alpha, n, gamma, beta, A, dA, dnu, deta = 0.2, 1.4, 0.8, 1.9, 1.2, 0.02, 0.05, 0.03
    law = Block(BoucWen(alpha, K, n, gamma, beta, A, dA, dnu, deta))
    history = law.virgin()
    rng = np.random.default_rng(0)
    for _ in range(300):
        last, z0, energy0 = history[:, 0]
        strain = last + rng.normal(0.0, 10.0 ** rng.uniform(-6, 0.3)) - 0.05 * last
        history = law(history, strain).history
        _, z, energy = history[:, 0]
        step = strain - last
        assert energy == pytest.approx(energy0 + (1.0 - alpha) * K * z * step, rel=1e-12, abs=1e-15)
        rate = (
            A
            - dA * energy
            - abs(z) ** n * (gamma + beta * np.sign(step * z)) * (1.0 + dnu * energy)
        ) / (1.0 + deta * energy)
        assert z - z0 - rate * step == pytest.approx(
            0.0, abs=1e-12 * (abs(z) + abs(z0) + abs(rate * step))
        )
    assert energy > 10.0


def test_the_unit_of_strain_does_not_matter() -> None:
    """The same spring in metres and in nanometres.

    OpenSees' fixed start and tolerance would not converge.
    """
    strain = 0.02 * np.sin(np.linspace(0.0, 12.0, 150))
    unit = 1e-9
    one = drive(BoucWen(0.1, 1e6, 3.0, 5e5, 5e5), strain).force
    other = drive(BoucWen(0.1, 1e6 * unit, 3.0, 5e5 * unit**3, 5e5 * unit**3), strain / unit).force
    assert one == pytest.approx(other, abs=1e-11 * np.abs(one).max())
