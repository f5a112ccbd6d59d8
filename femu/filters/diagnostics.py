"""Is a filter to be believed? Consistency, whiteness, identifiability and likelihood of a run.

- **NIS** ν'S⁻¹ν and **NEES** (x-x̂)'P⁻¹(x-x̂) follow χ² with as many degrees as channels or states
  if the filter is consistent; their averages over a run must lie within a band (Bar-Shalom, Li,
  Kirubarajan 2001). Above the band the filter is overconfident, below it underconfident.
- **Whiteness**: innovations of an optimal filter are uncorrelated. The share of autocorrelations
  inside ±1.96/√N should be about 0.95, and the portmanteau statistic of Ljung and Box (1978) not
  extreme.
- **Identifiable parameters**: Σ (1 - λ_i) with λ_i the eigenvalues of P₀⁻½ P P₀⁻½, the fraction of
  prior variance that is left (MacKay 1992). A direction that the data determine counts 1, one they
  say nothing about counts 0.
- **Log-likelihood**: Σ log N(ν; 0, S), for comparing models and settings on one record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from femu.filters.covariance import correlation, inverse
from femu.filters.estimate import History
from femu.support.arguments import as_numbers
from femu.support.errors import InputError


@dataclass(frozen=True)
class Consistency:
    """Average of a χ² statistic with its band."""

    average: float
    low: float
    high: float
    samples: int

    @property
    def consistent(self) -> bool:
        return self.low <= self.average <= self.high

    @property
    def verdict(self) -> str:
        if self.consistent:
            return "The filter is consistent: its covariance fits its errors."
        if self.average > self.high:
            return "The filter trusts itself too much: its errors are larger than its covariance says."
        return "The filter trusts itself too little: its errors are smaller than its covariance says."


def _band(values: np.ndarray, degrees: np.ndarray, probability: float) -> Consistency:
    total = float(degrees.sum())
    if total == 0:
        raise InputError("consistency", "history", len(values), "has no measured step")
    tail = 0.5 * (1.0 - probability)
    count = len(values)
    return Consistency(float(values.mean()), float(chi2.ppf(tail, total) / count),
                       float(chi2.ppf(1.0 - tail, total) / count), count)


def _check_probability(what: str, probability: float) -> None:
    if not 0.0 < probability < 1.0:
        raise InputError(what, "probability", probability, "must lie between 0 and 1")


def _indices(what: str, given: Any, count: int, argument: str = "states") -> np.ndarray:
    """Places from 0 to count - 1."""
    found = as_numbers(what, argument, given)
    if found.ndim != 1 or not len(found) or not ((found == np.floor(found)) & (found >= 0) & (found < count)).all():
        raise InputError(what, argument, given, f"must name some of 0 to {count - 1}")
    return found.astype(int)


def nis(history: History, skip: int = 0, probability: float = 0.95) -> Consistency:
    """Average normalised innovation squared, without the first ``skip`` steps."""
    _check_probability("nis", probability)
    values, innovation = history.nis[skip:], history.innovation[skip:]
    used = np.isfinite(values)
    return _band(values[used], np.isfinite(innovation[used]).sum(axis=1), probability)


def nees(history: History, truth: Any, skip: int = 0, probability: float = 0.95,
         states: Any = None) -> Consistency:
    """Average normalised estimation error squared against the true states (steps × n), for chosen
    ``states``.

    Estimation errors of neighbouring steps are correlated, unlike innovations: the band counts only
    as many samples as are independent.
    """
    true = as_numbers("nees", "truth", truth)
    n = history.mean.shape[1]
    _check_probability("nees", probability)
    chosen = np.arange(n) if states is None else _indices("nees", states, n)
    if true.shape != history.mean.shape:
        raise InputError("nees", "truth", true.shape, "must have the shape of the history, "
                                                      f"{history.mean.shape}")
    error = (history.mean - true)[skip:, chosen]
    P = history.covariance[skip:][:, chosen][:, :, chosen]
    if not len(error):
        raise InputError("nees", "skip", skip, f"must be below the number of steps, {len(true)}")
    values = np.array([e @ inverse(spread) @ e for e, spread in zip(error, P, strict=True)])
    count = max(len(values) / correlation_time(values), 1.0)
    tail, degrees = 0.5 * (1.0 - probability), count * len(chosen)
    return Consistency(float(values.mean()), float(chi2.ppf(tail, degrees) / count),
                       float(chi2.ppf(1.0 - tail, degrees) / count), int(count))


def correlation_time(series: np.ndarray) -> float:
    """Number of steps that count as one independent sample.

    1 + 2 Σ ρ(lag), up to the first ρ below 0.05.
    """
    away = series - series.mean()
    power = float(away @ away)
    total = 1.0
    for lag in range(1, len(series) // 2):
        rho = float(away[lag:] @ away[:-lag]) / power if power > 0.0 else 0.0
        if rho < 0.05:
            break
        total += 2.0 * rho
    return total


@dataclass(frozen=True)
class Whiteness:
    """Autocorrelation of the normalised innovations of one channel."""

    autocorrelation: np.ndarray  # at lags 1, 2, ...
    limit: float  # 1.96/√N
    portmanteau: float  # Ljung-Box statistic
    probability: float  # of a larger statistic if the innovations are white

    @property
    def share_inside(self) -> float:
        """Share of lags whose autocorrelation lies inside the limit (about 0.95 if white)."""
        return float(np.mean(np.abs(self.autocorrelation) <= self.limit))


def whiteness(history: History, channel: int = 0, lags: int = 20, skip: int = 0) -> Whiteness:
    """Whiteness of the innovations of a channel, each divided by its predicted standard deviation.
    """
    _indices("whiteness", [channel], history.innovation.shape[1], "channel")
    if lags < 1:
        raise InputError("whiteness", "lags", lags, "must be at least 1")
    spread = np.sqrt(history.innovation_covariance[skip:, channel, channel])
    series = history.innovation[skip:, channel] / spread
    series = series[np.isfinite(series)]
    count = len(series)
    if count <= lags + 1:
        raise InputError("whiteness", "lags", lags, "must be below the number of measured steps, "
                                                    f"{count}")
    series = series - series.mean()
    power = float(series @ series)
    if power == 0.0:
        raise InputError("whiteness", "history", channel, "has innovations that never change in "
                                                          "this channel")
    r = np.array([series[lag:] @ series[:-lag] / power for lag in range(1, lags + 1)])
    statistic = count * (count + 2.0) * float(np.sum(r**2 / (count - np.arange(1, lags + 1))))
    return Whiteness(r, 1.96 / np.sqrt(count), statistic, float(chi2.sf(statistic, lags)))


def identifiable_parameters(prior: Any, posterior: Any) -> float:
    """Effective number of parameters that the data determine, from prior and posterior covariance.
    """
    before = as_numbers("identifiable_parameters", "prior", prior)
    after = as_numbers("identifiable_parameters", "posterior", posterior)
    if before.ndim != 2 or before.shape[0] != before.shape[1]:
        raise InputError("identifiable_parameters", "prior", before.shape,
                         "must be a square matrix")
    if before.shape != after.shape:
        raise InputError("identifiable_parameters", "posterior", after.shape, "must have the shape "
                                                                              f"{before.shape}")
    C, scale = correlation(before)
    values, vectors = np.linalg.eigh(C)
    keep = values > values.max(initial=0.0) * 1e-14
    whiten = vectors[:, keep] / np.sqrt(values[keep]) / scale[:, None]
    left = np.linalg.eigvalsh(whiten.T @ after @ whiten)
    return float(np.sum(1.0 - np.clip(left, 0.0, 1.0)))


def log_likelihood(history: History) -> float:
    """Log-likelihood of all measurements of a run."""
    return history.log_likelihood
