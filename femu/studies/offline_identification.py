"""Identification of a Bouc-Wen spring from its displacement and noisy force: the problem of Wu and
Wang (2014), section 3.

The paper's displacement is measured and not printed. It is replaced by the first-storey drift of
the frame of its section 4 under El Centro at 1500 mm/s² for 20 s, chosen so that the standard
deviation of the force is 0.42 of its peak, as printed. Everything else is as printed: R = 1.5 kN²,
Q = 1e-6 I, P0 = diag(1e-6, 10, 10, 10, 0.01, 0.01). R is not the variance of the noise, which is 10
kN² at 2 %.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from femu.filters.base import Filter
from femu.filters.bouc_wen import advance
from femu.filters.estimate import History
from femu.kernels import compiled
from femu.studies.storey_frame import DT, INITIAL_PARAMETERS, TRUE_PARAMETERS, frame_response

DURATION = 20.0
R = 1.5
Q = 1e-6
P0 = (1e-6, 10.0, 10.0, 10.0, 1e-2, 1e-2)
X0 = (0.0, *INITIAL_PARAMETERS)
NAMES = ("k", "beta", "gamma", "n", "alpha")
EARLY = 5.0  # s
SETTLED = 0.15  # band of n


@compiled
def _hysteresis(velocity, dt, beta, gamma, n, z):
    for k in range(velocity.shape[0]):
        v = velocity[k]
        z[k + 1] = advance(z[k], v, v, v, dt, beta, gamma, n)


@dataclass(frozen=True)
class Problem:
    """Inputs [v, d, dt] of each step, and the true force with its two parts at the end of each
    step."""

    inputs: np.ndarray
    force: np.ndarray
    elastic: np.ndarray
    hysteretic: np.ndarray

    def measured(self, noise: float, seed: int) -> np.ndarray:
        """Force with white noise whose standard deviation is ``noise`` of that of the force."""
        generator = np.random.default_rng(seed)
        return self.force + noise * self.force.std() * generator.standard_normal(len(self.force))


@lru_cache(maxsize=8)
def problem(peak: float = 1500.0, duration: float = DURATION) -> Problem:
    """The spring's displacement is the first-storey drift of the frame at this peak ground
    acceleration (mm/s²)."""
    displacement = frame_response(peak, duration).drift[:, 0]
    velocity = np.diff(displacement) / DT
    k, beta, gamma, n, alpha = TRUE_PARAMETERS
    z = np.zeros(len(displacement))
    _hysteresis(velocity, DT, beta, gamma, n, z)
    inputs = np.column_stack([velocity, displacement[1:], np.full(len(velocity), DT)])
    elastic, hysteretic = alpha * k * displacement[1:], (1.0 - alpha) * k * z[1:]
    return Problem(inputs, elastic + hysteretic, elastic, hysteretic)


@dataclass(frozen=True)
class Scores:
    """What is reported of one run. A run that broke down has infinite deviations."""

    force: float  # RMSD of the restoring force
    elastic: float
    hysteretic: float
    errors: np.ndarray  # final relative errors of k, β, γ, n, α
    early: np.ndarray  # largest deviations of β, γ, α in the first five seconds
    settling: float  # time from which on n stays within 0.15 of its true value, s
    broken: bool
    repairs: int


def rmsd(estimated: np.ndarray, true: np.ndarray) -> float:
    """√(Σ (F - F_true)² / Σ F_true²); infinite if the estimate is not finite."""
    if not np.isfinite(estimated).all():
        return float("inf")
    return float(np.sqrt(np.sum((estimated - true) ** 2) / np.sum(true**2)))


def score(given: Problem, history: History) -> Scores:
    """Deviations of a run from the truth."""
    z, k, _, _, _, alpha = history.mean.T
    d = given.inputs[:, 1]
    elastic, hysteretic = alpha * k * d, (1.0 - alpha) * k * z
    truth = np.array(TRUE_PARAMETERS)
    final = history.mean[-1, 1:]
    broken = not np.isfinite(history.mean).all()
    errors = np.full(5, np.inf) if broken else np.abs(final - truth) / truth
    deviation = np.abs(history.mean[:, 1:] - truth)
    early = np.max(deviation[: round(EARLY / DT)][:, [1, 2, 4]], axis=0)
    outside = np.flatnonzero(~(deviation[:, 3] <= SETTLED))
    settling = DT * float(outside[-1] + 1) if len(outside) else 0.0
    return Scores(
        rmsd(elastic + hysteretic, given.force),
        rmsd(elastic, given.elastic),
        rmsd(hysteretic, given.hysteretic),
        errors,
        early,
        settling,
        broken,
        history.final.counts["repairs"],
    )


def identify(
    make: Callable[[], Filter], given: Problem, noise: float, seeds: range
) -> list[Scores]:
    """Scores of one filter over noise seeds."""
    estimator = make()
    start = estimator.init(X0, np.diag(P0))
    return [
        score(given, estimator.run(start, given.measured(noise, seed), given.inputs))
        for seed in seeds
    ]


def medians(scores: list[Scores]) -> dict[str, float]:
    """Medians over runs."""
    table = {
        name: float(np.median([getattr(s, name) for s in scores]))
        for name in ("force", "elastic", "hysteretic")
    }
    errors = np.median([s.errors for s in scores], axis=0)
    return table | {name: float(value) for name, value in zip(NAMES, errors, strict=True)}
