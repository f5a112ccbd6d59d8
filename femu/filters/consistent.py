"""Estimation of constant parameters on consistent histories.

A filter whose points are drawn again in every step compares the record with copies of the model
that have the state of one set of parameters and the parameters of another. Where the model
remembers for long, that error never leaves. Here every copy that is compared with the record has had
the same parameters from the start. The design has two parts:

- *foreground*, every sample, at constant cost and without allocation: 2p+1 copies around a centre
  move on, their slopes enter normal equations, and the estimate is the minimum of these inside the
  bounds (`femu.filters.copies_kernels`);
- *background*, when the record has grown by a share or the estimate has left the centre: the record
  is followed again from the start by copies around a better centre, with new weights and a new noise
  (`femu.filters.relinearisation`). Its cost is a multiple of the length of the record, but it comes
  at lengths that grow geometrically, so it is constant in the mean.

A result of the background is taken over at a sample boundary, at first with the next sample and
later after a share of the record, with the samples that came meanwhile. What is estimated at each
sample is therefore a function of the record alone, whether the background is a thread or is done at
once; only with ``wait=False`` it may be taken over later than planned, and ``schedule`` says when,
for a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from math import ceil
from threading import Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.filters import copies_kernels
from femu.filters.bounds import Bounds, Inequality
from femu.filters.model import StateSpace
from femu.filters.relinearisation import Array, Copies, Explorer, Problem, Request, relinearise
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

FIRST_ROOM = 4096  # samples of the record before it has to grow
FIRST = 20  # samples before the first relinearisation
GROWTH = 0.15  # growth of the record after which the next one begins
SOONEST = 0.03  # the same, if the estimate has moved
MOVED = 0.3  # deviations of the posterior (of each unknown) from the centre
DELAY = 0.02  # growth of the record until a result is taken over, beyond the first samples
SHORT = 500  # samples of a record that takes milliseconds: its result is taken over at once
NEVER = 2**62


class ConsistentEstimator:
    """Estimates constant parameters of a model that can be followed again from its start.

    ::

        stiffness = StateSpace(lambda x, u: x, lambda x, u: [x[0] * u[0]], 1, 1, 1)
        estimator = ConsistentEstimator(stiffness, [0], mean=[80.0], std=[20.0],
                                        bounds=Bounds([40.0], [160.0]))
        for displacement in (0.1, 0.2, 0.3):
            estimator.update([100.0 * displacement], [displacement])
        print(estimator.mean, estimator.std)

    ``model`` is a `StateSpace` whose state holds the unknown parameters at the places ``unknowns``;
    its process leaves them alone. If kernels of the model write to its ``data``, give a function
    that makes a model with data of its own: the background has copies too. ``mean`` and ``std`` are the
    prior of the unknowns, ``bounds`` their bounds, and ``start`` the state before the first sample.

    ``noise`` is the standard deviation of the measurement, a number or one per channel; if omitted,
    it is what the best parameters leave. ``forgetting`` is the share of its weight that a sample
    keeps from one sample to the next. With ``threads=True`` the background is a thread, and the
    estimates are the same; with ``wait=False`` a result that is late is taken over when it is there.
    ``schedule`` replays the pairs (samples at the start, samples when taken over) of such a run.
    """

    def __init__(
        self,
        model: StateSpace | Callable[[], StateSpace],
        unknowns: Sequence[int],
        *,
        mean: npt.ArrayLike,
        std: npt.ArrayLike,
        bounds: Bounds | None = None,
        start: npt.ArrayLike | None = None,
        noise: float | npt.ArrayLike | None = None,
        forgetting: float = 1.0,
        threads: bool = False,
        wait: bool = True,
        schedule: Sequence[tuple[int, int]] | None = None,
        seed: int = 0,
    ) -> None:
        make = (lambda: model) if isinstance(model, StateSpace) else model
        self.model = space = make()
        p, places = len(unknowns), tuple(int(i) for i in unknowns)
        if not places or len(set(places)) != p or not all(0 <= i < space.states for i in places):
            raise self._refused(
                "unknowns", unknowns, f"must be different places from 0 to {space.states - 1}"
            )
        expected, spread = (
            self._numbers(name, value, p) for name, value in (("mean", mean), ("std", std))
        )
        if not (spread > 0.0).all():
            raise self._refused("std", std, "must be above 0")
        limits = bounds or Bounds.none(p)
        if limits.states != p:
            raise self._refused("bounds", bounds, f"must be those of {p} unknowns")
        if limits.violation(expected) > 0.0:
            raise self._refused("mean", mean, "must lie inside the bounds")
        if not 0.0 < forgetting <= 1.0:
            raise self._refused("forgetting", forgetting, "must be above 0 and at most 1")
        lower, upper = np.array(limits.lower), np.array(limits.upper)
        boxed = np.isfinite(lower) & np.isfinite(upper)
        low = np.where(boxed, lower, expected - 2.0 * spread)
        span = np.where(boxed, upper - lower, 4.0 * spread)
        self.problem = Problem(
            make,
            places,
            np.zeros(space.states)
            if start is None
            else self._numbers("start", start, space.states),
            low,
            span,
            (expected - low) / span,
            np.diag((span / spread) ** 2),
            _in_shares(limits, low, span),
            None if noise is None else self._noise(noise, space.outputs),
            float(forgetting),
            int(seed),
        )
        self._planned = None if schedule is None else dict(schedule)
        self._wait = wait
        self._threads = threads
        self.begin()

    # --- samples ---

    def begin(self) -> None:
        """The state before the first sample."""
        problem = self.problem
        self.samples = self.recorded = 0
        self.inputs = np.zeros((FIRST_ROOM, max(self.model.inputs, 1)))
        self.outputs = np.zeros((FIRST_ROOM, self.model.outputs))
        prior = np.asarray(np.linalg.inv(problem.prior), dtype=float)
        self.copies = Copies(problem, problem.around(problem.expected, prior))
        if problem.noise is not None:
            self.copies.noise[:] = problem.noise**2
        copies_kernels.solve_sums(self.copies.context)
        self._explorer = Explorer(problem)
        self._next, self._last = FIRST, 0
        self._pending: tuple[Request, Future[Copies] | None] | None = None
        self._due = self._asked = 0
        self.schedule: list[tuple[int, int]] = []
        """Samples at which each relinearisation began and was taken over."""

    def update(self, y: npt.ArrayLike | None, u: npt.ArrayLike = ()) -> None:
        """Process one sample: measurement (None or NaN if missing) and known inputs."""
        self.make_room(1)
        k = self.samples
        try:
            self.outputs[k] = np.nan if y is None else y
            if self.model.inputs:
                self.inputs[k] = u
        except (TypeError, ValueError) as problem:
            raise InputError(
                "ConsistentEstimator.update",
                "y, u",
                (y, u),
                f"must be {self.model.outputs} and {self.model.inputs} numbers",
            ) from problem
        if np.isinf(self.outputs[k]).any() or not np.isfinite(self.inputs[k]).all():
            raise InputError(
                "ConsistentEstimator.update",
                "y, u",
                (y, u),
                "must be finite, but for missing measurements",
            )
        self._take(k + 1)

    def run(self, measurements: npt.ArrayLike, inputs: npt.ArrayLike | None = None) -> None:
        """Process the samples of a record."""
        y = as_numbers("ConsistentEstimator.run", "measurements", measurements)
        y = y.reshape(-1, self.model.outputs)
        u = (
            np.zeros((len(y), 1))
            if inputs is None
            else as_numbers("ConsistentEstimator.run", "inputs", inputs)
        )
        if u.shape[:1] != (len(y),) or not np.isfinite(u).all() or np.isinf(y).any():
            raise InputError(
                "ConsistentEstimator.run",
                "inputs",
                u.shape,
                f"must be {len(y)} rows of finite numbers",
            )
        self.make_room(len(y))
        part = slice(self.samples, self.samples + len(y))
        self.outputs[part], self.inputs[part] = y, u.reshape(len(y), -1)
        self._take(part.stop)

    def _take(self, until: int) -> None:
        """Process samples that are in the record already."""
        while self.samples < until:
            ahead, soonest = self.stops()
            status, self.samples, moved = copies_kernels.take_samples(
                self.copies.context,
                self.inputs,
                self.outputs,
                self.samples,
                min(ahead, until),
                soonest,
                self.limit,
            )
            self.recorded = max(self.recorded, self.samples)
            self.copies.must(status)
            self.attend(moved)

    # --- for who drives the copies by kernels of his own ---

    @property
    def limit(self) -> float:
        """Squared distance of the estimate to the centre from which on the estimate has moved."""
        return float(MOVED**2 * self.problem.unknowns)

    def stops(self) -> tuple[int, int]:
        """Number of samples after which to `attend`, and from which on if the estimate has moved."""
        if self._pending is not None:
            return max(self._due, self.samples + 1), NEVER
        if self._planned is not None:
            return min([NEVER, *(k for k in self._planned if k > self.samples)]), NEVER
        soonest = self._last + 1 + int(SOONEST * max(self._last - SHORT, 0))
        if self._last == 0:
            soonest = NEVER
        return max(self._next, self.samples + 1), soonest

    def attend(self, moved: bool) -> None:
        """Begin a relinearisation where it is time, or take its result over."""
        if self._pending is not None:
            future = self._pending[1]
            late = future is not None and not self._wait and not future.done()
            if self.samples >= self._due and not late:
                self._take_over()
        elif self._planned is not None:
            if self.samples in self._planned:
                self._ask()
        elif moved or self.samples >= self._next:
            self._ask()
            if self._wait and self.samples <= SHORT:
                self._take_over()

    def make_room(self, samples: int) -> None:
        """Room in the record for further samples."""
        while self.samples + samples > len(self.outputs):
            # the background reads the old ones
            self.inputs = np.concatenate([self.inputs, np.zeros_like(self.inputs)])
            self.outputs = np.concatenate([self.outputs, np.zeros_like(self.outputs)])

    # --- to continue from a checkpoint ---

    def checkpoint(self) -> Array:
        """Everything that changes but the record, in one vector of constant length."""
        copies, p = self.copies, self.problem.unknowns
        request = self._pending[0] if self._pending is not None else None
        head = [
            self.samples,
            self._next,
            self._last,
            self._due,
            self._asked,
            request is not None,
        ]
        asked = [0.0, 0.0, 0.0, *np.zeros(p + copies.points.size + p * p)]
        if request is not None:
            asked = [
                *(float(request.samples), float(request.bent), float(request.number)),
                *request.estimate,
                *request.points.ravel(),
                *request.covariance.ravel(),
            ]
        return np.array(
            [
                *map(float, head),
                *copies.points.ravel(),
                *copies.states,
                *copies.memory,
                *copies.noise,
                *copies.correlation,
                *asked,
            ]
        )

    def restore(self, values: Array) -> None:
        """Continue from a checkpoint of the same estimator; the record must reach as far."""
        problem, p = self.problem, self.problem.unknowns
        shape, m = self.copies.points.shape, self.model.outputs
        if len(values) != len(self.checkpoint()):
            raise InputError(
                "ConsistentEstimator.restore",
                "values",
                len(values),
                "must be a checkpoint of the same estimator",
            )
        head, points, states, memory, noise, correlation, asked = np.split(
            values,
            np.cumsum([6, shape[0] * p, len(self.copies.states), len(self.copies.memory), m, m]),
        )
        samples = int(head[0])
        if samples > self.recorded:
            raise InputError(
                "ConsistentEstimator.restore",
                "values",
                f"after {samples} samples",
                f"needs the record, of which only {self.recorded} samples are here",
                fix="give the samples to remember() first",
            )
        self.copies = copies = Copies(problem, points.reshape(shape))
        copies.states[:], copies.memory[:] = states, memory
        copies.noise[:], copies.correlation[:] = noise, correlation
        self.samples, self._pending, self._explorer = samples, None, Explorer(problem)
        if head[5]:
            estimate, near, P = np.split(asked[3:], [p, p + shape[0] * p])
            self._begin(
                Request(
                    int(asked[0]),
                    estimate,
                    near.reshape(shape),
                    P.reshape(p, p),
                    bool(asked[1]),
                    int(asked[2]),
                )
            )
        self._next, self._last, self._due, self._asked = (int(x) for x in head[1:5])

    def remember(self, measurements: npt.ArrayLike, inputs: npt.ArrayLike) -> None:
        """Samples of the record that were processed before a checkpoint is restored."""
        y = np.asarray(measurements, dtype=float).reshape(-1, self.model.outputs)
        self.make_room(len(y))
        part = slice(self.samples, self.samples + len(y))
        self.outputs[part], self.inputs[part] = y, np.asarray(inputs, dtype=float)
        self.recorded = part.stop

    # --- the background ---

    def _ask(self) -> None:
        copies, samples = self.copies, self.samples
        request = Request(
            samples,
            copies.minimum,
            copies.points,
            copies.covariance.copy(),
            copies.bent,
            self._asked,
        )
        self._asked += 1
        self._begin(request)
        self._due = samples + 1 + ceil(DELAY * max(samples - SHORT, 0))
        if self._planned is not None:
            self._due = self._planned[samples]

    def _begin(self, request: Request) -> None:
        future: Future[Copies] | None = None
        if self._threads and not (self._wait and request.samples <= SHORT):
            future = Future()
            work = (request, self.inputs, self.outputs, self._explorer)
            Thread(target=self._in_background, args=(future, *work), daemon=True).start()
        self._pending = request, future
        self._last = request.samples
        self._next = request.samples + ceil(GROWTH * request.samples)

    def _in_background(self, future: Future[Copies], *work: Any) -> None:
        try:
            future.set_result(self._relinearised(*work))
        except BaseException as failure:  # raised again where the result is taken over
            future.set_exception(failure)

    def _relinearised(
        self, request: Request, inputs: Array, outputs: Array, explorer: Explorer
    ) -> Copies:
        """Copies around a new centre, up to the last sample there is now."""
        copies = relinearise(self.problem, inputs, outputs, request, explorer)
        self._follow(copies, self.samples)
        return copies

    def _follow(self, copies: Copies, until: int) -> None:
        done = int(copies.sums.samples)
        copies.must(
            copies_kernels.take_samples(
                copies.context, self.inputs, self.outputs, done, until, NEVER, 0.0
            )[0]
        )

    def _take_over(self) -> None:
        assert self._pending is not None
        request, future = self._pending
        if future is not None:
            copies = future.result()
        else:
            copies = self._relinearised(request, self.inputs, self.outputs, self._explorer)
        self._follow(copies, self.samples)
        self.copies, self._pending = copies, None
        self.schedule.append((request.samples, self.samples))

    # --- what it knows ---

    @property
    def mean(self) -> Array:
        """Estimated unknowns."""
        return np.asarray(self.problem.low + self.problem.span * self.copies.estimate)

    @property
    def covariance(self) -> Array:
        """Covariance of the estimation error."""
        return np.asarray(self.copies.covariance * np.outer(self.problem.span, self.problem.span))

    @property
    def std(self) -> Array:
        """Standard deviation of each unknown."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def noise(self) -> Array:
        """Standard deviation of the measurement; infinite before it is known."""
        return np.sqrt(self.copies.noise)

    @property
    def innovation(self) -> Array:
        """Measured minus predicted output of the last sample; NaN if a channel was missing."""
        return np.asarray(self.copies.sums.innovation).copy()

    # --- inside ---

    def _refused(self, argument: str, value: Any, rule: str) -> InputError:
        return InputError("ConsistentEstimator", argument, value, rule)

    def _numbers(self, name: str, value: npt.ArrayLike, count: int) -> Array:
        found = as_numbers("ConsistentEstimator", name, value).reshape(-1)
        if found.shape != (count,) or not np.isfinite(found).all():
            raise self._refused(name, value, f"must be {count} finite numbers")
        return np.array(found, dtype=float)

    def _noise(self, given: Any, outputs: int) -> Array:
        spread = as_numbers("ConsistentEstimator", "noise", given)
        spread = np.full(outputs, float(spread)) if spread.ndim == 0 else spread.reshape(-1)
        if spread.shape != (outputs,) or not (np.isfinite(spread) & (spread > 0.0)).all():
            raise self._refused("noise", given, f"must be a number or {outputs} numbers above 0")
        return np.array(spread, dtype=float)


def _in_shares(bounds: Bounds, low: Array, span: Array) -> Bounds:
    """The bounds of z where ``x = low + span z`` has these bounds."""
    rules = []
    for rule in bounds.inequalities:
        shares = {i: share * float(span[i]) for i, share in rule.coefficients.items()}
        moved = sum(share * float(low[i]) for i, share in rule.coefficients.items())
        rules.append(Inequality(shares, rule.limit - moved, rule.adjusts))
    lower = (np.array(bounds.lower) - low) / span
    upper = (np.array(bounds.upper) - low) / span
    return Bounds(list(lower), list(upper), rules)
