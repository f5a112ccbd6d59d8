"""The picture of `femu demo`: modes, pushover, hysteresis of a column, and the history of the earthquake.

Each part is a function that draws on the axes it is given and returns them. Colours are from the palette of Okabe and
Ito, which colour-blind readers can tell apart; lines also differ in width or dash, so that a grey print stays readable.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

from femu.units import g, kN, mm

Array = NDArray[np.float64]

BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#7F7F7F"
WIDTH, HEIGHT, DOTS_PER_INCH = 11.0, 7.2, 150
PADDING = 0.1  # inches around each part
POINTS_A_MEMBER = 21
MODE_AMPLITUDE = 0.16  # largest displacement of a drawn mode, as a share of the width of the frame


@dataclass(frozen=True)
class Mode:
    """A mode shape: its period and, for each member, the displacements and rotations of its two ends."""

    period: float
    ends: list[tuple[Array, Array]]
    """(u, v, rotation) of end i and of end j, one pair a member."""


@dataclass(frozen=True)
class Picture:
    """Everything the picture shows, in SI units."""

    members: list[tuple[Array, Array]]
    """Coordinates of the two ends of each member."""
    modes: list[Mode]
    pushover_drift: Array
    pushover_shear: Array
    rotation: Array
    moment: Array
    plastic_moment: float
    ground_times: Array
    ground_acceleration: Array
    times: Array
    drift: Array
    height: float

    def save(self, path: Path) -> None:
        """Draw and write as PNG."""
        figure = Figure(figsize=(WIDTH, HEIGHT), layout=ConstrainedLayoutEngine(w_pad=PADDING, h_pad=PADDING))
        FigureCanvasAgg(figure)
        grid = figure.add_gridspec(3, 3, height_ratios=(1.0, 0.32, 0.62), hspace=0.04)
        draw_modes(figure.add_subplot(grid[0, 0]), self.members, self.modes)
        draw_pushover(figure.add_subplot(grid[0, 1]), self.pushover_drift / self.height, self.pushover_shear)
        draw_loop(figure.add_subplot(grid[0, 2]), self.rotation, self.moment, self.plastic_moment)
        ground = draw_ground(figure.add_subplot(grid[1, :]), self.ground_times, self.ground_acceleration)
        draw_history(figure.add_subplot(grid[2, :], sharex=ground), self.times, self.drift, self.height)
        figure.savefig(path, dpi=DOTS_PER_INCH)


def member_curve(start: Array, end: Array, at_start: Array, at_end: Array, factor: float) -> tuple[Array, Array]:
    """The deformed axis of a member: linear along it, cubic across it, from the movement of its ends."""
    along = end - start
    length = float(np.hypot(*along))
    c, s = along / length
    turn = np.array([[c, s], [-s, c]])
    (u1, v1), (u2, v2) = turn @ at_start[:2], turn @ at_end[:2]
    x = np.linspace(0.0, 1.0, POINTS_A_MEMBER)
    axial = u1 + (u2 - u1) * x
    across = (
        v1 * (1 - 3 * x**2 + 2 * x**3)
        + at_start[2] * length * (x - 2 * x**2 + x**3)
        + v2 * (3 * x**2 - 2 * x**3)
        + at_end[2] * length * (x**3 - x**2)
    )
    local = np.vstack([x * length + factor * axial, factor * across])
    points = start[:, None] + turn.T @ local
    return points[0], points[1]


def _reach(members: list[tuple[Array, Array]], mode: Mode) -> float:
    """The largest distance by which any point of the frame moves, with the mode as it is."""
    moved = []
    for (start, end), (at_start, at_end) in zip(members, mode.ends, strict=True):
        rest = np.array(member_curve(start, end, at_start, at_end, 0.0))
        moved.append(np.hypot(*(np.array(member_curve(start, end, at_start, at_end, 1.0)) - rest)).max())
    return float(max(moved))


def draw_modes(ax: Axes, members: list[tuple[Array, Array]], modes: list[Mode]) -> Axes:
    """Mode shapes over the frame at rest."""
    corners = np.array([corner for member in members for corner in member])
    width = float(np.ptp(corners[:, 0]))
    for start, end in members:
        ax.plot([start[0], end[0]], [start[1], end[1]], color=GREY, lw=1.0, zorder=1)
    base = corners[:, 1].min()
    feet = np.unique(corners[corners[:, 1] == base], axis=0)
    ax.plot(feet[:, 0], feet[:, 1], ls="", marker="s", ms=7, color="black", zorder=3)
    for number, (mode, color, dash) in enumerate(zip(modes, (BLUE, VERMILION, GREEN), ("-", "--", ":"), strict=False)):
        factor = MODE_AMPLITUDE * width / _reach(members, mode)
        for k, ((start, end), (at_start, at_end)) in enumerate(zip(members, mode.ends, strict=True)):
            label = f"mode {number + 1}: {mode.period:.3f} s" if k == 0 else None
            ax.plot(*member_curve(start, end, at_start, at_end, factor), dash, color=color, lw=2.0, label=label)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08, 0.12)
    ax.set_axis_off()
    ax.set_title("Mode shapes")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, -0.06), frameon=False)
    return ax


def draw_pushover(ax: Axes, drift_ratio: Array, shear: Array) -> Axes:
    """Base shear over drift, with the line of the first stiffness."""
    ax.plot(100 * drift_ratio, shear / kN, color=BLUE, lw=2.0)
    stiffness = (shear[1] - shear[0]) / (drift_ratio[1] - drift_ratio[0])
    reach = min(float(drift_ratio.max()), 1.05 * float(shear.max()) / stiffness)
    ax.plot([0.0, 100 * reach], [0.0, stiffness * reach / kN], "--", color=GREY, lw=1.2, label="first stiffness")
    ax.set_xlim(left=0.0)
    ax.set_ylim(bottom=0.0)
    ax.legend(loc="lower right", frameon=False)
    return _labelled(ax, "Pushover", "drift (% of height)", "base shear (kN)")


def draw_loop(ax: Axes, rotation: Array, moment: Array, plastic_moment: float) -> Axes:
    """Moment over rotation of a column's foot, with the plastic moment without axial force."""
    ax.plot(1e3 * rotation, moment / kN, color=BLUE, lw=0.9)
    for sign in (-1.0, 1.0):
        label = "plastic moment, N = 0" if sign > 0 else None
        ax.axhline(sign * plastic_moment / kN, ls="--", lw=1.2, color=GREY, label=label)
    ax.margins(0.06, 0.16)
    ax.legend(loc="upper left", frameon=False)
    return _labelled(ax, "Foot of the left column, El Centro", "rotation from the chord (mrad)", "moment (kN m)")


