"""Pictures of batches, in the style of `femu.plots`.

Each function draws on the axes it is given, or on new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from femu.batch.fragility import Fragility
from femu.batch.ida import IDACurves
from femu.batch.result import BatchResult
from femu.plots.style import BLUE, GREY, VERMILION, axes, save, tidy
from femu.records import GroundMotion
from femu.support.errors import InputError
from femu.units import g

POINTS = 400  # of a fragility curve
_MEASURES = {
    "sa": ("spectral acceleration (g)", g),
    "pga": ("peak ground acceleration (g)", g),
    "factor": ("scale factor", 1.0),
}


def plot_ida(
    curves: IDACurves, ax: Axes | None = None, shares: Sequence[float] = (0.16, 0.5, 0.84)
) -> Axes:
    """Intensity over the largest storey drift.

    Each record thin, fractiles thick; a flat line marks collapse.
    """
    ax = axes(ax)
    label, unit = _MEASURES[curves.scale_by]
    most = max((float(y.max()) for y in curves.drifts if y.size), default=0.01)
    for x, y, top in zip(curves.intensities, curves.drifts, curves.collapse, strict=True):
        line_x, line_y = [0.0, *(100.0 * y)], [0.0, *(x / unit)]
        if np.isfinite(top):
            line_x, line_y = [*line_x, 105.0 * most], [*line_y, top / unit]
        ax.plot(line_x, line_y, color=GREY, linewidth=0.7)
    drifts, rows = curves.fractiles(shares=shares)
    for share, row in zip(shares, rows, strict=True):
        middle = share == 0.5
        dash: Any = "-" if middle else (0, (5, 2)) if share < 0.5 else (0, (1.5, 1.5))
        ax.plot(
            100.0 * drifts,
            np.where(np.isfinite(row), row, np.nan) / unit,
            color=VERMILION if middle else BLUE,
            linewidth=2.2 if middle else 1.6,
            linestyle=dash,
            label=f"{100 * share:g} % of the records",
        )
    ax.set(xlim=(0.0, 105.0 * most), ylim=(0.0, None))
    tidy(ax, "largest storey drift (%)", label, legend=True, loc="lower right")
    return ax


def plot_fragility(
    fragility: Fragility,
    curves: IDACurves | None = None,
    ax: Axes | None = None,
    confidence: float = 0.9,
    scale_by: str = "sa",
) -> Axes:
    """Probability of collapse over intensity with its confidence band; each record as a line from
    its highest surviving to its lowest collapsed run, between which the fit assumes its
    collapse."""
    ax = axes(ax)
    label, unit = _MEASURES[curves.scale_by if curves is not None else scale_by]
    # from close to zero
    x = (
        fragility.median
        * np.exp(3.0 * fragility.dispersion)
        * np.linspace(1.0 / POINTS, 1.0, POINTS)
    )
    low, high = fragility.band(x, confidence)
    ax.fill_between(
        x / unit,
        low,
        high,
        color=BLUE,
        alpha=0.18,
        linewidth=0,
        label=f"{100 * confidence:g} % band",
    )
    ax.plot(
        x / unit,
        fragility.probability(x),
        color=BLUE,
        linewidth=2.0,
        label=f"median {fragility.median / unit:.3g}, dispersion {fragility.dispersion:.2f}",
    )
    if curves is not None:
        fallen = np.argsort(curves.collapse)[: np.count_nonzero(np.isfinite(curves.collapse))]
        upright, fell = curves.standing[fallen] / unit, curves.collapse[fallen] / unit
        share = (np.arange(len(fallen)) + 0.5) / len(curves.records)
        ax.hlines(share, upright, fell, color=VERMILION, linewidth=1.0)
        ax.plot(
            0.5 * (upright + fell),
            share,
            linestyle="none",
            marker="o",
            markersize=3.5,
            color=VERMILION,
            label="records: survived to collapsed",
        )
    ax.set(xlim=(0.0, x[-1] / unit), ylim=(0.0, 1.0))
    tidy(ax, label, "probability of collapse", legend=True)
    return ax


def plot_drifts(result: BatchResult, ax: Axes | None = None, scale: float | None = None) -> Axes:
    """Peak drift of each storey over the height.

    Each run thin, the median and the envelope thick.
    """
    ax = axes(ax)
    chosen = np.isfinite(result.largest_drift) & (
        True if scale is None else np.isclose(result["scale"], scale)
    )
    if not chosen.any():
        raise InputError("plot_drifts", "scale", scale, "has no run with drifts")
    drifts = 100.0 * result["peak_drift"][chosen]

    def stairs(
        values: npt.NDArray[np.float64],
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return np.repeat(values, 2), np.repeat(result.heights, 2)[1:-1]

    for row in drifts:
        ax.plot(*stairs(row), color=GREY, linewidth=0.6)
    ax.plot(*stairs(np.median(drifts, axis=0)), color=VERMILION, linewidth=2.2, label="median")
    ax.plot(
        *stairs(drifts.max(axis=0)), color=BLUE, linewidth=1.8, linestyle="--", label="envelope"
    )
    ax.set(xlim=(0.0, None), ylim=(0.0, None))
    tidy(ax, "peak storey drift (%)", "height (m)", legend=True)
    return ax


def plot_spectra(
    motions: Sequence[GroundMotion],
    ax: Axes | None = None,
    damping: float = 0.05,
    target: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Axes:
    """Pseudo-acceleration spectra of a suite, their mean, and a target (periods, values in m/s²) if
    given."""
    ax = axes(ax)
    if not motions:
        raise InputError("plot_spectra", "motions", motions, "must be one record or more")
    spectra = [motion.spectrum(damping=damping) for motion in motions]
    periods = spectra[0].periods
    for spectrum in spectra:
        ax.plot(periods, spectrum.pseudo_acceleration / g, color=GREY, linewidth=0.6)
    ax.plot(
        periods,
        np.mean([s.pseudo_acceleration for s in spectra], axis=0) / g,
        color=VERMILION,
        linewidth=2.2,
        label="mean",
    )
    if target is not None:
        ax.plot(
            np.asarray(target[0]),
            np.asarray(target[1]) / g,
            color=BLUE,
            linewidth=1.8,
            linestyle="--",
            label="target",
        )
    ax.set(xscale="log", xlim=(periods[0], periods[-1]), ylim=(0.0, None))
    tidy(ax, "period (s)", f"Sa, {100 * damping:g} % damping (g)", legend=True)
    return ax


__all__ = ["plot_drifts", "plot_fragility", "plot_ida", "plot_spectra", "save"]
