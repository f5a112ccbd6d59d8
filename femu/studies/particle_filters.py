"""``femu reproduce particle-filters``: the particle filters of Wang et al. (2021), section 3.

A spring F = k0 z of Bouc-Wen type (k0 = 40 kN/m, β = γ = 20, n = 1.1) follows the ground
displacement of El Centro, scaled to 10 cm; [z, k0, β, γ, n] is identified from the force. The paper
prints one run and means of ten; the number of particles and the noise are not printed. Here N =
100, noise of the assumed variance 0.015 kN², both readings of the algorithm that work (V1b, V2),
ten runs, and a pooled set of 8 noise × 8 particle seeds.

The displacement is integrated twice from the record that comes with femu and freed from drift by a
first-order high-pass at 0.2 Hz, as agencies do; then the peak force is 1.361 kN (without it 1.308
kN).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import butter, sosfilt

from femu.filters import (
    EKF,
    UKF,
    AuxiliaryUnscentedPF,
    ExtendedPF,
    ParticleFilter,
    UnscentedPF,
)
from femu.filters.base import Filter
from femu.filters.bouc_wen import hysteretic_spring
from femu.studies.filter_pictures import draw_paths
from femu.studies.storey_frame import el_centro
from femu.support.tables import Row, Table

TRUE = np.array([40.0, 20.0, 20.0, 1.1])
NAMES = ("k0", "beta", "gamma", "n")
X0 = (0.0, 50.0, 15.0, 15.0, 2.0)
P0 = (1e-6, 113.9, 15.6, 12.7, 0.65)
Q = (1e-8, 0.045**2, 0.00009**2, 0.00001**2, 0.007**2)
W = 0.015  # kN²
DT = 0.01
STEPS = 4000
PEAK = 0.10  # m
HIGH_PASS = 0.2  # Hz
PARTICLES = 100
KINDS = ("PF", "EPF", "UPF", "AUPF")
PICTURE = Path("femu-particle-filters.png")

PAPER_FINAL = {
    "PF": (22.34, 20.41),
    "EPF": (14.95, 17.25),
    "UPF": (3.33, 14.03),
    "AUPF": (2.46, 5.58),
}
PAPER_REDUCTION = {"PF": 81.5, "EPF": 37.7, "UPF": 8.0}


@dataclass(frozen=True)
class Test:
    """Inputs [v0, v1, dt] of each step and the true force at its end."""

    inputs: np.ndarray
    force: np.ndarray

    def measured(self, seed: int) -> np.ndarray:
        return self.force + np.sqrt(W) * np.random.default_rng(seed).standard_normal(
            len(self.force)
        )


@lru_cache(maxsize=2)
def displacement_test(high_pass: bool = True) -> Test:
    """The loading of the spring, and its response."""
    record = el_centro()
    step = record.dt
    times = step * np.arange(round(STEPS * DT / step) + 1)
    acceleration = np.asarray(record.at(times))
    velocity = np.concatenate(
        [[0.0], np.cumsum(0.5 * step * (acceleration[1:] + acceleration[:-1]))]
    )
    displacement = np.concatenate([[0.0], np.cumsum(0.5 * step * (velocity[1:] + velocity[:-1]))])
    if high_pass:
        displacement = sosfilt(
            butter(1, HIGH_PASS, "high", fs=1.0 / step, output="sos"), displacement
        )
    d = np.interp(
        DT * np.arange(STEPS + 1), times, PEAK * displacement / np.abs(displacement).max()
    )
    v = np.gradient(d, DT)  # central differences inside (Eq. 26), one-sided at the ends
    inputs = np.column_stack([v[:-1], v[1:], np.full(STEPS, DT)])
    model = hysteretic_spring()
    x = np.array([0.0, *TRUE])
    force = np.empty(STEPS)
    for k in range(STEPS):
        x = model.evaluate("process", x, inputs[k])[0]
        force[k] = model.evaluate("measurement", x, inputs[k])[0, 0]
    return Test(inputs, force)


def makers(particles: int = PARTICLES, draw: bool = True) -> dict[str, Callable[[], Filter]]:
    """The four filters with the settings of the paper.

    ``draw`` chooses reading V1b (True) or V2.
    """
    model = hysteretic_spring()
    every_step: dict[str, Any] = {
        "particles": particles,
        "resampling": "multinomial",
        "resample_below": 1.0,
    }
    return {
        "PF": lambda: ParticleFilter(model, Q, W, **every_step),
        "EPF": lambda: ExtendedPF(model, Q, W, draw=draw, **every_step),
        "UPF": lambda: UnscentedPF(model, Q, W, draw=draw, **every_step),
        "AUPF": lambda: AuxiliaryUnscentedPF(model, Q, W, draw=draw, auxiliary=1.1, **every_step),
    }


@dataclass(frozen=True)
class Run:
    """Errors of one run, relative to the true k0, β, γ, n."""

    rmse: np.ndarray  # over all steps (Eq. 28)
    final: np.ndarray
    effective: float  # effective sample size over N, last step


def identify(estimator: Filter, test: Test, noise_seed: int, particle_seed: int) -> Run:
    start = estimator.init(X0, np.diag(P0), seed=particle_seed)
    history = estimator.run(start, test.measured(noise_seed), test.inputs)
    error = (history.mean[:, 1:] - TRUE) / TRUE
    count = getattr(estimator, "particles", 1)
    return Run(
        np.sqrt(np.mean(error**2, axis=0)),
        np.abs(error[-1]),
        history.final.effective_sample_size / count,
    )


def ten_runs(draw: bool, runs: int = 10, names: tuple[str, ...] = KINDS) -> dict[str, list[Run]]:
    """Each run has a noise and a particle seed of its own."""
    seeds = [(i, 1000 + i) for i in range(runs)]
    return {name: all_of(make, seeds) for name, make in makers(draw=draw).items() if name in names}


def all_of(make: Callable[[], Filter], seeds: list[tuple[int, int]]) -> list[Run]:
    """Runs with these noise and particle seeds.

    The compiled loops release the interpreter, so threads share them.
    """
    test = displacement_test()
    first = identify(make(), test, *seeds[0])  # alone: it compiles what the others share
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [first, *pool.map(lambda pair: identify(make(), test, *pair), seeds[1:])]


def pooled(draw: bool, noises: int = 8, seeds: int = 8) -> dict[str, np.ndarray]:
    """Sum of the normalised RMSE over the parameters for every pair of noise and particle seed."""
    pairs = [(i, 100 * i + j) for i in range(noises) for j in range(seeds)]
    return {
        name: np.array([r.rmse.sum() for r in all_of(make, pairs)])
        for name, make in makers(draw=draw).items()
    }


def draw_one_run(path: Path, noise_seed: int = 0, particle_seed: int = 1000) -> None:
    """The estimates of the four filters over time (reading V1b) in one of the runs, and of a single
    UKF."""
    test, model = displacement_test(), hysteretic_spring()
    single: Filter = UKF(model, Q, W, kappa=0.0, redraw=False)
    estimators = {**{name: make() for name, make in makers().items()}, "single UKF": single}
    paths = {
        name: each.run(
            each.init(X0, np.diag(P0), seed=particle_seed), test.measured(noise_seed), test.inputs
        ).mean[:, 1:]
        for name, each in estimators.items()
    }
    draw_paths(DT * np.arange(1.0, STEPS + 1), paths, NAMES, TRUE, path)


def run(quick: bool = False, picture: Path | None = PICTURE) -> Table:
    """The table of the study; the picture is written next to it.

    Longer than a page: the rows of the table, one after the other.
    """
    runs, side = (4, 2) if quick else (10, 8)
    rows = [
        Row(
            "peak force",
            float(np.abs(displacement_test().force).max()),
            "kN",
            1.361,
            "within 1 %",
            abs(np.abs(displacement_test().force).max() / 1.361 - 1.0) < 0.01,
        )
    ]
    for draw, reading in ((True, "V1b"), (False, "V2")):
        result = ten_runs(draw, runs)
        for name in KINDS:
            final = 100.0 * np.mean([r.final for r in result[name]], axis=0)
            for index, parameter in ((1, "beta"), (2, "gamma")):
                limited = name == "AUPF" and not quick
                rows.append(
                    Row(
                        f"{reading} {name}: final error of {parameter}, mean of {runs}",
                        float(final[index]),
                        "%",
                        PAPER_FINAL[name][index - 1],
                        "<= 35 %" if limited else "",
                        bool(final[index] <= 35.0) if limited else None,
                    )
                )
            if name == "AUPF":
                rows += [
                    Row(
                        f"{reading} AUPF: final error of {parameter}, mean of {runs}",
                        float(final[index]),
                        "%",
                        None,
                        f"<= {limit} %",
                        bool(final[index] <= limit),
                    )
                    for index, parameter, limit in ((0, "k0", 6), (3, "n", 10))
                ]
        means = {name: float(np.mean([r.rmse.sum() for r in result[name]])) for name in KINDS}
        for other in ("PF", "EPF", "UPF"):
            rows.append(
                Row(
                    f"{reading} AUPF lower than {other}: RMSE, {runs} runs",
                    100.0 * (1.0 - means["AUPF"] / means[other]),
                    "%",
                    PAPER_REDUCTION[other],
                    ">= 30 %" if other == "PF" else "",
                    bool(means["AUPF"] <= 0.7 * means["PF"]) if other == "PF" else None,
                )
            )
        rows.append(
            Row(
                f"{reading} UPF: effective sample size / N, median",
                float(np.median([r.effective for r in result["UPF"]])),
                "",
                "0.96-1.00",
            )
        )
        together = pooled(draw, side, side)
        for other, expected in (
            ("PF", {"V1b": 57.6, "V2": 55.4}),
            ("EPF", {"V1b": 22.9, "V2": -0.5}),
            ("UPF", {"V1b": -2.9, "V2": 3.5}),
        ):
            ratio = together["AUPF"].mean() / together[other].mean()
            rows.append(
                Row(
                    f"{reading} AUPF lower than {other}: RMSE, pooled {side}x{side}",
                    100.0 * (1.0 - ratio),
                    "%",
                    expected[reading],
                )
            )
        rows.append(
            Row(
                f"{reading} AUPF below UPF in pairs, pooled",
                float(np.mean(together["AUPF"] < together["UPF"])),
                "share",
                {"V1b": 0.41, "V2": 0.53}[reading],
            )
        )
    model = hysteretic_spring()
    for name, make in (
        ("EKF", lambda: EKF(model, Q, W)),
        ("UKF", lambda: UKF(model, Q, W, kappa=0.0, redraw=False)),
    ):
        final = 100.0 * np.mean(
            [identify(make(), displacement_test(), i, 0).final for i in range(runs)], axis=0
        )
        rows.append(Row(f"single {name}, no particles: final error of beta", float(final[1]), "%"))
    notes = [
        "Reference: the paper's printed figure (one run for final errors, ten for reductions); "
        "pooled rows: an independent rebuild.",
        "PF far worse than the others: reproduced. AUPF better than UPF by 8 %: not reproduced; "
        "over the pooled runs no difference is detectable, because the plain weights are nearly "
        "equal already.",
        "Final errors of beta and gamma scatter from run to run; the printed 2 to 6 % of AUPF is a "
        "favourable run.",
        "AUPF at twice the time of PF and six times that of EPF: not reproduced (see femu bench "
        "filters).",
    ]
    if picture is not None:
        draw_one_run(picture)
        notes.append(f"picture: {picture}")
    return Table("Particle filters of Wang et al. (2021), section 3", rows, notes)
