"""Couplings: which equations occur together in some member, and orders in which those that do are
near each other.

Members are sets of equations, as one row of integers: those of member m are
``members[starts[m]:starts[m + 1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from femu.kernels import compiled

Integers = npt.NDArray[np.int64]


class Members(NamedTuple):
    """Members by arrays."""

    starts: Integers
    inside: Integers

    def without(self, gone: npt.NDArray[np.bool_]) -> Members:
        """The same members without some equations."""
        kept = ~gone[self.inside]
        before = np.concatenate([[0], np.cumsum(kept)])
        return Members(before[self.starts], self.inside[kept])

    def and_also(self, more: Sequence[Integers]) -> Members:
        """These members, then others."""
        ends = self.starts[-1] + np.cumsum([len(m) for m in more], dtype=np.int64)
        return Members(
            np.concatenate([self.starts, ends]), np.concatenate([self.inside, *more])
        )


def flattened(members: Members | Sequence[Sequence[int]]) -> Members:
    """Starts and equations of members that are given as lists."""
    if isinstance(members, Members):
        return members
    starts = np.zeros(len(members) + 1, np.int64)
    starts[1:] = [len(m) for m in members]
    inside = np.array(list(chain.from_iterable(members)), dtype=np.int64)
    return Members(np.add.accumulate(starts), inside)


@compiled
def couplings(n, starts, members, lower):
    """For each of n equations those it is coupled to, itself included, ascending: starts and
    equations.

    ``lower``: of each column only the rows from the diagonal on.
    """
    first = np.zeros(n + 1, np.int64)  # where the members of an equation begin in ``own``
    for e in members:
        first[e + 1] += 1
    for e in range(n):
        first[e + 1] += first[e]
    own, filled = np.empty(len(members), np.int64), first[:-1].copy()
    for m in range(len(starts) - 1):
        for k in range(starts[m], starts[m + 1]):
            own[filled[members[k]]] = m
            filled[members[k]] += 1
    begin, seen = np.zeros(n + 1, np.int64), np.full(n, -1, np.int64)
    found = np.empty(0, np.int64)
    for writing in range(2):
        at = begin[:-1].copy()
        seen[:] = -1
        # going through the rows in order, each column is filled in ascending order
        for row in range(n):
            seen[row] = row
            if writing == 1:
                found[at[row]] = row
            at[row] += 1
            for k in range(first[row], first[row + 1]):
                for j in range(starts[own[k]], starts[own[k] + 1]):
                    column = members[j]
                    if seen[column] != row and not (lower and column > row):
                        seen[column] = row
                        if writing == 1:
                            found[at[column]] = row
                        at[column] += 1
        if writing == 0:
            for e in range(n):
                begin[e + 1] = begin[e] + at[e]
            found = np.empty(begin[n], np.int64)
    return begin, found


@compiled
def half_band(order, starts, members):
    """Largest distance in an order between two equations of a member."""
    place = np.empty(len(order), np.int64)
    for i in range(len(order)):
        place[order[i]] = i
    widest = 0
    for m in range(len(starts) - 1):
        if starts[m] == starts[m + 1]:
            continue
        low = high = place[members[starts[m]]]
        for k in range(starts[m], starts[m + 1]):
            low, high = min(low, place[members[k]]), max(high, place[members[k]])
        widest = max(widest, high - low)
    return widest


@compiled
def _cuthill_mckee(starts, coupled, seeds):
    n = len(starts) - 1
    order, taken, count = np.empty(n, np.int64), np.zeros(n, np.bool_), 0
    for seed in seeds:
        if taken[seed]:
            continue
        taken[seed] = True
        order[count] = seed
        at, count = count, count + 1
        while at < count:
            e, before = order[at], count
            at += 1
            for k in range(starts[e], starts[e + 1]):
                other = coupled[k]
                if not taken[other]:
                    taken[other] = True
                    # into its place among the new ones, by the number of its couplings
                    size, to = starts[other + 1] - starts[other], count
                    while to > before and starts[order[to - 1] + 1] - starts[order[to - 1]] > size:
                        order[to] = order[to - 1]
                        to -= 1
                    order[to] = other
                    count += 1
    return order[::-1].copy()


def reverse_cuthill_mckee(n: int, starts: Integers, members: Integers) -> Integers:
    """The equations level by level from one with few couplings, those with few first, reversed.

    Cuthill and McKee (1969).
    """
    begin, coupled = couplings(n, starts, members, False)
    return _cuthill_mckee(begin, coupled, np.argsort(np.diff(begin), kind="stable"))
