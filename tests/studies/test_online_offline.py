"""The study of online against offline estimates: its specimens, and one of its comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from femu.studies import online_offline as study


@pytest.mark.parametrize("name", study.TWINS)
def test_twins_start_inside_bounds_that_hold_the_truth(name):
    case = study.Case(study.TWINS[name], study.PATHS[0], 0)
    for u, true in zip(case.updater.unknowns, case.true, strict=True):
        assert u.lower <= u.start <= u.upper and u.lower < true < u.upper
    assert 0 < case.first_yielding() < study.SAMPLES // 4
    noise = (case.y - case.exact).std(axis=0) / case.exact.std(axis=0)
    # the deviation of a deviation of 1500 numbers is 1.8 %
    np.testing.assert_allclose(noise, study.NOISE, rtol=0.08)


def test_a_spoilt_record_has_outliers_and_gaps_that_least_squares_is_not_given():
    case = study.Case(study.TWINS["modified IMK"], study.PATHS[0], 3, spoilt=True)
    left = np.abs(case.y - case.exact)
    assert (left[case.usable] < 5.0 * case.sigma).all()
    wrong = left[~case.usable]
    assert (wrong[np.isfinite(wrong)] > 90.0 * case.sigma).all()
    # 1500 samples, three deviations of their numbers
    assert np.isnan(case.y).mean() == pytest.approx(study.MISSING, abs=0.024)


def test_the_identified_path_is_as_good_as_that_of_least_squares():
    found = study.Case(study.TWINS["modified IMK"], "cycles", 2).compare(2)
    assert (found.ratios <= study.MEDIAN).all()
    assert found.covered.mean() >= 0.7


@pytest.mark.parametrize(
    ("name", "kind", "seed", "samples"),
    [("trilinear pinching", "cycles", 2, 649), ("quadrilinear pinching", "first storey", 0, 115)],
)
def test_a_wrong_minimum_is_left(name, kind, seed, samples):
    """Parameters not yet known, and a large residual that is no outlier but a new branch."""
    case = study.Case(study.TWINS[name], kind, seed)
    case.updater.start()
    case.updater.run(case.t[:samples], case.d[:samples], case.y[:samples])
    found = np.array(list(case.updater.values.values()))
    best = case.offline(samples, found)
    assert case.error(found, samples) <= study.WORST * case.error(best, samples)
