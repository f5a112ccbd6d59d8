"""``femu reproduce online-offline``: an updater on consistent histories against least squares over
the record so far.

Twins with the law of the specimen follow a path, and the measured force has 2 % noise. At several times
from the first yielding on, the force path of the estimate is compared with the exact one, and so is
that of bounded least squares with the same prior and the true noise: the best that any estimator can
do with the data so far. A ratio of 1 is as good. Least squares starts from the true parameters and
from the estimate, and the lower sum of squares counts: from the truth alone it stays at the truth
where a law is discontinuous in its parameters, although others fit the record better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from femu.elements import DisplacementBeamColumn
from femu.experimental.specimens.basic_system import BasicSystem
from femu.materials import (
    BoucWen,
    FibreSection,
    KentParkTension,
    MenegottoPinto,
    ModifiedIMK,
    QuadrilinearPinching,
    TrilinearPinching,
)
from femu.plots.style import BLUE, GREEN, INK, VERMILION, figure, save, style, tidy
from femu.studies import one_bay_frame as frame
from femu.studies.storey_frame import frame_response
from femu.support.tables import Row, Table
from femu.units import GPa, MPa, mm
from femu.updating import ModelUpdater, Unknown
from femu.updating.replay import Replay

Array = npt.NDArray[np.float64]
PICTURE = Path("femu-online-offline.png")
SAMPLES, DT = 1500, 0.02
NOISE = 0.02  # of the standard deviation of the force
TIMES, QUICK_TIMES = 6, 2  # at which both are compared
YIELDED = 0.05  # of the largest force: distance from the elastic line
OUTLIERS, OUTLIER_SIZE, MISSING = 0.05, 100.0, 0.1  # of the samples, in noise, of the samples
MEDIAN, WORST, SPOILT_MEDIAN = 1.1, 1.5, 1.5
LEAST_COVERED, MOST_COVERED = 0.9, 0.99
DIVERGED = 1.0  # error of the force path, in deviations of the noise
SEEDS, QUICK_SEEDS = range(100, 108), range(100, 101)  # of records without least squares
PATHS = ("first storey", "second storey", "cycles")
MICRO = 1e6

Range = tuple[float, float, float]


@dataclass(frozen=True)
class Twin:
    """A specimen, and the unknowns of its twin as (lower, upper, start)."""

    make: Callable[[], Any]
    unknowns: dict[str, Range]
    size: tuple[float, ...]
    """Largest deformation of each channel."""
    length: float = 1.0


BOUC_WEN: dict[str, Range] = {
    "k": (60.0, 250.0, 115.0),
    "beta": (0.01, 2.0, 0.5),
    "gamma": (0.01, 2.0, 0.5),
    "n": (1.0, 4.0, 2.0),
    "alpha": (0.0, 0.5, 0.1),
}
TRILINEAR = (100.0, 0.004, 140.0, 0.02, 150.0, 0.06, -90.0, -0.004, -130.0, -0.02, -140.0, -0.06)
QUADRILINEAR = (
    *(100.0, 0.005, 150.0, 0.02, 120.0, 0.05, 30.0, 0.1),
    *(-110.0, -0.006, -140.0, -0.025, -110.0, -0.06, -20.0, -0.12),
)
PINCHING = (0.6, 0.3, -0.1, 0.5, 0.4, -0.2)


def concrete_column() -> DisplacementBeamColumn:
    """A reinforced concrete column of 3 m, 400 mm wide."""
    core = KentParkTension(
        fc=34 * MPa, peak_strain=0.003, fcu=20 * MPa, crushing_strain=0.014, ft=2.5 * MPa
    )
    section = FibreSection.reinforced_concrete(
        400 * mm,
        400 * mm,
        40 * mm,
        core=core,
        steel=MenegottoPinto(E=200 * GPa, fy=420 * MPa, b=0.01),
        bars=[(-0.15, 942 * mm**2), (0.15, 942 * mm**2)],
        fibres=8,
    )
    return DisplacementBeamColumn("c", "i", "j", section=section, points=3)


TWINS: dict[str, Twin] = {
    "Bouc-Wen": Twin(
        lambda: BoucWen(alpha=0.05, k=135.0, beta=0.2, gamma=0.2, n=1.3), BOUC_WEN, (10.0,)
    ),
    "N-M column": Twin(
        lambda: frame.column("c", "i", "j"),
        {
            name: (low, high, start)
            for name, low, high, start in zip(
                frame.NAMES, frame.LOWER, frame.UPPER, frame.INITIAL, strict=True
            )
        },
        (0.0015, 0.02, 0.016),
        frame.HEIGHT,
    ),
    "Menegotto-Pinto coupon": Twin(
        lambda: MenegottoPinto(E=200e3, fy=400.0, b=0.015, R0=18.0, cR1=0.9, cR2=0.15),
        {
            "E": (150e3, 250e3, 180e3),
            "fy": (250.0, 600.0, 330.0),
            "b": (0.001, 0.06, 0.03),
            "R0": (8.0, 30.0, 22.0),
            "cR1": (0.8, 0.97, 0.92),
        },
        (0.012,),
    ),
    "degrading Bouc-Wen": Twin(
        lambda: BoucWen(
            alpha=0.05, k=135.0, beta=0.3, gamma=0.2, n=1.3, delta_nu=0.004, delta_eta=0.006
        ),
        {**BOUC_WEN, "delta_nu": (0.0, 0.02, 0.01), "delta_eta": (0.0, 0.02, 0.01)},
        (10.0,),
    ),
    "trilinear pinching": Twin(
        lambda: TrilinearPinching(*TRILINEAR, 0.7, 0.3, 0.01, 0.02, 0.2),
        {
            "s1p": (50.0, 150.0, 80.0),
            "s2p": (100.0, 200.0, 160.0),
            "e2p": (0.01, 0.04, 0.03),
            "s1n": (-150.0, -50.0, -80.0),
            "s2n": (-200.0, -100.0, -160.0),
            "pinch_x": (0.2, 1.0, 0.5),
            "pinch_y": (0.05, 0.8, 0.5),
            "damage_2": (0.0, 0.1, 0.05),
        },
        (0.05,),
    ),
    "quadrilinear pinching": Twin(
        lambda: QuadrilinearPinching(*QUADRILINEAR, *PINCHING),
        {
            "s1p": (60.0, 160.0, 80.0),
            "s2p": (120.0, 180.0, 165.0),
            "s3p": (96.0, 144.0, 130.0),
            "s1n": (-176.0, -66.0, -90.0),
            "s2n": (-168.0, -112.0, -150.0),
            "s3n": (-132.0, -88.0, -100.0),
            "reload_strain_p": (0.36, 0.96, 0.8),
            "reload_stress_p": (0.18, 0.48, 0.4),
            "reload_strain_n": (0.3, 0.8, 0.4),
            "reload_stress_n": (0.24, 0.64, 0.5),
        },
        (0.06,),
    ),
    "modified IMK": Twin(
        lambda: ModifiedIMK(
            K=1e5, alpha_p=0.02, alpha_n=0.04, fy_p=1000.0, fy_n=800.0, lambda_s=1.0, lambda_c=1.0,
            lambda_k=1.0, c_s=1.0, c_c=1.0, c_k=1.0, theta_p_p=0.03, theta_p_n=0.03,
            theta_pc_p=0.2, theta_pc_n=0.2, residual_p=0.2, residual_n=0.2, theta_u_p=0.4,
            theta_u_n=0.4, rate_p=1.0, rate_n=1.0,
        ),
        {
            "K": (5e4, 2e5, 8e4),
            "fy_p": (500.0, 2000.0, 1300.0),
            "fy_n": (400.0, 1600.0, 1000.0),
            "alpha_p": (0.01, 0.04, 0.03),
            "lambda_s": (0.5, 2.0, 1.4),
            "theta_p_p": (0.015, 0.06, 0.04),
            "theta_pc_p": (0.1, 0.4, 0.3),
        },
        (0.06,),
    ),
    "reinforced concrete column": Twin(
        concrete_column,
        {
            "section.core.fc": (25e6, 45e6, 40e6),
            "section.core.peak_strain": (0.002, 0.005, 0.0025),
            "section.steel.fy": (300e6, 600e6, 500e6),
            "section.steel.b": (0.002, 0.03, 0.02),
        },
        (0.0006, 0.015, 0.012),
        3.0,
    ),
}  # fmt: skip


@lru_cache(maxsize=8)
def path(kind: str) -> Array:
    """A path of this kind with the largest value 1."""
    if kind == "cycles":
        t = np.linspace(0.0, 1.0, SAMPLES)
        made = np.sin(18.0 * np.pi * t) * (0.1 + 0.9 * t)
    else:
        drift = frame_response(*((1500.0, 30.0) if kind == PATHS[0] else (2500.0, 30.0))).drift
        made = drift[: 2 * SAMPLES : 2, PATHS.index(kind)]
    return np.asarray(made / np.abs(made).max())


@dataclass(frozen=True)
class Comparison:
    """Ratios and coverage at some samples, and the cost of a sample in seconds."""

    samples: Array
    ratios: Array
    covered: Array
    cost: float


class Case:
    """A twin on a path."""

    def __init__(self, twin: Twin, kind: str, seed: int, spoilt: bool = False) -> None:
        system = BasicSystem(twin.make(), length=twin.length)
        along = np.column_stack([path(kind), path(kind), np.roll(path(kind), 7)])
        along[:7, 2] = 0.0
        self.d = np.ascontiguousarray(along[:, : system.size] * np.array(twin.size))
        self.t: Array = DT * np.arange(SAMPLES, dtype=float)
        own = dict(zip(system.parameters.names, map(float, system.parameters.vector), strict=True))
        self.true = np.array([own[name] for name in twin.unknowns])
        unknowns = {
            name: Unknown(start, low, high) for name, (low, high, start) in twin.unknowns.items()
        }
        self.updater = ModelUpdater("specimen", system, unknowns, mode="consistent")
        self.exact = self.forces(self.true)
        self.sigma = NOISE * self.exact.std(axis=0)
        rng = np.random.default_rng(seed)
        self.y = self.exact + self.sigma * rng.standard_normal(self.exact.shape)
        self.usable = np.ones(self.y.shape, dtype=bool)
        if spoilt:
            wrong = rng.uniform(size=self.y.shape) < OUTLIERS
            signs = rng.choice([-1.0, 1.0], size=self.y.shape)
            self.y += np.where(wrong, OUTLIER_SIZE * self.sigma * signs, 0.0)
            missing = rng.uniform(size=self.y.shape) < MISSING
            self.y[missing] = np.nan
            self.usable = ~(wrong | missing)

    def forces(self, values: Array, samples: int = SAMPLES) -> Array:
        """Forces with some values of the unknowns."""
        given = dict(zip(self.updater.names, map(float, values), strict=True))
        return Replay(self.updater).forces(given, self.t[:samples], self.d[:samples])

    def first_yielding(self) -> int:
        elastic = self.d @ self.updater.twin.initial_stiffness().T
        away = np.abs(self.exact - elastic) > YIELDED * np.abs(self.exact).max(axis=0)
        return int(np.argmax(away.any(axis=1)))

    def offline(self, samples: int, estimate: Array) -> Array:
        """Bounded least squares over the first samples, with the prior, from two starts."""
        unknowns, part = self.updater.unknowns, slice(0, samples)
        scale = np.array([u.scale for u in unknowns])
        low, high = (np.array([getattr(u, end) for u in unknowns]) for end in ("lower", "upper"))
        start, std = (np.array([getattr(u, what) for u in unknowns]) for what in ("start", "std"))
        use = self.usable[part]

        def left(x: Array) -> Array:
            rest = (self.forces(x * scale, samples) - self.y[part]) / self.sigma
            return np.concatenate([rest[use], (x * scale - start) / std])

        found = [
            least_squares(
                left,
                np.clip(begin, low, high) / scale,
                bounds=(low / scale, high / scale),
                diff_step=1e-5,
                max_nfev=40,
            )
            for begin in (self.true, estimate)
        ]
        return np.asarray(min(found, key=lambda each: float(each.cost)).x * scale)

    def end(self) -> tuple[Array, float]:
        """The whole record: which parameters lie within two deviations, and the error of the path.

        The error is in deviations of the noise.
        """
        self.updater.start()
        self.updater.run(self.t, self.d, self.y)
        found, std = (
            np.array(list(given.values())) for given in (self.updater.values, self.updater.std)
        )
        return np.abs(found - self.true) <= 2.0 * std, self.error(found, SAMPLES)

    def error(self, values: Array, samples: int) -> float:
        """Root mean square error of the force path, in deviations of the noise."""
        left = (self.forces(values, samples) - self.exact[:samples]) / self.sigma
        return float(np.sqrt(np.mean(left**2)))

    def compare(self, times: int) -> Comparison:
        """The updater along the record, and least squares at some times."""
        self.updater.start()
        done, ratios, covered, spent = 0, [], [], 0.0
        ends = np.linspace(self.first_yielding() + SAMPLES // 20, SAMPLES, times).astype(int)
        for end in ends:
            began = time.process_time()
            self.updater.run(self.t[done:end], self.d[done:end], self.y[done:end], first=done + 1)
            spent += time.process_time() - began
            done = int(end)
            found = np.array(list(self.updater.values.values()))
            best = self.offline(done, found)
            ratios.append(self.error(found, done) / self.error(best, done))
            std = np.array(list(self.updater.std.values()))
            covered.append(np.abs(found - self.true) <= 2.0 * std)
        return Comparison(ends, np.array(ratios), np.array(covered), spent / SAMPLES)


def run(quick: bool = False, picture: Path | None = PICTURE) -> Table:
    """The table of the study; the picture is written next to it.

    Longer than a page: the rows of the table, one after the other.
    """
    table = Table("online against offline: consistent histories, ratio of errors of the force path")
    shown: dict[str, list[Comparison]] = {}
    kinds = PATHS[:1] if quick else PATHS
    Case(TWINS["Bouc-Wen"], kinds[0], 0).compare(1)  # compiles, before the time is taken
    every: list[Array] = []
    runs = diverged = 0
    for name, twin in TWINS.items():
        found = [
            Case(twin, kind, seed).compare(QUICK_TIMES if quick else TIMES)
            for seed, kind in enumerate(kinds)
        ]
        spoilt = [
            Case(twin, kind, 10 + seed, spoilt=True).compare(2) for seed, kind in enumerate(kinds)
        ]
        shown[name] = found
        for what, some, limits in (
            (name, found, (MEDIAN, WORST)),
            (f"{name}, with outliers and missing samples", spoilt, (SPOILT_MEDIAN, None)),
        ):
            table.rows.extend(
                _ratios(what, np.concatenate([c.ratios for c in some]), limits, quick)
            )
        covered = [c.covered.ravel() for c in found]
        for kind in kinds:
            for seed in QUICK_SEEDS if quick else SEEDS:
                for with_outliers in (False, True):
                    inside, error = Case(twin, kind, seed, with_outliers).end()
                    runs, diverged = runs + 1, diverged + (not error < DIVERGED)
                    if not with_outliers:
                        covered.append(inside)
        every += covered
        share = float(np.mean(np.concatenate(covered)))
        table.rows.append(Row(f"{name}: truth within 2 deviations", share, "", "0.95"))
        cost = MICRO * float(np.mean([c.cost for c in found]))
        table.rows.append(Row(f"{name}: processor time of a sample", cost, "µs", ""))
    share = float(np.mean(np.concatenate(every)))
    table.rows.append(
        Row(
            "all twins: truth within 2 deviations",
            share,
            "",
            "0.95",
            "" if quick else f"{LEAST_COVERED:g} to {MOST_COVERED:g}",
            None if quick else LEAST_COVERED <= share <= MOST_COVERED,
        )
    )
    table.rows.append(Row(f"runs that diverged, of {runs}", diverged, "", "", "0", diverged == 0))
    table.notes.append(
        f"Records: {', '.join(kinds)}; {SAMPLES} samples, {100 * NOISE:.0f} % noise. Outliers: "
        f"{100 * OUTLIERS:.0f} % of the samples by {OUTLIER_SIZE:.0f} deviations of the noise, and "
        f"{100 * MISSING:.0f} % are missing; least squares is given neither. A run diverged if at its "
        f"end the force path errs by more than {DIVERGED:g} deviation of the noise."
    )
    table.notes.append(
        "Least squares takes the better of two starts, the truth and the estimate. Trilinear pinching "
        "is discontinuous in its parameters: two neighbouring values can give different paths from "
        "some reversal on."
    )
    table.notes.append("The processor time includes the background.")
    if picture is not None:
        draw(shown, kinds, picture)
        table.notes.append(f"picture: {picture}")
    return table


def _ratios(what: str, ratios: Array, limits: tuple[float, float | None], quick: bool) -> list[Row]:
    """Rows of the median and the worst ratio."""
    rows = []
    for kind, value, most in (
        ("median", float(np.median(ratios)), limits[0]),
        ("worst", float(ratios.max()), limits[1]),
    ):
        gated = most is not None and not quick
        rows.append(
            Row(
                f"{what}: {kind} ratio",
                value,
                "",
                "",
                f"<= {most:g}" if gated else "",
                value <= most if gated and most is not None else None,
            )
        )
    return rows


def draw(shown: dict[str, list[Comparison]], kinds: tuple[str, ...], file: Path) -> None:
    """Ratios over time."""
    with style():
        made = figure(10.5, 5.5)
        axes = made.subplots(2, 4)
        for ax, (name, found) in zip(axes.flat, shown.items(), strict=False):
            for kind, case, colour in zip(kinds, found, (BLUE, VERMILION, GREEN), strict=False):
                ax.plot(
                    DT * case.samples, case.ratios, "o-", ms=3, lw=1.0, color=colour, label=kind
                )
            ax.axhline(1.0, color=INK, lw=0.8)
            ax.set_ylim(0.0, 2.0)
            ax.set_title(name)
            tidy(ax, "time (s)", "error, online / offline", legend=name == "Bouc-Wen")
    save(axes.flat[0], file)
