"""`femu monitor` before the page is complete."""

from __future__ import annotations

from pathlib import Path

import h5py
from click.testing import CliRunner

from femu.cli import main


def test_a_file_that_is_no_journal_is_refused_before_a_server_starts(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w"):
        pass
    found = CliRunner().invoke(main, ["monitor", str(tmp_path / "a.h5"), "--no-open"])
    assert found.exit_code == 3
    assert "is not a femu journal" in found.output


def test_help_has_an_example() -> None:
    assert "femu monitor column.h5" in CliRunner().invoke(main, ["monitor", "--help"]).output
