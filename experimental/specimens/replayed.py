"""A specimen played back from a journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMeasurement
from femu.experimental.journal.journal import Record
from femu.experimental.specimens.specimen import Measurement, Specimen
from femu.model.parameters import finite
from femu.results.outcome import failures_handled
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """The first command of a replay that differs from the journal.

    ``given`` is None if the replay ended before it.
    """

    exchange: int
    step: int
    time: float
    wanted: Array
    given: Array | None
    why: str = ""
    """How the replay ended, where it ended too early."""

    def __str__(self) -> str:
        if self.given is None:
            return (
                f"step {self.step} (t = {self.time:g}): the journal has the command "
                f"{self.wanted.tolist()}, and the replay ended before it: {self.why}"
            )
        return (
            f"step {self.step} (t = {self.time:g}): the journal has the command "
            f"{self.wanted.tolist()}, the replay gives {self.given.tolist()}; the largest "
            f"difference is {np.abs(self.wanted - self.given).max():.3g}"
        )


class ReplaySpecimen(Specimen):
    """Answers with the measurements of a journal, one after the other, and notes the first command
    that differs.

    ``tolerance`` is the difference of a command up to which it counts as the same.
    """

    def __init__(self, record: Record, name: str, tolerance: float = 0.0) -> None:
        if not finite(tolerance) or tolerance < 0.0:
            raise InputError("ReplaySpecimen", "tolerance", tolerance, "must not be negative")
        if name not in record.measured:
            raise InputError("ReplaySpecimen", "name", name, f"must be one of {record.names}")
        self._rows, sent = record.measured[name], record.commands(name)
        # by a power cut: what was measured is played back all the same
        lost = max(0, len(self._rows) - len(sent))
        self._commands = np.vstack([sent, np.full((lost, sent.shape[1]), np.nan)])
        self._displacements, self._forces = record.measurements(name)
        self.size = self._commands.shape[1]
        self.tolerance = tolerance
        self.count = 0
        self.difference: Difference | None = None

    def apply(self, command: Array, time: float) -> Measurement:
        k = self.count
        if k >= len(self._displacements):
            raise BadMeasurement(f"The journal ends after {k} measurements.")
        away = np.abs(self._commands[k] - command)
        if self.difference is None and not np.all(
            (away <= self.tolerance) | np.isnan(self._commands[k])
        ):
            self.difference = Difference(
                k,
                int(self._rows[k, 0]),
                float(self._rows[k, 1]),
                self._commands[k].copy(),
                command.copy(),
            )
        self.count += 1
        return Measurement(self._displacements[k].copy(), self._forces[k].copy(), time)

    def ended(self, why: str) -> None:
        """The replay has ended.

        Note the first command that it has not come to, where there is no difference before.
        """
        k = self.count
        if self.difference is None and k < len(self._displacements):
            self.difference = Difference(
                k,
                int(self._rows[k, 0]),
                float(self._rows[k, 1]),
                self._commands[k].copy(),
                None,
                why,
            )

    @property
    def state(self) -> Array:
        return np.array([float(self.count)])

    def restore(self, state: Array) -> None:
        self.count = int(state[0])


@typed
def replay(test: Any, record: Record, tolerance: float = 0.0) -> dict[str, Difference | None]:
    """Run a test offline against its journal: for each experimental element the first command that
    differs, or None.

    ``test`` has ``elements`` (experimental elements by name) and ``run()``. Its specimens are
    replaced for good. The replay holds no pace: the steps follow as fast as they come.
    """
    if not isinstance(getattr(test, "elements", None), Mapping) or not callable(
        getattr(test, "run", None)
    ):
        raise InputError("replay", "test", test, "must be a hybrid test")
    played: dict[str, ReplaySpecimen] = {}
    for name, element in test.elements.items():
        played[str(name)] = element.specimen = ReplaySpecimen(record, str(name), tolerance)
    pace = getattr(test, "pace", None)
    try:
        if pace is not None:
            test.pace = None
        with failures_handled():  # how it ended is part of what is returned
            result = test.run()
    finally:
        if pace is not None:
            test.pace = pace
    for specimen in played.values():
        specimen.ended(str(getattr(result, "message", "")))
    return {name: specimen.difference for name, specimen in played.items()}
