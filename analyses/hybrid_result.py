"""Result of a hybrid test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.hybrid_record import ENERGY_COLUMNS, STEP_COLUMNS, Columns, HybridRecord
from femu.analyses.marcher import Marcher
from femu.analyses.pacing import PaceReport
from femu.element import Name
from femu.errors import InputError, ModelError
from femu.outcome import Outcome
from femu.progress import AMBIENCE
from femu.results import Result

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class HybridResult(Result):
    """A `Result` with what happened in every step of the test.

    Numbers of every step have one row a step, and one in front for the state before the first; ``instants`` are
    their times. Displacements and forces of experimental elements are those of their basic systems.
    """

    @classmethod
    def of_test(cls, marcher: Marcher, outcome: Outcome, record: HybridRecord, dt: float,
                pace: PaceReport | None) -> HybridResult:
        """Result of a test that has ended."""
        made: Any = cls.of(marcher, outcome, "hybrid")
        index = {**made.index, "test": [[name, c.as_data()] for name, c in record.columns.items()], "dt": dt,
                 "every": marcher.save.every, "pace": pace.as_data() if pace is not None else None}
        found: HybridResult = replace(made, arrays={**made.arrays, "test": record.rows[:marcher.done + 1]}, index=index)
        AMBIENCE.tell(found)
        return found

    @property
    def steps(self) -> int:
        """Committed steps."""
        return len(self.arrays["test"]) - 1

    @property
    def instants(self) -> Array:
        """Times of the rows that belong to steps."""
        return np.asarray(float(self.index["dt"]) * np.arange(self.steps + 1), dtype=float)

    def of_step(self, name: str) -> Array:
        """One number of every step: "iterations", "fallback", "seconds" (of the whole step), "waiting" (for the specimens),
        "overrun", or an energy."""
        if name not in STEP_COLUMNS:
            raise InputError("HybridResult.of_step", "name", name, f"must be one of {STEP_COLUMNS}")
        return self.arrays["test"][:, STEP_COLUMNS.index(name)]

    @property
    def converged(self) -> npt.NDArray[np.bool_]:
        """For each step whether its iterations converged; the others were finished by operator splitting."""
        return self.of_step("fallback")[1:] == 0.0

    def updated(self, element: Name) -> npt.NDArray[np.bool_]:
        """For each step whether the stiffness of the element was learnt from its measurement."""
        return self._of(element, "updated")[1:, 0] != 0.0

    def command(self, element: Name) -> Array:
        """Displacement asked of the specimen, before setup and compensation."""
        return self._of(element, "command")

    def measured(self, element: Name) -> tuple[Array, Array]:
        """Measured displacement and force."""
        return self._of(element, "measured_displacement"), self._of(element, "measured_force")

    def converged_response(self, element: Name) -> tuple[Array, Array]:
        """Displacement and force with which the model went on."""
        return self._of(element, "displacement"), self._of(element, "force")

    def stiffness(self, element: Name) -> Array:
        """Stiffness K_e with which each step ended: one matrix a row."""
        upper, n = self._of(element, "stiffness"), self._columns(element).size
        full = np.zeros((len(upper), n, n))
        rows, columns = np.triu_indices(n)
        full[:, rows, columns] = full[:, columns, rows] = upper
        return full

    def energy(self, name: str) -> Array:
        """Energy by name: "input", "kinetic", "damping", "absorbed", and its parts "strain" and "hysteretic"; "experimental
        error" is the work of the converged less that of the measured forces of the specimens."""
        if name in ("strain", "hysteretic", "experimental error"):
            return self.of_step(name)[::int(self.index["every"])]
        return super().energy(name)

    def columns(self) -> dict[str, Array]:
        found, every = super().columns(), int(self.index["every"])
        for name in STEP_COLUMNS:
            label = f"energy {name}" if name in ENERGY_COLUMNS else name
            found.setdefault(label, self.of_step(name)[::every])
        for element, _ in self.index["test"]:
            n = self._columns(element).size
            for what in ("command", "measured_displacement", "measured_force", "displacement", "force"):
                for a in range(n):
                    found[f"{element} {what.replace('_', ' ')} {a}"] = self._of(element, what)[::every, a]
            for entry, (i, j) in enumerate(zip(*np.triu_indices(n), strict=True)):
                found[f"{element} stiffness {i}{j}"] = self._of(element, "stiffness")[::every, entry]
            found[f"{element} updated"] = self._of(element, "updated")[::every, 0]
        return found

    @property
    def experimental_error(self) -> float:
        """Experimental energy error at the end of the test, as a share of the input energy."""
        put_in = float(self.of_step("input")[-1])
        return float(self.of_step("experimental error")[-1]) / put_in if put_in != 0.0 else 0.0

    @property
    def pace(self) -> PaceReport | None:
        """How the pace was held, where there was one."""
        data = self.index["pace"]
        return PaceReport(**{**data, "notes": tuple(data["notes"])}) if data is not None else None

    def _columns(self, element: Name) -> Columns:
        for name, columns in self.index["test"]:
            if name == element:
                return Columns.from_data(columns)
        raise ModelError(f"there is no experimental element {element!r} in the result of {self.model!r}.")

    def _of(self, element: Name, what: str) -> Array:
        first, count = getattr(self._columns(element), what)
        found: Any = self.arrays["test"][:, first:first + count]
        return found
