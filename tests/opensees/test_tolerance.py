"""The limit of a script follows what its own convergence tests leave, and a wrong model misses it
all the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import femu.opensees.comparison.tolerance
from femu.opensees.comparison.script_report import of_script
from femu.opensees.comparison.tolerance import LIMIT
from femu.support.tables import Table

pytestmark = [
    pytest.mark.opensees,
    pytest.mark.skipif(
        importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
    ),
]

SCRIPT = """
import sys
import openseespy.opensees as ops
wrong = {wrong} if sys.argv[1] == "femu" else 0.0  # the engine that runs the script
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for tag, x, y in ((1, 0.0, 0.0), (2, 6.0, 0.0), (3, 0.0, 3.6), (4, 6.0, 3.6)):
    ops.node(tag, x, y)
ops.fix(1, 1, 1, 1)
ops.fix(2, 1, 1, 1)
ops.geomTransf("Corotational", 1)
for tag, i, j in ((1, 1, 3), (2, 2, 4), (3, 3, 4)):
    ops.element("elasticBeamColumn", tag, i, j, 6.456e-3, 206e9 * (1.0 + wrong), 1.101e-4, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(3, 200e3, -500e3, 0.0)
ops.load(4, 0.0, -500e3, 0.0)
ops.system("BandGeneral")
ops.numberer("RCM")
ops.constraints("Plain")
ops.test("NormDispIncr", {tolerance}, 20)
ops.algorithm("{algorithm}")
ops.integrator("LoadControl", 0.25)
ops.analysis("Static")
for _ in range(4):
    ops.analyze(1)
    print(ops.nodeDisp(3), ops.testIter())
"""


def table(
    tmp_path: Path, wrong: float = 0.0, tolerance: str = "1e-3", algorithm: str = "Newton"
) -> Table:
    script = tmp_path / "portal.py"
    script.write_text(SCRIPT.format(wrong=wrong, tolerance=tolerance, algorithm=algorithm))
    return of_script(script)


def test_what_two_stops_of_an_iteration_leave_is_no_error(tmp_path: Path) -> None:
    """The test of openseespy is met an iteration or two later here.

    Nothing but the tolerance differs.
    """
    script = tmp_path / "portal.py"
    text = SCRIPT.format(
        wrong=0.0, tolerance='(1e-3 if sys.argv[1] == "femu" else 1e-5)', algorithm="ModifiedNewton"
    )
    script.write_text(text)
    found = of_script(script)
    moved = next(row for row in found.rows if row.name.startswith("nodeDisp"))
    assert float(moved.value) > LIMIT, "else there is nothing to explain"
    assert found.ok
    assert LIMIT < float(moved.limit.removeprefix("within ")) < 0.1
    assert any(
        "convergence tests of the script leave more than 1e-06" in note for note in found.notes
    )
    assert next(row for row in found.rows if row.name.startswith("testIter")).ok is not False


def test_a_tight_test_keeps_the_limit(tmp_path: Path) -> None:
    found = table(tmp_path, tolerance="1e-12")
    assert found.ok
    assert {row.limit for row in found.rows if row.limit} == {"within 1e-06"}


@pytest.mark.parametrize("tolerance", ["1e-3", "1e-12"])
def test_a_wrong_model_misses_with_any_tolerance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tolerance: str
) -> None:
    """An error of 5e-6 in E is far below what the loose test leaves, and found with a smaller
    tolerance."""
    # one is enough, and each takes two processes
    monkeypatch.setattr(femu.opensees.comparison.tolerance, "SHARES", (1e-6,))
    found = table(tmp_path, wrong=5e-6, tolerance=tolerance, algorithm="ModifiedNewton")
    assert not found.ok
    assert any("not what the tests leave" in note for note in found.notes)
