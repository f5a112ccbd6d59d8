"""Intensity measures of a record.

Accelerations in m/s²; integrals by the trapezoidal rule over the samples.
"""

from __future__ import annotations

import math

import numpy as np

from femu.records.correction import Array, displacement, integral, velocity
from femu.records.ground_motion import GroundMotion
from femu.support.arguments import typed
from femu.support.errors import InputError
from femu.units import g

HOUSNER_PERIODS = np.linspace(0.1, 2.5, 241)


def arias_build_up(motion: GroundMotion) -> Array:
    """Arias intensity so far at each sample: pi / (2 g) times the integral of a² (m/s)."""
    return math.pi / (2.0 * g) * integral(motion.acceleration**2, motion.dt)


@typed
def arias_intensity(motion: GroundMotion) -> float:
    """Arias intensity (1970), m/s."""
    return float(arias_build_up(motion)[-1])


@typed
def significant_duration(motion: GroundMotion, start: float = 0.05, end: float = 0.95) -> float:
    """Time from the first instant with more than `start` of the Arias intensity to that with `end`
    of it (s).

    Trifunac and Brady (1975) use 5 % and 95 %, which is the default; 5 % to 75 % is the other
    common choice.
    """
    if not 0.0 <= start < end <= 1.0:
        raise InputError(
            "significant_duration", "start, end", (start, end), "must rise between 0 and 1"
        )
    build_up = arias_build_up(motion)
    if build_up[-1] == 0.0:
        raise InputError(
            "significant_duration", "motion", motion, "has no strong part: every sample is zero"
        )
    first, last = (
        float(np.interp(share * build_up[-1], build_up, motion.times)) for share in (start, end)
    )
    return last - first


@typed
def cumulative_absolute_velocity(motion: GroundMotion) -> float:
    """Integral of ``|a|`` (m/s)."""
    return float(integral(np.abs(motion.acceleration), motion.dt)[-1])


@typed
def housner_intensity(motion: GroundMotion, damping: float = 0.05) -> float:
    """Integral of the pseudo-velocity over the periods from 0.1 to 2.5 s (m)."""
    spectrum = motion.spectrum(HOUSNER_PERIODS, damping)
    return float(integral(spectrum.pseudo_velocity, HOUSNER_PERIODS[1] - HOUSNER_PERIODS[0])[-1])


@typed
def peak_velocity(motion: GroundMotion) -> float:
    """Peak ground velocity from rest (m/s).

    A record with a drifting baseline has to be corrected first.
    """
    return float(np.abs(velocity(motion.acceleration, motion.dt)).max())


@typed
def peak_displacement(motion: GroundMotion) -> float:
    """Peak ground displacement from rest (m).

    A record with a drifting baseline has to be corrected first.
    """
    return float(np.abs(displacement(motion.acceleration, motion.dt)).max())
