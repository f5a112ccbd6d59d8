"""Bounded states as unbounded ones: smooth maps x = T(ξ) from the whole line into the bounds.

::

    free:            x = ξ
    lower bound l:   x = l + s·log(1 + e^ξ)
    upper bound u:   x = u - s·log(1 + e^ξ)
    box [l, u]:      x = l + (u - l)/(1 + e^-ξ)
    g'x ≥ limit:     the state that gives way is measured from the plane, or from its own bound, if
                     that is tighter

log(1 + e^ξ) is the logarithmic map where x is close to its bound and nearly the identity far from
it, so a state with a wide prior is not sent to extreme values as by the plain logarithm. The scale
s is the larger of the distance to the bound and the standard deviation at the start, so the map
does not depend on units.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, log1p

import numpy as np

from femu.filters.bounds import Bounds
from femu.filters.linalg import helper
from femu.kernels import inlined, shift

FREE, LOWER, UPPER, BOX = 0.0, 1.0, 2.0, 3.0
LARGEST = 30.0  # |ξ| beyond this is the bound itself in double precision
NEAREST_START = 0.01  # a start on its bound is moved inside by this share of the scale


@inlined
def softplus(xi):
    return xi + log1p(exp(-xi)) if xi > 0.0 else log1p(exp(xi))


@inlined
def inverse_softplus(value):
    return log(expm1(value)) if value < LARGEST else value


@inlined
def base_of(n, rules, b, x, j):
    """Lower limit of state j: its own, or that of the inequality that moves it."""
    base = b[j]
    for r in range(rules):
        g = shift(b, 2 * n + r * (n + 2))
        if int(g[n + 1]) == j and g[j] > 0.0:
            rest = g[n]
            for i in range(n):
                if i != j:
                    rest -= g[i] * x[i]
            base = max(base, rest / g[j])
    return base


@inlined
def top_of(n, rules, b, x, j):
    """Upper limit of state j: its own, or that of the inequality that moves it downwards."""
    top = b[n + j]
    for r in range(rules):
        g = shift(b, 2 * n + r * (n + 2))
        if int(g[n + 1]) == j and g[j] < 0.0:
            rest = g[n]
            for i in range(n):
                if i != j:
                    rest -= g[i] * x[i]
            top = min(top, rest / g[j])
    return top


@inlined
def moves(n, rules, b, j):
    """True if state j gives way in an inequality, so its limit depends on the others."""
    for r in range(rules):
        if int(b[2 * n + r * (n + 2) + n + 1]) == j:
            return True
    return False


@helper
def outward(n, rules, b, kind, scale, xi, x):
    """x = T(ξ)."""
    # states that give way come last: their limit needs the others
    for late in range(2 if rules else 1):
        for j in range(n):
            if rules and moves(n, rules, b, j) != (late == 1):
                continue
            if kind[j] == FREE:
                x[j] = xi[j]
            elif kind[j] == LOWER:
                x[j] = base_of(n, rules, b, x, j) + scale[j] * softplus(xi[j])
            elif kind[j] == UPPER:
                x[j] = top_of(n, rules, b, x, j) - scale[j] * softplus(xi[j])
            else:
                x[j] = b[j] + (b[n + j] - b[j]) / (1.0 + exp(-xi[j]))


@helper
def inward(n, rules, b, kind, scale, before, xi_before, x, xi):
    """ξ = T⁻¹(x); a state outside its bounds is taken as just inside.

    A state equal to its value ``before`` keeps its ξ: constant parameters cost nothing and lose no
    digits close to their bounds.
    """
    for j in range(n):
        if kind[j] == FREE:
            xi[j] = x[j]
        elif x[j] == before[j] and not (rules and moves(n, rules, b, j)):
            xi[j] = xi_before[j]
        elif kind[j] == BOX:
            share = (x[j] - b[j]) / (b[n + j] - b[j])
            share = min(max(share, exp(-LARGEST)), 1.0 - 1e-13)
            xi[j] = log(share / (1.0 - share))
        else:
            # the limit of a state that gives way depends on all states of its inequality
            unchanged = True
            for i in range(n):
                unchanged = unchanged and (kind[i] == FREE or x[i] == before[i])
            if unchanged:
                xi[j] = xi_before[j]
                continue
            gap = x[j] - base_of(n, rules, b, x, j) if kind[j] == LOWER else top_of(n, rules, b, x,
                                                                                    j) - x[j]
            xi[j] = max(inverse_softplus(max(gap / scale[j], exp(-LARGEST))), -LARGEST)


@helper
def spread_outward(n, rules, b, kind, scale, xi, x, L, P, w):
    """P = (T' L)(T' L)': covariance of x from the factor L of that of ξ, with the slope T' at ξ.

    ``w``: n² numbers.
    """
    for late in range(2 if rules else 1):
        for j in range(n):
            if rules and moves(n, rules, b, j) != (late == 1):
                continue
            slope = 1.0
            if kind[j] == LOWER:
                slope = scale[j] / (1.0 + exp(-xi[j]))
            elif kind[j] == UPPER:
                slope = -scale[j] / (1.0 + exp(-xi[j]))
            elif kind[j] == BOX:
                share = 1.0 / (1.0 + exp(-xi[j]))
                slope = (b[n + j] - b[j]) * share * (1.0 - share)
            for k in range(n):
                w[j * n + k] = slope * L[j * n + k] if k <= j else 0.0
            for r in range(rules):
                g = shift(b, 2 * n + r * (n + 2))
                if int(g[n + 1]) == j:
                    own = b[j] if g[j] > 0.0 else b[n + j]
                    limit = base_of(n, rules, b, x, j) if g[j] > 0.0 else top_of(n, rules, b, x, j)
                    for i in range(n):
                        if i != j and g[i] != 0.0 and limit != own:
                            for k in range(n):
                                w[j * n + k] -= g[i] / g[j] * w[i * n + k]
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += w[i * n + k] * w[j * n + k]
            P[i * n + j] = P[j * n + i] = total


def plan(bounds: Bounds, mean: np.ndarray, covariance: np.ndarray
         ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kinds, scales, ξ and its covariance at the start, and the matrix dξ/dx there.

    Variances are matched as for a logarithmic variable, var ξ = log(1 + var x·(dξ/dx)²): the linear
    rule would give a wide prior more spread than it has.
    """
    n = bounds.states
    kind, scale, xi = np.zeros(n), np.ones(n), np.array(mean, dtype=float)
    B, slope = np.eye(n), np.ones(n)
    gaps = {}
    for rule in bounds.inequalities:
        share = rule.coefficients[rule.adjusts]
        value = sum(c * mean[i] for i, c in rule.coefficients.items()) - rule.limit
        gaps[rule.adjusts] = (value / abs(share), share)
        for i, c in rule.coefficients.items():
            B[rule.adjusts, i] = c / share
    spread = np.sqrt(np.maximum(np.diagonal(B @ covariance @ B.T), 0.0))
    for j in range(n):
        low, high = bounds.lower[j], bounds.upper[j]
        if j in gaps:
            gap, share = gaps[j]
            own = mean[j] - low if share > 0 else high - mean[j]
            gap, kind[j] = min(gap, own), LOWER if share > 0 else UPPER
        elif low > -inf and high < inf:
            kind[j] = BOX
            share = min(max((mean[j] - low) / (high - low), NEAREST_START), 1.0 - NEAREST_START)
            xi[j], slope[j] = log(share / (1.0 - share)), 1.0 / ((high - low) * share
                                                                 * (1.0 - share))
            continue
        elif low > -inf:
            kind[j], gap = LOWER, mean[j] - low
        elif high < inf:
            kind[j], gap = UPPER, high - mean[j]
        else:
            continue
        scale[j] = max(gap, spread[j]) or 1.0
        ratio = max(gap / scale[j], NEAREST_START)
        xi[j] = log(expm1(ratio))
        slope[j] = (1.0 if kind[j] == LOWER else -1.0) / (scale[j] * -expm1(-ratio))
    D = slope[:, None] * B
    linear = D @ covariance @ D.T
    before = np.sqrt(np.maximum(np.diagonal(linear), 0.0))
    after = np.where(kind == FREE, before, np.sqrt(np.log1p(before**2)))
    shrink = np.divide(after, before, out=np.ones(n), where=before > 0)
    return kind, scale, xi, linear * np.outer(shrink, shrink), D
