"""The picture of `femu reproduce implicit-integration`.

Figures 4 to 7 of Mosqueda and Ahmadizadeh (2008), from one test.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from femu.experimental.hybrid_result import HybridResult
from femu.plots.style import BLUE, FAINT, GREEN, INK, VERMILION, figure, save, style, tidy
from femu.results.result import Result
from femu.studies.fifteen_storeys import COLUMNS, DT, FLOORS, HINGES, TWICE, floors_of
from femu.studies.implicit_methods import exact_tangents

WIDTH, HEIGHT = 11.0, 8.6
TITLE = 9.5  # size of the text
SHORT = 1.6  # seconds that the iterations are shown for
YIELDING = (4.0, 6.0)  # seconds that the stiffness is shown for
LAYOUT = ((0, 0, (3, 1)), (0, 1, (3, 2)), (1, 0, (1,)), (1, 1, (3, 1)))
"""Of each part: its row and column, and the heights of the axes in it."""


def draw(test: HybridResult, numerical: Result, path: Path) -> None:
    """Write the four parts as one PNG."""
    with style():
        made = figure(WIDTH, HEIGHT)
        grid = made.add_gridspec(2, 2, hspace=0.06, wspace=0.05)
        parts = []
        for row, column, heights in LAYOUT:
            inner = grid[row, column].subgridspec(
                len(heights), 1, height_ratios=heights, hspace=0.04
            )
            first = made.add_subplot(inner[0])
            parts.append(
                [first, *(made.add_subplot(inner[k], sharex=first) for k in range(1, len(heights)))]
            )
        window = _busiest(test)
        _displacements(parts[0][0], parts[0][1], test, numerical)
        _iterations(parts[1][0], parts[1][1], test, window)
        _stiffness(parts[2][0], test, YIELDING)
        _hysteresis(parts[3][0], parts[3][1], test)
        for axes in parts:
            for axis in axes[:-1]:
                axis.tick_params(labelbottom=False)
    save(parts[0][0], path)


def _displacements(axis: Axes, below: Axes, test: HybridResult, numerical: Result) -> None:
    axis.set_title(
        "(a) Displacements: hybrid test, and numerical solution (dashed)", loc="left", size=TITLE
    )
    found, exact = floors_of(test), floors_of(numerical)
    for column, (floor, colour) in reversed(
        list(enumerate(zip(FLOORS, (BLUE, GREEN, VERMILION), strict=True)))
    ):
        axis.plot(test.time, found[:, column], color=colour, lw=1.1, label=f"floor {floor}")
        axis.plot(numerical.time, exact[:, column], color=INK, lw=0.6, ls=(0, (3, 3)))
        below.plot(test.time, (found - exact)[:, column], color=colour, lw=0.7)
    axis.set(xlim=(0.0, test.time[-1]))
    tidy(axis, "", "displacement (mm)", legend=True, ncols=3, loc="lower right")
    tidy(below, "time (s)", "difference\n(mm)")


def _iterations(axis: Axes, below: Axes, test: HybridResult, window: tuple[float, float]) -> None:
    time, shown = test.instants[1:], _inside(test, window)
    share = 100.0 * np.mean(test.updated(COLUMNS))
    axis.set_title(
        "(b) Iterations per step, and steps in which the tangent was updated",
        loc="left",
        size=TITLE,
    )
    axis.vlines(time[shown], 0.0, test.of_step("iterations")[1:][shown], color=BLUE, lw=1.0)
    axis.plot(time[shown], test.of_step("iterations")[1:][shown], "o", ms=2.4, color=BLUE)
    axis.set(xlim=window, ylim=(0.0, 4.0))
    tidy(axis, "", "iterations")
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    below.plot(
        time[shown], test.updated(COLUMNS)[shown], "o", ms=3.0, mfc="none", mec=VERMILION, mew=0.8
    )
    tidy(below, "time (s)")
    below.set(ylim=(-0.35, 1.35), yticks=(0, 1))
    below.set_yticklabels(("kept", "updated"))
    below.text(
        0.99,
        0.5,
        f"updated in {share:.0f} % of all steps",
        transform=below.transAxes,
        ha="right",
        va="center",
        color=VERMILION,
    )


def _stiffness(axis: Axes, test: HybridResult, window: tuple[float, float]) -> None:
    axis.set_title(
        "(c) Elements of the specimen's stiffness: estimate, and exact tangent (black)",
        loc="left",
        size=TITLE,
    )
    time, shown = test.instants[1:], _inside(test, window)
    estimate, exact = TWICE * test.stiffness(COLUMNS), TWICE * exact_tangents(test.command(COLUMNS))
    for (i, j), colour in zip(((0, 0), (1, 1), (0, 1)), (BLUE, VERMILION, GREEN), strict=True):
        axis.plot(time[shown], exact[1:][shown, i, j], color=INK, lw=0.6)
        axis.plot(
            time[shown],
            estimate[1:][shown, i, j],
            color=colour,
            lw=1.2,
            label=f"$K_{{{i + 1}{j + 1}}}$",
        )
        axis.axhline(exact[0, i, j], color=colour, lw=0.7, ls=(0, (5, 4)))
        axis.text(window[1], exact[0, i, j], " initial", color=colour, va="center", fontsize=8.0)
    axis.set_xlim(window)
    axis.margins(y=0.12)
    tidy(
        axis,
        "time (s)",
        "stiffness (kN/mm)",
        legend=True,
        ncols=3,
        loc="upper right",
        bbox_to_anchor=(1.0, 0.52),
    )


def _hysteresis(axis: Axes, below: Axes, test: HybridResult) -> None:
    axis.set_title(
        "(d) Lower hinge of the specimen: measured and converged", loc="left", size=TITLE
    )
    conjugate = np.linalg.inv(HINGES)[:, 0]
    (d, f), (d1, f1) = test.measured(COLUMNS), test.converged_response(COLUMNS)
    axis.plot(d @ HINGES[0], TWICE * f @ conjugate, color=FAINT, lw=3.0, label="measured")
    axis.plot(d1 @ HINGES[0], TWICE * f1 @ conjugate, color=BLUE, lw=0.8, label="converged")
    tidy(axis, "", "moment / column length (kN)", legend=True, loc="upper left")
    below.plot(d1 @ HINGES[0], TWICE * (f1 - f) @ conjugate, color=BLUE, lw=0.5)
    tidy(below, "rotation × column length (mm)", "converged less\nmeasured (kN)")


def _inside(test: HybridResult, window: tuple[float, float]) -> np.ndarray:
    time = test.instants[1:]
    return np.asarray((time >= window[0]) & (time <= window[1]))


def _busiest(test: HybridResult) -> tuple[float, float]:
    """The short time in which most steps took more or fewer iterations than usual."""
    iterations = test.of_step("iterations")[1:]
    odd = iterations != np.median(iterations)
    width = max(round(SHORT / DT), 1)
    counts = np.convolve(odd, np.ones(width), mode="valid")
    first = float(test.instants[1:][int(np.argmax(counts))])
    return first, first + SHORT
