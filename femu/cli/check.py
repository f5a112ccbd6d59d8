"""`femu check`: what looks wrong in the models and analyses of a script."""

from __future__ import annotations

import os
import runpy
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from femu.cli.say import say

if TYPE_CHECKING:
    from femu.check import Finding

HELP = """Print what looks wrong in the models, analyses and hybrid tests of a script.

The script runs under the name "femu_test", so that code under `if __name__ == "__main__"` does not
run, and no hybrid test is started. It checks the models and hybrid tests that the script defines,
`test()` if it is a function without arguments, and the analyses that it runs. The exit code is 1 if
there is an error or a warning; notes do not count.

\b
Example:
  femu check portal.py
"""


@click.command("check", help=HELP)
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
def command(script: str) -> None:
    from femu.check import CheckWarning
    from femu.results.progress import AMBIENCE
    from femu.support.errors import FileError

    found: dict[str, list[Finding]] = {}

    before, path = sys.argv, sys.path[:]
    sys.argv = [script]
    sys.path.insert(0, str(Path(script).resolve().parent))
    AMBIENCE.found = lambda name, findings: _add(found, name, findings)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CheckWarning)
            _question(script, found)
    finally:
        AMBIENCE.found = None
        sys.argv, sys.path[:] = before, path
    if not found:
        raise FileError(
            script,
            "defines no model and no hybrid test and runs no analysis, apart from what is under if "
            '__name__ == "__main__", which is not run',
        )
    count = 0
    for name, findings in found.items():
        for finding in findings:
            say(f"{name}: {finding!r}")
            count += finding.severity != "note"
    say(
        f"{os.path.basename(script)}: {count} to look at"
        if count
        else f"{os.path.basename(script)}: no warnings"
    )
    sys.exit(1 if count else 0)


def _question(script: str, found: dict[str, list[Finding]]) -> None:
    """Run a script and check what it defines."""
    from femu.analyses import HybridTest
    from femu.check import check
    from femu.check.of_analysis import check_hybrid
    from femu.experimental.script import NAME, reading
    from femu.model.model import Model
    from femu.support.errors import FileError, InputError

    defined: dict[str, Any] = {}
    with reading(script):
        try:
            defined = runpy.run_path(script, run_name="femu_test")
            if callable(defined.get(NAME)) and not isinstance(defined[NAME], type):
                defined[NAME] = defined[NAME]()
        except SystemExit as end:
            defined = _reached(end, script)
        except (SyntaxError, OSError) as problem:
            raise FileError(script, f"cannot be run: {problem}") from problem
        except InputError as problem:
            if problem.argument != "HybridTest" or not problem.object.startswith("script "):
                raise
            say(
                f"{os.path.basename(script)}: read up to the hybrid test that it starts, which was "
                "not started"
            )
            defined = _reached(problem, script)
    asked: set[int] = set()
    for value in defined.values():
        if id(value) in asked:
            continue
        asked.add(id(value))
        if isinstance(value, HybridTest):
            _add(
                found,
                value.program.name,
                [*check(value.program.source), *check_hybrid(value, True)],
            )
        elif isinstance(value, Model):
            _add(found, value.name, check(value))


def _reached(problem: BaseException, script: str) -> dict[str, Any]:
    """What a script had defined when it was ended."""
    step = problem.__traceback__
    while step is not None:
        if (
            step.tb_frame.f_code.co_filename == script
            and step.tb_frame.f_code.co_name == "<module>"
        ):
            return dict(step.tb_frame.f_globals)
        step = step.tb_next
    return {}


def _add(found: dict[str, list[Finding]], name: str, findings: list[Finding]) -> None:
    known = found.setdefault(name, [])
    known += [finding for finding in dict.fromkeys(findings) if finding not in known]
