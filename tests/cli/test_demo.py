"""`femu demo`: its claims, its files, its progress."""

from __future__ import annotations

import io
import json
import re
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from femu.cli import demo
from femu.cli.main import main
from femu.cli.stages import Stages
from femu.experimental.hybrid_result import HybridResult
from femu.kernels import kernel_cache


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `femu demo --json` prints, with its rows by name."""
    file = tmp_path_factory.mktemp("demo") / "column.h5"
    # click before 8.2
    apart: Any = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    run = CliRunner(**apart).invoke(main, ["demo", "--json", "--output", str(file)])
    assert run.exit_code == 0, run.output
    made = json.loads(run.stdout)
    return {**made, "rows": {row["name"]: row for row in made["rows"]}}


def test_updating_finds_the_parameters_and_the_response(reported: dict[str, Any]) -> None:
    assert reported["ok"]
    rows = reported["rows"]
    assert rows["displacement error: fixed model"]["value"] > 5.0
    assert (
        rows["displacement error: updated model"]["value"]
        < rows["displacement error: fixed model"]["value"] / 3.0
    )
    for name, _, _, within in demo.SYMBOLS:
        row = rows[f"{name}: updated model"]
        assert row["value"] == pytest.approx(row["reference"], rel=within)
        assert rows[f"{name}: fixed model"]["value"] != pytest.approx(row["reference"], rel=within)


def test_the_result_holds_the_test_and_what_was_learnt(reported: dict[str, Any]) -> None:
    from femu.report.write import load_result

    result, environment, history = load_result(Path(reported["result"]))
    assert isinstance(result, HybridResult)
    assert result.converged.all()
    assert environment
    assert len(history) == result.steps
    assert np.isfinite(history.values).all()


def test_the_report_stands_alone(reported: dict[str, Any]) -> None:
    page = Path(reported["report"]).read_text(encoding="utf-8")
    assert "Updated parameters" in page
    assert not re.search(r"(src|href)=.https?:.*\.(js|css|png)", page)
    assert len(page) > 50_000


def test_the_table_stands_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["demo"])
    assert found.exit_code == 0, found.output
    for word in (
        "reference",
        "fixed model",
        "updated model",
        "plastic moment",
        "femu-demo.h5",
        "femu-demo.html",
    ):
        assert word in found.output
    assert Path("femu-demo.html").exists()
    lines = found.output.splitlines()
    assert [line for line in lines if line.endswith("...") and "compiling" not in line] == [
        "reference: both columns known ...",
        "hybrid test, fixed model ...",
        "hybrid test, updated model ...",
        "report ...",
    ]


def test_compiling_is_announced_once_and_the_hook_is_given_back() -> None:
    stream = io.StringIO()
    with Stages(Console(file=stream)) as stages:
        stages._compiling("femu.materials.bilinear.block")
        stages._compiling("femu.analyses.newton_step.march_newton")
    assert stream.getvalue().count("compiling") == 1
    assert stages.compiled == 2
    assert kernel_cache._announce.hook is None
