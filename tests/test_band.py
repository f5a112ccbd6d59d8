"""The band solver: against dense linear algebra, on singular matrices, and on what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.band import (
    TINY,
    call_factor,
    call_multiply,
    call_solve,
    factor,
    factor_band,
    from_dense,
    leading,
    multiply,
    multiply_band,
    solve,
    solve_band,
    storage,
)
from femu.errors import InputError
from femu.kernels import compiled, floats_of

EPS = np.finfo(float).eps
SIZES = {"n": st.integers(1, 70), "b": st.integers(0, 40), "seed": st.integers(0, 2**32 - 1)}


def random_band(n: int, b: int, seed: int) -> np.ndarray:
    """Symmetric, with entries of order one inside the half bandwidth."""
    full = np.random.default_rng(seed).standard_normal((n, n))
    return np.tril(np.triu(full + full.T, -b), b)


def dominant(n: int, b: int, seed: int, signs: np.ndarray) -> np.ndarray:
    """A diagonal larger than the rest of its row: the signs of the eigenvalues are those of the diagonal."""
    matrix = random_band(n, b, seed)
    np.fill_diagonal(matrix, 0.0)
    return matrix + np.diag(signs * (abs(matrix).sum(1) + 1.0))


def stored(matrix: np.ndarray, b: int) -> np.ndarray:
    """Storage with a given half bandwidth, entry by entry after the definition."""
    n, ld = len(matrix), leading(b)
    A = np.zeros(storage(n, b))
    for j in range(n):
        for d in range(min(b, n - 1 - j) + 1):
            A[j * ld + d] = matrix[j + d, j]
    return A


def beam(elements: int, supported: int) -> np.ndarray:
    """Bending stiffness of a row of beam elements, without the first ``supported`` degrees of freedom."""
    one = np.array([[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]])
    matrix = np.zeros((2 * elements + 2, 2 * elements + 2))
    for e in range(elements):
        matrix[2 * e:2 * e + 4, 2 * e:2 * e + 4] += one
    return matrix[supported:, supported:]


@given(**SIZES)
@settings(max_examples=150, deadline=None)
def test_positive_definite_band(n: int, b: int, seed: int) -> None:
    matrix = dominant(n, b, seed, np.ones(n))
    right = np.random.default_rng(seed + 1).standard_normal(n)
    A = stored(matrix, b)
    assert factor_band(n, b, A) == 0
    np.testing.assert_allclose(solve_band(n, b, A, right), np.linalg.solve(matrix, right), rtol=0, atol=50 * EPS)


@given(**SIZES)
@settings(max_examples=150, deadline=None)
def test_indefinite_band(n: int, b: int, seed: int) -> None:
    signs = np.random.default_rng(seed + 2).choice([-1.0, 1.0], n)
    matrix = dominant(n, b, seed, signs)
    right = np.random.default_rng(seed + 1).standard_normal(n)
    A = stored(matrix, b)
    assert factor_band(n, b, A) == np.count_nonzero(signs < 0.0)
    np.testing.assert_allclose(solve_band(n, b, A, right), np.linalg.solve(matrix, right), rtol=0, atol=50 * EPS)


@given(**SIZES)
@settings(max_examples=100, deadline=None)
def test_factors_give_the_matrix_back(n: int, b: int, seed: int) -> None:
    matrix = dominant(n, b, seed, np.ones(n))
    A = stored(matrix, b)
    factor_band(n, b, A)
    lower = np.zeros((n, n))
    for j in range(n):
        for d in range(min(b, n - 1 - j) + 1):
            lower[j + d, j] = A[j * leading(b) + d]
    pivots = np.diag(lower).copy()
    np.fill_diagonal(lower, 1.0)
    np.testing.assert_allclose(lower * pivots @ lower.T, matrix, rtol=0, atol=20 * EPS * abs(matrix).max())


@given(**SIZES)
@settings(max_examples=100, deadline=None)
def test_zeros_between_the_columns_stay_zero(n: int, b: int, seed: int) -> None:
    A = stored(dominant(n, b, seed, np.ones(n)), b)
    factor_band(n, b, A)
    between = A[:n * leading(b)].reshape(n, leading(b))[:, b + 1:]
    assert not between.any()


@given(**SIZES)
@settings(max_examples=100, deadline=None)
def test_storage_is_all_that_is_touched(n: int, b: int, seed: int) -> None:
    matrix, right = dominant(n, b, seed, np.ones(n)), np.ones(n)
    around = np.full(storage(n, b) + 32, np.nan)
    A = around[16:-16]
    A[:] = stored(matrix, b)
    assert np.isfinite(multiply_band(n, b, A, right)).all()
    assert factor_band(n, b, A) == 0
    assert np.isfinite(solve_band(n, b, A, right)).all()
    assert np.isnan(around[:16]).all() and np.isnan(around[-16:]).all()


@given(**SIZES)
@settings(max_examples=150, deadline=None)
def test_product(n: int, b: int, seed: int) -> None:
    matrix = random_band(n, b, seed)
    x = np.random.default_rng(seed + 1).standard_normal(n)
    bound = 2 * (b + 4) * EPS * (abs(matrix) @ abs(x))
    assert (abs(multiply_band(n, b, stored(matrix, b), x) - matrix @ x) <= bound).all()


def test_negative_pivots_count_the_eigenvalues_below_a_shift() -> None:
    stiffness = beam(20, 2)
    values = np.linalg.eigvalsh(stiffness)
    for count in (0, 1, 7, 20, 39, 40):
        shift = values[0] / 2 if count == 0 else values[-1] + 1 if count == 40 else values[count - 1:count + 1].mean()
        b, A = from_dense(stiffness - shift * np.eye(40))
        assert factor_band(40, b, A) == count


def test_vectors_of_any_length_are_not_overrun() -> None:
    for n in range(1, 14):
        matrix = dominant(n, 5, n, np.ones(n))
        A = stored(matrix, 5)
        x, y = np.full(n + 8, 7.0), np.full(n + 8, 7.0)
        through_addresses(multiply.address, factor.address, solve.address, n, 5, leading(5), A, x, y)
        assert (x[n:] == 7.0).all() and (y[n:] == 7.0).all()
        np.testing.assert_allclose(y[:n], x[:n], rtol=1e-14)  # y = A^-1 A x


@compiled
def through_addresses(multiply_address, factor_address, solve_address, n, b, ld, A, x, y):
    """y = A^-1 A x, by the route that other kernels take."""
    call_multiply(multiply_address, (n, b, ld, floats_of(A, 0), floats_of(x, 0), floats_of(y, 0)))
    negative = call_factor(factor_address, (n, b, ld, floats_of(A, 0)))
    call_solve(solve_address, (n, b, ld, floats_of(A, 0), floats_of(y, 0)))
    return negative


@pytest.mark.parametrize("supported", [0, 1])
@pytest.mark.parametrize("elements", [1, 2, 3, 5, 8])
def test_beam_without_enough_supports_is_singular(elements: int, supported: int) -> None:
    matrix = beam(elements, supported)
    b, A = from_dense(matrix)
    # the rigid motions appear where the last two (or one) degrees of freedom are eliminated
    assert factor_band(len(matrix), b, A) == -(len(matrix) - (1 if supported == 0 else 0))


@pytest.mark.parametrize("elements", [1, 10, 300])
def test_cantilever_is_not_singular(elements: int) -> None:
    n, matrix = 2 * elements, beam(elements, 2)
    b, A = from_dense(matrix)
    assert factor_band(n, b, A) == 0
    tip = np.zeros(n)
    tip[-2] = 1.0
    deflection = elements**3 / 3  # P L^3 / (3 E I)
    assert solve_band(n, b, A, tip)[-2] == pytest.approx(deflection, rel=EPS * np.linalg.cond(matrix))


@pytest.mark.parametrize("row", range(9))
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_failing_pivot_is_named(row: int, bad: float) -> None:
    diagonal = np.arange(1.0, 10.0)
    diagonal[row] = bad
    A = stored(np.diag(diagonal), 3)
    assert factor_band(9, 3, A) == -(row + 1)


@pytest.mark.parametrize(("ratio", "result"), [(0.5, -2), (2.0, 0), (-0.5, -2), (-2.0, 1)])
def test_threshold_is_relative_to_the_diagonal(ratio: float, result: int) -> None:
    unit = 2.0**40  # one elimination with exact numbers leaves the pivot unit * small
    small = ratio * 2.0**-43  # TINY lies between 2^-44 and 2^-43
    assert 0.5 * 2.0**-43 < TINY < 2.0**-43
    A = stored(unit * np.array([[1.0, 1.0], [1.0, 1.0 + small]]), 1)
    assert factor_band(2, 1, A) == result


def test_not_a_number_beside_the_diagonal_is_found() -> None:
    matrix = dominant(30, 6, 1, np.ones(30))
    matrix[17, 14] = matrix[14, 17] = np.nan
    assert factor_band(30, 6, stored(matrix, 6)) < 0


def test_overflow_of_a_pivot_is_found() -> None:
    assert factor_band(2, 1, stored(np.array([[1e-300, 1e10], [1e10, 1.0]]), 1)) == -2


def test_same_numbers_on_every_run_and_at_every_address() -> None:
    matrix, right = dominant(61, 17, 3, np.ones(61)), np.linspace(-1.0, 1.0, 61)
    source, results = stored(matrix, 17), []
    for offset in range(5):
        A = np.zeros(source.size + 8)[offset:offset + source.size]
        A[:] = source
        factor_band(61, 17, A)
        results.append(solve_band(61, 17, A, right))
    assert all((result == results[0]).all() for result in results)


def test_from_dense_finds_the_half_bandwidth() -> None:
    matrix = dominant(12, 4, 5, np.ones(12))
    b, A = from_dense(matrix)
    assert b == 4
    np.testing.assert_array_equal(A, stored(matrix, 4))


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(InputError, match="must be square"):
        from_dense(np.ones((2, 3)))
    with pytest.raises(InputError, match="contiguous row of"):
        factor_band(8, 2, np.zeros(20))
    with pytest.raises(InputError, match="contiguous row of 8 floats"):
        solve_band(8, 2, np.zeros(storage(8, 2)), np.ones(7))
    with pytest.raises(InputError, match="at least"):
        factor_band(0, 2, np.zeros(100))
