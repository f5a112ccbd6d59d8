"""A specimen with a compensator, for use without an element."""

from __future__ import annotations

import contextlib

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compensation import Compensation
from femu.experimental.safety.limits import Guard, Limits
from femu.experimental.specimens.specimen import Measurement, Specimen, checked

Array = npt.NDArray[np.float64]


class CompensatedSpecimen(Specimen):
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
        self.specimen, self.compensation, self.size = specimen, compensation, specimen.size
        self._guard = Guard(limits or Limits(), specimen.size, specimen.initial_stiffness())
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

    def reading(self, last: Array) -> Measurement | None:
        standing = self.specimen.reading(last)
        if standing is not None:
            self._guard.set_position(checked(standing, self.size, "The specimen"))
        return standing

    def name_actuators(self, who: str, names: tuple[str, ...]) -> None:
        self._guard.who, self._guard.names = who, names
        self.specimen.name_actuators(who, names)

    @property
    def can_be_read(self) -> bool:
        return self.specimen.can_be_read

    @property
    def physical(self) -> bool:
        return self.specimen.physical

    @property
    def moved(self) -> Specimen:
        return self.specimen.moved

    def commit(self, time: float) -> None:
        self.specimen.commit(time)

    def wait_at_most(self, seconds: float) -> None:
        self.specimen.wait_at_most(seconds)

    def hold(self) -> None:
        self.specimen.hold()

    def close(self) -> None:
        self.specimen.close()

    def initial_stiffness(self) -> Array | None:
        return self.specimen.initial_stiffness()

    def sensor_noise(self) -> tuple[Array, Array]:
        return self.specimen.sensor_noise()

    def tangent(self) -> Array | None:
        return self.specimen.tangent()

    @property
    def state(self) -> Array:
        g = self._guard
        return np.concatenate(
            [
                self.compensation.state,
                [float(g.time is not None), g.time or 0.0],
                g.command,
                g.displacement,
                g.force,
                self.specimen.state,
            ]
        )

    def restore(self, state: Array) -> None:
        n, g = self.size, self._guard
        own, head, command, at, force, rest = np.split(
            state, np.cumsum([len(self.compensation.state), 2, n, n, n])
        )
        self.compensation.restore(own)
        g.time = float(head[1]) if head[0] else None
        g.command, g.displacement, g.force = command.copy(), at.copy(), force.copy()
        self.specimen.restore(rest)
