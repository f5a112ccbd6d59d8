"""Model-based compensation: an inverse ahead, and feedback of the tracking error (LQG)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_discrete_are, solve_discrete_lyapunov, svd

from femu.experimental.compensation.compiled import (
    COMPENSATOR,
    CompiledCompensation,
    a_plant,
    fits,
    positive,
    whole,
)
from femu.experimental.compensation.derivatives import backward_differences
from femu.experimental.compensation.inverse_series import inverse_series
from femu.experimental.compensation.kernel_parts import remember
from femu.experimental.specimens.plant import HEAD as PLANT_HEAD
from femu.experimental.specimens.plant import Plant
from femu.kernels.compiler import inlined, kernel, shift

Array = npt.NDArray[np.float64]
HEAD = 3
SETTLED, MOST_STEPS = 5.0, 20_000  # time constants of the slowest pole, steps
NEGLIGIBLE = 1e-7  # of the largest: states of the plant that commands hardly move


@inlined
def parts(p, s):
    """Weights, transition, input, output, gains of feedback and of the filter; state of the error,
    feedback, target and work."""
    m, points, n = int(p[0]), int(p[1]), int(p[2])
    weights = shift(p, HEAD)
    transition = shift(weights, m * points * m)
    entry = shift(transition, n * n)
    output = shift(entry, n * m)
    feedback = shift(output, m * n)
    correction = shift(feedback, m * n)
    x = shift(s, points * m)
    added = shift(x, n)
    work = shift(added, m)
    return weights, transition, entry, output, feedback, correction, x, added, work


@kernel(COMPENSATOR)
def lqg_command(p, s, target, out):
    """Inverse of the target, and feedback of the estimated state of the error."""
    m, points, n = int(p[0]), int(p[1]), int(p[2])
    weights, _, _, _, feedback, _, x, added, _ = parts(p, s)
    remember(s, target, m, points)
    for row in range(m):
        back = 0.0
        for k in range(n):
            back -= feedback[row * n + k] * x[k]
        total = back
        for k in range(points * m):
            total += weights[row * points * m + k] * s[k]
        added[row] = back
        out[row] = total
    return 0


@kernel(COMPENSATOR)
def lqg_measured(p, s, now, out):
    """One step of the Kalman filter for the state of the error."""
    m, n = int(p[0]), int(p[2])
    _, transition, entry, output, _, correction, x, added, work = parts(p, s)
    for row in range(n):
        total = 0.0
        for k in range(n):
            total += transition[row * n + k] * x[k]
        for k in range(m):
            total += entry[row * m + k] * added[k]
        work[row] = total
    for row in range(n):
        x[row] = work[row]
    for k in range(m):
        total = now[k] - s[k]  # the last target
        for a in range(n):
            total -= output[k * n + a] * x[a]
        work[n + k] = total
    for row in range(n):
        for k in range(m):
            x[row] += correction[row * m + k] * work[n + k]
    return 0


class LQGCompensation(CompiledCompensation):
    """Commands by a fixed inverse of the ``plant`` and by feedback of the tracking error (LQG).

    The error between reached and wanted displacement obeys the plant, driven by the feedback and by
    white noise of the standard deviation ``disturbance`` at its input. A Kalman filter estimates its
    state from measurements with the ``noise``, and a linear quadratic regulator, for which a command
    of feedback costs ``effort`` times an error of the same size, brings it to zero. The inverse is of
    an ``order`` from 1 to 4.
    """

    command_kernel = lqg_command
    measured_kernel = lqg_measured

    def __init__(
        self,
        plant: Plant,
        *,
        noise: float,
        disturbance: float,
        effort: float = 0.3,
        order: int = 3,
    ) -> None:
        who = "LQGCompensation"
        self.plant, self.order = a_plant(who, plant), whole(who, "order", order, 1, 4)
        self.noise = positive(who, "noise", noise)
        self.disturbance = positive(who, "disturbance", disturbance)
        self.effort = positive(who, "effort", effort)

    def settings(self) -> dict[str, Any]:
        names = ("plant", "noise", "disturbance", "effort", "order")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        m = self.size
        fits("LQGCompensation", self.plant, m)
        a, b, c = _balanced(self.plant, self.dt)
        n = len(a)
        cost = solve_discrete_are(a, b, c.T @ c, self.effort**2 * np.eye(m))
        feedback = np.linalg.solve(self.effort**2 * np.eye(m) + b.T @ cost @ b, b.T @ cost @ a)
        entered, seen = self.disturbance**2 * b @ b.T, self.noise**2 * np.eye(m)
        known = solve_discrete_are(a.T, c.T, entered, seen)
        correction = known @ c.T @ np.linalg.inv(c @ known @ c.T + seen)
        series = inverse_series(self.plant, self.order, self.dt)
        differences = backward_differences(self.order, self.dt)
        weights = np.einsum("kij,kt->itj", series, differences)
        points = differences.shape[1]
        blocks = (weights, a, b, c, feedback, correction)
        p = np.concatenate([[m, points, n], *(np.ravel(block) for block in blocks)])
        return p, np.zeros(points * m + 2 * n + 2 * m)


def _balanced(plant: Plant, dt: float) -> tuple[Array, Array, Array]:
    """The discrete plant in states that commands reach as well as outputs show them.

    States that take no part are left out; a command must not reach an output at once.
    """
    p = plant.step_parameters(dt)
    m = plant.size
    n = len(np.asarray(plant.a))
    width = n + 2 * m
    moved = p[PLANT_HEAD : PLANT_HEAD + n * width].reshape(n, width)
    a, b, c = moved[:, :n], moved[:, n : n + m], np.asarray(plant.c)
    steps = int(np.ceil(SETTLED / (dt * np.abs(np.linalg.eigvals(np.asarray(plant.a)).real).min())))
    state, scale = np.zeros((n, m)), np.zeros(n)
    for _ in range(min(steps, MOST_STEPS)):  # the largest response to a step of each command
        state = a @ state + b
        scale = np.maximum(scale, np.abs(state).max(axis=1))
    scale = np.where(scale > 0.0, scale, 1.0)
    a, b, c = a * scale / scale[:, None], b / scale[:, None], c * scale
    reach = solve_discrete_lyapunov(a, b @ b.T)
    show = solve_discrete_lyapunov(a.T, c.T @ c)
    left = _root(reach)
    u, values, v = svd(_root(show).T @ left)
    kept = values > NEGLIGIBLE * values[0]
    root = np.sqrt(values[kept])
    back = left @ v[kept].T / root
    there = (_root(show) @ u[:, kept] / root).T
    return there @ a @ back, there @ b, c @ back


def _root(matrix: Array) -> Array:
    """L of a matrix L L' that may lack rank."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
