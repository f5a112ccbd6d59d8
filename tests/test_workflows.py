"""What others run for us is what the README asks a user to run, with the versions that we use."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the source archive has no workflows")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", text("README.md"), flags=re.MULTILINE | re.DOTALL)
    return [block.strip() for block in blocks[:2]]


@pytest.mark.parametrize("command", readme_commands())
def test_the_commands_of_the_readme_are_run_word_for_word(command: str) -> None:
    runs = re.findall(r"^ +run: (.*)$", text(".github/workflows/tests.yml"), flags=re.MULTILINE)
    assert command in runs
    # as the README says: another name of Python, and another folder in the environment
    assert command.replace("python3", "python").replace(".venv/bin/", ".venv\\Scripts\\") in runs


def test_linux_has_the_oldest_python_that_is_allowed() -> None:
    oldest = re.search(
        r'^requires-python = ">=([\d.]+)"$', text("pyproject.toml"), flags=re.MULTILINE
    )
    assert oldest is not None
    found = re.findall(
        r'os: ubuntu-latest, python: "([\d.]+)"', text(".github/workflows/tests.yml")
    )
    assert len(found) == 2 and found[0] == oldest.group(1)


def test_every_system_is_there() -> None:
    for system in ("ubuntu", "windows", "macos"):
        assert f"os: {system}-latest" in text(".github/workflows/tests.yml")


def test_ruff_has_one_version_in_hooks_and_workflows() -> None:
    hook = re.search(r"ruff-pre-commit\n +rev: v([\d.]+)", text(".pre-commit-config.yaml"))
    workflow = re.search(r"ruff==([\d.]+)", text(".github/workflows/lint.yml"))
    assert hook is not None and workflow is not None and hook.group(1) == workflow.group(1)


def test_scripts_that_are_called_exist_and_can_be_run() -> None:
    called = set(
        re.findall(
            r"(?:run|entry): (\.ci/\w+)",
            text(".github/workflows/tests.yml") + text(".pre-commit-config.yaml"),
        )
    )
    assert called == {".ci/run", ".ci/types"}
    assert [name for name in sorted(called) if not os.access(ROOT / name, os.X_OK)] == []


def test_the_form_for_a_bug_asks_for_femu_info() -> None:
    form = text(".github/ISSUE_TEMPLATE/bug.yml")
    place = form.index("femu info")
    assert "required: true" in form[place:], "it must be given"


def test_files_with_more_branches_than_allowed_exist() -> None:
    listed = re.findall(r'^"([\w/.]+)" = \["C901"\]$', text("pyproject.toml"), flags=re.MULTILINE)
    assert listed and [name for name in listed if not (ROOT / name).is_file()] == []
