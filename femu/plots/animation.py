"""The deformed shape over time.

A GIF, or one HTML file that plays in any browser without a network.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.animation import PillowWriter

from femu.model.element import Name
from femu.plots.deformed import SHARE, draw_supports, when
from femu.plots.model import draw_members, kind_of, picture_size
from femu.plots.sketch import POINTS, Sketch, displacements, histories, sketch
from femu.plots.style import axes, check_scale, drawing, style
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import FileError, InputError
from femu.support.printable import printable
from femu.support.whole_file import write_text

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
FRAMES, PER_SECOND = 150, 20
MOST_FRAMES, MOST_PER_SECOND = 10**5, 1000
EVERY = (2, 3, 4, 6, 12)  # the browser gets every n-th point of a member, n from this list
POINTS_A_FRAME = 400  # approximately, so that the page stays small
GIF_DOTS_PER_INCH = 80


@typed
def animate(
    result: Result,
    path: str | PathLike[str],
    *,
    scale: float | None = None,
    frames: int = FRAMES,
    per_second: int = PER_SECOND,
) -> None:
    """Write the moving deformed shape to a file that ends in .gif or .html.

    ``frames`` pictures are spread evenly over the result; ``scale`` enlarges the displacements.
    """
    place = Path(path)
    if place.suffix not in (".gif", ".html"):
        raise InputError("animate", "path", str(path), "must end in .gif or .html")
    if isinstance(frames, bool) or not isinstance(frames, int) or not 2 <= frames <= MOST_FRAMES:
        raise InputError(
            "animate", "frames", frames, f"must be a whole number from 2 to {MOST_FRAMES}"
        )
    if not 1 <= per_second <= MOST_PER_SECOND:
        raise InputError(
            "animate",
            "per_second",
            per_second,
            f"must be a whole number from 1 to {MOST_PER_SECOND}",
        )
    check_scale("animate", scale)
    plan = sketch(result)
    rows = np.unique(np.linspace(0, len(result.time) - 1, frames).round().astype(int))
    if scale is None:
        worst = int(np.abs(result.arrays["u"]).max(axis=1).argmax())
        scale = plan.enlargement(displacements(result, worst), SHARE)
    try:
        if place.suffix == ".gif":
            _gif(plan, result, rows, scale, place, per_second)
        else:
            write_text(place, player(result, plan, rows, scale, per_second))
    except OSError as problem:
        raise FileError(place, f"cannot be written: {problem}") from problem


def shapes_over_time(plan: Sketch, result: Result, rows: Rows, scale: float) -> dict[Name, Array]:
    """Axes of all members on the paper, by name: rows by points by 2."""
    moves = {node: histories(result, node, rows) for node in plan.points}
    found = {}
    for name, member in plan.members.items():
        if len(member.nodes) > 1:
            rest, change = plan.movement(member)
            both = np.concatenate([moves[member.nodes[0]], moves[member.nodes[-1]]], axis=1)
            found[name] = rest + scale * np.einsum("pck,rk->rpc", change, both)
    return found


def _gif(
    plan: Sketch, result: Result, rows: Rows, scale: float, path: Path, per_second: int
) -> None:
    ax = axes(None, *picture_size(plan))
    figure: Any = ax.get_figure()
    shapes = shapes_over_time(plan, result, rows, scale)
    low, high = _box(plan, shapes)
    with style():
        draw_members(ax, plan, faint=True)
        draw_supports(ax, plan)
        drawing(ax, 0.0)
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        lines = {
            name: ax.plot(
                [],
                [],
                color=kind_of(plan.members[name])[0],
                linewidth=2.2,
                solid_capstyle="round",
                zorder=4,
            )[0]
            for name in shapes
        }
        title = ax.set_title("")
        writer = PillowWriter(fps=per_second)
        with writer.saving(figure, str(path), GIF_DOTS_PER_INCH):
            for k, row in enumerate(rows):
                for name, line in lines.items():
                    line.set_data(shapes[name][k, :, 0], shapes[name][k, :, 1])
                title.set_text(f"{when(result, int(row))},  displacements × {scale:g}")
                writer.grab_frame()


def _box(plan: Sketch, shapes: dict[Name, Array]) -> tuple[Array, Array]:
    """Corners of the space that the moving model needs, with a margin."""
    reach = np.concatenate(
        [np.array(list(plan.points.values())), *(shape.reshape(-1, 2) for shape in shapes.values())]
    )
    margin = 0.08 * plan.size
    return reach.min(axis=0) - margin, reach.max(axis=0) + margin


def player(
    result: Result,
    plan: Sketch | None = None,
    rows: Rows | None = None,
    scale: float | None = None,
    per_second: int = PER_SECOND,
    whole: bool = True,
) -> str:
    """HTML of the moving shape: a whole page, or a fragment for one."""
    plan = plan or sketch(result)
    if rows is None:
        rows = np.unique(np.linspace(0, len(result.time) - 1, FRAMES).round().astype(int))
    if scale is None:
        scale = plan.enlargement(
            displacements(result, int(np.abs(result.arrays["u"]).max(axis=1).argmax())), SHARE
        )
    shapes = shapes_over_time(plan, result, rows, scale)
    low, high = _box(plan, shapes)
    every = min(EVERY, key=lambda step: abs(len(shapes) * POINTS / step - POINTS_A_FRAME))
    kept = {
        name: shape if shape.shape[1] == 2 else shape[:, ::every] for name, shape in shapes.items()
    }
    supports = (
        []
        if plan.model is None
        else [plan.points[name] for name, node in plan.model.nodes.items() if node.fixed]
    )
    data = {
        "width": float(high[0] - low[0]),
        "height": float(high[1] - low[1]),
        "rate": per_second,
        "scale": scale,
        "times": [round(float(result.time[r]), 4) for r in rows],
        "colours": [kind_of(plan.members[name])[0] for name in shapes],
        "rest": [_packed(plan.curve(plan.members[name], {}, 0.0), low, high) for name in shapes],
        "shapes": [
            [_packed(shape[k], low, high) for shape in kept.values()] for k in range(len(rows))
        ],
        "feet": [_packed(at[None, :], low, high) for at in supports],
    }
    piece = (resources.files("femu.plots") / "data" / "player.html").read_text(encoding="utf-8")
    piece = piece.replace("DATA", json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
    if not whole:
        return piece
    head = f'<meta charset="utf-8"><title>{html.escape(printable(f"{plan.name}: deformed shape"))}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{piece}</body></html>\n'


def _packed(points: Array, low: Array, high: Array) -> list[int]:
    """Points as whole ten-thousandths of the width of the box, from its upper left corner."""
    unit = 1e4 / float(high[0] - low[0])
    return (
        np.stack([(points[:, 0] - low[0]) * unit, (high[1] - points[:, 1]) * unit], axis=1)
        .round()
        .astype(int)
        .ravel()
        .tolist()
    )
