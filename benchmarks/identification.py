"""``femu bench identification``: `femu.identify` on emulated specimens whose parameters are known,
from random starts.

A Bouc-Wen link, a coupon of Menegotto-Pinto steel and a force-based column with an N-M section,
each with noise that the identification has to find; starts are uniform over the inner 80 % of the
bounds. For each method: the largest relative error of a parameter (median and worst over the
cases), and the share of parameters whose truth lies within ±2σ, 95 % for a method whose standard
deviations are right. If FEMU_SPECIMENS names a folder with the measured steel coupon, the residual
of the twins too.
"""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.elements import ForceBeamColumn
from femu.experimental.specimens.basic_system import BasicSystem
from femu.identify import Identification, Recording, identify
from femu.materials import BoucWen, MenegottoPinto, NMSection
from femu.support.tables import Row, Table
from femu.updating import Unknown

Array = npt.NDArray[np.float64]
CASES, QUICK_CASES = 15, 4
WORST, COVERED = 5.0, 80.0  # limits of the ways that use the whole record, in %
INNER = 0.1  # share of the bounds at each end in which no case starts
FOLDER = "FEMU_SPECIMENS"
EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "steel_coupon.py"


def link(alpha: float, k: float, beta: float) -> BoucWen:
    return BoucWen(alpha=alpha, k=k, beta=beta, gamma=0.5, n=2.0)


def steel(E: float, fy: float, b: float, cR1: float) -> MenegottoPinto:
    return MenegottoPinto(E=E, fy=fy, b=b, R0=20.0, cR1=cR1, cR2=0.15, a1=0.03, a3=0.03)


def column(yield_force: float, plastic_moment: float, b: float) -> ForceBeamColumn:
    section = NMSection(
        EA=1.5e6, EI=1.8e4, yield_force=yield_force, plastic_moment=plastic_moment, b=b
    )
    return ForceBeamColumn("column", "i", "j", section=section)


def cycles(samples: int, peak: float, seconds: float = 6.0) -> tuple[Array, Array]:
    """Times and displacements of cycles of one second that grow to a peak."""
    t: Array = seconds * np.arange(1.0, samples + 1.0) / samples
    return t, (peak * t / t[-1] * np.sin(2 * np.pi * t))[:, None]


def column_path() -> tuple[Array, Array]:
    """Times and basic displacements of a column under compression that varies, bent at both ends."""
    t: Array = 0.01 * np.arange(1.0, 801.0)
    grown: Array = np.minimum(t / 6.0, 1.0)
    return t, np.stack(
        [
            -2e-3 * grown * (1.0 + 0.3 * np.sin(1.1 * t)),
            0.03 * grown * np.sin(2 * np.pi * t),
            0.024 * grown * np.sin(2 * np.pi * t + 0.4),
        ],
        axis=1,
    )


def forces_of(of: Any, path: Array, length: float = 1.0) -> Array:
    """Forces of a material or element that follows a path."""
    system = BasicSystem(of, length=length)
    committed = system.virgin()
    trial, forces = committed.copy(), []
    for row in path:
        force, _ = system.evaluate(committed, trial, row)
        committed[:] = trial
        forces.append(force.copy())
    return np.array(forces)


@dataclass(frozen=True)
class Emulated:
    """A specimen with known parameters along a path."""

    make: Callable[..., Any]
    truth: Mapping[str, float]
    unknowns: Mapping[str, Unknown]
    path: tuple[Array, Array]
    noise: tuple[float, ...]
    length: float = 1.0

    def recording(self, seed: int = 1) -> Recording:
        """What a test would have recorded."""
        t, d = self.path
        f = forces_of(self.make(*self.truth.values()), d, self.length)
        return Recording(
            d,
            f + np.array(self.noise) * np.random.default_rng(seed).standard_normal(f.shape),
            t,
            name="emulated",
        )

    def identified(self, *start: float, seed: int = 1) -> Identification:
        """The identification of one such test, from a twin with these values."""
        return identify(self.recording(seed), self.make(*start), self.unknowns, length=self.length)


