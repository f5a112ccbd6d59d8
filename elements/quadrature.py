"""Integration along a member.

Where the sections are, and what each weighs (shares of the length).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import ClassVar

import numpy as np
from scipy.special import roots_jacobi, roots_legendre

from femu.model.component import Section
from femu.model.doubts import raise_or_warn
from femu.model.parameters import finite
from femu.support.arguments import typed_class
from femu.support.errors import InputError

Rule = tuple[tuple[float, ...], tuple[float, ...]]
HINGE_POINTS = 6  # of a member with plastic hinges


@dataclass(frozen=True)
class Integration:
    """Places and weights of the sections along a member, and which section is where.

    ``runs`` lists the sections in order along the member, each with the number of neighbouring
    points it serves.
    """

    places: tuple[float, ...]
    weights: tuple[float, ...]
    runs: tuple[tuple[str, Section, int], ...]


@cache
def lobatto(points: int) -> Rule:
    """Gauss-Lobatto: both ends included, exact to degree 2n-3."""
    if points == 2:
        return (0.0, 1.0), (0.5, 0.5)
    inner, _ = roots_jacobi(points - 2, 1, 1)
    x = np.concatenate([[-1.0], inner, [1.0]])
    legendre = np.polynomial.legendre.Legendre.basis(points - 1)
    return _shares(x, 2.0 / (points * (points - 1) * legendre(x) ** 2))


@cache
def legendre(points: int) -> Rule:
    """Gauss-Legendre: no point at the ends, exact to degree 2n-1."""
    return _shares(*roots_legendre(points))


@cache
def radau(points: int) -> Rule:
    """Gauss-Radau: a point at end i, exact to degree 2n-2."""
    if points == 1:
        return (0.0,), (1.0,)
    inner, weights = roots_jacobi(points - 1, 0, 1)
    return _shares(
        np.concatenate([[-1.0], inner]),
        np.concatenate([[2.0 / points**2], weights / (1.0 + inner)]),
    )


def _shares(x: np.ndarray, w: np.ndarray) -> Rule:
    places, weights = 0.5 * (x + 1.0), 0.5 * w
    # symmetric rules to the last bit
    if np.allclose(places + places[::-1], 1.0, atol=1e-12):
        places, weights = 0.5 * (places + 1.0 - places[::-1]), 0.5 * (weights + weights[::-1])
    return tuple(float(v) for v in places), tuple(float(v) for v in weights)


RULES: dict[str, Callable[[int], Rule]] = {"lobatto": lobatto, "legendre": legendre, "radau": radau}


def spread(section: Section, points: int, rule: str, what: str) -> Integration:
    """One section along the whole member."""
    if rule not in RULES:
        raise InputError(
            what, "integration", rule, f"must be one of {tuple(RULES)}, or Hinges(...)"
        )
    least = 2 if rule == "lobatto" else 1
    if isinstance(points, bool) or not isinstance(points, int) or not least <= points <= 10:
        raise InputError(
            what, "points", points, f"must be a whole number from {least} to 10 for {rule}"
        )
    places, weights = RULES[rule](points)
    return Integration(places, weights, (("section", section, points),))


@dataclass(frozen=True)
class Hinges:
    """Plastic hinges of given length at both ends of a member (modified Radau rule, Scott and
    Fenves 2006).

    The end sections integrate over 4 times the hinge length by two-point Radau rules, so that the
    hinge's plastic deformation is spread over just ``length_i`` and ``length_j``; two Legendre
    points serve the interior. Lengths are in the units of the model; six points in all.
    """

    hinge_i: Section
    length_i: float
    hinge_j: Section
    length_j: float
    interior: Section
    count: ClassVar[int] = HINGE_POINTS

    def parts(self) -> list[tuple[str, Section]]:
        """The sections by name, in the order of the runs along the member."""
        return [("hinge_i", self.hinge_i), ("interior", self.interior), ("hinge_j", self.hinge_j)]

    def __post_init__(self) -> None:
        for name in ("length_i", "length_j"):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0.0 < value < math.inf
            ):
                raise InputError(
                    "Hinges",
                    name,
                    value,
                    "must be a number above 0",
                    fix="give it in the unit of the coordinates",
                )
        for name in ("hinge_i", "hinge_j", "interior"):
            if not isinstance(getattr(self, name), Section):
                raise InputError(
                    "Hinges",
                    name,
                    getattr(self, name),
                    "must be a Section",
                    fix="use one of femu.materials",
                )

    def along(self, length: float, what: str) -> Integration:
        """Places and weights for a member of this length."""
        i, j = self.length_i / length, self.length_j / length
        if not 4.0 * (i + j) < 1.0:
            raise InputError(
                what,
                "length_i, length_j",
                (self.length_i, self.length_j),
                f"must together be under a quarter of the length {length:g}",
            )
        middle = 1.0 - 4.0 * (i + j)
        gauss = 0.5 / math.sqrt(3.0)
        places = (
            0.0,
            8.0 / 3.0 * i,
            4.0 * i + middle * (0.5 - gauss),
            4.0 * i + middle * (0.5 + gauss),
            1.0 - 8.0 / 3.0 * j,
            1.0,
        )
        weights = (i, 3.0 * i, 0.5 * middle, 0.5 * middle, 3.0 * j, j)
        return Integration(
            places,
            weights,
            (
                ("hinge_i", self.hinge_i, 1),
                ("interior", self.interior, 4),
                ("hinge_j", self.hinge_j, 1),
            ),
        )


@typed_class
@dataclass(frozen=True)
class Stations:
    """Sections at given places, each with a weight, all as shares of the length: any rule, and any
    section at any point.

    Neighbouring points with the same section object share its parameters.
    """

    sections: Sequence[Section]
    places: Sequence[float]
    weights: Sequence[float]

    def __post_init__(self) -> None:
        if not len(self.sections) == len(self.places) == len(self.weights) >= 1:
            raise InputError(
                "Stations",
                "sections, places, weights",
                (len(self.sections), len(self.places), len(self.weights)),
                "must be of one length, at least 1",
            )
        for section in self.sections:
            if not isinstance(section, Section):
                raise InputError(
                    "Stations",
                    "sections",
                    section,
                    "must be Sections",
                    fix="use one of femu.materials",
                )
        if not all(finite(x) and 0.0 <= x <= 1.0 for x in self.places):
            raise InputError(
                "Stations",
                "places",
                self.places,
                "must lie between 0 and 1",
                fix="give fractions of the length",
            )
        if not all(finite(w) for w in self.weights):
            raise InputError(
                "Stations",
                "weights",
                self.weights,
                "must be finite",
                fix="give fractions of the length",
            )
        if abs(sum(self.weights) - 1.0) > 1e-6:
            raise_or_warn(
                self,
                InputError(
                    "Stations",
                    "weights",
                    self.weights,
                    "must add up to 1",
                    fix="give fractions of the length",
                ),
            )

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.places)

    def _runs(self) -> list[tuple[Section, int]]:
        return [
            (same[0], len(same))
            for _, group in groupby(self.sections, key=id)
            for same in [list(group)]
        ]

    def parts(self) -> list[tuple[str, Section]]:
        """The sections by name, in the order of the runs along the member."""
        runs = self._runs()
        return [
            ("section" if len(runs) == 1 else f"section_{k}", section)
            for k, (section, _) in enumerate(runs, start=1)
        ]

    def along(self, length: float, what: str) -> Integration:
        """Places and weights for a member of any length."""
        runs = tuple(
            (name, section, count)
            for (name, section), (_, count) in zip(self.parts(), self._runs(), strict=True)
        )
        return Integration(
            tuple(float(x) for x in self.places), tuple(float(w) for w in self.weights), runs
        )
