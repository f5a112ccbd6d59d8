"""The report of a batch.

How the runs ended, drifts, and for an incremental dynamic analysis its curves and fragility.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.batch import IDACurves, fit_curves, plots
from femu.batch.result import BatchResult
from femu.report.environment import environment_section
from femu.report.page import Page
from femu.support.errors import AnalysisError, InputError
from femu.units import g

MOST_FAILURES = 30


def report_of_batch(found: BatchResult) -> Page:
    """The page of a batch, finished or not."""
    ida = found.settings.get("kind") == "ida"
    what = "Incremental dynamic analysis" if ida else "Suite of records"
    sets = len(found.parameter_values) if found.parameter_names else 1
    lead = f"{len(found)} runs of {len(found.record_names)} records" + (
        f" and {sets} sets of parameters." if sets > 1 else "."
    )
    page = Page(f"femu report · {what.lower()}", f"{what} of {found.model}", lead)
    page.section("Summary")
    counts = found.counts()
    page.table(
        "How the runs ended.",
        ("outcome", "runs"),
        [(o.name.lower().replace("_", " "), n) for o, n in counts.items()],
    )
    drifts = found.largest_drift[np.isfinite(found.largest_drift)]
    if len(drifts):
        page.facts(
            [
                ("median of the largest storey drifts", 100 * float(np.median(drifts)), "%"),
                ("84 % of the runs stay below", 100 * float(np.percentile(drifts, 84)), "%"),
                ("largest storey drift", 100 * float(drifts.max()), "%"),
                ("records", len(found.record_names), ""),
            ]
        )
    page.table("Settings.", ("", "value"), [(k, str(v)) for k, v in found.settings.items()])
    page.section("Drifts")
    page.figure(
        lambda: plots.plot_drifts(found),
        "Peak storey drifts over the height: each run thin, median and envelope thick.",
    )
    if ida:
        _ida(page, found)
    if found.parameter_names:
        page.section("Parameters")
        page.table(
            "Parameters that were varied.",
            ("parameter", "least", "mean", "largest"),
            [
                (name, float(v.min()), float(v.mean()), float(v.max()))
                for name, v in zip(found.parameter_names, found.parameter_values.T, strict=True)
            ],
        )
    page.section("Failures and warnings")
    failures = found.failures()
    page.notes([("failed", failure) for failure in failures[:MOST_FAILURES]])
    page.paragraph(
        f"{len(failures)} of {len(found)} runs failed." if failures else "No run failed."
    )
    page.notes([("note", f"not drawn: {problem}") for problem in page.problems])
    environment_section(page, found.environment, found.path.name)
    return page


def _ida(page: Page, found: BatchResult) -> None:
    page.section("Incremental dynamic analysis")
    curves = IDACurves.of(found)
    page.figure(
        lambda: plots.plot_ida(curves),
        "Intensity over the largest storey drift; a flat line marks collapse.",
    )
    page.table(
        "By which criterion records collapsed.",
        ("criterion", "records"),
        [(how.name.lower().replace("_", " "), n) for how, n in curves.counts().items()],
    )
    try:
        fragility: Any = fit_curves(curves)
    except (AnalysisError, InputError) as problem:
        page.paragraph(f"There is no fragility curve: {problem}")
        return
    unit = 1.0 if curves.scale_by == "factor" else g
    page.facts(
        [
            ("median collapse intensity", fragility.median / unit, "" if unit == 1.0 else "g"),
            ("dispersion", fragility.dispersion, ""),
        ]
    )
    page.figure(
        lambda: plots.plot_fragility(fragility, curves),
        "Probability of collapse with its 90 % band, and the collapses of the records.",
    )
