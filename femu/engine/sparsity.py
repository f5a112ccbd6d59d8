"""The pattern of the matrices over the equations.

Which entries there are, and in what order they are eliminated.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array

from femu.engine.couplings import Integers, Members, couplings, flattened
from femu.engine.element_kernels import DOFS_AT, POSITIONS_AT
from femu.engine.ldlt import BLOCK_INTEGERS, HEAD, factor, multiply, solve_kernel
from femu.engine.ldlt_band import leading, storage
from femu.kernels import Kernel, compiled
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
_LINE = 8  # floats of a cache line


@compiled
def _locate(integers, table, sizes, starts, rows):
    equations, outside = len(starts) - 1, len(rows)
    for e in range(len(table)):
        own = integers[table[e]:]
        at = own[POSITIONS_AT]
        for a in range(sizes[e]):
            for b in range(a + 1):
                one, other = own[DOFS_AT + a], own[DOFS_AT + b]
                row, column = max(one, other), min(one, other)
                if row >= equations:
                    # what belongs to fixed degrees of freedom goes after the matrix
                    own[at] = outside
                else:
                    low, high = starts[column], starts[column + 1]
                    while high - low > 1:
                        middle = (low + high) // 2
                        if rows[middle] <= row:
                            low = middle
                        else:
                            high = middle
                    own[at] = low
                at += 1


class Sparsity:
    """Which entries of a symmetric matrix can differ from zero, and how the matrix is factored; see
    `femu.engine.ldlt`.

    ``members`` are sets of equations that are coupled to each other. ``blocks`` are the sizes of
    the blocks that go first: no two of them are coupled, and the equations of one are coupled to
    the same others.
    """

    def __init__(self, equations: int, members: Members | Sequence[Sequence[int]],
                 blocks: Sequence[int] = ()) -> None:
        self.equations, self.blocks = equations, tuple(blocks)
        self.starts, self.rows = couplings(equations, *flattened(members), True)
        self.size = len(self.rows)
        """Floats of a matrix."""

    @cached_property
    def columns(self) -> Integers:
        """Column of each entry."""
        return np.repeat(np.arange(self.equations), np.diff(self.starts))

    @property
    def diagonal(self) -> Integers:
        """Places of the diagonal."""
        return self.starts[:-1]

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {entry: place for place, entry in enumerate(zip(self.rows.tolist(),
                                                               self.columns.tolist(), strict=True))}

    def place(self, a: int, b: int) -> int:
        """Place of entry (a, b) or (b, a), whichever is in the lower triangle."""
        return self._places[max(a, b), min(a, b)]

    def places(self, rows: Integers, columns: Integers) -> Integers:
        """Places of many entries of the lower triangle."""
        return np.searchsorted(self.columns * self.equations + self.rows,
                               columns * self.equations + rows)

    def locate(self, integers: Integers, table: Integers, sizes: Integers) -> None:
        """Fill in where the entries of the elements' matrices are; see `femu.engine.element_kernels`.

        ``table`` says where the integers of each element begin, ``sizes`` how many degrees of
        freedom it has.
        """
        _locate(integers, table, sizes, self.starts, self.rows)

    def coupled(self, equations: Sequence[int]) -> Integers:
        """Places of all entries off the diagonal in the rows and columns of some equations."""
        if not equations:
            return np.zeros(0, np.int64)
        return np.flatnonzero((np.isin(self.rows,
                                       equations) | np.isin(self.columns,
                                                            equations)) & (self.rows != self.columns))

    @cached_property
    def _table(self) -> list[tuple[int, int, int, int]]:
        """For each block its first equation and its size, and the first and last equation of the
        rest it is coupled to."""
        found, at = [], 0
        for size in self.blocks:
            outside = self.rows[self.starts[at] + size:self.starts[at + 1]]
            found.append((at, size, int(outside[0]), int(outside[-1])))
            at += size
        return found

    @cached_property
    def band(self) -> int:
        """Half bandwidth of what is left when the blocks are eliminated."""
        rest = self.starts[sum(self.blocks)]
        return max([int((self.rows - self.columns)[rest:].max(initial=0)),
                    *(last - first for _, _, first, last in self._table)])

    @cached_property
    def _band_start(self) -> int:
        return -(-int(self.starts[sum(self.blocks)]) // _LINE) * _LINE

    @cached_property
    def factors(self) -> int:
        """Floats of the factors."""
        return self._band_start + storage(self.equations - sum(self.blocks), self.band)

    @cached_property
    def plan(self) -> Integers:
        """The integers that the kernels read."""
        first, ld = sum(self.blocks), leading(self.band)
        places = (self.columns - first) * (ld - 1) + self.rows - first
        rows = HEAD + len(self.starts)
        head = [self.equations, first, len(self.blocks), self.band, ld, self._band_start, HEAD,
                rows, rows + self.size,
                rows + 2 * self.size]
        blocks = np.array([entry[:BLOCK_INTEGERS] for entry in self._table], dtype=np.int64).ravel()
        return np.concatenate([np.array(head, dtype=np.int64), self.starts, self.rows, places,
                               blocks])

    def to_sparse(self, matrix: Array) -> csc_array:
        """A matrix as scipy has it, with both triangles."""
        off_diagonal = self.rows != self.columns
        rows, columns = self.rows[off_diagonal], self.columns[off_diagonal]
        values = matrix[:self.size]
        whole = csc_array((np.concatenate([values, values[off_diagonal]]),
                           (np.concatenate([self.rows, columns]),
                            np.concatenate([self.columns, rows]))),
                          shape=(self.equations, self.equations))
        whole.eliminate_zeros()
        return whole

    def to_dense(self, matrix: Array) -> Array:
        """A matrix with all its entries."""
        dense = np.zeros((self.equations, self.equations))
        dense[self.rows, self.columns] = dense[self.columns, self.rows] = matrix[:self.size]
        return dense

    # --- calls from Python ---

    def from_dense(self, matrix: Array) -> Array:
        """The entries of a symmetric matrix, of which the lower triangle is read."""
        return np.ascontiguousarray(np.asarray(matrix, float)[self.rows, self.columns])

    def factor(self, matrix: Array) -> tuple[int, Array]:
        """Number of negative pivots, or -(j + 1) if pivot j shows the matrix to be singular.

        And the factors.
        """
        factors = np.full(self.factors, np.nan)
        return self.run(factor, [(matrix, self.size), (factors, self.factors)]), factors

    def solve(self, factors: Array, right: Array) -> Array:
        """Solution for a right-hand side."""
        x = np.array(right, float)
        self.run(solve_kernel, [(factors, self.factors), (x, self.equations)])
        return x

    def multiply(self, matrix: Array, x: Array) -> Array:
        """Product of a matrix with a vector."""
        y = np.empty(self.equations)
        self.run(multiply, [(matrix, self.size), (np.ascontiguousarray(x, float), self.equations),
                            (y, self.equations)])
        return y

    def run(self, code: Kernel, vectors: list[tuple[Any, int]]) -> int:
        """Call a kernel of `femu.engine.ldlt` with vectors, each of which must have its size at
        least."""
        for array, size in vectors:
            if array.dtype != np.float64 or not array.flags.c_contiguous or array.ndim != 1 or array.size < size:
                raise InputError("Pattern", "vector", (array.dtype, array.shape),
                                 f"must be a contiguous row of {size} floats")
        pointer = ctypes.c_void_p
        run = ctypes.CFUNCTYPE(ctypes.c_int64, pointer, *(pointer for _ in vectors))(code.c_address)
        return int(run(self.plan.ctypes.data, *(array.ctypes.data for array, _ in vectors)))
