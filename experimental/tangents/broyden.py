"""Tangent by Broyden's rank-one update."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental.tangents.tangent import TangentEstimator

Array = npt.NDArray[np.float64]


class BroydenTangent(TangentEstimator):
    """``K+ = K + (f - K d) d^T / (d^T d)``.

    The least change that explains the last increment. Not symmetric.
    """

    def learn(self, d: Array, f: Array) -> bool:
        size = d @ d
        if size == 0.0:
            return False
        self.stiffness = self.stiffness + np.outer(f - self.stiffness @ d, d) / size
        return True
