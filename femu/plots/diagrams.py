"""Moment, shear and axial force along the members.

Signs: N is tension positive; with local x from i to j and y to its left, a positive moment shortens the fibres at positive y
(sagging, in a beam drawn from left to right), and V = dM/dx. Moments are drawn on the side in tension, as engineers do; shear and
axial force are drawn towards local y where positive.

The forces at a place x follow from those at end i and the member loads by equilibrium of the piece between, so they are exact
whatever the law of the member::

    N(x) = -Fx_i - sum(wx),    V(x) = Fy_i + sum(wy),    M(x) = -M_i + Fy_i x + sum(wy (x - a))
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from femu.element import Name
from femu.errors import InputError
from femu.forces import BASIC_NAMES
from femu.loads import PointLoad, UniformLoad
from femu.plots import marks
from femu.plots.deformed import draw_supports, row_of, when
from femu.plots.model import HALO, _shape, draw_members
from femu.plots.sketch import Member, Sketch, sketch
from femu.plots.style import AS_MODEL, BLUE, INK, SMALL, VERMILION, Units, axes, drawing, short, style
from femu.results import Result

Array = npt.NDArray[np.float64]
KINDS = {"moment": "M", "shear": "V", "axial": "N"}
PLACES = 41  # along a member
SHARE = 0.14  # of the model's size: height of the largest ordinate
OF_MEMBER = 0.35  # of the median length of the members: the same, in a model of many
MOST_NUMBERED = 24  # members that get their numbers; in a larger model only the extremes do
NEGLIGIBLE = 1e-6  # of the largest value: drawn without a number


def section_forces(result: Result, element: Name, row: int, loads: list[Any] | None = None) -> tuple[Array, Array, Array, Array]:
    """Places along a member (shares of its length), and N, V and M there, in a row of a result.

    ``loads`` are (pattern, member load) pairs; those of the result's model if left out. A place where a point load stands comes
    twice: before and behind it.
    """
    if loads is None:
        loads = sketch(result).loads.get(element, [])
    told = result._element(element)
    if tuple(told["basic"]) != BASIC_NAMES:
        raise InputError(f"element {element!r}", "diagram", told["kind"], "must be a beam-column")
    length = float(told["constants"][0])
    fx, fy, mi = (float(v) for v in result.force(element, "local")[row, :3])
    jumps = sorted({load.at for _, load in loads if isinstance(load, PointLoad) and 0.0 < load.at < 1.0})
    tiny = 1e-12
    x = np.unique(np.concatenate([np.linspace(0.0, 1.0, PLACES), [a - tiny for a in jumps], [a + tiny for a in jumps]]))
    s = x * length
    N, V, M = np.full_like(s, -fx), np.full_like(s, fy), -mi + fy * s
    for pattern, load in loads:
        factor = float(result.factor(pattern)[row])
        if isinstance(load, UniformLoad):
            N -= factor * load.x * s
            V += factor * load.y * s
            M += 0.5 * factor * load.y * s**2
        else:
            behind = (x > load.at) | ((load.at >= 1.0) & (x >= 1.0)) | ((load.at <= 0.0) & (x >= 0.0))
            N -= np.where(behind, factor * load.x, 0.0)
            V += np.where(behind, factor * load.y, 0.0)
            M += np.where(behind, factor * load.y * (s - load.at * length), 0.0)
    return x, N, V, M


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
    """The "moment", "shear" or "axial" force diagram at a time or in a row.

    That of the largest displacement is drawn if neither is given. ``scale`` is the length drawn for a force of 1.
    """
    if kind not in KINDS:
        raise InputError("plot_diagram", "kind", kind, f"must be one of {tuple(KINDS)}")
    row = row_of(result, time, step)
    plan = sketch(result)
    if not plan.plane:
        raise InputError("plot_diagram", "result", result.model, "must be of a plane model")
    found = _values(plan, result, kind, row)
    largest = max((float(np.abs(v).max()) for _, _, v in found), default=0.0)
    height = min(SHARE * plan.size, OF_MEMBER * float(np.median([plan.length(member) for member, _, _ in found])))
    factor = scale if scale is not None else (height / largest if largest > 0.0 else 0.0)
    size, unit = units.of("moment" if kind == "moment" else "force")
    ax = axes(ax, *_shape(plan))
    with style():
        draw_members(ax, plan, faint=True, colour=INK)
        draw_supports(ax, plan)
        drawn = -factor if kind == "moment" else factor
        _draw(ax, plan, found, drawn)
        numbered = found if len(found) <= MOST_NUMBERED else _extremes(found)
        for member, x, v in numbered if values else []:
            _write(ax, plan, member, x, v, drawn, largest, size)
        drawing(ax, 0.13)
        side = ", drawn on the side in tension" if kind == "moment" else ""
        name = {"moment": "Bending moment M", "shear": "Shear force V", "axial": "Axial force N (tension positive)"}[kind]
        ax.set_title(f"{name}{f' in {unit}' if unit else ''}{side},  {when(result, row)}")
    return ax


def _values(plan: Sketch, result: Result, kind: str, row: int) -> list[tuple[Member, Array, Array]]:
    found = []
    for element in result.index["elements"]:
        if tuple(element["basic"]) == BASIC_NAMES and element["column"] is not None:
            name = element["name"]
            x, N, V, M = section_forces(result, name, row, plan.loads.get(name, []))
            found.append((plan.members[name], x, {"moment": M, "shear": V, "axial": N}[kind]))
        elif tuple(element["basic"]) == ("N",) and kind == "axial" and element["column"] is not None:
            value = float(result.force(element["name"], "basic")[row, 0])
            found.append((plan.members[element["name"]], np.array([0.0, 1.0]), np.full(2, value)))
    if not found:
        raise InputError(
            "plot_diagram", "result", result.model, "holds no forces of beam-columns", "save them with Save(forces=True)"
        )
    return found


def _extremes(found: list[tuple[Member, Array, Array]]) -> list[tuple[Member, Array, Array]]:
    """The places of the largest and the least value, as members of one place: all that a large model has room for."""
    most = max(found, key=lambda item: float(item[2].max()))
    least = min(found, key=lambda item: float(item[2].min()))
    return [(member, x[[at]], v[[at]]) for (member, x, v), at in ((most, int(most[2].argmax())), (least, int(least[2].argmin())))]


def _draw(ax: Axes, plan: Sketch, found: list[tuple[Member, Array, Array]], factor: float) -> None:
    """Areas and ordinates of all members, positive and negative in a colour each, and their outlines."""
    outlines = marks.Lines()
    areas: dict[str, list[Array]] = {BLUE: [], VERMILION: []}
    ordinates: dict[str, list[Array]] = {BLUE: [], VERMILION: []}
    for member, x, v in found:
        a, b = plan.ends(member)
        across = plan.axes(member)[1]
        line = a + x[:, None] * (b - a)
        tips = line + factor * v[:, None] * across
        for sign, colour in ((1.0, BLUE), (-1.0, VERMILION)):
            part = np.where(sign * v > 0.0, v, 0.0)
            if np.any(part):
                areas[colour].append(np.concatenate([line + factor * part[:, None] * across, line[::-1]]))
        for k in np.linspace(0, len(x) - 1, 9).round().astype(int) if len(found) <= marks.FEW else ():
            ordinates[BLUE if v[k] >= 0.0 else VERMILION].append(np.array([line[k], tips[k]]))
        outlines.add(tips, INK, 1.0, "-", 4, f"_{member.name}")
    outlines.draw(ax)
    for colour in (BLUE, VERMILION):
        ax.add_collection(PolyCollection(areas[colour], facecolor=colour, alpha=0.22, edgecolor="none", zorder=2), autolim=False)
        ax.add_collection(LineCollection(ordinates[colour], color=colour, linewidth=0.5, zorder=3), autolim=False)


def _write(ax: Axes, plan: Sketch, member: Member, x: Array, v: Array, factor: float, largest: float, size: float) -> None:
    a, b = plan.ends(member)
    across = plan.axes(member)[1]
    constant = len(v) == 1 or np.ptp(v) < NEGLIGIBLE * largest
    inner = int(np.abs(v).argmax())
    places = [len(x) // 2] if constant else [0, len(x) - 1]
    if not constant and 0.06 < x[inner] < 0.94:
        places.append(inner)
    elif not constant and len(x) > 2:  # the largest value of the other sign, inside a span
        other = int((v * -np.sign(v[inner])).argmax())
        if 0.06 < x[other] < 0.94 and abs(v[other]) > 0.02 * largest:
            places.append(other)
    for k in places:
        if abs(v[k]) <= NEGLIGIBLE * largest:
            continue
        towards = np.sign(factor * v[k]) * across
        tip = a + x[k] * (b - a) + factor * v[k] * across
        inward = 0.0 if 0.02 < x[k] < 0.98 else (8.0 if x[k] < 0.5 else -8.0)
        shift = 7.0 * towards + inward * plan.axes(member)[0]
        ax.annotate(
            short(float(v[k]) / size),
            xy=(float(tip[0]), float(tip[1])),
            xytext=(float(shift[0]), float(shift[1])),
            textcoords="offset points",
            ha="center" if abs(towards[0]) < 0.4 else "left" if towards[0] > 0 else "right",
            va="center" if abs(towards[1]) < 0.4 else "bottom" if towards[1] > 0 else "top",
            fontsize=SMALL,
            color=BLUE if v[k] >= 0.0 else VERMILION,
            path_effects=HALO,
            annotation_clip=False,
            zorder=8,
        )
