"""Fragility: closed forms of the fit, recovery of a known curve, and the coverage of the band."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femu.batch import Fragility, fit_counts, fit_intervals
from femu.support.errors import AnalysisError, InputError

MEDIAN, DISPERSION = 8.0, 0.4


def drawn(count: int, seed: int) -> np.ndarray:
    return MEDIAN * np.exp(DISPERSION * np.random.default_rng(seed).standard_normal(count))


def test_narrow_intervals_give_mean_and_deviation_of_the_logarithm() -> None:
    x = drawn(30, 1)
    found = fit_intervals(x * (1 - 1e-5), x * (1 + 1e-5))
    assert math.log(found.median) == pytest.approx(np.log(x).mean(), abs=1e-5)
    assert found.dispersion == pytest.approx(np.log(x).std(), rel=1e-4)
    # variance of the estimated median of n draws, on the scale of eta at the median: 1 / n
    low, high = found.band(found.median, 0.6826894921)
    assert (high - low) / 2.0 == pytest.approx(0.3989 / math.sqrt(30), rel=0.02)


def test_wide_and_open_intervals_recover_the_curve() -> None:
    x = drawn(4000, 2)
    levels = np.array([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, np.inf])
    place = np.searchsorted(levels, x)
    found = fit_intervals(levels[place - 1], levels[place])
    assert found.median == pytest.approx(MEDIAN, rel=0.02)
    assert found.dispersion == pytest.approx(DISPERSION, rel=0.05)


def test_counts_recover_the_curve() -> None:
    levels = np.array([3.0, 5.0, 8.0, 12.0, 20.0])
    x = drawn(4000, 3)
    fallen = [(x < level).sum() for level in levels]
    found = fit_counts(levels, fallen, np.full(5, 4000))
    assert found.median == pytest.approx(MEDIAN, rel=0.02)
    assert found.dispersion == pytest.approx(DISPERSION, rel=0.05)
    assert found.probability(found.median) == pytest.approx(0.5, abs=1e-12)


def test_band_covers_as_often_as_it_says() -> None:
    inside = []
    for seed in range(150):
        x = drawn(40, 100 + seed)
        low, high = fit_intervals(x * 0.98, x * 1.02).band(MEDIAN, 0.9)
        inside.append(low <= 0.5 <= high)
    assert 0.82 <= np.mean(inside) <= 0.97  # three standard deviations of 150 trials around 0.9


def test_band_narrows_with_evidence() -> None:
    few, many = (fit_intervals(x * 0.99, x * 1.01) for x in (drawn(10, 5), drawn(400, 5)))
    at = np.array([5.0, 8.0, 12.0])
    assert np.all(np.subtract(*many.band(at)[::-1]) < np.subtract(*few.band(at)[::-1]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: fit_intervals([1.0, 2.0], [2.0, 3.0]), InputError),
        (lambda: fit_intervals([2.0] * 3, [1.0] * 3), InputError),
        (lambda: fit_intervals([1.0] * 4, [math.inf] * 4), AnalysisError),
        (lambda: fit_counts([1.0], [1], [2]), InputError),
        (lambda: fit_counts([1.0, 2.0], [0, 5], [5, 5]), AnalysisError),
        (lambda: fit_counts([1.0, 2.0], [6, 1], [5, 5]), InputError),
        (lambda: Fragility(1.0, 0.4, np.eye(2), 0.0).probability(-1.0), InputError),
        (lambda: Fragility(1.0, 0.4, np.eye(2), 0.0).band(1.0, 1.0), InputError),
    ],
)
def test_evidence_that_cannot_be_fitted_is_refused(call: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()  # type: ignore[operator]
