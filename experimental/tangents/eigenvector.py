"""Tangent by the eigenvectors of the initial stiffness (Mosqueda and Ahmadizadeh)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.tangents.intrinsic import SAFE_CLAMP, IntrinsicTangent

Array = npt.NDArray[np.float64]


class EigenvectorTangent(IntrinsicTangent):
    """``K = Phi P Phi^T`` with the eigenvectors Phi of the initial stiffness and a ratio of
    increments in each.

    Mosqueda and Ahmadizadeh, "Iterative implicit integration procedure for hybrid simulation of
    large nonlinear structures", Eq. 7 to 11. Taken from the last K, Phi stays what it was at the
    start, since K is made of it: only the eigenvalues follow the specimen.
    """

    def __init__(self, *, clamp: tuple[float, float] = SAFE_CLAMP, **noise: Any) -> None:
        super().__init__([[1.0]], clamp=clamp, **noise)

    def start(self, initial: Array) -> None:
        self.coordinates = np.ascontiguousarray(np.linalg.eigh(0.5 * (initial + initial.T))[1].T)
        super().start(initial)
