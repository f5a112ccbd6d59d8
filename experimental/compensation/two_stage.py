"""Two-stage compensation: a fixed inverse, and an adaptive one of what it leaves (Wang, Ning, Wu)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.adaptive_series import (
    series_command,
    series_least_squares,
    series_vectors,
)
from femu.experimental.compensation.compiled import (
    CompiledCompensation,
    a_plant,
    fits,
    positive,
    whole,
)
from femu.experimental.compensation.derivatives import backward_differences, derivative_filter
from femu.experimental.compensation.inverse_series import inverse_series
from femu.experimental.specimens.plant import Plant
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
GAIN_RANGE, GAIN_SPREAD = (0.7, 1.3), 0.1


class TwoStageCompensation(CompiledCompensation):
    """Commands by a fixed inverse of the ``plant``, and an adaptive remainder.

    ::

        v = a0 x + a1 dx/dt + ... (fixed, of an order from 1 to 4),    command = b0 v + b1 dv/dt

    b0 and b1, first 1 and 0, correct the gain and the delay that the fixed inverse leaves. They fit
    the commands to what the fixed inverse would have commanded for the measured motion, by recursive
    least squares that forget with the time constant ``window``, while the measured displacement
    exceeds ``threshold``. b0 stays within 0.7 and 1.3, b1 within ``remainder`` to either side (the
    delay of the plant, if left out).
    """

    command_kernel = series_command
    measured_kernel = series_least_squares

    def __init__(
        self,
        plant: Plant,
        *,
        threshold: float,
        order: int = 3,
        window: float = 2.0,
        cutoff: float = 25.0,
        remainder: float | None = None,
    ) -> None:
        who = "TwoStageCompensation"
        self.plant, self.order = a_plant(who, plant), whole(who, "order", order, 1, 4)
        self.threshold = positive(who, "threshold", threshold)
        self.window, self.cutoff = positive(who, "window", window), positive(who, "cutoff", cutoff)
        if remainder is None:
            remainder = float(np.abs(inverse_series(plant, 1)[1]).max())
        self.remainder = positive(who, "remainder", remainder)

    def settings(self) -> dict[str, Any]:
        names = ("plant", "threshold", "order", "window", "cutoff", "remainder")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        who, m, dt, order = "TwoStageCompensation", self.size, self.dt, self.order
        fits(who, self.plant, m)
        series = inverse_series(self.plant, order, dt)
        own = series[:, np.arange(m), np.arange(m)].T
        if m > 1 and not np.allclose(own, own[0], rtol=1e-12):
            rule = "must have equal channels: one fixed stage serves all"
            raise InputError(
                who, "plant", self.plant, rule, "EstimatedPlantCompensation has each its own"
            )
        q = order + 2
        moves, entry, w = derivative_filter(q, self.cutoff, dt)
        first = np.zeros((2, q))  # v and dv/dt, in derivatives of the target
        first[0, : order + 1], first[1, 1 : order + 2] = own[0], own[0]
        weights = first @ backward_differences(order + 1, dt)
        features = first * w ** np.arange(float(q))

        def each(*values: float) -> Array:
            return np.tile(np.array(values), (m, 1))

        delay = self.remainder
        return series_vectors(
            m,
            weights,
            (moves, entry),
            features,
            each(1.0, 0.0),
            (each(GAIN_RANGE[0], -delay), each(GAIN_RANGE[1], delay)),
            each(dt / self.window, delay * dt / self.window),
            each(GAIN_SPREAD**2, (0.2 * delay) ** 2),
            forgetting=float(np.exp(-dt / self.window)),
            threshold=self.threshold,
        )
