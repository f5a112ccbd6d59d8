"""The drawing of a model: members, supports, loads, masses, names and local axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from femu.model.element import Name
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.plots import marks
from femu.plots.sketch import Member, Sketch, sketch
from femu.plots.style import (
    AS_MODEL,
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SMALL,
    THICK,
    VERMILION,
    Units,
    axes,
    drawing,
    plain,
    short,
    style,
)
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
SHORTEST, LONGEST = 18.0, 34.0  # points, of the arrows of loads
LOCAL_AXES, AXIS = 20.0, "#555555"  # points, colour
ROOM = 0.22  # inches around the drawing for the numbers of loads
BAND = 0.05  # height of a uniform load's arrows, as a share of the model's size
SEEN = 0.15  # length on the paper above which an axis of length 1 is drawn
MOST_MEMBER_NAMES = 40
MOST_NUMBERS = 8  # loads of a pattern that all have their number; of more, one of each size
MOST_NAMES = 60  # of nodes; more would cover the drawing
HALO = [patheffects.withStroke(linewidth=2.6, foreground="white")]

# colour, width, and what the legend says, by kind; others are drawn as the last one
KINDS: dict[str, tuple[str, float, str]] = {
    "ElasticBeamColumn": (INK, 1.8, "elastic beam-column"),
    "ForceBeamColumn": (BLUE, THICK, "force-based beam-column"),
    "DisplacementBeamColumn": (BLUE, THICK, "displacement-based beam-column"),
    "Truss": (GREEN, 1.4, "truss"),
    "specimen": (VERMILION, 3.4, "specimen"),
    "": (ORANGE, 1.6, "link"),
}


@typed
def plot_model(
    source: Any,
    ax: Axes | None = None,
    *,
    loads: bool | str | Iterable[str] = True,
    names: bool | None = None,
    local_axes: bool = False,
    masses: bool = True,
    legend: bool = True,
    units: Units = AS_MODEL,
) -> Axes:
    """A model (or the model of a program, a result or modes) with its supports, loads, masses and
    names.

    ``loads`` are the patterns to draw: all, none, or their names. ``local_axes`` shows local x
    (from i to j) and y of each member, in which member loads and forces are given. A clamped
    support is hatched, a pinned one a triangle.
    """
    plan = sketch(source)
    ax = axes(ax, *picture_size(plan), pad=ROOM)
    named = names if names is not None else len(plan.points) <= MOST_NAMES
    with style():
        handles = draw_members(ax, plan)
        if plan.model is not None:
            _constraints(ax, plan)
            _supports(ax, plan)
            if masses and any(
                m > 0.0 for node in plan.model.nodes.values() for m in node.mass.values()
            ):
                handles.append(_masses(ax, plan))
            handles += _loads(ax, plan, loads, units)
        ax.plot(
            [p[0] for p in plan.points.values()],
            [p[1] for p in plan.points.values()],
            linestyle="none",
            marker="o",
            markersize=3.6 if named else 2.0,
            color=INK,
            zorder=6,
            label="_nodes",
        )
        if local_axes:
            _local_axes(ax, plan)
        if named:
            _names(ax, plan)
        draw_globe(ax, plan)
        drawing(ax, 0.2)
        if legend and handles:
            ax.legend(
                handles=handles,
                frameon=False,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.01),
                ncols=min(3, len(handles)),
                handlelength=2.2,
                columnspacing=1.6,
            )
    return ax


def picture_size(plan: Sketch) -> tuple[float, float]:
    """Size of a new picture that fits the model, in inches."""
    if not plan.points:
        return 6.4, 4.2
    width, height = np.ptp(np.array(list(plan.points.values())), axis=0)
    ratio = float(np.clip((height + 0.25 * plan.size) / (width + 0.25 * plan.size), 0.45, 1.35))
    return 6.4, 6.4 * ratio


def kind_of(member: Member) -> tuple[str, float, str]:
    """Colour, width and name of a kind of member."""
    if member.specimen:
        return KINDS["specimen"]
    return KINDS.get(member.kind, KINDS[""])


def draw_members(ax: Axes, plan: Sketch, faint: bool = False, colour: str = FAINT) -> list[Line2D]:
    """The members at rest; returns what a legend needs.

    With ``faint`` all are thin lines of one colour.
    """
    handles: dict[str, Line2D] = {}
    lines = marks.Lines()
    for member in plan.members.values():
        if len(member.nodes) < 2:
            continue
        own, width, kind = kind_of(member)
        if faint:
            own, width = colour, 1.2
        a, b = plan.ends(member)
        if np.allclose(a, b, atol=1e-9 * plan.size):
            ax.plot(
                [a[0]],
                [a[1]],
                marker="D",
                markersize=7.0,
                markerfacecolor="white",
                markeredgecolor=own,
                markeredgewidth=1.4,
                linestyle="none",
                zorder=6,
                label=f"_{member.name}",
            )
            handles.setdefault(
                kind,
                Line2D(
                    [],
                    [],
                    color=own,
                    marker="D",
                    markerfacecolor="white",
                    linestyle="none",
                    label=kind,
                ),
            )
            continue
        dash: Any = (
            (0, (3, 1.2)) if member.kind not in KINDS and not member.specimen and not faint else "-"
        )
        lines.add(np.array([a, b]), own, width, dash, 1 if faint else 3, f"_{member.name}")
        handles.setdefault(
            kind, Line2D([], [], color=own, linewidth=width, linestyle=dash, label=kind)
        )
        if faint:
            continue
        for line in plan.rigid_ends(member, {}, 0.0):
            ax.plot(
                line[:, 0],
                line[:, 1],
                color=INK,
                linewidth=4.5,
                solid_capstyle="butt",
                zorder=2,
                label="_rigid",
            )
        for hinged, end, other in ((member.released[0], a, b), (member.released[1], b, a)):
            if hinged:
                at = end + 0.035 * (other - end)
                ax.plot(
                    [at[0]],
                    [at[1]],
                    marker="o",
                    markersize=5.5,
                    markerfacecolor="white",
                    markeredgecolor=own,
                    markeredgewidth=1.2,
                    linestyle="none",
                    zorder=6,
                    label="_hinge",
                )
    lines.draw(ax)
    return list(handles.values())


def mean_direction(plan: Sketch, node: Name) -> Array:
    """Mean direction from a node to the other ends of its members."""
    found = np.zeros(2)
    for member in plan.members.values():
        if node in member.nodes and len(member.nodes) > 1:
            other = member.nodes[-1] if member.nodes[0] == node else member.nodes[0]
            step = plan.points[other] - plan.points[node]
            if np.any(step):
                found += step / np.linalg.norm(step)
    return found


def _supports(ax: Axes, plan: Sketch) -> None:
    assert plan.model is not None
    for name, node in plan.model.nodes.items():
        if node.fixed:
            marks.support(ax, plan.points[name], node.fixed, mean_direction(plan, name))
        if node.motion:
            for direction in node.motion:
                if direction in ("x", "y", "z"):
                    marks.arrow(
                        ax,
                        plan.points[name],
                        plan.direction(direction),
                        LONGEST,
                        PURPLE,
                        label="moves",
                    )


def _constraints(ax: Axes, plan: Sketch) -> None:
    assert plan.model is not None
    for a, b, _ in [*plan.model.equal, *plan.model.diaphragms]:
        p, q = plan.points[a], plan.points[b]
        ax.plot(
            [p[0], q[0]],
            [p[1], q[1]],
            color=GREY,
            linewidth=0.9,
            linestyle=(0, (1, 2)),
            zorder=2,
            label="_equal",
        )
    for a, b in plan.model.links:
        p, q = plan.points[a], plan.points[b]
        ax.plot(
            [p[0], q[0]],
            [p[1], q[1]],
            color=INK,
            linewidth=4.5,
            solid_capstyle="butt",
            zorder=2,
            label="_rigid link",
        )


def _masses(ax: Axes, plan: Sketch) -> Line2D:
    assert plan.model is not None
    heavy = [
        plan.points[name]
        for name, node in plan.model.nodes.items()
        if any(m > 0.0 for m in node.mass.values())
    ]
    ax.plot(
        [p[0] for p in heavy],
        [p[1] for p in heavy],
        linestyle="none",
        marker="o",
        markersize=9.0,
        markerfacecolor="#BDBDBD",
        markeredgecolor=INK,
        markeredgewidth=0.6,
        zorder=5,
        label="_masses",
    )
    return Line2D(
        [],
        [],
        linestyle="none",
        marker="o",
        markersize=8.0,
        markerfacecolor="#BDBDBD",
        markeredgecolor=INK,
        label="mass",
    )


def _loads(
    ax: Axes, plan: Sketch, wanted: bool | str | Iterable[str], units: Units
) -> list[Line2D]:
    assert plan.model is not None
    patterns = plan.model.patterns
    if isinstance(wanted, bool):
        chosen = list(patterns) if wanted else []
    else:
        chosen = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in chosen:
        if not isinstance(name, str) or name not in patterns:
            raise InputError(
                "plot_model", "loads", name, f"must be among the patterns {list(patterns)}"
            )
    handles = []
    colours = (VERMILION, PURPLE, GREEN, BLUE)
    for number, name in enumerate(chosen):
        pattern, colour = patterns[name], colours[number % len(colours)]
        most = max(
            (abs(v) for (_, d), v in pattern.nodal.items() if d in ("x", "y", "z")), default=1.0
        )
        (force, force_name), (torque, torque_name) = units.of("force"), units.of("moment")
        many, seen = len(pattern.nodal) + len(pattern.member) > MOST_NUMBERS, set[str]()

        def label_once(label: str, many: bool = many, seen: set[str] = seen) -> str:
            if many and label in seen:
                return ""
            seen.add(label)
            return label

        for (node, direction), value in pattern.nodal.items():
            at = plan.points[node]
            if direction.startswith("r"):
                marks.moment(
                    ax, at, value > 0.0, colour, label_once(short(abs(value) / torque, torque_name))
                )
                continue
            step = np.sign(value) * plan.direction(direction)
            length = SHORTEST + (LONGEST - SHORTEST) * abs(value) / most
            marks.arrow(
                ax,
                at,
                step,
                length,
                colour,
                label=label_once(short(abs(value) / force, force_name)),
            )
        drawn = _Uniform()
        for element, load in pattern.member:
            _member_load(ax, plan, plan.members[element], load, colour, units, label_once, drawn)
        drawn.draw(ax, colour)
        if pattern.nodal or pattern.member:
            handles.append(
                Line2D(
                    [],
                    [],
                    color=colour,
                    marker=">",
                    markersize=5.0,
                    linewidth=1.2,
                    label=plain(f"pattern {name}"),
                )
            )
    return handles


@dataclass
class _Uniform:
    """Uniform loads of a pattern, drawn together."""

    edges: list[Array] = field(default_factory=list)
    shafts: list[Array] = field(default_factory=list)
    heads: dict[float, list[Array]] = field(default_factory=dict)  # by the angle of the arrows

    def draw(self, ax: Axes, colour: str) -> None:
        if not self.edges:
            return
        ax.plot(*marks.broken(self.edges), color=colour, linewidth=0.9, zorder=4, label="_uniform")
        ax.plot(*marks.broken(self.shafts), color=colour, linewidth=0.7, zorder=4, label="_shafts")
        for angle, places in self.heads.items():
            at = np.concatenate(places)
            ax.plot(
                at[:, 0],
                at[:, 1],
                linestyle="none",
                marker=(3, 0, angle),
                markersize=4.5,
                color=colour,
                zorder=4,
                label="_heads",
            )


def _member_load(
    ax: Axes,
    plan: Sketch,
    member: Member,
    load: Any,
    colour: str,
    units: Units,
    label_once: Callable[[str], str],
    drawn: _Uniform,
) -> None:
    a, b = plan.ends(member)
    local, parts = plan.axes(member), np.array([load.x, load.y, load.z])
    last, spread = parts, (0.0, 1.0)
    if isinstance(load, DistributedLoad):
        last, spread = (
            np.array([load.intensities(axis)[1] for axis in "xyz"]),
            (load.start, load.end),
        )
    amount = max(float(np.linalg.norm(parts)), float(np.linalg.norm(last)))
    if amount == 0.0:
        return
    if isinstance(load, PointLoad):
        size, unit = units.of("force")
        marks.arrow(
            ax,
            a + load.at * (b - a),
            parts @ local,
            LONGEST,
            colour,
            label=label_once(short(amount / size, unit)),
        )
    elif isinstance(load, (UniformLoad, DistributedLoad)):
        size, unit = units.of("force/length")
        largest = parts if np.linalg.norm(parts) >= np.linalg.norm(last) else last
        step = -BAND * plan.size * (largest @ local) / amount
        if max(abs(largest[1]), abs(largest[2])) < 1e-9 * amount:  # along the member: next to it
            step = BAND * plan.size * plan.normal(member)
        count = (
            round((spread[1] - spread[0]) * float(np.linalg.norm(b - a)) / (0.09 * plan.size)) + 1
        )
        places = np.linspace(*spread, max(4, count))
        tips = a + places[:, None] * (b - a)
        # a trapezoid follows its size along the direction in which it is largest
        heights = np.linspace(parts @ largest, last @ largest, len(tips))[:, None] / amount**2
        drawn.edges.append(tips[[0, -1]] + heights[[0, -1]] * step)
        drawn.shafts += list(np.stack([tips + heights * step, tips], axis=1))
        # the triangles end at the member
        there = tips[heights[:, 0] > 0.25]
        drawn.heads.setdefault(
            round(float(np.degrees(np.arctan2(-step[1], -step[0]))) - 90.0, 3), []
        ).append(there + 0.12 * step)
        label = label_once(short(amount / size, unit))
        if not label:
            return
        middle = a + 0.5 * (spread[0] + spread[1]) * (b - a) + 1.25 * step
        ax.annotate(
            label,
            xy=(float(middle[0]), float(middle[1])),
            ha="center",
            va="bottom" if step[1] > 0.0 else "top" if step[1] < 0.0 else "center",
            fontsize=SMALL,
            color=colour,
            zorder=8,
            annotation_clip=False,
            path_effects=HALO,
        )


def _local_axes(ax: Axes, plan: Sketch) -> None:
    for member in plan.members.values():
        if len(member.nodes) > 1 and plan.length(member) > 0.0:
            a, b = plan.ends(member)
            local = plan.axes(member)
            at = a + 0.36 * (b - a)
            if np.linalg.norm(local[0]) > SEEN:
                marks.ray(ax, at, local[0], LOCAL_AXES, AXIS, "x", aside=True)
            for row, name in ((1, "y"), (2, "z")):
                if np.linalg.norm(local[row]) > SEEN:  # z of a plane member points at the reader
                    marks.ray(
                        ax,
                        at,
                        local[row],
                        LOCAL_AXES * min(1.0, float(np.linalg.norm(local[row]))),
                        AXIS,
                        name,
                    )


def draw_globe(ax: Axes, plan: Sketch) -> None:
    """The global axes of a model in space, next to it; plane models need none."""
    if plan.plane:
        return
    corners = np.array(list(plan.points.values()))
    at = corners.min(axis=0) - np.array([0.08, 0.04]) * plan.size
    for name in ("x", "y", "z"):
        step = plan.direction(name)
        marks.ray(ax, at, step, 1.5 * LOCAL_AXES * float(np.linalg.norm(step)), INK, name)


def _clear(plan: Sketch, member: Member) -> float:
    """-1 if a member's name belongs on its left: its uniform load is drawn on its right."""
    for _, load in plan.loads.get(member.name, []):
        if not isinstance(load, PointLoad):
            from_where = -(np.array([load.x, load.y, load.z]) @ plan.axes(member)) @ plan.normal(
                member
            )
            return -1.0 if from_where < 0.0 else 1.0
    return 1.0


