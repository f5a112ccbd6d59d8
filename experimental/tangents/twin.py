"""Tangent of a numerical twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.basic_system import BasicSystem
from femu.experimental.tangents.tangent import TangentEstimator
from femu.model.parameters import Parameters

Array = npt.NDArray[np.float64]


class TwinTangent(TangentEstimator):
    """The consistent tangent of a numerical twin that follows the measured displacements.

    ``twin`` is a `BasicSystem` in the coordinates of the element. An updater writes its
    ``parameters`` while the test runs; no increment is divided by another, so noise hardly enters.
    Increments within the noise (3 standard deviations) do not move the twin: an elastic-plastic law
    would take each of them for a reversal.
    """

    STILL = 3.0

    def __init__(self, twin: BasicSystem, **noise: Any) -> None:
        super().__init__(**noise)
        self.twin = twin

    @property
    def parameters(self) -> Parameters:
        """Parameters of the twin."""
        return self.twin.parameters

    def start(self, initial: Array) -> None:
        super().start(initial)
        self._committed = self.twin.virgin()
        self._trial = self._committed.copy()

    def update(
        self, displacement: Array, force: Array, since: tuple[Array, Array] | None = None
    ) -> Array:
        if np.any(np.abs(displacement - self._displacement) > self.STILL * self.displacement_noise):
            _, self.stiffness = self.twin.evaluate(self._committed, self._trial, displacement)
            self._committed[:] = self._trial
            self._displacement, self._force = displacement.copy(), force.copy()
            self.updates += 1
        return self.stiffness

    def memory(self) -> Array:
        return np.concatenate([self._committed, self.twin.parameters.vector])

    def recall(self, memory: Array) -> None:
        n = len(self._committed)
        self._committed[:] = memory[:n]
        self._trial[:] = memory[:n]
        self.twin.parameters.vector[:] = memory[n:]
