"""Inverse of a plant as a series of derivatives of the target.

    command = a0 x + a1 dx/dt + a2 d2x/dt2 + ...

The a_k are matrices, with one number for each pair of channels. They are the Taylor coefficients of
the inverse of the plant about s = 0. A command is held over the step that ends where its target is
due, so it acts half a step early, which the coefficients take back.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.plant import Plant
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
MOST_ORDER = 6


def inverse_series(plant: Plant, order: int, dt: float = 0.0) -> Array:
    """Coefficients a0 to a_order of the inverse, for steps of ``dt``: (order + 1, m, m)."""
    a, b, c, d = (np.asarray(part) for part in (plant.a, plant.b, plant.c, plant.d))
    m = plant.size
    # moments of the plant: C (s - A)^-1 B + D = sum over k of -C A^-(k+1) B s^k, and D
    solved, moments = b, []
    for k in range(order + 1):
        solved = np.linalg.solve(a, solved)
        moments.append(-c @ solved + (d if k == 0 else 0.0))
    if abs(np.linalg.det(moments[0])) < 1e-9 * max(np.abs(moments[0]).max(), 1e-300) ** m:
        rule = "must follow a command at rest: its gain at frequency 0 has no inverse"
        raise InputError("Plant", "gain", moments[0], rule)
    first = np.linalg.inv(moments[0])
    made = [first]
    for k in range(1, order + 1):
        made.append(
            -first @ sum((moments[j] @ made[k - j] for j in range(1, k + 1)), np.zeros((m, m)))
        )
    early = [(-0.5 * dt) ** k / math.factorial(k) for k in range(order + 1)]
    return np.array([sum(made[k - j] * early[j] for j in range(k + 1)) for k in range(order + 1)])


def given_coefficients(who: str, given: Any, size: int) -> Array:
    """Coefficients a user gave, for ``size`` channels: one list for all, or a list for each."""
    made = as_numbers(who, "coefficients", given)
    if made.ndim not in (1, 2) or not made.size or not np.isfinite(made).all():
        raise InputError(who, "coefficients", given, "must be finite numbers a0, a1, ...")
    if made.ndim == 2 and made.shape[0] != size:
        rule = f"must be one list, or {size} lists: one for each channel"
        raise InputError(who, "coefficients", given, rule)
    per_channel = np.broadcast_to(made, (size, made.shape[-1]))
    matrices = np.zeros((made.shape[-1], size, size))
    for channel in range(size):
        matrices[:, channel, channel] = per_channel[channel]
    return matrices
