"""`ModelUpdater`: a numerical twin of the specimen learns its parameters while the test runs and hands them on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from femu.arguments import as_numbers, typed_class
from femu.check import Finding
from femu.component import Material
from femu.element import Element, Name
from femu.errors import AnalysisError, InputError
from femu.experimental.basic_system import BasicSystem
from femu.parameters import finite
from femu.run import address
from femu.updating import hidden as of_hidden
from femu.updating import step as code
from femu.updating import twin as of_twin
from femu.updating.checks import check
from femu.updating.defaults import default_filter, default_mode
from femu.updating.diagnostics import Diagnosis, consistency_band, diagnose
from femu.updating.filtering import Filtering, FilterMaker
from femu.updating.history import UpdatingHistory
from femu.updating.layout import MODES
from femu.updating.targets import model_places, twin_places
from femu.updating.unknown import Resolved, Unknown

if TYPE_CHECKING:
    from femu.program import Program

Array = npt.NDArray[np.float64]
LARGEST_COUNT = 10**9
HISTORIES = ("extra", "separate")
IN_A_ROW = 2.0  # wild samples in a row that are rejected; what lasts longer is no outlier
STATISTICS_WINDOW = 500.0  # samples over which the statistics of the diagnostics fade


@typed_class
class ModelUpdater(Filtering):
    """Identifies parameters of a numerical twin from the measurements of a specimen, and writes them into the running model.

    ::

        updater = ModelUpdater("left", ForceBeamColumn("twin", "i", "j", section=column), length=3.6,
                               parameters={"section.yield_force": Unknown(lower=1.58e6, upper=2.32e6),
                                           "section.plastic_moment": Unknown(lower=170e3, upper=249e3),
                                           "section.b": Unknown(lower=0.01, upper=0.04)},
                               members=["right"])
        HybridTest(model, quake, dt=0.01, updater=updater).run()
        print(updater.statement())

    ``element`` is the experimental element whose measurements are heard. ``twin`` is a material, an element or a
    `BasicSystem` in the coordinates of that element. ``parameters`` maps names of the twin's parameters (patterns
    with ``*`` take several that share one value) to `Unknown`; a list of names takes the defaults. ``members`` are the
    members of the model that get the parameters, or a mapping from names of the twin to names (patterns) of the model.

    ``mode`` is "joint" (parameters and forces in the filter's state), "pure" (parameters alone) or "state" (parameters and
    the ``hidden`` history variables, by ``integration`` "law", "rk4" or "exact"); left out, it is chosen by
    `femu.updating.defaults.default_mode`. ``history`` is "extra" (one more evaluation with the corrected parameters keeps
    the history) or "separate" (each point keeps its own). See `femu.updating.twin`.

    ``filter`` makes the filter from (model, process_noise, measurement_noise, bounds=...): a class of `femu.filters`, or
    ``functools.partial`` of one. ``force_noise`` is the standard deviation of the measured forces, a number or one a
    channel; if left out it is found in the first ``listen`` samples, whose forces are compared with the straight line
    through them. Give it for an emulated specimen without noise, and wherever the first samples are too quiet to tell.
    ``force_drift`` is the standard deviation by which the forces in the state ("joint") may leave the twin in a step: a
    tenth of the noise if left out. ``displacement_noise`` adds what an error of the measured displacement does to the
    force.

    Guards: a sample whose innovation is ``gate`` times larger than usual is rejected, at most two in a row; parameters
    are written inside their bounds, by at most ``rate_limit`` of the distance between the bounds a step, and only while
    the mean normalised innovation is below ``consistency``. A missing force (None or NaN) is predicted only. A filter that
    stays inconsistent for ten samples has converged to a wrong place: it becomes as uncertain about the parameters as
    it was at the start, at most ``reopenings`` times.
    """

    def __init__(self, element: Name, twin: BasicSystem | Element | Material | Sequence[Material],
                 parameters: Mapping[str, Unknown] | Iterable[str],
                 members: Iterable[Name] | Mapping[str, str | Sequence[str]] = (), *, length: float = 1.0,
                 mode: str | None = None, history: str = "extra", filter: FilterMaker | None = None,
                 force_noise: float | Sequence[float] | None = None, displacement_noise: float | Sequence[float] = 0.0,
                 force_drift: float | None = None, listen: int = 50, gate: float = 8.0, rate_limit: float = 0.25,
                 consistency: float = 3.0, reopenings: int = 5,
                 hidden: Sequence[str] = (), integration: str = "law",
                 inequalities: Sequence[tuple[Mapping[str, float], float, str]] = (), seed: int = 0) -> None:
        if isinstance(parameters, str) or not isinstance(parameters, Iterable):
            raise InputError("ModelUpdater", "parameters", parameters, "must be names, or a table of names")
        if not isinstance(twin, (BasicSystem, Element, Material, list, tuple)):
            raise InputError("ModelUpdater", "twin", twin, "must be a material, materials, an element or a BasicSystem")
        if filter is not None and not callable(filter):
            raise InputError("ModelUpdater", "filter", filter, "must be a function that makes a filter")
        self.element = element
        self.twin = twin if isinstance(twin, BasicSystem) else BasicSystem(twin, length=length)
        m = len(self.twin.matrix)
        self._history_names = self.twin.state_names[2 * m + m * (m + 1) // 2:]
        if mode is None:
            mode = "state" if hidden or integration != "law" else default_mode(m, self._history_names)
        self.mode, self.history_rule, self.integration = mode, history, integration
        for argument, value, allowed in (("mode", mode, tuple(MODES)), ("history", history, HISTORIES),
                                         ("integration", integration, tuple(of_hidden.INTEGRATIONS))):
            if value not in allowed:
                raise InputError("ModelUpdater", argument, value, f"must be one of {allowed}")
        for argument, number, least in (("gate", gate, 0.0), ("rate_limit", rate_limit, 0.0), ("consistency", consistency, 0.0),
                                        ("listen", listen, 0), ("reopenings", reopenings, 0)):
            if not (isinstance(number, (int, float)) and isfinite(number) and least <= number):
                raise InputError("ModelUpdater", argument, number, "must be a finite number that is not negative")
            if argument in ("listen", "reopenings") and number > LARGEST_COUNT:
                raise InputError("ModelUpdater", argument, number, f"must be at most {LARGEST_COUNT}")
        given = dict(parameters) if isinstance(parameters, Mapping) else {str(n): Unknown() for n in parameters}
        if not given:
            raise InputError("ModelUpdater", "parameters", parameters, "must name at least one parameter of the twin",
                             "list(updater.twin.parameters) shows the names")
        own = self.twin.parameters
        self._start_values = own.vector.copy()
        self._places = {name: twin_places(own, name) for name in given}
        self.unknowns: list[Resolved] = [
            u.resolved(name, float(own.vector[self._places[name][0]]), own.declared[self._places[name][0]])
            for name, u in given.items()]
        self.names = tuple(u.name for u in self.unknowns)
        self.members = members
        self.inequalities = tuple(inequalities)
        self.seed = seed
        self._make_filter = default_filter(mode) if filter is None else filter
        n = self.twin.size
        self.displacement_noise = _spread("displacement_noise", displacement_noise, n)
        self._given_noise = None if force_noise is None else _spread("force_noise", force_noise, n)
        if self._given_noise is not None and not (self._given_noise > 0.0).all():
            raise InputError("ModelUpdater", "force_noise", force_noise, "must be above 0", "leave it out to have it found")
        self.force_drift = None if force_drift is None else float(_spread("force_drift", force_drift, 1)[0])
        self.listen = int(listen)
        self._stiffness = self.twin.initial_stiffness()
        self._hidden = self._hidden_places(hidden)
        self._hidden_effect = self._effect_of(self._hidden)
        self._model_vector: Array | None = None
        self._lay_out()
        self._options[:] = gate, IN_A_ROW, consistency, rate_limit, STATISTICS_WINDOW, 0.0, reopenings
        self._begin()

    # --- the contract with the runner ---

    def start(self, program: Program | None = None, parameters: Array | None = None) -> None:
        """Begin a test. ``parameters`` is the vector that the running model reads: it is written in place."""
        if program is not None and not hasattr(program, "parameters"):
            raise InputError("ModelUpdater.start", "program", program, "must be a Program")
        if program is None and parameters is not None:
            raise InputError("ModelUpdater.start", "parameters", parameters, "must come with the program they are of")
        self._begin()
        self._model_vector = None
        self._writes = np.zeros(len(self.unknowns), dtype=np.int64)
        if program is not None:
            vector = program.parameters.vector if parameters is None else parameters
            if not (isinstance(vector, np.ndarray) and vector.dtype == np.float64 and vector.flags.c_contiguous
                    and vector.shape == program.parameters.vector.shape):
                raise InputError("ModelUpdater", "parameters", parameters,
                                 "must be the model's own vector: contiguous numbers, as many as the program has")
            places = model_places(self.names, self.members, program.parameters)
            table: list[int] = []
            for j, found in enumerate(places):
                table += [len(found), *found]
                if found:
                    self._written[j] = np.clip(vector[found[0]], self.unknowns[j].lower, self.unknowns[j].upper)
            self._writes = np.array(table, dtype=np.int64)
            self._model_vector = vector
        self._c[code.WRITES] = address(self._writes)
        self._c[code.MODEL_P] = 0 if self._model_vector is None else address(self._model_vector)

    def update(self, step: int, time: float, displacement: npt.ArrayLike | None, force: npt.ArrayLike | None) -> None:
        """Hear one sample: measured displacement and force of the element. None or NaN: missing."""
        if int(self._c[code.ROW]) >= len(self._record):
            self._grow()
        try:
            self._now[:] = np.nan if displacement is None else displacement
            self._force[:] = np.nan if force is None else force
            place = float(step), float(time)
        except (TypeError, ValueError, OverflowError):
            place = (np.nan, np.nan)
        if place != place or not isfinite(sum(place)):
            raise InputError("ModelUpdater.update", "step, time, displacement, force", (step, time, displacement, force),
                             f"must be a step, a time, and {self.twin.size} numbers each")
        if self._listening:
            self._hear(int(self._memory[code.COUNT]), self._now, self._force)
        status = code.take_one(self._c, *place)
        if status != code.DONE or self._listening:
            self._attend(status, step)

    def checkpoint(self) -> Array:
        """Everything that changes, in one vector of constant length (the record is not in it)."""
        return np.concatenate([self._changing, self._noise, [float(self._listening)], self._heard.ravel(),
                               self.estimate.vector[:self.filter._scratch_start], self.twin.parameters.vector])

    def restore(self, values: Array) -> None:
        """Go on from a checkpoint of the same updater: the same bits follow."""
        n, own = len(self._changing), self.filter._scratch_start
        sizes = [n, len(self._noise), 1, self._heard.size, own]
        if np.shape(values) != (sum(sizes) + len(self.twin.parameters),):
            raise InputError("ModelUpdater", "values", np.shape(values), "must be a checkpoint of the same updater")
        changing, noise, listening, heard, vector, parameters = np.split(values, np.cumsum(sizes))
        self._noise[:] = noise
        self._set_listening(bool(listening[0]))
        self._install_filter()
        self._changing[:] = changing
        back = int(self._memory[code.COUNT]) - self._record_base
        if 0 <= back <= self._c[code.ROW]:
            self._c[code.ROW] = back
        else:  # the record of this object does not reach there: it begins anew
            self._record_base, self._c[code.ROW] = int(self._memory[code.COUNT]), 0
        self._heard[:] = heard.reshape(self._heard.shape)
        self.estimate.vector[:own] = vector
        self.twin.parameters.vector[:] = parameters

    # --- a whole record at once ---

    def run(self, times: npt.ArrayLike, displacements: npt.ArrayLike, forces: npt.ArrayLike, first: int = 1) -> UpdatingHistory:
        """Hear the samples of a record in one compiled loop; returns the history."""
        t = np.ascontiguousarray(as_numbers("ModelUpdater.run", "times", times))
        if t.ndim != 1 or not np.isfinite(t).all():
            raise InputError("ModelUpdater.run", "times", times, "must be a row of finite numbers")
        if not finite(first) or first != int(first):
            raise InputError("ModelUpdater.run", "first", first, "must be the number of a step")
        given = {name: as_numbers("ModelUpdater.run", name, a)
                 for name, a in (("displacements", displacements), ("forces", forces))}
        for name, rows in given.items():
            if rows.size != len(t) * self.twin.size:
                raise InputError("ModelUpdater.run", name, rows, f"must be {len(t)} rows of {self.twin.size} numbers")
        d, f = (np.ascontiguousarray(rows.reshape(len(t), -1)) for rows in given.values())
        while int(self._c[code.ROW]) + len(t) > len(self._record):
            self._grow()
        done = 0
        while done < len(t):
            until = len(t)
            if self._listening:
                until = min(until, done + max(self.listen - int(self._memory[code.COUNT]), 1))
                for k in range(done, until):
                    self._hear(int(self._memory[code.COUNT]) + k - done, d[k], f[k])
            status, taken = self._take(first + done, t[done:until], d[done:until], f[done:until])
            done += taken
            self._attend(status, first + done - 1)
        return self.history

    def _take(self, first: int, times: Array, displacements: Array, forces: Array) -> tuple[int, int]:
        """Samples of a record until one needs attention: what it needs, and how many were taken."""
        status, taken = code.take_many(self._c, float(first), times, displacements, forces)
        return int(status), int(taken)

    # --- what it knows ---

    @property
    def values(self) -> dict[str, float]:
        """Present estimates by name."""
        x = self.estimate.mean
        return {u.name: float(np.clip(np.exp(x[j]) if u.log else x[j] * u.scale, u.lower, u.upper))
                for j, u in enumerate(self.unknowns)}

    @property
    def std(self) -> dict[str, float]:
        """Standard deviations of the estimates by name."""
        values, spread = self.values, self.estimate.std
        return {u.name: float(spread[j] * (values[u.name] if u.log else u.scale)) for j, u in enumerate(self.unknowns)}

    @property
    def written(self) -> Array:
        """What the guards let through to the model, in the order of ``names``."""
        return self._written.copy()

    def watched(self) -> Array:
        """What a page shows while the test runs: estimates, standard deviations, mean normalised innovation and its band."""
        updates = int(min(self._memory[code.UPDATES], code.USUAL_WINDOW))
        usual = float(self._memory[code.USUAL]), *consistency_band(updates * self.twin.size)
        return np.array([*self.values.values(), *self.std.values(), *(usual if updates else (np.nan,) * 3)])

    @property
    def correlation(self) -> Array:
        """Correlation of the estimates."""
        k = len(self.unknowns)
        P = self.estimate.covariance[:k, :k]
        s = np.sqrt(np.maximum(np.diagonal(P), np.finfo(float).tiny))
        return np.asarray(P / np.outer(s, s))

    @property
    def force(self) -> Array:
        """The filter's estimate of the force, with the noise filtered out ("joint"), else that of the twin."""
        row = self._last_force if self.mode == "joint" else self._shadow_row()
        return np.asarray(self.twin.scale * self.twin.matrix.T @ row[:len(self.twin.matrix)])

    @property
    def force_noise(self) -> Array:
        """Standard deviation of the force noise that the filter was started with."""
        return self._noise.copy()

    @property
    def history(self) -> UpdatingHistory:
        """The record so far."""
        return UpdatingHistory(self.names, self.twin.size, self._record[:int(self._c[code.ROW])].copy(),
                               tuple((u.lower, u.upper) for u in self.unknowns))

    @property
    def counts(self) -> dict[str, int]:
        """Samples heard, missing and rejected; steps in which the guards held; values cut by the rate limit;
        reopenings; clones without an answer."""
        m = self._memory
        return {"samples": int(m[code.COUNT]), "missing": int(m[code.MISSING]), "rejected": int(m[code.REJECTED]),
                "held": int(m[code.HELD]), "rate_limited": int(m[code.LIMITED]),
                "reopened": int(m[code.REOPENED]), "lost_clones": int(self._c[of_twin.FAILURES])}

    @property
    def consistent(self) -> bool:
        """Whether the guards let parameters through to the model."""
        return bool(self._memory[code.OPEN])

    def check(self) -> list[Finding]:
        """What looks wrong with the settings, in sentences."""
        return check(self)

    def diagnose(self) -> Diagnosis:
        """What the motion so far tells, whether the filter is consistent, and whether the twin can be the specimen."""
        return diagnose(self)

    def statement(self) -> str:
        """The same in words."""
        return str(self.diagnose())

    def _repr_html_(self) -> str:
        from femu.report.cards import updater_card

        return updater_card(self)

    # --- inside ---

    def _begin(self) -> None:
        """The state before the first sample."""
        self._changing[:] = 0.0
        self._record_base, self._c[code.ROW] = 0, 0
        self._memory[code.WAIT] = code.SETTLING
        self._heard[:] = 0.0
        self._c[of_twin.FAILURES] = 0
        self.twin.parameters.vector[:] = self._start_values
        for u in self.unknowns:
            self.twin.parameters.vector[self._places[u.name]] = u.start
        self._held[of_twin.P][:] = self.twin.parameters.vector
        virgin = np.zeros(self._c[of_twin.STRIDE])
        virgin[:self._c[of_twin.SIZE]] = self.twin.virgin()
        self._rows.reshape(-1, len(virgin))[:] = virgin
        self._shadow[:] = virgin
        self._written[:] = [u.start for u in self.unknowns]
        self._noise[:] = 1.0 if self._given_noise is None else self._given_noise
        self._set_listening(self._given_noise is None)
        self._install_filter()

    def _hear(self, sample: int, displacement: Array, force: Array) -> None:
        n, row = self.twin.size, self._heard[sample % len(self._heard)]
        row[:n], row[n:] = displacement, force

    def _attend(self, status: int, step: int) -> None:
        """What a compiled step leaves to Python: rare things that need memory."""
        if status == code.FILTER_FAILED:
            raise AnalysisError(f"ModelUpdater of {self.element!r}: the filter failed in step {step}.")
        if status == code.REOPEN:
            self._reopen()
        if self._listening and self._memory[code.COUNT] >= self.listen:
            self._stop_listening()

    def _grow(self) -> None:
        """Room for twice as many samples. The only time that a step allocates."""
        record = np.zeros((2 * len(self._record), self._record.shape[1]))
        record[:len(self._record)] = self._record
        self._record = record
        self._c[code.RECORD] = address(record)

    def _shadow_row(self) -> Array:
        return self._rows if self.mode == "pure" and self.history_rule == "extra" else self._shadow


def _spread(argument: str, value: float | Sequence[float], size: int) -> Array:
    """A standard deviation for each channel."""
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        given = np.full(size, np.nan)
    spread = np.full(size, float(given)) if given.ndim == 0 else given.copy()
    if spread.shape != (size,) or not np.isfinite(spread).all() or (spread < 0.0).any():
        raise InputError("ModelUpdater", argument, value, f"must be a number or {size} numbers of at least 0")
    return spread
