"""The symmetric rank-one update of the tangent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental import TangentEstimator

Array = npt.NDArray[np.float64]
SKIPPED = 1e-8
"""An increment is left out if the cosine between it and its residual is below this number."""


class SR1Tangent(TangentEstimator):
    """``K+ = K + r r^T / (r^T d)`` with the residual ``r = f - K d`` of the last increment.

    Symmetric, also if the specimen softens. n independent increments of a linear specimen give its
    stiffness exactly (Nocedal and Wright, "Numerical optimization", 2006, section 6.2).
    """

    def learn(self, d: Array, f: Array) -> bool:
        r = f - self.stiffness @ d
        work = float(r @ d)
        if abs(work) <= SKIPPED * float(np.linalg.norm(r) * np.linalg.norm(d)):
            return False
        self.stiffness = self.stiffness + np.outer(r, r) / work
        return True
