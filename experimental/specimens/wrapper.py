"""What specimens share that pass commands on to another specimen, with limits on what they send."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental.safety.limits import Guard, Limits
from femu.experimental.specimens.specimen import Measurement, Specimen, checked

Array = npt.NDArray[np.float64]


class SpecimenWrapper(Specimen):
    """Base of specimens that pass commands on to another one; ``limits`` are checked on what
    leaves."""

    def __init__(self, specimen: Specimen, limits: Limits | None) -> None:
        self.specimen, self.size = specimen, specimen.size
        self._guard = Guard(limits or Limits(), specimen.size, specimen.initial_stiffness())

    def reading(self, last: Array) -> Measurement | None:
        found = self.specimen.reading(last)
        if found is not None:
            self._guard.set_position(checked(found, self.size, "The specimen"))
        return found

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

    def _guard_state(self) -> Array:
        """What the guard of the limits remembers: 2 + 3 n numbers."""
        g = self._guard
        known = [float(g.time is not None), g.time or 0.0]
        return np.concatenate([known, g.command, g.displacement, g.force])

    def _restore_guard(self, values: Array) -> None:
        g, n = self._guard, self.size
        head, command, at, force = np.split(values, np.cumsum([2, n, n]))
        g.time = float(head[1]) if head[0] else None
        g.command, g.displacement, g.force = command.copy(), at.copy(), force.copy()
