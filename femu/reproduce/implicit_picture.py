"""The picture of `femu reproduce implicit-integration`: what the figures 4 to 7 of paper 003 show, from one test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from femu.analyses.hybrid_result import HybridResult
from femu.reproduce.fifteen_storeys import COLUMNS, FLOORS, HINGE_STIFFNESS, HINGE_YIELD, HINGES, TWICE, floors_of
from femu.results import Result

BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#7F7F7F"
WIDTH, HEIGHT, DOTS_PER_INCH = 11.0, 8.4, 160
WINDOW = (4.0, 6.0)  # seconds of the parts that show a short time


def draw(test: HybridResult, numerical: Result, path: Path) -> None:
    """Write the four parts as one PNG."""
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2)
    _displacements(axes[0, 0], test, numerical)
    _iterations(axes[0, 1], test)
    _stiffness(axes[1, 0], test)
    _hysteresis(axes[1, 1], test)
    for axis, letter in zip(axes.ravel(), "abcd", strict=True):
        axis.set_title(f"({letter}) {axis.get_title()}", loc="left", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _displacements(axis: Axes, test: HybridResult, numerical: Result) -> None:
    axis.set_title("displacements, hybrid test and numerical solution")
    for column, (floor, colour) in enumerate(zip(FLOORS, (BLUE, GREEN, VERMILION), strict=True)):
        axis.plot(test.time, floors_of(test)[:, column], color=colour, lw=1.0, label=f"floor {floor}")
        axis.plot(numerical.time, floors_of(numerical)[:, column], color="black", lw=0.6, ls=(0, (2, 2)),
                  label="numerical" if column == 0 else None)
    axis.set(xlabel="time (s)", ylabel="displacement (mm)", xlim=(0.0, test.time[-1]))
    axis.legend(fontsize=8, ncols=4, frameon=False, loc="upper right")


def _iterations(axis: Axes, test: HybridResult) -> None:
    axis.set_title("iterations, and whether the tangent was updated")
    time, shown = test.instants[1:], _window(test)
    axis.step(time[shown], test.of_step("iterations")[1:][shown], where="mid", color=BLUE, lw=1.0, label="iterations")
    axis.plot(time[shown], test.updated(COLUMNS)[shown], "o", ms=3.0, mfc="none", mec=VERMILION, mew=0.8, label="updated (1) or not (0)")
    axis.set(xlabel="time (s)", ylabel="", xlim=WINDOW, ylim=(-0.3, 4.4), yticks=range(5))
    axis.legend(fontsize=8, ncols=2, frameon=False, loc="upper right")


def _stiffness(axis: Axes, test: HybridResult) -> None:
    axis.set_title("stiffness of one column: estimate and initial value")
    time, shown, stiffness = test.instants[1:], _window(test), TWICE * test.stiffness(COLUMNS)[1:]
    initial = HINGES.T @ np.diag(HINGE_STIFFNESS) @ HINGES
    for (i, j), colour in zip(((0, 0), (0, 1), (1, 1)), (BLUE, GREEN, VERMILION), strict=True):
        axis.step(time[shown], stiffness[shown, i, j], where="post", color=colour, lw=1.0, label=f"$K_{{{i + 1}{j + 1}}}$")
        axis.axhline(initial[i, j], color=colour, lw=0.7, ls=(0, (4, 3)))
    axis.set(xlabel="time (s)", ylabel="stiffness (kN/mm)", xlim=WINDOW)
    axis.legend(fontsize=8, ncols=3, frameon=False, loc="center right")


def _hysteresis(axis: Axes, test: HybridResult) -> None:
    axis.set_title("lower hinge: converged and measured")
    (measured, measured_force), (converged, force) = test.measured(COLUMNS), test.converged_response(COLUMNS)
    conjugate = np.linalg.inv(HINGES)
    for d, f, colour, width, style, name in ((measured, measured_force, GREY, 2.4, "-", "measured"),
                                             (converged, force, BLUE, 0.8, "-", "converged")):
        axis.plot(d @ HINGES[0], TWICE * f @ conjugate[:, 0], color=colour, lw=width, ls=style, label=name)
    axis.set(xlabel="rotation x column length (mm)", ylabel="moment / column length (kN)")
    axis.legend(fontsize=8, frameon=False, loc="upper left")


def _window(test: HybridResult) -> np.ndarray:
    time = test.instants[1:]
    return (time >= WINDOW[0]) & (time <= WINDOW[1])
