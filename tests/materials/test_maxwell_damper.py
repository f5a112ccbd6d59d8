"""Dashpot and Maxwell damper against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import Block
from scipy.integrate import solve_ivp

from femu.materials import MaxwellDamper, Viscous

K, C, DT = 50.0, 3.0, 0.02


def test_linear_damper_relaxes_by_an_exponential() -> None:
    """Strain at a constant rate v.

    F = C v (1 - exp(-K t / C)); then held: f falls by exp(-K t / C).
    """
    rate = np.where(np.arange(101) <= 50, 2.0, 0.0)
    rate[0] = 0.0
    time = DT * np.arange(101)
    strain = 2.0 * np.minimum(time, 50 * DT)
    law = Block(MaxwellDamper(K, C, 1.0, relative_tolerance=1e-12))
    # the rate is linear inside a step, from 2 de/dt - rate at its begin: constant here
    stress, _ = law.run(strain, rate, DT)
    rise = C * 2.0 * (1.0 - np.exp(-K / C * time[:51]))
    fall = rise[-1] * np.exp(-K / C * (time[51:] - time[50]))
    assert stress == pytest.approx(np.concatenate([rise, fall]), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 1.0, 1.7])
def test_power_damper_follows_its_differential_equation(alpha: float) -> None:
    """Against scipy's Radau at a tight tolerance, with a rate that is linear inside each step."""
    time = DT * np.arange(60)
    rate = 3.0 * np.sin(2.0 * time) * np.cos(9.0 * time)
    strain = np.concatenate([[0.0], np.cumsum(0.5 * DT * (rate[1:] + rate[:-1]))])
    stress, _ = Block(MaxwellDamper(K, C, alpha, relative_tolerance=1e-11)).run(strain, rate, DT)

    expected, force = [0.0], 0.0
    for j in range(59):

        def slope(
            t: float, f: np.ndarray, a: float = rate[j], b: float = rate[j + 1]
        ) -> np.ndarray:
            return K * (a + (b - a) * t / DT - np.sign(f) * (np.abs(f) / C) ** (1.0 / alpha))

        force = solve_ivp(slope, (0.0, DT), [force], method="Radau", rtol=1e-10, atol=1e-11).y[
            0, -1
        ]
        expected.append(force)
    assert stress == pytest.approx(np.array(expected), abs=1e-7 * np.abs(expected).max())


def test_fourth_order() -> None:
    """One substep a step (the tolerance is never reached).

    Halving the step divides the error by 16.
    """
    law = Block(MaxwellDamper(5.0, 3.0, 0.7, relative_tolerance=0.1))

    def final(steps: int) -> float:
        # a strain whose rate is linear: the motion is the same for all steps, only the integration
        # differs
        # under a force, away from the kink of the power at zero
        history, dt = np.array([[0.0], [2.0]]), 1.0 / steps
        for time in dt * np.arange(1, steps + 1):
            history = law(history, time + 0.5 * time**2, 1.0 + time, dt).history
        return float(history[1, 0])

    exact = final(1024)
    errors = [abs(final(steps) - exact) for steps in (4, 8, 16)]
    assert 3.7 < np.log2(errors[0] / errors[1]) < 4.5
    assert 3.7 < np.log2(errors[1] / errors[2]) < 4.5


def test_stiff_spring_leaves_the_dashpot() -> None:
    stiff, plain = Block(MaxwellDamper(1e9, C, 0.5)), Block(Viscous(C, 0.5))
    rate = 2.0 * np.cos(np.linspace(0.3, 5.0, 40))
    strain = np.cumsum(rate) * DT
    assert stiff.run(strain, rate, DT)[0] == pytest.approx(plain.run(strain, rate, DT)[0], abs=1e-5)


def test_a_static_step_leaves_the_force() -> None:
    law = Block(MaxwellDamper(K, C, 0.5))
    history = law(law.virgin(), 0.1, 5.0, DT).history
    held = law(history, 0.3, 0.0, 0.0)
    assert held.stress[0] == history[1, 0] != 0.0
    assert held.tangent[0] == held.damping[0] == 0.0


def test_dashpot() -> None:
    law = Block(Viscous(C, 0.5))
    response = law(law.virgin(3), np.zeros(3), np.array([4.0, -4.0, 0.0]), DT)
    assert response.stress == pytest.approx([6.0, -6.0, 0.0])
    assert response.damping == pytest.approx([0.75, 0.75, 0.5 * C * (1e-11) ** -0.5])
