"""Inputs of a filter whose model has none."""

from __future__ import annotations

import numpy as np
from systems import EXACT, P0, X0, Q, R, linear_model, simulate


def test_an_array_without_columns_is_no_input():
    _, y = simulate(20, seed=1)
    estimator = EXACT["UKF"](linear_model(), Q, R)
    start = estimator.init(X0, P0)
    assert np.array_equal(
        estimator.run(start, y, np.zeros((20, 0))).mean, estimator.run(start, y).mean
    )
