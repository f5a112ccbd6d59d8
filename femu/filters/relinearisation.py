"""Copies around a new centre, with the states that they have at the end of a record.

`relinearise` is a function of the record and of a `Request` alone, so its result does not depend on
where and when it is calculated. Candidates for the centre are the estimate, the centre before, and the
best member of a fixed set of parameters that covers the box, a way out of a wrong minimum. Each
follows the record from the start; the best by its posterior is improved by Gauss-Newton steps, for
which the copies around it follow the record too.

The noise of a channel is the deviation of what the best candidate leaves, without outliers and
with a floor: a residual of the model counts as noise, so a model that cannot be the specimen is
trusted less. Residuals that are alike from sample to sample count as fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt
from scipy.stats import qmc

from femu.filters import copies_kernels
from femu.filters.bounds import Bounds
from femu.filters.copies_fields import CopiesFields, Sums
from femu.filters.model import StateSpace
from femu.support.errors import AnalysisError

Array = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
SPARE = 64  # floats after vectors that kernels read in blocks
NARROWEST, WIDEST = 1e-10, 0.25  # variances of the copies, in squared shares of the box
COVERING = 32  # parameter sets that cover the box
APART = 0.1  # deviation of copies around one of them, as a share of the box
RELATED = 1.5  # neighbouring residuals that count as one, from which on another start is tried
STARTS = 8  # starts that take turns
STEPS = 4  # times that copies follow the record, at most
SHARES = (1.0, 0.5, 0.2, 0.05)  # shares of a step that are tried
SETTLED = 0.1  # step in deviations of the posterior (of each unknown) below which the centre stays
NOISE_FLOOR = 1e-4  # least deviation of the noise, as a share of the largest output so far
ROUNDS = 5  # in which outliers and the deviation of the others are found
MEDIAN = 1.4826  # deviation of normal numbers over the median of their sizes
UNRELATED = 0.05  # correlation of residuals that counts as none
SURE = 2.0  # deviations of a correlation that is none


@dataclass(frozen=True)
class Problem:
    """What is estimated: unknowns of a model in shares z of their box, ``x = low + span z``."""

    make: Callable[[], StateSpace]
    places: tuple[int, ...]
    start: Array
    low: Array
    span: Array
    expected: Array
    prior: Array
    bounds: Bounds
    noise: Array | None
    keep: float
    seed: int

    @property
    def unknowns(self) -> int:
        return len(self.places)

    def covering(self) -> Array:
        """Parameter sets that cover the box."""
        sobol = qmc.Sobol(self.unknowns, seed=self.seed).random(COVERING)
        below = np.maximum(self.bounds.lower, 0.0)
        above = np.minimum(self.bounds.upper, 1.0)
        return np.asarray(self.bounds.project(below + sobol * (above - below)))

    def around(self, centre: Array, covariance: Array) -> Array:
        """A centre and the ends of the axes of a covariance, inside the bounds."""
        sizes, axes = np.linalg.eigh(covariance)
        arms = (axes * np.sqrt(np.clip(sizes, NARROWEST, WIDEST))).T
        rows = np.vstack([centre, centre + arms, centre - arms])
        return np.asarray(self.bounds.project(rows))


class Copies:
    """Copies of the model with these unknowns (rows), in the state at the start."""

    def __init__(self, problem: Problem, points: Array) -> None:
        self.space = space = problem.make()
        p, (count, n, m) = problem.unknowns, (len(points), space.states, space.outputs)
        self.problem, self.points = problem, points
        self.states = np.zeros(count * n + SPARE)
        rows = self.states[: count * n].reshape(count, n)
        rows[:] = problem.start
        rows[:, list(problem.places)] = problem.low + problem.span * points
        self.fields = fields = CopiesFields()
        fields.process, fields.measurement = space.addresses()[:2]
        fields.data = None if space.data is None else space.data.view(np.int64)
        fields.n, fields.m, fields.ninputs = n, m, space.inputs
        fields.p, fields.count = p, count
        fields.states, fields.trial = self.states, np.zeros(count * n + SPARE)
        fields.images = np.zeros(count * m)
        fields.centre = points[0].copy()
        offsets = points[1:] - points[0]
        fields.offsets = np.ascontiguousarray(offsets).ravel()
        fields.slopes = np.ascontiguousarray(np.linalg.pinv(offsets)).ravel() if count > 1 else None
        self.memory = np.zeros(Sums.words(p=p, m=m))
        self.sums = Sums(self.memory, p=p, m=m)
        fields.sums = self.memory
        self.noise, self.correlation = np.full(m, np.inf), np.ones(m)
        fields.noise, fields.correlation = self.noise, self.correlation
        fields.prior, fields.expected = problem.prior.ravel().copy(), problem.expected
        fields.box, fields.nrules = problem.bounds.vector(), len(problem.bounds.inequalities)
        fields.keep = np.array([problem.keep])
        fields.scratch = np.zeros(copies_kernels.scratch_size(p) + SPARE)

    @property
    def context(self) -> Words:
        return np.asarray(self.fields.vector)

    def must(self, status: int) -> None:
        """Raise if a function of the model has failed."""
        if status:
            for evaluator in self.space.evaluators:
                evaluator.raise_failure()
            raise AnalysisError(f"A function of the model failed with status {status}.")

    def outputs_along(self, inputs: Array, first: int, last: int) -> Array:
        """Outputs of each copy: samples × copies × channels."""
        found = np.empty((last - first, len(self.points), self.space.outputs))
        self.must(copies_kernels.follow(self.context, inputs, first, last, found.reshape(-1)))
        return found

    @property
    def estimate(self) -> Array:
        """Estimated unknowns, in shares of the box."""
        return np.asarray(self.points[0] + self.sums.shift)

    @property
    def bent(self) -> bool:
        """Whether the copies differ in kind."""
        return bool(self.sums.bent > copies_kernels.BENT * self.sums.used)

    @property
    def minimum(self) -> Array:
        """Minimum of the normal equations."""
        return np.asarray(self.points[0] + self.sums.delta)

    @property
    def covariance(self) -> Array:
        """Their covariance."""
        return np.asarray(self.sums.P).reshape(self.problem.unknowns, -1)


class Explorer:
    """Copies whose parameters cover the box; they follow the record in the background."""

    def __init__(self, problem: Problem) -> None:
        self.copies = Copies(problem, problem.covering())
        self.samples = 0
        self.misfits = np.zeros((COVERING, self.copies.space.outputs))

    def ranked(self, inputs: Array, outputs: Array, samples: int) -> Array:
        """The parameters in the order of their mean residuals so far."""
        self.copies.must(
            copies_kernels.follow_misfits(
                self.copies.context, inputs, outputs, self.samples, samples, self.misfits
            )
        )
        self.samples = samples
        known = np.isfinite(outputs[:samples]).sum(axis=0)
        sizes = np.log(np.maximum(self.misfits, np.finfo(float).tiny)) @ known
        sizes[~np.isfinite(sizes)] = np.inf
        return np.asarray(self.copies.points[np.argsort(sizes, kind="stable")])


@dataclass(frozen=True)
class Request:
    """What a relinearisation begins with."""

    samples: int
    estimate: Array
    points: Array
    """Unknowns of the copies; the centre is the first."""
    covariance: Array
    bent: bool
    number: int
    """Of relinearisations before this one."""


class Misfit:
    """What a model with some parameters leaves of a record, channel by channel."""

    def __init__(self, residuals: Array, floor: Array, given: Array | None, keep: float) -> None:
        self.residuals = residuals
        age = keep ** np.arange(len(residuals) - 1, -1, -1.0)
        parts = [
            _scale(r, age, floor[c], None if given is None else given[c])
            for c, r in enumerate(residuals.T)
        ]
        self.noise = np.array([s for s, _ in parts])
        self.cost = float(sum(cost for _, cost in parts))

    def correlation(self) -> Array:
        """Number of neighbouring residuals that count as one, per channel."""
        return np.array(
            [
                _times_fewer(np.clip(r[np.isfinite(r)], -copies_kernels.LARGE * s, copies_kernels.LARGE * s))
                for r, s in zip(self.residuals.T, self.noise, strict=True)
            ]
        )


def _alone(large: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the large ones are alone, or one of two."""
    before = np.concatenate([[False, False], large, [False, False]])
    third = before[2:] & before[1:-1] & before[:-2]  # the last of three in a row
    in_a_run = third[:-2] | third[1:-1] | third[2:]
    return large & ~in_a_run


