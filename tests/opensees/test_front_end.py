"""The front end where openseespy is not needed to know the answer."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import femu.opensees as ops
from femu.examples import opensees as examples
from femu.opensees.comparison.script_report import imports_opensees
from femu.opensees.front_end import document
from femu.opensees.front_end.domain import domain

L, E, I, A = 3.0, 2e11, 1e-4, 0.01
FEMU = (sys.executable, "-c", "from femu.cli import main; main()")


def cantilever(kind: str = "Linear") -> None:
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, L, 0.0, "-mass", 100.0, 100.0, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.geomTransf(kind, 1)
    ops.element("elasticBeamColumn", 1, 1, 2, A, E, I, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, 1e4, 0.0)


def static(step: float = 1.0) -> None:
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormUnbalance", 1e-6, 10)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", step)
    ops.analysis("Static")


def test_return_types() -> None:
    cantilever()
    static()
    assert ops.analyze(2) == 0
    assert isinstance(ops.nodeDisp(2, 2), float)
    assert isinstance(ops.nodeDisp(2), list)
    assert (
        ops.nodeDisp(2, 2)
        == ops.nodeDisp(2)[1]
        == pytest.approx(2e4 * L**3 / (3 * E * I), rel=1e-12)
    )
    assert isinstance(ops.recorder("Node", "-file", "a.out", "-node", 2, "-dof", 1, "disp"), int)
    assert isinstance(ops.eigen(1), list)
    assert ops.getTime() == 2.0
    assert ops.eleForce(1) == pytest.approx([0.0, -2e4, -2e4 * L, 0.0, 2e4, 0.0], abs=1e-9)


def test_reactions_are_those_of_the_last_call() -> None:
    cantilever()
    static()
    ops.analyze(1)
    assert ops.nodeReaction(1) == [0.0, 0.0, 0.0]
    ops.reactions()
    ops.analyze(1)
    assert ops.nodeReaction(1, 2) == pytest.approx(-1e4)


def test_steps_go_on_in_one_session() -> None:
    cantilever()
    static(0.1)
    ops.analyze(1)
    session = domain.session
    for _ in range(600):  # more than the loads are worked out ahead
        assert ops.analyze(1) == 0
    assert domain.session is session
    assert ops.getTime() == pytest.approx(60.1)
    assert ops.nodeDisp(2, 2) == pytest.approx(60.1e4 * L**3 / (3 * E * I), rel=1e-10)


def test_one_call_of_many_steps_is_many_calls_of_one() -> None:
    answers = []
    for calls, steps in ((1, 700), (700, 1)):
        ops.wipe()
        cantilever()
        ops.timeSeries("Trig", 2, 0.0, 5.0, 0.3)
        ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
        ops.integrator("Newmark", 0.5, 0.25)
        ops.algorithm("Linear")
        ops.analysis("Transient")
        for _ in range(calls):
            assert ops.analyze(steps, 0.001) == 0
        answers.append((ops.nodeDisp(2), ops.nodeVel(2), ops.nodeAccel(2), ops.getTime()))
    assert answers[0] == answers[1]


def test_a_failed_step_leaves_the_state_and_can_be_tried_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial("ElasticPP", 1, 100.0, 0.01)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0)
    static(0.4)
    assert ops.analyze(5) == -3
    assert "femu.opensees: analyze" in capfd.readouterr().err
    assert ops.getTime() == pytest.approx(0.8)
    assert ops.nodeDisp(2, 1) == pytest.approx(0.008)
    ops.integrator("LoadControl", 0.1)
    assert ops.analyze(1) == 0
    assert ops.nodeDisp(2, 1) == pytest.approx(0.009)


def test_state_is_carried_over_a_change_of_the_model() -> None:
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for tag in (1, 2, 3):
        ops.node(tag, 0.0)
    ops.fix(1, 1)
    ops.fix(3, 1)
    ops.uniaxialMaterial("Steel01", 1, 1.0, 100.0, 0.1)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0)
    static(0.5)
    ops.test("NormUnbalance", 1e-9, 500)
    ops.algorithm("Newton", "-initial")
    ops.analyze(4)  # force 2: yielded, displacement 0.01 + 1/10
    assert ops.nodeDisp(2, 1) == pytest.approx(0.11)
    ops.loadConst("-time", 0.0)
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(2, -1.0)
    ops.analyze(2)  # unloads by 1 with the elastic stiffness: the history was kept
    assert ops.nodeDisp(2, 1) == pytest.approx(0.11 - 0.01)


def test_an_element_at_a_moved_node_is_refused() -> None:
    cantilever()
    static()
    ops.analyze(1)
    ops.node(3, L, 2.0)
    ops.uniaxialMaterial("Elastic", 1, 1.0)
    with pytest.raises(ops.UnsupportedCommand, match="moved already"):
        ops.element("Truss", 2, 2, 3, 1.0, 1)


def test_what_is_removed_leaves_nothing_behind() -> None:
    cantilever()
    ops.node(3, 2.0 * L, 0.0)
    ops.element("elasticBeamColumn", 2, 2, 3, A, E, I, 1)
    ops.sp(3, 2, 0.1)
    ops.region(1, "-ele", 1, 2)
    ops.remove("element", 2)
    ops.remove("node", 3)
    ops.recorder("Element", "-file", "region.out", "-region", 1, "force")
    static()
    assert ops.analyze(1) == 0
    assert ops.nodeDisp(2, 2) == pytest.approx(1e4 * L**3 / (3 * E * I), rel=1e-12)
    ops.remove("recorders")
    assert np.loadtxt("region.out").shape == (6,)


def test_removing_an_imposed_displacement_does_not_free_the_support() -> None:
    cantilever()
    ops.remove("sp", 1, 1, 1)
    assert ops.getFixedDOFs(1) == [1, 2, 3]
    ops.remove("sp", 1, 1)
    assert ops.getFixedDOFs(1) == [2, 3]


def test_hinge_about_both_axes_of_a_member_in_space() -> None:
    """A propped cantilever whose far end bears no moment: 3 EI / L^3 about each axis."""
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    ops.node(1, 0.0, 0.0, 0.0)
    ops.node(2, L, 0.0, 0.0)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.fix(2, 0, 0, 0, 0, 1, 1)
    ops.geomTransf("Linear", 1, 0.0, 0.0, 1.0)
    ops.element(
        "elasticBeamColumn", 1, 1, 2, A, E, 8e10, I, 2 * I, 3 * I, 1, "-releasez", 2, "-releasey", 2
    )
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, 1e4, 1e4, 0.0, 0.0, 0.0)
    static()
    assert ops.analyze(1) == 0
    assert ops.nodeDisp(2, 2) == pytest.approx(1e4 * L**3 / (3 * E * 3 * I), rel=1e-12)
    assert ops.nodeDisp(2, 3) == pytest.approx(1e4 * L**3 / (3 * E * 2 * I), rel=1e-12)


def test_drift_recorder() -> None:
    cantilever()
    ops.recorder(
        "Drift", "-file", "drift.out", "-time", "-iNode", 1, "-jNode", 2, "-dof", 2, "-perpDirn", 1
    )
    ops.recorder(
        "EnvelopeDrift",
        "-file",
        "envelope.out",
        "-iNode",
        1,
        "-jNode",
        2,
        "-dof",
        2,
        "-perpDirn",
        1,
    )
    static()
    ops.analyze(3)
    ops.remove("recorders")
    drift = np.loadtxt("drift.out")
    expected = np.arange(1, 4) * 1e4 * L**2 / (3 * E * I)
    assert drift[:, 1] == pytest.approx(expected, rel=1e-5)
    assert np.loadtxt("envelope.out") == pytest.approx(
        [expected[0], expected[2], expected[2]], rel=1e-5
    )


def test_recorder_files_grow_only_by_their_own_steps() -> None:
    cantilever()
    static()
    ops.analyze(2)
    tag = ops.recorder("Node", "-file", "a.out", "-time", "-node", 2, "-dof", 2, "disp")
    ops.analyze(3)
    ops.record()
    ops.remove("recorder", tag)
    ops.analyze(1)
    assert np.loadtxt("a.out")[:, 0] == pytest.approx([3.0, 4.0, 5.0, 5.0])


def test_commands_without_effect_are_accepted() -> None:
    cantilever()
    ops.system("UmfPack", "-lvalueFact", 10)
    ops.numberer("AMD")
    ops.constraints("Penalty", 1e12, 1e12)
    ops.logFile("log.txt", "-noEcho")
    ops.analysis("Static", "-noWarnings")
    assert ops.analyze(1) == 0


def test_blanks_at_the_ends_of_words_do_not_count() -> None:
    cantilever()
    ops.test("NormUnbalance ", 1e-8, 10)
    ops.integrator(" LoadControl", 1.0)
    ops.analysis("Static ")
    assert ops.analyze(1) == 0


@pytest.mark.parametrize(
    "words",
    [
        ("KrylovNewton", "-initial"),
        ("NewtonLineSearch", "-initial"),
        ("RaphsonNewton",),
        ("Newton", "-Initial"),
        ("ModifiedNewton", "-Initial"),
        ("Linear", "-Initial"),
    ],
)
def test_ways_of_writing_an_algorithm(words: tuple[str, ...]) -> None:
    cantilever()
    ops.algorithm(*words)
    ops.integrator("LoadControl", 1.0)
    ops.analysis("Static")
    assert ops.analyze(1) == 0
    assert ops.testIter() == (0 if words[0] == "Linear" else 1)


def test_default_units_are_names_of_the_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    ops.defaultUnits("-Force", "kN", "-Length", "mm", "-Time", "sec", "-Temp", "C")
    unit = vars(main)
    assert [unit[name] for name in ("kN", "m", "MPa", "sec", "kg", "in2")] == pytest.approx(
        [1.0, 1e3, 1e-3, 1.0, 1e-6, 25.4**2]
    )
    assert unit["kip"] == pytest.approx(4.4482216152605)
    assert unit["g"] == pytest.approx(9806.65, rel=1e-7)
    with pytest.raises(ops.CommandError, match="-length 'yd' is not known; known: in, inch, ft"):
        ops.defaultUnits("-force", "kN", "-length", "yd", "-time", "sec")
    with pytest.raises(ops.CommandError, match="-time is missing"):
        ops.defaultUnits("-force", "kN", "-length", "m")


def test_initialize_writes_the_present_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cantilever()
    static()
    ops.recorder("Node", "-file", "a.out", "-time", "-node", 2, "-dof", 2, "disp")
    ops.initialize()
    ops.analyze(1)
    ops.wipe()
    assert np.loadtxt("a.out")[:, 0] == pytest.approx([0.0, 1.0])


def test_page_of_the_documentation_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "docs" / "from-opensees.md"
    assert page.read_text() == document.page(), (
        "run: python -m femu.opensees.front_end.document docs/from-opensees.md"
    )


def test_run_as_opensees(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport openseespy.opensees as ops\nops.model('basic', '-ndm', "
        "1, '-ndf', 1)\n"
        "ops.node(1, 0.0)\nprint(ops.getNodeTags(), ops.version()[:4], "
        "sys.argv[1:])\n"
    )
    done = subprocess.run(
        [*FEMU, "run", "--as-opensees", str(script), "more"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "[1] femu ['more']", done.stderr
    script.write_text(
        "import openseespy.opensees as ops\nops.model('basic', '-ndm', 1, '-ndf', "
        "1)\n\n"
        "ops.element('quad', 1, 2, 3)\n"
    )
    done = subprocess.run(
        [*FEMU, "run", "--as-opensees", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert "script.py, line 4: element('quad')" in done.stderr


def test_scripts_are_told_apart(tmp_path: Path) -> None:
    for text, expected in (
        ("import openseespy.opensees as ops", True),
        ("from openseespy.opensees import *", True),
        ("import femu.opensees as ops", True),
        ("from femu import Model", False),
    ):
        script = tmp_path / "script.py"
        script.write_text(text)
        assert imports_opensees(script) is expected


def test_new_loads_do_not_compile_again() -> None:
    cantilever()
    static()
    ops.analyze(1)
    numbering = domain.program.numbering
    ops.loadConst("-time", 0.0)
    ops.timeSeries("Linear", 2)
    ops.pattern("Plain", 2, 2)
    ops.load(2, 5e4, 0.0, 0.0)
    ops.analyze(1)
    assert domain.program.numbering is numbering
    fresh = domain.model.compile()
    assert domain.program.pattern_names == fresh.pattern_names
    assert domain.program.layout == fresh.layout
    assert np.array_equal(domain.program.nodal, fresh.nodal)
    assert ops.nodeDisp(2) == pytest.approx(
        [5e4 * L / (E * A), 1e4 * L**3 / (3 * E * I), 1e4 * L**2 / (2 * E * I)]
    )
    # a member that had no load before: compiled again
    ops.eleLoad("-ele", 1, "-type", "-beamUniform", 1e3)
    ops.analyze(1)
    assert domain.program.numbering is not numbering
    assert ops.nodeDisp(2, 2) == pytest.approx(
        1e4 * L**3 / (3 * E * I) + 2.0 * 1e3 * L**4 / (8 * E * I)
    )


@pytest.mark.opensees
@pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
def test_crossvalidate_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text((Path(examples.__path__[0]) / "truss_elastic.py").read_text())
    done = subprocess.run(
        [*FEMU, "crossvalidate", "--json", str(script)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    table = json.loads(done.stdout)
    assert table["ok"], table
    assert {"nodeReaction (3x)", "eleForce (3x)", "time of the script"} <= {
        row["name"] for row in table["rows"]
    }
