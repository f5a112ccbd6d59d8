"""`femu batch`: from a TOML file to a table, again with --resume, and with pictures."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu.batch import BatchResult, RunOutcome
from femu.batch.progress import BatchBar
from femu.cli.batch import command
from femu.cli.main import main
from femu.files import toml_text

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
    assert (
        toml_text.read(CliRunner().invoke(command, ["--example"]).stdout)["model"]["source"]
        == "femu.batch.example:frame"
    )


def test_suite_runs_resumes_and_draws(suite: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(
        command, [str(suite), "--threads", "--plots", str(suite.parent / "pictures")]
    )
    assert made.exit_code == 0, made.output
    assert "complete" in made.output
    assert (suite.parent / "pictures" / "drifts.png").exists()
    again = runner.invoke(command, [str(suite), "--threads"])
    assert again.exit_code == 2
    assert "--resume" in again.output and "--overwrite" in again.output
    before = (suite.parent / "out.h5").read_bytes()
    resumed = runner.invoke(command, [str(suite), "--threads", "--resume", "--json"])
    assert resumed.exit_code == 0
    first = json.loads(resumed.stdout)["rows"][0]
    assert (first["name"], first["value"], first["unit"]) == ("complete", 4, "runs")
    assert (suite.parent / "out.h5").read_bytes() == before


def test_ida_draws_its_curves(suite: Path) -> None:
    suite.write_text(suite.read_text() + IDA)
    made = CliRunner().invoke(
        command, [str(suite), "--threads", "--plots", str(suite.parent / "p")]
    )
    assert made.exit_code == 0, made.output
    assert "records:" in made.output
    assert (suite.parent / "p" / "ida.png").exists()


def test_usage_errors(suite: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(command, []).exit_code == 2
    assert runner.invoke(command, [str(suite), "--threads", "--dask", "tcp://x:1"]).exit_code == 2
    assert runner.invoke(command, [str(suite), "--workers", "0"]).exit_code == 2
    assert runner.invoke(command, [str(suite), "--resume", "--overwrite"]).exit_code == 2


def test_runs_that_failed_are_in_the_exit_code(suite: Path) -> None:
    """The table has them; the warning that a script gets is not printed besides."""
    (suite.parent / "bad.AT2").write_text("no record\n")
    suite.write_text(
        suite.read_text().replace("synthetic = 2", 'synthetic = 1\nfiles = ["bad.AT2"]')
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = CliRunner().invoke(main, ["batch", str(suite), "--threads"])
    assert made.exit_code == 3, made.output
    assert "bad.AT2" in made.output


def test_another_batch_in_the_file_is_replaced_by_overwrite(suite: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(main, ["batch", str(suite), "--threads"]).exit_code == 0
    suite.write_text(suite.read_text().replace("[0.1, 0.4]", "[0.2]"))
    other = runner.invoke(main, ["batch", str(suite), "--threads", "--resume"])
    assert other.exit_code == 3
    assert "holds another batch" in other.output and "--overwrite" in other.output
    made = runner.invoke(main, ["batch", str(suite), "--threads", "--overwrite"])
    assert made.exit_code == 0, made.output
    assert BatchResult.load(suite.parent / "out.h5")["scale"].tolist() == [0.2 * 9.80665] * 2


def test_ctrl_c_keeps_the_runs_and_says_how_to_continue(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def advance(self: BatchBar, done: int, failures: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(BatchBar, "advance", advance)
    stopped = CliRunner().invoke(main, ["batch", str(suite), "--threads", "--workers", "1"])
    assert stopped.exit_code == 130, stopped.output
    assert "stopped with 2 runs left: continue with --resume" in stopped.output
    assert BatchResult.load(suite.parent / "out.h5").counts() == {
        RunOutcome.PENDING: 2,
        RunOutcome.COMPLETE: 2,
    }
