"""Offline least squares over the whole record.

The answer that a filter's last estimate is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from femu.filters.bounds import Bounds
from femu.filters.covariance import inverse
from femu.filters.model import StateSpace, call_model
from femu.filters.transforms import FREE, outward, plan
from femu.kernels import compiled, floats_of
from femu.support.arguments import as_numbers, typed
from femu.support.errors import AnalysisError, InputError


@compiled
def _roll_out(process, measurement, data, x, inputs, outputs, trial):
    """Outputs of the model from state x on, without noise.

    Returns the status of the model's functions.
    """
    for k in range(outputs.shape[0]):
        u = floats_of(inputs, k * inputs.shape[1])
        status = call_model(process, (1, floats_of(x, 0), u, floats_of(trial, 0), data))
        for i in range(x.size):
            x[i] = trial[i]
        if status == 0:
            y = floats_of(outputs, k * outputs.shape[1])
            status = call_model(measurement, (1, floats_of(x, 0), u, y, data))
        if status != 0:
            return status
    return 0


@compiled
def _outward(rules, b, kind, scale, xi, x):
    outward(x.size, rules, floats_of(b, 0), floats_of(kind, 0), floats_of(scale, 0),
            floats_of(xi, 0), floats_of(x, 0))


@dataclass(frozen=True)
class LeastSquaresFit:
    """Initial state (parameters included) that fits the record best."""

    mean: np.ndarray
    # of the fitted entries, from the Jacobian and the residual variance; 0 for held ones
    covariance: np.ndarray
    residual_std: float
    evaluations: int


@typed
def fit_least_squares(model: StateSpace, measurements: Any, inputs: Any, start: Any, *,
                      free: Sequence[int],
                      bounds: Bounds | None = None, scale: Any = None) -> LeastSquaresFit:
    """Minimise Σ (y - h)² over the ``free`` entries of the initial state; the others keep their
    start value.

    Only a state that gives way in an inequality moves with the free ones of it.

    The model runs without process noise from the first step to the last. Bounds and inequalities
    are kept by the maps of `femu.filters.transforms`; ``scale`` is the expected spread of each
    state (default: its size), which only shapes the search.

    Longer than a page: the iterations, and the step back that each may need, share their matrices.
    """
    n, m = model.states, model.outputs
    y = as_numbers("fit_least_squares", "measurements", measurements)
    if y.size % m or not np.isfinite(y).any() or np.isinf(y).any():
        raise InputError("fit_least_squares", "measurements", measurements, f"must be rows of {m} "
                                                                            "numbers, or NaN")
    y = y.reshape(-1, m)
    u = as_numbers("fit_least_squares", "inputs", np.zeros((len(y), 1)) if inputs is None
                   else inputs)
    if u.shape[:1] != (len(y),) or not np.isfinite(u).all():
        raise InputError("fit_least_squares", "inputs", inputs, f"must be {len(y)} rows of finite "
                                                                "numbers")
    u = np.ascontiguousarray(u.reshape(len(y), -1))
    if u.shape[1] < model.inputs:  # compiled code reads this many, whatever there is
        raise InputError("fit_least_squares", "inputs", inputs, f"must have {model.inputs} columns")
    first = as_numbers("fit_least_squares", "start", start).reshape(-1)
    chosen = sorted(set(int(i) for i in free))
    if first.shape != (n,) or not np.isfinite(first).all():
        raise InputError("fit_least_squares", "start", start, f"must be {n} finite numbers")
    if not chosen or chosen[0] < 0 or chosen[-1] >= n:
        raise InputError("fit_least_squares", "free", free, f"must name states 0 to {n - 1}")
    known = np.isfinite(y)
    limits = bounds or Bounds.none(n)
    if limits.states != n:
        raise InputError("fit_least_squares", "bounds", bounds, f"must be those of {n} states")
    if scale is not None:
        sizes = as_numbers("fit_least_squares", "scale", scale)
        if sizes.shape != (n,) or not (np.isfinite(sizes) & (sizes > 0.0)).all():
            raise InputError("fit_least_squares", "scale", scale, f"must be {n} numbers above 0")
    size = np.where(first == 0.0, 1.0, np.abs(first)) if scale is None else np.asarray(scale,
                                                                                       dtype=float)
    kind, spread, xi, _, _ = plan(limits, first, np.diag(size**2))
    moved = {*chosen, *(rule.adjusts for rule in limits.inequalities
                        if not set(chosen).isdisjoint(rule.coefficients))}
    for j in set(range(n)) - moved:  # no map may move what is held, not even off a bound
        kind[j], xi[j] = FREE, first[j]
    # the search and its differences are for numbers of one size
    unit = np.where(kind == FREE, size, 1.0)[chosen]
    vector, rules = limits.vector(), len(limits.inequalities)
    process, measurement = model.addresses()[:2]
    outputs, state, trial = np.empty((len(y), m)), np.empty(n), np.empty(n)

    # a trial whose response blows up is bad, not an error
    far = 1e6 * float(np.std(y[known]) or np.abs(y[known]).max() or 1.0)

    def state_of(part: np.ndarray) -> np.ndarray:
        full = xi.copy()
        full[chosen] = part * unit
        x = np.empty(n)
        _outward(rules, vector, kind, spread, full, x)
        return x

    def residuals(part: np.ndarray) -> np.ndarray:
        state[:] = state_of(part)
        if _roll_out(process, measurement, model.data_address, state, u, outputs, trial):
            for evaluator in model.evaluators:
                evaluator.raise_failure()
            raise AnalysisError("fit_least_squares: a function of the model failed.")
        difference = (outputs - y)[known]
        return np.nan_to_num(np.clip(difference, -far, far), nan=far)

    found = least_squares(residuals, xi[chosen] / unit, x_scale="jac", method="trf", max_nfev=200)
    if (np.abs(found.fun) >= far).all():
        raise AnalysisError("fit_least_squares: the model has no response near the start that "
                            "could be compared with what was measured. Start from another place.")
    freedom = max(known.sum() - len(chosen), 1)
    variance = 2.0 * found.cost / freedom
    slope = np.empty((n, len(chosen)))
    for j in range(len(chosen)):
        step = np.zeros(len(chosen))
        step[j] = 1e-6
        slope[:, j] = (state_of(found.x + step) - state_of(found.x - step)) / 2e-6
    inner = inverse(found.jac.T @ found.jac) * variance
    return LeastSquaresFit(state_of(found.x), slope @ inner @ slope.T, float(np.sqrt(variance)),
                           int(found.nfev))