def _names(ax: Axes, plan: Sketch) -> None:
    middle = np.mean(np.array(list(plan.points.values())), axis=0) if plan.points else np.zeros(2)
    taken: dict[tuple[float, float], int] = {}
    for name, at in plan.points.items():
        place = (round(float(at[0]) / plan.size, 6), round(float(at[1]) / plan.size, 6))
        turn = taken.setdefault(place, 0)  # nodes at one place: names next to each other
        taken[place] += 1
        out = 7.0 if at[0] >= middle[0] else -7.0
        ax.annotate(
            plain(name),
            xy=(float(at[0]), float(at[1])),
            xytext=(out + 13.0 * turn * np.sign(out), 7.0),
            textcoords="offset points",
            ha="left" if out > 0 else "right",
            va="bottom",
            fontsize=SMALL,
            fontweight="bold",
            color=INK,
            path_effects=HALO,
            annotation_clip=False,
            zorder=9,
        )
    for member in plan.members.values():
        if len(member.nodes) < 2 or len(plan.members) > MOST_MEMBER_NAMES:
            continue
        a, b = plan.ends(member)
        at = a + 0.55 * (b - a)
        shift = (
            -8.0 * _clear(plan, member) * plan.normal(member)
            if plan.length(member) > 0.0
            else np.array([0.0, -11.0])
        )
        ax.annotate(
            plain(member.name),
            xy=(float(at[0]), float(at[1])),
            xytext=(float(shift[0]), float(shift[1])),
            textcoords="offset points",
            ha=marks.side(float(-shift[0]), "right", "left"),
            va=marks.side(float(-shift[1]), "top", "bottom"),
            fontsize=SMALL,
            style="italic",
            color=kind_of(member)[0],
            path_effects=HALO,
            annotation_clip=False,
            zorder=9,
        )
