"""Synthetic motions and suites scaled to a spectrum."""

from __future__ import annotations

import numpy as np
import pytest

from femu.records import (
    GroundMotion,
    peak_velocity,
    scaled_to_spectrum,
    spectrum_compatible,
    synthetic,
)
from femu.support.errors import InputError
from femu.units import g

PERIODS = np.geomspace(0.1, 3.0, 30)
TARGET = np.where(PERIODS < 0.5, 0.9 * g, 0.45 * g / PERIODS)


def test_same_seed_same_bits() -> None:
    assert synthetic(7) == synthetic(7)
    assert synthetic(7) != synthetic(8)
    assert synthetic(7).pga == pytest.approx(3.0, rel=1e-12)


def test_energy_lies_where_the_ground_filter_puts_it() -> None:
    spectra = {
        f: np.mean(
            [
                np.abs(np.fft.rfft(synthetic(s, ground_frequency=f).acceleration)) ** 2
                for s in range(8)
            ],
            axis=0,
        )
        for f in (1.5, 5.0)
    }
    frequency = np.fft.rfftfreq(3001, 0.01)
    centre = {f: (frequency * s).sum() / s.sum() for f, s in spectra.items()}
    assert centre[5.0] > 1.5 * centre[1.5]


def test_the_ground_comes_to_rest() -> None:
    from femu.records.correction import velocity

    motion = synthetic(1)
    assert abs(velocity(motion.acceleration, motion.dt)[-1]) < 0.1 * peak_velocity(motion)


def test_spectrum_compatible_motion_comes_near_its_target() -> None:
    found = spectrum_compatible(1, PERIODS, TARGET).spectrum(PERIODS).pseudo_acceleration
    off = np.log(found / TARGET)
    assert np.sqrt(np.mean(off**2)) < 0.05
    assert np.abs(off).max() < 0.2


@pytest.mark.parametrize("floor", [None, 0.9])
def test_mean_of_a_scaled_suite_meets_the_target(floor: float | None) -> None:
    suite = scaled_to_spectrum([synthetic(s) for s in range(5)], PERIODS, TARGET, floor=floor)
    mean = np.mean([m.spectrum(PERIODS).pseudo_acceleration for m in suite], axis=0)
    if floor is None:
        assert np.mean(np.log(mean / TARGET)) == pytest.approx(0.0, abs=1e-12)
    else:
        assert (mean / TARGET).min() == pytest.approx(floor, rel=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: synthetic(-1),
        lambda: synthetic(0, duration=0.0),
        lambda: synthetic(0, rise=40.0),
        lambda: synthetic(0, ground_damping=0.0),
        lambda: spectrum_compatible(0, PERIODS, TARGET[:3]),
        lambda: scaled_to_spectrum([], PERIODS, TARGET),
        lambda: scaled_to_spectrum([synthetic(0)], PERIODS, -TARGET),
        lambda: scaled_to_spectrum([GroundMotion("still", 0.01, np.zeros(500))], PERIODS, TARGET),
    ],
)
def test_bad_input_is_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]
