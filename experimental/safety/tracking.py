"""How well specimens follow their targets: the indicators of a test, and limits that end it.

With the targets t and the reached displacements x of a channel::

    J1    delay by which x follows t: where their cross-correlation is largest
    J2    std(x - t) / std(t)
    J3    max |x - t| / max |t|

While a test runs, means are taken over the last steps with a weight that falls as e^(-age/window),
and J1 is the phase at the mean frequency of the targets (exact for one frequency)::

    w^2 = var(v) / var(t),    J1 = atan2(-cov(x - t, v) / w, cov(x, t)) / w,    v: velocity of t

The energy error is the work of the forces with which the model continued, less that of the measured
ones, over the largest input or kinetic energy so far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import PoorTracking
from femu.experimental.hybrid_record import STEP_COLUMNS, HybridRecord
from femu.kernels import compiled
from femu.model.element import Name
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.experimental.elements.experimental import Experimental

Array = npt.NDArray[np.float64]
OF_NOISE = 20.0
"""Times the noise of the sensor that targets must move for their tracking to be judged."""
INDICATORS = ("delay", "error", "peak")
# sums of a channel: weight, means of t, x, v and their products, last targets and reached, peaks
_WEIGHT, _T, _X, _V, _TT, _EE, _E, _XT, _EV, _VV = range(10)
_LAST_T, _BEFORE_T, _LAST_X, _PEAK_E, _PEAK_T, _SEEN, _SUMS = range(10, 17)
_INPUT, _KINETIC, _ERROR = (
    STEP_COLUMNS.index(name) for name in ("input", "kinetic", "experimental error")
)


@dataclass(frozen=True)
class Tracking:
    """How a specimen followed its targets in one channel: J1 to J3."""

    delay: float
    """J1: time by which the reached displacement is late"""
    error: float
    """J2: standard deviation of the error, as a share of that of the targets"""
    peak: float
    """J3: largest error, as a share of the largest target"""


@dataclass(frozen=True)
class TrackingLimits:
    """Largest tracking indicators with which a test continues.

    ``delay`` is a time (J1, either way), ``error`` and ``peak`` are shares (J2, J3), ``energy`` is
    the energy error of the test as a share. What is left out is not limited. Means are taken over
    the ``window`` (time), and judged once it has passed and the targets of a channel have moved by
    ``least`` (standard deviation); left out, by 20 times the noise of its sensor, as far as that is
    known. In the first window the energy is not judged either.
    """

    delay: float | None = None
    error: float | None = None
    peak: float | None = None
    energy: float | None = None
    window: float = 1.0
    least: float | None = None

    def __post_init__(self) -> None:
        for name in ("delay", "error", "peak", "energy", "window"):
            value = getattr(self, name)
            if value is None and name != "window":
                continue
            if not _is_number(value) or not value > 0.0:
                raise InputError("TrackingLimits", name, value, "must be finite and above 0")
        if self.least is not None and (not _is_number(self.least) or self.least < 0.0):
            raise InputError("TrackingLimits", "least", self.least, "must not be negative")
        if self.delay is self.error is self.peak is self.energy is None:
            raise InputError(
                "TrackingLimits",
                "error",
                None,
                "must be given, or another limit",
                fix="give error=0.2, for example",
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def limits_by_element(
    given: Any, elements: Mapping[Name, Experimental]
) -> dict[Name, TrackingLimits]:
    """The limits of each element, from one for all or from those of some."""
    if given is None:
        return {}
    if isinstance(given, TrackingLimits):
        return dict.fromkeys(elements, given)
    if not isinstance(given, Mapping) or not all(
        name in elements and isinstance(limits, TrackingLimits) for name, limits in given.items()
    ):
        raise InputError(
            "HybridTest",
            "tracking",
            given,
            f"must be TrackingLimits, or those of some of the elements {list(elements)}",
        )
    return dict(given)


def tracking_indicators(targets: npt.ArrayLike, reached: npt.ArrayLike, dt: float) -> Tracking:
    """J1 to J3 of a whole record of one channel, at steps of ``dt``.

    The delay is where the cross-correlation is largest, on a parabola between the steps; 0 if
    nothing moves.
    """
    who = "tracking_indicators"
    t, x = as_numbers(who, "targets", targets), as_numbers(who, "reached", reached)
    if t.ndim != 1 or t.shape != x.shape or not t.size or not np.isfinite(t.sum() + x.sum()):
        raise InputError(
            who, "reached", reached, "must be as many finite numbers as there are targets"
        )
    size, peak, error = float(np.std(t)), float(np.abs(t).max()), x - t
    if size == 0.0 or not np.std(x) > 0.0:
        return Tracking(0.0, math.nan if size == 0.0 else float(np.std(error)) / size, math.nan)
    from scipy.signal import correlate, correlation_lags  # takes half a second to import

    both = correlate(x - x.mean(), t - t.mean())
    lags = correlation_lags(len(x), len(t))
    best = int(np.argmax(both))
    delay = float(lags[best])
    if 0 < best < len(both) - 1:
        low, middle, high = both[best - 1 : best + 2]
        delay += float(0.5 * (low - high) / (low - 2.0 * middle + high))
    return Tracking(delay * dt, float(np.std(error)) / size, float(np.abs(error).max()) / peak)


@compiled
def _see(sums, targets, reached, keep, dt):
    """One more step of all channels of an element."""
    for c in range(len(targets)):
        s, t, x = sums[c], targets[c], reached[c]
        if s[_SEEN] >= 2.0:
            # at the step before, whose velocity is known by now
            middle, at = s[_LAST_T], s[_LAST_X]
            v, e = (t - s[_BEFORE_T]) / (2.0 * dt), s[_LAST_X] - s[_LAST_T]
            s[_WEIGHT] = keep * s[_WEIGHT] + 1.0
            s[_T] = keep * s[_T] + middle
            s[_X] = keep * s[_X] + at
            s[_V] = keep * s[_V] + v
            s[_E] = keep * s[_E] + e
            s[_TT] = keep * s[_TT] + middle * middle
            s[_EE] = keep * s[_EE] + e * e
            s[_XT] = keep * s[_XT] + at * middle
            s[_EV] = keep * s[_EV] + e * v
            s[_VV] = keep * s[_VV] + v * v
        s[_BEFORE_T], s[_LAST_T], s[_LAST_X] = s[_LAST_T], t, x
        s[_PEAK_E], s[_PEAK_T] = max(s[_PEAK_E], abs(x - t)), max(s[_PEAK_T], abs(t))
        s[_SEEN] += 1.0


@compiled
def _indicators(s, found):
    """Delay, error, peak and size of the targets of one channel."""
    found[:] = 0.0
    w = s[_WEIGHT]
    if w == 0.0:
        return
    size = max(s[_TT] / w - (s[_T] / w) ** 2, 0.0)
    speed = max(s[_VV] / w - (s[_V] / w) ** 2, 0.0)
    found[3] = math.sqrt(size)
    if s[_PEAK_T] > 0.0:
        found[2] = s[_PEAK_E] / s[_PEAK_T]
    if size == 0.0 or speed == 0.0:
        return
    found[1] = math.sqrt(max(s[_EE] / w - (s[_E] / w) ** 2, 0.0) / size)
    frequency = math.sqrt(speed / size)
    sine = -(s[_EV] / w - s[_E] / w * s[_V] / w) / frequency
    found[0] = math.atan2(sine, s[_XT] / w - s[_X] / w * s[_T] / w) / frequency


class TrackingMonitor:
    """Follows the indicators of a running test from its rows, and ends it beyond a limit."""

    def __init__(
        self,
        limits: Mapping[Name, TrackingLimits],
        record: HybridRecord,
        dt: float,
        noise: Mapping[Name, Array],
    ) -> None:
        self.limits, self.record, self.dt = limits, record, dt
        self._sums = {name: np.zeros((record.columns[name].size, _SUMS)) for name in limits}
        self._least = {
            name: np.full(len(noise[name]), one.least)
            if one.least is not None
            else OF_NOISE * noise[name]
            for name, one in limits.items()
        }
        self._found = np.zeros(4)
        self._energy = 0.0

    def see(self, step: int, judge: bool = True) -> None:
        """A step is in the rows.

        Raises `PoorTracking` beyond a limit.
        """
        row = self.record.rows[step]
        self._energy = max(self._energy, abs(row[_INPUT]), row[_KINETIC])
        for name, limits in self.limits.items():
            columns = self.record.columns[name]
            targets, reached = (
                row[first : first + count]
                for first, count in (columns.command, columns.measured_displacement)
            )
            _see(self._sums[name], targets, reached, math.exp(-self.dt / limits.window), self.dt)
            if judge and step * self.dt >= limits.window:
                self._judge(name, limits, step)

    def indicators(self, name: Name) -> list[Tracking]:
        """Running J1 to J3 of each channel of an element."""
        made = []
        for sums in self._sums[name]:
            _indicators(sums, self._found)
            made.append(Tracking(*(float(x) for x in self._found[:3])))
        return made

    def energy_error(self, step: int) -> float:
        """Energy error of the test after a step, as a share of the energy in it."""
        error = abs(float(self.record.rows[step, _ERROR]))
        return error / self._energy if self._energy > 0.0 else 0.0

    def _judge(self, name: Name, limits: TrackingLimits, step: int) -> None:
        when = f"at t = {step * self.dt:g}"
        for channel, sums in enumerate(self._sums[name]):
            _indicators(sums, self._found)
            if not self._found[3] > self._least[name][channel]:
                continue
            for k, what in enumerate(INDICATORS):
                limit, value = getattr(limits, what), float(self._found[k])
                if limit is not None and not abs(value) <= limit:
                    raise PoorTracking(
                        f"The specimen of {name!r} did not follow its targets {when}: "
                        f"{_said(what, value)} in {self.record.channels[name][channel]}, beyond "
                        f"its limit {limit:g}."
                    )
        share = self.energy_error(step)
        if limits.energy is not None and not share <= limits.energy:
            raise PoorTracking(
                f"The energy error {when} is {share:.4g} of the energy in the test, beyond its "
                f"limit {limits.energy:g}."
            )


def _said(what: str, value: float) -> str:
    if what == "delay":
        return f"the delay J1 is {value:.4g}"
    if what == "error":
        return f"the error J2 is {100.0 * value:.4g} % of the targets"
    return f"the largest error J3 is {100.0 * value:.4g} % of the largest target"
