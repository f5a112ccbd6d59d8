"""Deformed shapes and mode shapes, with the cubic shape of the members between their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from femu.analyses.eigen import Modes
from femu.model.element import Name
from femu.plots import marks
from femu.plots.model import draw_globe, draw_members, kind_of, mean_direction, picture_size
from femu.plots.sketch import Displacements, Sketch, displacements, sketch
from femu.plots.style import BLUE, LINE, LINES, THICK, axes, check_scale, drawing, short, style
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import InputError

SHARE = 0.12  # of the model's size: the largest movement that is drawn


def draw_moved(
    ax: Axes,
    plan: Sketch,
    moved: Displacements,
    scale: float,
    colour: str | None = BLUE,
    dash: Any = "-",
    width: float = THICK,
) -> None:
    """The members in their moved position; without a colour, each in that of its kind."""
    lines = marks.Lines()
    for member in plan.members.values():
        if len(member.nodes) > 1:
            own_colour = colour or kind_of(member)[0]
            lines.add(
                plan.curve(member, moved, scale), own_colour, width, dash, 4, f"_{member.name}"
            )
            for line in plan.rigid_ends(member, moved, scale):
                lines.add(line, own_colour, 2.0 * width, "-", 4, "_rigid")
    lines.draw(ax)


def draw_supports(ax: Axes, plan: Sketch) -> None:
    """Marks of the supports, if the model is known."""
    if plan.model is not None:
        for name, node in plan.model.nodes.items():
            if node.fixed:
                marks.support(ax, plan.points[name], node.fixed, mean_direction(plan, name))


@typed
def plot_deformed(
    result: Result,
    ax: Axes | None = None,
    *,
    time: float | None = None,
    step: int | None = None,
    scale: float | None = None,
) -> Axes:
    """The deformed shape at a time or in a row of a result (by default the row of the largest
    displacement).

    ``scale`` enlarges the displacements; by default a suitable value is chosen and
    shown.
    """
    row = row_of(result, time, step)
    plan = sketch(result)
    moved = displacements(result, row)
    check_scale("plot_deformed", scale)
    factor = plan.enlargement(moved, SHARE) if scale is None else scale
    ax = axes(ax, *picture_size(plan))
    with style():
        draw_members(ax, plan, faint=True)
        draw_supports(ax, plan)
        draw_moved(ax, plan, moved, factor, None)
        draw_globe(ax, plan)
        drawing(ax, 0.12)
        ax.set_title(f"{when(result, row)},  displacements × {factor:g}")
    return ax


def row_of(result: Result, time: float | None = None, step: int | None = None) -> int:
    """Row of a result by time, by number, or that of the largest displacement."""
    if step is not None:
        if (
            isinstance(step, bool)
            or not isinstance(step, int)
            or not -len(result.time) <= step < len(result.time)
        ):
            raise InputError(
                "plots", "step", step, f"must be a row of the result: 0 to {len(result.time) - 1}"
            )
        return step % len(result.time)
    if time is not None:
        if not result.time[0] <= time <= result.time[-1]:
            raise InputError(
                "plots",
                "time",
                time,
                f"must lie between {result.time[0]:g} and {result.time[-1]:g}",
            )
        return int(np.abs(result.time - time).argmin())
    if not result.arrays["u"].shape[1]:
        raise InputError(
            "plots",
            "displacement",
            None,
            "was not saved",
            fix="save it with Save(displacement=True)",
        )
    reach = np.abs(result.arrays["u"]).max(axis=1)
    return len(reach) - 1 - int(reach[::-1].argmax())  # the last of equal ones


def when(result: Result, row: int) -> str:
    """The time of a row; its number if time does not advance, as in a static analysis."""
    return f"t = {result.time[row]:.4g}" if result.time[-1] > result.time[0] else f"step {row}"


@typed
def plot_modes(
    modes: Modes,
    ax: Axes | None = None,
    *,
    numbers: Sequence[int] | None = None,
    scale: float | None = None,
) -> Axes:
    """Mode shapes over the model at rest, in one picture; ``numbers`` from 1 (by default the first
    three).

    The sign of a mode is free: each is drawn so that its largest horizontal (else vertical)
    movement is positive.
    """
    plan = sketch(modes)
    chosen = (
        list(numbers) if numbers is not None else list(range(1, min(3, len(modes.periods)) + 1))
    )
    for number in chosen:
        if not 1 <= number <= len(modes.periods):
            raise InputError(
                "plot_modes", "numbers", number, f"must lie between 1 and {len(modes.periods)}"
            )
    ax = axes(ax, *picture_size(plan))
    with style():
        draw_members(ax, plan, faint=True)
        draw_supports(ax, plan)
        handles = []
        for order, number in enumerate(chosen):
            moved = upright(displacements(modes, number))
            colour, dash = LINES[order % len(LINES)]
            factor = plan.enlargement(moved, SHARE) if scale is None else scale
            # modes are distinguished by size as well as by colour: no rounding here
            if scale is None:
                reach = max(
                    float(np.abs(plan.curve(m, moved, 1.0) - plan.curve(m, moved, 0.0)).max())
                    for m in plan.members.values()
                    if len(m.nodes) > 1
                )
                factor = SHARE * plan.size / reach
            draw_moved(ax, plan, moved, factor, colour, dash, LINE + 0.3)
            handles.append(
                Line2D(
                    [],
                    [],
                    color=colour,
                    linestyle=dash,
                    linewidth=LINE + 0.3,
                    label=f"mode {number}: {short(float(modes.periods[number - 1]))} s",
                )
            )
        draw_globe(ax, plan)
        drawing(ax, 0.1)
        ax.legend(
            handles=handles,
            frameon=False,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.01),
            ncols=min(3, len(handles)),
            handlelength=3.0,
        )
    return ax


def upright(moved: dict[Name, dict[str, float]]) -> dict[Name, dict[str, float]]:
    """Displacements with the sign at which the largest horizontal (else vertical) one is positive."""
    for direction in ("x", "y", "z", "rz"):
        found = [at.get(direction, 0.0) for at in moved.values()]
        largest = max(found, key=abs, default=0.0)
        if abs(largest) > 1e-6 * max(
            (abs(v) for at in moved.values() for v in at.values()), default=1.0
        ):
            sign = 1.0 if largest > 0.0 else -1.0
            return {node: {d: sign * v for d, v in at.items()} for node, at in moved.items()}
    return moved
