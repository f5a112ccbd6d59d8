"""What model updating found.

Parameters with their confidence, and whether the filter was consistent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.plots import plot_consistency, plot_innovation, plot_parameters
from femu.plots.style import short
from femu.report.page import Page, wide

PANELS = 6  # parameters that are drawn


def updating_section(page: Page, history: Any) -> None:
    """The sections of an `UpdatingHistory`."""
    page.section("Updated parameters")
    bounds = np.asarray(getattr(history, "bounds", np.zeros((0, 2))), dtype=float)
    known = len(bounds) == len(history.names)
    values, std, written = history.values, history.std, history.written
    heads = [
        "parameter",
        "at first",
        "estimate",
        "± 2σ",
        "σ / estimate",
        "in the model",
        *(["bounds"] if known else []),
    ]
    rows = []
    for k, name in enumerate(history.names):
        last, spread = float(values[-1, k]), float(std[-1, k])
        share = f"{100 * spread / abs(last):.2g} %" if last != 0.0 else ""
        row = [name, float(values[0, k]), last, 2.0 * spread, share, float(written[-1, k])]
        rows.append([*row, f"{short(bounds[k, 0])} to {short(bounds[k, 1])}"] if known else row)
    page.table("Estimates after the last sample, with two standard deviations.", heads, rows)
    shown = list(range(min(PANELS, len(history.names))))
    page.figure(
        lambda: plot_parameters(
            history.time,
            values[:, shown],
            std[:, shown],
            names=[history.names[k] for k in shown],
            bounds=[(float(bounds[k, 0]), float(bounds[k, 1])) for k in shown] if known else None,
        )[0],
        "Estimates over time, with bands of two standard deviations.",
    )
    page.section("Consistency")
    for channel in range(history.channels):
        page.figure(
            lambda channel=channel: plot_innovation(  # type: ignore[misc]
                history.time,
                history.innovation[:, channel],
                history.innovation_std[:, channel],
                wide(),
                name=f"innovation of {history.force_names[channel]}",
            ),
            f"Measured less predicted {history.force_names[channel]}, in the band of two standard "
            "deviations that the filter expects.",
        )
    page.figure(
        lambda: plot_consistency(history.time, history.nis, history.channels, wide()),
        "Normalised innovation squared. Above the band the filter is overconfident, below it "
        "underconfident.",
    )
    count = len(history)
    page.paragraph(
        f"Of {count} samples {int(np.count_nonzero(history.missing))} were missing and "
        f"{int(np.count_nonzero(history.rejected))} were rejected as outliers; parameters were "
        f"passed to the model in {int(np.count_nonzero(history.open))}."
    )
