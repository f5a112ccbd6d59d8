"""Derivatives of sampled signals: of targets by backward differences, of measurements by a filter.

A filter of order q has q - 1 derivatives of its output among its states, without differences of noisy
samples. Signals that pass through the same filter keep every linear relation between them.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

Array = npt.NDArray[np.float64]
SPARE_SAMPLES = 2  # beyond those that a derivative needs: two more orders of accuracy


def backward_differences(order: int, dt: float, spare: int = SPARE_SAMPLES) -> Array:
    """Weights of the last samples, newest first, for derivatives 0 to ``order``: one in each row."""
    points = order + 1 + (spare if order else 0)
    powers = np.array(
        [(-np.arange(points, dtype=float)) ** k / math.factorial(k) for k in range(points)]
    )
    weights = np.linalg.inv(powers)
    return np.array([weights[:, k] / dt**k for k in range(order + 1)])


def low_pass(order: int) -> Array:
    """Coefficients of the denominator of the low-pass filter (Butterworth, unit cut-off), the lowest
    power first and without the highest, which is 1."""
    from scipy.signal import butter  # takes half a second to import

    _, poles, _ = butter(order, 1.0, analog=True, output="zpk")
    return np.asarray(np.real(np.poly(poles))[1:][::-1])


def derivative_filter(order: int, cutoff: float, dt: float) -> tuple[Array, Array, float]:
    """Low-pass filter (Butterworth) of ``order`` with a cut-off in cycles a time: transition and
    input of its states at steps of ``dt``, for an input that is held, and the unit w of time:
    derivative k of the output is w^k times state k."""
    w, low = 2.0 * math.pi * cutoff, low_pass(order)
    block = np.zeros((order + 1, order + 1))
    block[: order - 1, 1:order] = np.eye(order - 1)
    block[order - 1, :order] = -low
    block[order - 1, order] = 1.0
    moved = expm(w * dt * block)
    return moved[:order, :order], moved[:order, order], w
