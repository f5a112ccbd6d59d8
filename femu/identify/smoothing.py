"""The posterior of constant parameters given a whole record, by sigma points that each run the
record from its start.

The filter of an updater keeps the history of the twin outside its state, so there is no process
that a Rauch-Tung-Striebel pass (`femu.filters.smoother`) could run backwards. It is not needed
either: the smoothed estimate of a constant is its estimate after the last sample. What a second
pass can correct is that the first one processed the early samples with poor parameters. Here
every sigma point follows the whole path from the virgin state, with a history of its own; the
record is one measurement, linear in the parameters by regression over the points::

    y ≈ f̄ + A (θ - θ̄) + e,    A = Σ (f_i - f̄)(θ_i - θ̄)' [Σ (θ_i - θ̄)(θ_i - θ̄)']⁻¹,   var e = spread of f about the line
    P⁻¹ = P₀⁻¹ + A' R⁻¹ A,     θ = P (A' R⁻¹ (y - f̄ + A θ̄) + P₀⁻¹ θ₀)

and the points are drawn again from (θ, P) until they stay: the iterated posterior linearisation of
García-Fernández, Svensson, Morelande and Särkkä (2015) with the record as its only step. R is the
residual of each force, so a twin with a model error is trusted less. Steps that do not lower
the cost are shortened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from femu.identify.twin_response import Path
from femu.support.errors import AnalysisError
from femu.updating.unknown import Resolved

Array = npt.NDArray[np.float64]
ITERATIONS = 30
SHORTER = (1.0, 0.5, 0.25, 0.1, 0.03)  # shares of a step that are tried
CLOSER = 4  # times that a point without an answer is drawn halfway to the mean
STEADY = 0.02  # last step, as a share of the standard deviation, below which the points stay
SETTLED = 0.2  # relative change of a variance


class Smoothed(NamedTuple):
    """Mean and covariance of the parameters, and how often the points were drawn."""

    mean: Array
    covariance: Array
    iterations: int


def _answer(path: Path, point: Array, mean: Array, unit: Array) -> Array:
    """Forces at a point, which is drawn towards the mean, in place, while the twin has no answer
    there."""
    for _ in range(CLOSER):
        try:
            return path.forces(point * unit)
        except AnalysisError:
            point[:] = 0.5 * (point + mean)
    return path.forces(point * unit)


def smooth(path: Path, unknowns: Sequence[Resolved], start: Array) -> Smoothed:
    """The smoothed estimate.

    ``start`` is the first mean of the points, the prior is that of the unknowns.
    """
    size = len(unknowns)
    # all are scaled to fractions of the distance between their bounds
    unit = np.array([u.scale for u in unknowns])
    lower, upper = (
        np.array([getattr(u, end) for u in unknowns]) / unit for end in ("lower", "upper")
    )
    prior = np.array([u.start for u in unknowns]) / unit
    weight = np.diag([(u.scale / u.std) ** 2 for u in unknowns])
    mean, P = start / unit, np.linalg.inv(weight)
    left = path.left(mean * unit)
    variance = path.variance(left)
    drawn, going = 0, True
    while going and drawn < ITERATIONS:
        drawn += 1
        root = np.sqrt(size) * np.linalg.cholesky(P).T
        points = np.clip(np.vstack([mean + root, mean - root]), lower, upper)
        forces = np.array([_answer(path, x, mean, unit) for x in points])
        centre, middle = points.mean(axis=0), forces.mean(axis=0)
        away, moved = points - centre, forces - middle
        A = np.linalg.lstsq(away, moved, rcond=None)[0].T
        W = 1.0 / (variance + ((moved - away @ A.T) ** 2).mean(axis=0))
        narrower = np.linalg.inv((A * W[:, None]).T @ A + weight)
        target = narrower @ (
            (A * W[:, None]).T @ (path.measured - middle + A @ centre) + weight @ prior
        )

        def cost(rest: Array, x: Array, variance: Array = variance) -> float:
            return float((rest**2 / variance).sum() + (x - prior) @ weight @ (x - prior))

        before, moved_by = cost(left, mean), 0.0
        for share in SHORTER:
            trial = np.clip(mean + share * (target - mean), lower, upper)
            try:
                rest = path.left(trial * unit)
            except AnalysisError:  # the twin has no answer there: a shorter step
                continue
            if cost(rest, trial) < before:
                moved_by = float(np.abs((trial - mean) / np.sqrt(np.diagonal(narrower))).max())
                mean, left = trial, rest
                break
        now = path.variance(left)
        settled = (
            max(
                np.abs(np.diagonal(narrower) / np.diagonal(P) - 1.0).max(),
                np.abs(now / variance - 1.0).max(),
            )
            < SETTLED
        )
        P, variance = 0.5 * (narrower + narrower.T), now
        going = moved_by >= STEADY or not settled
    # neighbours with similar errors carry the same information: fewer samples count
    counted = np.linalg.inv((A / (variance * path.alike(left))[:, None]).T @ A + weight)
    return Smoothed(mean * unit, counted * np.outer(unit, unit), drawn)
