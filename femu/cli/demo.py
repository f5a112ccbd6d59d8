"""`femu demo`: a hybrid test with model updating, in a table, a result file and a report.

The one-bay frame of Wu, Chen, Xu and Zeng (2015) under El Centro. Its left column is an emulated
specimen with noise on the measurements; its right column is a model that starts with a wrong guess
of three parameters. With the guess kept (fixed model) the response is wrong; with updating the
specimen updates the model while the test runs.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console

from femu.cli.say import say
from femu.support.tables import MISSED_LIMIT, Row, Table

if TYPE_CHECKING:
    from femu.cli.stages import Stages
    from femu.experimental.hybrid_result import HybridResult
    from femu.results.result import Result
    from femu.updating import ModelUpdater

DEFAULT_FILE = Path("femu-demo.h5")
SEED = 1
SYMBOLS = (
    ("yield force of the column", "kN", 1e3, 0.02),
    ("plastic moment", "kN m", 1e3, 0.01),
    ("hardening ratio", "", 1.0, 0.10),
)
"""Name, unit, factor of the unit, and the share within which updating must find it."""
SHARE = 1.0 / 3.0  # of the fixed model's error that updating may leave


@dataclass(frozen=True)
class Demo:
    """The three runs."""

    reference: Result
    fixed: HybridResult
    updated: HybridResult
    updater: ModelUpdater
    seconds: float
    compiled: int


@click.command("demo")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT_FILE,
    show_default=True,
    help="Where to write the result; the report goes to the same folder, with the ending .html.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(output: Path, as_json: bool) -> None:
    """Run a hybrid test of a frame whose model learns from its specimen, and write a result file
    and a report.

    \b
    Example:
      femu demo --output column.h5
    """
    from femu.cli.stages import Stages

    with Stages(Console(stderr=as_json)) as stages:
        found = run(stages)
        stages.begin("report")
        report = write(found, output)
    table = table_of(found)
    if as_json:
        say(
            json.dumps(
                {**table.to_dict(), "result": str(output), "report": str(report)},
                ensure_ascii=False,
                indent=2,
            )
        )
    else:
        show(found)
        for note in table.notes:
            say(note)
        say(f"result: {output}\nreport: {report}")
    if not table.ok:
        click.get_current_context().exit(MISSED_LIMIT)


def run(stages: Stages) -> Demo:
    """The reference, the test with a fixed model, and the test with updating."""
    began = time.perf_counter()
    stages.begin("reference: both columns known")
    from femu.analyses import HybridTest, Newmark, Transient
    from femu.studies import one_bay_frame
    from femu.updating import ModelUpdater

    quake = one_bay_frame.ground_motion()
    reference = Transient(Newmark(), dt=one_bay_frame.DT).run(
        one_bay_frame.frame(), quake, progress=stages
    )
    stages.begin("hybrid test, fixed model")
    fixed = HybridTest(
        one_bay_frame.frame(one_bay_frame.specimen(SEED), one_bay_frame.INITIAL),
        quake,
        dt=one_bay_frame.DT,
    ).run()
    stages.begin("hybrid test, updated model")
    updater = ModelUpdater(
        "left",
        one_bay_frame.twin(),
        one_bay_frame.unknowns(),
        members=["right"],
        length=one_bay_frame.HEIGHT,
    )
    updated = HybridTest(
        one_bay_frame.frame(one_bay_frame.specimen(SEED), one_bay_frame.INITIAL),
        quake,
        dt=one_bay_frame.DT,
        updater=updater,
    ).run()
    return Demo(reference, fixed, updated, updater, time.perf_counter() - began, stages.compiled)


def displacement_error(found: Result, reference: Result) -> float:
    """Root mean square of the difference of the roof's displacement, over that of the displacement
    (%)."""
    a, b = (r.displacement("C", "x") for r in (found, reference))
    return 100.0 * float(np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2)))


def table_of(found: Demo) -> Table:
    """The same numbers as rows, for `--json`."""
    from femu.kernels.kernel_cache import compile_statistics
    from femu.studies.one_bay_frame import INITIAL, TRUE

    rows = []
    learnt = found.updater.values.values()
    for (name, unit, factor, within), value, true, guess in zip(
        SYMBOLS, learnt, TRUE, INITIAL, strict=True
    ):
        rows.append(Row(f"{name}: fixed model", guess / factor, unit, true / factor))
        rows.append(
            Row(
                f"{name}: updated model",
                value / factor,
                unit,
                true / factor,
                f"within {100 * within:g} %",
                abs(value / true - 1.0) <= within,
            )
        )
    fixed, updated = (displacement_error(r, found.reference) for r in (found.fixed, found.updated))
    rows.append(Row("displacement error: fixed model", fixed, "%"))
    rows.append(
        Row(
            "displacement error: updated model",
            updated,
            "%",
            None,
            "<= a third of the fixed model's",
            updated <= SHARE * fixed,
        )
    )
    rows.append(
        Row(
            "steps that converged",
            100.0 * float(found.updated.converged.mean()),
            "%",
            None,
            "all",
            bool(found.updated.converged.all()),
        )
    )
    rows.append(
        Row("experimental energy error", 100.0 * found.updated.experimental_error, "% of the input")
    )
    rows.append(
        Row(f"time of {found.updated.steps} steps with updating", found.updated.seconds, "s")
    )
    rows.append(Row("time of all runs", found.seconds, "s"))
    notes = found.updater.statement().splitlines()
    if found.compiled:
        notes.append(
            f"{found.compiled} kernels were compiled in {compile_statistics()[1]:.0f} s and are "
            "kept for the next run."
        )
    return Table("Hybrid test of a one-bay frame, the model updated as it runs", rows, notes)


def show(found: Demo) -> None:
    """The table that a person reads: reference, fixed and updated model in columns."""
    from rich import box
    from rich.table import Table as RichTable

    from femu.studies.one_bay_frame import INITIAL, NAMES, TRUE

    shown = RichTable(
        title="Hybrid test of a one-bay frame under El Centro",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    shown.add_column("")
    for head in ("reference", "fixed model", "updated model", "± 2σ"):
        shown.add_column(head, justify="right")
    for (name, unit, factor, _), key, true, guess in zip(
        SYMBOLS, NAMES, TRUE, INITIAL, strict=True
    ):
        value, spread = found.updater.values[key], 2.0 * found.updater.std[key]
        shown.add_row(
            f"{name}{f' ({unit})' if unit else ''}",
            *(f"{v / factor:.4g}" for v in (true, guess, value)),
            f"{spread / factor:.2g}",
        )
    fixed, updated = (displacement_error(r, found.reference) for r in (found.fixed, found.updated))
    shown.add_row("roof displacement error (%)", "0", f"{fixed:.1f}", f"{updated:.2f}", "")
    peaks = [
        f"{1e3 * np.abs(r.displacement('C', 'x')).max():.1f}"
        for r in (found.reference, found.fixed, found.updated)
    ]
    shown.add_row("peak roof displacement (mm)", *peaks, "")
    Console().print(shown)


def write(found: Demo, path: Path) -> Path:
    """The result with the updater's history in one file, and its report."""
    from femu import plots, report
    from femu.files.hdf5 import written_whole

    found.updated.save(path)
    with written_whole(path, onto=True) as file:
        group: Any = file.create_group("updating")
        found.updater.history.put(group)
    return report.write(path, units=plots.SI)
