"""Tcl scripts give the numbers of the same script in Python, to the bit."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import femu.opensees as ops
from femu.opensees import tcl
from femu.support.errors import UnsupportedError

pytest.importorskip("tkinter")

FRAME = """
wipe
model BasicBuilder -ndm 2 -ndf 3
proc column {tag i j} {
    # five points along each column
    element nonlinearBeamColumn $tag $i $j 5 1 1
}
foreach {tag x y} {1 0.0 0.0 2 0.0 3.0 3 6.0 0.0 4 6.0 3.0} { node $tag $x $y }
foreach foot {1 3} { fix $foot 1 1 1 }
uniaxialMaterial Steel01 1 3.e8 2.0e11 0.02
set b 0.1
section Fiber 1 {
    # a square with a bar at each edge
    patch quad 1 8 1 -$b $b -$b -$b $b -$b $b $b
    layer straight 1 2 1e-3 -0.08 0.0 0.08 0.0
}
geomTransf PDelta 1
column 1 1 2
column 2 3 4
element elasticBeamColumn 3 2 4 0.01 2e11 1e-4 1
pattern Plain 1 Linear {
    load 2 1.0e5 0.0 0.0
}
recorder Node -file tcl.out -time -node 2 4 -dof 1 2 disp
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1.0e-9 50
algorithm Newton
integrator DisplacementControl 2 1 0.005
analysis Static
set ok 0
for {set k 0} {$k < 10} {incr k} {
    if {$ok == 0} { set ok [analyze 1] }
}
mass 2 1.0e3 1.0e3 0.0
mass 4 1.0e3 1.0e3 0.0
loadConst -time 0.0
set lambda [eigen 2]
set values [list 0.0 1.0 2.0 1.0 0.0]
pattern UniformExcitation 2 1 -accel "Series -dt 0.01 -values {$values} -factor 2.0"
wipeAnalysis
rayleigh 0.1 0.0 0.001 0.0
constraints Plain; numberer RCM; system BandGeneral
test NormUnbalance 1e-6 20
algorithm Newton; integrator Newmark 0.5 0.25; analysis Transient
set took [analyze 10 0.01]
set answers [list $ok $took {*}$lambda {*}[nodeDisp 2] [nodeDisp 4 1] {*}[eleForce 1]]
set file [open answers.txt w]
puts $file $answers
close $file
remove recorders
"""


def frame() -> list[float]:
    """The same in Python."""
    ops.wipe()
    ops.model("BasicBuilder", "-ndm", 2, "-ndf", 3)
    for tag, x, y in ((1, 0.0, 0.0), (2, 0.0, 3.0), (3, 6.0, 0.0), (4, 6.0, 3.0)):
        ops.node(tag, x, y)
    for foot in (1, 3):
        ops.fix(foot, 1, 1, 1)
    ops.uniaxialMaterial("Steel01", 1, 3e8, 2e11, 0.02)
    b = 0.1
    ops.section("Fiber", 1)
    ops.patch("quad", 1, 8, 1, -b, b, -b, -b, b, -b, b, b)
    ops.layer("straight", 1, 2, 1e-3, -0.08, 0.0, 0.08, 0.0)
    ops.geomTransf("PDelta", 1)
    for tag, i, j in ((1, 1, 2), (2, 3, 4)):
        ops.element("nonlinearBeamColumn", tag, i, j, 5, 1, 1)
    ops.element("elasticBeamColumn", 3, 2, 4, 0.01, 2e11, 1e-4, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1e5, 0.0, 0.0)
    ops.recorder("Node", "-file", "python.out", "-time", "-node", 2, 4, "-dof", 1, 2, "disp")
    ops.constraints("Plain")
    ops.test("NormDispIncr", 1e-9, 50)
    ops.algorithm("Newton")
    ops.integrator("DisplacementControl", 2, 1, 0.005)
    ops.analysis("Static")
    ok = max(ops.analyze(1) for _ in range(10))
    ops.mass(2, 1e3, 1e3, 0.0)
    ops.mass(4, 1e3, 1e3, 0.0)
    ops.loadConst("-time", 0.0)
    squares = ops.eigen(2)
    ops.timeSeries("Path", 2, "-dt", 0.01, "-values", 0.0, 1.0, 2.0, 1.0, 0.0, "-factor", 2.0)
    ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
    ops.wipeAnalysis()
    ops.rayleigh(0.1, 0.0, 0.001, 0.0)
    ops.constraints("Plain")
    ops.test("NormUnbalance", 1e-6, 20)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    took = ops.analyze(10, 0.01)
    found = [ok, took, *squares, *ops.nodeDisp(2), ops.nodeDisp(4, 1), *ops.eleForce(1)]
    ops.remove("recorders")
    return found


def write(text: str) -> Path:
    script = Path("script.tcl")
    script.write_text(text)
    return script


@pytest.mark.filterwarnings("ignore::femu.support.errors.ModelWarning")
def test_a_frame_is_the_same_in_both_languages() -> None:
    tcl.run(write(FRAME))
    answers = [float(word) for word in Path("answers.txt").read_text().split()]
    assert answers == frame()
    assert answers[0] == answers[1] == 0.0 and answers[5] != 0.0
    assert Path("tcl.out").read_text() == Path("python.out").read_text()


def test_blocks_see_the_variables_of_their_place() -> None:
    """A pattern in a procedure uses what is local there; supports may move in a block."""
    tcl.run(
        write(
            """
            model basic -ndm 2 -ndf 2
            node 1 0.0 0.0; node 2 2.0 0.0; fix 1 1 1; fix 2 0 1
            uniaxialMaterial Elastic 1 1.0e6
            element truss 1 1 2 1.0 1
            proc push {node force} {
                pattern Plain 7 "Constant -factor 2.0" {
                    load $node $force 0.0
                }
            }
            push 2 500.0
            pattern Plain 8 Linear {}
            integrator LoadControl 1.0; analysis Static; analyze 1
            """
        )
    )
    assert ops.nodeDisp(2, 1) == pytest.approx(2.0 * 500.0 * 2.0 / 1e6, rel=1e-12)


def test_an_error_names_the_line_of_tcl() -> None:
    text = "model basic -ndm 2 -ndf 3\nnode 1 0.0 0.0\nfix 7 1 1 1\n"
    with pytest.raises(tcl.TclError, match=r"no node with tag 7.*line 3"):
        tcl.run(write(text))


def test_a_script_catches_errors() -> None:
    tcl.run(write("model basic -ndm 2 -ndf 3\nif {[catch {fix 7 1 1 1} why]} { node 5 1.0 2.0 }\n"))
    assert ops.getNodeTags() == [5]


def test_what_tcl_does_not_know_is_its_own_error() -> None:
    with pytest.raises(tcl.TclError, match="invalid command name"):
        tcl.run(write("noSuchCommand 1 2\n"))


def test_a_python_without_tkinter_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "tkinter":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedError, match="python3-tk"):
        tcl.interpreter()
