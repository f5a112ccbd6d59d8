"""Pictures of the studies of filters alone.

The paths of the estimates of one run, filter by filter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from femu.plots.style import GREY, LINES, figure, save, style, tidy

Array = npt.NDArray[np.floating]


def draw_paths(
    time: Array,
    paths: Mapping[str, Array],
    names: Sequence[str],
    truth: Array,
    path: Path,
    columns: int = 2,
) -> None:
    """A panel for each parameter.

    Its estimate over the true value, by each filter (rows by parameters).
    """
    with style():
        rows = -(-len(names) // columns)
        made = figure(10.5, 2.6 * rows)
        panels = made.subplots(rows, columns, sharex=True, squeeze=False).ravel()
        for k, (ax, name) in enumerate(zip(panels, names, strict=False)):
            ax.axhline(1.0, color=GREY, linewidth=1.0)
            for (estimator, means), (colour, dash) in zip(paths.items(), LINES, strict=False):
                ax.plot(
                    time,
                    means[:, k] / truth[k],
                    color=colour,
                    linestyle=dash,
                    linewidth=1.2,
                    label=estimator,
                )
            ax.set_xlim(0.0, time[-1])
            tidy(
                ax,
                "time (s)" if k >= len(names) - columns else "",
                f"{name} / true {name}",
                legend=k == 0,
                ncols=len(paths),
            )
        for ax in panels[len(names) :]:
            ax.set_axis_off()
    save(panels[0], path)
