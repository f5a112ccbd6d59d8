"""Copies around a new centre, with the states that they have at the end of a record.

`relinearise` is a function of the record and of a `Request` alone, so its result does not depend on
where and when it is calculated. Candidates for the centre are the estimate, the centre before, and the
best member of a fixed set of parameters that covers the box, a way out of a wrong minimum. Each
follows the record from the start; the best by its posterior is improved by Gauss-Newton steps, for
which the copies around it follow the record too.

Where the posterior is wide, the copies differ in kind, or a large residual at the end may be no
outlier, minima near other parameters drawn from the posterior are tried too.
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
from femu.filters.misfit import Misfit
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
WIDE = 0.3  # share of its prior deviation from which on the posterior of an unknown is wide
PAIRS, TAILS = 24, 3.0  # parameter sets that are drawn to either side of a centre; their tails
CHOSEN = 3  # of them that are improved
NEAR = 0.1  # deviations of the posterior between copies that shall not differ in kind
SHARES = (1.0, 0.5, 0.2, 0.05)  # shares of a step that are tried
SETTLED = 0.1  # step in deviations of the posterior (of each unknown) below which the centre stays
NOISE_FLOOR = 1e-4  # least deviation of the noise, as a share of the largest output so far


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

    def drawn(self, centre: Array, covariance: Array, number: int) -> Array:
        """Parameters around a centre: pairs of a Student distribution, reflected at the bounds."""
        sizes, axes = np.linalg.eigh(covariance)
        rng = np.random.default_rng((self.seed, number))
        arms = (
            rng.standard_normal((PAIRS, self.unknowns)) * np.sqrt(np.maximum(sizes, 0.0)) @ axes.T
        )
        arms /= np.sqrt(rng.chisquare(TAILS, (PAIRS, 1)) / TAILS)
        rows = np.vstack([centre + arms, centre - arms])
        low, high = np.array(self.bounds.lower), np.array(self.bounds.upper)
        rows = np.where(rows < low, 2.0 * np.maximum(low, -WIDEST) - rows, rows)
        rows = np.where(rows > high, 2.0 * np.minimum(high, 1.0 + WIDEST) - rows, rows)
        return np.asarray(self.bounds.project(rows))

    def is_wide(self, covariance: Array) -> bool:
        """Whether the posterior of some unknown is not much narrower than the prior."""
        return bool((np.diagonal(covariance) * np.diagonal(self.prior) > WIDE**2).any())

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
    def minimum_with_all(self) -> Array:
        """Minimum if the large residuals at the end, which are undecided, are no outliers."""
        kept = self.memory.copy()
        sums = self.sums
        sums.H[:] += sums.pending_H.sum(axis=0)
        sums.b[:] += sums.pending_b.sum(axis=0)
        copies_kernels.solve_sums(self.context)
        found = self.minimum
        self.memory[:] = kept
        return found

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
            settled = settled and not copies.bent and not copies.sums.large.any()
            if number == STEPS - 1 or settled:
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
        if copies.sums.large.any():
            tried.insert(0, self._without_outliers(copies))
        if copies.bent:
            tried.append(copies.points[1:])
        for points in tried:
            z, misfit, now = self.best_of(points)
            if misfit is not None and now < cost:
                return z, misfit, now
        return None

    def _without_outliers(self, copies: Copies) -> Array:
        """Steps if the large residuals at the end are no outliers."""
        centre = copies.points[0]
        step = copies.minimum_with_all - centre
        return np.asarray(self.problem.bounds.project(centre + np.outer(SHARES, step)))

    def descended(
        self, z: Array, misfit: Misfit, cost: float, P: Array
    ) -> tuple[Array, Misfit, float]:
        """The minimum near z, by slopes of copies so near that they do not differ in kind."""
        problem = self.problem
        for _ in range(STEPS):
            copies = Copies(problem, problem.around(z, NEAR**2 * P))
            copies.noise[:], copies.correlation[:] = misfit.noise**2, misfit.correlation()
            copies.must(
                copies_kernels.sum_samples(copies.context, self.inputs, self.outputs, self.samples)
            )
            steps = problem.bounds.project(z + np.outer(SHARES, copies.sums.delta))
            if copies.sums.large.any():
                steps = np.vstack([steps, self._without_outliers(copies)])
            other, left, now = self.best_of(steps)
            if left is None or now >= cost:
                break
            gain, z, misfit, cost = cost - now, other, left, now
            if gain < SETTLED:
                break
        return z, misfit, cost

    def best_of_drawn(self, copies: Copies, cost: float, number: int) -> Array | None:
        """The best minimum near parameters drawn around copies, if it is better than they are."""
        P, best = copies.covariance, None
        drawn = np.vstack([copies.points[:1], self.problem.drawn(copies.minimum, P, number)])
        found = self.misfits(drawn)
        costs = [self.posterior(z, misfit) for z, misfit in zip(drawn, found, strict=True)]
        for i in np.argsort(costs, kind="stable")[:CHOSEN]:
            misfit = found[i]
            if misfit is None:
                break
            z, _, now = self.descended(drawn[i], misfit, costs[i], P)
            if now < cost:
                best, cost = z, now
        return best


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
            found, now, left = search.improved(z, other, first, apart)
            copies, cost, misfit = (found, now, left) if now < cost else (copies, cost, misfit)
    unclear = copies.bent or request.bent or copies.sums.large.any()
    if unclear or problem.is_wide(copies.covariance):
        drawn = search.best_of_drawn(copies, cost, request.number)
        if drawn is not None:
            z, other, cost = search.best_of(drawn[None, :])
            if other is not None:
                copies, _, _ = search.improved(z, other, cost, copies.covariance)
    return copies
