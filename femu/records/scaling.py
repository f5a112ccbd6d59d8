"""Scaling of a suite of records to a target spectrum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from femu.records.ground_motion import GroundMotion
from femu.records.spectrum import checked_periods
from femu.support.arguments import typed
from femu.support.errors import InputError


@typed
def scaled_to_spectrum(
    motions: Sequence[GroundMotion],
    periods: ArrayLike,
    target: ArrayLike,
    damping: float = 0.05,
    floor: float | None = None,
) -> list[GroundMotion]:
    """The records scaled so that the mean of their spectra comes nearest to a target over the given
    periods.

    Each record first gets the factor for which its pseudo-acceleration has the target's mean
    logarithm; then all get one factor more, for which the mean spectrum of the suite comes nearest
    to the target (least squares of the logarithm) or, with `floor`, for which it falls nowhere
    below `floor` times the target.
    """
    at = checked_periods(periods)
    wanted = np.array(target, dtype=np.float64).reshape(-1)
    if not len(motions):
        raise InputError("scaled_to_spectrum", "motions", motions, "must be one record or more")
    if wanted.shape != at.shape or not np.isfinite(wanted).all() or wanted.min() <= 0.0:
        raise InputError(
            "scaled_to_spectrum",
            "periods, target",
            (periods, target),
            "must have equal lengths, the targets above 0",
        )
    if floor is not None and not 0.0 < floor < np.inf:
        raise InputError("scaled_to_spectrum", "floor", floor, "must be a finite number above 0")
    spectra = np.stack([motion.spectrum(at, damping).pseudo_acceleration for motion in motions])
    if spectra.min() <= 0.0:
        still = motions[int(spectra.min(axis=1).argmin())]
        raise InputError(
            "scaled_to_spectrum", "motions", still, "cannot be scaled: every sample is zero"
        )
    factors = np.exp(np.mean(np.log(wanted / spectra), axis=1))
    mean = np.mean(factors[:, None] * spectra, axis=0)
    common = (
        np.exp(np.mean(np.log(wanted / mean)))
        if floor is None
        else float(np.max(floor * wanted / mean))
    )
    return [
        motion.scaled(factor=float(common * f)) for motion, f in zip(motions, factors, strict=True)
    ]
