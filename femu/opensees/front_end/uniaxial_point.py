"""One point of a uniaxial material, without a model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.results.fibre_response import evaluate_block


class Point:
    """One point of a material, with its history."""

    def __init__(self, material: Any) -> None:
        self.material = material
        self.p = np.array([value for _, _, value in material.walk_parameters()] or [0.0])
        self.integers = np.array(material.integers() or [0], dtype=np.int64)
        self.history = np.zeros(max(len(material.history_names()), 1))
        self.workspace = np.zeros(material.workspace(1) + 8)
        self._address, self._breaks = material.kernel().address, material.breaks_after_step
        self._x, self._y, self._k = np.zeros(1), np.zeros(1), np.zeros(1)
        self.strain = 0.0
        self.stress, self.tangent, _ = self.look(0.0)

    def look(self, strain: float) -> tuple[float, float, npt.NDArray[np.float64]]:
        """Stress, tangent and the history that a step to a strain would leave."""
        trial = np.zeros(len(self.history))
        self._x[0] = strain
        if evaluate_block(
            self._address,
            self.integers,
            self.p,
            self.history,
            trial,
            self.workspace,
            self._x,
            self._y,
            self._k,
        ):
            raise ArithmeticError
        if not (
            math.isfinite(self._y[0]) and math.isfinite(self._k[0]) and np.isfinite(trial).all()
        ):
            raise ArithmeticError
        return self._y.item(), self._k.item(), trial

    def set(self, strain: float) -> None:
        """Go to a strain, and stay there; OpenSees answers with the state after the step."""
        self.stress, self.tangent, self.history = self.look(strain)
        if self._breaks:
            self.stress, self.tangent, _ = self.look(strain)
        self.strain = strain
