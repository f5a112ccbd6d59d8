"""timeSeries: the series of OpenSees, with its own answers at the edges (a Path is zero from its
last sample on)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.model.doubts import warn_accepted
from femu.model.series import Constant, Linear
from femu.opensees.front_end.arguments import Reader, looks_like_number
from femu.opensees.front_end.domain import Domain, domain
from femu.opensees.front_end.errors import cause
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import shown

Array = npt.NDArray[np.float64]
SERIES = Kinds("timeSeries", "series")


@dataclass(frozen=True)
class EvenPath:
    """Samples at equal times.

    Zero before the start, and from the last sample on unless ``last`` is kept.
    """

    dt: float
    values: Array
    start: float
    last: bool

    def at(self, t: Any) -> Any:
        t = np.asarray(t, dtype=float)
        place = (t - self.start) / self.dt
        below = np.floor(place)
        index = np.clip(below, 0, len(self.values) - 2).astype(int)
        found = self.values[index] + (self.values[index + 1] - self.values[index]) * (place - below)
        found = np.where(
            below + 1 >= len(self.values), self.values[-1] if self.last else 0.0, found
        )
        return np.where(t < self.start, 0.0, found)


@dataclass(frozen=True)
class TimedPath:
    """Samples at given times: zero outside, unless the ``last`` is kept."""

    times: Array
    values: Array
    last: bool

    def at(self, t: Any) -> Any:
        return np.interp(
            t, self.times, self.values, left=0.0, right=self.values[-1] if self.last else 0.0
        )


@dataclass(frozen=True)
class Wave:
    """A wave between two times, zero outside.

    Sine, triangle or pulse by its share of the period.
    """

    shape: str
    start: float
    end: float
    period: float
    factor: float
    shift: float
    zero: float
    width: float = 0.5

    def at(self, t: Any) -> Any:
        t = np.asarray(t, dtype=float)
        if self.shape == "sine":
            value = (
                self.factor * np.sin(2.0 * np.pi * (t - self.start) / self.period + self.shift)
                + self.zero
            )
        else:
            shift = self.shift
            slope = 4.0 * self.factor / self.period
            if self.shape == "triangle" and self.zero:
                shift -= self.zero / slope
            k = (t + shift - self.start) / self.period
            k = k - np.floor(k)
            if self.shape == "pulse":
                value = np.where(k < self.width, self.factor, 0.0) + self.zero
            else:
                value = self.zero + np.where(
                    k < 0.25,
                    slope * k * self.period,
                    np.where(
                        k < 0.75,
                        self.factor - slope * (k - 0.25) * self.period,
                        -self.factor + slope * (k - 0.75) * self.period,
                    ),
                )
        return np.where((t >= self.start) & (t <= self.end), value, 0.0)


@dataclass(frozen=True)
class Ramp:
    """A rise to a value over a time, which stays; its corners may be smooth over a share of it."""

    start: float
    length: float
    smoothness: float
    factor: float
    offset: float

    def at(self, t: Any) -> Any:
        s = np.clip((np.asarray(t, dtype=float) - self.start) / self.length, 0.0, 1.0)
        k = 0.5 * self.smoothness  # share of one corner
        if k == 0.0:
            return self.factor * s + self.offset
        # a parabola at each corner, a straight line between them
        slope = 1.0 / (1.0 - k)
        rise = np.where(
            s < k,
            0.5 * slope * s * s / k,
            np.where(
                s <= 1.0 - k,
                slope * (s - 0.5 * k),
                1.0 - 0.5 * slope * (1.0 - s) * (1.0 - s) / k,
            ),
        )
        return self.factor * rise + self.offset


@dataclass(frozen=True)
class Window:
    """A value between two times, both included, and zero outside."""

    start: float
    end: float
    value: float

    def at(self, t: Any) -> Any:
        t = np.asarray(t, dtype=float)
        return np.where((t >= self.start) & (t <= self.end), self.value, 0.0)


@command(
    "timeSeries", "loads", "kind:w tag:i", "A series that load patterns follow; see the kinds."
)
def time_series(reader: Reader) -> None:
    kind = SERIES.find(reader)
    tag = reader.take("tag", "i")
    domain.define(
        "timeSeries", domain.series, tag, kind.make(domain, reader, reader.read(kind.form)), reader
    )


@SERIES.kind("Constant", form=" | -factor factor", into="Constant")
def _constant(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    return Constant(1.0 if a["factor"] is None else a["factor"])


@SERIES.kind("Linear", form=" | -factor factor | -tStart start", into="Linear")
def _linear(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    if a["tStart"] is None or (a["tStart"] == 0.0 and a["factor"] is not None):
        return Linear(1.0 if a["factor"] is None else a["factor"])
    if a["factor"] is not None:
        raise reader.unsupported("'-tStart' together with '-factor' is not supported.")
    warn_accepted("timeSeries('Linear'): -tStart is the factor of the series, not its start.")
    return Linear(a["tStart"])


@SERIES.kind(
    "Path",
    into="samples with straight lines between them",
    form=" | -dt dt | -values *values | -time *time | -filePath file:w | -fileTime timeFile:w | "
    "-factor factor | -useLast | -prependZero | -startTime start",
)
def _path(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    factor = 1.0 if a["factor"] is None else a["factor"]
    values = _samples(reader, a["filePath"]) if a["filePath"] else np.array(a["values"])
    times = _samples(reader, a["fileTime"]) if a["fileTime"] else np.array(a["time"])
    if a["prependZero"]:
        values = np.concatenate([[0.0], values])
    if not len(values):
        raise reader.error("needs samples: -values *values, or -filePath file.")
    if len(values) == 1 and not len(times):  # OpenSees has nothing after its one sample either
        values = np.full(2, values[0] if a["useLast"] else 0.0)
    if len(times):
        if len(times) != len(values):
            raise reader.error(f"has {len(times)} times for {len(values)} values.")
        if not (np.diff(times) >= 0.0).all():
            raise reader.error(
                "needs times that do not decrease: OpenSees looks for the next one in the order "
                "given."
            )
        if a["startTime"]:
            raise reader.unsupported(
                "option '-startTime' has no effect in OpenSees together with -time; add it to the "
                "times."
            )
        times = times.astype(float)
        # a jump: the value before it holds at its time, as in OpenSees
        for k in np.flatnonzero(np.diff(times) == 0.0) + 1:
            times[k] = np.nextafter(times[k - 1], np.inf)
        return TimedPath(times, _finite(reader, factor * values), a["useLast"])
    if a["dt"] is None or not a["dt"] > 0.0:
        raise reader.error("needs -dt dt above 0, or -time *times.")
    return EvenPath(a["dt"], _finite(reader, factor * values), a["startTime"] or 0.0, a["useLast"])


def _samples(reader: Reader, file: str) -> Array:
    try:
        with open(file) as lines:
            words = lines.read().replace(",", " ").split()
    except (OSError, ValueError) as problem:
        raise reader.error(f"cannot read samples from {shown(file)}: {cause(problem)}.") from None
    count = next((k for k, word in enumerate(words) if not looks_like_number(word)), len(words))
    if count == 0:
        raise reader.error(f"{shown(file)} does not begin with a number, so it has no samples.")
    if count < len(words):
        warn_accepted(
            f"{reader.command}: {shown(file)} has the word {shown(words[count])} after {count} "
            "samples: nothing is read from there on."
        )
    found = np.array(words[:count], dtype=float)
    return _finite(reader, found, f"samples of {shown(file)}")


def _finite(reader: Reader, values: Array, what: str = "values times factor") -> Array:
    """The same numbers, none of them NaN or infinite."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise reader.wrong(what, float(values[wrong[0]]), f"(number {wrong[0] + 1}) must be finite")
    return values


