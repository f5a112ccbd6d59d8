"""Bounds on states: a box and linear inequalities.

    lower ≤ x ≤ upper,   g'x ≥ limit

An inequality names the state that gives way (``adjusts``) when it is broken: for γ ≥ -β of the
Bouc-Wen law that is γ, so the projection is γ <- max(γ, -β), as in Wu and Wang (2014). That state
must be free in the direction it is moved and be in one inequality only; then "clip to the box,
then adjust" lands inside all bounds at once, without iteration.

In a filter's parameter vector: lower (n), upper (n), then for each inequality g (n), limit, index
of the state that gives way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from femu.kernels import inlined, shift
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

MOST_STATES = 10**6


@dataclass(frozen=True)
class Inequality:
    """``sum(coefficients[i] * x[i]) ≥ limit``.

    ``adjusts`` is the index of the state that gives way.
    """

    coefficients: Mapping[int, float]
    limit: float
    adjusts: int

    def __post_init__(self) -> None:
        # the caller may use his
        object.__setattr__(self, "coefficients", dict(self.coefficients))
        for what, value in (*((f"coefficients[{i}]", share) for i,
                              share in self.coefficients.items()), ("limit", self.limit)):
            if isinstance(value, str) or not isfinite(value):
                raise InputError("Inequality", what, value, "must be a finite number")


@dataclass(frozen=True)
class Bounds:
    """Box bounds and linear inequalities of a state vector.

    >>> Bounds(lower=[-inf, 0, 0, -inf, 1, 0], upper=[inf, inf, inf, inf, inf, 1],
    ...        inequalities=[Inequality({2: 1.0, 3: 1.0}, limit=0.0, adjusts=3)])
    """

    lower: Sequence[float]
    upper: Sequence[float]
    inequalities: Sequence[Inequality] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        lower = tuple(float(v) for v in self.lower)
        upper = tuple(float(v) for v in self.upper)
        put(self, "lower", lower)
        put(self, "upper", upper)
        put(self, "inequalities", tuple(self.inequalities))
        if len(lower) != len(upper):
            raise InputError("Bounds", "upper", upper, "must have as many entries as lower "
                                                       f"({len(lower)})")
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            if not low < high:
                raise InputError("Bounds", f"lower[{i}]", low, f"must be below upper[{i}] = {high}")
            if isfinite(low) and isfinite(high) and not isfinite(high - low):
                raise InputError("Bounds", f"upper[{i}]", high, f"is too far from lower[{i}] = "
                                                                f"{low} for a number",
                                                                fix="use inf")
        moved: set[int] = set()
        for number, rule in enumerate(self.inequalities):
            what = f"inequalities[{number}]"
            if any(not 0 <= i < len(lower) for i in rule.coefficients):
                raise InputError("Bounds", what, rule, f"must name states 0 to {len(lower) - 1}")
            share = rule.coefficients.get(rule.adjusts, 0.0)
            if share == 0.0:
                raise InputError("Bounds", what, rule, "must contain the state that gives way",
                                 fix="set adjusts to one of the states of the inequality")
            if (upper if share > 0 else lower)[rule.adjusts] not in (inf, -inf):
                raise InputError("Bounds", what, rule, "moves a state against its own bound",
                                 fix="adjust another state, or drop that bound")
            others = [r for r in self.inequalities if r is not rule]
            if rule.adjusts in moved or any(rule.adjusts in r.coefficients for r in others):
                raise InputError("Bounds", what, rule, "adjusts a state that is in another "
                                                       "inequality",
                                 fix="adjust another state")
            moved.add(rule.adjusts)

    @staticmethod
    def none(states: int) -> Bounds:
        """No bounds at all."""
        if not 0 <= states <= MOST_STATES:
            raise InputError("Bounds.none", "states", states, "must be a whole number from 0 to "
                                                              f"{MOST_STATES}")
        return Bounds([-inf] * states, [inf] * states)

    @property
    def states(self) -> int:
        return len(self.lower)

    def vector(self) -> np.ndarray:
        """The bounds as they are in a filter's parameter vector."""
        parts: list[float] = [*self.lower, *self.upper]
        for rule in self.inequalities:
            row = [0.0] * self.states
            for i, share in rule.coefficients.items():
                row[i] = float(share)
            parts += [*row, float(rule.limit), float(rule.adjusts)]
        return np.array(parts)

    def _states(self, method: str, x: Any) -> np.ndarray:
        found = as_numbers(f"Bounds.{method}", "x", x)
        if found.shape[-1:] != (self.states,) or np.isnan(found).any():
            raise InputError(f"Bounds.{method}", "x", x, f"must be rows of {self.states} numbers")
        return found

    def violation(self, x: Any) -> float:
        """Largest amount by which the last axis of ``x`` breaks a bound (0 inside)."""
        x = self._states("violation", x)
        worst = max(float(np.max(np.asarray(self.lower) - x)),
                    float(np.max(x - np.asarray(self.upper))), 0.0)
        for rule in self.inequalities:
            total = sum(share * x[..., i] for i, share in rule.coefficients.items())
            worst = max(worst, float(np.max(rule.limit - total)))
        return worst

    def project(self, x: Any) -> np.ndarray:
        """``x`` moved into the bounds: clipped to the box, then each broken inequality adjusted."""
        moved = np.clip(self._states("project", x), self.lower, self.upper)
        for rule in self.inequalities:
            total = sum(share * moved[..., i] for i, share in rule.coefficients.items())
            gap = np.maximum(rule.limit - total, 0.0)
            moved[..., rule.adjusts] += gap / rule.coefficients[rule.adjusts]
        return moved


@inlined
def project(n, rules, b, x):
    """Move x into the bounds ``b``; True if it had to be moved."""
    moved = False
    for j in range(n):
        if x[j] < b[j]:
            x[j] = b[j]
            moved = True
        elif x[j] > b[n + j]:
            x[j] = b[n + j]
            moved = True
    for r in range(rules):
        g = shift(b, 2 * n + r * (n + 2))
        j = int(g[n + 1])
        rest = 0.0
        for i in range(n):
            if i != j:
                rest += g[i] * x[i]
        if rest + g[j] * x[j] < g[n]:
            x[j] = (g[n] - rest) / g[j]
            moved = True
    return moved


@inlined
def longest_step(n, rules, b, x, column, stride, sign, longest):
    """Largest θ ≤ ``longest`` for which x + θ·sign·column stays inside (Eqs.

    11 to 13 of Wu and Wang 2014).
    """
    theta = longest
    for j in range(n):
        s = sign * column[j * stride]
        if s < 0.0:
            theta = min(theta, (b[j] - x[j]) / s)
        elif s > 0.0:
            theta = min(theta, (b[n + j] - x[j]) / s)
    for r in range(rules):
        g = shift(b, 2 * n + r * (n + 2))
        slope, value = 0.0, -g[n]
        for i in range(n):
            slope += g[i] * sign * column[i * stride]
            value += g[i] * x[i]
        if slope < 0.0:
            theta = min(theta, -value / slope)
    return max(theta, 0.0)
