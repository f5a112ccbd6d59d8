"""Suites in TOML: the example is read, and each mistake is reported with its line."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from femu.batch import IDA, RecordFile, Suite
from femu.batch.toml_file import read_suite
from femu.support.errors import FileError
from femu.units import g

EXAMPLE = (resources.files("femu.batch") / "data" / "suite.toml").read_text(encoding="utf-8")
SMALL = '[model]\nsource = "femu.batch.example:frame"\n\n[records]\nel_centro = true\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_example_is_a_suite_of_18_runs(tmp_path: Path) -> None:
    asked = read_suite(written(tmp_path, EXAMPLE))
    assert isinstance(asked.batch, Suite)
    assert len(asked.batch) == 18
    assert asked.batch.scales == pytest.approx((0.2 * g, 0.4 * g, 0.8 * g))
    assert asked.batch.plan.analysis.test.iterations == 25
    assert asked.output == tmp_path / "suite.h5"


def test_example_with_every_key_uncommented(tmp_path: Path) -> None:
    """The commented lines of the example are right too."""
    import re

    (tmp_path / "records").mkdir()
    for name in ("records/a.AT2", "records/b.AT2"):
        (tmp_path / name).write_text("")
    (tmp_path / "eqData.dat").write_text("1.rec 0.01 0.65\n2.rec 0.02\n")
    asked = read_suite(written(tmp_path, re.sub(r"(?m)^# (?=[\[\"a-z_*]+.*[=\]])", "", EXAMPLE)))
    assert isinstance(asked.batch, IDA)
    assert len(asked.batch.records) == 10
    assert asked.batch.tracing.first == pytest.approx(0.1 * g)
    last = asked.batch.records[-1]
    assert isinstance(last, RecordFile)
    assert (last.dt, last.factor, last.unit) == (0.02, 1.0, "g")


def test_parameter_sets(tmp_path: Path) -> None:
    text = SMALL + (
        '[parameters]\nsamples = 4\nseed = 2\nmethod = "sobol"\n[parameters.vary]\n'
        '"*.fy" = { distribution = "uniform", lower = 1.0, upper = 2.0 }\n'
    )
    asked = read_suite(written(tmp_path, text))
    assert isinstance(asked.batch, Suite)
    assert len(asked.batch.parameter_sets) == 4
    assert all(1.0 <= values["*.fy"] <= 2.0 for values in asked.batch.parameter_sets)


def test_model_file_is_found_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("from femu.batch.example import frame\n")
    asked = read_suite(written(tmp_path, SMALL.replace("femu.batch.example:frame", "own.py:frame")))
    assert asked.batch.plan.compile().neq == 36


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (SMALL + "[anlaysis]\ndt = 0.01\n", 6, "anlaysis"),
        (SMALL + "[analysis]\n\ntimestep = 0.01\n", 8, "timestep"),
        (SMALL + '[analysis]\ndt = "fast"\n', 7, "must be a number"),
        (SMALL + "[analysis]\ndt = -1.0\n", 7, "above 0"),
        (SMALL + "[analysis]\ntime_limit = 0.0\n", 7, "above 0"),
        (SMALL + "[analysis]\nhalvings = true\n", 7, "whole number"),
        (SMALL + '[scales]\nby = "pgv"\n', 7, "pgv"),
        (SMALL + '[scales]\nvalues = [1.0, "two"]\n', 7, "two"),
        (SMALL + "[scales]\nvalues = []\n", 7, "scales"),
        (SMALL + '[scales]\nby = "sa"\nunit = "furlong"\n', 8, "furlong"),
        (SMALL + "x = = 1\n", 6, "not TOML"),
        (SMALL + "x = " + 5000 * "[", 6, "nested too deeply"),
        (SMALL.replace("el_centro = true", 'files = ["*.AT2"]'), 5, "no file matches"),
        (SMALL.replace("el_centro = true", 'files = ["a.txt"]'), 5, "unit"),
        (SMALL.replace("el_centro = true", 'listing = "none.dat"'), 5, "none.dat"),
        (SMALL.replace("el_centro = true", "el_centro = false"), 4, "names none"),
        (SMALL.replace("el_centro = true", "synthetic = -1"), 5, "0 or more"),
        (
            SMALL.replace("el_centro = true", "synthetic = 599999999999999999999"),
            5,
            "at most 50000 s",
        ),
        (
            SMALL.replace("el_centro = true", "synthetic = 2\nduration = 30000"),
            5,
            "at most 50000 s",
        ),
        (SMALL.replace("source", "gravity"), 1, "source"),
        (SMALL + "[ida]\nfirst = 0.1\n", 6, "step"),
        (SMALL + "[ida]\nfirst = 0.1\nstep = 0.1\nruns = 1\n", 9, "runs"),
        (SMALL + '[parameters]\nmethod = "dice"\n', 7, "dice"),
        (
            SMALL + '[parameters]\nsamples = 3\n[parameters.vary]\n"*.fy" = { distribution = '
            '"normal", mean = 1.0 }\n',
            9,
            "deviation",
        ),
        ("model = 3\n", 1, "table"),
    ],
)
def test_mistakes_are_told_with_their_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        read_suite(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: ")
    assert words in message
    assert "\n" not in message


def test_missing_file_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="check the path"):
        read_suite(tmp_path / "absent.toml")
