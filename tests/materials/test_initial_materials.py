"""Self-centring, impact and initial strain: loops and beginnings by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from femu.materials import Bilinear, Elastic, Impact, InitialStrain, SelfCentering
from femu.model.strain_path import drive

K, F = 2e11, 2e8


def test_energy_of_a_flag() -> None:
    """A loop to strain e dissipates beta f (e - f / k): the flag is a parallelogram."""
    beta, most = 0.6, 0.005
    path = np.concatenate([np.linspace(0.0, most, 2001), np.linspace(most, 0.0, 2001)])
    force = drive(SelfCentering(K, 0.05 * K, F, beta), path.tolist()).force.ravel()
    work = float(trapezoid(force, path))
    assert work == pytest.approx(beta * F * (most - F / K) * (1.0 - 0.05), rel=2e-3)
    assert force[-1] == 0.0


def test_the_flag_is_odd() -> None:
    path = [0.0005, 0.003, 0.0012, -0.002, -0.0004, 0.001]
    law = SelfCentering(K, 0.05 * K, F, 0.6)
    assert drive(law, [-e for e in path]).force.tolist() == [-f for f in drive(law, path).force]


def test_impact_between_its_lines() -> None:
    """Into contact by K1 to the first line, along K2, and out along the last line."""
    law = Impact(1e9, 1e8, -0.001, -0.0005)
    force = drive(law, [-0.0005, -0.001, -0.0025, -0.0022, -0.0007, -0.0004]).force.ravel()
    first = 1e9 * -0.001 + 1e8 * (-0.0025 + 0.0005 + 0.001)
    expected = [0.0, -5e5, first, first + 1e9 * 0.0003, 1e8 * -0.0002, 0.0]
    assert force == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_initial_strain_moves_the_origin() -> None:
    steel = Bilinear(K, F, 0.02)
    path = [0.0, 0.001, -0.004, 0.002]
    moved = drive(InitialStrain(steel, 0.003), path).force
    plain = drive(steel, [0.003, *[e + 0.003 for e in path]]).force
    assert moved.tolist() == plain[1:].tolist()
    assert drive(InitialStrain(Elastic(K), -0.001), [0.0]).force[0] == K * -0.001
