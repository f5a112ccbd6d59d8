"""Drawings of the sign conventions: everything is drawn in its positive sense."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, FancyArrowPatch, Polygon

from femu.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    LARGE,
    NORMAL,
    ORANGE,
    VERMILION,
    axes,
    style,
)
from femu.support.arguments import typed
from femu.support.errors import InputError

Point = tuple[float, float]
_AXIS, _FORCE, _BASIC, _MOVE = GREY, VERMILION, BLUE, GREEN


def _arrow(
    ax: Axes,
    start: Point,
    end: Point,
    colour: str,
    label: str = "",
    shift: Point = (0.0, 0.0),
    width: float = 1.6,
) -> None:
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>,head_length=6,head_width=3",
            color=colour,
            linewidth=width,
            shrinkA=0.0,
            shrinkB=0.0,
            zorder=5,
        )
    )
    if label:
        ax.text(
            end[0] + shift[0],
            end[1] + shift[1],
            label,
            color=colour,
            fontsize=NORMAL,
            ha="center",
            va="center",
            zorder=6,
        )


def _turn(
    ax: Axes,
    centre: Point,
    radius: float,
    colour: str,
    label: str,
    start: float = -60.0,
    end: float = 200.0,
    at: Point | None = None,
) -> None:
    """A counterclockwise curved arrow."""
    ax.add_patch(
        Arc(
            centre,
            2 * radius,
            2 * radius,
            theta1=start,
            theta2=end - 12.0,
            color=colour,
            linewidth=1.6,
            zorder=5,
        )
    )
    a, b = np.radians(end - 14.0), np.radians(end)
    ax.add_patch(
        FancyArrowPatch(
            (centre[0] + radius * np.cos(a), centre[1] + radius * np.sin(a)),
            (centre[0] + radius * np.cos(b), centre[1] + radius * np.sin(b)),
            arrowstyle="-|>,head_length=6,head_width=3",
            color=colour,
            linewidth=1.6,
            shrinkA=0.0,
            shrinkB=0.0,
            zorder=5,
        )
    )
    x, y = at or (centre[0], centre[1] + 1.35 * radius)
    ax.text(x, y, label, color=colour, fontsize=NORMAL, ha="center", va="center", zorder=6)


def _node(ax: Axes, at: Point, name: str, shift: Point = (0.0, -0.22)) -> None:
    ax.plot([at[0]], [at[1]], marker="o", color=INK, markersize=5.5, zorder=7, label=f"_{name}")
    ax.text(
        at[0] + shift[0],
        at[1] + shift[1],
        name,
        fontsize=NORMAL,
        fontweight="bold",
        color=INK,
        ha="center",
        va="center",
        zorder=7,
    )


def _member(ax: Axes, start: Point = (0.0, 0.0), end: Point = (4.0, 0.0)) -> None:
    ax.plot(
        [start[0], end[0]],
        [start[1], end[1]],
        color=INK,
        linewidth=3.0,
        solid_capstyle="round",
        zorder=3,
        label="_member",
    )


def _local(ax: Axes, at: Point) -> None:
    _arrow(ax, at, (at[0] + 0.6, at[1]), _AXIS, "x", (0.14, 0.0), 1.1)
    _arrow(ax, at, (at[0], at[1] + 0.6), _AXIS, "y", (0.0, 0.14), 1.1)


def _node_and_support(ax: Axes) -> None:
    _node(ax, (0.0, 0.0), "node", (-0.4, -0.25))
    _arrow(ax, (0.0, 0.0), (1.2, 0.0), _MOVE, "x", (0.18, 0.0))
    _arrow(ax, (0.0, 0.0), (0.0, 1.2), _MOVE, "y", (0.0, 0.18))
    _turn(ax, (0.0, 0.0), 0.55, _MOVE, "rz", at=(-0.72, 0.5))
    ax.text(0.0, -0.85, "displacement, velocity, load", fontsize=NORMAL, ha="center", color=_MOVE)
    _node(ax, (4.0, 0.0), "support", (0.55, 0.22))
    ax.plot([4.0, 4.0], [0.0, 1.4], color=INK, linewidth=3.0, zorder=3, label="_member")
    _arrow(ax, (2.8, 0.0), (3.93, 0.0), _FORCE, "", width=1.6)
    ax.text(2.6, 0.0, "x", color=_FORCE, fontsize=NORMAL, ha="center", va="center")
    _arrow(ax, (4.0, -1.2), (4.0, -0.07), _FORCE)
    ax.text(4.16, -1.15, "y", color=_FORCE, fontsize=NORMAL, ha="center", va="center")
    _turn(ax, (4.0, 0.0), 0.5, _FORCE, "rz", 100.0, 300.0, at=(3.35, 0.5))
    ax.text(
        5.95,
        -0.8,
        "reaction: what the support\ndoes to the structure",
        fontsize=NORMAL,
        ha="center",
        va="center",
        color=_FORCE,
    )


def _beam_local(ax: Axes) -> None:
    _member(ax)
    _node(ax, (0.0, 0.0), "i", (-0.0, -0.3))
    _node(ax, (4.0, 0.0), "j", (0.0, -0.3))
    _local(ax, (1.7, 0.15))
    for end, x in (("i", 0.0), ("j", 4.0)):
        # outside the member, pointing along positive local axes
        if end == "i":
            _arrow(ax, (-1.15, 0.0), (-0.12, 0.0), _FORCE)
            ax.text(-1.3, 0.0, "Fx", color=_FORCE, fontsize=NORMAL, ha="right", va="center")
        else:
            _arrow(ax, (4.12, 0.0), (5.15, 0.0), _FORCE, "Fx", (0.25, 0.0))
        _arrow(ax, (x, 0.1), (x, 1.1), _FORCE, "Fy", (0.0, 0.17))
        _turn(ax, (x, 0.0), 0.45, _FORCE, "M", 215.0, 330.0, at=(x + 0.62, -0.42))
    ax.text(
        2.0,
        -1.0,
        'forces at the ends, acting on the member: Result.force(name, "local")',
        fontsize=NORMAL,
        ha="center",
        color=_FORCE,
    )


def _beam_basic(ax: Axes) -> None:
    x = np.linspace(0.0, 1.0, 60)
    bow = 4.0 * (0.22 * (x - 2 * x**2 + x**3) + 0.16 * (x**3 - x**2))
    ax.plot(
        [0.0, 4.0],
        [0.0, 0.0],
        color=GREY,
        linewidth=0.9,
        linestyle=(0, (6, 3)),
        zorder=2,
        label="_chord",
    )
    ax.plot(4.0 * x, bow, color=INK, linewidth=2.6, zorder=3, label="_member")
    _node(ax, (0.0, 0.0), "i", (0.0, -0.3))
    _node(ax, (4.0, 0.0), "j", (0.0, -0.3))
    _arrow(ax, (4.12, 0.0), (5.05, 0.0), _BASIC, "N", (0.2, 0.0))
    _arrow(ax, (-0.12, 0.0), (-1.05, 0.0), _BASIC, "N", (-0.2, 0.0))
    _turn(ax, (0.0, 0.0), 0.5, _BASIC, "Mi", 60.0, 170.0, at=(-0.35, 0.66))
    _turn(ax, (4.0, 0.0), 0.5, _BASIC, "Mj", -60.0, 60.0, at=(4.62, 0.5))
    for start, slope, name in ((0.0, 0.22, "θi"), (4.0, 0.16, "θj")):
        side = 1.0 if start == 0.0 else -1.0
        ax.plot(
            [start, start + side * 1.15],
            [0.0, side * 1.15 * slope],
            color=GREEN,
            linewidth=0.9,
            zorder=4,
            label="_tangent",
        )
        ax.text(
            start + side * 1.35,
            side * 0.13,
            name,
            color=GREEN,
            fontsize=NORMAL,
            ha="center",
            va="center",
        )
    ax.text(
        2.0,
        -0.95,
        "basic system: N with the elongation, Mi and Mj with the rotations θ from the chord",
        fontsize=NORMAL,
        ha="center",
        color=_BASIC,
    )


def _section(ax: Axes) -> None:
    ax.add_patch(
        Polygon(
            [(0.0, -0.7), (2.2, -0.7), (2.2, 0.7), (0.0, 0.7)],
            closed=True,
            facecolor=FAINT,
            edgecolor=INK,
            linewidth=1.4,
            zorder=2,
        )
    )
    ax.plot(
        [0.0, 2.2],
        [0.0, 0.0],
        color=GREY,
        linewidth=0.8,
        linestyle=(0, (6, 3)),
        zorder=3,
        label="_axis",
    )
    _arrow(ax, (0.25, 0.0), (0.95, 0.0), _AXIS, "x", (0.12, 0.0), 1.1)
    _arrow(ax, (0.25, 0.0), (0.25, 0.5), _AXIS, "y", (0.14, 0.0), 1.1)
    _arrow(ax, (2.25, 0.0), (3.2, 0.0), _BASIC, "N", (0.2, 0.0))
    _turn(ax, (2.3, 0.0), 0.95, _BASIC, "M", -55.0, 55.0, at=(3.15, 0.75))
    for y in np.linspace(-0.6, 0.6, 5):
        if abs(y) > 0.05:
            tip = 5.2 - 0.9 * y / 0.6
            _arrow(
                ax, (5.2, float(y)), (float(tip), float(y)), VERMILION if y > 0 else BLUE, width=1.0
            )
    ax.plot([5.2, 5.2], [-0.7, 0.7], color=INK, linewidth=1.4, zorder=3, label="_face")
    ax.plot(
        [5.2 - 0.9, 5.2 + 0.9], [0.6, -0.6], color=GREY, linewidth=0.9, zorder=3, label="_stress"
    )
    ax.text(
        4.25,
        0.95,
        "M shortens the fibres at positive y",
        fontsize=NORMAL,
        color=VERMILION,
        ha="left",
    )
    ax.text(
        2.8,
        -1.15,
        "strain of a fibre = axial strain − y · curvature;  in the member M(x) = (x/L − 1) Mi + "
        "(x/L) Mj",
        fontsize=NORMAL,
        ha="center",
        color=INK,
    )


def _truss(ax: Axes) -> None:
    ax.plot([0.0, 4.0], [0.0, 0.0], color=INK, linewidth=2.4, zorder=3, label="_member")
    for x, name in ((0.0, "i"), (4.0, "j")):
        ax.plot(
            [x],
            [0.0],
            marker="o",
            markersize=8.0,
            markerfacecolor="white",
            markeredgecolor=INK,
            markeredgewidth=1.4,
            zorder=6,
            label="_hinge",
        )
        ax.text(x, -0.32, name, fontsize=NORMAL, fontweight="bold", ha="center", va="center")
    _local(ax, (1.7, 0.12))
    _arrow(ax, (4.15, 0.0), (5.1, 0.0), _BASIC, "N", (0.2, 0.0))
    _arrow(ax, (-0.15, 0.0), (-1.1, 0.0), _BASIC, "N", (-0.2, 0.0))
    ax.text(
        2.0,
        -0.8,
        "N and its elongation are positive in tension",
        fontsize=NORMAL,
        ha="center",
        color=_BASIC,
    )


def _spring(
    start: float, end: float, turns: int = 5, height: float = 0.16
) -> tuple[np.ndarray, np.ndarray]:
    x = np.concatenate(
        [
            [start, start + 0.12 * (end - start)],
            np.linspace(start + 0.16 * (end - start), end - 0.16 * (end - start), 2 * turns),
            [end - 0.12 * (end - start), end],
        ]
    )
    y = np.concatenate([[0.0, 0.0], height * (-1.0) ** np.arange(2 * turns), [0.0, 0.0]])
    return x, y


def _link(ax: Axes) -> None:
    ax.plot(*_spring(0.0, 4.0), color=ORANGE, linewidth=1.8, zorder=3, label="_spring")
    _node(ax, (0.0, 0.0), "i", (0.0, -0.35))
    _node(ax, (4.0, 0.0), "j", (0.0, -0.35))
    _local(ax, (1.75, 0.35))
    _arrow(ax, (4.1, 0.0), (5.1, 0.0), _BASIC, "Fx", (0.25, 0.0))
    _arrow(ax, (4.0, 0.1), (4.0, 1.1), _BASIC, "Fy", (0.0, 0.17))
    _turn(ax, (4.0, 0.0), 0.45, _BASIC, "Mz", 215.0, 330.0, at=(4.7, -0.45))
    ax.text(
        2.0,
        -1.0,
        "deformation = movement of j less that of i, in local axes;\n"
        "the forces act on the link at j, and the opposite ones at i",
        fontsize=NORMAL,
        ha="center",
        va="center",
        color=_BASIC,
    )


def _member_load(ax: Axes) -> None:
    _member(ax)
    _node(ax, (0.0, 0.0), "i", (0.0, -0.3))
    _node(ax, (4.0, 0.0), "j", (0.0, -0.3))
    for x in np.linspace(0.0, 4.0, 11):
        _arrow(ax, (float(x), 0.08), (float(x), 0.62), _FORCE, width=1.0)
    ax.plot([0.0, 4.0], [0.62, 0.62], color=_FORCE, linewidth=0.9, zorder=4, label="_uniform")
    ax.text(1.2, 0.85, "UniformLoad(y)", color=_FORCE, fontsize=NORMAL, ha="center", va="center")
    _arrow(ax, (3.2, 0.08), (3.2, 1.05), _PURPLE, "PointLoad(at, y)", (0.15, 0.22), 1.8)
    ax.plot([0.0, 3.2], [-0.62, -0.62], color=GREY, linewidth=0.9, zorder=2, label="_dimension")
    for x in (0.0, 3.2):
        ax.plot([x, x], [-0.68, -0.56], color=GREY, linewidth=0.9, zorder=2, label="_tick")
    ax.text(1.6, -0.78, "at · L", color=GREY, fontsize=NORMAL, ha="center", va="center")
    ax.text(
        4.3,
        0.3,
        "x along the member,\ny to its left",
        fontsize=NORMAL,
        color=_AXIS,
        ha="left",
        va="center",
    )


def _space(ax: Axes) -> None:
    # oblique: x along the member to the right, y up, z towards the reader
    along, up, out = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([-0.5, -0.42])
    _member(ax)
    _node(ax, (0.0, 0.0), "i", (-0.2, 0.25))
    _node(ax, (4.0, 0.0), "j", (-0.22, 0.25))
    for step, name, shift in (
        (along, "x", (0.16, 0.0)),
        (up, "y", (0.0, 0.16)),
        (out, "z", (-0.12, -0.14)),
    ):
        start = np.array([1.4, 0.15])
        tip = start + 0.7 * step
        _arrow(
            ax,
            (float(start[0]), float(start[1])),
            (float(tip[0]), float(tip[1])),
            _AXIS,
            name,
            shift,
            1.1,
        )
    for step, force, moment, shift in (
        (along, "Fx", "Mx", (0.0, 0.2)),
        (up, "Fy", "My", (0.3, 0.0)),
        (out, "Fz", "Mz", (0.12, -0.2)),
    ):
        tip, far, beyond = (np.array([4.0, 0.0]) + reach * step for reach in (1.1, 1.5, 1.75))
        _arrow(ax, (4.0, 0.0), (float(tip[0]), float(tip[1])), _FORCE, force, shift)
        # a moment is a double arrow along its axis, by the right hand
        for end in (far, beyond):
            _arrow(ax, (float(tip[0]), float(tip[1])), (float(end[0]), float(end[1])), _BASIC)
        ax.text(
            float(beyond[0] + shift[0]),
            float(beyond[1] + shift[1]),
            moment,
            color=_BASIC,
            fontsize=NORMAL,
            ha="center",
            va="center",
        )
    ax.text(
        2.0,
        -1.65,
        "right-handed local axes; vecxz lies in the local x-z plane;\n"
        "forces and moments act on the member at each end",
        fontsize=NORMAL,
        ha="center",
        va="center",
        color=INK,
    )


_PURPLE = "#9C4F7C"  # darker than the palette's, for thin arrows
Box = tuple[float, float, float, float]  # left, right, bottom, top
CONVENTIONS: dict[str, tuple[str, Callable[[Axes], None], Box]] = {
    "node": ("Nodes and supports, global axes", _node_and_support, (-1.7, 7.6, -1.5, 1.6)),
    "beam-column": ("Beam-columns: end forces in local axes", _beam_local, (-2.0, 6.0, -1.25, 1.5)),
    "basic": ("Beam-columns: basic system", _beam_basic, (-2.0, 6.0, -1.25, 1.0)),
    "space": ("Beam-columns in space: local axes and end forces", _space, (-2.2, 6.4, -2.0, 2.1)),
    "section": ("Sections", _section, (-1.6, 7.2, -1.45, 1.25)),
    "truss": ("Truss", _truss, (-2.0, 6.0, -1.1, 1.1)),
    "link": ("Links: TwoNodeLink, ZeroLength, ViscousDashpot", _link, (-2.0, 6.0, -1.5, 1.5)),
    "member-load": ("Member loads, local axes", _member_load, (-1.0, 7.0, -1.05, 1.5)),
}


@typed
def plot_convention(kind: str, ax: Axes | None = None) -> Axes:
    """The sign convention of an element or quantity.

    ``CONVENTIONS`` names them. Everything is drawn in its positive sense.
    """
    if kind not in CONVENTIONS:
        raise InputError("plot_convention", "kind", kind, f"must be one of {tuple(CONVENTIONS)}")
    title, draw, (left, right, bottom, top) = CONVENTIONS[kind]
    ax = axes(ax, 6.4, 6.4 * (top - bottom) / (right - left) + 0.4)
    with style():
        draw(ax)
        ax.set_aspect("equal")
        ax.set_xlim(left, right)
        ax.set_ylim(bottom, top)
        ax.set_axis_off()
        ax.set_title(title, fontsize=LARGE, loc="left")
    return ax
