"""Sensors that are dead from the start: their readings never follow the specimen.

A dead channel shows one number, exactly or with a dither of its last bit. A live sensor may show
one number too, as long as the specimen rests, the motion is below its resolution, or a gap is open.
So it is judged late and by how far the specimen was moved:

- A reading is *alive* once it has covered more than a few times its own smallest change. One that
  has not is constant, or dithers.
- It must have been moved: over many times that smallest change, by more than a small share of what
  the other actuators did (in the same unit, and in elastic energy), and of its limit if it has one.
- It is judged in the strong part of the excitation, ``samples`` after the excitation first reached
  half of its peak. A displacement without a limit is judged ``samples`` after the peak itself,
  since nothing says what motion is small. A force with a limit is judged at any time once the
  motion is worth much of it: a test whose force reads zero moves its specimen as if it were not
  there, in El Centro to more than twice the peak within a second.
- A force of zero may also be that of a gap. The two cannot be distinguished, and waiting for the gap
  to close would break the specimen of a dead load cell, so a specimen with a gap says so:
  ``slack=True`` excuses a force of zero.

A known noise says more, and says it earlier (`femu.experimental.safety.sensor_monitor`): such
sensors are not judged here, nor are those of an emulated specimen, whose sensors cannot die.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.kernels import compiled

Array = npt.NDArray[np.float64]
STRONG = 0.5  # share of the peak of an excitation from which on its part counts as strong
DITHER = 3.0  # times its smallest change: up to there a reading is constant
RESOLUTIONS = 50.0  # times the smallest change of a reading that the motion must be worth
# share of the motion of other actuators of its kind below which one counts as at rest
OF_OTHERS = 0.01
OF_ENERGY = 1e-4  # the same in elastic energy, which compares displacements with rotations
OF_LIMIT = 0.01  # share of its limit that the motion must be worth
MUCH_OF_LIMIT = 0.1  # share of the limit of a force that is much at any time
ALL_ALIVE, UNKNOWN = -2, -1
_LOW, _HIGH, _WAY_LOW, _WAY_HIGH, _ALIVE, _KEPT = range(6)


@dataclass(frozen=True)
class Parts:
    """When the strong part of an excitation begins, and when all of its peaks have come."""

    strong: float = math.inf
    peak: float = math.inf


def parts_of(times: Array, excitations: Iterable[Array]) -> Parts:
    """The parts of what excites a test; they never come if nothing changes."""
    found = []
    for values in excitations:
        size = np.abs(values - values[0])
        if (peak := float(size.max())) > 0.0:
            found.append(
                (times[int(np.argmax(size >= STRONG * peak))], times[int(np.argmax(size))])
            )
    return Parts(*(float(max(column)) for column in zip(*found, strict=True))) if found else Parts()


class DeadSensors:
    """Judges the sensors of one specimen: displacement and force of each of its actuators.

    ``turning`` says which of them turn. A test that is resumed is judged from there on.
    """

    def __init__(
        self,
        stiffness: Array,
        judged: npt.NDArray[np.bool_],
        limits: Array,
        turning: Array,
        slack: bool,
        samples: int,
    ) -> None:
        n = len(stiffness)
        self._stiffness, self._judged, self._limits = stiffness, judged, limits
        self._turning, self._slack, self._samples = turning, slack, samples
        self._seen = np.zeros((n, 2, _KEPT))
        self.counts = np.zeros(3)
        """Samples with a motion: since the start, of the strong part, after the peak."""
        self.begin()

    def begin(self) -> None:
        """Forget everything."""
        self._seen[:] = 0.0
        self._seen[:, :, (_LOW, _WAY_LOW)], self._seen[:, :, (_HIGH, _WAY_HIGH)] = (
            math.inf,
            -math.inf,
        )
        self._seen[:, :, _ALIVE] = ~self._judged.T
        self.counts[:] = 0.0
        self.unsure = bool(self._judged.any())

    def known_alive(self, alive: npt.NDArray[np.bool_]) -> None:
        """Sensors that have shown it before an interruption.

        A table of actuators by (displacement, force).
        """
        self._seen[:, :, _ALIVE] = np.maximum(self._seen[:, :, _ALIVE], alive)

    def see(
        self,
        command: Array,
        displacement: Array,
        force: Array,
        smallest: Array,
        moved: bool,
        part: int,
    ) -> int:
        """The number 2 a + s of a sensor s of actuator a that is dead, or below 0.

        ``smallest`` are the smallest changes of the readings so far, 0 without any.
        """
        if moved:
            self.counts[: part + 1] += 1.0
        found = int(
            _judge(
                self._seen,
                self.counts,
                self._stiffness,
                command,
                displacement,
                force,
                smallest,
                self._limits,
                self._turning,
                self._slack,
                self._samples,
            )
        )
        self.unsure = found != ALL_ALIVE
        return found

    def readings(self, actuator: int, sensor: int) -> tuple[float, float]:
        """The smallest and the largest reading of a sensor."""
        low, high = self._seen[actuator, sensor, :2].tolist()
        return low, high

    def way(self, actuator: int, sensor: int) -> float:
        """How far the command went, or what that is worth as an elastic force."""
        return float(
            self._seen[actuator, sensor, _WAY_HIGH] - self._seen[actuator, sensor, _WAY_LOW]
        )


@compiled
def _judge(
    seen, counts, stiffness, command, displacement, force, smallest, limits, turning, slack, samples
):
    """The number of a sensor that is dead, ``UNKNOWN``, or ``ALL_ALIVE``.

    Many locals: the two sensors of an actuator and what each could show.
    """
    n = len(command)
    result = ALL_ALIVE
    for a in range(n):
        elastic = 0.0
        for b in range(n):
            elastic += stiffness[a, b] * command[b]
        for s in range(2):
            one = seen[a, s]
            reading, way = (displacement[a], command[a]) if s == 0 else (force[a], elastic)
            one[_LOW], one[_HIGH] = min(one[_LOW], reading), max(one[_HIGH], reading)
            one[_WAY_LOW], one[_WAY_HIGH] = min(one[_WAY_LOW], way), max(one[_WAY_HIGH], way)
            if smallest[a, s] > 0.0 and one[_HIGH] - one[_LOW] > DITHER * smallest[a, s]:
                one[_ALIVE] = 1.0
            if one[_ALIVE] == 0.0:
                result = UNKNOWN
    if result == ALL_ALIVE or counts[0] < samples:
        return result
    strong, after_peak = counts[1] >= samples, counts[2] >= samples
    for s in range(2):
        most_energy = 0.0
        for a in range(n):
            most_energy = max(most_energy, _energy(seen[a, s], stiffness[a, a], s))
        for a in range(n):
            one = seen[a, s]
            way = one[_WAY_HIGH] - one[_WAY_LOW]
            if one[_ALIVE] != 0.0 or way <= RESOLUTIONS * smallest[a, s] or way == 0.0:
                continue
            most = 0.0
            for b in range(n):
                if turning[b] == turning[a]:
                    most = max(most, seen[b, s, _WAY_HIGH] - seen[b, s, _WAY_LOW])
            if (
                way <= OF_OTHERS * most
                or _energy(one, stiffness[a, a], s) < OF_ENERGY * most_energy
            ):
                continue
            limit = limits[s, a]
            limited = limit < math.inf
            enough = strong and (not limited or way > OF_LIMIT * limit)
            if s == 0:
                enough = enough and (limited or after_peak)
            else:
                zero = max(abs(one[_LOW]), abs(one[_HIGH])) <= DITHER * smallest[a, s]
                enough = (enough or (limited and way > MUCH_OF_LIMIT * limit)) and not (
                    zero and slack
                )
            if enough:
                return 2 * a + s
    return result


@compiled
def _energy(one, stiffness, s):
    """Twice the elastic energy of the way of an actuator, by its own stiffness.

    0 if it has none.
    """
    way = one[_WAY_HIGH] - one[_WAY_LOW]
    if stiffness <= 0.0:
        return 0.0
    return stiffness * way * way if s == 0 else way * way / stiffness
