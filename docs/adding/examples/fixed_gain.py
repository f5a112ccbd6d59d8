"""A filter with a prescribed gain: the Luenberger observer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.model import StateSpace, call_model
from femu.kernels import kernel
from femu.support.errors import InputError


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    x, work = estimate.mean, estimate.own
    estimate.steps += 1.0
    status = call_model(filter.process, (1, x, u, work, filter.data))
    for i in range(filter.n):
        x[i] = work[i]
    if project(filter.n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return status


@kernel(STEP)
def update(filter, p, s, u, y):
    n, m = filter.n, filter.m
    estimate, settings = estimate_at(s, n, m), settings_at(p, n, m, filter.nrules)
    x, nu, work, gain = estimate.mean, estimate.innovation, estimate.own, settings.options
    status = call_model(filter.measurement, (1, x, u, work, filter.data))
    for a in range(m):
        nu[a] = y[a] - work[a]
        if math.isnan(y[a]):
            continue  # a missing channel changes nothing
        for i in range(n):
            x[i] += gain[i * m + a] * nu[a]
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return status


class FixedGainFilter(Filter):
    """x <- f(x, u);  x <- x + G (y - h(x, u)). The covariance keeps its initial value."""

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, gain: Any, *, bounds: Bounds | None = None) -> None:
        self.gain = np.asarray(gain, dtype=float)
        if self.gain.shape != (model.states, model.outputs):
            raise InputError(
                "FixedGainFilter", "gain", gain, f"must be {model.states} by {model.outputs}"
            )
        super().__init__(model, 0.0, 0.0, bounds)

    def _numbers(self) -> Sequence[float]:
        return [float(g) for g in self.gain.ravel()]

    def _own_size(self) -> int:
        return 0

    def _scratch_size(self) -> int:
        return max(self.model.states, self.model.outputs)

    def _options(self) -> dict[str, int]:
        return {}
