"""Synthetic ground motions: filtered white noise under an envelope, plain or fitted to a spectrum.
Same seed, same bits.

White noise passes the ground filter of Kanai (1957) and Tajimi (1960), an oscillator of frequency
``ground_frequency`` and damping ``ground_damping``, and the second filter of Clough and Penzien
(1975), which takes out the lowest frequencies. The envelope (Jennings, Housner and Tsai 1968) rises
as t², holds, and falls exponentially.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from femu.records.correction import without_baseline
from femu.records.ground_motion import GroundMotion
from femu.records.spectrum import checked_periods
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = NDArray[np.float64]
LOW_FREQUENCY, LOW_DAMPING = 0.2, 0.6  # Hz; the second filter of Clough and Penzien
AT_THE_END = 0.05  # of the envelope's height


@typed
def synthetic(
    seed: int,
    *,
    duration: float = 30.0,
    dt: float = 0.01,
    pga: float = 3.0,
    ground_frequency: float = 2.5,
    ground_damping: float = 0.6,
    rise: float = 4.0,
    strong: float = 10.0,
) -> GroundMotion:
    """A motion of filtered white noise, scaled to `pga` (m/s²)."""
    times = _times(duration, dt)
    for name, value in (("ground_frequency", ground_frequency), ("ground_damping", ground_damping)):
        if not (math.isfinite(value) and value > 0.0):
            raise InputError("synthetic", name, value, "must be above 0")
    noise = _generator(seed).standard_normal(times.size)
    padded = 2 * times.size  # zeros after the noise keep its end from wrapping into its start
    frequency = np.asarray(np.fft.rfftfreq(padded, dt), dtype=np.float64)
    shaped = np.fft.irfft(
        np.multiply(
            np.fft.rfft(noise, padded), _ground(frequency, ground_frequency, ground_damping)
        )
    )
    samples = shaped[: times.size] * envelope(times, rise, strong)
    return GroundMotion(f"synthetic {seed}", dt, without_baseline(samples, dt, 2)).scaled(pga=pga)


@typed
def spectrum_compatible(
    seed: int,
    periods: ArrayLike,
    target: ArrayLike,
    *,
    duration: float = 30.0,
    dt: float = 0.01,
    damping: float = 0.05,
    rounds: int = 12,
) -> GroundMotion:
    """A motion whose pseudo-acceleration spectrum comes near to a target (m/s²) over the given
    periods.

    Starts from `synthetic`; in each round the Fourier amplitudes are multiplied by target over
    spectrum at their period, with the phases kept. Of all rounds the one that fits best is
    returned.
    """
    at = checked_periods(periods)
    wanted = np.array(target, dtype=np.float64).reshape(-1)
    if wanted.shape != at.shape or not np.isfinite(wanted).all() or wanted.min() <= 0.0:
        raise InputError(
            "spectrum_compatible",
            "periods, target",
            (periods, target),
            "must have equal lengths, the targets above 0",
        )
    order = np.argsort(at)
    at, wanted = at[order], wanted[order]
    if not 0 <= rounds <= MOST_ROUNDS:
        raise InputError(
            "spectrum_compatible",
            "rounds",
            rounds,
            f"must be a whole number from 0 to {MOST_ROUNDS}",
        )
    motion = synthetic(seed, duration=duration, dt=dt)
    samples, best, error = motion.acceleration.copy(), motion.acceleration, math.inf
    frequency = np.fft.rfftfreq(samples.size, dt)
    fourier_period = 1.0 / np.maximum(frequency, 1e-9)
    shape = envelope(motion.times, 4.0, 10.0)
    for _ in range(rounds):
        ratio = (
            wanted / GroundMotion("trial", dt, samples).spectrum(at, damping).pseudo_acceleration
        )
        off = float(np.sqrt(np.mean(np.log(ratio) ** 2)))
        if off < error:
            best, error = samples, off
        # beyond the wanted periods the ratio of the nearest one holds
        gain = np.exp(np.interp(np.log(fourier_period), np.log(at), np.log(ratio)))
        samples = np.fft.irfft(gain * np.fft.rfft(samples), samples.size)
        samples = without_baseline(samples * np.minimum(1.0, 20.0 * shape), dt, 2)
    return GroundMotion(f"spectrum compatible {seed}", dt, best)


def envelope(times: Array, rise: float, strong: float) -> Array:
    """Rises as t² over `rise` seconds, holds for `strong` seconds, then falls to 5 % at the last
    time."""
    if not (rise > 0.0 and strong >= 0.0 and rise + strong < times[-1]):
        raise InputError(
            "synthetic",
            "rise, strong",
            (rise, strong),
            f"must fit into the duration of {times[-1]:g} s",
        )
    fall = -math.log(AT_THE_END) / (times[-1] - rise - strong)
    after = np.exp(-fall * np.maximum(0.0, times - rise - strong))
    return np.minimum(1.0, times / rise) ** 2 * after


def _ground(
    frequency: Array, ground_frequency: float, ground_damping: float
) -> NDArray[np.complex128]:
    """Transfer function from white noise to ground acceleration."""
    r = frequency / ground_frequency
    tajimi = (1.0 + 2j * ground_damping * r) / (1.0 - r**2 + 2j * ground_damping * r)
    low = frequency / LOW_FREQUENCY
    return tajimi * (-(low**2)) / (1.0 - low**2 + 2j * LOW_DAMPING * low)


MOST_SAMPLES, MOST_ROUNDS = 10**8, 1000


def _times(duration: float, dt: float) -> Array:
    if not (math.isfinite(duration) and math.isfinite(dt) and 0.0 < dt < duration):
        raise InputError(
            "synthetic", "duration, dt", (duration, dt), "must be above 0, and dt the smaller"
        )
    if duration / dt > MOST_SAMPLES:
        raise InputError(
            "synthetic", "duration, dt", (duration, dt), f"must be at most {MOST_SAMPLES} samples"
        )
    return np.asarray(dt * np.arange(round(duration / dt) + 1), dtype=np.float64)


def _generator(seed: int) -> np.random.Generator:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("synthetic", "seed", seed, "must be a whole number of at least 0")
    return np.random.Generator(np.random.PCG64(int(seed)))
