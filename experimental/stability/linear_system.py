"""A linear system in discrete time: what lies between a command and what is measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import block_diag

from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A linear system that is stepped at the rate of a test::

        y_k = C x_k + D u_k,        x_k+1 = A x_k + B u_k

    u_k are the commands of a step, y_k is what belongs to the end of that step. A plant or a
    compensator is made known to `femu.experimental.HybridTest.stability` by a method
    ``state_space(dt)`` that returns one, or its four matrices.
    """

    a: Array
    b: Array
    c: Array
    d: Array

    def __post_init__(self) -> None:
        for name in "abcd":
            try:
                matrix = np.array(getattr(self, name), dtype=float, ndmin=2)
            except (TypeError, ValueError):
                matrix = np.full((1, 1), math.nan)
            if matrix.ndim != 2:
                raise InputError("LinearSystem", name, getattr(self, name), "must be a matrix")
            object.__setattr__(self, name, matrix)
        n, (p, m) = self.a.shape[0], self.d.shape
        wanted = {"a": (n, n), "b": (n, m), "c": (p, n), "d": (p, m)}
        for name, shape in wanted.items():
            matrix = getattr(self, name)
            if n == 0 and matrix.size == 0:
                matrix = matrix.reshape(shape)
                object.__setattr__(self, name, matrix)
            if matrix.shape != shape or not np.isfinite(matrix).all():
                raise InputError(
                    "LinearSystem",
                    name,
                    getattr(self, name),
                    f"must be a finite matrix of {shape[0]} by {shape[1]}",
                    "The matrix a is n by n, b n by inputs, c outputs by n and d outputs by inputs",
                )

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return int(self.d.shape[1])

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return int(self.d.shape[0])

    def then(self, other: LinearSystem) -> LinearSystem:
        """This system, and another one after it."""
        if other.inputs != self.outputs:
            raise InputError(
                "LinearSystem",
                "other",
                other.inputs,
                f"must have {self.outputs} inputs, as many as there are outputs before it",
            )
        return LinearSystem(
            np.block(
                [[self.a, np.zeros((len(self.a), len(other.a)))], [other.b @ self.c, other.a]]
            ),
            np.vstack([self.b, other.b @ self.d]),
            np.hstack([other.d @ self.c, other.c]),
            other.d @ self.d,
        )

    def repeated(self, channels: int) -> LinearSystem:
        """The same system for each of some channels."""
        return side_by_side(*[self] * channels)

    def response(self, inputs: npt.ArrayLike) -> Array:
        """Outputs of inputs, one row for each step, from rest."""
        rows = np.asarray(inputs, dtype=float).reshape(-1, self.inputs)
        x, made = np.zeros(len(self.a)), np.zeros((len(rows), self.outputs))
        for k, u in enumerate(rows):
            made[k] = self.c @ x + self.d @ u
            x = self.a @ x + self.b @ u
        return made

    def at(self, frequency: float, dt: float) -> npt.NDArray[np.complex128]:
        """Frequency response."""
        z = np.exp(2j * math.pi * frequency * dt)
        inner = np.linalg.solve(z * np.eye(len(self.a)) - self.a, self.b)
        return np.asarray(self.c @ inner + self.d, dtype=complex)


def gain(matrix: npt.ArrayLike) -> LinearSystem:
    """A system without memory."""
    d = np.array(matrix, dtype=float, ndmin=2)
    return LinearSystem(np.zeros((0, 0)), np.zeros((0, d.shape[1])), np.zeros((d.shape[0], 0)), d)


def side_by_side(*systems: LinearSystem) -> LinearSystem:
    """Systems that have nothing to do with each other, as one."""
    parts = []
    for name in "abcd":
        blocks = [getattr(s, name) for s in systems]
        shape = sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)
        parts.append(block_diag(*blocks).reshape(shape))
    return LinearSystem(*parts)


def filtered(weights: npt.ArrayLike) -> LinearSystem:
    """One channel: a weighted sum of the newest input and the ones before it."""
    w = np.asarray(weights, dtype=float)
    n = len(w) - 1
    if n == 0:
        return gain(w)
    first = np.zeros((n, 1))
    first[0] = 1.0
    return LinearSystem(np.eye(n, k=-1), first, w[None, 1:], w[None, :1])


def delayed(steps: float) -> LinearSystem:
    """One channel: what was the input some steps ago, on straight lines between the steps."""
    whole = math.floor(steps)
    part = steps - whole
    return filtered([*[0.0] * whole, 1.0 - part, *([part] if part > 0.0 else [])])


def as_linear_system(given: Any, who: str) -> LinearSystem:
    """A linear system, or its four matrices."""
    if isinstance(given, LinearSystem):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 4:
        return LinearSystem(*given)
    raise InputError(
        who, "state_space", given, "must be a LinearSystem, or the matrices A, B, C and D"
    )
