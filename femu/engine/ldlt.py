"""Symmetric sparse matrices over the equations: product, factorisation and solution.

Storage. An assembled matrix is a vector of the entries its pattern names (`femu.engine.sparsity`):
the lower triangle column by column, each with its diagonal first and its rows in ascending order.
One vector of integers, the plan, gives the kernels the pattern and the order of elimination.

Factorisation. A = L D L^T without pivoting, in two parts. The first equations of the numbering come
in blocks (the degrees of freedom of a node) of which no two are coupled; their columns fill nothing
in among themselves. What is left when they are eliminated,

    S = A_rr - A_rf A_ff^-1 A_fr,

is a band (`femu.engine.ldlt_band`). In a frame every other node can go first, as the black squares
of a chessboard: half of the equations are left, in a band of the same width. A block is eliminated
right before the first column of the band that it changes, and that column is cleared and read right
before, so all this happens in the cache. The factors are the columns of the blocks, stored as in A,
and then the band.
"""

from __future__ import annotations

from femu.engine.ldlt_band import factor_four, solve_band, useless
from femu.kernels import FLOATS, INT, INTS, caller, inlined, kernel, shift

FACTOR = INT(INTS, FLOATS, FLOATS)
"""plan, A, factors (overwritten).

Returns the number of negative pivots, or -(j + 1) if pivot j fails.
"""
SOLVE = INT(INTS, FLOATS, FLOATS)
"""plan, factors, x (right-hand side, overwritten by the solution); returns 0."""
MULTIPLY = INT(INTS, FLOATS, FLOATS, FLOATS)
"""plan, A, x, y (overwritten by A x); returns 0."""

_call_factor, _call_solve, _call_multiply = caller(FACTOR), caller(SOLVE), caller(MULTIPLY)

# the plan: equations, those that go first and the number of their blocks; half bandwidth, distance
# of columns and first float of the band; where the tables begin: first entry of each column, row of
# each entry, place of each in the band (of those that go there), and for each block its first
# equation, its size, and the first equation of the rest it is coupled to
N, FIRST, BLOCKS, BAND, LD, BAND_START, STARTS, ROWS, PLACES, TABLE, HEAD = range(11)
BLOCK_INTEGERS = 3


# --- for kernels --------------------------------------------------------------------------------

@inlined
def factored_at(run, matrix, factors):
    """Factor a matrix; 0, or 1 if it is singular."""
    return 1 if _call_factor(run.factor_kernel, (run.plan, matrix, factors)) < 0 else 0


@inlined
def solve_at(run, factors, x):
    """Solve with given factors, in place of the right-hand side."""
    _call_solve(run.solve_kernel, (run.plan, factors, x))


@inlined
def factored(run, matrix):
    """Factor the matrix of the iteration; 0, or 1 if it is singular."""
    return factored_at(run, matrix, run.factors)


@inlined
def solve(run, x):
    """Solve with the factors of the matrix of the iteration, in place of the right-hand side."""
    solve_at(run, run.factors, x)


@inlined
def times_matrix(run, matrix, x, y):
    """y = matrix times x over the equations."""
    _call_multiply(run.multiply_kernel, (run.plan, matrix, x, y))


@inlined
def place_of(plan, row, column):
    """Where entry (row, column) of the lower triangle is."""
    low, high = plan[plan[STARTS] + column], plan[plan[STARTS] + column + 1] - 1
    rows = shift(plan, plan[ROWS])
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


# --- the kernels --------------------------------------------------------------------------------

@inlined
def _eliminate(starts, rows, first, size, A, L, band, step):
    """Factor the columns of one block, and take what they do to the rest away from the band.

    Returns the number of negative pivots, or -(j + 1) if pivot j fails.

    Many locals: the tables of the plan and the columns of a block.
    """
    outside = starts[first + 1] - starts[first] - size
    negative = 0
    for k in range(size):
        source, column = shift(A, starts[first + k]), shift(L, starts[first + k])
        for e in range(size - k + outside):
            column[e] = source[e]
    for k in range(size):
        column = shift(L, starts[first + k])
        pivot = column[0]
        if useless(pivot, A[starts[first + k]]):
            return -(first + k + 1)
        negative += int(pivot < 0.0)
        inverse = 1.0 / pivot
        for q in range(k + 1, size):
            other, same = shift(L, starts[first + q]), shift(column, q - k)
            share = same[0] * inverse
            for e in range(size - q + outside):
                other[e] -= share * same[e]
            same[0] = share
    for k in range(0, size, 3):  # three columns at a time: a plane node has three
        second, third = k + 1 < size, k + 2 < size
        a = shift(L, starts[first + k])
        b = shift(L, starts[first + k + 1]) if second else a
        c = shift(L, starts[first + k + 2]) if third else a
        by_a, by_b, by_c = 1.0 / a[0], (1.0 / b[0] if second else 0.0), (1.0 / c[0] if third
                                                                         else 0.0)
        a, b, c = shift(a, size - k), shift(b, size - k - int(second)), shift(c, size - k
                                                                              - 2 * int(third))
        for r in range(outside):
            target = shift(band, rows[r] * step)
            la, lb, lc = by_a * a[r], by_b * b[r], by_c * c[r]
            for e in range(r, outside):
                target[rows[e]] -= la * a[e] + lb * b[e] + lc * c[e]
            a[r] = la
            if second:
                b[r] = lb
            if third:
                c[r] = lc
    return negative


