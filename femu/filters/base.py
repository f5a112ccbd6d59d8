"""The one interface of all filters: ``init → predict → update``, with the state passed in and out.

    estimate = filter.init(mean, covariance)
    for u, y in zip(inputs, measurements):
        estimate = filter.predict(estimate, u)
        estimate = filter.update(estimate, y, u)

``predict`` and ``update`` return a new `Estimate` and leave the given one alone; with
``out=estimate`` they work in place and allocate nothing but the Python objects of the call. ``run``
does the loop above in compiled code.

A measurement may be missing: ``update(estimate, None)`` leaves the prediction as the estimate, and
a channel that is NaN is left out of the update. An infinite measurement is an error of the caller.

A filter holds its settings and nothing else: `FilterFields` (sizes, functions of the model, choices)
and `FilterSettings` (Q, R, bounds, options); see `femu.filters.filter_fields`. Each filter brings
two kernels of one signature, called by address.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import isfinite, isinf
from typing import Any, ClassVar

import numpy as np

from femu.filters.bounds import Bounds
from femu.filters.covariance import symmetric
from femu.filters.estimate import HEADER, Estimate, History
from femu.filters.filter_fields import EstimateFields, FilterFields, estimate_at, filter_at
from femu.filters.model import StateSpace
from femu.filters.random import LARGEST_SEED
from femu.kernels import FLOATS, INT, Kernel, caller, compiled, floats_of
from femu.support.arguments import as_numbers
from femu.support.errors import AnalysisError, InputError
from femu.support.hooks import card

STEP = INT(
    FilterFields.kernel_type,  # filter: sizes, the model's functions, choices
    FLOATS,  # p: `FilterSettings`: Q, R, bounds, options
    FLOATS,  # s: `EstimateFields`
    FLOATS,  # u: inputs of the step
    FLOATS,  # y: measurement (not read by a prediction)
)
"""Signature of the kernels of a filter.

