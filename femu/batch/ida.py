"""Incremental dynamic analysis (Vamvatsikos and Cornell 2002): each record at rising intensity
until collapse.

The curve of a record is traced by hunt and fill. *Hunt*: the intensity rises from ``first``, by
``step`` and each time by ``growth`` more, until a run collapses. *Bracket*: the gap between the
highest run that survives and the lowest that collapses is halved until it is less than
``resolution`` of the former. *Fill*: what is left of ``runs`` halves the widest gaps below. Which
run comes next follows from the runs before it alone, so an interrupted analysis continues as if
nothing had happened.

A run collapses by one of three criteria, counted apart: a storey reaches the ``drift_limit`` of the
plan; a step does not converge; or the curve has gone flat: from the next lower run to this one the
drift grows more than 1 / ``flat_slope`` times as fast as in the first, elastic, run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.batch.batch import Batch
from femu.batch.outcome import RunOutcome
from femu.batch.plan import Task
from femu.batch.result import BatchResult
from femu.batch.results_file import ResultsFile
from femu.batch.runner import Demand
from femu.support.arguments import typed_methods
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]

CONCLUSIVE = (RunOutcome.COMPLETE, RunOutcome.LIMIT_REACHED, RunOutcome.NOT_CONVERGED)
"""Outcomes that show whether the structure survives."""


class Collapse(IntEnum):
    """By which criterion a run counts as collapse."""

    NONE = 0
    DRIFT_LIMIT = 1
    FLAT_CURVE = 2
    NOT_CONVERGED = 3


@typed_methods
@dataclass(frozen=True)
class Tracing:
    """How the curve of a record is traced; see the module."""

    first: float
    step: float
    growth: float = 0.0
    runs: int = 12
    resolution: float = 0.1
    flat_slope: float = 0.2

    def __post_init__(self) -> None:
        for name in ("first", "step", "resolution"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0.0):
                raise InputError("Tracing", name, value, "must be above 0")
        if not (
            isinstance(self.growth, (int, float))
            and math.isfinite(self.growth)
            and self.growth >= 0.0
        ):
            raise InputError("Tracing", "growth", self.growth, "must not be negative")
        if not (isinstance(self.flat_slope, (int, float)) and 0.0 <= self.flat_slope < 1.0):
            raise InputError(
                "Tracing",
                "flat_slope",
                self.flat_slope,
                "must lie from 0 to below 1",
                "0 turns it off",
            )
        if isinstance(self.runs, bool) or not isinstance(self.runs, int) or self.runs < 2:
            raise InputError("Tracing", "runs", self.runs, "must be a whole number of at least 2")

    def next(self, intensities: Sequence[float], collapsed: Sequence[bool]) -> float | None:
        """The intensity of the next run, from those done so far; None when the curve is traced."""
        if len(collapsed) != len(intensities):
            raise InputError(
                "Tracing.next",
                "intensities, collapsed",
                (intensities, collapsed),
                "must have equal lengths",
            )
        done = len(intensities)
        if done >= self.runs:
            return None
        if done == 0:
            return self.first
        fallen = [x for x, c in zip(intensities, collapsed, strict=True) if c]
        if not fallen:
            return max(intensities) + self.step + self.growth * (done - 1)
        lowest = min(fallen)
        standing = sorted(
            x for x, c in zip(intensities, collapsed, strict=True) if not c and x < lowest
        )
        top = standing[-1] if standing else 0.0
        if lowest - top > self.resolution * top:
            return 0.5 * (lowest + top)
        points = [0.0, *standing]
        gaps = np.diff(points)
        widest = int(gaps.argmax())
        if gaps[widest] <= self.resolution * top:
            return None
        return float(0.5 * (points[widest] + points[widest + 1]))


def collapses(
    tracing: Tracing,
    intensities: Sequence[float],
    drifts: Sequence[float],
    outcomes: Sequence[RunOutcome],
) -> list[Collapse]:
    """By which criterion each run of one record collapses.

    Runs in the order in which they were done.
    """
    found: list[Collapse] = []
    for k, (x, drift, outcome) in enumerate(zip(intensities, drifts, outcomes, strict=True)):
        if outcome is RunOutcome.LIMIT_REACHED:
            found.append(Collapse.DRIFT_LIMIT)
        elif outcome is not RunOutcome.COMPLETE:
            found.append(Collapse.NOT_CONVERGED)
        else:
            below = [j for j in range(k) if found[j] is Collapse.NONE and intensities[j] < x]
            flat = False
            if below and tracing.flat_slope > 0.0 and found[0] is Collapse.NONE:
                j = max(below, key=lambda i: intensities[i])
                elastic = intensities[0] / drifts[0] if drifts[0] > 0.0 else math.inf
                flat = (
                    drift > drifts[j]
                    and (x - intensities[j]) / (drift - drifts[j]) < tracing.flat_slope * elastic
                )
            found.append(Collapse.FLAT_CURVE if flat else Collapse.NONE)
    return found


@dataclass(frozen=True)
class IDA(Batch):
    """Incremental dynamic analysis of a plan with a set of records.

    ::

        plan = Plan(model, gravity=LoadControl(pattern="gravity"), scale_by="sa", period=0.9)
        curves = IDA(plan, records, Tracing(first=0.05*g, step=0.2*g)).trace("ida.h5")
        curves.fractiles()
    """

    tracing: Tracing = Tracing(1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.tracing, Tracing):
            raise InputError("IDA", "tracing", self.tracing, "must be a Tracing")

    def trace(self, path: Any, **options: Any) -> IDACurves:
        """Run (see `run` for the options) and return the curves."""
        return IDACurves.of(self.run(path, **options))

    def runs(self) -> dict[str, np.ndarray]:
        records, most = len(self.records), self.tracing.runs
        return {
            "record": np.repeat(np.arange(records), most),
            "scale": np.full(records * most, np.nan),
            "parameter_set": np.zeros(records * most, dtype=int),
        }

    def settings(self) -> dict[str, Any]:
        t = self.tracing
        return {
            "kind": "ida",
            "first": t.first,
            "step": t.step,
            "growth": t.growth,
            "runs": t.runs,
            "resolution": t.resolution,
            "flat_slope": t.flat_slope,
        }

    def feed(self, file: ResultsFile) -> _Hunt:
        return _Hunt(self.tracing, len(self.records), file)


class _Hunt:
    """The next run of each record, as soon as the one before it is done."""

    def __init__(self, tracing: Tracing, records: int, file: ResultsFile) -> None:
        self._tracing = tracing
        self._changed = threading.Condition()
        self._stopped = False
        self._found: list[list[tuple[float, float, RunOutcome]]] = [[] for _ in range(records)]
        self._ready: list[Task] = []
        self._under_way = 0
        for record in range(records):
            for k in range(tracing.runs):
                index = record * tracing.runs + k
                if not file.done(index):
                    break
                demand = file.read(index)
                self._found[record].append(
                    (file.scale(index), demand.largest_drift, demand.outcome)
                )
            self._plan(record)

    def _plan(self, record: int) -> None:
        found = self._found[record]
        if found and found[-1][2] not in CONCLUSIVE:
            return  # a record that is refused, or a run that died, gives no next intensity
        x = [f[0] for f in found]
        fallen = [
            c is not Collapse.NONE
            for c in collapses(self._tracing, x, [f[1] for f in found], [f[2] for f in found])
        ]
        scale = self._tracing.next(x, fallen)
        if scale is not None:
            self._ready.append(Task(record * self._tracing.runs + len(found), record, scale, 0))

    def take(self) -> Task | None:
        with self._changed:
            while not self._stopped and not self._ready and self._under_way:
                self._changed.wait()
            if self._stopped or not self._ready:
                return None
            self._under_way += 1
            return self._ready.pop(0)

    @property
    def finished(self) -> bool:
        return not self._ready and not self._under_way

    def give(self, task: Task, demand: Demand) -> None:
        with self._changed:
            self._under_way -= 1
            self._found[task.record].append((task.scale, demand.largest_drift, demand.outcome))
            self._plan(task.record)
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


@typed_methods
@dataclass(frozen=True, eq=False)
class IDACurves:
    """Curves of an incremental dynamic analysis.

    For each record, intensities and drifts of the runs that survive.
    """

    records: list[str]
    intensities: list[Array]
    drifts: list[Array]
    standing: Array
    """Highest intensity at which each record did not collapse the structure (0 if none)."""
    collapse: Array
    """Lowest intensity at which each record collapsed it; infinite if none did."""
    criteria: list[list[Collapse]]
    """How each run of each record counts, in the order in which they were done."""
    scale_by: str

    @classmethod
    def of(cls, result: BatchResult) -> IDACurves:
        """The curves of a result."""
        settings = result.settings
        if settings.pop("kind") != "ida":
            raise InputError("IDACurves", "result", result, "must come from an IDA")
        tracing = Tracing(**settings)
        names, xs, ys, standing, collapse, criteria = [], [], [], [], [], []
        outcomes = result.outcomes
        for record, name in enumerate(result.record_names):
            rows = [
                k
                for k in np.flatnonzero(result["run_record"] == record)
                if outcomes[k] in CONCLUSIVE
            ]
            if not rows:
                continue
            x, y = result["scale"][rows], result.largest_drift[rows]
            how = collapses(tracing, x.tolist(), y.tolist(), [outcomes[k] for k in rows])
            fallen = np.array([c is not Collapse.NONE for c in how])
            lowest = float(x[fallen].min()) if fallen.any() else math.inf
            upright = ~fallen & (x < lowest)
            order = np.argsort(x[upright])
            names.append(name)
            xs.append(x[upright][order])
            ys.append(y[upright][order])
            standing.append(float(x[upright].max()) if upright.any() else 0.0)
            collapse.append(lowest)
            criteria.append(how)
        return cls(
            names,
            xs,
            ys,
            np.array(standing),
            np.array(collapse),
            criteria,
            result.attributes["scale_by"],
        )

    def counts(self) -> dict[Collapse, int]:
        """How many records first collapse by which criterion (NONE: did not collapse)."""
        found = dict.fromkeys(Collapse, 0)
        for how in self.criteria:
            fallen = [c for c in how if c is not Collapse.NONE]
            found[fallen[-1] if fallen else Collapse.NONE] += 1
        return found

    def intensity_at(self, drifts: npt.ArrayLike) -> Array:
        """Intensity at which each record first reaches given drifts.

        Rows of records; the collapse intensity beyond.
        """
        wanted = np.atleast_1d(np.asarray(drifts, dtype=np.float64))
        if wanted.ndim != 1 or np.isnan(wanted).any():
            raise InputError("IDACurves.intensity_at", "drifts", drifts, "must be a row of numbers")
        rows = np.empty((len(self.records), wanted.size))
        for r, (x, y, top) in enumerate(
            zip(self.intensities, self.drifts, self.collapse, strict=True)
        ):
            x0, y0 = np.concatenate([[0.0], x]), np.maximum.accumulate(np.concatenate([[0.0], y]))
            for c, drift in enumerate(wanted):
                at = int(np.searchsorted(y0, drift))
                if at >= len(y0):
                    rows[r, c] = top
                elif at == 0:
                    rows[r, c] = 0.0
                else:
                    rows[r, c] = x0[at - 1] + (x0[at] - x0[at - 1]) * (drift - y0[at - 1]) / (
                        y0[at] - y0[at - 1]
                    )
        return rows

    def fractiles(
        self, drifts: npt.ArrayLike | None = None, shares: Sequence[float] = (0.16, 0.5, 0.84)
    ) -> tuple[Array, Array]:
        """Drifts, and for each share the intensity that this share of the records reaches them at
        or below."""
        if drifts is None:
            most = max((float(y.max()) for y in self.drifts if y.size), default=0.0)
            drifts = np.linspace(0.0, most, 101)
        at = np.atleast_1d(np.asarray(drifts, dtype=np.float64))
        for share in shares:
            if not 0.0 <= share <= 1.0:
                raise InputError(
                    "IDACurves.fractiles", "shares", shares, "must lie between 0 and 1"
                )
        rows = np.sort(self.intensity_at(at), axis=0)
        # the empirical fractile itself, not a mean of two: some records may have no finite collapse
        # intensity
        picks = [max(math.ceil(share * len(rows) - 1e-9) - 1, 0) for share in shares]
        return at, rows[picks]
