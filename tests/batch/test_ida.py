"""Incremental dynamic analysis.

The order of runs, the criteria of collapse, curves and fractiles.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from batch_cases import Watch, motions, plan
from ctrl_c import stopped_by_ctrl_c
from hypothesis import given
from hypothesis import strategies as st

from femu.batch import IDA, Collapse, IDACurves, RecordFile, RunOutcome, Tracing
from femu.batch.ida import collapses
from femu.support.errors import InputError

TRACING = Tracing(first=0.5, step=4.0, growth=4.0, runs=9)
COMPLETE, LIMIT, LOST = RunOutcome.COMPLETE, RunOutcome.LIMIT_REACHED, RunOutcome.NOT_CONVERGED


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, IDACurves]:
    path = tmp_path_factory.mktemp("ida") / "ida.h5"
    return path, IDA(plan(), motions(4), TRACING).trace(path, workers=1, on="threads")


@given(st.floats(0.3, 40.0), st.integers(2, 20), st.floats(0.0, 2.0))
def test_hunt_and_fill_brackets_the_collapse(capacity: float, runs: int, growth: float) -> None:
    tracing = Tracing(first=0.2, step=0.5, growth=growth, runs=runs)
    done: list[float] = []
    while (x := tracing.next(done, [d >= capacity for d in done])) is not None:
        assert x > 0.0
        assert x not in done
        done.append(x)
    assert len(done) <= runs
    fallen = [x for x in done if x >= capacity]
    if fallen and len(done) < runs:  # it ended because the curve is traced
        top = max(x for x in done if x < capacity)
        assert min(fallen) - top <= tracing.resolution * top
        assert (
            np.diff([0.0, *sorted(x for x in done if x < capacity)]).max()
            <= tracing.resolution * top
        )


def test_hunt_steps_grow_until_collapse() -> None:
    tracing = Tracing(first=1.0, step=2.0, growth=1.0, runs=9)
    assert tracing.next([], []) == 1.0
    assert tracing.next([1.0], [False]) == 3.0
    assert tracing.next([1.0, 3.0], [False, False]) == 6.0
    assert tracing.next([1.0, 3.0, 6.0], [False, False, True]) == 4.5
    assert tracing.next([1.0], [True]) == 0.5


def test_criteria_are_told_apart() -> None:
    tracing = Tracing(first=1.0, step=1.0, flat_slope=0.2)
    outcomes = [COMPLETE, COMPLETE, COMPLETE, LIMIT, LOST]
    found = collapses(tracing, [1.0, 2.0, 3.0, 4.0, 2.5], [0.01, 0.02, 0.09, 0.1, 0.03], outcomes)
    assert found == [
        Collapse.NONE,
        Collapse.NONE,
        Collapse.FLAT_CURVE,
        Collapse.DRIFT_LIMIT,
        Collapse.NOT_CONVERGED,
    ]
    hardening = collapses(tracing, [1.0, 2.0, 3.0], [0.01, 0.02, 0.015], [COMPLETE] * 3)
    assert hardening == [Collapse.NONE] * 3
    off = collapses(
        Tracing(1.0, 1.0, flat_slope=0.0), [1.0, 2.0, 3.0], [0.01, 0.02, 0.09], [COMPLETE] * 3
    )
    assert off == [Collapse.NONE] * 3


def test_curves_of_a_yielding_tower(curves: tuple[Path, IDACurves]) -> None:
    _, found = curves
    assert len(found.records) == 4
    assert np.all(found.collapse > found.standing)
    assert sum(found.counts().values()) == 4
    assert found.counts()[Collapse.NONE] == 0
    for x, y in zip(found.intensities, found.drifts, strict=True):
        assert np.all(np.diff(x) > 0.0)
        assert y[0] > 0.0
    slopes = [y[0] / x[0] for x, y in zip(found.intensities, found.drifts, strict=True)]
    np.testing.assert_allclose(
        found.intensity_at(0.5 * 0.5 * np.array(slopes))[np.arange(4), np.arange(4)],
        0.25,
        rtol=1e-9,
    )


def test_fractiles_are_ordered_and_end_at_collapse(curves: tuple[Path, IDACurves]) -> None:
    _, found = curves
    drifts, rows = found.fractiles()
    assert np.all(np.diff(rows, axis=0) >= 0.0)
    assert np.all(np.diff(rows, axis=1) >= -1e-12)
    beyond = found.intensity_at([10.0])[:, 0]
    assert sorted(beyond) == sorted(found.collapse)
    np.testing.assert_array_equal(
        found.fractiles([10.0])[1][:, 0], np.sort(found.collapse)[[0, 1, 3]]
    )
    assert drifts[0] == 0.0


def test_interrupted_ida_goes_on_to_the_same_bytes(
    tmp_path: Path, curves: tuple[Path, IDACurves]
) -> None:
    path = tmp_path / "ida.h5"

    class Interrupt(Watch):
        def advance(self, done: int, failures: int) -> None:
            super().advance(done, failures)
            if done == 11:
                raise KeyboardInterrupt

    ida = IDA(plan(), motions(4), TRACING)
    stopped_by_ctrl_c(ida.run, path, workers=3, on="threads", progress=Interrupt())
    watch = Watch()
    ida.run(path, workers=2, on="threads", resume=True, progress=watch)
    assert watch.done_before >= 11
    assert path.read_bytes() == curves[0].read_bytes()


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_record_that_is_refused_costs_one_run(tmp_path: Path) -> None:
    ida = IDA(
        plan(), [RecordFile(tmp_path / "absent.AT2"), *motions(1)], Tracing(1.0, 20.0, runs=3)
    )
    found = ida.run(tmp_path / "ida.h5", workers=2, on="threads")
    assert found.counts()[RunOutcome.RECORD_REFUSED] == 1
    assert found.counts()[RunOutcome.PENDING] == 2
    assert IDACurves.of(found).records == ["synthetic 0"]


@pytest.mark.parametrize(
    "wrong",
    [{"first": 0.0}, {"step": math.nan}, {"runs": 1}, {"growth": -1.0}, {"flat_slope": 1.0}],
)
def test_bad_tracing_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Tracing(**{"first": 1.0, "step": 1.0, **wrong})  # type: ignore[arg-type]
