"""Covariance matrices in Python: read from what a user gives, factored and inverted whatever the
units of the states are.

States of one vector may differ by many powers of ten, a stiffness and a strain. Round-off that
is small compared with the largest variance is then larger than the smallest: everything here works on the
matrix of correlations, and puts the units back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.support.errors import InputError

LARGEST_VARIANCE = 1e150  # so that squares of variances are finite
# of a correlation: how far a matrix may be from a symmetric, positive semi-definite one
ROUND_OFF = 1e-9


def symmetric(what: str, argument: str, value: Any, size: int) -> np.ndarray:
    """``value`` (number, diagonal or matrix) as a symmetric positive semi-definite matrix."""
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(what, argument, value, f"must be a number, {size} variances or a {size} × "
                                                f"{size} matrix") from None
    matrix = np.eye(size) * given if given.ndim == 0 else np.diag(given) if given.ndim == 1 else given.copy()
    if matrix.shape != (size, size):
        raise InputError(what, argument, value, f"must be a number, {size} variances or a {size} × "
                                                f"{size} matrix")
    if not (np.abs(matrix) <= LARGEST_VARIANCE).all():
        raise InputError(what, argument, value, f"must be finite, and at most {LARGEST_VARIANCE:g}")
    root = np.sqrt(np.abs(np.diagonal(matrix)))
    most = np.outer(root, root)
    if (np.abs(matrix - matrix.T) > ROUND_OFF * np.maximum(most, np.abs(matrix))).any():
        raise InputError(what, argument, value, "must be symmetric")
    matrix = 0.5 * (matrix + matrix.T)
    if np.diagonal(matrix).min() < 0 or (np.abs(matrix) > (1.0 + ROUND_OFF) * most).any() or (
            np.linalg.eigvalsh(correlation(matrix)[0]).min() < -ROUND_OFF):
        raise InputError(what, argument, value,
                         "must not have a negative variance in any direction")
    return matrix


def correlation(P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrix with a unit diagonal, and the standard deviations (1 if a variance is zero)."""
    root = np.sqrt(np.abs(np.diagonal(P)))
    scale = np.where(root > 0.0, root, 1.0)
    return 0.5 * (P + P.T) / scale[:, None] / scale, scale


def lower_factor(P: np.ndarray) -> np.ndarray:
    """Lower triangular L with L L' = P, for a positive semi-definite matrix."""
    C, scale = correlation(P)
    values, vectors = np.linalg.eigh(C)
    rows = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    upper: Any = np.linalg.qr(rows, mode="r")
    return np.ascontiguousarray((upper * np.where(np.diagonal(upper) < 0, -1.0, 1.0)[:, None]).T
                                * scale[:, None])


def inverse(P: np.ndarray) -> np.ndarray:
    """Inverse of a covariance; what has no variance stays without, as in a pseudo-inverse."""
    C, scale = correlation(P)
    return np.asarray(np.linalg.pinv(C, hermitian=True) / scale[:, None] / scale)
