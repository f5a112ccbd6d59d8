"""The tutorials of the documentation run as they are, in an empty folder."""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("[0-9][0-9]_*.py"))


def test_they_are_numbered_from_one() -> None:
    assert [int(path.name[:2]) for path in TUTORIALS] == list(range(1, len(TUTORIALS) + 1))
    assert len(TUTORIALS) >= 8


@pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_tutorial_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(path), run_name="__main__")
    plt.close("all")
    assert said.getvalue().strip(), "a tutorial prints what it found"
    assert "nan" not in said.getvalue().lower().split()
