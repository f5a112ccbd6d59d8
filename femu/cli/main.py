"""The `femu` command: a table of commands, each imported only when it is used.

A new command is a new file in this folder with a click command called `command`, and one line in
`COMMANDS`.

Exit codes: 0 done, 1 a row of a table missed its limit, 2 wrong usage, 3 an error of a script or
one that femu explains, or an analysis that failed, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import click

from femu.cli.say import say
from femu.cli.script_errors import explained
from femu.results.progress import AMBIENCE
from femu.support.stopping import STOPPED, forget_dropped, heard, was_dropped

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": (
        "femu.cli.demo",
        "Run a hybrid test whose model learns from its specimen; write a result and a report.",
    ),
    "run": ("femu.cli.run", "Run a script, also one written for openseespy."),
    "check": ("femu.cli.check", "Print what looks wrong in the models and analyses of a script."),
    "info": ("femu.cli.info", "Show versions, cores, cache and what is installed."),
    "batch": ("femu.cli.batch", "Run a suite of earthquakes, or an incremental dynamic analysis."),
    "crossvalidate": (
        "femu.cli.crossvalidate",
        "Compare femu with openseespy: a suite, or a model of your own.",
    ),
    "serve": ("femu.cli.serve", "Host a specimen for OpenSees, OpenFresco or another femu."),
    "motion-c": (
        "femu.cli.motion_c",
        "Write the generator of the motion between steps as a C file for a controller.",
    ),
    "resume": ("femu.cli.resume", "Continue an interrupted hybrid test."),
    "replay": (
        "femu.cli.replay",
        "Run a journalled test again, offline, and report the first step that differs.",
    ),
    "identify": ("femu.cli.identify", "Identify parameters of a twin from a recorded test."),
    "report": ("femu.cli.report", "Write one HTML file about a result, a journal or a batch."),
    "plot": ("femu.cli.plot", "Draw one picture of a model or of a result."),
    "csv": ("femu.cli.csv_file", "Write a result or a journal as a table of text."),
    "monitor": ("femu.cli.monitor", "Show a running hybrid test in the browser."),
    "bench": ("femu.cli.bench", "Measure the speed of femu against its peers."),
    "reproduce": (
        "femu.cli.reproduce",
        "Repeat the study of a paper and compare with its figures.",
    ),
}
"""Command: module and the line that `femu --help` shows, so that help imports none of them."""

EXPLAINED_ERROR = 3


@contextlib.contextmanager
def warnings_of_commands() -> Iterator[None]:
    """A warning that no line of a script has caused is a sentence: the line of the library that
    called the command says nothing."""
    usual, library = warnings.formatwarning, os.path.dirname(click.__file__) + os.sep

    def sentence(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        line: str | None = None,
    ) -> str:
        if filename.startswith(library):
            return f"femu: {message}\n"
        return usual(message, category, filename, lineno, line)

    warnings.formatwarning = sentence
    try:
        yield
    finally:
        warnings.formatwarning = usual


class CommandTable(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return importlib.import_module(COMMANDS[name][0]).command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """As click's, but that Ctrl-C ends every command in one way, wherever it comes."""
        forget_dropped()
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        with heard():
            try:
                code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            except click.ClickException as problem:
                problem.show()
                code = problem.exit_code
            except (click.Abort, KeyboardInterrupt):
                say("femu: stopped by the user.", err=True)
                code = STOPPED
            sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, context: click.Context) -> Any:
        AMBIENCE.failed = False
        try:
            with warnings_of_commands():
                done = super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except SystemExit as end:  # of a script: sys.exit(main()) is no word on its analyses
            if end.code in (None, 0) and AMBIENCE.failed:
                context.exit(EXPLAINED_ERROR)
            raise
        except Exception as error:
            if was_dropped():  # LLVM goes on after Ctrl-C, and then misses what was not made
                say("femu: stopped by the user.", err=True)
                context.exit(STOPPED)
            explanation = explained(error)
            if explanation is None:
                raise  # an error in femu itself: show its traceback
            say(f"femu: {explanation}", err=True)
            context.exit(EXPLAINED_ERROR)
        except KeyboardInterrupt as stop:
            say(f"femu: {str(stop) or 'stopped by the user.'}", err=True)
            context.exit(STOPPED)
        if AMBIENCE.failed:  # an analysis whose failure nobody handled
            context.exit(EXPLAINED_ERROR)
        return done


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="femu", prog_name="femu")
def main() -> None:
    """Frame models, hybrid simulation and online model updating.

    \b
    Example:
      femu demo
    """
