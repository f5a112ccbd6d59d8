"""The path of axial force and moment on the yield surface of an N-M section."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from femu.materials.sections.nm_section import NMSection
from femu.model.element import Name
from femu.model.parameters import LARGEST_SIZE
from femu.plots.sketch import sketch
from femu.plots.style import BLUE, GREEN, GREY, INK, LINE, SKY, THIN, VERMILION, axes, style, tidy
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
POINTS, MOST_POINTS = 201, 10**6


@typed
def yield_surface(ratio: float, points: int = POINTS) -> tuple[Array, Array]:
    """The closed surface f = 0 of `NMSection` in n = N/Ny and m = M/Mp, by the ratio of flange to
    web."""
    if not 0.0 <= ratio < LARGEST_SIZE:
        raise InputError("yield_surface", "ratio", ratio, "must be finite and not negative")
    if not 2 <= points <= MOST_POINTS:
        raise InputError(
            "yield_surface", "points", points, f"must be a whole number from 2 to {MOST_POINTS}"
        )
    n = np.linspace(-1.0, 1.0, points)
    c, c1, n0 = (
        2.0 * (2.0 * ratio + 1.0) / (4.0 * ratio + 1.0),
        (2.0 * ratio + 1.0) ** 2 / (4.0 * ratio + 1.0),
        1.0 / (2.0 * ratio + 1.0),
    )
    m = np.where(np.abs(n) < n0, 1.0 - c1 * n**2, c * (1.0 - np.abs(n)))
    return np.concatenate([n, n[::-1]]), np.concatenate([m, -m[::-1]])


@typed
def plot_interaction(
    section: NMSection,
    axial: npt.ArrayLike,
    moment: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    back: tuple[float, float] | None = None,
) -> Axes:
    """Axial force against moment, each over its yield value, with the yield surface.

    Hardening is kinematic: the surface moves with the back force, and the path leaves the first
    surface. ``back`` is the back force (N, M) at the end; the surface there is drawn too.
    """
    ax = axes(ax, 4.6, 4.2)
    n, m = (
        np.asarray(axial, dtype=float) / section.yield_force,
        np.asarray(moment, dtype=float) / section.plastic_moment,
    )
    if n.shape != m.shape or n.ndim != 1 or not len(n):
        raise InputError(
            "plot_interaction",
            "axial, moment",
            (n.shape, m.shape),
            "must be two sequences of one length",
        )
    surface_n, surface_m = yield_surface(section.flange_web_ratio)
    with style():
        ax.axhline(0.0, color=INK, linewidth=0.5)
        ax.axvline(0.0, color=INK, linewidth=0.5)
        ax.fill(surface_m, surface_n, facecolor=SKY, alpha=0.16, edgecolor="none", zorder=1)
        ax.plot(
            surface_m, surface_n, color=INK, linewidth=LINE, label="yield surface, virgin", zorder=3
        )
        if back is not None:
            ax.plot(
                surface_m + back[1] / section.plastic_moment,
                surface_n + back[0] / section.yield_force,
                color=GREY,
                linewidth=1.0,
                linestyle=(0, (5, 2)),
                label="yield surface, at the end",
                zorder=2,
            )
        ax.plot(m, n, color=BLUE, linewidth=THIN, label="path", zorder=4)
        ax.plot(
            [m[0]],
            [n[0]],
            marker="o",
            color=GREEN,
            markersize=5.0,
            linestyle="none",
            label="start",
            zorder=5,
        )
        ax.plot(
            [m[-1]],
            [n[-1]],
            marker="s",
            color=VERMILION,
            markersize=5.0,
            linestyle="none",
            label="end",
            zorder=5,
        )
        ax.margins(0.06)
        tidy(
            ax,
            "M / Mp",
            "N / Ny (tension positive)",
            legend=True,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=3,
        )
    return ax


@typed
def plot_element_interaction(
    result: Result, element: Name, end: str = "i", ax: Axes | None = None
) -> Axes:
    """The path of the section at an end of a member with an `NMSection`."""
    if end not in ("i", "j"):
        raise InputError("plot_element_interaction", "end", end, 'must be "i" or "j"')
    plan = sketch(result)
    section = section_of(plan.model.elements.get(element) if plan.model is not None else None, end)
    if section is None:
        raise InputError(
            "plot_element_interaction",
            "element",
            element,
            "must have an NMSection, and the result must hold its model",
        )
    force = result.force(element, "local")
    if end == "i":
        return plot_interaction(section, -force[:, 0], -force[:, 2], ax)
    return plot_interaction(section, force[:, 3], force[:, 5], ax)


def section_of(element: Any, end: str = "i") -> NMSection | None:
    """The N-M section at an end of an element (of the emulated specimen, for an experimental one),
    if it has one."""
    inside = getattr(getattr(element, "specimen", None), "of", element)
    integration = getattr(inside, "integration", None)
    section = getattr(integration, f"hinge_{end}", None) or getattr(inside, "section", None)
    return section if isinstance(section, NMSection) else None
