"""Models from a user's script, and the command."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu.cli.crossvalidate import HELP, command
from femu.crossvalidation.run import crossvalidate
from femu.crossvalidation.script import read_script
from femu.errors import FileError, InputError
from femu.model import Model

needs_opensees = pytest.mark.skipif(importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed")


def example() -> str:
    """The script that the help shows."""
    text = HELP.split("Example my_model.py:\n")[1].split("\n\n")[0]
    return "\n".join(line.removeprefix("  ") for line in text.splitlines())


def test_a_script_defines_model_and_analysis(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(example())
    script = read_script(file)
    assert script.model.name == "column"
    assert script.motion is not None
    file.write_text(example() + "\ndef case():\n    return model, analysis, motion, 0.5\n")
    assert read_script(file).duration == 0.5


@pytest.mark.parametrize(("text", "words"), [
    ("x = 1", "does not define 'model'"), ("model = 3\nanalysis = 4", "of the class int"), ("def (", "cannot be run")])
def test_a_script_without_them_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(text)
    with pytest.raises(FileError, match=words):
        read_script(file)


@needs_opensees
@pytest.mark.opensees
def test_the_command_compares_a_script(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(example() + "\nduration = 2.0\n")
    done = CliRunner().invoke(command, [str(file), "--json"])
    assert done.exit_code == 0, done.output
    table = json.loads(done.stdout)
    assert table["ok"]
    assert {"displacement", "reaction", "element force", "section moment", "energy"} <= {row["name"] for row in table["rows"]}


@needs_opensees
@pytest.mark.opensees
def test_analyses_in_a_list_go_on_from_each_other(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(example() + """
from femu.analyses import LoadControl
model.load("top", y=-1e5, pattern="gravity")
analysis, duration = [LoadControl(pattern="gravity"), analysis], 1.0
""")
    table = json.loads(CliRunner().invoke(command, [str(file), "--json"]).stdout)
    assert table["ok"]
    assert {"load factor", "displacement", "velocity"} <= {row["name"] for row in table["rows"]}


@pytest.mark.parametrize("analysis", [[], 4, [None]])
def test_what_is_no_analysis_is_refused(analysis: object) -> None:
    with pytest.raises(InputError, match="analysis"):
        crossvalidate(Model("empty"), analysis)


def test_an_unknown_group_is_refused() -> None:
    done = CliRunner().invoke(command, ["--group", "bridges"])
    assert done.exit_code == 2
    assert "bridges" in done.output