def draw_ground(ax: Axes, times: Array, acceleration: Array) -> Axes:
    """Acceleration of the ground."""
    ax.plot(times, acceleration, color=GREY, lw=0.8)
    ax.axhline(0.0, color="black", lw=0.5)
    ax.tick_params(labelbottom=False)
    return _labelled(ax, f"El Centro 1940 NS, scaled to {np.abs(acceleration).max() / g:.2f} g", "", "ground (m/s²)")


def draw_history(ax: Axes, times: Array, drift: Array, height: float) -> Axes:
    """Drift of the roof, with its largest value and what remains at the end."""
    ax.plot(times, drift / mm, color=BLUE, lw=1.3)
    ax.axhline(0.0, color="black", lw=0.5)
    peak = int(np.abs(drift).argmax())
    ax.plot(times[peak], drift[peak] / mm, "o", color=VERMILION, ms=6)
    text = f"peak {abs(drift[peak]) / mm:.1f} mm = {100 * abs(drift[peak]) / height:.2f} % of the height"
    ax.annotate(text, (times[peak], drift[peak] / mm), xytext=(10, 0), textcoords="offset points", va="center",
                color=VERMILION)
    ax.set_xlim(0.0, float(times[-1]))
    ax.margins(y=0.12)
    return _labelled(ax, "", "time (s)", "roof drift (mm)")


def _labelled(ax: Axes, title: str, x: str, y: str) -> Axes:
    if title:
        ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
