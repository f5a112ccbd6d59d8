"""The one style of all pictures: colours, sizes, and how axes are made, labelled and written.

Colours are from the palette of Okabe and Ito, which colour-blind readers can distinguish; lines
that share axes also differ in dash or width, so that a grey print stays readable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import ScalarFormatter

from femu.model.parameters import LARGEST_SIZE, finite
from femu.support.arguments import typed, typed_class
from femu.support.errors import FileError, InputError
from femu.support.printable import printable

BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, INK, GREY, FAINT = "#56B4E9", "#CC79A7", "#222222", "#8A8A8A", "#D9D9D9"
LINES: tuple[tuple[str, Any], ...] = (
    (BLUE, "-"),
    (VERMILION, (0, (5, 1.6))),
    (GREEN, (0, (1.2, 1.2))),
    (PURPLE, (0, (5, 1.4, 1.2, 1.4))),
    (ORANGE, "-"),
    (INK, (0, (8, 2))),
)
"""Colour and dash of the lines that share axes, in order."""
SIZE, DOTS_PER_INCH = (6.4, 4.2), 150
SCREEN_DOTS = 100  # per inch, of a picture in a notebook
LETTER = 0.53  # width of a letter over the size of the text
POINTS_PER_INCH = 72.0
PAD = 0.04  # inches around the axes of a figure
THIN, LINE, THICK = 0.8, 1.5, 2.4  # widths of lines, in points
SMALL, NORMAL, LARGE = 8.0, 9.0, 10.5  # sizes of text, in points
SETTINGS = {
    "font.size": NORMAL,
    "axes.titlesize": LARGE,
    "axes.labelsize": NORMAL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "axes.linewidth": THIN,
    "axes.formatter.limits": (-3, 4),
    "svg.fonttype": "path",
    "svg.hashsalt": "femu",
    "path.simplify": True,
}
"""Settings of matplotlib while femu makes axes or writes a picture."""

Array = npt.NDArray[np.float64]


@typed_class
@dataclass(frozen=True)
class Units:
    """Units that a picture shows: the size of each in the units of the model, and its name."""

    length: float = 1.0
    force: float = 1.0
    length_name: str = ""
    force_name: str = ""

    def __post_init__(self) -> None:
        for name in ("length", "force"):
            if not finite(getattr(self, name)) or not 0.0 < getattr(self, name) < LARGEST_SIZE:
                raise InputError(
                    "Units",
                    name,
                    getattr(self, name),
                    f"must be above 0, and below {LARGEST_SIZE:g}",
                )

    def of(self, quantity: str) -> tuple[float, str]:
        """Size and name of the unit of a quantity.

        Length, force, moment, force/length, energy or rotation.
        """
        joined = f"{self.force_name} {self.length_base()[1]}".strip() if self.force_name else ""
        base = self.length_base()[0]
        found = {
            "length": (self.length, self.length_name),
            "force": (self.force, self.force_name),
            "moment": (self.force * base, joined),
            "energy": (self.force * base, "kJ" if joined == "kN m" else joined),
            "force/length": (self.force / base, joined.replace(" ", "/")),
            "rotation": (1.0, "rad"),
        }
        if not isinstance(quantity, str) or quantity not in found:
            raise InputError("Units.of", "quantity", quantity, f"must be one of {tuple(found)}")
        return found[quantity]

    def length_base(self) -> tuple[float, str]:
        """The length in moments: metres if displacements are in millimetres."""
        return (
            (1000.0 * self.length, "m")
            if self.length_name == "mm"
            else (self.length, self.length_name)
        )


AS_MODEL = Units()
"""Numbers as they are, in the units of the model."""
SI = Units(1e-3, 1e3, "mm", "kN")
"""A model in metres and newtons, shown in millimetres and kilonewtons."""


def plain(name: Any) -> str:
    """A name as it is: a dollar sign in it does not begin a formula."""
    return printable(str(name)).replace("$", r"\$")


def labelled(name: str, unit: str) -> str:
    """Label of an axis, with its unit if it has one."""
    return plain(f"{name} ({unit})" if unit else name)


_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Ticks(ScalarFormatter):
    """Numbers at the ticks, with a common power of ten as people write it.

    (Formulas would take half the time of a picture.)
    """

    def get_offset(self) -> str:
        offset = super().get_offset()  # such as 1e-4, or 1e3+2e5
        return re.sub(r"(\d)?e([+\-−]?)0*(\d+)", _power, offset)


def _power(found: re.Match[str]) -> str:
    raised = (found[2].replace("+", "").replace("−", "-") + found[3]).translate(_RAISED)
    return f"×10{raised}" if found[1] == "1" else f"{found[1] or ''}·10{raised}"


def short(value: float, unit: str = "") -> str:
    """A number in three digits, as people write it."""
    if value == 0.0:
        text = "0"
    else:
        power = math.floor(math.log10(abs(value)) + 1e-12)
        if -3 <= power < 5:
            text = f"{value:.3g}" if power < 3 else f"{value:.0f}"
        else:
            text = f"{value / 10.0**power:.3g}·10{str(power).translate(_RAISED)}"
    return f"{text.replace('-', '−')} {unit}".strip()


@contextmanager
def style() -> Iterator[None]:
    """Femu's settings of matplotlib, for the time of the block."""
    with mpl.rc_context(SETTINGS):  # type: ignore[arg-type]
        yield


