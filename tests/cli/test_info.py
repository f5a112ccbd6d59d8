"""`femu info` reports this machine as it is."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import numpy
import pytest
from click.testing import CliRunner

from femu.cli.info import cached_kernels, extras
from femu.cli.main import main


def _info() -> dict[str, str]:
    run = CliRunner().invoke(main, ["info", "--json"])
    assert run.exit_code == 0, run.output
    return {row["name"]: row["value"] for row in json.loads(run.output)["rows"]}


def test_versions_and_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEMU_CACHE_DIR", str(tmp_path))
    (tmp_path / "a.bin").write_bytes(bytes(30_000))
    (tmp_path / "b.bin").write_bytes(bytes(10_000))
    (tmp_path / "other.txt").write_text("not a kernel")
    reported = _info()
    assert reported["numpy"] == numpy.__version__
    assert reported["Python"] == platform.python_version()
    assert reported["cache folder"] == str(tmp_path)
    assert reported["compiled kernels"] == "2 (0.04 MB)"
    assert int(reported["cores"]) >= 1


def test_an_extra_counts_only_when_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = [
        "numpy>=1.26",
        "numpy>=2; extra == 'one'",
        'numpy>=2; extra == "both"',
        "no-such-package; extra == 'both'",
        "no-such-package==3; extra == 'none'",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: needed)
    reported = _info()
    assert reported["extra one"] == f"numpy {numpy.__version__}"
    assert reported["extra both"] == "incomplete, without no-such-package"
    assert reported["extra none"] == "not installed"


def test_the_extras_are_those_of_the_install() -> None:
    assert extras()["monitor"] == ["bokeh"]
    assert {"opensees", "dask", "docs", "test"} <= set(extras())


def test_cache_folder_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    assert cached_kernels(tmp_path / "absent") == (0, 0)
