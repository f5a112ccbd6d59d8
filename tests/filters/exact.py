"""The Kalman filter in exact fractions, for problems that double precision cannot be trusted with."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

DIGITS = 2**300  # fractions are cut here after each step, or they would grow without end

Matrix = list[list[Fraction]]


def matrix(values: Any) -> Matrix:
    return [[Fraction(float(v)) for v in row] for row in np.atleast_2d(values)]


def times(a: Matrix, b: Matrix) -> Matrix:
    return [
        [sum((a[i][k] * b[k][j] for k in range(len(b))), Fraction(0)) for j in range(len(b[0]))]
        for i in range(len(a))
    ]


def plus(a: Matrix, b: Matrix, sign: int = 1) -> Matrix:
    return [[x + sign * y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def transposed(a: Matrix) -> Matrix:
    return [list(row) for row in zip(*a, strict=True)]


def inverse_of_two(a: Matrix) -> Matrix:
    determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    return [
        [a[1][1] / determinant, -a[0][1] / determinant],
        [-a[1][0] / determinant, a[0][0] / determinant],
    ]


def cut(a: Matrix) -> Matrix:
    return [[Fraction(int(v * DIGITS), DIGITS) for v in row] for row in a]


def exact_kalman(
    A: Any, H: Any, Q: Any, R: Any, mean: Any, covariance: Any, outputs: Any
) -> np.ndarray:
    """Mean after the last of the measurements, for two outputs."""
    a, h, q, r = matrix(A), matrix(H), matrix(Q), matrix(R)
    x, P = transposed(matrix(mean)), matrix(covariance)
    for row in outputs:
        x, P = times(a, x), plus(times(times(a, P), transposed(a)), q)
        S = plus(times(times(h, P), transposed(h)), r)
        K = times(times(P, transposed(h)), inverse_of_two(S))
        x = cut(plus(x, times(K, plus(transposed(matrix(row)), times(h, x), -1))))
        P = cut(plus(P, times(times(K, S), transposed(K)), -1))
    return np.array([float(v[0]) for v in x])
