"""Bounded least squares over a whole record: the check that needs no prior and no filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from femu.identify.twin_response import Path
from femu.support.errors import AnalysisError
from femu.updating.unknown import Resolved

Array = npt.NDArray[np.float64]
EVALUATIONS = 100
INSIDE = 1e-6  # distance of the start to a bound, as a share of the distance between the bounds
FAR = 1e3  # misfit, in standard deviations, of values for which the twin has no answer
UNIDENTIFIABLE = (
    1e-10  # information, relative to the largest, below which a direction is not identifiable
)


class Polished(NamedTuple):
    """Values, their covariance, and how often the record was run with slopes."""

    mean: Array
    covariance: Array
    evaluations: int


def polish(path: Path, unknowns: Sequence[Resolved], start: Array) -> Polished:
    """Minimise Σ ((f - f_twin) / σ)² inside the bounds, with σ of each channel from the residual of
    the start.

    Parameters are scaled to fractions of the distance between their bounds, with the replay's
    central differences as slopes. The covariance is ``(J' (τ s²)⁻¹ J)⁻¹`` with the variance s² of
    what is left of each channel and the factor τ by which neighbours with similar errors make
    samples count less; it has no prior. What the record does not identify has the distance between
    the bounds as its standard deviation.
    """
    origin, scale = np.array([u.start for u in unknowns]), np.array([u.scale for u in unknowns])
    lower, upper = (
        (np.array([getattr(u, end) for u in unknowns]) - origin) / scale
        for end in ("lower", "upper")
    )
    sigma = np.sqrt(path.variance(path.left(start)))

    def values(x: Array) -> Array:
        return np.asarray(origin + x * scale)

    def misfit(x: Array) -> Array:
        try:
            return np.asarray(-path.left(values(x)) / sigma)
        except AnalysisError:  # a step to values for which the twin has no answer is undone
            return np.full(len(sigma), FAR)

    def slopes(x: Array) -> Array:
        return np.asarray(path.slopes(values(x)) * scale / sigma[:, None])

    first = np.clip((start - origin) / scale, lower + INSIDE, upper - INSIDE)
    found = least_squares(
        misfit, first, jac=slopes, bounds=(lower, upper), x_scale="jac", max_nfev=EVALUATIONS
    )
    mean = values(found.x)
    left = path.left(mean)
    J = path.slopes(mean) * scale / np.sqrt(path.variance(left) * path.alike(left))[:, None]
    information, directions = np.linalg.eigh(J.T @ J)
    bounded = np.maximum(
        information, max(float(information[-1]) * UNIDENTIFIABLE, np.finfo(float).tiny)
    )
    covariance = (directions / bounded) @ directions.T
    far = np.minimum(1.0 / np.sqrt(np.maximum(np.diagonal(covariance), np.finfo(float).tiny)), 1.0)
    return Polished(mean, covariance * np.outer(far * scale, far * scale), int(found.nfev))
