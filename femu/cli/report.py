"""`femu report`: one HTML file from a result, a journal or a batch."""

from __future__ import annotations

from pathlib import Path

import click

from femu.cli.say import say

HELP = """Write one self-contained HTML file about a result.

FILE is the HDF5 file of a result, the journal of a hybrid test (also of one that is still running),
or the file of a batch. The report has a summary, the model, response, forces, loops, energy,
warnings and versions; of a test also tracking, parameters with their confidence, consistency and
step times. It needs no network and prints well.

\b
Examples:
  femu report portal.h5
  femu report column.h5 --output column.html --si
  femu report column.h5 --updating history.h5
"""


@click.command("report", help=HELP)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write. Default: FILE with .html.",
)
@click.option("--si", is_flag=True, help="The model is in m and N: show mm, kN and kN m.")
@click.option(
    "--updating",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of the history of an updater.",
)
def command(file: Path, output: Path | None, si: bool, updating: Path | None) -> None:
    from femu import report
    from femu.plots.style import AS_MODEL, SI

    say(f"femu: {report.write(file, output, units=SI if si else AS_MODEL, updating=updating)}")
