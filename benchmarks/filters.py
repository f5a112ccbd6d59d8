"""``femu bench filters``: time of a filter step, against filterpy 2.0.0 and the time that Wang et
al. (2021) needed.

One problem for the unscented filters: six states, 13 sigma points, Bouc-Wen by Runge-Kutta as
process (Wu and Wang 2014, section 3). filterpy is given the same functions twice: as plain Python,
and compiled by numba. One problem for the particle filters: Wang et al. (2021), 100 particles. Each
figure is the best of several repetitions in this process.
"""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from femu.filters import EKF, UKF, AdaptiveUKF, ConstrainedUKF, CubatureKF, SquareRootUKF
from femu.filters.base import Filter
from femu.filters.bouc_wen import advance, bouc_wen, bouc_wen_bounds
from femu.studies import offline_identification, particle_filters
from femu.support.tables import Row, Table

FILTERPY = "2.0.0"
AT_LEAST = 100.0  # times faster than filterpy
AT_MOST = 0.5  # ms for a step of the auxiliary unscented particle filter
PAPER_AUPF = 200.0  # ms, Wang et al. (2021)


def best_of(repetitions: int, work: Callable[[], Any]) -> float:
    """Shortest wall time of ``work`` (s)."""
    shortest = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest


def step_time(
    estimator: Filter,
    start: tuple[Any, Any],
    measured: np.ndarray,
    inputs: np.ndarray,
    repetitions: int,
) -> float:
    """Seconds per step in the compiled loop."""
    estimate = estimator.init(start[0], np.diag(start[1]))
    estimator.run(estimate, measured[:2], inputs[:2])  # compile
    return best_of(repetitions, lambda: estimator.run(estimate, measured, inputs)) / len(measured)


def called_step_time(
    estimator: Filter,
    start: tuple[Any, Any],
    measured: np.ndarray,
    inputs: np.ndarray,
    repetitions: int,
) -> float:
    """Seconds per step (predict and update) when each is called from Python, in place."""
    estimate = estimator.init(start[0], np.diag(start[1]))
    outputs = measured.reshape(-1, 1)

    def work() -> None:
        for u, y in zip(inputs, outputs, strict=True):
            estimator.predict(estimate, u, out=estimate)
            estimator.update(estimate, y, u, out=estimate)

    estimator.predict(estimate, inputs[0], out=estimate)
    return best_of(repetitions, work) / len(measured)


def plain_process(x: np.ndarray, dt: float, u: np.ndarray) -> np.ndarray:
    """The Bouc-Wen process in plain Python, for filterpy."""
    _, _, beta, gamma, n, _ = x
    v = u[0]

    def rate(z: float) -> float:
        size = abs(z) ** max(n, 0.05)
        return v - (beta * abs(v) * np.sign(z) + gamma * v) * size

    z = x[0]
    k1 = rate(z)
    k2 = rate(z + 0.5 * dt * k1)
    k3 = rate(z + 0.5 * dt * k2)
    k4 = rate(z + dt * k3)
    out = x.copy()
    out[0] = z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return out


@njit
def compiled_process(x, dt, u):
    """The same, compiled: what a user of filterpy would write for speed."""
    out = x.copy()
    out[0] = advance(x[0], u[0], u[0], u[0], dt, x[2], x[3], x[4])
    return out


@njit
def compiled_measurement(x, u):
    out = np.empty(1)
    out[0] = x[5] * x[1] * u[1] + (1.0 - x[5]) * x[1] * x[0]
    return out


