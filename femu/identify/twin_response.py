"""A twin along the path of a recording.

Its forces as one vector, the residual of the measured ones, and its spread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.identify.recording import Recording
from femu.updating.replay import Replay
from femu.updating.updater import ModelUpdater

Array = npt.NDArray[np.float64]
# noise, as a share of the root mean square of all forces: without it a perfect fit would have
# infinite weight
LEAST = 1e-9
WINDOW = 20  # samples over which the roughness of what is left is averaged
MEDIAN = 0.968  # of the root of such means of white noise, measured


class Path:
    """The measured forces of a recording as one vector, without those that are missing, and the
    twin's forces for them."""

    def __init__(self, updater: ModelUpdater, recording: Recording, noise: Array) -> None:
        self.names = updater.names
        self._replay, self._recording = Replay(updater), recording
        self._use = np.isfinite(recording.forces) & np.isfinite(recording.displacements).all(
            axis=1, keepdims=True
        )
        self._channel = np.broadcast_to(np.arange(recording.channels), self._use.shape)[self._use]
        self.measured = recording.forces[self._use]
        self._least = max(
            LEAST * float(np.sqrt(np.mean(self.measured**2))), np.finfo(float).tiny ** 0.5
        )
        self.noise = np.maximum(noise, self._least)
        """Standard deviation of the sensors, per channel."""

    def hear(self, left: Array) -> None:
        """Reduce the noise to that in the second differences of the residual, in the median over
        windows.

        Of noise ``E (r_k - 2 r_{k-1} + r_{k-2})² = 6 σ²``. If a twin is wrong they are larger, but
        not everywhere. The first samples of a record, from which an updater takes the noise, may be
        coarse and past yielding.
        """
        for c, part in enumerate(self.by_channel(left)):
            rough = np.diff(part, n=2) ** 2 / 6.0
            count = len(rough) // WINDOW
            if count:
                means = rough[: count * WINDOW].reshape(count, WINDOW).mean(axis=1)
                self.noise[c] = max(
                    min(self.noise[c], float(np.sqrt(np.median(means))) / MEDIAN), self._least
                )

    def all_forces(self, values: Array) -> Array:
        """The twin's forces, one row per sample; NaN if no displacement was measured."""
        return self._replay.forces(
            dict(zip(self.names, map(float, values), strict=True)),
            self._recording.time,
            self._recording.displacements,
        )

    def forces(self, values: Array) -> Array:
        """The twin's forces for every measured one."""
        return self.all_forces(values)[self._use]

    def left(self, values: Array) -> Array:
        """Measured less computed forces."""
        return self.measured - self.forces(values)

    def slopes(self, values: Array) -> Array:
        """Derivative of the twin's forces by the parameters, for every measured force."""
        given = dict(zip(self.names, map(float, values), strict=True))
        return self._replay.sensitivity(given, self._recording.time, self._recording.displacements)[
            self._use
        ]

    def by_channel(self, left: Array) -> list[Array]:
        """The parts of a vector that belong to each channel."""
        return [left[self._channel == c] for c in range(self._recording.channels)]

    def _spread(self, numbers: list[float]) -> Array:
        return np.array(numbers)[self._channel]

    def variance(self, left: Array) -> Array:
        """The squared residual of the force, of the channel of each entry.

        At least the noise of the sensors.
        """
        return self._spread(
            [
                max(float(np.mean(part**2)) if len(part) else 0.0, float(self.noise[c]) ** 2)
                for c, part in enumerate(self.by_channel(left))
            ]
        )

    def alike(self, left: Array) -> Array:
        """Factor by which fewer samples count because the errors of neighbours are correlated.

        1 + 2 Σ ρ of the channel, up to the first ρ below 0.
        """
        return self._spread([_times_fewer(part) for part in self.by_channel(left)])

    def share(self, left: Array) -> Array:
        """Root mean square of the residual over that of the force, per channel.

        0 if a channel has no force beyond noise.
        """
        shares = []
        for part, force, noise in zip(
            self.by_channel(left), self.by_channel(self.measured), self.noise, strict=True
        ):
            size = float(np.sqrt(np.mean(force**2))) if len(force) else 0.0
            shares.append(
                float(np.sqrt(np.mean(part**2))) / size if size > 3.0 * float(noise) else 0.0
            )
        return np.array(shares)

    def share_of_noise(self) -> Array:
        """Noise of the sensors over the root mean square of the force, per channel."""
        return np.array(
            [
                float(noise) / max(float(np.sqrt(np.mean(force**2))), np.finfo(float).tiny)
                if len(force)
                else 0.0
                for force, noise in zip(self.by_channel(self.measured), self.noise, strict=True)
            ]
        )


def _times_fewer(left: Array) -> float:
    r = left - left.mean() if len(left) else left
    power = float(r @ r)
    if len(r) < 3 or power == 0.0:
        return 1.0
    size = 1 << (2 * len(r) - 1).bit_length()
    rho = np.fft.irfft(np.abs(np.fft.rfft(r, size)) ** 2, size)[1 : len(r)] / power
    below = np.flatnonzero(rho < 0.0)
    return 1.0 + 2.0 * float(rho[: below[0] if len(below) else len(rho)].sum())