@inlined
def _diagonal(A, starts, equation, end):
    """Entry on the diagonal; 1 in the columns that fill up the last four."""
    return A[starts[equation]] if equation < end else 1.0


@kernel(FACTOR)
def factor(plan, A, L):
    """Many locals: the tables of the plan."""
    end, first, b, ld = plan[N], plan[FIRST], plan[BAND], plan[LD]
    n, step = end - first, ld - 1
    starts, rows, places = shift(plan, plan[STARTS]), shift(plan, plan[ROWS]), shift(plan,
                                                                                     plan[PLACES])
    table = shift(plan, plan[TABLE])
    padded = (n + 3) // 4 * 4
    band = shift(L, plan[BAND_START])
    numbered = shift(band, -first * ld)  # entry (i, j) at j step + i, by numbers of equations
    scratch = shift(band, padded * ld)
    negative, cleared, block, ready = 0, 0, 0, 0
    for j in range(0, padded, 4):
        # what these columns and the next four need: numbers just written one by one cannot be read
        # as vectors at once
        ahead = min(padded, j + 8)
        reach = min(padded, ahead + b)
        for e in range(cleared * ld, reach * ld):
            band[e] = 0.0
        cleared = reach
        while block < plan[BLOCKS] and table[BLOCK_INTEGERS * block + 2] < first + ahead:
            own = shift(table, BLOCK_INTEGERS * block)
            result = _eliminate(starts, shift(rows, starts[own[0]] + own[1]), own[0], own[1], A, L,
                                numbered, step)
            if result < 0:
                return result
            negative += result
            block += 1
        for e in range(starts[min(first + ready, end)], starts[min(first + ahead, end)]):
            band[places[e]] += A[e]
        for column in range(max(n, ready), ahead):
            # the last four columns are filled up with those of the unit matrix
            band[column * ld] = 1.0
        ready = ahead
        e = first + j
        diagonal = A[starts[e]], _diagonal(A, starts, e + 1, end), _diagonal(A, starts, e + 2,
                                                                             end), _diagonal(
            A, starts, e + 3, end)
        result = factor_four(n, b, ld, band, scratch, j, diagonal)
        if result < 0:
            return result - first
        negative += result
    return negative


@kernel(SOLVE)
def solve_kernel(plan, L, x):
    first, starts, rows = plan[FIRST], shift(plan, plan[STARTS]), shift(plan, plan[ROWS])
    table, blocks = shift(plan, plan[TABLE]), plan[BLOCKS]
    for block in range(blocks):  # forward
        at, size = table[BLOCK_INTEGERS * block], table[BLOCK_INTEGERS * block + 1]
        for k in range(at, at + size):
            y = x[k]
            for e in range(starts[k] + 1, starts[k + 1]):
                x[rows[e]] -= L[e] * y
    solve_band(plan[N] - first, plan[BAND], plan[LD], shift(L, plan[BAND_START]), shift(x, first))
    for block in range(blocks - 1, -1, -1):
        at, size = table[BLOCK_INTEGERS * block], table[BLOCK_INTEGERS * block + 1]
        for k in range(at + size - 1, at - 1, -1):
            total = x[k] / L[starts[k]]
            for e in range(starts[k] + 1, starts[k + 1]):
                total -= L[e] * x[rows[e]]
            x[k] = total
    return 0


@kernel(MULTIPLY)
def multiply(plan, A, x, y):
    starts, rows, n = shift(plan, plan[STARTS]), shift(plan, plan[ROWS]), plan[N]
    for j in range(n):
        y[j] = 0.0
    for j in range(n):
        by, total = x[j], A[starts[j]] * x[j]
        for e in range(starts[j] + 1, starts[j + 1]):
            y[rows[e]] += A[e] * by
            total += A[e] * x[rows[e]]
        y[j] += total
    return 0
