"""`femu csv`: results and journals as text."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from example_frames import portal

from femu import Result
from femu.analyses import LoadControl
from femu.cli.main import EXPLAINED_ERROR, main
from femu.experimental import read_journal
from femu.experimental.journal.journal import Journal
from femu.support.stopping import dropped


def read(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


def test_of_a_result(tmp_path: Path) -> None:
    result = LoadControl(steps=3, pattern="gravity").run(portal())
    result.save(tmp_path / "r.h5")
    done = CliRunner().invoke(main, ["csv", str(tmp_path / "r.h5")])
    assert done.exit_code == 0, done.output
    found = read(tmp_path / "r.csv")
    assert list(found) == ["time", *result.columns()]
    for name, values in Result.load(tmp_path / "r.h5").columns().items():
        assert np.array_equal(found[name], values), name


@pytest.mark.parametrize("names", [("left",), ("left", "right")])
def test_of_a_journal_whose_last_command_has_no_answer(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "j.h5", dict.fromkeys(names, 2), state=1, specimens=1)
    for name in names:
        for k in range(3):
            journal.command(name, k, 0.1 * k, np.array([k, 0.5]))
            if k < 2:
                journal.measured(
                    name, k, 0.1 * k, np.array([k + 0.1, 0.6]), np.array([10.0 * k, -1.0])
                )
    done = CliRunner().invoke(
        main, ["csv", str(tmp_path / "j.h5"), "--output", str(tmp_path / "t.csv")]
    )
    assert done.exit_code == 0, done.output
    for name in names:
        found = read(tmp_path / ("t.csv" if len(names) == 1 else f"t-{name}.csv"))
        assert list(found) == [
            "step",
            "time",
            "command 1",
            "command 2",
            "displacement 1",
            "displacement 2",
            "force 1",
            "force 2",
            "clock",
        ]
        assert found["command 1"].tolist() == [0.0, 1.0] and found["force 1"].tolist() == [
            0.0,
            10.0,
        ]
        assert (
            found["clock"].tolist()
            == read_journal(tmp_path / "j.h5").measured[name][:, -1].tolist()
        )


def test_another_file_is_refused(tmp_path: Path) -> None:
    dropped()  # a Ctrl-C before this command has nothing to do with it
    (tmp_path / "no.h5").write_bytes(b"nothing")
    done = CliRunner().invoke(main, ["csv", str(tmp_path / "no.h5")])
    assert done.exit_code == EXPLAINED_ERROR and "no.h5" in done.output
