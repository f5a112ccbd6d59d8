"""Tangent by a symmetric rank-two update."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.tangents.tangent import TangentEstimator

Array = npt.NDArray[np.float64]


class BFGSTangent(TangentEstimator):
    """Symmetric update that explains the last increment, from the initial or from the last
    stiffness.

    ::

        dK = (1 + d^T K d / (f.d)) f f^T / (f.d) - (f d^T K + K d f^T) / (f.d)

    It is computed for both, and the smaller change (Frobenius norm) is taken. Increments that
    soften too much, with ``f.d <= eps |d| |f|``, are left out. OpenFresco: ``BFGS``.
    """

    def __init__(self, eps: float = 0.1, **noise: Any) -> None:
        super().__init__(**noise)
        self.eps = eps

    def learn(self, d: Array, f: Array) -> bool:
        work = f @ d
        if self.eps * np.linalg.norm(d) * np.linalg.norm(f) >= work:
            return False
        changes = []
        for base in (self.initial, self.stiffness):
            kd = base @ d
            change = (1.0 + d @ kd / work) * np.outer(f, f) / work - (
                np.outer(f, kd) + np.outer(kd, f)
            ) / work
            changes.append((np.linalg.norm(change), base + change))
        self.stiffness = min(changes, key=lambda c: c[0])[1]
        return True