def _scale(residuals: Array, age: Array, floor: float, given: float | None) -> tuple[float, float]:
    """Deviation of residuals without outliers, and -2 log likelihood with it."""
    known = np.isfinite(residuals)
    if not known.any():
        return (floor if given is None else given), 0.0
    size, age = np.abs(residuals[known]), age[known]
    least = floor if given is None else max(floor, given)
    s = max(least, MEDIAN * float(np.median(size)))
    for _ in range(ROUNDS):
        outlier = _alone(size > copies_kernels.LARGE * s)
        ratio = np.maximum(size / (copies_kernels.LARGE * s), 1.0)
        weight = np.where(outlier, ratio**-2, 1.0)
        s = max(least, float(np.sqrt((age * (weight * size) ** 2).sum() / (age * weight**2).sum())))
    outlier = _alone(size > copies_kernels.LARGE * s)
    share = size / s
    ratio = np.maximum(share / copies_kernels.LARGE, 1.0)
    loss = np.where(outlier, copies_kernels.LARGE**2 * (1.0 + 2.0 * np.log(ratio)), share**2)
    return s, float((age * (loss + 2.0 * np.log(s))).sum())


def _times_fewer(left: Array) -> float:
    """1 + 2 Σ ρ up to the first correlation that is none."""
    r = left - left.mean() if len(left) else left
    power = float(r @ r)
    if len(r) < 3 or power == 0.0:
        return 1.0
    size = 1 << (2 * len(r) - 1).bit_length()
    rho = np.fft.irfft(np.abs(np.fft.rfft(r, size)) ** 2, size)[1 : len(r)] / power
    none = np.flatnonzero(rho < max(UNRELATED, SURE / np.sqrt(len(r))))
    return 1.0 + 2.0 * float(rho[: none[0] if len(none) else len(rho)].sum())


