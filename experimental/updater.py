"""What an updater is to a hybrid test: something that learns parameters of the model meanwhile."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.model.element import Name
from femu.results.outcome import Outcome

Array = npt.NDArray[np.float64]
OLDER_NAMES = {
    "prepare_for_journal": "stand_by",
    "test_ended": "ended",
    "values_to_monitor": "watched",
}
"""Hooks, and the names that updaters of users may still have for them."""


class Updater:
    """Base of what learns parameters of the model from a specimen while a test runs.

    The test calls `prepare_for_journal`, `start`, once a step `update`, `values_to_monitor` and
    `checkpoint`, and `test_ended` at last; a resumed test calls `remember` and `restore` after
    `start`. A subclass
    supplies ``element``, `start`, `update`, `checkpoint` and `restore`.
    """

    element: Name
    """The experimental element it learns from."""
    names: tuple[str, ...] = ()
    """What it learns, in the order of `values_to_monitor`."""

    def prepare_for_journal(self, journal: str | PathLike[str] | None, resumed: bool) -> None:
        """Before the start: the journal of the test, and whether the test continues from it."""

    def start(self, program: Program, parameters: Array) -> None:
        """Begin; ``parameters`` is the vector that the running model reads, and the updater writes."""
        raise NotImplementedError

    @property
    def writes_to(self) -> npt.NDArray[np.int64] | None:
        """Places of the parameter vector that it writes, once it is started; None if it may write
        any.

        The journal records these.
        """
        return None

    def update(self, step: int, time: float, displacement: Array, force: Array) -> None:
        """Once a step, after its commit: measured basic displacement and force of the element."""
        raise NotImplementedError

    def values_to_monitor(self) -> Array | None:
        """What the journal notes of it in every step, for whoever follows the test: values of
        ``names``, their standard deviations, mean normalised innovation and the ends of its band.

        None if it notes nothing; of constant length otherwise.
        """
        return None

    def checkpoint(self) -> Array:
        """Everything that changes; of constant length."""
        raise NotImplementedError

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        """What `update` was given until the checkpoint that is restored next, one row per step.

        A resumed test calls it before `restore`.
        """

    def restore(self, values: Array) -> None:
        """Continue from a checkpoint."""
        raise NotImplementedError

    def test_ended(self, outcome: Outcome) -> None:
        """How the test ended."""


class _OfUser(Updater):
    """An updater that is not derived from `Updater`, with as many of its hooks as it has."""

    def __init__(self, given: Any) -> None:
        self._given = given

    @property
    def element(self) -> Name:  # type: ignore[override]
        made: Name = self._given.element
        return made

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(getattr(self._given, "names", ()))

    def _call(self, hook: str, *arguments: Any) -> Any:
        found = getattr(self._given, hook, None) or getattr(self._given, OLDER_NAMES[hook], None)
        return found(*arguments) if found is not None else None

    def prepare_for_journal(self, journal: str | PathLike[str] | None, resumed: bool) -> None:
        self._call("prepare_for_journal", journal, resumed)

    def start(self, program: Program, parameters: Array) -> None:
        self._given.start(program, parameters)

    @property
    def writes_to(self) -> npt.NDArray[np.int64] | None:
        return getattr(self._given, "writes_to", None)

    def update(self, step: int, time: float, displacement: Array, force: Array) -> None:
        self._given.update(step, time, displacement, force)

    def values_to_monitor(self) -> Array | None:
        made: Array | None = self._call("values_to_monitor")
        return made

    def checkpoint(self) -> Array:
        return np.asarray(self._given.checkpoint(), dtype=float)

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        found = getattr(self._given, "remember", None)
        if found is not None:
            found(times, displacements, forces)

    def restore(self, values: Array) -> None:
        self._given.restore(values)

    def test_ended(self, outcome: Outcome) -> None:
        self._call("test_ended", outcome)


def as_updater(given: Any) -> Updater | None:
    """An updater with all hooks; None without one."""
    return given if given is None or isinstance(given, Updater) else _OfUser(given)
