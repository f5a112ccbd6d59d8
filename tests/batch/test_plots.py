"""Pictures: what they draw is what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from batch_cases import motions, plan, suite

from femu.batch import IDA, Tracing, fit_intervals, plots
from femu.support.errors import FileError, InputError
from femu.units import g


def test_drifts_over_the_height(tmp_path: Path) -> None:
    found = suite(2, (2.0, 4.0), 4.0).run(tmp_path / "a.h5", workers=1, on="threads")
    axes = plots.plot_drifts(found)
    envelope = axes.get_lines()[-1]
    np.testing.assert_allclose(
        np.asarray(envelope.get_xdata())[::2], 100.0 * found["peak_drift"].max(axis=0)
    )
    assert list(np.asarray(envelope.get_ydata())) == [0.0, 3.5, 3.5, 7.0]
    assert len(plots.plot_drifts(found, scale=2.0).get_lines()) == 2 + 2
    with pytest.raises(InputError, match="scale"):
        plots.plot_drifts(found, scale=7.0)
    plots.save(axes, tmp_path / "a.png")
    with pytest.raises(FileError):
        plots.save(axes, tmp_path / "no" / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_ida_and_fragility(tmp_path: Path) -> None:
    curves = IDA(plan(), motions(3, 4.0), Tracing(2.0, 20.0, runs=4)).trace(
        tmp_path / "a.h5", workers=2, on="threads"
    )
    assert len(plots.plot_ida(curves).get_lines()) == 3 + 3
    x = np.array([5.0, 6.0, 8.0, 9.0])
    fragility = fit_intervals(0.95 * x, 1.05 * x)
    axes = plots.plot_fragility(fragility, curves)
    line = axes.get_lines()[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert np.interp(fragility.median / g, x, y) == pytest.approx(0.5, abs=1e-3)
    # of each record, from where it last stood to where it collapsed
    spans = axes.collections[-1].get_segments()
    order = np.argsort(curves.collapse)[: len(spans)]
    assert len(spans) == np.count_nonzero(np.isfinite(curves.collapse)) > 0
    np.testing.assert_allclose(
        [s[:, 0] for s in spans], np.stack([curves.standing, curves.collapse], axis=1)[order] / g
    )


def test_spectra_of_a_suite() -> None:
    records = motions(3)
    axes = plots.plot_spectra(records, target=([0.1, 1.0], [5.0, 3.0]))
    mean = np.asarray(axes.get_lines()[3].get_ydata())
    np.testing.assert_allclose(
        mean * g, np.mean([m.spectrum().pseudo_acceleration for m in records], axis=0)
    )
    assert len(axes.get_lines()) == 5
    with pytest.raises(InputError, match="motions"):
        plots.plot_spectra([])
