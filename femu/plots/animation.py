"""The deformed shape over time: a GIF, or one HTML file that plays in any browser without a network."""

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

from femu.errors import FileError, InputError
from femu.plots.deformed import SHARE, draw_supports, when
from femu.plots.model import _shape, draw_members, kind_of
from femu.plots.sketch import Sketch, displacements, sketch
from femu.plots.style import axes, drawing, style
from femu.results import Result

Array = npt.NDArray[np.float64]
FRAMES, PER_SECOND = 150, 20
GIF_DOTS_PER_INCH = 80


def animate(
    result: Result, path: str | PathLike[str], *, scale: float | None = None, frames: int = FRAMES, per_second: int = PER_SECOND
) -> None:
    """Write the moving deformed shape to a file that ends in .gif or .html.

    ``frames`` pictures are spread evenly over the result; ``scale`` enlarges the displacements.
    """
    place = Path(path)
    if place.suffix not in (".gif", ".html"):
        raise InputError("animate", "path", str(path), "must end in .gif or .html")
    if isinstance(frames, bool) or not isinstance(frames, int) or frames < 2:
        raise InputError("animate", "frames", frames, "must be a whole number from 2 on")
    plan = sketch(result)
    rows = np.unique(np.linspace(0, len(result.time) - 1, frames).round().astype(int))
    if scale is None:
        worst = int(np.abs(result.arrays["u"]).max(axis=1).argmax())
        scale = plan.enlargement(displacements(result, worst), SHARE)
    try:
        if place.suffix == ".gif":
            _gif(plan, result, rows, scale, place, per_second)
        else:
            place.write_text(player(result, plan, rows, scale, per_second), encoding="utf-8")
    except OSError as problem:
        raise FileError(place, f"cannot be written: {problem}") from problem


def _gif(plan: Sketch, result: Result, rows: npt.NDArray[np.int64], scale: float, path: Path, per_second: int) -> None:
    ax = axes(None, *_shape(plan))
    figure: Any = ax.get_figure()
    with style():
        draw_members(ax, plan, faint=True)
        draw_supports(ax, plan)
        low, high = _box(plan, result, rows, scale)
        drawing(ax, 0.0)
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        members = [m for m in plan.members.values() if len(m.nodes) > 1]
        lines = [ax.plot([], [], color=kind_of(m)[0], linewidth=2.2, solid_capstyle="round", zorder=4)[0] for m in members]
        title = ax.set_title("")
        writer = PillowWriter(fps=per_second)
        with writer.saving(figure, str(path), GIF_DOTS_PER_INCH):
            for row in rows:
                moved = displacements(result, int(row))
                for line, member in zip(lines, members, strict=True):
                    curve = plan.curve(member, moved, scale)
                    line.set_data(curve[:, 0], curve[:, 1])
                title.set_text(f"{when(result, int(row))},  displacements × {scale:g}")
                writer.grab_frame()


def _box(plan: Sketch, result: Result, rows: npt.NDArray[np.int64], scale: float) -> tuple[Array, Array]:
    """Corners of what the moving model takes up, with a margin."""
    reach = np.array(list(plan.points.values()))
    low, high = reach.min(axis=0), reach.max(axis=0)
    for row in rows:
        moved = displacements(result, int(row))
        for member in plan.members.values():
            if len(member.nodes) > 1:
                curve = plan.curve(member, moved, scale)
                low, high = np.minimum(low, curve.min(axis=0)), np.maximum(high, curve.max(axis=0))
    margin = 0.08 * plan.size
    return low - margin, high + margin


def player(
    result: Result,
    plan: Sketch | None = None,
    rows: npt.NDArray[np.int64] | None = None,
    scale: float | None = None,
    per_second: int = PER_SECOND,
    whole: bool = True,
) -> str:
    """HTML of the moving shape: a page of its own, or a piece to put into one."""
    plan = plan or sketch(result)
    if rows is None:
        rows = np.unique(np.linspace(0, len(result.time) - 1, FRAMES).round().astype(int))
    if scale is None:
        scale = plan.enlargement(displacements(result, int(np.abs(result.arrays["u"]).max(axis=1).argmax())), SHARE)
    low, high = _box(plan, result, rows, scale)
    members = [m for m in plan.members.values() if len(m.nodes) > 1]
    shapes = []
    for row in rows:
        moved = displacements(result, int(row))
        shapes.append([_packed(plan.curve(m, moved, scale)[:: 2 if m.frame else 1], low, high) for m in members])
    supports = [] if plan.model is None else [plan.points[name] for name, node in plan.model.nodes.items() if node.fixed]
    data = {
        "width": float(high[0] - low[0]),
        "height": float(high[1] - low[1]),
        "rate": per_second,
        "scale": scale,
        "times": [round(float(result.time[r]), 4) for r in rows],
        "colours": [kind_of(m)[0] for m in members],
        "rest": [_packed(plan.curve(m, {}, 0.0), low, high) for m in members],
        "shapes": shapes,
        "feet": [_packed(at[None, :], low, high) for at in supports],
    }
    piece = (resources.files("femu.plots") / "data" / "player.html").read_text(encoding="utf-8")
    piece = piece.replace("DATA", json.dumps(data, separators=(",", ":")).replace("</", "<\\/"))
    title = html.escape(f"{plan.name}: deformed shape")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>{piece}</body></html>\n'
        if whole
        else piece
    )


def _packed(points: Array, low: Array, high: Array) -> list[int]:
    """Points as whole ten-thousandths of the width of the box, from its upper left corner."""
    unit = 1e4 / float(high[0] - low[0])
    return (
        np.stack([(points[:, 0] - low[0]) * unit, (high[1] - points[:, 1]) * unit], axis=1).round().astype(int).ravel().tolist()
    )
