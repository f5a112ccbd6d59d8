"""A number to identify.

Where it starts, how far it may go, how well it is known, and how it may drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log

from femu.model.parameters import Parameter
from femu.support.arguments import typed_class
from femu.support.errors import InputError

WIDE = 3.0  # bounds that are not given: a third of the start to three times it
# standard deviation of the prior that is not given, as a share of the distance between the bounds
PRIOR_SHARE = 0.25
# process noise that is not given: standard deviation a step, as a share of the same
DRIFT_SHARE = 1e-5
CLOSE = 1e-6  # of the start: distance to a bound that the declaration excludes
TRANSFORMS = ("linear", "log")


@typed_class
@dataclass(frozen=True)
class Unknown:
    """A parameter to identify.

    ``start`` is the twin's own value if left out, ``lower`` and ``upper`` a third and three times
    the start (inside what the parameter's declaration allows). ``std`` is the standard deviation of
    the prior and ``process_noise`` that of the drift in a step, both in the unit of the parameter:
    a quarter and 1e-5 of the distance between the bounds if left out. With ``transform="log"`` the
    filter works with the logarithm, for numbers above zero whose order of magnitude is uncertain.
    """

    start: float | None = None
    lower: float | None = None
    upper: float | None = None
    std: float | None = None
    process_noise: float | None = None
    transform: str = "linear"

    def resolved(self, name: str, value: float, declared: Parameter) -> Resolved:
        """All numbers, with those that were left out filled in and all of them checked."""
        start = value if self.start is None else float(self.start)
        small, large = min(start / WIDE, start * WIDE), max(start / WIDE, start * WIDE)
        lower = max(small, declared.lower) if self.lower is None else float(self.lower)
        upper = min(large, declared.upper) if self.upper is None else float(self.upper)
        if not lower < upper:
            raise InputError(
                f"Unknown {name!r}",
                "lower",
                (lower, upper),
                "must be two bounds, the lower one first",
                fix="give lower and upper",
            )
        if declared.open:  # a bound that the declaration excludes is meant as close to it as can be
            inside = CLOSE * max(abs(start), CLOSE)
            lower, upper = (
                max(lower, declared.lower + inside) if lower == declared.lower else lower,
                (min(upper, declared.upper - inside) if upper == declared.upper else upper),
            )
        for argument, bound in (("lower", lower), ("upper", upper)):
            if not declared.lower <= bound <= declared.upper:
                raise InputError(
                    f"Unknown {name!r}",
                    argument,
                    bound,
                    declared.rule(),
                    f"It is the {declared.meaning}",
                )
        if not lower <= start <= upper:
            raise InputError(
                f"Unknown {name!r}",
                "start",
                start,
                f"must lie between its bounds, {lower:g} and {upper:g}",
            )
        if self.transform not in TRANSFORMS:
            raise InputError(
                f"Unknown {name!r}", "transform", self.transform, f"must be one of {TRANSFORMS}"
            )
        if self.transform == "log" and not lower > 0.0:
            raise InputError(
                f"Unknown {name!r}", "lower", lower, "must be above 0 for the logarithm"
            )
        span = upper - lower
        if not isfinite(span):
            if self.std is None:
                raise InputError(
                    f"Unknown {name!r}", "std", None, "must be given where a bound is infinite"
                )
            span = 4.0 * float(self.std)
        std = PRIOR_SHARE * span if self.std is None else float(self.std)
        noise = DRIFT_SHARE * span if self.process_noise is None else float(self.process_noise)
        if not (isfinite(std) and std > 0.0):
            raise InputError(f"Unknown {name!r}", "std", self.std, "must be above 0")
        if not (isfinite(noise) and noise >= 0.0):
            raise InputError(
                f"Unknown {name!r}", "process_noise", self.process_noise, "must not be negative"
            )
        return Resolved(name, start, lower, upper, std, noise, self.transform == "log", span)


@dataclass(frozen=True)
class Resolved:
    """An `Unknown` with every number known.

    Inside, the filter sees ``x = value / scale``, or ``x = log(value)``.
    """

    name: str
    start: float
    lower: float
    upper: float
    std: float
    process_noise: float
    log: bool
    scale: float

    def inside(self, value: float) -> float:
        """The filter's number for a value."""
        return log(value) if self.log else value / self.scale

    def slope(self) -> float:
        """Derivative of the filter's number by the value, at the start."""
        return 1.0 / self.start if self.log else 1.0 / self.scale
