"""Sets of parameters for studies.

Latin hypercube and Sobol samples of named distributions. Same seed, same sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from femu.support.arguments import typed, typed_class
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


class Distribution(Protocol):
    """What a parameter is drawn from: `quantile` is the inverse of its distribution function."""

    def quantile(self, share: Array) -> Array: ...


@typed_class
@dataclass(frozen=True)
class Uniform:
    """Any value between two bounds."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not (
            math.isfinite(self.lower) and math.isfinite(self.upper) and self.lower < self.upper
        ):
            raise InputError(
                "Uniform", "lower, upper", (self.lower, self.upper), "must be finite and rise"
            )

    def quantile(self, share: Array) -> Array:
        return self.lower + (self.upper - self.lower) * share


@typed_class
@dataclass(frozen=True)
class Normal:
    """Normal distribution, by its mean and standard deviation."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        if not (
            math.isfinite(self.mean) and math.isfinite(self.deviation) and self.deviation > 0.0
        ):
            raise InputError(
                "Normal", "deviation", self.deviation, "must be above 0, and the mean finite"
            )

    def quantile(self, share: Array) -> Array:
        from scipy.special import ndtri

        return self.mean + self.deviation * ndtri(share)


@typed_class
@dataclass(frozen=True)
class Lognormal:
    """Lognormal distribution, by its median and the standard deviation of the logarithm."""

    median: float
    dispersion: float

    def __post_init__(self) -> None:
        if not (
            self.median > 0.0
            and self.dispersion > 0.0
            and math.isfinite(self.median)
            and math.isfinite(self.dispersion)
        ):
            raise InputError(
                "Lognormal", "median, dispersion", (self.median, self.dispersion), "must be above 0"
            )

    def quantile(self, share: Array) -> Array:
        from scipy.special import ndtri

        return self.median * np.exp(self.dispersion * ndtri(share))


MOST_SAMPLES = 10**6


@typed
def latin_hypercube(
    vary: Mapping[str, Distribution], samples: int, seed: int
) -> list[dict[str, float]]:
    """Parameter sets in which each parameter takes one value from each of ``samples`` equally
    likely intervals."""
    from scipy.stats import qmc

    _check(vary, samples)
    return _sets(vary, qmc.LatinHypercube(len(vary), seed=_rng(seed)).random(samples))


@typed
def sobol(vary: Mapping[str, Distribution], samples: int, seed: int) -> list[dict[str, float]]:
    """Parameter sets from a scrambled Sobol sequence.

    Its balance needs a power of two as the number of samples.
    """
    from scipy.stats import qmc

    _check(vary, samples)
    if samples & (samples - 1):
        raise InputError(
            "sobol",
            "samples",
            samples,
            "must be a power of two",
            fix=f"use {1 << samples.bit_length()}",
        )
    return _sets(vary, qmc.Sobol(len(vary), scramble=True, seed=_rng(seed)).random(samples))


def _sets(vary: Mapping[str, Distribution], shares: Array) -> list[dict[str, float]]:
    # a share of exactly 0 has no finite normal quantile
    inside = np.clip(shares, 1e-12, 1.0 - 1e-12)
    columns = {
        name: distribution.quantile(inside[:, k])
        for k, (name, distribution) in enumerate(vary.items())
    }
    return [
        {name: float(values[row]) for name, values in columns.items()} for row in range(len(shares))
    ]


def _check(vary: Mapping[str, Distribution], samples: int) -> None:
    if not vary:
        raise InputError("sampling", "vary", vary, "must name one parameter or more")
    for name, distribution in vary.items():
        if not callable(getattr(distribution, "quantile", None)):
            raise InputError(
                "sampling",
                f"vary[{name!r}]",
                distribution,
                "must be a distribution",
                fix="use Normal(1.0, 0.1), for example",
            )
    if (
        isinstance(samples, bool)
        or not isinstance(samples, int)
        or not 1 <= samples <= MOST_SAMPLES
    ):
        raise InputError(
            "sampling", "samples", samples, f"must be a whole number from 1 to {MOST_SAMPLES}"
        )


def _rng(seed: int) -> np.random.Generator:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("sampling", "seed", seed, "must be a whole number of at least 0")
    return np.random.Generator(np.random.PCG64(int(seed)))
