"""`femu resume`: continue an interrupted hybrid test."""

from __future__ import annotations

import warnings

import click

from femu.cli.say import say

HELP = """Continue an interrupted hybrid test from its last committed step.

JOURNAL is the HDF5 file of the test. SCRIPT is the Python file that describes it: it defines
`test`, a hybrid test, or a function `test()` that returns one. Model, parameters, loading, step and
setups must be those of the journal, and the test must not be running. An emulated specimen is set
back to the state it had; a physical one stays as the interruption left it.

\b
Example:
  femu resume column.h5 column.py
"""


@click.command("resume", help=HELP)
@click.argument("journal", type=click.Path(exists=True, dir_okay=False))
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
def command(journal: str, script: str) -> None:
    from femu.cli.main import EXPLAINED_ERROR
    from femu.experimental.journal.journal import read_journal
    from femu.experimental.script import read_test
    from femu.results.outcome import failures_handled

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # resume reads it too, and warns
        record = read_journal(journal)
    test = read_test(script)
    say(f"femu: {journal}: {record.steps} committed steps; continuing")
    with failures_handled():
        result = test.resume(journal)
    say(f"femu: {result.message} {result.steps} steps are committed.")
    if not result.outcome.ok:
        click.get_current_context().exit(EXPLAINED_ERROR)
    for element in test.elements.values():
        # report the end of the test to the server; otherwise it would assume a lost connection
        element.specimen.close()
