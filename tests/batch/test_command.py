"""`femu batch`: from a TOML file to a table, again with --resume, and with pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu.cli.batch import command
from femu.exchange import toml_text

SUITE = """[model]
source = "{cases}:tower"
gravity = "gravity"
[records]
synthetic = 2
duration = 16.0
[scales]
by = "pga"
values = [0.1, 0.4]
[output]
file = "out.h5"
"""
IDA = "[ida]\nfirst = 0.05\nstep = 1.0\nruns = 5\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.toml"
    path.write_text(SUITE.format(cases=Path(__file__).with_name("batch_cases.py")))
    return path


def test_example_is_printed() -> None:
    assert toml_text.read(CliRunner().invoke(command, ["--example"]).stdout)["model"]["source"] == "femu.batch.example:frame"


def test_suite_runs_resumes_and_draws(suite: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(command, [str(suite), "--threads", "--plots", str(suite.parent / "pictures")])
    assert made.exit_code == 0, made.output
    assert "complete" in made.output
    assert (suite.parent / "pictures" / "drifts.png").exists()
    again = runner.invoke(command, [str(suite), "--threads"])
    assert again.exit_code == 2
    assert "--resume" in again.output
    before = (suite.parent / "out.h5").read_bytes()
    resumed = runner.invoke(command, [str(suite), "--threads", "--resume", "--json"])
    assert resumed.exit_code == 0
    first = json.loads(resumed.stdout)["rows"][0]
    assert (first["name"], first["value"], first["unit"]) == ("complete", 4, "runs")
    assert (suite.parent / "out.h5").read_bytes() == before


def test_ida_draws_its_curves(suite: Path) -> None:
    suite.write_text(suite.read_text() + IDA)
    made = CliRunner().invoke(command, [str(suite), "--threads", "--plots", str(suite.parent / "p")])
    assert made.exit_code == 0, made.output
    assert "records:" in made.output
    assert (suite.parent / "p" / "ida.png").exists()


def test_usage_errors(suite: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(command, []).exit_code == 2
    assert runner.invoke(command, [str(suite), "--threads", "--dask", "tcp://x:1"]).exit_code == 2
    assert runner.invoke(command, [str(suite), "--workers", "0"]).exit_code == 2
