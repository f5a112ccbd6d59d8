"""`femu run`: a script in Python, or of OpenSees in Tcl, with progress and a result file, and with femu in place of
openseespy if wanted."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import click

from femu.cli.say import say

HELP = """Run a Python script, or a Tcl script of OpenSees, show the progress of its analyses, and keep their results.

The last analysis goes to SCRIPT.h5 (or to --output), and those before it to SCRIPT-1.h5,
SCRIPT-2.h5 ... in the order in which they were run; `femu report` and `femu plot` read them. If a
script keeps a journal or a batch under one of these names, the result goes to SCRIPT-result.h5.
--no-results keeps nothing.

With --as-opensees a script that imports openseespy runs on femu unchanged; its recorders write what
it asks for. A request that femu does not support ends the script with a message that names the
command, the option and the line.

Exit code 3 means that an analysis failed (in a script of OpenSees: a step that was not taken in
another way later) or the script has an error, 130 that Ctrl-C stopped it;
results up to then are kept.

\b
Examples:
  femu run portal.py
  femu run --as-opensees portal.py
  femu run portal.tcl
"""
MOST_KEPT = 20  # results; a script that runs hundreds has its own way to keep them


@click.command("run", help=HELP, context_settings={"ignore_unknown_options": True})
@click.option(
    "--as-opensees", "as_opensees", is_flag=True, help="Run the commands of openseespy with femu."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the last result. Default: SCRIPT.h5.",
)
@click.option("--results/--no-results", "keep", default=True, help="Whether results are kept.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    as_opensees: bool, output: Path | None, keep: bool, script: str, arguments: tuple[str, ...]
) -> None:
    from femu.cli.main import STOPPED
    from femu.results.progress import AMBIENCE, ProgressBar

    results: list[Any] = []
    _opensees_failures("clear")
    if sys.stdout.isatty():
        AMBIENCE.progress = ProgressBar()
    if keep and not as_opensees:
        AMBIENCE.seen = results.append
    as_opensees = as_opensees or Path(script).suffix.lower() == ".tcl"
    if as_opensees:
        import femu.opensees
        from femu.opensees.comparison.play import install

        install(femu.opensees)
    before, path = sys.argv, sys.path[:]
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        if Path(script).suffix.lower() == ".tcl":
            from femu.opensees.tcl import run

            run(script)
        else:
            runpy.run_path(script, run_name="__main__")
    except KeyboardInterrupt as stop:
        said = str(stop) or "The script was stopped by the user."
        if not results:
            say(f"femu: {said} Nothing was kept.", err=True)
        elif str(stop) != results[-1].message:  # of a batch, or between two analyses
            say(f"femu: {said}", err=True)
        click.get_current_context().exit(STOPPED)
    finally:
        AMBIENCE.progress = AMBIENCE.seen = None
        sys.argv, sys.path[:] = before, path
        _keep(results, output or Path(script).with_suffix(".h5"))
        if as_opensees:
            from femu.opensees.front_end.recorders import close_all

            close_all()
        if unsettled := _opensees_failures("unsettled"):
            say(f"femu: a step failed and was not taken in another way: {unsettled}", err=True)
            AMBIENCE.failed = True


def _opensees_failures(what: str) -> str:
    """What is known of the steps that failed in the commands of openseespy, if a script uses them."""
    module = sys.modules.get("femu.opensees.front_end.choices")
    found = getattr(module.failures, what) if module is not None else ""
    return found() if callable(found) else found


def _keep(results: list[Any], path: Path) -> None:
    """The last result at a path, the others numbered next to it.

    Never over the journal of a test.
    """
    from femu.files.hdf5 import kept_in

    for number, result in enumerate(results[-MOST_KEPT:], start=1):
        last = result is results[-1]
        place = path if last else path.with_stem(f"{path.stem}-{number}")
        if kept_in(place):
            place = place.with_stem(f"{place.stem}-result")
        result.save(place)
        say(f"femu: {result.kind} analysis of {result.model}: {result.message} {place}")
    if len(results) > MOST_KEPT:
        say(f"femu: the first {len(results) - MOST_KEPT} of {len(results)} results were not kept")
