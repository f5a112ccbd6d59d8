"""What a hybrid test notes of every step: how the step went, energies, and the exchange with each
specimen.

Energies are those of the model and its specimens. The strain energy is what the elements would give
back, ``q^T F_0 q / 2`` with the flexibility F_0 of each element before anything happened; what else
they absorbed is hysteretic. The experimental error is the work of the converged forces of the
experimental elements less that of the measured ones, each on its own displacements::

    E = sum over steps of (q_0 + q_1)/2 (v_1 - v_0)  -  the same of r_measured and v_measured
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.experimental.elements.experimental import Experimental
from femu.experimental.elements.measured_law import MEASURED
from femu.kernels import compiled
from femu.model.element import Name

Array = npt.NDArray[np.float64]
ENERGY_COLUMNS = ("input", "kinetic", "damping", "strain", "hysteretic", "experimental error")
STEP_COLUMNS = ("iterations", "fallback", "seconds", "waiting", "overrun", *ENERGY_COLUMNS)
_INPUT, _STRAIN, _HYSTERETIC, _ERROR = (
    STEP_COLUMNS.index(n) for n in ("input", "strain", "hysteretic", "experimental error")
)
_HEAD = len(STEP_COLUMNS)


@dataclass(frozen=True)
class Columns:
    """Where the numbers of one experimental element are in a row: each a (first, count)."""

    size: int
    command: tuple[int, int]
    measured_displacement: tuple[int, int]
    measured_force: tuple[int, int]
    displacement: tuple[int, int]
    force: tuple[int, int]
    stiffness: tuple[int, int]  # upper triangle
    updated: tuple[int, int]
    work: tuple[int, int]  # of the converged force, of the measured force

    @classmethod
    def of(cls, n: int, first: int) -> Columns:
        """Columns of an element of n deformations, from the column ``first`` on."""
        counts = [n, n, n, n, n, n * (n + 1) // 2, 1, 2]
        starts = first + np.concatenate([[0], np.cumsum(counts)])
        return cls(n, *((int(s), c) for s, c in zip(starts, counts, strict=False)))

    def as_data(self) -> dict[str, Any]:
        """As plain data, for files."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Columns:
        """From what `as_data` gave."""
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**found)

    @property
    def end(self) -> int:
        """The column after them."""
        return sum(self.work)


@compiled
def _fill(rows, k, vector, energy, elements, starts, sizes, places, flexibilities, experimental):
    """Fill row k from the committed state, after the row before it.

    Many locals: fields of the run, unpacked before the loop.
    """
    row, before = rows[k], rows[max(k - 1, 0)]
    for a in range(3):
        row[_INPUT + a] = vector[energy + a]
    strain, at = 0.0, 0
    for e in range(len(starts)):
        n, q = sizes[e], elements + starts[e]
        for a in range(n):
            for b in range(n):
                strain += 0.5 * vector[q + a] * flexibilities[places[e] + a * n + b] * vector[q + b]
    row[_STRAIN] = strain
    row[_HYSTERETIC] = vector[energy + 3] - strain
    row[_ERROR] = 0.0
    for e in range(len(experimental)):
        start, n, first = experimental[e, 0], experimental[e, 1], experimental[e, 2]
        entries = n * (n + 1) // 2
        own = elements + start
        measured, converged = first + n, first + 3 * n
        for a in range(2 * n):
            row[measured + a] = vector[own + 2 * n + entries + a]  # v_m, q_m
        for a in range(n):
            row[converged + a] = vector[own + n + entries + a]
            row[converged + n + a] = vector[own + a]
        for a in range(entries):
            row[first + 5 * n + a] = vector[own + n + a]
        at = first + 5 * n + entries
        row[at] = vector[own + 2 * n + entries + MEASURED * n + entries]  # updated
        for w, displacement in ((1, converged), (2, measured)):
            total = before[at + w] if k > 0 else 0.0
            if k > 0:
                for a in range(n):
                    total += (
                        0.5
                        * (row[displacement + n + a] + before[displacement + n + a])
                        * (row[displacement + a] - before[displacement + a])
                    )
            row[at + w] = total
        row[_ERROR] += row[at + 1] - row[at + 2]


class HybridRecord:
    """Rows of a test, one a step and one for the state it begins with."""

    def __init__(self, program: Program, elements: dict[Name, Experimental], steps: int) -> None:
        self.columns: dict[Name, Columns] = {}
        self.channels = {name: element.basic_channels for name, element in elements.items()}
        end = _HEAD
        table = []
        for name, element in elements.items():
            self.columns[name] = Columns.of(element.basic_size, end)
            table.append([program.element_state(name)[0], element.basic_size, end])
            end = self.columns[name].end
        self.rows = np.zeros((steps + 1, end))
        self._experimental = np.array(table, dtype=np.int64)
        self._energy, self._elements = program.layout.energy, program.layout.elements
        self._flexibilities(program)

    def _flexibilities(self, program: Program) -> None:
        virgin = program.state()
        Workspace(program, virgin).begin()
        state = virgin.vector[program.layout.elements :]
        starts, sizes, places = [], [], []
        made: list[Array] = [np.zeros(0)]
        for name, plan in program.plans.items():
            n, start = len(plan.basic_forces), program.element_state(name)[0]
            if n == 0:
                continue
            stiffness = np.zeros((n, n))
            stiffness[np.triu_indices(n)] = state[start + n : start + n + n * (n + 1) // 2]
            stiffness = stiffness + np.triu(stiffness, 1).T
            starts.append(start)
            sizes.append(n)
            places.append(sum(len(m) for m in made))
            made.append(np.asarray(np.linalg.pinv(stiffness, hermitian=True), dtype=float).ravel())
        self._starts, self._sizes, self._places = (
            np.array(x, dtype=np.int64) for x in (starts, sizes, places)
        )
        self._made = np.concatenate(made)

    def fill(self, step: int, vector: Array) -> None:
        """Note the committed state of a step."""
        _fill(
            self.rows,
            step,
            vector,
            self._energy,
            self._elements,
            self._starts,
            self._sizes,
            self._places,
            self._made,
            self._experimental,
        )
