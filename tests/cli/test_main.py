"""The command table: help, unknown commands, errors that are explained, and no import that is not
needed."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import warnings

import click
import pytest
from click.testing import CliRunner

from femu.cli.main import COMMANDS, EXPLAINED_ERROR, main, warnings_of_commands
from femu.support.errors import InputError


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help_lists_every_command(arguments: list[str]) -> None:
    run = CliRunner().invoke(main, arguments)
    assert run.exit_code == 0
    for name, (_, summary) in COMMANDS.items():
        assert name in run.output
        assert summary in " ".join(run.output.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_an_example(name: str) -> None:
    run = CliRunner().invoke(main, [name, "--help"])
    assert run.exit_code == 0, run.output
    after = re.split(r"^ *Examples?:$", run.output, flags=re.MULTILINE)
    assert len(after) == 2 and f"femu {name}" in after[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_carries_the_name_it_is_listed_under(name: str) -> None:
    assert importlib.import_module(COMMANDS[name][0]).command.name == name


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).output.startswith("femu, version ")


def test_unknown_command_is_wrong_usage() -> None:
    run = CliRunner().invoke(main, ["frobnicate"])
    assert run.exit_code == 2
    assert "frobnicate" in run.output


def test_an_error_of_femu_is_one_line_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("info")
    def failing() -> None:
        raise InputError("Node 'A'", "mass", -1.0, "must not be negative")

    monkeypatch.setattr(importlib.import_module("femu.cli.info"), "command", failing)
    run = CliRunner().invoke(main, ["info"])
    assert run.exit_code == EXPLAINED_ERROR
    assert run.output.strip() == "femu: Node 'A': mass = -1.0 must not be negative."


def test_help_imports_neither_a_command_nor_a_plotter() -> None:
    loaded = "[name for name in ('matplotlib', 'femu.cli.demo') if name in sys.modules]"
    code = f"import sys\nfrom femu.cli import main\nprint({loaded})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_tab_completion_names_the_commands() -> None:
    found = CliRunner().invoke(
        main,
        [],
        prog_name="femu",
        env={"_FEMU_COMPLETE": "bash_complete", "COMP_WORDS": "femu re", "COMP_CWORD": "1"},
    )
    assert {"plain,report", "plain,resume", "plain,replay", "plain,reproduce"} <= set(
        found.output.split()
    )


def test_a_warning_of_a_command_is_a_sentence_and_one_of_a_script_has_its_line() -> None:
    usual = warnings.formatwarning
    with warnings_of_commands():
        said = warnings.formatwarning("the journal is damaged", UserWarning, click.core.__file__, 9)
        own = warnings.formatwarning("dt is long", UserWarning, "/home/me/frame.py", 12)
    assert said == "femu: the journal is damaged\n"
    assert own.startswith("/home/me/frame.py:12: UserWarning: dt is long")
    assert warnings.formatwarning is usual
