"""Elastic response spectra, and those of pairs over all directions.

The oscillator of period T and damping ratio z under base acceleration a_g(t), linear between
samples ::

    u'' + 2 z w u' + w² u = -a_g(t),      w = 2 pi / T

is integrated exactly from sample to sample (Nigam and Jennings 1969). Steps longer than T / 20 are
divided, and the peak between two instants is that of the cubic through both values and slopes, so
that short periods lose nothing. Pseudo-velocity is w times the peak displacement,
pseudo-acceleration w² times it.

RotD50 and RotD100 (Boore 2010) of a pair are the median and the largest, over the directions in the
horizontal plane, of the peak of the oscillator in that direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from femu.kernels import compiled, inlined, routine
from femu.support.arguments import typed
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.records.ground_motion import GroundMotion

Array = NDArray[np.float64]
STEPS_A_PERIOD = 20
DIRECTIONS = 180  # one per degree

DEFAULT_PERIODS = np.geomspace(0.05, 5.0, 100)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Peaks of elastic oscillators, one entry per period."""

    periods: Array
    damping: float
    displacement: Array
    """Relative displacement (m)."""
    velocity: Array
    """Relative velocity (m/s)."""
    acceleration: Array
    """Absolute acceleration (m/s²)."""

    @property
    def pseudo_velocity(self) -> Array:
        """w times the displacement."""
        return 2.0 * np.pi / self.periods * self.displacement

    @property
    def pseudo_acceleration(self) -> Array:
        """w² times the displacement: the Sa of the codes."""
        return (2.0 * np.pi / self.periods) ** 2 * self.displacement


@inlined
def _transition(w, z, h):
    """u1 = a11 u0 + a12 v0 + b11 p0 + b12 p1, likewise v1, for u'' + 2zw u' + w² u = p, p linear
    over h."""
    wd = w * math.sqrt(1.0 - z * z)
    e, s, c = math.exp(-z * w * h), math.sin(wd * h), math.cos(wd * h)
    r = z * w / wd
    a11, a12 = e * (r * s + c), e * s / wd
    a21, a22 = -w * w / wd * e * s, e * (c - r * s)
    k = 1.0 / (w * w)
    q = 2.0 * z / (w * h)
    f = (1.0 - 2.0 * z * z) / (wd * h)
    b11 = k * (q + e * ((f - r) * s - (1.0 + q) * c))
    b12 = k * (1.0 - q + e * (q * c - f * s))
    b21 = k * (-1.0 / h + e * ((w * w / wd + r / h) * s + c / h))
    b22 = k / h * (1.0 - e * (r * s + c))
    return a11, a12, a21, a22, b11, b12, b21, b22


@routine
def _between(u0, v0, u1, v1, h):
    """Largest |u| of the cubic through two values and slopes, if its slope changes sign between
    them."""
    # slope: a x² + b x + c over x = 0 .. 1
    a = 3.0 * (2.0 * (u0 - u1) + h * (v0 + v1))
    b = 2.0 * (3.0 * (u1 - u0) - h * (2.0 * v0 + v1))
    c = h * v0
    best = 0.0
    root = b * b - 4.0 * a * c
    if root < 0.0:
        return best
    q = -0.5 * (b + math.copysign(math.sqrt(root), b))
    for x in (q / a if a != 0.0 else -1.0, c / q if q != 0.0 else -1.0):
        if 0.0 < x < 1.0:
            best = max(best, abs(u0 + x * (c + x * (0.5 * b + x * a / 3.0))))
    return best


@routine
def _respond(ground, parts, w, z, dt, u_out, v_out, a_out):
    """History of the oscillator at every part of every step."""
    h = dt / parts
    a11, a12, a21, a22, b11, b12, b21, b22 = _transition(w, z, h)
    u, v = 0.0, 0.0
    u_out[0], v_out[0], a_out[0] = 0.0, 0.0, 0.0
    k = 0
    for i in range(len(ground) - 1):
        for j in range(parts):
            p0 = -(ground[i] + (ground[i + 1] - ground[i]) * (j / parts))
            p1 = -(ground[i] + (ground[i + 1] - ground[i]) * ((j + 1) / parts))
            u, v = a11 * u + a12 * v + b11 * p0 + b12 * p1, a21 * u + a22 * v + b21 * p0 + b22 * p1
            k += 1
            u_out[k], v_out[k], a_out[k] = u, v, -2.0 * z * w * v - w * w * u
    return h


@routine
def _parts(period, dt):
    return max(1, math.ceil(STEPS_A_PERIOD * dt / period - 1e-9))


