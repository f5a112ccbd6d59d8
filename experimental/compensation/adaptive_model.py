"""Adaptive model-based compensation (Galmez and Fermandois 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.adaptive_series import (
    series_command,
    series_gradient,
    series_vectors,
)
from femu.experimental.compensation.compiled import CompiledCompensation, positive
from femu.experimental.compensation.derivatives import backward_differences, derivative_filter
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
ORDER = 3
GAINS = (10.0**8.4, 10.0**6.2, 10.0**2.1, 10.0**0.8)
FREE = 1e300


class AdaptiveModelCompensation(CompiledCompensation):
    """Commands by an inverse of third order whose four coefficients go down a gradient (AMB).

    ::

        command = a0 x + a1 dx/dt + a2 d2x/dt2 + a3 d3x/dt3
        da_k/dt = gain_k e (d^k y/dt^k),   e = c - sum over k of a_k d^k y/dt^k

    c are the commands and y the measured displacements, both through one low-pass filter (Butterworth
    of fourth order, ``cutoff`` in cycles a time). ``coefficients`` are the first a0 to a3. The
    ``gains`` have units: those of the paper are for metres and for the amplitudes of its tests, and
    grow with the inverse square of the amplitude.
    """

    command_kernel = series_command
    measured_kernel = series_gradient

    def __init__(
        self, coefficients: npt.ArrayLike, *, gains: npt.ArrayLike = GAINS, cutoff: float = 20.0
    ) -> None:
        who = "AdaptiveModelCompensation"
        for name, given in (("coefficients", coefficients), ("gains", gains)):
            values = as_numbers(who, name, given)
            if values.shape != (ORDER + 1,) or not np.isfinite(values).all():
                raise InputError(who, name, given, "must be four finite numbers")
            if name == "gains" and not (values >= 0.0).all():
                raise InputError(who, name, given, "must not be negative")
            setattr(self, name, values.tolist())
        self.cutoff = positive(who, "cutoff", cutoff)

    coefficients: list[float]
    gains: list[float]

    def settings(self) -> dict[str, Any]:
        return {"coefficients": self.coefficients, "gains": self.gains, "cutoff": self.cutoff}

    def vectors(self) -> tuple[Array, Array]:
        m, dt, n = self.size, self.dt, ORDER + 1
        moves, entry, w = derivative_filter(n, self.cutoff, dt)
        features = np.diag(w ** np.arange(float(n)))

        def each(values: Any) -> Array:
            return np.tile(np.asarray(values, dtype=float), (m, 1))

        free = each(np.full(n, FREE))
        return series_vectors(
            m,
            backward_differences(ORDER, dt),
            (moves, entry),
            features,
            each(self.coefficients),
            (-free, free),
            free,
            each(self.gains),
            dt=dt,
        )
