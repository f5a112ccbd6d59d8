"""Inverse of a plant with zeros: a polynomial in s and a part with the zeros as its poles.

H(s)^-1 = P0 + P1 s + P2 s^2 + ... + sum over the zeros z of R / (s - z)

The zeros are the finite eigenvalues of the pencil of [A B; C D] and [I 0; 0 0]. With them the inverse
is linear in P and R, which are fitted to it over a band of frequencies; half a step, by which a held
command acts early, is taken back in the fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import eig, expm

from femu.experimental.specimens.plant import Plant
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
POINTS = 200  # frequencies of the fit
FAR = 1e6  # eigenvalues this many times larger than the poles of the plant are infinite


class DynamicInverse(NamedTuple):
    """The inverse for steps of a length: polynomial (order + 1, m, m), and the discrete system of its
    other part, w_1 = transition w_0 + before t_0 + after t_1, with its output."""

    polynomial: Array
    transition: Array
    before: Array
    after: Array
    output: Array


def zeros_of(plant: Plant) -> npt.NDArray[np.complex128]:
    """Finite zeros of a plant."""
    a, b, c, d = (np.asarray(part) for part in (plant.a, plant.b, plant.c, plant.d))
    n, m = b.shape
    unit = float(np.abs(np.linalg.eigvals(a)).max())
    size = [np.linalg.norm(part) or 1.0 for part in (b, c)]
    pencil = np.block([[a / unit, b / size[0]], [c / size[1], d * unit / (size[0] * size[1])]])
    right = np.zeros_like(pencil)
    right[:n, :n] = np.eye(n)
    found = eig(pencil, right, right=False, homogeneous_eigvals=True)
    finite = np.abs(found[1]) > np.abs(found[0]) / FAR
    made = unit * found[0][finite] / found[1][finite]
    return made[np.abs(made) < 1e3 * unit]


def dynamic_inverse(plant: Plant, order: int, dt: float, band: float) -> DynamicInverse:
    """The inverse with a polynomial of an ``order``, fitted up to a frequency (cycles a time)."""
    m, zeros = plant.size, zeros_of(plant)
    if (zeros.real >= 0.0).any():
        rule = "must have its zeros left of the imaginary axis: its inverse is unstable"
        raise InputError("Plant", "zeros", zeros.tolist(), rule)
    upper = zeros[zeros.imag > 1e-9 * np.abs(zeros)]
    real = zeros[np.abs(zeros.imag) <= 1e-9 * np.abs(zeros)].real
    frequency = band * np.linspace(1e-3, 1.0, POINTS)
    s, w = 2j * np.pi * frequency, 2.0 * np.pi * band
    wanted = np.linalg.inv(plant.gain(frequency)) * np.exp(-0.5 * dt * s)[:, None, None]
    columns = [(s / w) ** k for k in range(order + 1)]
    blocks = [np.array([[z]]) for z in real]
    columns += [-z / (s - z) for z in real]
    for z in upper:  # (s, 1) / ((s - z) (s - z conjugate)), a pair of states
        below = (s - z) * (s - z.conjugate())
        columns += [abs(z) * s / below, abs(z) ** 2 / below]
        blocks.append(np.array([[0.0, 1.0], [-(abs(z) ** 2), 2.0 * z.real]]))
    basis = np.stack(columns, axis=1)
    share = 1.0 / np.linalg.norm(wanted.reshape(POINTS, -1), axis=1)[:, None]
    left = np.vstack([(share * basis).real, (share * basis).imag])
    right = share * wanted.reshape(POINTS, -1)
    found = np.linalg.lstsq(left, np.vstack([right.real, right.imag]), rcond=1e-12)[0]
    found = found.reshape(-1, m, m)
    polynomial = found[: order + 1] / w ** np.arange(order + 1.0)[:, None, None]
    return _discrete(polynomial, blocks, found[order + 1 :], [*(-real), *np.abs(upper)], m, dt)


def _discrete(
    polynomial: Array, blocks: list[Array], shares: Array, units: list[float], m: int, dt: float
) -> DynamicInverse:
    """The part with poles for targets that run straight between the steps."""
    size = sum(len(block) for block in blocks) * m
    transition, output = np.zeros((size, size)), np.zeros((m, size))
    before, after = np.zeros((size, m)), np.zeros((size, m))
    at = used = 0
    for block, unit in zip(blocks, units, strict=True):
        n = len(block)
        whole = np.zeros((n + 2, n + 2))
        whole[:n, :n], whole[n - 1, n], whole[n, n + 1] = block, 1.0, 1.0 / dt
        moved = expm(dt * whole)[:n]
        for channel in range(m):
            rows = slice(at, at + n)
            transition[rows, rows] = moved[:, :n]
            before[rows, channel] = moved[:, n] - moved[:, n + 1]
            after[rows, channel] = moved[:, n + 1]
            # state 0 is 1 / below, state 1 its derivative
            gains = (
                [unit * shares[used]]
                if n == 1
                else [unit**2 * shares[used + 1], unit * shares[used]]
            )
            for k, gain in enumerate(gains):
                output[:, at + k] = gain[:, channel]
            at += n
        used += n
    return DynamicInverse(polynomial, transition, before, after, output)


def inverse_differences(nominal: Plant, plants: list[Plant], order: int, band: float) -> Array:
    """By how much the inverses of plants differ from that of the nominal one, as polynomials fitted
    over a band: (plants, order + 1, m, m)."""
    m, w = nominal.size, 2.0 * np.pi * band
    frequency = band * np.linspace(1e-3, 1.0, POINTS)
    s = 2j * np.pi * frequency
    basis = np.stack([(s / w) ** k for k in range(order + 1)], axis=1)
    first = np.linalg.inv(nominal.gain(frequency))
    share = 1.0 / np.linalg.norm(first.reshape(POINTS, -1), axis=1)[:, None]
    left = np.vstack([(share * basis).real, (share * basis).imag])
    made = []
    for plant in plants:
        right = share * (np.linalg.inv(plant.gain(frequency)) - first).reshape(POINTS, -1)
        found = np.linalg.lstsq(left, np.vstack([right.real, right.imag]), rcond=None)[0]
        made.append(found.reshape(-1, m, m) / w ** np.arange(order + 1.0)[:, None, None])
    return np.array(made)
