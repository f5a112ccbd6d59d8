"""What hypothesis draws for the physics: numbers of a component about those of a case, paths,
loops, and directions.

A component is varied through its declared parameters: some of them, and of those of its parts, are
drawn about the value of the case or at a bound. A combination that the component refuses is drawn
again.
"""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from femu import InputError
from femu.model.component import Component
from femu.model.parameters import Parameter

DECADES = 1.0  # numbers are drawn up to a factor of ten from those of the case
JUST_INSIDE = 1e-9  # of an open bound
AT_ONCE = 5  # numbers of one component that are drawn in one example
FINE = 120  # steps of a leg of a loop as long as the scale
# what makes a law differ in tension and compression
ONE_SIDED = ("E_compression", "fy_compression")


def near_bounds(declared: Parameter) -> tuple[float, float]:
    """The bounds of a number, or just inside where these are open."""
    return tuple(
        bound + sign * JUST_INSIDE * max(1.0, abs(bound)) if declared.open else bound
        for bound, sign in ((declared.lower, 1.0), (declared.upper, -1.0))
    )  # type: ignore[return-value]


def value_near(value: float, declared: Parameter) -> st.SearchStrategy[float]:
    """A number about that of the case, within its bounds or at one of them."""
    if "True" in declared.meaning:
        return st.sampled_from([0.0, 1.0])
    low, high = near_bounds(declared)
    found = []
    if value != 0.0:
        found.append(
            st.floats(-DECADES, DECADES).map(lambda power: min(max(value * 10.0**power, low), high))
        )
    # left out in the case, so that its size is not known: without a unit it is about 1
    elif declared.unit in ("1", ""):
        found.append(st.floats(-1.0, 1.0).map(lambda share: min(max(share, low), high)))
    if math.isfinite(low) and math.isfinite(high):
        found.append(st.floats(low, high))
    if not declared.open:
        found += [st.just(bound) for bound in (low, high) if math.isfinite(bound)]
    return st.one_of(found) if found else st.just(value)


class Made:
    """A component as drawn, shown by its numbers."""

    def __init__(self, made: Any) -> None:
        self.made = made

    def __repr__(self) -> str:
        return f"{self.made.label()} { ({name: value for name, _, value in self.made.walk_parameters()}) }"


def varied(made: Any, symmetric: bool = False) -> st.SearchStrategy[Made]:
    """A component like another: some of its numbers, and of those of its parts, are drawn again;
    parts that are one stay one.

    ``symmetric`` leaves out what would make a law differ in tension and compression.
    """
    return _varied(Made(made), symmetric)


@st.composite
def _varied(draw: Any, like: Made, symmetric: bool) -> Made:
    known: dict[int, Any] = {}

    def again(one: Any) -> Any:
        if id(one) not in known:
            known[id(one)] = redrawn(one)
        return known[id(one)]

    def redrawn(one: Any) -> Any:
        fields = {f.name: getattr(one, f.name) for f in dataclasses.fields(one) if f.init}
        changes: dict[str, Any] = {}
        if isinstance(one, Component):
            numbers = {
                name: value_near(value, declared)
                for name, declared, value in one.own_parameters()
                if name in fields and not (symmetric and (value == 0.0 or name in ONE_SIDED))
            }
            if numbers:
                for name in draw(
                    st.lists(st.sampled_from(sorted(numbers)), max_size=AT_ONCE, unique=True)
                ):
                    changes[name] = draw(numbers[name])
        for name, value in fields.items():
            if dataclasses.is_dataclass(value):
                changes[name] = again(value)
            elif isinstance(value, dict):
                changes[name] = {key: again(part) for key, part in value.items()}
            elif isinstance(value, (list, tuple)) and value and dataclasses.is_dataclass(value[0]):
                changes[name] = type(value)(again(part) for part in value)
        if symmetric and "E_compression" in fields and "E" in changes:
            changes["E_compression"] = changes["E"]
        return dataclasses.replace(one, **changes)

    try:
        return Made(again(like.made))
    except InputError:
        assume(False)
    raise AssertionError


Leg = tuple[str, tuple[float, ...], int]


def legs(components: int) -> st.SearchStrategy[list[Leg]]:
    """Turning points, single steps from tiny to huge, small cycles on large ones, and points that
    are repeated."""
    place = st.tuples(*[st.floats(-1.2, 1.2)] * components)
    step = st.tuples(*[st.floats(-1.0, 1.0)] * components)
    small = st.builds(
        lambda way, power: tuple(10.0**power * x for x in way), step, st.floats(-9.0, 0.5)
    )
    huge = st.builds(
        lambda way, power: tuple(10.0**power * x for x in way), step, st.floats(-12.0, 3.0)
    )
    return st.lists(
        st.one_of(
            st.tuples(st.just("to"), place, st.integers(1, 12)),
            st.tuples(st.just("by"), huge, st.just(1)),
            st.tuples(st.just("cycle"), small, st.integers(1, 6)),
            st.tuples(st.just("stay"), place, st.integers(1, 3)),
        ),
        min_size=2,
        max_size=8,
    )


def path_of(drawn: list[Leg], scale: Any) -> np.ndarray:
    """The points of drawn legs: one row a step, from rest."""
    points = [np.zeros(len(drawn[0][1]))]
    for kind, where, count in drawn:
        here, target = points[-1], np.asarray(where)
        if kind == "to":
            points += [here + (target - here) * k / count for k in range(1, count + 1)]
        elif kind == "by":
            points.append(here + target)
        elif kind == "stay":
            points += [here] * count
        else:
            there = [*range(1, count + 1), *range(count - 1, -count - 1, -1), *range(1 - count, 1)]
            points += [here + target * k / count for k in there]
    return np.array(points) * np.asarray(scale)


def turns(components: int, most: int = 6) -> st.SearchStrategy[list[tuple[float, ...]]]:
    """Corners of a loop."""
    return st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * components), min_size=1, max_size=most)


def loop_of(corners: Any, scale: Any = 1.0, fine: int = FINE) -> np.ndarray:
    """A path through corners in small steps; one row a step."""
    ends = np.asarray(corners, dtype=float)
    made = [ends[:1]]
    for a, b in pairwise(ends):
        count = 1 + int(np.ceil(np.abs(b - a).max() * fine))
        made.append(a + (b - a) * np.arange(1, count + 1)[:, None] / count)
    return np.concatenate(made) * np.asarray(scale)


def directions(dimensions: int = 3) -> st.SearchStrategy[np.ndarray]:
    """A unit vector."""
    return (
        st.tuples(*[st.floats(-1.0, 1.0)] * dimensions)
        .map(np.array)
        .filter(lambda v: np.linalg.norm(v) > 0.1)
        .map(lambda v: v / np.linalg.norm(v))
    )
