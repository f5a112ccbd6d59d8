"""A filter with a gain that is given and not computed: the observer of Luenberger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from femu.errors import InputError
from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds
from femu.filters.estimate import STEPS, F, H, M, N, innovation_of, mean_of, numbers_of, own_of
from femu.filters.model import StateSpace, call_model
from femu.kernels import kernel


@kernel(STEP)
def predict(d, p, s, u, y):
    x, work = mean_of(d, s), own_of(d, s)
    s[STEPS] += 1.0
    status = call_model(d[F], (1, x, u, work))
    for i in range(d[N]):
        x[i] = work[i]
    return status


@kernel(STEP)
def update(d, p, s, u, y):
    x, nu, work, gain = mean_of(d, s), innovation_of(d, s), own_of(d, s), numbers_of(d, p)
    status = call_model(d[H], (1, x, u, work))
    for a in range(d[M]):
        nu[a] = y[a] - work[a]
        if math.isnan(y[a]):
            continue  # a channel that is missing says nothing
        for i in range(d[N]):
            x[i] += gain[i * d[M] + a] * nu[a]
    return status


class FixedGainFilter(Filter):
    """x <- f(x, u);  x <- x + G (y - h(x, u)). The covariance stays that of the start."""

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, gain: Any, *, bounds: Bounds | None = None) -> None:
        self.gain = np.asarray(gain, dtype=float)
        if self.gain.shape != (model.states, model.outputs):
            raise InputError("FixedGainFilter", "gain", gain, f"must be {model.states} by {model.outputs}")
        super().__init__(model, 0.0, 0.0, bounds)

    def _numbers(self) -> Sequence[float]:
        return [float(g) for g in self.gain.ravel()]

    def _own_size(self) -> int:
        return 0

    def _scratch_size(self) -> int:
        return max(self.model.states, self.model.outputs)

    def _options(self) -> dict[int, int]:
        return {}