@compiled
def _peaks(ground, dt, periods, z, out):
    """Rows of peak displacement, velocity and absolute acceleration."""
    for n in range(len(periods)):
        w = 2.0 * math.pi / periods[n]
        parts = _parts(periods[n], dt)
        size = (len(ground) - 1) * parts + 1
        u, v, a = np.empty(size), np.empty(size), np.empty(size)
        h = _respond(ground, parts, w, z, dt, u, v, a)
        top, top_v, top_a = 0.0, 0.0, 0.0
        for k in range(size):
            top, top_v, top_a = max(top, abs(u[k])), max(top_v, abs(v[k])), max(top_a, abs(a[k]))
        for k in range(size - 1):
            if v[k] * v[k + 1] < 0.0:
                top = max(top, _between(u[k], v[k], u[k + 1], v[k + 1], h))
        out[0, n], out[1, n], out[2, n] = top, top_v, top_a


@compiled
def _rotated(first, second, dt, periods, z, angles, out):
    """Peak displacement of each oscillator in each direction."""
    for n in range(len(periods)):
        w = 2.0 * math.pi / periods[n]
        parts = _parts(periods[n], dt)
        size = (len(first) - 1) * parts + 1
        x, y, v, a = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
        vy = np.empty(size)
        h = _respond(first, parts, w, z, dt, x, v, a)
        _respond(second, parts, w, z, dt, y, vy, a)
        for d in range(len(angles)):
            c, s = math.cos(angles[d]), math.sin(angles[d])
            top, at = 0.0, 0
            for k in range(size):
                value = abs(c * x[k] + s * y[k])
                if value > top:
                    top, at = value, k
            best = top
            for k in range(max(at - 1, 0), min(at + 1, size - 1)):
                best = max(
                    best,
                    _between(
                        c * x[k] + s * y[k],
                        c * v[k] + s * vy[k],
                        c * x[k + 1] + s * y[k + 1],
                        c * v[k + 1] + s * vy[k + 1],
                        h,
                    ),
                )
            out[n, d] = best


def checked_periods(periods: ArrayLike | None) -> Array:
    """Periods as an array, or an error."""
    values = np.array(DEFAULT_PERIODS if periods is None else periods, dtype=np.float64).reshape(-1)
    if not values.size or not np.isfinite(values).all() or values.min() <= 0.0:
        raise InputError(
            "spectrum", "periods", periods, "must be numbers above 0", fix="give periods in seconds"
        )
    return values


def checked_damping(damping: float) -> float:
    """Damping ratio, or an error."""
    if not (isinstance(damping, (int, float)) and 0.0 <= damping < 1.0):
        raise InputError(
            "spectrum", "damping", damping, "must lie from 0 to below 1", fix="write 0.05 for 5 %"
        )
    return float(damping)


@typed
def response_spectrum(
    motion: GroundMotion, periods: ArrayLike | None = None, damping: float = 0.05
) -> Spectrum:
    """Elastic response spectrum of a record (periods in s, by default 100 from 0.05 to 5 s)."""
    at, ratio = checked_periods(periods), checked_damping(damping)
    peaks = np.empty((3, at.size))
    _peaks(motion.acceleration, motion.dt, at, ratio, peaks)
    return Spectrum(at, ratio, *peaks)


@typed
def rotated_spectrum(
    first: GroundMotion,
    second: GroundMotion,
    periods: ArrayLike | None = None,
    damping: float = 0.05,
    percentiles: tuple[float, ...] = (50.0, 100.0),
) -> Array:
    """Pseudo-acceleration of a pair of horizontal components over all directions: one row per
    percentile (RotDnn).

    ::

        rotd50, rotd100 = rotated_spectrum(north, east, periods)
    """
    at, ratio = checked_periods(periods), checked_damping(damping)
    if first.dt != second.dt or first.acceleration.size != second.acceleration.size:
        raise InputError(
            "rotated_spectrum",
            "second",
            second,
            f"must have the samples of the first: {first!r}",
            fix="trim and resample the pair alike",
        )
    if not percentiles or not all(0.0 <= p <= 100.0 for p in percentiles):
        raise InputError(
            "rotated_spectrum", "percentiles", percentiles, "must be numbers from 0 to 100"
        )
    angles = np.arange(DIRECTIONS) * (np.pi / DIRECTIONS)
    peaks = np.empty((at.size, DIRECTIONS))
    _rotated(first.acceleration, second.acceleration, first.dt, at, ratio, angles, peaks)
    return (2.0 * np.pi / at) ** 2 * np.percentile(peaks, percentiles, axis=1)
