"""Processes that femu starts run nothing of the folder they are started in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from femu.files.hdf5_older import older_text
from femu.support.isolated_python import python, python_module, surroundings


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with files that have the names of modules.

    They leave a file behind if they are run.
    """
    mark = tmp_path / "was run"
    for name in ("json", "h5py", "numpy", "pickle", "femu"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    return mark


def test_modules_are_found_where_this_process_finds_them(planted: Path) -> None:
    reported = subprocess.run(
        python("import json, femu; print(json.__file__, femu.__file__)"),
        env=surroundings(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert str(planted.parent) not in reported
    subprocess.run(
        python_module("json.tool", "--help"), env=surroundings(), capture_output=True, check=True
    )
    assert not planted.exists()


def test_a_file_of_the_older_form_does_not_run_what_lies_beside_it(planted: Path) -> None:
    path = planted.with_name("old.h5")
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "femu result 1"  # h5py writes texts of variable length
    assert older_text(path, "/@format") == "femu result 1"
    assert not planted.exists()


def test_a_place_of_modules_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a session that looks in its working folder, as that of a notebook does, other processes do
    so too."""
    (tmp_path / "frames_of_mine.py").write_text("STOREYS = 7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    reported = subprocess.run(
        python("import frames_of_mine, sys; print(frames_of_mine.STOREYS, sys.argv[1:])", "a b"),
        env=surroundings(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert reported.split("\n")[0] == "7 ['a b']"
