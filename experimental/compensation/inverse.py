"""Compensation by a fixed inverse of the actuator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import (
    COMPENSATOR,
    CompiledCompensation,
    a_plant,
    fits,
    whole,
)
from femu.experimental.compensation.derivatives import backward_differences
from femu.experimental.compensation.inverse_series import (
    MOST_ORDER,
    given_coefficients,
    inverse_series,
)
from femu.experimental.compensation.kernel_parts import remember
from femu.experimental.specimens.plant import Plant
from femu.kernels.compiler import kernel
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
HEAD = 2  # channels, samples


@kernel(COMPENSATOR)
def inverse_command(p, s, target, out):
    """Weighted sum of the last targets."""
    m, points = int(p[0]), int(p[1])
    remember(s, target, m, points)
    for row in range(m):
        total = 0.0
        for k in range(points * m):
            total += p[HEAD + row * points * m + k] * s[k]
        out[row] = total
    return 0


class InverseCompensation(CompiledCompensation):
    """Commands by a fixed inverse of the actuator.

    ::

        command = a0 x + a1 dx/dt + a2 d2x/dt2 + ...

    Either ``coefficients`` a0, a1, ... for all channels, or a list for each; or the ``plant`` and an
    ``order`` from 1 to 4, for the Taylor coefficients of its inverse, those between the channels
    included (``coupled=False`` leaves them out). Derivatives of the targets are backward differences
    over two samples more than they need.
    """

    command_kernel = inverse_command

    def __init__(
        self,
        coefficients: npt.ArrayLike | None = None,
        *,
        plant: Plant | None = None,
        order: int = 3,
        coupled: bool = True,
    ) -> None:
        who = "InverseCompensation"
        if (coefficients is None) == (plant is None):
            rule = "must be given, or a plant, but not both"
            raise InputError(who, "coefficients", coefficients, rule)
        self.plant = None if plant is None else a_plant(who, plant)
        self.order, self.coupled = whole(who, "order", order, 1, 4), bool(coupled)
        self.coefficients: Any = None
        if coefficients is not None:
            shape = np.shape(coefficients)
            given = given_coefficients(who, coefficients, shape[0] if len(shape) == 2 else 1)
            if len(given) > MOST_ORDER + 1:
                rule = f"must be at most {MOST_ORDER + 1} numbers for a channel"
                raise InputError(who, "coefficients", coefficients, rule)
            self.coefficients = np.asarray(coefficients, dtype=float).tolist()

    def settings(self) -> dict[str, Any]:
        if self.plant is None:
            return {"coefficients": self.coefficients}
        return {"plant": self.plant, "order": self.order, "coupled": self.coupled}

    def matrices(self) -> Array:
        """Coefficients for the steps of the test: (order + 1, m, m)."""
        if self.plant is None:
            return given_coefficients("InverseCompensation", self.coefficients, self.size)
        fits("InverseCompensation", self.plant, self.size)
        series = inverse_series if self.coupled else uncoupled_series
        return series(self.plant, self.order, self.dt)

    def vectors(self) -> tuple[Array, Array]:
        a = self.matrices()
        weights = backward_differences(len(a) - 1, self.dt)
        m, points = self.size, weights.shape[1]
        per_row = np.einsum("kij,kl->ilj", a, weights)
        return np.concatenate([[m, points], per_row.ravel()]), np.zeros(points * m)


def uncoupled_series(plant: Plant, order: int, dt: float) -> Array:
    """The same series of each channel alone, as if the others rested."""
    made = np.zeros((order + 1, plant.size, plant.size))
    b, c, d = (np.asarray(part) for part in (plant.b, plant.c, plant.d))
    for k in range(plant.size):
        own = Plant(plant.a, b[:, [k]], c[[k]], d[[k], [k]])
        made[:, k, k] = inverse_series(own, order, dt)[:, 0, 0]
    return made
