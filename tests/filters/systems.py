"""Systems that the filters are tested on, and one maker for each filter."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from femu.filters import (
    EKF,
    UKF,
    AdaptiveUKF,
    AuxiliaryUnscentedPF,
    Bounds,
    ConstrainedUKF,
    CubatureKF,
    EnsembleKF,
    ExtendedPF,
    IntervalUKF,
    KalmanFilter,
    ParticleFilter,
    SquareRootUKF,
    StateSpace,
    UnscentedPF,
)
from femu.filters.base import Filter
from femu.kernels import inlined

A = np.array([[1.0, 0.1], [-0.2, 0.95]])
H = np.array([[1.0, 0.0], [0.3, 1.0]])
Q = np.array([[0.01, 0.002], [0.002, 0.02]])
R = np.array([[0.1, 0.02], [0.02, 0.2]])
X0 = np.array([0.0, 1.0])
P0 = np.array([[1.0, 0.3], [0.3, 2.0]])


@inlined
def linear_process(x, u):
    return x[0] + 0.1 * x[1], -0.2 * x[0] + 0.95 * x[1]


@inlined
def linear_measurement(x, u):
    return x[0], 0.3 * x[0] + x[1]


@inlined
def decay_process(x, u):
    """A decay with unknown rate x[1], driven by u: nonlinear in the state."""
    return x[0] + 0.1 * (u[0] - x[1] * x[0]), x[1]


@inlined
def decay_measurement(x, u):
    return (x[0] + 0.1 * x[0] ** 3,)


def linear_model() -> StateSpace:
    return StateSpace(linear_process, linear_measurement, states=2, outputs=2)


def decay_model() -> StateSpace:
    return StateSpace(
        decay_process, decay_measurement, states=2, outputs=1, inputs=1, names=("level", "rate")
    )


def simulate(steps: int, seed: int, noise: Any = Q) -> tuple[np.ndarray, np.ndarray]:
    """States and measurements of the linear system."""
    generator = np.random.default_rng(seed)
    x = generator.multivariate_normal(X0, P0)
    states, outputs = [], []
    for _ in range(steps):
        x = A @ x + generator.multivariate_normal(np.zeros(2), noise)
        states.append(x)
        outputs.append(H @ x + generator.multivariate_normal(np.zeros(2), R))
    return np.array(states), np.array(outputs)


def kalman(process_noise: Any = Q, measurement_noise: Any = R) -> KalmanFilter:
    return KalmanFilter(A, H, process_noise, measurement_noise)


Maker = Callable[..., Filter]

EXACT: dict[str, Maker] = {
    "EKF": EKF,
    "UKF": UKF,
    "UKF scaled": lambda m, q, r, **k: UKF(m, q, r, alpha=0.5, kappa=0.0, **k),
    "SquareRootUKF": SquareRootUKF,
    "SquareRootUKF scaled": lambda m, q, r, **k: SquareRootUKF(m, q, r, alpha=0.5, kappa=0.0, **k),
    "CubatureKF": CubatureKF,
    "IntervalUKF": lambda m, q, r, bounds=None: IntervalUKF(
        m, q, r, bounds or Bounds.none(m.states)
    ),
    "AdaptiveUKF": lambda m, q, r, **k: AdaptiveUKF(
        m, q, r, growth=0.0, learn_noise=False, gate=0.0, **k
    ),
}
"""Filters that equal the Kalman filter on a linear system."""

WITHOUT_REDRAW: dict[str, Maker] = {
    "UKF no redraw": lambda m, q, r, **k: UKF(m, q, r, redraw=False, **k),
    "ConstrainedUKF": lambda m, q, r, bounds=None: ConstrainedUKF(
        m, q, r, bounds or Bounds.none(m.states)
    ),
    "ConstrainedUKF published": lambda m, q, r, bounds=None: ConstrainedUKF(
        m, q, r, bounds or Bounds.none(m.states), margin=0.0
    ),
}
"""Filters that measure the propagated points: equal to the Kalman filter for Q = 0."""


def monte_carlo(members: int, particles: int, kalman_particles: int) -> dict[str, Maker]:
    """Filters that draw, with this number of members, particles, and particles that are Kalman filters of
    their own."""
    many = {"particles": kalman_particles}
    return {
        "EnsembleKF": lambda m, q, r, **k: EnsembleKF(m, q, r, members=members, **k),
        "ParticleFilter": lambda m, q, r, **k: ParticleFilter(m, q, r, particles=particles, **k),
        "ExtendedPF": lambda m, q, r, **k: ExtendedPF(m, q, r, draw=False, **many, **k),
        "UnscentedPF": lambda m, q, r, **k: UnscentedPF(m, q, r, draw=False, **many, **k),
        "UnscentedPF drawn": lambda m, q, r, **k: UnscentedPF(m, q, r, draw=True, **many, **k),
        "AuxiliaryUnscentedPF": lambda m, q, r, **k: AuxiliaryUnscentedPF(
            m, q, r, draw=True, **many, **k
        ),
    }


MONTE_CARLO = monte_carlo(200, 500, 50)
FEW = monte_carlo(50, 100, 20)
"""The same with few particles: quicker, and their covariance is nearer to singular."""

ADAPTIVE: dict[str, Maker] = {"AdaptiveUKF default": AdaptiveUKF}

EVERY: dict[str, Maker] = EXACT | WITHOUT_REDRAW | MONTE_CARLO | ADAPTIVE

DECAY_BOUNDS = Bounds([-inf, 0.0], [inf, 1.0])