def figure(width: float = SIZE[0], height: float = SIZE[1], pad: float = PAD) -> Figure:
    """A new figure without a window, so that nothing has to be closed.

    ``pad`` inches stay free around its axes.
    """
    made = Figure(
        figsize=(width, height),
        layout=ConstrainedLayoutEngine(w_pad=pad, h_pad=pad),
        facecolor="white",
    )
    FigureCanvasAgg(made)
    return made


def check_scale(what: str, scale: float | None) -> None:
    """Raise if displacements cannot be enlarged by a factor, or numbers by a length."""
    if scale is not None and (not finite(scale) or abs(scale) >= LARGEST_SIZE):
        raise InputError(what, "scale", scale, f"must be a finite number below {LARGEST_SIZE:g}")


def times_of(what: str, time: Any) -> Array:
    """The times of a curve."""
    t = np.asarray(time, dtype=float)
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or np.abs(t).max() >= LARGEST_SIZE:
        raise InputError(what, "time", time, "must be a row of at least two finite numbers")
    return t


def like(what: str, argument: str, values: Any, t: Array) -> Array:
    """The values of a curve, one at each time; NaN is a gap."""
    y = np.asarray(values, dtype=float)
    if y.shape != t.shape:
        raise InputError(
            what, argument, values, f"must be one number for each of the {len(t)} times"
        )
    return y


class Picture(Axes):
    """Axes of a figure that femu made: it has no window, so a notebook shows the figure."""

    def _repr_png_(self) -> bytes:
        return _png(self)


class Panels(list[Axes]):
    """Axes that share a figure, which a notebook shows."""

    def _repr_png_(self) -> bytes:
        return _png(self[0])


def _png(ax: Axes) -> bytes:
    made, written = ax.get_figure(), BytesIO()
    assert isinstance(made, Figure)
    with style():
        made.savefig(written, format="png", dpi=SCREEN_DOTS)
    return written.getvalue()


def axes(
    ax: Axes | None, width: float = SIZE[0], height: float = SIZE[1], pad: float = PAD
) -> Axes:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    with style():
        return figure(width, height, pad).add_subplot(axes_class=Picture)


def panels(
    rows: int, columns: int = 1, width: float = 6.4, height: float = 1.9, **options: Any
) -> list[Axes]:
    """New axes in rows and columns; ``height`` is that of one row."""
    with style():
        grid = figure(width, height * rows).subplots(
            rows, columns, squeeze=False, subplot_kw={"axes_class": Picture}, **options
        )
    return Panels(grid.ravel())


def headline(ax: Axes, *parts: str) -> None:
    """A title of several parts, on as many lines as the width requires.

    That of the figure if it has no other axes.
    """
    room = ax.figure.bbox if ax.figure.axes == [ax] else ax.get_window_extent()
    letters = room.width / ax.figure.dpi * POINTS_PER_INCH / (LETTER * LARGE)
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]},  {part}"
        if len(longer) <= letters:
            lines[-1] = longer
        else:
            lines.append(part)
    ax.set_title(",\n".join(lines))


def tidy(
    ax: Axes, x: str = "", y: str = "", title: str = "", legend: bool = False, **where: Any
) -> Axes:
    """Labels, a light grid, and no box."""
    if x:
        ax.set_xlabel(x, fontsize=NORMAL)
    if y:
        ax.set_ylabel(y, fontsize=NORMAL)
    if title:
        ax.set_title(title)
    for axis in (ax.xaxis, ax.yaxis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(Ticks())
    ax.grid(color=FAINT, linewidth=0.5, zorder=0)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=SMALL, **where)
    return ax


def drawing(ax: Axes, margin: float = 0.12) -> Axes:
    """Axes of a drawing: equal scales and no frame."""
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(margin)
    ax.set_axis_off()
    return ax


@typed
def save(ax: Axes, path: str | PathLike[str]) -> None:
    """Write the picture that axes belong to; the ending of the name sets the format."""
    made = ax.get_figure()
    if not isinstance(made, Figure):
        raise InputError("plots.save", "ax", ax, "must belong to a figure")
    try:
        with style():
            made.savefig(path, dpi=DOTS_PER_INCH)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be written ({error})") from None
