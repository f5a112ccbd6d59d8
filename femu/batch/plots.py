"""Pictures of batches. Each function draws on the axes it is given, or on new ones, and returns them.

Colours are from the palette of Okabe and Ito; lines also differ in width or dash, so that a grey print stays readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from femu.batch.fragility import Fragility
from femu.batch.ida import IDACurves
from femu.batch.result import BatchResult
from femu.errors import FileError, InputError
from femu.records import GroundMotion
from femu.units import g

BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#9A9A9A"
SIZE, DOTS_PER_INCH = (6.4, 4.6), 150
_MEASURES = {"sa": ("spectral acceleration (g)", g), "pga": ("peak ground acceleration (g)", g), "factor": ("scale factor", 1.0)}


def _axes(axes: Axes | None) -> Axes:
    if axes is not None:
        return axes
    figure = Figure(figsize=SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def save(axes: Axes, path: str | PathLike[str]) -> None:
    """Write the picture that axes belong to; the ending of the name says the format."""
    figure = axes.get_figure()
    if not isinstance(figure, Figure):
        raise InputError("plots.save", "axes", axes, "must belong to a figure of their own")
    try:
        figure.savefig(path, dpi=DOTS_PER_INCH)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be written ({error})") from None


def plot_ida(curves: IDACurves, axes: Axes | None = None, shares: Sequence[float] = (0.16, 0.5, 0.84)) -> Axes:
    """Intensity over the largest storey drift: each record thin, fractiles thick; a flat line marks collapse."""
    on = _axes(axes)
    label, unit = _MEASURES[curves.scale_by]
    most = max((float(y.max()) for y in curves.drifts if y.size), default=0.01)
    for x, y, top in zip(curves.intensities, curves.drifts, curves.collapse, strict=True):
        line_x, line_y = [0.0, *(100.0 * y)], [0.0, *(x / unit)]
        if np.isfinite(top):
            line_x, line_y = [*line_x, 105.0 * most], [*line_y, top / unit]
        on.plot(line_x, line_y, color=GREY, linewidth=0.7)
    drifts, rows = curves.fractiles(shares=shares)
    for share, row in zip(shares, rows, strict=True):
        middle = share == 0.5
        on.plot(100.0 * drifts, np.where(np.isfinite(row), row, np.nan) / unit, color=VERMILION if middle else BLUE,
                linewidth=2.2 if middle else 1.6, linestyle="-" if middle else "--", label=f"{100 * share:g} %")
    on.set(xlabel="largest storey drift (%)", ylabel=label, xlim=(0.0, 105.0 * most), ylim=(0.0, None))
    on.legend(title="of the records", frameon=False)
    return on


def plot_fragility(fragility: Fragility, curves: IDACurves | None = None, axes: Axes | None = None, confidence: float = 0.9,
                   scale_by: str = "sa") -> Axes:
    """Probability of collapse over intensity with its confidence band, and the collapses of the records as steps."""
    on = _axes(axes)
    label, unit = _MEASURES[curves.scale_by if curves is not None else scale_by]
    x = fragility.median * np.exp(fragility.dispersion * np.linspace(-3.0, 3.0, 200))
    low, high = fragility.band(x, confidence)
    on.fill_between(x / unit, low, high, color=BLUE, alpha=0.18, linewidth=0, label=f"{100 * confidence:g} % band")
    on.plot(x / unit, fragility.probability(x), color=BLUE, linewidth=2.0,
            label=f"median {fragility.median / unit:.3g}, dispersion {fragility.dispersion:.2f}")
    if curves is not None:
        fallen = np.sort(curves.collapse[np.isfinite(curves.collapse)])
        on.plot(fallen / unit, (np.arange(len(fallen)) + 0.5) / len(curves.records), linestyle="none", marker="o",
                markersize=3.5, color=VERMILION, label="records")
    on.set(xlabel=label, ylabel="probability of collapse", xlim=(0.0, x[-1] / unit), ylim=(0.0, 1.0))
    on.legend(frameon=False)
    return on


def plot_drifts(result: BatchResult, axes: Axes | None = None, scale: float | None = None) -> Axes:
    """Peak drift of each storey over the height: each run thin, the median and the envelope thick."""
    on = _axes(axes)
    chosen = np.isfinite(result.largest_drift) & (True if scale is None else np.isclose(result["scale"], scale))
    if not chosen.any():
        raise InputError("plot_drifts", "scale", scale, "has no run with drifts")
    drifts = 100.0 * result["peak_drift"][chosen]

    def stairs(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return np.repeat(values, 2), np.repeat(result.heights, 2)[1:-1]

    for row in drifts:
        on.plot(*stairs(row), color=GREY, linewidth=0.6)
    on.plot(*stairs(np.median(drifts, axis=0)), color=VERMILION, linewidth=2.2, label="median")
    on.plot(*stairs(drifts.max(axis=0)), color=BLUE, linewidth=1.8, linestyle="--", label="envelope")
    on.set(xlabel="peak storey drift (%)", ylabel="height (m)", xlim=(0.0, None), ylim=(0.0, None))
    on.legend(frameon=False)
    return on


def plot_spectra(motions: Sequence[GroundMotion], axes: Axes | None = None, damping: float = 0.05,
                 target: tuple[npt.ArrayLike, npt.ArrayLike] | None = None) -> Axes:
    """Pseudo-acceleration spectra of a suite, their mean, and a target (periods, values in m/s²) if given."""
    on = _axes(axes)
    if not motions:
        raise InputError("plot_spectra", "motions", motions, "must be one record or more")
    spectra = [motion.spectrum(damping=damping) for motion in motions]
    periods = spectra[0].periods
    for spectrum in spectra:
        on.plot(periods, spectrum.pseudo_acceleration / g, color=GREY, linewidth=0.6)
    on.plot(periods, np.mean([s.pseudo_acceleration for s in spectra], axis=0) / g, color=VERMILION, linewidth=2.2, label="mean")
    if target is not None:
        on.plot(np.asarray(target[0]), np.asarray(target[1]) / g, color=BLUE, linewidth=1.8, linestyle="--", label="target")
    on.set(xlabel="period (s)", ylabel=f"Sa, {100 * damping:g} % damping (g)", xscale="log", xlim=(periods[0], periods[-1]),
           ylim=(0.0, None))
    on.legend(frameon=False)
    return on
