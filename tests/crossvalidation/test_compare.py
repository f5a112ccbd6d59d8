"""Differences between two sets of columns."""

from __future__ import annotations

import numpy as np
import pytest

from femu.opensees.comparison.case import Limit
from femu.opensees.comparison.compare import Columns, differences


def columns(values: np.ndarray, kinds: list[str]) -> Columns:
    return Columns(
        np.arange(len(values)) * 0.1, "t", kinds, [f"column {k}" for k in range(len(kinds))], values
    )


def test_finds_the_largest_and_where_and_when() -> None:
    ours = np.zeros((50, 2))
    ours[:, 0] = np.sin(np.arange(50.0))
    ours[:, 1] = 4.0
    theirs = ours.copy()
    theirs[30, 1] += 2e-6
    (found,) = differences([columns(ours, ["displacement", "displacement"])], [theirs])
    # of the peak of the kind, over both columns
    assert found.largest == pytest.approx(2e-6 / (4.0 + 2e-6))
    assert (found.where, found.when) == ("column 1", "t = 3")
    assert found.rms == pytest.approx(found.largest / np.sqrt(50.0))


def test_the_worst_kind_stands_first() -> None:
    ours = np.ones((5, 2))
    theirs = ours + np.array([[1e-9, 1e-5]])
    assert [
        d.kind for d in differences([columns(ours, ["displacement", "reaction"])], [theirs])
    ] == ["reaction", "displacement"]


def test_round_off_of_a_zero_is_not_compared() -> None:
    rng = np.random.default_rng(0)
    ours = np.stack([np.ones(20), 1e-15 * rng.normal(size=20)], axis=1)
    theirs = np.stack([np.ones(20), 1e-15 * rng.normal(size=20)], axis=1)
    assert [
        d.kind
        for d in differences([columns(ours, ["displacement", "rotation"])], [theirs], length=3.0)
    ] == ["displacement"]


def test_axial_force_is_measured_by_the_shear_beside_it() -> None:
    ours = np.stack([np.full(20, 1e5), np.zeros(20)], axis=1)
    theirs = ours + np.array([[0.0, 1e-7]])
    found = {
        d.kind: d.largest
        for d in differences([columns(ours, ["element force", "section force"])], [theirs])
    }
    assert found["section force"] == pytest.approx(1e-12)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_a_difference_without_bound(number: float) -> None:
    ours, theirs = np.ones((3, 1)), np.ones((3, 1))
    theirs[1] = number
    for mine, his in ((ours, theirs), (theirs, ours)):
        (found,) = differences([columns(mine, ["displacement"])], [his])
        assert found.largest == np.inf
        assert found.when == "t = 0.1"
        assert not Limit(1e-8).keeps(found)


def test_limits_say_what_they_are() -> None:
    assert str(Limit(1e-9)) == "within 1e-09"
    assert str(Limit(rms=0.03, of_peaks=0.01)) == "within rms 0.03, peaks 0.01"
