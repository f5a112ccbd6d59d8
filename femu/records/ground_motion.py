"""A ground motion: acceleration of the base, sampled at equal steps, linear between samples and
zero outside."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from femu.records.at2 import read_at2
from femu.records.cosmos import read_cosmos
from femu.records.csv_file import read_csv
from femu.records.plausible import question
from femu.records.reading import Reading
from femu.records.smc import read_smc
from femu.records.text_file import read_text
from femu.support.arguments import typed_methods
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.records.spectrum import Spectrum

LONGEST_PERIOD = 1e6  # seconds: far beyond any structure
_ROUNDING = 1e-9  # of a step: two times closer than this are the same sample


@cache
def _el_centro() -> Reading:
    """Read once: examples and studies use it repeatedly."""
    with resources.as_file(
        resources.files("femu.records") / "data" / "elcentro_1940_ns.csv"
    ) as path:
        return read_csv(path)


@typed_methods
@dataclass(frozen=True, eq=False, repr=False)
class GroundMotion:
    """A record of base acceleration.

    The readers give m/s². A positive value accelerates the base in the positive direction of the
    axis it acts on.
    """

    name: str
    dt: float
    """Time between samples (s)."""
    acceleration: NDArray[np.float64]
    """Samples, the first at t = 0; read-only."""

    def __post_init__(self) -> None:
        what = f"GroundMotion {self.name!r}"
        _check_step(what, self.dt)
        try:
            samples = np.array(self.acceleration, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                what, "acceleration", self.acceleration, "must be a list of numbers"
            ) from None
        if samples.ndim != 1 or samples.size < 2:
            raise InputError(
                what,
                "acceleration",
                self.acceleration,
                f"has shape {samples.shape}; it must be one row of at least two samples",
            )
        if not np.all(np.isfinite(samples)):
            first = int(np.flatnonzero(~np.isfinite(samples))[0])
            raise InputError(
                what, "acceleration", samples[first], f"at sample {first} must be finite"
            )
        samples.setflags(write=False)
        object.__setattr__(self, "acceleration", samples)
        object.__setattr__(self, "dt", float(self.dt))

    # --- readers ---------------------------------------------------------------------------------

    @classmethod
    def el_centro(cls) -> GroundMotion:
        """El Centro 1940, north-south.

        1560 samples at 0.02 s, peak 0.3188 g. It comes with femu.
        """
        return replace(cls._of(_el_centro()), name="El Centro 1940 NS")

    @classmethod
    def from_at2(cls, path: str | os.PathLike[str]) -> GroundMotion:
        """From a PEER AT2 file, which states its unit, number of samples and time step."""
        return cls._of(read_at2(path))

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], unit: str | None = None, dt: float | None = None
    ) -> GroundMotion:
        """From a CSV file with columns time (s) and acceleration, in the unit of its heading or in
        `unit`.

        `dt` is needed only if the times are printed with too few digits for the step; they
        must agree with it.
        """
        if dt is not None:
            _check_step("CSV file", dt)
        return cls._of(read_csv(path, unit, dt))

    @classmethod
    def from_text(cls, path: str | os.PathLike[str], dt: float, unit: str) -> GroundMotion:
        """From a plain text file of samples in `unit` ('g', 'm/s2', 'cm/s2', ...), `dt` seconds
        apart."""
        _check_step("text file", dt)
        return cls._of(read_text(path, dt, unit))

    @classmethod
    def from_columns(
        cls, path: str | os.PathLike[str], unit: str, dt: float | None = None
    ) -> GroundMotion:
        """From a text file with two columns, time (s) and acceleration in `unit`, with blanks
        between them."""
        if dt is not None:
            _check_step("two-column file", dt)
        return cls._of(read_csv(path, unit, dt, separator=None))

    @classmethod
    def from_cosmos(cls, path: str | os.PathLike[str]) -> GroundMotion:
        """From a COSMOS v1.20 file of one channel of acceleration, which states its unit and time
        step."""
        return cls._of(read_cosmos(path))

    @classmethod
    def from_smc(cls, path: str | os.PathLike[str]) -> GroundMotion:
        """Read an SMC file of the U.S. Geological Survey."""
        return cls._of(read_smc(path))

    @classmethod
    def _of(cls, reading: Reading) -> GroundMotion:
        made = cls(reading.name, reading.dt, np.array(reading.acceleration))
        question(made.name, made.dt, made.pga, made.duration)
        return made

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write as CSV, in m/s², with every digit: `from_csv` reads it back equal."""
        from femu.records.writing import write_csv

        write_csv(self, path)

    def to_at2(self, path: str | os.PathLike[str]) -> None:
        """Write as a PEER AT2 file, in g, with the seven digits of that format."""
        from femu.records.writing import write_at2

        write_at2(self, path)

    # --- what it is ------------------------------------------------------------------------------

    @property
    def pga(self) -> float:
        """Peak ground acceleration: the largest absolute sample."""
        return float(np.abs(self.acceleration).max())

    @property
    def duration(self) -> float:
        """Time of the last sample (s)."""
        return self.dt * (self.acceleration.size - 1)

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples (s)."""
        return self.dt * np.arange(self.acceleration.size, dtype=np.float64)

    @overload
    def at(self, time: float) -> float: ...
    @overload
    def at(self, time: ArrayLike) -> Any: ...
    def at(self, time: Any) -> Any:
        """Acceleration at one time or at many.

        Linear between samples, zero before the first and after the last.
        """
        values = np.interp(time, self.times, self.acceleration, left=0.0, right=0.0)
        return float(values) if np.ndim(time) == 0 else values

    # --- others made from it ---------------------------------------------------------------------

    def scaled(
        self,
        *,
        pga: float | None = None,
        factor: float | None = None,
        sa: float | None = None,
        period: float | None = None,
        damping: float = 0.05,
    ) -> GroundMotion:
        """The record scaled to a peak, by a factor (negative: reversed), or to a
        spectral acceleration.

        ``scaled(sa=0.6*g, period=0.9)`` gives the pseudo-acceleration 0.6 g at a period of 0.9 s.
        """
        what = f"GroundMotion {self.name!r}"
        if sum(value is not None for value in (pga, factor, sa)) != 1 or (sa is None) != (
            period is None
        ):
            raise InputError(
                what,
                "pga, factor, sa",
                (pga, factor, sa),
                "must be given alone: give exactly one of them",
                fix="write scaled(pga=...), scaled(factor=...) or scaled(sa=..., period=...)",
            )
        if sa is not None and period is not None:
            if not (math.isfinite(period) and 0.0 < period < LONGEST_PERIOD):
                raise InputError(
                    what, "period", period, f"must be above 0, and below {LONGEST_PERIOD:g} s"
                )
            if not math.isfinite(sa) or sa <= 0.0:
                raise InputError(
                    what,
                    "sa",
                    sa,
                    "must be greater than zero",
                    fix="give it in m/s², for example 0.6*g",
                )
            now = self.sa(period, damping)
            if now == 0.0:
                raise InputError(
                    what, "sa", sa, "cannot be reached, because every sample of the record is zero"
                )
            factor = sa / now
        if pga is not None:
            if not math.isfinite(pga) or pga <= 0.0:
                raise InputError(
                    what,
                    "pga",
                    pga,
                    "must be greater than zero",
                    fix="give it in m/s², for example 0.3*g",
                )
            if self.pga == 0.0:
                raise InputError(
                    what,
                    "pga",
                    pga,
                    "cannot be reached, because every sample of the record is zero",
                )
            factor = pga / self.pga
        assert factor is not None
        if not math.isfinite(factor):
            raise InputError(what, "factor", factor, "must be a finite number")
        return replace(self, acceleration=factor * self.acceleration)

    def resampled(self, dt: float) -> GroundMotion:
        """The record at another step, by linear interpolation.

        A longer step can miss peaks between its samples.
        """
        what = f"GroundMotion {self.name!r}"
        _check_step(what, dt)
        count = math.floor(self.duration / dt + _ROUNDING) + 1
        if count < 2:
            raise InputError(
                what, "dt", dt, f"must not exceed the record's duration of {self.duration:g} s"
            )
        # the last time may exceed the record by rounding; `at` would give zero there
        times = np.minimum(dt * np.arange(count), self.duration)
        return replace(self, dt=dt, acceleration=np.interp(times, self.times, self.acceleration))

    def trimmed(self, start: float = 0.0, end: float | None = None) -> GroundMotion:
        """The samples from `start` to `end` (s), both included if they fall on a sample.

        Time starts again at 0.
        """
        what = f"GroundMotion {self.name!r}"
        stop = self.duration if end is None else end
        if not (math.isfinite(start) and start >= 0.0):
            raise InputError(what, "start", start, "must be zero or greater")
        if not (math.isfinite(stop) and stop > start):
            raise InputError(what, "end", stop, f"must be greater than start = {start:g} s")
        first = math.ceil(start / self.dt - _ROUNDING)
        last = math.floor(stop / self.dt + _ROUNDING)
        piece = self.acceleration[first : last + 1]
        if piece.size < 2:
            raise InputError(
                what,
                "start, end",
                (start, stop),
                "must keep at least two samples",
                f"The record lasts {self.duration:g} s, with a sample every {self.dt:g} s",
            )
        return replace(self, acceleration=piece)

    def baseline_corrected(self, degree: int = 2) -> GroundMotion:
        """The record less a polynomial of the given degree, chosen so that the velocity has the
        least mean square."""
        from femu.records.correction import without_baseline

        return replace(self, acceleration=without_baseline(self.acceleration, self.dt, degree))

    def filtered(
        self, low: float | None = None, high: float | None = None, order: int = 4
    ) -> GroundMotion:
        """The record with frequencies (Hz) below `low` and above `high` taken out, without a shift
        in time.

        A Butterworth filter of the given order is passed forwards and backwards, so it takes out
        half at its corners.
        """
        from femu.records.correction import filtered

        return replace(self, acceleration=filtered(self.acceleration, self.dt, low, high, order))

    # --- spectra ---------------------------------------------------------------------------------

    def spectrum(self, periods: ArrayLike | None = None, damping: float = 0.05) -> Spectrum:
        """The elastic response spectrum; see `femu.records.spectrum`."""
        from femu.records.spectrum import response_spectrum

        return response_spectrum(self, periods, damping)

    def sa(self, period: float, damping: float = 0.05) -> float:
        """Spectral pseudo-acceleration at one period."""
        return float(self.spectrum([period], damping).pseudo_acceleration[0])

    # --- how it shows and compares ---------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"GroundMotion({self.name!r}: {self.acceleration.size} samples, dt {self.dt:g} s, "
            f"{self.duration:g} s, peak {self.pga:.4g})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroundMotion):
            return NotImplemented
        return (
            self.name == other.name
            and self.dt == other.dt
            and np.array_equal(self.acceleration, other.acceleration)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.dt, self.acceleration.tobytes()))


def _check_step(what: str, dt: float) -> None:
    if (
        not isinstance(dt, (int, float, np.floating, np.integer))
        or not math.isfinite(dt)
        or dt <= 0.0
    ):
        raise InputError(
            what,
            "dt",
            dt,
            "must be a number greater than zero",
            fix="give the time step in seconds",
        )
