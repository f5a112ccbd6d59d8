"""An emulated specimen.

Any femu element or material with an emulated actuator and emulated sensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.actuator import Actuator
from femu.experimental.specimens.basic_system import BasicSystem
from femu.experimental.specimens.converter import Converter
from femu.experimental.specimens.plant import Plant, PlantDrive
from femu.experimental.specimens.specimen import Measurement, Specimen
from femu.model.component import Material
from femu.model.element import Element
from femu.model.parameters import Parameters, finite
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
NOISE_BLOCK = 256  # measurements
FAULTLESS = Actuator()
_PARAMETERS = "parameters of the system"
_REBUILT = {
    *(
        "system",
        "_clock",
        "_position",
        "_committed_position",
        "_committed",
        "_trial",
        "_drive",
        "_driven",
    )
}
"""Attributes that a copy makes from the others."""
STALL_BISECTIONS = 50  # where an actuator stalls, the move is found to the last digit


@dataclass(frozen=True)
class Sensors:
    """Errors of the measurement.

    Standard deviation of Gaussian noise, and the step of quantisation (0: none) within the range to
    either side. `of_power` takes the power of band-limited white noise and converters.
    """

    displacement_noise: float = 0.0
    force_noise: float = 0.0
    displacement_step: float = 0.0
    force_step: float = 0.0
    displacement_range: float = math.inf
    force_range: float = math.inf

    def __post_init__(self) -> None:
        for name in ("displacement_noise", "force_noise", "displacement_step", "force_step"):
            value = getattr(self, name)
            if not (finite(value) and value >= 0.0):
                raise InputError("Sensors", name, value, "must not be negative")
        for name in ("displacement_range", "force_range"):
            value = getattr(self, name)
            if isinstance(value, bool) or not (isinstance(value, (int, float)) and value > 0.0):
                raise InputError("Sensors", name, value, "must be above 0")

    @classmethod
    def of_power(
        cls,
        displacement: float,
        force: float,
        dt: float,
        displacement_converter: Converter | None = None,
        force_converter: Converter | None = None,
    ) -> Sensors:
        """Sensors with band-limited white noise: at steps of ``dt``, its variance is its power over
        the step."""
        if not (finite(dt) and dt > 0.0):
            raise InputError("Sensors", "dt", dt, "must be above 0")
        for name, power in (("displacement", displacement), ("force", force)):
            if not (finite(power) and power >= 0.0):
                raise InputError("Sensors", name, power, "must not be negative")
        for name, converter in (
            ("displacement_converter", displacement_converter),
            ("force_converter", force_converter),
        ):
            if converter is not None and not isinstance(converter, Converter):
                raise InputError("Sensors", name, converter, "must be a Converter or None")
        moved, pushed = displacement_converter or Converter(), force_converter or Converter()
        return cls(
            math.sqrt(displacement / dt),
            math.sqrt(force / dt),
            moved.step,
            pushed.step,
            moved.largest,
            pushed.largest,
        )


@dataclass
class EmulatedSpecimen(Specimen):
    """A specimen of equations, moved by an emulated actuator and read by emulated sensors.

    ::

        specimen = EmulatedSpecimen(ForceBeamColumn("c", "i", "j", section=column), length=3.6,
                                    sensors=Sensors(force_noise=50.0), seed=1)

    ``actuator`` is an `Actuator`, given by its faults, or a `Plant`, any linear system.
    ``of``, ``length``, ``nodal`` and ``coordinates`` are those of `BasicSystem`. Each measurement
    draws its noise from ``seed`` and its own number, so that a resumed test sees the same noise. As
    in a laboratory every command moves the specimen for good; with ``numerical=True`` each command
    starts from the last `commit` instead, as the trial states of a numerical element do (for
    clients that send Newton iterates).
    """

    of: Material | Sequence[Material] | Element
    length: float = 1.0
    nodal: bool = False
    coordinates: npt.ArrayLike | None = None
    actuator: Actuator | Plant = field(default_factory=Actuator)
    sensors: Sensors = field(default_factory=Sensors)
    seed: int = 0
    numerical: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(
                "EmulatedSpecimen", "seed", self.seed, "must be a whole number from 0 on"
            )
        self.system = self._new_system()
        self.size = n = self.system.size
        if isinstance(self.actuator, Plant):
            if self.actuator.size != n:
                rule = f"must have {n} channels, as many as the specimen"
                raise InputError("EmulatedSpecimen", "actuator", self.actuator, rule)
            if self.numerical:
                rule = "cannot be True with a Plant"
                hint = "What is under way in the actuator cannot begin again from the last commit"
                raise InputError("EmulatedSpecimen", "numerical", True, rule, hint)
        # count and time of measurements, position, then the states of the system (committed, trial)
        # and of the actuator
        history = len(self.system.state_names)
        self._vector = np.zeros(3 + 2 * n + 2 * history + self.actuator.state_size(n))
        self._divide_vector()
        self._committed[:] = self.system.virgin()
        self._trial[:] = self._committed
        self._block: tuple[int, Array] = (-1, np.zeros((0, 0)))
        self._force, self._stiffness = np.zeros(n), self.system.initial_stiffness()

    def _new_system(self) -> BasicSystem:
        return BasicSystem(
            self.of, length=self.length, nodal=self.nodal, coordinates=self.coordinates
        )

    def _divide_vector(self) -> None:
        """Name the parts of the vector that holds everything that changes."""
        n, history = self.size, len(self.system.state_names)
        parts = np.split(self._vector, np.cumsum([3, n, n, history, history]))
        (
            self._clock,
            self._position,
            self._committed_position,
            self._committed,
            self._trial,
            self._drive,
        ) = parts
        self._driven = (
            PlantDrive(self.actuator, self.system.initial_stiffness())
            if isinstance(self.actuator, Plant)
            else None
        )

    @property
    def every_step(self) -> bool:  # type: ignore[override]
        """With a `Plant` it moves on while its command rests."""
        return self._driven is not None

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without compiled kernels, and with one vector in place of its
        parts."""
        made = {name: value for name, value in vars(self).items() if name not in _REBUILT}
        return {**made, _PARAMETERS: self.system.parameters.vector.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values = dict(state)
        vector = values.pop(_PARAMETERS)
        self.__dict__.update(values)
        self.system = self._new_system()
        self.system.parameters.vector[:] = vector
        self._divide_vector()

    @property
    def parameters(self) -> Parameters:
        """Parameters of the emulated law, by name."""
        return self.system.parameters

    def apply(self, command: Array, time: float) -> Measurement:
        command = np.asarray(command, dtype=float)
        if command.shape != (self.size,) or not (
            math.isfinite(command.sum()) or np.isfinite(command).all()
        ):
            raise InputError(
                "EmulatedSpecimen", "command", command, f"must be {self.size} finite numbers"
            )
        dt = max(time - float(self._clock[1]), 0.0)
        if self.actuator == FAULTLESS and not self.numerical:
            # what the lines below would do, in a third of the time
            self._drive[: self.size] = command
            rate = (command - self._position) / dt if dt > 0.0 else None
            self.system.evaluate(
                self._committed, self._trial, command, rate, time, dt, self._force, self._stiffness
            )
            self._position[:] = command
        elif self._driven is not None:
            self._let_plant_move(self._driven, command, time, dt)
        else:
            assert isinstance(self.actuator, Actuator)  # a plant has a drive
            wanted = self.actuator.move(self._drive, command, self._position, time, dt)
            start = self._committed_position if self.numerical else self._position
            self._position[:] = self._reach(
                start.copy(), wanted, time, time - self._clock[2] if self.numerical else dt
            )
        self._clock[0] += 1.0
        self._clock[1] = time
        if not self.numerical:
            self.commit(time)
        return self._measure(time)

    def _let_plant_move(self, driven: PlantDrive, command: Array, time: float, dt: float) -> None:
        place, velocity, _ = driven.move(self._drive, command, dt)
        self._position[:] = place
        self.system.evaluate(
            self._committed,
            self._trial,
            self._position,
            velocity.copy(),
            time,
            dt,
            self._force,
            self._stiffness,
        )
        driven.forced(self._drive, self._position, self._force)
        self._force += driven.carried()

    def reading(self, last: Array) -> Measurement:
        return self._measure(float(self._clock[1]))

    def _reach(self, start: Array, wanted: Array, time: float, dt: float) -> Array:
        """Evaluate at the wanted position, or where an actuator stalls on the way to it."""

        def at(share: float) -> Array:
            place = wanted.copy() if share == 1.0 else start + share * (wanted - start)
            rate = (place - start) / dt if dt > 0.0 else None
            self.system.evaluate(
                self._committed, self._trial, place, rate, time, dt, self._force, self._stiffness
            )
            return place

        place, capacity = at(1.0), getattr(self.actuator, "capacity", None)
        if capacity is None or np.all(np.abs(self._force) <= capacity):
            return place
        low, high = 0.0, 1.0
        for _ in range(STALL_BISECTIONS):
            middle = 0.5 * (low + high)
            at(middle)
            if np.all(np.abs(self._force) <= capacity):
                low = middle
            else:
                high = middle
        return at(low)

    def _measure(self, time: float) -> Measurement:
        s = self.sensors
        if s.displacement_noise or s.force_noise:
            noise = self._noise(int(self._clock[0]))
            displacement = self._position + s.displacement_noise * noise[: self.size]
            force = self._force + s.force_noise * noise[self.size :]
        else:
            displacement, force = self._position.copy(), self._force.copy()
        if s.displacement_step:
            displacement = s.displacement_step * np.rint(displacement / s.displacement_step)
        if s.force_step:
            force = s.force_step * np.rint(force / s.force_step)
        # a third of the time of np.clip
        if s.displacement_range < math.inf:
            displacement = np.minimum(
                np.maximum(displacement, -s.displacement_range), s.displacement_range
            )
        if s.force_range < math.inf:
            force = np.minimum(np.maximum(force, -s.force_range), s.force_range)
        return Measurement(displacement, force, time)

    def _noise(self, count: int) -> Array:
        """Noise of a measurement by its number alone.

        Nothing to save, nothing to restore. Drawn by blocks.
        """
        block, place = divmod(count, NOISE_BLOCK)
        if block != self._block[0]:
            draw = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, block]))
            self._block = (block, draw.standard_normal((NOISE_BLOCK, 2 * self.size)))
        return self._block[1][place]

    def commit(self, time: float) -> None:
        self._committed[:] = self._trial
        self._committed_position[:] = self._position
        self._clock[2] = time

    def hold(self) -> None:
        if self._driven is not None:
            self._driven.hold(self._drive, self._position)
        else:
            assert isinstance(self.actuator, Actuator)
            self.actuator.hold(self._drive, self._position)

    def initial_stiffness(self) -> Array:
        return self.system.initial_stiffness()

    def sensor_noise(self) -> tuple[Array, Array]:
        s = self.sensors  # one that rounds may repeat a reading in spite of its noise
        return (
            np.full(self.size, 0.0 if s.displacement_step else s.displacement_noise),
            np.full(self.size, 0.0 if s.force_step else s.force_noise),
        )

    def tangent(self) -> Array:
        """The true tangent: what estimators are measured against."""
        return self._stiffness.copy()

    @property
    def true_force(self) -> Array:
        """Force without the errors of the sensors."""
        return self._force.copy()

    @property
    def position(self) -> Array:
        """Displacement without the errors of the sensors."""
        return self._position.copy()

    @property
    def state(self) -> Array:
        return np.concatenate([self._vector, self._force, self._stiffness.ravel()])

    def restore(self, state: Array) -> None:
        n = self.size
        if np.shape(state) != (self._vector.size + n + n * n,):
            raise InputError(
                "EmulatedSpecimen",
                "state",
                state,
                "must be a state of the same specimen",
                "It was saved by another specimen, or with another actuator",
            )
        self._vector[:] = state[: self._vector.size]
        self._force[:] = state[self._vector.size : self._vector.size + n]
        self._stiffness[:] = np.reshape(state[self._vector.size + n :], (n, n))
