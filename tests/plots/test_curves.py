"""Histories, loops, energies, interaction, timing, and what filters show."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import lines, xy
from example_frames import portal

from femu import Result, plots
from femu.materials import NMSection
from femu.plots.style import LINES
from femu.support.errors import InputError


def test_history_marks_its_peak(shaken: Result) -> None:
    ax = plots.plot_displacement(shaken, "C", "x", units=plots.SI)
    u = shaken.displacement("C", "x") / 1e-3
    assert np.array_equal(xy(ax.get_lines()[0])[1], u)
    peak = xy(lines(ax, "_peak")[0])
    assert peak[1][0] == u[np.abs(u).argmax()]
    assert ax.get_ylabel() == "displacement C, x (mm)"
    many = plots.plot_history(shaken.time, {"a": u, "b": -u})
    assert [text.get_text() for text in many.get_legend().get_texts()] == ["a", "b"]
    assert (
        len({(line.get_color(), str(line.get_linestyle())) for line in many.get_lines()[:2]}) == 2
    )
    with pytest.raises(InputError, match="values"):
        plots.plot_history([0.0, 1.0], [1.0, 2.0, 3.0])


def test_lines_that_share_axes_differ_in_grey_too() -> None:
    assert len({dash for _, dash in LINES[:4]}) == 4


def test_loops(shaken: Result) -> None:
    ax = plots.plot_element_loop(shaken, "left", units=plots.SI)
    x, y = xy(ax.get_lines()[-1])
    assert np.array_equal(x, 1e3 * shaken.deformation("left")[:, 1])
    assert np.array_equal(y, shaken.basic_force("left", "Mi") / 1e3)
    limited = plots.plot_loop(
        [0.0, 1.0], [0.0, 2.0], limits=[-1.5, 1.5], limit_name="plastic moment"
    )
    assert [text.get_text() for text in limited.get_legend().get_texts()] == ["plastic moment"]
    with pytest.raises(InputError, match="end"):
        plots.plot_element_loop(shaken, "left", "k")


def test_energies_add_up_to_the_input(shaken: Result) -> None:
    ax = plots.plot_energies(shaken, units=plots.SI)
    top = max(float(area.get_paths()[0].vertices[:, 1].max()) for area in ax.collections)
    total = xy(ax.get_lines()[0])[1]
    assert top == pytest.approx(total.max(), rel=1e-3)
    assert ax.get_ylabel() == "energy (kJ)"


def test_interaction_stays_on_the_yield_surface() -> None:
    section = NMSection(EA=1e9, EI=1e7, yield_force=1e6, plastic_moment=2e5, flange_web_ratio=1.7)
    n, m = plots.yield_surface(1.7)
    a = 1.7
    assert m.max() == 1.0 and n.max() == 1.0
    inner = np.abs(n) < 1 / (2 * a + 1)
    np.testing.assert_allclose(np.abs(m[inner]), 1 - (2 * a + 1) ** 2 / (4 * a + 1) * n[inner] ** 2)
    # the section itself, loaded far beyond yield at several ratios, ends on the surface that is
    # drawn
    path = section.moment_curvature(np.linspace(0.0, 0.5, 200), axial=-4e5)
    assert np.interp(-0.4, n[:201], m[:201]) == pytest.approx(
        float(np.max(path.moment)) / 2e5, rel=1e-3
    )
    ax = plots.plot_interaction(section, [-4e5] * 200, np.asarray(path.moment), back=(0.0, 1e4))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "yield surface, virgin",
        "yield surface, at the end",
        "path",
        "start",
        "end",
    ]


def test_interaction_of_an_element(shaken: Result) -> None:
    ax = plots.plot_element_interaction(shaken, "left", "j")
    path = next(line for line in ax.get_lines() if line.get_label() == "path")
    force = shaken.force("left", "local")
    section = portal().elements["left"].section  # type: ignore[attr-defined]
    np.testing.assert_allclose(xy(path)[0], force[:, 5] / section.plastic_moment)
    np.testing.assert_allclose(xy(path)[1], force[:, 3] / section.yield_force)
    with pytest.raises(InputError, match="beam"):
        plots.plot_element_interaction(shaken, "beam")


def test_timing_counts_the_steps_over_budget() -> None:
    ax = plots.plot_timing([1e-4] * 98 + [2e-3, 3e-3], budget=1e-3)
    reported = [text.get_text() for text in ax.get_legend().get_texts()]
    assert (
        reported[0] == "median: 100 µs"
        and reported[2] == "worst: 3 ms"
        and reported[3] == "budget: 1 ms, 2 of 100 over it"
    )
    assert sum(bar.get_height() for bar in ax.patches) == 100  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="seconds"):
        plots.plot_timing([])


# --- filters ---


def test_parameter_with_band_truth_and_bounds() -> None:
    t = np.linspace(0.0, 1.0, 50)
    mean, std = 2.0 + 0.1 * t, np.full(50, 0.2)
    ax = plots.plot_parameter(t, mean, std, name="fy", unit="Pa", truth=2.3, bounds=(1.5, np.inf))
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(2.5) and band[:, 1].min() == pytest.approx(1.6)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "estimate ± 2σ",
        "estimate",
        "true value",
        "bounds",
    ]
    assert ax.get_ylim()[0] < 1.5
    assert len(plots.plot_parameters(t, np.stack([mean, mean], axis=1), names=["a", "b"])) == 2
    with pytest.raises(InputError, match="mean"):
        plots.plot_parameters(t, mean, names=["a"])


def test_innovation_and_consistency_of_white_noise() -> None:
    draw = np.random.default_rng(3)
    t, s = np.arange(4000.0), np.full(4000, 2.0)
    nu = 2.0 * draw.standard_normal(4000)
    ax = plots.plot_innovation(t, nu, s)
    inside = float(ax.get_legend().get_texts()[1].get_text().split()[1])
    assert (
        inside == pytest.approx(100 * float(np.mean(np.abs(nu) <= 4.0)), abs=0.06)
        and 94.0 < inside < 97.0
    )
    # band of the mean of 50 chi-square numbers of one degree each: 32.357/50 and 71.420/50 (tables)
    ax = plots.plot_consistency(t, (nu / s) ** 2, 1)
    low, high = ax.patches[0].get_y(), ax.patches[0].get_y() + ax.patches[0].get_height()  # type: ignore[attr-defined]
    assert low == pytest.approx(32.357 / 50, rel=1e-4) and high == pytest.approx(
        71.420 / 50, rel=1e-4
    )
