"""What a filter learned.

Parameters with their bands, and whether the innovation is what the filter expects.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy.stats import chi2

from femu.filters.base import Filter
from femu.filters.estimate import History
from femu.model.parameters import finite
from femu.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    LINE,
    SKY,
    THIN,
    VERMILION,
    Panels,
    axes,
    labelled,
    like,
    panels,
    style,
    tidy,
    times_of,
)
from femu.support.arguments import typed
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
SIGMAS = 2.0
CONFIDENCE = 0.95
MOST_COLUMNS, MOST_CHANNELS = 20, 10**6
WINDOW = 50  # steps over which the normalised innovation is averaged


@typed
def plot_parameter(
    time: npt.ArrayLike,
    mean: npt.ArrayLike,
    std: npt.ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    name: str = "parameter",
    unit: str = "",
    truth: float | None = None,
    bounds: tuple[float, float] | None = None,
    labels: bool = True,
) -> Axes:
    """The estimate of a parameter over time, with its band of ±2 standard deviations, its bounds
    and its true value."""
    ax = axes(ax, 6.4, 2.4)
    t = times_of("plot_parameter", time)
    m = like("plot_parameter", "mean", mean, t)
    s = None if std is None else like("plot_parameter", "std", std, t)
    if truth is not None and not finite(truth):
        raise InputError("plot_parameter", "truth", truth, "must be a finite number")
    with style():
        if s is not None:
            ax.fill_between(
                t,
                m - SIGMAS * s,
                m + SIGMAS * s,
                color=SKY,
                alpha=0.35,
                linewidth=0.0,
                label="estimate ± 2σ",
            )
        ax.plot(t, m, color=BLUE, linewidth=LINE, label="estimate")
        low, high = _room(m, s, truth)
        if truth is not None:
            ax.axhline(
                truth, color=VERMILION, linewidth=1.1, linestyle=(0, (6, 2)), label="true value"
            )
        for number, bound in enumerate(bounds or ()):
            if np.isfinite(bound) and low - 0.6 * (high - low) < bound < high + 0.6 * (high - low):
                low, high = min(low, bound), max(high, bound)
                below = number == 0
                ax.axhspan(
                    bound - (1e3 * (high - low) if below else 0.0),
                    bound + (0.0 if below else 1e3 * (high - low)),
                    facecolor=FAINT,
                    alpha=0.55,
                    hatch="////",
                    edgecolor="#B5B5B5",
                    linewidth=0.0,
                    label="_bound",
                    zorder=0,
                )
                ax.axhline(
                    bound, color=GREY, linewidth=0.9, label="bounds" if number == 0 else "_bounds"
                )
        ax.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
        ax.set_xlim(t[0], t[-1])
        tidy(
            ax,
            "time (s)",
            labelled(name, unit),
            legend=labels,
            ncols=4,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.2,
        )
    return ax


def _room(m: Array, s: Array | None, truth: float | None) -> tuple[float, float]:
    """Limits that show the estimate and its band, except the widest band at the start."""
    spread = np.zeros_like(m) if s is None else SIGMAS * s
    low, high = (
        float(np.nanmin(m - np.minimum(spread, np.nanpercentile(spread, 90.0)))),
        float(np.nanmax(m + np.minimum(spread, np.nanpercentile(spread, 90.0)))),
    )
    if truth is not None:
        low, high = min(low, truth), max(high, truth)
    if not high > low:
        size = abs(high) or 1.0
        low, high = low - 0.05 * size, high + 0.05 * size
    return low, high


@typed
def plot_parameters(
    time: npt.ArrayLike,
    mean: npt.ArrayLike,
    std: npt.ArrayLike | None = None,
    *,
    names: Sequence[str],
    units: Sequence[str] | None = None,
    truth: Sequence[float | None] | None = None,
    bounds: Sequence[tuple[float, float] | None] | None = None,
    columns: int = 1,
) -> list[Axes]:
    """Several parameters below each other, one per column of ``mean``; see `plot_parameter`."""
    m = np.asarray(mean, dtype=float)
    if m.ndim != 2 or m.shape[1] != len(names):
        raise InputError(
            "plot_parameters",
            "mean",
            mean,
            f"must have a column for each of the {len(names)} names",
        )
    s = None if std is None else np.asarray(std, dtype=float)
    if s is not None and s.shape != m.shape:
        raise InputError("plot_parameters", "std", std, "must be as many numbers as mean")
    for argument, given in (("units", units), ("truth", truth), ("bounds", bounds)):
        if given is not None and len(given) != len(names):
            raise InputError(
                "plot_parameters",
                argument,
                given,
                f"must be one for each of the {len(names)} names",
            )
    if not 1 <= columns <= MOST_COLUMNS:
        raise InputError(
            "plot_parameters",
            "columns",
            columns,
            f"must be a whole number from 1 to {MOST_COLUMNS}",
        )
    rows = -(-len(names) // columns)
    made = panels(rows, columns, 6.4 if columns == 1 else 8.6, 1.75, sharex=True)
    for number, (name, ax) in enumerate(zip(names, made, strict=False)):
        plot_parameter(
            time,
            m[:, number],
            None if s is None else s[:, number],
            ax,
            name=name,
            unit=units[number] if units else "",
            truth=truth[number] if truth else None,
            bounds=bounds[number] if bounds else None,
            labels=number == 0,
        )
        if number < len(names) - columns:
            ax.set_xlabel("")
    for ax in made[len(names) :]:
        ax.set_axis_off()
    return Panels(made[: len(names)])


@typed
def plot_estimates(
    history: History,
    time: npt.ArrayLike | None = None,
    *,
    states: Sequence[str] | None = None,
    truth: Sequence[float | None] | None = None,
) -> list[Axes]:
    """The states of a filter's run (all, or those named), with bands and the filter's bounds."""
    owner = history.final.filter
    names = list(owner.model.names)
    for name in states or ():
        if name not in names:
            raise InputError("plot_estimates", "states", name, f"must be one of {names}")
    chosen = [names.index(name) for name in (states or names)]
    t = np.arange(len(history.mean)) if time is None else time
    limits = filter_bounds(owner)
    made = plot_parameters(
        t,
        history.mean[:, chosen],
        history.std[:, chosen],
        names=[names[c] for c in chosen],
        truth=truth,
        bounds=[limits[c] for c in chosen],
    )
    if time is None:
        made[-1].set_xlabel("step")
    return made


def filter_bounds(owner: Filter) -> list[tuple[float, float]]:
    """Bounds of the states of a filter, infinite if there are none."""
    return list(zip(owner.bounds.lower, owner.bounds.upper, strict=True))


@typed
def plot_innovation(
    time: npt.ArrayLike,
    innovation: npt.ArrayLike,
    std: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    name: str = "innovation",
    unit: str = "",
) -> Axes:
    """Measured less predicted force, with the ±2σ band that the filter expects.

    About 95 % should be inside.
    """
    ax = axes(ax, 6.4, 2.4)
    t = times_of("plot_innovation", time)
    nu, s = (
        like("plot_innovation", "innovation", innovation, t),
        like("plot_innovation", "std", std, t),
    )
    known = np.isfinite(nu) & np.isfinite(s)
    inside = float(np.mean(np.abs(nu[known]) <= SIGMAS * s[known])) if known.any() else float("nan")
    with style():
        ax.fill_between(
            t, -SIGMAS * s, SIGMAS * s, color=SKY, alpha=0.4, linewidth=0.0, label="± 2σ expected"
        )
        ax.plot(
            t,
            nu,
            color=BLUE,
            linewidth=THIN - 0.2,
            label=f"innovation, {100 * inside:.1f} % inside",
        )
        ax.axhline(0.0, color=INK, linewidth=0.5)
        reach = (
            1.15
            * max(
                float(np.nanpercentile(np.abs(nu[known]), 99.8)),
                SIGMAS * float(np.nanpercentile(s[known], 90.0)),
            )
            if known.any()
            else 1.0
        )
        if reach > 0.0:
            ax.set_ylim(-reach, reach)
        ax.set_xlim(t[0], t[-1])
        tidy(
            ax,
            "time (s)",
            labelled(name, unit),
            legend=True,
            ncols=2,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.2,
        )
    return ax


@typed
def plot_consistency(
    time: npt.ArrayLike,
    nis: npt.ArrayLike,
    channels: int = 1,
    ax: Axes | None = None,
    *,
    window: int = WINDOW,
) -> Axes:
    """The normalised innovation squared ν'S⁻¹ν, averaged over a window, in its 95 % band of the
    chi-square distribution.

    Above the band the filter is overconfident, below it underconfident.
    """
    ax = axes(ax, 6.4, 2.4)
    t = times_of("plot_consistency", time)
    values = like("plot_consistency", "nis", nis, t)
    for argument, given in (("channels", channels), ("window", window)):
        if not 1 <= given <= MOST_CHANNELS:
            raise InputError(
                "plot_consistency",
                argument,
                given,
                f"must be a whole number from 1 to {MOST_CHANNELS}",
            )
    window = min(window, len(t))
    known = np.isfinite(values)
    kernel = np.ones(window)
    count = np.convolve(known.astype(float), kernel, mode="valid")
    mean = np.convolve(np.where(known, values, 0.0), kernel, mode="valid") / np.where(
        count > 0, count, np.nan
    )
    at = t[window - 1 :]
    low, high = (
        chi2.ppf(p, channels * window) / window
        for p in (0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2)
    )
    known_means = mean[np.isfinite(mean)]
    inside = (
        float(np.mean((known_means >= low) & (known_means <= high)))
        if len(known_means)
        else float("nan")
    )
    with style():
        ax.axhspan(
            low, high, color=GREEN, alpha=0.18, linewidth=0.0, label=f"{100 * CONFIDENCE:g} % band"
        )
        ax.axhline(channels, color=GREEN, linewidth=0.9, linestyle=(0, (6, 2)), label="expected")
        ax.plot(
            at,
            mean,
            color=BLUE,
            linewidth=LINE - 0.3,
            label=f"mean of {window} steps, {100 * inside:.0f} % inside",
        )
        ax.set_xlim(t[0], t[-1])
        positive = known_means[known_means > 0.0]
        if len(positive) and positive.max() / positive.min() > 30.0:
            ax.set_yscale("log")
        tidy(
            ax,
            "time (s)",
            "normalised innovation²",
            legend=True,
            ncols=3,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.2,
        )
    return ax
