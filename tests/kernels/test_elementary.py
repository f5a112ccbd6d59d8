"""Powers, exponentials and logarithms of kernels, compared with exact ones."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.kernels import compiled
from femu.kernels.elementary import exponential, logarithm, power, quick_power

SMALLEST_NORMAL = 2.0**-1022
SPECIAL = (0.0, 5e-324, 1e-310, 0.5, 1.0, 1.0 - 2**-53, 1.0 + 2**-52, 2.0, 1.7e308, math.inf)


@compiled
def powers(x, y, found):
    for i in range(x.size):
        found[i] = power(x[i], y[i])


@compiled
def quick_powers(x, y, found):
    for i in range(x.size):
        found[i] = quick_power(x[i], y[i])


@compiled
def exponentials(x, found):
    for i in range(x.size):
        found[i] = exponential(x[i])


@compiled
def logarithms(x, found):
    for i in range(x.size):
        found[i] = logarithm(x[i])


def run(function: Any, *arguments: Any) -> Any:
    arrays = [np.atleast_1d(np.asarray(a, dtype=float)) for a in arguments]
    found = np.empty(arrays[0].size)
    function(*arrays, found)
    return found


def error(found: float, exact: Any) -> float:
    """Distance from the exact number, in units of the last place of a double of its size."""
    size = max(abs(float(exact)), SMALLEST_NORMAL)
    return float(abs(mpmath.mpf(float(found)) - exact) / mpmath.mpf(math.ulp(size)))


def in_range(exact: Any) -> bool:
    return bool(SMALLEST_NORMAL < abs(exact) < mpmath.mpf(2) ** 1023)


def exact_power(x: float, y: float) -> Any:
    with mpmath.workprec(200):
        return mpmath.power(mpmath.mpf(x), mpmath.mpf(y))


@pytest.mark.parametrize(
    ("decades", "exponent"),
    [(1.0, 20.0), (300.0, 1.0), (308.0, 2.0), (0.01, 3000.0), (20.0, 15.0), (1e-8, 1e6)],
)
def test_powers_have_less_than_two_units_of_error(decades: float, exponent: float) -> None:
    draw = np.random.default_rng(1)
    x = 10.0 ** draw.uniform(-decades, decades, 1500)
    y = draw.uniform(-exponent, exponent, x.size)
    exact = [exact_power(a, b) for a, b in zip(x, y, strict=True)]
    errors = [error(f, e) for f, e in zip(run(powers, x, y), exact, strict=True) if in_range(e)]
    assert len(errors) > 500
    assert max(errors) < 2.0


@given(x=st.floats(1e-300, 1e300), y=st.floats(-50.0, 50.0))
@settings(max_examples=150, deadline=None)
def test_any_power(x: float, y: float) -> None:
    exact = exact_power(x, y)
    found = run(powers, x, y)[0]
    if in_range(exact):
        assert error(found, exact) < 2.0
    elif abs(exact) >= mpmath.mpf(2) ** 1024:
        assert found == math.inf
    else:
        assert found <= 2.0 * max(float(exact), SMALLEST_NORMAL)


@given(x=st.floats(0.0, 1.0), y=st.floats(0.1, 40.0))
@settings(max_examples=150, deadline=None)
def test_a_quick_power_of_a_number_below_one_is_exact_in_a_sum_with_one(x: float, y: float) -> None:
    exact = exact_power(x, y) if x > 0.0 else mpmath.mpf(0)
    found = float(run(quick_powers, x, y)[0])
    assert abs(mpmath.mpf(found) - exact) < 3e-16


@given(x=st.floats(1e-200, 1e200), y=st.floats(-1.5, 1.5))
@settings(max_examples=150, deadline=None)
def test_the_error_of_a_quick_power_grows_with_its_exponent(x: float, y: float) -> None:
    allowed = 2.0 + abs(y * math.log2(x))
    assert error(run(quick_powers, x, y)[0], exact_power(x, y)) < allowed


def test_a_quick_power_beyond_its_range_is_the_end_of_the_range() -> None:
    assert run(quick_powers, [0.0, 1e-300, 1e300], [2.0, 20.0, 20.0]).tolist() == [
        2.0**-1020,
        2.0**-1020,
        2.0**1020,
    ]
    assert math.isnan(run(quick_powers, math.nan, 2.0)[0])
    assert math.isnan(run(quick_powers, 0.5, math.nan)[0])


def test_exponentials_and_logarithms_have_less_than_two_units_of_error() -> None:
    draw = np.random.default_rng(2)
    x = np.concatenate(
        [draw.uniform(-707.0, 709.0, 1000), draw.uniform(-1.0, 1.0, 1000), [0.0, 1e-320]]
    )
    with mpmath.workprec(200):
        assert max(map(error, run(exponentials, x), map(mpmath.exp, map(mpmath.mpf, x)))) < 2.0
        x = np.concatenate(
            [
                10.0 ** draw.uniform(-307.0, 308.0, 1000),
                1.0 + draw.uniform(-1e-3, 1e-3, 1000),
                1.0 + 10.0 ** draw.uniform(-15.0, -1.0, 1000),
                [5e-324, 3e-310],
            ]
        )
        assert max(map(error, run(logarithms, x), map(mpmath.log, map(mpmath.mpf, x)))) < 2.0


def test_special_powers_are_those_of_numpy() -> None:
    x, y = np.array(list(itertools.product(SPECIAL, (*SPECIAL, -0.5, -1.0, -math.inf)))).T
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    for found, value in zip(run(powers, x, y), expected, strict=True):
        subnormal = 0.0 < value < SMALLEST_NORMAL
        assert math.isclose(found, value, rel_tol=3e-16, abs_tol=1e-323 if subnormal else 0.0)


def test_what_has_no_answer_is_nan() -> None:
    assert np.isnan(run(powers, [-1.0, math.nan, 2.0, 0.0], [2.0, 1.0, math.nan, math.nan])).all()
    assert run(powers, [math.nan, 1.0], [0.0, math.nan]).tolist() == [1.0, 1.0]
    assert run(exponentials, [-math.inf, math.inf, 1e5, -1e5]).tolist() == [
        0.0,
        math.inf,
        math.inf,
        0.0,
    ]
    assert run(logarithms, [0.0, math.inf]).tolist() == [-math.inf, math.inf]
    assert np.isnan(run(logarithms, [-1.0, math.nan])).all()
    assert np.isnan(run(exponentials, math.nan)[0])


def test_a_law_that_runs_as_python_has_the_plain_functions() -> None:
    assert power(0.3, 2.5) == quick_power(0.3, 2.5) == 0.3**2.5
    assert exponential(1.5) == math.exp(1.5)
    assert logarithm(7.0) == math.log(7.0)
