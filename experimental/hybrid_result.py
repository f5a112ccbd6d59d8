"""Result of a hybrid test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.step_driver import StepDriver
from femu.experimental.channels import named, numbered, peaks
from femu.experimental.hybrid_record import ENERGY_COLUMNS, STEP_COLUMNS, Columns, HybridRecord
from femu.experimental.pacing import PaceReport
from femu.experimental.safety.tracking import Tracking, tracking_indicators
from femu.model.element import Name
from femu.model.findings import Finding
from femu.results.outcome import Outcome
from femu.results.progress import AMBIENCE
from femu.results.result import Result
from femu.support.errors import InputError, ModelError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class HybridResult(Result):
    """A `Result` with what happened in every step of the test.

    Numbers of every step have one row a step, and one in front for the state before the first;
    ``instants`` are their times. Displacements and forces of experimental elements are those of
    their basic systems.
    """

    @classmethod
    def of_test(
        cls,
        driver: StepDriver,
        outcome: Outcome,
        record: HybridRecord,
        dt: float,
        pace: PaceReport | None,
        findings: Sequence[Finding] = (),
    ) -> HybridResult:
        """Result of a test that has ended."""
        made: Any = cls.of(driver, outcome, "hybrid", findings)
        index = {
            **made.index,
            "test": [[name, c.as_data()] for name, c in record.columns.items()],
            "dt": dt,
            "channels": [[name, list(names)] for name, names in record.channels.items()],
            "every": driver.save.every,
            "pace": pace.as_data() if pace is not None else None,
        }
        found: HybridResult = replace(
            made, arrays={**made.arrays, "test": record.rows[: driver.done + 1]}, index=index
        )
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
        """One number of every step: "iterations", "fallback", "seconds" (of the whole step),
        "waiting" (for the specimens), "overrun", or an energy."""
        if name not in STEP_COLUMNS:
            raise InputError("HybridResult.of_step", "name", name, f"must be one of {STEP_COLUMNS}")
        return self.arrays["test"][:, STEP_COLUMNS.index(name)]

    @property
    def converged(self) -> npt.NDArray[np.bool_]:
        """For each step whether its iterations converged.

        The others were finished by operator splitting.
        """
        return self.of_step("fallback")[1:] == 0.0

    def updated(self, element: Name) -> npt.NDArray[np.bool_]:
        """For each step whether the stiffness of the element was learnt from its measurement."""
        return self._of(element, "updated")[1:, 0] != 0.0

    def channels(self, element: Name) -> tuple[str, ...]:
        """Names of the columns of commands and measurements, by their directions: "x", "rz"."""
        size = self._columns(element).size
        known = {name: names for name, names in self.index.get("channels", [])}
        return tuple(known[element]) if element in known else numbered(size)

    def peaks(self, element: Name) -> dict[str, float]:
        """Largest measured magnitudes by what they are.

        "displacement", "rotation", "force", "moment".
        """
        return peaks(self.channels(element), *self.measured(element))

    def command(self, element: Name) -> Array:
        """Displacement asked of the specimen, before setup and compensation."""
        return self._of(element, "command")

    def measured(self, element: Name) -> tuple[Array, Array]:
        """Measured displacement and force."""
        return self._of(element, "measured_displacement"), self._of(element, "measured_force")

    def converged_response(self, element: Name) -> tuple[Array, Array]:
        """Displacement and force with which the model continued."""
        return self._of(element, "displacement"), self._of(element, "force")

    def tracking(self, element: Name) -> list[Tracking]:
        """How well the specimen followed its targets in the whole test: delay (J1), error (J2) and
        peak (J3) of each channel."""
        targets, (reached, _) = self.command(element), self.measured(element)
        dt = float(self.index["dt"])
        return [
            tracking_indicators(targets[:, k], reached[:, k], dt) for k in range(targets.shape[1])
        ]

    def stiffness(self, element: Name) -> Array:
        """Stiffness K_e with which each step ended: one matrix a row."""
        upper, n = self._of(element, "stiffness"), self._columns(element).size
        full = np.zeros((len(upper), n, n))
        rows, columns = np.triu_indices(n)
        full[:, rows, columns] = full[:, columns, rows] = upper
        return full

    def energy(self, name: str) -> Array:
        """Energy by name: "input", "kinetic", "damping", "absorbed", and its parts "strain" and
        "hysteretic"; "experimental error" is the work of the converged less that of the measured
        forces of the specimens."""
        if name in ("strain", "hysteretic", "experimental error"):
            return self.of_step(name)[:: int(self.index["every"])]
        return super().energy(name)

    def columns(self) -> dict[str, Array]:
        found, every = super().columns(), int(self.index["every"])
        for name in STEP_COLUMNS:
            label = f"energy {name}" if name in ENERGY_COLUMNS else name
            found.setdefault(label, self.of_step(name)[::every])
        for element, _ in self.index["test"]:
            names = self.channels(element)
            for what in (
                "command",
                "measured_displacement",
                "measured_force",
                "displacement",
                "force",
            ):
                for a, name in enumerate(names):
                    label = named(what.replace("_", " "), name)
                    found[f"{element} {label}"] = self._of(element, what)[::every, a]
            for entry, (i, j) in enumerate(zip(*np.triu_indices(len(names)), strict=True)):
                pair = f"{names[i]} by {names[j]}"
                found[f"{element} stiffness {pair}"] = self._of(element, "stiffness")[
                    ::every, entry
                ]
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
        raise ModelError(
            f"there is no experimental element {element!r} in the result of {self.model!r}."
        )

    def _of(self, element: Name, what: str) -> Array:
        first, count = getattr(self._columns(element), what)
        found: Any = self.arrays["test"][:, first : first + count]
        return found
