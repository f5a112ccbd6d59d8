"""Paths of deformation that the cases follow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def cyclic(scale: float, points: int = 24) -> Array:
    """Cycles of growing amplitude up to ``scale``, with reversals inside the branches."""
    turns = [
        0.0,
        0.15,
        -0.2,
        0.4,
        -0.4,
        0.3,
        0.35,
        -0.6,
        0.7,
        0.1,
        0.75,
        -1.0,
        -0.8,
        -0.95,
        0.2,
        -0.3,
        1.0,
        0.0,
    ]
    legs = [np.linspace(a, b, points + 1)[1:] for a, b in pairwise(turns)]
    return scale * np.concatenate([np.zeros(1), *legs])


def random(scale: float, seed: int, steps: int = 400) -> Array:
    """A walk whose steps are from a ten-thousandth of ``scale`` to all of it, turned back near
    ``scale``."""
    rng = np.random.default_rng(seed)
    path = np.zeros(steps)
    for j in range(1, steps):
        step = scale * 10.0 ** rng.uniform(-4.0, 0.0) * rng.choice((-1.0, 1.0))
        path[j] = path[j - 1] + (
            step if abs(path[j - 1] + step) <= 1.2 * scale else -np.sign(path[j - 1]) * abs(step)
        )
    return path
