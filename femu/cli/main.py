"""The `femu` command: a table of commands, each imported only when it is used.

A new command is a new file beside this one with a click command called `command`, and one line in `COMMANDS`.

Exit codes: 0 done, 1 a row of a table missed its limit, 2 wrong usage, 3 an error that femu explains.
"""

from __future__ import annotations

import importlib
from typing import Any

import click

from femu.errors import FemuError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("femu.cli.demo", "Run a hybrid test whose model learns from its specimen; write a result and a report."),
    "run": ("femu.cli.run", "Run a script, also one that was written for openseespy."),
    "info": ("femu.cli.info", "Show versions, cores, cache and what is installed."),
    "batch": ("femu.cli.batch", "Run a suite of earthquakes, or an incremental dynamic analysis."),
    "crossvalidate": ("femu.cli.crossvalidate", "Compare femu with openseespy: a suite, or a model of your own."),
    "serve": ("femu.cli.serve", "Host a specimen for OpenSees, OpenFresco or another femu."),
    "resume": ("femu.cli.resume", "Go on with an interrupted hybrid test."),
    "replay": ("femu.cli.replay", "Run a journalled test again, offline, and report the first step that differs."),
    "identify": ("femu.cli.identify", "Identify parameters of a twin from a recorded test."),
    "report": ("femu.cli.report", "Write one HTML file about a result, a journal or a batch."),
    "plot": ("femu.cli.plot", "Draw one picture of a model or of a result."),
    "csv": ("femu.cli.csv_file", "Write a result or a journal as a table of text."),
    "monitor": ("femu.cli.monitor", "Show a running hybrid test in the browser."),
    "bench": ("femu.cli.bench", "Measure the speed of femu against its peers."),
    "reproduce": ("femu.cli.reproduce", "Repeat the study of a paper and compare with its figures."),
}
"""Command: module and the line that `femu --help` shows, so that help imports none of them."""

EXPLAINED_ERROR = 3


class CommandTable(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return importlib.import_module(COMMANDS[name][0]).command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except FemuError as error:
            click.echo(f"femu: {error}", err=True)
            context.exit(EXPLAINED_ERROR)


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="femu", prog_name="femu")
def main() -> None:
    """Frame models, hybrid simulation and online model updating.

    \b
    Example:
      femu demo
    """
