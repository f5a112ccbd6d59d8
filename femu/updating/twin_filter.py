"""The filter of an updater.

Made for the noise that is known, and made again when that changes or where it was overconfident.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from femu.filters.base import Filter
from femu.filters.bounds import Bounds
from femu.filters.estimate import COUNTERS, Estimate
from femu.filters.filter_fields import EstimateFields
from femu.support.errors import InputError
from femu.updating import update_kernel
from femu.updating.inequalities import rules_of
from femu.updating.twin_clones import TwinClones
from femu.updating.updater_fields import Statistics

Array = npt.NDArray[np.float64]
_COUNTED = (
    *COUNTERS.values(),
    EstimateFields.log_likelihood.slot,
    EstimateFields.counter.slot,
)
FilterMaker = Callable[..., Filter]
# process noise of a force in the state, as a share of the noise of its measurement
FORCE_SHARE = 0.1
SMOOTH = 0.5  # a residual whose second differences are this small compared with it is not noise
# least standard deviation of the force noise, as a share of the largest force so far
NOISE_FLOOR = 1e-4
RESET_FLOOR = 1e-3  # the same, of a filter that became overconfident with its samples


def must_take_model_and_noise(make: FilterMaker) -> None:
    """Raise if what makes the filter cannot be called as an updater calls it."""
    rule = ""
    if not callable(make):
        rule = "must be a filter's class, or functools.partial of one"
    else:
        try:
            inspect.signature(make).bind(None, None, None, bounds=None)
        except ValueError:
            return  # it has no signature that can be read
        except TypeError as problem:
            rule = f"must take (model, process_noise, measurement_noise, bounds=...): {problem}"
    if rule:
        raise InputError(
            "ModelUpdater",
            "filter",
            make,
            rule,
            fix="give femu.filters.UKF, for example, or settings of the filter by "
            "functools.partial",
        )


class TwinFilter:
    """The filter that learns the unknowns of clones, and the noise of the measured forces.

    Without a ``given_noise`` it first collects samples (``collecting``), finds the noise in them,
    and is made again with it. The estimates are in the units of the clones.
    """

    def __init__(
        self,
        clones: TwinClones,
        make: FilterMaker,
        *,
        given_noise: Array | None,
        displacement_noise: Array,
        force_drift: float | None,
        inequalities: tuple[tuple[Mapping[str, float], float, str], ...],
        seed: int,
    ) -> None:
        must_take_model_and_noise(make)
        self.clones, self._make, self.seed = clones, make, seed
        self.given_noise, self.displacement_noise = given_noise, displacement_noise
        self.force_drift, self.inequalities = force_drift, inequalities
        self.noise = np.ones(clones.twin.size)
        """Standard deviation of the measured forces."""
        self.stiffness = clones.twin.initial_stiffness()

    def begin(self) -> None:
        """The filter before the first sample."""
        self.noise[:] = 1.0 if self.given_noise is None else self.given_noise
        self.collecting = self.given_noise is None
        self.install()

    @property
    def collecting(self) -> bool:
        """Whether samples are only collected, for their noise."""
        return self._collecting

    @collecting.setter
    def collecting(self, collecting: bool) -> None:
        self._collecting = bool(collecting)
        self.clones.options.collecting = float(collecting)  # for the kernels

    def collect(self, sample: int, displacement: Array, force: Array) -> None:
        """Keep a sample to find the noise in it."""
        samples, n = self.clones.first_samples, len(self.noise)
        row = samples[sample % len(samples)]
        row[:n], row[n:] = displacement, force

    def kept_numbers(self) -> Array:
        """The numbers of the estimate that a checkpoint keeps: all but its scratch."""
        return np.asarray(self.estimate.vector[: self.filter.scratch_start])

    def put_numbers(self, values: Array) -> None:
        """Continue from what `kept_numbers` gave."""
        self.kept_numbers()[:] = values

    def make_room(self, samples: int) -> None:
        """Nothing: a filter has no record."""

    def attend(self) -> None:
        """Nothing: a filter does all in the kernel."""

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        """Nothing: a filter has no record."""

    def remembered(self) -> tuple[Array, Array, Array]:
        """No samples."""
        none = np.zeros((0, self.clones.twin.size))
        return np.zeros(0), none, none

    def go_back(self, noise: Array, collecting: bool) -> None:
        """The filter with the noise of a checkpoint; its numbers are put in by the caller."""
        self.noise[:], self.collecting = noise, collecting
        self.install()

    def measurement_noise(self) -> Array:
        """Covariance of the measured forces.

        Noise of the sensors, and what an error of the displacement does.
        """
        k = self.stiffness
        return np.asarray(np.diag(self.noise**2) + k @ np.diag(self.displacement_noise**2) @ k.T)

    def install(self) -> None:
        """The filter for the present noise, at its start."""
        n, R = self.clones.twin.size, self.measurement_noise()
        mean = [u.inside(u.start) for u in self.clones.unknowns] + [0.0] * self.clones.extra
        prior = [(u.std * u.slope()) ** 2 for u in self.clones.unknowns]
        drift = [(u.process_noise * u.slope()) ** 2 for u in self.clones.unknowns]
        lower, upper = [list(part) for part in np.split(self.clones.limits, 2)]
        if self.clones.mode == "joint":
            back = (
                np.linalg.pinv(self.clones.twin.scale * self.clones.twin.matrix.T)
                / self.clones.force_unit[:, None]
            )
            noise = np.diagonal(back @ R @ back.T)
            prior += list(noise)
            share = (
                FORCE_SHARE**2 * R if self.force_drift is None else self.force_drift**2 * np.eye(n)
            )
            drift += list(np.diagonal(back @ share @ back.T))
        elif self.clones.mode == "state":  # in units of what moves the force by its noise
            noise = (self.clones.hidden_effect @ np.linalg.inv(R) * self.clones.hidden_effect).sum(
                axis=1
            )
            self.clones.hidden_unit[:] = 1.0 / np.sqrt(noise)
            prior += [1.0] * self.clones.extra
            drift += [FORCE_SHARE**2] * self.clones.extra
        lower += [-np.inf] * self.clones.extra
        upper += [np.inf] * self.clones.extra
        self.bounds = Bounds(lower, upper, rules_of(self.inequalities, self.clones))
        self.filter = self._make(self.clones.space, np.array(drift), R, bounds=self.bounds)
        self._prior = np.array(prior)
        self.estimate: Estimate = self.filter.init(mean, np.diag(prior), seed=self.seed)
        predict, correct = self.filter.kernel_addresses()
        if (
            self.clones.histories == "per_point"
            and self.filter.fields.count != self.clones.fields.nrows
        ):
            raise InputError(
                "ModelUpdater",
                "histories",
                "per_point",
                "needs a filter of 2L+1 sigma points",
                fix='use histories="shared" with this filter',
            )
        self._kept = np.zeros_like(self.estimate.vector)
        fields = self.clones.fields
        fields.filter, fields.filter_settings = self.filter.fields, self.filter.settings
        fields.estimate = self.estimate.vector
        fields.kept, fields.kept_size = self._kept, self.filter.scratch_start
        fields.predict_kernel, fields.update_kernel = predict, correct

    def find_noise(self) -> None:
        """Noise of the forces from the samples so far, and the filter with it, from where it
        is."""
        n = self.clones.twin.size
        d, f = self.clones.first_samples[:, :n], self.clones.first_samples[:, n:]
        use = np.isfinite(d).all(axis=1) & np.isfinite(f).all(axis=1)
        if use.sum() < n + 3:
            return  # too few samples: continue to collect
        line = np.column_stack([np.ones(use.sum()), d[use]])
        fit = np.linalg.lstsq(line, f[use], rcond=None)[0]
        rest = f[use] - line @ fit
        largest = np.maximum(np.abs(f[use]), np.abs(np.diagonal(self.stiffness) * d[use])).max(
            axis=0
        )
        found = np.sqrt((rest**2).sum(axis=0) / max(use.sum() - n - 1, 1))
        rough = np.sqrt((np.diff(rest, n=2, axis=0) ** 2).mean(axis=0) / 6.0)
        # it has yielded already: what is smooth is not noise
        found = np.where(rough < SMOOTH * found, rough, found)
        self.noise[:] = np.maximum(found, np.maximum(NOISE_FLOOR * largest, np.finfo(float).tiny))
        self.collecting = False
        self.renew()

    def renew(self) -> None:
        """The filter with the noise as it is known now.

        Parameters at their start, forces or history variables as they are.
        """
        known = len(self.clones.unknowns)
        beyond, unit = self.estimate.mean[known:].copy(), self.clones.hidden_unit.copy()
        self.install()
        if self.clones.extra:  # forces or history variables continue from where they are
            if self.clones.mode == "state":
                beyond *= unit / self.clones.hidden_unit
            self.estimate = self.filter.init(
                [*self.estimate.mean[:known], *beyond], self.estimate.covariance, seed=self.seed
            )
            self.clones.fields.estimate = self.estimate.vector

    def reset_covariance(self) -> None:
        """An overconfident filter becomes as uncertain about the parameters as it was at the start,
        where it is now."""
        if self.given_noise is None:
            # forces were small in the first samples: noise far below what counts compared with those of now
            # makes it overconfident
            floor = (
                RESET_FLOOR
                * self.clones.statistics.reshape(len(self.noise), -1)[
                    :, Statistics.largest_force.slot
                ]
            )
            if (floor > self.noise).any():
                self.noise[:] = np.maximum(self.noise, floor)
                # what it has learned with that noise counts for nothing: the parameters begin again
                counts = {place: self.estimate.vector[place] for place in _COUNTED}
                self.renew()
                for place, value in counts.items():
                    self.estimate.vector[place] = value
        known, P = len(self.clones.unknowns), np.diag(self._prior)
        P[known:, known:] = self.estimate.covariance[known:, known:]
        fresh = self.filter.init(self.bounds.project(self.estimate.mean), P, seed=self.seed)
        for place in _COUNTED:
            fresh.vector[place] = self.estimate.vector[place]
        self.estimate.vector[:] = fresh.vector
        memory = self.clones.memory
        memory.strained, memory.usual, memory.wait = 0.0, 1.0, update_kernel.SETTLING
        memory.resets += 1.0
