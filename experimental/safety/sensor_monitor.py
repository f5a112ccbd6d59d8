"""Stuck sensors: a reading that does not change while the specimen must have moved.

A reading that repeats is no proof by itself: a specimen at rest repeats it, so does a plastic
specimen on its plateau, a slack or a broken one, and a coarse sensor under small motions. It is
stuck where all of this is ruled out:

- *Displacement.* The command went over more than a ``share`` of the largest command so far, and
  over many times the smallest change that the sensor has ever shown.
- *Force.* The specimen turned back: from where the force points, command and measured displacement
  both went back so far that an elastic specimen would have changed its force by more than that
  ``share`` of the largest force so far, and by many times the smallest change that the sensor has
  ever shown. A plastic specimen unloads there with its initial stiffness. A reading near zero does
  not count, since a slack specimen has it both ways.
- *With a given noise* it is simpler: a live sensor does not repeat a reading to a tenth of its
  noise, whatever the specimen does. An emulated specimen knows the noise of its own sensors.

Samples count if the command changed; a change of the last bits of a reading is none. What never
changed has no known resolution: it is judged by the limits of the actuator if there are any, and as
a sensor that may be dead from the start (`femu.experimental.safety.dead_sensor`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import numbered, quantity, rotates
from femu.experimental.errors import StuckSensor
from femu.experimental.safety.dead_sensor import DITHER, DeadSensors
from femu.experimental.safety.limits import above_zero
from femu.experimental.specimens.specimen import Measurement
from femu.kernels import compiled
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
RESOLUTIONS = 50.0  # times the smallest change of a reading that the motion must be worth
SLACK = 0.05  # share of the largest force below which the specimen may be slack
OF_NOISE = 0.1  # share of its noise within which a live sensor does not repeat a reading
NOISES = 10.0  # times the noise that the motion must be worth, where the noise is known
LARGEST = 1e300  # noise: one without end would make every reading stuck
# share of the limit that the motion must be worth, where the resolution is not known
OF_LIMIT = 0.1
ROUND_OFF = 1e-12  # share of a reading below which a change is none
QUIET, STRONG, PEAK = range(3)  # parts of a test
SENSORS = ("displacement", "force")
# numbers that are kept of a sensor: the reading, samples since it changed, how far command and
# measured displacement have gone since, how far they have turned back, the smallest change of the
# reading, the largest reading
(
    _READING,
    _COUNT,
    _TOP,
    _LOW,
    _TOP_REACHED,
    _LOW_REACHED,
    _BACK,
    _BACK_REACHED,
    _SMALLEST,
    _LARGEST,
    _KEPT,
) = range(11)


@dataclass(frozen=True)
class SensorCheck:
    """When a sensor counts as stuck: after ``samples`` samples that do not change while the command
    does, with a motion worth a ``share`` of the largest reading so far.

    ``displacement_noise`` and ``force_noise`` are standard deviations, one number for all actuators
    or one for each. Given, a reading that repeats to a tenth of them is stuck; left out, they are
    those of an emulated specimen, or unknown. With ``slack=True`` a force may be zero from the
    start: the specimen has a gap or is a loose cable. See `femu.experimental.safety.dead_sensor`
    for sensors that never change.
    """

    samples: int = 20
    share: float = 0.5
    displacement_noise: float | tuple[float, ...] | None = None
    force_noise: float | tuple[float, ...] | None = None
    slack: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.samples, bool) or not isinstance(self.samples, int) or self.samples < 2:
            raise InputError(
                "SensorCheck", "samples", self.samples, "must be a whole number from 2 on"
            )
        if (
            isinstance(self.share, bool)
            or not isinstance(self.share, (int, float))
            or not 0.0 < self.share < math.inf
        ):
            raise InputError(
                "SensorCheck", "share", self.share, "must be above 0", fix="give for example 0.5"
            )
        for name in ("displacement_noise", "force_noise"):
            above_zero("SensorCheck", name, getattr(self, name), LARGEST)
        if not isinstance(self.slack, bool):
            raise InputError("SensorCheck", "slack", self.slack, "must be True or False")


class SensorMonitor:
    """Watches the sensors of one specimen. ``stiffness`` is the initial one, in the coordinates of
    the actuators; ``limits`` are (displacement, force), infinite if there are none."""

    def __init__(
        self,
        check: SensorCheck,
        stiffness: Array,
        noise: tuple[Array, Array],
        limits: tuple[Array, Array],
        who: str,
        names: tuple[str, ...] | None = None,
        physical: bool = True,
        why_dead: Callable[[str], str] = lambda sensor: "",
    ) -> None:
        n = len(stiffness)
        self._why_dead = why_dead
        self.check, self.who, self.names = check, who, numbered(n) if names is None else names
        self._stiffness = np.ascontiguousarray(stiffness, dtype=float)
        known = [
            np.full(n, 0.0 if given is None else given)
            if np.ndim(given or 0.0) == 0
            else np.asarray(given, dtype=float)
            for given in (check.displacement_noise, check.force_noise)
        ]
        for name, values in zip(("displacement_noise", "force_noise"), known, strict=True):
            if len(values) != n:
                raise InputError(
                    who, name, values, f"must be one number, or one for each of the {n} actuators"
                )
        self._noise = np.array([np.where(a > 0.0, a, b) for a, b in zip(known, noise, strict=True)])
        self._limits = np.array(limits, dtype=float)
        self.state = np.zeros(1 + n + len(SENSORS) * n * _KEPT)
        turning = np.array([float(rotates(name)) for name in self.names])
        self._life = DeadSensors(
            self._stiffness,
            (self._noise == 0.0) & physical,
            self._limits,
            turning,
            check.slack,
            check.samples,
        )

    def begin(self) -> None:
        """Forget everything."""
        self.state[:] = 0.0
        self._life.begin()

    def restore(self, state: Array) -> None:
        """Continue from the state of an interrupted test."""
        self.state[:] = state
        self._life.begin()
        kept = self._kept()
        # the largest displacement is that of the commands, and says nothing of the sensor
        forces = (kept[:, 1, _SMALLEST] > 0.0) & (
            kept[:, 1, _LARGEST] > DITHER * kept[:, 1, _SMALLEST]
        )
        self._life.known_alive(np.stack([np.zeros(len(forces), dtype=bool), forces], axis=1))

    def _kept(self) -> Array:
        n = len(self._stiffness)
        return self.state[1 + n :].reshape(n, len(SENSORS), _KEPT)

    def see(self, command: Array, measured: Measurement, part: int = QUIET) -> None:
        """A sample has come, of a ``part`` of the test.

        Raises `StuckSensor` if a sensor is stuck or dead.
        """
        unsure = self._life.unsure
        changed = unsure and not np.array_equal(command, self.state[1 : 1 + len(command)])
        found = _see(
            self.state,
            self._stiffness,
            command,
            measured.displacement,
            measured.force,
            self._noise,
            self._limits,
            self.check.samples,
            self.check.share,
        )
        if (
            unsure
            and (
                dead := self._life.see(
                    command,
                    measured.displacement,
                    measured.force,
                    self._kept()[:, :, _SMALLEST],
                    changed,
                    part,
                )
            )
            >= 0
        ):
            raise self._dead(dead)
        if found < 0:
            return
        actuator, sensor = divmod(int(found), len(SENSORS))
        kept = self._kept()[actuator, sensor]
        moved = (
            f"the command went over {kept[_TOP] - kept[_LOW]:.6g}"
            if sensor == 0
            else f"the specimen moved by what is worth {self._worth(kept, actuator):.6g} with its "
            "initial stiffness"
        )
        also = (
            " The sensor is stuck, or the actuator does not move."
            if sensor == 0
            else " The sensor is stuck."
        )
        raise StuckSensor(
            f"The {self._named(actuator, sensor)} stayed at {kept[_READING]:.6g} for "
            f"{int(kept[_COUNT])} samples while {moved}.{also} The step was not taken."
        )

    def _named(self, actuator: int, sensor: int) -> str:
        name = self.names[actuator]
        return f"{quantity(SENSORS[sensor], name)} of actuator {name} of {self.who}"

    def _dead(self, found: int) -> StuckSensor:
        """What is said of a sensor that is dead from the start."""
        actuator, sensor = divmod(found, len(SENSORS))
        low, high = self._life.readings(actuator, sensor)
        span = self._life.way(actuator, sensor)
        moved = (
            f"the command went over {span:.6g}"
            if sensor == 0
            else (f"the specimen moved by what is worth {span:.6g} with its initial stiffness")
        )
        shown = (
            f"{low:.6g}" if low == high else f"{0.5 * (low + high):.6g}, within {high - low:.1g},"
        )
        fix = (
            "If it is coarse, give its resolution as "
            "sensor_check=SensorCheck(displacement_noise=...)"
            if sensor == 0
            else "If the specimen has a gap or is slack, give sensor_check=SensorCheck(slack=True)"
        )
        also = self._why_dead(SENSORS[sensor])
        return StuckSensor(
            f"The {self._named(actuator, sensor)} has been {shown} from the start, for "
            f"{int(self._life.counts[0])} samples, while {moved}: the sensor is dead, or too "
            f"coarse for this test. The step was not taken. {fix}, and resume the test."
            f"{' ' if also else ''}{also}"
        )

    def _worth(self, kept: Array, actuator: int) -> float:
        if self._noise[1, actuator] > 0.0:
            return float(kept[_TOP] - kept[_LOW])
        return float(min(kept[_BACK], kept[_BACK_REACHED]))


@compiled
def _see(state, stiffness, command, displacement, force, noise, limits, samples, share):
    """The number 2 a + s of the sensor s of actuator a that is stuck, or -1.

    Longer than a page: what each kind of sensor may show, sensor by sensor, from the same row.
    """
    n = len(command)
    first = state[0] == 0.0
    moved = False
    for a in range(n):
        moved = moved or command[a] != state[1 + a]
        state[1 + a] = command[a]
    state[0] = 1.0
    found = -1
    for a in range(n):
        elastic, reached = 0.0, 0.0
        for b in range(n):
            elastic += stiffness[a, b] * command[b]
            reached += stiffness[a, b] * displacement[b]
        for s in range(2):
            kept = state[1 + n + (2 * a + s) * _KEPT : 1 + n + (2 * a + s + 1) * _KEPT]
            reading = displacement[a] if s == 0 else force[a]
            way, way_reached = (command[a], displacement[a]) if s == 0 else (elastic, reached)
            kept[_LARGEST] = max(kept[_LARGEST], abs(way) if s == 0 else abs(reading))
            change = abs(reading - kept[_READING])
            if first or change > max(OF_NOISE * noise[s, a], ROUND_OFF * abs(reading)):
                if not first and (kept[_SMALLEST] == 0.0 or change < kept[_SMALLEST]):
                    kept[_SMALLEST] = change
                kept[_READING], kept[_COUNT], kept[_BACK], kept[_BACK_REACHED] = (
                    reading,
                    0.0,
                    0.0,
                    0.0,
                )
                kept[_TOP] = kept[_LOW] = way
                kept[_TOP_REACHED] = kept[_LOW_REACHED] = way_reached
                continue
            if moved:
                kept[_COUNT] += 1.0
            kept[_TOP], kept[_LOW] = max(kept[_TOP], way), min(kept[_LOW], way)
            kept[_TOP_REACHED], kept[_LOW_REACHED] = (
                max(kept[_TOP_REACHED], way_reached),
                min(kept[_LOW_REACHED], way_reached),
            )
            if reading > 0.0:
                back, back_reached = kept[_TOP] - way, kept[_TOP_REACHED] - way_reached
            else:
                back, back_reached = way - kept[_LOW], way_reached - kept[_LOW_REACHED]
            kept[_BACK], kept[_BACK_REACHED] = (
                max(kept[_BACK], back),
                max(kept[_BACK_REACHED], back_reached),
            )
            if kept[_COUNT] < samples or found >= 0:
                continue
            if noise[s, a] > 0.0:
                stuck = kept[_TOP] - kept[_LOW] > NOISES * noise[s, a]
            else:
                worth = kept[_TOP] - kept[_LOW] if s == 0 else min(kept[_BACK], kept[_BACK_REACHED])
                least = (
                    RESOLUTIONS * kept[_SMALLEST]
                    if kept[_SMALLEST] > 0.0
                    else OF_LIMIT * limits[s, a]
                )
                stuck = worth > max(share * kept[_LARGEST], least)
                if s == 1:
                    stuck = stuck and abs(reading) > SLACK * kept[_LARGEST]
            if stuck:
                found = 2 * a + s
    return found
