"""Scripts as people have them.

Records and scripts next to them, either name of the module, files left as they were.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import femu.opensees
from femu.cli.main import main
from femu.opensees.comparison.play import LARGEST, MODULES, bring, play, written

MODEL = """
from {module} import *
wipe()
model('basic', '-ndm', 1, '-ndf', 1)
node(1, 0.0); node(2, 1.0)
fix(1, 1)
uniaxialMaterial('Elastic', 1, float(open('stiffness.txt').read()))
element('Truss', 1, 1, 2, 1.0, 1)
exec(open('more/loads.py').read())
analysis('Static')
open('answer.txt', 'a').write(str(analyze(1)))
nodeDisp(2, 1)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    (tmp_path / "stiffness.txt").write_text("4.0")
    (tmp_path / "answer.txt").write_text("before ")
    (tmp_path / "more" / "loads.py").write_text(
        "timeSeries('Constant', 1); pattern('Plain', 1, 1); load(2, 2.0)"
    )
    return tmp_path


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a script imports is that of this process again after a test."""
    for name in ("openseespy", *MODULES, "femu.opensees"):
        monkeypatch.setitem(sys.modules, name, sys.modules.get(name))
    monkeypatch.setattr(femu, "opensees", femu.opensees)


@pytest.mark.parametrize("module", ["opensees", "openseespy.opensees", "femu.opensees"])
def test_a_script_finds_what_is_beside_it_and_changes_nothing_there(
    folder: Path, module: str
) -> None:
    script = folder / "script.py"
    script.write_text(MODEL.format(module=module))
    found = play(script, femu.opensees, 1)
    assert found["error"] == ""
    assert found["calls"][-1] == ["nodeDisp", ["2", "1"], [0.5]]
    assert found["files"] == {"answer.txt": "before 0"}
    assert (folder / "answer.txt").read_text() == "before "


def test_large_and_hidden_files_stay_where_they_are(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with open(folder / "large.bin", "wb") as file:
        file.truncate(int(LARGEST) + 1)
    (folder / ".hidden").write_text("x")
    there = tmp_path_factory.mktemp("there")
    brought = bring(folder, there)
    assert {p.relative_to(there).as_posix() for p in brought} == {
        "stiffness.txt",
        "answer.txt",
        "more/loads.py",
    }
    (there / "new.out").write_bytes(b"\xff1 2\n")
    assert list(written(there, brought)) == ["new.out"]


def test_the_command_runs_a_script_of_the_compiled_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "script.py").write_text(MODEL.format(module="opensees") + "print(nodeDisp(2, 1))\n")
    monkeypatch.chdir(folder)
    run = CliRunner().invoke(main, ["run", "--as-opensees", "script.py"])
    assert run.exit_code == 0, run.output
    assert "0.5" in run.output
