"""Factorisation, solution and product.

Against dense linear algebra, on singular matrices, and on what they must leave alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.engine.ldlt import factor, multiply, solve_kernel
from femu.engine.ldlt_band import TINY, leading
from femu.engine.sparsity import Sparsity
from femu.support.errors import InputError

EPS = np.finfo(float).eps
SIZES = {"n": st.integers(1, 70), "b": st.integers(0, 40), "seed": st.integers(0, 2**32 - 1)}


def random_band(n: int, b: int, seed: int) -> np.ndarray:
    """Symmetric, with entries of order one inside the half bandwidth."""
    full = np.random.default_rng(seed).standard_normal((n, n))
    return np.tril(np.triu(full + full.T, -b), b)


def dominant(n: int, b: int, seed: int, signs: np.ndarray) -> np.ndarray:
    """A diagonal larger than the rest of its row.

    The signs of the eigenvalues are those of the diagonal.
    """
    matrix = random_band(n, b, seed)
    np.fill_diagonal(matrix, 0.0)
    return matrix + np.diag(signs * (abs(matrix).sum(1) + 1.0))


def banded(n: int, b: int) -> Sparsity:
    """All entries of a band, eliminated in the order of the equations."""
    return Sparsity(n, [range(j, min(n, j + b + 1)) for j in range(n)])


def negatives(pattern: Sparsity, matrix: np.ndarray) -> int:
    """What the factorisation of a matrix returns."""
    return pattern.factor(pattern.from_dense(matrix))[0]


def frame(nodes: int, storeys: int, dofs: int) -> Sparsity:
    """Nodes on a grid, every other one eliminated first, as on a chessboard."""
    black = [(i, j) for j in range(storeys) for i in range(nodes) if (i + j) % 2 == 0]
    white = [(i, j) for j in range(storeys) for i in range(nodes) if (i + j) % 2 == 1]

    def beside(node: tuple[int, int]) -> list[tuple[int, int]]:
        i, j = node
        return [
            other for other in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)) if other in white
        ]

    black.sort(key=lambda node: min(white.index(other) for other in beside(node)))
    at = {node: dofs * number for number, node in enumerate(black + white)}
    members = [
        [e for end in (node, other) for e in range(at[end], at[end] + dofs)]
        for node in black
        for other in beside(node)
    ]
    return Sparsity(dofs * nodes * storeys, members, [dofs] * len(black))


def beam(elements: int, supported: int) -> np.ndarray:
    """Bending stiffness of a row of beam elements, without the first ``supported`` degrees of
    freedom."""
    one = np.array(
        [
            [12.0, 6.0, -12.0, 6.0],
            [6.0, 4.0, -6.0, 2.0],
            [-12.0, -6.0, 12.0, -6.0],
            [6.0, 2.0, -6.0, 4.0],
        ]
    )
    matrix = np.zeros((2 * elements + 2, 2 * elements + 2))
    for e in range(elements):
        matrix[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += one
    return matrix[supported:, supported:]


@given(**SIZES)
@settings(max_examples=150, deadline=None)
def test_band(n: int, b: int, seed: int) -> None:
    signs = np.random.default_rng(seed + 2).choice([-1.0, 1.0], n)
    matrix = dominant(n, b, seed, signs)
    right = np.random.default_rng(seed + 1).standard_normal(n)
    pattern = banded(n, b)
    result, factors = pattern.factor(pattern.from_dense(matrix))
    assert result == np.count_nonzero(signs < 0.0)
    np.testing.assert_allclose(
        pattern.solve(factors, right), np.linalg.solve(matrix, right), rtol=0, atol=50 * EPS
    )


@given(
    nodes=st.integers(1, 6),
    storeys=st.integers(2, 7),
    dofs=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=150, deadline=None)
def test_blocks_that_go_first(nodes: int, storeys: int, dofs: int, seed: int) -> None:
    """Rows of any length, blocks of any size, eigenvalues of both signs."""
    pattern, rng = frame(nodes, storeys, dofs), np.random.default_rng(seed)
    n = pattern.equations
    matrix = np.zeros((n, n))
    matrix[pattern.rows, pattern.columns] = rng.standard_normal(pattern.size)
    matrix += matrix.T
    np.fill_diagonal(matrix, 0.0)
    signs = rng.choice([-1.0, 1.0], n)
    matrix += np.diag(signs * (abs(matrix).sum(1) + 1.0))
    right = rng.standard_normal(n)
    result, factors = pattern.factor(pattern.from_dense(matrix))
    assert result == np.count_nonzero(signs < 0.0)
    np.testing.assert_allclose(
        pattern.solve(factors, right), np.linalg.solve(matrix, right), rtol=0, atol=50 * EPS
    )
    np.testing.assert_allclose(
        pattern.to_sparse(pattern.from_dense(matrix)).toarray(), matrix, rtol=0, atol=0
    )


@given(**SIZES)
@settings(max_examples=100, deadline=None)
def test_factors_give_the_matrix_back(n: int, b: int, seed: int) -> None:
    matrix = dominant(n, b, seed, np.ones(n))
    pattern = banded(n, b)
    ld = leading(pattern.band)
    L = pattern.factor(pattern.from_dense(matrix))[1][: n * ld].reshape(n, ld)
    lower = np.zeros((n, n))
    for j in range(n):
        height = min(pattern.band, n - 1 - j) + 1
        lower[j : j + height, j] = L[j, :height]
    assert not L[:, pattern.band + 1 :].any(), "the zeros between the columns stay zero"
    pivots = np.diag(lower).copy()
    np.fill_diagonal(lower, 1.0)
    np.testing.assert_allclose(
        lower * pivots @ lower.T, matrix, rtol=0, atol=20 * EPS * abs(matrix).max()
    )


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        *((banded, (n, b)) for n in (1, 2, 5, 8, 14) for b in (0, 5)),
        (frame, (4, 5, 3)),
        (frame, (3, 3, 2)),
    ],
)
def test_vectors_are_not_overrun(make: Callable[..., Sparsity], sizes: tuple[int, ...]) -> None:
    pattern = make(*sizes)
    n = pattern.equations
    matrix = np.eye(n) * 100.0
    matrix[pattern.rows, pattern.columns] += 1.0
    around = np.full(pattern.factors + 32, np.nan)
    A, x, y = (
        np.append(pattern.from_dense(matrix), np.nan),
        np.full(n + 8, 7.0),
        np.full(n + 8, 7.0),
    )
    pattern.run(factor, [(A, pattern.size), (around[16:-16], pattern.factors)])
    pattern.run(multiply, [(A, pattern.size), (x, n), (y, n)])
    pattern.run(solve_kernel, [(around[16:-16], pattern.factors), (y, n)])
    assert np.isnan(around[:16]).all() and np.isnan(around[-16:]).all()
    assert (x[n:] == 7.0).all() and (y[n:] == 7.0).all()
    np.testing.assert_allclose(y[:n], x[:n], rtol=1e-14)  # y = A^-1 A x


@given(**SIZES)
@settings(max_examples=150, deadline=None)
def test_product(n: int, b: int, seed: int) -> None:
    matrix, pattern = random_band(n, b, seed), banded(n, b)
    x = np.random.default_rng(seed + 1).standard_normal(n)
    bound = 2 * (b + 4) * EPS * (abs(matrix) @ abs(x))
    assert (abs(pattern.multiply(pattern.from_dense(matrix), x) - matrix @ x) <= bound).all()


def test_negative_pivots_count_the_eigenvalues_below_a_shift() -> None:
    stiffness = beam(20, 2)
    values = np.linalg.eigvalsh(stiffness)
    for count in (0, 1, 7, 20, 39, 40):
        shift = (
            values[0] / 2
            if count == 0
            else values[-1] + 1
            if count == 40
            else values[count - 1 : count + 1].mean()
        )
        assert negatives(banded(40, 3), stiffness - shift * np.eye(40)) == count


@pytest.mark.parametrize("supported", [0, 1])
@pytest.mark.parametrize("elements", [1, 2, 3, 5, 8])
def test_beam_without_enough_supports_is_singular(elements: int, supported: int) -> None:
    matrix = beam(elements, supported)
    # the rigid motions appear where the last two (or one) degrees of freedom are eliminated
    assert negatives(banded(len(matrix), 3), matrix) == -(
        len(matrix) - (1 if supported == 0 else 0)
    )


@pytest.mark.parametrize("elements", [1, 10, 300])
def test_cantilever_is_not_singular(elements: int) -> None:
    n, matrix = 2 * elements, beam(elements, 2)
    pattern = banded(n, 3)
    result, factors = pattern.factor(pattern.from_dense(matrix))
    assert result == 0
    tip = np.zeros(n)
    tip[-2] = 1.0
    deflection = elements**3 / 3  # P L^3 / (3 E I)
    assert pattern.solve(factors, tip)[-2] == pytest.approx(
        deflection, rel=EPS * np.linalg.cond(matrix)
    )


@pytest.mark.parametrize("row", range(9))
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_failing_pivot_is_named(row: int, bad: float) -> None:
    diagonal = np.arange(1.0, 10.0)
    diagonal[row] = bad
    assert negatives(banded(9, 3), np.diag(diagonal)) == -(row + 1)
    assert negatives(frame(3, 3, 1), np.diag(diagonal)) == -(row + 1)


@pytest.mark.parametrize(("ratio", "result"), [(0.5, -2), (2.0, 0), (-0.5, -2), (-2.0, 1)])
def test_threshold_is_relative_to_the_diagonal(ratio: float, result: int) -> None:
    unit = 2.0**40  # one elimination with exact numbers leaves the pivot unit * small
    small = ratio * 2.0**-43  # TINY lies between 2^-44 and 2^-43
    assert 0.5 * 2.0**-43 < TINY < 2.0**-43
    matrix = unit * np.array([[1.0, 1.0], [1.0, 1.0 + small]])
    assert negatives(banded(2, 1), matrix) == result
    assert negatives(Sparsity(2, [[0, 1]], [1]), matrix) == result, (
        "relative to what stood there before the block went"
    )


def test_not_a_number_beside_the_diagonal_is_found() -> None:
    matrix = dominant(30, 6, 1, np.ones(30))
    matrix[17, 14] = matrix[14, 17] = np.nan
    assert negatives(banded(30, 6), matrix) < 0


def test_overflow_of_a_pivot_is_found() -> None:
    assert negatives(banded(2, 1), np.array([[1e-300, 1e10], [1e10, 1.0]])) == -2


def test_same_numbers_on_every_run_and_at_every_address() -> None:
    matrix, right, pattern = (
        dominant(61, 17, 3, np.ones(61)),
        np.linspace(-1.0, 1.0, 61),
        banded(61, 17),
    )
    results = []
    for offset in range(5):
        factors = np.zeros(pattern.factors + 8)[offset : offset + pattern.factors]
        pattern.run(
            factor, [(pattern.from_dense(matrix), pattern.size), (factors, pattern.factors)]
        )
        results.append(pattern.solve(factors, right))
    assert all((result == results[0]).all() for result in results)


def test_pattern_of_a_band() -> None:
    pattern = banded(12, 4)
    assert (pattern.band, pattern.size) == (4, 5 * 8 + 4 + 3 + 2 + 1)
    assert (
        pattern.place(3, 7)
        == pattern.place(7, 3)
        == pattern.places(np.array([7]), np.array([3]))[0]
    )
    assert pattern.rows[pattern.place(3, 7)] == 7 and pattern.columns[pattern.place(3, 7)] == 3
    assert (pattern.rows[pattern.diagonal] == np.arange(12)).all()


def test_entries_beside_the_diagonal_of_some_equations() -> None:
    pattern = banded(6, 2)
    found = pattern.coupled([2, 3])
    assert {(int(pattern.rows[p]), int(pattern.columns[p])) for p in found} == {
        (2, 0),
        (2, 1),
        (3, 1),
        (3, 2),
        (4, 2),
        (4, 3),
        (5, 3),
    }
    assert len(pattern.coupled([])) == 0


def test_bad_arrays_are_refused() -> None:
    pattern = banded(8, 2)
    with pytest.raises(InputError, match="contiguous row of 8 floats"):
        pattern.solve(np.zeros(pattern.factors), np.ones(7))
    with pytest.raises(InputError, match="contiguous row of"):
        pattern.factor(np.zeros(4))
