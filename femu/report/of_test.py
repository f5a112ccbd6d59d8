"""What only a hybrid test has: commands and measurements, tracking, step times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import (
    SCALED,
    limits_in_words,
    named,
    names_in,
    peaks,
    quantity,
    rotates,
    unit_of,
)
from femu.experimental.hybrid_record import STEP_COLUMNS
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.journal.journal import HEAD, TAIL, Record
from femu.experimental.late_steps import in_words, late_in_journal
from femu.model.model import Model
from femu.plots import (
    AS_MODEL,
    Units,
    plot_history,
    plot_loop,
    plot_model,
    plot_parameters,
    plot_timing,
)
from femu.plots.style import labelled, short
from femu.report.environment import environment_section
from femu.report.page import Page, wide
from femu.report.tracking import tracking_of_journal, tracking_section

Array = npt.NDArray[np.float64]
SECONDS = STEP_COLUMNS.index("seconds")
CHANNELS = 3  # of an element that are shown
PARAMETERS = 6
ABOUT = {
    "model": "model",
    "protocol": "protocol",
    "integrator": "integrator",
    "dt": "time step",
    "steps": "steps wanted",
    "rate": "steps per second",
    "limits": "limits",
    "not_read": "not read before the first step, taken to be at zero",
    "updating": "parameters updated",
    "program": "mark of the program",
}
"""Entries of a journal about its test, and their names in the report."""


def test_sections(page: Page, result: HybridResult, units: Units) -> None:
    """Sections of a hybrid test that a plain result does not have."""
    page.section("Specimens")
    t = result.instants
    for name, columns in result.index["test"]:
        page.heading(f"Specimen {name}")
        command, (d, f) = result.command(name), result.measured(name)
        page.facts(_peaks(str(name), result.channels(name), d, f, units))
        _exchange(page, Exchange(str(name), result.channels(name), units), t, command, d, f)
        dt = float(result.index["dt"])
        tracking_section(page, str(name), result.channels(name), command, d, dt)
        learnt = result.updated(name)
        page.paragraph(
            f"Its stiffness was learnt from the measurements in {int(np.count_nonzero(learnt))} of "
            f"{result.steps} steps."
        )
        del columns
    page.paragraph(
        "Experimental energy error (converged less measured work): "
        f"{short(100 * result.experimental_error)} % of the input. "
        f"{int(np.count_nonzero(~result.converged))} of {result.steps} steps were finished by "
        "operator splitting."
    )
    pace = result.pace
    late = in_words(pace.overruns, pace.steps) if pace is not None else None
    _times(page, result.of_step("seconds")[1:], 1.0 / pace.rate if pace is not None else None, late)
    if pace is not None:
        page.notes([("note", note) for note in pace.notes])


@dataclass(frozen=True)
class Exchange:
    """Whose commands and measurements are shown: the specimen, names of its channels, and units."""

    specimen: str
    names: tuple[str, ...]
    units: Units

    def unit(self, what: str, channel: int) -> tuple[float, str]:
        """Size and name of the unit of a displacement or force."""
        kind = unit_of(what, self.names[channel])
        return self.units.of(kind) if kind else (1.0, "")

    def label(self, what: str, channel: int) -> str:
        """Name of a quantity of a channel, with its unit if it has one."""
        unit = self.unit(what.split(" ")[-1], channel)[1]
        return labelled(named(what, self.names[channel]), unit)


def _exchange(
    page: Page,
    of: Exchange,
    t: Array,
    command: Array,
    d: Array,
    f: Array,
    compensated: bool = False,
) -> None:
    """Commands and measurements; ``compensated`` commands lead what is meant to be reached."""
    shown = [c for c in range(min(CHANNELS, d.shape[1])) if np.ptp(d[:, c]) > 0.0]
    length, force = (
        np.array([of.unit(what, c)[0] for c in range(d.shape[1])])
        for what in ("displacement", "force")
    )
    command, d, f = command / length, d / length, f / force
    for c in shown:
        page.figure(
            lambda c=c: plot_history(  # type: ignore[misc]
                t,
                {"command": command[:, c], "measured": d[:, c]},
                wide(),
                name=named("displacement", of.names[c]),
                unit=of.unit("displacement", c)[1],
            ),
            f"{of.specimen}: commanded and measured {named('displacement', of.names[c])}.",
        )
    with page.side_by_side():
        for c in shown:
            page.figure(
                lambda c=c: plot_loop(  # type: ignore[misc]
                    d[:, c],
                    f[:, c],
                    x=of.label("measured displacement", c),
                    y=of.label("measured force", c),
                ),
                f"{of.specimen}: {named('measured force', of.names[c])} over its "
                f"{quantity('displacement', of.names[c])}.",
            )
    for turning in (False, True):
        channels = [c for c in shown if rotates(of.names[c]) is turning]
        if channels and not compensated:
            _tracking(page, of, channels, command, d, f)
    if compensated:
        page.paragraph(
            f"The commands are those of the compensation. They lead the targets of {of.specimen}, "
            "so their distance from the measurements is no error."
        )


def _tracking(
    page: Page, of: Exchange, channels: list[int], command: Array, d: Array, f: Array
) -> None:
    """A table of channels of one kind, so that forces are not mixed with moments."""
    rows = []
    for c in channels:
        error = d[:, c] - command[:, c]
        size = float(np.abs(command[:, c]).max()) or 1.0
        rows.append(
            (
                of.names[c],
                float(np.abs(command[:, c]).max()),
                float(np.abs(error).max()),
                100 * float(np.sqrt(np.mean(error**2))) / size,
                float(np.abs(f[:, c]).max()),
            )
        )
    first = channels[0]
    units = {of.unit("displacement", c)[1] for c in channels}
    moved, pushed = units.pop() if len(units) == 1 else "", of.unit("force", first)[1]
    head = (
        "channel",
        labelled("peak command", moved),
        labelled("peak error", moved),
        "RMS error, % of the peak",
        labelled(f"peak {quantity('force', of.names[first])}", pushed),
    )
    what = "rotations" if rotates(of.names[first]) else "displacements"
    page.table(f"Tracking of {of.specimen}, {what}.", head, rows)


def _peaks(
    element: str, names: tuple[str, ...], d: Array, f: Array, units: Units
) -> list[tuple[str, Any, str]]:
    """Peaks of displacements, rotations, forces and moments, each with its unit."""
    plain_rotations = not any(name.endswith(SCALED) for name in names)
    kinds = {"displacement": "length", "rotation": "rotation", "force": "force", "moment": "moment"}
    facts: list[tuple[str, Any, str]] = []
    for kind, value in peaks(names, d, f).items():
        size, unit = units.of(kinds[kind]) if kind != "rotation" or plain_rotations else (1.0, "")
        facts.append((f"peak {kind} of {element}", value / size, unit))
    return facts


def step_seconds(record: Record) -> Array:
    """Times of the steps of a journal.

    As the test noted them, or from commit to commit if it noted nothing.
    """
    if record.record.shape[1] > HEAD + SECONDS:
        return record.record[:, HEAD + SECONDS]
    return np.diff(record.committed[:, -1])


def _times(page: Page, seconds: Array, budget: float | None, late: str | None) -> None:
    known = seconds[np.isfinite(seconds) & (seconds > 0.0)]
    if len(known) < 2:
        return
    page.section("Step times")
    page.figure(
        lambda: plot_timing(known, budget, wide(2.6), late=late),
        "Times of the steps, on logarithmic scales.",
    )
    rows = [
        (label, 1e3 * float(np.percentile(known, p)))
        for label, p in (("median", 50), ("99 %", 99), ("99.9 %", 99.9), ("worst", 100))
    ]
    page.table("Times of the steps.", ("", "ms"), rows)
    if budget is not None:
        page.paragraph(f"Pace: {short(1.0 / budget)} steps per second, {late}.")


def report_of_journal(record: Record, units: Units = AS_MODEL) -> Page:
    """The page of a journal, of a test that has ended or is still running.

    Longer than a page: the sections of the page, one after the other.
    """
    name = str(record.about.get("model", record.path))
    ending: Any = getattr(record, "outcome", None) or getattr(record, "ending", None)
    dt = record.about.get("dt")
    page = Page(
        "femu report · journal of a hybrid test",
        f"Hybrid test of {name}",
        f"{record.steps} committed steps{f' of {dt:g} s' if dt else ''}, specimens: "
        f"{', '.join(record.names)}.",
    )
    page.section("Summary")
    if ending is None:
        page.outcome(
            False,
            "not ended",
            "The journal has no ending: the test is still running, or was interrupted. femu resume "
            "continues it.",
        )
    else:
        page.outcome(
            bool(ending.ok),
            ending.name.lower().replace("_", " "),
            record.message or str(ending.value),
        )
    planned = record.about.get("steps")
    facts: list[tuple[str, Any, str]] = [
        ("committed steps", record.steps, f"of {planned}" if planned else "")
    ]
    for element in record.names:
        if len(record.measured[element]):
            d, f = record.measurements(element)
            facts += _peaks(element, names_in(record.about, element, d.shape[1]), d, f, AS_MODEL)
    page.facts(facts)
    page.table(
        "The test.",
        ("", "value"),
        [
            (name, _text_of(record, key))
            for key, name in ABOUT.items()
            if record.about.get(key) not in (None, [], {})
        ],
    )
    _model(page, record, units)
    page.section("Specimens")
    for element in record.names:
        count = min(len(record.command[element]), len(record.measured[element]))
        if count < 2:
            continue
        page.heading(f"Specimen {element}, in the axes of its actuators")
        d, f = record.measurements(element)
        # if the setup scales, the actuators have units of their own: print numbers as they are
        of = Exchange(element, names_in(record.about, element, d.shape[1]), AS_MODEL)
        _exchange(
            page,
            of,
            record.measured[element][:count, 1],
            record.commands(element)[:count],
            d[:count],
            f[:count],
            bool(record.about.get("compensations", {}).get(element)),
        )
        tracking_of_journal(page, record, element)
    _journalled_parameters(page, record)
    if record.steps > 2:
        rate, late = record.about.get("rate"), late_in_journal(record.about, record.record)
        _times(
            page, step_seconds(record), 1.0 / rate if rate else None, in_words(late, record.steps)
        )
    page.section("Warnings")
    page.notes([("note", f"not drawn: {problem}") for problem in page.problems])
    lost = {e: len(record.command[e]) - len(record.measured[e]) for e in record.names}
    for element, missing in lost.items():
        if missing:
            page.notes([("warning", f"{missing} commands of {element} have no measurement.")])
    if not any(lost.values()) and not page.problems:
        page.paragraph("Every command has its measurement.")
    environment_section(page, record.about.get("environment", {}), Path(record.path).name)
    return page


def _text_of(record: Record, key: str) -> str:
    """What a journal says about its test, as text."""
    limits = record.about["limits"] if key == "limits" else None
    if (
        isinstance(limits, dict)
        and set(limits) <= set(record.names)
        and all(isinstance(x, dict) for x in limits.values())
    ):
        sizes = {name: record.commands(name).shape[1] for name in limits}
        return "; ".join(
            f"{name}: {limits_in_words(record.about, name, sizes[name])}" for name in limits
        )
    return _text(record.about[key])


def _text(value: Any) -> str:
    """A value as text: per element, after its name."""
    if isinstance(value, dict):
        return "; ".join(
            f"{name}: {_text(one)}" if isinstance(one, dict) else f"{name} {one}"
            for name, one in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _model(page: Page, record: Record, units: Units) -> None:
    described = record.about.get("description", {})
    if described.get("toml"):
        page.section("Model")
        page.figure(
            lambda: plot_model(Model.from_toml(described["toml"]), units=units),
            "The model, with its specimens.",
        )
        page.details("The model as TOML text", described["toml"])


def _journalled_parameters(page: Page, record: Record) -> None:
    rows = record.parameter_history
    if len(rows) < 2:
        return
    values = rows[:, HEAD:-TAIL]
    changed = [k for k in range(values.shape[1]) if np.ptp(values[:, k]) > 0.0]
    if not changed:
        return
    page.section("Updated parameters")
    page.table(
        "Parameters of the running model.",
        ("parameter", "at first", "at the end"),
        [
            (record.parameter_names[k], float(record.parameters[k]), float(values[-1, k]))
            for k in changed
        ],
    )
    shown = changed[:PARAMETERS]
    page.figure(
        lambda: plot_parameters(
            rows[:, 1], values[:, shown], names=[record.parameter_names[k] for k in shown]
        )[0],
        "Parameters of the running model over time.",
    )
