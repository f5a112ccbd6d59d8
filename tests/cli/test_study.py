"""Studies by name: lazily imported, listed only where installed, all in one table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu.cli import bench, reproduce
from femu.cli.study import installed, study_command

STUDY = """
from femu.support.tables import Row, Table
def run(quick):
    return Table("{title}", [Row("cases", 1 if quick else 10, limit="< 5", ok=quick)])
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name in ("first", "second"):
        (tmp_path / f"study_{name}.py").write_text(STUDY.format(title=name))
        monkeypatch.delitem(sys.modules, f"study_{name}", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return {
        "first": "study_first:run",
        "second": "study_second:run",
        "absent": "study_absent:run",
        "nowhere": "no_such_package.study:run",
    }


def test_only_studies_whose_module_exists_are_offered(registry: dict[str, str]) -> None:
    assert list(installed(registry)) == ["first", "second"]
    command = study_command("bench", registry, "Help.")
    assert "study_first" not in sys.modules, "imported when run, not before"
    assert CliRunner().invoke(command, ["absent"]).exit_code == 2
    assert "first" in CliRunner().invoke(command, ["--help"]).output


def test_one_study_and_its_exit_code(registry: dict[str, str]) -> None:
    command = study_command("bench", registry, "Help.")
    run = CliRunner().invoke(command, ["first", "--quick", "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.output)["rows"][0]["value"] == 1
    assert CliRunner().invoke(command, ["first"]).exit_code == 1


def test_all_studies_come_as_one_object(registry: dict[str, str]) -> None:
    run = CliRunner().invoke(study_command("bench", registry, "Help."), ["all", "--json"])
    assert run.exit_code == 1
    assert [row["name"] for row in json.loads(run.output)["rows"]] == [
        "first: cases",
        "second: cases",
    ]


@pytest.mark.parametrize("table", [bench.BENCHMARKS, reproduce.STUDIES])
def test_targets_are_modules_of_femu(table: dict[str, str]) -> None:
    for target in table.values():
        module, colon, function = target.partition(":")
        assert module.startswith("femu.") and colon and function.isidentifier()
