"""Marks of drawings: supports, arrows, moments.

Their sizes are in points, so that they look the same at any scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.text import OffsetFrom

from femu.plots.style import INK, SMALL

Array = npt.NDArray[np.float64]
Strokes = list[list[tuple[float, float]]]
FEW = 200  # lines that are drawn each by itself
SUPPORT = 24.0  # points, of the square a mark is drawn in


def _hatch(y: float, width: float = 1.0, count: int = 5, depth: float = 0.32) -> Strokes:
    """A ground line with strokes below it."""
    places = np.linspace(-width, width, count + 1)[1:]
    return [
        [(-width, y), (width, y)],
        *([(float(p), y), (float(p) - depth, y - depth)] for p in places),
    ]


_TRIANGLE: list[tuple[float, float]] = [(0.0, 0.0), (0.58, -1.0), (-0.58, -1.0), (0.0, 0.0)]
_SHAPES: dict[str, Strokes] = {
    "fixed": _hatch(0.0),
    "pinned": [_TRIANGLE, *_hatch(-1.0)],
    "roller": [_TRIANGLE, *_hatch(-1.25)],
    "slider": [[(-0.7, 0.0), (0.7, 0.0)], *_hatch(-0.25)],
    "turn": [[(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4), (-0.4, -0.4)]],
}


def _path(lines: Strokes) -> Path:
    vertices = [point for line in lines for point in line]
    codes = [code for line in lines for code in [Path.MOVETO] + [Path.LINETO] * (len(line) - 1)]
    # matplotlib scales a marker by its largest coordinate: two points keep the size of all marks
    # the same
    return Path([*vertices, (1.3, 1.3), (-1.3, -1.3)], [*codes, Path.MOVETO, Path.MOVETO])


_PATHS = {name: _path(lines) for name, lines in _SHAPES.items()}


def support_kind(fixed: set[str]) -> tuple[str, float] | None:
    """Kind of support and its rotation in degrees, from the directions that are held.

    None means facing away from what it holds.
    """
    if fixed & {"z", "rx", "ry"}:  # in space, by how much is held
        moves, turns = fixed & {"x", "y", "z"}, fixed & {"rx", "ry", "rz"}
        if len(moves) == 3:
            return ("fixed", float("nan")) if len(turns) == 3 else ("pinned", 0.0)
        return ("roller", 0.0) if moves else ("turn", 0.0)
    held = fixed & {"x", "y", "rz"}
    if held == {"x", "y", "rz"}:
        return "fixed", float("nan")
    if held == {"x", "y"}:
        return "pinned", 0.0
    if "rz" in held:
        return ("turn", 0.0) if held == {"rz"} else ("slider", 0.0 if "y" in held else -90.0)
    if held:
        return "roller", 0.0 if "y" in held else -90.0
    return None


def support(ax: Axes, at: Array, fixed: set[str], towards: Array) -> None:
    """The mark of a support.

    A clamped one faces ``towards``, the mean direction of what it holds.
    """
    kind = support_kind(fixed)
    if kind is None:
        return
    name, turn = kind
    if np.isnan(turn):
        turn = (
            float(np.degrees(np.arctan2(towards[1], towards[0]))) - 90.0 if np.any(towards) else 0.0
        )
        turn = 90.0 * round(turn / 90.0)
    marker = MarkerStyle(_PATHS[name], fillstyle="none").rotated(deg=turn)
    ax.plot(
        [at[0]],
        [at[1]],
        marker=marker,
        markersize=SUPPORT,
        markeredgecolor=INK,
        markeredgewidth=1.0,
        linestyle="none",
        zorder=5,
        clip_on=False,
        label=f"_support {name}",
    )


def arrow(
    ax: Axes,
    tip: Array,
    direction: Array,
    length: float,
    colour: str,
    width: float = 1.3,
    label: str = "",
) -> None:
    """An arrow that ends at ``tip``, ``length`` points long, with a text at its tail.

    A dot if it points at the reader.
    """
    size = float(np.linalg.norm(direction))
    if size < 1e-9:
        ax.plot(
            [tip[0]],
            [tip[1]],
            marker="o",
            markersize=6.0,
            color=colour,
            zorder=7,
            label="_towards the reader",
        )
        return
    unit = direction / size
    tail = -length * unit
    ax.annotate(
        "",
        xy=(float(tip[0]), float(tip[1])),
        xytext=(float(tail[0]), float(tail[1])),
        textcoords="offset points",
        annotation_clip=False,
        zorder=7,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.22,head_length=0.5",
            "color": colour,
            "linewidth": width,
            "shrinkA": 0.0,
            "shrinkB": 1.5,
            "mutation_scale": 10.0,
        },
    )
    if label:
        beyond = tail - 4.0 * unit
        ax.annotate(
            label,
            xy=(float(tip[0]), float(tip[1])),
            xytext=(float(beyond[0]), float(beyond[1])),
            textcoords="offset points",
            ha=side(unit[0], "right", "left"),
            va=side(unit[1], "top", "bottom"),
            fontsize=SMALL,
            color=colour,
            annotation_clip=False,
            zorder=8,
        )


def ray(
    ax: Axes,
    start: Array,
    direction: Array,
    length: float,
    colour: str,
    label: str = "",
    width: float = 0.9,
    aside: bool = False,
) -> None:
    """An arrow that begins at ``start``, with a text at (or next to) its tip: an axis."""
    unit = direction / np.linalg.norm(direction)
    tip = length * unit
    at = (float(start[0]), float(start[1]))
    ax.annotate(
        "",
        xytext=at,
        textcoords="data",
        xy=(float(tip[0]), float(tip[1])),
        xycoords=_points_from(ax, at),
        annotation_clip=False,
        zorder=4,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.16,head_length=0.4",
            "color": colour,
            "linewidth": width,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
            "mutation_scale": 9.0,
        },
    )
    if label:
        beyond = (
            (length - 2.0) * unit
            + 6.0 * np.array([-unit[1], unit[0]]) * (1.0 if aside else 0.0)
            + (0.0 if aside else 7.0) * unit
        )
        ax.annotate(
            label,
            xy=at,
            xytext=(float(beyond[0]), float(beyond[1])),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=SMALL - 1.0,
            color=colour,
            annotation_clip=False,
            zorder=4,
        )


def _points_from(ax: Axes, at: tuple[float, float]) -> OffsetFrom:
    """Coordinates in points from a place in the data."""
    anchor = ax.annotate(
        "", xy=at, xytext=(0.0, 0.0), textcoords="offset points", annotation_clip=False
    )
    return OffsetFrom(anchor, (0.0, 0.0), "points")


def moment(
    ax: Axes, at: Array, positive: bool, colour: str, label: str = "", size: float = 20.0
) -> None:
    """A curved arrow about a point, counterclockwise if positive."""
    ax.annotate(
        "↺" if positive else "↻",
        xy=(float(at[0]), float(at[1])),
        xytext=(0.0, 0.0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        color=colour,
        annotation_clip=False,
        zorder=7,
    )
    if label:
        ax.annotate(
            label,
            xy=(float(at[0]), float(at[1])),
            xytext=(0.8 * size, -0.6 * size),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=SMALL,
            color=colour,
            annotation_clip=False,
            zorder=8,
        )


def side(component: float, positive: str, negative: str) -> str:
    return positive if component > 0.4 else negative if component < -0.4 else "center"


class Lines:
    """Lines that are drawn together.

    Each by itself while they are few, and by kind when they are many, which is much faster.
    """

    def __init__(self) -> None:
        self._found: list[tuple[Array, str, float, Any, float, str]] = []

    def add(
        self,
        points: Array,
        colour: str,
        width: float,
        dash: Any = "-",
        zorder: float = 3.0,
        label: str = "_line",
    ) -> None:
        """Add a line through points."""
        self._found.append((points, colour, width, dash, zorder, label))

    def draw(self, ax: Axes) -> None:
        """Draw what was added."""
        if len(self._found) <= FEW:
            for points, colour, width, dash, zorder, label in self._found:
                ax.plot(
                    points[:, 0],
                    points[:, 1],
                    color=colour,
                    linewidth=width,
                    linestyle=dash,
                    solid_capstyle="round",
                    zorder=zorder,
                    label=label,
                )
            return
        kinds: dict[tuple[Any, ...], list[Array]] = {}
        for points, *kind, _ in self._found:
            kinds.setdefault(tuple(kind), []).append(points)
        for (colour, width, dash, zorder), curves in kinds.items():
            ax.add_collection(
                LineCollection(
                    curves, colors=colour, linewidths=width, linestyles=[dash], zorder=zorder
                )
            )


def broken(lines: list[Array]) -> tuple[Array, Array]:
    """Many lines as one, with gaps between them."""
    gap = np.full((1, 2), np.nan)
    joined = np.concatenate([piece for line in lines for piece in (line, gap)]) if lines else gap
    return joined[:, 0], joined[:, 1]
