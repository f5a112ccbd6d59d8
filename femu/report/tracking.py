"""How specimens followed their targets: indicators of the field, and targets over what was reached.

Targets are those of the element, before any compensation; the commands of a compensation lead them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.experimental.hybrid_record import STEP_COLUMNS, Columns
from femu.experimental.journal.journal import HEAD, Record
from femu.experimental.safety.tracking import tracking_indicators
from femu.plots import plot_loop
from femu.report.page import Page

Array = npt.NDArray[np.float64]


def tracking_section(
    page: Page, specimen: str, names: Sequence[str], targets: Array, reached: Array, dt: float
) -> None:
    """J1 to J3 of the channels that moved, and their synchronisation plots."""
    moved = [c for c in range(len(names)) if np.ptp(targets[:, c]) > 0.0]
    if len(targets) < 2 or not moved:
        return
    with page.side_by_side():
        for c in moved:
            page.figure(
                lambda c=c: plot_loop(  # type: ignore[misc]
                    targets[:, c], reached[:, c], x=f"target {names[c]}", y=f"measured {names[c]}"
                ),
                f"{specimen}: synchronisation, measured {names[c]} over its target.",
            )
    rows = []
    for c in moved:
        found = tracking_indicators(targets[:, c], reached[:, c], dt)
        rows.append((names[c], 1e3 * found.delay, 100.0 * found.error, 100.0 * found.peak))
    head = ("channel", "J1: delay, ms", "J2: standard deviation, %", "J3: peak, %")
    page.table(f"How {specimen} followed its targets, by what was measured.", head, rows)


def tracking_of_journal(page: Page, record: Record, element: str) -> None:
    """The same of a journal whose test has noted its targets."""
    known, first = record.about.get("targets"), len(STEP_COLUMNS)
    dt = record.about.get("dt")
    if not known or element not in known or not dt:
        return
    rows = record.record[:, HEAD:]
    for name, channels in known.items():
        columns = Columns.of(len(channels), first)
        if name == element:
            parts = (columns.command, columns.measured_displacement)
            targets, reached = (rows[:, at : at + count] for at, count in parts)
            tracking_section(page, element, channels, targets, reached, float(dt))
        first = columns.end
