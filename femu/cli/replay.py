"""`femu replay`: run a journalled test again, offline."""

from __future__ import annotations

import click

from femu.cli.say import say

HELP = """Run a journalled test again, offline, and report the first step that differs.

JOURNAL is the HDF5 file of a test. SCRIPT is the Python file that describes it: it defines `test`,
a hybrid test, or a function `test()` that returns one. The measurements come from the journal;
every command must be the one in the journal. Exit code 1 if one differs, or if the replay ends
before all of them came. A test with a pace is replayed as fast as it can be computed.

\b
Example:
  femu replay column.h5 column.py
"""


@click.command("replay", help=HELP)
@click.argument("journal", type=click.Path(exists=True, dir_okay=False))
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0.0),
    default=0.0,
    show_default=True,
    help="Largest difference at which two commands count as equal.",
)
def command(journal: str, script: str, tolerance: float) -> None:
    from femu.experimental.journal.journal import read_journal
    from femu.experimental.script import read_test
    from femu.experimental.specimens.replayed import replay
    from femu.support.tables import MISSED_LIMIT

    record = read_journal(journal)
    differences = replay(read_test(script), record, tolerance)
    for name, difference in differences.items():
        count = len(record.measured[name])
        same = f"all {count} commands are those of the journal"
        say(f"femu: {name}: {same if difference is None else difference}")
    if any(difference is not None for difference in differences.values()):
        click.get_current_context().exit(MISSED_LIMIT)
