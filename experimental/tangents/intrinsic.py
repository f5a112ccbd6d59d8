"""Tangent in intrinsic coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.tangents.tangent import NOISE_FACTOR, TangentEstimator
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
SAFE_CLAMP = (0.5, 1.0)
"""Shares of the initial stiffness between which steps stay stable: a stiffness far below the true
one, or above it, is not safe. Mosqueda and Ahmadizadeh set no bounds; (0.02, 1.5) hardly binds."""


class IntrinsicTangent(TangentEstimator):
    """Stiffness by a ratio in each of some coordinates in which the specimen is made of separate
    springs.

    With the coordinates ``q = T_p d`` (rotations of plastic hinges, for instance) and the forces s
    conjugate to them, ``r = T_p^T s``::

        P_j = ds_j / dq_j where |dq_j| > 10 max(noise of q_j, noise of s_j / P0_j),     K = K_0 + T_p^T (P - P_0) T_p

    P stays within ``clamp`` times its initial value. The increments are counted from the last
    converged state where a test gives it to `update`, otherwise from the last measurement. Implicit
    integrators estimate in the same way inside their iterations; see
    `femu.experimental.elements.measured_law`.
    """

    def __init__(
        self, coordinates: npt.ArrayLike, *, clamp: tuple[float, float] = SAFE_CLAMP, **noise: Any
    ) -> None:
        super().__init__(**noise)
        self.coordinates = np.atleast_2d(np.asarray(coordinates, dtype=float))
        if (
            self.coordinates.ndim != 2
            or self.coordinates.shape[0] != self.coordinates.shape[1]
            or (not np.isfinite(self.coordinates).all())
        ):
            raise InputError(
                type(self).__name__,
                "coordinates",
                coordinates,
                "must be a square matrix of finite numbers",
            )
        if len(clamp) != 2 or not 0.0 <= clamp[0] < clamp[1]:
            raise InputError(
                type(self).__name__,
                "clamp",
                clamp,
                "must be two rising shares of the initial stiffness",
            )
        self.clamp = clamp

    def start(self, initial: Array) -> None:
        super().start(initial)
        self._prepare()

    def _prepare(self) -> None:
        if self.coordinates.shape != self.initial.shape:
            raise InputError(
                type(self).__name__,
                "coordinates",
                self.coordinates,
                f"must be {self.size} by {self.size}",
            )
        self._conjugate = np.linalg.inv(self.coordinates).T  # s = T^-T r
        self.springs0 = np.diag(self._conjugate @ self.initial @ self._conjugate.T).copy()
        self.springs = self.springs0.copy()
        # independent noise of the channels, seen in each coordinate
        noise_q = self.displacement_noise * np.linalg.norm(self.coordinates, axis=1)
        noise_s = self.force_noise * np.linalg.norm(self._conjugate, axis=1)
        self._least = NOISE_FACTOR * np.maximum(noise_q, noise_s / np.abs(self.springs0))

    def springs_of(self) -> tuple[Array, Array, Array, Array, float, float] | None:
        low, high = self.clamp
        return (
            self.coordinates,
            np.ascontiguousarray(self._conjugate),
            self.springs0,
            self._least,
            float(low),
            float(high),
        )

    def update(
        self, displacement: Array, force: Array, since: tuple[Array, Array] | None = None
    ) -> Array:
        start_d, start_f = (self._displacement, self._force) if since is None else since
        dq, ds = self.coordinates @ (displacement - start_d), self._conjugate @ (force - start_f)
        clear = np.abs(dq) > self._least
        if np.any(clear):
            low, high = self.clamp
            self.springs[clear] = np.clip(
                ds[clear] / dq[clear], low * self.springs0[clear], high * self.springs0[clear]
            )
            self.stiffness = (
                self.initial
                + self.coordinates.T @ np.diag(self.springs - self.springs0) @ self.coordinates
            )
            self.updates += 1
        self._displacement, self._force = displacement.copy(), force.copy()
        return self.stiffness

    def memory(self) -> Array:
        return self.springs.copy()

    def recall(self, memory: Array) -> None:
        self.springs = memory.copy()
