"""Histories, hysteresis loops, energies and step times.

Functions of plain arrays, and the same for results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import is_color_like
from matplotlib.lines import Line2D

from femu.experimental.hybrid_result import HybridResult
from femu.model.element import Name
from femu.model.parameters import LARGEST_SIZE
from femu.plots.style import (
    AS_MODEL,
    BLUE,
    GREEN,
    GREY,
    INK,
    LINE,
    LINES,
    ORANGE,
    SMALL,
    THIN,
    VERMILION,
    Units,
    axes,
    labelled,
    like,
    plain,
    short,
    style,
    tidy,
    times_of,
)
from femu.results.index import element_entry, node_key
from femu.results.member_forces import frame_dimensions
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
_HISTORY = (6.4, 2.4)
BINS = 60


@typed
def plot_history(
    time: npt.ArrayLike,
    values: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    name: str = "",
    unit: str = "",
    peak: bool = True,
    time_unit: str = "s",
) -> Axes:
    """Values over time: one, or several by name. The peak of a single one is marked."""
    ax = axes(ax, *_HISTORY)
    t = times_of("plot_history", time)
    many = values if isinstance(values, Mapping) else {"": values}
    with style():
        for number, (label, given) in enumerate(many.items()):
            y = like("plot_history", "values" if not label else f"values: {label}", given, t)
            colour, dash = LINES[number % len(LINES)]
            ax.plot(
                t,
                y,
                color=colour,
                linestyle=dash,
                linewidth=THIN + 0.4,
                label=plain(label) if label else None,
            )
        ax.axhline(0.0, color=INK, linewidth=0.5)
        if peak and len(many) == 1:
            _mark_peak(ax, t, np.asarray(next(iter(many.values())), dtype=float), unit)
        ax.set_xlim(t[0], t[-1])
        ax.margins(y=0.14)
        tidy(ax, labelled("time", time_unit), labelled(name, unit), legend=len(many) > 1, ncols=3)
    return ax


def _mark_peak(ax: Axes, t: Array, y: Array, unit: str) -> None:
    if not np.isfinite(y).any() or not np.nanmax(np.abs(y)) > 0.0:
        return
    at = int(np.nanargmax(np.abs(y)))
    right = t[at] < t[0] + 0.72 * (t[-1] - t[0])
    ax.plot([t[at]], [y[at]], marker="o", markersize=4.5, color=VERMILION, zorder=5, label="_peak")
    ax.annotate(
        f"{short(float(y[at]), unit)} at {t[at]:.4g} s",
        (float(t[at]), float(y[at])),
        xytext=(7 if right else -7, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=SMALL,
        color=VERMILION,
    )


@typed
def plot_displacement(
    result: Result,
    node: Name,
    direction: str = "x",
    ax: Axes | None = None,
    *,
    units: Units = AS_MODEL,
) -> Axes:
    """Displacement of a node over time."""
    size, unit = units.of("rotation" if direction.startswith("r") else "length")
    kind = "rotation" if direction.startswith("r") else "displacement"
    t = result.time
    if len(t) > 1 and not np.any(np.diff(t)):  # a static analysis: over its steps
        ax = plot_history(
            np.arange(len(t)),
            result.displacement(node, direction) / size,
            ax,
            name=f"{kind} {node}, {direction}",
            unit=unit,
            time_unit="",
            peak=False,
        )
        ax.set_xlabel("step")
        return ax
    return plot_history(
        t,
        result.displacement(node, direction) / size,
        ax,
        name=f"{kind} {node}, {direction}",
        unit=unit,
    )


@typed
def plot_loop(
    deformation: npt.ArrayLike,
    force: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    x: str = "deformation",
    y: str = "force",
    limits: Sequence[float] = (),
    limit_name: str = "",
    label: str | None = None,
    colour: str = BLUE,
    dash: Any = "-",
) -> Axes:
    """A hysteresis loop: force over deformation.

    ``limits`` are horizontal lines, such as a plastic moment.
    """
    ax = axes(ax, 4.4, 3.6)
    d, f = np.asarray(deformation, dtype=float), np.asarray(force, dtype=float)
    if d.shape != f.shape or d.ndim != 1:
        raise InputError(
            "plot_loop",
            "deformation, force",
            (deformation, force),
            "must be two sequences of one length",
        )
    try:
        Line2D([], [], linestyle=dash)
    except (TypeError, ValueError):
        raise InputError("plot_loop", "dash", dash, "must be a line style of matplotlib") from None
    if not is_color_like(colour):
        raise InputError("plot_loop", "colour", colour, "must be a colour of matplotlib")
    with style():
        ax.axhline(0.0, color=INK, linewidth=0.5)
        ax.axvline(0.0, color=INK, linewidth=0.5)
        ax.plot(
            d,
            f,
            color=colour,
            linestyle=dash,
            linewidth=THIN + 0.3,
            label=label,
            solid_joinstyle="round",
        )
        for number, limit in enumerate(limits):
            ax.axhline(
                limit,
                color=GREY,
                linewidth=1.0,
                linestyle=(0, (5, 2)),
                label=limit_name if number == 0 and limit_name else None,
            )
        ax.margins(0.07, 0.1)
        tidy(ax, plain(x), plain(y), legend=bool(label) or bool(limit_name and limits), loc="best")
    return ax


@typed
def plot_element_loop(
    result: Result,
    element: Name,
    end: str = "i",
    ax: Axes | None = None,
    *,
    axis: str = "z",
    units: Units = AS_MODEL,
) -> Axes:
    """Moment over rotation from the chord at an end of a beam-column; force over elongation of a
    truss.

    The basic moment Mi or Mj is counterclockwise positive on the member, as is the rotation. In
    space both are about the local ``axis`` "z" or "y".
    """
    described = element_entry(result, element)
    basic = list(described["basic"])
    if frame_dimensions(described) > 0:
        in_space = frame_dimensions(described) == 3
        if end not in ("i", "j"):
            raise InputError("plot_element_loop", "end", end, 'must be "i" or "j"')
        if axis not in (("z", "y") if in_space else ("z",)):
            raise InputError("plot_element_loop", "axis", axis, 'must be "z", or "y" in space')
        size, unit = units.of("moment")
        column = (1 if axis == "z" else 3) + ("i", "j").index(end)
        name = f"M{axis} at {end}" if in_space else f"M{end}"
        return plot_loop(
            1e3 * result.deformation(element)[:, column],
            result.force(element, "basic")[:, column] / size,
            ax,
            x="rotation from the chord (mrad)",
            y=labelled(f"moment {name} of {element}", unit),
        )
    if len(described["nodes"]) == 2 and basic == ["N"]:
        i, j = described["nodes"]
        at = result.index["coordinates"]
        d = np.array(at[node_key(j)]) - np.array(at[node_key(i)])
        d = d / np.linalg.norm(d)
        longer = sum(
            (result.displacement(j, a) - result.displacement(i, a)) * d[k]
            for k, a in enumerate("xyz"[: len(d)])
        )
        (length, length_name), (force, force_name) = units.of("length"), units.of("force")
        return plot_loop(
            longer / length,
            result.force(element, "basic")[:, 0] / force,
            ax,
            x="elongation" + (f" ({length_name})" if length_name else ""),
            y=labelled(f"axial force of {element}", force_name),
        )
    raise InputError(
        "plot_element_loop",
        "element",
        element,
        "must be a beam-column or a truss",
        fix="use plot_loop with its arrays",
    )


@typed
def plot_energy(
    time: npt.ArrayLike,
    parts: Mapping[str, npt.ArrayLike],
    total: npt.ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    unit: str = "",
    total_name: str = "input",
) -> Axes:
    """Energies stacked over time, with their total as a line.

    If the two differ, energy is unaccounted for.
    """
    ax = axes(ax, 6.4, 3.0)
    t = times_of("plot_energy", time)
    arrays = {
        name: like("plot_energy", f"parts: {name}", values, t) for name, values in parts.items()
    }
    colours = (GREEN, ORANGE, BLUE, VERMILION, GREY)
    hatches = ("....", "////", "", "\\\\\\\\", "xx")
    with style():
        below = np.zeros_like(t)
        for number, (name, values) in enumerate(arrays.items()):
            colour = colours[number % len(colours)]
            ax.fill_between(
                t,
                below,
                below + values,
                facecolor=colour,
                alpha=0.45,
                edgecolor=colour,
                linewidth=0.4,
                label=name,
                hatch=hatches[number % len(hatches)],
            )
            below = below + values
        if total is not None:
            most = like("plot_energy", "total", total, t)
            ax.plot(t, most, color=INK, linewidth=LINE, linestyle=(0, (6, 1.5)), label=total_name)
        ax.set_xlim(t[0], t[-1])
        handles, labels = ax.get_legend_handles_labels()
        tidy(ax, "time (s)", labelled("energy", unit))
        ax.legend(
            handles[::-1],
            labels[::-1],
            frameon=False,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=4,
            borderaxespad=0.2,
        )
    return ax


@typed
def plot_energies(result: Result, ax: Axes | None = None, *, units: Units = AS_MODEL) -> Axes:
    """The energy balance of a result: kinetic, damped and absorbed against the input. A hybrid test
    separates strain from hysteretic energy."""
    size, unit = units.of("energy")
    hybrid = isinstance(result, HybridResult)
    absorbed = (
        {"hysteretic": "hysteretic", "strain": "strain"}
        if hybrid
        else {"absorbed": "strain and hysteretic"}
    )
    names = {**absorbed, "damping": "damped", "kinetic": "kinetic"}
    since = {
        label: (result.energy(name) - result.energy(name)[0]) / size
        for name, label in names.items()
    }
    total = (result.energy("input") - result.energy("input")[0]) / size
    return plot_energy(result.time, since, total, ax, unit=unit)


def duration(seconds: float) -> str:
    """A time in the unit that suits its size."""
    scale, unit = (1e6, "µs") if seconds < 1e-3 else (1e3, "ms") if seconds < 1.0 else (1.0, "s")
    return short(scale * seconds, unit)


@typed
def plot_timing(
    seconds: npt.ArrayLike,
    budget: float | None = None,
    ax: Axes | None = None,
    *,
    name: str = "time of a step",
    late: str | None = None,
) -> Axes:
    """Histogram of step times on logarithmic axes, with the median, 99 %, the worst, and the
    ``budget`` in seconds.

    ``late`` is the number of late steps of a paced test in words; by default the times over the
    budget are counted.
    """
    ax = axes(ax, 6.4, 2.8)
    values = np.asarray(seconds, dtype=float)
    values = values[np.isfinite(values) & (values > 0.0)]
    if values.ndim != 1 or len(values) < 2:
        raise InputError("plot_timing", "seconds", seconds, "must be at least two times above 0")
    if budget is not None and not 0.0 < budget < LARGEST_SIZE:
        raise InputError(
            "plot_timing", "budget", budget, "must be above 0", fix="give it in seconds"
        )
    scale, unit = (
        (1e6, "µs")
        if np.median(values) < 1e-3
        else (1e3, "ms")
        if np.median(values) < 1.0
        else (1.0, "s")
    )
    ms = scale * values
    reach = max(float(ms.max()), scale * budget if budget else 0.0)
    edges = np.geomspace(0.9 * float(ms.min()), 1.1 * reach, BINS + 1)
    with style():
        ax.hist(ms, bins=edges.tolist(), color=BLUE, alpha=0.75, log=True)
        ax.set_xscale("log")
        lines = [
            (float(np.median(ms)), "median", GREEN, "-"),
            (float(np.percentile(ms, 99.0)), "99 %", ORANGE, (0, (5, 1.5))),
            (float(ms.max()), "worst", VERMILION, (0, (1.2, 1.2))),
        ]
        for at, label, colour, dash in lines:
            ax.axvline(
                at,
                color=colour,
                linestyle=dash,
                linewidth=LINE,
                label=f"{label}: {duration(at / scale)}",
            )
        if budget:
            over = int(np.count_nonzero(values > budget))
            verdict = f"{over} of {len(ms)} over it" if late is None else late
            ax.axvline(
                scale * budget,
                color=INK,
                linewidth=2.2,
                label=f"budget: {duration(budget)}, {verdict}",
            )
        tidy(
            ax,
            labelled(name, unit),
            "steps",
            legend=True,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=2,
            borderaxespad=0.2,
        )
    return ax
