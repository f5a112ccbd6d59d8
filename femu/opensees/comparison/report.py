"""Tables of cross-validation results."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from femu.opensees.comparison.case import Verdict
from femu.opensees.comparison.compare import Difference
from femu.opensees.comparison.remainder import MOST
from femu.opensees.comparison.run import crossvalidate, run_cases
from femu.opensees.comparison.script import Script
from femu.opensees.comparison.suite import suite
from femu.opensees.comparison.suite.frames import RECORDS, far_field
from femu.support.tables import Row, Table


def of_suite(
    quick: bool, groups: tuple[str, ...], seen: Callable[[str], None] | None = None
) -> Table:
    """Table of the suite: one row per case."""
    began = time.perf_counter()
    chosen = suite(quick, groups)
    labels = [group for group, cases in chosen.items() for _ in cases]
    verdicts = run_cases([case for cases in chosen.values() for case in cases], seen=seen)
    rows = [verdict_row(group, verdict) for group, verdict in zip(labels, verdicts, strict=True)]
    same = [v.worst.largest for v in verdicts if v.worst and not v.case.reason]
    kept = sum(v.ok for v in verdicts)
    notes = [
        f"{kept} of {len(verdicts)} cases within their limit, in {time.perf_counter() - began:.0f} "
        f"s. Largest difference if the formulation is the same: {max(same, default=math.nan):.1e} "
        "of the peak of its kind."
    ]
    reasons: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.case.reason:
            reasons.setdefault(verdict.case.reason, []).append(verdict.case.name)
    notes += [f"{'; '.join(names)}: {reason}" for reason, names in reasons.items()]
    if "frames" in groups and far_field() is None:
        notes.append(
            "Frames ran under El Centro and an artificial far-field motion. To add a recorded one, "
            f"let the environment variable {RECORDS} name a folder with the far-field set of FEMA "
            "P-695."
        )
    return Table(
        "femu against openseespy: largest difference, as a share of the peak of its kind",
        rows,
        notes,
    )


def verdict_row(group: str, verdict: Verdict) -> Row:
    """The row of one case."""
    case, worst = verdict.case, verdict.worst
    name = f"{group}: {case.name}"
    if worst is None:
        return Row(
            name,
            "not compared",
            reference=verdict.message or "nothing to compare",
            limit=str(case.limit),
            ok=False,
        )
    value = worst.largest if math.isfinite(case.limit.largest) else worst.rms
    return Row(
        name,
        f"{value:.1e}" + ("" if math.isfinite(case.limit.largest) else " rms"),
        reference=where(worst),
        limit=str(case.limit),
        ok=verdict.ok,
    )


def where(found: Difference) -> str:
    """Place and time of the largest difference, as text."""
    place = "" if found.where == found.kind else f"{found.where}, "
    return f"{found.kind}: {place}{found.when}"


def _limit_text(verdict: Verdict, kind: str) -> str:
    return (
        f"within {verdict.limit_of(kind).largest:.2g}" if verdict.left else str(verdict.case.limit)
    )


def of_script(script: Script) -> Table:
    """Table of one model: one row per kind of quantity."""
    verdict = crossvalidate(script.model, script.analysis, script.motion, duration=script.duration)
    bounded = not verdict.notes
    rows = [
        Row(
            found.kind,
            f"{found.largest:.1e}",
            reference=f"{found.where}, {found.when}",
            limit=_limit_text(verdict, found.kind) if bounded else "",
            ok=verdict.limit_of(found.kind).keeps(found) if bounded else None,
        )
        for found in verdict.found
    ]
    notes = ["Differences are shares of the peak of their kind."]
    if verdict.left:
        notes.append(
            f"A limit is {verdict.case.limit.largest:g}, for rounding, plus what convergence tests "
            "leave: what each program changes by when its tolerance is a tenth, and what your own "
            f"test leaves in femu, up to {MOST:g}."
        )
    if not bounded:
        notes += [
            *verdict.notes,
            "So no limit is set. Root mean square of the difference, and difference of the peaks:",
        ]
        notes += [
            f"{found.kind}: rms {found.rms:.2g}, peaks {found.of_peaks:.2g}"
            for found in verdict.found
        ]
    return Table(f"{script.model.name} in femu and in openseespy", rows, notes)
