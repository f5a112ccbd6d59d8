"""Tangent by least squares over the last increments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.tangents.tangent import TangentEstimator
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
# ratio of the eigenvalues of D D^T below which the increments do not span all directions
SINGULAR = 1e-10


class TransposeTangent(TangentEstimator):
    """``K = F D^T (D D^T)^-1`` with the last ``columns`` increments as the columns of D and F.
    OpenFresco: ``Transpose``.

    Until there are as many increments as directions, and while they do not span them all, the
    initial stiffness is kept.
    """

    def __init__(self, columns: int = 10, **noise: Any) -> None:
        super().__init__(**noise)
        if not isinstance(columns, int) or columns < 1:
            raise InputError(
                "TransposeTangent", "columns", columns, "must be a whole number from 1 on"
            )
        self.columns = columns

    def start(self, initial: Array) -> None:
        super().start(initial)
        self._known = 0
        self._d, self._f = np.zeros((2, self.size, self.columns))

    def learn(self, d: Array, f: Array) -> bool:
        for kept, new in ((self._d, d), (self._f, f)):
            kept[:, :-1] = kept[:, 1:].copy()
            kept[:, -1] = new
        self._known = min(self._known + 1, self.columns)
        if self._known < self.size:
            return True
        D, F = self._d[:, -self._known :], self._f[:, -self._known :]
        square = D @ D.T
        spread = np.linalg.eigvalsh(square)
        self.stiffness = (
            F @ D.T @ np.linalg.inv(square)
            if spread[0] > SINGULAR * spread[-1]
            else self.initial.copy()
        )
        return True

    def memory(self) -> Array:
        return np.concatenate([[float(self._known)], self._d.ravel(), self._f.ravel()])

    def recall(self, memory: Array) -> None:
        self._known = int(memory[0])
        both = memory[1:].reshape(2, self.size, self.columns)
        self._d, self._f = both[0].copy(), both[1].copy()
