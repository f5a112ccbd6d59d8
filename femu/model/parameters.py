"""Declared parameters: every number of every component has a name, a unit, bounds and a meaning.

A component declares its numbers in its class body::

    E: float = positive("Young's modulus", "stress")
    b: float = number("hardening ratio", lower=0.0, upper=1.0, default=0.01)

`Parameters` is the view of a program's flat parameter vector by name.
"""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
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
MOST_COMPARED = 20_000
"""Names that a misspelt one is compared with."""
SHOWN = 60
"""Parameters that the text of a parameter vector shows."""


def check_sizes(what: str, **sizes: float) -> None:
    """Raise if a size is not a number above zero.

    Those whose name ends with "fibres" are counts.
    """
    for name, value in sizes.items():
        if not finite(value) or not 0.0 < value < LARGEST_SIZE:
            raise InputError(what, name, value, f"must be above 0, and below {LARGEST_SIZE:g}")
        if name.endswith("fibres") and (int(value) != value or value > MOST_FIBRES):
            raise InputError(what, name, value, f"must be a whole number, at most {MOST_FIBRES}")


class ParameterBlock:
    """Names and declarations that many owners share: those of all members of one kind."""

    def __init__(self, names: Iterable[str], declared: Iterable[Parameter]) -> None:
        self.names, self.declared = tuple(names), tuple(declared)

    @classmethod
    def of(cls, walked: Iterable[tuple[str, Parameter, float]]) -> ParameterBlock:
        """The block of what `Component.walk_parameters` yields."""
        found = [(name, declaration) for name, declaration, _ in walked]
        return cls([name for name, _ in found], [declaration for _, declaration in found])

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of each name in the block."""
        return {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)


class ParameterNames:
    """The names of a parameter vector as blocks of names, each with an owner in front.

    A name is made when it is asked for. ``owners`` end with the dot that separates them from the
    names of their block.
    """

    def __init__(self, owners: Sequence[str], blocks: Sequence[ParameterBlock]) -> None:
        self.owners, self.blocks = tuple(owners), tuple(blocks)
        self.starts = np.array([*accumulate(map(len, self.blocks), initial=0)], dtype=np.int64)
        self._owner = {owner: i for i, owner in enumerate(self.owners)}
        # by name only where the owner does not follow from the name
        self._index = None if self._apart() else self._by_name()

    def _apart(self) -> bool:
        """Whether no name can belong to two owners, or occur twice in a block."""
        if len(self._owner) < len(self.owners):
            return False
        if any(len(block.places) < len(block) for block in set(self.blocks)):
            return False
        return not any(
            owner[: cut + 1] in self._owner for owner in self.owners for cut in _dots(owner[:-1])
        ) and ("" not in self._owner or len(self.owners) == 1)

    def _by_name(self) -> dict[str, int]:
        index: dict[str, int] = {}
        for i, name in enumerate(self):
            if index.setdefault(name, i) != i:
                raise InputError(
                    "parameters",
                    "name",
                    name,
                    "must belong to one number only",
                    fix="rename one of the two nodes or elements: names such as 1 and '1' read "
                    "alike",
                )
        return index

    def find(self, name: str) -> int | None:
        """Place of a name, None if there is none such."""
        if self._index is not None:
            return self._index.get(name)
        for cut in (-1, *_dots(name)):
            owner = self._owner.get(name[: cut + 1])
            if owner is not None:
                place = self.blocks[owner].places.get(name[cut + 1 :])
                return None if place is None else int(self.starts[owner]) + place
        return None

    def _at(self, i: int) -> tuple[int, int]:
        owner = int(np.searchsorted(self.starts, i, side="right")) - 1
        return owner, i - int(self.starts[owner])

    def name(self, i: int) -> str:
        """The name at a place."""
        owner, place = self._at(i)
        return self.owners[owner] + self.blocks[owner].names[place]

    def declaration(self, i: int) -> Parameter:
        """The declaration at a place."""
        owner, place = self._at(i)
        return self.blocks[owner].declared[place]

    def nearest(self, name: str) -> str:
        """Sentence on the names most like one that is not there."""
        if len(self) <= MOST_COMPARED:
            return _nearest(name, list(self))
        # of many names first the owner, as given or the one most like it
        own = next((name[: c + 1] for c in _dots(name) if name[: c + 1] in self._owner), None)
        close = (
            [own]
            if own
            else difflib.get_close_matches(
                f"{name.partition('.')[0]}.", self.owners[:MOST_COMPARED], n=1
            )
        )
        return _nearest(name, [o + n for o in close for n in self.blocks[self._owner[o]].names])

    def __iter__(self) -> Iterator[str]:
        for owner, block in zip(self.owners, self.blocks, strict=True):
            for name in block.names:
                yield owner + name

    def __len__(self) -> int:
        return int(self.starts[-1])


def _dots(name: str) -> list[int]:
    return [i for i, letter in enumerate(name) if letter == "."] if "." in name else []


class Parameters(Mapping[str, float]):
    """The flat parameter vector by name: ``parameters["left.section.fy"] = 280e6``.

    A pattern sets many at once: ``parameters.set("*.section.fy", 280e6)``. Values are checked
    against the declared bounds. ``vector`` is the vector itself; ``index`` gives a name's place in
    it.
    """

    def __init__(
        self,
        names: Sequence[str] | ParameterNames,
        declared: Sequence[Parameter],
        vector: npt.NDArray[np.float64],
    ) -> None:
        self._named = (
            names
            if isinstance(names, ParameterNames)
            else ParameterNames([""], [ParameterBlock(names, declared)])
        )
        self.vector = vector

    @classmethod
    def by_blocks(cls, names: ParameterNames, vector: npt.NDArray[np.float64]) -> Parameters:
        """Parameters whose names are made when they are asked for."""
        return cls(names, (), vector)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of the vector."""
        return tuple(self._named)

    @cached_property
    def declared(self) -> tuple[Parameter, ...]:
        """All declarations, in the order of the vector."""
        return tuple(d for block in self._named.blocks for d in block.declared)

    def blocks(self) -> Iterator[tuple[str, ParameterBlock]]:
        """The names as blocks: what those of a block begin with, and the block."""
        return zip(self._named.owners, self._named.blocks, strict=True)

    def name_at(self, place: int) -> str:
        """The name of one number of the vector."""
        return self._named.name(place)

    def index(self, name: str) -> int:
        """Place of a parameter in the vector."""
        found = self._named.find(name) if isinstance(name, str) else None
        if found is None:
            raise InputError(
                "parameters",
                "name",
                name,
                "must be a parameter of this program",
                self._named.nearest(str(name)),
            )
        return found

    def declaration(self, name: str) -> Parameter:
        """Bounds, unit and meaning of a parameter."""
        return self._named.declaration(self.index(name))

    @typed
    def matching(self, pattern: str) -> list[str]:
        """Names that match a pattern with ``*`` and ``?``."""
        matches = re.compile(fnmatch.translate(pattern)).match
        return [name for name in self._named if matches(name)]

    def set(self, pattern: str, value: float) -> list[str]:
        """Give one value to every parameter that matches; returns their names."""
        found = self.matching(pattern)
        if not found:
            raise InputError(
                "parameters",
                "pattern",
                pattern,
                "must match at least one parameter",
                self._named.nearest(pattern),
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
        return Parameters.by_blocks(self._named, self.vector.copy())

    def __getitem__(self, name: str) -> float:
        return float(self.vector[self.index(name)])

    def __setitem__(self, name: str, value: float) -> None:
        i = self.index(name)
        owner, _, argument = name.rpartition(".")
        self.vector[i] = self._named.declaration(i).check(owner, argument, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def __repr__(self) -> str:
        shown = [self.name_at(i) for i in range(min(len(self), SHOWN))]
        width = max(map(len, shown), default=0)
        lines = [
            f"  {n:<{width}}  {v:.6g}  [{d.unit}] {d.meaning}"
            for n, d, v in (
                (n, self._named.declaration(i), self.vector[i]) for i, n in enumerate(shown)
            )
        ]
        return "Parameters(\n" + "\n".join(lines) + ("\n  ..." if len(self) > SHOWN else "") + "\n)"


def _nearest(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    return (
        f"Did you mean {', '.join(repr(c) for c in close)}?"
        if close
        else "list(parameters) shows the names"
    )
