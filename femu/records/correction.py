"""Baseline correction and filtering of accelerations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from femu.support.errors import InputError

Array = NDArray[np.float64]
LARGEST_DEGREE = 6


def integral(values: Array, dt: float) -> Array:
    """Running integral by the trapezoidal rule, zero at the start.

    Exact for what is linear between samples.
    """
    out = np.zeros_like(values)
    np.cumsum(0.5 * dt * (values[1:] + values[:-1]), out=out[1:])
    return out


def velocity(acceleration: Array, dt: float) -> Array:
    """Velocity of the ground, from rest."""
    return integral(acceleration, dt)


def displacement(acceleration: Array, dt: float) -> Array:
    """Displacement of the ground, from rest.

    Exact for an acceleration that is linear between samples.
    """
    v = integral(acceleration, dt)
    out = np.zeros_like(v)
    np.cumsum(
        dt * v[:-1] + dt * dt * (2.0 * acceleration[:-1] + acceleration[1:]) / 6.0, out=out[1:]
    )
    return out


def without_baseline(acceleration: Array, dt: float, degree: int) -> Array:
    """Acceleration less the polynomial of time whose integral comes nearest to the velocity, in the
    mean square.

    The rule of Newmark (1973) for a parabolic baseline (degree 2), for any degree.
    """
    if isinstance(degree, bool) or not isinstance(degree, int) or not 0 <= degree <= LARGEST_DEGREE:
        raise InputError(
            "baseline correction",
            "degree",
            degree,
            f"must be a whole number from 0 to {LARGEST_DEGREE}",
        )
    x = np.linspace(0.0, 1.0, acceleration.size)  # time over duration: keeps the powers of one size
    duration = dt * (acceleration.size - 1)
    of_velocity = np.stack([duration * x ** (k + 1) / (k + 1) for k in range(degree + 1)], axis=1)
    coefficients, *_ = np.linalg.lstsq(of_velocity, velocity(acceleration, dt), rcond=None)
    return acceleration - np.stack([x**k for k in range(degree + 1)], axis=1) @ coefficients


def filtered(
    acceleration: Array, dt: float, low: float | None, high: float | None, order: int
) -> Array:
    """Acceleration between two frequencies (Hz): a Butterworth filter, forwards and backwards, with
    zeros at both ends.

    The zeros, 1.5 ``order / low`` seconds at each end (Boore 2005), let the filter die away; they
    are cut off again.
    """
    from scipy.signal import butter, sosfiltfilt

    highest = 0.5 / dt
    for name, value in (("low", low), ("high", high)):
        if value is not None and not (math.isfinite(value) and 0.0 < value < highest):
            raise InputError(
                "filter",
                name,
                value,
                f"must lie between 0 and half the sampling rate, {highest:g} Hz",
            )
    if low is None and high is None:
        raise InputError("filter", "low, high", (low, high), "must not both be omitted")
    if low is not None and high is not None and low >= high:
        raise InputError(
            "filter", "low, high", (low, high), "must rise", fix="give the lower frequency as low"
        )
    if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= 10:
        raise InputError("filter", "order", order, "must be a whole number from 1 to 10")
    kind = (
        "bandpass"
        if low is not None and high is not None
        else "highpass"
        if low is not None
        else "lowpass"
    )
    corners = [f for f in (low, high) if f is not None]
    sections = butter(
        order, corners if len(corners) == 2 else corners[0], kind, fs=1.0 / dt, output="sos"
    )
    padding = math.ceil(1.5 * order / min(corners) / dt)
    padded = np.concatenate([np.zeros(padding), acceleration, np.zeros(padding)])
    return np.ascontiguousarray(sosfiltfilt(sections, padded, padtype=None)[padding:-padding])
