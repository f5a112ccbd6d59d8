"""The vectors of an updater, and the context through which its kernels reach them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.errors import InputError
from femu.experimental.basic_system import BasicSystem
from femu.filters.model import StateSpace
from femu.run import address
from femu.updating import hidden as of_hidden
from femu.updating import step as code
from femu.updating import twin as of_twin
from femu.updating.defaults import carried
from femu.updating.unknown import Resolved

Array = npt.NDArray[np.float64]
MODES = {"pure": code.PURE, "joint": code.JOINT, "state": code.STATE}
SMALL_DEFORMATION = 1e-3  # deformation whose elastic force is the unit of the forces inside the filter
SMALL_HISTORY = 1e-9  # change of a history variable by which its effect on the force is found
PERTURBED = 1e-3  # change of a parameter by which its effect on the elastic stiffness is found
FIRST_ROOM = 20_000  # samples of the record before it has to grow
SPARE = 64  # floats behind vectors that kernels read in blocks

_KERNELS = {
    code.PURE: (of_twin.pure_process, of_twin.pure_measurement),
    code.JOINT: (of_twin.joint_process, of_twin.joint_measurement),
    code.STATE: (of_hidden.state_process, of_hidden.state_measurement),
}


class Layout:
    """Lays out the clones of a twin; base of `femu.updating.ModelUpdater`."""

    twin: BasicSystem
    unknowns: list[Resolved]
    names: tuple[str, ...]
    mode: str
    history_rule: str
    integration: str
    listen: int
    _places: dict[str, list[int]]
    _start_values: Array
    _history_names: list[str]
    _hidden: list[int]
    _record_base: int = 0

    def _hidden_places(self, names: Sequence[str]) -> list[int]:
        if self.mode != "state":
            return []
        m, tail = len(self.twin.matrix), self._history_names
        head = len(self.twin.state_names) - len(tail)
        wanted = list(names) or carried(m, tail)
        for name in wanted:
            if name not in tail:
                raise InputError("ModelUpdater", "hidden", name, f"must be a history variable of the twin: {tail}")
        if not wanted:
            raise InputError("ModelUpdater", "hidden", names, f"must name history variables of the twin: {tail}")
        if self.integration != "law" and (m != 1 or tail != ["strain", "z", "energy"]):
            raise InputError("ModelUpdater", "integration", self.integration,
                             'must be "law": the twin is not one Bouc-Wen spring')
        return [head + tail.index(name) for name in wanted]

    def _effect_of(self, places: list[int]) -> Array:
        """Change of the force by a change of each history variable, at rest: rows of channels."""
        system, still = self.twin, np.zeros(self.twin.size)
        effect = np.zeros((len(places), system.size))
        for row, place in enumerate(places):
            virgin, trial = system.virgin(), system.virgin()
            virgin[place] = SMALL_HISTORY
            effect[row] = system.evaluate(virgin, trial, still, parameters=self._start_values)[0] / SMALL_HISTORY
            if not np.abs(effect[row]).max() > 0.0:
                raise InputError("ModelUpdater", "hidden", system.state_names[place], "does not change the force of the twin")
        return effect

    def _lay_out(self) -> None:
        """All vectors, and the context through which kernels reach them."""
        system = self.twin
        m, n = system.matrix.shape
        known, size = len(self.unknowns), len(system.state_names)
        self._extra = {"pure": 0, "joint": m, "state": len(self._hidden)}[self.mode]
        stride = size + m
        points = 2 * (known + self._extra) + 1
        rows = points if self.history_rule == "separate" else 1
        if self.mode == "state" and self.history_rule == "separate":
            raise InputError("ModelUpdater", "history", "separate", 'has no meaning in the mode "state"',
                             'use mode="joint" or "pure"')
        # one vector of all that changes, with views of its parts: a checkpoint is a copy of it
        sizes = [code.MEMORY_SIZE, n * code.STATISTICS_SIZE, known, n, m, rows * stride, stride]
        self._changing = np.zeros(sum(sizes))
        parts = np.split(self._changing, np.cumsum(sizes)[:-1])
        self._memory, self._statistics, self._written, self._before, self._last_force, self._rows, self._shadow = parts
        self._heard = np.zeros((max(self.listen, 1), 2 * n))
        self._now, self._force, self._noise = np.zeros(n), np.zeros(n), np.ones(n)
        self._record = np.zeros((FIRST_ROOM, code.RECORD_HEAD + 5 * n + 3 * known))
        self._c = np.zeros(code.SLOTS, dtype=np.int64)
        self._options = np.zeros(code.OPTIONS_SIZE)
        self._targets = np.array([x for places in self._places.values() for x in (len(places), *places)], dtype=np.int64)
        unit = np.array([0.0 if u.log else u.scale for u in self.unknowns])
        self._limits = np.array([u.inside(u.lower) for u in self.unknowns] + [u.inside(u.upper) for u in self.unknowns])
        k0 = np.abs(np.diagonal(self._basic_stiffness()))
        if self.mode == "joint" and not (k0 > 0.0).all():
            raise InputError("ModelUpdater", "mode", "joint", "needs a twin with an elastic stiffness", 'use mode="pure"')
        self._force_unit = np.where(k0 > 0.0, k0, 1.0) * SMALL_DEFORMATION
        self._hidden_unit = np.ones(max(len(self._hidden), 1))
        scratch = np.zeros(4 * (m + n + known) + SPARE)
        held: dict[int, npt.NDArray[Any]] = {
            of_twin.INTEGERS: system._integers, of_twin.CONSTANTS: system._constants, of_twin.WORK: system._workspace.copy(),
            of_twin.LOAD: system._load, of_twin.STEP: np.zeros(4), of_twin.MATRIX: system.matrix,
            of_twin.SCALE: np.array([system.scale]), of_twin.P: self._start_values.copy(), of_twin.TARGETS: self._targets,
            of_twin.UNIT: unit, of_twin.LIMITS: self._limits, of_twin.FORCE_UNIT: self._force_unit, of_twin.ROWS: self._rows,
            of_twin.TRIAL: np.zeros(rows * stride + SPARE), of_twin.NOW: self._now, of_twin.BEFORE: self._before,
            **{place: np.zeros(m + SPARE) for place in (of_twin.TARGET, of_twin.CHANGE, of_twin.RATE, of_twin.V)},
            of_twin.FLEXIBILITY: np.zeros(m * m),
            of_twin.VIRGIN: np.zeros(2 * stride + SPARE), of_twin.HIDDEN: np.array(self._hidden or [0], dtype=np.int64),
            of_twin.HIDDEN_UNIT: self._hidden_unit, of_twin.SCRATCH: scratch, of_twin.CLONE: np.zeros(2 * stride + SPARE),
            code.MEMORY: self._memory, code.OPTIONS: self._options, code.FORCE: self._force, code.SILENCE: np.full(n, np.nan),
            code.LAST_FORCE: self._last_force, code.SHADOW: self._shadow, code.SHADOW_TRIAL: np.zeros(stride + SPARE),
            code.TWIN_P: system.parameters.vector, code.WRITTEN: self._written, code.STATISTICS: self._statistics,
            code.RECORD: self._record, code.INPUT: np.array([float(address(self._c))]),
        }
        self._held = held
        for place, array in held.items():
            self._c[place] = address(array)
        for place, number in (
                (of_twin.KERNEL, system._address), (of_twin.BASIC, m), (of_twin.CHANNELS, n), (of_twin.SIZE, size),
                (of_twin.STRIDE, stride), (of_twin.UNKNOWNS, known), (of_twin.SEPARATE, int(rows > 1)),
                (of_twin.HIDDEN_COUNT, len(self._hidden)), (of_twin.RULE, of_hidden.INTEGRATIONS[self.integration]),
                (of_twin.PLAIN, int(m == n and system.scale == 1.0 and np.array_equal(system.matrix, np.eye(m)))),
                (of_twin.STIFF, int(self._stiffness_unknown())), (code.MODE, MODES[self.mode]), (code.POINTS, rows),
                (code.RECORD_WIDTH, self._record.shape[1])):
            self._c[place] = number
        if self.mode == "joint":
            held[of_twin.FLEXIBILITY][:] = np.linalg.inv(self._basic_stiffness()).ravel()
        self._writes = np.zeros(known, dtype=np.int64)
        self._c[code.WRITES] = address(self._writes)
        process, measurement = _KERNELS[MODES[self.mode]]
        extra = {"pure": (), "joint": tuple(f"q_{a}" for a in range(m)),
                 "state": tuple(self.twin.state_names[h] for h in self._hidden)}[self.mode]
        self.space = StateSpace(process, measurement, states=known + self._extra, outputs=n, inputs=1,
                                names=(*self.names, *extra))

    def _basic_stiffness(self, parameters: Array | None = None) -> Array:
        """Elastic stiffness of the basic system."""
        system = self.twin
        m = len(system.matrix)
        state = np.zeros(len(system.state_names))
        system.evaluate(np.zeros_like(state), state, np.zeros(system.size),
                        parameters=self._start_values if parameters is None else parameters)
        matrix = np.zeros((m, m))
        matrix[np.triu_indices(m)] = state[m:m + m * (m + 1) // 2]
        return matrix + np.triu(matrix, 1).T

    def _stiffness_unknown(self) -> bool:
        """Whether the elastic stiffness depends on an unknown."""
        before = self._basic_stiffness()
        for u in self.unknowns:
            changed = self._start_values.copy()
            step = PERTURBED * u.scale
            changed[self._places[u.name]] = u.start + (step if u.start + step <= u.upper else -step)
            if np.abs(self._basic_stiffness(changed) - before).max() > 1e-12 * np.abs(before).max():
                return True
        return False
