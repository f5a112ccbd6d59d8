"""A specimen with a compensator, for use without an element."""

from __future__ import annotations

import contextlib

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compensation import Compensation
from femu.experimental.safety.limits import Limits
from femu.experimental.specimens.specimen import Measurement, Specimen, checked
from femu.experimental.specimens.wrapper import SpecimenWrapper

Array = npt.NDArray[np.float64]


class CompensatedSpecimen(SpecimenWrapper):
    """A specimen with a compensator, for use without an element, at equal steps ``dt``.

    The ``limits`` are checked on what leaves; the velocity of the first command counts over one
    step. In a model, give the compensation to the experimental element instead; also where the
    specimen is on a server, to which a client sends nothing while its target rests.
    """

    every_step = True  # the compensation counts on equal steps

    def __init__(
        self,
        specimen: Specimen,
        compensation: Compensation,
        dt: float,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(specimen, limits)
        self.compensation = compensation
        compensation.start(specimen.size, dt)

    def begin_test(self) -> None:
        # else it extrapolates from the end of the test before
        self.compensation.start(self.size, self.compensation.dt)
        self._guard.time = None
        self.specimen.begin_test()

    def open(self) -> None:
        self.specimen.open()
        if self._guard.time is None and self._guard.from_place:
            self.reading(np.zeros(self.size))

    def apply(self, command: Array, time: float) -> Measurement:
        if self._guard.time is None:
            # the first command is a step as all others
            self._guard.time = time - self.compensation.dt
        ahead = self.compensation.command(np.asarray(command, dtype=float))
        self._guard.check(ahead, time)
        self._guard.sent(ahead, time)
        raw: Measurement | None = None
        try:
            raw = self.specimen.apply(ahead.copy(), time)
            return self._validated(raw, time)
        except BaseException as problem:
            if raw is not None:
                # an exception that takes nothing on must not be hidden by it
                with contextlib.suppress(Exception):
                    problem.measurement = raw  # type: ignore[attr-defined]  # for the journal
            raise

    def _validated(self, raw: Measurement, time: float) -> Measurement:
        measured = checked(raw, self.size, "The specimen")
        self._guard.measured(measured, time)
        self.compensation.measured(measured.displacement)
        return measured

    def replay(self, command: Array, measured: Measurement) -> None:
        self._guard.sent(self.compensation.command(np.asarray(command, dtype=float)), measured.time)
        self._validated(measured, measured.time)

    @property
    def state(self) -> Array:
        return np.concatenate([self.compensation.state, self._guard_state(), self.specimen.state])

    def restore(self, state: Array) -> None:
        own = len(self.compensation.state)
        compensation, guard, rest = np.split(state, np.cumsum([own, 2 + 3 * self.size]))
        self.compensation.restore(compensation)
        self._restore_guard(guard)
        self.specimen.restore(rest)
