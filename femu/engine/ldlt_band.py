"""Symmetric band matrices: factorisation of four columns at a time, and solution.

Storage. The lower band by columns: entry (j + d, j) is ``A[j*ld + d]``, d = 0..b, with b the half
bandwidth. All ``storage(n, b)`` numbers are zero before the matrix is put there: the kernels read
the zeros between the columns. As ``ld - 1`` is a multiple of four and entry (i, j) lies at ``j*(ld
- 1) + i``, four rows from a multiple of four on are a vector inside one cache line, where ``A``
itself starts at a multiple of 32 bytes.

Factorisation. A = L D L^T without pivoting (Golub and Van Loan, Matrix Computations, section 4.1):
D on the diagonal, the unit lower triangle L below it. Four columns j are made at a time. A tile of
eight rows i of them stays in registers while the finished columns p on the left are taken away from
it,

    A(i, j) <- A(i, j) - sum over p of L(i, p) [D(p) L(j, p)],    max(0, i - b) <= p < j

so each entry is written once. The brackets are in a scratch block after the last column. Rows of
a tile below the band of column p meet the zeros between the columns, and so stay zero.

Pivots. Each subtraction rounds to eps of the diagonal entry before the factorisation, so a pivot
``TINY`` times as large as that has three correct digits at best: the matrix then counts as
singular. Small mechanisms leave 1e-16 to 1e-14 there, a sound cantilever of a thousand elements
1e-9. Rounding adds up along a large mechanism (a hinged bar of thirty beam elements leaves 2e-13),
so a matrix that passes is not proved regular. The number of negative pivots is the number of
negative eigenvalues (Sylvester's law of inertia).
"""

from __future__ import annotations

import math

from femu.kernels import inlined, shift
from femu.kernels.simd import (
    columns,
    minus,
    minus_each,
    over,
    pack,
    pick,
    plus_each,
    plus_sum,
    put,
    read,
    spread,
    take,
    times,
    transposed,
    write,
)

TINY = 1e-13  # pivot of a singular matrix, relative to the diagonal before the factorisation
CROWDED = 128  # columns a multiple of this apart compete for the same few places of the first cache


def leading(b: int) -> int:
    """Distance of two columns in storage.

    The band and seven zeros at least; one more than a multiple of four.
    """
    step = (b + 7 + 3) // 4 * 4
    return (step if step % CROWDED else step + 4) + 1


def storage(n: int, b: int) -> int:
    """Number of floats of a matrix.

    Whole groups of four columns, and the scratch block of `factor_four`.
    """
    return (n + 3) // 4 * 4 * leading(b) + 4 * b


# --- the kernels: j is the first of four columns, step the distance of two entries of a row -----

@inlined
def useless(pivot, original):
    """True for a pivot that is zero, tiny or not a finite number."""
    return not TINY * abs(original) < abs(pivot) < math.inf


@inlined
def finish(place, step, tile, l, inverse):
    """Four rows of L, from a tile and the diagonal block above it: solves X D L^T = tile."""
    l10, l20, l30, l21, l31, l32 = l
    a0 = tile[0]
    a1 = minus(tile[1], a0, l10)
    a2 = minus(minus(tile[2], a0, l20), a1, l21)
    a3 = minus(minus(minus(tile[3], a0, l30), a1, l31), a2, l32)
    put(place, 0, times(a0, inverse[0]))
    put(place, step, times(a1, inverse[1]))
    put(place, 2 * step, times(a2, inverse[2]))
    put(place, 3 * step, times(a3, inverse[3]))


