"""Pictures and report of an identification."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from femu.plots.estimation import plot_parameter
from femu.plots.style import (
    BLUE,
    GREEN,
    INK,
    LINE,
    THIN,
    VERMILION,
    Panels,
    labelled,
    panels,
    short,
    style,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from femu.identify.identification import Identification
    from femu.report.page import Page

MOST_PARAMETERS = 8  # that are drawn
ABOVE: dict[str, Any] = {
    "ncols": 2,
    "loc": "lower right",
    "bbox_to_anchor": (1.0, 1.0),
    "borderaxespad": 0.2,
}


WHY = (
    "Forward: the filter of the updater, sample by sample, as in a running test. Smoothed: all "
    "samples at once, by sigma points that each run the record from its start; the filter keeps "
    "the history of the twin outside its state, so there is nothing that a backward pass could "
    "run. Least squares: the same path without a prior."
)


def plot_identification(found: Identification) -> list[Axes]:
    """Loops of specimen and twin, the residual over time, and the forward estimates with the
    smoothed values.

    Longer than a page: three pictures, one after the other.
    """
    r, n = found.recording, found.recording.channels
    unknowns = found.updater.unknowns[:MOST_PARAMETERS]
    made = panels(n + (len(unknowns) + 1) // 2, 2, 9.2, 2.4)
    forces = found.forces()
    with style():
        for c in range(n):
            loop, rest = made[2 * c], made[2 * c + 1]
            mark = f" {c + 1}" if n > 1 else ""
            loop.plot(
                r.displacements[:, c], r.forces[:, c], color=INK, linewidth=THIN, label="measured"
            )
            loop.plot(
                r.displacements[:, c],
                forces[:, c],
                color=VERMILION,
                linewidth=THIN + 0.3,
                linestyle=(0, (5, 2)),
                label=f"twin, {found.best.name}",
            )
            tidy(
                loop,
                labelled(f"displacement{mark}", r.displacement_unit),
                labelled(f"force{mark}", r.force_unit),
                legend=True,
                **ABOVE,
            )
            rest.plot(
                r.time,
                r.forces[:, c] - forces[:, c],
                color=BLUE,
                linewidth=THIN,
                label=f"unexplained, {100.0 * float(found.best.unexplained[c]):.1f} %",
            )
            rest.axhline(0.0, color=INK, linewidth=0.5)
            tidy(
                rest, "time", labelled(f"measured - twin{mark}", r.force_unit), legend=True, **ABOVE
            )
    history = found.updater.history
    for k, (u, ax) in enumerate(zip(unknowns, made[2 * n :], strict=False)):
        plot_parameter(
            history.time,
            history.values[:, k],
            history.std[:, k],
            ax,
            name=u.name,
            bounds=(u.lower, u.upper),
            labels=False,
        )
        with style():
            for way, colour, dash in (
                (found.smoothed, GREEN, (0, (6, 2))),
                (found.least_squares, VERMILION, (0, (1, 1))),
            ):
                ax.axhline(
                    way.values[u.name], color=colour, linewidth=LINE, linestyle=dash, label=way.name
                )
            low, high = ax.get_ylim()
            ends = [way.values[u.name] for way in found.ways]
            room = 0.05 * (max(high, *ends) - min(low, *ends))
            ax.set_ylim(min(low, min(ends) - room), max(high, max(ends) + room))
            tidy(ax, "time", u.name, legend=k == 0)
    for ax in made[2 * n + len(unknowns) :]:
        ax.set_axis_off()
    return Panels(made[: 2 * n + len(unknowns)])


def _rows(found: Identification) -> tuple[list[str], list[list[str]]]:
    heads = ["parameter", "start", *(f"{way.name} ± 2σ" for way in found.ways), "identifiable"]
    identified = found.identified()
    rows = [
        [
            u.name,
            short(u.start),
            *(f"{way.values[u.name]:.5g} ± {2.0 * way.std[u.name]:.2g}" for way in found.ways),
            f"{100.0 * identified[u.name]:.0f} %",
        ]
        for u in found.updater.unknowns
    ]
    rows.append(
        [
            "force unexplained",
            "",
            *(f"{100.0 * float(way.unexplained.max()):.2f} %" for way in found.ways),
            "",
        ]
    )
    return heads, rows


def card(found: Identification) -> str:
    """What a notebook shows."""
    heads, rows = _rows(found)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    words = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in found.sentences()[-2:])
    head = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    title = f"{html.escape(found.name)} from {html.escape(found.recording.name)}"
    return f"<b>{title}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{words}</ul>"


def page(found: Identification) -> Page:
    """The report as a page that holds everything it shows."""
    from femu.report.page import Page

    made = Page("Identification", f"{found.name} from {found.recording.name}", found.sentences()[0])
    made.section("Summary")
    made.outcome(
        found.in_class and found.agree,
        "agree" if found.agree else "disagree",
        found.sentences()[-2],
    )
    made.facts(
        [
            ("force unexplained", 100.0 * found.unexplained, "%"),
            ("beyond the noise", 100.0 * found.model_error, "%"),
            ("unknowns", len(found.updater.unknowns), ""),
            ("samples", len(found.recording), ""),
        ]
    )
    heads, rows = _rows(found)
    made.table(
        "Estimates of each method with two standard deviations, and the fraction of the prior "
        "variance that the record takes away.",
        heads,
        rows,
    )
    for sentence in (*found.sentences()[1:], WHY):
        made.paragraph(sentence)
    made.section("Specimen and twin")
    made.figure(
        lambda: plot_identification(found)[0],
        "Loops of specimen and twin, the residual, and the forward estimates with the smoothed "
        "values.",
    )
    made.section("Correlation")
    names = found.best.names
    made.table(
        "Correlation of the parameters by least squares.",
        ["", *names],
        [
            [name, *(f"{x:.2f}" for x in row)]
            for name, row in zip(names, found.least_squares.correlation, strict=True)
        ],
    )
    made.section("The forward filter")
    for sentence in found.diagnosis.sentences:
        made.paragraph(sentence)
    return made
