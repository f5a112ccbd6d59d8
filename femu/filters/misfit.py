"""What a model leaves of a record: its noise without outliers, and its likelihood.

The noise of a channel is the deviation of what the best candidate leaves, without outliers and
with a floor: a residual of the model counts as noise, so a model that cannot be the specimen is
trusted less. Residuals that are alike from sample to sample count as fewer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.filters import copies_kernels

Array = npt.NDArray[np.float64]
ROUNDS = 5  # in which outliers and the deviation of the others are found
MEDIAN = 1.4826  # deviation of normal numbers over the median of their sizes
UNRELATED = 0.05  # correlation of residuals that counts as none
SURE = 2.0  # deviations of a correlation that is none


class Misfit:
    """What a model with some parameters leaves of a record, channel by channel."""

    def __init__(self, residuals: Array, floor: Array, given: Array | None, keep: float) -> None:
        self.residuals = residuals
        age = keep ** np.arange(len(residuals) - 1, -1, -1.0)
        parts = [
            _scale(r, age, floor[c], None if given is None else given[c])
            for c, r in enumerate(residuals.T)
        ]
        self.noise = np.array([s for s, _ in parts])
        self.cost = float(sum(cost for _, cost in parts))

    def correlation(self) -> Array:
        """Number of neighbouring residuals that count as one, per channel."""
        return np.array(
            [
                _times_fewer(
                    np.clip(r[np.isfinite(r)], -copies_kernels.LARGE * s, copies_kernels.LARGE * s)
                )
                for r, s in zip(self.residuals.T, self.noise, strict=True)
            ]
        )


def _alone(large: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the large ones are alone, or one of two."""
    before = np.concatenate([[False, False], large, [False, False]])
    third = before[2:] & before[1:-1] & before[:-2]  # the last of three in a row
    in_a_run = third[:-2] | third[1:-1] | third[2:]
    return large & ~in_a_run


def _scale(residuals: Array, age: Array, floor: float, given: float | None) -> tuple[float, float]:
    """Deviation of residuals without outliers, and -2 log likelihood with it."""
    known = np.isfinite(residuals)
    if not known.any():
        return (floor if given is None else given), 0.0
    size, age = np.abs(residuals[known]), age[known]
    least = floor if given is None else max(floor, given)
    s = max(least, MEDIAN * float(np.median(size)))
    for _ in range(ROUNDS):
        outlier = _alone(size > copies_kernels.LARGE * s)
        ratio = np.maximum(size / (copies_kernels.LARGE * s), 1.0)
        weight = np.where(outlier, ratio**-2, 1.0)
        s = max(least, float(np.sqrt((age * (weight * size) ** 2).sum() / (age * weight**2).sum())))
    outlier = _alone(size > copies_kernels.LARGE * s)
    share = size / s
    ratio = np.maximum(share / copies_kernels.LARGE, 1.0)
    loss = np.where(outlier, copies_kernels.LARGE**2 * (1.0 + 2.0 * np.log(ratio)), share**2)
    return s, float((age * (loss + 2.0 * np.log(s))).sum())


def _times_fewer(left: Array) -> float:
    """1 + 2 Σ ρ up to the first correlation that is none."""
    r = left - left.mean() if len(left) else left
    power = float(r @ r)
    if len(r) < 3 or power == 0.0:
        return 1.0
    size = 1 << (2 * len(r) - 1).bit_length()
    rho = np.fft.irfft(np.abs(np.fft.rfft(r, size)) ** 2, size)[1 : len(r)] / power
    none = np.flatnonzero(rho < max(UNRELATED, SURE / np.sqrt(len(r))))
    return 1.0 + 2.0 * float(rho[: none[0] if len(none) else len(rho)].sum())