_WAVE = "start end period | -factor factor | -shift shift | -zeroShift zero"


def _wave(reader: Reader, shape: str, a: dict[str, Any], width: float = 0.5) -> Wave:
    if not a["period"] > 0.0:
        raise reader.error(f"period = {shown(a['period'])} must be above 0.")
    return Wave(
        shape,
        a["start"],
        a["end"],
        a["period"],
        1.0 if a["factor"] is None else a["factor"],
        a["shift"] or 0.0,
        a["zeroShift"] or 0.0,
        width,
    )


@SERIES.kind("Trig", "Sine", form=_WAVE, into="sine between two times")
def _trig(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    made = _wave(reader, "sine", a)
    if not a["zeroShift"]:
        return made
    share = made.zero / made.factor if made.factor else math.inf
    if not abs(share) <= 1.0:
        raise reader.wrong("-zeroShift", made.zero, "must not exceed the -factor")
    # OpenSees moves the phase too, by a time
    moved = made.shift - made.period / (2.0 * math.pi) * math.asin(share)
    return replace(made, shift=moved)


@SERIES.kind("Triangle", form=_WAVE, into="triangle wave between two times")
def _triangle(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    if a["factor"] == 0.0 and a["zeroShift"]:
        raise reader.error(
            "-factor = 0.0 must not be 0 together with -zeroShift, which moves the wave by a share "
            "of its slope."
        )
    return _wave(reader, "triangle", a)


@SERIES.kind(
    "Pulse",
    form="start end period | -width width | -shift shift | -factor factor | -zeroShift zero",
    into="pulses between two times",
)
def _pulse(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    return _wave(reader, "pulse", a, 0.5 if a["width"] is None else a["width"])


@SERIES.kind(
    "Ramp",
    form="start length | -smooth smoothness | -factor factor | -offset offset",
    into="a rise to a value",
)
def _ramp(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    if not a["length"] > 0.0:
        raise reader.wrong("length", a["length"], "must be above 0")
    smoothness = a["smooth"] or 0.0
    if not 0.0 <= smoothness <= 1.0:
        raise reader.wrong("-smooth", smoothness, "must lie between 0 and 1")
    factor = 1.0 if a["factor"] is None else a["factor"]
    return Ramp(a["start"], a["length"], smoothness, factor, a["offset"] or 0.0)


@SERIES.kind("Rectangular", form="start end | -factor factor", into="a value between two times")
def _rectangular(d: Domain, reader: Reader, a: dict[str, Any]) -> Any:
    return Window(a["start"], a["end"], 1.0 if a["factor"] is None else a["factor"])


SERIES.refuse("femu has no series of that kind", "MPAcc", "PeerMotion", "PeerNGAMotion", "PathTime")
