"""What only a hybrid test has: commands and measurements, tracking, step times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.hybrid_result import HybridResult
from femu.experimental.journal import HEAD, TAIL, Record
from femu.model import Model
from femu.plots import AS_MODEL, Units, plot_history, plot_loop, plot_model, plot_parameters, plot_timing
from femu.plots.style import short
from femu.report.environment import environment_section
from femu.report.page import Page, wide

Array = npt.NDArray[np.float64]
CHANNELS = 3  # of an element that are shown
PARAMETERS = 6
ABOUT = {"model": "model", "protocol": "protocol", "integrator": "integrator", "dt": "time step", "steps": "steps wanted",
         "rate": "steps a second", "limits": "limits", "updating": "parameters updated", "program": "mark of the program"}
"""What a journal says of its test, and how the report names it."""


def test_sections(page: Page, result: HybridResult, units: Units) -> None:
    """Sections of a hybrid test that a plain result does not have."""
    page.section("Specimens")
    t = result.instants
    for name, columns in result.index["test"]:
        page.heading(f"Specimen {name}")
        command, (d, f) = result.command(name), result.measured(name)
        _exchange(page, str(name), t, command, d, f)
        learnt = result.updated(name)
        page.paragraph(
            f"Its stiffness was learnt from the measurements in {int(np.count_nonzero(learnt))} of {result.steps} steps."
        )
        del columns
    page.paragraph(
        f"Experimental energy error (converged less measured work): {short(100 * result.experimental_error)} % of the input. "
        f"{int(np.count_nonzero(~result.converged))} of {result.steps} steps were finished by operator splitting."
    )
    _times(page, result.of_step("seconds")[1:], 1.0 / result.pace.rate if result.pace is not None else None)
    if result.pace is not None:
        page.notes([("note", note) for note in result.pace.notes])


def _exchange(page: Page, name: str, t: Array, command: Array, d: Array, f: Array) -> None:
    shown = [c for c in range(min(CHANNELS, d.shape[1])) if np.ptp(d[:, c]) > 0.0]
    for c in shown:
        page.figure(
            lambda c=c: plot_history(t, {"command": command[:, c], "measured": d[:, c]}, wide(), name=f"displacement {c + 1}"),  # type: ignore[misc]
            f"{name}: commanded and measured displacement {c + 1}.",
        )
    with page.side_by_side():
        for c in shown:
            page.figure(
                lambda c=c: plot_loop(d[:, c], f[:, c], x=f"measured displacement {c + 1}", y=f"measured force {c + 1}"),  # type: ignore[misc]
                f"{name}: measured force {c + 1} over its displacement.",
            )
    rows = []
    for c in shown:
        error = d[:, c] - command[:, c]
        size = float(np.abs(command[:, c]).max()) or 1.0
        rows.append(
            (
                c + 1,
                float(np.abs(command[:, c]).max()),
                float(np.abs(error).max()),
                100 * float(np.sqrt(np.mean(error**2))) / size,
                float(np.abs(f[:, c]).max()),
            )
        )
    page.table(f"Tracking of {name}.", ("channel", "peak command", "peak error", "RMS error, % of the peak", "peak force"), rows)


def _times(page: Page, seconds: Array, budget: float | None) -> None:
    told = seconds[np.isfinite(seconds) & (seconds > 0.0)]
    if len(told) < 2:
        return
    page.section("Step times")
    page.figure(lambda: plot_timing(told, budget, wide(2.6)), "Times of the steps, on logarithmic scales.")
    rows = [
        (label, 1e3 * float(np.percentile(told, p)))
        for label, p in (("median", 50), ("99 %", 99), ("99.9 %", 99.9), ("worst", 100))
    ]
    page.table("Times of the steps.", ("", "ms"), rows)


def report_of_journal(record: Record, units: Units = AS_MODEL) -> Page:
    """The page of a journal, of a test that ended or of one that still runs."""
    name = str(record.about.get("model", record.path))
    ending: Any = getattr(record, "outcome", None) or getattr(record, "ending", None)
    dt = record.about.get("dt")
    page = Page(
        "femu report · journal of a hybrid test",
        f"Hybrid test of {name}",
        f"{record.steps} committed steps{f' of {dt:g} s' if dt else ''}, specimens: {', '.join(record.names)}.",
    )
    page.section("Summary")
    if ending is None:
        page.outcome(
            False, "not ended", "The journal has no ending: the test still runs, or was interrupted. femu resume goes on with it."
        )
    else:
        page.outcome(bool(ending.ok), ending.name.lower().replace("_", " "), record.message or str(ending.value))
    planned = record.about.get("steps")
    facts: list[tuple[str, Any, str]] = [("committed steps", record.steps, f"of {planned}" if planned else "")]
    for element in record.names:
        if len(record.measured[element]):
            d, f = record.measurements(element)
            facts += [
                (f"peak displacement of {element}", float(np.abs(d).max()), ""),
                (f"peak force of {element}", float(np.abs(f).max()), ""),
            ]
    page.facts(facts)
    page.table(
        "The test.",
        ("", "value"),
        [(name, _told(record.about[key])) for key, name in ABOUT.items() if record.about.get(key) not in (None, [], {})],
    )
    _model(page, record, units)
    page.section("Specimens")
    for element in record.names:
        count = min(len(record.command[element]), len(record.measured[element]))
        if count < 2:
            continue
        page.heading(f"Specimen {element}, in the axes of its actuators")
        d, f = record.measurements(element)
        _exchange(page, element, record.measured[element][:count, 1], record.commands(element)[:count], d[:count], f[:count])
    _journalled_parameters(page, record)
    if len(record.state) > 2:
        _times(page, np.diff(record.state[:, -1]), dt)
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


def _told(value: Any) -> str:
    """A value in words: what belongs to an element after its name."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_told(one)}" if isinstance(one, dict) else f"{name} {one}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _model(page: Page, record: Record, units: Units) -> None:
    told = record.about.get("description", {})
    if told.get("toml"):
        page.section("Model")
        page.figure(lambda: plot_model(Model.from_toml(told["toml"]), units=units), "The model, with its specimens.")
        page.details("The model as TOML text", told["toml"])


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
        [(record.parameter_names[k], float(record.parameters[k]), float(values[-1, k])) for k in changed],
    )
    shown = changed[:PARAMETERS]
    page.figure(
        lambda: plot_parameters(rows[:, 1], values[:, shown], names=[record.parameter_names[k] for k in shown])[0],
        "Parameters of the running model over time.",
    )
