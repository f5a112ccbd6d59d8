"""Good calls of records, batches, incremental dynamic analyses, fragilities and the comparison with
OpenSees."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from femu import GroundMotion
from femu import batch as ba
from femu import records as re
from femu.analyses import LoadControl, Transient
from femu.materials import Bilinear
from femu.opensees import comparison as cv
from tests.campaign.bad_calls import Call
from tests.campaign.bad_model import frame

QUAKE = GroundMotion("quake", 0.01, np.sin(0.1 * np.arange(300)))
SPECTRUM = ([0.2, 1.0], [3.0, 3.0])


def records() -> Iterator[Call]:
    QUAKE.to_csv("quake.csv")
    QUAKE.to_at2("quake.at2")
    Path("quake.txt").write_text("0.0\n1.0\n0.0\n")
    Path("columns.txt").write_text("0.0 0.0\n0.01 1.0\n0.02 0.0\n")
    for measure in (
        re.arias_intensity,
        re.cumulative_absolute_velocity,
        re.housner_intensity,
        re.peak_displacement,
        re.peak_velocity,
        re.significant_duration,
    ):
        yield Call(measure, QUAKE)
    yield from (
        Call(re.response_spectrum, QUAKE, [0.5, 1.0]),
        Call(re.rotated_spectrum, QUAKE, QUAKE, [0.5, 1.0]),
        Call(re.synthetic, 1, duration=20.0, dt=0.05),
        Call(re.spectrum_compatible, 1, *SPECTRUM, duration=20.0, dt=0.05, rounds=1),
        Call(re.scaled_to_spectrum, [QUAKE], *SPECTRUM),
        Call(GroundMotion, "quake", 0.01, QUAKE.acceleration),
        Call(GroundMotion.from_csv, "quake.csv"),
        Call(GroundMotion.from_at2, "quake.at2"),
        Call(GroundMotion.from_text, "quake.txt", 0.01, "g"),
        Call(GroundMotion.from_columns, "columns.txt", "g"),
        Call(GroundMotion.to_csv, "copy.csv", on=lambda: QUAKE),
        Call(GroundMotion.to_at2, "copy.at2", on=lambda: QUAKE),
        Call(GroundMotion.baseline_corrected, 2, on=lambda: QUAKE),
        Call(GroundMotion.filtered, 0.5, 10.0, on=lambda: QUAKE),
        Call(GroundMotion.resampled, 0.02, on=lambda: QUAKE),
        Call(GroundMotion.sa, 1.0, on=lambda: QUAKE),
        Call(GroundMotion.scaled, pga=2.0, on=lambda: QUAKE),
        Call(GroundMotion.scaled, sa=2.0, period=1.0, on=lambda: QUAKE),
        Call(GroundMotion.scaled, factor=2.0, on=lambda: QUAKE),
        Call(GroundMotion.spectrum, [0.5, 1.0], on=lambda: QUAKE),
        Call(GroundMotion.trimmed, 0.5, 2.0, on=lambda: QUAKE),
    )


def batches() -> Iterator[Call]:
    plan, vary = ba.Plan(frame(), Transient()), {"a": ba.Uniform(0.0, 1.0)}
    curves = ba.IDACurves(
        ["a", "b"],
        [np.array([1.0, 2.0])] * 2,
        [np.array([0.01, 0.02])] * 2,
        np.array([2.0, 2.0]),
        np.array([3.0, 2.5]),
        [[], []],
        "factor",
    )
    fragility = ba.Fragility(1.0, 0.4, np.eye(2) * 1e-3, -1.0)
    hands = ThreadPoolExecutor(1)
    suite = ba.Suite(plan, [QUAKE])
    suite.run("batch.h5", on=hands)
    traced = ba.IDA(plan, [QUAKE], ba.Tracing(1.0, 1.0, runs=2)).run("ida.h5", on=hands)
    yield from (
        Call(ba.Normal, 1.0, 0.1),
        Call(ba.Lognormal, 1.0, 0.1),
        Call(ba.Uniform, 0.0, 1.0),
        Call(ba.latin_hypercube, vary, 4, 1),
        Call(ba.sobol, vary, 4, 1),
        Call(ba.fit_counts, [1.0, 2.0, 3.0], [1, 2, 5], [6, 6, 6]),
        Call(ba.fit_intervals, [1.0, 2.0, 3.0], [2.0, 3.0, 5.0]),
        Call(ba.fit_curves, _collapsing()),
        Call(ba.Fragility.probability, 1.0, on=lambda: fragility),
        Call(ba.Fragility.band, 1.0, on=lambda: fragility),
        Call(ba.IDACurves.intensity_at, 0.01, on=lambda: curves),
        Call(ba.IDACurves.fractiles, on=lambda: curves),
        Call(ba.IDACurves.of, traced, may=("result",)),
        Call(ba.ModelSource, "module:function"),
        Call(ba.Plan, frame(), Transient(), LoadControl()),
        Call(ba.RecordFile, "quake.at2", derived=True),
        Call(ba.Suite, plan, [QUAKE]),
        Call(ba.IDA, plan, [QUAKE]),
        Call(ba.Tracing, 1.0, 1.0),
        Call(ba.Tracing.next, [1.0], [False], on=lambda: ba.Tracing(1.0, 1.0)),
        Call(ba.BatchResult.load, "batch.h5", may=("stopped",), derived=True),
        Call(
            _run,
            "again.h5",
            hands,
            may=("path", "on", "workers", "resume", "progress"),
            derived=True,
        ),
    )


def _run(path: Any, on: Any, workers: Any = None, resume: Any = True, progress: Any = None) -> Any:
    """`Suite.run` with its options in places of their own.

    If a run shows nothing, its file has NaN.
    """
    return ba.Suite(ba.Plan(frame(), Transient()), [QUAKE]).run(
        path, on=on, workers=workers, resume=resume, progress=progress
    )


def _collapsing() -> ba.IDACurves:
    three = [np.array([1.0])] * 3
    return ba.IDACurves(
        ["a", "b", "c"],
        three,
        three,
        np.array([1.0, 2.0, 3.0]),
        np.array([2.0, 3.0, 5.0]),
        [[]] * 3,
        "factor",
    )


def comparisons() -> Iterator[Call]:
    yield from (
        Call(cv.Limit, 1e-9),
        Call(cv.Stage, LoadControl(), may=("analysis", "motion", "peer")),
        Call(cv.EigenCase, "column", frame, 1),
        Call(cv.ModelCase, "column", frame, [cv.Stage(LoadControl())]),
        Call(cv.PathCase, "steel", Bilinear(2e11, 3e8), [0.0, 1e-3], may=("path",)),
        Call(cv.run_cases, [], seconds=5.0),
    )


def calls() -> list[Call]:
    return [*records(), *batches(), *comparisons()]
