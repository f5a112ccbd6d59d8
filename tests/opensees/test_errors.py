"""Wrong or unsupported input.

An exception that names the command, what is wrong, and the line of the script.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import femu.opensees as ops
from femu.support.errors import FemuError, ModelWarning


def frame() -> None:
    """A cantilever with a load."""
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 0.0, 3.0)
    ops.fix(1, 1, 1, 1)
    ops.geomTransf("Linear", 1)
    ops.element("elasticBeamColumn", 1, 1, 2, 0.01, 2e11, 1e-4, 1)
    ops.uniaxialMaterial("Elastic", 1, 1e6)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1e3, 0.0, 0.0)


CASES: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "unknown command": (lambda: ops.nodeDispl(2, 1), ("nodeDispl", "Did you mean nodeDisp")),
    "command without support": (
        lambda: ops.runFORMAnalysis(),
        ("runFORMAnalysis", "not supported"),
    ),
    "unknown element": (
        lambda: ops.element("elasticBeam", 9, 1, 2),
        ("element('elasticBeam')", "elasticBeamColumn"),
    ),
    "element without support": (
        lambda: ops.element("quad", 9, 1, 2),
        ("element('quad')", "frames, trusses and links"),
    ),
    "unknown material": (
        lambda: ops.uniaxialMaterial("Steel", 9, 1.0),
        ("uniaxialMaterial('Steel')", "Steel01"),
    ),
    "unknown section": (lambda: ops.section("Fibre", 1), ("section('Fibre')", "Fiber")),
    "P-Delta of a link without shear": (
        lambda: ops.element("twoNodeLink", 9, 1, 2, "-mat", 1, "-dir", 1, "-pDelta", 0.0, 0.0),
        ("p_delta", "laws along x and across"),
    ),
    "P-Delta with moments and no law for them": (
        lambda: ops.element(
            "twoNodeLink", 9, 1, 2, "-mat", 1, 1, "-dir", 1, 2, "-pDelta", 0.1, 0.1
        ),
        ("p_delta", "law for rz"),
    ),
    "P-Delta of space in the plane": (
        lambda: ops.element(
            "twoNodeLink", 9, 1, 2, "-mat", 1, 1, "-dir", 1, 2, "-pDelta", 0.0, 0.0, 0.0, 0.0
        ),
        ("-pDelta needs 2", "4 were given"),
    ),
    "option without support": (
        lambda: ops.recorder("Node", "-tcp", "a", 80, "-node", 2, "-dof", 1, "disp"),
        ("-tcp", "not supported"),
    ),
    "element response": (
        lambda: ops.eleResponse(1, "stiffness"),
        ("stiffness", "Supported: force"),
    ),
    "missing argument": (
        lambda: ops.uniaxialMaterial("Steel01", 9, 3e8, 2e11),
        ("argument b", "missing"),
    ),
    "missing coordinate": (lambda: ops.node(9, 1.0), ("1 coordinates", "needs 2")),
    "word for a number": (
        lambda: ops.uniaxialMaterial("Elastic", 9, "stiff"),
        ("E = 'stiff'", "number"),
    ),
    "fraction for a tag": (lambda: ops.node(9.5, 1.0, 1.0), ("tag = 9.5", "whole number")),
    "named argument": (lambda: ops.node(9, 1.0, y=2.0), ("named arguments", "y")),
    "wrong node": (lambda: ops.fix(7, 1, 1, 1), ("no node with tag 7", "1, 2")),
    "wrong node of an element": (
        lambda: ops.element("Truss", 9, 1, 7, 1.0, 1),
        ("no node with tag 7",),
    ),
    "wrong material": (
        lambda: ops.element("Truss", 9, 1, 2, 1.0, 5),
        ("no uniaxialMaterial with tag 5",),
    ),
    "wrong transformation": (
        lambda: ops.element("elasticBeamColumn", 9, 1, 2, 0.01, 2e11, 1e-4, 4),
        ("no geomTransf with tag 4",),
    ),
    "wrong series": (lambda: ops.pattern("Plain", 5, 8), ("no timeSeries with tag 8",)),
    "wrong dof": (lambda: ops.nodeDisp(2, 4), ("dof = 4", "between 1 and 3")),
    "wrong section number": (lambda: ops.sectionForce(1, 1), ("element 1", "no sections")),
    "tag twice": (lambda: ops.node(2, 0.0, 1.0), ("already a node with tag 2",)),
    "element tag twice": (
        lambda: ops.element("Truss", 1, 1, 2, 1.0, 1),
        ("already an element with tag 1",),
    ),
    "rule of a law": (
        lambda: ops.uniaxialMaterial("Steel01", 9, -1.0, 2e11, 0.1),
        ("Steel01", "fy", "above 0"),
    ),
    "too few fixities": (lambda: ops.fix(2, 1, 1), ("3 degrees of freedom", "2 constrValues")),
    "fibre without a section": (lambda: ops.fiber(0.0, 0.0, 1.0, 1), ("no fibre section",)),
    "load without a pattern": (
        lambda: (
            ops.wipe(),
            ops.model("basic", "-ndm", 2, "-ndf", 3),
            ops.node(1, 0.0, 0.0),
            ops.load(1, 1.0, 0.0, 0.0),
        ),
        ("load", "call pattern"),
    ),
    "node without a model": (lambda: (ops.wipe(), ops.node(1, 0.0, 0.0)), ("no model yet",)),
    "ndf without support": (lambda: ops.model("basic", "-ndm", 2, "-ndf", 6), ("2/6", "Supported")),
    "analyze without an analysis": (lambda: ops.analyze(1), ("no analysis yet",)),
    "analyze without steps": (
        lambda: (ops.analysis("Static"), ops.analyze(1), ops.analyze()),
        ("numIncr", "missing"),
    ),
    "analyze without dt": (lambda: (ops.analysis("Transient"), ops.analyze(1)), ("dt is missing",)),
    "controlled node fixed": (
        lambda: (
            ops.integrator("DisplacementControl", 1, 1, 0.1),
            ops.analysis("Static"),
            ops.analyze(1),
        ),
        ("node 1, dof 1 is fixed",),
    ),
    "algorithm option": (
        lambda: ops.algorithm("NewtonLineSearch", "-type", "Golden"),
        ("-type", "Golden"),
    ),
    "recorder response": (
        lambda: ops.recorder("Node", "-file", "a.out", "-node", 2, "-dof", 1, "pressure"),
        ("pressure",),
    ),
    "recorder dof of an element": (
        lambda: ops.recorder("Element", "-file", "a.out", "-ele", 1, "-dof", 13, "force"),
        ("-dof = 13", "between 1 and 12"),
    ),
    "iterations without end": (
        lambda: ops.test("FixedNumIter", 2_000_000_000),
        ("iter = 2000000000", "between 1 and"),
    ),
    "time without end": (
        lambda: (ops.analysis("VariableTransient"), ops.analyze(2, 1e300, 0.001, 0.1, 5)),
        ("numIncr * dt", "steps of dtMax"),
    ),
    "material below one": (
        lambda: (
            ops.element("Truss", 2, 1, 2, 1.0, 1),
            ops.eleResponse(2, "material", 0, "stress"),
        ),
        ("material 0", "between 1 and 1"),
    ),
    "load over a part, places": (
        lambda: ops.eleLoad("-ele", 1, "-type", "-beamUniform", -1.0, 0.0, 0.8, 0.2),
        ("start before end",),
    ),
    "trapezoidal load, half": (
        lambda: ops.eleLoad("-ele", 1, "-type", "-beamUniform", -1.0, 0.0, 0.2, 0.8, -2.0),
        ("Wyb, Wxb", "1 of them"),
    ),
    "load over a part of a dispBeamColumn": (
        lambda: (
            ops.section("Elastic", 1, 2e11, 0.01, 1e-4),
            ops.beamIntegration("Legendre", 1, 1, 3),
            ops.element("dispBeamColumn", 9, 1, 2, 1, 1),
            ops.eleLoad("-ele", 9, "-type", "-beamUniform", -1.0, 0.0, 0.2, 0.8),
        ),
        ("element 9", "dispBeamColumn", "part of its length"),
    ),
    "point load of a Timoshenko beam": (
        lambda: (
            ops.element("ElasticTimoshenkoBeam", 9, 1, 2, 2e11, 8e10, 0.01, 1e-4, 8e-3, 1),
            ops.eleLoad("-ele", 9, "-type", "-beamPoint", -1.0, 0.5),
        ),
        ("element 9", "uniform loads"),
    ),
    "P-Delta of a Timoshenko beam": (
        lambda: (
            ops.geomTransf("PDelta", 9),
            ops.element("ElasticTimoshenkoBeam", 9, 1, 2, 2e11, 8e10, 0.01, 1e-4, 8e-3, 9),
        ),
        ("geomTransf 9", "must be Linear"),
    ),
    "shear beside shear": (
        lambda: (
            ops.section("Elastic", 1, 2e11, 0.01, 1e-4, 8e10, 0.8),
            ops.section("Aggregator", 2, 1, "Vy", "-section", 1),
        ),
        ("section", "shear laws of its own"),
    ),
    "share of shear below 0": (
        lambda: ops.section("Elastic", 1, 2e11, 0.01, 1e-4, 8e10, -0.8),
        ("alpha_y", "above 0"),
    ),
    "samples missing": (lambda: ops.timeSeries("Path", 9, "-dt", 0.1), ("needs samples",)),
    "file of samples missing": (
        lambda: ops.timeSeries("Path", 9, "-dt", 0.1, "-filePath", "none.txt"),
        ("none.txt",),
    ),
    "mode not found": (lambda: ops.nodeEigenvector(2, 1), ("call eigen first",)),
    "displacement control of a path": (
        lambda: (
            ops.timeSeries("Path", 9, "-dt", 1.0, "-values", 0.0, 1.0, 0.0),
            ops.pattern("Plain", 9, 9),
            ops.load(2, 1.0, 0.0, 0.0),
            ops.integrator("DisplacementControl", 2, 1, 0.1),
            ops.analysis("Static"),
            ops.analyze(1),
        ),
        ("pattern 9", "neither Linear nor Constant"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    call, words = CASES[name]
    frame()
    with pytest.raises(ops.OpenSeesError) as caught:
        call()
    message = str(caught.value)
    assert isinstance(caught.value, FemuError)
    assert "test_errors.py, line " in message
    for word in words:
        assert word in message, message


DOUBTS: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown option": (
        lambda: ops.element("elasticBeamColumn", 9, 1, 2, 0.01, 2e11, 1e-4, 1, "-masss", 3.0),
        r"-masss.*no effect",
    ),
    "value of the last option": (
        lambda: ops.element("elasticBeamColumn", 9, 1, 2, 0.01, 2e11, 1e-4, 1, "-mass"),
        "value is missing",
    ),
    "too many arguments": (lambda: ops.uniaxialMaterial("Elastic", 9, 1.0, 0.0, 1.0, 2.0), "2.0"),
    "recorded node that is not there": (
        lambda: (
            ops.node(9, 1.0, 1.0),
            ops.recorder("Node", "-file", "a.out", "-node", 9, "disp"),
            ops.remove("node", 9),
        ),
        "node 9 has a recorder",
    ),
    "element response": (lambda: ops.eleResponse(1, "curvatures"), "no response 'curvatures'"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_doubt_is_a_warning(name: str) -> None:
    call, words = DOUBTS[name]
    frame()
    with pytest.warns(ModelWarning, match=words):
        call()


def test_unknown_names_are_attribute_errors_too() -> None:
    assert not hasattr(ops, "no_such_command")


def test_star_import_brings_the_commands() -> None:
    names: dict[str, Any] = {}
    exec("from femu.opensees import *", names)
    assert names["nodeDisp"] is ops.nodeDisp
    with pytest.raises(ops.UnsupportedCommand, match="printX"):
        names["printX"]()


def test_a_wrong_command_changes_nothing() -> None:
    frame()
    before = (ops.getNodeTags(), ops.getEleTags())
    for call, _ in list(CASES.values())[2:20]:
        with pytest.raises(ops.OpenSeesError):
            call()
    assert (ops.getNodeTags(), ops.getEleTags()) == before