@inlined
def factor_four(n, b, ld, A, scratch, j, diagonal):
    """Columns j..j+3 of L and D; ``diagonal`` is what was there before the factorisation.

    Returns the number of negative pivots, or -(k + 1) if pivot k fails.

    Longer than a page: the four columns are written out, so that their entries stay in registers.
    """
    step = ld - 1
    block = shift(A, j * ld)
    upper, lower = columns(block, 0, step), columns(block, 4, step)
    first = max(0, j - b)
    for p in range(first, j):
        left = shift(A, p * step + j)
        rows = take(left, 0)
        bracket = times(rows, spread(A[p * ld]))
        put(scratch, 4 * (p - first), bracket)
        s = spread(pick(bracket, 0)), spread(pick(bracket,
                                                  1)), spread(pick(bracket,
                                                                   2)), spread(pick(bracket, 3))
        upper, lower = minus_each(upper, s, rows), minus_each(lower, s, take(left, 4))

    # the diagonal block; all that can be is multiplied before the division, which is what takes the
    # time
    a0, a1, a2, a3 = upper
    d0 = pick(a0, 0)
    i0 = spread(1.0 / d0)
    s1, s2, s3 = spread(pick(a0, 1)), spread(pick(a0, 2)), spread(pick(a0, 3))
    l10, l20, l30 = times(s1, i0), times(s2, i0), times(s3, i0)
    a1, a2, a3 = minus(a1, times(a0, s1), i0), minus(a2, times(a0, s2),
                                                     i0), minus(a3, times(a0, s3), i0)
    d1 = pick(a1, 1)
    i1 = spread(1.0 / d1)
    s2, s3 = spread(pick(a1, 2)), spread(pick(a1, 3))
    l21, l31 = times(s2, i1), times(s3, i1)
    a2, a3 = minus(a2, times(a1, s2), i1), minus(a3, times(a1, s3), i1)
    d2 = pick(a2, 2)
    i2 = spread(1.0 / d2)
    s3 = spread(pick(a2, 3))
    l32 = times(s3, i2)
    d3 = pick(minus(a3, times(a2, s3), i2), 3)
    i3 = spread(1.0 / d3)
    if useless(d0, diagonal[0]):
        return -(j + 1)
    if useless(d1, diagonal[1]):
        return -(j + 2)
    if useless(d2, diagonal[2]):
        return -(j + 3)
    if useless(d3, diagonal[3]):
        return -(j + 4)
    negative = int(d0 < 0.0) + int(d1 < 0.0) + int(d2 < 0.0) + int(d3 < 0.0)
    put(block, 0, pack(d0, pick(l10, 0), pick(l20, 0), pick(l30, 0)))
    put(block, step, pack(0.0, d1, pick(l21, 0), pick(l31, 0)))
    put(block, 2 * step, pack(0.0, 0.0, d2, pick(l32, 0)))
    put(block, 3 * step, pack(0.0, 0.0, 0.0, d3))

    l, inverse = (l10, l20, l30, l21, l31, l32), (i0, i1, i2, i3)
    end = min(n, j + b + 4)
    if j + 4 < end:
        finish(shift(block, 4), step, lower, l, inverse)
    for i in range(j + 8, end, 8):
        place = shift(A, j * step + i)
        upper = columns(place, 0, step)
        # otherwise four rows at most are left, and no column on the left reaches them
        if i < j + b:
            lower = columns(place, 4, step)
            for p in range(max(0, i - b), j):
                left, bracket = shift(A, p * step + i), shift(scratch, 4 * (p - first))
                s = spread(bracket[0]), spread(bracket[1]), spread(bracket[2]), spread(bracket[3])
                upper, lower = minus_each(upper, s, take(left, 0)), minus_each(lower, s,
                                                                               take(left, 4))
            finish(shift(place, 4), step, lower, l, inverse)
        finish(place, step, upper, l, inverse)
    return negative


@inlined
def solve_band(n, b, ld, A, x):
    """Solution in place of the right-hand side x.

    Many locals: four columns at a time, written out.
    """
    step = ld - 1
    v = read(x, 0, n)
    for j in range(0, n, 4):  # L y = x, by columns of L; y takes the place of x
        block = shift(A, j * ld)
        y0 = pick(v, 0)
        y1 = pick(v, 1) - block[1] * y0
        y2 = pick(v, 2) - block[2] * y0 - block[step + 2] * y1
        y3 = pick(v, 3) - block[3] * y0 - block[step + 3] * y1 - block[2 * step + 3] * y2
        write(x, j, n, pack(y0, y1, y2, y3))
        s = spread(-y0), spread(-y1), spread(-y2), spread(-y3)
        # not by way of memory: the next four wait for it
        v = plus_sum(read(x, j + 4, n), columns(block, 4, step), s)
        for i in range(j + 8, min(n, j + b + 4), 4):
            write(x, i, n, plus_sum(read(x, i, n), columns(block, i - j, step), s))
    zero, less = spread(0.0), spread(-1.0)
    s = zero, zero, zero, zero
    for j in range((n - 1) // 4 * 4, -1, -4):  # L^T x = D^-1 y, by columns of L
        block = shift(A, j * ld)
        diagonal = pack(block[0], block[step + 1], block[2 * step + 2], block[3 * step + 3])
        sums = zero, zero, zero, zero
        for i in range(j + 8, min(n, j + b + 4), 4):
            sums = plus_each(sums, columns(block, i - j, step), read(x, i, n))
        v = plus_sum(over(read(x, j, n), diagonal), transposed(sums), (less, less, less, less))
        r0, r1, r2, r3 = transposed(columns(block, 4, step))
        v = plus_sum(v, (r3, r2, r1, r0), s)  # in the order in which the last four were found
        x3 = pick(v, 3)
        x2 = pick(v, 2) - block[2 * step + 3] * x3
        x1 = pick(v, 1) - block[step + 3] * x3 - block[step + 2] * x2
        x0 = pick(v, 0) - block[3] * x3 - block[2] * x2 - block[1] * x1
        write(x, j, n, pack(x0, x1, x2, x3))
        s = spread(-x3), spread(-x2), spread(-x1), spread(-x0)
    return 0
