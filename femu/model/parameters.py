"""Declared parameters: every number of every component has a name, a unit, bounds and a meaning.

A component declares its numbers in its class body::

    E: float = positive("Young's modulus", "stress")
    b: float = number("hardening ratio", lower=0.0, upper=1.0, default=0.01)

`Parameters` is the view of a program's flat parameter vector by name.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.support.arguments import typed
from femu.support.errors import InputError


@dataclass(frozen=True)
class Parameter:
    """Declaration of one number: bounds, unit dimension and meaning."""

    meaning: str
    unit: str = "1"
    lower: float = -math.inf
    upper: float = math.inf
    open: bool = False  # whether the bounds themselves are excluded

    def rule(self) -> str:
        """The bounds as a rule."""
        if self.lower == 0.0 and self.upper == math.inf:
            return "must be above 0" if self.open else "must not be negative"
        if self.lower == -math.inf and self.upper == math.inf:
            return "must be a finite number"
        if self.upper == math.inf:
            return f"must be {'above' if self.open else 'at least'} {self.lower:g}"
        if self.lower == -math.inf:
            return f"must be {'below' if self.open else 'at most'} {self.upper:g}"
        return (
            f"must lie {'strictly ' if self.open else ''}between {self.lower:g} and {self.upper:g}"
        )

    def check(self, what: str, argument: str, value: Any) -> float:
        """The value as a float, or an error that says which rule it breaks."""
        if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
            raise InputError(
                what,
                argument,
                value,
                "must be a number",
                fix=f"give the {self.meaning} as a number",
            )
        number_ = float(value)
        inside = (
            self.lower < number_ < self.upper if self.open else self.lower <= number_ <= self.upper
        )
        if not math.isfinite(number_) or not inside:
            raise InputError(
                what, argument, value, self.rule(), f"It is the {self.meaning} (unit: {self.unit})"
            )
        return number_


def number(
    meaning: str,
    unit: str = "1",
    lower: float = -math.inf,
    upper: float = math.inf,
    *,
    open: bool = False,
    default: Any = dataclasses.MISSING,
) -> Any:
    """Declare a number with bounds."""
    return dataclasses.field(
        default=default, metadata={"parameter": Parameter(meaning, unit, lower, upper, open)}
    )


def positive(meaning: str, unit: str = "1", *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a number above zero."""
    return number(meaning, unit, 0.0, open=True, default=default)


def nonnegative(meaning: str, unit: str = "1", *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a number of at least zero."""
    return number(meaning, unit, 0.0, default=default)


def finite(value: Any) -> bool:
    """Whether a value is one finite number."""
    return (
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


LARGEST_SIZE = 1e60
"""Larger sizes have powers that overflow."""
MOST_FIBRES = 10**6


def check_sizes(what: str, **sizes: float) -> None:
    """Raise if a size is not a number above zero.

    Those whose name ends with "fibres" are counts.
    """
    for name, value in sizes.items():
        if not finite(value) or not 0.0 < value < LARGEST_SIZE:
            raise InputError(what, name, value, f"must be above 0, and below {LARGEST_SIZE:g}")
        if name.endswith("fibres") and (int(value) != value or value > MOST_FIBRES):
            raise InputError(what, name, value, f"must be a whole number, at most {MOST_FIBRES}")


class Parameters(Mapping[str, float]):
    """The flat parameter vector by name: ``parameters["left.section.fy"] = 280e6``.

    A pattern sets many at once: ``parameters.set("*.section.fy", 280e6)``. Values are checked
    against the declared bounds. ``vector`` is the vector itself; ``index`` gives a name's place in
    it.
    """

    def __init__(
        self, names: Sequence[str], declared: Sequence[Parameter], vector: npt.NDArray[np.float64]
    ) -> None:
        self.names = tuple(names)
        self.declared = tuple(declared)
        self.vector = vector
        self._index = {name: i for i, name in enumerate(self.names)}
        if len(self._index) != len(self.names):
            twice = next(n for i, n in enumerate(self.names) if self._index[n] != i)
            raise InputError(
                "parameters",
                "name",
                twice,
                "must belong to one number only",
                fix="rename one of the two nodes or elements: names such as 1 and '1' read alike",
            )

    def index(self, name: str) -> int:
        """Place of a parameter in the vector."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise InputError(
                "parameters",
                "name",
                name,
                "must be a parameter of this program",
                _nearest(str(name), self.names),
            ) from None

    def declaration(self, name: str) -> Parameter:
        """Bounds, unit and meaning of a parameter."""
        return self.declared[self.index(name)]

    @typed
    def matching(self, pattern: str) -> list[str]:
        """Names that match a pattern with ``*`` and ``?``."""
        return [name for name in self.names if fnmatch.fnmatchcase(name, pattern)]

    def set(self, pattern: str, value: float) -> list[str]:
        """Give one value to every parameter that matches; returns their names."""
        found = self.matching(pattern)
        if not found:
            raise InputError(
                "parameters",
                "pattern",
                pattern,
                "must match at least one parameter",
                _nearest(pattern, self.names),
            )
        before = self.vector.copy()
        try:
            for name in found:
                self[name] = value
        except InputError:
            self.vector[:] = before
            raise
        return found

    def copy(self) -> Parameters:
        """The same names over a copy of the values."""
        return Parameters(self.names, self.declared, self.vector.copy())

    def __getitem__(self, name: str) -> float:
        return float(self.vector[self.index(name)])

    def __setitem__(self, name: str, value: float) -> None:
        i = self.index(name)
        owner, _, argument = name.rpartition(".")
        self.vector[i] = self.declared[i].check(owner, argument, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        width = max((len(n) for n in self.names), default=0)
        lines = [
            f"  {n:<{width}}  {v:.6g}  [{d.unit}] {d.meaning}"
            for n, d, v in zip(self.names, self.declared, self.vector, strict=True)
        ]
        return (
            "Parameters(\n" + "\n".join(lines[:60]) + ("\n  ..." if len(lines) > 60 else "") + "\n)"
        )


def _nearest(name: str, names: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    return (
        f"Did you mean {', '.join(repr(c) for c in close)}?"
        if close
        else "list(parameters) shows the names"
    )
