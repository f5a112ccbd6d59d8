"""Models from a user's script, and the command."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu.cli.crossvalidate import HELP, command
from femu.model.model import Model
from femu.opensees.comparison.case import STATIC, ModelCase
from femu.opensees.comparison.peer import Answer, Job, Peer
from femu.opensees.comparison.run import crossvalidate
from femu.opensees.comparison.script import read_script
from femu.opensees.translation.translate import Stage
from femu.support.errors import FileError, InputError

needs_opensees = pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)


def example() -> str:
    """The script that the help shows."""
    text = HELP.split("Example my_model.py:\n")[1].split("\n\n")[0]
    return "\n".join(line.removeprefix("  ") for line in text.splitlines())


def test_a_script_defines_model_and_analysis(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(example())
    script = read_script(file)
    assert script.model.name == "column"
    assert script.motion is not None
    file.write_text(example() + "\ndef case():\n    return model, analysis, motion, 0.5\n")
    assert read_script(file).duration == 0.5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "does not define 'model'"),
        ("model = 3\nanalysis = 4", "of the class int"),
        ("def (", "cannot be run"),
    ],
)
def test_a_script_without_them_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(text)
    with pytest.raises(FileError, match=words):
        read_script(file)


@needs_opensees
@needs_opensees
def test_the_command_compares_a_script(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(example() + "\nduration = 2.0\n")
    done = CliRunner().invoke(command, [str(file), "--json"])
    assert done.exit_code == 0, done.output
    table = json.loads(done.stdout)
    assert table["ok"]
    assert {"displacement", "reaction", "element force", "section moment", "energy"} <= {
        row["name"] for row in table["rows"]
    }


@needs_opensees
@needs_opensees
def test_analyses_in_a_list_go_on_from_each_other(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(
        example()
        + """
from femu.analyses import LoadControl
model.load("top", y=-1e5, pattern="gravity")
analysis, duration = [LoadControl(pattern="gravity"), analysis], 1.0
"""
    )
    table = json.loads(CliRunner().invoke(command, [str(file), "--json"]).stdout)
    assert table["ok"]
    assert {"load factor", "displacement", "velocity"} <= {row["name"] for row in table["rows"]}


@pytest.mark.parametrize("analysis", [[], 4, [None]])
def test_what_is_no_analysis_is_refused(analysis: object) -> None:
    with pytest.raises(InputError, match="analysis"):
        crossvalidate(Model("empty"), analysis)


def test_an_unknown_group_is_refused() -> None:
    done = CliRunner().invoke(command, ["--group", "bridges"])
    assert done.exit_code == 2
    assert "bridges" in done.output


def test_the_one_model_analysis_and_motion_have_any_name(tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(
        example()
        .replace("model.", "frame.")
        .replace("model =", "frame =")
        .replace("motion =", "quake =")
        .replace("analysis =", "shake =")
    )
    script = read_script(file)
    assert (
        script.model.name == "column" and script.motion is not None and script.analysis.dt == 0.01
    )
    file.write_text(file.read_text() + "\nother = Model('other')\n")
    with pytest.raises(FileError, match=r"2 objects that can be its model \(frame, other\)"):
        read_script(file)
    assert read_script(file, "frame").model.name == "column"
    file.write_text(file.read_text() + "again = Transient(Newmark(), dt=0.02)\n")
    with pytest.raises(FileError, match=r"2 objects that can be its analysis \(shake, again\)"):
        read_script(file, "frame")


SLOWLY = """
from femu import Model
from femu.analyses import DisplacementControl, LoadControl, ModifiedNewton
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, UncoupledSection
column = UncoupledSection(axial=Bilinear(1.3e9, 1.8e6, 0.02), moment=Bilinear(2.2e13, 1.9e8, 0.02))  # N, mm
model = Model("portal")
for name, x, y in (("A", 0.0, 0.0), ("B", 6000.0, 0.0), ("C", 0.0, 3600.0), ("D", 6000.0, 3600.0)):
    model.node(name, x, y, fixed=y == 0.0)
model.add(ForceBeamColumn("left", "A", "C", section=column))
model.add(ForceBeamColumn("right", "B", "D", section=column))
model.add(ElasticBeamColumn("beam", "C", "D", section=ElasticSection(E=206e3, A=6.456e3, I=1.101e8)))
model.load("C", y=-200e3, pattern="gravity")
model.load("D", y=-200e3, pattern="gravity")
model.load("C", x=1e3, pattern="push")
analysis = [LoadControl(pattern="gravity", steps=10),
            DisplacementControl("C", "x", [100.0], 1.0, pattern="push", algorithm=ModifiedNewton())]
"""


@needs_opensees
def test_the_limit_follows_what_the_convergence_tests_leave(tmp_path: Path) -> None:
    """Modified Newton converges linearly.

    A right model differs by more than rounding, and the table says why it may.
    """
    file = tmp_path / "portal.py"
    file.write_text(SLOWLY)
    table = json.loads(CliRunner().invoke(command, [str(file), "--json"]).stdout)
    assert table["ok"]
    rotation = next(row for row in table["rows"] if row["name"] == "rotation")
    assert float(rotation["value"]) > STATIC.largest
    assert STATIC.largest < float(rotation["limit"].removeprefix("within ")) < 1e-7
    assert any("what convergence tests leave" in note for note in table["notes"])


@needs_opensees
@pytest.mark.parametrize("share", [1e-6, 1e-4])
def test_a_wrong_model_misses_whatever_its_tests_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """Everything that openseespy answers is wrong by a share.

    The user's own test is so loose that it leaves more than that.
    """
    file = tmp_path / "portal.py"
    file.write_text(
        SLOWLY.replace(
            "algorithm=ModifiedNewton()", "algorithm=ModifiedNewton(), test=Increment(0.1)"
        ).replace("LoadControl, ModifiedNewton", "Increment, LoadControl, ModifiedNewton")
    )
    ask = Peer.ask

    def wrong(self: Peer, job: Job) -> Answer:
        answer = ask(self, job)
        return replace(
            answer,
            arrays={name: (1.0 + 2.0 * share) * rows for name, rows in answer.arrays.items()},
        )

    monkeypatch.setattr(Peer, "ask", wrong)
    script = read_script(file)
    verdict = crossvalidate(script.model, script.analysis)
    assert (
        max(
            d.largest
            for d in ModelCase("", lambda: script.model, [*map(Stage, script.analysis)])
            .prepare()
            .own
        )
        > share
    )
    assert not verdict.ok
