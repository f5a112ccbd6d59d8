"""The benchmark of batches: both programs do the same runs and find the same drifts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from femu.batch import Suite
from femu.benchmarks import batch as benchmark
from femu.records import synthetic
from femu.units import g


def test_records_come_from_the_folder_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(benchmark.FOLDER, raising=False)
    records, origin = benchmark.far_field()
    assert len(records) == 44
    assert "synthetic" in origin
    (tmp_path / "eqData.dat").write_text("1.rec 0.01 0.6\n2.rec 0.005 0.7\n")
    monkeypatch.setenv(benchmark.FOLDER, str(tmp_path))
    records, origin = benchmark.far_field()
    assert [record.name for record in records] == ["1", "2"]
    assert "P-695" in origin


@pytest.mark.opensees
@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
def test_openseespy_finds_the_same_drifts(tmp_path: Path) -> None:
    suite = Suite(
        benchmark.plan(), [synthetic(1, duration=6.0, rise=1.0, strong=2.0)], scales=[0.8 * g]
    )
    _, found = benchmark.timed(suite, tmp_path, "femu", workers=1, on="threads")
    theirs = benchmark.opensees_suite(suite, found, tmp_path, workers=1)
    assert theirs["complete"].all()
    np.testing.assert_allclose(theirs["drifts"], found["peak_drift"], rtol=1e-6)
    rows = benchmark._compared(found, theirs, 1.0, 0.5, 1, quick=True)
    assert next(
        row for row in rows if row.name == "threads faster than openseespy"
    ).value == pytest.approx(2 * theirs["wall"])
    assert all(row.ok is not False for row in rows)
