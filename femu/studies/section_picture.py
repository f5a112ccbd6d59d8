"""The picture of `femu reproduce section-updating`.

Figures 4.3 to 4.5 of Wu et al. (2015), and what they do not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy.stats import chi2

from femu.plots.estimation import plot_parameter
from femu.plots.style import BLUE, FAINT, INK, SKY, VERMILION, figure, save, style, tidy
from femu.studies.one_bay_frame import LOWER, TRUE, UPPER
from femu.units import kN
from femu.updating import UpdatingHistory

Array = npt.NDArray[np.float64]
WIDTH, HEIGHT = 10.5, 9.6
UNTIL = 8.0  # s of the displacements
CASES = (
    ("A: true parameters", INK, 1.0, "-"),
    ("B: nominal parameters", VERMILION, 1.2, (0, (5, 1.6))),
    ("C: updated online", BLUE, 1.2, (0, (1.4, 1.2))),
)
SYMBOLS = (
    ("Yield force", "$N_y$ (kN)", kN),
    ("Plastic moment", "$M_p$ (kN m)", kN),
    ("Hardening ratio", "$b$", 1.0),
)
LEARNED = 4.0  # s of the parameters
WINDOW = 50  # samples over which the normalised innovation is averaged
MM = 1000.0


@dataclass(frozen=True)
class Shown:
    """What the picture shows."""

    time: Array
    roof: list[Array]
    loops: list[tuple[Array, Array]]
    history: UpdatingHistory
    instants: list[float]
    predicted: list[float]
    spread: list[float]
    peak: float


def draw(shown: Shown, path: Path) -> None:
    """Write the picture as a PNG."""
    with style():
        made = figure(WIDTH, HEIGHT)
        grid = made.add_gridspec(3, 6)
        first = made.add_subplot(grid[0, :4])
        _displacement(first, shown)
        _loops(made.add_subplot(grid[0, 4:]), shown)
        for j in range(3):
            _parameter(made.add_subplot(grid[1, 2 * j : 2 * j + 2]), shown, j)
        _innovation(made.add_subplot(grid[2, :3]), shown)
        _prediction(made.add_subplot(grid[2, 3:]), shown)
    save(first, path)


def _displacement(ax: Axes, shown: Shown) -> None:
    for (label, colour, width, dash), values in zip(CASES, shown.roof, strict=True):
        ax.plot(shown.time, MM * values, color=colour, linewidth=width, linestyle=dash, label=label)
    ax.set_xlim(0.0, min(UNTIL, shown.time[-1]))
    tidy(
        ax,
        "time (s)",
        "roof displacement (mm)",
        "(a) Displacement of the roof",
        legend=True,
        ncols=3,
        loc="upper right",
    )
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.18 * (high - low))


def _loops(ax: Axes, shown: Shown) -> None:
    for (_, colour, width, dash), (curvature, moment) in zip(CASES, shown.loops, strict=True):
        ax.plot(MM * curvature, moment / kN, color=colour, linewidth=width, linestyle=dash)
    tidy(ax, "curvature (1/km)", "moment (kN m)", "(b) Foot of the right column")


def _parameter(ax: Axes, shown: Shown, j: int) -> None:
    history, (name, label, size) = shown.history, SYMBOLS[j]
    use = history.time <= LEARNED
    plot_parameter(
        history.time[use],
        history.values[use, j] / size,
        history.std[use, j] / size,
        ax,
        truth=TRUE[j] / size,
        bounds=(LOWER[j] / size, UPPER[j] / size),
        labels=False,
    )
    ax.plot(
        history.time[use],
        history.written[use, j] / size,
        color=INK,
        linewidth=0.9,
        linestyle=(0, (1, 1.5)),
        label="written",
    )
    room = 0.06 * (UPPER[j] - LOWER[j])
    ax.set(
        title=f"({'cde'[j]}) {name}",
        ylabel=label,
        xlim=(0.0, min(LEARNED, history.time[-1])),
        ylim=((LOWER[j] - room) / size, (UPPER[j] + room) / size),
    )
    if j == 0:
        handles, labels = ax.get_legend_handles_labels()
        chosen = [
            (h, text)
            for h, text in zip(handles, labels, strict=True)
            if not text.startswith("_") and text != "bounds"
        ]
        ax.legend(
            *zip(*chosen, strict=True), frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.08)
        )


def _innovation(ax: Axes, shown: Shown) -> None:
    history = shown.history
    degrees = history.channels
    tail = [float(chi2.ppf(p, degrees * WINDOW) / (degrees * WINDOW)) for p in (0.025, 0.975)]
    ax.axhspan(tail[0], tail[1], color=FAINT, zorder=0, label="95 % band of the mean")
    ax.plot(
        history.time,
        history.nis / degrees,
        ".",
        markersize=1.6,
        color=SKY,
        label="normalised innovation",
        rasterized=True,
    )
    ax.plot(
        history.time,
        np.where(history.consistency > 0.0, history.consistency, np.nan),
        color=BLUE,
        linewidth=1.3,
        label=f"mean of {WINDOW} samples",
    )
    ax.set_ylim(0.0, 4.0)
    ax.set_xlim(0.0, history.time[-1])
    tidy(
        ax,
        "time (s)",
        "squared innovation / expected",
        "(f) Consistency of the filter",
        legend=True,
        loc="upper right",
    )


def _prediction(ax: Axes, shown: Shown) -> None:
    ax.axhline(
        MM * shown.peak, color=VERMILION, linewidth=1.1, linestyle=(0, (6, 2)), label="case A"
    )
    places = np.arange(len(shown.instants))
    ax.errorbar(
        places,
        MM * np.array(shown.predicted),
        MM * np.array(shown.spread),
        fmt="o",
        color=BLUE,
        ecolor=BLUE,
        elinewidth=1.4,
        capsize=4.0,
        markersize=4.5,
        label="predicted ± 2σ, through the whole frame",
    )
    ax.set_xticks(places, [f"{t:g}" for t in shown.instants])
    tidy(
        ax,
        "learned up to this time of the test (s)",
        "peak displacement (mm)",
        "(g) Peak of the roof, predicted",
        legend=True,
        loc="lower right",
    )
