"""Fragility: the probability of collapse over intensity, as a lognormal curve fitted by maximum
likelihood.

P(collapse | x) = Phi(ln(x / median) / dispersion). Two kinds of evidence are fitted alike, with eta
= a + b ln x as the argument of Phi: intervals in which each record collapses (from an IDA; an upper
end of infinity says that a record did not collapse so far), and numbers of collapses among numbers
of runs at given intensities (from a suite; Baker 2015). The confidence band follows from the
observed information matrix of (a, b) by the delta method, on the scale of eta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.batch.ida import IDACurves
from femu.support.arguments import typed, typed_methods
from femu.support.errors import AnalysisError, InputError

Array = npt.NDArray[np.float64]
LEAST_DISPERSION = 1e-3


@typed_methods
@dataclass(frozen=True)
class Fragility:
    """A lognormal fragility curve."""

    median: float
    dispersion: float
    """Standard deviation of the logarithm (beta)."""
    covariance: npt.NDArray[np.float64]
    """Of the estimates of a and b, with Phi(a + b ln x) as the curve."""
    log_likelihood: float

    def probability(self, intensity: npt.ArrayLike) -> Array:
        """Probability of collapse at given intensities."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self._eta(intensity)))

    def band(self, intensity: npt.ArrayLike, confidence: float = 0.9) -> tuple[Array, Array]:
        """Lower and upper bound of the probability, each point by itself at the given confidence."""
        from scipy.special import ndtr, ndtri

        if not 0.0 < confidence < 1.0:
            raise InputError("Fragility.band", "confidence", confidence, "must lie between 0 and 1")
        self._eta(intensity)  # refuses what is not an intensity
        log = np.log(np.asarray(intensity, dtype=np.float64))
        c = self.covariance
        deviation = np.sqrt(np.maximum(c[0, 0] + 2.0 * c[0, 1] * log + c[1, 1] * log**2, 0.0))
        eta, width = self._eta(intensity), float(ndtri(0.5 + 0.5 * confidence)) * deviation
        return np.asarray(ndtr(eta - width)), np.asarray(ndtr(eta + width))

    def _eta(self, intensity: npt.ArrayLike) -> Array:
        x = np.asarray(intensity, dtype=np.float64)
        if not (np.isfinite(x) & (x > 0.0)).all():
            raise InputError("Fragility", "intensity", intensity, "must be finite numbers above 0")
        return np.asarray(np.log(x / self.median) / self.dispersion)


@typed
def fit_intervals(lower: npt.ArrayLike, upper: npt.ArrayLike) -> Fragility:
    """Fit to intervals (lower, upper], one per record, in which collapse occurs."""
    low, high = (np.asarray(v, dtype=np.float64).reshape(-1) for v in (lower, upper))
    if low.shape != high.shape or len(low) < 3 or not np.all((low >= 0.0) & (high > low)):
        raise InputError(
            "fit_intervals",
            "lower, upper",
            (lower, upper),
            "must be three rising intervals or more",
        )
    if np.isfinite(high).sum() < 2:
        raise AnalysisError(
            "fragility: fewer than two records collapse, so there is nothing to fit. Trace to "
            "higher intensity."
        )
    from scipy.special import log_ndtr

    with np.errstate(divide="ignore"):
        log_low, log_high = np.log(low), np.log(high)

    def of(a: float, b: float) -> float:
        upper_eta, lower_eta = a + b * log_high, a + b * log_low
        top, bottom = log_ndtr(upper_eta), log_ndtr(lower_eta)
        # log(Phi(u) - Phi(l)), from the side where both are small
        mirrored = lower_eta > 0.0
        top = np.where(mirrored, log_ndtr(-lower_eta), top)
        bottom = np.where(mirrored, log_ndtr(-upper_eta), bottom)
        return float(np.sum(top + np.log1p(-np.exp(np.minimum(bottom - top, -1e-15)))))

    known = np.isfinite(high)
    middle = np.log(
        np.where(low[known] > 0.0, np.sqrt(low[known] * high[known]), 0.5 * high[known])
    )
    return _fit(of, float(middle.mean()), float(max(middle.std(ddof=1), 0.05)))


@typed
def fit_counts(
    intensity: npt.ArrayLike, collapses: npt.ArrayLike, runs: npt.ArrayLike
) -> Fragility:
    """Fit to numbers of collapses among numbers of runs at each intensity."""
    x, k, n = (np.asarray(v, dtype=np.float64).reshape(-1) for v in (intensity, collapses, runs))
    if (
        not (x.shape == k.shape == n.shape)
        or len(x) < 2
        or not np.all((x > 0.0) & (k >= 0.0) & (k <= n) & (n > 0.0))
    ):
        raise InputError(
            "fit_counts",
            "intensity, collapses, runs",
            (intensity, collapses, runs),
            "must be two intensities or more, above 0, with 0 to all of their runs collapsed",
        )
    share = k / n
    if (
        not (share < 1.0).any()
        or not (share > 0.0).any()
        or np.unique(x[(share > 0.0) & (share < 1.0)]).size == 0
    ):
        raise AnalysisError(
            "fragility: no intensity has both collapsed and surviving runs, so the dispersion "
            "cannot be determined. Add intensities in between."
        )
    from scipy.special import log_ndtr

    log = np.log(x)

    def of(a: float, b: float) -> float:
        eta = a + b * log
        return float(np.sum(k * log_ndtr(eta) + (n - k) * log_ndtr(-eta)))

    return _fit(of, float(np.average(log, weights=share * (1.0 - share) + 1e-6)), 0.4)


@typed
def fit_curves(curves: IDACurves) -> Fragility:
    """Fit to the collapse intensities of an IDA; records that did not collapse count as such."""
    return fit_intervals(curves.standing, curves.collapse)


def _fit(log_likelihood: object, log_median: float, dispersion: float) -> Fragility:
    from scipy.optimize import minimize

    def cost(q: Array) -> float:
        b = math.exp(-q[1])
        value = -log_likelihood(-q[0] * b, b)  # type: ignore[operator]
        return value if math.isfinite(value) else 1e300

    found = minimize(
        cost,
        [log_median, math.log(dispersion)],
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000},
    )
    beta = max(math.exp(found.x[1]), LEAST_DISPERSION)
    a, b = -found.x[0] / beta, 1.0 / beta
    return Fragility(
        math.exp(found.x[0]), beta, _covariance(log_likelihood, a, b), -float(found.fun)
    )


def _covariance(log_likelihood: object, a: float, b: float) -> Array:
    """Inverse of the observed information, by central differences."""
    centre = np.array([a, b])
    steps = 1e-4 * np.maximum(np.abs(centre), 1e-2)
    information = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            ei, ej = steps * (np.arange(2) == i), steps * (np.arange(2) == j)
            corners = [
                log_likelihood(*(centre + s * ei + t * ej)) * s * t  # type: ignore[operator]
                for s in (-1.0, 1.0)
                for t in (-1.0, 1.0)
            ]
            information[i, j] = -sum(corners) / (4.0 * steps[i] * steps[j])
    try:
        covariance: Array = np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        covariance = np.full((2, 2), np.nan)
    if not np.isfinite(covariance).all() or covariance[0, 0] < 0.0 or covariance[1, 1] < 0.0:
        raise AnalysisError(
            "fragility: the data do not determine both median and dispersion. Add records or "
            "intensities."
        )
    return covariance