def filterpy_time(
    compiled: bool, measured: np.ndarray, inputs: np.ndarray, repetitions: int
) -> float:
    """Seconds per step of filterpy's UKF with Julier points (κ = 0.5)."""
    from filterpy.kalman import JulierSigmaPoints, UnscentedKalmanFilter

    def plain_measurement(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.array([x[5] * x[1] * u[1] + (1.0 - x[5]) * x[1] * x[0]])

    def work() -> None:
        peer = UnscentedKalmanFilter(
            6,
            1,
            inputs[0, 2],
            compiled_measurement if compiled else plain_measurement,
            compiled_process if compiled else plain_process,
            JulierSigmaPoints(6, kappa=0.5),
        )
        peer.x = np.array(offline_identification.X0)
        peer.P = np.diag(offline_identification.P0)
        peer.Q = offline_identification.Q * np.eye(6)
        peer.R = offline_identification.R * np.eye(1)
        for u, y in zip(inputs, measured, strict=True):
            peer.predict(u=u)
            peer.update(np.array([y]), u=u)

    work()
    return best_of(repetitions, work) / len(measured)


def run(quick: bool = False) -> Table:
    """The table of the benchmark.

    Longer than a page: the rows of the table, one after the other.
    """
    repetitions = 3
    given = offline_identification.problem()
    model, bounds = bouc_wen(), bouc_wen_bounds()
    noise, R = offline_identification.Q, offline_identification.R
    measured = given.measured(0.02, seed=0)
    start = (offline_identification.X0, offline_identification.P0)
    filters: dict[str, Filter] = {
        "UKF": UKF(model, noise, R),
        "SquareRootUKF": SquareRootUKF(model, noise, R),
        "CubatureKF": CubatureKF(model, noise, R),
        "EKF": EKF(model, noise, R),
        "ConstrainedUKF": ConstrainedUKF(model, noise, R, bounds),
        "AdaptiveUKF": AdaptiveUKF(model, noise, R, bounds),
    }
    few = 50 if quick else 200
    peers = {"plain Python model": False, "@njit model": True}
    notes = ["Best of several repetitions, taken in turns; the peers run in the same process."]
    try:
        version = importlib.metadata.version("filterpy")
    except importlib.metadata.PackageNotFoundError:
        peers = {}
        notes.append(
            f"filterpy is not installed: the comparison needs pip install filterpy=={FILTERPY}."
        )
    times = dict.fromkeys(filters, float("inf"))
    theirs = dict.fromkeys(peers, float("inf"))
    called = float("inf")
    for _ in range(3 if quick else 8):  # in turns, so that a busy machine slows all of them alike
        for name, estimator in filters.items():
            times[name] = min(
                times[name], step_time(estimator, start, measured, given.inputs, repetitions)
            )
        called = min(
            called, called_step_time(filters["UKF"], start, measured[:500], given.inputs[:500], 3)
        )
        for text, compiled in peers.items():
            theirs[text] = min(
                theirs[text], filterpy_time(compiled, measured[:few], given.inputs[:few], 1)
            )
    rows = [
        Row(f"{name}, 6 states, compiled loop", 1e6 * seconds, "us/step")
        for name, seconds in times.items()
    ]
    rows.append(Row("UKF, each step called from Python", 1e6 * called, "us/step"))
    for text, seconds in theirs.items():
        ratio = seconds / times["UKF"]
        rows.append(Row(f"filterpy {version} UKF, {text}", 1e6 * seconds, "us/step"))
        rows.append(
            Row(
                f"UKF faster than filterpy, {text}",
                ratio,
                "times",
                None,
                f">= {AT_LEAST:g}",
                ratio >= AT_LEAST,
            )
        )
        rows.append(
            Row(f"UKF called from Python, faster than filterpy, {text}", seconds / called, "times")
        )
    test = particle_filters.displacement_test()
    outputs = test.measured(0)[:200]
    for name, make in particle_filters.makers().items():
        seconds = step_time(
            make(), (particle_filters.X0, particle_filters.P0), outputs, test.inputs[:200], 5
        )
        limited = name == "AUPF"
        rows.append(
            Row(
                f"{name}, 100 particles, compiled loop",
                1e3 * seconds,
                "ms/step",
                PAPER_AUPF if limited else None,
                f"< {AT_MOST:g} ms" if limited else "",
                bool(1e3 * seconds < AT_MOST) if limited else None,
            )
        )
    return Table("Filters: time of one step", rows, notes)
