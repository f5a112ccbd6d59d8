"""Moments, shear, axial force and torsion along the members, drawn on them.

Signs are those of `femu.plots.statics`. Moments are drawn on the side in tension, as engineers do:
in a plane towards -y if M is positive; in space in the plane in which they bend, a positive Mz
towards -y, a positive My towards +z. Shear is drawn along its own axis. Axial force and torsion are
drawn towards local y, which in space points up on a level beam unless its ``vecxz`` differs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from femu.plots import marks
from femu.plots.deformed import draw_supports, row_of, when
from femu.plots.model import HALO, draw_globe, draw_members, picture_size
from femu.plots.sketch import Member, Sketch, sketch
from femu.plots.statics import section_forces
from femu.plots.style import (
    AS_MODEL,
    BLUE,
    INK,
    SMALL,
    VERMILION,
    Units,
    axes,
    check_scale,
    drawing,
    headline,
    short,
    style,
)
from femu.results.member_forces import frame_dimensions
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


class Kind(NamedTuple):
    """A force that is drawn."""

    plane: str | None  # its name among the forces of a section, in a plane ...
    space: str  # ... and in space
    towards: int  # local axis it is drawn along in space: 1 is y, 2 is z
    sign: float
    quantity: str
    title: str


KINDS = {
    "moment": Kind("M", "Mz", 1, -1.0, "moment", "Bending moment {}"),
    "moment-y": Kind(None, "My", 2, 1.0, "moment", "Bending moment {}"),
    "shear": Kind("V", "Vy", 1, 1.0, "force", "Shear force {}"),
    "shear-z": Kind(None, "Vz", 2, 1.0, "force", "Shear force {}"),
    "axial": Kind("N", "N", 1, 1.0, "force", "Axial force {} (tension positive)"),
    "torsion": Kind(None, "T", 1, 1.0, "moment", "Torsion {}"),
}
SHARE = 0.14  # of the model's size: height of the largest ordinate
OF_MEMBER = 0.35  # of the median length of the members: the same, in a model of many
MOST_NUMBERED = 24  # members with printed numbers; in a larger model only the extremes have them
NEGLIGIBLE = 1e-6  # of the largest value: drawn without a number
MARGIN = 0.13
LETTER = 0.6  # width of a digit over the height of the letters


@typed
def plot_diagram(
    result: Result,
    kind: str = "moment",
    ax: Axes | None = None,
    *,
    time: float | None = None,
    step: int | None = None,
    scale: float | None = None,
    units: Units = AS_MODEL,
    values: bool = True,
) -> Axes:
    """A force diagram at a time or in a row: "moment", "shear" or "axial"; in space also
    "moment-y", "shear-z" and "torsion".

    In space "moment" is about local z and "shear" along local y. The row of the largest
    displacement is drawn if neither time nor step is given. ``scale`` is the length drawn for a
    force of 1.
    """
    if kind not in KINDS:
        raise InputError("plot_diagram", "kind", kind, f"must be one of {tuple(KINDS)}")
    row = row_of(result, time, step)
    plan = sketch(result)
    diagram_kind = KINDS[kind]
    if plan.plane and diagram_kind.plane is None:
        plane = tuple(name for name, other in KINDS.items() if other.plane)
        raise InputError("plot_diagram", "kind", kind, f"must be one of {plane} in a plane model")
    found = _values(plan, result, kind, row)
    largest = max(float(np.abs(bar.v).max()) for bar in found)
    height = min(
        SHARE * plan.size, OF_MEMBER * float(np.median([plan.length(bar.member) for bar in found]))
    )
    check_scale("plot_diagram", scale)
    factor = scale if scale is not None else (height / largest if largest > 0.0 else 0.0)
    size, unit = units.of(diagram_kind.quantity)
    ax = axes(ax, *picture_size(plan))
    with style():
        draw_members(ax, plan, faint=True, colour=INK)
        draw_supports(ax, plan)
        _draw(ax, found, diagram_kind.sign * factor)
        draw_globe(ax, plan)
        drawing(ax, MARGIN)
        numbered = found if len(found) <= MOST_NUMBERED else _extremes(found)
        if values:
            _write(
                ax,
                [
                    number
                    for bar in numbered
                    for number in _numbers(bar, diagram_kind.sign * factor, largest)
                ],
                size,
            )
        side = (
            ["drawn on the side in tension"]
            if diagram_kind.quantity == "moment" and kind != "torsion"
            else []
        )
        name = diagram_kind.title.format(diagram_kind.plane if plan.plane else diagram_kind.space)
        headline(ax, f"{name}{f' in {unit}' if unit else ''}", *side, when(result, row))
    return ax


class _Bar(NamedTuple):
    """A member on the paper, with the values along it and the direction they are drawn in."""

    member: Member
    ends: tuple[Array, Array]
    across: Array
    x: Array
    v: Array

    @property
    def line(self) -> Array:
        a, b = self.ends
        return np.asarray(a + self.x[:, None] * (b - a))


def _values(plan: Sketch, result: Result, kind: str, row: int) -> list[_Bar]:
    diagram_kind, found = KINDS[kind], []
    towards = 1 if plan.plane else diagram_kind.towards
    for element in result.index["elements"]:
        if element["column"] is None:
            continue
        name, basic = element["name"], tuple(element["basic"])
        if frame_dimensions(element) > 0:
            forces = section_forces(result, name, row, plan.loads.get(name, []))
            x, v = (
                forces.x,
                getattr(
                    forces,
                    str(
                        diagram_kind.plane if frame_dimensions(element) == 2 else diagram_kind.space
                    ),
                ),
            )
        elif basic == ("N",) and kind == "axial":
            x, v = np.array([0.0, 1.0]), np.full(2, float(result.force(name, "basic")[row, 0]))
        else:
            continue
        member = plan.members[name]
        found.append(_Bar(member, plan.ends(member), plan.axes(member)[towards], x, v))
    if not found:
        raise InputError(
            "plot_diagram",
            "result",
            result.model,
            "holds no forces of beam-columns",
            fix="save them with Save(forces=True)",
        )
    return found


def _extremes(found: list[_Bar]) -> list[_Bar]:
    """The places of the largest and the least value, as members of one place.

    All that a large model has room for.
    """
    most = max(found, key=lambda bar: float(bar.v.max()))
    least = min(found, key=lambda bar: float(bar.v.min()))
    places = ((most, int(most.v.argmax())), (least, int(least.v.argmin())))
    return [bar._replace(x=bar.x[[at]], v=bar.v[[at]]) for bar, at in places]


def _draw(ax: Axes, found: list[_Bar], factor: float) -> None:
    """Areas and ordinates of all members, positive and negative in a colour each, and their
    outlines."""
    outlines = marks.Lines()
    areas: dict[str, list[Array]] = {BLUE: [], VERMILION: []}
    ordinates: dict[str, list[Array]] = {BLUE: [], VERMILION: []}
    for bar in found:
        line, v = bar.line, bar.v
        tips = line + factor * v[:, None] * bar.across
        for sign, colour in ((1.0, BLUE), (-1.0, VERMILION)):
            part = np.where(sign * v > 0.0, v, 0.0)
            if np.any(part):
                areas[colour].append(
                    np.concatenate([line + factor * part[:, None] * bar.across, line[::-1]])
                )
        for k in (
            np.linspace(0, len(v) - 1, 9).round().astype(int) if len(found) <= marks.FEW else ()
        ):
            ordinates[BLUE if v[k] >= 0.0 else VERMILION].append(np.array([line[k], tips[k]]))
        outlines.add(tips, INK, 1.0, "-", 4, f"_{bar.member.name}")
    outlines.draw(ax)
    for colour in (BLUE, VERMILION):
        ax.add_collection(
            PolyCollection(areas[colour], facecolor=colour, alpha=0.22, edgecolor="none", zorder=2),
            autolim=False,
        )
        ax.add_collection(
            LineCollection(ordinates[colour], color=colour, linewidth=0.5, zorder=3), autolim=False
        )


class _Number(NamedTuple):
    """A printed value: the end of its ordinate, and the offset of the text from there, in
    points."""

    value: float
    tip: Array
    towards: Array
    shift: Array


def _numbers(bar: _Bar, factor: float, largest: float) -> list[_Number]:
    x, v = bar.x, bar.v
    constant = len(v) == 1 or np.ptp(v) < NEGLIGIBLE * largest
    inner = int(np.abs(v).argmax())
    places = [len(x) // 2] if constant else [0, len(x) - 1]
    if not constant and 0.06 < x[inner] < 0.94:
        places.append(inner)
    elif not constant and len(x) > 2:  # the largest value of the other sign, inside a span
        other = int((v * -np.sign(v[inner])).argmax())
        if 0.06 < x[other] < 0.94 and abs(v[other]) > 0.02 * largest:
            places.append(other)
    along, line, found = _unit(bar.ends[1] - bar.ends[0]), bar.line, []
    for k in places:
        if abs(v[k]) > NEGLIGIBLE * largest:
            towards = np.sign(factor * v[k]) * _unit(bar.across)
            inward = 0.0 if 0.02 < x[k] < 0.98 else (8.0 if x[k] < 0.5 else -8.0)
            found.append(
                _Number(
                    float(v[k]),
                    line[k] + factor * v[k] * bar.across,
                    towards,
                    7.0 * towards + inward * along,
                )
            )
    return found


def _write(ax: Axes, numbers: list[_Number], size: float) -> None:
    """The numbers, the largest first; one that would cover a larger one is omitted."""
    box = ax.get_window_extent()
    points = 72.0 / ax.figure.dpi  # get_figure(root=True) is not in matplotlib before 3.10
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    per_length = points * min(box.width / (right - left), box.height / (high - low))
    taken: list[tuple[float, float, float]] = []  # left, right and middle of a text, in points
    for number in sorted(numbers, key=lambda each: -abs(each.value)):
        text = short(number.value / size)
        sideways, upright = _side(number.towards[0]), _side(number.towards[1])
        x, y = per_length * number.tip + number.shift
        width = LETTER * SMALL * len(text)
        start, middle = x - 0.5 * width * (1 - sideways), y + 0.5 * SMALL * upright
        if any(start < b and a < start + width and abs(middle - at) < SMALL for a, b, at in taken):
            continue
        taken.append((start, start + width, middle))
        ax.annotate(
            text,
            xy=(float(number.tip[0]), float(number.tip[1])),
            xytext=(float(number.shift[0]), float(number.shift[1])),
            textcoords="offset points",
            ha=("right", "center", "left")[sideways + 1],
            va=("top", "center", "bottom")[upright + 1],
            fontsize=SMALL,
            color=BLUE if number.value >= 0.0 else VERMILION,
            path_effects=HALO,
            annotation_clip=False,
            zorder=8,
        )


def _side(part: float) -> int:
    """The side on which a text is placed, from a component of its direction."""
    return 0 if abs(part) < 0.4 else 1 if part > 0.0 else -1


def _unit(vector: Array) -> Array:
    """A direction on the paper; zero if it points at the reader."""
    return np.asarray(vector / (float(np.hypot(*vector)) or 1.0))
