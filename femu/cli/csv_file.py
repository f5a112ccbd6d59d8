"""`femu csv`: a result or a journal as a table of text."""

from __future__ import annotations

from pathlib import Path

import click

from femu.cli.say import say

HELP = """Write a result or the journal of a hybrid test as CSV.

Of a result: time and all columns that it keeps, one row per step. Of a journal, also of a test that
is still running: one row for each measurement with step, time, command, measured displacement and
force of each actuator, and the clock (seconds since 1970). A journal of several specimens gives a
file each, with its name.

\b
Examples:
  femu csv portal.h5
  femu csv column.h5 --output column.csv
"""


@click.command("csv", help=HELP)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write. Default: FILE with .csv.",
)
def command(file: Path, output: Path | None) -> None:
    from femu.report.csv_table import parts_of, tables_of, write_table

    tables = tables_of(file)
    place = output or file.with_suffix(".csv")
    parts = parts_of(list(tables))
    for part, columns in zip(parts, tables.values(), strict=True):
        path = place if len(tables) == 1 else place.with_stem(f"{place.stem}-{part}")
        write_table(path, columns)
        say(f"femu: {path}: {len(columns['time'])} rows, {len(columns)} columns")