class _Search:
    """The best parameters for the samples of a record so far."""

    def __init__(self, problem: Problem, inputs: Array, outputs: Array, samples: int) -> None:
        self.problem, self.inputs, self.outputs, self.samples = problem, inputs, outputs, samples
        sizes = np.abs(outputs[:samples])
        largest = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=0)
        self.floor = np.maximum(NOISE_FLOOR * largest, np.finfo(float).tiny ** 0.25)

    def misfits(self, points: Array) -> list[Misfit | None]:
        """What each leaves; None if the model has no answer with it."""
        problem, y = self.problem, self.outputs[: self.samples]
        found = Copies(problem, points).outputs_along(self.inputs, 0, self.samples)
        return [
            Misfit(y - found[:, i], self.floor, problem.noise, problem.keep)
            if np.isfinite(found[:, i]).all()
            else None
            for i in range(len(points))
        ]

    def posterior(self, z: Array, misfit: Misfit | None) -> float:
        """-2 log posterior."""
        if misfit is None or not isfinite(misfit.cost):
            return np.inf
        away = z - self.problem.expected
        return misfit.cost + float(away @ self.problem.prior @ away)

    def best_of(self, points: Array) -> tuple[Array, Misfit | None, float]:
        """The best of some parameters, what it leaves, and -2 log posterior."""
        found = self.misfits(points)
        costs = [self.posterior(z, misfit) for z, misfit in zip(points, found, strict=True)]
        chosen = int(np.argmin(costs))
        return points[chosen], found[chosen], costs[chosen]

    def improved(
        self, z: Array, misfit: Misfit, cost: float, P: Array
    ) -> tuple[Copies, float, Misfit]:
        """Copies around the best that Gauss-Newton steps from z find."""
        problem = self.problem
        for number in range(STEPS):
            copies = Copies(problem, problem.around(z, P))
            copies.noise[:], copies.correlation[:] = misfit.noise**2, misfit.correlation()
            copies.must(
                copies_kernels.sum_samples(copies.context, self.inputs, self.outputs, self.samples)
            )
            settled = copies_kernels.moved_by(copies.context) < SETTLED**2 * problem.unknowns
            if number == STEPS - 1 or (settled and not copies.bent):
                break
            found = self._better(copies, cost)
            if found is None:
                break
            z, misfit, cost = found
            P = copies.covariance
        return copies, cost, misfit

    def _better(self, copies: Copies, cost: float) -> tuple[Array, Misfit, float] | None:
        """On the way to the minimum of the normal equations, or one of the copies."""
        centre, step = copies.points[0], np.asarray(copies.sums.delta)
        tried = [self.problem.bounds.project(centre + share * step)[None, :] for share in SHARES]
        if copies.bent:
            tried.append(copies.points[1:])
        for points in tried:
            z, misfit, now = self.best_of(points)
            if misfit is not None and now < cost:
                return z, misfit, now
        return None


def relinearise(
    problem: Problem, inputs: Array, outputs: Array, request: Request, explorer: Explorer
) -> Copies:
    """Copies around the best centre that was found, after ``request.samples`` samples."""
    search = _Search(problem, inputs, outputs, request.samples)
    covering = explorer.ranked(inputs, outputs, request.samples)
    near = request.points if request.bent else request.points[:1]
    z, misfit, cost = search.best_of(np.vstack([covering[0], request.estimate, near]))
    if misfit is None:
        raise AnalysisError(
            "The model has no answer along the record with any of the parameters that were tried. "
            "Give narrower bounds."
        )
    apart = APART**2 * np.eye(problem.unknowns)
    far = np.array_equal(z, covering[0])
    copies, cost, misfit = search.improved(z, misfit, cost, apart if far else request.covariance)
    if misfit.correlation().max() > RELATED:  # an error of the model, or of the parameters
        z, other, first = search.best_of(covering[request.number % STARTS][None, :])
        if other is not None:
            found, now, _ = search.improved(z, other, first, apart)
            copies = found if now < cost else copies
    return copies
