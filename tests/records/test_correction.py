"""Baseline and filter: what was added is taken out, and what belongs there stays."""

from __future__ import annotations

import numpy as np
import pytest

from femu.records import GroundMotion, peak_displacement
from femu.records.correction import velocity
from femu.support.errors import InputError


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_a_polynomial_baseline_is_taken_out(degree: int) -> None:
    quake = GroundMotion.el_centro().baseline_corrected(degree)
    t = quake.times / quake.duration
    bent = GroundMotion("bent", quake.dt, quake.acceleration + 0.3 * t**degree - 0.1)
    np.testing.assert_allclose(
        bent.baseline_corrected(degree).acceleration, quake.acceleration, atol=1e-5
    )


def test_correction_brings_the_velocity_nearest_to_zero() -> None:
    quake = GroundMotion.el_centro()
    better = quake.baseline_corrected(2)
    mean_square = np.mean(velocity(better.acceleration, better.dt) ** 2)
    assert mean_square < np.mean(velocity(quake.acceleration, quake.dt) ** 2)
    for shift in (-1e-3, 1e-3):
        assert mean_square < np.mean(velocity(better.acceleration + shift, better.dt) ** 2)


def test_filter_keeps_what_lies_inside_and_takes_out_the_rest() -> None:
    t = 0.005 * np.arange(8001)
    window = np.sin(np.pi * t / t[-1]) ** 2
    inside, slow, fast = (window * np.sin(2 * np.pi * f * t) for f in (2.0, 0.03, 60.0))
    found = GroundMotion("sum", 0.005, inside + slow + fast).filtered(0.2, 25.0)
    assert np.abs(found.acceleration - inside).max() < 0.01  # no shift in time either
    assert peak_displacement(found) < 0.2 * peak_displacement(
        GroundMotion("slow", 0.005, inside + slow)
    )


def test_half_is_left_at_the_corner() -> None:
    t = 0.005 * np.arange(20001)
    found = GroundMotion("corner", 0.005, np.sin(2 * np.pi * 2.0 * t)).filtered(high=2.0)
    middle = found.acceleration[8000:12000]
    assert np.abs(middle).max() == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"low": 0.0}, {"high": 25.0}, {"low": 5.0, "high": 1.0}, {"low": 1.0, "order": 0}],
)
def test_bad_corners_are_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InputError):
        GroundMotion.el_centro().filtered(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("degree", [-1, 7, 1.5, True])
def test_bad_degree_is_refused(degree: object) -> None:
    with pytest.raises(InputError, match="degree"):
        GroundMotion.el_centro().baseline_corrected(degree)  # type: ignore[arg-type]