SPECIMENS = {
    "Bouc-Wen link": Emulated(
        link,
        {"alpha": 0.1, "k": 50.0, "beta": 0.5},
        {
            "alpha": Unknown(lower=0.01, upper=0.3),
            "k": Unknown(lower=20.0, upper=90.0),
            "beta": Unknown(lower=0.1, upper=1.5),
        },
        cycles(800, 5.0),
        (1.0,),
    ),
    "Menegotto-Pinto coupon": Emulated(
        steel,
        {"E": 200e3, "fy": 350.0, "b": 0.015, "cR1": 0.9},
        {
            "E": Unknown(lower=150e3, upper=250e3),
            "fy": Unknown(lower=200.0, upper=500.0),
            "b": Unknown(lower=0.001, upper=0.05),
            "cR1": Unknown(lower=0.8, upper=0.98),
        },
        cycles(1000, 0.015),
        (2.0,),
    ),
    "N-M column": Emulated(
        column,
        {"section.yield_force": 2000.0, "section.plastic_moment": 200.0, "section.b": 0.02},
        {
            "section.yield_force": Unknown(lower=1400.0, upper=2600.0),
            "section.plastic_moment": Unknown(lower=140.0, upper=280.0),
            "section.b": Unknown(lower=0.005, upper=0.05),
        },
        column_path(),
        (2.0, 0.5, 0.5),
        3.0,
    ),
}


def cases(specimen: Emulated, count: int) -> list[Identification]:
    """Identifications with noise of different seeds, from random starts."""
    rng = np.random.default_rng(0)
    ends = np.array([(u.lower, u.upper) for u in specimen.unknowns.values()], dtype=float)
    inside = INNER + (1.0 - 2.0 * INNER) * rng.random((count, len(ends)))
    starts = ends[:, 0] + inside * (ends[:, 1] - ends[:, 0])
    return [specimen.identified(*map(float, start), seed=seed) for seed, start in enumerate(starts)]


def errors(specimen: Emulated, found: list[Identification], way: int) -> tuple[Array, float]:
    """Largest relative error of a parameter in each case, and the share of parameters within two
    standard deviations."""
    truth = np.array(list(specimen.truth.values()))
    means = np.array([one.ways[way].mean for one in found])
    spreads = np.array([list(one.ways[way].std.values()) for one in found])
    return np.abs(means / truth - 1.0).max(axis=1), float(
        (np.abs(means - truth) <= 2.0 * spreads).mean()
    )


def measured_rows() -> list[Row]:
    """Residuals of twins of the measured coupons, if those are available."""
    if not os.environ.get(FOLDER) or not EXAMPLE.exists():
        return []
    rows, before = [], os.environ.get("FEMU_COUPON")
    try:
        for number in ("1", "2"):
            os.environ["FEMU_COUPON"] = number
            defined = runpy.run_path(str(EXAMPLE))
            for name, case in defined["cases"].items():
                found = identify(defined["recording"], *case)
                rows += [
                    Row(
                        f"measured coupon {number}, {name}: unexplained, {way.name}",
                        100.0 * float(way.unexplained.max()),
                        "%",
                    )
                    for way in found.ways
                ]
    finally:
        if before is None:
            del os.environ["FEMU_COUPON"]
        else:
            os.environ["FEMU_COUPON"] = before
    return rows


def run(quick: bool = False) -> Table:
    """Errors of each way on each specimen."""
    count, rows = QUICK_CASES if quick else CASES, []
    for name, specimen in SPECIMENS.items():
        found = cases(specimen, count)
        for way in range(3):
            largest, covered = errors(specimen, found, way)
            worst, label, judged = (
                100.0 * float(largest.max()),
                f"{name}, {found[0].ways[way].name}",
                way > 0,
            )
            rows += [
                Row(f"{label}: largest error, median", 100.0 * float(np.median(largest)), "%"),
                Row(
                    f"{label}: largest error, worst",
                    worst,
                    "%",
                    None,
                    f"< {WORST:g} %" if judged else "",
                    worst < WORST if judged else None,
                ),
                Row(
                    f"{label}: truth within ±2σ",
                    100.0 * covered,
                    "%",
                    95.0,
                    f"> {COVERED:g} %" if judged else "",
                    100.0 * covered > COVERED if judged else None,
                ),
            ]
        agreed = sum(one.agree for one in found)
        rows += [
            Row(f"{name}: cases in which the three methods agree", agreed, f"of {count}"),
            Row(
                f"{name}: cases reported to be in the twin's class",
                sum(one.in_class for one in found),
                f"of {count}",
                None,
                "all",
                all(one.in_class for one in found),
            ),
        ]
    return Table(
        "offline identification from random starts",
        rows + measured_rows(),
        [
            "Forward is the filter of the updater. It cannot take back what the branches of "
            "Menegotto-Pinto remember of earlier parameters; the reports of those cases say that "
            "it is off.",
            f"Set {FOLDER} to the folder that holds steel_coupon for the measured rows, from a "
            "checkout.",
        ],
    )
