"""`femu run`: a Python script, with femu in the place of openseespy if wanted."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import click

HELP = """Run a Python script. With --as-opensees a script that imports openseespy runs on femu, untouched.

What the script asks for and femu does not offer ends it with a message that names the command, the option and the line.

\b
Example:
  femu run --as-opensees portal.py
"""


@click.command("run", help=HELP, context_settings={"ignore_unknown_options": True})
@click.option("--as-opensees", "as_opensees", is_flag=True, help="Let femu answer the commands of openseespy.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(as_opensees: bool, script: str, arguments: tuple[str, ...]) -> None:
    if as_opensees:
        import femu.opensees
        from femu.opensees.play import install

        install(femu.opensees)
    before, path = sys.argv, sys.path[:]
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before, path
        if as_opensees:
            from femu.opensees.recorders import close_all

            close_all()
