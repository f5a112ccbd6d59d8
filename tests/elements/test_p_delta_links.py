"""Links with P-Delta: statics, tangents, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from element_harness import Probe

from femu import InputError, Model
from femu.analyses import Increment, LoadControl
from femu.elements import TwoNodeLink
from femu.materials import Elastic

H, P, F = 2.0, 30.0, 4.0
LAWS = {"x": Elastic(1e4), "y": Elastic(50.0), "rz": Elastic(200.0)}


def column(p_delta, shear_distance=0.5):
    """An upright link, under a weight and a push.

    In the plane its local y points to the left.
    """
    model = Model("link")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, H)
    model.add(TwoNodeLink("e", 1, 2, LAWS, p_delta=p_delta, shear_distance=shear_distance))
    model.load(2, x=F, y=-P)
    # moments at the ends leave a tangent that is not exact: more iterations than usual
    return LoadControl(steps=2, test=Increment(1e-13, 200)).run(model.compile())


@pytest.mark.parametrize(
    "p_delta", [True, (0.0, 0.0), (0.3, 0.2), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)]
)
def test_moment_at_the_foot_is_that_of_statics(p_delta):
    """Whatever shares the ends bear: push times height, and weight times sway."""
    result = column(p_delta)
    sway = result.displacement(2, "x")[-1]
    assert sway > 0.08
    assert result.reaction(1, "rz")[-1] == pytest.approx(F * H + P * sway, rel=1e-9)
    assert result.reaction(1, "x")[-1] == pytest.approx(-F, rel=1e-9)
    assert result.reaction(1, "y")[-1] == pytest.approx(P, rel=1e-9)


def test_sway_of_a_link_with_its_spring_at_the_top():
    """Shear spring and hinge at j.

    The sway is that of the shear spring alone, softened by P / h.
    """
    model = Model("link")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, H, fixed="rz")
    model.add(TwoNodeLink("e", 1, 2, LAWS, p_delta=True))
    model.load(2, x=F, y=-P)
    sway = LoadControl().run(model.compile()).displacement(2, "x")[-1]
    assert sway == pytest.approx(F / (50.0 - P / H), rel=1e-9)


@pytest.mark.parametrize(
    ("dimensions", "p_delta"), [(2, True), (2, (0.3, 0.4)), (3, True), (3, (0.1, 0.2, 0.3, 0.4))]
)
def test_tangent_is_the_symmetric_part_of_the_derivative_at_constant_axial_force(
    dimensions, p_delta
):
    """The stiffness leaves out what the change of N adds, and the skew part of what the ends bear."""
    model = Model("link", dimensions=dimensions)
    more = (
        {"z": Elastic(40.0), "rx": Elastic(30.0), "ry": Elastic(150.0)} if dimensions == 3 else {}
    )
    model.node(1, *(0.1, 0.2, 0.3)[:dimensions])
    model.node(2, *(0.5, 2.0, 1.1)[:dimensions])
    options = {"orient": (0.0, 0.3, 1.0)} if dimensions == 3 else {}
    model.add(TwoNodeLink("e", 1, 2, LAWS | more, p_delta=p_delta, **options))
    probe = Probe(model)
    u = np.random.default_rng(3).uniform(-0.02, 0.02, probe.program.ndof)
    _, stiffness = probe(u)
    N = probe.element()["Fx"]
    assert abs(N) > 5.0
    plan = probe.program.plans["e"]
    places = [probe.program.numbering.place[d] for d in plan.dofs]
    m, n = int(plan.geometry[0]), int(plan.geometry[1])
    axial, rows = (
        np.array(plan.geometry[2 : 2 + n]),
        np.array(plan.geometry[3 + m * n :]).reshape(-1, 2, n),
    )
    derivative, h = np.zeros((len(u), len(u))), 1e-6
    for a in range(len(u)):
        step = np.zeros(len(u))
        step[a] = h
        derivative[:, a] = (probe(u + step)[0] - probe(u - step)[0]) / (2 * h)
    change = np.zeros_like(derivative)
    for s, r in rows:
        change[np.ix_(places, places)] += np.outer((s @ u[places]) * r, LAWS["x"].E * axial)
    found = derivative - change
    assert stiffness == pytest.approx(0.5 * (found + found.T), abs=1e-6 * np.abs(stiffness).max())
    if p_delta is True:
        assert found == pytest.approx(found.T, abs=1e-6 * np.abs(stiffness).max())


@pytest.mark.parametrize(
    ("laws", "p_delta", "words"),
    [
        (LAWS, (0.6, 0.6), "not above 1"),
        (LAWS, (-0.1, 0.0), "none below 0"),
        (LAWS, (0.1,), "two shares"),
        (LAWS, "yes", "p_delta = 'yes' must be True or False or a list"),
        ({"y": LAWS["y"]}, True, "along x"),
        ({"x": LAWS["x"]}, True, "across"),
        ({"x": LAWS["x"], "y": LAWS["y"]}, (0.1, 0.0), "law for rz"),
    ],
)
def test_wrong_shares(laws, p_delta, words):
    with pytest.raises(InputError, match=words):
        TwoNodeLink("e", 1, 2, laws, p_delta=p_delta)


def test_shares_of_space_are_refused_in_the_plane():
    with pytest.raises(InputError, match="must be 2 shares"):
        column((0.0, 0.0, 0.0, 0.0))
