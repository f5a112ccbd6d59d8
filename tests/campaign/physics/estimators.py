"""Properties of filters.

On linear systems they equal the Kalman filter; covariances stay symmetric and positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from femu.filters import KalmanFilter, StateSpace
from femu.filters.model import batched
from tests.campaign.physics.cases import systems

STEPS = 40  # of a run next to the Kalman filter
BLOCK = 2000  # steps of a long run whose covariances are kept at once
ROUND_OFF = 1e-14  # of an eigenvalue, compared with 1
EQUAL = 1e-8  # compared with the size of the state


@dataclass
class LinearSystem:
    """x' = A x + B u + v, y = H x + w with random matrices of any size, from a seed."""

    states: int
    outputs: int
    inputs: int
    seed: int
    radius: float
    noise: float

    def __post_init__(self) -> None:
        rng, n, m = np.random.default_rng(self.seed), self.states, self.outputs
        A = rng.normal(size=(n, n))
        self.A = A * self.radius / max(np.abs(np.linalg.eigvals(A)).max(), 1e-3)
        self.B, self.H = rng.normal(size=(n, self.inputs)), rng.normal(size=(m, n))
        self.Q, self.R, self.P = (
            scale * self.covariance(rng, size)
            for scale, size in ((self.noise, n), (10.0 * self.noise, m), (1.0, n))
        )
        self.x = rng.normal(size=n)

    @staticmethod
    def covariance(rng: Any, size: int) -> np.ndarray:
        root = rng.normal(size=(size, size)) + np.eye(size)
        return root @ root.T / size + 0.05 * np.eye(size)

    def model(self) -> StateSpace:
        A, B, H = self.A, self.B, self.H
        return StateSpace(
            batched(lambda x, u: x @ A.T + B @ u),
            batched(lambda x, u: x @ H.T),
            self.states,
            self.outputs,
            self.inputs,
        )

    def measured(self, steps: int, process_noise: bool) -> tuple[np.ndarray, np.ndarray]:
        """Inputs, and measurements with gaps, of a true system."""
        rng = np.random.default_rng(self.seed + 1)
        u, x, y = rng.normal(size=(steps, self.inputs)), rng.multivariate_normal(self.x, self.P), []
        for row in u:
            x = self.A @ x + self.B @ row
            if process_noise:
                x = x + rng.multivariate_normal(np.zeros(self.states), self.Q)
            y.append(self.H @ x + rng.multivariate_normal(np.zeros(self.outputs), self.R))
        found = np.array(y)
        found[rng.random(found.shape) < 0.1] = np.nan
        return u, found


def linear_systems() -> st.SearchStrategy[LinearSystem]:
    """Of one to six states, stable and unstable."""
    return st.builds(
        LinearSystem,
        st.integers(1, 6),
        st.integers(1, 4),
        st.integers(0, 2),
        st.integers(0, 2**31),
        st.floats(0.2, 1.05),
        st.floats(-4.0, 0.0).map(lambda power: 10.0**power),
    )


def by_hand(
    system: LinearSystem, Q: Any, u: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The textbook's Kalman filter: last mean and covariance."""
    x, P = system.x, system.P
    for row, given in zip(u, y, strict=True):
        x, P = system.A @ x + system.B @ row, system.A @ P @ system.A.T + Q
        seen = np.isfinite(given)
        H, R = system.H[seen], system.R[np.ix_(seen, seen)]
        if seen.any():
            gain = np.linalg.solve(H @ P @ H.T + R, H @ P).T
            rest = np.eye(len(x)) - gain @ H
            # Joseph's form stays positive
            x, P = x + gain @ (given[seen] - H @ x), rest @ P @ rest.T + gain @ R @ gain.T
    return x, P


def linear(name: str, system: LinearSystem) -> None:
    """A filter on a linear system equals the Kalman filter (sampled ones are compared in
    tests/filters)."""
    noise = name not in systems.WITHOUT_REDRAW
    u, y = system.measured(STEPS, noise)
    Q = system.Q if noise else np.zeros_like(system.Q)
    exact = KalmanFilter(system.A, system.H, Q, system.R, control=system.B)
    wanted = exact.run(exact.init(system.x, system.P), y, u)
    x, P = by_hand(system, Q, u, y)
    size = 1.0 + np.abs(wanted.mean).max()
    assert np.abs(wanted.mean[-1] - x).max() <= EQUAL * size, "mean by hand"
    assert np.abs(wanted.covariance[-1] - P).max() <= EQUAL * np.abs(wanted.covariance).max(), (
        "covariance by hand"
    )
    made = systems.EVERY[name](system.model(), Q, system.R)
    found = made.run(made.init(system.x, system.P, seed=system.seed), y, u)
    again = made.run(made.init(system.x, system.P, seed=system.seed), y, u)
    assert (
        found.mean.tobytes() == again.mean.tobytes()
        and found.covariance.tobytes() == again.covariance.tobytes()
    ), "bits"
    half = made.run(
        made.init(system.x, system.P, seed=system.seed), y[: STEPS // 2], u[: STEPS // 2]
    ).final.copy()
    rest = made.run(half, y[STEPS // 2 :], u[STEPS // 2 :])
    assert rest.final.vector.tobytes() == found.final.vector.tobytes(), "bits from a copy"
    sound(name, found, noise)
    if name in systems.EXACT or name in systems.WITHOUT_REDRAW:
        assert np.abs(found.mean - wanted.mean).max() <= EQUAL * size, "mean"
        assert (
            np.abs(found.covariance - wanted.covariance).max()
            <= EQUAL * np.abs(wanted.covariance).max()
        ), "covariance"


def sound(name: str, history: Any, noise: bool = True) -> None:
    """Covariances are symmetric, and positive definite; of particles with all weight on one of them
    they are zero.

    Without process noise directions come to be known exactly: there an eigenvalue is round-off.
    """
    P = history.covariance
    assert np.isfinite(history.mean).all() and np.isfinite(P).all(), "not finite"
    assert np.abs(P - np.swapaxes(P, 1, 2)).max() <= 1e-12 * np.abs(P).max(), "not symmetric"
    spread = np.sqrt(np.maximum(np.diagonal(P, axis1=1, axis2=2), 1e-300))
    least = np.linalg.eigvalsh(P / (spread[:, :, None] * spread[:, None, :])).min()
    assert (
        least >= -1e-9 if name in systems.MONTE_CARLO else least > (0.0 if noise else -ROUND_OFF)
    ), f"eigenvalue {least:.3g}"


def long_run(name: str, system: LinearSystem, steps: int) -> None:
    """Random measurements with gaps for a long time.

    The covariance stays symmetric and positive definite.
    """
    made = systems.EVERY[name](
        systems.linear_model(), system.noise * systems.Q, system.noise * systems.R
    )
    rng = np.random.default_rng(system.seed)
    estimate, left = made.init(systems.X0, systems.P0, seed=system.seed), steps
    while left > 0:
        y = rng.normal(0.0, 3.0, (min(left, BLOCK), 2))
        y[rng.random(y.shape) < 0.05] = np.nan
        history = made.run(estimate, y)
        estimate = history.final
        sound(name, history)
        left -= len(y)
