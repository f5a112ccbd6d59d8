"""Unscented Rauch-Tung-Striebel smoother (Särkkä 2008).

The estimate of every step from the whole record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from femu.filters.covariance import inverse, lower_factor
from femu.filters.estimate import History
from femu.filters.sigma import check_kappa
from femu.support.arguments import as_numbers, typed
from femu.support.errors import AnalysisError, InputError


@dataclass(frozen=True)
class Smoothed:
    """Mean (steps, n) and covariance (steps, n, n) of each step, given all measurements."""

    mean: np.ndarray
    covariance: np.ndarray


@typed
def smooth(history: History, inputs: Any = None, kappa: float = 0.5) -> Smoothed:
    """Run backwards over a filter's history. ``inputs`` are the rows that the filter was given.

    From the last step down, with sigma points X of (x_k, P_k) and their images under the process:

        x⁻ = Σ W f(X_i),  P⁻ = Σ W (f(X_i) - x⁻)(·)' + Q,  C = Σ W (X_i - x_k)(f(X_i) - x⁻)'
        G = C (P⁻)⁻¹,   x_k <- x_k + G (x_{k+1} - x⁻),   P_k <- P_k + G (P_{k+1} - P⁻) G'

    A check for filters, run after the test; it is not compiled beyond the model's own functions.
    Bounds of the filter are applied to the smoothed means.
    """
    owner = history.final.filter
    model, Q, bounds = owner.model, owner.process_noise, owner.bounds
    n = model.states
    if not (np.isfinite(history.mean).all() and np.isfinite(history.covariance).all()):
        raise InputError("smooth", "history", history.outcome, "must be finite")
    kappa = check_kappa("smooth", n, kappa)
    steps = len(history.mean)
    u = np.zeros((steps, 0)) if inputs is None else as_numbers("smooth", "inputs", inputs)
    if u.shape[:1] != (steps,) or not np.isfinite(u).all():
        raise InputError("smooth", "inputs", inputs, f"must be {steps} rows of finite numbers")
    u = u.reshape(steps, -1)
    mean, covariance = history.mean.copy(), history.covariance.copy()
    spread = n + kappa
    W = np.full(2 * n + 1, 0.5 / spread)
    W[0] = kappa / spread
    for k in range(steps - 2, -1, -1):
        x, P = mean[k], covariance[k]
        root = np.sqrt(spread) * lower_factor(P).T
        points = bounds.project(np.vstack([x, x + root, x - root]))
        images = model.evaluate("process", points, u[k + 1])
        if not np.isfinite(images).all():
            raise AnalysisError("smooth: the process has no finite answer around the estimate of "
                                f"step {k}.")
        ahead = W @ images
        away, moved = points - x, images - ahead
        ahead_covariance = (W * moved.T) @ moved + Q
        gain = ((W * away.T) @ moved) @ inverse(ahead_covariance)
        mean[k] = bounds.project(x + gain @ (mean[k + 1] - ahead))
        # P - gain ahead_covariance gain' as a sum of squares, which stays positive
        left = away - moved @ gain.T
        covariance[k] = (W * left.T) @ left + gain @ (Q + covariance[k + 1]) @ gain.T
    return Smoothed(mean, 0.5 * (covariance + covariance.transpose(0, 2, 1)))
