"""Places of sections that depend on the length of a member.

With rigid ends it is that of the flexible part.
"""

from __future__ import annotations

import pytest

import femu.opensees as ops
from femu.opensees import CommandError
from femu.opensees.front_end.domain import domain
from femu.support.errors import ModelWarning

SPAN, END, HINGE = 6.0, 0.5, 0.3


def beam(rule: str, *numbers: float) -> None:
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, SPAN, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.section("Elastic", 1, 2e11, 0.01, 1e-4)
    ops.geomTransf("Linear", 1, "-jntOffset", END, 0.0, -END, 0.0)
    ops.beamIntegration(rule, 1, *numbers)
    ops.element("forceBeamColumn", 1, 1, 2, 1, 1)


def test_hinges_have_their_length_between_rigid_ends() -> None:
    beam("HingeMidpoint", 1, HINGE, 1, HINGE, 1)
    flexible = SPAN - 2.0 * END
    assert domain.model.elements[1].integration.weights[0] == pytest.approx(
        HINGE / flexible, rel=1e-14
    )


def test_simpson_in_opensees_is_another_rule_from_five_points_on() -> None:
    """openseespy: sectionLocation gives 0, 1/3, 2/3, 1, 1 and sectionWeight 1/9, 4/9, 2/9, 4/9,
    1/9."""
    with pytest.warns(ModelWarning, match="CompositeSimpson.*N = 5.*Fix: use N = 3"):
        beam("CompositeSimpson", 1, 5)
    weights = ops.sectionWeight(1)
    assert [w / weights[0] for w in weights] == pytest.approx([1.0, 4.0, 2.0, 4.0, 1.0], rel=1e-14)


def test_a_node_that_follows_another_one_is_not_controlled() -> None:
    """OpenSees moves the first degree of freedom of such a node that is left, here z, and not x."""
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    for tag, place in ((1, (0.0, 0.0, 0.0)), (2, (0.0, 0.0, 3.0)), (3, (1.0, 1.0, 3.0))):
        ops.node(tag, *place)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.fix(3, 0, 0, 1, 1, 1, 0)
    ops.geomTransf("Linear", 1, 0.0, 1.0, 0.0)
    ops.element("elasticBeamColumn", 1, 1, 2, 0.01, 2e11, 8e10, 1e-5, 1e-5, 1e-5, 1)
    ops.rigidDiaphragm(3, 3, 2)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ops.constraints("Transformation")
    ops.integrator("DisplacementControl", 2, 1, 1e-3)
    ops.analysis("Static")
    with pytest.raises(CommandError, match=r"node 2, dof 1 follows node 3 .* Fix: control node 3"):
        ops.analyze(1)
