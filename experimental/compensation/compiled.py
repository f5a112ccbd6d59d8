"""Base of the compensators that are compiled: one vector of parameters, one of state, two kernels.

``command(p, s, target, out)`` makes the command of a target, ``measured(p, s, reached, out)`` takes
what was reached with it. The first entry of ``p`` is the number of channels. The cost of a sample is
constant.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compensation import Compensation
from femu.experimental.specimens.plant import Plant, bound
from femu.kernels.compiler import FLOATS, INT, Kernel, caller, kernel
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
LARGEST = 1e300  # of a setting
COMPENSATOR = INT(FLOATS, FLOATS, FLOATS, FLOATS)
call_compensator = caller(COMPENSATOR)


@kernel(COMPENSATOR)
def takes_nothing(p, s, reached, out):
    """The second kernel of a compensator that does not learn."""
    return 0


class CompiledCompensation(Compensation):
    """Base of the compiled compensators; a subclass gives its kernels and its vectors."""

    command_kernel: ClassVar[Kernel]
    measured_kernel: ClassVar[Kernel] = takes_nothing

    def vectors(self) -> tuple[Array, Array]:
        """Parameters and state at the start of a test with ``self.size`` channels at ``self.dt``."""
        raise NotImplementedError

    def prepare(self) -> None:
        p, s = self.vectors()
        self.parameters = np.array(p, dtype=float)
        self.vector = np.array(s, dtype=float) if len(s) else np.zeros(1)
        self._in, self._out = np.zeros(self.size), np.zeros(self.size)
        self._bind()

    def _bind(self) -> None:
        used = (self.parameters, self.vector, self._in, self._out)
        self._calls = bound(self.command_kernel, *used), bound(self.measured_kernel, *used)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: calls belong to the vectors of one object."""
        return {name: value for name, value in vars(self).items() if name != "_calls"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "vector" in state:
            self._bind()

    def command(self, target: Array) -> Array:
        self._in[:] = target
        self._calls[0]()
        return self._out.copy()

    def measured(self, displacement: Array) -> None:
        self._in[:] = displacement
        self._calls[1]()

    @property
    def state(self) -> Array:
        return self.vector.copy()

    def restore(self, state: Array) -> None:
        if np.shape(state) != self.vector.shape:
            rule = f"must be a state of the same compensation, {self.vector.size} numbers"
            raise InputError(type(self).__name__, "state", state, rule)
        self.vector[:] = state


def positive(who: str, name: str, value: Any, zero: bool = False) -> float:
    """A finite number above 0, or from 0 on."""
    right = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
    right = right and abs(value) <= LARGEST  # also False of what is NaN
    if not (right and (value > 0.0 or (zero and value == 0.0))):
        rule = "must not be negative" if zero else "must be above 0"
        raise InputError(who, name, value, rule)
    return float(value)


def whole(who: str, name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    right = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (right and least <= value <= most):
        raise InputError(who, name, value, f"must be a whole number from {least} to {most}")
    return int(value)


def fits(who: str, plant: Plant, size: int) -> None:
    """Refuse a plant with another number of channels than the test."""
    if plant.size != size:
        rule = f"must have {size} channels, as many as the test has actuators"
        raise InputError(who, "plant", plant, rule)


def a_plant(who: str, plant: Any) -> Plant:
    """A plant that can be inverted: stable."""
    if not isinstance(plant, Plant):
        fix = "use Plant.transfer_function(...) or identify_actuator(...).plant"
        raise InputError(who, "plant", plant, "must be a Plant", fix=fix)
    if not plant.stable:
        raise InputError(
            who, "plant", plant, "must be stable: all poles left of the imaginary axis"
        )
    return plant
