"""Bouc-Wen hysteresis in closed form."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from femu.materials import BoucWen, ExactBoucWen
from femu.model.strain_path import drive

K, LIMIT, ALPHA = 3.0, 0.4, 0.1


def test_one_step_gives_the_hyperbolic_tangent() -> None:
    for strain in (0.01, 0.4, -2.0, 50.0):
        force = drive(ExactBoucWen(K, LIMIT, ALPHA), [strain]).force[0, 0]
        assert force == pytest.approx(
            ALPHA * K * strain + (1 - ALPHA) * K * LIMIT * np.tanh(strain / LIMIT), rel=1e-14
        )


@given(st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=12), st.integers(2, 20))
def test_steps_that_move_one_way_may_be_of_any_size(turns: list[float], parts: int) -> None:
    """Each way to a turn in one step or in many: the same force, and z within its bound."""
    law = ExactBoucWen(K, LIMIT, ALPHA)
    fine = np.concatenate(
        [np.linspace(a, b, parts + 1)[1:] for a, b in zip([0.0, *turns[:-1]], turns, strict=True)]
    )
    coarse = drive(law, turns).force[:, 0]
    assert drive(law, fine).force[parts - 1 :: parts, 0] == pytest.approx(coarse, abs=1e-12 * K)
    assert (
        np.abs(coarse - ALPHA * K * np.array(turns)) <= (1 - ALPHA) * K * LIMIT * (1.0 + 1e-12)
    ).all()


def test_backward_euler_of_the_same_law_tends_to_it() -> None:
    turns = np.array([0.0, 1.2, -0.9, 0.3, -0.1, 2.0])
    exact = drive(ExactBoucWen(K, LIMIT, ALPHA), turns[1:]).force[:, 0]
    shape = 0.5 / LIMIT**2
    errors = []
    for parts in (200, 400):
        fine = np.concatenate([np.linspace(a, b, parts + 1)[1:] for a, b in pairwise(turns)])
        force = drive(BoucWen(alpha=ALPHA, k=K, n=2.0, gamma=shape, beta=shape), fine).force[
            parts - 1 :: parts, 0
        ]
        errors.append(np.abs(force - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
    assert errors[1] < 2e-3 * K * LIMIT


def test_unloading_far_beyond_yield_is_elastic() -> None:
    """z has rounded to its bound.

    What is taken off it comes off at the full stiffness all the same.
    """
    path = drive(ExactBoucWen(K, LIMIT), [1e6, 1e6 - 0.1, 1e6 - 0.3])
    assert np.diff(path.force[:, 0]) == pytest.approx([-0.1 * K, -0.2 * K], rel=1e-9)
    assert path.tangent[1:, 0] == pytest.approx([K, K])
