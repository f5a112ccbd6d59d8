"""Setups: geometry both ways, and forces by virtual work."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu import InputError
from femu.experimental import (
    BadMeasurement,
    Cantilever,
    Direct,
    Jack,
    OneActuator,
    Rig,
    Scaled,
    ThreeActuators,
    TwoActuators,
)

HEIGHT = 3.0
SETUPS = {
    "direct": Direct(3),
    "some directions": Direct(3, (0, 2)),
    "one": OneActuator(1.8, exact=True),
    "one from the right": OneActuator(1.8, side=1, exact=True),
    "two": TwoActuators(1.8, 1.5, 0.7, exact=True),
    "three": ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6, exact=True),
    "three linear": ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6),
    "inclined": Rig(
        [
            Jack((0.1, 0.3), (-1.0, 0.8)),
            Jack((-0.4, 0.0), (-0.6, -1.5)),
            Jack((0.5, 0.1), (0.9, -1.0), -1),
        ],
        exact=True,
    ),
    "cantilever": Cantilever(HEIGHT, exact=True),
    "column rig": Cantilever(HEIGHT, exact=True)
    >> ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6, exact=True),
}


@pytest.mark.parametrize("name", SETUPS)
@settings(max_examples=20, deadline=None)
@given(
    moves=st.lists(st.floats(-0.08, 0.08), min_size=3, max_size=3),
    forces=st.lists(st.floats(-9.0, 9.0), min_size=3, max_size=3),
)
def test_jacobian_virtual_work_and_inverse(name, moves, forces):
    setup = SETUPS[name]
    d, f = np.array(moves[: setup.inputs]), np.array(forces[: setup.outputs])
    jacobian, step = setup.jacobian(d), 1e-6
    for a in range(setup.inputs):
        e = step * np.eye(setup.inputs)[a]
        column = (setup.command(d + e) - setup.command(d - e)) / (2.0 * step)
        assert np.allclose(column, jacobian[:, a], atol=1e-8)
    # the work of the actuators on a virtual displacement is that of the element
    virtual = np.array([0.3, -0.7, 0.2][: setup.inputs])
    assert f @ (jacobian @ virtual) == pytest.approx(setup.force(f, d) @ virtual, abs=1e-11)
    if setup.inputs == setup.outputs:
        assert np.allclose(setup.displacement(setup.command(d)), d, atol=1e-11)
    assert np.allclose(setup.displacement(setup.command(d), near=d), d, atol=1e-11)


def test_linear_maps_are_those_of_the_tables():
    x, y, r = 0.01, -0.02, 0.003
    assert np.allclose(
        TwoActuators(1.0, 2.0, 0.7).command(np.array([x, r])), [x, x - 0.7 * r], atol=1e-16
    )
    assert np.allclose(
        ThreeActuators(1.0, 2.0, 3.0, 0.5, 0.6).command(np.array([x, y, r])),
        [x, y - 0.5 * r, y + 0.6 * r],
        atol=1e-16,
    )
    rig = ThreeActuators(1.0, 2.0, 3.0, 0.5, 0.6)
    f = np.array([3.0, 5.0, 7.0])
    assert np.allclose(rig.force(f, np.zeros(3)), [3.0, 12.0, -0.5 * 5.0 + 0.6 * 7.0])
    assert np.allclose(Cantilever(HEIGHT).command(np.array([x, y, r])), [x, -HEIGHT * y, r - y])


def test_exact_stroke_is_the_change_of_length():
    rig = OneActuator(2.0, exact=True)
    assert rig.command(np.array([0.3]))[0] == pytest.approx(0.3, abs=1e-15)
    lifted = Rig([Jack((0.0, 0.0), (-2.0, 0.0))], ("y",), exact=True)
    assert lifted.command(np.array([0.5]))[0] == pytest.approx(np.hypot(2.0, 0.5) - 2.0, rel=1e-14)


def test_exact_geometry_tends_to_the_linear_one():
    exact, linear = (
        ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6, exact=True),
        ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6),
    )
    d = np.array([1.0, -0.5, 0.7])
    gaps = [np.abs(exact.command(s * d) - linear.command(s * d)).max() for s in (1e-3, 5e-4)]
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.01)  # second order


def test_similitude():
    scaled = Scaled(2, displacement=0.5, force=0.25)
    d = np.array([0.2, -0.1])
    assert np.allclose(scaled.command(d), 0.5 * d)
    assert np.allclose(scaled.displacement(scaled.command(d)), d)
    k = np.array([[5.0, 1.0], [1.0, 3.0]])
    # a force of the model counts four times, a displacement twice
    assert np.allclose(scaled.force(k @ scaled.command(d), d), scaled.stiffness(k) @ d)
    assert np.allclose(scaled.stiffness_of_actuators(scaled.stiffness(k)), k)
    rig = Scaled(3, 0.5, 0.25) >> ThreeActuators(1.8, 1.2, 1.4, 0.5, 0.6)
    k3 = np.diag([5.0, 4.0, 3.0])
    assert np.allclose(rig.stiffness_of_actuators(rig.stiffness(k3)), k3)


def test_bad_setups():
    with pytest.raises(InputError):
        Direct(2, (0, 2))
    with pytest.raises(InputError):
        Cantilever(0.0)
    with pytest.raises(InputError):
        Direct(2) >> OneActuator(1.0)
    with pytest.raises(InputError):
        Scaled(2, displacement=0.0)
    with pytest.raises(BadMeasurement):
        OneActuator(1.0, exact=True).displacement(np.array([np.nan]))
