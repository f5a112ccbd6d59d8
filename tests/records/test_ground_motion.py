"""The record itself: its facts, and what is made from it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from femu.records import GroundMotion
from femu.support.errors import InputError
from femu.units import g

RAMP = GroundMotion("ramp", 0.5, np.array([0.0, 1.0, -3.0, 2.0, 0.0]))


def test_el_centro_is_the_record_it_claims_to_be() -> None:
    quake = GroundMotion.el_centro()
    assert quake.acceleration.size == 1560
    assert quake.dt == 0.02
    assert quake.duration == pytest.approx(31.18, abs=1e-12)
    assert quake.pga / g == pytest.approx(0.31882, abs=1e-5)
    # the peak is sample 101 of the published table, which this file shifts by a leading zero
    assert int(np.abs(quake.acceleration).argmax()) == 101 + 1
    assert quake.acceleration[0] == 0.0


def test_facts_of_a_small_record() -> None:
    assert RAMP.pga == 3.0
    assert RAMP.duration == 2.0
    assert RAMP.times.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_at_is_linear_between_samples_and_zero_outside() -> None:
    assert RAMP.at(0.25) == 0.5
    assert RAMP.at(0.75) == -1.0
    assert isinstance(RAMP.at(0.25), float)
    constant = GroundMotion("constant", 1.0, np.array([2.0, 2.0]))
    assert constant.at([-1e-9, 0.0, 1.0, 1.0 + 1e-9]).tolist() == [0.0, 2.0, 2.0, 0.0]


@given(st.floats(1e-3, 100.0))
def test_scaled_to_a_peak_has_that_peak(peak: float) -> None:
    scaled = RAMP.scaled(pga=peak)
    assert scaled.pga == pytest.approx(peak, rel=1e-14)
    np.testing.assert_allclose(scaled.acceleration * RAMP.pga, RAMP.acceleration * peak, rtol=1e-14)


def test_scaled_by_a_factor() -> None:
    assert RAMP.scaled(factor=-2.0).acceleration.tolist() == [0.0, -2.0, 6.0, -4.0, 0.0]


@given(st.integers(1, 7))
def test_resampled_to_a_fraction_of_the_step_keeps_every_sample(parts: int) -> None:
    fine = RAMP.resampled(RAMP.dt / parts)
    np.testing.assert_allclose(fine.acceleration[::parts], RAMP.acceleration, atol=1e-14)
    np.testing.assert_allclose(
        fine.acceleration, RAMP.at(np.minimum(fine.times, RAMP.duration)), atol=1e-12
    )
    assert fine.duration == pytest.approx(RAMP.duration, rel=1e-14)


@given(st.floats(0.01, 2.0))
def test_resampled_never_goes_beyond_the_record(dt: float) -> None:
    other = RAMP.resampled(dt)
    assert other.duration <= RAMP.duration * (1 + 1e-8)
    assert other.duration > RAMP.duration - dt * (1 + 1e-8)
    assert other.pga <= RAMP.pga


def test_resampled_keeps_the_last_sample_where_rounding_would_lose_it() -> None:
    """0.7 = 7 × 0.1 is not exact in binary; the last sample stays."""
    record = GroundMotion("r", 0.1, np.arange(8.0))
    assert record.resampled(0.05).acceleration[-1] == 7.0
    assert record.resampled(0.1) == record


def test_trimmed_keeps_what_lies_between_and_starts_at_zero() -> None:
    piece = RAMP.trimmed(0.5, 1.5)
    assert piece.acceleration.tolist() == [1.0, -3.0, 2.0]
    assert piece.times[0] == 0.0
    assert RAMP.trimmed(0.4, 1.6) == piece
    assert RAMP.trimmed() == RAMP


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RAMP.dt = 1.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        RAMP.acceleration[0] = 1.0


def test_the_callers_array_is_left_alone() -> None:
    samples = np.array([0.0, 1.0])
    record = GroundMotion("r", 0.1, samples)
    samples[1] = 5.0
    assert record.acceleration[1] == 1.0


def test_equality_and_hash_follow_the_content() -> None:
    same = GroundMotion("ramp", 0.5, [0.0, 1.0, -3.0, 2.0, 0.0])  # type: ignore[arg-type]
    assert same == RAMP
    assert hash(same) == hash(RAMP)
    assert same != RAMP.scaled(factor=2.0)


def test_repr_is_one_short_line() -> None:
    assert repr(RAMP) == "GroundMotion('ramp': 5 samples, dt 0.5 s, 2 s, peak 3)"


@pytest.mark.parametrize("dt", [0.0, -0.01, float("nan"), float("inf"), "0.01", None])
def test_bad_step_is_refused(dt: object) -> None:
    with pytest.raises(InputError, match="dt"):
        GroundMotion("r", dt, np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="dt"):
        RAMP.resampled(dt)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "samples", [[], [1.0], [[1.0, 2.0]], [0.0, float("nan")], [0.0, float("inf")], ["a", "b"]]
)
def test_bad_samples_are_refused(samples: list[object]) -> None:
    with pytest.raises(InputError, match="acceleration"):
        GroundMotion("r", 0.01, samples)  # type: ignore[arg-type]


def test_scaling_wants_exactly_one_rule() -> None:
    for arguments in ({}, {"pga": 1.0, "factor": 1.0}):
        with pytest.raises(InputError, match="pga, factor"):
            RAMP.scaled(**arguments)
    for pga in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match=r"greater than zero|must be a number"):
            RAMP.scaled(pga=pga)
    with pytest.raises(InputError, match="factor"):
        RAMP.scaled(factor=float("inf"))
    with pytest.raises(InputError, match="every sample"):
        GroundMotion("still", 0.1, np.zeros(4)).scaled(pga=1.0)


@pytest.mark.parametrize(
    ("start", "end"), [(-1.0, 1.0), (1.0, 1.0), (1.5, 1.0), (0.1, 0.4), (5.0, 9.0)]
)
def test_bad_trim_is_refused(start: float, end: float) -> None:
    with pytest.raises(InputError):
        RAMP.trimmed(start, end)


def test_step_longer_than_the_record_is_refused() -> None:
    with pytest.raises(InputError, match="duration"):
        RAMP.resampled(3.0)
