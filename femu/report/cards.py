"""What notebooks show of models, results and filters.

A drawing or a small table. They never fail: text is the last resort.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from femu.plots.style import axes, short
from femu.support.errors import FemuError
from femu.support.printable import printable

if TYPE_CHECKING:
    from femu.analyses.eigen import Modes
    from femu.batch.result import BatchResult
    from femu.filters.base import Filter
    from femu.filters.estimate import Estimate, History
    from femu.model.model import Model
    from femu.results.result import Result
    from femu.updating.history import UpdatingHistory
    from femu.updating.updater import ModelUpdater

MOST_MEMBERS = 2000  # more would take too long to draw
MOST_ROWS = 30
_CELL = 'style="text-align:left;padding:1px 12px 1px 0"'


def card_of(thing: Any) -> str:
    """What a notebook shows of a model, result, filter, updater or batch."""
    for cls in type(thing).__mro__:
        if cls.__name__ in _CARDS:
            return _CARDS[cls.__name__](thing)
    return _text(repr(thing))


def model_card(model: Model) -> str:
    """A drawing of the model over its description."""
    from femu.plots.model import plot_model
    from femu.report.page import picture

    if not model.elements or len(model.elements) > MOST_MEMBERS:
        return _text(repr(model))
    return _with_picture(lambda: picture(plot_model(model)), repr(model))


def result_card(result: Result) -> str:
    """The outcome, the main numbers, and the history of the largest displacement."""
    from femu.plots.curves import plot_displacement
    from femu.report.of_result import moves_most
    from femu.report.page import picture

    rows = [
        ("outcome", f"{result.outcome.name.lower().replace('_', ' ')}: {result.message}"),
        ("steps", f"{len(result.time) - 1}, to t = {result.time[-1]:g}, in {result.seconds:.3g} s"),
        ("steps that needed help", str(len(result.relaxations))),
    ]
    moving = moves_most(result)
    card = ""
    if moving is not None:
        u = result.displacement(*moving)
        peak = float(u[np.abs(u).argmax()])
        rows.append((f"peak displacement, node {moving[0]}, {moving[1]}", short(peak)))
        if len(result.time) > 2:
            card = _with_picture(
                lambda: picture(plot_displacement(result, *moving, axes(None, 6.4, 1.9))), ""
            )
    return (
        f"<b>{_escaped(result.kind)} of {_escaped(result.model)}</b>{_table(('', ''), rows)}{card}"
    )


def modes_card(modes: Modes) -> str:
    """Periods and shares of the mass, and the first shapes."""
    from femu.plots.deformed import plot_modes
    from femu.report.page import picture

    heads = ("mode", "period", *(f"mass in {d} (%)" for d in modes.participation))
    rows = [
        (
            str(k + 1),
            short(float(t)),
            *(f"{100 * float(share[k]):.1f}" for share in modes.participation.values()),
        )
        for k, t in enumerate(modes.periods)
    ]
    return _with_picture(lambda: picture(plot_modes(modes)), "") + _table(heads, rows)


def filter_card(owner: Filter) -> str:
    """The states of a filter with their bounds and process noise."""
    noise = np.sqrt(np.maximum(np.diagonal(owner.process_noise), 0.0))
    rows = [
        (name, short(float(q)), _bound(low), _bound(high))
        for name, q, low, high in zip(
            owner.model.names, noise, owner.bounds.lower, owner.bounds.upper, strict=True
        )
    ]
    title = f"<b>{_escaped(type(owner).__name__)}</b>: {owner.model.states} states, {owner.model.outputs} measurements"
    return title + _table(("state", "σ of the process noise", "at least", "at most"), rows)


def estimate_card(estimate: Estimate) -> str:
    """Mean and two standard deviations of each state."""
    rows = [
        (name, short(float(mean)), short(2.0 * float(spread)))
        for name, mean, spread in zip(
            estimate.filter.model.names, estimate.mean, estimate.std, strict=True
        )
    ]
    counted = {name.replace("_", " "): count for name, count in estimate.counts.items() if count}
    notes = "; ".join(f"{name}: {count}" for name, count in counted.items())
    title = f"<b>{_escaped(type(estimate.filter).__name__)}</b> after step {estimate.steps}"
    return (
        title
        + _table(("state", "mean", "± 2σ"), rows)
        + (f"<div>{_escaped(notes)}</div>" if notes else "")
    )


def history_card(history: History) -> str:
    """How a run of a filter went, and its last estimate."""
    return f"<div>{_escaped(history.outcome)} {len(history.mean)} steps.</div>" + estimate_card(
        history.final
    )


def batch_card(batch: BatchResult) -> str:
    """How the runs ended, and the storey drifts over the height."""
    from femu.batch.plots import plot_drifts
    from femu.report.page import picture

    rows = [
        (outcome.name.lower().replace("_", " "), str(count))
        for outcome, count in batch.counts().items()
    ]
    drift = np.asarray(batch.largest_drift, dtype=float)
    drift = drift[np.isfinite(drift)]
    if len(drift):
        rows.append(("largest storey drift, median", f"{100 * float(np.median(drift)):.3g} %"))
    title = f"<b>batch of {_escaped(str(batch.model))}</b>: {len(batch)} runs"
    return title + _table(("", ""), rows) + _with_picture(lambda: picture(plot_drifts(batch)), "")


def updating_card(history: UpdatingHistory) -> str:
    """The last estimates of an updater, and their history."""
    from femu.plots.estimation import plot_parameters
    from femu.report.page import picture

    if not len(history):
        return _text(f"history of an updater of {', '.join(history.names)}: no samples yet")
    rows = [
        (name, short(float(value)), short(2.0 * float(spread)))
        for name, value, spread in zip(
            history.names, history.values[-1], history.std[-1], strict=True
        )
    ]

    def draw() -> str:
        bounds = list(history.bounds) or None
        return picture(
            plot_parameters(
                history.time, history.values, history.std, names=list(history.names), bounds=bounds
            )[0]
        )

    return f"<b>{len(history)} samples</b>{_table(('parameter', 'estimate', '± 2σ'), rows)}{_with_picture(draw, '')}"


def updater_card(updater: ModelUpdater) -> str:
    """The statement of an updater, and the history of its parameters."""
    history = updater.history
    words = updater.statement() if len(history) else f"ModelUpdater of {updater.element!r}"
    return "".join(_text(line) for line in words.splitlines()) + updating_card(history)


_CARDS: dict[str, Callable[[Any], str]] = {
    "Model": model_card,
    "Result": result_card,
    "Modes": modes_card,
    "Filter": filter_card,
    "Estimate": estimate_card,
    "History": history_card,
    "BatchResult": batch_card,
    "UpdatingHistory": updating_card,
    "ModelUpdater": updater_card,
}


def _with_picture(make: Callable[[], str], words: str) -> str:
    try:
        return f'<div><img style="max-width:100%" {make()}></div>{_text(words) if words else ""}'
    except FemuError:
        return _text(words) if words else ""


def _text(words: str) -> str:
    return f"<div>{_escaped(words)}</div>"


def _bound(value: float) -> str:
    return short(float(value)) if np.isfinite(value) else ""


def _escaped(text: str) -> str:
    return html.escape(printable(text))


def _table(heads: Sequence[Any], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th {_CELL}>{_escaped(str(h))}</th>" for h in heads)
    body = "".join(
        "<tr>" + "".join(f"<td {_CELL}>{_escaped(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    left = f"<div>… {len(rows) - MOST_ROWS} more</div>" if len(rows) > MOST_ROWS else ""
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if any(heads) else ''}<tbody>{body}</tbody></table>{left}"
