"""What a script changes between steps, or tries to.

Damping, ties, loads and displacements; recorders see the model as it was.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import femu.opensees as ops
from femu.opensees.front_end.domain import domain
from femu.support.errors import ModelWarning


def tied_frame() -> None:
    """Two cantilevers; node 3 is to follow node 2."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.geomTransf("Linear", 1)
    for base, top, x in ((1, 2, 0.0), (4, 3, 2.0)):
        ops.node(base, x, 0.0)
        ops.node(top, x, 3.0)
        ops.fix(base, 1, 1, 1)
        ops.element("elasticBeamColumn", top, base, top, 0.01, 2e11, 1e-4, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1e3, 0.0, 0.0)


@pytest.mark.parametrize("when", ["before the recorder", "after the recorder", "after a step"])
def test_reactions_of_a_node_that_is_tied_later(when: str, tmp_path: Path) -> None:
    """A recorder writes the reactions of the model as it was at each step."""
    tied_frame()
    if when == "before the recorder":
        ops.equalDOF(2, 3, 1)
    ops.recorder("Node", "-file", str(tmp_path / "r.out"), "-node", 3, "-dof", 1, "reaction")
    if when == "after the recorder":
        ops.equalDOF(2, 3, 1)
    ops.analysis("Static")
    assert ops.analyze(1) == 0
    if when == "after a step":
        ops.equalDOF(2, 3, 1)
        assert ops.analyze(1) == 0
    ops.wipe()
    rows = np.loadtxt(tmp_path / "r.out", ndmin=1)
    if when == "after a step":
        assert rows[0] == pytest.approx(0.0, abs=1e-6)  # free, and no load on it
        assert abs(rows[1]) > 100.0
    else:
        assert rows == pytest.approx([500.0], rel=1e-6)  # half of the load goes through the tie


def shaken_frame() -> None:
    """The cantilevers with masses, shaken by a load in steps of time."""
    tied_frame()
    for top in (2, 3):
        ops.mass(top, 1e3, 1e3, 10.0)
    ops.analysis("Transient")


def test_modal_damping_outlives_a_look_at_one_mode() -> None:
    """eigen(1) to follow a period, then eigen(3) again: three modes are damped as before."""
    found = []
    for looks in (False, True):
        shaken_frame()
        ops.eigen(3)
        ops.modalDamping(0.3)
        ops.analyze(2, 0.01)
        if looks:
            ops.eigen(1)
            ops.eigen(3)
        ops.setTime(ops.getTime())
        ops.analyze(8, 0.005)
        found.append(ops.nodeDisp(2, 1))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_modal_damping_follows_the_modes_that_were_found_last() -> None:
    found = []
    for modes in (3, 1):
        shaken_frame()
        ops.eigen(3)
        ops.modalDamping(0.3)
        ops.analyze(2, 0.01)
        ops.eigen(modes)
        ops.analyze(8, 0.005)
        found.append(ops.nodeDisp(2, 1))
    assert abs(found[0] - found[1]) > 1e-6 * abs(found[0])


@pytest.mark.parametrize("wrong", [("setNodeDisp", 2, 1, 1e308), ("updateParameter", 1, 1e308)])
def test_a_step_after_a_refused_change_is_as_without_it(wrong: tuple[object, ...]) -> None:
    found = []
    for refused in (False, True):
        tied_frame()
        ops.uniaxialMaterial("Steel01", 1, 3e8, 2e11, 0.01)
        ops.section("Fiber", 1)
        ops.patch("rect", 1, 8, 1, -0.1, -0.1, 0.1, 0.1)
        ops.beamIntegration("Lobatto", 1, 1, 5)
        ops.node(5, 4.0, 0.0)
        ops.fix(5, 1, 1, 1)
        ops.element("forceBeamColumn", 5, 5, 2, 1, 1)
        ops.parameter(1, "element", 5, "E")
        ops.analysis("Static")
        assert ops.analyze(2) == 0
        if refused:
            with pytest.raises(ops.OpenSeesError):
                getattr(ops, str(wrong[0]))(*wrong[1:])
        assert ops.analyze(1) == 0
        found.append((ops.nodeDisp(2, 1), ops.testIter()))
    assert found[0] == found[1]


def test_a_recorder_that_cannot_write_is_told_beside_a_refused_command(tmp_path: Path) -> None:
    tied_frame()
    folder = tmp_path / "gone"
    folder.mkdir()
    ops.recorder("Node", "-file", str(folder / "a.out"), "-node", 2, "-dof", 1, "disp")
    ops.analysis("Static")
    ops.analyze(3)
    (folder / "a.out").unlink()
    folder.rmdir()
    with pytest.raises(ops.OpenSeesError, match=r"a\.out.*cannot be written"):
        ops.fix(99, 1, 1, 1)


def test_load_const_holds_all_patterns_or_none() -> None:
    tied_frame()
    ops.timeSeries("Linear", 9, "-factor", 100.0)
    ops.pattern("Plain", 9, 9)
    ops.load(3, 1.0, 0.0, 0.0)
    ops.analysis("Static")
    ops.analyze(1)
    ops.setTime(1e308)
    with pytest.raises(ops.OpenSeesError):
        ops.loadConst("-time", 0.0)
    assert [pattern.held for pattern in domain.patterns.values()] == [None, None]


def test_a_recorded_mode_is_that_of_its_step(tmp_path: Path) -> None:
    """The mode is found again after the frame has got another mass.

    The first rows keep the mode of their time.
    """
    shaken_frame()
    first = ops.eigen(1) and ops.nodeEigenvector(2, 1, 1)
    ops.recorder(
        "Node",
        "-file",
        str(tmp_path / "e.out"),
        "-precision",
        12,
        "-node",
        2,
        "-dof",
        1,
        "eigen",
        1,
    )
    ops.analyze(2, 0.01)
    ops.mass(2, 9e3, 9e3, 10.0)
    second = ops.eigen(1) and ops.nodeEigenvector(2, 1, 1)
    ops.analyze(1, 0.01)
    ops.wipe()
    assert np.loadtxt(tmp_path / "e.out") == pytest.approx([first, first, second], rel=1e-9)


def test_options_that_femu_does_not_offer_are_told_as_such() -> None:
    tied_frame()
    with pytest.warns(ModelWarning, match="takes no arguments: 5"):
        ops.testIter(5)
    ops.integrator("LoadControl", 0.1, 0)  # 0 iterations count as 1
