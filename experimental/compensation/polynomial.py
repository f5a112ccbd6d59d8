"""Compensation of a known delay by a polynomial through the last targets (Horiuchi)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import CompiledCompensation
from femu.experimental.compensation.inverse import inverse_command
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


class PolynomialCompensation(CompiledCompensation):
    """Extrapolates the targets by the ``delay``, with a polynomial through the last ``order`` + 1
    of them (Horiuchi)."""

    command_kernel = inverse_command

    def __init__(self, delay: float, order: int = 3) -> None:
        if not (isinstance(delay, (int, float)) and math.isfinite(delay) and delay >= 0.0):
            raise InputError("PolynomialCompensation", "delay", delay, "must not be negative")
        if not isinstance(order, int) or not 0 <= order <= 6:
            raise InputError(
                "PolynomialCompensation", "order", order, "must be a whole number from 0 to 6"
            )
        self.delay, self.order = float(delay), order

    def settings(self) -> dict[str, Any]:
        return {"delay": self.delay, "order": self.order}

    def vectors(self) -> tuple[Array, Array]:
        x = self.delay / self.dt
        places = -np.arange(self.order + 1.0)
        # Lagrange's weights at x for points at 0, -1, -2, ...
        weights = [np.prod([(x - b) / (a - b) for b in places if b != a]) for a in places]
        per_row = np.einsum("l,ij->ilj", weights, np.eye(self.size))
        p = np.concatenate([[self.size, len(places)], per_row.ravel()])
        return p, np.zeros(len(places) * self.size)
