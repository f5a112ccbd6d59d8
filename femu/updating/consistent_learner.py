"""What an updater learns with on consistent histories (`femu.filters.consistent`).

It is for an updater what `femu.updating.twin_filter.TwinFilter` is with a filter. The copies move in
the kernel of the updater; after samples at which it stops, the background is begun or its result
taken over (`attend`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from femu.filters.bounds import Bounds, Inequality
from femu.filters.consistent import ConsistentEstimator
from femu.filters.copies_kernels import take_sample
from femu.filters.filter_fields import EstimateFields, FilterFields
from femu.updating import update_kernel
from femu.updating.inequalities import rules_of
from femu.updating.twin_clones import TwinClones
from femu.updating.twin_copies import TIMES, twin_space
from femu.updating.updater_fields import Statistics

Array = npt.NDArray[np.float64]


class LearnedEstimate:
    """Estimated unknowns, in the units of the clones."""

    def __init__(self, known: int, channels: int) -> None:
        self._fields = EstimateFields(
            np.zeros(EstimateFields.words(n=known, m=channels)), n=known, m=channels
        )
        self.vector = self._fields.vector

    @property
    def mean(self) -> Array:
        return np.asarray(self._fields.mean)

    @property
    def covariance(self) -> Array:
        return np.asarray(self._fields.covariance)

    @property
    def std(self) -> Array:
        """Standard deviation of each unknown."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))


class ConsistentLearner:
    """Learns the unknowns of a twin and the noise of its forces, by copies of it."""

    collecting = False
    """The estimator collects samples itself."""

    def __init__(
        self,
        clones: TwinClones,
        *,
        given_noise: Array | None,
        displacement_noise: Array,
        inequalities: tuple[tuple[Mapping[str, float], float, str], ...],
        wait: bool,
        seed: int,
    ) -> None:
        self.clones, self.given_noise = clones, given_noise
        self.displacement_noise, self.inequalities = displacement_noise, inequalities
        self.stiffness = clones.twin.initial_stiffness()
        unknowns, n = clones.unknowns, clones.twin.size
        lower, upper = np.split(clones.limits, 2)
        rules: list[Inequality] = rules_of(inequalities, clones)
        self.bounds = Bounds(list(lower), list(upper), rules)
        places = np.arange(len(unknowns)) + len(clones.twin.state_names)
        noise = None
        if given_noise is not None:
            k = self.stiffness
            noise = np.sqrt(given_noise**2 + np.diagonal(k @ np.diag(displacement_noise**2) @ k.T))
        self.filter = ConsistentEstimator(
            lambda: twin_space(clones),
            [int(place) for place in places],
            mean=[u.inside(u.start) for u in unknowns],
            std=[u.std * u.slope() for u in unknowns],
            bounds=self.bounds,
            noise=noise,
            threads=True,
            wait=wait,
            seed=seed,
        )
        self.estimate = LearnedEstimate(len(unknowns), n)
        self.sizes = FilterFields()
        self.sizes.n, self.sizes.m = len(unknowns), n
        self.begin()

    @property
    def noise(self) -> Array:
        """Standard deviation of the measured forces; 1 before it is known."""
        found = self.filter.noise
        return np.where(np.isfinite(found), found, 1.0)

    def begin(self) -> None:
        """Before the first sample: the copies are at rest."""
        self.filter.begin()
        self.filter.update(None, np.zeros(self.filter.model.inputs))
        self.estimate.vector[:] = 0.0
        self._install()

    def collect(self, sample: int, displacement: Array, force: Array) -> None:
        """Nothing: the copies have a record."""

    def find_noise(self) -> None:
        """Nothing: it comes with the copies."""

    def reset_covariance(self) -> None:
        """Nothing: the covariance is that of the whole record."""

    def make_room(self, samples: int) -> None:
        """Room in the record of the copies."""
        self._room -= samples
        if self._room < 0:
            self._count()
            self.filter.make_room(samples)
            self._install()
            self._room -= samples

    def attend(self) -> None:
        """After a sample at which the kernel stopped."""
        fields, estimator = self.clones.fields, self.filter
        if fields.samples <= estimator.samples:
            return  # a sample without a displacement moves nothing
        self._count()
        before = estimator.copies
        estimator.attend(estimator.samples < fields.ahead)
        if estimator.copies is not before:  # the innovations until now were of the others
            self.clones.memory.usual, self.clones.memory.strained = 1.0, 0.0
            statistics = self.clones.statistics.reshape(len(self.noise), -1)
            for field in (Statistics.innovation_2, Statistics.innovation_lag):
                statistics[:, field.slot] = 0.0
        self._install()

    def measurement_noise(self) -> Array:
        """Covariance of the measured forces."""
        return np.asarray(np.diag(self.noise**2))

    def kept_numbers(self) -> Array:
        """What a checkpoint keeps."""
        self._count()
        return np.concatenate([self.estimate.vector, self.filter.checkpoint()])

    def put_numbers(self, values: Array) -> None:
        """Continue from what `kept_numbers` gave."""
        size = len(self.estimate.vector)
        self.filter.restore(values[size:])
        self.estimate.vector[:] = values[:size]
        self._install()
        self.estimate.vector[:] = values[:size]

    def go_back(self, noise: Array, collecting: bool) -> None:
        """Nothing: the noise is among the numbers."""
        self._count()

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        """Samples that were processed before a checkpoint is restored."""
        use = np.isfinite(displacements).all(axis=1)
        t, d = times[use], displacements[use]
        steps = np.maximum(np.diff(t, prepend=t[:1]), 0.0)
        change = np.diff(d, axis=0, prepend=np.zeros((1, d.shape[1])))
        y = np.where(np.isfinite(forces[use]), forces[use], np.nan)
        self.filter.remember(y, np.column_stack([t, steps, d, change]))
        self._install()

    def remembered(self) -> tuple[Array, Array, Array]:
        """Times, displacements and forces of the samples so far."""
        self._count()
        part, n = slice(1, self.filter.samples), self.clones.twin.size  # without that at rest
        u = self.filter.inputs[part]
        return u[:, 0], u[:, TIMES : TIMES + n], self.filter.outputs[part]

    def _count(self) -> None:
        """The samples that the kernel has taken since."""
        estimator, fields = self.filter, self.clones.fields
        estimator.samples = fields.samples
        estimator.recorded = max(estimator.recorded, estimator.samples)

    def _install(self) -> None:
        """The copies for the kernel."""
        fields, estimator = self.clones.fields, self.filter
        fields.filter, fields.estimate = self.sizes, self.estimate.vector
        fields.copies = estimator.copies.fields
        fields.take_kernel = take_sample
        fields.inputs, fields.outputs = estimator.inputs.ravel(), estimator.outputs.ravel()
        fields.samples = estimator.samples
        self._room = len(estimator.outputs) - estimator.samples
        fields.ahead, fields.soonest = estimator.stops()
        fields.farthest = estimator.limit
        fields.low, fields.span = estimator.problem.low, estimator.problem.span
        update_kernel.show(fields.vector)
