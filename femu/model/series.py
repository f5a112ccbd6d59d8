"""Time series: how the factor of a load pattern, or the motion of a support, depends on time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from femu.model.parameters import finite
from femu.support.arguments import typed_class
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@runtime_checkable
class Series(Protocol):
    """Anything with values ``at`` given times."""

    def at(self, t: Any) -> Any: ...


def _finite(what: str, **values: float) -> None:
    for name, value in values.items():
        if not finite(value):
            raise InputError(what, name, value, "must be a finite number")


def _numbers(what: str, argument: str, values: Any) -> Array:
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(what, argument, values, "must be a sequence of numbers") from None


@dataclass(frozen=True)
class Constant:
    """The same value at all times."""

    value: float = 1.0

    def __post_init__(self) -> None:
        _finite("Constant", value=self.value)

    def at(self, t: Any) -> Any:
        return np.full_like(np.asarray(t, dtype=float), self.value)


@dataclass(frozen=True)
class Linear:
    """``slope * t``."""

    slope: float = 1.0

    def __post_init__(self) -> None:
        _finite("Linear", slope=self.slope)

    def at(self, t: Any) -> Any:
        return self.slope * np.asarray(t, dtype=float)


@dataclass(frozen=True)
class Sine:
    """``amplitude * sin(2 pi (t - start)/period + phase)`` between start and end, zero outside."""

    period: float
    amplitude: float = 1.0
    phase: float = 0.0
    start: float = 0.0
    end: float = math.inf

    def __post_init__(self) -> None:
        _finite(
            "Sine", period=self.period, amplitude=self.amplitude, phase=self.phase, start=self.start
        )
        if not self.period > 0.0:
            raise InputError("Sine", "period", self.period, "must be above 0")
        if not (isinstance(self.end, (int, float)) and self.end > self.start):
            raise InputError("Sine", "end", self.end, f"must be after the start {self.start:g}")

    def at(self, t: Any) -> Any:
        t = np.asarray(t, dtype=float)
        inside = (t >= self.start) & (t <= self.end)
        return np.where(
            inside,
            self.amplitude * np.sin(2 * np.pi * (t - self.start) / self.period + self.phase),
            0.0,
        )


@dataclass(frozen=True)
class Pulse:
    """``value`` between start and end, zero outside."""

    start: float
    end: float
    value: float = 1.0

    def __post_init__(self) -> None:
        _finite("Pulse", start=self.start, end=self.end, value=self.value)
        if not self.end > self.start:
            raise InputError("Pulse", "end", self.end, f"must be after the start {self.start:g}")

    def at(self, t: Any) -> Any:
        t = np.asarray(t, dtype=float)
        return np.where((t >= self.start) & (t <= self.end), self.value, 0.0)


@typed_class
class Sampled:
    """Straight lines through samples; before the first and after the last sample the value is zero.

    ``hold=True`` keeps the last value instead.
    """

    def __init__(self, t: npt.ArrayLike, values: npt.ArrayLike, hold: bool = False) -> None:
        self.t = _numbers("Sampled", "t", t)
        self.values = _numbers("Sampled", "values", values)
        self.hold = hold
        if self.t.ndim != 1 or self.t.shape != self.values.shape or len(self.t) < 2:
            raise InputError(
                "Sampled",
                "t, values",
                (self.t.shape, self.values.shape),
                "must be two sequences of one length, at least 2",
            )
        if not (np.diff(self.t) > 0).all() or not np.isfinite(self.t).all():
            raise InputError("Sampled", "t", t, "must be finite, and increase")
        if not np.isfinite(self.values).all():
            raise InputError("Sampled", "values", values, "must be finite")

    def at(self, t: Any) -> Any:
        return np.interp(
            t, self.t, self.values, left=0.0, right=self.values[-1] if self.hold else 0.0
        )

    def __repr__(self) -> str:
        return f"Sampled({len(self.t)} samples from {self.t[0]:g} to {self.t[-1]:g})"


class Motion:
    """Displacement of a support as a function of time, with velocity and acceleration.

    Give what is known; the rest follows by differences (of a displacement) or by integration from
    rest with the trapezoidal rule (of an acceleration), on samples ``dt`` apart.
    """

    def __init__(
        self,
        dt: float,
        *,
        displacement: npt.ArrayLike | None = None,
        acceleration: npt.ArrayLike | None = None,
    ) -> None:
        if not finite(dt) or not dt > 0.0:
            raise InputError("Motion", "dt", dt, "must be above 0")
        if (displacement is None) == (acceleration is None):
            raise InputError(
                "Motion",
                "displacement, acceleration",
                (displacement, acceleration),
                "must be one of the two",
            )
        name, samples = (
            ("displacement", displacement)
            if displacement is not None
            else ("acceleration", acceleration)
        )
        given = _numbers("Motion", name, samples)
        if given.ndim != 1 or len(given) < 3 or not np.isfinite(given).all():
            raise InputError("Motion", name, samples, "must be at least 3 finite numbers")
        self.dt = float(dt)
        if displacement is not None:
            self.u = given
            self.v = np.gradient(given, dt)
            self.a = np.gradient(self.v, dt)
        else:
            self.a = given
            self.v = np.concatenate([[0.0], np.cumsum(0.5 * (given[1:] + given[:-1]) * dt)])
            self.u = np.concatenate(
                [[0.0], np.cumsum((self.v[:-1] + (2 * given[:-1] + given[1:]) / 6 * dt) * dt)]
            )
        self.t = np.arange(len(given)) * self.dt

    def at(self, t: Any) -> tuple[Array, Array, Array]:
        """Displacement (held at its last value), velocity and acceleration (zero outside)."""
        return (
            np.interp(t, self.t, self.u),
            np.interp(t, self.t, self.v, left=0.0, right=0.0),
            np.interp(t, self.t, self.a, left=0.0, right=0.0),
        )
