"""`femu batch`: a suite of earthquakes, or an incremental dynamic analysis, from a TOML file."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from femu.cli.say import say
from femu.support.tables import Row, Table, finish

HELP = """Run a suite of earthquakes, or an incremental dynamic analysis.

SUITE is a TOML file; --example prints one. Results go to an HDF5 file as runs end. A batch that was
interrupted, by Ctrl-C, a crash or a power failure, is continued with --resume, which repeats no
run. Exit code 3 means that runs failed, 130 that Ctrl-C stopped the batch. In an incremental
dynamic analysis a run that does not converge is a collapse.

The file names the Python function that makes the model, and its module is run: read a suite of
somebody else, and the Python file that it names, before you run it.

\b
Examples:
  femu batch --example > suite.toml
  femu batch suite.toml
  femu batch suite.toml --resume --workers 8
  femu batch suite.toml --dask tcp://10.0.0.5:8786
"""


@click.command("batch", help=HELP)
@click.argument("suite", required=False, type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Continue the file of an interrupted batch.")
@click.option(
    "--overwrite",
    is_flag=True,
    help="Start over, and replace the batch in the file; never another kind of file.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of runs at the same time. Default: the number of cores.",
)
@click.option(
    "--threads",
    is_flag=True,
    help="Run in threads of one process: starts faster, without isolation.",
)
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="HDF5 file, instead of the one in SUITE.",
)
@click.option(
    "--plots", type=click.Path(path_type=Path, file_okay=False), help="Folder for pictures."
)
@click.option("--example", is_flag=True, help="Print an example suite and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(
    suite: Path | None,
    resume: bool,
    overwrite: bool,
    workers: int | None,
    threads: bool,
    dask: str | None,
    output: Path | None,
    plots: Path | None,
    example: bool,
    as_json: bool,
) -> None:
    if example:
        click.echo(
            (resources.files("femu.batch") / "data" / "suite.toml").read_text(encoding="utf-8"),
            nl=False,
        )
        return
    if suite is None:
        raise click.UsageError("give a SUITE, or --example to see one.")
    if dask and threads:
        raise click.UsageError("--dask and --threads exclude each other.")
    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite exclude each other.")
    from femu.batch.progress import BatchBar
    from femu.batch.toml_file import read_suite
    from femu.cli.main import EXPLAINED_ERROR, STOPPED
    from femu.results.outcome import failures_handled

    asked = read_suite(suite)
    path = output or asked.output
    if path.exists() and not resume and not overwrite:
        raise click.UsageError(
            f"{path} already exists: continue it with --resume, or start over with --overwrite."
        )
    on: Any = "threads" if threads else "processes"
    client = None
    if dask:
        from femu.batch.cluster import connect

        on = client = connect(dask)
    try:
        with failures_handled():  # failures are in the table
            found = asked.batch.run(
                path,
                workers=workers,
                on=on,
                resume=resume,
                overwrite=overwrite,
                progress=BatchBar(Console(stderr=True)),
            )
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "result"):
            raise
        found = stop.result
    finally:
        if client is not None:
            client.close()
    if plots is not None:
        draw(found, plots)
    finish(table(found), as_json)
    if found.stopped:
        click.get_current_context().exit(STOPPED)
    if found.failures():
        click.get_current_context().exit(EXPLAINED_ERROR)


def table(found: Any) -> Table:
    """How the runs ended, drifts, and for an incremental dynamic analysis the fragility."""
    import numpy as np

    from femu.batch.outcome import RunOutcome

    rows = [
        Row(outcome.name.lower().replace("_", " "), count, "runs")
        for outcome, count in found.counts().items()
    ]
    finite_drift = np.isfinite(found.largest_drift)
    if finite_drift.any():
        rows.append(
            Row(
                "median of the largest storey drift",
                100.0 * float(np.median(found.largest_drift[finite_drift])),
                "%",
            )
        )
        rows.append(
            Row("largest storey drift", 100.0 * float(found.largest_drift[finite_drift].max()), "%")
        )
    if found.settings["kind"] == "ida":
        rows += _ida_rows(found)
    failures = found.failures()
    notes = [
        *failures[:10],
        *([f"... and {len(failures) - 10} more"] if len(failures) > 10 else []),
        f"results: {found.path}",
    ]
    left = found.counts().get(RunOutcome.PENDING, 0)
    if found.stopped:
        notes.append(f"stopped with {left} runs left: continue with --resume")
    return Table(f"Batch of {found.model}", rows, notes)


def _ida_rows(found: Any) -> list[Row]:
    from femu.batch import IDACurves, fit_curves
    from femu.support.errors import AnalysisError, InputError

    curves = IDACurves.of(found)
    rows = [
        Row(f"records: {how.name.lower().replace('_', ' ')}", count)
        for how, count in curves.counts().items()
        if count
    ]
    try:
        fragility = fit_curves(curves)
    except (AnalysisError, InputError):  # too few collapses to fit; the counts above say so
        return rows
    unit = 1.0 if curves.scale_by == "factor" else 9.80665
    return [
        *rows,
        Row("median collapse intensity", fragility.median / unit, "" if unit == 1.0 else "g"),
        Row("dispersion", fragility.dispersion),
    ]


def draw(found: Any, folder: Path) -> None:
    """Write the pictures that the batch allows."""
    from femu.batch import IDACurves, fit_curves, plots
    from femu.support.errors import AnalysisError, InputError

    folder.mkdir(parents=True, exist_ok=True)
    plots.save(plots.plot_drifts(found), folder / "drifts.png")
    if found.settings["kind"] == "ida":
        curves = IDACurves.of(found)
        plots.save(plots.plot_ida(curves), folder / "ida.png")
        try:
            plots.save(plots.plot_fragility(fit_curves(curves), curves), folder / "fragility.png")
        except (AnalysisError, InputError) as error:
            say(f"no fragility curve: {error}", err=True)
