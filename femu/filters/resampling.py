"""Resampling: N new particles from N weighted ones, equal weights afterwards.

With u_i the points at which the cumulated weights are read:

    multinomial   N independent uniform numbers (Gordon et al. 1993; the rule of Wang et al. 2021)
    stratified    u_i = (i + U_i)/N, one uniform number in each N-th of [0, 1)
    systematic    u_i = (i + U)/N, one uniform number for all
    residual      first floor(N w_j) copies of each particle, then multinomial on what remains

All are unbiased (the expected number of copies of particle j is N w_j). Their variance falls from
the first to the third; systematic is the cheapest and the usual choice.
"""

from __future__ import annotations

from math import floor

from femu.filters.linalg import helper
from femu.filters.random import uniform
from femu.support.errors import InputError

SYSTEMATIC, STRATIFIED, RESIDUAL, MULTINOMIAL = range(4)
KINDS = {"systematic": SYSTEMATIC, "stratified": STRATIFIED, "residual": RESIDUAL,
         "multinomial": MULTINOMIAL}


def kind_of(what: str, name: str) -> int:
    """Number of a resampling rule."""
    if name not in KINDS:
        raise InputError(what, "resampling", name, f"must be one of {', '.join(KINDS)}")
    return KINDS[name]


@helper
def effective_sample_size(count, weights):
    """1/Σw²: N for equal weights, 1 if one particle carries everything."""
    total = 0.0
    for i in range(count):
        total += weights[i] * weights[i]
    return 1.0 / total


@helper
def resample(kind, count, weights, estimate, parents, cumulated):
    """Index of the parent of each new particle; ``cumulated`` is workspace of as many numbers."""
    seed, counter = estimate.seed, estimate.counter
    start, share = 0, 1.0
    if kind == RESIDUAL:
        for j in range(count):
            for _ in range(floor(count * weights[j])):
                if start < count:
                    parents[start] = j
                    start += 1
        share = (count - start) / count
    total = 0.0
    for j in range(count):
        rest = weights[j]
        if kind == RESIDUAL:
            rest = max(weights[j] - floor(count * weights[j]) / count, 0.0)
        total += rest
        cumulated[j] = total
    if share <= 0.0 or total <= 0.0:
        for i in range(start, count):
            parents[i] = i
        return
    number = count - start
    if kind == MULTINOMIAL or kind == RESIDUAL:
        for i in range(number):
            parents[start + i] = search(count, cumulated, uniform(seed, counter + i) * total)
        estimate.counter = counter + number
        return
    j = 0
    for i in range(number):
        offset = uniform(seed, counter + (i if kind == STRATIFIED else 0))
        at = (i + offset) / number * total
        while j < count - 1 and cumulated[j] < at:
            j += 1
        parents[start + i] = j
    estimate.counter = counter + (number if kind == STRATIFIED else 1)


@helper
def search(count, cumulated, at):
    """First index whose cumulated weight reaches ``at``."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if cumulated[middle] < at:
            low = middle + 1
        else:
            high = middle
    return low
