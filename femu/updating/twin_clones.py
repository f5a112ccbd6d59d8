"""Clones of a twin: the vectors of an updater, and the fields through which kernels reach them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from femu.engine.element_kernels import STEP_FLOATS
from femu.experimental.specimens.basic_system import BasicSystem
from femu.filters.model import StateSpace
from femu.support.errors import InputError
from femu.updating import history_states, twin_kernels, update_kernel
from femu.updating.defaults import carried
from femu.updating.targets import twin_places
from femu.updating.unknown import Resolved, Unknown
from femu.updating.updater_fields import Memory, Options, Statistics, UpdaterFields

Array = npt.NDArray[np.float64]
HISTORIES = ("shared", "per_point")
MODES = {
    "pure": update_kernel.PURE,
    "joint": update_kernel.JOINT,
    "state": update_kernel.STATE,
    "consistent": update_kernel.CONSISTENT,
}
# deformation whose elastic force is the unit of the forces inside the filter
SMALL_DEFORMATION = 1e-3
SMALL_HISTORY = 1e-9  # change of a history variable by which its effect on the force is found
PERTURBED = 1e-3  # change of a parameter by which its effect on the elastic stiffness is found
FIRST_ROOM = 20_000  # samples of the record before it has to grow
SPARE = 64  # floats after vectors that kernels read in blocks

_KERNELS = {
    update_kernel.PURE: (twin_kernels.pure_process, twin_kernels.pure_measurement),
    update_kernel.JOINT: (twin_kernels.joint_process, twin_kernels.joint_measurement),
    update_kernel.STATE: (history_states.state_process, history_states.state_measurement),
    update_kernel.CONSISTENT: (twin_kernels.pure_process, twin_kernels.pure_measurement),
}


class TwinClones:
    """Copies of a twin's state, one or one for each sigma point, with the unknowns as parameters.

    A filter evaluates them through ``space``. Everything that changes from sample to sample is in
    ``changing``, so a checkpoint is a copy of that vector.
    """

    def __init__(
        self,
        twin: BasicSystem,
        given: Mapping[str, Unknown],
        *,
        mode: str,
        histories: str,
        integration: str,
        hidden: Sequence[str],
        noise_samples: int,
    ) -> None:
        own = twin.parameters
        m = len(twin.matrix)
        self.twin, self.mode, self.histories, self.integration = twin, mode, histories, integration
        self.start_values = own.vector.copy()
        self.places = {name: twin_places(own, name) for name in given}
        self.unknowns: list[Resolved] = [
            u.resolved(
                name, float(own.vector[self.places[name][0]]), own.declared[self.places[name][0]]
            )
            for name, u in given.items()
        ]
        self.names = tuple(u.name for u in self.unknowns)
        self.history_names = history_names(twin)
        self.hidden = self._hidden_places(hidden)
        self.hidden_effect = self._effect_of(self.hidden)
        self.extra = {"joint": m, "state": len(self.hidden)}.get(mode, 0)
        self.record_start = 0
        """Number of the sample in the first row of the record."""
        self._record: Array
        self._allocate(noise_samples)
        self._set_units()
        self._fill_fields()
        self.space = self._state_space()

    # --- the state ---

    def begin(self) -> None:
        """The state before the first sample."""
        fields, twin = self.fields, self.twin
        self.changing[:] = 0.0
        self.record_start, fields.row, self._room = 0, 0, 0
        self.memory.wait = update_kernel.SETTLING
        self.first_samples[:] = 0.0
        fields.failures = 0
        twin.parameters.vector[:] = self.start_values
        for u in self.unknowns:
            twin.parameters.vector[self.places[u.name]] = u.start
        fields.parameters[:] = twin.parameters.vector
        virgin = np.zeros(fields.row_size)
        virgin[: fields.nstate] = twin.virgin()
        self.rows.reshape(-1, len(virgin))[:] = virgin
        self.shadow[:] = virgin
        self.written[:] = [u.start for u in self.unknowns]

    def go_back(self, changing: Array) -> None:
        """To the state of a checkpoint; the record continues from there, if it reaches back."""
        self.changing[:], self._room = changing, 0
        back = int(self.memory.count) - self.record_start
        if 0 <= back <= self.fields.row:
            self.fields.row = back
        else:
            self.record_start, self.fields.row = int(self.memory.count), 0

    @property
    def record(self) -> Array:
        """The rows of the record so far."""
        return self._record[: self.fields.row]

    def make_room(self, samples: int) -> None:
        """Room in the record for further samples. The only time that a step allocates."""
        self._room -= samples
        if self._room >= 0:
            return
        while self.fields.row + samples > len(self._record):
            record = np.zeros((2 * len(self._record), self._record.shape[1]))
            record[: len(self._record)] = self._record
            self._record = self.fields.record = record
        self._room = len(self._record) - self.fields.row - samples

    def take_many(
        self, first: int, times: Array, displacements: Array, forces: Array
    ) -> tuple[int, int]:
        """Samples of a record until one needs attention: what it needs, and how many were taken."""
        status, taken = update_kernel.take_many(
            self.fields.vector, float(first), times, displacements, forces
        )
        self._room = 0  # whoever called has not counted: it is looked up again
        return int(status), int(taken)

    def last_row(self) -> Array:
        """Basic force and history of the twin with the corrected parameters."""
        alone = self.mode in ("pure", "consistent") and self.histories == "shared"
        return self.rows if alone else self.shadow

    # --- the layout ---

    def _hidden_places(self, names: Sequence[str]) -> list[int]:
        if self.mode != "state":
            return []
        m, tail = len(self.twin.matrix), self.history_names
        head = len(self.twin.state_names) - len(tail)
        wanted = list(names) or carried(m, tail)
        for name in wanted:
            if name not in tail:
                raise InputError(
                    "ModelUpdater",
                    "hidden",
                    name,
                    f"must be a history variable of the twin: {tail}",
                )
        if not wanted:
            raise InputError(
                "ModelUpdater", "hidden", names, f"must name history variables of the twin: {tail}"
            )
        if self.integration != "law" and (m != 1 or tail != ["strain", "z", "energy"]):
            raise InputError(
                "ModelUpdater",
                "integration",
                self.integration,
                'must be "law": the twin is not one Bouc-Wen spring',
            )
        return [head + tail.index(name) for name in wanted]

    def _effect_of(self, places: list[int]) -> Array:
        """Change of the force by a change of each history variable, at rest: rows of channels."""
        system, still = self.twin, np.zeros(self.twin.size)
        effect = np.zeros((len(places), system.size))
        for row, place in enumerate(places):
            virgin, trial = system.virgin(), system.virgin()
            virgin[place] = SMALL_HISTORY
            effect[row] = (
                system.evaluate(virgin, trial, still, parameters=self.start_values)[0]
                / SMALL_HISTORY
            )
            if not np.abs(effect[row]).max() > 0.0:
                raise InputError(
                    "ModelUpdater",
                    "hidden",
                    system.state_names[place],
                    "does not change the force of the twin",
                )
        return effect

    def _allocate(self, noise_samples: int) -> None:
        """All vectors."""
        twin = self.twin
        m, n = twin.matrix.shape
        known, stride = len(self.unknowns), len(twin.state_names) + m
        if self.mode in ("state", "consistent") and self.histories == "per_point":
            raise InputError(
                "ModelUpdater",
                "histories",
                "per_point",
                f'has no meaning in the mode "{self.mode}"',
                fix='use mode="joint" or "pure"',
            )
        count = 2 * (known + self.extra) + 1 if self.histories == "per_point" else 1
        # one vector of all that changes, with views of its parts: a checkpoint is a copy of it
        sizes = [Memory.words(), n * Statistics.words(), known, n, m, count * stride, stride]
        self.changing = np.zeros(sum(sizes))
        (
            memory,
            self.statistics,
            self.written,
            self.before,
            self.last_force,
            self.rows,
            self.shadow,
        ) = np.split(self.changing, np.cumsum(sizes)[:-1])
        self.memory, self.options = Memory(memory), Options()
        self.first_samples = np.zeros((max(noise_samples, 1), 2 * n))
        self.now, self.force = np.zeros(n), np.zeros(n)
        self._room = 0  # samples for which the record has room surely
        self._record = np.zeros((FIRST_ROOM, update_kernel.RECORD_HEAD + 5 * n + 3 * known))

    def _set_units(self) -> None:
        """Units of the numbers inside the filter, and the bounds of the unknowns in them."""
        self.limits = np.array(
            [u.inside(u.lower) for u in self.unknowns] + [u.inside(u.upper) for u in self.unknowns]
        )
        k0 = np.abs(np.diagonal(self._basic_stiffness()))
        if self.mode == "joint" and not (k0 > 0.0).all():
            raise InputError(
                "ModelUpdater",
                "mode",
                "joint",
                "needs a twin with an elastic stiffness",
                fix='use mode="pure"',
            )
        self.force_unit = np.where(k0 > 0.0, k0, 1.0) * SMALL_DEFORMATION
        self.hidden_unit = np.ones(max(len(self.hidden), 1))

    def _fill_fields(self) -> None:
        """The fields through which kernels reach the vectors."""
        system = self.twin
        m, n = system.matrix.shape
        known, size = len(self.unknowns), len(system.state_names)
        stride = size + m
        count = len(self.rows) // stride
        self.fields = fields = UpdaterFields()
        fields.kernel, fields.element_integers = system.kernel_address, system.integers
        fields.constants, fields.load = system.constants, system.load
        fields.workspace, fields.step = system.workspace.copy(), np.zeros(STEP_FLOATS)
        fields.matrix, fields.scale = system.matrix, system.scale
        fields.nbasic, fields.nchannels, fields.nstate = m, n, size
        fields.plain = m == n and system.scale == 1.0 and np.array_equal(system.matrix, np.eye(m))
        fields.nunknowns, fields.parameters = known, self.start_values.copy()
        fields.targets = np.array(
            [x for places in self.places.values() for x in (len(places), *places)], dtype=np.int64
        )
        fields.units = np.array([0.0 if u.log else u.scale for u in self.unknowns])
        fields.limits, fields.force_units = self.limits, self.force_unit
        fields.stiffness_unknown = self._stiffness_unknown()
        fields.rows, fields.trial = self.rows, np.zeros(len(self.rows) + SPARE)
        fields.nrows, fields.row_size, fields.separate_rows = count, stride, count > 1
        fields.now, fields.before = self.now, self.before
        for name in ("deformation", "change", "rate", "v"):
            setattr(fields, name, np.zeros(m + SPARE))
        fields.flexibility = np.zeros(m * m)
        if self.mode == "joint":
            fields.flexibility[:] = np.linalg.inv(self._basic_stiffness()).ravel()
        fields.virgin, fields.clone = np.zeros(2 * stride + SPARE), np.zeros(2 * stride + SPARE)
        fields.hidden = np.array(self.hidden or [0], dtype=np.int64)
        fields.nhidden, fields.hidden_units = len(self.hidden), self.hidden_unit
        fields.integration = history_states.INTEGRATIONS[self.integration]
        fields.scratch = np.zeros(4 * (m + n + known) + SPARE)
        fields.mode, fields.no_input = MODES[self.mode], np.zeros(1)
        fields.memory, fields.options = self.memory, self.options
        fields.force, fields.silence = self.force, np.full(n, np.nan)
        fields.last_force, fields.statistics = self.last_force, self.statistics
        fields.shadow, fields.shadow_trial = self.shadow, np.zeros(stride + SPARE)
        fields.twin_parameters, fields.written = system.parameters.vector, self.written
        fields.record, fields.record_width = self._record, self._record.shape[1]
        fields.writes = np.zeros(known, dtype=np.int64)

    def _state_space(self) -> StateSpace:
        """What the filter evaluates: unknowns, then forces or history variables."""
        process, measurement = _KERNELS[MODES[self.mode]]
        extra = {
            "joint": tuple(f"q_{a}" for a in range(len(self.twin.matrix))),
            "state": tuple(self.twin.state_names[h] for h in self.hidden),
        }.get(self.mode, ())
        return StateSpace(
            process,
            measurement,
            states=len(self.unknowns) + self.extra,
            outputs=self.twin.size,
            data=self.fields.vector,
            names=(*self.names, *extra),
        )

    def _basic_stiffness(self, parameters: Array | None = None) -> Array:
        """Elastic stiffness of the basic system."""
        system = self.twin
        m = len(system.matrix)
        state = np.zeros(len(system.state_names))
        system.evaluate(
            np.zeros_like(state),
            state,
            np.zeros(system.size),
            parameters=self.start_values if parameters is None else parameters,
        )
        matrix = np.zeros((m, m))
        matrix[np.triu_indices(m)] = state[m : m + m * (m + 1) // 2]
        return matrix + np.triu(matrix, 1).T

    def _stiffness_unknown(self) -> bool:
        """Whether the elastic stiffness depends on an unknown."""
        before = self._basic_stiffness()
        for u in self.unknowns:
            changed = self.start_values.copy()
            step = PERTURBED * u.scale
            changed[self.places[u.name]] = u.start + (step if u.start + step <= u.upper else -step)
            if np.abs(self._basic_stiffness(changed) - before).max() > 1e-12 * np.abs(before).max():
                return True
        return False


def history_names(twin: BasicSystem) -> list[str]:
    """Names of the history variables of a twin."""
    m = len(twin.matrix)
    return list(twin.state_names[2 * m + m * (m + 1) // 2 :])
