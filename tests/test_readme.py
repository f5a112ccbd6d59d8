"""The README keeps its word.

Its Python blocks run as they are, and its commands name what exists.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[f"block{i + 1}" for i in range(len(SNIPPETS))])
def test_python_block_runs_in_an_empty_folder(snippet: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg", "FEMU_QUIET": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip(), "a block of the README prints what it computed"
    assert "nan" not in run.stdout.lower()


def test_readme_has_a_first_script() -> None:
    assert SNIPPETS


def test_the_two_commands_stand_on_top_and_alone() -> None:
    assert [len(block.strip().splitlines()) for block in COMMANDS[:2]] == [1, 1]
    assert COMMANDS[0].strip().endswith("femu demo")
    assert ".[test]" in COMMANDS[1] and COMMANDS[1].strip().endswith("pytest")
    assert README.index(COMMANDS[1]) < README.index("\n## "), "both come before the first heading"


def test_folders_of_the_layout_exist() -> None:
    folders = re.findall(r"^\| `(\w+)/` \|", README, flags=re.MULTILINE)
    assert folders
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


def test_readme_is_short() -> None:
    assert len(README.splitlines()) < 200
