"""`femu run`: any script, with its results kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from femu import FailedAnalysis, Outcome, Result
from femu.cli.main import main
from femu.experimental import read_journal
from femu.results.progress import AMBIENCE
from femu.support.errors import FileError

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "01_portal_frame.py"
SCRIPT = TUTORIAL.read_text()


def test_results_of_a_script_are_kept(tmp_path: Path) -> None:
    script = tmp_path / "portal.py"
    script.write_text(SCRIPT)
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 0, found.output
    assert "the corner moves" in found.output
    push, gravity = Result.load(tmp_path / "portal.h5"), Result.load(tmp_path / "portal-1.h5")
    assert push.outcome is gravity.outcome is Outcome.COMPLETE
    assert push.factor("push")[-1] == pytest.approx(100.0)
    assert gravity.factor("gravity")[-1] == pytest.approx(1.0)
    assert AMBIENCE.seen is None and AMBIENCE.progress is None
    report = CliRunner().invoke(main, ["report", str(tmp_path / "portal.h5")])
    assert report.exit_code == 0, report.output
    assert (tmp_path / "portal.html").exists()


def test_nothing_is_kept_where_nothing_is_wanted(tmp_path: Path) -> None:
    script = tmp_path / "portal.py"
    script.write_text(SCRIPT)
    found = CliRunner().invoke(main, ["run", "--no-results", str(script)])
    assert found.exit_code == 0, found.output
    assert [p.name for p in tmp_path.glob("*.h5")] == []


def test_a_script_that_fails_keeps_what_it_had(tmp_path: Path) -> None:
    script = tmp_path / "portal.py"
    script.write_text(SCRIPT + "\nraise SystemExit(4)\n")
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 4
    assert (tmp_path / "portal.h5").exists()


def test_the_journal_of_a_test_is_never_overwritten(tmp_path: Path) -> None:
    """The natural name of a journal is that of its script, and so is that of the result."""
    script = tmp_path / "column.py"
    script.write_text(f"""
from femu import GroundMotion, HybridTest, Model
from femu.experimental import EmulatedSpecimen, ExperimentalLink
from femu.materials import Elastic
model = Model("mass")
model.node("ground", 0.0, 0.0, fixed=True)
model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(30e3, 0.0, 0.0))
model.add(ExperimentalLink("spring", "ground", "mass", ("x",), specimen=EmulatedSpecimen(Elastic(E=2e6))))
result = HybridTest(model, GroundMotion.el_centro(), dt=0.01, duration=0.1).run({str(tmp_path / "column.h5")!r})
""")
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 0, found.output
    assert "column-result.h5" in found.output
    assert read_journal(tmp_path / "column.h5").steps == 10
    result = Result.load(tmp_path / "column-result.h5")
    with pytest.raises(FileError, match="journal of a test, which is never overwritten"):
        result.save(tmp_path / "column.h5")
    assert read_journal(tmp_path / "column.h5").steps == 10
    result.save(tmp_path / "column-result.h5")  # a result may be replaced


HANGING = """
import femu.opensees as ops
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 2)
ops.node(1, 0.0, 0.0)
ops.node(2, 3.0, 0.0)
ops.fix(1, 1, 1)
ops.uniaxialMaterial("Elastic", 1, 2e11)
ops.element("Truss", 1, 1, 2, 1e-3, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, 1.0)
ops.integrator("LoadControl", 0.1)
ops.algorithm("Newton")
ops.analysis("Static")
ops.analyze(10)
"""
SETTLED = """
ops.fix(2, 0, 1)
assert ops.analyze(1) == 0
"""


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("", 3),
        (SETTLED, 0),
        ("ops.loadConst('-time', 0.0)" + SETTLED, 3),
        ("ops.wipe()", 3),
        ("import sys\nsys.exit(0)", 3),
        ("import sys\nsys.exit(7)", 7),
    ],
    ids=["ignored", "taken later", "held", "wiped", "exit", "exit with 7"],
)
def test_a_failed_step_of_an_opensees_script_is_in_the_exit_code(
    tmp_path: Path, rest: str, code: int
) -> None:
    """The message has the line, the step and what nothing holds, once for a model."""
    script = tmp_path / "hanging.py"
    script.write_text(HANGING + rest)
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == code, found.output
    assert (
        "femu.opensees: analyze (hanging.py, line 16): step 1 of 10 from time 0 failed"
        in found.output
    )
    assert "Nothing holds node 2 in direction y" in found.output
    assert ("not taken in another way" in found.output) is (code != 0)


@pytest.mark.parametrize("end", ["sys.exit()", "sys.exit(0)", "sys.exit(None)"])
def test_the_end_of_a_script_does_not_hide_a_failed_analysis(tmp_path: Path, end: str) -> None:
    script = tmp_path / "ends.py"
    script.write_text(
        "import sys\nfrom femu import Model\nfrom femu.analyses import LoadControl\n"
        "from femu.elements import Truss\nfrom femu.materials import Elastic\n"
        "m = Model('m')\nm.node('A', 0.0, 0.0, fixed=True)\nm.node('B', 3.0, 0.0)\n"
        "m.add(Truss('bar', 'A', 'B', material=Elastic(2e11), area=1e-3))\n"
        f"m.load('B', y=1.0)\nLoadControl(steps=1).run(m)\n{end}\n"
    )
    with pytest.warns(FailedAnalysis):
        found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 3, found.output


def test_ctrl_c_outside_an_analysis_is_a_sentence(tmp_path: Path) -> None:
    script = tmp_path / "stopped.py"
    script.write_text("raise KeyboardInterrupt\n")
    found = CliRunner().invoke(main, ["run", str(script)])
    assert found.exit_code == 130
    assert "femu: The script was stopped by the user. Nothing was kept." in found.output
