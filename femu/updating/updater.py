"""`ModelUpdater`: a numerical twin of the specimen learns its parameters while the test runs and
hands them on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.basic_system import BasicSystem
from femu.experimental.updater import Updater
from femu.filters.base import Filter
from femu.filters.consistent import ConsistentEstimator
from femu.filters.estimate import Estimate
from femu.model.component import Material
from femu.model.element import Element, Name
from femu.model.findings import Finding
from femu.model.parameters import finite
from femu.support.arguments import as_numbers, typed_class
from femu.support.errors import AnalysisError, InputError
from femu.support.hooks import card
from femu.updating import update_kernel
from femu.updating.arguments import (
    Common,
    basic_system,
    must_be_finite,
    must_be_known,
    noise_of_forces,
    of_filters_alone,
    spread,
    unknowns_by_name,
)
from femu.updating.checks import check
from femu.updating.consistent_learner import ConsistentLearner, LearnedEstimate
from femu.updating.defaults import default_filter, default_mode
from femu.updating.diagnostics import Diagnosis, consistency_band, diagnose
from femu.updating.history import UpdatingHistory
from femu.updating.targets import model_places
from femu.updating.twin_clones import TwinClones, history_names
from femu.updating.twin_filter import FilterMaker, TwinFilter
from femu.updating.unknown import Resolved, Unknown

if TYPE_CHECKING:
    from femu.engine.program import Program

Array = npt.NDArray[np.float64]
IN_A_ROW = 2.0  # outliers in a row that are rejected; what lasts longer is not an outlier
STATISTICS_WINDOW = 500.0  # samples over which the statistics of the diagnostics fade


@typed_class
class ModelUpdater(Updater):
    """Identifies parameters of a numerical twin from the measurements of a specimen, and writes
    them into the running model.

    ::

        updater = ModelUpdater("left", ForceBeamColumn("twin", "i", "j", section=column), length=3.6,
                               parameters={"section.yield_force": Unknown(lower=1.58e6, upper=2.32e6),
                                           "section.plastic_moment": Unknown(lower=170e3, upper=249e3),
                                           "section.b": Unknown(lower=0.01, upper=0.04)},
                               members=["right"])
        HybridTest(model, quake, dt=0.01, updater=updater).run()
        print(updater.statement())

    ``element`` is the experimental element whose measurements it uses. ``twin`` is a material, an
    element or a `BasicSystem` in the coordinates of that element. ``parameters`` maps names of the
    twin's parameters (patterns with ``*`` take several that share one value) to `Unknown`; a list
    of names takes the defaults. ``members`` are the members of the model that get the parameters,
    or a mapping from names of the twin to names (patterns) of the model.

    ``mode`` is "joint" (parameters and forces in the filter's state), "pure" (parameters alone) or
    "state" (parameters and the ``hidden`` history variables, by ``integration`` "law", "rk4" or
    "exact"), or "consistent"; if omitted, it is chosen by `femu.updating.defaults.default_mode`.
    "consistent" has no filter, but a `ConsistentEstimator`: every copy of the twin has had the same
    parameters from the start, and the record is followed again in a thread as it grows. It keeps
    the whole record in memory, takes the parameters as constant (``process_noise`` of an `Unknown`
    does nothing), and waits for the thread if its result is late; with ``wait=False``, for tests in
    real time, the result is taken over when it is there, and a repeated test may differ in its
    last digits. ``histories`` is
    "shared" (one more evaluation with the corrected parameters keeps the history) or "per_point"
    (each point keeps its own). See `femu.updating.twin_kernels`.

    ``filter`` makes the filter from (model, process_noise, measurement_noise, bounds=...): a class
    of `femu.filters`, or ``functools.partial`` of one. ``force_noise`` is the standard deviation of
    the measured forces, a number or one per channel; if omitted, it is estimated from the first
    ``noise_samples`` samples, whose forces are compared with the straight line through them. Give
    it for an emulated specimen without noise, and if the first samples are too small to show it.
    ``force_drift`` is the standard deviation by which the forces in the state ("joint") may leave
    the twin in a step: a tenth of the noise if omitted. ``displacement_noise`` adds what an error of the measured
    displacement does to the force.

    Guards: a sample whose innovation is ``gate`` times larger than usual is rejected, at most two
    in a row; parameters are written inside their bounds, by at most ``rate_limit`` of the distance
    between the bounds per step, and only while the mean normalised innovation is below
    ``nis_limit``. A missing force (None or NaN) is predicted only. A filter that stays inconsistent
    for ten samples has converged to a wrong place: its covariance of the parameters is reset to
    that of the start, at most ``max_resets`` times.
    """

    def __init__(
        self,
        element: Name,
        twin: BasicSystem | Element | Material | Sequence[Material],
        parameters: Mapping[str, Unknown] | Iterable[str],
        members: Iterable[Name] | Mapping[str, str | Sequence[str]] = (),
        *,
        length: float = 1.0,
        mode: str | None = None,
        histories: str = "shared",
        filter: FilterMaker | None = None,
        force_noise: float | Sequence[float] | None = None,
        displacement_noise: float | Sequence[float] = 0.0,
        force_drift: float | None = None,
        noise_samples: int = 50,
        gate: float = 8.0,
        rate_limit: float = 0.25,
        nis_limit: float = 3.0,
        max_resets: int = 5,
        hidden: Sequence[str] = (),
        integration: str = "law",
        inequalities: Sequence[tuple[Mapping[str, float], float, str]] = (),
        wait: bool = True,
        seed: int = 0,
    ) -> None:
        given = unknowns_by_name(parameters)
        if filter is not None and not callable(filter):
            raise InputError(
                "ModelUpdater", "filter", filter, "must be a function that makes a filter"
            )
        twin = basic_system(twin, length)
        if mode is None:
            stated = hidden or integration != "law"
            mode = "state" if stated else default_mode(len(twin.matrix), history_names(twin))
        must_be_known(mode=mode, histories=histories, integration=integration)
        must_be_finite(
            gate=gate,
            rate_limit=rate_limit,
            nis_limit=nis_limit,
            noise_samples=noise_samples,
            max_resets=max_resets,
        )
        self.element, self.members = element, members
        self.noise_samples = int(noise_samples)
        self.clones = TwinClones(
            twin,
            given,
            mode=mode,
            histories=histories,
            integration=integration,
            hidden=hidden,
            noise_samples=self.noise_samples,
        )
        common = Common(
            given_noise=noise_of_forces(force_noise, twin.size),
            displacement_noise=spread("displacement_noise", displacement_noise, twin.size),
            inequalities=tuple(inequalities),
            seed=seed,
        )
        self.learner: TwinFilter | ConsistentLearner
        if mode == "consistent":
            of_filters_alone(filter, force_drift, hidden, integration)
            self.learner = ConsistentLearner(self.clones, wait=wait, **common)
        else:
            drift = None if force_drift is None else float(spread("force_drift", force_drift, 1)[0])
            maker = default_filter(mode) if filter is None else filter
            self.learner = TwinFilter(self.clones, maker, force_drift=drift, **common)
        self.names = self.clones.names
        self._channel_names: tuple[str, ...] = ()  # of the element, once a test has begun
        self._model_places = np.zeros(0, dtype=np.int64)
        options = self.clones.options
        options.gate, options.most_in_a_row, options.consistent = gate, IN_A_ROW, nis_limit
        options.rate_limit, options.window = rate_limit, STATISTICS_WINDOW
        options.max_resets = max_resets
        self._begin()

    # --- the contract with the runner ---

    def start(self, program: Program | None = None, parameters: Array | None = None) -> None:
        """Begin a test. ``parameters`` is the vector that the running model reads.

        It is written in place.
        """
        if program is not None and not hasattr(program, "parameters"):
            raise InputError("ModelUpdater.start", "program", program, "must be a Program")
        if program is None and parameters is not None:
            raise InputError(
                "ModelUpdater.start",
                "parameters",
                parameters,
                "must come with the program they are of",
            )
        self._begin()
        fields, known = self.clones.fields, len(self.unknowns)
        self._model_places = np.zeros(0, dtype=np.int64)
        fields.writes, fields.model_parameters = np.zeros(known, dtype=np.int64), None
        if program is None:
            return
        tested = getattr(program, "elements", {}).get(self.element)
        self._channel_names = tuple(getattr(tested, "basic_channels", ()))
        vector = program.parameters.vector if parameters is None else parameters
        if not (
            isinstance(vector, np.ndarray)
            and vector.dtype == np.float64
            and vector.flags.c_contiguous
            and vector.shape == program.parameters.vector.shape
        ):
            raise InputError(
                "ModelUpdater",
                "parameters",
                parameters,
                "must be the model's own vector: contiguous numbers, as many as the program has",
            )
        places = model_places(self.names, self.members, program.parameters)
        table: list[int] = []
        for j, found in enumerate(places):
            table += [len(found), *found]
            if found:
                self.clones.written[j] = np.clip(
                    vector[found[0]], self.unknowns[j].lower, self.unknowns[j].upper
                )
        self._model_places = np.array(
            sorted({place for found in places for place in found}), dtype=np.int64
        )
        fields.writes, fields.model_parameters = np.array(table, dtype=np.int64), vector

    @property
    def writes_to(self) -> npt.NDArray[np.int64]:
        """Places in the model's vector of parameters that it writes, once it is started."""
        return self._model_places

    def update(
        self,
        step: int,
        time: float,
        displacement: npt.ArrayLike | None,
        force: npt.ArrayLike | None,
    ) -> None:
        """Process one sample: measured displacement and force of the element. None or NaN: missing."""
        clones = self.clones
        clones.make_room(1)
        self.learner.make_room(1)
        try:
            clones.now[:] = np.nan if displacement is None else displacement
            clones.force[:] = np.nan if force is None else force
            place = float(step), float(time)
        except (TypeError, ValueError, OverflowError):
            place = (np.nan, np.nan)
        if place != place or not isfinite(sum(place)):
            raise InputError(
                "ModelUpdater.update",
                "step, time, displacement, force",
                (step, time, displacement, force),
                f"must be a step, a time, and {self.twin.size} numbers each",
            )
        collecting = self.learner.collecting
        if collecting:
            self.learner.collect(int(clones.memory.count), clones.now, clones.force)
        status = update_kernel.take_one(clones.fields.vector, *place)
        if status != update_kernel.DONE or collecting:
            self._attend(status, step)

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        """What it was given until the checkpoint that is restored next, one row per sample."""
        self.learner.remember(times, displacements, forces)

    def remembered(self) -> tuple[Array, Array, Array]:
        """What `remember` needs to continue from a checkpoint of now: nothing with a filter."""
        return self.learner.remembered()

    def checkpoint(self) -> Array:
        """Everything that changes, in one vector of constant length (the record is not in it)."""
        clones, learner = self.clones, self.learner
        return np.concatenate(
            [
                clones.changing,
                learner.noise,
                [float(learner.collecting)],
                clones.first_samples.ravel(),
                learner.kept_numbers(),
                self.twin.parameters.vector,
            ]
        )

    def restore(self, values: Array) -> None:
        """Continue from a checkpoint of the same updater: the same bits follow."""
        clones, learner = self.clones, self.learner
        sizes = [
            len(clones.changing),
            len(learner.noise),
            1,
            clones.first_samples.size,
            len(learner.kept_numbers()),
        ]
        if np.shape(values) != (sum(sizes) + len(self.twin.parameters),):
            raise InputError(
                "ModelUpdater",
                "values",
                np.shape(values),
                "must be a checkpoint of the same updater",
            )
        changing, noise, collecting, first, estimate, parameters = np.split(
            values, np.cumsum(sizes)
        )
        learner.go_back(noise, bool(collecting[0]))
        clones.go_back(changing)
        clones.first_samples[:] = first.reshape(clones.first_samples.shape)
        learner.put_numbers(estimate)
        self.twin.parameters.vector[:] = parameters

    # --- a whole record at once ---

    def run(
        self,
        times: npt.ArrayLike,
        displacements: npt.ArrayLike,
        forces: npt.ArrayLike,
        first: int = 1,
    ) -> UpdatingHistory:
        """Process the samples of a record in one compiled loop; returns the history."""
        t = np.ascontiguousarray(as_numbers("ModelUpdater.run", "times", times))
        if t.ndim != 1 or not np.isfinite(t).all():
            raise InputError("ModelUpdater.run", "times", times, "must be a row of finite numbers")
        if not finite(first) or first != int(first):
            raise InputError("ModelUpdater.run", "first", first, "must be the number of a step")
        given = {
            name: as_numbers("ModelUpdater.run", name, a)
            for name, a in (("displacements", displacements), ("forces", forces))
        }
        for name, rows in given.items():
            if rows.size != len(t) * self.twin.size:
                raise InputError(
                    "ModelUpdater.run",
                    name,
                    rows,
                    f"must be {len(t)} rows of {self.twin.size} numbers",
                )
        d, f = (np.ascontiguousarray(rows.reshape(len(t), -1)) for rows in given.values())
        self.clones.make_room(len(t))
        self.learner.make_room(len(t))
        memory, done = self.clones.memory, 0
        while done < len(t):
            until = len(t)
            if self.learner.collecting:
                until = min(until, done + max(self.noise_samples - int(memory.count), 1))
                for k in range(done, until):
                    self.learner.collect(int(memory.count) + k - done, d[k], f[k])
            part = slice(done, until)
            status, taken = self.clones.take_many(first + done, t[part], d[part], f[part])
            done += taken
            self._attend(status, first + done - 1)
        return self.history

    # --- what it knows ---

    @property
    def twin(self) -> BasicSystem:
        """The numerical twin of the specimen."""
        return self.clones.twin

    @property
    def mode(self) -> str:
        """What is in the filter's state: "joint", "pure" or "state"; or "consistent"."""
        return self.clones.mode

    @property
    def unknowns(self) -> list[Resolved]:
        """The unknowns, with bounds and start."""
        return self.clones.unknowns

    @property
    def filter(self) -> Filter | ConsistentEstimator:
        """The filter or estimator that corrects the unknowns."""
        return self.learner.filter

    @property
    def estimate(self) -> Estimate | LearnedEstimate:
        """The filter's estimate, in the units of the filter."""
        return self.learner.estimate

    @property
    def values(self) -> dict[str, float]:
        """Present estimates by name."""
        x = self.estimate.mean
        return {
            u.name: float(np.clip(np.exp(x[j]) if u.log else x[j] * u.scale, u.lower, u.upper))
            for j, u in enumerate(self.unknowns)
        }

    @property
    def std(self) -> dict[str, float]:
        """Standard deviations of the estimates by name."""
        values, spread = self.values, self.estimate.std
        return {
            u.name: float(spread[j] * (values[u.name] if u.log else u.scale))
            for j, u in enumerate(self.unknowns)
        }

    @property
    def written(self) -> Array:
        """What the guards let through to the model, in the order of ``names``."""
        return self.clones.written.copy()

    def values_to_monitor(self) -> Array:
        """What a page shows while the test runs.

        Estimates, standard deviations, mean normalised innovation and its band.
        """
        updates = int(min(self.clones.memory.updates, update_kernel.USUAL_WINDOW))
        usual = float(self.clones.memory.usual), *consistency_band(updates * self.twin.size)
        return np.array(
            [*self.values.values(), *self.std.values(), *(usual if updates else (np.nan,) * 3)]
        )

    @property
    def correlation(self) -> Array:
        """Correlation of the estimates."""
        k = len(self.unknowns)
        P = self.estimate.covariance[:k, :k]
        s = np.sqrt(np.maximum(np.diagonal(P), np.finfo(float).tiny))
        return np.asarray(P / np.outer(s, s))

    @property
    def force(self) -> Array:
        """The filter's estimate of the force, with the noise filtered out ("joint"), else that of
        the twin."""
        row = self.clones.last_force if self.mode == "joint" else self.clones.last_row()
        return np.asarray(self.twin.scale * self.twin.matrix.T @ row[: len(self.twin.matrix)])

    @property
    def force_noise(self) -> Array:
        """Standard deviation of the force noise that the filter was started with."""
        return self.learner.noise.copy()

    @property
    def history(self) -> UpdatingHistory:
        """The record so far."""
        return UpdatingHistory(
            self.names,
            self.twin.size,
            self.clones.record.copy(),
            tuple((u.lower, u.upper) for u in self.unknowns),
            self._channel_names,
        )

    @property
    def counts(self) -> dict[str, int]:
        """Samples processed, missing and rejected; steps in which the guards held; values cut by the
        rate limit; resets of the covariance; clones without an answer."""
        m = self.clones.memory
        return {
            "samples": int(m.count),
            "missing": int(m.missing),
            "rejected": int(m.rejected),
            "held": int(m.held),
            "rate_limited": int(m.limited),
            "resets": int(m.resets),
            "lost_clones": self.clones.fields.failures,
        }

    @property
    def consistent(self) -> bool:
        """Whether the guards let parameters through to the model."""
        return bool(self.clones.memory.open)

    def check(self) -> list[Finding]:
        """What looks wrong with the settings, in sentences."""
        return check(self)

    def diagnose(self) -> Diagnosis:
        """What the motion so far identifies, whether the filter is consistent, and whether the twin can
        be the specimen."""
        return diagnose(self)

    def statement(self) -> str:
        """The same in words."""
        return str(self.diagnose())

    def _repr_html_(self) -> str:
        return str(card(self))

    # --- inside ---

    def _begin(self) -> None:
        """The state before the first sample."""
        self.clones.begin()
        self.learner.begin()

    def _attend(self, status: int, step: int) -> None:
        """What a compiled step leaves to Python: rare things that need memory."""
        if status == update_kernel.FILTER_FAILED:
            raise AnalysisError(
                f"ModelUpdater of {self.element!r}: the filter failed in step {step}."
            )
        if status == update_kernel.ATTEND:
            self.learner.attend()
        if status == update_kernel.RESET:
            self.learner.reset_covariance()
        if self.learner.collecting and self.clones.memory.count >= self.noise_samples:
            self.learner.find_noise()
