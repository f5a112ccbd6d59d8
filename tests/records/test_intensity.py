"""Intensity measures: closed forms, and eqsig where it defines the same thing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid

from femu.records import (
    GroundMotion,
    arias_intensity,
    cumulative_absolute_velocity,
    housner_intensity,
    peak_displacement,
    peak_velocity,
    significant_duration,
)
from femu.support.errors import InputError
from femu.units import g

EQSIG_G = 9.81  # eqsig rounds the acceleration of gravity


def constant(a: float = 2.0, seconds: float = 4.0) -> GroundMotion:
    return GroundMotion("constant", 0.01, np.full(round(seconds / 0.01) + 1, a))


def test_constant_acceleration_has_closed_forms() -> None:
    motion = constant()
    assert arias_intensity(motion) == pytest.approx(math.pi / (2.0 * g) * 16.0, rel=1e-12)
    assert significant_duration(motion) == pytest.approx(0.9 * 4.0, rel=1e-9)
    assert significant_duration(motion, 0.05, 0.75) == pytest.approx(0.7 * 4.0, rel=1e-9)
    assert cumulative_absolute_velocity(motion) == pytest.approx(8.0, rel=1e-12)
    assert peak_velocity(motion) == pytest.approx(8.0, rel=1e-12)
    assert peak_displacement(motion) == pytest.approx(16.0, rel=1e-12)


def test_equal_to_eqsig() -> None:
    eqsig = pytest.importorskip("eqsig")
    quake = GroundMotion.el_centro()
    theirs = eqsig.AccSignal(quake.acceleration, quake.dt)
    assert arias_intensity(quake) == pytest.approx(
        eqsig.im.calc_arias_intensity(theirs)[-1] * EQSIG_G / g, rel=1e-3
    )
    assert significant_duration(quake) == pytest.approx(eqsig.im.calc_sig_dur(theirs), rel=1e-3)
    assert cumulative_absolute_velocity(quake) == pytest.approx(
        eqsig.im.calc_cav(theirs)[-1], rel=1e-3
    )


def test_housner_intensity_is_the_area_under_the_pseudo_velocity() -> None:
    quake = GroundMotion.el_centro()
    periods = np.linspace(0.1, 2.5, 1201)
    area = trapezoid(quake.spectrum(periods).pseudo_velocity, periods)
    assert housner_intensity(quake) == pytest.approx(area, rel=1e-3)


def test_still_ground_and_bad_shares_are_refused() -> None:
    with pytest.raises(InputError, match="zero"):
        significant_duration(GroundMotion("still", 0.01, np.zeros(100)))
    with pytest.raises(InputError, match="rise"):
        significant_duration(constant(), 0.9, 0.1)
