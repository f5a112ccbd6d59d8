"""Loads: patterns of nodal and member loads, each with one factor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from femu.model.element import SPACE_DOFS, TRANSLATIONS, Name
from femu.model.parameters import finite
from femu.model.series import Series
from femu.support.arguments import typed
from femu.support.errors import InputError


@dataclass(frozen=True)
class UniformLoad:
    """Load per length over the whole member, in its local axes: ``x`` along it, ``y`` to its left.

    Local x points from node i to node j, local y is a quarter turn counterclockwise from it. In
    space there is ``z`` too, and the member defines its local y and z.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    def __post_init__(self) -> None:
        _check_finite("UniformLoad", self, ("x", "y", "z"))


@dataclass(frozen=True)
class PointLoad:
    """Force at ``at`` times the member's length from node i, in its local axes."""

    at: float
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    def __post_init__(self) -> None:
        _check_finite("PointLoad", self, ("at", "x", "y", "z"))
        if not 0.0 <= self.at <= 1.0:
            raise InputError(
                "PointLoad",
                "at",
                self.at,
                "must lie between 0 and 1",
                fix="give a fraction of the length",
            )


@dataclass(frozen=True)
class DistributedLoad:
    """Load per length over a part of the member, from ``start`` to ``end`` as fractions of its
    length, in its local axes.

    ``x``, ``y`` and ``z`` are its sizes at the start. It changes linearly to ``x_end``, ``y_end``
    and ``z_end``; by default they stay as at the start, so that a trapezoid, a triangle and
    a uniform load over a part are all of this kind.
    """

    start: float = 0.0
    end: float = 1.0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    x_end: float | None = None
    y_end: float | None = None
    z_end: float | None = None

    def __post_init__(self) -> None:
        given = tuple(
            name for name in ("x_end", "y_end", "z_end") if getattr(self, name) is not None
        )
        _check_finite("DistributedLoad", self, ("start", "end", "x", "y", "z", *given))
        if not 0.0 <= self.start < self.end <= 1.0:
            raise InputError(
                "DistributedLoad",
                "start, end",
                (self.start, self.end),
                "must be between 0 and 1, start before end",
                fix="give fractions of the length",
            )

    @typed
    def intensities(self, axis: str) -> tuple[float, float]:
        """Load per length along an axis at the start and at the end of its part."""
        if axis not in TRANSLATIONS:
            raise InputError("DistributedLoad", "axis", axis, f"must be one of {TRANSLATIONS}")
        begin, end = getattr(self, axis), getattr(self, f"{axis}_end")
        return begin, begin if end is None else end

    def resultant(self, axis: str, length: float) -> tuple[float, float]:
        """Force along an axis on a member of a length, and its first moment.

        The integrals of w and of w x.
        """
        begin, end = self.intensities(axis)
        if not finite(length) or length < 0.0:
            raise InputError("DistributedLoad", "length", length, "must not be negative")
        a, b = self.start * length, self.end * length
        return 0.5 * (begin + end) * (b - a), (b - a) * (
            begin * (2.0 * a + b) + end * (a + 2.0 * b)
        ) / 6.0


def _check_finite(what: str, load: Any, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(load, name)
        if not finite(value):
            raise InputError(what, name, value, "must be a finite number")


@dataclass
class Pattern:
    """Loads that share a factor.

    With a ``series`` the factor follows it in transient runs. Without one it is set by static
    analyses and held afterwards: gravity stays on during the earthquake that follows.
    """

    name: str
    series: Series | None = None
    nodal: dict[tuple[Name, str], float] = field(default_factory=dict)
    member: list[tuple[Name, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError("pattern", "name", self.name, "must be a non-empty string")
        if self.series is not None and not isinstance(self.series, Series):
            raise InputError(
                f"pattern {self.name!r}",
                "series",
                self.series,
                "must have a method at(t)",
                fix="use one of femu.model.series, or a GroundMotion",
            )
        if not isinstance(self.nodal, dict) or not all(
            isinstance(key, tuple) and len(key) == 2 for key in self.nodal
        ):
            raise InputError(
                f"pattern {self.name!r}", "nodal", self.nodal, "must be forces by (node, direction)"
            )
        if not isinstance(self.member, list) or not all(
            isinstance(one, tuple) and len(one) == 2 for one in self.member
        ):
            raise InputError(
                f"pattern {self.name!r}", "member", self.member, "must be pairs (element, load)"
            )

    def add_nodal(
        self, node: Name, values: dict[str, float], directions: tuple[str, ...] = SPACE_DOFS
    ) -> None:
        """Add forces on a node by direction, one of the ``directions`` of its model."""
        for dof, value in values.items():
            if dof not in SPACE_DOFS:
                raise InputError(
                    f"load on node {node!r}", "direction", dof, f"must be one of {directions}"
                )
            if not finite(value):
                raise InputError(f"load on node {node!r}", dof, value, "must be a finite number")
            if dof not in directions and value != 0.0:
                raise InputError(
                    f"load on node {node!r}",
                    dof,
                    value,
                    f"must be 0: the directions are {directions}",
                )
            if value != 0.0:
                self.nodal[node, dof] = self.nodal.get((node, dof), 0.0) + float(value)