They return 0, or the status of a model function that failed.
"""

BAD_INPUT, BAD_MEASUREMENT = -1, -2  # status of a step that was refused before it began

_call = caller(STEP)


@compiled
def _one(address, filter, p, s, u, y):
    for i in range(u.size):
        if not isfinite(u[i]):
            return BAD_INPUT
    for i in range(y.size):
        if isinf(y[i]):
            return BAD_MEASUREMENT
    return _call(address, (filter_at(filter), floats_of(p, 0), floats_of(s, 0), floats_of(u, 0),
                           floats_of(y, 0)))


@compiled
def _all(predict, update, vector, p, s, inputs, measurements, mean, covariance, innovation, spread,
         nis):
    """Many arguments: the columns of the history."""
    n, m = mean.shape[1], innovation.shape[1]
    count = mean.shape[0]
    filter, estimate = filter_at(vector), estimate_at(s, n, m)
    x, P, nu, S = (estimate.mean, estimate.covariance, estimate.innovation,
                   estimate.innovation_covariance)
    for k in range(count):
        u, y = floats_of(inputs, k * inputs.shape[1]), floats_of(measurements, k * m)
        status = _call(predict, (filter, floats_of(p, 0), floats_of(s, 0), u, y))
        if status == 0:
            status = _call(update, (filter, floats_of(p, 0), floats_of(s, 0), u, y))
        if status != 0:
            return k + 1
        for i in range(n):
            mean[k, i] = x[i]
            for j in range(n):
                covariance[k, i, j] = P[i * n + j]
        for i in range(m):
            innovation[k, i] = nu[i]
            for j in range(m):
                spread[k, i, j] = S[i * m + j]
        nis[k] = estimate.nis
    return 0


def _is_plain(value: Any) -> bool:
    """True for an array that the kernels can read as it is."""
    return type(value) is np.ndarray and value.dtype == np.float64 and value.ndim == 1 and value.flags.c_contiguous


class Filter(abc.ABC):
    """Base of all filters: settings, sizes, and the calls of the kernels that a filter brings.

    ``process_noise`` (Q) and ``measurement_noise`` (R) are a number, a list of variances or a
    matrix. ``bounds`` are kept by every filter: those without a treatment of their own move their
    mean (or members) back into them.
    """

    predict_kernel: ClassVar[Kernel]
    update_kernel: ClassVar[Kernel]

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any,
                 bounds: Bounds | None = None) -> None:
        name = type(self).__name__
        self.model = model
        self.process_noise = symmetric(name, "process_noise", process_noise, model.states)
        self.measurement_noise = symmetric(name, "measurement_noise", measurement_noise,
                                           model.outputs)
        if bounds is not None and bounds.states != model.states:
            raise InputError(name, "bounds", bounds, f"must have {model.states} entries, one a "
                                                     "state")
        self.bounds = bounds or Bounds.none(model.states)
        self.own_start = HEADER + model.states + model.states**2 + model.outputs + model.outputs**2
        self.scratch_start = self.own_start + self._own_size()
        self.settings = np.concatenate([self.process_noise.ravel(), self.measurement_noise.ravel(),
                                  self.bounds.vector(),
                                  np.asarray(self._numbers(), dtype=float)])
        self.fields = fields = FilterFields()
        fields.n, fields.m, fields.ninputs = model.states, model.outputs, model.inputs
        fields.nrules = len(self.bounds.inequalities)
        self._ready = False
        self._nothing = np.full(model.outputs, np.nan)
        self._no_input = np.zeros(1)

    def __deepcopy__(self, memo: Any) -> Filter:
        return self  # it holds nothing that changes, and addresses that cannot be copied

    # --- what a filter adds ----------------------------------------------------------------------

    def _own_size(self) -> int:
        """Numbers of its own that the filter carries in the estimate."""
        return 0

    @abc.abstractmethod
    def _scratch_size(self) -> int:
        """Numbers of workspace that its kernels use."""

    def _options(self) -> dict[str, int]:
        """Choices that the filter sets, by the names of `FilterFields`."""
        return {}

    def _numbers(self) -> Sequence[float]:
        """Numbers of its own at the end of the parameter vector."""
        return ()

    def _begin(self, estimate: Estimate) -> None:
        """Fill the filter's own part of a new estimate, whose mean and covariance are set."""

    # --- the interface ---------------------------------------------------------------------------

    def init(self, mean: Any, covariance: Any, seed: int = 0) -> Estimate:
        """The estimate before the first step.

        ``seed`` chooses the random numbers of Monte-Carlo filters.
        """
        name, n = type(self).__name__, self.model.states
        start = as_numbers(name, "mean", mean).reshape(-1)
        if start.shape != (n,) or not np.isfinite(start).all():
            raise InputError(name, "mean", mean, f"must be {n} finite numbers")
        if self.bounds.violation(start) > 0.0:
            raise InputError(name, "mean", mean, "must be inside the bounds",
                             fix="use bounds.project(mean)")
        if not isinstance(seed, (int, np.integer)) or not 0 <= seed <= LARGEST_SEED:
            raise InputError(name, "seed", seed, f"must be a whole number from 0 to {LARGEST_SEED}")
        estimate = Estimate(self, np.zeros(self.scratch_start + self._scratch_size()))
        estimate.vector[EstimateFields.seed.slot] = seed
        estimate.mean[:] = start
        estimate.covariance[:] = symmetric(name, "covariance", covariance, n)
        estimate.innovation[:] = np.nan
        estimate.innovation_covariance[:] = np.nan
        estimate.vector[EstimateFields.nis.slot] = np.nan
        self._begin(estimate)
        return estimate

    def predict(self, estimate: Estimate, u: Any = None, *,
                out: Estimate | None = None) -> Estimate:
        """The estimate at the next step, before its measurement."""
        result = self._target(estimate, out)
        self._run_kernel(self.kernel_addresses()[0], result, self._input(u), self._nothing)
        return result

    def update(self, estimate: Estimate, y: Any, u: Any = None, *,
               out: Estimate | None = None) -> Estimate:
        """The estimate corrected by measurement ``y``.

        None if there is none, NaN in a channel that is missing.
        """
        result = self._target(estimate, out)
        self._run_kernel(self.kernel_addresses()[1], result, self._input(u), self._measurement(y))
        return result

    def _repr_html_(self) -> str:
        return str(card(self))

    def run(self, estimate: Estimate, measurements: Any, inputs: Any = None) -> History:
        """All steps in one compiled loop.

        Row k of ``inputs`` and ``measurements`` belong to step k.
        """
        name, n, m = type(self).__name__, self.model.states, self.model.outputs
        y = np.ascontiguousarray(as_numbers(name, "measurements", measurements))
        y = y.reshape(-1, 1) if y.ndim == 1 and m == 1 else y
        if y.ndim != 2 or y.shape[1] != m:
            raise InputError(name, "measurements", measurements, f"must have {m} columns, one row "
                                                                 "a step")
        if np.isinf(y).any():
            raise InputError(name, "measurements", y, "must not be infinite",
                             fix="mark missing values with NaN")
        width = self.model.inputs
        none = width == 0 and (inputs is None or np.shape(inputs) == (len(y), 0))
        u = np.zeros((len(y), 1)) if none else np.ascontiguousarray(as_numbers(name, "inputs",
                                                                               inputs))
        u = u.reshape(-1, 1) if u.ndim == 1 and width <= 1 else u
        if u.ndim != 2 or u.shape != (len(y), max(width, 1)):
            raise InputError(name, "inputs", inputs, f"must have {len(y)} rows of {width} numbers")
        if not np.isfinite(u).all():
            raise InputError(name, "inputs", u, "must be finite")
        final = self._target(estimate, None)
        steps = len(y)
        history = History(np.empty((steps, n)), np.empty((steps, n, n)), np.empty((steps, m)),
                          np.empty((steps, m, m)), np.empty(steps), final)
        predict, update = self.kernel_addresses()
        failed = _all(predict, update, self.fields.vector, self.settings, final.vector, u, y, history.mean,
                      history.covariance, history.innovation, history.innovation_covariance,
                      history.nis)
        if failed:
            self._raise_failure(failed)
        return history

    # --- inside ----------------------------------------------------------------------------------

    def kernel_addresses(self) -> tuple[int, int]:
        """Addresses of the kernels that predict and update; compiled at the first use, so that a
        filter can be described without waiting."""
        if not self._ready:
            fields = self.fields
            (fields.process, fields.measurement, fields.process_jacobian,
             fields.measurement_jacobian) = self.model.addresses()
            fields.data = self.model.data
            for name, value in self._options().items():
                setattr(fields, name, value)
            self._predict, self._update = self.predict_kernel.address, self.update_kernel.address
            self._ready = True
        return self._predict, self._update

    def _target(self, estimate: Estimate, out: Estimate | None) -> Estimate:
        if getattr(estimate, "filter", None) is not self:
            raise InputError(type(self).__name__, "estimate", estimate, "belongs to another filter",
                             fix="start with this filter's init")
        if out is None:
            return Estimate(self, estimate.vector.copy())
        if out is not estimate:
            if getattr(out, "filter", None) is not self:
                raise InputError(type(self).__name__, "out", out, "must be an estimate of this "
                                                                  "filter")
            out.vector[:] = estimate.vector
        return out

    def _input(self, u: Any) -> np.ndarray:
        width = self.model.inputs
        if width == 0:
            if u is not None and np.size(u):
                raise InputError(type(self).__name__, "u", u, "must be left out: the model has no "
                                                              "inputs")
            return self._no_input
        given = u if _is_plain(u) else np.ascontiguousarray(as_numbers(type(self).__name__, "u",
                                                                       u)).reshape(-1)
        if given.shape[0] != width:
            raise InputError(type(self).__name__, "u", u, f"must be {width} finite numbers")
        return given

    def _measurement(self, y: Any) -> np.ndarray:
        if y is None:
            return self._nothing
        given = y if _is_plain(y) else np.ascontiguousarray(as_numbers(type(self).__name__, "y",
                                                                       y)).reshape(-1)
        if given.shape[0] != self.model.outputs:
            raise InputError(type(self).__name__, "y", y,
                             f"must be {self.model.outputs} numbers, NaN if a channel is "
                             "missing, or None")
        return given

    def _run_kernel(self, address: int, estimate: Estimate, u: np.ndarray, y: np.ndarray) -> None:
        status = _one(address, self.fields.vector, self.settings, estimate.vector, u, y)
        if status == BAD_INPUT:
            raise InputError(type(self).__name__, "u", u, "must be finite")
        if status == BAD_MEASUREMENT:
            raise InputError(type(self).__name__, "y", y, "must not be infinite",
                             fix="mark missing channels with NaN")
        if status:
            self._raise_failure(estimate.steps)

    def _raise_failure(self, step: int) -> None:
        for evaluator in self.model.evaluators:
            evaluator.raise_failure()
        raise AnalysisError(f"{type(self).__name__}: a function of the model failed in step {step}.")

